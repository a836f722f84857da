/* Conjugate gradients: known solutions, null spaces, every way to stop, and the same bits for any number of threads. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include <omp.h>
#include <string.h>

#include "matrices.h"

static void apply_nothing(void *data, const double *x, double *y) { memcpy(y, x, *(size_t *)data * sizeof *y); }

static vlOperator identity(size_t *n) { return (vlOperator){.n = *n, .apply = apply_nothing, .data = n}; }

/* Plain or Jacobi-preconditioned CG with work that holds rubbish. */
static vlSolveInfo solve(const vlCsr *a, bool jacobi, bool closed, const double *b, double *x, double tolerance, int most)
{
  size_t n = (size_t)a->rows;
  double *work = zero_vector(4 * n);
  for (size_t i = 0; i < 4 * n; i++) work[i] = NAN;
  vlJacobi *m = NULL;
  vlStatus status = {0};
  if (jacobi) assert_int_equal(vl_jacobi_create(&m, a, &status), VL_OK);
  vlProjector projector = {.apply = closed ? remove_mean : NULL, .data = (void *)a};
  vlSolveInfo info = vl_cg(vl_csr_operator(a), jacobi ? vl_jacobi_operator(m) : identity(&n), projector, b, x, work,
                           (vlSolveOptions){.tolerance = tolerance, .max_iterations = most});
  vl_jacobi_destroy(&m);
  free(work);
  return info;
}

static void dot_is_exact_on_whole_numbers(void **state)
{
  (void)state;
  /* Sizes around the lanes, the blocks and the limit of blocks; sums of whole numbers have no round-off. */
  const size_t sizes[] = {0, 1, 7, 8, 9, 4095, 4096, 4097, 40961, 4096u * 4096u + 17};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
    size_t n = sizes[s];
    double *x = zero_vector(n), *y = zero_vector(n);
    double expected = 0.0;
    for (size_t i = 0; i < n; i++) {
      x[i] = (double)(i % 13) - 4.0;
      y[i] = (double)(i % 7);
      expected += x[i] * y[i];
    }
    assert_true(vl_vector_dot(x, y, n) == expected);
    free(x);
    free(y);
  }
}

static void dirichlet_is_solved(void **state)
{
  (void)state;
  vlCsr *matrices[] = {poisson(50, 40, 1, true), poisson(16, 17, 18, true), random_spd(300, 0.05, 0.1, 21)};
  for (int m = 0; m < 3; m++) {
    vlCsr *a = matrices[m];
    double *b = random_vector((size_t)a->rows, 77), *x = zero_vector((size_t)a->rows);
    vlSolveInfo info = solve(a, true, false, b, x, 1e-10, 1000);
    assert_int_equal(info.reason, VL_SOLVE_CONVERGED);
    assert_true(info.iterations > 5);
    assert_true(info.residual <= 2e-10); /* what "converged" promises */
    double residual = relative_residual(a, x, b);
    assert_true(fabs(residual - info.residual) <= 1e-3 * info.residual + 1e-15);
    free(b);
    free(x);
    vl_csr_destroy(&matrices[m]);
  }
}

/* n distinct eigenvalues, n iterations: a diagonal matrix with three. */
static void iterations_count_eigenvalues(void **state)
{
  (void)state;
  vlCsr *a = new_matrix(900, 900);
  for (int i = 0; i < 900; i++) a->start[i + 1] = i + 1, a->column[i] = i, a->value[i] = 1.0 + i % 3;
  double *b = random_vector(900, 4), *x = zero_vector(900);
  vlSolveInfo info = solve(a, false, false, b, x, 1e-12, 100);
  assert_int_equal(info.reason, VL_SOLVE_CONVERGED);
  assert_int_equal(info.iterations, 3);
  free(b);
  free(x);
  vl_csr_destroy(&a);
}

/* b is not in the range of A; the answer belongs to b without its mean, and x keeps the mean of the first guess. */
static void neumann_is_solved_with_a_projector(void **state)
{
  (void)state;
  vlCsr *a = poisson(24, 24, 24, false);
  size_t n = (size_t)a->rows;
  double *b = random_vector(n, 8), *x = zero_vector(n);
  for (size_t i = 0; i < n; i++) b[i] += 3.0, x[i] = 0.5;
  vlSolveInfo info = solve(a, true, true, b, x, 1e-10, 1000);
  assert_int_equal(info.reason, VL_SOLVE_CONVERGED);
  assert_true(info.residual <= 2e-10);
  remove_mean(a, b);
  assert_true(relative_residual(a, x, b) <= 2.01e-10);
  double mean = 0.0;
  for (size_t i = 0; i < n; i++) mean += x[i] / (double)n;
  assert_true(fabs(mean - 0.5) < 1e-10); /* every step has mean 0 up to round-off */
  free(b);
  free(x);
  vl_csr_destroy(&a);
}

