/* Contouring: closed manifolds of the right topology, volumes against theory, sharp features, caps, threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "mesh/contour.h"
#include "mesh/sdf.h"

static double sdf_distance(const void *data, vlVec3 x) { return vl_sdf_distance(data, x); }
static vlVec3 sdf_gradient(const void *data, vlVec3 x) { return vl_sdf_gradient(data, x); }

static vlShape shape_of(vlShapeKind kind, vlVec3 center)
{
  return (vlShape){.kind = kind, .center = center, .rotation = vl_mat_identity(), .scale = {{1, 1, 1}}};
}

static vlMat3 some_rotation(void)
{
  return vl_mat_multiply(vl_mat_rotation(0, 0.4), vl_mat_multiply(vl_mat_rotation(1, 1.1), vl_mat_rotation(2, -0.7)));
}

static vlTriMesh *contour_shape(const vlShape *shape, vlBox3 box, double h)
{
  vlStatus status = {0};
  vlSdf *sdf = NULL;
  vlTriMesh *mesh = NULL;
  assert_int_equal(vl_sdf_create(&sdf, shape, &status), VL_OK);
  assert_int_equal(vl_contour(&mesh, (vlRegion){sdf_distance, sdf_gradient, sdf}, box, h, &status), VL_OK);
  vl_sdf_destroy(&sdf);
  return mesh;
}

static vlBox3 cube_box(double half) { return (vlBox3){vl_vec(-half, -half, -half), vl_vec(half, half, half)}; }

static int compare_edges(const void *a, const void *b) { return memcmp(a, b, sizeof(int[2])); }

/* Every directed edge occurs once and so does its opposite. Returns the number of undirected edges. */
static int assert_manifold(const vlTriMesh *m)
{
  int n = 3 * m->triangle_count;
  int(*forth)[2] = malloc(sizeof(int[2]) * (size_t)(n + 1)), (*back)[2] = malloc(sizeof(int[2]) * (size_t)(n + 1));
  assert_true(forth && back);
  for (int t = 0; t < m->triangle_count; t++)
    for (int c = 0; c < 3; c++) {
      int a = m->tri[t][c], b = m->tri[t][(c + 1) % 3], i = 3 * t + c;
      assert_in_range(a, 0, m->vertex_count - 1);
      assert_int_not_equal(a, b);
      forth[i][0] = back[i][1] = a;
      forth[i][1] = back[i][0] = b;
    }
  qsort(forth, (size_t)n, sizeof *forth, compare_edges);
  qsort(back, (size_t)n, sizeof *back, compare_edges);
  for (int i = 0; i + 1 < n; i++) assert_true(compare_edges(forth[i], forth[i + 1]) != 0);
  assert_memory_equal(forth, back, sizeof(int[2]) * (size_t)(n + 1) - sizeof(int[2]));
  free(forth);
  free(back);
  return n / 2;
}

static int euler_characteristic(const vlTriMesh *m) { return m->vertex_count - assert_manifold(m) + m->triangle_count; }

static void test_qef_finds_planes_edges_and_corners(void **state)
{
  (void)state;
  vlMat3 r = some_rotation();
  vlVec3 corner = vl_vec(0.3, -0.2, 0.1), n[3];
  vlQef qef = {0};
  for (int i = 0; i < 3; i++) n[i] = vl_mat_apply(r, vl_vec(i == 0, i == 1, i == 2));
  for (int i = 0; i < 3; i++) {
    vl_qef_add(&qef, n[i], vl_dot(n[i], corner));
    vlQef q = qef;
    vl_qef_factor(&q);
    assert_int_equal(vl_qef_rank(&q, 1e-10), i + 1);
    vlVec3 x = vl_qef_solve(&q, i + 1);
    /* On all planes so far; 1e-14: a few roundings. */
    for (int j = 0; j <= i; j++) assert_true(fabs(vl_dot(n[j], vl_sub(x, corner))) < 1e-14);
    for (int j = i + 1; j < 3; j++) assert_true(fabs(vl_dot(n[j], x)) < 1e-14);
  }
}

