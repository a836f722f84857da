/* Scenes with elastic bodies: every key of a body and of its pins, defaults, slabs, node probes, and scenes as data with
 * bodies in them: copies that own everything, bodies added by a program, numbers that are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/vec.h"
#include "scene/scene.h"

static void load(vlScene *scene, const char *text, const char *const *sets, int count)
{
  vlStatus status = {0};
  vlSetting settings[8] = {{0}};
  for (int i = 0; i < count; i++) settings[i].text = sets[i];
  if (vl_scene_parse(scene, text, strlen(text), "test.yaml", settings, count, &status) != VL_OK)
    fail_msg("%s", status.message);
}

static const char text[] = "bodies:\n"
                           "  - name: fin\n"
                           "    shape: box\n"
                           "    center: [0.5, 60 cm, 0.5]\n"
                           "    rotate: z 90\n"
                           "    size: [0.1, 0.2, 0.3]\n"
                           "    cells: [1, 2, 3]\n"
                           "    density: 0.7 g/cm^3\n"
                           "    young: 30 kPa\n"
                           "    poisson: 0.4\n"
                           "    mass_damping: 2\n"
                           "    stiffness_damping: 3 ms\n"
                           "    element: quadratic\n"
                           "    integrator: bdf2\n"
                           "    velocity: [1, 2, 3 cm/s]\n"
                           "    spin: [0, 180 deg/s, 1]\n"
                           "    stretch: [0.5, 1, 2]\n"
                           "    color: [0.1, 0.2, 0.3]\n"
                           "    material: glossy\n"
                           "    pins:\n"
                           "      - {shape: sphere, center: [0.5, 0.6, 0.5], radius: 5 cm}\n"
                           "      - {shape: union, parts: [{shape: box, size: [1, 1, 1]}], axes: zx, velocity: [1, 0, 0], "
                           "amplitude: [0, 0, 2 cm],\n"
                           "         frequency: 3 Hz, start: 100 ms, end: 2, release: yes}\n"
                           "  - {shape: mesh, file: tests/tet_files.h, scale: 0.001}\n"
                           "probes:\n"
                           "  - {name: tip, probe: node, body: fin, position: [0.5, 0.5, 0.5]}\n"
                           "  - {probe: node, body: \"bodies[1]\", position: [0, 0, 0]}\n"
                           "solver: {coupling: damping_only, sigma: 0.5, alpha: 0}\n"
                           "output: {bodies: no}\n";

static void check_pins(const vlBodyDef *fin)
{
  assert_int_equal(fin->pin_count, 2);
  const vlPinDef *held = &fin->pins[0], *moved = &fin->pins[1];
  assert_true(held->region.kind == VL_SHAPE_SPHERE && held->region.radius == 0.05 && held->region.where.line == 21);
  assert_true(held->axes == 7 && vl_norm(held->velocity) == 0.0 && vl_norm(held->amplitude) == 0.0);
  assert_true(held->start == 0.0 && isinf(held->end) && !held->release);
  assert_true(moved->region.kind == VL_SHAPE_UNION && moved->region.part_count == 1 && moved->axes == 5);
  assert_true(moved->velocity.x == 1.0 && moved->amplitude.z == 0.02 && moved->frequency == 3.0);
  assert_true(moved->start == 0.1 && moved->end == 2.0 && moved->release);
}

static void check_all(const vlScene *scene)
{
  assert_int_equal(scene->body_count, 2);
  const vlBodyDef *fin = &scene->bodies[0], *toy = &scene->bodies[1];
  assert_string_equal(fin->name, "fin");
  assert_true(fin->shape == VL_BODY_BOX && fin->center.y == 0.6 && fin->size.z == 0.3 && fin->where.line == 2);
  assert_true(fin->cells[0] == 1 && fin->cells[1] == 2 && fin->cells[2] == 3);
  assert_true(fin->density == 700.0 && fin->young == 3e4 && fin->poisson == 0.4);
  assert_true(fin->mass_damping == 2.0 && fin->stiffness_damping == 0.003);
  assert_true(fin->element == VL_ELEMENT_QUADRATIC && fin->scheme == VL_SCHEME_BDF2);
  assert_true(fin->velocity.y == 2.0 && fin->velocity.z == 0.03 && fin->spin.y == VL_PI && fin->spin.z == 1.0);
  assert_true(fin->stretch.x == 0.5 && fin->stretch.z == 2.0);
  assert_true(fin->has_color && fin->color.z == 0.3 && fin->material == VL_MATERIAL_GLOSSY);
  vlVec3 y = vl_mat_apply(fin->rotation, vl_vec(1, 0, 0));
  assert_true(vl_norm(vl_sub(y, vl_vec(0, 1, 0))) < 1e-15); /* cos(pi/2) is 6e-17 */
  check_pins(fin);
  assert_string_equal(toy->name, "bodies[1]");
  assert_true(toy->shape == VL_BODY_MESH && toy->scale.x == 0.001 && toy->scale.z == 0.001);
  assert_string_equal(toy->file, "tests/tet_files.h");
  assert_true(scene->probes[0].kind == VL_PROBE_NODE);
  assert_string_equal(scene->probes[0].body, "fin");
  assert_string_equal(scene->probes[1].body, "bodies[1]");
  assert_true(scene->coupling.kind == VL_COUPLING_DAMPING_ONLY && scene->coupling.sigma == 0.5 &&
              scene->coupling.alpha == 0.0);
  assert_false(scene->output.bodies);
}

