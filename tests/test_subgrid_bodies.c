/* Liquid finer than the grid beside walls and bodies: what it does to them, at rest and in motion. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/sharp/subgrid.h"
#include "moving.h"

static const double G = 9.81;
static const double WATER = 1000.0;

static vlSim *start_text(const char *text)
{
  vlStatus status = {0};
  vlScene scene;
  if (vl_scene_parse(&scene, text, strlen(text), "subgrid.yaml", NULL, 0, &status)) fail_msg("%s", status.message);
  vlSim *sim = start(&scene, 1);
  vl_scene_clear(&scene);
  return sim;
}

/* A pool with what the text says of solids or bodies. */
static vlSim *start_pool(int cells, int refine, double level, const char *more)
{
  char text[2048];
  snprintf(text, sizeof text,
           "{grid: {size: [1, 1, 1], cells: %d}, liquid: {surface: subgrid, refine: %d, level: %.17g}, checks: 1, pressure: "
           "{tolerance: 1e-11}%s%s}",
           cells, refine, level, *more ? ", " : "", more);
  return start_text(text);
}

/* All walls together feel what is told of them. */
static void check_walls(const vlSim *sim, vlStepInfo info)
{
  double largest = 0.0;
  vlVec3 sum = vl_vec(0, 0, 0);
  for (int i = 0; i < vl_sim_wall_count(sim); i++) {
    sum = vl_add(sum, vl_sim_wall(sim, i).force);
    largest = fmax(largest, vl_norm(vl_sim_wall(sim, i).force));
  }
  assert_true(largest > 0.0);
  double off = vl_norm(vl_sub(sum, info.wall_force));
  if (off > 1e-12 * largest) fail_msg("walls are off by %.2e of %.2e N", off, largest);
}

/* And carry the liquid's weight, wherever the level is. volume: how well cut fine cells know what is in them. */
static void check_rest(const vlSim *sim, vlStepInfo info, double volume)
{
  double weight = vl_norm(info.weight), off = vl_norm(vl_sub(info.weight, info.wall_force));
  print_message("walls and weight %.1e, weight and volume %.1e, %.1e m/s\n", off / weight,
                info.weight.y / (WATER * G * info.volume) + 1.0, info.max_speed);
  check_walls(sim, info);
  assert_true(off <= 1e-9 * weight && info.max_speed <= 1e-9);
  assert_true(fabs(info.weight.y + WATER * G * info.volume) <= volume * weight);
}

static const char *const SOLIDS[] = {
    "", "solids: [{name: ball, shape: sphere, center: [0.4, 0.52, 0.53], radius: 0.2}]",
    "solids: [{name: ramp, shape: box, center: [0.2, 0.3, 0.5], size: [0.3, 0.9, 2], rotate: z 31}]"};

static void test_walls_at_rest(void **state)
{
  (void)state;
  const double level[] = {0.5, 0.53, 0.584};
  for (int s = 0; s < 3; s++)
    for (int l = 0; l < 3; l++) {
      vlSim *sim = start_pool(12, 4, level[l], SOLIDS[s]);
      vlStepInfo info = one_step(sim, 0.005);
      check_rest(sim, info, s == 0 ? 1e-7 : 3e-4);
      vl_sim_destroy(&sim);
    }
}

/* A body at the depth where it floats, and what a step may make of it: m/s, rad/s. Torques are those of the middles of
 * patches, so faces that lie askew turn a little; the ball has corners. */
typedef struct Afloat {
  const char *text;
  double level, lift, speed, spin;
} Afloat;

static const Afloat AFLOAT[] = {
    {"shape: box, center: [0.5, 0.5, 0.5], size: [0.5, 0.5, 0.5]", 0.5, 1e-9, 1e-9, 1e-9},
    {"shape: box, center: [0.5, 0.53, 0.5], size: [0.44, 0.3, 0.41]", 0.53, 1e-9, 1e-9, 1e-9},
    {"shape: box, center: [0.5, 0.53, 0.5], size: [0.44, 0.3, 0.41], rotate: y 33", 0.53, 1e-6, 1e-6, 1e-4},
    {"shape: box, center: [0.5, 0.53, 0.5], size: [0.4, 0.4, 0.4], rotate: z 45", 0.53, 1e-5, 1e-5, 1e-3},
    {"shape: sphere, center: [0.5, 0.54, 0.5], radius: 0.23", 0.54, 1e-4, 1e-6, 1e-5}};

