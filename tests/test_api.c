/* The public API, used as a program would: velella.h and nothing else of the library. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <velella/velella.h>

static void assert_near(double found, double wanted, double tolerance)
{
  if (!(fabs(found - wanted) <= tolerance))
    fail_msg("%.17g instead of %.17g, off by more than %g", found, wanted, tolerance);
}

static void assert_says(const vlStatus *status, const char *words)
{
  if (!strstr(status->message, words)) fail_msg("'%s' is not said in: %s", words, status->message);
}

static vlSim *start(const vlScene *scene)
{
  vlStatus status;
  vlSim *sim = NULL;
  if (vl_sim_create(&sim, scene, (vlSimOptions){.threads = 1}, &status)) fail_msg("%s", status.message);
  return sim;
}

static vlSim *start_text(const char *text)
{
  vlScene scene;
  vlStatus status;
  if (vl_scene_parse(&scene, text, strlen(text), "test.yaml", NULL, 0, &status)) fail_msg("%s", status.message);
  vlSim *sim = start(&scene);
  vl_scene_clear(&scene);
  return sim;
}

static void step(vlSim *sim, int steps)
{
  vlStatus status;
  for (int i = 0; i < steps; i++)
    if (vl_sim_step(sim, 0.01, NULL, &status)) fail_msg("%s", status.message);
}

/* Same particles, in the same order, to the last bit. */
static void assert_same(const vlSim *a, const vlSim *b)
{
  vlParticleView p = vl_sim_particles(a), q = vl_sim_particles(b);
  assert_true(vl_sim_time(a) == vl_sim_time(b));
  assert_true(p.count == q.count && p.count > 0);
  assert_memory_equal(p.id, q.id, p.count * sizeof *p.id);
  for (int axis = 0; axis < 3; axis++) {
    assert_memory_equal(p.x[axis], q.x[axis], p.count * sizeof(float));
    assert_memory_equal(p.v[axis], q.v[axis], p.count * sizeof(float));
  }
}

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
    assert_int_equal(all[i]->cells, 17);
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
  scene->size = (vlVec3){{1, 0.5, 0.5}};
  scene->cells = 20;
  scene->liquid.has_level = true;
  scene->liquid.level = 0.2;
  vlShape box = vl_shape_default(VL_SHAPE_BOX);
  box.center = (vlVec3){{0.3, 0.3, 0.25}};
  box.size = (vlVec3){{0.2, 0.15, 0.2}};
  assert_int_equal(vl_scene_add_liquid(scene, &box, &status), VL_OK);
  box.center = (vlVec3){{0.95, 0.05, 0.25}};
  box.size = (vlVec3){{0.1, 0.1, 0.1}};
  assert_int_equal(vl_scene_add_sink(scene, &box, &status), VL_OK);
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
  scene.size = (vlVec3){{1, 0.5, 77}};
  scene.cells = 20;
  scene.slab = scene.liquid.has_level = true;
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
  scene.cells = 10;
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
  } bad[] = {{offsetof(vlScene, liquid.density), -1, "liquid.density: -1; allowed: above 0"},
             {offsetof(vlScene, liquid.density), NAN, "liquid.density"},
             {offsetof(vlScene, size.y), 0, "grid.size, y: 0"},
             {offsetof(vlScene, size.x), INFINITY, "grid.size, x: inf"},
             {offsetof(vlScene, origin.z), NAN, "grid.origin"},
             {offsetof(vlScene, gravity.x), INFINITY, "gravity"},
             {offsetof(vlScene, cfl), 0, "time.cfl"},
             {offsetof(vlScene, tolerance), 0, "pressure.tolerance"},
             {offsetof(vlScene, dx), 1e-9, "more than 100000 cells"}};
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
  scene.liquid.sources = &source;
  scene.liquid.source_count = 1;
  assert_refused(&scene, "liquid.sources[0].velocity");
  source.velocity.y = 0;
  source.end = NAN;
  assert_refused(&scene, "liquid.sources[0]: runs from 0 s to nan s");
  scene.liquid.source_count = 0;
  scene.probes = &probe;
  scene.probe_count = 1;
  assert_refused(&scene, "probes[0].position");
  probe.kind = VL_PROBE_KIND_COUNT;
  assert_refused(&scene, "probes[0].kind");
  probe.kind = VL_PROBE_FLUX;
  probe.axis = -1;
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
  scene.cells = 10;
  assert_int_equal(vl_scene_add_solid(&scene, &sheet, &status), VL_OK);
  assert_int_equal(vl_sim_create(&sim, &scene, (vlSimOptions){{count_warnings, &warnings}, 1}, &status), VL_OK);
  assert_int_equal(warnings, 1);
  vl_sim_destroy(&sim);
  vl_scene_clear(&scene);
}

