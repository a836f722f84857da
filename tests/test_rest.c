/* Water at rest through the whole program: containers at any angle, obstacles, closed tanks, slabs; cost that follows the
 * liquid. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/vec.h"
#include "engine/sharp/sharp.h"

static vlShape shape(vlShapeKind kind, vlVec3 center, vlMat3 rotation)
{
  return (vlShape){.kind = kind, .center = center, .rotation = rotation, .scale = {{1, 1, 1}}};
}

static vlScene water(int cells, double level)
{
  vlScene scene;
  vl_scene_default(&scene);
  scene.liquid.transfer = VL_TRANSFER_STILL;
  scene.grid.size = vl_vec(1, 1, 1);
  scene.grid.cells = cells;
  scene.grid.dx = 0.0;
  scene.liquid.has_level = true;
  scene.liquid.level = level;
  scene.pressure.tolerance = 1e-10;
  scene.time.dt_fixed = 1.0 / 30.0;
  scene.check_level = 3;
  return scene;
}

/* Runs and returns the last step; the largest speed over all steps stands in max_speed. */
static vlStepInfo run(const vlScene *scene, int steps, int threads)
{
  vlStatus status = {0};
  vlSim *sim = NULL;
  vlStepInfo info = {0};
  double speed = 0.0;
  if (vl_sim_create(&sim, scene, (vlSimOptions){.threads = threads}, &status)) fail_msg("%s", status.message);
  for (int step = 0; step < steps; step++) {
    if (vl_sim_step(sim, 1.0, &info, &status)) fail_msg("%s", status.message);
    speed = fmax(speed, info.max_speed);
  }
  info.max_speed = speed;
  vl_sim_destroy(&sim);
  return info;
}

/* The bound of the specification: 1e-8 sqrt(g H); the force balance holds to the solver's tolerance. */
static void assert_rest(const vlStepInfo *info, double depth)
{
  assert_true(info->liquid_cells > 100);
  assert_true(info->max_speed <= 1e-8 * sqrt(9.81 * depth));
  assert_true(vl_norm(vl_sub(info->wall_force, info->weight)) <= 1e-6 * vl_norm(info->weight));
}

static void test_turned_cube(void **state)
{
  (void)state;
  vlMat3 turn = vl_mat_multiply(vl_mat_rotation(VL_X, 31 * VL_PI / 180), vl_mat_rotation(VL_Z, 17 * VL_PI / 180));
  vlSolidDef tank = {.name = "tank", .container = true, .shape = shape(VL_SHAPE_BOX, vl_vec(0.5, 0.5, 0.5), turn)};
  tank.shape.size = vl_vec(0.6, 0.6, 0.6);
  vlScene scene = water(24, 0.5);
  scene.solids = &tank;
  scene.solid_count = 1;
  vlStepInfo info = run(&scene, 200, 2);
  assert_rest(&info, 0.4);
}

/* Cut cells must not cost iterations: the same 20 to 1e-10 that the solver needs without solids. */
static void test_iterations_around_solids(void **state)
{
  (void)state;
  vlMat3 turn = vl_mat_multiply(vl_mat_rotation(VL_X, 31 * VL_PI / 180), vl_mat_rotation(VL_Z, 17 * VL_PI / 180));
  vlSolidDef solids[2] = {{.name = "tank", .container = true, .shape = shape(VL_SHAPE_BOX, vl_vec(0.5, 0.5, 0.5), turn)},
                          {.name = "ball", .shape = shape(VL_SHAPE_SPHERE, vl_vec(0.47, 0.41, 0.52), vl_mat_identity())}};
  solids[0].shape.size = vl_vec(0.6, 0.6, 0.6);
  solids[1].shape.radius = 0.12;
  for (int full = 0; full < 2; full++) {
    vlScene scene = water(72, full ? 2.0 : 0.5);
    scene.solids = solids;
    scene.solid_count = 2;
    vlStepInfo info = run(&scene, 1, 2);
    assert_int_equal(info.null_components, full);
    assert_in_range(info.iterations, 1, 20);
  }
}

