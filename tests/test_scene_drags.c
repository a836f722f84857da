/* Drags of scenes: their keys and defaults, settings, copies, and what is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/vec.h"
#include "scene/scene.h"

#define BODIES                                                                                                              \
  "bodies:\n"                                                                                                               \
  "  - {name: jelly, shape: box, center: [0.5, 0.5, 0.5], size: [0.2, 0.2, 0.2]}\n"                                         \
  "  - {name: wheel, shape: box, center: [0.2, 0.5, 0.5], size: [0.1, 0.1, 0.1], motion: [{move: spin, rate: 1 rpm}]}\n"

static void test_keys(void **state)
{
  (void)state;
  static const char text[] = BODIES "drags:\n"
                                    "  - {body: jelly, point: [0.5, 60 cm, 0.5], radius: 2 cm, start: 500 ms, end: 3 s,\n"
                                    "     path: [{time: 1 s, position: [0.5, 0.8, 0.5]}, {time: 2, position: [0.6, 0.8, "
                                    "0.5]}]}\n"
                                    "  - {body: jelly, point: [0.5, 0.4, 0.5]}\n";
  vlScene scene, copy;
  vlStatus status = {0};
  const vlSetting set = {"drags[0].path[1].position=[0.7, 0.8, 0.5]"};
  if (vl_scene_parse(&scene, text, strlen(text), "test.yaml", &set, 1, &status)) fail_msg("%s", status.message);
  assert_int_equal(vl_scene_copy(&copy, &scene, &status), VL_OK);
  vl_scene_clear(&scene);
  assert_int_equal(copy.drag_count, 2);
  const vlDragDef *drag = copy.drags;
  assert_string_equal(drag[0].body, "jelly");
  assert_true(drag[0].point.y == 0.6 && drag[0].radius == 0.02 && drag[0].start == 0.5 && drag[0].end == 3.0);
  assert_int_equal(drag[0].path_count, 2);
  assert_true(drag[0].path[0].time == 1.0 && drag[0].path[1].position.x == 0.7 && drag[0].path[1].position.y == 0.8);
  assert_true(drag[1].radius == 0.05 && drag[1].start == 0.0 && isinf(drag[1].end) && drag[1].path_count == 0);
  assert_int_equal(drag[1].where.line, 7);
  vl_scene_clear(&copy);
}

static void test_refused(void **state)
{
  (void)state;
  static const struct {
    const char *drag, *says, *too;
  } wrong[] = {
      {"{body: jely, point: [0, 0, 0]}", "jely: there is no body of this name", "did you mean 'jelly'?"},
      {"{body: jely, point: [0, 0, 0]}", "test.yaml:5:12", "bodies: jelly, wheel"},
      {"{body: wheel, point: [0, 0, 0]}", "wheel has a motion and goes its own way", "test.yaml:5"},
      {"{point: [0, 0, 0]}", "body", "test.yaml:5"},
      {"{body: jelly}", "point", "test.yaml:5"},
      {"{body: jelly, point: [0, 0]}", "point", "three"},
      {"{body: jelly, point: [0, 0, 0], radius: 0}", "radius", "more than 0"},
      {"{body: jelly, point: [0, 0, 0], start: 2, end: 1}", "1 s is not after its start, 2 s", "end"},
      {"{body: jelly, point: [0, 0, 0], start: 2, path: [{time: 2, position: [0, 0, 0]}]}",
       "2 s is not after the start, 2 s", "time"},
      {"{body: jelly, point: [0, 0, 0], path: [{time: 2, position: [0, 0, 0]}, {time: 1, position: [0, 0, 0]}]}",
       "1 s is not after the place before, 2 s", "time"},
      {"{body: jelly, point: [0, 0, 0], path: [{time: 2}]}", "position", "test.yaml:5"},
      {"{body: jelly, point: [0, 0, 0], keys: []}", "keys", "path"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    vlScene scene;
    vlStatus status = {0};
    char text[1024];
    snprintf(text, sizeof text, BODIES "drags:\n  - %s\n", wrong[i].drag);
    vlCode code = vl_scene_parse(&scene, text, strlen(text), "test.yaml", NULL, 0, &status);
    if (code != VL_ERROR_SCENE) fail_msg("not refused: %s", wrong[i].drag);
    if (!strstr(status.message, wrong[i].says) || !strstr(status.message, wrong[i].too))
      fail_msg("'%s', '%s' are not said of %s: %s", wrong[i].says, wrong[i].too, wrong[i].drag, status.message);
  }
}

/* A slab's hands stay in its plane, and a program's scene is checked alike. */
static void test_slab_and_program(void **state)
{
  (void)state;
  static const char flat[] =
      "{grid: {slab: yes, size: [1, 1]}, bodies: [{name: jelly, shape: box, center: [0.5, 0.5], size: "
      "[0.2, 0.2]}], drags: [{body: jelly, point: [0.5, 0.6], path: [{time: 1, position: [0.5, "
      "0.7]}]}]}";
  vlScene scene;
  vlStatus status = {0};
  if (vl_scene_parse(&scene, flat, strlen(flat), "test.yaml", NULL, 0, &status)) fail_msg("%s", status.message);
  assert_true(scene.drags[0].path[0].position.y == 0.7 && scene.drags[0].point.z == 0.0);
  scene.drags[0].point.z = 0.1;
  assert_int_equal(vl_scene_complete(&scene, &status), VL_ERROR_SCENE);
  assert_non_null(strstr(status.message, "drags[0].point"));
  vl_scene_clear(&scene);
  vlDragDef drag = vl_drag_default();
  strcpy(drag.body, "nobody");
  assert_int_equal(vl_scene_add_drag(&scene, &drag, &status), VL_OK);
  assert_int_equal(vl_scene_complete(&scene, &status), VL_ERROR_SCENE);
  assert_non_null(strstr(status.message, "drags[0].body: nobody: there is no body"));
  vl_scene_clear(&scene);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_keys),
      cmocka_unit_test(test_refused),
      cmocka_unit_test(test_slab_and_program),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
