/* Closest points against all triangles one by one, signs against analytic shapes, winding numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>

#include "mesh/bvh.h"
#include "mesh/sdf.h"
#include "mesh_shapes.h"

static vlBvh *make_bvh(const vlTriMesh *mesh)
{
  vlBvh *bvh = NULL;
  vlStatus status = {0};
  assert_int_equal(vl_bvh_create(&bvh, mesh, &status), VL_OK);
  return bvh;
}

static double segment_distance(vlVec3 x, vlVec3 a, vlVec3 b)
{
  vlVec3 e = vl_sub(b, a);
  double s = vl_dot(vl_sub(x, a), e) / fmax(vl_dot(e, e), 1e-300);
  return vl_norm(vl_sub(x, vl_axpy(a, fmin(fmax(s, 0.0), 1.0), e)));
}

/* Plane where the foot is on the inner side of all three sides, else the nearest side. */
static double triangle_distance(vlVec3 x, const vlVec3 c[3])
{
  vlVec3 n = vl_unit(vl_cross(vl_sub(c[1], c[0]), vl_sub(c[2], c[0])));
  double best = INFINITY;
  bool inside = vl_norm(n) > 0.5;
  for (int k = 0; k < 3; k++) {
    vlVec3 e = vl_sub(c[(k + 1) % 3], c[k]);
    best = fmin(best, segment_distance(x, c[k], c[(k + 1) % 3]));
    inside = inside && vl_dot(vl_cross(e, vl_sub(x, c[k])), n) > 0.0;
  }
  return inside ? fmin(best, fabs(vl_dot(vl_sub(x, c[0]), n))) : best;
}

static double brute_distance(const vlTriMesh *mesh, vlVec3 x)
{
  double best = INFINITY;
  for (int t = 0; t < mesh->triangle_count; t++) {
    const vlVec3 c[3] = {mesh->x[mesh->tri[t][0]], mesh->x[mesh->tri[t][1]], mesh->x[mesh->tri[t][2]]};
    best = fmin(best, triangle_distance(x, c));
  }
  return best;
}

/* Distance right, point on the triangle it names, weights consistent. Tolerance: rounding of coordinates
 * up to 4, of a distance, and of weights in triangles with angles not below 1e-3. */
static void assert_closest(const vlTriMesh *mesh, const vlBvh *bvh, vlVec3 x)
{
  vlClosest c = vl_bvh_closest(bvh, x);
  double tolerance = 1e-11;
  assert_true(fabs(c.distance - brute_distance(mesh, x)) < tolerance);
  assert_true(fabs(vl_norm(vl_sub(x, c.point)) - c.distance) < tolerance);
  vlVec3 p = vl_vec(0, 0, 0);
  double sum = 0.0;
  for (int k = 0; k < 3; k++) {
    assert_true(c.barycentric.v[k] >= 0.0);
    p = vl_axpy(p, c.barycentric.v[k], mesh->x[mesh->tri[c.triangle][k]]);
    sum += c.barycentric.v[k];
  }
  assert_true(fabs(sum - 1.0) < 1e-14);
  assert_true(vl_norm(vl_sub(p, c.point)) < tolerance);
  assert_true(fabs(fabs(vl_bvh_signed_distance(bvh, x)) - c.distance) == 0.0);
}

static vlTriMesh *make_soup(int n, double size, uint64_t seed)
{
  vlTriMesh *mesh = vl_trimesh_create(3 * n, n);
  for (int t = 0; t < n; t++) {
    vlVec3 middle = random_vec(&seed, -1.0, 1.0);
    for (int k = 0; k < 3; k++) {
      mesh->x[3 * t + k] = vl_add(middle, random_vec(&seed, -size, size));
      mesh->tri[t][k] = 3 * t + k;
    }
  }
  return mesh;
}

static void test_closest_against_brute_force(void **state)
{
  (void)state;
  vlTriMesh *meshes[] = {make_sphere(3), make_cube(), make_soup(500, 0.1, 3), make_soup(300, 2.0, 4), make_soup(1, 1.0, 5)};
  uint64_t seed = 7;
  for (size_t m = 0; m < sizeof meshes / sizeof *meshes; m++) {
    vlBvh *bvh = make_bvh(meshes[m]);
    for (int i = 0; i < 1000; i++) assert_closest(meshes[m], bvh, random_vec(&seed, -2.0, 2.0));
    /* points on the mesh: corners and middles of sides */
    for (int t = 0; t < meshes[m]->triangle_count && t < 100; t++)
      for (int k = 0; k < 3; k++) {
        vlVec3 a = meshes[m]->x[meshes[m]->tri[t][k]], b = meshes[m]->x[meshes[m]->tri[t][(k + 1) % 3]];
        assert_true(vl_bvh_closest(bvh, a).distance == 0.0);
        assert_closest(meshes[m], bvh, vl_scale(vl_add(a, b), 0.5));
      }
    vl_bvh_destroy(&bvh);
    vl_trimesh_destroy(&meshes[m]);
  }
}

