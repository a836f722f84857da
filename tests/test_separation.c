/* Liquid that lets go of walls: p >= 0, net outflow >= 0, one of them zero; and what follows from it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "wet_body.h"

static vlScene tank(int cells)
{
  vlScene scene = coupled_scene(cells, NULL);
  scene.pressure.separation = VL_SEPARATION_YES;
  scene.time.dt_fixed = 0.01;
  return scene;
}

static vlShape block(vlVec3 center, vlVec3 size)
{
  vlShape shape = vl_shape_default(VL_SHAPE_BOX);
  shape.center = center;
  shape.size = size;
  return shape;
}

/* A step's pressure as a kind of solve leaves it, and what the whole system, nothing parted, makes of it: r = K p - b is the
 * net outflow of each cell in units of b. */
typedef struct Solved {
  double *p, *r, *b; /* compact, padded */
  unsigned char *wall;
  size_t n;
  int loops, fallbacks;
  int64_t parted;
  double most_p, most_b, energy;
} Solved;

static void clear_solved(Solved *s)
{
  vl_stencil_vector_free(s->p);
  vl_stencil_vector_free(s->r);
  vl_stencil_vector_free(s->b);
  free(s->wall);
}

static void find_outflow(vlSim *sim, Solved *s)
{
  vlPressure *pressure = vl_sharp(sim)->work.pressure;
  vlStatus status = {0};
  vlFluid fluid = vl_sharp_fluid(vl_sharp(sim));
  if (vl_pressure_assemble(pressure, &fluid, &status)) fail_msg("%s", status.message);
  vl_pressure_rhs(pressure, &fluid, vl_sharp(sim)->work.u, vl_sharp(sim)->state.p, sim->scene->time.dt_fixed, 1000.0);
  vl_pressure_rhs_bodies(pressure);
  size_t blocks = (size_t)pressure->stencil.blocks.count;
  s->n = blocks * VL_BLOCK;
  s->p = vl_stencil_vector_create(blocks);
  s->r = vl_stencil_vector_create(blocks);
  s->b = vl_stencil_vector_create(blocks);
  s->wall = calloc(s->n + 1, 1);
  memcpy(s->p, pressure->p, s->n * sizeof(double));
  memcpy(s->b, pressure->b, s->n * sizeof(double));
  vl_stencil_apply(&pressure->stencil, s->p, s->r);
  if (pressure->coupled) vl_coupling_add(&pressure->coupling, NULL, s->p, s->r);
  s->energy = 0.5 * vl_vector_dot(s->p, s->r, s->n) - vl_vector_dot(s->p, s->b, s->n);
  for (size_t i = 0; i < s->n; i++) {
    s->r[i] -= s->b[i];
    s->most_p = fmax(s->most_p, fabs(s->p[i]));
    s->most_b = fmax(s->most_b, fabs(s->b[i]));
    vlBlockPosition at = pressure->stencil.blocks.at[i / VL_BLOCK];
    int b = vl_blocks_find(fluid.wet, at.bx, at.j, at.k);
    s->wall[i] = vl_sharp(sim)->work.separation.wall && vl_sharp(sim)->work.separation.wall[b] >> i % VL_BLOCK & 1u;
  }
}

/* From a first guess of zero; the step is not taken. */
static Solved solve_as(vlSim *sim, vlSeparationKind kind)
{
  vlStatus status = {0};
  vlPressureSolve result = {0};
  vlSolveOptions options = {.tolerance = sim->scene->pressure.tolerance, .max_iterations = 2000};
  double dt = sim->scene->time.dt_fixed;
  sim->scene->pressure.separation = kind;
  vl_sharp(sim)->state.parted.count = 0;
  for (int b = 0; b < vl_sharp(sim)->work.wet.count; b++)
    memset(vl_sharp(sim)->state.p + vl_blocks_field(&vl_sharp(sim)->grid, vl_sharp(sim)->work.wet.at[b]), 0,
           VL_BLOCK * sizeof(double));
  vlCode code = vl_sharp_prepare(vl_sharp(sim), dt, &status);
  if (!code) code = (kind ? vl_separate_solve : vl_sharp_solve)(vl_sharp(sim), dt, options, &result, &status);
  if (code) fail_msg("%s", status.message);
  assert_int_equal(result.info.reason, VL_SOLVE_CONVERGED);
  vlFluid fluid = vl_sharp_fluid(vl_sharp(sim));
  vl_pressure_store(vl_sharp(sim)->work.pressure, &fluid, vl_sharp(sim)->state.p);
  const vlSeparation *s = &vl_sharp(sim)->work.separation;
  Solved solved = {.loops = s->loops, .fallbacks = s->fallbacks, .parted = s->count};
  find_outflow(sim, &solved);
  return solved;
}

