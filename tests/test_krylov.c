/* BiCGSTAB and MINRES: exact on few eigenvalues, right on non-symmetric and on indefinite matrices, honest when they cannot,
 * the same bits for any number of threads. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include <omp.h>
#include <string.h>

#include "linear/krylov.h"
#include "matrices.h"

typedef vlSolveInfo (*Solver)(vlOperator, vlOperator, const double *, double *, double *, vlSolveOptions);

static const Solver solvers[] = {vl_bicgstab, vl_minres};
static const vlSolveOptions tight = {.tolerance = 1e-10, .max_iterations = 2000};

static void copy_through(void *data, const double *x, double *y) { memcpy(y, x, *(size_t *)data * sizeof *x); }
static vlOperator identity(size_t *n) { return (vlOperator){.n = *n, .apply = copy_through, .data = n}; }

static void scale_by(void *data, const double *x, double *y)
{
  const double *d = data; /* d[0]: the length */
  for (size_t i = 0; i < (size_t)d[0]; i++) y[i] = d[i + 1] * x[i];
}

static vlSolveInfo run(Solver solver, vlOperator a, vlOperator preconditioner, const double *b, double *x,
                       vlSolveOptions options)
{
  double *work = random_vector(7 * a.n, 1);
  vlSolveInfo info = solver(a, preconditioner, b, x, work, options);
  free(work);
  return info;
}

/* MINRES ends after as many steps as there are distinct eigenvalues; BiCGSTAB too, for it spans the same space. */
static void few_eigenvalues_take_few_steps(void **state)
{
  (void)state;
  enum { N = 90 };
  static const double value[] = {-3.0, 0.5, 2.0};
  double d[N + 1] = {N};
  for (int i = 0; i < N; i++) d[i + 1] = value[i % 3];
  size_t n = N;
  vlOperator a = {.n = N, .apply = scale_by, .data = d};
  double *b = random_vector(N, 2);
  for (int k = 0; k < 2; k++) {
    double *x = zero_vector(N);
    vlSolveInfo info = run(solvers[k], a, identity(&n), b, x, (vlSolveOptions){1e-12, 50});
    assert_int_equal(info.reason, VL_SOLVE_CONVERGED);
    assert_true(info.iterations <= 3);
    for (int i = 0; i < N; i++) assert_true(fabs(x[i] - b[i] / d[i + 1]) < 1e-10);
    free(x);
  }
  free(b);
}

/* Poisson shifted into its spectrum is indefinite; the shift, 3.3, lies between eigenvalues. */
static void indefinite_matrices_are_solved(void **state)
{
  (void)state;
  vlCsr *a = poisson(9, 8, 7, true);
  for (int i = 0; i < a->rows; i++)
    for (int64_t e = a->start[i]; e < a->start[i + 1]; e++)
      if (a->column[e] == i) a->value[e] -= 3.3;
  size_t n = (size_t)a->rows;
  double *b = random_vector(n, 5);
  for (int k = 0; k < 2; k++) {
    double *x = random_vector(n, 6); /* any first guess */
    vlSolveInfo info = run(solvers[k], vl_csr_operator(a), identity(&n), b, x, tight);
    print_message("%s: %d iterations, %.1e\n", k ? "MINRES" : "BiCGSTAB", info.iterations, info.residual);
    assert_int_equal(info.reason, VL_SOLVE_CONVERGED);
    assert_true(relative_residual(a, x, b) <= 2.01e-10);
    assert_true(fabs(relative_residual(a, x, b) / info.residual - 1.0) < 1e-3);
    /* from the answer there is nothing to do */
    info = run(solvers[k], vl_csr_operator(a), identity(&n), b, x, (vlSolveOptions){3e-10, 100});
    assert_int_equal(info.iterations, 0);
    free(x);
  }
  free(b);
  vl_csr_destroy(&a);
}