/* Half a box of water: as many particles as belong into half of the cells, each with an id of its own, none outside. */
static void test_particles(void **state)
{
  (void)state;
  vlSim *sim = start_text("grid: {size: [1, 1, 1], cells: 10, origin: [-3, 2, 0]}\nliquid: {level: 2.5}\n");
  step(sim, 2);
  vlParticleView p = vl_sim_particles(sim);
  assert_true(p.count == 10 * 10 * 5 * 8);
  assert_near((double)p.count * p.volume, 0.5, 1e-12);
  bool *seen = calloc(p.count, 1);
  for (size_t i = 0; i < p.count; i++) {
    assert_true(p.id[i] < p.count && !seen[p.id[i]]);
    seen[p.id[i]] = true;
    double y = p.origin.y + p.dx * p.x[1][i];
    assert_true(y >= 2.0 && y <= 2.5 + 0.1 * p.dx); /* at rest, but for the floats and the jitter of seeding */
    assert_true(p.x[0][i] >= 0.0f && p.x[0][i] <= 10.0f && fabsf(p.v[0][i]) < 0.05f);
  }
  free(seen);
  vlParticleView again = vl_sim_particles(sim);
  assert_ptr_equal(again.x[0], p.x[0]);
  vl_sim_destroy(&sim);
}

static double field_at(const vlFieldView *f, int i, int j, int k)
{
  return f->data[i * f->stride[0] + j * f->stride[1] + k * f->stride[2]];
}

/* Still water: pressure rho g depth at the very points that the view names, up to the solve's tolerance. */
static void test_fields(void **state)
{
  (void)state;
  vlSim *sim = start_text("grid: {size: [2, 1, 1], cells: 20, origin: [5, -1, 0]}\n"
                          "liquid: {level: -0.43, transfer: still}\npressure: {tolerance: 1e-12}\n");
  step(sim, 1);
  vlFieldView p = vl_sim_field(sim, VL_FIELD_PRESSURE), phi = vl_sim_field(sim, VL_FIELD_LEVEL_SET),
              open = vl_sim_field(sim, VL_FIELD_OPEN);
  assert_true(p.n[0] == 20 && p.n[1] == 10 && p.n[2] == 10);
  for (int k = 0; k < p.n[2]; k++)
    for (int j = 0; j < p.n[1]; j++)
      for (int i = 0; i < p.n[0]; i++) {
        double depth = -0.43 - (p.origin.y + p.dx * j);
        assert_near(field_at(&p, i, j, k), depth > 0.0 ? 1000.0 * 9.81 * depth : 0.0, 1e-4);
        if (fabs(depth) < p.dx) assert_near(field_at(&phi, i, j, k), -depth, 1e-12);
        if (depth > 0.0) assert_near(field_at(&open, i, j, k), 1.0, 1e-12);
      }
  assert_near(p.origin.x, 5.05, 1e-12);
  for (int a = 0; a < 3; a++) {
    vlFieldView u = vl_sim_field(sim, (vlFieldKind)(VL_FIELD_VELOCITY_X + a));
    vlFieldView area = vl_sim_field(sim, (vlFieldKind)(VL_FIELD_AREA_X + a));
    assert_true(u.n[a] == p.n[a] + 1 && u.n[(a + 1) % 3] == p.n[(a + 1) % 3]);
    assert_near(u.origin.v[a], p.origin.v[a] - 0.5 * p.dx, 1e-12);
    assert_near(field_at(&area, 3, 2, 1), p.dx * p.dx, 1e-12);
    int last[3] = {3, 2, 1};
    last[a] = u.n[a] - 1;
    assert_true(field_at(&u, last[0], last[1], last[2]) == 0.0); /* a side of the box */
    assert_near(field_at(&u, 3, 2, 1), 0.0, 1e-9);
  }
  assert_true(field_at(&p, 7, 9, 5) == 0.0); /* where liquid never was */
  assert_null(vl_sim_field(sim, VL_FIELD_KIND_COUNT).data);
  vl_sim_destroy(&sim);
}