/* A sphere that is bent and stretched after the tree was made: a refit answers as a new tree does. */
static void test_refit(void **state)
{
  (void)state;
  vlTriMesh *mesh = make_sphere(3);
  vlBvh *fitted = make_bvh(mesh);
  for (int i = 0; i < mesh->vertex_count; i++) {
    vlVec3 x = mesh->x[i];
    mesh->x[i] = vl_vec(1.5 * x.x + 0.2 * x.y * x.y, x.y - 0.3 * x.x, 0.5 * x.z + 0.1 * x.x * x.x);
  }
  vl_bvh_refit(fitted);
  vlBvh *planted = make_bvh(mesh);
  uint64_t seed = 11;
  for (int i = 0; i < 500; i++) {
    vlVec3 x = random_vec(&seed, -2.0, 2.0);
    assert_closest(mesh, fitted, x);
    assert_true(vl_bvh_signed_distance(fitted, x) == vl_bvh_signed_distance(planted, x));
    assert_true(fabs(vl_bvh_winding(fitted, x) - vl_bvh_winding(planted, x)) < 0.1); /* each within 0.05 */
  }
  for (int i = 0; i < mesh->vertex_count; i++)
    assert_true(vl_norm(vl_sub(vl_bvh_vertex_normal(fitted, i), vl_bvh_vertex_normal(planted, i))) == 0.0);
  vl_bvh_destroy(&fitted);
  vl_bvh_destroy(&planted);
  vl_trimesh_destroy(&mesh);
}

/* Beginning at the nearest point of a place beside ends at the same triangle and weights, bit for bit, also where triangles
 * share it: rows of points over a cube and a sphere, inside and outside, some on the surface and on planes of symmetry. */
static void test_hints(void **state)
{
  (void)state;
  vlTriMesh *meshes[] = {make_sphere(3), make_soup(300, 0.2, 9), make_cube()};
  for (int m = 0; m < 3; m++) {
    vlBvh *bvh = make_bvh(meshes[m]);
    for (int row = 0; row < 21 * 21; row++) {
      vlVec3 hint = vl_vec(0, 0, 0);
      for (int i = 0; i < 21; i++) {
        vlVec3 x = vl_vec(0.125 * i - 1.25, 0.125 * (row % 21) - 1.25, 0.125 * (row / 21) - 1.25);
        vlClosest plain = vl_bvh_closest(bvh, x);
        if (i > 0) {
          vlClosest near = vl_bvh_closest_near(bvh, x, hint);
          assert_int_equal(near.triangle, plain.triangle);
          assert_true(near.distance == plain.distance);
          for (int a = 0; a < 3; a++) assert_true(near.barycentric.v[a] == plain.barycentric.v[a]);
        }
        assert_true(vl_bvh_within(bvh, x, plain.distance + 1e-9));
        assert_false(vl_bvh_within(bvh, x, fmax(plain.distance - 1e-9, 0.0)));
        hint = plain.point;
      }
    }
    vl_bvh_destroy(&bvh);
    vl_trimesh_destroy(&meshes[m]);
  }
}

static void mark_triangle(void *data, int triangle) { ((int *)data)[triangle]++; }