static void test_cone_crossing_the_sides(void **state)
{
  (void)state;
  vlSolidDef tank = {
      .name = "cone", .container = true, .shape = shape(VL_SHAPE_CONE, vl_vec(0.5, 0.5, 0.5), vl_mat_identity())};
  tank.shape.radius = 0.1;
  tank.shape.radius_top = 0.7;
  tank.shape.height = 0.8;
  vlScene scene = water(20, 0.613);
  scene.solids = &tank;
  scene.solid_count = 1;
  vlStepInfo info = run(&scene, 20, 2);
  assert_rest(&info, 0.5);
}

static void test_obstacles_and_tilted_gravity(void **state)
{
  (void)state;
  vlSolidDef solids[3] = {
      {.name = "floor block", .shape = shape(VL_SHAPE_BOX, vl_vec(0.3, 0.05, 0.4), vl_mat_rotation(VL_Y, 0.4))},
      {.name = "ball", .shape = shape(VL_SHAPE_SPHERE, vl_vec(0.7, 0.31, 0.6), vl_mat_identity())},
      {.name = "ring", .shape = shape(VL_SHAPE_TORUS, vl_vec(0.02, 0.4, 0.98), vl_mat_rotation(VL_Z, 0.7))}};
  solids[0].shape.size = vl_vec(0.3, 0.3, 0.2);
  solids[1].shape.radius = 0.15;
  solids[2].shape.radius = 0.2;
  solids[2].shape.tube_radius = 0.07;
  vlScene scene = water(24, 0.0);
  vlShape below = shape(VL_SHAPE_HALFSPACE, vl_vec(0.5, 0.45, 0.5), vl_mat_identity());
  below.normal = vl_vec(0.3, 1.0, -0.2);
  scene.liquid.has_level = false;
  scene.liquid.shapes = &below;
  scene.liquid.shape_count = 1;
  scene.gravity = vl_scale(vl_unit(below.normal), -9.81);
  scene.pressure.theta_min = 1e-7; /* the clamp moves the surface where it passes a cell centre closer than that */
  scene.solids = solids;
  scene.solid_count = 3;
  vlStepInfo info = run(&scene, 20, 2);
  assert_rest(&info, 0.6);
}

static void test_closed_tanks(void **state)
{
  (void)state;
  vlSolidDef tanks[2] = {
      {.name = "left", .container = true, .shape = shape(VL_SHAPE_BOX, vl_vec(0.25, 0.5, 0.5), vl_mat_rotation(VL_Z, 0.3))},
      {.name = "right", .container = true, .shape = shape(VL_SHAPE_SPHERE, vl_vec(0.75, 0.5, 0.5), vl_mat_identity())}};
  tanks[0].shape.size = vl_vec(0.25, 0.4, 0.4);
  tanks[1].shape.radius = 0.2;
  vlScene scene = water(32, 2.0);
  scene.solids = tanks;
  scene.solid_count = 2;
  vlStepInfo first = run(&scene, 1, 2), later = run(&scene, 60, 2);
  assert_int_equal(later.null_components, 2);
  assert_rest(&later, 0.4);
  /* no drift: the pressure, and with it the force on the walls, stays what it was */
  assert_true(vl_norm(vl_sub(later.wall_force, first.wall_force)) <= 1e-9 * vl_norm(first.wall_force));
  assert_true(later.discarded_flux <= 1e-12);
}

static void test_slab(void **state)
{
  (void)state;
  vlSolidDef rod = {.name = "rod",
                    .shape = shape(VL_SHAPE_CYLINDER, vl_vec(0.9, 0.3, 0.0), vl_mat_rotation(VL_X, 0.5 * VL_PI))};
  rod.shape.radius = 0.17;
  rod.shape.height = 1.0;
  vlScene scene = water(64, 0.5);
  scene.grid.size = vl_vec(2.0, 1.0, 2.0 / 64);
  scene.grid.slab = true;
  scene.solids = &rod;
  scene.solid_count = 1;
  vlStepInfo info = run(&scene, 20, 2);
  assert_rest(&info, 0.5);
}

static void test_solvers_agree(void **state)
{
  (void)state;
  vlSolidDef ball = {.name = "ball", .shape = shape(VL_SHAPE_SPHERE, vl_vec(0.45, 0.3, 0.5), vl_mat_identity())};
  ball.shape.radius = 0.2;
  vlScene scene = water(16, 0.57);
  scene.solids = &ball;
  scene.solid_count = 1;
  vlStepInfo reference = {0};
  for (int kind = VL_SOLVER_CHOLMOD; kind >= 0; kind--) {
    scene.pressure.solver = (vlSolverKind)kind;
    vlStepInfo info = run(&scene, 3, 2);
    if (kind == VL_SOLVER_CHOLMOD) reference = info;
    assert_rest(&info, 0.57);
    assert_true(vl_norm(vl_sub(info.wall_force, reference.wall_force)) <= 1e-8 * vl_norm(reference.wall_force));
  }
}

