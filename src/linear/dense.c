/* Dense Cholesky A = L L^T of small matrices (the coarsest grid of a multigrid, reduced bodies), serial.
 *
 * Rows lie one after another, so everything is written as products and updates of pieces of rows. Sums run in four fixed
 * lanes: fast, and the same bits everywhere. Only the lower triangle of the input is read; the upper one is left as it is.
 */
#include <math.h>

#include "linear/solve.h"

static double row_dot(const double *a, const double *b, int n)
{
  double lane[4] = {0.0, 0.0, 0.0, 0.0};
  int i = 0;
  for (; i + 4 <= n; i += 4)
    for (int l = 0; l < 4; l++) lane[l] += a[i + l] * b[i + l];
  for (; i < n; i++) lane[0] += a[i] * b[i];
  return (lane[0] + lane[1]) + (lane[2] + lane[3]);
}

bool vl_dense_factor(double *a, int n)
{
  for (int i = 0; i < n; i++) {
    double *row = a + (size_t)i * (size_t)n;
    for (int j = 0; j < i; j++) {
      const double *other = a + (size_t)j * (size_t)n;
      row[j] = (row[j] - row_dot(row, other, j)) / other[j]; /* l_ij = (a_ij - sum_k l_ik l_jk) / l_jj */
    }
    double pivot = row[i] - row_dot(row, row, i);
    if (!(pivot > 0.0 && isfinite(pivot))) return false;
    row[i] = sqrt(pivot);
  }
  return true;
}

void vl_dense_solve(const double *factor, int n, double *x)
{
  /* L y = b */
  for (int i = 0; i < n; i++) {
    const double *row = factor + (size_t)i * (size_t)n;
    x[i] = (x[i] - row_dot(row, x, i)) / row[i];
  }
  /* L^T x = y: row i of L is column i of L^T */
  for (int i = n - 1; i >= 0; i--) {
    const double *row = factor + (size_t)i * (size_t)n;
    x[i] /= row[i];
    for (int j = 0; j < i; j++) x[j] -= row[j] * x[i];
  }
}
