/* Quadratic programs with bounds: the conditions of the solution on Poisson's and on random matrices, CG where nothing is
 * bounded, a null space, every way to stop, and the same bits for any number of threads. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include <omp.h>
#include <string.h>

#include "matrices.h"

static unsigned char *every(size_t n, int nth)
{
  unsigned char *bounded = calloc(n + 1, 1);
  if (!bounded) abort();
  for (size_t i = 0; i < n && nth > 0; i++) bounded[i] = i % (size_t)nth == 0;
  return bounded;
}

static vlSolveInfo solve(const vlCsr *a, bool incomplete, bool closed, const unsigned char *bounded, const double *b,
                         double *x, vlSolveOptions options)
{
  size_t n = (size_t)a->rows;
  double *work = zero_vector(VL_MPRGP_VECTORS * n), *diagonal = zero_vector(n);
  vlJacobi *jacobi = NULL;
  vlIncomplete *factor = NULL;
  vlStatus status = {0};
  for (size_t i = 0; i < VL_MPRGP_VECTORS * n; i++) work[i] = NAN;
  for (int i = 0; i < a->rows; i++)
    for (int64_t e = a->start[i]; e < a->start[i + 1]; e++)
      if (a->column[e] == i) diagonal[i] = a->value[e];
  vlCode code = incomplete ? vl_incomplete_create(&factor, a, 0.97, &status) : vl_jacobi_create(&jacobi, a, &status);
  assert_int_equal(code, VL_OK);
  vlBoundedProblem problem = {.a = vl_csr_operator(a),
                              .preconditioner = incomplete ? vl_incomplete_operator(factor) : vl_jacobi_operator(jacobi),
                              .null_space = {.apply = closed ? remove_mean : NULL, .data = (void *)a},
                              .diagonal = diagonal,
                              .bounded = bounded,
                              .b = b};
  vlSolveInfo info = vl_mprgp(&problem, x, work, options);
  vl_jacobi_destroy(&jacobi);
  vl_incomplete_destroy(&factor);
  free(diagonal);
  free(work);
  return info;
}

/* x >= 0 exactly; gradient zero where free, not negative where held, to the tolerance on ||b||. */
static void assert_conditions(const vlCsr *a, const unsigned char *bounded, const double *b, const double *x,
                              double tolerance, bool both)
{
  double *g = zero_vector((size_t)a->rows), broken = 0.0, bb = 0.0;
  int held = 0, free_ones = 0;
  vl_csr_apply(a, x, g);
  for (int i = 0; i < a->rows; i++) {
    g[i] -= b[i];
    bb += b[i] * b[i];
    assert_true(!bounded[i] || x[i] >= 0.0);
    bool at_bound = bounded[i] && x[i] == 0.0;
    held += at_bound;
    free_ones += bounded[i] && !at_bound;
    if (!at_bound || g[i] < 0.0) broken += g[i] * g[i];
  }
  assert_true(sqrt(broken) <= 2.0 * tolerance * sqrt(bb));
  if (both) assert_true(held > 0 && free_ones > 0); /* else nothing was tested */
  free(g);
}

static void conditions_hold(void **state)
{
  (void)state;
  vlCsr *matrices[] = {poisson(50, 40, 1, true), poisson(12, 13, 14, true), random_spd(300, 0.05, 0.1, 21)};
  for (int m = 0; m < 3; m++)
    for (int nth = 1; nth <= 5; nth += 2)
      for (int incomplete = 0; incomplete < 2; incomplete++) {
        size_t n = (size_t)matrices[m]->rows;
        unsigned char *bounded = every(n, nth);
        double *b = random_vector(n, 3), *x = random_vector(n, 4); /* a guess that breaks the bounds */
        vlSolveInfo info = solve(matrices[m], incomplete, false, bounded, b, x, (vlSolveOptions){1e-10, 2000});
        assert_int_equal(info.reason, VL_SOLVE_CONVERGED);
        assert_true(info.residual <= 2e-10);
        assert_conditions(matrices[m], bounded, b, x, 1e-10, true);
        free(bounded);
        free(b);
        free(x);
      }
  for (int m = 0; m < 3; m++) vl_csr_destroy(&matrices[m]);
}