/* At walls no pull, no liquid from nowhere, one of them zero; elsewhere no net outflow. Tolerance: the solve's 1e-12 on the
 * norm of b, and what solves with S lose. */
static void assert_conditions(const Solved *s, double tolerance)
{
  for (size_t i = 0; i < s->n; i++) {
    if (!s->wall[i]) {
      assert_true(fabs(s->r[i]) <= tolerance * s->most_b);
      continue;
    }
    assert_true(s->p[i] >= -tolerance * s->most_p);
    assert_true(s->r[i] >= -tolerance * s->most_b);
    assert_true(fabs(s->p[i] * s->r[i]) <= tolerance * s->most_p * s->most_b);
  }
}

/* A slab that hangs from the ceiling, wall to wall: the equality holds it up by its pull, the inequality lets it fall. */
static void test_ceiling(void **state)
{
  (void)state;
  for (int separating = 0; separating < 2; separating++) {
    vlScene scene = tank(16);
    scene.pressure.separation = separating ? VL_SEPARATION_YES : VL_SEPARATION_NO;
    vlShape slab = block(vl_vec(0.5, 1.0, 0.5), vl_vec(2, 0.63, 2));
    scene.liquid.shapes = &slab;
    scene.liquid.shape_count = 1;
    vlSim *sim = start(&scene);
    vlStepInfo info = step(sim);
    double fall = 9.81 * 0.01;
    assert_true(info.max_speed <= (separating ? 1.01 : 0.01) * fall);
    if (separating) {
      assert_true(vl_sharp(sim)->work.separation.loops <= 10);
      const vlGrid *g = &vl_sharp(sim)->grid; /* still liquid: the velocities after the step */
      for (int k = 0; k < 16; k++)
        for (int j = 12; j < 16; j++)
          for (int i = 0; i < 16; i++)
            assert_true(fabs(vl_sharp(sim)->state.u[1][vl_grid_at(g, i, j, k)] + fall) <= 0.01 * fall);
    }
    vl_sim_destroy(&sim);
  }
}

/* Liquid thrown at a corner and away from it, round a static post and a rigid or an elastic box: the conditions hold, both
 * ways of solving agree, and no pull means no less energy than the equality leaves. */
static void test_thrown(void **state)
{
  (void)state;
  for (int run = 0; run < 10; run++) {
    int way = run % 2 ? 1 : -1, body_kind = run / 2; /* none, rigid ones, elastic */
    const double density[] = {0.0, 1.0, 300.0, 10000.0, 300.0};
    vlBodyDef body = turned_box(vl_vec(0.35, 0.75, 0.35), vl_vec(0.2, 0.17, 0.23), 3);
    body.kind = body_kind < 4 ? VL_BODY_RIGID : VL_BODY_ELASTIC;
    body.density = density[body_kind];
    vlScene scene = tank(20);
    scene.bodies = &body;
    scene.body_count = body_kind > 0;
    vlShape blob = ball(vl_vec(0.18, 0.7, 0.4), 0.25);
    vlSolidDef post = {.shape = ball(vl_vec(0.3, 0.45, 0.5), 0.15)};
    scene.solids = &post;
    scene.solid_count = 1;
    scene.liquid.shapes = &blob;
    scene.liquid.shape_count = 1;
    vlSim *sim = start(&scene);
    set_velocity(sim, vl_vec(3.0 * way, 0.5, 0.0));
    Solved equality = solve_as(sim, VL_SEPARATION_NO), policy = solve_as(sim, VL_SEPARATION_POLICY),
           mprgp = solve_as(sim, VL_SEPARATION_MPRGP);
    assert_conditions(&policy, 1e-9);
    assert_conditions(&mprgp, 1e-9);
    assert_true(policy.loops >= 2 && policy.loops <= 10);
    assert_int_equal(mprgp.loops, 1);
    assert_true(policy.parted > (way > 0 ? 20 : 0)); /* away from the wall much of it goes */
    double pull = 0.0;
    for (size_t i = 0; i < equality.n; i++) pull = fmax(pull, policy.wall[i] ? -equality.p[i] : 0.0);
    assert_true(pull > 0.01 * equality.most_p); /* else the equality would have done */
    for (size_t i = 0; i < policy.n; i++) assert_true(fabs(policy.p[i] - mprgp.p[i]) <= 1e-8 * policy.most_p);
    assert_true(policy.energy > equality.energy + 1e-6 * fabs(equality.energy));
    assert_true(fabs(policy.energy - mprgp.energy) <= 1e-9 * fabs(policy.energy));
    clear_solved(&equality);
    clear_solved(&policy);
    clear_solved(&mprgp);
    vl_sim_destroy(&sim);
  }
}

