/* Jacobi's iteration: the norm in which it falls, a rate that is known, going on from where it ended, closed matrices. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include <string.h>

#include "matrices.h"

static vlSolveInfo sweep(const vlCsr *a, bool closed, const double *b, double *x, double tolerance, int most)
{
  size_t n = (size_t)a->rows;
  double *work = zero_vector(4 * n);
  for (size_t i = 0; i < 4 * n; i++) work[i] = NAN;
  vlJacobi *m = NULL;
  vlStatus status = {0};
  assert_int_equal(vl_jacobi_create(&m, a, &status), VL_OK);
  vlProjector projector = {.apply = closed ? remove_mean : NULL, .data = (void *)a};
  vlSolveInfo info = vl_sweeps(vl_csr_operator(a), vl_jacobi_operator(m), projector, b, x, work,
                               (vlSolveOptions){.tolerance = tolerance, .max_iterations = most});
  vl_jacobi_destroy(&m);
  free(work);
  return info;
}

/* sqrt(r . D^-1 r) of what is left */
static double left(const vlCsr *a, const double *x, const double *b)
{
  size_t n = (size_t)a->rows;
  double *r = zero_vector(n), *d = zero_vector(n), sum = 0.0;
  vlStatus status = {0};
  assert_int_equal(vl_csr_diagonal(a, d, &status), VL_OK);
  vl_csr_apply(a, x, r);
  for (size_t i = 0; i < n; i++) sum += (b[i] - r[i]) * (b[i] - r[i]) / d[i];
  free(r);
  free(d);
  return sqrt(sum);
}

/* 1 - M^-1 A has no eigenvalue of size 1 where rows are dominant, and is symmetric in the scale of D: each sweep gains. */
static void each_sweep_gains(void **state)
{
  (void)state;
  vlCsr *matrices[] = {poisson(9, 8, 1, true), poisson(5, 6, 7, true), random_spd(80, 0.1, 0.3, 21)};
  for (int m = 0; m < 3; m++) {
    vlCsr *a = matrices[m];
    size_t n = (size_t)a->rows;
    double *b = random_vector(n, 77), *x = zero_vector(n), *first = zero_vector(n), before = left(a, x, b);
    for (int sweeps = 1; sweeps <= 60; sweeps++) {
      vlSolveInfo info = sweep(a, false, b, x, 1e-30, 1); /* on from where the last one ended */
      assert_int_equal(info.iterations, 1);
      assert_int_equal(info.reason, VL_SOLVE_ITERATIONS);
      double now = left(a, x, b);
      assert_true(now < before);
      before = now;
    }
    sweep(a, false, b, first, 1e-30, 60); /* all at once come to the same */
    for (size_t i = 0; i < n; i++) assert_true(fabs(first[i] - x[i]) <= 1e-12 * (1.0 + fabs(x[i])));
    vlSolveInfo info = sweep(a, false, b, x, 1e-12, 100000);
    assert_int_equal(info.reason, VL_SOLVE_CONVERGED);
    assert_true(info.residual <= 2e-12);
    free(b);
    free(x);
    free(first);
    vl_csr_destroy(&matrices[m]);
  }
}

/* b = A e for an eigenvector e = sin(pi i/(n + 1)): the error is cos(pi/(n + 1))^k e after k sweeps. */
static void the_rate_is_known(void **state)
{
  (void)state;
  enum { N = 30, SWEEPS = 50 };
  vlCsr *a = poisson(N, 1, 1, true);
  double e[N], b[N], x[N] = {0}, rate = cos(acos(-1.0) / (N + 1));
  for (int i = 0; i < N; i++) e[i] = sin(acos(-1.0) * (i + 1) / (N + 1));
  vl_csr_apply(a, e, b);
  sweep(a, false, b, x, 1e-30, SWEEPS);
  for (int i = 0; i < N; i++) assert_true(fabs(e[i] - x[i] - pow(rate, SWEEPS) * e[i]) <= 1e-13);
  vl_csr_destroy(&a);
}

/* Of a closed matrix the mean of the guess stays; a part that alternates from cell to cell stays too, whatever the sweeps.
 */
static void closed_matrices(void **state)
{
  (void)state;
  enum { N = 12 };
  vlCsr *a = poisson(N, 1, 1, false);
  double b[N], x[N], smooth[N];
  for (int i = 0; i < N; i++) smooth[i] = cos(2 * acos(-1.0) * (i + 0.5) / N), x[i] = 3.0;
  vl_csr_apply(a, smooth, b);
  vlSolveInfo info = sweep(a, true, b, x, 1e-10, 10000);
  assert_int_equal(info.reason, VL_SOLVE_CONVERGED);
  for (int i = 0; i < N; i++) assert_true(fabs(x[i] - 3.0 - smooth[i]) <= 1e-8);
  for (int i = 0; i < N; i++) x[i] += i % 2 ? 1.0 : -1.0; /* M^-1 A has the eigenvalue 2 for it */
  info = sweep(a, true, b, x, 1e-10, 1000);
  assert_int_equal(info.reason, VL_SOLVE_ITERATIONS);
  assert_true(info.residual > 0.1);
  vl_csr_destroy(&a);
}

static void no_number(void **state)
{
  (void)state;
  vlCsr *a = poisson(4, 4, 1, true);
  double *b = random_vector(16, 3), *x = zero_vector(16);
  b[5] = NAN;
  assert_int_equal(sweep(a, false, b, x, 1e-6, 10).reason, VL_SOLVE_NAN);
  for (int i = 0; i < 16; i++) assert_true(x[i] == 0.0);
  memset(b, 0, 16 * sizeof *b);
  vlSolveInfo info = sweep(a, false, b, x, 1e-6, 10);
  assert_true(info.reason == VL_SOLVE_CONVERGED && info.iterations == 0);
  free(b);
  free(x);
  vl_csr_destroy(&a);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(each_sweep_gains), cmocka_unit_test(the_rate_is_known),
                                     cmocka_unit_test(closed_matrices), cmocka_unit_test(no_number)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
