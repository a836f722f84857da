/* The frame of a VTK XML file, version 1.0 with 64-bit block sizes:
 *
 *   <VTKFile ...> <ImageData or PolyData> field data (TimeValue), piece with its arrays' descriptions </...>
 *   <AppendedData encoding="raw">_ size data size data ... </AppendedData> </VTKFile>
 *
 * Each description carries the offset of its block, counted from the byte behind the underscore; sizes and numbers are
 * little endian. Raw bytes are no XML, but every VTK reader takes them and nothing is faster or smaller. No date, name or
 * address enters the file: equal input gives equal bytes. */
#include "files/vtk_xml.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/file.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are written as they lie in memory");
_Static_assert(sizeof(float) == 4 && sizeof(double) == 8, "Float32 and Float64");

vlCode vl_vtk_check(const char *path, const vlVtkArray *array, int64_t tuples, vlStatus *status)
{
  int64_t count = tuples * array->components, i = 0;
  while (i < count && isfinite(array->data[i])) i++;
  if (i == count) return VL_OK;
  char text[VL_NUMBER_TEXT];
  return vl_fail(status, VL_ERROR_INTERNAL,
                 "%s is not written: array '%s' holds %s at index %lld, component %d; finite numbers only", path,
                 array->name, vl_number_text(array->data[i], text), (long long)(i / array->components),
                 (int)(i % array->components));
}

vlCode vl_vtk_check_number(const char *path, const char *what, double value, vlStatus *status)
{
  if (isfinite(value)) return VL_OK;
  char text[VL_NUMBER_TEXT];
  return vl_fail(status, VL_ERROR_INTERNAL, "%s is not written: its %s is %s; finite numbers only", path, what,
                 vl_number_text(value, text));
}

void vl_vtk_escape(vlFile *file, const char *text)
{
  static const struct {
    char raw;
    const char *entity;
  } entities[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}};
  for (; *text; text++) {
    const char *entity = NULL;
    for (size_t i = 0; i < sizeof entities / sizeof *entities; i++)
      if (*text == entities[i].raw) entity = entities[i].entity;
    vl_file_write(file, entity ? entity : text, entity ? strlen(entity) : 1);
  }
}

void vl_vtk_begin(vlFile *file, const char *kind, const char *attributes, double time)
{
  char text[VL_NUMBER_TEXT];
  vl_file_print(file, "<?xml version=\"1.0\"?>\n");
  vl_file_print(file, "<VTKFile type=\"%s\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n", kind);
  vl_file_print(file, "<%s%s>\n<FieldData>\n", kind, attributes);
  vl_file_print(file,
                "<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">%s</DataArray>\n",
                vl_number_text(time, text));
  vl_file_print(file, "</FieldData>\n");
}

void vl_vtk_section(vlFile *file, const char *section, const vlVtkBlock *blocks, int count, uint64_t *offset)
{
  vl_file_print(file, "<%s>\n", section);
  for (int i = 0; i < count; i++) {
    vl_file_print(file, "<DataArray type=\"%s\" Name=\"", blocks[i].type);
    vl_vtk_escape(file, blocks[i].name);
    vl_file_print(file, "\" NumberOfComponents=\"%d\" format=\"appended\" offset=\"%llu\"/>\n", blocks[i].components,
                  (unsigned long long)*offset);
    *offset += sizeof(uint64_t) + blocks[i].bytes;
  }
  vl_file_print(file, "</%s>\n", section);
}

void vl_vtk_data_begin(vlFile *file, const char *kind)
{
  vl_file_print(file, "</Piece>\n</%s>\n<AppendedData encoding=\"raw\">\n_", kind);
}

void vl_vtk_data_end(vlFile *file) { vl_file_print(file, "\n</AppendedData>\n</VTKFile>\n"); }

/* VTI, VTP and VTU: fields on cells, surfaces and tetrahedra, as VTK has them.
 *
 * VTI: the extent is given in grid indices, points lo..hi along each axis, and the origin is the grid's own, so that a frame
 * may hold only the box around the liquid and all frames still lie in one frame of reference.
 * VTP and VTU: a cell is described by its corners (connectivity) and the end of its corners (offsets), both as 64-bit
 * integers, VTK's own width, in VTU also by its type: files may mix tetrahedra of 4 and of 10 nodes and triangles. Positions
 * stay doubles. vl_tetmesh_read takes a VTU file where all cells have 4 nodes.
 * Inputs: cells, time, arrays. Output: one file; a surface without triangles gives a valid, empty one. */

