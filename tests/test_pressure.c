/* The pressure solve: liquid at rest stays at rest whatever the level, the gravity and the solids; projections project. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "base/words.h"
#include "tank.h"

typedef struct Plane {
  vlVec3 normal; /* unit, out of the liquid */
  double offset;
} Plane;

static double phi_plane(const void *data, vlVec3 x)
{
  const Plane *plane = data;
  return vl_dot(plane->normal, x) - plane->offset;
}

/* p = rho |g| depth in every unknown, nothing moves. */
static void check_rest(Tank *t, Plane plane, double gravity)
{
  vlFluid fluid = tank_fluid(t);
  tank_forces(t, vl_scale(plane.normal, -gravity));
  tank_project(t, &fluid, VL_SOLVER_MULTIGRID, 1e-12, NULL);
  double deepest = 0.0;
  for (int b = 0; b < t->wet.count; b++)
    for (int l = 0; l < vl_blocks_width(&t->wet, t->wet.at[b]); l++) {
      ptrdiff_t at = vl_blocks_field(&t->grid, t->wet.at[b]) + l;
      if (tank_unknown(t, b, l)) deepest = fmax(deepest, -t->phi[at]);
    }
  assert_true(deepest > 0.0);
  for (int b = 0; b < t->wet.count; b++)
    for (int l = 0; l < vl_blocks_width(&t->wet, t->wet.at[b]); l++) {
      ptrdiff_t at = vl_blocks_field(&t->grid, t->wet.at[b]) + l;
      double expected = tank_unknown(t, b, l) ? -t->rho * gravity * t->phi[at] : 0.0;
      assert_true(fabs(t->p[at] - expected) <= 1e-9 * t->rho * gravity * deepest);
    }
  assert_true(tank_max_speed(t) <= 1e-10); /* dt g = 0.1 m/s, solved to 1e-12, and a short way of error */
}

static void rest_at_any_height(void **state)
{
  (void)state;
  for (int h = 0; h < 10; h++) {
    double dx = 0.1;
    Tank t;
    Plane level = {vl_vec(0, 1, 0), (4 + 0.0307 + 0.1 * h) * dx};
    tank_fill(&t, make_grid(18, 10, 7, dx, vl_vec(0, 0, 0)), NULL, phi_plane, &level);
    check_rest(&t, level, 9.81);
    assert_int_equal(t.pressure->null_count, 0);
    assert_int_equal(t.pressure->links.orphans, 0);
    assert_int_equal(t.pressure->stencil.unknowns, 18 * 7 * (int)floor(level.offset / dx + 0.5));
    tank_drain(&t);
  }
}

static void rest_under_tilted_gravity(void **state)
{
  (void)state;
  const vlVec3 directions[] = {vl_vec(0.3, 1, 0.2), vl_vec(1, 0.8, -0.7), vl_vec(-2, 0.3, 0.1)};
  for (int d = 0; d < 3; d++)
    for (int slab = 0; slab < 2; slab++) {
      Tank t;
      Plane level = {vl_unit(directions[d]), 0.0};
      if (slab) level.normal = vl_unit(vl_vec(directions[d].x, directions[d].y, 0));
      vlGrid g = make_grid(19, 14, slab ? 1 : 11, 0.05, vl_vec(0.2, -0.1, 0));
      level.offset = vl_dot(level.normal, vl_grid_center(&g, 9, 6, slab ? 0 : 5)) + 0.0123;
      tank_fill(&t, g, NULL, phi_plane, &level);
      check_rest(&t, level, 9.81);
      tank_drain(&t);
    }
}

static void rest_around_solids(void **state)
{
  (void)state;
  for (int s = 0; s < 6; s++) {
    uint64_t seed = (uint64_t)s + 3;
    Tank t;
    vlGrid g = make_grid(20, 16, 13, 0.05, vl_vec(0, 0, 0));
    Plane level = {s % 2 ? vl_unit(vl_vec(0.2, 1, -0.1)) : vl_vec(0, 1, 0), 0.437};
    /* within the liquid, through the surface, and through the floor */
    vlVec3 at = vl_vec(0.5, s / 2 == 0 ? 0.2 : s / 2 == 1 ? 0.45 : 0.02, 0.33);
    tank_fill(&t, g, make_box(vl_vec(0.31, 0.17, 0.23), random_rotation(&seed), at), phi_plane, &level);
    check_rest(&t, level, 9.81);
    assert_true(t.pressure->links.orphans > 0); /* cells in the solid below the level */
    tank_drain(&t);
  }
}

static double phi_wave(const void *data, vlVec3 x)
{
  (void)data;
  return x.y - 0.4 - 0.1 * sin(9 * x.x + 4 * x.z);
}

