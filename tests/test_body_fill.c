/* Bodies of scenes that are filled with tetrahedra: every shape, surfaces from files, copies, mistakes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/vec.h"
#include "solid/body_set.h"
#include "solid/body_shape.h"
#include "solid/elastic.h"

static void parse(vlScene *scene, const char *text)
{
  vlStatus status;
  if (vl_scene_parse(scene, text, strlen(text), "/tmp/x.yaml", NULL, 0, &status)) fail_msg("%s", status.message);
}

/* Volume of the first body, filled. */
static double volume_of(const vlScene *scene, vlTetMesh *mesh, vlStuffInfo *info)
{
  vlStatus status;
  if (vl_body_fill(mesh, info, scene, &scene->bodies[0], &status)) fail_msg("%s", status.message);
  return vl_tetmesh_volume(mesh);
}

/* Each shape fills what it should; a coarse surface of flat triangles and blunt edges has a few percent less. */
static void test_shapes(void **state)
{
  (void)state;
  static const struct {
    const char *keys;
    double volume;
  } cases[] = {
      {"shape: sphere, radius: 0.2, cell: 0.04", 4.0 / 3.0 * VL_PI * 0.008},
      {"shape: capsule, radius: 0.1, height: 0.3, cell: 0.025", VL_PI * 0.01 * 0.3 + 4.0 / 3.0 * VL_PI * 0.001},
      {"shape: cylinder, radius: 0.2, height: 0.3, cell: 0.03", VL_PI * 0.04 * 0.3},
      {"shape: cone, radius: 0.2, radius_top: 0.1, height: 0.3, cell: 0.03", VL_PI * 0.1 * (0.04 + 0.02 + 0.01)},
      {"shape: torus, radius: 0.2, tube_radius: 0.08, cell: 0.025", 2.0 * VL_PI * VL_PI * 0.2 * 0.0064},
      {"shape: box, size: [0.4, 0.2, 0.3], cell: 0.1", 0.024},
      {"shape: union, cell: 5 cm, parts: [{shape: box, size: [0.4, 0.2, 0.2]}, {shape: box, size: [0.2, 0.4, 0.2]}]", 0.024},
      {"shape: intersection, cell: 5 cm, parts: [{shape: box, size: [0.4, 0.2, 0.2]}, {shape: halfspace}]", 0.008},
      {"shape: difference, cell: 2 cm, parts: [{shape: sphere, radius: 0.2}, {shape: sphere, radius: 0.1}]",
       4.0 / 3.0 * VL_PI * 0.007},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[512];
    vlScene scene;
    vlTetMesh mesh;
    vlStuffInfo info;
    snprintf(text, sizeof text, "bodies: [{%s, center: [0.5, 0.5, 0.5]}]", cases[i].keys);
    parse(&scene, text);
    double volume = volume_of(&scene, &mesh, &info);
    if (volume > 1.001 * cases[i].volume || volume < 0.95 * cases[i].volume)
      fail_msg("%s: %g instead of %g", cases[i].keys, volume, cases[i].volume);
    assert_true(info.pieces == 1 && info.samples > 0);
    vl_tetmesh_clear(&mesh);
    vl_scene_clear(&scene);
  }
}

/* The body is turned and moved after it was filled, so its mesh is the same wherever it is. */
static void test_placed(void **state)
{
  (void)state;
  vlScene scene, moved;
  vlBodySet a, b;
  vlStatus status;
  parse(&scene, "bodies: [{shape: capsule, radius: 0.1, height: 0.2, cell: 0.05, center: [0.5, 0.5, 0.5]}]");
  parse(&moved, "bodies: [{shape: capsule, radius: 0.1, height: 0.2, cell: 0.05, center: [0.3, 0.4, 0.5], rotate: z 90}]");
  if (vl_bodies_create(&a, &scene, (vlLog){0}, &status) || vl_bodies_create(&b, &moved, (vlLog){0}, &status))
    fail_msg("%s", status.message);
  assert_true(a.body[0]->node_count == b.body[0]->node_count && ((vlElastic *)a.body[0])->stuffed.pieces == 1);
  for (int i = 0; i < a.body[0]->node_count; i++) {
    vlVec3 r = vl_sub(a.body[0]->x[i], vl_vec(0.5, 0.5, 0.5));
    vlVec3 expected = vl_vec(0.3 - r.y, 0.4 + r.x, 0.5 + r.z);
    assert_true(vl_norm(vl_sub(b.body[0]->x[i], expected)) < 1e-15);
  }
  vl_bodies_clear(&a);
  vl_bodies_clear(&b);
  vl_scene_clear(&scene);
  vl_scene_clear(&moved);
}