/* The last step's set is where a step begins: the same step again needs one loose solve and the last. What is no longer
 * liquid at a wall is forgotten. */
static void test_begins_where_it_was(void **state)
{
  (void)state;
  vlScene scene = tank(20);
  vlShape blob = ball(vl_vec(0.18, 0.7, 0.4), 0.25);
  scene.liquid.shapes = &blob;
  scene.liquid.shape_count = 1;
  vlSim *sim = start(&scene);
  set_velocity(sim, vl_vec(3.0, 0.5, 0.0));
  Solved cold = solve_as(sim, VL_SEPARATION_YES);
  vlStatus status = {0};
  assert_int_equal(
      vl_separation_keep(&vl_sharp(sim)->work.separation, &vl_sharp(sim)->work.wet, &vl_sharp(sim)->state.parted, &status),
      VL_OK);
  assert_int_equal(vl_sharp(sim)->state.parted.count, cold.parted);
  assert_true(cold.loops > 2);
  int64_t count = vl_sharp(sim)->state.parted.count, *place = vl_sharp(sim)->state.parted.place;
  for (int64_t c = 1; c < count; c++) assert_true(place[c - 1] < place[c]);
  vlStepInfo info = step(sim);
  assert_int_equal(info.separation_loops, 2);
  assert_int_equal(info.separation_fallbacks, 0);
  assert_int_equal(info.parted, count);
  /* a cell of air, one inside the liquid and the first again */
  int64_t first = place[0], cells = 20;
  place[0] = first;
  place[1] = 10 + cells * (1 + cells * 10);
  place[2] = 4 + cells * (14 + cells * 8);
  vl_sharp(sim)->state.parted.count = 3;
  vlFluid fluid = vl_sharp_fluid(vl_sharp(sim));
  assert_int_equal(vl_pressure_assemble(vl_sharp(sim)->work.pressure, &fluid, &status), VL_OK);
  assert_int_equal(vl_separation_begin(&vl_sharp(sim)->work.separation, vl_sharp(sim)->work.pressure, &fluid, (vlMayPart){0},
                                       &vl_sharp(sim)->state.parted, &status),
                   VL_OK);
  assert_int_equal(
      vl_separation_keep(&vl_sharp(sim)->work.separation, &vl_sharp(sim)->work.wet, &vl_sharp(sim)->state.parted, &status),
      VL_OK);
  assert_int_equal(vl_sharp(sim)->state.parted.count, 1);
  assert_true(vl_sharp(sim)->state.parted.place[0] == first);
  clear_solved(&cold);
  vl_sim_destroy(&sim);
}

/* Sets are known again, until they are forgotten. */
static void test_returns(void **state)
{
  (void)state;
  vlBlocks wet = {.count = 3};
  unsigned short parted[3] = {1, 0, 2};
  vlSeparation s = {.parted = parted};
  assert_false(vl_separation_returns(&s, &wet));
  parted[1] = 4;
  assert_false(vl_separation_returns(&s, &wet));
  parted[0] = 0;
  assert_false(vl_separation_returns(&s, &wet));
  parted[0] = 1, parted[1] = 0;
  assert_true(vl_separation_returns(&s, &wet));
}

