/* Reseeding: nearly empty cells inside the liquid are filled from full neighbours, and nothing else changes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "liquid/seed.h"
#include "pond.h"

enum { NX = 20, NY = 9, NZ = 9 };

/* Particles in a cell. */
static int count_in(const vlParticles *p, int i, int j, int k)
{
  int count = 0;
  for (size_t n = 0; n < p->count; n++) count += (int)p->x[0][n] == i && (int)p->x[1][n] == j && (int)p->x[2][n] == k;
  return count;
}

/* Deep liquid everywhere, `many` in cell (6, 4, 4), `few` in cell (5, 4, 4), eight in the others. */
static void fill_pond(Pond *pond, int few, int many, double depth)
{
  for (int k = 0; k < NZ; k++)
    for (int j = 0; j < NY; j++)
      for (int i = 0; i < NX; i++) {
        const double lo[3] = {i, j, k}, hi[3] = {i + 1, j + 1, k + 1};
        bool middle = j == 4 && k == 4;
        pond->phi[vl_grid_at(&pond->grid, i, j, k)] = -depth * pond->grid.dx;
        pond_scatter(pond, middle && i == 5 ? few : middle && i == 6 ? many : 8, lo, hi, (uint64_t)((k * NY + j) * NX + i));
      }
  pond_sort(pond);
}

/* A moved particle is another one with the liquid of the one it was: it has no affine velocity and is numbered anew, and a
 * column keeps its value unless its row says otherwise. */
static void test_columns(void **state)
{
  (void)state;
  static const vlColumn colour = {"colour", "", VL_COLUMN_UINT32, 1, {"colour"}, .shown = true},
                        age = {"age", "s", VL_COLUMN_FLOAT, 1, {"age"}, .renewed = true};
  Pond pond;
  pond_create(&pond, NX, NY, NZ, 0.1, true);
  vlParticles *p = pond.particles;
  vl_particles_add_column(p, &colour);
  vl_particles_add_column(p, &age);
  fill_pond(&pond, 0, 14, 2.0);
  uint32_t next = p->next_id, *colours = vl_particles_array(p, p->arrays - 2).data;
  float *ages = vl_particles_array(p, p->arrays - 1).data;
  for (size_t i = 0; i < p->count; i++) {
    colours[i] = (uint32_t)p->x[0][i];
    ages[i] = 1.0f;
    for (int c = 0; c < 9; c++) p->c[c / 3][c % 3][i] = 1.0f;
  }
  vlReseed reseed = {.per_axis = 2, .phi = pond.phi, .open = pond.open, .u = pond.u};
  assert_int_equal(vl_reseed(p, &pond.grid, &reseed), 4);
  for (size_t i = 0; i < p->count; i++) {
    bool moved = p->id[i] >= next;
    assert_int_equal((int)p->x[0][i] == 5 && (int)p->x[1][i] == 4 && (int)p->x[2][i] == 4, moved);
    assert_int_equal(colours[i], moved ? 6 : (uint32_t)p->x[0][i]);
    assert_true(ages[i] == (moved ? 0.0f : 1.0f));
    for (int c = 0; c < 9; c++) assert_true(p->c[c / 3][c % 3][i] == ages[i]);
  }
  pond_destroy(&pond);
}

static void test_moves_from_full_to_empty(void **state)
{
  (void)state;
  const Linear field = {{{0.1, 0.2, -0.1, 0.3}, {0.2, -0.2, 0.0, 1.0}, {0.0, 0.1, 0.1, -0.5}}};
  for (int few = 0; few <= 3; few++) {
    Pond pond;
    pond_create(&pond, NX, NY, NZ, 0.1, false);
    fill_pond(&pond, few, 14, 2.0);
    vlParticles *p = pond.particles;
    size_t count = p->count;
    uint32_t next = p->next_id;
    linear_fill(&field, &pond.grid, pond.u);
    vlReseed reseed = {.per_axis = 2, .phi = pond.phi, .open = pond.open, .u = pond.u, .salt = 3};
    int64_t moved = vl_reseed(p, &pond.grid, &reseed);
    int wanted = few <= 2 ? 4 - few : 0;
    assert_int_equal(moved, wanted);
    assert_int_equal(p->count, count);
    assert_int_equal(count_in(p, 5, 4, 4), few + wanted);
    assert_int_equal(count_in(p, 6, 4, 4), 14 - wanted);
    assert_int_equal(p->next_id, next + (uint32_t)wanted);
    for (size_t i = 0; i < p->count; i++) {
      if (p->id[i] < next) continue;
      const double x[3] = {(double)p->x[0][i], (double)p->x[1][i], (double)p->x[2][i]};
      for (int a = 0; a < 3; a++) assert_true(fabs((double)p->v[a][i] - linear_at(&field, a, x)) < 1e-5);
    }
    pond_destroy(&pond);
  }
}

/* Near the surface, beside a solid, or without a neighbour that has more than its share, all stay. */
static void test_leaves_alone(void **state)
{
  (void)state;
  for (int which = 0; which < 3; which++) {
    Pond pond;
    pond_create(&pond, NX, NY, NZ, 0.1, false);
    fill_pond(&pond, 0, which == 1 ? 8 : 14, which == 0 ? 1.0 : 2.0);
    if (which == 2) pond.open[vl_grid_at(&pond.grid, 5, 4, 4)] = 0.5;
    vlReseed reseed = {.per_axis = 2, .phi = pond.phi, .open = pond.open, .u = pond.u};
    assert_int_equal(vl_reseed(pond.particles, &pond.grid, &reseed), 0);
    assert_int_equal(count_in(pond.particles, 5, 4, 4), 0);
    pond_destroy(&pond);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_moves_from_full_to_empty), cmocka_unit_test(test_leaves_alone),
                                     cmocka_unit_test(test_columns)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
