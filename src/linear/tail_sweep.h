/* The tail of a stencil (stencil.h) in multigrid: Gauss-Seidel over it around that of the finest level's cells.
 *
 * Down the cycle go, from zero, F: over the tail forward, S: over the cells, B: over the tail backward; up it F, S^T, B,
 * which is the transpose. On coarser grids an unknown of the tail is one with its cell: it hands its residual to that of the
 * cell, takes the correction that the cell takes, and its links add to those of the cell where the coarser matrix is made.
 * So the cycle stays symmetric and definite. The order is that of the tail. Residual and correction of the tail are those of
 * the vectors, the cells' on the level are scaled. Private to multigrid.c. */
#ifndef VL_LINEAR_TAIL_SWEEP_H
#define VL_LINEAR_TAIL_SWEEP_H

#include "linear/level.h"

typedef struct vlTailNeighbour {
  int at; /* place in a vector */
  double w;
} vlTailNeighbour;

typedef struct vlTailSweep {
  int first, cells; /* place of the tail, length of the cells' part */
  int count;
  double *inverse;         /* 1 / diagonal; 0: no unknown [count] */
  int *cell;               /* place of the cell of each on coarser grids, -1: none [count] */
  float *held;             /* of that cell: before its correction [count] */
  int *start;              /* [count + 2] */
  vlTailNeighbour *beside; /* in the order of the pairs [start[count]] */
  double *sum;             /* scratch [cells + count] */
  size_t inverse_capacity, cell_capacity, held_capacity, start_capacity, beside_capacity, sum_capacity;
} vlTailSweep;

/* Of the stencil as it is. */
vlCode vl_tail_sweep_build(vlTailSweep *sweep, const vlStencil *stencil, vlStatus *status);
void vl_tail_sweep_clear(vlTailSweep *sweep);
double vl_tail_sweep_bytes(const vlTailSweep *sweep); /* memory it holds */
/* Makes the finest level that of cells which hold their part of the tail, for vl_level_coarsen. */
vlCode vl_tail_sweep_gather(vlTailSweep *sweep, const vlStencil *stencil, vlLevel *level, vlStatus *status);

/* The parts of a cycle, in this order. Those that change z put what it takes from the cells into the level's b. */
void vl_tail_sweep_begin(const vlTailSweep *sweep, const double *r, double *z, vlLevel *level, double scale);
void vl_tail_sweep_down(const vlTailSweep *sweep, const double *r, double *z, vlLevel *level, double scale);
void vl_tail_sweep_residual(const vlTailSweep *sweep, const double *r, const double *z, vlLevel *level, double scale);
void vl_tail_sweep_hold(const vlTailSweep *sweep, const vlLevel *level);
void vl_tail_sweep_up(const vlTailSweep *sweep, const double *r, double *z, vlLevel *level, double scale);
void vl_tail_sweep_end(const vlTailSweep *sweep, const double *r, double *z); /* the cells of z are known */

#endif