static int go_to_source(void **state)
{
  (void)state;
  return chdir(VL_SOURCE_DIR);
}

static void test_all_keys(void **state)
{
  (void)state;
  vlScene scene;
  load(&scene, text, NULL, 0);
  check_all(&scene);
  vl_scene_clear(&scene);
}

static void test_settings(void **state)
{
  (void)state;
  vlScene scene;
  const char *sets[] = {"bodies.fin.young=1 MPa", "bodies[0].pins[0].radius=1", "bodies.fin.cells=[4, 5, 6]",
                        "solver.coupling=minres", "bodies.fin.model=neo_hookean"};
  load(&scene, text, sets, 5);
  assert_true(scene.bodies[0].model == VL_MODEL_NEO_HOOKEAN);
  assert_true(scene.bodies[0].young == 1e6 && scene.bodies[0].pins[0].region.radius == 1.0);
  assert_true(scene.bodies[0].cells[2] == 6 && scene.coupling.kind == VL_COUPLING_MINRES);
  vl_scene_clear(&scene);
}

/* The documented defaults; a body that says nothing more than it must is the default body. */
static void test_defaults(void **state)
{
  (void)state;
  vlScene scene;
  vlBodyDef body = vl_body_default();
  assert_true(body.density == 1000.0 && body.young == 2e5 && body.poisson == 0.3);
  assert_true(body.mass_damping == 0.1 && body.stiffness_damping == 1e-3 && body.scale.x == 1.0);
  assert_true(body.element == VL_ELEMENT_LINEAR && body.scheme == VL_SCHEME_BACKWARD_EULER);
  assert_true(body.model == VL_MODEL_COROTATIONAL);
  for (int a = 0; a < 3; a++)
    assert_true(body.cells[a] == 1 && body.stretch.v[a] == 1.0 && body.rotation.m[a][a] == 1.0 && body.velocity.v[a] == 0.0);
  assert_true(!body.pins && !body.has_color && !body.name[0]);
  load(&scene, "bodies: [{shape: box, size: [0.1, 0.1, 0.1], pins: [{shape: sphere, radius: 1}]}]", NULL, 0);
  const vlBodyDef *own = &scene.bodies[0];
  assert_true(own->density == body.density && own->young == body.young && own->poisson == body.poisson);
  assert_memory_equal(&own->rotation, &body.rotation, sizeof body.rotation);
  vlPinDef pin = vl_pin_default(VL_SHAPE_SPHERE);
  assert_true(pin.axes == 7 && pin.axes == own->pins[0].axes && isinf(pin.end) && pin.region.kind == VL_SHAPE_SPHERE);
  assert_memory_equal(&pin.region.rotation, &own->pins[0].region.rotation, sizeof pin.region.rotation);
  vl_scene_clear(&scene);
}

