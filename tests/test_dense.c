/* Dense Cholesky: L L^T = A, solves, bad pivots. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include <string.h>

#include "matrices.h"

static double *dense_of(const vlCsr *a)
{
  size_t n = (size_t)a->rows;
  double *full = zero_vector(n * n);
  for (int i = 0; i < a->rows; i++)
    for (int64_t e = a->start[i]; e < a->start[i + 1]; e++) full[(size_t)i * n + (size_t)a->column[e]] = a->value[e];
  return full;
}

static void factor_times_transpose_is_the_matrix(void **state)
{
  (void)state;
  const int sizes[] = {1, 2, 3, 4, 5, 8, 31, 130};
  for (int s = 0; s < 8; s++) {
    int n = sizes[s];
    vlCsr *a = random_spd(n, 0.8, 0.5, 7);
    double *full = dense_of(a), *L = dense_of(a);
    assert_true(vl_dense_factor(L, n));
    for (int i = 0; i < n; i++) {
      assert_true(L[i * n + i] > 0.0);
      for (int j = 0; j <= i; j++) {
        double sum = 0.0;
        for (int k = 0; k <= j; k++) sum += L[i * n + k] * L[j * n + k];
        /* n roundings of terms that together are no larger than sqrt(a_ii a_jj) */
        assert_true(fabs(sum - full[i * n + j]) <= 4.0 * n * 2.3e-16 * sqrt(full[i * n + i] * full[j * n + j]));
      }
      for (int j = i + 1; j < n; j++) assert_true(L[i * n + j] == full[i * n + j]); /* the upper triangle is left alone */
    }
    free(full);
    free(L);
    vl_csr_destroy(&a);
  }
}

static void solves_reach_round_off(void **state)
{
  (void)state;
  vlCsr *matrices[] = {random_spd(150, 0.6, 0.1, 3), poisson(8, 8, 8, true), poisson(1, 1, 1, false)};
  matrices[2]->value[0] = 5.0;
  for (int m = 0; m < 3; m++) {
    vlCsr *a = matrices[m];
    size_t n = (size_t)a->rows;
    double *L = dense_of(a), *b = random_vector(n, 41), *x = zero_vector(n);
    assert_true(vl_dense_factor(L, a->rows));
    memcpy(x, b, n * sizeof *x);
    vl_dense_solve(L, a->rows, x);
    assert_true(relative_residual(a, x, b) < 1e-13); /* epsilon times condition numbers under a hundred */
    free(L);
    free(b);
    free(x);
    vl_csr_destroy(&matrices[m]);
  }
}

static void bad_pivots_are_refused(void **state)
{
  (void)state;
  double singular[] = {1, 1, 1, 1}, indefinite[] = {1, 2, 2, 1}, negative[] = {-1}, zero[] = {0}, nan[] = {1, 0, NAN, 1},
         infinite[] = {INFINITY};
  assert_false(vl_dense_factor(singular, 2));
  assert_false(vl_dense_factor(indefinite, 2));
  assert_false(vl_dense_factor(negative, 1));
  assert_false(vl_dense_factor(zero, 1));
  assert_false(vl_dense_factor(nan, 2));
  assert_false(vl_dense_factor(infinite, 1));
  assert_true(vl_dense_factor(NULL, 0));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(factor_times_transpose_is_the_matrix),
      cmocka_unit_test(solves_reach_round_off),
      cmocka_unit_test(bad_pivots_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
