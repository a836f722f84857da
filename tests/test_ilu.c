/* Incomplete LU: exact where nothing is dropped, also for indefinite and non-symmetric matrices; bad rows are named. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include <string.h>

#include "coupled.h"

static vlIlu *factor_of(const vlCsr *a)
{
  vlIlu *ilu = NULL;
  vlStatus status = {0};
  assert_int_equal(vl_ilu_create(&ilu, a, &status), VL_OK);
  return ilu;
}

/* A full pattern drops nothing. Not symmetric; the last rows have negative diagonals. */
static void exact_on_a_full_pattern(void **state)
{
  (void)state;
  enum { N = 40 };
  vlCsr *a = random_spd(N, 1.1, 1.0, 13);
  for (int i = 0; i < N; i++)
    for (int64_t e = a->start[i]; e < a->start[i + 1]; e++) {
      if (a->column[e] < i) a->value[e] *= 0.5;
      if (i >= N / 2) a->value[e] = -a->value[e];
    }
  double *b = random_vector(N, 3), x[N];
  vlIlu *ilu = factor_of(a);
  vlOperator op = vl_ilu_operator(ilu);
  assert_true(op.n == N);
  op.apply(op.data, b, x);
  assert_true(relative_residual(a, x, b) < 1e-13); /* round-off of a dominant matrix */
  vl_ilu_destroy(&ilu);
  assert_null(ilu);
  vl_ilu_destroy(&ilu);
  free(b);
  vl_csr_destroy(&a);
}

/* On a symmetric positive M-matrix ILU(0) is IC(0). */
static void equals_incomplete_cholesky(void **state)
{
  (void)state;
  vlStatus status = {0};
  vlCsr *a = poisson(9, 8, 7, true);
  for (int64_t e = 0; e < a->start[a->rows]; e++)
    if (a->value[e] > 0.0) a->value[e] += 1.0; /* no pivot near a quarter of the diagonal */
  vlIlu *ilu = factor_of(a);
  vlIncomplete *ic = NULL;
  assert_int_equal(vl_incomplete_create(&ic, a, 0.0, &status), VL_OK);
  vlOperator one = vl_ilu_operator(ilu), two = vl_incomplete_operator(ic);
  double *r = random_vector(one.n, 4), *x = zero_vector(one.n), *y = zero_vector(one.n);
  one.apply(one.data, r, x);
  two.apply(two.data, r, y);
  for (size_t i = 0; i < one.n; i++) assert_true(fabs(x[i] - y[i]) < 1e-14);
  free(r);
  free(x);
  free(y);
  vl_ilu_destroy(&ilu);
  vl_incomplete_destroy(&ic);
  vl_csr_destroy(&a);
}

static void zero_rows_and_pivots_are_survived(void **state)
{
  (void)state;
  vlCsr *a = poisson(8, 8, 1, true);
  for (int i = 0; i < 64; i++)
    for (int64_t e = a->start[i]; e < a->start[i + 1]; e++) {
      if (i == 27 || a->column[e] == 27) a->value[e] = 0.0;
      if (i == 0 && a->column[e] == 0) a->value[e] = 0.0; /* a zero pivot in a row that is not empty */
    }
  double *b = random_vector(64, 3), z[64];
  vlIlu *ilu = factor_of(a);
  vlOperator op = vl_ilu_operator(ilu);
  op.apply(op.data, b, z);
  for (int i = 0; i < 64; i++) assert_true(isfinite(z[i]) && (i == 27) == (z[i] == 0.0));
  free(b);
  vl_ilu_destroy(&ilu);
  vl_csr_destroy(&a);
}

static void bad_rows_are_named(void **state)
{
  (void)state;
  vlStatus status = {0};
  vlIlu *ilu = NULL;
  vlCsr *a = random_rectangle(12, 12, 1, 30, 1.0, 8);
  a->column[a->start[9]] = 0; /* row 9 loses its diagonal where it has one entry only */
  a->start[10] = a->start[9] + 1;
  vlCsr *cut = new_matrix(10, a->start[10]);
  memcpy(cut->start, a->start, 11 * sizeof *a->start);
  memcpy(cut->column, a->column, (size_t)a->start[10] * sizeof *a->column);
  memcpy(cut->value, a->value, (size_t)a->start[10] * sizeof *a->value);
  for (int64_t e = 0; e < cut->start[10]; e++) cut->column[e] %= 10;
  assert_int_equal(vl_ilu_create(&ilu, cut, &status), VL_ERROR_SOLVER);
  assert_null(ilu);
  assert_non_null(strstr(status.message, "row 9 of 10"));
  cut->value[cut->start[4]] = INFINITY;
  assert_int_equal(vl_ilu_create(&ilu, cut, &status), VL_ERROR_SOLVER);
  assert_non_null(strstr(status.message, "row 4 of 10"));
  vl_csr_destroy(&a);
  vl_csr_destroy(&cut);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(exact_on_a_full_pattern),
      cmocka_unit_test(equals_incomplete_cholesky),
      cmocka_unit_test(zero_rows_and_pivots_are_survived),
      cmocka_unit_test(bad_rows_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
