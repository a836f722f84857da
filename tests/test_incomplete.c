/* Incomplete Cholesky and Jacobi preconditioners: exact where nothing is dropped, symmetric, row sums kept by the modified
 * one, and ranked as theory says. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include <string.h>

#include "matrices.h"

static vlIncomplete *factor_of(const vlCsr *a, double modified)
{
  vlIncomplete *factor = NULL;
  vlStatus status = {0};
  assert_int_equal(vl_incomplete_create(&factor, a, modified, &status), VL_OK);
  return factor;
}

/* A chain fills nothing in: both factors are exact. */
static void exact_without_fill(void **state)
{
  (void)state;
  enum { N = 500 };
  vlCsr *a = poisson(N, 1, 1, true);
  for (int64_t e = 0; e < a->start[N]; e++)
    if (a->value[e] > 0.0) a->value[e] = 2.5; /* pivots stay above 0.25 of the diagonal */
  double *b = random_vector(N, 3), *x = zero_vector(N);
  for (int m = 0; m < 2; m++) {
    vlIncomplete *factor = factor_of(a, m ? 0.97 : 0.0);
    vlOperator op = vl_incomplete_operator(factor);
    assert_true(op.n == N);
    op.apply(op.data, b, x);
    assert_true(relative_residual(a, x, b) < 1e-14); /* condition number 9 */
    vl_incomplete_destroy(&factor);
    assert_null(factor);
  }
  free(b);
  free(x);
  vl_csr_destroy(&a);
}

/* A full pattern drops nothing either: triangles in the graph must be eliminated properly. */
static void exact_on_a_full_pattern(void **state)
{
  (void)state;
  vlCsr *a = random_spd(40, 1.1, 1.0, 13);
  assert_int_equal(a->start[40], 1600);
  double *b = random_vector(40, 3), x[40];
  vlIncomplete *factor = factor_of(a, 0.5);
  vlOperator op = vl_incomplete_operator(factor);
  op.apply(op.data, b, x);
  assert_true(relative_residual(a, x, b) < 1e-14);
  vl_incomplete_destroy(&factor);
  free(b);
  vl_csr_destroy(&a);
}

/* MIC with a share of 1 keeps row sums: M 1 = A 1, so M^-1 (A 1) = 1. (Dominant enough that no pivot is replaced.) */
static void modified_keeps_row_sums(void **state)
{
  (void)state;
  vlCsr *a = poisson(12, 13, 14, true);
  size_t n = (size_t)a->rows;
  for (int64_t e = 0; e < a->start[n]; e++)
    if (a->value[e] > 0.0) a->value[e] += 1.5;
  double *one = zero_vector(n), *sum = zero_vector(n), *z = zero_vector(n);
  for (size_t i = 0; i < n; i++) one[i] = 1.0;
  vl_csr_apply(a, one, sum);
  for (int m = 0; m < 2; m++) {
    vlIncomplete *factor = factor_of(a, m ? 1.0 : 0.0);
    vlOperator op = vl_incomplete_operator(factor);
    op.apply(op.data, sum, z);
    double worst = 0.0;
    for (size_t i = 0; i < n; i++) worst = fmax(worst, fabs(z[i] - 1.0));
    if (m) assert_true(worst < 1e-13);
    if (!m) assert_true(worst > 1e-3); /* IC does not: the test can tell */
    vl_incomplete_destroy(&factor);
  }
  free(one);
  free(sum);
  free(z);
  vl_csr_destroy(&a);
}

static void check_symmetric(vlOperator op, uint64_t seed)
{
  double *x = random_vector(op.n, seed), *y = random_vector(op.n, seed + 1), *mx = zero_vector(op.n),
         *my = zero_vector(op.n);
  op.apply(op.data, x, mx);
  op.apply(op.data, y, my);
  double xmy = vl_vector_dot(x, my, op.n), ymx = vl_vector_dot(y, mx, op.n);
  double xmx = vl_vector_dot(x, mx, op.n), ymy = vl_vector_dot(y, my, op.n);
  assert_true(xmx > 0.0 && ymy > 0.0);
  assert_true(fabs(xmy - ymx) <= 1e-13 * sqrt(xmx * ymy)); /* round-off of sums of a few thousand terms */
  free(x);
  free(y);
  free(mx);
  free(my);
}