_Static_assert(sizeof(vlVec3) == 3 * sizeof(double), "positions are written as they lie in memory");

/* Arrays on the points or cells of a file. */
typedef struct Arrays {
  const vlVtkArray *array; /* [count] */
  int count;
  int64_t tuples;
} Arrays;

static vlCode check_arrays(const char *path, Arrays arrays, vlStatus *status)
{
  vlCode code = VL_OK;
  for (int i = 0; i < arrays.count && code == VL_OK; i++) code = vl_vtk_check(path, &arrays.array[i], arrays.tuples, status);
  return code;
}

static vlCode check_points(const char *path, const vlVec3 *x, int count, double time, vlStatus *status)
{
  vlCode code = vl_vtk_check_number(path, "time", time, status);
  for (int i = 0; i < count && code == VL_OK; i++)
    for (int a = 0; a < 3 && code == VL_OK; a++) {
      if (isfinite(x[i].v[a])) continue;
      char what[64];
      snprintf(what, sizeof what, "array 'Points' at index %d, component %d", i, a);
      code = vl_vtk_check_number(path, what, x[i].v[a], status);
    }
  return code;
}

static vlVtkBlock *list_arrays(vlVtkBlock *block, Arrays arrays)
{
  for (int i = 0; i < arrays.count; i++) {
    const vlVtkArray *array = &arrays.array[i];
    uint64_t bytes = (uint64_t)arrays.tuples * (uint64_t)array->components * sizeof(float);
    *block++ = (vlVtkBlock){array->name, "Float32", array->components, array->data, bytes};
  }
  return block;
}

/* A section of the file's one piece, and how many of the blocks are in it. */
typedef struct Section {
  const char *name;
  int blocks;
} Section;

static vlCode write_file(const char *path, const char *kind, const char *attributes, const char *piece, double time,
                         const vlVtkBlock *block, const Section *section, int sections, vlStatus *status)
{
  vlFile file;
  vlCode code = vl_file_open(&file, path, status);
  if (code != VL_OK) return code;
  uint64_t offset = 0;
  int blocks = 0;
  vl_vtk_begin(&file, kind, attributes, time);
  vl_file_print(&file, "<Piece %s>\n", piece);
  for (int i = 0; i < sections; blocks += section[i++].blocks)
    vl_vtk_section(&file, section[i].name, block + blocks, section[i].blocks, &offset);
  vl_vtk_data_begin(&file, kind);
  for (int i = 0; i < blocks; i++) {
    vl_file_write(&file, &block[i].bytes, sizeof block[i].bytes);
    vl_file_write(&file, block[i].data, block[i].bytes);
  }
  vl_vtk_data_end(&file);
  return vl_file_commit(&file, status);
}

vlCode vl_vti_write(const char *path, const int lo[3], const int hi[3], vlVec3 origin, double dx, double time,
                    const vlVtkArray *cell_arrays, int count, vlStatus *status)
{
  assert(lo[0] < hi[0] && lo[1] < hi[1] && lo[2] < hi[2]);
  Arrays arrays = {cell_arrays, count, 1};
  for (int a = 0; a < 3; a++) arrays.tuples *= (int64_t)hi[a] - lo[a];
  vlCode code = vl_vtk_check_number(path, "time", time, status);
  if (code == VL_OK) code = vl_vtk_check_number(path, "spacing", dx, status);
  for (int a = 0; a < 3 && code == VL_OK; a++) code = vl_vtk_check_number(path, "origin", origin.v[a], status);
  if (code == VL_OK) code = check_arrays(path, arrays, status);
  if (code != VL_OK) return code;

  vlVtkBlock *block = calloc((size_t)count + 1, sizeof *block);
  if (!block) return vl_fail_memory(status, (size_t)count * sizeof *block, path);
  list_arrays(block, arrays);
  char extent[6 * 12], piece[100], attributes[512], h[VL_NUMBER_TEXT], x[3][VL_NUMBER_TEXT];
  snprintf(extent, sizeof extent, "%d %d %d %d %d %d", lo[0], hi[0], lo[1], hi[1], lo[2], hi[2]);
  snprintf(piece, sizeof piece, "Extent=\"%s\"", extent);
  for (int a = 0; a < 3; a++) vl_number_text(origin.v[a], x[a]);
  vl_number_text(dx, h);
  snprintf(attributes, sizeof attributes, " WholeExtent=\"%s\" Origin=\"%s %s %s\" Spacing=\"%s %s %s\"", extent, x[0], x[1],
           x[2], h, h, h);
  code = write_file(path, "ImageData", attributes, piece, time, block, &(Section){"CellData", count}, 1, status);
  free(block);
  return code;
}

