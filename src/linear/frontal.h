/* Sparse Cholesky factors made of dense blocks, for matrices that are factored anew in every step with the same pattern. */
#ifndef VL_LINEAR_FRONTAL_H
#define VL_LINEAR_FRONTAL_H

#include "linear/csr.h"

typedef struct vlFrontal vlFrontal;

/* Orders and analyses the pattern of a symmetric matrix; its values do not count. */
vlCode vl_frontal_create(vlFrontal **factor, const vlCsr *a, vlStatus *status);
/* Factors a matrix of the analysed pattern. One that is singular to round-off or not positive gives VL_ERROR_SOLVER naming
 * the row; another may follow. Takes nothing from the heap. Same bits for any number of threads. */
vlCode vl_frontal_factor(vlFrontal *factor, const vlCsr *a, vlStatus *status);
/* x = A^-1 b; b may be x. VL_ERROR_INTERNAL when the last factoring failed. */
vlCode vl_frontal_solve(vlFrontal *factor, const double *b, double *x, vlStatus *status);
int64_t vl_frontal_entries(const vlFrontal *factor); /* stored entries of the factor, zeros of merged blocks among them */
void vl_frontal_destroy(vlFrontal **factor);

#endif
