/* VTP: a triangle surface with arrays on points and triangles, as VTK poly data.
 *
 * Positions stay doubles. A cell is described by its corners (connectivity) and the end of its corners (offsets), both
 * as 64-bit integers, VTK's own width.
 * Inputs: mesh, time, arrays. Output: one file; without triangles it is a valid, empty one. */
#include <stdlib.h>

#include "io/vtk_xml.h"

_Static_assert(sizeof(vlVec3) == 3 * sizeof(double), "positions are written as they lie in memory");

static vlCode check_input(const char *path, const vlTriMesh *mesh, double time, const vlVtkArray *point_arrays,
                          int point_count, const vlVtkArray *triangle_arrays, int triangle_count, vlStatus *status)
{
  vlCode code = vl_vtk_check_number(path, "time", time, status);
  for (int i = 0; i < mesh->vertex_count && code == VL_OK; i++)
    for (int a = 0; a < 3 && code == VL_OK; a++) {
      char what[64];
      snprintf(what, sizeof what, "array 'Points' at index %d, component %d", i, a);
      code = vl_vtk_check_number(path, what, mesh->x[i].v[a], status);
    }
  for (int i = 0; i < point_count && code == VL_OK; i++)
    code = vl_vtk_check(path, &point_arrays[i], mesh->vertex_count, status);
  for (int i = 0; i < triangle_count && code == VL_OK; i++)
    code = vl_vtk_check(path, &triangle_arrays[i], mesh->triangle_count, status);
  return code;
}

/* All blocks in the order of the file: point data, cell data, points, connectivity, offsets. */
static void list_blocks(vlVtkBlock *block, const vlTriMesh *mesh, const vlVtkArray *point_arrays, int point_count,
                        const vlVtkArray *triangle_arrays, int triangle_count, int64_t *corners, int64_t *ends)
{
  size_t triangles = (size_t)mesh->triangle_count;
  for (size_t t = 0; t < triangles; t++) {
    for (size_t c = 0; c < 3; c++) corners[3 * t + c] = mesh->tri[t][c];
    ends[t] = 3 * (int64_t)(t + 1);
  }
  for (int i = 0; i < point_count; i++) *block++ = vl_vtk_block(&point_arrays[i], mesh->vertex_count);
  for (int i = 0; i < triangle_count; i++) *block++ = vl_vtk_block(&triangle_arrays[i], mesh->triangle_count);
  *block++ = (vlVtkBlock){"Points", "Float64", 3, mesh->x, (uint64_t)mesh->vertex_count * sizeof(vlVec3)};
  *block++ = (vlVtkBlock){"connectivity", "Int64", 1, corners, 3 * triangles * sizeof *corners};
  *block++ = (vlVtkBlock){"offsets", "Int64", 1, ends, triangles * sizeof *ends};
}

vlCode vl_vtp_write(const char *path, const vlTriMesh *mesh, double time, const vlVtkArray *point_arrays, int point_count,
                    const vlVtkArray *triangle_arrays, int triangle_count, vlStatus *status)
{
  vlCode code = check_input(path, mesh, time, point_arrays, point_count, triangle_arrays, triangle_count, status);
  if (code != VL_OK) return code;

  size_t triangles = (size_t)mesh->triangle_count;
  int arrays = point_count + triangle_count, blocks = arrays + 3;
  vlVtkBlock *block = calloc((size_t)blocks, sizeof *block);
  int64_t *corners = malloc((3 * triangles + 1) * sizeof *corners), *ends = malloc((triangles + 1) * sizeof *ends);
  vlFile file;
  if (!block || !corners || !ends)
    code = vl_fail_memory(status, 4 * triangles * sizeof *ends, path);
  else
    code = vl_file_open(&file, path, status);
  if (code == VL_OK) {
    list_blocks(block, mesh, point_arrays, point_count, triangle_arrays, triangle_count, corners, ends);
    uint64_t offset = 0;
    vl_vtk_begin(&file, "PolyData", "", time);
    vl_file_print(&file, "<Piece NumberOfPoints=\"%d\" NumberOfPolys=\"%d\">\n", mesh->vertex_count, mesh->triangle_count);
    vl_vtk_section(&file, "PointData", block, point_count, &offset);
    vl_vtk_section(&file, "CellData", block + point_count, triangle_count, &offset);
    vl_vtk_section(&file, "Points", block + arrays, 1, &offset);
    vl_vtk_section(&file, "Polys", block + arrays + 1, 2, &offset);
    vl_vtk_end(&file, "PolyData", block, blocks);
    code = vl_file_commit(&file, status);
  }
  free(block);
  free(corners);
  free(ends);
  return code;
}
