/* Scenes with liquid that moves: how it is carried, sources and sinks, probes, what is written, and meshes that are built in
 * like the scenes that use them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/vec.h"
#include "mesh/sdf.h"
#include "mesh/trimesh.h"
#include "scene/scene.h"

static void load(vlScene *scene, const char *text, const char *const *sets, int count)
{
  vlStatus status = {0};
  vlSetting settings[8] = {{0}};
  for (int i = 0; i < count; i++) settings[i].text = sets[i];
  if (vl_scene_parse(scene, text, strlen(text), "test.yaml", settings, count, &status) != VL_OK)
    fail_msg("%s", status.message);
}

static const char moving_text[] =
    "liquid:\n"
    "  velocity: [1, 50 cm/s, 0]\n"
    "  transfer: semi-lagrangian\n"
    "  flip: 0.5\n"
    "  integrator: rk3\n"
    "  particles: 3\n"
    "  keep_volume: no\n"
    "  sources:\n"
    "    - {shape: sphere, center: [0.5, 0.5, 0.5], radius: 10 cm, velocity: [0, 2 m/s, 0], start: 250 ms, end: 2}\n"
    "    - shape: union\n"
    "      parts: [{shape: box, size: [0.1, 0.1, 0.1]}, {shape: union, parts: [{shape: sphere, radius: 0.1}]}]\n"
    "  sinks:\n"
    "    - {shape: halfspace, center: [0, 0.1, 0], normal: [0, 2, 0]}\n"
    "    - {shape: difference, parts: [{shape: box, size: [1, 1, 1]}, {shape: sphere, radius: 0.1}]}\n"
    "probes:\n"
    "  - {name: gauge, probe: height, position: [0.5, 0, 1]}\n"
    "  - {probe: pressure, position: [0.5, 10 cm, 0.5]}\n"
    "  - {probe: velocity, position: [1, 1, 1]}\n"
    "  - {name: gate, probe: flux, position: [0.5, 0.5, 0.5], axis: y, size: [1, 0, 20 cm]}\n"
    "output: {particles: no, surface: no, format: [ply], checkpoint: 30}\n";

static void test_moving_liquid(void **state)
{
  (void)state;
  vlScene scene;
  load(&scene, moving_text, NULL, 0);
  const vlLiquidDef *liquid = &scene.liquid;
  assert_true(liquid->velocity.x == 1.0 && liquid->velocity.y == 0.5 && liquid->velocity.z == 0.0);
  assert_true(liquid->transfer == VL_TRANSFER_SEMI_LAGRANGIAN && liquid->integrator == VL_INTEGRATOR_RK3);
  assert_true(liquid->flip == 0.5 && liquid->particles == 3 && !liquid->keep_volume);
  assert_int_equal(liquid->source_count, 2);
  const vlSourceDef *jet = &liquid->sources[0], *other = &liquid->sources[1];
  assert_true(jet->shape.kind == VL_SHAPE_SPHERE && jet->shape.radius == 0.1 && jet->shape.where.line == 9);
  assert_true(jet->velocity.y == 2.0 && jet->start == 0.25 && jet->end == 2.0);
  assert_true(vl_norm(other->velocity) == 0.0 && other->start == 0.0 && isinf(other->end));
  assert_int_equal(other->shape.parts[1].part_count, 1);
  assert_int_equal(liquid->sink_count, 2);
  assert_true(liquid->sinks[0].shape.normal.y == 1.0 && liquid->sinks[1].shape.part_count == 2);
  assert_true(!scene.output.particles && !scene.output.surface && scene.output.checkpoint_every == 30);
  assert_true(scene.output.ply && !scene.output.vtk);
  vl_scene_clear(&scene);
}

static void test_probes(void **state)
{
  (void)state;
  vlScene scene;
  const char *sets[] = {"probes.gate.size=[2, 0, 1]", "probes[1].position=[0, 0, 0]",
                        "liquid.sources[0].velocity=[0, -1, 0]"};
  load(&scene, moving_text, sets, 3);
  assert_int_equal(scene.probe_count, 4);
  static const vlProbeKind kinds[] = {VL_PROBE_HEIGHT, VL_PROBE_PRESSURE, VL_PROBE_VELOCITY, VL_PROBE_FLUX};
  static const char *const names[] = {"gauge", "probes[1]", "probes[2]", "gate"};
  for (int i = 0; i < 4; i++) {
    assert_int_equal(scene.probes[i].kind, kinds[i]);
    assert_string_equal(scene.probes[i].name, names[i]);
    assert_int_equal(scene.probes[i].where.line, 16 + i);
  }
  assert_true(scene.probes[0].position.z == 1.0 && scene.probes[1].position.y == 0.0);
  assert_true(scene.probes[3].axis == 1 && scene.probes[3].size.x == 2.0 && scene.probes[3].size.z == 1.0);
  assert_true(scene.liquid.sources[0].velocity.y == -1.0);
  vl_scene_clear(&scene);
  load(&scene, "{grid: {slab: yes, size: [1, 1]}, probes: [{probe: height, position: [0.1, 0, 0]}]}", NULL, 0);
  assert_int_equal(scene.probe_count, 1);
  vl_scene_clear(&scene);
  /* 0.1 + 0.2 is more than 0.3 in binary, yet the far side of the box belongs to it. */
  load(&scene,
       "{grid: {origin: [0.1, 0.1, 0.1], size: [0.2, 0.2, 0.2]}, probes: [{probe: height, position: [0.3, 0.3, 0.3]}]}",
       NULL, 0);
  vl_scene_clear(&scene);
}

