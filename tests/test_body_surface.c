/* Surfaces of rigid bodies: every shape, its mass and inertia against formulas, slabs, files, mistakes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/vec.h"
#include "scene/scene.h"
#include "solid/body_set.h"
#include "solid/body_shape.h"
#include "solid/rigid_body.h"

static void parse(vlScene *scene, const char *text)
{
  vlStatus status;
  if (vl_scene_parse(scene, text, strlen(text), "/tmp/x.yaml", NULL, 0, &status)) fail_msg("%s", status.message);
}

/* The first body of a scene with these keys of it. */
static vlBody *make(vlBodySet *bodies, const char *grid, const char *keys)
{
  char text[1024];
  vlScene scene;
  vlStatus status;
  snprintf(text, sizeof text, "{grid: {%s}, bodies: [{rigid: yes, center: [0.5, 0.5, 0], %s}]}", grid, keys);
  parse(&scene, text);
  vlCode code = vl_scene_complete(&scene, &status);
  if (!code) code = vl_bodies_create(bodies, &scene, (vlLog){0}, &status);
  if (code) fail_msg("%s: %s", keys, status.message);
  vl_scene_clear(&scene);
  return bodies->body[0];
}

static void assert_closed(const vlBody *b)
{
  vlTriMesh mesh = {b->rest, b->triangle, b->node_count, b->triangle_count};
  vlTriMeshDefects defects;
  vlStatus status;
  assert_int_equal(vl_trimesh_check(&mesh, &defects, &status), VL_OK);
  assert_int_equal(defects.open_edges + defects.bad_edges + defects.unused_vertices, 0);
  assert_false(defects.inside_out);
}

#define SPACE "size: [1, 1, 1], origin: [0, 0, -0.5], cells: 32"

/* Volume, and the inertia about x, y and z over mass, from textbooks. Surfaces hold a shape's volume to a thousandth, as
 * they are refined until halving changes it by less than three; moments go with the fifth power of a length where volumes go
 * with the third. */
