/* The one check of scenes: a mistake of a program is told in the words of the same mistake in a file, with the path of its
 * key instead of the place; what may be left out may be; completing a scene again changes nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "scene/scene.h"

static void load(vlScene *scene, const char *text)
{
  vlStatus status = {0};
  if (vl_scene_parse(scene, text, strlen(text), "x.yaml", NULL, 0, &status)) fail_msg("%s", status.message);
}

/* A scene with one of everything; each mistake is one value of it. */
static const char good[] =
    "grid: {size: [1, 1, 1], cells: 16}\n"
    "liquid:\n"
    "  level: 0.2\n"
    "  velocity: [0, 0, 0]\n"
    "  sinks: [{shape: torus, radius: 0.2, tube_radius: 0.1}]\n"
    "  sources: [{shape: sphere, radius: 0.1, start: 1, end: 2}]\n"
    "solids: [{shape: box, size: [0.1, 0.2, 0.3], round: 0.01}, {shape: union, parts: [{shape: halfspace, normal: [0, 2, "
    "0]}]}]\n"
    "bodies:\n"
    "  - {shape: box, size: [0.1, 0.1, 0.1], pins: [{shape: sphere, radius: 0.1, axes: y, velocity: [0, 1, 0], end: 3}]}\n"
    "  - {shape: box, size: [0.1, 0.1, 0.1], motion: [{move: keys, keys: [{time: 1, rotate: z 0}, {time: 2, rotate: z "
    "9}]}]}\n"
    "  - {shape: sphere, radius: 0.1, rigid: yes, mass: 2, pushes: [{force: [1, 0, 0], end: 4}]}\n"
    "probes: [{probe: flux, position: [0.5, 0.5, 0.5], axis: x, size: [0, 1, 1]}]\n"
    "time: {dt_fixed: 1 ms}\n"
    "pressure: {weights: area}\n"
    "render: {sun: [1, 1, 1]}\n";

static void set(vlScene *s, int mistake)
{
  switch (mistake) {
  case 0:
    s->grid.size.y = NAN;
    break;
  case 1:
    s->grid.cells = 4000;
    break;
  case 2:
    s->liquid.transfer = VL_TRANSFER_STILL;
    break;
  case 3:
    s->liquid.sinks[0].shape.tube_radius = 0.3;
    break;
  case 4:
    s->liquid.sources[0].end = 0.5;
    break;
  case 5:
    s->solids[0].shape.round = 0.06;
    break;
  case 6:
    s->solids[1].shape.parts[0].normal = vl_vec(0, 0, 0);
    break;
  case 7:
    s->solids[1].shape.part_count = 0;
    break;
  case 8:
    s->bodies[0].pins[0].velocity.x = 1.0;
    break;
  case 9:
    s->bodies[1].motion[0].keys[1].time = 1.0;
    break;
  case 10:
    s->bodies[1].velocity.y = 1.0;
    break;
  case 11:
    s->bodies[2].pushes[0].end = 0.0;
    break;
  case 12:
    s->bodies[2].stretch.z = 2.0;
    break;
  case 13:
    s->bodies[2].kind = VL_BODY_ELASTIC;
    break;
  case 14:
    s->probes[0].position.z = 2.0;
    break;
  case 15:
    s->probes[0].size.y = 0.0;
    break;
  case 16:
    s->time.dt_fixed = 1.0;
    break;
  case 17:
    s->look.sun = vl_vec(0, 0, 0);
    break;
  case 18:
    s->pressure.weights = (vlWeightsKind)17;
    break;
  case 19:
    s->bodies[0].kind = (vlBodyKind)17;
    break;
  default:
    fail_msg("no such mistake");
  }
}