static void test_words(void **state)
{
  (void)state;
  static const char *const texts[] = {"output: {format: vtk}", "output: {format: ply}", "output: {format: [ply, vtk]}",
                                      "output: {format: [vtk]}"};
  static const bool vtk[] = {true, false, true, true}, ply[] = {false, true, true, false};
  for (int i = 0; i < 4; i++) {
    vlScene scene;
    load(&scene, texts[i], NULL, 0);
    assert_true(scene.output.vtk == vtk[i] && scene.output.ply == ply[i]);
    vl_scene_clear(&scene);
  }
}

/* The same mesh from the file next to the scene and from inside the library; a copy of the scene finds it elsewhere too. */
static void test_builtin_mesh(void **state)
{
  (void)state;
  vlScene own, file, copy;
  vlStatus status = {0};
  assert_int_equal(vl_scene_load(&own, "funnel", NULL, 0, &status), VL_OK);
  assert_int_equal(vl_scene_load(&file, VL_SOURCE_DIR "/scenes/funnel.yaml", NULL, 0, &status), VL_OK);
  assert_int_equal(vl_scene_parse(&copy, own.text, strlen(own.text), "/nowhere/mine.yaml", NULL, 0, &status), VL_OK);
  assert_string_equal(own.solids[0].shape.file, "meshes/funnel.obj");
  assert_string_equal(file.solids[0].shape.file, VL_SOURCE_DIR "/scenes/meshes/funnel.obj");
  assert_true(own.solids[0].shape.data && copy.solids[0].shape.data && !file.solids[0].shape.data);

  vlTriMesh *inside = NULL, *outside = NULL;
  const vlShape *shape = &own.solids[0].shape;
  assert_int_equal(vl_trimesh_read_memory(&inside, shape->data, shape->data_length, shape->file, &status), VL_OK);
  assert_int_equal(vl_trimesh_read(&outside, file.solids[0].shape.file, &status), VL_OK);
  assert_int_equal(inside->vertex_count, outside->vertex_count);
  assert_int_equal(inside->triangle_count, outside->triangle_count);
  assert_memory_equal(inside->x, outside->x, (size_t)inside->vertex_count * sizeof *inside->x);
  vlTriMeshDefects defects;
  assert_int_equal(vl_trimesh_check(inside, &defects, &status), VL_OK);
  assert_true(defects.open_edges + defects.bad_edges + defects.flat_triangles == 0 && !defects.inside_out);
  vl_trimesh_destroy(&inside);
  vl_trimesh_destroy(&outside);

  /* Solid in its wall, open in its hole. */
  vlSdf *sdf = NULL;
  assert_int_equal(vl_sdf_create(&sdf, shape, &status), VL_OK);
  assert_true(vl_sdf_distance(sdf, vl_vec(0.58, 0.4, 0.5)) < 0.0);
  assert_true(vl_sdf_distance(sdf, vl_vec(0.5, 0.4, 0.5)) > 0.05);
  vl_sdf_destroy(&sdf);
  vl_scene_clear(&own);
  vl_scene_clear(&file);
  vl_scene_clear(&copy);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_moving_liquid),
      cmocka_unit_test(test_probes),
      cmocka_unit_test(test_words),
      cmocka_unit_test(test_builtin_mesh),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
