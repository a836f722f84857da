/* Elastic bodies in files: elements read back as they are, quadratic ones in VTK's order, surfaces closed and found by the
 * readers of frames, nothing written of what is not finite. `test_body_mesh write FOLDER` leaves bodies.vtu for
 * test_vtk_reader.sh. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "files/file.h"
#include "files/read_frame.h"
#include "frames/body_mesh.h"
#include "frames/frame_files.h"
#include "frames/frames.h"
#include "place.h"
#include "solid/elastic_parts.h"
#include "two_bodies.h"

static void write_file(vlFrameFormat format, const char *path, const vlSim *sim)
{
  vlStatus status = {0};
  if (vl_frame_bodies(path, format, sim, NULL, &status)) fail_msg("%s", status.message);
}

/* The quadratic block is taken out: our own reader knows tetrahedra of 4 nodes only. */
static void test_elements_come_back(void **state)
{
  const Place *place = *state;
  vlSim *sim = two_bodies_start();
  move_bodies(sim, 3);
  vlStatus status = {0};
  vlTetMesh mesh = {0};
  char path[128];
  snprintf(path, sizeof path, "%s.vtu", place->path);
  vl_sharp(sim)->state.bodies.count = 1;
  write_file(VL_FRAME_VTU, path, sim);
  vl_sharp(sim)->state.bodies.count = 2;
  if (vl_tetmesh_read(&mesh, path, &status)) fail_msg("%s", status.message);
  const vlBody *beam = vl_sharp(sim)->state.bodies.body[0];
  assert_int_equal(mesh.node_count, beam->node_count);
  assert_int_equal(mesh.tet_count, beam->element_count);
  assert_memory_equal(mesh.node, beam->x, (size_t)beam->node_count * sizeof *mesh.node);
  assert_memory_equal(mesh.tet, beam->node, (size_t)beam->element_count * sizeof *mesh.tet);
  vl_tetmesh_clear(&mesh);
  vl_sim_destroy(&sim);
  unlink(path);
}

/* The nodes of VTK's edges lie between its corners, at rest exactly in the middle. */
static void test_grid(void **state)
{
  (void)state;
  static const int edge[6][2] = {{0, 1}, {1, 2}, {0, 2}, {0, 3}, {1, 3}, {2, 3}}; /* vtkQuadraticTetra */
  vlSim *sim = two_bodies_start();
  vlStatus status = {0};
  vlBodyGrid g;
  const vlBody *beam = vl_sharp(sim)->state.bodies.body[0], *block = vl_sharp(sim)->state.bodies.body[1];
  assert_int_equal(vl_body_grid_create(&g, sim, &status), VL_OK);
  assert_int_equal(g.grid.point_count, beam->node_count + block->node_count);
  assert_int_equal(g.grid.cell_count, beam->element_count + block->element_count);
  int64_t begin = 0;
  for (int c = 0; c < g.grid.cell_count; c++) {
    bool second = c >= beam->element_count;
    assert_int_equal(g.grid.label[c], second);
    assert_int_equal(g.grid.types[c], second ? 24 : 10);
    assert_int_equal(g.grid.ends[c] - begin, second ? 10 : 4);
    const int64_t *node = g.grid.nodes + begin;
    for (int k = 0; k < 6 && second; k++) {
      vlVec3 middle = vl_scale(vl_add(g.points[node[edge[k][0]]], g.points[node[edge[k][1]]]), 0.5);
      assert_true(vl_norm(vl_sub(middle, g.points[node[4 + k]])) < 1e-15);
    }
    begin = g.grid.ends[c];
  }
  /* the block begins stretched by 1.1, 1 and 0.95: a displacement and a stress, the same in all of its elements; the beam
   * begins as it rests */
  double s[6];
  vl_elastic_stress(block, 3, s);
  for (int c = 0; c < g.grid.cell_count; c++)
    for (int k = 0; k < 6; k++) {
      double wanted = c < beam->element_count ? 0.0 : s[k];
      assert_true(fabs(g.stress[6 * c + k] - wanted) < 1e-6 * 3e4); /* floats */
    }
  assert_true(vl_von_mises(s) > 1000.0);
  for (int i = 0; i < g.grid.point_count; i++)
    for (int a = 0; a < 3; a++) {
      const vlBody *b = i < beam->node_count ? beam : block;
      int n = i < beam->node_count ? i : i - beam->node_count;
      assert_true(g.displacement[3 * i + a] == (float)(b->x[n].v[a] - b->rest[n].v[a]));
      assert_true(g.velocity[3 * i + a] == (float)b->v[n].v[a]);
    }
  vl_body_grid_clear(&g);
  vl_body_grid_clear(&g);
  vl_sim_destroy(&sim);
}

