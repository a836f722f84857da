/* Velocities beyond the liquid: layers, means, free sides. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "liquid/transfer.h"
#include "pond.h"

static void set_known(Pond *pond, int a, int i, int j, int k)
{
  pond->known.bits[a][vl_blocks_find(&pond->wet, i / VL_BLOCK, j, k)] |= (unsigned short)(1u << i % VL_BLOCK);
}

static void forget(Pond *pond)
{
  for (int a = 0; a < 3; a++) memset(pond->known.bits[a], 0, (size_t)pond->wet.count * sizeof(unsigned short));
}

/* From one face, `layers` steps along the axes reach the faces at that distance and no others; a constant stays one. */
static void test_layers(void **state)
{
  (void)state;
  for (int nz = 1; nz <= 7; nz += 6) {
    Pond pond;
    pond_create(&pond, 37, 9, nz, 0.1, false);
    const vlGrid *g = &pond.grid;
    int z = nz / 2;
    for (int layers = 0; layers <= 6; layers++) {
      forget(&pond);
      for (int a = 0; a < 3; a++) {
        memset(pond.u[a], 0, g->length * sizeof(double));
        pond.u[a][vl_grid_at(g, 17, 4, z)] = 0.1 * (a + 1);
        set_known(&pond, a, 17, 4, z);
      }
      vl_extrapolate(g, &pond.wet, pond.u, &pond.known, &pond.scratch, layers);
      for (int a = 0; a < 3; a++)
        for (int k = 0; k < nz; k++)
          for (int j = 0; j < 9; j++)
            for (int i = 0; i < 37; i++) {
              if (g->n[a] == 1) continue;
              bool reached = abs(i - 17) + abs(j - 4) + abs(k - z) <= layers;
              assert_int_equal(face_known(&pond, a, i, j, k), reached);
              /* a mean of up to six equal values */
              assert_true(fabs(pond.u[a][vl_grid_at(g, i, j, k)] - (reached ? 0.1 * (a + 1) : 0.0)) < 1e-15);
            }
    }
    pond_destroy(&pond);
  }
}

/* A face between two known ones takes their mean; known values are not touched. */
static void test_mean(void **state)
{
  (void)state;
  Pond pond;
  pond_create(&pond, 37, 9, 7, 0.1, false);
  const vlGrid *g = &pond.grid;
  forget(&pond);
  pond.u[1][vl_grid_at(g, 15, 4, 3)] = 1.0;
  pond.u[1][vl_grid_at(g, 17, 4, 3)] = 4.0;
  set_known(&pond, 1, 15, 4, 3);
  set_known(&pond, 1, 17, 4, 3);
  vl_extrapolate(g, &pond.wet, pond.u, &pond.known, &pond.scratch, 1);
  assert_true(pond.u[1][vl_grid_at(g, 16, 4, 3)] == 2.5);
  assert_true(pond.u[1][vl_grid_at(g, 15, 4, 3)] == 1.0 && pond.u[1][vl_grid_at(g, 14, 4, 3)] == 1.0);
  assert_true(pond.u[1][vl_grid_at(g, 17, 4, 3)] == 4.0 && pond.u[1][vl_grid_at(g, 17, 5, 3)] == 4.0);
  assert_true(pond.u[0][vl_grid_at(g, 16, 4, 3)] == 0.0);
  pond_destroy(&pond);
}

static void test_same_bits_for_threads(void **state)
{
  (void)state;
  Pond pond[3];
  int before = omp_get_max_threads();
  for (int t = 0; t < 3; t++) {
    omp_set_num_threads(1 << t);
    pond_create(&pond[t], 37, 9, 7, 0.1, false);
    forget(&pond[t]);
    uint64_t seed = 8;
    for (int n = 0; n < 60; n++) {
      int i = (int)(37 * pond_random(&seed)), j = (int)(9 * pond_random(&seed)), k = (int)(7 * pond_random(&seed));
      for (int a = 0; a < 3; a++) {
        pond[t].u[a][vl_grid_at(&pond[t].grid, i, j, k)] = pond_random(&seed);
        set_known(&pond[t], a, i, j, k);
      }
    }
    vl_extrapolate(&pond[t].grid, &pond[t].wet, pond[t].u, &pond[t].known, &pond[t].scratch, 4);
    for (int a = 0; a < 3; a++) assert_memory_equal(pond[t].u[a], pond[0].u[a], pond[0].grid.length * sizeof(double));
  }
  omp_set_num_threads(before);
  for (int t = 0; t < 3; t++) pond_destroy(&pond[t]);
}

/* Next to liquid the sides are walls; next to air they carry the velocity before them. All else stays. */
static void test_free_sides(void **state)
{
  (void)state;
  for (int nz = 1; nz <= 7; nz += 6)
    for (int liquid = 0; liquid < 2; liquid++) {
      Pond pond;
      const Linear field = {{{0.3, -0.7, 0.2, 1.0}, {-0.4, 0.1, 0.6, -2.0}, {0.5, 0.25, -0.35, 0.7}}};
      pond_create(&pond, 33, 9, nz, 0.1, false);
      const vlGrid *g = &pond.grid;
      linear_fill(&field, g, pond.u);
      linear_fill(&field, g, pond.u_old);
      for (int k = 0; k < nz; k++)
        for (int j = 0; j < 9; j++)
          for (int i = 0; i < 33; i++) pond.phi[vl_grid_at(g, i, j, k)] = liquid ? -1.0 : 1.0;
      vl_free_sides(g, &pond.wet, pond.phi, NULL, pond.u);
      for (int a = 0; a < 3; a++)
        for (int k = 0; k < nz + (a == 2); k++)
          for (int j = 0; j < 9 + (a == 1); j++)
            for (int i = 0; i < 33 + (a == 0); i++) {
              if (g->n[a] == 1) continue;
              const int at_axis[3] = {i, j, k};
              ptrdiff_t at = vl_grid_at(g, i, j, k);
              double u = pond.u[a][at], before = pond.u_old[a][at];
              if (at_axis[a] == 0)
                assert_true(u == (liquid ? 0.0 : pond.u_old[a][at + g->stride[a]]));
              else if (at_axis[a] == g->n[a])
                assert_true(u == (liquid ? 0.0 : pond.u_old[a][at - g->stride[a]]));
              else
                assert_true(u == before);
            }
      pond_destroy(&pond);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_layers),
      cmocka_unit_test(test_mean),
      cmocka_unit_test(test_same_bits_for_threads),
      cmocka_unit_test(test_free_sides),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