/* Rows that differ by four orders of magnitude, as beside a free surface: iterations stay of the order of CG's. */
static void scales_do_not_matter(void **state)
{
  (void)state;
  vlCsr *a = poisson(30, 30, 1, true);
  size_t n = (size_t)a->rows;
  unsigned char *bounded = every(n, 2);
  double *b = random_vector(n, 5), *x = zero_vector(n);
  int iterations[2];
  for (int scaled = 0; scaled < 2; scaled++) {
    for (int i = 0; i < a->rows && scaled; i += 7)
      for (int64_t e = a->start[i]; e < a->start[i + 1]; e++)
        if (a->column[e] == i) a->value[e] += 1e4;
    memset(x, 0, n * sizeof *x);
    vlSolveInfo info = solve(a, false, false, bounded, b, x, (vlSolveOptions){1e-8, 2000});
    assert_int_equal(info.reason, VL_SOLVE_CONVERGED);
    assert_conditions(a, bounded, b, x, 1e-8, true);
    iterations[scaled] = info.iterations;
  }
  assert_true(iterations[1] <= 2 * iterations[0]);
  vl_csr_destroy(&a);
  free(bounded);
  free(b);
  free(x);
}

/* Nothing bounded: the solution of A x = b; a null space is left as the guess had it. */
static void without_bounds(void **state)
{
  (void)state;
  for (int closed = 0; closed < 2; closed++) {
    vlCsr *a = poisson(20, 21, 1, !closed);
    size_t n = (size_t)a->rows;
    unsigned char *bounded = every(n, 0);
    double *b = random_vector(n, 6), *x = zero_vector(n);
    if (closed) remove_mean(a, b);
    vlSolveInfo info = solve(a, false, closed, bounded, b, x, (vlSolveOptions){1e-11, 1000});
    assert_int_equal(info.reason, VL_SOLVE_CONVERGED);
    assert_true(relative_residual(a, x, b) <= 2e-11);
    double mean = 0.0;
    for (size_t i = 0; i < n; i++) mean += x[i] / (double)n;
    if (closed) assert_true(fabs(mean) <= 1e-10);
    vl_csr_destroy(&a);
    free(bounded);
    free(b);
    free(x);
  }
}

static void ways_to_stop(void **state)
{
  (void)state;
  vlCsr *a = poisson(30, 30, 1, true);
  size_t n = (size_t)a->rows;
  unsigned char *bounded = every(n, 1);
  double *b = random_vector(n, 7), *x = zero_vector(n);
  vlSolveInfo info = solve(a, false, false, bounded, b, x, (vlSolveOptions){1e-12, 5});
  assert_int_equal(info.reason, VL_SOLVE_ITERATIONS);
  assert_true(info.residual > 1e-12 && isfinite(info.residual));
  for (size_t i = 0; i < n; i++) assert_true(x[i] >= 0.0);
  b[17] = NAN;
  assert_int_equal(solve(a, false, false, bounded, b, x, (vlSolveOptions){1e-12, 50}).reason, VL_SOLVE_NAN);
  for (size_t i = 0; i < n; i++) b[i] = -1.0, x[i] = 1.0; /* all at the bound */
  info = solve(a, false, false, bounded, b, x, (vlSolveOptions){1e-12, 500});
  assert_int_equal(info.reason, VL_SOLVE_CONVERGED);
  for (size_t i = 0; i < n; i++) assert_true(x[i] == 0.0);
  for (size_t i = 0; i < n; i++) b[i] = 0.0, x[i] = 1.0;
  info = solve(a, false, false, bounded, b, x, (vlSolveOptions){1e-12, 500});
  assert_int_equal(info.reason, VL_SOLVE_CONVERGED);
  for (size_t i = 0; i < n; i++) assert_true(x[i] == 0.0);
  vl_csr_destroy(&a);
  free(bounded);
  free(b);
  free(x);
}

static void threads_give_the_same_bits(void **state)
{
  (void)state;
  vlCsr *a = poisson(40, 40, 25, true); /* long enough for threads to be woken */
  size_t n = (size_t)a->rows;
  unsigned char *bounded = every(n, 3);
  double *b = random_vector(n, 8), *x = zero_vector(n), *y = zero_vector(n);
  int before = omp_get_max_threads();
  for (int threads = 1; threads <= 3; threads += 2) {
    omp_set_num_threads(threads);
    assert_int_equal(solve(a, false, false, bounded, b, threads == 1 ? x : y, (vlSolveOptions){1e-6, 500}).reason,
                     VL_SOLVE_CONVERGED);
  }
  omp_set_num_threads(before);
  assert_memory_equal(x, y, n * sizeof *x);
  vl_csr_destroy(&a);
  free(bounded);
  free(b);
  free(x);
  free(y);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(conditions_hold), cmocka_unit_test(scales_do_not_matter),
                                     cmocka_unit_test(without_bounds), cmocka_unit_test(ways_to_stop),
                                     cmocka_unit_test(threads_give_the_same_bits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
