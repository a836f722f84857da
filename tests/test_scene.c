/* Scenes that load: YAML and JSON give the same, units become SI, defaults come from the table, settings change one value;
 * the built-in scenes, the schema, the starter file and docs/scene.md agree with the table. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../scripts/scene_docs.h"
#include "base/vec.h"
#include "scene/keys.h"
#include "scene/quantity.h"
#include "scene/scene.h"
#include "scene/tree.h"

static void load(vlScene *scene, const char *text, const char *const *sets, int count)
{
  vlStatus status = {0};
  vlSetting settings[8] = {{0}};
  for (int i = 0; i < count; i++) settings[i].text = sets[i];
  if (vl_scene_parse(scene, text, strlen(text), "test.yaml", settings, count, &status) != VL_OK)
    fail_msg("%s", status.message);
  assert_string_equal(status.message, "");
}

static double read_quantity(const char *text, vlDimension dimension)
{
  double value;
  char why[VL_WHY];
  if (!vl_quantity_read(text, strlen(text), dimension, &value, why)) fail_msg("%s: %s", text, why);
  return value;
}

/* Factors are exact fractions, so the nearest double is expected, not a tolerance. */
static void test_units(void **state)
{
  (void)state;
  assert_true(read_quantity("0.3", VL_DIM_LENGTH) == 0.3);
  assert_true(read_quantity("30 cm", VL_DIM_LENGTH) == 0.3);
  assert_true(read_quantity(" 30cm ", VL_DIM_LENGTH) == 0.3);
  assert_true(read_quantity("-.5e1 mm", VL_DIM_LENGTH) == -0.005);
  assert_true(read_quantity("1 in", VL_DIM_LENGTH) == 0.0254);
  assert_true(read_quantity("2 km", VL_DIM_LENGTH) == 2000.0);
  assert_true(read_quantity("20 ms", VL_DIM_TIME) == 0.02);
  assert_true(read_quantity("2 min", VL_DIM_TIME) == 120.0);
  assert_true(read_quantity("1/30 s", VL_DIM_TIME) == 1.0 / 30.0);
  assert_true(read_quantity("1/30", VL_DIM_TIME) == 1.0 / 30.0);
  assert_true(read_quantity("9.81 m/s^2", VL_DIM_ACCELERATION) == 9.81);
  assert_true(read_quantity("9.81 m s^-2", VL_DIM_ACCELERATION) == 9.81);
  assert_true(read_quantity("981 cm/s2", VL_DIM_ACCELERATION) == 9.81);
  assert_true(read_quantity("9.81 m/s/s", VL_DIM_ACCELERATION) == 9.81);
  assert_true(read_quantity("1 g/cm^3", VL_DIM_DENSITY) == 1000.0);
  assert_true(read_quantity("1 kg/l", VL_DIM_DENSITY) == 1000.0);
  assert_true(read_quantity("1000 Pa s^2 / m^2", VL_DIM_DENSITY) == 1000.0);
  assert_true(read_quantity("2", VL_DIM_SPEED) == 2.0);
  assert_true(read_quantity("250 cm/s", VL_DIM_SPEED) == 2.5);
  assert_true(read_quantity("36 km/h", VL_DIM_SPEED) == 10.0);
  assert_true(read_quantity("30 1/s", VL_DIM_RATE) == 30.0);
  assert_true(read_quantity("30 Hz", VL_DIM_RATE) == 30.0);
  assert_true(read_quantity("30 /s", VL_DIM_RATE) == 30.0);
  assert_true(read_quantity("2e5", VL_DIM_PRESSURE) == 2e5);
  assert_true(read_quantity("200 kPa", VL_DIM_PRESSURE) == 2e5);
  assert_true(read_quantity("0.2 MPa", VL_DIM_PRESSURE) == 2e5);
  assert_true(read_quantity("1 N/mm^2", VL_DIM_PRESSURE) == 1e6);
  assert_true(read_quantity("180 deg/s", VL_DIM_SPIN) == VL_PI);
  assert_true(read_quantity("3", VL_DIM_SPIN) == 3.0);
  assert_true(read_quantity("180", VL_DIM_ANGLE) == VL_PI);
  assert_true(read_quantity("180 deg", VL_DIM_ANGLE) == VL_PI);
  assert_true(read_quantity("0.5 rad", VL_DIM_ANGLE) == 0.5);
}

