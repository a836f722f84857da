/* Reduced bodies in liquid with a sharp surface: a free stream, rest, afloat, on the floor, checkpoints and threads; what a
 * scene may say of them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "moving.h"
#include "scene/scene.h"
#include "visit_memory.h"

static vlScene parse(const char *text)
{
  vlScene scene;
  vlStatus status = {0};
  if (vl_scene_parse(&scene, text, strlen(text), "reduced.yaml", NULL, 0, &status)) fail_msg("%s", status.message);
  scene.check_level = 1;
  return scene;
}

static vlSim *begin(const char *text, int threads)
{
  vlScene scene = parse(text);
  vlSim *sim = start(&scene, threads);
  vl_scene_clear(&scene);
  return sim;
}

static vlBody *body_of(vlSim *sim, int b) { return vl_sharp(sim)->state.bodies.body[b]; }

static double strain_of(const vlBody *body) /* largest gap of a node from its place were the body rigid */
{
  vlVec3 sum = vl_vec(0, 0, 0);
  double most = 0.0;
  for (int i = 0; i < body->node_count; i++) sum = vl_axpy(sum, 1.0 / body->node_count, vl_sub(body->x[i], body->rest[i]));
  for (int i = 0; i < body->node_count; i++) most = fmax(most, vl_norm(vl_sub(vl_sub(body->x[i], body->rest[i]), sum)));
  return most;
}

/* Liquid and body move alike and nothing pulls: they go on, and the body keeps its form. */
static void test_free_stream(void **state)
{
  (void)state;
  vlSim *sim =
      begin("{grid: {cells: 12}, gravity: [0, 0, 0], liquid: {velocity: [0.3, 0.2, -0.1], shapes: [{shape: sphere, "
            "center: [0.4, 0.4, 0.5], radius: 0.3}]}, bodies: [{name: a, reduced: yes, handles: 4, shape: sphere, center: "
            "[0.4, 0.4, 0.5], radius: 0.15, cell: 0.06, velocity: [0.3, 0.2, -0.1], young: 1e4, density: 700}]}",
            1);
  advance_to(sim, 0.3);
  const vlBody *body = body_of(sim, 0);
  for (int i = 0; i < body->node_count; i++) /* the liquid's own surface ends near: 0.0086 with an elastic body too */
    assert_true(vl_norm(vl_sub(body->v[i], vl_vec(0.3, 0.2, -0.1))) < 0.012);
  assert_true(strain_of(body) < 1e-4);
  vl_sim_destroy(&sim);
}

/* As dense as the liquid, under it and at rest: pressure carries it. Stiff, for pressure presses soft ones together. */
static void test_rest(void **state)
{
  (void)state;
  vlSim *sim =
      begin("{grid: {cells: 12}, liquid: {level: 0.8, transfer: still}, pressure: {tolerance: 1e-9}, bodies: [{name: a, "
            "reduced: yes, handles: 4, shape: sphere, center: [0.5, 0.42, 0.47], radius: 0.2, cell: 0.07, young: 1e8, "
            "density: 1000}]}",
            1);
  const vlBody *body = body_of(sim, 0);
  double fastest = 0.0;
  for (int s = 0; s < 10; s++) one_step(sim, 0.01);
  for (int i = 0; i < body->node_count; i++) fastest = fmax(fastest, vl_norm(body->v[i]));
  /* what the weight of the layer leaves of a body cut into cells, against 1 m/s of a fall */
  if (!(fastest < 0.01)) fail_msg("%g m/s", fastest);
  vl_sim_destroy(&sim);
}

/* A ball of 540 kg/m3 floats at 0.54 of its volume, and the liquid carries what it weighs. */
static void test_floats(void **state)
{
  (void)state;
  const double R = 0.22, depth = 0.5;
  vlSim *sim = begin("{grid: {cells: 14}, liquid: {level: 0.5}, bodies: [{name: a, reduced: yes, handles: 8, shape: sphere, "
                     "center: [0.5, 0.49, 0.5], radius: 0.22, cell: 0.07, young: 1e6, density: 540}]}",
                     1);
  advance_to(sim, 0.8);
  vlBody *body = body_of(sim, 0);
  double push = 0.0, y = 0.0;
  for (int s = 0; s < 20; s++) {
    one_step(sim, 0.01);
    vlBodyInfo info = vl_body_info(body, vl_vec(0, -9.81, 0), vl_vec(0, 0, 0));
    push += info.load_force.y / (info.mass * 9.81) / 20;
    y += info.center.y / 20;
  }
  /* of the level, which the ball has raised by what it takes beyond the half that it began with */
  double volume = vl_body_enclosed(body), level = depth + (0.54 - 0.5) * volume / (1.0 - 3.14159 * R * R);
  double under = 0.5 + (level - y) * 3.14159 * R * R / volume; /* near the middle a ball is a cylinder */
  if (!(fabs(push - 1.0) < 0.03)) fail_msg("push %g of the weight", push);
  if (!(fabs(under - 0.54) < 0.06)) fail_msg("%g of it under water", under); /* a tenth of a cell is 0.05 */
  assert_int_equal(vl_body_inverted(body), 0);
  vl_sim_destroy(&sim);
}

static const char *two =
    "{grid: {cells: 10}, liquid: {level: 0.4}, bodies: [{name: a, reduced: yes, handles: 5, shape: sphere, "
    "center: [0.4, 0.6, 0.5], radius: 0.16, cell: 0.06, young: 3e4, density: 500, velocity: [0.5, -1, 0], "
    "spin: [1, 2, 3]}, {name: b, shape: box, center: [0.8, 0.25, 0.5], size: [0.2, 0.4, 0.4], cells: [2, 4, "
    "4], reduced: yes, young: 2e4, handles: 4, pins: [{shape: halfspace, center: [0, 0.06, 0]}]}, {name: c, "
    "rigid: yes, shape: sphere, radius: 0.1, center: [0.42, 0.885, 0.5]}]}";