/* m3 inside a closed mesh, by the divergence theorem. */
static double volume_of(const vlMeshView *mesh)
{
  double sum = 0.0;
  for (int t = 0; t < mesh->triangle_count; t++) {
    const double *a = mesh->vertices[mesh->triangles[t][0]].v, *b = mesh->vertices[mesh->triangles[t][1]].v,
                 *c = mesh->vertices[mesh->triangles[t][2]].v;
    for (int i = 0; i < 3; i++) {
      int j = (i + 1) % 3, k = (i + 2) % 3;
      sum += a[i] * (b[j] * c[k] - b[k] * c[j]) / 6.0;
    }
  }
  return sum;
}

/* A block that moves as one without weight, and a solid beside it. */
static void test_surfaces(void **state)
{
  (void)state;
  vlSim *sim = start_text("grid: {size: [1, 1, 1], cells: 20}\ngravity: [0, 0, 0]\n"
                          "liquid: {shapes: [{shape: box, center: [0.5, 0.6, 0.5], size: [0.5, 0.5, 0.5]}], "
                          "velocity: [0, -1, 0], keep_volume: no}\n"
                          "solids: [{shape: box, center: [0.1, 0.1, 0.1], size: [0.11, 0.12, 0.13]}]\n");
  vlMeshView mesh;
  vlStatus status;
  step(sim, 2);
  assert_int_equal(vl_sim_surface(sim, &mesh, &status), VL_OK);
  assert_near(volume_of(&mesh), 0.125, 0.1 * 0.05 * 1.5); /* its faces, 1.5 m2, to a tenth of a cell */
  for (int i = 0; i < mesh.vertex_count; i++) assert_near(mesh.velocity[i][1], -1.0, 1e-5); /* floats */
  assert_int_equal(vl_sim_surface(sim, &mesh, &status), VL_OK);                             /* once more */
  mesh = vl_sim_solids(sim);
  assert_null(mesh.velocity);
  assert_near(volume_of(&mesh), 0.11 * 0.12 * 0.13, 1e-12);
  vl_sim_destroy(&sim);

  sim = start_text("grid: {cells: 8}\nliquid: {level: 0.4, transfer: still}\n");
  assert_int_equal(vl_sim_surface(sim, &mesh, &status), VL_ERROR_SCENE);
  assert_says(&status, "still");
  assert_true(mesh.vertex_count == 0 && vl_sim_particles(sim).count == 0);
  vl_sim_destroy(&sim);
}