static const struct {
  const char *old, *now; /* the same mistake in the file; NULL: none can be written there */
  const char *key, *words;
} mistakes[] = {
    {NULL, NULL, "grid.size[1]", "nan: not a finite number; a length is expected"},
    {"cells: 16", "cells: 4000", "grid.cells", "4000 x 4000 x 4000 = 64000000000 cells; at most 2147483648 are possible"},
    {"level: 0.2", "transfer: still", "liquid.sources",
     "nothing moves with liquid.transfer: still, so there can be no sources"},
    {"tube_radius: 0.1", "tube_radius: 0.3", "liquid.sinks[0].tube_radius", "the tube must be thinner than radius, 0.2 m"},
    {"end: 2}", "end: 0.5}", "liquid.sources[0].end", "0.5 s is not after its start, 1 s"},
    {"round: 0.01", "round: 0.06", "solids[0].round", "at most half of the thinnest side is possible, 0.05 m"},
    {"normal: [0, 2, 0]", "normal: [0, 0, 0]", "solids[1].parts[0].normal", "a direction must not have length zero"},
    {"parts: [{shape: halfspace, normal: [0, 2, 0]}]", "parts: []", "solids[1].parts", "this list has 0 entries"},
    {"velocity: [0, 1, 0]", "velocity: [1, 1, 0]", "bodies[0].pins[0].velocity",
     "the x entry must be 0: the nodes are free along x"},
    {"{time: 2,", "{time: 1,", "bodies[1].motion[0].keys[1].time", "times of keys must ascend"},
    {"motion: [", "velocity: [0, 1, 0], motion: [", "bodies[1].velocity",
     "motion says how it moves; this is for bodies without one"},
    {"end: 4", "start: 5, end: 4", "bodies[2].pushes[0].end", NULL},
    {"mass: 2", "mass: 2, stretch: [1, 1, 2]", "bodies[2].stretch", "a rigid body cannot be stretched"},
    {"rigid: yes", "rigid: no", "bodies[2].mass", "only rigid bodies take this key"},
    {"position: [0.5, 0.5, 0.5]", "position: [0.5, 0.5, 2]", "probes[0].position", "z = 2 m is outside of the box"},
    {"size: [0, 1, 1]", "size: [0, 0, 1]", "probes[0].size",
     "the y entry must be more than 0; only that along axis, x, may be 0"},
    {"dt_fixed: 1 ms", "dt_fixed: 1 s", "time.dt_fixed", "1 s is longer than a frame"},
    {"sun: [1, 1, 1]", "sun: [0, 0, 0]", "render.sun", "a direction must not have length zero"},
    {NULL, NULL, "pressure.weights", "17: not one of the words allowed here\n  allowed: area, volume, line, voxel"},
    {NULL, NULL, "bodies[0].rigid", "17: there is no such kind of body"},
};
enum { MISTAKES = sizeof mistakes / sizeof *mistakes };

/* The message begins with the path of the key; and has the words. */
static void check_message(const char *message, int i)
{
  char begin[128];
  snprintf(begin, sizeof begin, "%s: ", mistakes[i].key);
  const char *words = mistakes[i].words ? mistakes[i].words : "";
  if (strncmp(message, begin, strlen(begin)) != 0 || !strstr(message, words))
    fail_msg("%s\ninstead of: %s%s", message, begin, words);
}

static void programs_and_files_are_told_the_same(void **state)
{
  (void)state;
  for (int i = 0; i < MISTAKES; i++) {
    vlScene scene;
    vlStatus status = {0};
    load(&scene, good);
    assert_int_equal(vl_scene_complete(&scene, &status), VL_OK);
    int parts = scene.solids[1].shape.part_count;
    set(&scene, i);
    assert_int_equal(vl_scene_complete(&scene, &status), VL_ERROR_SCENE);
    assert_int_equal(status.code, VL_ERROR_SCENE);
    check_message(status.message, i);
    scene.solids[1].shape.part_count = parts;
    vl_scene_clear(&scene);
    if (!mistakes[i].old) continue;

    char text[sizeof good + 64];
    const char *at = strstr(good, mistakes[i].old);
    assert_non_null(at);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - good), good, mistakes[i].now, at + strlen(mistakes[i].old));
    vlCode code = vl_scene_parse(&scene, text, strlen(text), "x.yaml", NULL, 0, &status);
    if (code != VL_ERROR_SCENE) fail_msg("accepted: %s", mistakes[i].now);
    const char *place = strstr(status.message, ": "); /* x.yaml:2:7: key: ... */
    assert_true(strncmp(status.message, "x.yaml:", 7) == 0 && place && strchr(status.message, '^'));
    check_message(place + 2, i);
  }
}

/* What a key holds that is not given, and one of two that exclude each other. */
static void what_may_be_left_out(void **state)
{
  (void)state;
  vlScene scene;
  vlStatus status = {0};
  load(&scene, good);
  scene.grid.cells = 0;
  assert_int_equal(vl_scene_complete(&scene, &status), VL_ERROR_SCENE);
  assert_non_null(strstr(status.message, "grid.cells: 0: out of range"));
  scene.grid.dx = 0.125;
  scene.time.dt_max = INFINITY;
  scene.liquid.sources[0].end = INFINITY;
  scene.bodies[2].density = 0.0; /* its mass is given */
  if (vl_scene_complete(&scene, &status)) fail_msg("%s", status.message);
  scene.time.end = INFINITY;
  assert_int_equal(vl_scene_complete(&scene, &status), VL_ERROR_SCENE);
  assert_non_null(strstr(status.message, "time.end: inf: not a finite number"));
  vl_scene_clear(&scene);
}

