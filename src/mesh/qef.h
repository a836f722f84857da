/* The point closest to a handful of planes: least squares with a choice of rank. */
#ifndef VL_MESH_QEF_H
#define VL_MESH_QEF_H

#include "velella/types.h"

/* sum of (n_i . x - b_i)^2 in its eigenvectors. */
typedef struct vlQef {
  double matrix[3][3]; /* sum n n^T */
  vlVec3 right;        /* sum b n */
  double value[3];     /* eigenvalues, largest first */
  vlVec3 vector[3];    /* unit eigenvectors */
} vlQef;

void vl_qef_add(vlQef *qef, vlVec3 normal, double offset); /* to a zeroed vlQef */
void vl_qef_factor(vlQef *qef);
/* How many eigenvalues are above `cutoff` times the largest. */
int vl_qef_rank(const vlQef *qef, double cutoff);
/* The smallest x that minimises the sum over the span of the first `rank` eigenvectors. */
vlVec3 vl_qef_solve(const vlQef *qef, int rank);

#endif
