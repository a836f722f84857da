/* VTI: fields on the cells of a box of the grid, as VTK image data.
 *
 * The extent is given in grid indices, points lo..hi along each axis, and the origin is the grid's own, so that a frame
 * may hold only the box around the liquid and all frames still lie in one frame of reference.
 * Inputs: the box, the grid's origin and spacing, the time, arrays with x fastest. Output: one file. */
#include <assert.h>
#include <stdlib.h>

#include "io/number.h"
#include "io/vtk_xml.h"

static vlCode check_input(const char *path, vlVec3 origin, double dx, double time, const vlVtkArray *arrays, int count,
                          int64_t cells, vlStatus *status)
{
  vlCode code = vl_vtk_check_number(path, "time", time, status);
  if (code == VL_OK) code = vl_vtk_check_number(path, "spacing", dx, status);
  for (int a = 0; a < 3 && code == VL_OK; a++) code = vl_vtk_check_number(path, "origin", origin.v[a], status);
  for (int i = 0; i < count && code == VL_OK; i++) code = vl_vtk_check(path, &arrays[i], cells, status);
  return code;
}

vlCode vl_vti_write(const char *path, const int lo[3], const int hi[3], vlVec3 origin, double dx, double time,
                    const vlVtkArray *cell_arrays, int count, vlStatus *status)
{
  assert(lo[0] < hi[0] && lo[1] < hi[1] && lo[2] < hi[2]);
  int64_t cells = 1;
  for (int a = 0; a < 3; a++) cells *= (int64_t)hi[a] - lo[a];
  vlCode code = check_input(path, origin, dx, time, cell_arrays, count, cells, status);
  if (code != VL_OK) return code;

  vlVtkBlock *blocks = calloc((size_t)count + 1, sizeof *blocks);
  if (!blocks) return vl_fail_memory(status, (size_t)count * sizeof *blocks, path);
  for (int i = 0; i < count; i++) blocks[i] = vl_vtk_block(&cell_arrays[i], cells);

  vlFile file;
  code = vl_file_open(&file, path, status);
  if (code == VL_OK) {
    char extent[6 * 12], attributes[512], h[VL_NUMBER_TEXT], x[3][VL_NUMBER_TEXT];
    snprintf(extent, sizeof extent, "%d %d %d %d %d %d", lo[0], hi[0], lo[1], hi[1], lo[2], hi[2]);
    for (int a = 0; a < 3; a++) vl_number_text(origin.v[a], x[a]);
    vl_number_text(dx, h);
    snprintf(attributes, sizeof attributes, " WholeExtent=\"%s\" Origin=\"%s %s %s\" Spacing=\"%s %s %s\"", extent, x[0],
             x[1], x[2], h, h, h);
    uint64_t offset = 0;
    vl_vtk_begin(&file, "ImageData", attributes, time);
    vl_file_print(&file, "<Piece Extent=\"%s\">\n", extent);
    vl_vtk_section(&file, "CellData", blocks, count, &offset);
    vl_vtk_end(&file, "ImageData", blocks, count);
    code = vl_file_commit(&file, status);
  }
  free(blocks);
  return code;
}
