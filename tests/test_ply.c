/* PLY surfaces: our reader finds the same mesh bit by bit, velocities stand where the header says, bad input and a full
 * disk leave nothing behind. `test_ply write FOLDER` leaves sample files for test_vtk_reader.sh. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/file.h"
#include "files/ply.h"
#include "files/vtk.h"
#include "mesh_shapes.h"
#include "place.h"

/* v = 2 x at every vertex. */
static float *make_velocity(const vlTriMesh *mesh)
{
  float *v = malloc((3 * (size_t)mesh->vertex_count + 1) * sizeof *v);
  for (int i = 0; i < 3 * mesh->vertex_count; i++) v[i] = (float)(2.0 * mesh->x[i / 3].v[i % 3]);
  return v;
}

static void assert_same_mesh(const vlTriMesh *a, const vlTriMesh *b)
{
  assert_int_equal(a->vertex_count, b->vertex_count);
  assert_int_equal(a->triangle_count, b->triangle_count);
  assert_memory_equal(a->x, b->x, (size_t)a->vertex_count * sizeof *a->x);
  assert_memory_equal(a->tri, b->tri, (size_t)a->triangle_count * sizeof *a->tri);
}

/* The larger spheres need several of the writer's buffers. */
static void test_round_trip(void **state)
{
  const Place *place = *state;
  for (int level = 0; level <= 5; level++)
    for (int moves = 0; moves < 2; moves++) {
      vlTriMesh *mesh = make_sphere(level), *back = NULL;
      float *v = moves ? make_velocity(mesh) : NULL;
      vlStatus status = {0};
      assert_int_equal(vl_ply_write_mesh(place->path, mesh, v, NAN, &status), VL_OK);
      assert_false(there(place->part));
      assert_int_equal(vl_trimesh_read(&back, place->path, &status), VL_OK);
      assert_same_mesh(mesh, back);
      free(v);
      vl_trimesh_destroy(&mesh);
      vl_trimesh_destroy(&back);
    }
}

static void test_bytes(void **state)
{
  const Place *place = *state;
  vlTriMesh *mesh = make_sphere(4);
  float *v = make_velocity(mesh);
  assert_int_equal(vl_ply_write_mesh(place->path, mesh, v, NAN, NULL), VL_OK);
  char *text, header[512];
  size_t length, n = (size_t)mesh->vertex_count, triangles = (size_t)mesh->triangle_count;
  assert_int_equal(vl_file_read(place->path, 1 << 24, &text, &length, NULL), VL_OK);
  snprintf(header, sizeof header,
           "ply\nformat binary_little_endian 1.0\nelement vertex %zu\nproperty double x\nproperty double y\n"
           "property double z\nproperty float vx\nproperty float vy\nproperty float vz\nelement face %zu\n"
           "property list uchar int vertex_indices\nend_header\n",
           n, triangles);
  size_t start = strlen(header);
  assert_int_equal(length, start + 36 * n + 13 * triangles);
  assert_memory_equal(text, header, start);
  for (size_t i = 0; i < n; i++) {
    assert_memory_equal(text + start + 36 * i, &mesh->x[i], 24);
    assert_memory_equal(text + start + 36 * i + 24, v + 3 * i, 12);
  }
  for (size_t t = 0; t < triangles; t++) {
    const char *face = text + start + 36 * n + 13 * t;
    assert_int_equal(face[0], 3);
    assert_memory_equal(face + 1, mesh->tri[t], 12);
  }
  free(text);
  free(v);
  vl_trimesh_destroy(&mesh);
}

static void test_without_triangles(void **state)
{
  const Place *place = *state;
  vlTriMesh empty = {0};
  char *text;
  size_t length;
  assert_int_equal(vl_ply_write_mesh(place->path, &empty, NULL, NAN, NULL), VL_OK);
  assert_int_equal(vl_file_read(place->path, 1 << 20, &text, &length, NULL), VL_OK);
  assert_non_null(strstr(text, "element vertex 0\n"));
  assert_non_null(strstr(text, "element face 0\n"));
  assert_string_equal(text + length - strlen("end_header\n"), "end_header\n");
  free(text);
}

static void assert_refused(const Place *place, const vlTriMesh *mesh, const float *v, const char *what)
{
  vlStatus status = {0};
  assert_int_equal(vl_ply_write_mesh(place->path, mesh, v, NAN, &status), VL_ERROR_INTERNAL);
  assert_non_null(strstr(status.message, place->path));
  if (!strstr(status.message, what)) fail_msg("'%s' lacks '%s'", status.message, what);
  assert_false(there(place->path));
  assert_false(there(place->part));
}

static void test_not_finite_is_refused(void **state)
{
  const Place *place = *state;
  vlTriMesh *mesh = make_cube();
  float *v = make_velocity(mesh);
  v[3 * 7 + 2] = NAN;
  assert_refused(place, mesh, v, "'velocity' holds nan at index 7, component 2");
  mesh->x[5].y = INFINITY;
  assert_refused(place, mesh, NULL, "vertex at index 5, component 1, is inf");
  free(v);
  vl_trimesh_destroy(&mesh);
}

static void test_full_disk(void **state)
{
  const Place *place = *state;
  if (access("/dev/full", W_OK) != 0) skip();
  for (int level = 0; level <= 4; level += 4) {
    vlTriMesh *mesh = make_sphere(level);
    vlStatus status = {0};
    assert_int_equal(symlink("/dev/full", place->part), 0);
    assert_int_equal(vl_ply_write_mesh(place->path, mesh, NULL, NAN, &status), VL_ERROR_FILE);
    assert_non_null(strstr(status.message, strerror(ENOSPC)));
    assert_false(there(place->path));
    assert_false(there(place->part));
    vl_trimesh_destroy(&mesh);
  }
}

/* The same moving cube as PLY and as VTP. */
static int write_samples(const char *folder)
{
  char path[512];
  vlStatus status = {0};
  vlTriMesh *mesh = make_cube();
  float *v = make_velocity(mesh);
  const vlVtkArray velocity = {"velocity", 3, v};
  snprintf(path, sizeof path, "%s/moving.ply", folder);
  vlCode code = vl_ply_write_mesh(path, mesh, v, NAN, &status);
  snprintf(path, sizeof path, "%s/moving.vtp", folder);
  if (code == VL_OK) code = vl_vtp_write(path, mesh, 1.0 / 3.0, &velocity, 1, NULL, 0, &status);
  free(v);
  vl_trimesh_destroy(&mesh);
  if (code != VL_OK) fprintf(stderr, "%s\n", status.message);
  return code;
}

int main(int argc, char **argv)
{
  if (argc == 3 && strcmp(argv[1], "write") == 0) return write_samples(argv[2]);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_round_trip, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_bytes, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_without_triangles, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_not_finite_is_refused, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_full_disk, make_place, remove_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