static void test_sheets_are_loops(void **state)
{
  (void)state;
  for (int bits = 0; bits < 256; bits++)
    for (int joined = 0; joined < 64; joined++) {
      vlCube cube;
      vl_cube_build(&cube, bits, joined);
      int seen[4] = {0}, crossed = 0;
      assert_true(cube.count <= 4);
      for (int e = 0; e < 12; e++) {
        int from = vl_cube_edge_corner(e), to = from | 1 << e / 4;
        assert_int_equal(from >> (e / 4) & 1, 0);
        bool cut = (bits >> from & 1) != (bits >> to & 1);
        assert_int_equal(cut, cube.sheet[e] >= 0);
        if (cut) seen[(int)cube.sheet[e]]++, crossed++;
      }
      for (int s = 0; s < cube.count; s++) assert_true(seen[s] >= 3);
      assert_int_equal(cube.count == 0, crossed == 0);
    }
  /* Opposite corners: two sheets. Diagonal corners of side z = 0: two, or one where they are joined. */
  vlCube cube;
  vl_cube_build(&cube, 1 | 1 << 7, 0);
  assert_int_equal(cube.count, 2);
  assert_int_equal(vl_cube_ambiguous_sides(1 | 1 << 7), 0);
  vl_cube_build(&cube, 1 | 1 << 3, 0);
  assert_int_equal(cube.count, 2);
  assert_int_equal(vl_cube_ambiguous_sides(1 | 1 << 3), 1 << 4);
  vl_cube_build(&cube, 1 | 1 << 3, 1 << 4);
  assert_int_equal(cube.count, 1);
}

static void test_sphere_volume_is_second_order(void **state)
{
  (void)state;
  vlShape s = shape_of(VL_SHAPE_SPHERE, vl_vec(0.013, -0.021, 0.007));
  s.radius = 0.7;
  double exact = 4.0 / 3.0 * VL_PI * pow(s.radius, 3), error[3];
  for (int i = 0; i < 3; i++) {
    vlTriMesh *m = contour_shape(&s, cube_box(1.0), 0.1 / (1 << i));
    assert_int_equal(euler_characteristic(m), 2);
    error[i] = fabs(vl_trimesh_volume(m) - exact) / exact;
    vl_trimesh_destroy(&m);
  }
  assert_true(error[2] < 2e-3);
  /* Halving h divides the error by 4; 3 leaves room for the lattice's place. */
  assert_true(error[0] / error[1] > 3.0 && error[1] / error[2] > 3.0);
}

static void test_torus_has_a_hole(void **state)
{
  (void)state;
  vlShape s = shape_of(VL_SHAPE_TORUS, vl_vec(0, 0, 0));
  s.rotation = some_rotation();
  s.radius = 0.6;
  s.tube_radius = 0.2;
  vlTriMesh *m = contour_shape(&s, cube_box(1.0), 0.05);
  assert_int_equal(euler_characteristic(m), 0);
  double exact = 2.0 * VL_PI * VL_PI * s.radius * s.tube_radius * s.tube_radius;
  /* (h / tube_radius)^2 / 8 = 0.8 %. */
  assert_true(fabs(vl_trimesh_volume(m) / exact - 1.0) < 0.016);
  vl_trimesh_destroy(&m);
}

