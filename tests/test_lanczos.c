/* Lanczos: largest eigenvalues and condition numbers of matrices whose spectrum is known. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "matrices.h"

static void solve_with(void *data, const double *b, double *x)
{
  vlStatus status = {0};
  assert_int_equal(vl_cholesky_solve(data, b, x, &status), VL_OK);
}

/* Dirichlet Poisson has the eigenvalues sum of 2 - 2 cos(pi k / (n + 1)) over the axes. */
static void poisson_condition_is_found(void **state)
{
  (void)state;
  enum { NX = 20, NY = 17, NZ = 13 };
  vlStatus status = {0};
  const double pi = acos(-1.0);
  vlCsr *a = poisson(NX, NY, NZ, true);
  int sizes[3] = {NX, NY, NZ};
  double largest = 0.0, smallest = 0.0, found;
  for (int d = 0; d < 3; d++) {
    largest += 2.0 + 2.0 * cos(pi / (sizes[d] + 1));
    smallest += 2.0 - 2.0 * cos(pi / (sizes[d] + 1));
  }
  int steps;
  assert_int_equal(vl_lanczos_largest(vl_csr_operator(a), 200, &found, &steps, &status), VL_OK);
  print_message("largest %.6f, Lanczos %.6f in %d steps\n", largest, found, steps);
  assert_true(found <= largest * (1.0 + 1e-14)); /* from inside, but for round-off */
  assert_true(found > 0.99 * largest);
  assert_true(steps < 200);
  vlCholesky *factor = NULL;
  vlCondition condition;
  assert_int_equal(vl_cholesky_create(&factor, a, &status), VL_OK);
  vlOperator inverse = {.n = (size_t)a->rows, .apply = solve_with, .data = factor};
  assert_int_equal(vl_condition_estimate(vl_csr_operator(a), inverse, 200, &condition, &status), VL_OK);
  assert_true(condition.largest == found);
  assert_true(fabs(condition.smallest / smallest - 1.0) < 0.01);
  assert_true(fabs(condition.condition * smallest / largest - 1.0) < 0.02);
  vl_cholesky_destroy(&factor);
  vl_csr_destroy(&a);
}

static void scale_by(void *data, const double *x, double *y)
{
  const double *d = data; /* d[0]: the length */
  for (size_t i = 0; i < (size_t)d[0]; i++) y[i] = d[i + 1] * x[i];
}

/* Of both signs, the largest size negative, the smallest inside; condition 1e12. */
static void indefinite_condition_is_found(void **state)
{
  (void)state;
  enum { N = 400 };
  vlStatus status = {0};
  double d[N + 1] = {N}, inverse[N + 1] = {N};
  uint64_t seed = 3;
  for (int i = 1; i <= N; i++) {
    d[i] = pow(10.0, 3.0 * next_random(&seed)) * (i % 2 ? 1.0 : -1.0);
    if (i == 17) d[i] = -1e6;
    if (i == 230) d[i] = 1e-6;
    inverse[i] = 1.0 / d[i];
  }
  vlOperator a = {.n = N, .apply = scale_by, .data = d}, back = {.n = N, .apply = scale_by, .data = inverse};
  vlCondition condition;
  assert_int_equal(vl_condition_estimate(a, back, 100, &condition, &status), VL_OK);
  assert_true(fabs(condition.largest / 1e6 - 1.0) < 1e-6);
  assert_true(fabs(condition.smallest / 1e-6 - 1.0) < 1e-6);
  assert_true(fabs(condition.condition / 1e12 - 1.0) < 1e-6);
}

/* One eigenvalue only: the first step spans everything. One unknown, too. */
static void multiples_of_one_are_found(void **state)
{
  (void)state;
  vlStatus status = {0};
  for (int n = 1; n <= 60; n += 59) {
    double d[61] = {n}, largest;
    int steps;
    for (int i = 1; i <= n; i++) d[i] = -2.5;
    vlOperator a = {.n = (size_t)n, .apply = scale_by, .data = d};
    assert_int_equal(vl_lanczos_largest(a, 100, &largest, &steps, &status), VL_OK);
    assert_true(fabs(largest - 2.5) < 1e-14);
    assert_true(steps <= 10);
    d[1] = NAN;
    assert_int_equal(vl_lanczos_largest(a, 100, &largest, &steps, &status), VL_ERROR_SOLVER);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(poisson_condition_is_found),
      cmocka_unit_test(indefinite_condition_is_found),
      cmocka_unit_test(multiples_of_one_are_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