static void test_bad_quantities(void **state)
{
  (void)state;
  static const char *const bad[] = {"",       " ",     "abc",   "0x10",    "nan",   ".nan",     "inf",
                                    "-.inf",  "1e999", "1 kg",  "1 mm^2",  "1 m/s", "1 mx",     "1 m^0",
                                    "1 m^23", "1 /",   "1 m /", "1,5",     "--1",   "1 2",      "1/0",
                                    "1e",     "+",     ".",     "1 cm cm", "5 %",   "1e308 km", "1 m//m"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    double value;
    char why[VL_WHY] = "";
    if (vl_quantity_read(bad[i], strlen(bad[i]), VL_DIM_LENGTH, &value, why)) fail_msg("'%s' was read as %g", bad[i], value);
    assert_true(strlen(why) > 0);
  }
}

static void test_defaults(void **state)
{
  (void)state;
  vlScene scene, empty;
  vl_scene_default(&scene);
  assert_int_equal(scene.grid.cells, 64);
  assert_true(scene.grid.dx == 0.0 && !scene.grid.slab);
  assert_true(scene.grid.size.x == 1.0 && scene.grid.size.y == 1.0 && scene.grid.size.z == 1.0);
  assert_true(scene.gravity.y == -9.81 && scene.liquid.density == 1000.0 && !scene.liquid.has_level);
  assert_true(scene.time.frames_per_second == 30.0 && scene.time.cfl == 2.0 && isinf(scene.time.dt_max) &&
              scene.time.dt_fixed == 0.0);
  assert_int_equal(scene.pressure.solver, VL_SOLVER_MULTIGRID);
  assert_true(scene.pressure.tolerance == 1e-6 && scene.pressure.max_iterations == 500 && scene.pressure.theta_min == 1e-4);
  assert_true(scene.output.fields && scene.output.solids && !scene.output.particles && scene.output.surface);
  assert_true(scene.output.vtk && !scene.output.ply && scene.output.checkpoint_every == 0);
  assert_true(scene.liquid.transfer == VL_TRANSFER_FLIP && scene.liquid.flip == 0.97 && scene.liquid.particles == 2);
  assert_true(scene.liquid.integrator == VL_INTEGRATOR_RK2 && scene.liquid.keep_volume);
  assert_true(vl_norm(scene.liquid.velocity) == 0.0);
  assert_true(!scene.liquid.sources && !scene.liquid.sinks && !scene.probes && !scene.bodies);
  assert_true(scene.coupling.kind == VL_COUPLING_SCHUR && scene.coupling.sigma == 0.9 && scene.coupling.alpha == 0.001 &&
              scene.output.bodies);
  /* A scene that says nothing is the default scene. */
  load(&empty, "{}", NULL, 0);
  assert_string_equal(empty.name, "test");
  vl_scene_clear(&empty);
  assert_memory_equal(&empty, &scene, sizeof scene);
  vl_scene_clear(&scene);
}

/* Every default of the table must be a value that the key itself takes, and so must every example. */
static void test_table(void **state)
{
  (void)state;
  for (int i = 0; i < vl_key_count; i++) {
    const vlKey *key = &vl_keys[i];
    if (key->type == VL_KEY_SECTION) continue;
    assert_non_null(key->about);
    assert_non_null(key->example);
    assert_true(key->value || key->absent || key->required);
    bool scalar =
        key->type == VL_KEY_NUMBER || key->type == VL_KEY_INTEGER || key->type == VL_KEY_SWITCH || key->type == VL_KEY_WORD;
    if (!scalar) continue;
    double room[16];
    char why[VL_WHY];
    if (!vl_key_store(key, key->example, strlen(key->example), room, why)) fail_msg("%s: %s", key->name, why);
    if (key->value && !vl_key_store(key, key->value, strlen(key->value), room, why)) fail_msg("%s: %s", key->name, why);
  }
}

