/* The public API, used as a program would: scenes, simulations, steps. What is read from one: test_api_views.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "api.h"

static void test_loading(void **state)
{
  (void)state;
  vlScene own, file, text;
  vlStatus status;
  const vlSetting coarse = {"grid.cells=17"};
  assert_int_equal(vl_scene_load(&own, "dam_break", &coarse, 1, &status), VL_OK);
  assert_int_equal(vl_scene_load(&file, VL_SOURCE_DIR "/scenes/dam_break.yaml", &coarse, 1, &status), VL_OK);
  assert_int_equal(vl_scene_parse(&text, own.text, strlen(own.text), "mine.yaml", &coarse, 1, &status), VL_OK);
  const vlScene *all[] = {&own, &file, &text};
  for (int i = 0; i < 3; i++) {
    assert_int_equal(all[i]->grid.cells, 17);
    assert_int_equal(all[i]->liquid.shape_count, 1);
    assert_true(all[i]->liquid.shapes[0].size.x == 0.8);
  }
  vl_scene_clear(&own);
  vl_scene_clear(&file);
  vl_scene_clear(&text);
  assert_int_equal(own.liquid.shape_count, 0);

  assert_int_equal(vl_scene_load(&own, "dam_brake", NULL, 0, &status), VL_ERROR_FILE);
  assert_says(&status, "did you mean 'dam_break'");
  assert_int_equal(vl_scene_load(&own, "dam_brake", NULL, 0, NULL), VL_ERROR_FILE);
  assert_int_equal(vl_scene_parse(&own, "grid: {sells: 3}", 16, "mine.yaml", NULL, 0, NULL), VL_ERROR_SCENE);
  vl_scene_clear(&own); /* the default scene, nothing to free */
  assert_true(vl_scene_builtin_count() > 0 && vl_scene_builtin_name(0) && vl_scene_builtin_about(0));
  assert_string_equal(vl_version(), VELELLA_VERSION);
}

#define IN_TEXT                                                                                                             \
  "grid: {size: [1, 0.5, 0.5], cells: 20}\n"                                                                                \
  "liquid:\n"                                                                                                               \
  "  level: 0.2\n"                                                                                                          \
  "  shapes: [{shape: box, center: [0.3, 0.3, 0.25], size: [0.2, 0.15, 0.2]}]\n"                                            \
  "  sources: [{shape: sphere, center: [0.8, 0.4, 0.25], radius: 0.08, velocity: [0, -1, 0]}]\n"                            \
  "  sinks: [{shape: box, center: [0.95, 0.05, 0.25], size: [0.1, 0.1, 0.1]}]\n"                                            \
  "solids: [{name: lens, shape: union, parts: [{shape: sphere, center: [0.5, 0.1, 0.2], radius: 0.1}, "                     \
  "{shape: sphere, center: [0.55, 0.1, 0.3], radius: 0.1}]}]\n"                                                             \
  "probes: [{probe: height, position: [0.1, 0, 0.1]}]\n"

/* What is added is copied with all that it points to. */
static void make_scene(vlScene *scene)
{
  vlStatus status;
  vl_scene_default(scene);
  scene->grid.size = (vlVec3){{1, 0.5, 0.5}};
  scene->grid.cells = 20;
  scene->liquid.has_level = true;
  scene->liquid.level = 0.2;
  vlShape box = vl_shape_default(VL_SHAPE_BOX);
  box.center = (vlVec3){{0.3, 0.3, 0.25}};
  box.size = (vlVec3){{0.2, 0.15, 0.2}};
  assert_int_equal(vl_scene_add_liquid(scene, &box, &status), VL_OK);
  box.center = (vlVec3){{0.95, 0.05, 0.25}};
  box.size = (vlVec3){{0.1, 0.1, 0.1}};
  assert_int_equal(vl_scene_add_sink(scene, &(vlSinkDef){.shape = box}, &status), VL_OK);
  vlSourceDef source = {.shape = vl_shape_default(VL_SHAPE_SPHERE), .velocity = {{0, -1, 0}}, .end = INFINITY};
  source.shape.center = (vlVec3){{0.8, 0.4, 0.25}};
  source.shape.radius = 0.08;
  assert_int_equal(vl_scene_add_source(scene, &source, &status), VL_OK);

  vlShape *parts = calloc(2, sizeof *parts);
  for (int i = 0; i < 2; i++) {
    parts[i] = vl_shape_default(VL_SHAPE_SPHERE);
    parts[i].center = i ? (vlVec3){{0.55, 0.1, 0.3}} : (vlVec3){{0.5, 0.1, 0.2}};
    parts[i].radius = 0.1;
  }
  vlSolidDef lens = {.name = "lens", .shape = vl_shape_default(VL_SHAPE_UNION)};
  lens.shape.parts = parts;
  lens.shape.part_count = 2;
  assert_int_equal(vl_scene_add_solid(scene, &lens, &status), VL_OK);
  memset(parts, 0xff, 2 * sizeof *parts);
  free(parts);
  vlProbeDef gauge = {.kind = VL_PROBE_HEIGHT, .position = {{0.1, 0, 0.1}}};
  assert_int_equal(vl_scene_add_probe(scene, &gauge, &status), VL_OK);
}