static void check_surface(const vlFrameMesh *frame, const vlSim *sim)
{
  vlTriMeshDefects defects;
  assert_int_equal(vl_trimesh_check(frame->mesh, &defects, NULL), VL_OK);
  assert_true(defects.open_edges == 0 && defects.bad_edges == 0 && defects.unused_vertices == 0 && !defects.inside_out);
  double volume = 0.0;
  for (int i = 0; i < 2; i++) volume += vl_sim_body(sim, i).info.volume;
  assert_true(fabs(vl_trimesh_volume(frame->mesh) - volume) < 1e-12);
  const float *velocity = vl_frame_mesh_array(frame, "velocity", true, 3),
              *mises = vl_frame_mesh_array(frame, "von_mises", true, 1);
  assert_true(velocity && mises);
  float most = 0.0f;
  for (int i = 0; i < frame->mesh->vertex_count; i++) most = fmaxf(most, mises[i]);
  assert_true(most > 100.0f && most < 1e5f);
  assert_true(frame->time == vl_sharp(sim)->state.time);
}

/* A vertex is a node: its velocity is that of the node at its place. */
static void check_velocity(const vlFrameMesh *frame, const vlBody *b, int first)
{
  const float *velocity = vl_frame_mesh_array(frame, "velocity", true, 3);
  int v = first;
  for (int i = 0; i < b->node_count && v < frame->mesh->vertex_count; i++) {
    if (memcmp(&frame->mesh->x[v], &b->x[i], sizeof b->x[i]) != 0) continue;
    for (int a = 0; a < 3; a++) assert_true(velocity[3 * v + a] == (float)b->v[i].v[a]);
    v++;
  }
  assert_true(v > first + 8);
}

static void test_surfaces_come_back(void **state)
{
  const Place *place = *state;
  vlSim *sim = two_bodies_start();
  move_bodies(sim, 5);
  vlStatus status = {0};
  for (int ply = 0; ply < 2; ply++) {
    vlFrameMesh frame;
    write_file(ply ? VL_FRAME_PLY : VL_FRAME_VTP, place->path, sim);
    if (vl_frame_mesh_read(&frame, place->path, &status)) fail_msg("%s", status.message);
    check_surface(&frame, sim);
    check_velocity(&frame, vl_sharp(sim)->state.bodies.body[0], 0);
    const float *body = vl_frame_mesh_array(&frame, "body", ply, 1);
    assert_non_null(body);
    int triangles = vl_sharp(sim)->state.bodies.body[0]->triangle_count;
    for (int t = 0; t < frame.mesh->triangle_count; t++)
      for (int c = 0; c < 3; c++) assert_true(body[ply ? frame.mesh->tri[t][c] : t] == (t < triangles ? 0.0f : 1.0f));
    vl_frame_mesh_clear(&frame);
  }
  vl_sim_destroy(&sim);
}

static void test_refuses_what_is_not_finite(void **state)
{
  const Place *place = *state;
  static const vlFrameFormat formats[] = {VL_FRAME_VTU, VL_FRAME_VTP, VL_FRAME_PLY};
  static const double bad[] = {NAN, INFINITY};
  vlSim *sim = two_bodies_start();
  vlBody *block = vl_sharp(sim)->state.bodies.body[1];
  for (int w = 0; w < 3; w++)
    for (int k = 0; k < 4; k++) {
      vlStatus status = {0};
      double *value = k < 2 ? &block->x[0].y : &block->v[0].y, good = *value;
      *value = bad[k % 2];
      assert_int_equal(vl_frame_bodies(place->path, formats[w], sim, NULL, &status), VL_ERROR_INTERNAL);
      assert_non_null(strstr(status.message, "finite numbers only"));
      assert_false(there(place->path) || there(place->part));
      *value = good;
    }
  /* a flat element has a stress */
  for (int i = 0; i < block->node_count; i++) block->x[i].y = 0.5;
  for (int w = 0; w < 3; w++) write_file(formats[w], place->path, sim);
  vl_sim_destroy(&sim);
}

