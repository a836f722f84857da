/* Speeds that cannot be: what is possible, and steps that have gone wrong and are not taken. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "engine/sharp/speed.h"
#include "moving.h"
#include "visit_memory.h"

static vlSim *begin(const char *more)
{
  vlStatus status = {0};
  vlScene scene;
  char text[1024];
  snprintf(text, sizeof text, "grid: {cells: 6}\ntime: {frames_per_second: 20}\n%s", more);
  if (vl_scene_parse(&scene, text, strlen(text), "speed.yaml", NULL, 0, &status)) fail_msg("%s", status.message);
  vlSim *sim = start(&scene, 1);
  vl_scene_clear(&scene);
  return sim;
}

static void assert_limit(const char *scene, double speed)
{
  vlSim *sim = begin(scene);
  double limit = vl_speed_limit(vl_sharp(sim));
  if (!(fabs(limit / (1e4 * speed) - 1.0) < 1e-9)) fail_msg("%s: %g, not %g", scene, limit, 1e4 * speed);
  vl_sim_destroy(&sim);
}

/* A fall through the box, the liquid's and the bodies' own speeds, pushes, waves; without all of them the box in a frame. */
static void test_what_is_possible(void **state)
{
  (void)state;
  double fall = sqrt(2.0 * 9.81 * sqrt(3.0)), mass = 0.008 * 1000.0;
  assert_limit("liquid: {level: 0.4}\n", fall);
  assert_limit("liquid: {level: 0.4, velocity: [30,40,0]}\n", 50.0);
  assert_limit("liquid: {level: 0.4}\ngravity: [0,0,0]\n", sqrt(3.0) * 20.0);
  const char *const box = "bodies: [{name: a, shape: box, center: [0.5,0.6,0.5], size: [0.2,0.2,0.2], %s}]\n";
  char text[512];
  snprintf(text, sizeof text, box, "rigid: yes, velocity: [0,-70,0]");
  assert_limit(text, 70.0);
  snprintf(text, sizeof text, box, "rigid: yes, pushes: [{force: [1e6,0,0]}]");
  assert_limit(text, sqrt(2.0 * 1e6 / mass * sqrt(3.0)));
  snprintf(text, sizeof text, box, "cells: [1,1,1], young: 1e9");
  assert_limit(text, 1e3);
}

/* The step is tried with less and less time, refused, and the state is as it was. */
static void assert_not_taken(vlSim *sim, const char *reason)
{
  Memory before, after;
  vlStatus status = {0};
  vlStepInfo info = {0};
  remember(sim, &before);
  assert_int_equal(vl_sim_step(sim, 0.05, &info, &status), VL_ERROR_SOLVER);
  if (!strstr(status.message, reason)) fail_msg("'%s' lacks '%s'", status.message, reason);
  remember(sim, &after);
  assert_same_memory(&before, &after, NULL, "after a step that was not taken");
  forget(&before);
  forget(&after);
  vl_sim_destroy(&sim);
}

static void test_not_taken(void **state)
{
  (void)state;
  static const char *const scene =
      "liquid: {level: 0.4}\n"
      "bodies: [{name: a, shape: box, center: [0.5,0.6,0.5], size: [0.2,0.2,0.2], cells: [1,1,1]}]\n";
  vlSim *sim = begin(scene);
  one_step(sim, 0.01); /* which finds where the body's matrix has entries */
  vlBody *body = vl_sharp(sim)->state.bodies.body[0];
  for (int i = 0; i < body->node_count; i++) body->v[i] = vl_vec(1e8, 0, 0);
  assert_not_taken(sim, "something moves at");
  sim = begin(scene);
  one_step(sim, 0.01);
  body = vl_sharp(sim)->state.bodies.body[0];
  for (int i = 0; i < body->node_count; i++) body->v[i] = vl_vec(1e12, 0, 0);
  assert_not_taken(sim, "of them would be needed for a frame");
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_what_is_possible), cmocka_unit_test(test_not_taken)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