/* Examples of lists are what users copy first. */
static void test_examples_of_lists(void **state)
{
  (void)state;
  int lists = 0;
  for (int i = 0; i < vl_key_count; i++) {
    const vlKey *key = &vl_keys[i];
    bool list = key->type == VL_KEY_LIST || key->type == VL_KEY_WORDS || key->type == VL_KEY_VECTOR;
    if (!list || vl_groups[key->group].bytes) continue;
    char text[512];
    vlScene scene;
    const char *group = vl_groups[key->group].name;
    int used = snprintf(text, sizeof text, *group ? "%s: {%s: %s}" : "%s%s: %s", group, key->name, key->example);
    if (key->section == VL_GROUP_DRAG) /* it drags the body of their example */
      snprintf(text + used, sizeof text - (size_t)used, "\nbodies: [{name: jelly, shape: sphere, radius: 0.1}]");
    load(&scene, text, NULL, 0);
    vl_scene_clear(&scene);
    lists++;
  }
  assert_true(lists >= 11);
}

static const char yaml_text[] = "about: Both ways of writing.\n"
                                "grid: {origin: [-1 m, 0, 50 cm], size: [2, 1, 1], dx: 1 cm}\n"
                                "gravity: [0, -981 cm/s^2, 0]\n"
                                "liquid:\n"
                                "  density: 1 g/cm^3\n"
                                "  shapes:\n"
                                "    - {shape: box, center: [0, 0.2, 1], size: [1, 0.4, 1]}\n"
                                "solids:\n"
                                "  - name: tank\n"
                                "    shape: cylinder\n"
                                "    radius: 30 cm\n"
                                "    height: 0.5\n"
                                "    rotate: z 90, x 90\n"
                                "    solid: outside\n"
                                "  - shape: union\n"
                                "    blend: 2 cm\n"
                                "    parts:\n"
                                "      - {shape: sphere, radius: 0.1}\n"
                                "      - {shape: halfspace, normal: [0, 3, 4]}\n"
                                "time: {end: 2 s, frames_per_second: 60, dt_max: 10 ms}\n"
                                "pressure: {solver: mic, tolerance: 1e-10}\n"
                                "output: {fields: no, solids: True}\n"
                                "checks: 3\n";

static const char json_text[] = "{\"about\": \"Both ways of writing.\",\n\t\"grid\": {\"origin\": [\"-1 m\", 0, \"50 cm\"], "
                                "\"size\": [2, 1, 1], \"dx\": 0.01},\n"
                                "\"gravity\": [0, -9.81, 0], \"liquid\": {\"density\": 1000.0,\n"
                                "\"shapes\": [{\"shape\": \"box\", \"center\": [0, 0.2, 1], \"size\": [1, 0.4, 1]}]},\n"
                                "\"solids\": [{\"name\": \"tank\", \"shape\": \"cylinder\", \"radius\": 0.3, \"height\": "
                                "0.5, \"rotate\": \"z 90, x 90\", \"solid\": "
                                "\"outside\"},\n"
                                "{\"shape\": \"union\", \"blend\": 0.02, \"parts\": [{\"shape\": \"sphere\", \"radius\": "
                                "1e-1}, {\"shape\": \"halfspace\", \"normal\": [0, "
                                "3, 4]}]}],\n"
                                "\"time\": {\"end\": 2, \"frames_per_second\": 60, \"dt_max\": 0.01}, \"pressure\": "
                                "{\"solver\": \"mic\", \"tolerance\": 1E-10},\n"
                                "\"output\": {\"fields\": false, \"solids\": true}, \"checks\": 3}";

static void check_both(const vlScene *s)
{
  assert_string_equal(s->about, "Both ways of writing.");
  assert_true(s->grid.origin.x == -1.0 && s->grid.origin.z == 0.5 && s->grid.size.x == 2.0);
  assert_true(s->grid.cells == 0 && s->grid.dx == 0.01);
  assert_true(s->gravity.y == -9.81 && s->liquid.density == 1000.0 && !s->liquid.has_level);
  assert_int_equal(s->liquid.shape_count, 1);
  assert_true(s->liquid.shapes[0].kind == VL_SHAPE_BOX && s->liquid.shapes[0].size.y == 0.4);
  assert_int_equal(s->solid_count, 2);
  const vlSolidDef *tank = &s->solids[0];
  assert_string_equal(tank->name, "tank");
  assert_true(tank->container && tank->shape.kind == VL_SHAPE_CYLINDER && tank->shape.radius == 0.3);
  assert_string_equal(s->solids[1].name, "solids[1]");
  assert_true(!s->solids[1].container && s->solids[1].shape.blend == 0.02);
  assert_int_equal(s->solids[1].shape.part_count, 2);
  assert_true(s->solids[1].shape.parts[0].kind == VL_SHAPE_SPHERE && s->solids[1].shape.parts[0].radius == 0.1);
  vlVec3 normal = s->solids[1].shape.parts[1].normal;
  assert_true(fabs(normal.y - 0.6) < 1e-15 && fabs(normal.z - 0.8) < 1e-15); /* one rounding each */
  assert_true(s->time.end == 2.0 && s->time.frames_per_second == 60.0 && s->time.dt_max == 0.01);
  assert_true(s->pressure.solver == VL_SOLVER_MIC && s->pressure.tolerance == 1e-10);
  assert_true(!s->output.fields && s->output.solids && s->check_level == 3);
  /* z 90 takes the axis y to -x, x 90 leaves it there. */
  vlVec3 axis = vl_mat_apply(tank->shape.rotation, vl_vec(0, 1, 0));
  assert_true(vl_norm(vl_sub(axis, vl_vec(-1, 0, 0))) < 1e-15);       /* cos(pi/2) is 6e-17 */
  vlVec3 other = vl_mat_apply(tank->shape.rotation, vl_vec(1, 0, 0)); /* x to y, y to z */
  assert_true(vl_norm(vl_sub(other, vl_vec(0, 0, 1))) < 1e-15);
}