/* Thrown at another and at a rigid one: they meet, nothing turns inside out; the same bits for any number of threads, and
 * from a state that was saved. */
static void test_bits(void **state)
{
  (void)state;
  vlSim *one = begin(two, 1), *other = begin(two, 2);
  Memory memory;
  for (int s = 0; s < 14; s++) {
    one_step(one, 0.02);
    one_step(other, 0.02);
    if (s != 8) continue;
    remember(one, &memory);
    vl_sim_destroy(&one);
    one = begin(two, 1);
    recall(one, &memory);
    forget(&memory);
  }
  assert_same_bits(one, other, "threads and a state");
  for (int b = 0; b < 3; b++) assert_int_equal(vl_body_inverted(body_of(one, b)), 0);
  vl_sim_destroy(&one);
  vl_sim_destroy(&other);
}

/* On a dry floor: contact stops it. */
static void test_lands(void **state)
{
  (void)state;
  vlSim *sim =
      begin("{grid: {cells: 10}, bodies: [{name: a, reduced: yes, handles: 6, shape: sphere, center: [0.5, 0.4, 0.5], "
            "radius: 0.2, cell: 0.08, young: 1e5, density: 800}]}",
            1);
  double lowest = 1.0;
  while (vl_sim_time(sim) < 0.8) {
    one_step(sim, 0.01);
    vlBox3 box = vl_body_bounds(body_of(sim, 0));
    lowest = fmin(lowest, box.lo.y);
    assert_int_equal(vl_body_inverted(body_of(sim, 0)), 0);
  }
  assert_true(lowest > -0.01);
  assert_true(vl_body_measure(body_of(sim, 0), vl_vec(0, -9.81, 0)).center.y < 0.3);
  vl_sim_destroy(&sim);
}

static void refused(const char *text, const char *why)
{
  vlScene scene;
  vlStatus status = {0};
  assert_int_equal(vl_scene_parse(&scene, text, strlen(text), "reduced.yaml", NULL, 0, &status), VL_ERROR_SCENE);
  if (!strstr(status.message, why)) fail_msg("%s", status.message);
  if (!strstr(status.message, "reduced.yaml:1:")) fail_msg("not located: %s", status.message);
}

#define BODY(keys) "{bodies: [{name: a, shape: box, size: [0.2, 0.2, 0.2], center: [0.5, 0.5, 0.5], " keys "}]}"

static void test_keys(void **state)
{
  (void)state;
  refused(BODY("reduced: yes, rigid: yes"), "does not yield");
  refused(BODY("reduced: yes, motion: [{move: slide, velocity: [1, 0, 0]}]"), "a body with a motion is rigid");
  refused(BODY("reduced: yes, element: quadratic"), "linear elements");
  refused(BODY("reduced: yes, model: neo_hookean"), "corotational");
  refused(BODY("reduced: yes, integrator: bdf2"), "backward Euler");
  refused(BODY("reduced: yes, mass: 3"), "only rigid bodies");
  refused(BODY("reduced: yes, modes: [{mode: 1, speed: 1}]"), "not reduced");
  refused(BODY("handles: 30"), "only reduced bodies");
  refused(BODY("clusters: 30"), "only reduced bodies");
  refused(BODY("reduced: yes, handles: 0"), "1 to 500");
  refused(BODY("reduced: yes, clusters: 30000"), "1 to 20000");
  refused("{solver: {coupling: spd}, bodies: [{name: a, reduced: yes, shape: box, size: [0.2, 0.2, 0.2], center: [0.5, 0.5, "
          "0.5]}]}",
          "schur, weak");
  refused("{time: {scheme: leapfrog}, bodies: [{name: a, reduced: yes, shape: box, size: [0.2, 0.2, 0.2], center: [0.5, "
          "0.5, 0.5]}]}",
          "leapfrog");
  refused("{grid: {slab: yes}, bodies: [{name: a, reduced: yes, shape: box, size: [0.2, 0.2], center: [0.5, 0.5]}]}",
          "slab");
  vlScene scene = parse(BODY("reduced: yes, handles: 20"));
  assert_int_equal(scene.bodies[0].kind, VL_BODY_REDUCED);
  assert_int_equal(scene.bodies[0].handles, 20);
  assert_int_equal(scene.bodies[0].clusters, 1000);
  vl_scene_clear(&scene);
}

/* A program says it by the kind alone. */
static void test_program(void **state)
{
  (void)state;
  vlScene scene = moving_scene(10);
  vlBodyDef body = vl_body_default();
  strcpy(body.name, "a");
  body.kind = VL_BODY_REDUCED;
  body.shape = VL_BODY_BOX;
  body.size = vl_vec(0.4, 0.2, 0.2);
  body.center = vl_vec(0.5, 0.5, 0.5);
  for (int a = 0; a < 3; a++) body.cells[a] = 4;
  scene.bodies = &body;
  scene.body_count = 1;
  vlSim *sim = start(&scene, 1);
  one_step(sim, 0.01);
  assert_string_equal(body_of(sim, 0)->type->name, "reduced");
  vl_sim_destroy(&sim);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_free_stream), cmocka_unit_test(test_rest),  cmocka_unit_test(test_floats),
      cmocka_unit_test(test_bits),        cmocka_unit_test(test_lands), cmocka_unit_test(test_keys),
      cmocka_unit_test(test_program),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
