/* The public API, used as a program would: what can be read from a simulation, measured and written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "api.h"

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
  scene.grid.cells = 8;
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
  vlSimFacts facts = vl_sim_facts(sim);
  assert_true(facts.bodies == 2 && facts.body_nodes == 8 + 27 && facts.body_elements == 12);
  assert_near(facts.body_volume, 0.012, 1e-15);
  assert_near(facts.body_mass, 6.0, 1e-12);
  assert_true(facts.solid_volume == 0.0);                                                       /* bodies are no solids */
  assert_true(facts.body_bytes > 35.0 * 11 * sizeof(vlVec3) && facts.bytes > facts.body_bytes); /* 11 vectors at a node */
  for (int i = 0; i < 2; i++) {
    vlBodyView body = vl_sim_body(sim, i);
    assert_string_equal(body.name, i ? "second" : "bodies[0]");
    assert_int_equal(body.pinned_nodes, 0);
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
  sim = start_text("grid: {cells: 8}\nliquid: {level: 0.1}\nbodies: [{shape: box, center: [0.5, 0.5, 0.5], size: [0.2, 0.2, "
                   "0.2], pins: [{shape: box, center: [0.5, 0.6, 0.5], size: [0.3, 0.01, 0.3], axes: y}]}]\n");
  assert_int_equal(vl_sim_body(sim, 0).pinned_nodes, 4);
  vl_sim_destroy(&sim);
  sim = start_text("grid: {cells: 8}\nliquid: {level: 0.4}\n");
  assert_int_equal(vl_sim_body_count(sim), 0);
  assert_true(vl_sim_facts(sim).bodies == 0 && vl_sim_facts(sim).body_bytes == 0.0);
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
  assert_says(&status, "no bodies");
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
      cmocka_unit_test(test_particles), cmocka_unit_test(test_fields), cmocka_unit_test(test_surfaces),
      cmocka_unit_test(test_bodies),    cmocka_unit_test(test_probes), cmocka_unit_test(test_writing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
