/* Nothing leaks: particles stay on their side of walls two cells thick, whatever the wall's direction and however it moves,
 * and liquid sealed in a shell keeps its room. validate/validate_leak.c has the long runs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "carry_parts.h"
#include "elastic_bodies.h"
#include "engine/sharp/sharp.h"
#include "liquid/advect.h"
#include "pond.h"

enum { CELLS = 32, SCATTERED = 6000 };

static const double DX = 0.05, DT = 0.01;

/* A wall through the middle of the grid; its own x axis points from the front to the back. */
typedef struct Wall {
  vlMat3 rotation;
  vlVec3 center, back;
  double thickness; /* m */
} Wall;

static Wall make_wall(const Pond *pond, uint64_t *seed)
{
  Wall wall = {.rotation = random_rotation(seed), .thickness = 2.0 * DX};
  vlVec3 middle = vl_vec(random_unit(seed), random_unit(seed), random_unit(seed)); /* cells, from the grid's */
  for (int a = 0; a < 3; a++) middle.v[a] += 0.5 * CELLS;
  wall.center = vl_axpy(pond->grid.origin, DX, middle);
  wall.back = vl_mat_apply(wall.rotation, vl_vec(1, 0, 0));
  return wall;
}

static vlVec3 place_of(const Pond *pond, size_t i)
{
  const vlParticles *p = pond->particles;
  return vl_axpy(pond->grid.origin, DX, vl_vec((double)p->x[0][i], (double)p->x[1][i], (double)p->x[2][i]));
}

/* Cells before the wall's front, negative in it and behind. */
static double before(const Pond *pond, const Wall *wall, size_t i)
{
  return (vl_dot(vl_sub(wall->center, place_of(pond, i)), wall->back) - 0.5 * wall->thickness) / DX;
}

/* Particles up to four cells before the wall, not farther than `reach` cells from its middle. */
static void scatter_before(Pond *pond, const Wall *wall, double reach, uint64_t seed)
{
  const double lo[3] = {1, 1, 1}, hi[3] = {CELLS - 1, CELLS - 1, CELLS - 1};
  unsigned char keep[SCATTERED];
  pond_scatter(pond, SCATTERED, lo, hi, seed);
  for (size_t i = 0; i < SCATTERED; i++) {
    double d = before(pond, wall, i);
    keep[i] = d > 0.1 && d < 4.0 && vl_norm(vl_sub(place_of(pond, i), wall->center)) < reach * DX;
  }
  vl_particles_filter(pond->particles, keep);
  assert_true(pond->particles->count > 50);
}

/* A wind towards the wall's back, from any direction within 45 degrees; cells a step. */
static vlVec3 make_wind(const Wall *wall, double speed, uint64_t *seed)
{
  vlVec3 aside = vl_unit(vl_vec(random_unit(seed), random_unit(seed), random_unit(seed)));
  return vl_scale(vl_unit(vl_axpy(wall->back, 0.7, aside)), speed * DX / DT);
}

/* The wind knows nothing of the wall: particles are driven right against it. */
static size_t blow(Pond *pond, vlVec3 wind, vlObstacles obstacles)
{
  const Linear linear = {{{0, 0, 0, wind.x}, {0, 0, 0, wind.y}, {0, 0, 0, wind.z}}};
  const vlFlight still = {0};
  linear_fill(&linear, &pond->grid, pond->u);
  for (size_t i = 0; i < pond->particles->count; i++)
    for (int a = 0; a < 3; a++) pond->particles->v[a][i] = (float)wind.v[a];
  return move_only(pond->particles, &pond->grid, pond->u, DT, VL_INTEGRATOR_RK3, obstacles, &still);
}

/* Distances are exact at corners and linear between them, so flat walls are met to rounding; near the middle of the wall,
 * where they turn, nobody gets. */
static void assert_in_front(const Pond *pond, const Wall *wall)
{
  for (size_t i = 0; i < pond->particles->count; i++) assert_true(before(pond, wall, i) > -0.01);
}