static void test_yaml_and_json(void **state)
{
  (void)state;
  vlScene scene;
  load(&scene, yaml_text, NULL, 0);
  check_both(&scene);
  assert_int_equal(scene.solids[0].shape.where.line, 9);
  assert_int_equal(scene.solids[0].shape.where.column, 5);
  assert_int_equal(scene.solids[1].shape.parts[1].where.line, 19);
  assert_string_equal(scene.text, yaml_text);
  vl_scene_clear(&scene);
  load(&scene, json_text, NULL, 0);
  check_both(&scene);
  vl_scene_clear(&scene);
}

static void test_aliases(void **state)
{
  (void)state;
  vlScene scene;
  const char *text =
      "solids:\n  - &ball {shape: sphere, radius: &r 0.2, center: [1, 0, 0]}\n  - *ball\n  - {shape: capsule, radius: *r, "
      "height: *r}\n";
  const char *sets[] = {"solids[1].radius=0.5"};
  load(&scene, text, sets, 1);
  assert_int_equal(scene.solid_count, 3);
  assert_true(scene.solids[0].shape.radius == 0.2); /* the setting changed the copy only */
  assert_true(scene.solids[1].shape.radius == 0.5 && scene.solids[1].shape.center.x == 1.0);
  assert_true(scene.solids[2].shape.radius == 0.2 && scene.solids[2].shape.height == 0.2);
  vl_scene_clear(&scene);
}

static void test_settings(void **state)
{
  (void)state;
  vlScene scene;
  const char *sets[] = {"grid.cells=32",        "solids.tank.radius=10 cm", "solids[1].parts[0].radius=1/8",
                        "liquid.level=0.25",    "gravity=[0, 0, -1.5]",     "solids[0].center=[1, 2, 3]",
                        "time.dt_fixed=1/120 s"};
  load(&scene, yaml_text, sets, 7);
  assert_true(scene.grid.cells == 32 && scene.grid.dx == 0.0); /* the setting takes the place of dx */
  assert_true(scene.solids[0].shape.radius == 0.1 && scene.solids[1].shape.parts[0].radius == 0.125);
  assert_true(scene.liquid.has_level && scene.liquid.level == 0.25);
  assert_true(scene.gravity.z == -1.5 && scene.solids[0].shape.center.z == 3.0);
  assert_true(scene.time.dt_fixed == 1.0 / 120.0);
  vl_scene_clear(&scene);
}

static void test_slab(void **state)
{
  (void)state;
  vlScene scene;
  load(&scene, "grid: {slab: yes, size: [2, 1], origin: [-1, 0], cells: 100}", NULL, 0);
  assert_true(scene.grid.slab && scene.grid.size.z == 2.0 / 100 && scene.grid.origin.z == -1.0 / 100 &&
              scene.grid.origin.x == -1.0);
  vl_scene_clear(&scene);
}

/* A host program may have set a locale with a decimal comma. */
static void test_locale(void **state)
{
  (void)state;
  static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "nl_NL.UTF-8"};
  bool comma = false;
  for (int i = 0; i < 4 && !comma; i++) comma = setlocale(LC_NUMERIC, names[i]) != NULL;
  if (!comma) skip(); /* no such locale on this machine */
  char text[32];
  assert_true(read_quantity("0.25 m", VL_DIM_LENGTH) == 0.25);
  assert_string_equal(vl_quantity_text(0.25, text), "0.25");
  setlocale(LC_NUMERIC, "C");
}