static void test_turned_box_is_exact(void **state)
{
  (void)state;
  for (int i = 0; i < 24; i++) {
    vlShape s = shape_of(VL_SHAPE_BOX, vl_vec(0.01 * i, 0.02, -0.03));
    s.rotation = vl_mat_multiply(vl_mat_rotation(i % 3, 0.13 * i), vl_mat_rotation((i + 1) % 3, 0.31 * i));
    s.size = vl_vec(0.9, 0.6, 0.7);
    vlSdf *sdf = NULL;
    vlStatus status = {0};
    assert_int_equal(vl_sdf_create(&sdf, &s, &status), VL_OK);
    vlTriMesh *m = contour_shape(&s, cube_box(1.2), 0.08);
    assert_int_equal(euler_characteristic(m), 2);
    assert_true(fabs(vl_trimesh_volume(m) - 0.9 * 0.6 * 0.7) < 1e-9);
    for (int v = 0; v < m->vertex_count; v++) assert_true(fabs(vl_sdf_distance(sdf, m->x[v])) < 1e-12);
    /* The corners are vertices. */
    for (int c = 0; c < 8; c++) {
      vlVec3 p = vl_vec(c & 1 ? 0.45 : -0.45, c & 2 ? 0.3 : -0.3, c & 4 ? 0.35 : -0.35);
      p = vl_add(s.center, vl_mat_apply(s.rotation, p));
      double nearest = INFINITY;
      for (int v = 0; v < m->vertex_count; v++) nearest = fmin(nearest, vl_norm(vl_sub(m->x[v], p)));
      assert_true(nearest < 1e-10);
    }
    vl_trimesh_destroy(&m);
    vl_sdf_destroy(&sdf);
  }
}

static void test_box_sunk_into_the_floor(void **state)
{
  (void)state;
  vlShape parts[2] = {shape_of(VL_SHAPE_HALFSPACE, vl_vec(0, -0.2, 0)), shape_of(VL_SHAPE_BOX, vl_vec(0.05, 0, 0.1))};
  parts[0].normal = vl_vec(0, 1, 0);
  parts[1].size = vl_vec(0.5, 0.8, 0.6);
  for (int turned = 0; turned < 2; turned++) {
    if (turned) parts[1].rotation = vl_mat_rotation(1, 0.5);
    vlShape s = shape_of(VL_SHAPE_UNION, vl_vec(0, 0, 0));
    s.parts = parts;
    s.part_count = 2;
    vlTriMesh *m = contour_shape(&s, cube_box(1.0), 0.07);
    assert_int_equal(euler_characteristic(m), 2);
    /* Floor within the box [-1, 1]^3, capped, and what of the box stands above it. */
    double exact = 2.0 * 2.0 * 0.8 + 0.5 * 0.6 * 0.6;
    assert_true(fabs(vl_trimesh_volume(m) - exact) < 1e-9);
    vlBox3 b = vl_trimesh_bounds(m);
    for (int a = 0; a < 3; a++) assert_true(fabs(b.lo.v[a] + 1.0) < 1e-12);
    assert_true(fabs(b.hi.y - 0.4) < 1e-12);
    vl_trimesh_destroy(&m);
  }
}

static void test_everything_and_nothing(void **state)
{
  (void)state;
  vlShape s = shape_of(VL_SHAPE_HALFSPACE, vl_vec(0, 5, 0));
  s.normal = vl_vec(0, 1, 0);
  vlTriMesh *m = contour_shape(&s, cube_box(1.0), 0.1);
  assert_int_equal(euler_characteristic(m), 2);
  assert_true(fabs(vl_trimesh_volume(m) - 8.0) < 1e-12);
  vl_trimesh_destroy(&m);
  s.normal = vl_vec(0, -1, 0);
  m = contour_shape(&s, cube_box(1.0), 0.1);
  assert_non_null(m);
  assert_int_equal(m->triangle_count, 0);
  vl_trimesh_destroy(&m);
}

/* Walls thinner than a cube's diagonal lose volume where one cube holds both faces, yet stay closed; thicker ones are exact.
 */