/* Wind along x makes the matrix non-symmetric: BiCGSTAB, with and without ILU, which must help. */
static void non_symmetric_matrices_are_solved(void **state)
{
  (void)state;
  vlStatus status = {0};
  vlCsr *a = poisson(14, 13, 12, true);
  for (int i = 0; i < a->rows; i++)
    for (int64_t e = a->start[i]; e < a->start[i + 1]; e++)
      if (a->column[e] == i - 1)
        a->value[e] -= 0.7;
      else if (a->column[e] == i + 1)
        a->value[e] += 0.7;
  size_t n = (size_t)a->rows;
  vlIlu *ilu = NULL;
  assert_int_equal(vl_ilu_create(&ilu, a, &status), VL_OK);
  double *b = random_vector(n, 5);
  int iterations[2];
  for (int k = 0; k < 2; k++) {
    double *x = zero_vector(n);
    vlSolveInfo info = run(vl_bicgstab, vl_csr_operator(a), k ? vl_ilu_operator(ilu) : identity(&n), b, x, tight);
    assert_int_equal(info.reason, VL_SOLVE_CONVERGED);
    assert_true(relative_residual(a, x, b) <= 2.01e-10);
    iterations[k] = info.iterations;
    free(x);
  }
  assert_true(iterations[1] < iterations[0] * 2 / 3);
  free(b);
  vl_ilu_destroy(&ilu);
  vl_csr_destroy(&a);
}

/* A positive preconditioner of scales far apart; MINRES measures in its norm and must still meet the plain one. */
static void minres_meets_the_plain_norm(void **state)
{
  (void)state;
  vlCsr *a = poisson(10, 9, 8, true);
  size_t n = (size_t)a->rows;
  double *d = zero_vector(n + 1), *b = random_vector(n, 5), *x = zero_vector(n);
  d[0] = (double)n;
  for (size_t i = 0; i < n; i++) d[i + 1] = pow(10.0, -(double)(i % 5));
  vlOperator preconditioner = {.n = n, .apply = scale_by, .data = d};
  vlSolveInfo info = run(vl_minres, vl_csr_operator(a), preconditioner, b, x, (vlSolveOptions){1e-8, 20000});
  assert_int_equal(info.reason, VL_SOLVE_CONVERGED);
  assert_true(relative_residual(a, x, b) <= 1.01e-8);
  free(d);
  free(b);
  free(x);
  vl_csr_destroy(&a);
}

/* x -> (x_2, -x_1): A r is orthogonal to r for every r, so BiCGSTAB has no first step. */
static void turn(void *data, const double *x, double *y)
{
  (void)data;
  y[0] = x[1];
  y[1] = -x[0];
}

static void breakdowns_have_reasons(void **state)
{
  (void)state;
  size_t two = 2;
  double b[2] = {1.0, 2.0}, x[2] = {0.0, 0.0}, negative[] = {2.0, 1.0, -1.0}, singular[] = {2.0, 0.0, 0.0};
  vlOperator a = {.n = 2, .apply = turn}, m = {.n = 2, .apply = scale_by, .data = negative};
  vlOperator zero = {.n = 2, .apply = scale_by, .data = singular};
  assert_int_equal(run(vl_bicgstab, a, identity(&two), b, x, tight).reason, VL_SOLVE_STUCK);
  /* a preconditioner that is not positive: r.M^-1 r = 1 - 4 */
  assert_int_equal(run(vl_minres, identity(&two), m, b, x, tight).reason, VL_SOLVE_BREAKDOWN);
  /* a matrix of zeros: nothing reaches b */
  for (int k = 0; k < 2; k++) {
    x[0] = x[1] = 0.0;
    vlSolveInfo info = run(solvers[k], zero, identity(&two), b, x, tight);
    assert_int_equal(info.reason, VL_SOLVE_STUCK);
    assert_true(info.residual == 1.0 && x[0] == 0.0 && x[1] == 0.0);
  }
}