/* Two entries of a vector say the same as three. */
static void test_flat_vectors(void **state)
{
  (void)state;
  static const char form[] =
      "{grid: {slab: yes, size: [2, 1], cells: 40}, gravity: [1, -9%s],"
      " liquid: {velocity: [1, 2%s], shapes: [{shape: box, center: [0.2, 0.3%s], size: [0.4, 0.6%s]}],"
      "  sources: [{shape: sphere, center: [1, 0.5%s], radius: 0.1, velocity: [0, 1%s]}]},"
      " solids: [{shape: halfspace, center: [0, 0.1%s], normal: [1, 1%s]}],"
      " bodies: [{shape: box, center: [1, 0.4%s], size: [0.1, 0.1], velocity: [1, 0%s], stretch: [2, 1%s],"
      "  pins: [{shape: box, center: [1, 0.4%s], size: [0.4, 0.4%s], velocity: [0, 1%s], amplitude: [0.1, 0%s],"
      "   frequency: 1}]}],"
      " probes: [{probe: height, position: [0.5, 0%s]}]}";
  char flat[1024], deep[1024];
  snprintf(flat, sizeof flat, form, "", "", "", "", "", "", "", "", "", "", "", "", "", "", "", "");
  /* boxes of two entries are twice as thick as the grid is long */
  snprintf(deep, sizeof deep, form, ", 0", ", 0", ", 0", ", 4", ", 0", ", 0", ", 0", ", 0", ", 0", ", 0", ", 1", ", 0",
           ", 4", ", 0", ", 0", ", 0");
  vlScene a, b;
  load(&a, flat, NULL, 0);
  load(&b, deep, NULL, 0);
  const vlBodyDef *body[] = {&a.bodies[0], &b.bodies[0]};
  const vlVec3 pairs[][2] = {
      {a.gravity, b.gravity},
      {a.liquid.velocity, b.liquid.velocity},
      {a.liquid.shapes[0].center, b.liquid.shapes[0].center},
      {a.liquid.shapes[0].size, b.liquid.shapes[0].size},
      {a.liquid.sources[0].shape.center, b.liquid.sources[0].shape.center},
      {a.liquid.sources[0].velocity, b.liquid.sources[0].velocity},
      {a.solids[0].shape.center, b.solids[0].shape.center},
      {a.solids[0].shape.normal, b.solids[0].shape.normal},
      {body[0]->center, body[1]->center},
      {body[0]->velocity, body[1]->velocity},
      {body[0]->stretch, body[1]->stretch},
      {body[0]->pins[0].region.center, body[1]->pins[0].region.center},
      {body[0]->pins[0].region.size, body[1]->pins[0].region.size},
      {body[0]->pins[0].velocity, body[1]->pins[0].velocity},
      {body[0]->pins[0].amplitude, body[1]->pins[0].amplitude},
      {a.probes[0].position, b.probes[0].position},
  };
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
    for (int k = 0; k < 3; k++)
      if (pairs[i][0].v[k] != pairs[i][1].v[k]) fail_msg("vector %zu, entry %d", i, k);
  vl_scene_clear(&a);
  vl_scene_clear(&b);
}

static void test_slab(void **state)
{
  (void)state;
  vlScene scene;
  load(&scene,
       "{grid: {slab: yes, size: [1, 1]}, bodies: [{shape: box, size: [0.1, 0.4], cells: [2, 8], center: [0.5, 0.5, 0]}]}",
       NULL, 0);
  assert_true(scene.bodies[0].size.y == 0.4 && scene.bodies[0].cells[1] == 8);
  vl_scene_clear(&scene);
  load(&scene, "{grid: {slab: yes, size: [1, 1]}, bodies: [{shape: box, size: [0.1, 0.4, 1], rotate: z 30}]}", NULL, 0);
  vl_scene_clear(&scene);
}

