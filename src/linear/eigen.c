/* Eigenvalues and vectors of small symmetric matrices by Jacobi's rotations [jacobi1846], serial: sweeps over all pairs (p,
 * q) in order, each rotation making a_pq zero, until all are below rounding of the diagonal. Small eigenvalues keep their
 * own digits where the matrix is graded. */
#include <math.h>

#include "linear/solve.h"

/* The rotation of axes p and q that makes a_pq zero [jacobi1846]. */
static void rotate(double *a, int n, int p, int q, double *vectors)
{
  size_t N = (size_t)n, P = (size_t)p, Q = (size_t)q;
  double theta = (a[Q * N + Q] - a[P * N + P]) / (2.0 * a[P * N + Q]);
  double t = (theta < 0.0 ? -1.0 : 1.0) / (fabs(theta) + sqrt(theta * theta + 1.0)), c = 1.0 / sqrt(t * t + 1.0), s = t * c;
  for (size_t k = 0; k < N; k++) { /* A J */
    double x = a[k * N + P], y = a[k * N + Q];
    a[k * N + P] = c * x - s * y;
    a[k * N + Q] = s * x + c * y;
  }
  for (size_t k = 0; k < N; k++) { /* J^T A, and the vectors with it */
    double x = a[P * N + k], y = a[Q * N + k], u = vectors[P * N + k], v = vectors[Q * N + k];
    a[P * N + k] = c * x - s * y;
    a[Q * N + k] = s * x + c * y;
    vectors[P * N + k] = c * u - s * v;
    vectors[Q * N + k] = s * u + c * v;
  }
  a[P * N + Q] = a[Q * N + P] = 0.0;
}

void vl_dense_eigen(double *a, int n, double *vectors)
{
  enum { SWEEPS = 60 };
  for (int i = 0; i < n * n; i++) vectors[i] = i % (n + 1) == 0;
  bool done = false;
  for (int sweep = 0; sweep < SWEEPS && !done; sweep++) {
    done = true;
    for (int p = 0; p < n; p++)
      for (int q = p + 1; q < n; q++) {
        double off = fabs(a[p * n + q]), size = sqrt(fabs(a[p * n + p] * a[q * n + q]));
        if (off == 0.0 || off <= 1e-17 * size) continue;
        rotate(a, n, p, q, vectors);
        done = false;
      }
  }
}
