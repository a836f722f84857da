/* The MAC grid and its fields.
 *
 * Cells, lower faces and lower nodes share one index: at = offset + i + stride[1] j + stride[2] k. Face `at` of
 * axis a lies between the cells at - stride[a] and at; node `at` is the lower corner of cell `at`. Rows are padded
 * to whole blocks of VL_BLOCK cells and one layer of padding separates rows, columns and planes, so every
 * neighbour of a cell may be read without a test.
 *
 * A field is dense in address space and sparse in memory (base/memory.h, pages): it costs what was written. */
#ifndef VL_GRID_GRID_H
#define VL_GRID_GRID_H

#include "base/vec.h"
#include "velella/scene.h"

enum { VL_BLOCK = 16 }; /* cells along x in a block */

typedef struct vlGrid {
  int n[3];      /* cells */
  int blocks_x;  /* blocks in a row */
  double dx;     /* m */
  vlVec3 origin; /* m: lower corner of cell (0,0,0) */
  ptrdiff_t stride[3];
  ptrdiff_t offset; /* index of cell (0,0,0) */
  size_t length;    /* elements in a field */
} vlGrid;

/* From the scene's box and cell size; the box is rounded to whole cells. */
vlCode vl_grid_create(vlGrid *grid, const vlGridDef *box, vlStatus *status);
/* Strides, offset and length of a grid whose n, dx and origin are there. */
void vl_grid_lay_out(vlGrid *grid);

static inline ptrdiff_t vl_grid_at(const vlGrid *g, int i, int j, int k)
{
  return g->offset + i + g->stride[1] * j + g->stride[2] * k;
}
static inline vlVec3 vl_grid_center(const vlGrid *g, int i, int j, int k)
{
  return vl_vec(g->origin.x + (i + 0.5) * g->dx, g->origin.y + (j + 0.5) * g->dx, g->origin.z + (k + 0.5) * g->dx);
}
/* Where x, in cells from the lower corner, lies in space, m. */
static inline vlVec3 vl_grid_place(const vlGrid *g, const double x[3])
{
  return vl_add(g->origin, vl_vec(x[0] * g->dx, x[1] * g->dx, x[2] * g->dx));
}
static inline vlBox3 vl_grid_box(const vlGrid *g)
{
  return (vlBox3){g->origin,
                  vl_vec(g->origin.x + g->n[0] * g->dx, g->origin.y + g->n[1] * g->dx, g->origin.z + g->n[2] * g->dx)};
}

/* Field memory, zero until written. */
double *vl_field_create(const vlGrid *grid);
void vl_field_destroy(const vlGrid *grid, double **field);

/* Whether it is a cell of the grid, not one beyond its sides. */
static inline bool vl_grid_holds(const vlGrid *grid, const int cell[3])
{
  for (int a = 0; a < 3; a++)
    if (cell[a] < 0 || cell[a] >= grid->n[a]) return false;
  return true;
}

/* The cells lo to hi that a box reaches into; false: none. Both ends are brought into the grid before they become integers,
 * so that the box may lie as far away as numbers go. */
static inline bool vl_grid_cells_in(const vlGrid *grid, vlBox3 box, int lo[3], int hi[3])
{
  for (int a = 0; a < 3; a++) {
    double first = floor((box.lo.v[a] - grid->origin.v[a]) / grid->dx),
           last = floor((box.hi.v[a] - grid->origin.v[a]) / grid->dx);
    if (!(first < grid->n[a] && last >= 0.0 && first <= last)) return false;
    lo[a] = (int)fmax(first, 0.0);
    hi[a] = (int)fmin(last, grid->n[a] - 1.0);
  }
  return true;
}

#endif
