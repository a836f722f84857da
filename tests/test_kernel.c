/* The distance to the surface from particles: calibration, flat levels, deep and crowded cells. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "liquid/kernel.h"
#include "liquid/seed.h"
#include "pond.h"

static double below(const void *data, vlVec3 x) { return x.y - *(const double *)data; }

/* Liquid below y = level cells. */
static void fill_to(Pond *pond, double level, uint64_t salt)
{
  vlStatus status = {0};
  size_t added;
  double y = pond->grid.origin.y + level * pond->grid.dx;
  vlSeed seed = {.per_axis = 2, .liquid = below, .liquid_data = &y, .bounds = vl_grid_box(&pond->grid), .salt = salt};
  assert_int_equal(vl_seed(pond->particles, &pond->grid, &seed, &added, &status), VL_OK);
  pond_sort(pond);
}

static vlLevelOutput find_level(Pond *pond)
{
  vlKernel kernel;
  vlStatus status = {0};
  vlLevelWork work = {0};
  vlLevelOutput out = {.phi = pond->phi};
  vl_kernel_create(&kernel, &pond->grid);
  int per_cell = pond->grid.n[2] == 1 ? 4 : 8;
  assert_int_equal(
      vl_particle_level(&kernel, &pond->grid, pond->particles, per_cell, pond->open, &pond->wet, &work, &out, &status),
      VL_OK);
  free(work.held);
  free(work.narrow);
  return out;
}