/* What a program leaves to the check: names, a slab's thickness, boxes of two entries, unit normals, scripted bodies. */
static void programs_are_completed(void **state)
{
  (void)state;
  vlScene scene;
  vlStatus status = {0};
  vlMotionDef motion = vl_motion_default(VL_MOTION_SPIN);
  vlBodyDef body = vl_body_default();
  vlSolidDef solid = {.shape = vl_shape_default(VL_SHAPE_BOX)};
  vlShape water = vl_shape_default(VL_SHAPE_HALFSPACE);
  const vlProbeDef probe = {.kind = VL_PROBE_HEIGHT};
  body.size = vl_vec(0.1, 0.1, 0.0);
  body.motion = &motion;
  body.motion_count = 1;
  solid.shape.size = vl_vec(0.1, 0.2, 0.0);
  water.normal = vl_vec(3, 4, 0);
  vl_scene_default(&scene);
  scene.grid.slab = true;
  scene.grid.dx = 0.25;
  assert_int_equal(vl_scene_add_body(&scene, &body, &status), VL_OK);
  assert_int_equal(vl_scene_add_solid(&scene, &solid, &status), VL_OK);
  assert_int_equal(vl_scene_add_liquid(&scene, &water, &status), VL_OK);
  assert_int_equal(vl_scene_add_probe(&scene, &probe, &status), VL_OK);
  if (vl_scene_complete(&scene, &status)) fail_msg("%s", status.message);
  assert_true(scene.grid.cells == 0 && scene.grid.size.z == 0.25 && scene.grid.origin.z == -0.125);
  assert_true(scene.bodies[0].kind == VL_BODY_SCRIPTED && scene.solids[0].shape.size.z == 2.0);
  assert_true(vl_norm(vl_sub(scene.liquid.shapes[0].normal, vl_vec(0.6, 0.8, 0))) < 1e-15);
  assert_string_equal(scene.bodies[0].name, "bodies[0]");
  assert_string_equal(scene.solids[0].name, "solids[0]");
  assert_string_equal(scene.probes[0].name, "probes[0]");
  vl_scene_clear(&scene);
}

/* All bytes of the scene and of its lists. */
static size_t gather(const vlScene *scene, char *out)
{
  const struct {
    const void *at;
    size_t bytes;
  } parts[] = {
      {scene, sizeof *scene},
      {scene->solids, (size_t)scene->solid_count * sizeof *scene->solids},
      {scene->bodies, (size_t)scene->body_count * sizeof *scene->bodies},
      {scene->probes, (size_t)scene->probe_count * sizeof *scene->probes},
      {scene->liquid.shapes, (size_t)scene->liquid.shape_count * sizeof *scene->liquid.shapes},
      {scene->liquid.sources, (size_t)scene->liquid.source_count * sizeof *scene->liquid.sources},
      {scene->liquid.sinks, (size_t)scene->liquid.sink_count * sizeof *scene->liquid.sinks},
  };
  size_t n = 0;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    if (out && parts[i].bytes) memcpy(out + n, parts[i].at, parts[i].bytes);
    n += parts[i].bytes;
  }
  return n;
}

static void completing_again_changes_nothing(void **state)
{
  (void)state;
  for (int i = 0; i < vl_scene_builtin_count(); i++) {
    vlScene scene;
    vlStatus status = {0};
    assert_int_equal(vl_scene_load(&scene, vl_scene_builtin_name(i), NULL, 0, &status), VL_OK);
    size_t bytes = gather(&scene, NULL);
    char *before = malloc(bytes), *after = malloc(bytes);
    assert_true(before && after);
    gather(&scene, before);
    if (vl_scene_complete(&scene, &status)) fail_msg("%s: %s", vl_scene_builtin_name(i), status.message);
    gather(&scene, after);
    if (memcmp(before, after, bytes) != 0) fail_msg("%s is not the same", vl_scene_builtin_name(i));
    free(before);
    free(after);
    vl_scene_clear(&scene);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(programs_and_files_are_told_the_same),
      cmocka_unit_test(what_may_be_left_out),
      cmocka_unit_test(programs_are_completed),
      cmocka_unit_test(completing_again_changes_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