/* A scene made by the program, its copy, and the same in a file: one simulation. The scene may go at once. */
static void test_scene_in_code(void **state)
{
  (void)state;
  vlScene scene, copy;
  vlStatus status;
  make_scene(&scene);
  assert_int_equal(vl_scene_copy(&copy, &scene, &status), VL_OK);
  assert_ptr_not_equal(copy.solids[0].shape.parts, scene.solids[0].shape.parts);
  vlSim *made = start(&scene);
  vl_scene_clear(&scene);
  vlSim *copied = start(&copy), *loaded = start_text(IN_TEXT);
  vl_scene_clear(&copy);
  step(made, 4);
  step(copied, 4);
  step(loaded, 4);
  assert_same(made, copied);
  assert_same(made, loaded);
  vl_sim_destroy(&made);
  vl_sim_destroy(&copied);
  vl_sim_destroy(&loaded);
}

/* A slab needs no thickness of its own. */
static void test_slab_in_code(void **state)
{
  (void)state;
  vlScene scene;
  vl_scene_default(&scene);
  scene.grid.size = (vlVec3){{1, 0.5, 77}};
  scene.grid.cells = 20;
  scene.grid.slab = scene.liquid.has_level = true;
  scene.liquid.level = 0.25;
  vlSim *sim = start(&scene);
  vlFieldView p = vl_sim_field(sim, VL_FIELD_PRESSURE);
  assert_int_equal(p.n[2], 1);
  assert_near(p.origin.z, 0.0, 1e-15);
  vl_sim_destroy(&sim);
}

static const int CUBE[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};

static vlCode create_with_mesh(vlSim **sim, vlVec3 *vertices, int (*triangles)[3], int triangle_count, vlStatus *status)
{
  vlScene scene;
  vlSolidDef solid = {.name = "cube", .shape = vl_shape_default(VL_SHAPE_MESH)};
  solid.shape.vertices = vertices;
  solid.shape.triangles = triangles;
  solid.shape.vertex_count = 8;
  solid.shape.triangle_count = triangle_count;
  solid.shape.center = (vlVec3){{0.2, 0.2, 0.2}};
  vl_scene_default(&scene);
  scene.grid.cells = 10;
  assert_int_equal(vl_scene_add_solid(&scene, &solid, status), VL_OK);
  vlCode code = vl_sim_create(sim, &scene, (vlSimOptions){.threads = 1}, status);
  vl_scene_clear(&scene);
  return code;
}

static void test_mesh_in_memory(void **state)
{
  (void)state;
  vlVec3 corners[8];
  int triangles[12][3];
  vlStatus status;
  vlSim *sim = NULL;
  memcpy(triangles, CUBE, sizeof CUBE);
  for (int i = 0; i < 8; i++) corners[i] = (vlVec3){{0.33 * (i & 1), 0.41 * (i >> 1 & 1), 0.27 * (i >> 2)}};
  assert_int_equal(create_with_mesh(&sim, corners, triangles, 12, &status), VL_OK);
  assert_near(vl_sim_facts(sim).solid_volume, 0.33 * 0.41 * 0.27, 1e-12); /* cuts are exact to rounding */
  vl_sim_destroy(&sim);

  assert_int_equal(create_with_mesh(&sim, corners, triangles, 11, &status), VL_ERROR_MESH);
  assert_says(&status, "solid 'cube': mesh 'in memory' is not closed: 3 open edges");
  assert_null(sim);
  triangles[5][1] = 8;
  assert_int_equal(create_with_mesh(&sim, corners, triangles, 12, &status), VL_ERROR_MESH);
  assert_says(&status, "triangle 5 has the vertex 8; there are 0 to 7");
  triangles[5][1] = CUBE[5][1];
  corners[3].y = NAN;
  assert_int_equal(create_with_mesh(&sim, corners, triangles, 12, &status), VL_ERROR_MESH);
  assert_says(&status, "vertex 3");
}

