/* Any mix in one scene: kinds of bodies, weights, forms of the coupling and liquid that parts, each with each. A step that
 * breaks an invariant of check level 3 fails. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "wet_body.h"

static const char *const bath =
    "grid: {size: [1, 1, 0.5], cells: 16}\n"
    "liquid: {shapes: [{shape: box, center: [0.5, 0.25, 0.25], size: [1, 0.5, 0.5]}], velocity: [-0.5, 0.3, 0]}\n"
    "solids: [{name: rock, shape: sphere, center: [0.3, 0.1, 0.25], radius: 0.13}]\n"
    "bodies:\n"
    "  - {name: crate, rigid: yes, shape: box, center: [0.55, 0.5, 0.25], size: [0.22, 0.16, 0.22], rotate: z 20,\n"
    "     density: 300, velocity: [0, -1, 0]}\n"
    "  - {name: heavy, rigid: yes, shape: sphere, center: [0.25, 0.42, 0.25], radius: 0.1, density: 2500,\n"
    "     velocity: [0, -1, 0]}\n"
    "  - {name: soft, shape: box, center: [0.8, 0.12, 0.3], size: [0.2, 0.2, 0.2], cells: [2, 2, 2], density: 1200,\n"
    "     young: 100 kPa}\n"
    "  - {name: paddle, shape: box, center: [0.8, 0.5, 0.25], size: [0.1, 0.3, 0.3],\n"
    "     motion: [{move: spin, axis: [0, 0, 1], rate: 3}, {move: slide, velocity: [-0.3, -0.2, 0]}]}\n"
    "checks: 3\n";

static const char *const crate = "grid: {size: [1, 1, 0.5], cells: 16}\n"
                                 "liquid: {level: 0.5}\n"
                                 "bodies: [{name: crate, rigid: yes, shape: box, center: [0.5, 0.6, 0.25], size: [0.22, "
                                 "0.16, 0.22], rotate: z 20, density: 6000, velocity: [0, -1, 0]}]\n"
                                 "checks: 3\n";

static const char *const cork = "grid: {size: [1, 1, 1], cells: 20}\n"
                                "liquid: {level: 0.8}\n"
                                "bodies: [{name: cork, rigid: yes, shape: sphere, center: [0.513, 0.427, 0.491], radius: "
                                "0.2, density: 5}]\n"
                                "pressure: {tolerance: 1e-10}\n";

static vlScene scene_of(const char *text, const vlSetting *settings, int count)
{
  vlStatus status = {0};
  vlScene scene;
  if (vl_scene_parse(&scene, text, strlen(text), "mix.yaml", settings, count, &status)) fail_msg("%s", status.message);
  return scene;
}

static void run(const char *text, const char *first, const char *second, const char *third, int steps)
{
  const vlSetting settings[] = {{first}, {second}, {third}};
  vlScene scene = scene_of(text, settings, 3);
  vlSim *sim = start(&scene);
  for (int s = 0; s < steps; s++) {
    vlStatus status = {0};
    vlStepInfo info;
    if (vl_sim_step(sim, 0.01, &info, &status)) fail_msg("%s, %s, %s: %s", first, second, third, status.message);
    if (info.max_speed > 6.0) fail_msg("%s, %s, %s: liquid at %g m/s", first, second, third, info.max_speed); /* no jets */
  }
  vl_sim_destroy(&sim);
  vl_scene_clear(&scene);
}

static void test_each_with_each(void **state)
{
  (void)state;
  static const char *const parting[] = {"pressure.separation=no", "pressure.separation=yes", "pressure.separation=mprgp"};
  static const char *const weights[] = {"pressure.weights=area", "pressure.weights=volume", "pressure.weights=line",
                                        "pressure.weights=voxel"};
  for (int p = 0; p < 3; p++)
    for (int w = 0; w < 4; w++) run(bath, parting[p], weights[w], "solver.coupling=schur", 4);
  for (int p = 0; p < 3; p++) {
    run(bath, parting[p], weights[0], "solver.coupling=minres", 3);
    run(bath, parting[p], weights[1], "solver.coupling=spd", 3);
  }
}

/* What bodies do is in the right-hand side once, however often the system is solved. */
static void test_weak(void **state)
{
  (void)state;
  run(crate, "pressure.separation=yes", "pressure.weights=area", "solver.coupling=weak", 8);
  run(crate, "pressure.separation=policy", "pressure.weights=area", "solver.coupling=weak", 8);
}

/* Light bodies are in the preconditioner also where loose solves, for which they would not pay, come first. */
static void test_light(void **state)
{
  (void)state;
  const vlSetting settings[] = {{"pressure.separation=no"}, {"pressure.separation=yes"}};
  for (int s = 0; s < 2; s++) {
    vlScene scene = scene_of(cork, &settings[s], 1);
    vlSim *sim = start(&scene);
    for (int k = 0; k < 4; k++) {
      vlStatus status = {0};
      if (vl_sim_step(sim, 0.01, NULL, &status)) fail_msg("%s", status.message);
      assert_int_equal(vl_sharp(sim)->work.pressure->woodbury.count, 6);
    }
    vl_sim_destroy(&sim);
    vl_scene_clear(&scene);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_each_with_each), cmocka_unit_test(test_weak),
                                     cmocka_unit_test(test_light)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