static void test_afloat(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof AFLOAT / sizeof *AFLOAT; i++) {
    char text[512];
    snprintf(text, sizeof text, "bodies: [{rigid: yes, density: 500, %s}]", AFLOAT[i].text);
    vlSim *sim = start_pool(12, 4, AFLOAT[i].level, text);
    vlStepInfo info = one_step(sim, 0.005);
    vlBodyInfo body = vl_sim_body(sim, 0).info;
    double weight = body.mass * G, lift = body.load_force.y / weight - 1.0, speed = vl_norm(body.velocity),
           spin = vl_norm(body.angular_velocity);
    print_message("lift %.1e, speed %.1e m/s, spin %.1e 1/s\n", lift, speed, spin);
    assert_true(fabs(lift) <= AFLOAT[i].lift && speed <= AFLOAT[i].speed && spin <= AFLOAT[i].spin);
    check_walls(sim, info);
    vl_sim_destroy(&sim);
  }
}

/* It stays there as far as its water does: particles on a coarse grid stand for a level that is 1 mm lower, which it
 * follows. */
static void test_stays_afloat(void **state)
{
  (void)state;
  vlSim *sim = start_pool(
      12, 2, 0.5, "bodies: [{rigid: yes, density: 500, shape: box, center: [0.5, 0.5, 0.5], size: [0.5, 0.5, 0.5]}]");
  double most = 0.0;
  for (int s = 0; s < 20; s++) {
    one_step(sim, 0.005);
    most = fmax(most, vl_norm(vl_sim_body(sim, 0).info.velocity));
  }
  print_message("afloat for 0.1 s: %.1e m/s\n", most);
  assert_true(most <= 2e-2);
  vl_sim_destroy(&sim);
}

/* A crate thrown into a pool: what it gains is what liquid and weight give it, and all walls together feel what is told. */
static void test_momentum(void **state)
{
  (void)state;
  vlSim *sim = start_pool(
      12, 2, 0.4,
      "solids: [{shape: sphere, center: [0.3, 0.36, 0.4], radius: 0.15}], bodies: [{rigid: yes, density: 700, shape: box, "
      "center: [0.62, 0.56, 0.55], size: [0.3, 0.2, 0.25], rotate: z 20, velocity: [-1, -3, 0.2]}]");
  for (int s = 0; s < 12; s++) {
    vlVec3 before = vl_sim_body(sim, 0).info.momentum;
    vlStepInfo info = one_step(sim, 0.005);
    vlBodyInfo after = vl_sim_body(sim, 0).info;
    vlVec3 push = vl_scale(vl_axpy(vl_add(info.body_force, after.contact_force), after.mass, vl_vec(0, -G, 0)), info.dt);
    double size = vl_norm(after.momentum) + vl_norm(push);
    double off = vl_norm(vl_sub(vl_sub(after.momentum, before), push));
    if (!(off <= 1e-9 * size)) fail_msg("step %d: the body's momentum is off by %.2e of %.2e", s, off, size);
    check_walls(sim, info);
  }
  assert_true(vl_sim_body(sim, 0).info.velocity.y > -2.0);
  vl_sim_destroy(&sim);
}

/* A drop of half a cell falls on a ball that is held, and stays on it: N s, and N at most, in steps of dt. */
static double drop_on_ball(double dt, double *most)
{
  char text[1024];
  snprintf(
      text, sizeof text,
      "{grid: {size: [1, 1, 1], cells: 16}, liquid: {surface: subgrid, refine: 4, particles: 3, shapes: [{shape: sphere, "
      "center: [0.5, 0.66, 0.5], radius: 0.024}]}, bodies: [{rigid: yes, motion: [{move: slide, velocity: [0, 0, 0]}], "
      "shape: sphere, center: [0.5, 0.4639, 0.5], radius: 0.15}], time: {dt_fixed: %g}}",
      dt);
  vlSim *sim = start_text(text);
  double sum = 0.0;
  *most = 0.0;
  while (vl_sim_time(sim) < 0.14 - 1e-9) {
    vlStepInfo info = one_step(sim, 0.14 - vl_sim_time(sim));
    sum -= info.body_force.y * info.dt;
    *most = fmax(*most, fabs(info.body_force.y));
    if (vl_sim_time(sim) < 0.04) assert_true(sum == 0.0);
  }
  vl_sim_destroy(&sim);
  return sum;
}