static void write_tetrahedron(const char *path)
{
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs("v 0 0 0\nv 300 0 0\nv 0 300 0\nv 0 0 300\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n", file);
  assert_int_equal(fclose(file), 0);
}

/* A surface in a file is scaled, then filled; cell is in metres. */
static void test_file(void **state)
{
  (void)state;
  char path[64], text[256];
  vlScene scene;
  vlTetMesh mesh;
  vlStuffInfo info;
  vlStatus status;
  snprintf(path, sizeof path, "/tmp/velella_test_body_fill_%d.obj", (int)getpid());
  write_tetrahedron(path);
  snprintf(text, sizeof text, "bodies: [{shape: mesh, file: %s, scale: 0.001, cell: 0.02}]", path);
  parse(&scene, text);
  double volume = volume_of(&scene, &mesh, &info), exact = 0.027 / 6.0;
  assert_true(volume < 1.001 * exact && volume > 0.9 * exact); /* sharp edges are cut off */
  assert_true(vl_tetmesh_bounds(&mesh).hi.x <= 0.3 + 1e-12);
  vl_tetmesh_clear(&mesh);
  scene.bodies[0].cell = 0.0;
  if (vl_body_fill(&mesh, &info, &scene, &scene.bodies[0], &status)) fail_msg("%s", status.message);
  vlVec3 size = vl_sub(vl_tetmesh_bounds(&mesh).hi, vl_tetmesh_bounds(&mesh).lo);
  assert_true(size.x <= 0.3 + 1e-12 && size.x > 0.25 && mesh.tet_count > 1000 && mesh.tet_count < 50000);
  vl_tetmesh_clear(&mesh);
  scene.bodies[0].solid.fit = 0.6;
  scene.bodies[0].solid.origin = VL_ORIGIN_MIDDLE;
  if (vl_body_fill(&mesh, &info, &scene, &scene.bodies[0], &status)) fail_msg("%s", status.message);
  vlBox3 box = vl_tetmesh_bounds(&mesh);
  assert_true(box.lo.x >= -0.3 - 1e-12 && box.lo.x < -0.25 && box.hi.x <= 0.3 + 1e-12);
  vl_tetmesh_clear(&mesh);
  vl_scene_clear(&scene);
  remove(path);
}

/* A surface in memory, and a scene's copy of all that a filled body owns. */
static void test_memory(void **state)
{
  (void)state;
  vlVec3 x[4] = {vl_vec(0, 0, 0), vl_vec(0.3, 0, 0), vl_vec(0, 0.3, 0), vl_vec(0, 0, 0.3)};
  int tri[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  vlScene scene, copy;
  vlStatus status;
  vlTetMesh mesh, again;
  vlStuffInfo info;
  vlBodyDef body = vl_body_default();
  vl_scene_default(&scene);
  body.shape = VL_BODY_MESH;
  body.cell = 0.03;
  body.solid.vertices = x;
  body.solid.triangles = tri;
  body.solid.vertex_count = body.solid.triangle_count = 4;
  assert_int_equal(vl_scene_add_body(&scene, &body, &status), VL_OK);
  assert_int_equal(vl_scene_copy(&copy, &scene, &status), VL_OK);
  assert_true(copy.bodies[0].solid.vertices != scene.bodies[0].solid.vertices && scene.bodies[0].solid.vertices != x);
  double volume = volume_of(&scene, &mesh, &info);
  vl_scene_clear(&scene);
  assert_true(volume == volume_of(&copy, &again, &info) && volume > 0.004);
  vl_tetmesh_clear(&mesh);
  vl_tetmesh_clear(&again);
  vl_scene_clear(&copy);
}

static void test_refused(void **state)
{
  (void)state;
  static const char *const cases[][2] = {
      {"shape: sphere, radius: 1 mm, cell: 0.1", "no tetrahedron of that size fits"},
      {"shape: intersection, cell: 0.1, parts: [{shape: halfspace}]", "only a bounded one can be filled"},
      {"shape: difference, cell: 0.1, parts: [{shape: sphere, radius: 0.1}, {shape: sphere, radius: 0.2}]", "cell is 0.1 m"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[256];
    vlScene scene;
    vlBodySet bodies;
    vlStatus status = {0};
    snprintf(text, sizeof text, "bodies: [{name: toy, %s, center: [0.5, 0.5, 0.5]}]", cases[i][0]);
    parse(&scene, text);
    assert_int_equal(vl_bodies_create(&bodies, &scene, (vlLog){0}, &status), VL_ERROR_MESH);
    if (!strstr(status.message, cases[i][1]) || !strstr(status.message, "x.yaml:1:10: body 'toy': "))
      fail_msg("%s", status.message);
    vl_scene_clear(&scene);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_shapes), cmocka_unit_test(test_placed),  cmocka_unit_test(test_file),
      cmocka_unit_test(test_memory), cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