/* Water thrown down off the body it surrounds, far from all walls: it parts from it as the scene says, or as the body. */
static void test_says_of_its_own(void **state)
{
  (void)state;
  for (int run = 0; run < 8; run++) {
    bool scene_parts = run & 1, given = run & 2, solid = run & 4;
    vlBodyDef body = turned_box(vl_vec(0.5, 0.55, 0.5), vl_vec(0.2, 0.2, 0.2), 2);
    vlSolidDef post = {.shape = ball(vl_vec(0.5, 0.55, 0.5), 0.15)};
    body.kind = VL_BODY_RIGID;
    body.has_separation = post.has_separation = given;
    body.separation = post.separation = !scene_parts;
    vlScene scene = tank(20);
    scene.pressure.separation = scene_parts ? VL_SEPARATION_YES : VL_SEPARATION_NO;
    scene.bodies = &body;
    scene.body_count = !solid;
    scene.solids = &post;
    scene.solid_count = solid;
    vlShape blob = ball(vl_vec(0.5, 0.4, 0.5), 0.25);
    scene.liquid.shapes = &blob;
    scene.liquid.shape_count = 1;
    vlSim *sim = start(&scene);
    set_velocity(sim, vl_vec(0, -1, 0));
    vlStepInfo info = step(sim);
    assert_true(info.parted > 10 || (scene_parts == given && info.parted == 0));
    vl_sim_destroy(&sim);
  }
}

/* The slab under a plate that liquid clings to, between walls that it may part from: the plate holds the middle up. */
static void test_clings_to_one(void **state)
{
  (void)state;
  vlSolidDef plate = {.shape = block(vl_vec(0.5, 1.0, 0.5), vl_vec(2, 0.5, 2)), .has_separation = true};
  vlShape slab = block(vl_vec(0.5, 0.7, 0.5), vl_vec(2, 0.16, 2));
  double speed[2];
  for (int parts = 0; parts < 2; parts++) {
    plate.separation = parts;
    vlScene scene = tank(20);
    scene.solids = &plate;
    scene.solid_count = 1;
    scene.liquid.shapes = &slab;
    scene.liquid.shape_count = 1;
    vlSim *sim = start(&scene);
    step(sim);
    speed[parts] = fabs(vl_sharp(sim)->state.u[1][vl_grid_at(&vl_sharp(sim)->grid, 10, 13, 10)]) / (9.81 * 0.01);
    vl_sim_destroy(&sim);
  }
  assert_true(speed[0] < 0.2);
  assert_true(fabs(speed[1] - 1.0) <= 0.01);
}

/* Water at rest and a full tank: nothing pulls, nothing parts, the solution is that of the equality. */
static void test_rest(void **state)
{
  (void)state;
  double level[] = {0.53, 2.0};
  for (int full = 0; full < 2; full++) {
    vlScene scene = tank(16);
    scene.liquid.has_level = true;
    scene.liquid.level = level[full];
    vlSim *sim = start(&scene);
    vlStepInfo info = step(sim);
    assert_int_equal(vl_sharp(sim)->work.separation.count, 0);
    assert_true(info.max_speed <= 1e-9);
    vl_sim_destroy(&sim);
  }
}

/* A full tank that moves: no air, so the conditions leave the equality's solution, up to a constant. */
static void test_full_tank(void **state)
{
  (void)state;
  vlScene scene = tank(16);
  vlSolidDef post = {.shape = ball(vl_vec(0.4, 0.45, 0.5), 0.2)};
  scene.solids = &post;
  scene.solid_count = 1;
  scene.liquid.has_level = true;
  scene.liquid.level = 2.0;
  vlSim *sim = start(&scene);
  set_velocity(sim, vl_vec(1.0, -0.5, 0.3));
  Solved equality = solve_as(sim, VL_SEPARATION_NO);
  for (int kind = VL_SEPARATION_YES; kind < VL_SEPARATION_KIND_COUNT; kind++) {
    Solved s = solve_as(sim, (vlSeparationKind)kind);
    assert_int_equal(s.parted, 0);
    double least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < s.n; i++) {
      if (vl_sharp(sim)->work.pressure->label[i] < 0) continue;
      least = fmin(least, s.p[i] - equality.p[i]);
      most = fmax(most, s.p[i] - equality.p[i]);
    }
    assert_true(most - least <= 1e-9 * equality.most_p);
    clear_solved(&s);
  }
  clear_solved(&equality);
  vl_sim_destroy(&sim);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_ceiling), cmocka_unit_test(test_thrown),          cmocka_unit_test(test_begins_where_it_was),
      cmocka_unit_test(test_returns), cmocka_unit_test(test_says_of_its_own), cmocka_unit_test(test_clings_to_one),
      cmocka_unit_test(test_rest),    cmocka_unit_test(test_full_tank)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