static void remove_in(const char *folder, const char *name)
{
  char *path = vl_path_join(folder, name);
  if (remove(path)) fail_msg("there is no %s", path);
  free(path);
}

/* A run's folder: elements and surface for every frame, PLY where asked for, the list of elements; and as large as was said.
 */
static void test_frames(void **state)
{
  const Place *place = *state;
  vlScene scene;
  two_bodies_scene(&scene);
  scene.output.fields = scene.output.surface = scene.output.particles = false;
  scene.output.ply = true;
  vlSim *sim = two_bodies(&scene, 1);
  vlStatus status = {0};
  vlFrames *frames = NULL;
  double now, most, bytes = 0.0;
  assert_true(vl_frames_wanted(sim));
  assert_int_equal(vl_frame_bytes(sim, &now, &most, &status), VL_OK);
  assert_int_equal(vl_frames_create(&frames, sim, place->folder, &status), VL_OK);
  for (int f = 0; f < 2; f++) {
    if (vl_frames_write(frames, f, &status)) fail_msg("%s", status.message);
    move_bodies(sim, 2);
  }
  vl_frames_destroy(&frames);
  static const char *const endings[] = {"vtu", "vtp", "ply"};
  for (int i = 0; i < 6; i++) {
    char name[64], path[192];
    struct stat info;
    snprintf(name, sizeof name, "bodies/bodies_%05d.%s", i % 2, endings[i / 2]);
    snprintf(path, sizeof path, "%s/%s", place->folder, name);
    assert_int_equal(stat(path, &info), 0);
    bytes += (double)info.st_size;
    remove_in(place->folder, name);
  }
  /* headers are counted as 2 kB, they have a little less */
  assert_true(fabs(bytes / 2.0 - now) < 3 * 2048.0 && now == most);
  char *text = NULL, *list = vl_path_join(place->folder, "bodies.pvd");
  size_t length;
  assert_int_equal(vl_file_read(list, 1 << 16, &text, &length, &status), VL_OK);
  assert_non_null(strstr(text, "timestep=\"0.02\" group=\"\" part=\"0\" file=\"bodies/bodies_00001.vtu\""));
  assert_null(strstr(text, "vtp"));
  free(text);
  free(list);
  remove_in(place->folder, "bodies.pvd");
  remove_in(place->folder, "bodies");
  vl_sim_destroy(&sim);

  scene.output.bodies = false;
  sim = two_bodies(&scene, 1);
  assert_false(vl_frames_wanted(sim));
  vl_sim_destroy(&sim);
  vl_scene_clear(&scene);
}

static int write_samples(const char *folder)
{
  vlSim *sim = two_bodies_start();
  move_bodies(sim, 2);
  static const char *const names[] = {"bodies.vtu", "bodies.vtp"};
  static const vlFrameFormat formats[] = {VL_FRAME_VTU, VL_FRAME_VTP};
  vlStatus status = {0};
  vlCode code = VL_OK;
  for (int i = 0; i < 2 && !code; i++) {
    char *path = vl_path_join(folder, names[i]);
    code = vl_frame_bodies(path, formats[i], sim, NULL, &status);
    free(path);
  }
  if (code) fprintf(stderr, "%s\n", status.message);
  /* for comparison: node 5 of the block and its velocity, as they are */
  const vlBody *beam = vl_sharp(sim)->state.bodies.body[0], *block = vl_sharp(sim)->state.bodies.body[1];
  char *path = vl_path_join(folder, "bodies.txt");
  FILE *file = fopen(path, "w");
  for (int i = 0; file && i < block->node_count; i++)
    fprintf(file, "%.17g %.17g %.17g %.9g %.9g %.9g\n", block->x[i].x, block->x[i].y, block->x[i].z, block->v[i].x,
            block->v[i].y, block->v[i].z);
  if (file) fclose(file);
  printf("%d %d\n", beam->node_count, beam->element_count);
  free(path);
  vl_sim_destroy(&sim);
  return (int)code;
}

int main(int argc, char **argv)
{
  if (argc == 3 && strcmp(argv[1], "write") == 0) return write_samples(argv[2]);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_elements_come_back, make_place, remove_place),
      cmocka_unit_test(test_grid),
      cmocka_unit_test_setup_teardown(test_surfaces_come_back, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_refuses_what_is_not_finite, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_frames, make_place, remove_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
