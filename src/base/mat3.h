/* 3x3 matrices beyond products: determinant, inverse, singular values, nearest rotation. */
#ifndef VL_BASE_MAT3_H
#define VL_BASE_MAT3_H

#include "base/vec.h"

double vl_mat_determinant(vlMat3 a);
double vl_mat_norm(vlMat3 a); /* Frobenius */
/* false: singular to round-off or not finite; *inverse stays as it was. */
bool vl_mat_inverse(vlMat3 a, vlMat3 *inverse);
/* a = U diag(sigma) V^T with proper rotations U and V, sigma[0] >= sigma[1] >= |sigma[2]|; the sign of sigma[2] is that of
 * det a. False, and nothing written, when an entry is not finite. */
bool vl_mat_svd(vlMat3 a, vlMat3 *u, double sigma[3], vlMat3 *v);
/* The proper rotation R of a = R Y, Y symmetric with at most one negative stretch, its smallest. False, and *r stays as it
 * was, when an entry is not finite or the norm of a is below 1e-8. */
bool vl_mat_polar(vlMat3 a, vlMat3 *r);

#endif
