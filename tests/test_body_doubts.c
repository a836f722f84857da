/* Warnings of elastic bodies before the first step: pins that leave the box, volume that is missing, and none where all is
 * well. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "grid/grid.h"
#include "scene/scene.h"
#include "solid/body_set.h"
#include "solid/elastic.h"
#include "solid/pins.h"
#include "velella/velella.h"

static void collect(void *user, vlLogLevel level, const char *line)
{
  char *text = user;
  size_t used = strlen(text);
  if (level == VL_LOG_WARNING) snprintf(text + used, 4096 - used, "%s\n", line);
}

/* The warnings that a scene with these bodies gives when it is made. */
static const char *warnings(const char *bodies, char text[static 4096])
{
  char all[2048];
  vlScene scene;
  vlSim *sim;
  vlStatus status = {0};
  snprintf(all, sizeof all, "{grid: {cells: 12}, liquid: {level: 0.2}, time: {end: 2}, bodies: [%s]}", bodies);
  if (vl_scene_parse(&scene, all, strlen(all), "test.yaml", NULL, 0, &status)) fail_msg("%s", status.message);
  text[0] = 0;
  vlSimOptions options = {.log = {collect, text}, .threads = 1};
  if (vl_sim_create(&sim, &scene, options, &status)) fail_msg("%s", status.message);
  vl_sim_destroy(&sim);
  vl_scene_clear(&scene);
  return text;
}

/* A block of 0.2 m in the middle of the box; the pin holds all of it. */
#define BLOCK "shape: box, center: [0.5, 0.5, 0.5], size: [0.2, 0.2, 0.2]"
#define PIN "shape: box, center: [0.5, 0.5, 0.5], size: [1, 1, 1]"

static vlPinExit exit_of(const char *pins, const char *more)
{
  char text[1024];
  vlScene scene;
  vlBodySet bodies;
  vlGrid grid;
  vlStatus status = {0};
  snprintf(text, sizeof text, "{grid: {cells: 10%s}, time: {end: 2}, bodies: [{%s, pins: [%s]}]}", more, BLOCK, pins);
  if (vl_scene_parse(&scene, text, strlen(text), "test.yaml", NULL, 0, &status)) fail_msg("%s", status.message);
  if (vl_bodies_create(&bodies, &scene, (vlLog){0}, &status)) fail_msg("%s", status.message);
  assert_int_equal(vl_grid_create(&grid, &scene.grid, &status), VL_OK);
  vlPinExit exit = vl_pins_exit(bodies.body[0], ((vlElastic *)bodies.body[0])->pin, vl_grid_box(&grid));
  vl_bodies_clear(&bodies);
  vl_scene_clear(&scene);
  return exit;
}

/* Times follow from the formulas; bisection finds them to 2^-40 of the way, the slack of 1e-9 of the box moves them. */
static void test_exit_times(void **state)
{
  (void)state;
  static const struct {
    const char *pin;
    double time; /* INFINITY: it stays */
    int axis;
  } cases[] = {
      {"{" PIN "}", INFINITY, 0},
      {"{" PIN ", velocity: [0.5, 0, 0]}", 0.8, 0},                                     /* 0.4 m to go */
      {"{" PIN ", velocity: [0, -0.4, 0], start: 0.25}", 1.25, 1},                      /* through the floor */
      {"{" PIN ", velocity: [0, 0, 0.5], end: 0.7}", INFINITY, 0},                      /* stops before */
      {"{" PIN ", velocity: [0.1, 0, 0]}", INFINITY, 0},                                /* would be out after the end */
      {"{" PIN ", amplitude: [0.8, 0, 0], frequency: 0.5}", 1.0 / 6.0, 0},              /* sin(pi t) = 1/2 */
      {"{" PIN ", amplitude: [0, 0.399, 0], frequency: 7}", INFINITY, 0},               /* just inside */
      {"{" PIN ", amplitude: [0, 0.402, 0], frequency: 7}", 0.0334453658, 1},           /* asin(0.4 / 0.402) / (14 pi) */
      {"{" PIN ", velocity: [0.5, 0, 0], axes: x}", 0.8, 0},                            /* free along y */
      {"{" PIN ", velocity: [0.2, 0, 0]}, {" PIN ", velocity: [-0.25, 0, 0]}", 1.6, 0}, /* the later pin counts */
      {"{shape: box, center: [0.6, 0.5, 0.5], size: [0.1, 1, 1], velocity: [-0.5, 0, 0]}", 1.2, 0}, /* its right side */
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    vlPinExit exit = exit_of(cases[i].pin, "");
    bool same = isinf(cases[i].time) ? isinf(exit.time) && exit.pin == -1
                                     : fabs(exit.time - cases[i].time) < 1e-7 && exit.axis == cases[i].axis && exit.pin >= 0;
    if (!same) fail_msg("%s: at %.10g s along %d, pin %d", cases[i].pin, exit.time, exit.axis, exit.pin);
  }
}

static void test_pins_are_told(void **state)
{
  (void)state;
  char text[4096];
  warnings("{name: piston, " BLOCK ", pins: [{" PIN ", velocity: [0.5, 0, 0]}]}", text);
  if (!strstr(text, "body 'piston': pins[0] carries it out of the box along x at t = 0.8 s")) fail_msg("%s", text);
  assert_string_equal(warnings("{" BLOCK ", pins: [{" PIN ", velocity: [0.1, 0, 0]}]}", text), "");
}

/* A coarse ball lacks some of its volume, one of half its cells a quarter of that: no word of it. */
static void test_missing_volume(void **state)
{
  (void)state;
  char text[4096];
  warnings("{name: ball, shape: sphere, center: [0.5, 0.5, 0.5], radius: 0.2, cell: 0.15}", text);
  if (!strstr(text, "body 'ball' has ") || !strstr(text, "less volume")) fail_msg("%s", text);
  assert_string_equal(warnings("{name: ball, shape: sphere, center: [0.5, 0.5, 0.5], radius: 0.2, cell: 0.06}", text), "");
}

/* Thinner than a cell: told with its name. Thick bodies that share cells, and one outside the box: nothing of the kind. */
static void test_thin(void **state)
{
  (void)state;
  char text[4096];
  warnings("{name: foil, rigid: yes, shape: box, center: [0.5, 0.54, 0.5], size: [0.4, 0.01, 0.4]}, "
           "{name: block, rigid: yes, shape: box, center: [0.5, 0.8, 0.5], size: [0.3, 0.3, 0.3]}",
           text);
  if (!strstr(text, "body 'foil': both its sides lie in one cell") || strstr(text, "'block'")) fail_msg("%s", text);
  warnings("{rigid: yes, shape: box, center: [0.345, 0.5, 0.5], size: [0.3, 0.3, 0.3]}, "
           "{rigid: yes, shape: box, center: [0.655, 0.5, 0.5], size: [0.3, 0.3, 0.3]}, "
           "{rigid: yes, shape: box, center: [3, 0.5, 0.5], size: [0.3, 0.3, 0.3], motion: [{move: slide, velocity: [-0.1, "
           "0, 0]}]}",
           text);
  if (strstr(text, "both its sides")) fail_msg("%s", text);
  if (!strstr(text, "a part of it is out of the box from the beginning")) fail_msg("%s", text);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_exit_times),
      cmocka_unit_test(test_pins_are_told),
      cmocka_unit_test(test_missing_volume),
      cmocka_unit_test(test_thin),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