/* Bodies as the scene puts them there, made in code and named nothing. */
static void test_bodies(void **state)
{
  (void)state;
  vlScene scene;
  vlStatus status;
  vl_scene_default(&scene);
  scene.cells = 8;
  scene.liquid.has_level = true;
  scene.liquid.level = 0.1;
  vlBodyDef block = vl_body_default();
  block.center = (vlVec3){{0.5, 0.6, 0.4}};
  block.size = (vlVec3){{0.3, 0.2, 0.1}};
  block.density = 500.0;
  block.velocity = (vlVec3){{1, 0, 0}};
  block.spin = (vlVec3){{0, 0, 2}};
  assert_int_equal(vl_scene_add_body(&scene, &block, &status), VL_OK);
  strcpy(block.name, "second");
  block.element = VL_ELEMENT_QUADRATIC;
  block.center.y = 0.3;
  assert_int_equal(vl_scene_add_body(&scene, &block, &status), VL_OK);
  vlSim *sim = start(&scene);
  vl_scene_clear(&scene);
  assert_int_equal(vl_sim_body_count(sim), 2);
  for (int i = 0; i < 2; i++) {
    vlBodyView body = vl_sim_body(sim, i);
    assert_string_equal(body.name, i ? "second" : "bodies[0]");
    assert_true(body.node_count == (i ? 27 : 8) && body.element_count == 6 && body.element_nodes == (i ? 10 : 4));
    vlMeshView surface = {.vertex_count = body.node_count,
                          .triangle_count = body.triangle_count,
                          .vertices = body.x,
                          .triangles = body.triangles};
    assert_near(volume_of(&surface), 0.006, 1e-15);
    assert_near(body.info.volume, 0.006, 1e-15);
    assert_near(body.info.mass, 3.0, 1e-12);
    assert_near(body.info.center.y, i ? 0.3 : 0.6, 1e-12);
    assert_near(body.info.momentum.x, 3.0, 1e-12);
    assert_near(body.info.potential_energy, 3.0 * 9.81 * (i ? 0.3 : 0.6), 1e-11);
    assert_true(body.info.angular_momentum.z > 0.0 && body.info.elastic_energy < 1e-20);
    for (int n = 0; n < body.node_count; n++) {
      assert_near(body.v[n].y, 2.0 * (body.x[n].x - 0.5), 1e-12);
      assert_true(memcmp(&body.x[n], &body.rest[n], sizeof *body.x) == 0);
    }
    for (int k = 0; k < body.element_count * body.element_nodes; k++)
      assert_true(body.elements[k] >= 0 && body.elements[k] < body.node_count);
  }
  assert_true(!vl_sim_body(sim, 2).name && !vl_sim_body(sim, -1).name && vl_sim_body(sim, 2).node_count == 0);
  vl_sim_destroy(&sim);
  sim = start_text("grid: {cells: 8}\nliquid: {level: 0.4}\n");
  assert_int_equal(vl_sim_body_count(sim), 0);
  vl_sim_destroy(&sim);
}