static void other_failures_have_reasons(void **state)
{
  (void)state;
  vlCsr *a = poisson(9, 8, 7, true);
  size_t n = (size_t)a->rows;
  double *b = random_vector(n, 5), *x = zero_vector(n);
  for (int k = 0; k < 2; k++) {
    memset(x, 0, n * sizeof *x);
    vlSolveInfo info = run(solvers[k], vl_csr_operator(a), identity(&n), b, x, (vlSolveOptions){1e-10, 4});
    assert_int_equal(info.reason, VL_SOLVE_ITERATIONS);
    assert_int_equal(info.iterations, 4);
    assert_true(fabs(relative_residual(a, x, b) / info.residual - 1.0) < 1e-10);
    /* below round-off */
    info = run(solvers[k], vl_csr_operator(a), identity(&n), b, x, (vlSolveOptions){1e-19, 5000});
    assert_true(info.reason == VL_SOLVE_ITERATIONS || info.reason == VL_SOLVE_STUCK);
    assert_true(info.iterations < 5000 && info.residual < 1e-13);
    /* b = 0 */
    double *zero = zero_vector(n);
    info = run(solvers[k], vl_csr_operator(a), identity(&n), zero, x, tight);
    assert_true(info.reason == VL_SOLVE_CONVERGED && info.iterations == 0 && vl_vector_dot(x, x, n) == 0.0);
    free(zero);
    double keep = b[3];
    b[3] = NAN;
    assert_int_equal(run(solvers[k], vl_csr_operator(a), identity(&n), b, x, tight).reason, VL_SOLVE_NAN);
    b[3] = keep;
  }
  free(b);
  free(x);
  vl_csr_destroy(&a);
}

/* Right-hand sides whose squares, or those of tolerances, leave the range of doubles are solved as others are: by the same
 * iterations, to the same multiple. Powers of two, so that the multiple is exact. */
static void any_size_is_solved(void **state)
{
  (void)state;
  static const double size[] = {0x1p-950, 0x1p-525, 0x1p-480, 1.0, 0x1p532, 0x1p1000};
  vlCsr *a = poisson(9, 8, 7, true);
  size_t n = (size_t)a->rows;
  double *b = random_vector(n, 5), *big = random_vector(n, 5), *x = zero_vector(n), *first = zero_vector(n);
  double *diagonal = zero_vector(n);
  unsigned char *bounded = calloc(n, 1);
  for (size_t i = 0; i < n; i++) diagonal[i] = 6.0, bounded[i] = i % 3 == 0;
  for (int method = 0; method < 4; method++) {
    int iterations = 0;
    for (int k = -1; k < (int)(sizeof size / sizeof *size); k++) { /* -1: as they are, to compare with */
      double scale = k < 0 ? 1.0 : size[k], *to = k < 0 ? first : x;
      for (size_t i = 0; i < n; i++) to[i] = 0.1 * scale * b[i], big[i] = scale * b[i];
      vlOperator op = vl_csr_operator(a), m = identity(&n);
      double *work = random_vector(7 * n, 1);
      vlBoundedProblem p = {.a = op, .preconditioner = m, .diagonal = diagonal, .bounded = bounded, .b = big};
      vlSolveInfo info = method < 2    ? solvers[method](op, m, big, to, work, tight)
                         : method == 2 ? vl_cg(op, m, (vlProjector){0}, big, to, work, tight)
                                       : vl_mprgp(&p, to, work, tight);
      free(work);
      if (k < 0) iterations = info.iterations;
      assert_int_equal(info.reason, VL_SOLVE_CONVERGED);
      assert_true(info.iterations == iterations && iterations > 5 && info.residual <= 2e-10);
      for (size_t i = 0; i < n; i++) assert_true(to[i] == scale * first[i]);
    }
  }
  free(b);
  free(big);
  free(x);
  free(first);
  free(diagonal);
  free(bounded);
  vl_csr_destroy(&a);
}

/* Whatever comes of it, BiCGSTAB leaves no value in x that is not finite. */
static void copy_until_spoiled(void *data, const double *x, double *y)
{
  int *calls = data; /* [1]: the call that gives what is not finite, [2]: which */
  static const double bad[] = {NAN, INFINITY, -INFINITY};
  y[0] = 2.0 * x[0] + x[1];
  y[1] = 3.0 * x[1];
  y[2] = x[0] + x[2];
  if (++calls[0] == calls[1]) y[1] = bad[calls[2]];
}

