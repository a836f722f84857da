/* Sparse Cholesky of dense blocks: residuals at round-off, refactoring, threads, and singular or indefinite matrices named.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include <omp.h>

#include "linear/solve.h"
#include "matrices.h"

/* Analyses and factors. */
static vlCode make_factor(vlFrontal **factor, const vlCsr *a, vlStatus *status)
{
  vlCode code = vl_frontal_create(factor, a, status);
  if (!code) code = vl_frontal_factor(*factor, a, status);
  if (code) vl_frontal_destroy(factor);
  return code;
}

static void check_solves(vlFrontal *factor, const vlCsr *a)
{
  vlStatus status = {0};
  double *b = random_vector((size_t)a->rows, 23), *x = zero_vector((size_t)a->rows);
  for (int repeat = 0; repeat < 2; repeat++) {
    b[0] += repeat;
    assert_int_equal(vl_frontal_solve(factor, b, x, &status), VL_OK);
    assert_true(relative_residual(a, x, b) < 1e-12); /* epsilon times condition numbers of some thousand */
  }
  free(b);
  free(x);
}

static void residual_is_round_off(void **state)
{
  (void)state;
  vlCsr *matrices[] = {poisson(60, 50, 1, true), poisson(14, 13, 12, true), random_spd(200, 0.05, 0.01, 1),
                       poisson(1, 1, 1, true)};
  matrices[3]->value[0] = 2.0;
  for (int m = 0; m < 4; m++) {
    vlFrontal *factor = NULL;
    vlStatus status = {0};
    assert_int_equal(make_factor(&factor, matrices[m], &status), VL_OK);
    check_solves(factor, matrices[m]);
    vl_frontal_destroy(&factor);
    assert_null(factor);
    vl_frontal_destroy(&factor);
    vl_csr_destroy(&matrices[m]);
  }
}

/* New values on the old pattern give the bits that a fresh factor gives. */
static void refactor_equals_a_fresh_factor(void **state)
{
  (void)state;
  vlCsr *a = poisson(30, 20, 1, true);
  vlFrontal *old = NULL, *fresh = NULL;
  vlStatus status = {0};
  assert_int_equal(make_factor(&old, a, &status), VL_OK);
  for (int round = 0; round < 3; round++) {
    for (int64_t e = 0; e < a->start[600]; e++)
      if (a->value[e] > 0.0) a->value[e] *= 1.25;
    assert_int_equal(vl_frontal_factor(old, a, &status), VL_OK);
    check_solves(old, a);
    assert_int_equal(make_factor(&fresh, a, &status), VL_OK);
    double *b = random_vector(600, 2), *x = zero_vector(600), *y = zero_vector(600);
    assert_int_equal(vl_frontal_solve(old, b, x, &status), VL_OK);
    assert_int_equal(vl_frontal_solve(fresh, b, y, &status), VL_OK);
    assert_memory_equal(x, y, 600 * sizeof *x);
    free(b);
    free(x);
    free(y);
    vl_frontal_destroy(&fresh);
  }
  vl_frontal_destroy(&old);
  vl_csr_destroy(&a);
}

static void another_pattern_is_refused(void **state)
{
  (void)state;
  vlCsr *a = poisson(6, 6, 1, true), *other = poisson(9, 4, 1, true);
  vlFrontal *factor = NULL;
  vlStatus status = {0};
  assert_int_equal(make_factor(&factor, a, &status), VL_OK);
  assert_int_equal(vl_frontal_factor(factor, other, &status), VL_ERROR_INTERNAL);
  double x[36] = {0.0};
  assert_int_equal(vl_frontal_solve(factor, x, x, &status), VL_ERROR_INTERNAL);
  assert_int_equal(vl_frontal_factor(factor, a, &status), VL_OK);
  check_solves(factor, a);
  vl_frontal_destroy(&factor);
  vl_csr_destroy(&a);
  vl_csr_destroy(&other);
}

/* Closed boxes: the last pivot is round-off, of either sign, sometimes exactly zero. */
static void singular_is_named(void **state)
{
  (void)state;
  const int sizes[][3] = {{2, 1, 1}, {7, 1, 1}, {10, 10, 1}, {57, 61, 1}, {9, 8, 7}, {16, 16, 16}, {150, 150, 1}};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
    vlCsr *a = poisson(sizes[s][0], sizes[s][1], sizes[s][2], false);
    vlFrontal *factor = NULL;
    for (int scaled = 0; scaled < 2; scaled++) {
      for (int64_t e = 0; scaled && e < a->start[a->rows]; e++) a->value[e] *= 1e-9 / 3.0;
      vlStatus status = {0};
      assert_int_equal(make_factor(&factor, a, &status), VL_ERROR_SOLVER);
      assert_null(factor);
      int row = -1, rows = -1;
      const char *at = strstr(status.message, "row ");
      assert_non_null(at);
      assert_int_equal(sscanf(at, "row %d of %d", &row, &rows), 2);
      assert_int_equal(rows, a->rows);
      assert_true(0 <= row && row < rows);
    }
    vl_csr_destroy(&a);
  }
}