vlCode vl_vtp_write(const char *path, const vlTriMesh *mesh, double time, const vlVtkArray *point_arrays, int point_count,
                    const vlVtkArray *triangle_arrays, int triangle_count, vlStatus *status)
{
  Arrays points = {point_arrays, point_count, mesh->vertex_count};
  Arrays cells = {triangle_arrays, triangle_count, mesh->triangle_count};
  vlCode code = check_points(path, mesh->x, mesh->vertex_count, time, status);
  if (code == VL_OK) code = check_arrays(path, points, status);
  if (code == VL_OK) code = check_arrays(path, cells, status);
  if (code != VL_OK) return code;

  size_t triangles = (size_t)mesh->triangle_count;
  vlVtkBlock *block = calloc((size_t)(point_count + triangle_count) + 3, sizeof *block);
  int64_t *corners = malloc((3 * triangles + 1) * sizeof *corners), *ends = malloc((triangles + 1) * sizeof *ends);
  if (block && corners && ends) {
    for (size_t t = 0; t < triangles; t++) {
      for (size_t c = 0; c < 3; c++) corners[3 * t + c] = mesh->tri[t][c];
      ends[t] = 3 * (int64_t)(t + 1);
    }
    vlVtkBlock *last = list_arrays(list_arrays(block, points), cells);
    last[0] = (vlVtkBlock){"Points", "Float64", 3, mesh->x, (uint64_t)mesh->vertex_count * sizeof(vlVec3)};
    last[1] = (vlVtkBlock){"connectivity", "Int64", 1, corners, 3 * triangles * sizeof *corners};
    last[2] = (vlVtkBlock){"offsets", "Int64", 1, ends, triangles * sizeof *ends};
    const Section section[] = {{"PointData", point_count}, {"CellData", triangle_count}, {"Points", 1}, {"Polys", 2}};
    char piece[80];
    snprintf(piece, sizeof piece, "NumberOfPoints=\"%d\" NumberOfPolys=\"%d\"", mesh->vertex_count, mesh->triangle_count);
    code = write_file(path, "PolyData", "", piece, time, block, section, 4, status);
  } else {
    code = vl_fail_memory(status, 4 * triangles * sizeof *ends, path);
  }
  free(block);
  free(corners);
  free(ends);
  return code;
}

vlCode vl_vtu_write(const char *path, const vlVtuGrid *grid, double time, const vlVtkArray *point_arrays, int point_count,
                    const vlVtkArray *cell_arrays, int cell_count, vlStatus *status)
{
  Arrays points = {point_arrays, point_count, grid->point_count}, cells = {cell_arrays, cell_count, grid->cell_count};
  vlCode code = check_points(path, grid->points, grid->point_count, time, status);
  if (code == VL_OK) code = check_arrays(path, points, status);
  if (code == VL_OK) code = check_arrays(path, cells, status);
  if (code != VL_OK) return code;

  size_t blocks = (size_t)(point_count + cell_count) + 5, count = (size_t)grid->cell_count;
  vlVtkBlock *block = calloc(blocks, sizeof *block);
  if (!block) return vl_fail_memory(status, blocks * sizeof *block, path);
  uint64_t nodes = count ? (uint64_t)grid->ends[count - 1] : 0;
  vlVtkBlock *last = list_arrays(list_arrays(block, points), cells);
  last[0] = (vlVtkBlock){grid->label_name, "Int32", 1, grid->label, count * sizeof *grid->label};
  last[1] = (vlVtkBlock){"Points", "Float64", 3, grid->points, (uint64_t)grid->point_count * sizeof *grid->points};
  last[2] = (vlVtkBlock){"connectivity", "Int64", 1, grid->nodes, nodes * sizeof *grid->nodes};
  last[3] = (vlVtkBlock){"offsets", "Int64", 1, grid->ends, count * sizeof *grid->ends};
  last[4] = (vlVtkBlock){"types", "UInt8", 1, grid->types, count * sizeof *grid->types};
  const Section section[] = {{"PointData", point_count}, {"CellData", cell_count + 1}, {"Points", 1}, {"Cells", 3}};
  char piece[80];
  snprintf(piece, sizeof piece, "NumberOfPoints=\"%d\" NumberOfCells=\"%d\"", grid->point_count, grid->cell_count);
  code = write_file(path, "UnstructuredGrid", "", piece, time, block, section, 4, status);
  free(block);
  return code;
}