static void test_thin_walls_stay_closed(void **state)
{
  (void)state;
  double h = 0.06;
  for (int i = 0; i < 40; i++) {
    vlShape s = shape_of(VL_SHAPE_BOX, vl_vec(0.003 * i, 0, 0));
    double thickness = (i % 2 ? 1.2 : 1.8) * h, exact = 1.0 * thickness * 1.1;
    s.size = vl_vec(1.0, thickness, 1.1);
    s.rotation = vl_mat_multiply(vl_mat_rotation(0, 0.17 * i), vl_mat_rotation(2, 0.11 * i));
    vlTriMesh *m = contour_shape(&s, cube_box(1.0), h);
    assert_int_equal(euler_characteristic(m), 2);
    double error = vl_trimesh_volume(m) / exact - 1.0;
    if (i % 2)
      assert_true(error > -0.25 && error < 1e-9);
    else
      assert_true(fabs(error) < 1e-9);
    vl_trimesh_destroy(&m);
  }
}

/* Signs without any structure: every one of the 256 configurations and all pairs of neighbours occur. */
static double noise(const void *data, vlVec3 x)
{
  const double *h = data;
  uint64_t k = 0;
  for (int a = 0; a < 3; a++) k = (k ^ (uint64_t)(int64_t)floor(x.v[a] / *h + 0.5)) * 0x9E3779B97F4A7C15u + 0x7F4A7C15u;
  k ^= k >> 29;
  k *= 0xBF58476D1CE4E5B9u;
  k ^= k >> 32;
  return (k & 1) ? 0.3 * *h : -0.3 * *h;
}

static vlVec3 noise_gradient(const void *data, vlVec3 x)
{
  (void)data, (void)x;
  return vl_vec(0, 1, 0);
}

static void test_any_signs_give_a_manifold(void **state)
{
  (void)state;
  double h = 0.1;
  vlStatus status = {0};
  vlTriMesh *m = NULL;
  assert_int_equal(vl_contour(&m, (vlRegion){noise, noise_gradient, &h}, cube_box(1.0), h, &status), VL_OK);
  assert_true(m->triangle_count > 1000);
  assert_manifold(m);
  assert_true(vl_trimesh_volume(m) > 0.0);
  vl_trimesh_destroy(&m);
}

static void test_same_bytes_for_any_number_of_threads(void **state)
{
  (void)state;
  vlShape parts[2] = {shape_of(VL_SHAPE_SPHERE, vl_vec(0.1, 0.2, 0)), shape_of(VL_SHAPE_CONE, vl_vec(-0.2, 0, 0))};
  parts[0].radius = 0.5;
  parts[1].radius = 0.6;
  parts[1].height = 1.0;
  vlShape s = shape_of(VL_SHAPE_UNION, vl_vec(0, 0, 0));
  s.parts = parts;
  s.part_count = 2;
  s.blend = 0.1;
  vlTriMesh *m[2];
  int before = omp_get_max_threads();
  for (int i = 0; i < 2; i++) {
    omp_set_num_threads(i + 1);
    m[i] = contour_shape(&s, cube_box(1.0), 0.03);
  }
  omp_set_num_threads(before);
  assert_int_equal(m[0]->vertex_count, m[1]->vertex_count);
  assert_int_equal(m[0]->triangle_count, m[1]->triangle_count);
  assert_memory_equal(m[0]->x, m[1]->x, (size_t)m[0]->vertex_count * sizeof(vlVec3));
  assert_memory_equal(m[0]->tri, m[1]->tri, (size_t)m[0]->triangle_count * sizeof(int[3]));
  assert_int_equal(euler_characteristic(m[0]), 2);
  for (int i = 0; i < 2; i++) vl_trimesh_destroy(&m[i]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_qef_finds_planes_edges_and_corners),
      cmocka_unit_test(test_sheets_are_loops),
      cmocka_unit_test(test_sphere_volume_is_second_order),
      cmocka_unit_test(test_torus_has_a_hole),
      cmocka_unit_test(test_turned_box_is_exact),
      cmocka_unit_test(test_box_sunk_into_the_floor),
      cmocka_unit_test(test_everything_and_nothing),
      cmocka_unit_test(test_thin_walls_stay_closed),
      cmocka_unit_test(test_any_signs_give_a_manifold),
      cmocka_unit_test(test_same_bytes_for_any_number_of_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