static void fill_usual(Tank *t)
{
  uint64_t seed = 12;
  vlTriMesh *box = make_box(vl_vec(0.3, 0.2, 0.25), random_rotation(&seed), vl_vec(0.5, 0.25, 0.3));
  tank_fill(t, make_grid(21, 16, 13, 0.05, vl_vec(0, 0, 0)), box, phi_wave, NULL);
}

/* The field of one solver against the others'. */
static void solvers_agree(void **state)
{
  (void)state;
  Tank first;
  fill_usual(&first);
  vlFluid fluid = tank_fluid(&first);
  tank_random_flow(&first, 7);
  tank_project(&first, &fluid, VL_SOLVER_MULTIGRID, 1e-12, NULL);
  for (int kind = 1; kind <= VL_SOLVER_CHOLMOD; kind++) {
    Tank t;
    fill_usual(&t);
    fluid = tank_fluid(&t);
    tank_random_flow(&t, 7);
    tank_project(&t, &fluid, (vlSolverKind)kind, 1e-12, NULL);
    double largest = 0.0, difference = 0.0;
    for (size_t i = 0; i < t.grid.length; i++) {
      largest = fmax(largest, fabs(t.p[i]));
      difference = fmax(difference, fabs(t.p[i] - first.p[i]));
    }
    if (!(difference <= 1e-8 * largest)) fail_msg("%s: %.2e of %.2e", vl_word(vl_solver_words, kind), difference, largest);
    tank_drain(&t);
  }
  tank_drain(&first);
}

static void projections_project(void **state)
{
  (void)state;
  Tank t;
  fill_usual(&t);
  vlFluid fluid = tank_fluid(&t);
  for (uint64_t seed = 1; seed < 4; seed++) {
    tank_random_flow(&t, seed);
    tank_project(&t, &fluid, VL_SOLVER_MULTIGRID, 1e-12, NULL);
    double before = tank_energy(&t, &fluid, t.u_star), after = tank_energy(&t, &fluid, t.u);
    assert_true(tank_max_outflow(&t, t.u_star) > 1.0);
    assert_true(tank_max_outflow(&t, t.u) <= 1e-9); /* 1e-12 of the norm over some thousand cells */
    assert_true(after < before);
    /* u* = u + gradient, and the two are orthogonal: energies add up */
    double gradient = 0.0;
    for (int a = 0; a < 3; a++)
      for (size_t i = 0; i < t.grid.length; i++) t.u_star[a][i] -= t.u[a][i];
    gradient = tank_energy(&t, &fluid, t.u_star);
    assert_true(fabs(before - after - gradient) <= 1e-9 * before);

    /* once more changes nothing */
    double *kept[3];
    for (int a = 0; a < 3; a++) {
      kept[a] = vl_field_create(&t.grid);
      for (size_t i = 0; i < t.grid.length; i++) kept[a][i] = t.u_star[a][i] = t.u[a][i];
    }
    tank_project(&t, &fluid, VL_SOLVER_MULTIGRID, 1e-6, NULL);
    for (int a = 0; a < 3; a++) {
      for (size_t i = 0; i < t.grid.length; i++) assert_true(fabs(t.u[a][i] - kept[a][i]) <= 1e-9);
      vl_field_destroy(&t.grid, &kept[a]);
    }
  }
  tank_drain(&t);
}

/* Faces without flow: closed ones, domain sides, air. */
static void nothing_flows_through_walls(void **state)
{
  (void)state;
  Tank t;
  fill_usual(&t);
  vlFluid fluid = tank_fluid(&t);
  tank_random_flow(&t, 3);
  tank_project(&t, &fluid, VL_SOLVER_MULTIGRID, 1e-10, NULL);
  int closed = 0, air = 0;
  for (int b = 0; b < t.wet.count; b++)
    for (int l = 0; l < vl_blocks_width(&t.wet, t.wet.at[b]); l++)
      for (int a = 0; a < 3; a++) {
        const int cell[3] = {t.wet.at[b].bx * VL_BLOCK + l, t.wet.at[b].j, t.wet.at[b].k};
        ptrdiff_t at = vl_blocks_field(&t.grid, t.wet.at[b]) + l;
        bool wall = cell[a] == 0 || t.area[a][at] == 0.0;
        bool dry = cell[a] > 0 && t.phi[at] >= 0.0 && t.phi[at - t.grid.stride[a]] >= 0.0;
        closed += wall;
        air += dry;
        if (wall || dry) assert_true(t.u[a][at] == 0.0);
        if (wall && cell[a] > 0 && t.phi[at] < 0.0) assert_true(t.u_star[a][at] != 0.0);
      }
  assert_true(closed > 100 && air > 100);
  tank_drain(&t);
}