static void all_are_symmetric(void **state)
{
  (void)state;
  vlCsr *matrices[] = {poisson(30, 30, 1, true), poisson(14, 13, 12, true), poisson(14, 13, 12, false),
                       random_spd(200, 0.1, 0.01, 5)};
  for (int m = 0; m < 4; m++) {
    vlStatus status = {0};
    vlJacobi *jacobi = NULL;
    vlIncomplete *ic = factor_of(matrices[m], 0.0), *mic = factor_of(matrices[m], 0.97), *full = factor_of(matrices[m], 1.0);
    assert_int_equal(vl_jacobi_create(&jacobi, matrices[m], &status), VL_OK);
    check_symmetric(vl_incomplete_operator(ic), 100);
    check_symmetric(vl_incomplete_operator(mic), 200);
    check_symmetric(vl_incomplete_operator(full), 300);
    check_symmetric(vl_jacobi_operator(jacobi), 400);
    vl_incomplete_destroy(&ic);
    vl_incomplete_destroy(&mic);
    vl_incomplete_destroy(&full);
    vl_jacobi_destroy(&jacobi);
    vl_csr_destroy(&matrices[m]);
  }
}

static int iterations(const vlCsr *a, vlOperator preconditioner, bool closed)
{
  size_t n = (size_t)a->rows;
  double *b = random_vector(n, 19), *x = zero_vector(n), *work = zero_vector(4 * n);
  vlProjector projector = {.apply = closed ? remove_mean : NULL, .data = (void *)a};
  vlSolveInfo info = vl_cg(vl_csr_operator(a), preconditioner, projector, b, x, work, (vlSolveOptions){1e-10, 1000});
  assert_int_equal(info.reason, VL_SOLVE_CONVERGED);
  if (closed) remove_mean((void *)a, b);
  assert_true(relative_residual(a, x, b) <= 2.01e-10);
  free(b);
  free(x);
  free(work);
  return info.iterations;
}

/* Condition numbers: Jacobi and IC O(h^-2), IC smaller by a constant, MIC O(h^-1). */
static void ranking_on_cubes(void **state)
{
  (void)state;
  for (int closed = 0; closed < 2; closed++) {
    vlCsr *a = poisson(32, 32, 32, !closed);
    vlStatus status = {0};
    vlJacobi *jacobi = NULL;
    vlIncomplete *ic = factor_of(a, 0.0), *mic = factor_of(a, 0.97);
    assert_int_equal(vl_jacobi_create(&jacobi, a, &status), VL_OK);
    int by_jacobi = iterations(a, vl_jacobi_operator(jacobi), closed);
    int by_ic = iterations(a, vl_incomplete_operator(ic), closed);
    int by_mic = iterations(a, vl_incomplete_operator(mic), closed);
    print_message("32^3 %s: Jacobi %d, IC %d, MIC %d iterations\n", closed ? "Neumann" : "Dirichlet", by_jacobi, by_ic,
                  by_mic);
    assert_true(by_ic < by_jacobi * 2 / 3);
    assert_true(by_mic < by_ic * 4 / 5);
    vl_incomplete_destroy(&ic);
    vl_incomplete_destroy(&mic);
    vl_jacobi_destroy(&jacobi);
    vl_csr_destroy(&a);
  }
}

/* A closed chain has a last pivot of exactly 0. Set back to the diagonal it makes M = A + a_nn e e^T, a change of rank one:
 * CG needs at most two steps. */
static void zero_pivot_is_replaced(void **state)
{
  (void)state;
  vlCsr *a = poisson(100, 1, 1, false);
  for (int m = 0; m < 2; m++) {
    vlIncomplete *factor = factor_of(a, m ? 1.0 : 0.0);
    assert_in_range(iterations(a, vl_incomplete_operator(factor), true), 1, 2);
    vl_incomplete_destroy(&factor);
  }
  vl_csr_destroy(&a);
}