/* Numbers that no file could have brought in are found as well, and named as in a file. */
static void test_bad_numbers(void **state)
{
  (void)state;
  static const struct {
    size_t at;
    double value;
    const char *says;
  } bad[] = {{offsetof(vlScene, liquid.density), -1, "liquid.density: -1: out of range\n  allowed: 0.001 to 1e+12 kg/m^3"},
             {offsetof(vlScene, liquid.density), NAN, "liquid.density"},
             {offsetof(vlScene, grid.size.y), 0, "grid.size[1]: 0: out of range"},
             {offsetof(vlScene, grid.size.x), INFINITY, "grid.size[0]: inf: not a finite number"},
             {offsetof(vlScene, grid.origin.z), NAN, "grid.origin"},
             {offsetof(vlScene, gravity.x), INFINITY, "gravity"},
             {offsetof(vlScene, time.cfl), 0, "time.cfl"},
             {offsetof(vlScene, pressure.tolerance), 0, "pressure.tolerance"},
             {offsetof(vlScene, grid.dx), 1e-9, "grid.dx: 1000000000 cells along x; at most 4096"}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    vlScene scene;
    vlStatus status;
    vlSim *sim = NULL;
    vl_scene_default(&scene);
    memcpy((char *)&scene + bad[i].at, &bad[i].value, sizeof(double));
    assert_int_equal(vl_sim_create(&sim, &scene, (vlSimOptions){0}, &status), VL_ERROR_SCENE);
    assert_null(sim);
    assert_says(&status, bad[i].says);
  }
  vl_sim_destroy(NULL);
}

static void assert_refused(const vlScene *scene, const char *says)
{
  vlStatus status;
  vlSim *sim = NULL;
  assert_int_equal(vl_sim_create(&sim, scene, (vlSimOptions){0}, &status), VL_ERROR_SCENE);
  assert_says(&status, says);
}

static void test_bad_lists(void **state)
{
  (void)state;
  vlScene scene;
  vlSourceDef source = {.shape = vl_shape_default(VL_SHAPE_BOX), .velocity = {{0, NAN, 0}}, .end = 1};
  vlProbeDef probe = {.kind = VL_PROBE_HEIGHT, .position = {{0.5, 0.5, NAN}}};
  vl_scene_default(&scene);
  source.shape.size = (vlVec3){{0.1, 0.1, 0.1}};
  scene.liquid.sources = &source;
  scene.liquid.source_count = 1;
  assert_refused(&scene, "liquid.sources[0].velocity");
  source.velocity.y = 0;
  source.end = NAN;
  assert_refused(&scene, "liquid.sources[0].end: nan: not a finite number");
  scene.liquid.source_count = 0;
  scene.probes = &probe;
  scene.probe_count = 1;
  assert_refused(&scene, "probes[0].position");
  probe.kind = VL_PROBE_KIND_COUNT;
  assert_refused(&scene, "probes[0].probe: 6: not one of the words");
  probe.kind = VL_PROBE_FLUX;
  probe.axis = -1;
  probe.position.z = 0.5;
  assert_refused(&scene, "probes[0].axis");
}