/* Two to four cells a step against static walls of any direction. */
static void test_any_wall(void **state)
{
  (void)state;
  uint64_t seed = 5;
  for (int turn = 0; turn < 9; turn++) {
    Pond pond;
    vlStatus status = {0};
    vlStatics *statics = NULL;
    vlNodeDistance nodes;
    pond_create(&pond, CELLS, CELLS, CELLS, DX, false);
    Wall wall = make_wall(&pond, &seed);
    vlSolidDef def = {.name = "wall", .shape = vl_shape_default(VL_SHAPE_BOX)};
    def.shape.center = wall.center;
    def.shape.size = vl_vec(wall.thickness, 8, 8);
    def.shape.rotation = wall.rotation;
    vlScene scene;
    vl_scene_default(&scene);
    scene.solids = &def;
    scene.solid_count = 1;
    assert_int_equal(vl_statics_create(&statics, &scene, &pond.grid, (vlLog){0}, &status), VL_OK);
    assert_int_equal(vl_node_distance_create(&nodes, &pond.grid, statics, &status), VL_OK);
    assert_int_equal(vl_node_distance_update(&nodes, &pond.grid, statics, &pond.wet, &status), VL_OK);
    scatter_before(&pond, &wall, 100.0, seed);
    vlVec3 wind = make_wind(&wall, 2.0 + turn % 3, &seed);
    vlObstacles obstacles = {.distance = nodes.distance, .near = nodes.near, .shape = &pond.wet};
    for (int s = 0; s < 6; s++) assert_int_equal(blow(&pond, wind, obstacles), 0);
    assert_in_front(&pond, &wall);
    vl_node_distance_clear(&nodes, &pond.grid);
    vl_statics_destroy(&statics);
    pond_destroy(&pond);
  }
}

/* A body's node of the wall, where the wall is now. */
static vlVec3 node_place(const Wall *wall, vlVec3 rest)
{
  return vl_add(wall->center, vl_mat_apply(wall->rotation, vl_sub(rest, vl_vec(0.5 * wall->thickness, 2, 2))));
}

/* A plate of any direction sweeps through particles and turns on its way; they come towards it as fast, two cells a step. */
static void test_sweeping_wall(void **state)
{
  (void)state;
  uint64_t seed = 9;
  for (int turn = 0; turn < 8; turn++) {
    Pond pond;
    vlStatus status = {0};
    vlBodyDistance distance;
    pond_create(&pond, CELLS, CELLS, CELLS, DX, false);
    Wall wall = make_wall(&pond, &seed);
    vlBody *plate =
        &new_body(vl_vec(wall.thickness, 4, 4), 1, 6, 6, rubber, VL_ELASTIC_LINEAR, VL_ELASTIC_BACKWARD_EULER)->body;
    vlMat3 spin = vl_mat_identity();
    for (int a = 0; a < 3; a++) spin = vl_mat_multiply(vl_mat_rotation(a, 0.04 * random_unit(&seed)), spin);
    assert_int_equal(vl_body_distance_create(&distance, &pond.grid, 1, &status), VL_OK);
    scatter_before(&pond, &wall, 7.0, seed);
    vlVec3 wind = make_wind(&wall, 2.0, &seed);
    for (int i = 0; i < plate->node_count; i++) plate->x[i] = node_place(&wall, plate->rest[i]);
    for (int s = 0; s < 4; s++) {
      wall.center = vl_axpy(wall.center, -1.8 * DX, wall.back);
      wall.rotation = vl_mat_multiply(spin, wall.rotation);
      wall.back = vl_mat_apply(wall.rotation, vl_vec(1, 0, 0));
      for (int i = 0; i < plate->node_count; i++) {
        vlVec3 to = node_place(&wall, plate->rest[i]);
        plate->v[i] = vl_scale(vl_sub(to, plate->x[i]), 1.0 / DT);
        plate->x[i] = to;
      }
      assert_int_equal(vl_body_distance_update(&distance, &pond.grid, &plate, NULL, &status), VL_OK);
      vlObstacles obstacles = {.shape = &pond.wet,
                               .body_distance = distance.distance,
                               .body_near = distance.near,
                               .body_velocity = distance.velocity};
      assert_int_equal(blow(&pond, wind, obstacles), 0);
      assert_in_front(&pond, &wall);
    }
    vl_body_distance_clear(&distance, &pond.grid);
    vl_body_destroy(&plate);
    pond_destroy(&pond);
  }
}

static vlSim *start(const char *text, const char *settings)
{
  vlScene scene;
  vlStatus status = {0};
  vlSim *sim = NULL;
  vlSetting setting = {settings};
  if (vl_scene_parse(&scene, text, strlen(text), "test", &setting, settings ? 1 : 0, &status))
    fail_msg("%s", status.message);
  if (vl_sim_create(&sim, &scene, (vlSimOptions){.threads = 1}, &status)) fail_msg("%s", status.message);
  vl_scene_clear(&scene);
  return sim;
}

static vlStepInfo step(vlSim *sim)
{
  vlStatus status = {0};
  vlStepInfo info = {0};
  if (vl_sim_step(sim, INFINITY, &info, &status)) fail_msg("%s", status.message);
  return info;
}

/* m3: inside the surfaces that face inwards. At rest the inner and the outer surface are told apart by the distance from
 * the middle. */
