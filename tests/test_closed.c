/* Closed regions of liquid: found, numbered, kept from drifting; flux that no pressure can balance is reported. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "tank.h"

static double phi_everywhere(const void *data, vlVec3 x)
{
  (void)data;
  (void)x;
  return -1.0;
}

/* Air in the upper part of the right half only. */
static double phi_right_level(const void *data, vlVec3 x)
{
  (void)data;
  return x.x > 0.85 ? x.y - 0.43 : -1.0;
}

/* A wall across the tank. One far thinner than a cell separates where it holds a grid plane; within a cell both sides share
 * its unknown. */
static vlTriMesh *make_wall(double x, double thickness)
{
  return make_exact_box(vl_vec(x, -1, -1), vl_vec(x + thickness, 3, 3));
}

static vlGrid tank_grid(void) { return make_grid(17, 9, 8, 0.1, vl_vec(0, 0, 0)); }

/* Regions list every closed unknown once, ascending, each region one component. */
static void check_regions(const Tank *t, int expected)
{
  const vlPressure *p = t->pressure;
  assert_int_equal(p->null_count, expected);
  int listed = 0, closed = 0;
  for (int r = 0; r < p->null_count; r++)
    for (int c = p->null_start[r]; c < p->null_start[r + 1]; c++, listed++) {
      int cell = p->null_cell[c];
      assert_int_equal(p->region[cell], r);
      assert_int_equal(p->label[cell], p->label[p->null_cell[p->null_start[r]]]);
      assert_true(p->stencil.diagonal[cell] > 0.0);
      if (c > p->null_start[r]) assert_true(cell > p->null_cell[c - 1]);
    }
  for (size_t i = 0; i < vl_stencil_length(&p->stencil); i++) closed += p->region[i] >= 0;
  assert_int_equal(listed, closed);
}

static void full_tank_does_not_drift(void **state)
{
  (void)state;
  Tank t;
  tank_fill(&t, tank_grid(), NULL, phi_everywhere, NULL);
  vlFluid fluid = tank_fluid(&t);
  double mean = 0.0;
  for (int step = 0; step < 20; step++) {
    tank_forces(&t, vl_vec(0.5, -9.81, 0.2));
    tank_project(&t, &fluid, VL_SOLVER_MULTIGRID, 1e-12, t.p);
    check_regions(&t, 1);
    assert_int_equal(t.pressure->null_start[1], 17 * 9 * 8);
    assert_true(tank_max_speed(&t) <= 1e-10);
    assert_true(t.result.discarded_flux <= 1e-14); /* areas are dx2 = 0.01 m2, speeds 0.1 m/s */
    mean = 0.0;
    for (int c = 0; c < t.pressure->null_start[1]; c++) mean += t.pressure->p[t.pressure->null_cell[c]];
    assert_true(fabs(mean) <= 1e-8 * t.pressure->null_start[1] * 1000 * 9.81);
  }
  /* rho g . x between any two cells */
  double low = t.p[vl_grid_at(&t.grid, 0, 0, 0)], high = t.p[vl_grid_at(&t.grid, 16, 8, 7)];
  assert_true(fabs(high - low - 1000 * (0.5 * 1.6 - 9.81 * 0.8 + 0.2 * 0.7)) <= 1e-6);
  tank_drain(&t);
}

static void walls_make_more_regions(void **state)
{
  (void)state;
  Tank t;
  vlStatus status = {0};
  for (int thin = 0; thin < 2; thin++) {
    tank_fill(&t, tank_grid(), thin ? make_wall(0.799, 0.002) : make_wall(0.8, 0.1), phi_everywhere, NULL);
    vlFluid fluid = tank_fluid(&t);
    tank_random_flow(&t, 4);
    tank_project(&t, &fluid, VL_SOLVER_MULTIGRID, 1e-12, NULL);
    check_regions(&t, 2);
    assert_true(tank_max_outflow(&t, t.u) <= 1e-9);
    assert_true(t.result.discarded_flux <= 1e-14);
    tank_drain(&t);
  }
  tank_fill(&t, tank_grid(), join_meshes(make_wall(0.3, 0.05), make_wall(1.2, 0.1)), phi_everywhere, NULL);
  vlFluid fluid = tank_fluid(&t);
  assert_int_equal(vl_pressure_assemble(t.pressure, &fluid, &status), VL_OK);
  check_regions(&t, 3);
  tank_drain(&t);
}

/* Closed on the left, open to the air on the right: only the left loses its constant. */
static void open_and_closed_side_by_side(void **state)
{
  (void)state;
  Tank t;
  tank_fill(&t, tank_grid(), make_wall(0.8, 0.1), phi_right_level, NULL);
  vlFluid fluid = tank_fluid(&t);
  tank_forces(&t, vl_vec(0, -9.81, 0));
  tank_project(&t, &fluid, VL_SOLVER_MULTIGRID, 1e-12, NULL);
  check_regions(&t, 1);
  assert_int_equal(t.pressure->null_start[1], 8 * 9 * 8);
  assert_true(tank_max_speed(&t) <= 1e-10);
  assert_true(fabs(t.p[vl_grid_at(&t.grid, 12, 0, 3)] - 1000 * 9.81 * 0.38) <= 1e-6);
  tank_drain(&t);
}

