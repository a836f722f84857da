/* Density of the particles: even liquid is left alone, crowded liquid expands, sparse liquid contracts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "liquid/particles.h"
#include "pond.h"

/* Exact level at 6 cells, `per_axis`^2 x `high` particles on a lattice in each cell below it. */
static vlDensity lattice(Pond *pond, int per_axis, int high, double level)
{
  vlStatus status = {0};
  const vlGrid *g = &pond->grid;
  int count = 0;
  for (int k = 0; k < g->n[2]; k++)
    for (int j = 0; j < g->n[1]; j++)
      for (int i = 0; i < g->n[0]; i++) {
        pond->phi[vl_grid_at(g, i, j, k)] = (j + 0.5 - level) * g->dx;
        if (j < level) count += per_axis * per_axis * high;
      }
  assert_int_equal(vl_particles_reserve(pond->particles, (size_t)count, &status), VL_OK);
  for (int k = 0; k < g->n[2]; k++)
    for (int j = 0; j < g->n[1] && j < level; j++)
      for (int i = 0; i < g->n[0]; i++)
        for (int s = 0; s < per_axis * per_axis * high; s++) {
          const float x[3] = {(float)(i + (s % per_axis + 0.5) / per_axis),
                              (float)(j + (s / (per_axis * per_axis) + 0.5) / high),
                              (float)(k + (s / per_axis % per_axis + 0.5) / per_axis)};
          const float v[3] = {0};
          vl_particles_add(pond->particles, x, v);
        }
  pond_sort(pond);
  vlDensity density = {.filled = pond->u[0], .gain = pond->u[1]};
  vl_density_update(&density, g, pond->particles, 8, pond->open, pond->phi, &pond->wet, 1.0);
  return density;
}

static void test_even(void **state)
{
  (void)state;
  Pond pond;
  pond_create(&pond, 21, 10, 9, 0.1, false);
  vlDensity density = lattice(&pond, 2, 2, 6.0);
  double filled = 0.0;
  for (int k = 0; k < 9; k++)
    for (int j = 0; j < 10; j++)
      for (int i = 0; i < 21; i++) filled += density.filled[vl_grid_at(&pond.grid, i, j, k)];
  assert_true(fabs(filled - 21 * 6 * 9) < 1e-9);
  assert_true(density.gain_max == 0.0);
  pond_destroy(&pond);
}

/* Twelve particles where eight belong, or four: each cell below the surface asks for the same, its sign that of the excess,
 * and liquid half as dense draws together at the limit of 0.01. */
static void test_uneven(void **state)
{
  (void)state;
  for (int high = 1; high <= 3; high += 2) {
    Pond pond;
    pond_create(&pond, 21, 10, 9, 0.1, false);
    vlDensity density = lattice(&pond, 2, high, 6.0);
    double at = density.gain[vl_grid_at(&pond.grid, 10, 3, 4)];
    assert_true(high == 3 ? at > 0.015 && at < 0.02 : at == -0.01); /* a share of 0.04 of 0.5, less what is left alone */
    for (int k = 0; k < 9; k++)
      for (int j = 0; j < 10; j++)
        for (int i = 0; i < 21; i++)
          assert_true(fabs(density.gain[vl_grid_at(&pond.grid, i, j, k)] - (j < 6 ? at : 0.0)) < 1e-12);
    assert_true(density.gain_max == fabs(at));
    pond_destroy(&pond);
  }
}

/* Solids take room: half-open cells with half the particles are full. */
static void test_solids(void **state)
{
  (void)state;
  Pond pond;
  pond_create(&pond, 21, 10, 9, 0.1, false);
  for (int k = 0; k < 9; k++)
    for (int j = 0; j < 10; j++)
      for (int i = 0; i < 21; i++) pond.open[vl_grid_at(&pond.grid, i, j, k)] = 0.5;
  assert_true(lattice(&pond, 2, 1, 6.0).gain_max == 0.0);
  pond_destroy(&pond);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_even),
      cmocka_unit_test(test_uneven),
      cmocka_unit_test(test_solids),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
