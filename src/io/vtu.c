/* VTU: tetrahedra with arrays on nodes and cells, as a VTK unstructured grid.
 *
 * A cell is described by its nodes (connectivity), the end of its nodes (offsets) and its type; files may mix tetrahedra of
 * 4 and of 10 nodes and triangles. Positions stay doubles. Inputs: grid, time, arrays. Output: one file, which
 * vl_tetmesh_read takes where all cells have 4 nodes. */
#include <math.h>
#include <stdlib.h>

#include "io/vtk_xml.h"

_Static_assert(sizeof(vlVec3) == 3 * sizeof(double), "positions are written as they lie in memory");

static vlCode check_input(const char *path, const vlVtuGrid *grid, double time, const vlVtkArray *point_arrays,
                          int point_count, const vlVtkArray *cell_arrays, int cell_count, vlStatus *status)
{
  vlCode code = vl_vtk_check_number(path, "time", time, status);
  for (int i = 0; i < grid->point_count && code == VL_OK; i++)
    for (int a = 0; a < 3 && code == VL_OK; a++) {
      if (isfinite(grid->points[i].v[a])) continue;
      char what[64];
      snprintf(what, sizeof what, "array 'Points' at index %d, component %d", i, a);
      code = vl_vtk_check_number(path, what, grid->points[i].v[a], status);
    }
  for (int i = 0; i < point_count && code == VL_OK; i++)
    code = vl_vtk_check(path, &point_arrays[i], grid->point_count, status);
  for (int i = 0; i < cell_count && code == VL_OK; i++) code = vl_vtk_check(path, &cell_arrays[i], grid->cell_count, status);
  return code;
}

/* All blocks in the order of the file: point data, cell data, label, points, connectivity, offsets, types. */
static void list_blocks(vlVtkBlock *block, const vlVtuGrid *grid, const vlVtkArray *point_arrays, int point_count,
                        const vlVtkArray *cell_arrays, int cell_count)
{
  uint64_t points = (uint64_t)grid->point_count, cells = (uint64_t)grid->cell_count,
           nodes = cells ? (uint64_t)grid->ends[cells - 1] : 0;
  for (int i = 0; i < point_count; i++) *block++ = vl_vtk_block(&point_arrays[i], grid->point_count);
  for (int i = 0; i < cell_count; i++) *block++ = vl_vtk_block(&cell_arrays[i], grid->cell_count);
  *block++ = (vlVtkBlock){grid->label_name, "Int32", 1, grid->label, cells * sizeof *grid->label};
  *block++ = (vlVtkBlock){"Points", "Float64", 3, grid->points, points * sizeof *grid->points};
  *block++ = (vlVtkBlock){"connectivity", "Int64", 1, grid->nodes, nodes * sizeof *grid->nodes};
  *block++ = (vlVtkBlock){"offsets", "Int64", 1, grid->ends, cells * sizeof *grid->ends};
  *block++ = (vlVtkBlock){"types", "UInt8", 1, grid->types, cells * sizeof *grid->types};
}

vlCode vl_vtu_write(const char *path, const vlVtuGrid *grid, double time, const vlVtkArray *point_arrays, int point_count,
                    const vlVtkArray *cell_arrays, int cell_count, vlStatus *status)
{
  vlCode code = check_input(path, grid, time, point_arrays, point_count, cell_arrays, cell_count, status);
  if (code != VL_OK) return code;
  int arrays = point_count + cell_count + 1, blocks = arrays + 4;
  vlVtkBlock *block = calloc((size_t)blocks, sizeof *block);
  if (!block) return vl_fail_memory(status, (size_t)blocks * sizeof *block, path);
  vlFile file;
  code = vl_file_open(&file, path, status);
  if (code == VL_OK) {
    list_blocks(block, grid, point_arrays, point_count, cell_arrays, cell_count);
    uint64_t offset = 0;
    vl_vtk_begin(&file, "UnstructuredGrid", "", time);
    vl_file_print(&file, "<Piece NumberOfPoints=\"%d\" NumberOfCells=\"%d\">\n", grid->point_count, grid->cell_count);
    vl_vtk_section(&file, "PointData", block, point_count, &offset);
    vl_vtk_section(&file, "CellData", block + point_count, cell_count + 1, &offset);
    vl_vtk_section(&file, "Points", block + arrays, 1, &offset);
    vl_vtk_section(&file, "Cells", block + arrays + 1, 3, &offset);
    vl_vtk_end(&file, "UnstructuredGrid", block, blocks);
    code = vl_file_commit(&file, status);
  }
  free(block);
  return code;
}