static void test_drop_on_a_ball(void **state)
{
  (void)state;
  double most[2], sum[2] = {drop_on_ball(0.005, &most[0]), drop_on_ball(0.0025, &most[1])};
  double mass = 8.0 * WATER / pow(16.0, 3) / 27.0, brings = mass * G * 0.14; /* since it was let go */
  print_message("a drop brings %.3f N s: %.3f and %.3f, at most %.2f and %.2f N\n", brings, sum[0], sum[1], most[0],
                most[1]);
  for (int i = 0; i < 2; i++)
    assert_true(sum[i] > 0.1 * brings && sum[i] < 1.2 * brings); /* walls stop some of its
                                                                              particles by themselves */
  assert_true(fabs(sum[0] - sum[1]) <= 0.3 * brings);
  assert_true(most[1] <= 1.5 * most[0] && most[0] <= 0.2 * brings / 0.005); /* no more than a fifth of it in a step */
}

/* A ball goes down through the surface: hardly any air is left on it, no water in it, and it feels what Archimedes says. */
static void test_plunge(void **state)
{
  (void)state;
  vlSim *sim = start_pool(12, 2, 0.55,
                          "bodies: [{rigid: yes, shape: sphere, center: [0.5, 0.75, 0.5], radius: 0.14, motion: "
                          "[{move: slide, velocity: [0, -1.5, 0], end: 0.3}]}]");
  advance_to(sim, 0.5);
  const vlSharp *sharp = vl_sharp(sim);
  const vlPatches *wet = &sharp->subgrid->wet;
  vlBodyInfo body = vl_sim_body(sim, 0).info;
  double area = 0.0, whole = 4.0 * VL_PI * 0.14 * 0.14, lift = body.load_force.y / (WATER * G * body.volume);
  int inside = 0;
  for (int q = 0; q < wet->count; q++)
    if (vl_subgrid_find_node(sharp, &wet->patch[q]) != VL_TAIL_SURFACE && wet->patch[q].piece >= 0)
      area += vl_norm(wet->patch[q].s);
  const vlParticles *p = sharp->state.particles;
  for (size_t i = 0; i < p->count; i++) {
    vlVec3 x = vl_vec((double)p->x[0][i], (double)p->x[1][i], (double)p->x[2][i]);
    inside += vl_norm(vl_axpy(vl_scale(body.center, -1.0), 1.0 / 12.0, x)) < 0.12;
  }
  print_message("under water: %.3f of it wet, %d particles inside, lift %.3f\n", area / whole, inside, lift);
  assert_true(fabs(area / whole - 1.0) <= 0.04 && inside == 0 && fabs(lift - 1.0) <= 0.15);
  vl_sim_destroy(&sim);
}

/* A ball next to without weight falls on a pool: what parts and joins again beneath it does not throw it about. */
static void test_light_ball(void **state)
{
  (void)state;
  vlSim *sim = start_pool(
      12, 2, 0.4,
      "bodies: [{rigid: yes, density: 1, shape: sphere, center: [0.5, 0.57, 0.5], radius: 0.13, velocity: [0, -1.5, 0]}]");
  double fastest = 0.0, last = 0.0;
  for (int s = 0; s < 40; s++) {
    one_step(sim, 0.005);
    last = vl_norm(vl_sim_body(sim, 0).info.velocity);
    fastest = fmax(fastest, last);
  }
  print_message("light ball: at most %.2f m/s, %.2f at last, at %.3f m\n", fastest, last, vl_sim_body(sim, 0).info.center.y);
  assert_true(fastest <= 2.0 && last <= 1.0);
  vl_sim_destroy(&sim);
}

/* What pieces of liquid know nothing of is refused where it stands. */
static void test_refused(void **state)
{
  (void)state;
  const char *const text[][2] = {{"time: {scheme: leapfrog}", "scheme"}, {"pressure: {weights: volume}", "weights"}};
  for (int i = 0; i < 2; i++) {
    char scene_text[256];
    vlStatus status = {0};
    vlScene scene;
    snprintf(scene_text, sizeof scene_text,
             "{grid: {size: [1, 1, 1], cells: 8}, liquid: {surface: subgrid, level: 0.5}, %s}", text[i][0]);
    assert_int_not_equal(vl_scene_parse(&scene, scene_text, strlen(scene_text), "subgrid.yaml", NULL, 0, &status), VL_OK);
    print_message("%s\n", status.message);
    assert_non_null(strstr(status.message, text[i][1]));
    assert_non_null(strstr(status.message, "liquid.surface: subgrid"));
    assert_non_null(strstr(status.message, "subgrid.yaml:1:"));
    vl_scene_clear(&scene);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_walls_at_rest),  cmocka_unit_test(test_afloat),
                                     cmocka_unit_test(test_stays_afloat),   cmocka_unit_test(test_momentum),
                                     cmocka_unit_test(test_drop_on_a_ball), cmocka_unit_test(test_light_ball),
                                     cmocka_unit_test(test_plunge),         cmocka_unit_test(test_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
