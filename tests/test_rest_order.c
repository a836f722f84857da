/* Water at rest in a turned cube, a sphere and a cone: it stays at rest and its walls carry it on every grid, and its
 * discrete weight tends to the true one at second order. The coarse grids of validate/validate_rest.c. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "../validate/rest_cases.h"

static void check_rest(const RestCase *c, int n, int steps)
{
  vlStatus status = {0};
  RestResult result;
  if (rest_run(c, n, rest_place(0, n), steps, &result, &status)) fail_msg("%s, %d cells: %s", c->name, n, status.message);
  /* the bounds of the specification, in units of sqrt(g H) and of the weight */
  if (!(result.speed <= 1e-8)) fail_msg("%s, %d cells: speed %.2e", c->name, n, result.speed);
  if (!(result.force_error <= 1e-6)) fail_msg("%s, %d cells: force off by %.2e", c->name, n, result.force_error);
  assert_true(result.weight_error < 0.1); /* liquid is there */
}

static void rest_stays_rest(void **state)
{
  (void)state;
  for (int i = 0; i < REST_CASES; i++) {
    RestCase c = rest_case(i);
    check_rest(&c, 16, 200);
    check_rest(&c, 32, 50);
    check_rest(&c, 64, 3);
  }
}

static void weight_is_second_order(void **state)
{
  (void)state;
  for (int i = 0; i < REST_CASES; i++) {
    vlStatus status = {0};
    RestCase c = rest_case(i);
    double coarse = 0.0, fine = 0.0;
    if (rest_weight_error(&c, 16, &coarse, &status) || rest_weight_error(&c, 48, &fine, &status))
      fail_msg("%s: %s", c.name, status.message);
    double order = log(coarse / fine) / log(3.0);
    if (!(order >= 1.8)) fail_msg("%s: order %.2f, from %.2e to %.2e", c.name, order, coarse, fine);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rest_stays_rest),
      cmocka_unit_test(weight_is_second_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
