/* Measures, welding and checks of triangle meshes against exact facts of cube, octahedron and sphere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "mesh/trimesh.h"
#include "mesh_shapes.h"

static vlTriMeshDefects check(const vlTriMesh *mesh)
{
  vlTriMeshDefects defects;
  vlStatus status = {0};
  assert_int_equal(vl_trimesh_check(mesh, &defects, &status), VL_OK);
  return defects;
}

static void assert_closed(const vlTriMesh *mesh)
{
  vlTriMeshDefects d = check(mesh);
  assert_int_equal(d.open_edges, 0);
  assert_int_equal(d.bad_edges, 0);
  assert_int_equal(d.flat_triangles, 0);
  assert_int_equal(d.unused_vertices, 0);
  assert_int_equal(d.first_open[0], -1);
  assert_int_equal(d.first_bad[0], -1);
  assert_false(d.inside_out);
}

static void test_empty(void **state)
{
  (void)state;
  vlTriMesh *mesh = vl_trimesh_create(0, 0);
  assert_non_null(mesh);
  assert_true(vl_box_is_empty(vl_trimesh_bounds(mesh)));
  assert_true(vl_trimesh_volume(mesh) == 0.0 && area_of(mesh) == 0.0);
  assert_int_equal(vl_trimesh_weld(mesh, 0.0, NULL), VL_OK);
  assert_closed(mesh);
  vl_trimesh_destroy(&mesh);
  assert_null(mesh);
  vl_trimesh_destroy(&mesh);
  vl_trimesh_destroy(NULL);
}

static void test_cube(void **state)
{
  (void)state;
  vlTriMesh *mesh = make_cube();
  assert_closed(mesh);
  /* all coordinates are 0 or 1: no rounding */
  assert_true(vl_trimesh_volume(mesh) == 1.0);
  assert_true(area_of(mesh) == 6.0);
  vlBox3 box = vl_trimesh_bounds(mesh);
  for (int a = 0; a < 3; a++) assert_true(box.lo.v[a] == 0.0 && box.hi.v[a] == 1.0);
  vl_trimesh_flip(mesh);
  assert_true(vl_trimesh_volume(mesh) == -1.0);
  assert_true(check(mesh).inside_out);
  vl_trimesh_destroy(&mesh);
}

static void test_volume_far_away(void **state)
{
  (void)state;
  vlTriMesh *mesh = make_cube();
  for (int i = 0; i < mesh->vertex_count; i++) mesh->x[i] = vl_add(mesh->x[i], vl_vec(1048576.0, -524288.0, 2097152.0));
  assert_true(vl_trimesh_volume(mesh) == 1.0);
  vl_trimesh_destroy(&mesh);
}

static void test_sphere_converges(void **state)
{
  (void)state;
  double last_volume_error = 0.0, last_area_error = 0.0;
  for (int level = 0; level <= 5; level++) {
    vlTriMesh *mesh = make_sphere(level);
    /* Euler: V - E + F = 2 with E = 3F/2 */
    assert_int_equal(mesh->triangle_count, 8 << 2 * level);
    assert_int_equal(mesh->vertex_count, mesh->triangle_count / 2 + 2);
    assert_closed(mesh);
    double volume_error = 4.0 / 3.0 * VL_PI - vl_trimesh_volume(mesh), area_error = 4.0 * VL_PI - area_of(mesh);
    assert_true(volume_error > 0.0 && area_error > 0.0); /* inscribed */
    if (level == 0) assert_true(fabs(vl_trimesh_volume(mesh) - 4.0 / 3.0) < 1e-15);
    /* second order in the edge length; the ratio tends to 4 */
    if (level >= 4) assert_true(fabs(last_volume_error / volume_error - 4.0) < 0.1);
    if (level >= 4) assert_true(fabs(last_area_error / area_error - 4.0) < 0.1);
    last_volume_error = volume_error;
    last_area_error = area_error;
    vl_trimesh_destroy(&mesh);
  }
}

static void test_weld_by_distance(void **state)
{
  (void)state;
  uint64_t seed = 1;
  vlTriMesh *mesh = make_loose_sphere(3);
  int triangles = mesh->triangle_count;
  /* corners of one vertex up to 2 sqrt(3) 1e-5 apart, vertices about 0.2 apart */
  for (int i = 0; i < mesh->vertex_count; i++) mesh->x[i] = vl_add(mesh->x[i], random_vec(&seed, -1e-5, 1e-5));
  assert_int_equal(check(mesh).open_edges, 3 * triangles);
  assert_int_equal(vl_trimesh_weld(mesh, 4e-5, NULL), VL_OK);
  assert_int_equal(mesh->triangle_count, triangles);
  assert_int_equal(mesh->vertex_count, triangles / 2 + 2);
  assert_closed(mesh);
  vl_trimesh_destroy(&mesh);
}

static void test_weld_drops_collapsed(void **state)
{
  (void)state;
  vlTriMesh *mesh = make_cube();
  mesh->x[4] = mesh->x[0]; /* one upright edge: its two sides' triangles collapse */
  assert_int_equal(vl_trimesh_weld(mesh, 0.0, NULL), VL_OK);
  assert_int_equal(mesh->vertex_count, 7);
  assert_int_equal(mesh->triangle_count, 10);
  vlTriMeshDefects d = check(mesh);
  assert_int_equal(d.open_edges + d.bad_edges, 0);
  vl_trimesh_destroy(&mesh);
}