/* What is added may be a part of the scene itself. */
static void test_adding_its_own(void **state)
{
  (void)state;
  vlScene scene;
  vlStatus status;
  vlSolidDef solid = {.name = "pillar", .shape = vl_shape_default(VL_SHAPE_SPHERE)};
  vlSourceDef source = {.shape = vl_shape_default(VL_SHAPE_SPHERE), .end = 3};
  vlProbeDef probe = {.name = "gauge"};
  solid.shape.file = strdup("a file");
  vl_scene_default(&scene);
  for (int i = 0; i < 20; i++) {
    assert_int_equal(vl_scene_add_solid(&scene, i ? &scene.solids[i - 1] : &solid, &status), VL_OK);
    assert_int_equal(vl_scene_add_source(&scene, i ? &scene.liquid.sources[i - 1] : &source, &status), VL_OK);
    assert_int_equal(vl_scene_add_probe(&scene, i ? &scene.probes[i - 1] : &probe, &status), VL_OK);
  }
  assert_string_equal(scene.solids[19].name, "pillar");
  assert_string_equal(scene.solids[19].shape.file, "a file");
  assert_true(scene.liquid.sources[19].end == 3);
  assert_string_equal(scene.probes[19].name, "gauge");
  free(solid.shape.file);
  vl_scene_clear(&scene);
}

static void count_warnings(void *user, vlLogLevel level, const char *line)
{
  if (level == VL_LOG_WARNING && strstr(line, "both sides of a solid") && !strchr(line, '\n')) ++*(int *)user;
}

static void test_log(void **state)
{
  (void)state;
  vlScene scene;
  vlStatus status;
  vlSim *sim = NULL;
  int warnings = 0;
  vlSolidDef sheet = {.name = "sheet", .shape = vl_shape_default(VL_SHAPE_BOX)};
  sheet.shape.center = (vlVec3){{0.55, 0.5, 0.5}};
  sheet.shape.size = (vlVec3){{0.03, 0.6, 0.6}}; /* thinner than a cell */
  vl_scene_default(&scene);
  scene.grid.cells = 10;
  assert_int_equal(vl_scene_add_solid(&scene, &sheet, &status), VL_OK);
  assert_int_equal(vl_sim_create(&sim, &scene, (vlSimOptions){.log = {count_warnings, &warnings}, .threads = 1}, &status),
                   VL_OK);
  assert_int_equal(warnings, 1);
  vl_sim_destroy(&sim);
  vl_scene_clear(&scene);
}

static void test_steps(void **state)
{
  (void)state;
  vlStatus status;
  vlStepInfo info;
  vlSim *sim = start_text("grid: {cells: 8}\nliquid: {level: 0.4}\n");
  static const double bad[] = {0.0, -1.0, NAN};
  for (int i = 0; i < 3; i++) {
    assert_int_equal(vl_sim_step(sim, bad[i], &info, &status), VL_ERROR_USAGE);
    assert_says(&status, "dt_limit");
  }
  assert_int_equal(vl_sim_step_count(sim), 0);
  assert_int_equal(vl_sim_advance(sim, 0.1, &info, &status), VL_OK);
  assert_near(vl_sim_time(sim), 0.1, 1e-12);
  assert_true(info.step > 1 && info.step == vl_sim_step_count(sim) && info.dt > 0.0);
  assert_int_equal(vl_sim_advance(sim, 0.1, &info, &status), VL_OK); /* nothing to do */
  assert_int_equal(vl_sim_advance(sim, 0.05, NULL, &status), VL_OK);
  assert_true(info.step == vl_sim_step_count(sim) && info.dt == 0.0);
  assert_int_equal(vl_sim_advance(sim, INFINITY, NULL, &status), VL_ERROR_USAGE);
  assert_int_equal(vl_sim_step(sim, INFINITY, NULL, &status), VL_OK); /* waves and weight limit it */
  vl_sim_destroy(&sim);
  sim = start_text("grid: {cells: 8}\ngravity: [0, 0, 0]\nliquid: {level: 0.4}\n");
  assert_int_equal(vl_sim_step(sim, INFINITY, NULL, &status), VL_ERROR_USAGE); /* nothing does */
  assert_says(&status, "nothing limits the time step");
  assert_int_equal(vl_sim_step(sim, 0.1, NULL, &status), VL_OK);
  vl_sim_destroy(&sim);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_loading),        cmocka_unit_test(test_scene_in_code),  cmocka_unit_test(test_slab_in_code),
      cmocka_unit_test(test_mesh_in_memory), cmocka_unit_test(test_bad_numbers),    cmocka_unit_test(test_log),
      cmocka_unit_test(test_bad_lists),      cmocka_unit_test(test_adding_its_own), cmocka_unit_test(test_steps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
