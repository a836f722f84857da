/* Eigenvalues of small symmetric matrices: A v = lambda v, v orthonormal, and known ones. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include <string.h>

#include "base/random.h"
#include "base/vec.h"
#include "matrices.h"

static void vectors_are_eigenvectors(void **state)
{
  (void)state;
  const int sizes[] = {1, 2, 3, 8, 31};
  for (int s = 0; s < 5; s++) {
    int n = sizes[s];
    size_t N = (size_t)n;
    double *a = zero_vector(N * N), *d = zero_vector(N * N), *v = zero_vector(N * N), size = 0.0;
    for (int i = 0; i < n; i++)
      for (int j = 0; j <= i; j++) a[i * n + j] = a[j * n + i] = 2.0 * vl_random((uint64_t)(n * i + j)) - 1.0;
    for (int i = 0; i < n * n; i++) size += a[i] * a[i];
    size = sqrt(size);
    memcpy(d, a, N * N * sizeof *a);
    vl_dense_eigen(d, n, v);
    for (int k = 0; k < n; k++)
      for (int i = 0; i < n; i++) {
        double product = 0.0, dot = 0.0;
        for (int j = 0; j < n; j++) {
          product += a[i * n + j] * v[k * n + j];
          dot += v[i * n + j] * v[k * n + j];
        }
        assert_true(fabs(product - d[k * (n + 1)] * v[k * n + i]) < 1e-14 * n * size); /* rounding of n rotations */
        assert_true(fabs(dot - (i == k)) < 1e-14 * n);
      }
    free(a);
    free(d);
    free(v);
  }
}

/* The chain 2, -1: 2 - 2 cos(k pi/(n+1)); and entries of very different sizes. */
static void known_values(void **state)
{
  (void)state;
  enum { N = 9 };
  double a[N * N] = {0}, v[N * N];
  for (int i = 0; i < N; i++) {
    a[i * N + i] = 2.0;
    if (i > 0) a[i * N + i - 1] = a[(i - 1) * N + i] = -1.0;
  }
  vl_dense_eigen(a, N, v);
  for (int k = 1; k <= N; k++) {
    double wanted = 2.0 - 2.0 * cos(k * VL_PI / (N + 1)), nearest = INFINITY;
    for (int i = 0; i < N; i++) nearest = fmin(nearest, fabs(a[i * (N + 1)] - wanted));
    assert_true(nearest < 1e-14);
  }
  double graded[] = {1e20, 1e9, 1e9, 1.0}, w[4];
  vl_dense_eigen(graded, 2, w);
  double small = fmin(graded[0], graded[3]);
  assert_true(fabs(small - 0.99) < 1e-12);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(vectors_are_eigenvectors),
      cmocka_unit_test(known_values),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