/* What a step tells, less the times; member by member, for the padding between them is nobody's. */
static void assert_same_step(const vlStepInfo *a, const vlStepInfo *b)
{
  assert_int_equal(a->liquid_cells, b->liquid_cells);
  assert_int_equal(a->iterations, b->iterations);
  const double left[] = {a->time, a->dt, a->residual, a->max_speed, a->max_divergence, a->kinetic_energy, a->discarded_flux},
               right[] = {b->time,          b->dt, b->residual, b->max_speed, b->max_divergence, b->kinetic_energy,
                          b->discarded_flux};
  assert_memory_equal(left, right, sizeof left);
  assert_memory_equal(&a->wall_force, &b->wall_force, sizeof a->wall_force);
  assert_memory_equal(&a->weight, &b->weight, sizeof a->weight);
}

static void assert_same_fields(const vlSim *a, const vlSim *b)
{
  const double *const fields[2][4] = {
      {vl_sharp(a)->state.p, vl_sharp(a)->state.u[0], vl_sharp(a)->state.u[1], vl_sharp(a)->state.u[2]},
      {vl_sharp(b)->state.p, vl_sharp(b)->state.u[0], vl_sharp(b)->state.u[1], vl_sharp(b)->state.u[2]}};
  assert_int_equal(vl_sharp(a)->work.wet.count, vl_sharp(b)->work.wet.count);
  for (int block = 0; block < vl_sharp(a)->work.wet.count; block++) {
    ptrdiff_t at = vl_blocks_field(&vl_sharp(a)->grid, vl_sharp(a)->work.wet.at[block]);
    for (int f = 0; f < 4; f++) assert_memory_equal(fields[0][f] + at, fields[1][f] + at, VL_BLOCK * sizeof(double));
  }
}

/* A velocity that is not at rest is made free of divergence, and the same for any number of threads. There are enough
 * unknowns for CG to work in parallel. */
static void test_threads_give_the_same_bits(void **state)
{
  (void)state;
  vlSolidDef ball = {.name = "ball", .shape = shape(VL_SHAPE_SPHERE, vl_vec(0.45, 0.3, 0.5), vl_mat_identity())};
  ball.shape.radius = 0.2;
  vlScene scene = water(64, 0.0);
  vlShape blob = shape(VL_SHAPE_BOX, vl_vec(0.2, 0.4, 0.5), vl_mat_identity());
  blob.size = vl_vec(0.4, 0.8, 1.0);
  scene.liquid.has_level = false;
  scene.liquid.shapes = &blob;
  scene.liquid.shape_count = 1;
  scene.solids = &ball;
  scene.solid_count = 1;
  vlSim *sims[3] = {NULL};
  vlStepInfo infos[3] = {0};
  for (int s = 0; s < 3; s++) {
    vlStatus status = {0};
    if (vl_sim_create(&sims[s], &scene, (vlSimOptions){.threads = 1 << s}, &status)) fail_msg("%s", status.message);
    for (int step = 0; step < 3; step++)
      if (vl_sim_step(sims[s], 1.0, &infos[s], &status)) fail_msg("%s", status.message);
  }
  assert_true(infos[0].liquid_cells > 65536);
  assert_true(infos[0].max_speed > 0.1);
  for (int s = 1; s < 3; s++) {
    assert_same_step(&infos[0], &infos[s]);
    assert_same_fields(sims[0], sims[s]);
  }
  for (int s = 0; s < 3; s++) vl_sim_destroy(&sims[s]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_turned_cube),
      cmocka_unit_test(test_iterations_around_solids),
      cmocka_unit_test(test_cone_crossing_the_sides),
      cmocka_unit_test(test_obstacles_and_tilted_gravity),
      cmocka_unit_test(test_closed_tanks),
      cmocka_unit_test(test_slab),
      cmocka_unit_test(test_solvers_agree),
      cmocka_unit_test(test_threads_give_the_same_bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