static void test_builtin_scenes(void **state)
{
  (void)state;
  static const char *const wanted[] = {
      "beam",      "beam_small",     "buoyancy", "buoyancy_small", "compress", "compress_small", "panel",     "panel_small",
      "platform",  "platform_small", "shell",    "shell_small",    "toy",      "toy_small",      "rings",     "soft_block",
      "stability", "dam_break",      "drop",     "fountain",       "funnel",   "obstacle",       "pool",      "rest/cone",
      "rest/cube", "rest/sphere",    "slab",     "sloshing",       "tanks",    "tilted_tank",    "waterfall", "sphere_tank",
      "vortex_box"};
  int found = 0;
  for (int i = 0; i < vl_scene_builtin_count(); i++) {
    vlScene scene;
    vlStatus status = {0};
    const char *name = vl_scene_builtin_name(i);
    char plain[64]; /* "rest/cube" is rest-cube */
    snprintf(plain, sizeof plain, "%s", name);
    for (char *slash; (slash = strchr(plain, '/'));) *slash = '-';
    if (vl_scene_load(&scene, name, NULL, 0, &status) != VL_OK) fail_msg("%s", status.message);
    assert_string_equal(scene.path, name);
    assert_string_equal(scene.name, plain);
    assert_string_equal(scene.text, vl_scene_builtin_text(i));
    assert_string_equal(scene.about, vl_scene_builtin_about(i));
    bool at_rest = strncmp(name, "rest/", 5) == 0 || strcmp(name, "tanks") == 0 || strcmp(name, "sphere_tank") == 0;
    assert_int_equal(scene.liquid.transfer == VL_TRANSFER_STILL, at_rest);
    assert_true(scene.liquid.has_level || scene.liquid.shape_count || scene.liquid.source_count || scene.body_count > 1);
    for (size_t j = 0; j < sizeof wanted / sizeof wanted[0]; j++) found += strcmp(wanted[j], name) == 0;
    vl_scene_clear(&scene);
  }
  assert_int_equal(found, sizeof wanted / sizeof wanted[0]);
}

static char *capture(void (*write)(FILE *out))
{
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  assert_non_null(out);
  write(out);
  fclose(out);
  return text;
}

static void write_starter(FILE *out) { vl_scene_starter(out, "pond"); }

static void test_starter(void **state)
{
  (void)state;
  char *text = capture(write_starter);
  vlScene scene;
  load(&scene, text, NULL, 0);
  assert_true(scene.liquid.has_level && scene.solid_count == 1 && scene.grid.cells == 64);
  vl_scene_clear(&scene);
  free(text);
}