/* The copy is used after the scene is gone; ASan sees what they share or lose. */
static void test_copy(void **state)
{
  (void)state;
  vlScene scene, copy, again;
  vlStatus status = {0};
  load(&scene, text, NULL, 0);
  assert_int_equal(vl_scene_copy(&copy, &scene, &status), VL_OK);
  assert_true(copy.bodies != scene.bodies && copy.bodies[0].pins != scene.bodies[0].pins);
  assert_true(copy.bodies[0].pins[1].region.parts != scene.bodies[0].pins[1].region.parts);
  assert_true(copy.bodies[1].file != scene.bodies[1].file);
  vl_scene_clear(&scene);
  assert_int_equal(scene.body_count, 0);
  check_all(&copy);
  assert_int_equal(vl_scene_copy(&again, &copy, &status), VL_OK);
  check_all(&again);
  vl_scene_clear(&copy);
  vl_scene_clear(&again);
}

/* A body of arrays with a pin; then the scene's own body once more, while the list moves. */
static void test_add_body(void **state)
{
  (void)state;
  vlScene scene;
  vlStatus status = {0};
  vlVec3 nodes[4] = {vl_vec(0, 0, 0), vl_vec(1, 0, 0), vl_vec(0, 1, 0), vl_vec(0, 0, 1)};
  int tets[1][4] = {{0, 1, 2, 3}};
  vlPinDef pin = vl_pin_default(VL_SHAPE_SPHERE);
  pin.region.radius = 0.1;
  vlBodyDef body = vl_body_default();
  body.shape = VL_BODY_MESH;
  body.nodes = nodes;
  body.node_count = 4;
  body.tets = tets;
  body.tet_count = 1;
  body.pins = &pin;
  body.pin_count = 1;
  vl_scene_default(&scene);
  assert_int_equal(vl_scene_add_body(&scene, &body, &status), VL_OK);
  nodes[1].x = pin.region.radius = 7.0;
  tets[0][3] = 9;
  for (int i = 0; i < 9; i++) assert_int_equal(vl_scene_add_body(&scene, &scene.bodies[0], &status), VL_OK);
  assert_int_equal(scene.body_count, 10);
  for (int i = 0; i < 10; i++) {
    const vlBodyDef *own = &scene.bodies[i];
    assert_true(own->nodes[1].x == 1.0 && own->tets[0][3] == 3 && own->pins[0].region.radius == 0.1);
    for (int j = 0; j < i; j++) assert_true(own->nodes != scene.bodies[j].nodes && own->pins != scene.bodies[j].pins);
  }
  vl_scene_clear(&scene);
}

/* What is wrong with the body that a program made is told by its key. */
static void refuse(vlBodyDef body, bool slab, const char *message)
{
  vlScene scene;
  vlStatus status = {0};
  vl_scene_default(&scene);
  scene.grid.slab = slab;
  assert_int_equal(vl_scene_add_body(&scene, &body, &status), VL_OK);
  assert_int_equal(vl_scene_complete(&scene, &status), VL_ERROR_SCENE);
  if (strncmp(status.message, message, strlen(message)) != 0) fail_msg("%s instead of %s", status.message, message);
  vl_scene_clear(&scene);
}