static void zero_right_side_gives_zero(void **state)
{
  (void)state;
  vlCsr *a = poisson(10, 10, 10, false);
  double *b = zero_vector(1000), *x = random_vector(1000, 2);
  vlSolveInfo info = solve(a, true, false, b, x, 1e-10, 100);
  assert_int_equal(info.reason, VL_SOLVE_CONVERGED);
  assert_int_equal(info.iterations, 0);
  assert_true(info.residual == 0.0);
  for (int i = 0; i < 1000; i++) assert_true(x[i] == 0.0);
  free(b);
  free(x);
  vl_csr_destroy(&a);
}

/* All of b is null space: of the first guess its own part in the null space stays, and nothing else. */
static void null_space_of_the_guess_stays(void **state)
{
  (void)state;
  vlCsr *a = poisson(10, 10, 10, false);
  double *b = zero_vector(1000), *x = random_vector(1000, 2), mean = 0.0;
  for (int i = 0; i < 1000; i++) b[i] = 2.0, mean += (x[i] += 3.0) / 1000.0;
  vlSolveInfo info = solve(a, true, true, b, x, 1e-10, 100);
  assert_int_equal(info.reason, VL_SOLVE_CONVERGED);
  assert_int_equal(info.iterations, 0);
  assert_true(mean > 2.0);
  for (int i = 0; i < 1000; i++) assert_true(fabs(x[i] - mean) <= 1e-12); /* round-off of a sum of 1000 */
  free(b);
  free(x);
  vl_csr_destroy(&a);
}

static void warm_start_saves_iterations(void **state)
{
  (void)state;
  vlCsr *a = poisson(20, 20, 20, true);
  size_t n = (size_t)a->rows;
  double *b = random_vector(n, 6), *x = zero_vector(n), *nearby = zero_vector(n);
  vlSolveInfo cold = solve(a, true, false, b, x, 1e-10, 1000);
  memcpy(nearby, x, n * sizeof *x);
  vlSolveInfo again = solve(a, true, false, b, nearby, 1e-9, 1000);
  assert_int_equal(again.iterations, 0);
  assert_int_equal(again.reason, VL_SOLVE_CONVERGED);
  assert_memory_equal(nearby, x, n * sizeof *x);
  for (size_t i = 0; i < n; i++) nearby[i] *= 1.0 + 1e-5 * sin((double)i);
  vlSolveInfo warm = solve(a, true, false, b, nearby, 1e-10, 1000);
  assert_int_equal(warm.reason, VL_SOLVE_CONVERGED);
  assert_true(warm.iterations < cold.iterations * 3 / 4); /* starts five of the ten digits ahead */
  free(b);
  free(x);
  free(nearby);
  vl_csr_destroy(&a);
}

/* From a first guess 1e9 too large, round-off leaves a true residual near 1e9 epsilon while the updated one goes on falling:
 * only the restart reaches the tolerance. */
static void drift_is_repaired(void **state)
{
  (void)state;
  vlCsr *a = poisson(30, 30, 1, true);
  size_t n = (size_t)a->rows;
  double *b = random_vector(n, 6), *x = random_vector(n, 7);
  for (size_t i = 0; i < n; i++) x[i] *= 1e9;
  vlSolveInfo info = solve(a, true, false, b, x, 1e-12, 2000);
  assert_int_equal(info.reason, VL_SOLVE_CONVERGED);
  assert_true(info.residual <= 2e-12);
  assert_true(relative_residual(a, x, b) <= 2.01e-12);
  free(b);
  free(x);
  vl_csr_destroy(&a);
}

/* A tolerance below round-off is given up on, not chased through the whole budget. */
static void impossible_tolerance_is_reported(void **state)
{
  (void)state;
  vlCsr *a = poisson(30, 30, 1, true);
  double *b = random_vector(900, 6), *x = zero_vector(900);
  vlSolveInfo info = solve(a, true, false, b, x, 1e-19, 100000);
  assert_int_equal(info.reason, VL_SOLVE_ITERATIONS);
  assert_true(info.iterations < 1000);
  assert_true(info.residual < 1e-13);
  memset(x, 0, 900 * sizeof *x);
  info = solve(a, true, false, b, x, 1e-10, 5);
  assert_int_equal(info.reason, VL_SOLVE_ITERATIONS);
  assert_int_equal(info.iterations, 5);
  assert_true(fabs(info.residual / relative_residual(a, x, b) - 1.0) < 1e-9); /* x holds the step that r tells of */
  free(b);
  free(x);
  vl_csr_destroy(&a);
}