static void projector_takes_out_the_means(void **state)
{
  (void)state;
  Tank t;
  vlStatus status = {0};
  tank_fill(&t, tank_grid(), make_wall(0.8, 0.1), phi_everywhere, NULL);
  vlFluid fluid = tank_fluid(&t);
  assert_int_equal(vl_pressure_assemble(t.pressure, &fluid, &status), VL_OK);
  check_regions(&t, 2);
  const vlPressure *p = t.pressure;
  double *x = stencil_random(&p->stencil, 3), expected = 0.0;
  for (int r = 0; r < 2; r++) {
    double sum = 0.0;
    for (int c = p->null_start[r]; c < p->null_start[r + 1]; c++) sum += x[p->null_cell[c]] += r ? -2.0 : 3.0;
    expected += fabs(sum);
  }
  assert_true(fabs(vl_pressure_project(p, x) - expected) <= 1e-12 * expected);
  for (int r = 0; r < 2; r++) {
    double sum = 0.0;
    for (int c = p->null_start[r]; c < p->null_start[r + 1]; c++) sum += x[p->null_cell[c]];
    assert_true(fabs(sum) <= 1e-12 * expected);
  }
  assert_true(vl_pressure_project(p, x) <= 1e-12 * expected);
  for (size_t i = 0; i < vl_stencil_length(&p->stencil); i++)
    if (p->region[i] < 0) assert_true(x[i] == 0.0);
  vl_stencil_vector_free(x);
  tank_drain(&t);
}

/* Inflow through a side into a closed tank: all of it is discarded, in m3/s, and the rest is still solved. */
static void inflow_into_closed_liquid_is_reported(void **state)
{
  (void)state;
  Tank t;
  tank_fill(&t, tank_grid(), NULL, phi_everywhere, NULL);
  vlFluid fluid = tank_fluid(&t);
  tank_random_flow(&t, 9);
  for (int k = 0; k < 8; k++)
    for (int j = 0; j < 9; j++) t.u_star[0][vl_grid_at(&t.grid, 0, j, k)] = 0.25;
  for (int kind = 0; kind <= VL_SOLVER_CHOLMOD; kind++) {
    tank_project(&t, &fluid, (vlSolverKind)kind, 1e-10, NULL);
    assert_true(fabs(t.result.discarded_flux - 0.25 * 0.9 * 0.8) <= 1e-12);
  }
  tank_drain(&t);
}

static void solvers_agree_in_closed_tanks(void **state)
{
  (void)state;
  Tank t, first;
  uint64_t seed = 5;
  vlMat3 turned = random_rotation(&seed);
  for (int kind = 0; kind <= VL_SOLVER_CHOLMOD; kind++) {
    vlTriMesh *solids = join_meshes(make_wall(0.8, 0.1), make_box(vl_vec(0.3, 0.2, 0.4), turned, vl_vec(0.4, 0.4, 0.4)));
    tank_fill(&t, tank_grid(), solids, phi_everywhere, NULL);
    vlFluid fluid = tank_fluid(&t);
    tank_random_flow(&t, 6);
    tank_project(&t, &fluid, (vlSolverKind)kind, 1e-12, NULL);
    check_regions(&t, 2);
    assert_true(tank_max_outflow(&t, t.u) <= 1e-9);
    if (kind == 0) {
      first = t;
      continue;
    }
    double largest = 0.0, difference = 0.0;
    for (size_t i = 0; i < t.grid.length; i++) {
      largest = fmax(largest, fabs(t.p[i]));
      difference = fmax(difference, fabs(t.p[i] - first.p[i]));
    }
    assert_true(difference <= 1e-8 * largest); /* means are zero with every method, as in the guess */
    tank_drain(&t);
  }
  tank_drain(&first);
}

static void fill_large(Tank *t) { tank_fill(t, make_grid(40, 36, 34, 0.1, vl_vec(0, 0, 0)), NULL, phi_everywhere, NULL); }

/* Long sums are cut into pieces: the same bits for any number of threads. */
static void same_bits_for_any_number_of_threads(void **state)
{
  (void)state;
  assert_true(tank_check_threads(fill_large, 8) > 32768);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(full_tank_does_not_drift),
      cmocka_unit_test(walls_make_more_regions),
      cmocka_unit_test(open_and_closed_side_by_side),
      cmocka_unit_test(projector_takes_out_the_means),
      cmocka_unit_test(inflow_into_closed_liquid_is_reported),
      cmocka_unit_test(solvers_agree_in_closed_tanks),
      cmocka_unit_test(same_bits_for_any_number_of_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