/* Height rises with the shift from -R to R, and half of the space full is a height of zero. */
static void test_calibration(void **state)
{
  (void)state;
  for (int nz = 1; nz <= 8; nz += 7) {
    vlGrid grid = make_grid(8, 8, nz, 0.1, vl_vec(0, 0, 0));
    vlKernel kernel;
    vl_kernel_create(&kernel, &grid);
    assert_true(vl_kernel_height(&kernel, 0.0) <= -0.95 * VL_KERNEL_RADIUS);
    assert_true(vl_kernel_height(&kernel, VL_KERNEL_RADIUS) == VL_KERNEL_RADIUS);
    assert_true(vl_kernel_height(&kernel, 10.0) == VL_KERNEL_RADIUS);
    for (int i = 1; i <= 100; i++)
      assert_true(vl_kernel_height(&kernel, 0.02 * i) >= vl_kernel_height(&kernel, 0.02 * (i - 1)));
    /* T(h) by the midpoint rule; the table is linear between 256 entries and coarse where it is steep, deep inside */
    int power = nz == 1 ? 7 : 8; /* halves: K ~ (1 - t^2)^(power / 2) */
    for (int i = -6; i <= 8; i++) {
      double h = 0.1 * i, mass = 0.0, moment = 0.0;
      for (int n = 0; n < 4000; n++) {
        double t = h + (1.0 - h) * (n + 0.5) / 4000, k = pow(1.0 - t * t, 0.5 * power);
        mass += k;
        moment += t * k;
      }
      double found = vl_kernel_height(&kernel, VL_KERNEL_RADIUS * moment / mass);
      if (fabs(found - VL_KERNEL_RADIUS * h) > 0.02) fail_msg("nz %d: height %g found as %g", nz, 2.0 * h, found);
    }
    /* the kernel's integral, summed on a fine lattice */
    double sum = 0.0;
    int fine = 16;
    for (int z = nz == 1 ? 0 : -2 * fine; z < (nz == 1 ? 1 : 2 * fine); z++)
      for (int y = -2 * fine; y < 2 * fine; y++)
        for (int x = -2 * fine; x < 2 * fine; x++) {
          double d[3] = {(x + 0.5) / fine, (y + 0.5) / fine, nz == 1 ? 0.0 : (z + 0.5) / fine};
          sum += vl_kernel_weight(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        }
    assert_true(fabs(sum / pow(fine, nz == 1 ? 2 : 3) / kernel.full - 1.0) < 1e-3);
  }
}

/* Zero crossings of phi along the columns: mean and rms error in cells. A column must have one crossing. */
static void level_error(const Pond *pond, double level, double *mean, double *rms)
{
  const vlGrid *g = &pond->grid;
  int columns = g->n[0] * g->n[2];
  *mean = *rms = 0.0;
  for (int k = 0; k < g->n[2]; k++)
    for (int i = 0; i < g->n[0]; i++) {
      int crossings = 0;
      double height = 0.0;
      for (int j = 0; j + 1 < g->n[1]; j++) {
        double a = pond->phi[vl_grid_at(g, i, j, k)], b = pond->phi[vl_grid_at(g, i, j + 1, k)];
        if ((a < 0.0) == (b < 0.0)) continue;
        height = j + 0.5 + a / (a - b);
        crossings++;
      }
      assert_int_equal(crossings, 1);
      *mean += (height - level) / columns;
      *rms += (height - level) * (height - level) / columns;
    }
  *rms = sqrt(*rms);
}

/* At any height, also next to the walls. */
static void flat_levels(int nx, int nz, double allowed_rms)
{
  for (int h = 0; h < 10; h++) {
    Pond pond;
    double level = 6.0 + 0.1 * h, mean, rms;
    pond_create(&pond, nx, 12, nz, 0.1, false);
    fill_to(&pond, level, (uint64_t)h);
    vlLevelOutput out = find_level(&pond);
    level_error(&pond, level, &mean, &rms);
    if (fabs(mean) > 0.1 || rms > allowed_rms) fail_msg("level %g: mean error %.3f, rms %.3f cells", level, mean, rms);
    /* deep cells lie at the kernel's depth; two layers from the surface down none is missing */
    for (int k = 0; k < nz; k++)
      for (int i = 0; i < nx; i++)
        for (int j = 0; j < 3; j++) assert_true(pond.phi[vl_grid_at(&pond.grid, i, j, k)] == -VL_KERNEL_RADIUS * 0.1);
    assert_true(out.filling.cells >= nx * nz * 4 && out.filling.cells <= nx * nz * 6);
    /* full cells hold just what they were seeded with */
    assert_int_equal(out.filling.particles, out.filling.cells * (nz == 1 ? 4 : 8));
    pond_destroy(&pond);
  }
}

/* The specification's tenth of a cell. */
static void test_flat_levels(void **state)
{
  (void)state;
  flat_levels(21, 12, 0.1);
}

/* The kernel holds 25 particles of a half-plane where it holds 134 of a half-space: chance counts for twice as much. */
static void test_flat_levels_slab(void **state)
{
  (void)state;
  flat_levels(120, 1, 0.2);
}

/* A cell with more particles than it is made for is liquid, whatever is around it; a single one far out is not deep. */
static void test_crowded_cell(void **state)
{
  (void)state;
  for (int count = 1; count <= 12; count++) {
    Pond pond;
    pond_create(&pond, 20, 9, 9, 0.1, false);
    const double lo[3] = {5, 4, 4}, hi[3] = {6, 5, 5};
    pond_scatter(&pond, count, lo, hi, 3);
    pond_sort(&pond);
    vlLevelOutput out = find_level(&pond);
    double phi = pond.phi[vl_grid_at(&pond.grid, 5, 4, 4)];
    if (count > 8) assert_true(phi < 0.0);
    assert_int_equal(out.filling.cells, 0);
    assert_true(pond.phi[vl_grid_at(&pond.grid, 12, 4, 4)] >= 0.1); /* air, at least a cell from any surface */
    pond_destroy(&pond);
  }
}

/* phi of the cells is vl_kernel_distance at their centres where they are neither deep nor overfull. */
static void test_same_as_the_kernel(void **state)
{
  (void)state;
  Pond pond;
  vlKernel kernel;
  int compared = 0;
  pond_create(&pond, 21, 12, 12, 0.1, false);
  fill_to(&pond, 6.4, 0);
  find_level(&pond);
  vl_kernel_create(&kernel, &pond.grid);
  for (int j = 5; j < 12; j++)
    for (int i = 0; i < 21; i++) {
      const double x[3] = {i + 0.5, j + 0.5, 6.5};
      double phi = pond.phi[vl_grid_at(&pond.grid, i, j, 6)] / 0.1;
      double d = vl_kernel_distance(&kernel, &pond.grid, pond.particles, pond.open, x);
      if (phi <= -VL_KERNEL_RADIUS) continue;
      assert_true(phi <= d + 1e-12);
      compared += fabs(phi - d) < 1e-12;
    }
  assert_true(compared > 100);
  pond_destroy(&pond);
}

/* The sum over rows of particles is the sum over all of them; single precision of places up to 21 cells. */
static void test_plain_sum(void **state)
{
  (void)state;
  for (int nz = 1; nz <= 12; nz += 11) {
    Pond pond;
    pond_create(&pond, 21, 12, nz, 0.1, false);
    fill_to(&pond, 6.4, 0);
    const vlParticles *p = pond.particles;
    for (int q = 0; q < 300; q++) {
      const double x[3] = {0.07 * q, 0.04 * q, nz == 1 ? 0.5 : 0.5 + 0.037 * q};
      double sum[4], plain[4] = {0};
      vl_kernel_liquid(&pond.grid, p, x, sum);
      for (size_t i = 0; i < p->count; i++) {
        double d[3], square = 0.0;
        for (int a = 0; a < 3; a++) d[a] = (double)p->x[a][i] - x[a], square += d[a] * d[a];
        double w = vl_kernel_weight(square);
        for (int a = 0; a < 3; a++) plain[a] += w * d[a];
        plain[3] += w;
      }
      for (int a = 0; a < 4; a++) assert_true(fabs(sum[a] - plain[a]) <= 1e-5 * (1.0 + plain[3]));
    }
    pond_destroy(&pond);
  }
}

static void test_same_bits_for_threads(void **state)
{
  (void)state;
  Pond pond[3];
  int before = omp_get_max_threads();
  for (int t = 0; t < 3; t++) {
    omp_set_num_threads(1 << t);
    pond_create(&pond[t], 21, 12, 12, 0.1, false);
    fill_to(&pond[t], 6.4, 0);
    find_level(&pond[t]);
    assert_memory_equal(pond[t].phi, pond[0].phi, pond[0].grid.length * sizeof(double));
  }
  omp_set_num_threads(before);
  for (int t = 0; t < 3; t++) pond_destroy(&pond[t]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_calibration),           cmocka_unit_test(test_flat_levels),
      cmocka_unit_test(test_flat_levels_slab),      cmocka_unit_test(test_crowded_cell),
      cmocka_unit_test(test_same_as_the_kernel),    cmocka_unit_test(test_plain_sum),
      cmocka_unit_test(test_same_bits_for_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