static void test_numbers_of_programs(void **state)
{
  (void)state;
  vlBodyDef good = vl_body_default(), bad;
  good.size = vl_vec(0.1, 0.1, 0.1);
#define REFUSE(member, value, slab, message) bad = good, bad.member = (value), refuse(bad, slab, message)
  REFUSE(density, 0.0, false, "bodies[0].density: 0: out of range\n  allowed: 0.001 to 1e+12 kg/m^3");
  REFUSE(density, NAN, false, "bodies[0].density: nan: not a finite number; a density is expected");
  REFUSE(young, -1.0, false, "bodies[0].young: -1: out of range\n  allowed: more than 0 Pa");
  REFUSE(poisson, 0.5, false, "bodies[0].poisson: 0.5: out of range\n  allowed: 0 to 0.45");
  REFUSE(mass_damping, -1.0, false, "bodies[0].mass_damping: -1");
  REFUSE(stiffness_damping, INFINITY, false, "bodies[0].stiffness_damping: inf: not a finite number");
  REFUSE(cells[1], 0, false, "bodies[0].cells[1]: 0: out of range\n  allowed: each 1 to 1000");
  REFUSE(size.z, 0.0, false, "bodies[0].size[2]: 0: out of range");
  REFUSE(stretch.x, 0.0, false, "bodies[0].stretch[0]: 0: out of range");
  REFUSE(center.x, NAN, false, "bodies[0].center[0]: nan: not a finite number");
  REFUSE(spin.x, INFINITY, false, "bodies[0].spin[0]: inf: not a finite number");
  REFUSE(scheme, VL_SCHEME_KIND_COUNT, false,
         "bodies[0].integrator: 2: not one of the words allowed here\n  allowed: backward_euler, bdf2");
  REFUSE(model, VL_MODEL_KIND_COUNT, false, "bodies[0].model: 2");
  REFUSE(cell, -1.0, false, "bodies[0].cell: -1");
  REFUSE(shape, VL_BODY_SHAPE_COUNT, false, "bodies[0].shape: 10");
  REFUSE(spin.x, 1.0, true, "bodies[0].spin: the x and y entries must be 0 in a slab");
  REFUSE(stretch.z, 2.0, true, "bodies[0].stretch: the z entry must be 1 in a slab");
  REFUSE(rotation, vl_mat_rotation(0, 1.0), true,
         "bodies[0].rotate: in a slab boxes made of cells turn about z only\n  give cell instead of cells");
  bad = good;
  bad.cell = 0.02;
  bad.rotation = vl_mat_rotation(0, 0.5 * VL_PI); /* its y axis leads across */
  bad.stretch = vl_vec(1.0, 2.0, 1.0);
  refuse(bad, true, "bodies[0].stretch: the body is turned, and its own axes that lead across the slab must not be stretched");
  vlPinDef pin = vl_pin_default(VL_SHAPE_SPHERE);
  good.pins = &pin;
  good.pin_count = 1;
  pin.region.radius = 0.1;
  pin.axes = 8;
  refuse(good, false, "bodies[0].pins[0].axes: 8: a sum of 1 (x), 2 (y) and 4 (z) is expected");
  pin.axes = 7;
  pin.start = NAN;
  refuse(good, false, "bodies[0].pins[0].start: nan: not a finite number; a time is expected");
}

static void test_names_of_programs(void **state)
{
  (void)state;
  vlScene scene;
  vlStatus status = {0};
  vlBodyDef body = vl_body_default();
  vlProbeDef probe = {.kind = VL_PROBE_NODE, .body = "bodies[1]"};
  body.size = vl_vec(0.1, 0.1, 0.1);
  vl_scene_default(&scene);
  for (int i = 0; i < 2; i++) assert_int_equal(vl_scene_add_body(&scene, &body, &status), VL_OK);
  assert_int_equal(vl_scene_add_probe(&scene, &probe, &status), VL_OK);
  if (vl_scene_complete(&scene, &status)) fail_msg("%s", status.message);
  assert_string_equal(scene.bodies[0].name, "bodies[0]");
  strcpy(scene.probes[0].body, "jelly");
  assert_int_equal(vl_scene_complete(&scene, &status), VL_ERROR_SCENE);
  assert_non_null(
      strstr(status.message, "probes[0].body: jelly: there is no body of this name\n  bodies: bodies[0], bodies[1]"));
  strcpy(scene.bodies[1].name, "bodies[0]");
  assert_int_equal(vl_scene_complete(&scene, &status), VL_ERROR_SCENE);
  assert_non_null(strstr(status.message, "bodies[1].name: bodies[0]: bodies[0] has this name too"));
  vl_scene_clear(&scene);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_all_keys),          cmocka_unit_test(test_settings),
      cmocka_unit_test(test_defaults),          cmocka_unit_test(test_slab),
      cmocka_unit_test(test_flat_vectors),      cmocka_unit_test(test_copy),
      cmocka_unit_test(test_add_body),          cmocka_unit_test(test_numbers_of_programs),
      cmocka_unit_test(test_names_of_programs),
  };
  return cmocka_run_group_tests(tests, go_to_source, NULL);
}
