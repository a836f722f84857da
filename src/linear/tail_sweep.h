/* Gauss-Seidel over the tail of a stencil (stencil.h), around a preconditioner M of its cells. With unknowns (cells, tail)
 * and the tail's part of the matrix A_tt = D - U - U^T, U strictly upper, z = M^-1 r is z_t = (D - U^T)^-1 r_t forward,
 * cells at zero z_c = M_c^-1 (r_c - A_ct z_t) z_t = (D - U)^-1 (r_t - A_tc z_c + U^T z_t) backward: the second sweep is the
 * transpose of the first, so M is symmetric if M_c is, and positive definite. The order is that of the tail. Private to
 * multigrid.c. */
#ifndef VL_LINEAR_TAIL_SWEEP_H
#define VL_LINEAR_TAIL_SWEEP_H

#include "linear/stencil.h"

typedef struct vlTailNeighbour {
  int at; /* place in a vector */
  double w;
} vlTailNeighbour;

typedef struct vlTailSweep {
  size_t first, cells; /* place of the tail, length of the cells' part */
  int count;
  double *inverse;         /* 1 / diagonal; 0: no unknown [count] */
  int *start;              /* [count + 2] */
  vlTailNeighbour *beside; /* in the order of the pairs [start[count]] */
  size_t inverse_capacity, start_capacity, beside_capacity;
} vlTailSweep;

/* Of the stencil as it is. */
vlCode vl_tail_sweep_build(vlTailSweep *sweep, const vlStencil *stencil, vlStatus *status);
void vl_tail_sweep_clear(vlTailSweep *sweep);
double vl_tail_sweep_bytes(const vlTailSweep *sweep); /* memory it holds */
/* The tail of z from that of r; adds factor times what it leaves of the cells' residual to theirs. */
void vl_tail_sweep_forward(const vlTailSweep *sweep, const double *r, double *z, double factor, float *residual);
/* The tail of z once its cells are known. */
void vl_tail_sweep_backward(const vlTailSweep *sweep, const double *r, double *z);

#endif