static void test_schema(void **state)
{
  (void)state;
  char *text = capture(vl_scene_schema);
  vlTree tree;
  vlStatus status = {0};
  if (vl_tree_create(&tree, "schema.json", text, strlen(text), NULL, 0, &status) != VL_OK) fail_msg("%s", status.message);
  const vlNode *keys = vl_node_find(tree.root, "properties");
  assert_string_equal(vl_node_find(tree.root, "$schema")->text, "https://json-schema.org/draft/2020-12/schema");
  assert_string_equal(vl_node_find(tree.root, "additionalProperties")->text, "false");
  const vlNode *cells = vl_node_find(vl_node_find(vl_node_find(keys, "grid"), "properties"), "cells");
  assert_string_equal(vl_node_find(cells, "default")->text, "64");
  assert_string_equal(vl_node_find(cells, "maximum")->text, "4096");
  const vlNode *shapes = vl_node_find(vl_node_find(vl_node_find(tree.root, "$defs"), "solid"), "oneOf");
  assert_int_equal(shapes->count, VL_SHAPE_KIND_COUNT);
  const vlNode *sphere = vl_node_item(shapes, VL_SHAPE_SPHERE);
  assert_int_equal(vl_node_find(sphere, "required")->count, 2);
  assert_non_null(vl_node_find(vl_node_find(sphere, "properties"), "radius"));
  assert_null(vl_node_find(vl_node_find(sphere, "properties"), "height"));
  assert_null(vl_node_find(vl_node_find(sphere, "properties"), "velocity"));
  const vlNode *sources = vl_node_find(vl_node_find(vl_node_find(tree.root, "$defs"), "source"), "oneOf");
  assert_non_null(vl_node_find(vl_node_find(vl_node_item(sources, VL_SHAPE_SPHERE), "properties"), "velocity"));
  const vlNode *probes = vl_node_find(vl_node_find(vl_node_find(tree.root, "$defs"), "probe"), "oneOf");
  assert_int_equal(probes->count, VL_PROBE_KIND_COUNT);
  assert_int_equal(vl_node_find(vl_node_item(probes, VL_PROBE_HEIGHT), "required")->count, 2);
  assert_int_equal(vl_node_find(vl_node_item(probes, VL_PROBE_FLUX), "required")->count, 4);
  const vlNode *bodies = vl_node_find(vl_node_find(vl_node_find(tree.root, "$defs"), "body"), "oneOf");
  assert_int_equal(bodies->count, VL_BODY_SHAPE_COUNT);
  const vlNode *counts = vl_node_find(vl_node_find(vl_node_item(bodies, VL_BODY_BOX), "properties"), "cells");
  assert_string_equal(vl_node_find(vl_node_find(counts, "items"), "type")->text, "integer");
  const vlNode *pins = vl_node_find(vl_node_find(vl_node_find(tree.root, "$defs"), "pin"), "oneOf");
  const vlNode *axes = vl_node_find(vl_node_find(vl_node_item(pins, VL_SHAPE_SPHERE), "properties"), "axes");
  assert_string_equal(vl_node_find(axes, "default")->text, "xyz");
  vl_tree_destroy(&tree);
  free(text);
}

static void test_docs_up_to_date(void **state)
{
  (void)state;
  char *text = capture(write_scene_docs);
  FILE *file = fopen(VL_SOURCE_DIR "/docs/scene.md", "rb");
  assert_non_null(file);
  size_t length = strlen(text);
  char *written = calloc(1, length + 2);
  size_t n = fread(written, 1, length + 1, file);
  fclose(file);
  if (n != length || memcmp(text, written, length) != 0)
    fail_msg("docs/scene.md is not what scripts/scene_docs.h writes; write it again (make docs)");
  free(written);
  free(text);
}

static void test_help(void **state)
{
  (void)state;
  char *all = capture(vl_scene_help);
  for (int i = 0; i < vl_key_count; i++) assert_non_null(strstr(all, vl_keys[i].name));
  free(all);
  static const char *const known[] = {"grid",
                                      "grid.cells",
                                      "sphere",
                                      "sphere.radius",
                                      "solids[0].radius",
                                      "liquid.shapes.size",
                                      "solids",
                                      "shape",
                                      "gravity",
                                      "cells",
                                      "parts.radius",
                                      "probes",
                                      "probes.axis",
                                      "liquid.sources[0].velocity",
                                      "sinks.radius",
                                      "sources",
                                      "bodies",
                                      "bodies.young",
                                      "bodies[0].pins[0].axes",
                                      "pins.radius",
                                      "pins",
                                      "solver.coupling",
                                      "output.format"};
  FILE *out = fopen("/dev/null", "w");
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
    if (!vl_scene_help_key(out, known[i])) fail_msg("no help for %s", known[i]);
  assert_false(vl_scene_help_key(out, "grid.radius"));
  assert_false(vl_scene_help_key(out, "sphere.height"));
  assert_false(vl_scene_help_key(out, ""));
  fclose(out);
  assert_string_equal(vl_scene_nearest_key("raduis"), "radius");
  assert_string_equal(vl_scene_nearest_key("grid.cels"), "cells");
  assert_null(vl_scene_nearest_key("zzzzzzzzz"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_units),
      cmocka_unit_test(test_bad_quantities),
      cmocka_unit_test(test_defaults),
      cmocka_unit_test(test_table),
      cmocka_unit_test(test_yaml_and_json),
      cmocka_unit_test(test_aliases),
      cmocka_unit_test(test_settings),
      cmocka_unit_test(test_slab),
      cmocka_unit_test(test_locale),
      cmocka_unit_test(test_builtin_scenes),
      cmocka_unit_test(test_starter),
      cmocka_unit_test(test_schema),
      cmocka_unit_test(test_docs_up_to_date),
      cmocka_unit_test(test_help),
      cmocka_unit_test(test_examples_of_lists),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