static void test_weld_signed_zero_and_order(void **state)
{
  (void)state;
  vlTriMesh *mesh = vl_trimesh_create(6, 2);
  const vlVec3 x[6] = {vl_vec(0, 1, 0),    vl_vec(-0.0, 0, 2), vl_vec(3, 0, 0),
                       vl_vec(0, -0.0, 2), vl_vec(-0.0, 1, 0), vl_vec(5, 5, 5)};
  const int tri[2][3] = {{0, 1, 2}, {3, 4, 5}}, joined[2][3] = {{0, 1, 2}, {1, 0, 3}};
  memcpy(mesh->x, x, sizeof x);
  memcpy(mesh->tri, tri, sizeof tri);
  assert_int_equal(vl_trimesh_weld(mesh, 0.0, NULL), VL_OK);
  assert_int_equal(mesh->vertex_count, 4);
  assert_memory_equal(mesh->tri, joined, sizeof joined);
  vl_trimesh_destroy(&mesh);
}

static void test_defects(void **state)
{
  (void)state;
  vlTriMesh *mesh = make_cube();
  /* a missing triangle opens its three edges */
  int saved[3];
  memcpy(saved, mesh->tri[11], sizeof saved);
  mesh->triangle_count = 11;
  vlTriMeshDefects d = check(mesh);
  assert_int_equal(d.open_edges, 3);
  assert_int_equal(d.bad_edges, 0);
  int lo = saved[0] < saved[1] ? saved[0] : saved[1];
  assert_int_equal(d.first_open[0], lo < saved[2] ? lo : saved[2]);
  assert_true(d.first_open[1] > d.first_open[0]);

  /* a turned triangle makes its three edges run twice in one direction */
  mesh->triangle_count = 12;
  memcpy(mesh->tri[11], (int[3]){saved[0], saved[2], saved[1]}, sizeof saved);
  d = check(mesh);
  assert_int_equal(d.open_edges, 0);
  assert_int_equal(d.bad_edges, 3);
  assert_true(d.first_bad[0] >= 0 && d.first_bad[1] > d.first_bad[0]);
  assert_false(d.inside_out);

  /* a triangle that stands twice: three sides on each of its edges */
  memcpy(mesh->tri[11], mesh->tri[0], sizeof saved);
  d = check(mesh);
  assert_int_equal(d.open_edges, 3);
  assert_int_equal(d.bad_edges, 3);
  vl_trimesh_destroy(&mesh);
}

static void test_flat_and_unused(void **state)
{
  (void)state;
  vlTriMesh *mesh = vl_trimesh_create(6, 3);
  const vlVec3 x[6] = {vl_vec(0, 0, 0), vl_vec(0.1, 0.2, 0.3), vl_vec(0.2, 0.4, 0.6),
                       vl_vec(1, 0, 0), vl_vec(9, 9, 9),       vl_vec(1, 1e-6, 0)};
  const int tri[3][3] = {{0, 1, 2}, {0, 3, 3}, {0, 3, 5}}; /* in a line; a vertex twice; thin, but a triangle */
  memcpy(mesh->x, x, sizeof x);
  memcpy(mesh->tri, tri, sizeof tri);
  vlTriMeshDefects d = check(mesh);
  assert_int_equal(d.flat_triangles, 2);
  assert_int_equal(d.unused_vertices, 1);
  vl_trimesh_destroy(&mesh);
}

/* All triangles share one vertex: a loop over neighbours of each vertex would be quadratic. */
static void test_large_valence(void **state)
{
  (void)state;
  int n = 200000;
  vlTriMesh *mesh = vl_trimesh_create(n + 2, 2 * n);
  for (int i = 0; i < n; i++) {
    double angle = 2.0 * VL_PI * i / n;
    mesh->x[i] = vl_vec(cos(angle), sin(angle), 0.0);
    memcpy(mesh->tri[2 * i], (int[3]){i, (i + 1) % n, n}, sizeof *mesh->tri);
    memcpy(mesh->tri[2 * i + 1], (int[3]){(i + 1) % n, i, n + 1}, sizeof *mesh->tri);
  }
  mesh->x[n] = vl_vec(0, 0, 1);
  mesh->x[n + 1] = vl_vec(0, 0, -1);
  assert_closed(mesh);
  vl_trimesh_destroy(&mesh);
}

static void test_sides_sorted(void **state)
{
  (void)state;
  vlTriMesh *mesh = make_sphere(2);
  vlSide *sides;
  size_t count;
  assert_int_equal(vl_sides_sorted(&sides, &count, mesh, NULL), VL_OK);
  assert_int_equal(count, 3 * (size_t)mesh->triangle_count);
  for (size_t i = 0; i < count; i++) {
    int from = mesh->tri[sides[i].triangle][sides[i].side], to = mesh->tri[sides[i].triangle][(sides[i].side + 1) % 3];
    assert_int_equal(sides[i].forward ? sides[i].lo : sides[i].hi, from);
    assert_int_equal(sides[i].forward ? sides[i].hi : sides[i].lo, to);
    if (i == 0) continue;
    const vlSide *a = &sides[i - 1], *b = &sides[i];
    assert_true(a->lo < b->lo || (a->lo == b->lo && (a->hi < b->hi || (a->hi == b->hi && a->triangle < b->triangle))));
  }
  free(sides);
  vl_trimesh_destroy(&mesh);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_empty),
      cmocka_unit_test(test_cube),
      cmocka_unit_test(test_volume_far_away),
      cmocka_unit_test(test_sphere_converges),
      cmocka_unit_test(test_weld_by_distance),
      cmocka_unit_test(test_weld_drops_collapsed),
      cmocka_unit_test(test_weld_signed_zero_and_order),
      cmocka_unit_test(test_defects),
      cmocka_unit_test(test_flat_and_unused),
      cmocka_unit_test(test_large_valence),
      cmocka_unit_test(test_sides_sorted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
