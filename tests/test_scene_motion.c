/* Scenes with scripted bodies and pushes: every key, defaults, copies, slabs, and mistakes with their place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/vec.h"
#include "scene/scene.h"

static const char text[] = "bodies:\n"
                           "  - name: wheel\n"
                           "    shape: box\n"
                           "    size: [0.1, 0.2, 0.3]\n"
                           "    motion:\n"
                           "      - {move: spin, axis: [0, 2, 0], rate: 30 rpm, about: [1, 2, 3 cm]}\n"
                           "      - {move: slide, velocity: [1, 0, 20 cm/s], start: 100 ms, end: 2 s}\n"
                           "      - {move: sway, amplitude: [0, 5 cm, 0], frequency: 2 Hz, phase: 90}\n"
                           "      - {move: swing, angle: 1/4 turn, frequency: 1}\n"
                           "      - move: keys\n"
                           "        keys:\n"
                           "          - {time: 0, position: [0, 0, 0], rotate: \"z 0, x 10\"}\n"
                           "          - {time: 500 ms, position: [1, 0, 0], rotate: \"z 720, x 10\"}\n"
                           "  - name: box\n"
                           "    rigid: yes\n"
                           "    shape: box\n"
                           "    size: [0.1, 0.2, 0.3]\n"
                           "    pushes:\n"
                           "      - {force: [0, 2 kN, 0], start: 1 s, end: 2 s}\n"
                           "      - {force: [1, 0, 0]}\n";

static void check_scene(const vlScene *scene)
{
  const vlBodyDef *wheel = &scene->bodies[0], *box = &scene->bodies[1];
  assert_true(wheel->kind == VL_BODY_SCRIPTED);
  assert_int_equal(wheel->motion_count, 5);
  const vlMotionDef *m = wheel->motion;
  assert_int_equal(m[0].kind, VL_MOTION_SPIN);
  assert_true(fabs(m[0].rate - VL_PI) <= 1e-15 && m[0].axis.y == 2.0 && m[0].has_about && m[0].about.z == 0.03);
  assert_true(isinf(m[0].end) && m[0].start == 0.0);
  assert_int_equal(m[1].kind, VL_MOTION_SLIDE);
  assert_true(m[1].velocity.z == 0.2 && m[1].start == 0.1 && m[1].end == 2.0);
  assert_int_equal(m[2].kind, VL_MOTION_SWAY);
  assert_true(m[2].amplitude.y == 0.05 && m[2].frequency == 2.0 && fabs(m[2].phase - 0.5 * VL_PI) <= 1e-15);
  assert_int_equal(m[3].kind, VL_MOTION_SWING);
  assert_true(fabs(m[3].angle - 0.5 * VL_PI) <= 1e-15 && m[3].axis.z == 1.0 && !m[3].has_about);
  assert_int_equal(m[4].kind, VL_MOTION_KEYS);
  assert_int_equal(m[4].key_count, 2);
  const vlKeyDef *last = &m[4].keys[1];
  assert_true(last->time == 0.5 && last->position.x == 1.0 && last->rotate.count == 2);
  assert_true(last->rotate.axis[0] == 2 && last->rotate.axis[1] == 0);
  assert_true(fabs(last->rotate.angle[0] - 4.0 * VL_PI) <= 1e-14);
  assert_int_equal(box->push_count, 2);
  assert_true(box->pushes[0].force.y == 2000.0 && box->pushes[0].end == 2.0 && isinf(box->pushes[1].end));
}

static void test_all_keys(void **state)
{
  (void)state;
  vlScene scene, copy;
  vlStatus status = {0};
  if (vl_scene_parse(&scene, text, strlen(text), "test.yaml", NULL, 0, &status)) fail_msg("%s", status.message);
  check_scene(&scene);
  assert_int_equal(vl_scene_copy(&copy, &scene, &status), VL_OK);
  vl_scene_clear(&scene);
  check_scene(&copy);
  vl_scene_clear(&copy);
}

/* Every one is refused on its line, with these words. */
static void test_mistakes(void **state)
{
  (void)state;
  static const struct {
    const char *slab, *rest, *words;
  } cases[] = {
      {"no", "motion: [{move: spin}]", "rate is missing"},
      {"no", "motion: [{axis: [0, 0, 1]}]", "move is missing"},
      {"no", "motion: [{move: turn, rate: 1}]", "did you mean 'spin'?"},
      {"no", "motion: []", "1 or more entries"},
      {"no", "motion: [spin]", "a motion is a mapping"},
      {"no", "motion: [{move: slide, velocity: [1, 0, 0], rate: 2}]", "it is for: spin"},
      {"no", "motion: [{move: slide, velocity: [1, 0, 0], start: 2, end: 1}]", "after the start"},
      {"no", "motion: [{move: spin, rate: 1, axis: [0, 0, 0]}]", "length zero"},
      {"no", "motion: [{move: spin, rate: 1 m}]", "an angular speed is expected"},
      {"no", "motion: [{move: keys, keys: [{time: 1, rotate: z 0}, {time: 1, rotate: z 9}]}]", "times of keys must ascend"},
      {"no", "motion: [{move: keys, keys: [{rotate: z 0}]}]", "time is missing"},
      {"no", "motion: [{move: keys, keys: [{time: 1}]}]", "a key needs a position"},
      {"no", "motion: [{move: keys, keys: [{time: 1, rotate: q 3}]}]", "turns are written as axis and degrees"},
      {"no", "motion: [{move: keys, keys: [{time: 1, position: [0, 0, 0]}, {time: 2}]}]", "keys[1]: a key needs a position"},
      {"no", "motion: [{move: keys, keys: [{time: 1, position: [0, 0, 0]}, {time: 2, rotate: z 0}]}]",
       "keys[1]: all keys need a position"},
      {"no", "motion: [{move: keys, keys: [{time: 1, rotate: z 0}, {time: 2, rotate: z 0, position: [0, 0, 0]}]}]",
       "keys[1].position: all keys need a position"},
      {"no", "motion: [{move: keys, keys: [{time: 1, rotate: z 0}, {time: 1.000001, rotate: z 90}]}]",
       "keys[1].rotate: from the key before it turns faster than 1e5 rad/s"},
      {"no", "motion: [{move: spin, rate: 2e5}]", "out of range"},
      {"no", "rigid: no, motion: [{move: spin, rate: 1}]", "bodies[0].rigid: a body with a motion is rigid"},
      {"no", "velocity: [1, 0, 0], motion: [{move: spin, rate: 1}]", "motion says how it moves"},
      {"no", "pushes: [{force: [1, 0, 0]}], motion: [{move: spin, rate: 1}]", "motion says how it moves"},
      {"no", "stretch: [2, 1, 1], motion: [{move: spin, rate: 1}]", "cannot be stretched"},
      {"no", "pushes: [{force: [1 m, 0, 0]}]", "a force is expected"},
      {"no", "pushes: [{start: 1}]", "force is missing"},
      {"no", "pushes: [{force: [1, 0, 0], end: 1, start: 2}]", "not after its start"},
      {"no", "path: [{move: spin, rate: 1}]", "did you mean 'motion'?"},
      {"yes", "motion: [{move: spin, rate: 1, axis: [0, 1, 0]}]", "about z only"},
      {"yes", "motion: [{move: slide, velocity: [1, 0, 1]}]", "must be 0 in a slab"},
      {"yes", "motion: [{move: keys, keys: [{time: 1, rotate: x 3}]}]", "about z only"},
      {"yes", "pushes: [{force: [1, 0, 1]}]", "must be 0 in a slab"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char whole[512];
    vlScene scene;
    vlStatus status = {0};
    snprintf(whole, sizeof whole, "grid: {slab: %s}\nbodies:\n  - {shape: box, size: [0.1, 0.1, 0.1], %s}\n", cases[i].slab,
             cases[i].rest);
    assert_int_equal(vl_scene_parse(&scene, whole, strlen(whole), "test.yaml", NULL, 0, &status), VL_ERROR_SCENE);
    if (!strstr(status.message, cases[i].words) || !strstr(status.message, "test.yaml:3:"))
      fail_msg("%s\nlacks: %s", status.message, cases[i].words);
  }
}

/* Of a program's own scene too. */
static void test_data(void **state)
{
  (void)state;
  vlScene scene;
  vlStatus status = {0};
  vlBodyDef body = vl_body_default();
  vlMotionDef motion = vl_motion_default(VL_MOTION_SPIN);
  body.size = vl_vec(0.1, 0.1, 0.1);
  body.motion = &motion;
  body.motion_count = 1;
  vl_scene_default(&scene);
  assert_int_equal(vl_scene_add_body(&scene, &body, &status), VL_OK);
  assert_int_equal(vl_scene_complete(&scene, &status), VL_OK);
  assert_true(scene.bodies[0].kind == VL_BODY_SCRIPTED);
  scene.bodies[0].motion[0].rate = NAN;
  assert_int_equal(vl_scene_complete(&scene, &status), VL_ERROR_SCENE);
  assert_non_null(strstr(status.message, "bodies[0].motion[0]"));
  vl_scene_clear(&scene);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_keys), cmocka_unit_test(test_mistakes),
                                     cmocka_unit_test(test_data)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
