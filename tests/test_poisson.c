/* The pressure discretisation on Poisson problems with known solutions: errors no larger than twice those of an independent
 * 2-D computation, and second order for p. The coarse grids of validate/validate_poisson.c. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "../validate/poisson_problems.h"

enum { COARSE_SIZES = 3 };

/* The bound of the validation, over a fourfold refinement. */
static void assert_second_order(double coarse, double fine)
{
  double order = log(coarse / fine) / log(4.0);
  if (!(order >= 1.7)) fail_msg("order %.2f: %.3e to %.3e", order, coarse, fine);
}

static void assert_within(double error, double reference, int n)
{
  assert_true(error > 0.0);
  if (!(error <= 2.0 * reference)) fail_msg("N %d: error %.3e, reference %.3e", n, error, reference);
}

static void check_dirichlet(double (*phi)(double, double), const double reference[POISSON_SIZES][2])
{
  double error[COARSE_SIZES][2];
  for (int s = 0; s < COARSE_SIZES; s++) {
    vlStatus status = {0};
    PoissonNorms norms = {0};
    if (poisson_dirichlet(phi, poisson_cells[s], &norms, &status)) fail_msg("%s", status.message);
    error[s][0] = norms.p_max;
    error[s][1] = norms.p_sum / norms.cells;
    for (int e = 0; e < 2; e++) assert_within(error[s][e], reference[s][e], poisson_cells[s]);
  }
  for (int e = 0; e < 2; e++) assert_second_order(error[0][e], error[COARSE_SIZES - 1][e]);
}

static void dirichlet_on_a_circle(void **state)
{
  (void)state;
  check_dirichlet(poisson_circle, poisson_circle_reference);
}

static void dirichlet_on_a_star(void **state)
{
  (void)state;
  check_dirichlet(poisson_star, poisson_star_reference);
}

/* The largest error of u is first order (cut faces), its mean second. */
static void neumann_on_a_circle(void **state)
{
  (void)state;
  double error[COARSE_SIZES][4];
  for (int s = 0; s < COARSE_SIZES; s++) {
    vlStatus status = {0};
    PoissonNorms norms = {0};
    if (poisson_neumann(poisson_cells[s], &norms, &status)) fail_msg("%s", status.message);
    const double found[4] = {norms.p_max, norms.p_sum / norms.cells, norms.u_max, norms.u_sum / norms.faces};
    for (int e = 0; e < 4; e++) assert_within(error[s][e] = found[e], poisson_neumann_reference[s][e], poisson_cells[s]);
  }
  for (int e = 0; e < 4; e++)
    if (e != 2) assert_second_order(error[0][e], error[COARSE_SIZES - 1][e]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(dirichlet_on_a_circle),
      cmocka_unit_test(dirichlet_on_a_star),
      cmocka_unit_test(neumann_on_a_circle),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