/* Every triangle with a point in the box is visited, none twice; the nearest point of a triangle is as far as it is. */
static void test_visit(void **state)
{
  (void)state;
  vlTriMesh *mesh = make_soup(300, 0.2, 9);
  vlBvh *bvh = make_bvh(mesh);
  uint64_t seed = 13;
  for (int i = 0; i < 50; i++) {
    int visited[300] = {0}, all = 0;
    vlVec3 x = random_vec(&seed, -1.0, 1.0);
    vl_bvh_visit(bvh, vl_box_grow((vlBox3){x, x}, 0.2), mark_triangle, visited);
    for (int t = 0; t < 300; t++) {
      const vlVec3 c[3] = {mesh->x[mesh->tri[t][0]], mesh->x[mesh->tri[t][1]], mesh->x[mesh->tri[t][2]]};
      vlVec3 w = vl_triangle_closest(c, x), p = vl_axpy(vl_axpy(vl_scale(c[0], w.x), w.y, c[1]), w.z, c[2]);
      double d = triangle_distance(x, c);
      assert_true(fabs(vl_norm(vl_sub(x, p)) - d) < 1e-11);
      assert_true(visited[t] <= 1 && (visited[t] == 1 || d > 0.2));
      all += visited[t];
    }
    assert_true(all < 300);
  }
  vl_bvh_destroy(&bvh);
  vl_trimesh_destroy(&mesh);
}

/* Flat triangles, many at one place, and sizes over many powers of two: the tree must stay bounded. */
static void test_contrived_meshes(void **state)
{
  (void)state;
  int n = 1000;
  vlTriMesh *same = vl_trimesh_create(3, n), *powers = vl_trimesh_create(3 * n, n), *flat = make_soup(n, 0.2, 8);
  same->x[1] = vl_vec(1, 0, 0);
  same->x[2] = vl_vec(0, 1, 0);
  for (int t = 0; t < n; t++) {
    memcpy(same->tri[t], (int[3]){0, 1, 2}, sizeof *same->tri);
    memcpy(powers->tri[t], (int[3]){3 * t, 3 * t + 1, 3 * t + 2}, sizeof *powers->tri);
    double s = ldexp(1.0, -(t % 500));
    powers->x[3 * t] = vl_vec(s, 0, 0);
    powers->x[3 * t + 1] = vl_vec(1.5 * s, s, 0);
    powers->x[3 * t + 2] = vl_vec(s, 0, s);
    flat->x[3 * t + 1] = t % 2 ? flat->x[3 * t] : vl_scale(vl_add(flat->x[3 * t], flat->x[3 * t + 2]), 0.5);
  }
  vlTriMesh *meshes[3] = {same, powers, flat};
  uint64_t seed = 9;
  for (int m = 0; m < 3; m++) {
    vlBvh *bvh = make_bvh(meshes[m]);
    for (int i = 0; i < 100; i++) {
      vlVec3 x = random_vec(&seed, -1.0, 2.0);
      assert_true(fabs(vl_bvh_closest(bvh, x).distance - brute_distance(meshes[m], x)) < 1e-10);
      assert_true(isfinite(vl_bvh_winding(bvh, x)));
    }
    vl_bvh_destroy(&bvh);
    vl_trimesh_destroy(&meshes[m]);
  }
}

static double cube_distance(vlVec3 x)
{
  vlVec3 q = vl_vec(fabs(x.x - 0.5) - 0.5, fabs(x.y - 0.5) - 0.5, fabs(x.z - 0.5) - 0.5);
  return vl_norm(vl_max(q, vl_vec(0, 0, 0))) + fmin(fmax(q.x, fmax(q.y, q.z)), 0.0);
}

/* The lattice of quarters has points whose closest feature is a face, its diagonal, an edge and a corner. */
static void test_cube_distance(void **state)
{
  (void)state;
  vlTriMesh *mesh = make_cube();
  vlBvh *bvh = make_bvh(mesh);
  for (int k = -8; k <= 12; k++)
    for (int j = -8; j <= 12; j++)
      for (int i = -8; i <= 12; i++) {
        vlVec3 x = vl_vec(0.25 * i, 0.25 * j, 0.25 * k);
        assert_true(fabs(vl_bvh_signed_distance(bvh, x) - cube_distance(x)) < 1e-14);
      }
  uint64_t seed = 11;
  for (int i = 0; i < 20000; i++) {
    vlVec3 x = random_vec(&seed, -0.5, 1.5);
    assert_true(fabs(vl_bvh_signed_distance(bvh, x) - cube_distance(x)) < 1e-14);
  }
  vl_bvh_destroy(&bvh);
  vl_trimesh_destroy(&mesh);
}

