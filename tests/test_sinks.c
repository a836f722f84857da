/* Sinks with a pressure: holes in the liquid whose surface has it. Liquid at rest up to their level stays so, a lower level
 * drains to it and a higher one fills up; walls do not feel what presses in the hole. And a profile made of sources. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "moving.h"

static vlSim *begin(const char *text)
{
  vlStatus status = {0};
  vlScene scene;
  if (vl_scene_parse(&scene, text, strlen(text), "sinks.yaml", NULL, 0, &status)) fail_msg("%s", status.message);
  vlSim *sim = start(&scene, 1);
  vl_scene_clear(&scene);
  return sim;
}

static void assert_about(const char *what, double found, double wanted, double tolerance)
{
  if (!(fabs(found - wanted) <= tolerance)) fail_msg("%s: %.9g instead of %.9g", what, found, wanted);
}

/* A hole in the corner, one in the middle, a round one; what it takes at first is its own room. */
static void test_rest(void **state)
{
  (void)state;
  static const char *const holes[] = {"shape: box, center: [0.55, 0.05], size: [0.1, 0.1]",
                                      "shape: box, center: [0.307, 0.113], size: [0.13, 0.08]",
                                      "shape: cylinder, center: [0.4, 0.12], radius: 0.05, height: 1, rotate: x 90"};
  for (int n = 0; n < 3; n++) {
    char text[512];
    snprintf(text, sizeof text,
             "{grid: {size: [0.6, 0.4], slab: yes, cells: 30}, liquid: {level: 0.3, sinks: [{%s, level: 0.3}]}, "
             "pressure: {tolerance: 1e-8}, checks: 3}",
             holes[n]);
    vlSim *sim = begin(text);
    vlStepInfo info = one_step(sim, 0.005);
    double volume = info.particle_volume;
    for (int s = 0; s < 200; s++) {
      info = one_step(sim, 0.005);
      if (!(info.max_speed < 0.05)) fail_msg("%s: %g m/s in step %d", holes[n], info.max_speed, s);
    }
    assert_about("volume", info.particle_volume, volume, 0.01 * volume);
    double push = 0.5 * 9810 * 0.3 * 0.3 * 0.02;
    assert_about("the far wall", vl_sim_wall(sim, VL_BOX_X_MINUS).force.x, -push, 0.03 * push);
    vlVec3 sum = vl_vec(0, 0, 0);
    for (int side = VL_BOX_X_MINUS; side <= VL_BOX_Y_PLUS; side++) sum = vl_add(sum, vl_sim_wall(sim, side).force);
    assert_about("sum of the walls, x", sum.x, info.wall_force.x, 1e-9 * push);
    assert_about("sum of the walls, y", sum.y, info.wall_force.y, 1e-9 * push);
    vl_sim_destroy(&sim);
  }
}

/* Without gravity liquid around a hole has its pressure everywhere, whatever it is, beside a body too that liquid may part
 * from. */
static void test_given_pressure(void **state)
{
  (void)state;
  static const struct {
    double pressure;
    const char *separation, *bodies;
  } cases[] = {
      {2000.0, "no", ""},
      {-300.0, "no", ""},
      {2000.0, "yes", ", bodies: [{name: a, rigid: yes, shape: box, center: [0.283, 0.1, 0.12], size: [0.1, 0.12, 0.13]}]"}};
  for (int n = 0; n < 3; n++) {
    double given = cases[n].pressure;
    char text[512];
    double value[3];
    snprintf(
        text, sizeof text,
        "{grid: {size: [0.4, 0.4, 0.4], cells: 10}, gravity: [0, 0, 0], liquid: {level: 0.4, sinks: [{shape: box, center: "
        "[0.1, 0.1, 0.1], size: [0.2, 0.2, 0.2], pressure: %g}]}, pressure: {tolerance: 1e-10, separation: %s}, checks: "
        "3%s}",
        given, cases[n].separation, cases[n].bodies);
    vlSim *sim = begin(text);
    vlStepInfo info = {0};
    for (int s = 0; s < 3; s++) info = one_step(sim, 0.005);
    vlProbeDef probe = {.kind = VL_PROBE_PRESSURE, .position = vl_vec(0.3, 0.3, 0.3)};
    vl_sim_probe(sim, &probe, value);
    assert_about("pressure", value[0], given, 1e-6 * fabs(given));
    assert_about("speed", info.max_speed, 0.0, 1e-6);
    assert_about("force on the ceiling", vl_sim_wall(sim, VL_BOX_Y_PLUS).force.y, given * 0.16, 1e-6 * fabs(given));
    vl_sim_destroy(&sim);
  }
}

