/* Skins of bodies in the medium stop liquid [brandt2019, fig. 12]: a jet of 3 m/s onto a held floor two cells thick, in
 * steps of 1/60 s, in which it goes a cell. Pressure alone, without skins, lets it through. */
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

static const char *const TEXT =
    "{engine: immersed, grid: {size: [0.8, 1, 0.8], dx: 0.05}, liquid: {shapes: [{shape: box, center: [0.4, 0.75, 0.4], "
    "size: [0.4, 0.3, 0.4]}], velocity: [0, -3, 0]}, bodies: [{name: floor, shape: box, center: [0.4, 0.4, 0.4], size: "
    "[0.8, "
    "0.1, 0.8], cells: [8, 1, 8], young: 1e6, pins: [{shape: halfspace, center: [0, 1, 0]}]}], time: {dt_fixed: 1/60 s}%s}";

/* How much of the liquid is under the floor half a second later. */
static double passed(const char *more)
{
  char text[1024];
  vlScene scene;
  vlStatus status = {0};
  snprintf(text, sizeof text, TEXT, more);
  if (vl_scene_parse(&scene, text, strlen(text), "floor.yaml", NULL, 0, &status)) fail_msg("%s", status.message);
  vlSim *sim = start(&scene, 1);
  vl_scene_clear(&scene);
  advance_to(sim, 0.5);
  const vlParticles *p = vl_sharp(sim)->state.particles;
  size_t count = 0;
  for (size_t i = 0; i < p->count; i++) count += p->x[1][i] < 0.35f / 0.05f;
  double share = (double)count / (double)p->count;
  vl_sim_destroy(&sim);
  return share;
}

static void test_floor(void **state)
{
  (void)state;
  double with = passed(""), without = passed(", solver: {skins: no}");
  print_message("under the floor: %.2g of the liquid, %.2g without skins\n", with, without);
  assert_true(without > 0.1);
  assert_true(with < 0.1 * without);
}

static void test_sharp(void **state)
{
  (void)state;
  vlScene scene;
  vlStatus status = {0};
  const char *text = "{liquid: {level: 0.5}, solver: {skins: no}}";
  assert_int_equal(vl_scene_parse(&scene, text, strlen(text), "sharp.yaml", NULL, 0, &status), VL_ERROR_SCENE);
  assert_non_null(strstr(status.message, "solver.skins: no only with engine: immersed"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_floor), cmocka_unit_test(test_sharp)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