/* Weights by angle make the pseudo-normals those of the cube, however its squares are cut. */
static void test_pseudo_normals_of_cube(void **state)
{
  (void)state;
  vlTriMesh *mesh = make_cube();
  vlBvh *bvh = make_bvh(mesh);
  for (int c = 0; c < 27; c++) {
    vlVec3 side = vl_vec(c % 3 - 1, c / 3 % 3 - 1, c / 9 - 1);
    if (vl_norm(side) == 0.0) continue;
    vlVec3 x = vl_axpy(vl_vec(0.5, 0.5, 0.5), 1.0, side);
    vlClosest found = vl_bvh_closest(bvh, x);
    assert_true(vl_norm(vl_sub(found.normal, vl_unit(side))) < 1e-15 * 4);
    assert_true(fabs(found.distance - 0.5 * vl_norm(side)) < 1e-15 * 4);
  }
  vl_bvh_destroy(&bvh);
  vl_trimesh_destroy(&mesh);
}

/* A wedge of 1 degree: beyond its sharp edge the normal of either face alone gives the wrong sign. */
static void test_sharp_wedge_and_notch(void **state)
{
  (void)state;
  const double wedge[3][2] = {{0, 0}, {1, 0}, {1, 0.017}};
  const double notch[5][2] = {{1, 0.5}, {0, 1}, {0.0, 0}, {2, 0}, {2, 1}}; /* its first corner is re-entrant */
  uint64_t seed = 13;
  vlTriMesh *meshes[2] = {make_prism(wedge, 3), make_prism(notch, 5)};
  for (int m = 0; m < 2; m++) {
    assert_true(vl_trimesh_volume(meshes[m]) > 0.0);
    vlBvh *bvh = make_bvh(meshes[m]);
    int inside_count = 0;
    for (int i = 0; i < 40000; i++) {
      vlVec3 x = vl_vec(random_between(&seed, -1, 3), random_between(&seed, -0.5, 1.5), random_between(&seed, -0.5, 1.5));
      if (m == 0) x.y = 0.02 * x.y;
      bool inside = m == 0 ? x.x < 1 && x.y > 0 && x.y < 0.017 * x.x
                           : x.x > 0 && x.x < 2 && x.y > 0 && x.y < 0.5 + 0.5 * fabs(x.x - 1);
      inside = inside && x.z > 0 && x.z < 1;
      double d = vl_bvh_signed_distance(bvh, x);
      if (fabs(d) > 1e-12) assert_true((d < 0.0) == inside);
      inside_count += inside;
    }
    assert_true(inside_count > 1000);
    vl_bvh_destroy(&bvh);
    vl_trimesh_destroy(&meshes[m]);
  }
}

static void test_sphere_distance(void **state)
{
  (void)state;
  vlTriMesh *mesh = make_sphere(5);
  vlBvh *bvh = make_bvh(mesh);
  /* how far the flat triangles lie inside the sphere: 1 - |middle of the largest one| */
  double sagitta = 0.0;
  for (int t = 0; t < mesh->triangle_count; t++) {
    vlVec3 m = vl_add(mesh->x[mesh->tri[t][0]], vl_add(mesh->x[mesh->tri[t][1]], mesh->x[mesh->tri[t][2]]));
    sagitta = fmax(sagitta, 1.0 - vl_norm(m) / 3.0);
  }
  assert_true(sagitta < 1e-3);
  uint64_t seed = 17;
  for (int i = 0; i < 20000; i++) {
    vlVec3 x = random_vec(&seed, -1.5, 1.5);
    double error = vl_bvh_signed_distance(bvh, x) - (vl_norm(x) - 1.0);
    assert_true(error > -1e-14 && error < sagitta + 1e-14);
  }
  /* along each vertex normal the closest feature is that vertex */
  for (int i = 0; i < mesh->vertex_count; i += 7)
    assert_true(fabs(vl_bvh_signed_distance(bvh, vl_scale(mesh->x[i], 1.25)) - 0.25) < 1e-14);
  vl_bvh_destroy(&bvh);
  vl_trimesh_destroy(&mesh);
}

/* Clusters count as far beyond 3 radii. A disc of radius R at distance d looks smaller than its dipole by
 * 3/4 (R/d)^2, 8 % at d = 3 R; clusters fill less than half of the sphere that holds their box. */
static const double far_field_error = 0.05;