/* The mean level of the last seconds. */
static double ends_at(double level, double held)
{
  char text[512];
  snprintf(text, sizeof text,
           "{grid: {size: [0.4, 0.4], slab: yes, cells: 20}, liquid: {level: %g, sinks: [{shape: box, center: [0.36, 0.04], "
           "size: [0.08, 0.08], level: %g}]}, checks: 3}",
           level, held);
  vlSim *sim = begin(text);
  double mean = 0.0, span = 0.0, value[3];
  vlProbeDef probe = {.kind = VL_PROBE_HEIGHT, .position = vl_vec(0.15, 0, 0)};
  while (vl_sim_time(sim) < 6.0) {
    vlStepInfo info = one_step(sim, 0.01);
    if (vl_sim_time(sim) < 3.0) continue;
    vl_sim_probe(sim, &probe, value);
    mean += value[0] * info.dt;
    span += info.dt;
  }
  vl_sim_destroy(&sim);
  return mean / span;
}

static void test_drains(void **state)
{
  (void)state;
  assert_about("level", ends_at(0.26, 0.2), 0.2, 0.01);
}
static void test_fills(void **state)
{
  (void)state;
  assert_about("level", ends_at(0.21, 0.25), 0.25, 0.01);
}

/* Sources one upon the other: each strip of a full duct has its own speed, from the first step on. */
static void test_profile(void **state)
{
  (void)state;
  vlSim *sim =
      begin("{grid: {size: [1.2, 0.4], slab: yes, cells: 60}, gravity: [0, 0], liquid: {level: 0.4, sources: [{shape: box, "
            "center: [0.05, 0.05], size: [0.1, 0.1], velocity: [0.2, 0]}, {shape: box, center: [0.05, 0.2], size: "
            "[0.1, 0.2], velocity: [0.5, 0]}, {shape: box, center: [0.05, 0.35], size: [0.1, 0.1], velocity: [0.3, "
            "0]}], outlets: [{side: x+}]}, pressure: {tolerance: 1e-10}, checks: 3}");
  one_step(sim, 0.005);
  static const double strips[][3] = {{0.0, 0.1, 0.2}, {0.1, 0.3, 0.5}, {0.3, 0.4, 0.3}};
  double value[3], all = 0.0;
  for (int k = 0; k < 3; k++) {
    double height = strips[k][1] - strips[k][0], flow = height * strips[k][2] * 0.02;
    vlProbeDef probe = {
        .kind = VL_PROBE_FLUX, .position = vl_vec(0.1, strips[k][0] + 0.5 * height, 0), .size = vl_vec(0, height, 1)};
    vl_sim_probe(sim, &probe, value);
    assert_about("a strip", value[0], flow, 1e-6 * flow);
    all += flow;
  }
  vlProbeDef probe = {.kind = VL_PROBE_FLUX, .position = vl_vec(0.8, 0.2, 0), .size = vl_vec(0, 9, 9)};
  vl_sim_probe(sim, &probe, value);
  assert_about("all of it", value[0], all, 1e-6 * all);
  vl_sim_destroy(&sim);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_rest), cmocka_unit_test(test_given_pressure),
                                     cmocka_unit_test(test_drains), cmocka_unit_test(test_fills),
                                     cmocka_unit_test(test_profile)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