static void matrix_is_symmetric(void **state)
{
  (void)state;
  Tank t;
  vlStatus status = {0};
  fill_usual(&t);
  vlFluid fluid = tank_fluid(&t);
  assert_int_equal(vl_pressure_assemble(t.pressure, &fluid, &status), VL_OK);
  const vlStencil *s = &t.pressure->stencil;
  size_t n = vl_stencil_length(s);
  int *row_of = malloc(n * sizeof(int));
  vlCsr *a = NULL;
  assert_int_equal(vl_stencil_to_csr(&a, s, row_of, &status), VL_OK);
  for (int r = 0; r < a->rows; r++) {
    double sum = 0.0, size = 0.0;
    for (int64_t e = a->start[r]; e < a->start[r + 1]; e++) {
      sum += a->value[e];
      size += fabs(a->value[e]);
      int c = a->column[e];
      bool mirrored = false;
      for (int64_t f = a->start[c]; f < a->start[c + 1]; f++)
        mirrored = mirrored || (a->column[f] == r && a->value[f] == a->value[e]);
      assert_true(mirrored);
      assert_true((c == r) == (a->value[e] > 0.0));
    }
    assert_true(sum >= -1e-15 * size); /* rows are dominated by their diagonal */
  }
  double *x = stencil_random(s, 4), *y = stencil_zero(s);
  vl_stencil_apply(s, x, y);
  assert_true(vl_vector_dot(x, y, n) > 0.0);
  vl_stencil_vector_free(x);
  vl_stencil_vector_free(y);
  vl_csr_destroy(&a);
  free(row_of);
  tank_drain(&t);
}

/* A block of solid exactly on grid planes, under water: its cells are liquid by the level set and have no open face. */
static void orphans_are_left_out(void **state)
{
  (void)state;
  Tank t;
  Plane level = {vl_vec(0, 1, 0), 0.93};
  tank_fill(&t, make_grid(10, 12, 9, 0.1, vl_vec(0, 0, 0)), make_exact_box(vl_vec(0.3, 0.2, 0.4), vl_vec(0.6, 0.5, 0.6)),
            phi_plane, &level);
  check_rest(&t, level, 9.81);
  assert_int_equal(t.pressure->links.orphans, 3 * 3 * 2);
  assert_int_equal(t.pressure->stencil.unknowns, 10 * 9 * 9 - 18);
  for (int k = 4; k < 6; k++)
    for (int j = 2; j < 5; j++)
      for (int i = 3; i < 6; i++) assert_true(t.p[vl_grid_at(&t.grid, i, j, k)] == 0.0);
  tank_drain(&t);
}

/* A constant pressure on the surface is everywhere, and moves nothing. The grid ends within a block, and the surface meets
 * all sides. */
static void surface_pressure_shifts(void **state)
{
  (void)state;
  Tank t;
  fill_usual(&t);
  const double q = 250.0;
  double *u[3], *p = vl_field_create(&t.grid);
  vlFluid fluid = tank_fluid(&t);
  tank_random_flow(&t, 5);
  tank_project(&t, &fluid, VL_SOLVER_MULTIGRID, 1e-13, NULL);
  for (size_t i = 0; i < t.grid.length; i++) p[i] = t.p[i];
  for (int a = 0; a < 3; a++) {
    u[a] = vl_field_create(&t.grid);
    for (size_t i = 0; i < t.grid.length; i++) {
      u[a][i] = t.u[a][i];
      t.jump[a][i] = q;
    }
  }
  fluid.jump = (const double *const *)t.jump;
  tank_project(&t, &fluid, VL_SOLVER_MULTIGRID, 1e-13, NULL);
  for (int b = 0; b < t.wet.count; b++)
    for (int l = 0; l < vl_blocks_width(&t.wet, t.wet.at[b]); l++) {
      ptrdiff_t at = vl_blocks_field(&t.grid, t.wet.at[b]) + l;
      if (tank_unknown(&t, b, l))
        assert_true(fabs(t.p[at] - p[at] - q) <= 1e-6 * q); /* p itself is of order 1e3 Pa, solved to 1e-13 */
      for (int a = 0; a < 3; a++) assert_true(fabs(t.u[a][at] - u[a][at]) <= 1e-8);
    }
  for (int a = 0; a < 3; a++) vl_field_destroy(&t.grid, &u[a]);
  vl_field_destroy(&t.grid, &p);
  tank_drain(&t);
}