static void test_formulas(void **state)
{
  (void)state;
  double r = 0.2, h = 0.3, t = 0.06;
  double capsule = VL_PI * r * r * (h + 4.0 / 3.0 * r), middle = VL_PI * r * r * h / capsule, cap = 1.0 - middle;
  const struct {
    const char *keys;
    double volume, across, along; /* about x and z; about y */
  } cases[] = {
      {"shape: sphere, radius: 0.2", 4.0 / 3.0 * VL_PI * r * r * r, 0.4 * r * r, 0.4 * r * r},
      {"shape: sphere, radius: 0.02", 4.0 / 3.0 * VL_PI * 8e-6, 0.4 * 4e-4, 0.4 * 4e-4},
      {"shape: cylinder, radius: 0.2, height: 0.3", VL_PI * r * r * h, r * r / 4.0 + h * h / 12.0, 0.5 * r * r},
      {"shape: torus, radius: 0.2, tube_radius: 0.06", 2.0 * VL_PI * VL_PI * r * t * t, 0.5 * r * r + 0.625 * t * t,
       r * r + 0.75 * t * t},
      {"shape: capsule, radius: 0.2, height: 0.3", capsule,
       middle * (h * h / 12.0 + r * r / 4.0) + cap * (0.4 * r * r + h * h / 4.0 + 3.0 / 8.0 * h * r),
       middle * 0.5 * r * r + cap * 0.4 * r * r},
      {"shape: cone, radius: 0.2, height: 0.3", VL_PI * r * r * h / 3.0, 0.15 * r * r + 0.0375 * h * h, 0.3 * r * r},
      {"shape: box, size: [0.3, 0.1, 0.3]", 0.009, (0.09 + 0.01) / 12.0, 0.09 / 6.0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    vlBodySet bodies;
    const vlBody *b = make(&bodies, SPACE, cases[i].keys);
    const vlMat3 *I = &vl_rigid_of(b)->inertia;
    double mass = 1000.0 * cases[i].volume, error = vl_rigid_of(b)->mass / mass - 1.0;
    double expected[3] = {cases[i].across * mass, cases[i].along * mass, cases[i].across * mass};
    printf("%-50s %6d nodes, mass off by %.2e\n", cases[i].keys, b->node_count, error);
    assert_closed(b);
    assert_int_equal(b->element_count, 0);
    assert_true(fabs(error) <= 1e-3);
    for (int a = 0; a < 3; a++)
      for (int c = 0; c < 3; c++)
        assert_true(fabs(I->m[a][c] - (a == c ? expected[a] : 0.0)) <= 5.0 / 3.0 * 2e-3 * expected[1]);
    vl_bodies_clear(&bodies);
  }
}

/* Boxes are exact, and what was blended, rounded and cut is closed and has the volume of its parts within reason. */
static void test_combinations(void **state)
{
  (void)state;
  static const struct {
    const char *keys;
    double least, most;
  } cases[] = {
      {"shape: box, size: [0.3, 0.2, 0.1], rotate: \"x 20, y 30\"", 0.006 - 1e-15, 0.006 + 1e-15},
      {"shape: box, size: [0.3, 0.2, 0.1], cell: 0.02", 0.006 - 1e-8, 0.006 + 1e-8},
      {"shape: box, size: [0.3, 0.2, 0.1], round: 0.02", 0.0057, 0.0059}, /* 0.006 less 12 edges of (1 - pi/4) r^2 */
      {"shape: union, blend: 0.05, parts: [{shape: sphere, radius: 0.15}, {shape: sphere, radius: 0.1, center: [0.15, 0, "
       "0]}]",
       0.0160, 0.0185},
      {"shape: difference, parts: [{shape: box, size: [0.3, 0.3, 0.3]}, {shape: box, size: [0.2, 0.4, 0.2]}]",
       0.027 - 0.012 - 1e-6, 0.027 - 0.012 + 1e-6},
      {"shape: difference, parts: [{shape: sphere, radius: 0.2}, {shape: sphere, radius: 0.19}]", 0.00475, 0.00480},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    vlBodySet bodies;
    const vlBody *b = make(&bodies, SPACE, cases[i].keys);
    double volume = vl_rigid_of(b)->mass / 1000.0;
    printf("%-50.50s %6d nodes, %.5g m3\n", cases[i].keys, b->node_count, volume);
    assert_closed(b);
    if (!(volume >= cases[i].least && volume <= cases[i].most)) fail_msg("%s: %.9g m3", cases[i].keys, volume);
    vl_bodies_clear(&bodies);
  }
}

/* In a slab every body is what z = 0 cuts of it, across the thickness of a cell; mass is that of a metre across. */
static void test_slab(void **state)
{
  (void)state;
  double r = 0.2, dx = 1.0 / 32.0;
  static const char *grid = "size: [1, 1], cells: 32, slab: yes";
  const struct {
    const char *keys;
    double area, tolerance;
  } cases[] = {
      {"shape: sphere, radius: 0.2", VL_PI * r * r, 1e-3},
      {"shape: cylinder, radius: 0.2, height: 0.3, rotate: x 90", VL_PI * r * r, 1e-3},
      {"shape: cylinder, radius: 0.2, height: 0.3", 0.12, 1e-9},
      {"shape: cone, radius: 0.2, height: 0.3", 0.06, 1e-3},
      {"shape: box, size: [0.3, 0.2], rotate: z 20", 0.06, 1e-12},
      {"shape: box, size: [0.3, 0.2, 0.1], rotate: y 45", 0.2 * 0.1 * sqrt(2.0), 1e-9},
      {"shape: torus, radius: 0.2, tube_radius: 0.06, rotate: x 90", VL_PI * (0.26 * 0.26 - 0.14 * 0.14), 2e-3},
      {"shape: torus, radius: 0.2, tube_radius: 0.06", 2.0 * VL_PI * 0.06 * 0.06, 2e-3},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    vlBodySet bodies;
    const vlBody *b = make(&bodies, grid, cases[i].keys);
    double mass = 1000.0 * cases[i].area * dx, error = vl_rigid_of(b)->mass / mass - 1.0;
    printf("%-60s %6d nodes, mass off by %.2e\n", cases[i].keys, b->node_count, error);
    assert_closed(b);
    assert_true(fabs(error) <= cases[i].tolerance);
    assert_true(vl_norm(vl_sub(vl_rigid_of(b)->pose.center, vl_vec(0.5, vl_rigid_of(b)->pose.center.y, 0))) < 1e-9);
    if (i == 0) assert_true(fabs(vl_rigid_of(b)->inertia.m[2][2] / (0.5 * mass * r * r) - 1.0) <= 2e-3);
    for (int k = 0; k < b->node_count; k++) assert_true(fabs(fabs(b->x[k].z) - 0.5 * dx) < 1e-15);
    vl_bodies_clear(&bodies);
  }
}

static void test_mass(void **state)
{
  (void)state;
  vlBodySet bodies;
  const vlBody *b = make(&bodies, SPACE, "shape: sphere, radius: 0.2, mass: 1500 g");
  assert_true(fabs(vl_rigid_of(b)->mass - 1.5) < 1e-12);
  assert_true(fabs(vl_rigid_of(b)->inertia.m[0][0] / (0.4 * 1.5 * 0.04) - 1.0) < 2e-3);
  vl_bodies_clear(&bodies);
  b = make(&bodies, "size: [1, 1], cells: 32, slab: yes", "shape: sphere, radius: 0.2, mass: 64");
  assert_true(fabs(vl_rigid_of(b)->mass - 2.0) < 1e-12);
  vl_bodies_clear(&bodies);
}

static void refuse(const char *keys, const char *words)
{
  char text[512];
  vlScene scene = {0};
  vlStatus status = {0};
  vlBodySet bodies = {0};
  snprintf(text, sizeof text, "{grid: {" SPACE "}, bodies: [{rigid: yes, center: [0.5, 0.5, 0], %s}]}", keys);
  vlCode code = vl_scene_parse(&scene, text, strlen(text), "/tmp/x.yaml", NULL, 0, &status);
  if (!code) {
    code = vl_bodies_create(&bodies, &scene, (vlLog){0}, &status);
    vl_scene_clear(&scene);
  }
  assert_true(code != VL_OK);
  if (!strstr(status.message, words)) fail_msg("%s", status.message);
}

/* A mesh with a hole is refused with the place, or closed; shapes without an end or an inside are refused. */
static void test_refused(void **state)
{
  (void)state;
  const char *path = "/tmp/velella_test_open_box.obj";
  FILE *file = fopen(path, "w");
  for (int i = 0; i < 8; i++) fprintf(file, "v %g %g %g\n", i & 1 ? 0.1 : -0.1, i & 2 ? 0.1 : -0.1, i & 4 ? 0.1 : -0.1);
  fprintf(file, "f 1 5 7 3\nf 2 4 8 6\nf 1 2 6 5\nf 3 7 8 4\nf 1 3 4 2\n"); /* the side at z = 0.1 is open */
  fclose(file);
  refuse("shape: mesh, file: /tmp/velella_test_open_box.obj", "is not closed: 4 open edges");
  refuse("shape: mesh, file: /tmp/velella_test_open_box.obj", "0.1");
  refuse("shape: intersection, parts: [{shape: halfspace}]", "must be bounded");
  refuse("shape: intersection, parts: [{shape: sphere, radius: 0.1}, {shape: sphere, radius: 0.1, center: [0, 0.3, 0]}]",
         "nothing");
  refuse("shape: sphere, radius: 0.01, cell: 0.2", "cell smaller");
  refuse("shape: sphere, radius: 0.9", "the box is from");
  refuse("shape: sphere, radius: 0.1, mass: 1, density: 100", "only one of mass and density");
  vlBodySet bodies;
  const vlBody *b = make(&bodies, SPACE, "shape: mesh, file: /tmp/velella_test_open_box.obj, repair: yes");
  assert_closed(b);
  assert_true(vl_rigid_of(b)->mass > 0.7 * 8.0 &&
              vl_rigid_of(b)->mass < 1.1 * 8.0); /* a skin across the hole bulges inwards */
  vl_bodies_clear(&bodies);
  remove(path);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_formulas), cmocka_unit_test(test_combinations),
                                     cmocka_unit_test(test_slab), cmocka_unit_test(test_mass),
                                     cmocka_unit_test(test_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