static void bicgstab_keeps_x_finite(void **state)
{
  (void)state;
  size_t n = 3;
  for (int of_a = 0; of_a < 2; of_a++)
    for (int call = 1; call <= 4; call++)
      for (int kind = 0; kind < 3; kind++) {
        int calls[3] = {0, call, kind};
        vlOperator good = identity(&n), bad = {.n = n, .apply = copy_until_spoiled, .data = calls};
        double b[3] = {1.0, 2.0, -1.0}, x[3] = {0.1, 0.2, 0.3};
        int none[3] = {0};
        vlOperator a = {.n = n, .apply = copy_until_spoiled, .data = none};
        vlSolveInfo info = run(vl_bicgstab, of_a ? bad : a, of_a ? good : bad, b, x, tight);
        assert_int_equal(info.reason, VL_SOLVE_NAN);
        for (int i = 0; i < 3; i++) assert_true(isfinite(x[i]));
      }
}

/* A method that finds the solution but complains: what counts is the true residual. */
static vlSolveReason complaint;
static vlSolveReason begin_well(vlKrylov *k) { return k->rr > k->target ? VL_SOLVE_CONVERGED : VL_SOLVE_BREAKDOWN; }
static vlSolveReason find_and_complain(vlKrylov *k)
{
  memcpy(k->x, k->b, k->n * sizeof *k->x);
  return complaint;
}

static void true_residual_decides(void **state)
{
  (void)state;
  static const vlKrylovMethod method = {.begin = begin_well, .step = find_and_complain, .slack = 1.0};
  static const vlSolveReason complaints[] = {VL_SOLVE_BREAKDOWN, VL_SOLVE_ITERATIONS, VL_SOLVE_STUCK};
  size_t n = 3;
  for (int c = 0; c < 3; c++) {
    double b[3] = {1.0, 2.0, -1.0}, x[3] = {0.0, 0.0, 0.0}, work[6];
    complaint = complaints[c];
    vlKrylov k = {.a = identity(&n), .preconditioner = identity(&n), .b = b, .x = x, .options = tight};
    vl_krylov_lay(&k, work, (double **[]){&k.r, &k.q}, 2);
    vlSolveInfo info = vl_krylov_solve(&k, &method);
    assert_true(info.reason == VL_SOLVE_CONVERGED && info.residual == 0.0);
  }
}

static void bits_do_not_depend_on_threads(void **state)
{
  (void)state;
  vlCsr *a = poisson(40, 35, 33, true); /* longer than what is left to one thread */
  size_t n = (size_t)a->rows;
  double *b = random_vector(n, 5), *first = zero_vector(n), *x = zero_vector(n);
  int before = omp_get_max_threads();
  for (int k = 0; k < 2; k++)
    for (int threads = 1; threads <= 3; threads++) {
      double *to = threads == 1 ? first : x;
      omp_set_num_threads(threads);
      memset(to, 0, n * sizeof *to);
      run(solvers[k], vl_csr_operator(a), identity(&n), b, to, (vlSolveOptions){1e-10, 20});
      if (threads > 1) assert_memory_equal(x, first, n * sizeof *x);
    }
  omp_set_num_threads(before);
  free(b);
  free(x);
  free(first);
  vl_csr_destroy(&a);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(few_eigenvalues_take_few_steps),
      cmocka_unit_test(indefinite_matrices_are_solved),
      cmocka_unit_test(non_symmetric_matrices_are_solved),
      cmocka_unit_test(minres_meets_the_plain_norm),
      cmocka_unit_test(breakdowns_have_reasons),
      cmocka_unit_test(other_failures_have_reasons),
      cmocka_unit_test(any_size_is_solved),
      cmocka_unit_test(bicgstab_keeps_x_finite),
      cmocka_unit_test(true_residual_decides),
      cmocka_unit_test(bits_do_not_depend_on_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
