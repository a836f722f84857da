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
  vlDensity density = {.filled = pond->u[0], .excess = pond->u[1]};
  vl_density_fill(&density, g, pond->open, pond->phi, &pond->wet);
  vl_density_compare(&density, g, pond->particles, 8, pond->phi, &pond->wet);
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
  assert_true(density.excess_max == 0.0);
  pond_destroy(&pond);
}

/* Twelve particles where eight belong, or four: each cell below the surface has the same excess, less what is left alone. */
static void test_uneven(void **state)
{
  (void)state;
  for (int high = 1; high <= 3; high += 2) {
    Pond pond;
    pond_create(&pond, 21, 10, 9, 0.1, false);
    vlDensity density = lattice(&pond, 2, high, 6.0);
    double at = high == 3 ? 0.46 : -0.46;
    for (int k = 0; k < 9; k++)
      for (int j = 0; j < 10; j++)
        for (int i = 0; i < 21; i++)
          assert_true(fabs(density.excess[vl_grid_at(&pond.grid, i, j, k)] - (j < 6 ? at : 0.0)) < 1e-12);
    assert_true(fabs(density.excess_max - 0.46) < 1e-12);
    pond_destroy(&pond);
  }
}

/* What a cell gains is a rate: steps of any length take the same in the same time, within limits that are rates too. */
static void test_rate(void **state)
{
  (void)state;
  double whole = vl_density_gain(0.46, vl_density_shares(1.0)), left = 0.46;
  assert_true(whole > 0.015 && whole < 0.02);
  for (int i = 0; i < 100; i++) left -= vl_density_gain(left, vl_density_shares(0.01));
  assert_true(fabs(0.46 - left - whole) < 1e-12);
  assert_true(fabs(vl_density_gain(-0.46, vl_density_shares(1.0)) + 0.01) < 1e-15); /* liquid draws together slowly */
  double slow = vl_density_gain(-0.46, vl_density_shares(0.01)) * 100.0;
  assert_true(slow < -0.0101 && slow > -0.0103); /* log(1/0.96)/0.04 of it */
  assert_true(vl_density_gain(0.46, vl_density_shares(0.0)) == 0.0);
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
  assert_true(lattice(&pond, 2, 1, 6.0).excess_max == 0.0);
  pond_destroy(&pond);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_even),
      cmocka_unit_test(test_uneven),
      cmocka_unit_test(test_rate),
      cmocka_unit_test(test_solids),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