static void test_winding_of_closed_meshes(void **state)
{
  (void)state;
  vlTriMesh *meshes[2] = {make_sphere(4), make_cube()};
  uint64_t seed = 19;
  double worst = 0.0;
  for (int m = 0; m < 2; m++) {
    vlBvh *bvh = make_bvh(meshes[m]);
    for (int i = 0; i < 4000; i++) {
      vlVec3 x = random_vec(&seed, -2.0, 2.0);
      double d = vl_bvh_signed_distance(bvh, x);
      if (fabs(d) < 1e-6) continue;
      double error = fabs(vl_bvh_winding(bvh, x) - (d < 0.0 ? 1.0 : 0.0));
      assert_true(error < far_field_error);
      worst = fmax(worst, error);
    }
    /* far away a closed surface has no dipole at all */
    assert_true(fabs(vl_bvh_winding(bvh, vl_vec(100, 50, -70))) < 1e-15);
    vl_trimesh_flip(meshes[m]);
    vl_bvh_destroy(&bvh);
    bvh = make_bvh(meshes[m]);
    assert_true(fabs(vl_bvh_winding(bvh, vl_vec(0.4, 0.3, 0.2)) + 1.0) < far_field_error);
    vl_bvh_destroy(&bvh);
    vl_trimesh_destroy(&meshes[m]);
  }
  print_message("largest error of the winding number: %.1e\n", worst);
}

static void test_winding_of_open_meshes(void **state)
{
  (void)state;
  vlTriMesh *mesh = make_loose_sphere(3);
  int octant = mesh->triangle_count / 8;
  /* seen from the middle each octant covers an eighth, whatever its triangles */
  for (int octants = 1; octants <= 8; octants++) {
    mesh->triangle_count = octants * octant;
    vlBvh *bvh = make_bvh(mesh);
    assert_true(fabs(vl_bvh_winding(bvh, vl_vec(0, 0, 0)) - octants / 8.0) < far_field_error);
    vl_bvh_destroy(&bvh);
  }
  vl_trimesh_destroy(&mesh);
  /* one triangle is never far from a point this near: exact solid angle of an octant */
  vlTriMesh *one = make_loose_sphere(0);
  one->triangle_count = 1;
  vlBvh *bvh = make_bvh(one);
  assert_true(fabs(vl_bvh_winding(bvh, vl_vec(0, 0, 0)) - 0.125) < 1e-15);
  vl_bvh_destroy(&bvh);
  vl_trimesh_destroy(&one);
}

static double exact_winding(const vlTriMesh *mesh, vlVec3 x)
{
  double sum = 0.0;
  for (int t = 0; t < mesh->triangle_count; t++) {
    vlVec3 c[3];
    double l[3];
    for (int k = 0; k < 3; k++) c[k] = vl_sub(mesh->x[mesh->tri[t][k]], x);
    for (int k = 0; k < 3; k++) l[k] = vl_norm(c[k]);
    double cosines = vl_dot(c[0], c[1]) * l[2] + vl_dot(c[1], c[2]) * l[0] + vl_dot(c[2], c[0]) * l[1];
    sum += 2.0 * atan2(vl_dot(c[0], vl_cross(c[1], c[2])), l[0] * l[1] * l[2] + cosines);
  }
  return sum / (4.0 * VL_PI);
}

/* With dipole (share ~ 1/d^2) and first moment (1/d^3) right, the error falls as 1/d^4. */
static void test_winding_far_field_order(void **state)
{
  (void)state;
  vlTriMesh *mesh = make_loose_sphere(4);
  mesh->triangle_count = 3 * mesh->triangle_count / 8;
  mesh->vertex_count = 3 * mesh->triangle_count;
  vlBvh *bvh = make_bvh(mesh);
  uint64_t seed = 29;
  double error[3] = {0};
  for (int i = 0; i < 100; i++) {
    vlVec3 direction = vl_unit(random_vec(&seed, -1.0, 1.0));
    for (int k = 0; k < 3; k++) {
      vlVec3 x = vl_scale(direction, 10.0 * (1 << k));
      error[k] += fabs(vl_bvh_winding(bvh, x) - exact_winding(mesh, x));
    }
  }
  assert_true(error[2] > 0.0);
  for (int k = 0; k < 2; k++) assert_true(fabs(log2(error[k] / error[k + 1]) - 4.0) < 0.25);
  vl_bvh_destroy(&bvh);
  vl_trimesh_destroy(&mesh);
}

static void test_empty_mesh_is_refused(void **state)
{
  (void)state;
  vlTriMesh *mesh = vl_trimesh_create(0, 0);
  vlBvh *bvh = NULL;
  vlStatus status = {0};
  assert_int_equal(vl_bvh_create(&bvh, mesh, &status), VL_ERROR_MESH);
  assert_non_null(strstr(status.message, "0 triangles"));
  assert_null(bvh);
  vl_bvh_destroy(&bvh);
  vl_bvh_destroy(NULL);
  vl_trimesh_destroy(&mesh);
}