/* Before any step, of a scene that has none; test_probes.c knows what they measure. */
static void test_probes(void **state)
{
  (void)state;
  vlSim *sim = start_text("grid: {cells: 10}\nliquid: {level: 0.45, velocity: [1, 0, 0]}\n");
  double value[3] = {7, 7, 7};
  vlProbeDef probe = {.kind = VL_PROBE_HEIGHT, .position = {{0.5, 0.1, 0.5}}};
  assert_int_equal(vl_sim_probe(sim, &probe, value), 1);
  assert_near(value[0], 0.35, 0.1 * 0.1); /* a tenth of a cell */
  probe.kind = VL_PROBE_VELOCITY;
  assert_int_equal(vl_sim_probe(sim, &probe, value), 3);
  assert_near(value[0], 1.0, 1e-6);
  probe.kind = VL_PROBE_FLUX;
  probe.axis = 3;
  assert_int_equal(vl_sim_probe(sim, &probe, value), 0);
  probe.kind = VL_PROBE_KIND_COUNT;
  assert_int_equal(vl_sim_probe(sim, &probe, value), 0);
  probe = (vlProbeDef){.kind = VL_PROBE_VELOCITY, .position = {{NAN, 0.1, 0.5}}};
  assert_int_equal(vl_sim_probe(sim, &probe, value), 0);
  vl_sim_destroy(&sim);
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

static void assert_written(const vlSim *sim, vlOutputKind kind, const char *folder, const char *ending, const char *begins)
{
  char path[128], head[8] = "";
  vlStatus status;
  snprintf(path, sizeof path, "%s/file%s", folder, ending);
  if (vl_sim_write(sim, kind, path, &status)) fail_msg("%s", status.message);
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  assert_true(fread(head, 1, strlen(begins), file) == strlen(begins));
  fclose(file);
  assert_string_equal(head, begins);
  unlink(path);
}

static void test_writing(void **state)
{
  (void)state;
  char folder[] = "/tmp/vl_api_XXXXXX";
  vlStatus status;
  assert_non_null(mkdtemp(folder));
  vlSim *sim = start_text("grid: {cells: 8}\nliquid: {level: 0.4}\nsolids: [{shape: sphere, center: [0.5, 0.5, 0.5], "
                          "radius: 0.2}]\n");
  assert_written(sim, VL_OUTPUT_SURFACE, folder, ".ply", "ply\n");
  assert_written(sim, VL_OUTPUT_SURFACE, folder, ".vtp", "<?xml");
  assert_written(sim, VL_OUTPUT_PARTICLES, folder, ".PLY", "ply\n");
  assert_written(sim, VL_OUTPUT_PARTICLES, folder, ".vtp", "<?xml");
  assert_written(sim, VL_OUTPUT_FIELDS, folder, ".vti", "<?xml");
  assert_written(sim, VL_OUTPUT_SOLIDS, folder, ".ply", "ply\n");
  assert_written(sim, VL_OUTPUT_SOLIDS, folder, ".vtp", "<?xml");
  assert_int_equal(vl_sim_write(sim, VL_OUTPUT_FIELDS, "x.ply", &status), VL_ERROR_FILE);
  assert_says(&status, "x.ply: fields are written to files that end in .vti");
  assert_int_equal(vl_sim_write(sim, VL_OUTPUT_SURFACE, ".ply", &status), VL_ERROR_FILE);
  assert_int_equal(vl_sim_write(sim, VL_OUTPUT_SURFACE, "/nonexistent_vl/x.ply", &status), VL_ERROR_FILE);
  assert_int_equal(vl_sim_write(sim, VL_OUTPUT_BODIES, "x.vtu", &status), VL_ERROR_SCENE);
  assert_says(&status, "no elastic bodies");
  vl_sim_destroy(&sim);
  sim = start_text(
      "grid: {cells: 8}\nliquid: {level: 0.1}\nbodies: [{shape: box, center: [0.5, 0.5, 0.5], size: [0.2, 0.2, 0.2]}]\n");
  assert_written(sim, VL_OUTPUT_BODIES, folder, ".vtu", "<?xml");
  assert_written(sim, VL_OUTPUT_BODIES, folder, ".vtp", "<?xml");
  assert_written(sim, VL_OUTPUT_BODIES, folder, ".ply", "ply\n");
  assert_int_equal(vl_sim_write(sim, VL_OUTPUT_BODIES, "x.vti", &status), VL_ERROR_FILE);
  assert_says(&status, "x.vti: bodies are written to files that end in .vtu, .vtp or .ply");
  vl_sim_destroy(&sim);
  sim = start_text("grid: {cells: 8}\nliquid: {level: 0.4, transfer: still}\n");
  assert_int_equal(vl_sim_write(sim, VL_OUTPUT_PARTICLES, "x.ply", &status), VL_ERROR_SCENE);
  vl_sim_destroy(&sim);
  assert_int_equal(rmdir(folder), 0); /* nothing was left behind */
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_loading),        cmocka_unit_test(test_scene_in_code),  cmocka_unit_test(test_slab_in_code),
      cmocka_unit_test(test_mesh_in_memory), cmocka_unit_test(test_bad_numbers),    cmocka_unit_test(test_log),
      cmocka_unit_test(test_particles),      cmocka_unit_test(test_fields),         cmocka_unit_test(test_surfaces),
      cmocka_unit_test(test_bad_lists),      cmocka_unit_test(test_adding_its_own), cmocka_unit_test(test_probes),
      cmocka_unit_test(test_steps),          cmocka_unit_test(test_writing),        cmocka_unit_test(test_bodies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