static void indefinite_breaks_down(void **state)
{
  (void)state;
  vlCsr *a = poisson(10, 10, 1, true);
  for (int i = 0; i < 100; i++)
    for (int64_t e = a->start[i]; e < a->start[i + 1]; e++)
      if (a->column[e] == i) a->value[e] = 1.0; /* eigenvalues from -3 to 5 */
  double *b = random_vector(100, 6), *x = zero_vector(100);
  vlSolveInfo info = solve(a, false, false, b, x, 1e-10, 1000);
  assert_int_equal(info.reason, VL_SOLVE_BREAKDOWN);
  assert_true(fabs(info.residual / relative_residual(a, x, b) - 1.0) < 1e-9);
  /* A preconditioner that is negative definite. */
  vlCsr *positive = poisson(10, 10, 1, true), *negative = poisson(10, 10, 1, true);
  for (int64_t e = 0; e < negative->start[100]; e++) negative->value[e] *= -1.0;
  double work[400];
  memset(x, 0, 100 * sizeof *x);
  info =
      vl_cg(vl_csr_operator(positive), vl_csr_operator(negative), (vlProjector){0}, b, x, work, (vlSolveOptions){1e-10, 10});
  assert_int_equal(info.reason, VL_SOLVE_BREAKDOWN);
  assert_int_equal(info.iterations, 0);
  assert_true(info.residual == 1.0);
  free(b);
  free(x);
  vl_csr_destroy(&a);
  vl_csr_destroy(&positive);
  vl_csr_destroy(&negative);
}

static void not_a_number_stops_at_once(void **state)
{
  (void)state;
  vlCsr *a = poisson(10, 10, 1, true);
  double *b = random_vector(100, 6), *x = zero_vector(100);
  for (int place = 0; place < 4; place++) {
    memset(x, 0, 100 * sizeof *x);
    double kept_b = b[40], kept_a = a->value[200];
    if (place == 0) b[40] = NAN;
    if (place == 1) b[40] = INFINITY;
    if (place == 2) x[40] = NAN;
    if (place == 3) a->value[200] = NAN;
    vlSolveInfo info = solve(a, false, false, b, x, 1e-10, 1000);
    assert_int_equal(info.reason, VL_SOLVE_NAN);
    assert_int_equal(info.iterations, 0);
    assert_true(isnan(info.residual));
    b[40] = kept_b;
    a->value[200] = kept_a;
  }
  free(b);
  free(x);
  vl_csr_destroy(&a);
}

static void threads_do_not_change_bits(void **state)
{
  (void)state;
  vlCsr *a = poisson(48, 48, 47, true);
  size_t n = (size_t)a->rows;
  double *b = random_vector(n, 31), *x = zero_vector(n), *first = zero_vector(n);
  const int threads[] = {1, 2, 3, 4};
  int before = omp_get_max_threads();
  vlSolveInfo one = {0};
  for (int t = 0; t < 4; t++) {
    omp_set_num_threads(threads[t]);
    memset(x, 0, n * sizeof *x);
    vlSolveInfo info = solve(a, true, false, b, x, 1e-6, 1000);
    assert_int_equal(info.reason, VL_SOLVE_CONVERGED);
    if (t == 0) {
      one = info;
      memcpy(first, x, n * sizeof *x);
    }
    assert_int_equal(info.iterations, one.iterations);
    assert_memory_equal(&info.residual, &one.residual, sizeof(double));
    assert_memory_equal(x, first, n * sizeof *x);
  }
  omp_set_num_threads(before);
  free(b);
  free(x);
  free(first);
  vl_csr_destroy(&a);
}

static void reasons_have_texts(void **state)
{
  (void)state;
  for (int i = VL_SOLVE_CONVERGED; i <= VL_SOLVE_STUCK; i++)
    for (int j = VL_SOLVE_CONVERGED; j < i; j++)
      assert_string_not_equal(vl_solve_reason_text((vlSolveReason)i), vl_solve_reason_text((vlSolveReason)j));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(dot_is_exact_on_whole_numbers),
      cmocka_unit_test(dirichlet_is_solved),
      cmocka_unit_test(iterations_count_eigenvalues),
      cmocka_unit_test(neumann_is_solved_with_a_projector),
      cmocka_unit_test(zero_right_side_gives_zero),
      cmocka_unit_test(null_space_of_the_guess_stays),
      cmocka_unit_test(warm_start_saves_iterations),
      cmocka_unit_test(drift_is_repaired),
      cmocka_unit_test(impossible_tolerance_is_reported),
      cmocka_unit_test(indefinite_breaks_down),
      cmocka_unit_test(not_a_number_stops_at_once),
      cmocka_unit_test(threads_do_not_change_bits),
      cmocka_unit_test(reasons_have_texts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
