/* The MAC grid: sizes, strides and field memory. */
#include "grid/grid.h"

#include <stdio.h>

#include "base/memory.h"
#include "base/status.h"

static int cells_along(double length, double dx)
{
  double n = round(length / dx);
  return n < 1.0 ? 1 : (int)n;
}

vlCode vl_grid_create(vlGrid *grid, const vlGridDef *box, vlStatus *status)
{
  *grid = (vlGrid){.origin = box->origin};
  int axes = box->slab ? 2 : 3;
  double longest = fmax(box->size.x, box->size.y);
  if (!box->slab) longest = fmax(longest, box->size.z);
  grid->dx = box->dx > 0.0 ? box->dx : longest / box->cells;
  /* written so that NaN is refused too */
  if (!(grid->dx > 0.0 && isfinite(grid->dx)))
    return vl_fail(status, VL_ERROR_SCENE, "grid: a cell size of %g m (from %g m and %d cells); it must be above 0",
                   grid->dx, longest, box->cells);
  if (!(longest / grid->dx < 1e5))
    return vl_fail(status, VL_ERROR_SCENE, "grid: %g m with cells of %g m is more than 100000 cells along a side", longest,
                   grid->dx);
  for (int a = 0; a < 3; a++) grid->n[a] = a < axes ? cells_along(box->size.v[a], grid->dx) : 1;
  vl_grid_lay_out(grid);
  return VL_OK;
}

void vl_grid_lay_out(vlGrid *grid)
{
  /* One spare cell, row and plane on either side; the spare on the left of a row is the last of the row before. */
  grid->blocks_x = (grid->n[0] + VL_BLOCK - 1) / VL_BLOCK;
  ptrdiff_t row = ((ptrdiff_t)grid->n[0] + 2 + VL_BLOCK - 1) / VL_BLOCK * VL_BLOCK;
  grid->stride[0] = 1;
  grid->stride[1] = row;
  grid->stride[2] = row * (grid->n[1] + 2);
  grid->offset = grid->stride[2] + grid->stride[1] + VL_BLOCK;
  grid->length = (size_t)grid->offset + (size_t)grid->stride[2] * (size_t)(grid->n[2] + 1) + (size_t)row * 2;
}

double *vl_field_create(const vlGrid *grid) { return vl_pages_alloc(grid->length * sizeof(double)); }

void vl_field_destroy(const vlGrid *grid, double **field)
{
  vl_pages_free(*field, grid->length * sizeof(double));
  *field = NULL;
}
