/* Bodies in the medium that are told something on the way: another material, and pins that let go. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "immersed_scene.h"

/* Told before the first step it is to the bit as if the scene said so. */
static void test_material(void **state)
{
  (void)state;
  vlStatus status = {0};
  vlSim *told = immersed(floating(14, 500, 0.5), 1), *made = immersed(floating(14, 1600, 0.5), 1);
  vlBodyMaterial material = vl_sim_material(told, 0);
  material.density = 1600;
  if (vl_sim_set_material(told, 0, material, &status)) fail_msg("%s", status.message);
  for (int s = 0; s < 5; s++) {
    one_step(told, 1.0 / 60.0);
    one_step(made, 1.0 / 60.0);
  }
  assert_same_bodies(told, made);
  assert_true(info_of(made, 0).velocity.y < -0.1); /* it sinks */
  vl_sim_destroy(&told);
  vl_sim_destroy(&made);
}

/* Pins slide a body along the floor and let go at 1 m/s: friction stops it within 0.2 s. */
static void test_let_go(void **state)
{
  (void)state;
  vlSim *sim = immersed("{engine: immersed, grid: {cells: 16}, bodies: [{name: a, shape: box, center: [0.25, 0.105, 0.5], "
                        "size: [0.2, 0.2, 0.2], cell: 0.07, young: 1e6, friction: 0.5, pins: [{shape: box, center: [0.25, "
                        "0.2, 0.5], size: [1, 0.05, 1], velocity: [1, 0, 0], axes: x, end: 0.1, release: yes}]}]}",
                        1);
  while (vl_sim_time(sim) < 0.1) one_step(sim, 1.0 / 60.0);
  double first = info_of(sim, 0).velocity.x;
  while (vl_sim_time(sim) < 0.45) one_step(sim, 1.0 / 60.0);
  double last = info_of(sim, 0).velocity.x;
  if (!(first > 0.8 && fabs(last) < 0.05)) fail_msg("%g m/s, then %g m/s", first, last);
  vl_sim_destroy(&sim);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_material), cmocka_unit_test(test_let_go)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