/* One matrix of several blocks, one of them bad: the row named lies in it, and a later refactor with good values works. */
static void the_right_row_is_named(void **state)
{
  (void)state;
  vlCsr *a = poisson(30, 1, 1, true);
  for (int i = 0; i < 30; i++)
    for (int64_t e = a->start[i]; e < a->start[i + 1]; e++)
      if (i / 10 != a->column[e] / 10) a->value[e] = 0.0;
  vlFrontal *factor = NULL;
  vlStatus status = {0};
  assert_int_equal(make_factor(&factor, a, &status), VL_OK);
  const double wrong[] = {0.25, 0.0, -1.0, NAN, INFINITY};
  for (int w = 0; w < 5; w++) {
    for (int64_t e = a->start[15]; e < a->start[16]; e++)
      if (a->column[e] == 15) a->value[e] = wrong[w];
    assert_int_equal(vl_frontal_factor(factor, a, &status), VL_ERROR_SOLVER);
    int row = -1;
    const char *at = strstr(status.message, "row ");
    assert_non_null(at);
    assert_int_equal(sscanf(at, "row %d", &row), 1);
    assert_int_equal(row / 10, 1);
    for (int64_t e = a->start[15]; e < a->start[16]; e++)
      if (a->column[e] == 15) a->value[e] = 2.0;
    assert_int_equal(vl_frontal_factor(factor, a, &status), VL_OK);
    check_solves(factor, a);
  }
  vl_frontal_destroy(&factor);
  vl_csr_destroy(&a);
}

/* The ordering eliminates an arrow's single rows before its tip, wherever the tip stands; the row named is A's, not L's. */
static void the_row_is_counted_in_the_matrix(void **state)
{
  (void)state;
  enum { N = 60, TIP = 20 };
  vlCsr *a = new_matrix(N, 3 * N);
  int64_t out = 0;
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) {
      if (i != j && i != TIP && j != TIP) continue;
      a->column[out] = j;
      a->value[out++] = i != j ? -1.0 : i == TIP ? N - 1.0 : 1.0; /* row sums 0: singular */
    }
    a->start[i + 1] = out;
  }
  vlFrontal *factor = NULL;
  vlStatus status = {0};
  assert_int_equal(make_factor(&factor, a, &status), VL_ERROR_SOLVER);
  int row = -1;
  const char *at = strstr(status.message, "row ");
  assert_non_null(at);
  assert_int_equal(sscanf(at, "row %d", &row), 1);
  assert_int_equal(row, TIP);
  vl_csr_destroy(&a);
}

/* A stiff free body of little inertia is far from round-off and must pass: smallest eigenvalue 1e-12 of the largest. */
static void ill_conditioned_is_accepted(void **state)
{
  (void)state;
  vlCsr *a = poisson(20, 20, 20, false);
  for (int i = 0; i < a->rows; i++)
    for (int64_t e = a->start[i]; e < a->start[i + 1]; e++)
      if (a->column[e] == i) a->value[e] += 1e-11;
  vlFrontal *factor = NULL;
  vlStatus status = {0};
  assert_int_equal(make_factor(&factor, a, &status), VL_OK);
  vl_frontal_destroy(&factor);
  vl_csr_destroy(&a);
}

/* Large fronts are shared by threads: the same bits. */
static void threads_do_not_matter(void **state)
{
  (void)state;
  vlCsr *a = poisson(22, 22, 22, true);
  double *b = random_vector((size_t)a->rows, 5), *x[2];
  vlStatus status = {0};
  for (int run = 0; run < 2; run++) {
    vlFrontal *factor = NULL;
    omp_set_num_threads(run ? 3 : 1);
    x[run] = zero_vector((size_t)a->rows);
    assert_int_equal(make_factor(&factor, a, &status), VL_OK);
    assert_true(vl_frontal_entries(factor) > a->start[a->rows]);
    assert_int_equal(vl_frontal_solve(factor, b, x[run], &status), VL_OK);
    vl_frontal_destroy(&factor);
  }
  omp_set_num_threads(1);
  assert_memory_equal(x[0], x[1], (size_t)a->rows * sizeof *b);
  for (int run = 0; run < 2; run++) free(x[run]);
  free(b);
  vl_csr_destroy(&a);
}

/* Patterns of every kind: none, single rows, blocks without links, a full matrix, random ones; against CHOLMOD. */
static void agrees_with_cholmod(void **state)
{
  (void)state;
  for (int k = 0; k < 40; k++) {
    int n = 1 + 7 * k;
    vlCsr *a = random_spd(n, k < 4 ? 1.0 : 3.0 / n, 0.1, (uint64_t)(k + 1));
    vlFrontal *factor = NULL;
    vlCholesky *other = NULL;
    vlStatus status = {0};
    double *b = random_vector((size_t)n, 3), *x = zero_vector((size_t)n), *y = zero_vector((size_t)n);
    assert_int_equal(make_factor(&factor, a, &status), VL_OK);
    assert_int_equal(vl_cholesky_create(&other, a, &status), VL_OK);
    assert_int_equal(vl_frontal_solve(factor, b, x, &status), VL_OK);
    assert_int_equal(vl_cholesky_solve(other, b, y, &status), VL_OK);
    for (int i = 0; i < n; i++) assert_true(fabs(x[i] - y[i]) < 1e-11 * (1.0 + fabs(y[i])));
    vl_frontal_destroy(&factor);
    vl_cholesky_destroy(&other);
    free(b);
    free(x);
    free(y);
    vl_csr_destroy(&a);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(residual_is_round_off),       cmocka_unit_test(refactor_equals_a_fresh_factor),
      cmocka_unit_test(another_pattern_is_refused),  cmocka_unit_test(singular_is_named),
      cmocka_unit_test(the_right_row_is_named),      cmocka_unit_test(the_row_is_counted_in_the_matrix),
      cmocka_unit_test(ill_conditioned_is_accepted), cmocka_unit_test(threads_do_not_matter),
      cmocka_unit_test(agrees_with_cholmod),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
