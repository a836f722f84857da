/* Least squares for a point near planes n_i . x = b_i [ju2002, sec. 2.3]: the normal equations
 *   (sum n n^T) x = sum b n
 * are solved in the eigenvectors of the matrix (cyclic Jacobi rotations), leaving out the weak ones. Rank 1 moves x
 * only across a flat face, rank 2 onto an edge, rank 3 into a corner. With the origin at the mean of the points where
 * the planes were sampled, the smallest solution is the one closest to them. */
#include "mesh/contour.h"

#include "base/vec.h"

void vl_qef_add(vlQef *q, vlVec3 n, double b)
{
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) q->matrix[i][j] += n.v[i] * n.v[j];
  q->right = vl_axpy(q->right, b, n);
}

/* A <- G^T A G and V <- V G with the rotation G in the plane (p, q) that makes A[p][q] zero. */
static void rotate(double a[3][3], vlVec3 v[3], int p, int q)
{
  if (a[p][q] == 0.0) return;
  double theta = 0.5 * (a[q][q] - a[p][p]) / a[p][q];
  double t = copysign(1.0, theta) / (fabs(theta) + sqrt(theta * theta + 1.0)), c = 1.0 / sqrt(t * t + 1.0), s = t * c;
  int r = 3 - p - q;
  double apr = a[p][r], aqr = a[q][r];
  a[p][p] -= t * a[p][q];
  a[q][q] += t * a[p][q];
  a[p][q] = a[q][p] = 0.0;
  a[p][r] = a[r][p] = c * apr - s * aqr;
  a[q][r] = a[r][q] = s * apr + c * aqr;
  vlVec3 vp = v[p], vq = v[q];
  v[p] = vl_sub(vl_scale(vp, c), vl_scale(vq, s));
  v[q] = vl_add(vl_scale(vp, s), vl_scale(vq, c));
}

void vl_qef_factor(vlQef *q)
{
  double a[3][3];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) a[i][j] = q->matrix[i][j];
  for (int i = 0; i < 3; i++) q->vector[i] = vl_vec(i == 0, i == 1, i == 2);
  /* Off-diagonal entries fall quadratically: a few sweeps reach rounding. */
  for (int sweep = 0; sweep < 12; sweep++) {
    double off = fabs(a[0][1]) + fabs(a[0][2]) + fabs(a[1][2]);
    if (off <= 1e-18 * (fabs(a[0][0]) + fabs(a[1][1]) + fabs(a[2][2]))) break;
    rotate(a, q->vector, 0, 1);
    rotate(a, q->vector, 0, 2);
    rotate(a, q->vector, 1, 2);
  }
  for (int i = 0; i < 3; i++) q->value[i] = a[i][i];
  for (int i = 0; i < 2; i++)
    for (int j = i + 1; j < 3; j++)
      if (q->value[j] > q->value[i]) {
        double value = q->value[i];
        vlVec3 vector = q->vector[i];
        q->value[i] = q->value[j];
        q->vector[i] = q->vector[j];
        q->value[j] = value;
        q->vector[j] = vector;
      }
}

int vl_qef_rank(const vlQef *q, double cutoff)
{
  int rank = 0;
  while (rank < 3 && q->value[rank] > cutoff * q->value[0]) rank++;
  return rank;
}

vlVec3 vl_qef_solve(const vlQef *q, int rank)
{
  vlVec3 x = vl_vec(0, 0, 0);
  for (int i = 0; i < rank; i++) x = vl_axpy(x, vl_dot(q->vector[i], q->right) / q->value[i], q->vector[i]);
  return x;
}