static double cavity(const vlBody *body, vlVec3 middle, double between)
{
  double sum = 0.0;
  for (int t = 0; t < body->triangle_count; t++) {
    const int *n = body->triangle[t];
    if (vl_norm(vl_sub(body->rest[n[0]], middle)) < between)
      sum -= vl_dot(body->x[n[0]], vl_cross(body->x[n[1]], body->x[n[2]])) / 6.0;
  }
  return sum;
}

static const char shell[] =
    "grid: {size: [1, 1, 1], cells: 16}\n"
    "liquid: {shapes: [{shape: sphere, center: [0.5, 0.5, 0.5], radius: 0.26}], velocity: [2, 1, 0]}\n"
    "bodies:\n"
    "  - shape: difference\n"
    "    cell: 11 cm\n"
    "    center: [0.5, 0.5, 0.5]\n"
    "    parts: [{shape: sphere, radius: 0.4}, {shape: sphere, radius: 0.25}]\n"
    "    young: 50 kPa\n"
    "    spin: [0, 4, 6]\n";

/* A shell full of water spins and is pushed along by it, for all schemes: at every step's end its cavity is as large as it
 * was, to what the turns of the solve leave (1e-8 a step) and the solver's tolerance; the water stays in it. Explicit
 * motion without the turns swells it by 1e-3 in the first step. */
static void test_sealed(void **state)
{
  (void)state;
  vlVec3 middle = vl_vec(0.5, 0.5, 0.5);
  static const char *const schemes[] = {NULL, "bodies[0].integrator=bdf2", "time.scheme=leapfrog"};
  for (int scheme = 0; scheme < 3; scheme++) {
    vlSim *sim = start(shell, schemes[scheme]);
    const vlBody *body = vl_sharp(sim)->state.bodies.body[0];
    double volume = cavity(body, middle, 0.325);
    int64_t particles = (int64_t)vl_sharp(sim)->state.particles->count;
    for (int s = 0; s < 6; s++) {
      vlStepInfo info = step(sim);
      assert_int_equal(vl_sharp(sim)->work.pressure->sealed_count, 1);
      assert_true(fabs(cavity(body, middle, 0.325) / volume - 1.0) < 1e-6);
      assert_int_equal(info.particles, particles);
      assert_int_equal(info.rescued + info.lost + info.stuck, 0);
    }
    vlVec3 center = vl_body_measure(body, vl_vec(0, 0, 0)).center;
    for (size_t i = 0; i < vl_sharp(sim)->state.particles->count; i++) {
      const vlParticles *p = vl_sharp(sim)->state.particles;
      vlVec3 x = vl_scale(vl_vec((double)p->x[0][i], (double)p->x[1][i], (double)p->x[2][i]), vl_sharp(sim)->grid.dx);
      assert_true(vl_norm(vl_sub(x, center)) < 0.35);
    }
    vl_sim_destroy(&sim);
  }
}

static const char PISTON[] =
    "{grid: {size: [1, 1, 0.5], cells: 32}, time: {cfl: 2}, liquid: {shapes: [{shape: box, center: [0.65, 0.2, "
    "0.25], size: [0.7, 0.4, 1]}]}, bodies: [{shape: box, center: [0.2, 0.5, 0.25], size: [0.0625, 1, 0.5], "
    "cells: [1, 8, 4], pins: [{shape: box, center: [0.2, 0.5, 0.25], size: [0.3, 3, 3], velocity: [2, 0, "
    "0], end: 0.2 s}]}]}";

/* A piston two cells thick is pushed through water at 2 m/s. A particle of the jet before it that finds no way out of the
 * corner between the piston and the box goes along; left behind it would come out at the back. */
static void test_piston(void **state)
{
  (void)state;
  vlStatus status = {0};
  vlScene scene;
  vlSim *sim = NULL;
  if (vl_scene_parse(&scene, PISTON, strlen(PISTON), "piston.yaml", NULL, 0, &status)) fail_msg("%s", status.message);
  if (vl_sim_create(&sim, &scene, (vlSimOptions){.threads = 2}, &status)) fail_msg("%s", status.message);
  vl_scene_clear(&scene);
  while (vl_sim_time(sim) < 0.2) {
    vlStepInfo info = {0};
    if (vl_sim_step(sim, 1.0 / 120.0, &info, &status)) fail_msg("%s", status.message);
    double back = (0.2 + 2.0 * fmin(info.time, 0.2)) * 32.0 - 1.0; /* cells */
    const vlParticles *p = vl_sharp(sim)->state.particles;
    for (size_t i = 0; i < p->count; i++) assert_true((double)p->x[0][i] > back);
  }
  vl_sim_destroy(&sim);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_piston),
      cmocka_unit_test(test_any_wall),
      cmocka_unit_test(test_sweeping_wall),
      cmocka_unit_test(test_sealed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
