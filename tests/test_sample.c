/* Trilinear values and slopes between faces and corners. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "grid/sample.h"
#include "pond.h"

static const Linear FIELD = {{{0.3, -0.7, 0.2, 1.0}, {-0.4, 0.1, 0.6, -2.0}, {0.5, 0.25, -0.35, 0.7}}};

/* Where the outermost values begin to hold: half a cell from the sides across a face, nowhere along it. */
static double clamp_between(double x, double lo, double hi) { return x < lo ? lo : x > hi ? hi : x; }

static void check_grid(int nz)
{
  Pond pond;
  pond_create(&pond, 19, 7, nz, 0.1, false);
  const vlGrid *g = &pond.grid;
  linear_fill(&FIELD, g, pond.u);
  uint64_t seed = 3;
  for (int n = 0; n < 4000; n++) {
    double x[3], v[3];
    for (int a = 0; a < 3; a++) x[a] = g->n[a] == 1 ? 0.5 : -0.5 + (g->n[a] + 1.0) * pond_random(&seed);
    vl_sample_velocity(g, pond.u, x, v);
    for (int a = 0; a < 3; a++) {
      double y[3], slope[3];
      bool inside = true;
      if (g->n[a] == 1) {
        assert_true(v[a] == 0.0);
        continue;
      }
      for (int b = 0; b < 3; b++) {
        double margin = b == a ? 0.0 : 0.5;
        y[b] = g->n[b] == 1 ? 0.5 : clamp_between(x[b], margin, g->n[b] - margin);
        inside = inside && y[b] == x[b];
      }
      /* rounding of a sum of eight values of size 10 */
      assert_true(fabs(v[a] - linear_at(&FIELD, a, y)) < 1e-13);
      if (!inside) continue;
      vlStencil8 s = vl_sample_at(g, a, x);
      vl_sample_slope(&s, pond.u[a], slope);
      for (int b = 0; b < 3; b++) assert_true(fabs(slope[b] - (g->n[b] == 1 ? 0.0 : FIELD.c[a][b])) < 1e-13);
    }
  }
  pond_destroy(&pond);
}

static void test_linear(void **state)
{
  (void)state;
  check_grid(6);
}

static void test_linear_slab(void **state)
{
  (void)state;
  check_grid(1);
}

/* Corner values: exact up to the sides; at a corner the value itself. */
static void test_nodes(void **state)
{
  (void)state;
  Pond pond;
  pond_create(&pond, 17, 5, 6, 0.1, false);
  const vlGrid *g = &pond.grid;
  for (int k = 0; k <= 6; k++)
    for (int j = 0; j <= 5; j++)
      for (int i = 0; i <= 17; i++) pond.phi[vl_grid_at(g, i, j, k)] = linear_at(&FIELD, 0, (const double[3]){i, j, k});
  uint64_t seed = 5;
  for (int n = 0; n < 2000; n++) {
    double x[3], slope[3];
    for (int a = 0; a < 3; a++) x[a] = n % 4 ? g->n[a] * pond_random(&seed) : floor((g->n[a] + 1.0) * pond_random(&seed));
    vlStencil8 s = vl_sample_at(g, VL_NODES, x);
    assert_true(fabs(vl_sample_value(&s, pond.phi) - linear_at(&FIELD, 0, x)) < 1e-13);
    vl_sample_slope(&s, pond.phi, slope);
    for (int a = 0; a < 3; a++) assert_true(fabs(slope[a] - FIELD.c[0][a]) < 1e-13);
  }
  pond_destroy(&pond);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_linear),
      cmocka_unit_test(test_linear_slab),
      cmocka_unit_test(test_nodes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