/* Rows of zeros belong to no unknown: they give 0 and do not disturb the rest. */
static void empty_rows_give_zero(void **state)
{
  (void)state;
  vlCsr *a = poisson(8, 8, 1, true);
  for (int i = 0; i < 64; i++)
    for (int64_t e = a->start[i]; e < a->start[i + 1]; e++)
      if (i == 27 || a->column[e] == 27) a->value[e] = 0.0;
  double *b = random_vector(64, 3), z[64];
  vlStatus status = {0};
  vlJacobi *jacobi = NULL;
  vlIncomplete *mic = factor_of(a, 0.97);
  assert_int_equal(vl_jacobi_create(&jacobi, a, &status), VL_OK);
  vlOperator ops[] = {vl_jacobi_operator(jacobi), vl_incomplete_operator(mic)};
  for (int k = 0; k < 2; k++) {
    ops[k].apply(ops[k].data, b, z);
    for (int i = 0; i < 64; i++) assert_true(isfinite(z[i]) && (i == 27) == (z[i] == 0.0));
  }
  vl_jacobi_destroy(&jacobi);
  vl_incomplete_destroy(&mic);
  free(b);
  vl_csr_destroy(&a);
}

/* A positive matrix with entries of both signs whose IC(0) has a negative pivot [kershaw1978]: it is shifted, and an
 * M-matrix is not. */
static void shift_makes_pivots_positive(void **state)
{
  (void)state;
  static const double kershaw[4][4] = {{3, -2, 0, 2}, {-2, 3, -2, 0}, {0, -2, 3, -2}, {2, 0, -2, 3}};
  vlStatus status = {0};
  vlCsr *a = new_matrix(4, 12), *m = poisson(6, 6, 6, true);
  int64_t out = 0;
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < 4; j++)
      if (kershaw[i][j] != 0.0) a->column[out] = j, a->value[out++] = kershaw[i][j];
    a->start[i + 1] = out;
  }
  vlIncomplete *factor = NULL;
  double shift, z[4];
  assert_int_equal(vl_incomplete_create_shifted(&factor, m, &shift, &status), VL_OK);
  assert_true(shift == 0.0);
  vl_incomplete_destroy(&factor);
  assert_int_equal(vl_incomplete_create_shifted(&factor, a, &shift, &status), VL_OK);
  assert_true(shift > 0.0 && shift < 1.0);
  vlOperator op = vl_incomplete_operator(factor);
  check_symmetric(op, 7);
  for (int i = 0; i < 4; i++) {
    double e[4] = {i == 0, i == 1, i == 2, i == 3};
    op.apply(op.data, e, z);
    assert_true(z[i] > 0.0);
  }
  vl_incomplete_destroy(&factor);
  a->value[1] = INFINITY;
  assert_int_equal(vl_incomplete_create_shifted(&factor, a, &shift, &status), VL_ERROR_SOLVER);
  assert_null(factor);
  vl_csr_destroy(&a);
  vl_csr_destroy(&m);
}

static void bad_diagonal_is_named(void **state)
{
  (void)state;
  vlCsr *a = poisson(4, 4, 1, true);
  for (int64_t e = a->start[9]; e < a->start[10]; e++)
    if (a->column[e] == 9) a->value[e] = NAN;
  vlStatus status = {0};
  vlJacobi *jacobi = NULL;
  vlIncomplete *factor = NULL;
  assert_int_equal(vl_incomplete_create(&factor, a, 0.97, &status), VL_ERROR_SOLVER);
  assert_null(factor);
  assert_non_null(strstr(status.message, "row 9"));
  assert_int_equal(vl_jacobi_create(&jacobi, a, &status), VL_ERROR_SOLVER);
  assert_null(jacobi);
  vl_csr_destroy(&a);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(exact_without_fill),
      cmocka_unit_test(exact_on_a_full_pattern),
      cmocka_unit_test(modified_keeps_row_sums),
      cmocka_unit_test(all_are_symmetric),
      cmocka_unit_test(ranking_on_cubes),
      cmocka_unit_test(zero_pivot_is_replaced),
      cmocka_unit_test(empty_rows_give_zero),
      cmocka_unit_test(bad_diagonal_is_named),
      cmocka_unit_test(shift_makes_pivots_positive),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