/* Two independent ways to tell inside from outside agree on a mesh nobody here made. */
static void test_spot(void **state)
{
  (void)state;
  vlTriMesh *mesh = NULL;
  vlStatus status = {0};
  vlCode code = vl_trimesh_read(&mesh, VL_SOURCE_DIR "/../shared/meshes/spot.obj", &status);
  if (code == VL_ERROR_FILE) {
    print_message("skipped: %s\n", status.message);
    skip();
  }
  assert_int_equal(code, VL_OK);
  vlBvh *bvh = make_bvh(mesh);
  vlBox3 box = vl_box_grow(vl_trimesh_bounds(mesh), 0.1);
  vlVec3 size = vl_sub(box.hi, box.lo);
  uint64_t seed = 23;
  int inside = 0, n = 20000;
  for (int i = 0; i < n; i++) {
    vlVec3 u = random_vec(&seed, 0.0, 1.0);
    vlVec3 x = vl_add(box.lo, vl_vec(u.x * size.x, u.y * size.y, u.z * size.z));
    double d = vl_bvh_signed_distance(bvh, x), w = vl_bvh_winding(bvh, x);
    if (fabs(d) > 1e-9) assert_true((d < 0.0) == (w > 0.5));
    inside += d < 0.0;
  }
  /* volume by counting: within 5 standard deviations of a binomial count */
  double share = vl_trimesh_volume(mesh) / (size.x * size.y * size.z);
  assert_true(fabs((double)inside / n - share) < 5.0 * sqrt(share * (1.0 - share) / n));
  vl_bvh_destroy(&bvh);
  vl_trimesh_destroy(&mesh);
}

/* A cone's contour folds at its tip. Away from the surface signs are those of the shape, near it and far off, and normals
 * lead away from it. Tolerance: contours lie within a cube of the surface, and cubes are 0.1 / 24 wide at most. */
static void test_folds(void **state)
{
  (void)state;
  vlStatus status = {0};
  vlShape cone = {.kind = VL_SHAPE_CONE, .rotation = vl_mat_identity(), .radius = 0.05, .height = 0.1};
  vlTriMesh *mesh = NULL, *cube = make_cube();
  vlSdf *sdf = NULL;
  assert_int_equal(vl_shape_surface(&mesh, &cone, (vlSurfaceOptions){.dx = 0.05}, &status), VL_OK);
  assert_int_equal(vl_sdf_create(&sdf, &cone, &status), VL_OK);
  vlBvh *bvh = make_bvh(mesh), *smooth = make_bvh(cube);
  assert_false(vl_bvh_mind_folds(smooth));
  assert_true(vl_bvh_mind_folds(bvh));
  uint64_t seed = 3;
  for (int i = 0; i < 4000; i++) {
    vlVec3 x = random_vec(&seed, -1.0, 1.0);
    if (i % 2) x = vl_scale(x, 0.1);
    double exact = vl_sdf_distance(sdf, x), slack = 0.1 / 24.0;
    if (fabs(exact) < slack) continue;
    assert_true(fabs(vl_bvh_signed_distance(bvh, x) - exact) < slack);
    vlClosest c = vl_bvh_closest(bvh, x);
    assert_true(fabs(vl_dot(vl_sub(x, c.point), c.normal) - vl_bvh_signed_distance(bvh, x)) < 1e-12);
  }
  vl_bvh_destroy(&bvh);
  vl_bvh_destroy(&smooth);
  vl_sdf_destroy(&sdf);
  vl_trimesh_destroy(&mesh);
  vl_trimesh_destroy(&cube);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_closest_against_brute_force),
      cmocka_unit_test(test_refit),
      cmocka_unit_test(test_hints),
      cmocka_unit_test(test_visit),
      cmocka_unit_test(test_contrived_meshes),
      cmocka_unit_test(test_cube_distance),
      cmocka_unit_test(test_pseudo_normals_of_cube),
      cmocka_unit_test(test_sharp_wedge_and_notch),
      cmocka_unit_test(test_sphere_distance),
      cmocka_unit_test(test_winding_of_closed_meshes),
      cmocka_unit_test(test_winding_of_open_meshes),
      cmocka_unit_test(test_winding_far_field_order),
      cmocka_unit_test(test_empty_mesh_is_refused),
      cmocka_unit_test(test_folds),
      cmocka_unit_test(test_spot),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
