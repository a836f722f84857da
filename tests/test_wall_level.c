/* The level set beside walls. A tank whose left part is liquid, with a wall two cells thick behind it and air all around. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "liquid/kernel.h"
#include "pond.h"

enum { NX = 24, NY = 12, NZ = 12, WALL = 12, TOP = 9 }; /* the wall's first cell along x; the surface's along y */

typedef struct Tank {
  Pond pond;
  double *area[3], full; /* m2 */
  vlLevelWork work;
} Tank;

static ptrdiff_t at(const Tank *tank, int i, int j, int k) { return vl_grid_at(&tank->pond.grid, i, j, k); }

static bool is_liquid(int i, int j) { return i < WALL && j < TOP; }

static void tank_create(Tank *tank)
{
  const double lo[3] = {0, 0, 0}, hi[3] = {WALL, TOP, NZ};
  pond_create(&tank->pond, NX, NY, NZ, 0.1, false);
  tank->full = 0.01;
  tank->work.held = calloc((size_t)tank->pond.wet.count + 1, sizeof *tank->work.held);
  assert_non_null(tank->work.held);
  pond_scatter(&tank->pond, 40 * WALL * TOP * NZ, lo, hi, 7); /* no cell stays empty */
  pond_sort(&tank->pond);
  for (int a = 0; a < 3; a++) assert_non_null(tank->area[a] = vl_field_create(&tank->pond.grid));
  for (int k = 0; k < NZ; k++)
    for (int j = 0; j < NY; j++)
      for (int i = 0; i < NX; i++) {
        bool solid = i == WALL || i == WALL + 1;
        tank->pond.open[at(tank, i, j, k)] = !solid;
        tank->pond.phi[at(tank, i, j, k)] = is_liquid(i, j) || solid ? -0.1 : 0.1;
        for (int a = 0; a < 3; a++) tank->area[a][at(tank, i, j, k)] = solid || (a == 0 && i == WALL + 2) ? 0.0 : tank->full;
      }
}

static void tank_destroy(Tank *tank)
{
  for (int a = 0; a < 3; a++) vl_field_destroy(&tank->pond.grid, &tank->area[a]);
  free(tank->work.held);
  pond_destroy(&tank->pond);
}

static void mend(Tank *tank)
{
  Pond *pond = &tank->pond;
  vl_wall_level(&pond->grid, &pond->wet, pond->particles, pond->open, tank->area, &tank->work, pond->phi);
}

/* A cell that the wall fills but for a crumb, with an opening towards the cell at -x. */
static void make_sliver(Tank *tank, int i, int j, int k, double phi)
{
  for (int a = 0; a < 3; a++) tank->area[a][at(tank, i, j, k)] = a == 0 ? 0.1 * tank->full : 0.0;
  tank->area[0][at(tank, i + 1, j, k)] = tank->area[1][at(tank, i, j + 1, k)] = tank->area[2][at(tank, i, j, k + 1)] = 0.0;
  tank->pond.open[at(tank, i, j, k)] = 0.01;
  tank->pond.phi[at(tank, i, j, k)] = phi;
}

/* Nothing to mend: the level set stays as it is, also along the free surface and in the wall. */
static void test_leaves_alone(void **state)
{
  (void)state;
  Tank tank;
  tank_create(&tank);
  mend(&tank);
  for (int k = 0; k < NZ; k++)
    for (int j = 0; j < NY; j++)
      for (int i = 0; i < NX; i++) {
        double was = is_liquid(i, j) || i == WALL || i == WALL + 1 ? -0.1 : 0.1;
        assert_true(tank.pond.phi[at(&tank, i, j, k)] == was);
      }
  tank_destroy(&tank);
}

/* Behind the wall nothing is liquid, whatever the kernel said. */
static void test_behind(void **state)
{
  (void)state;
  Tank tank;
  tank_create(&tank);
  for (int j = 2; j < 6; j++) tank.pond.phi[at(&tank, WALL + 2, j, 5)] = -0.04;
  mend(&tank);
  for (int j = 2; j < 6; j++) assert_true(tank.pond.phi[at(&tank, WALL + 2, j, 5)] > 0.0);
  tank_destroy(&tank);
}

/* Slivers are what they open into. */
static void test_slivers(void **state)
{
  (void)state;
  Tank tank;
  tank_create(&tank);
  make_sliver(&tank, WALL, 4, 5, 0.05);       /* at the liquid, taken for air */
  make_sliver(&tank, WALL, TOP + 1, 5, -0.1); /* at the air, taken for liquid */
  mend(&tank);
  assert_true(tank.pond.phi[at(&tank, WALL, 4, 5)] < 0.0);
  assert_true(tank.pond.phi[at(&tank, WALL, TOP + 1, 5)] > 0.0);
  tank_destroy(&tank);
}

/* A few cells of air inside the liquid are liquid, twenty-seven are a bubble. */
static void test_pockets(void **state)
{
  (void)state;
  Tank tank;
  tank_create(&tank);
  tank.pond.phi[at(&tank, 2, 2, 2)] = tank.pond.phi[at(&tank, 3, 2, 2)] = 0.02;
  for (int c = 0; c < 27; c++) tank.pond.phi[at(&tank, 6 + c % 3, 3 + c / 3 % 3, 6 + c / 9)] = 0.02;
  mend(&tank);
  assert_true(tank.pond.phi[at(&tank, 2, 2, 2)] < 0.0 && tank.pond.phi[at(&tank, 3, 2, 2)] < 0.0);
  for (int c = 0; c < 27; c++) assert_true(tank.pond.phi[at(&tank, 6 + c % 3, 3 + c / 3 % 3, 6 + c / 9)] == 0.02);
  tank_destroy(&tank);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_leaves_alone),
      cmocka_unit_test(test_behind),
      cmocka_unit_test(test_slivers),
      cmocka_unit_test(test_pockets),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