/* The solution as first guess: no iterations. */
static void a_good_guess_is_used(void **state)
{
  (void)state;
  Tank t;
  fill_usual(&t);
  vlFluid fluid = tank_fluid(&t);
  tank_random_flow(&t, 6);
  tank_project(&t, &fluid, VL_SOLVER_MULTIGRID, 1e-10, NULL);
  assert_true(t.result.info.iterations > 3);
  tank_project(&t, &fluid, VL_SOLVER_MULTIGRID, 1e-8, t.p);
  assert_int_equal(t.result.info.iterations, 0);
  tank_drain(&t);
}

/* A velocity that is not a number is told as a reason, by the direct solver too. */
static void not_a_number_is_a_reason(void **state)
{
  (void)state;
  Tank t;
  fill_usual(&t);
  vlFluid fluid = tank_fluid(&t);
  tank_random_flow(&t, 6);
  t.u_star[0][vl_grid_at(&t.grid, 5, 3, 5)] = NAN;
  for (int kind = 0; kind < VL_SOLVER_KIND_COUNT; kind++) {
    vlStatus status = {0};
    assert_int_equal(vl_pressure_assemble(t.pressure, &fluid, &status), VL_OK);
    vl_pressure_rhs(t.pressure, &fluid, t.u_star, NULL, t.dt, t.rho);
    vlSolveOptions options = {.tolerance = 1e-10, .max_iterations = 100};
    vlCode code = vl_pressure_solve(t.pressure, (vlSolverKind)kind, options, &t.result, &status);
    assert_int_equal(code, VL_OK);
    assert_int_equal(t.result.info.reason, VL_SOLVE_NAN);
    assert_true(isnan(t.result.info.residual));
  }
  tank_drain(&t);
}

/* A direct solve also says when it misses the tolerance; refining brings it to round-off. */
static void direct_solve_minds_the_tolerance(void **state)
{
  (void)state;
  Tank t;
  vlStatus status = {0};
  fill_usual(&t);
  vlFluid fluid = tank_fluid(&t);
  tank_random_flow(&t, 6);
  for (int tight = 0; tight < 2; tight++) {
    assert_int_equal(vl_pressure_assemble(t.pressure, &fluid, &status), VL_OK);
    vl_pressure_rhs(t.pressure, &fluid, t.u_star, NULL, t.dt, t.rho);
    vlSolveOptions options = {.tolerance = tight ? 1e-30 : 1e-10, .max_iterations = 100};
    assert_int_equal(vl_pressure_solve(t.pressure, VL_SOLVER_CHOLMOD, options, &t.result, &status), VL_OK);
    assert_int_equal(t.result.info.reason, tight ? VL_SOLVE_ITERATIONS : VL_SOLVE_CONVERGED);
    assert_true(t.result.info.residual > 0.0 && t.result.info.residual <= 1e-12);
  }
  tank_drain(&t);
}

static double phi_air(const void *data, vlVec3 x)
{
  (void)data;
  (void)x;
  return 1.0;
}

static void no_liquid_is_no_error(void **state)
{
  (void)state;
  for (int kind = 0; kind < VL_SOLVER_KIND_COUNT; kind++) {
    Tank t;
    tank_fill(&t, make_grid(8, 8, 8, 0.1, vl_vec(0, 0, 0)), NULL, phi_air, NULL);
    vlFluid fluid = tank_fluid(&t);
    tank_project(&t, &fluid, (vlSolverKind)kind, 1e-10, NULL);
    assert_int_equal(t.pressure->stencil.unknowns, 0);
    tank_drain(&t);
  }
}

/* The usual tank on cells a third as large. */
static void fill_fine(Tank *t)
{
  uint64_t seed = 12;
  vlTriMesh *box = make_box(vl_vec(0.3, 0.2, 0.25), random_rotation(&seed), vl_vec(0.5, 0.25, 0.3));
  tank_fill(t, make_grid(63, 48, 39, 0.05 / 3, vl_vec(0, 0, 0)), box, phi_wave, NULL);
}

static void same_bits_for_any_number_of_threads(void **state)
{
  (void)state;
  assert_true(tank_check_threads(fill_fine, 8) > 32768);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rest_at_any_height),       cmocka_unit_test(rest_under_tilted_gravity),
      cmocka_unit_test(rest_around_solids),       cmocka_unit_test(solvers_agree),
      cmocka_unit_test(projections_project),      cmocka_unit_test(nothing_flows_through_walls),
      cmocka_unit_test(matrix_is_symmetric),      cmocka_unit_test(orphans_are_left_out),
      cmocka_unit_test(surface_pressure_shifts),  cmocka_unit_test(a_good_guess_is_used),
      cmocka_unit_test(not_a_number_is_a_reason), cmocka_unit_test(direct_solve_minds_the_tolerance),
      cmocka_unit_test(no_liquid_is_no_error),    cmocka_unit_test(same_bits_for_any_number_of_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
