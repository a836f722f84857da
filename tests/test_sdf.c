/* Shapes: exact distances against brute force, gradients, the Lipschitz bound, rounding, blending, bounds, meshes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/vec.h"
#include "mesh/sdf.h"

/* A fixed sequence of numbers in [0, 1). */
static double draw(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) / 9007199254740992.0;
}

static vlVec3 draw_point(uint64_t *seed, double half)
{
  double x = draw(seed), y = draw(seed), z = draw(seed);
  return vl_vec(half * (2 * x - 1), half * (2 * y - 1), half * (2 * z - 1));
}

static vlShape shape_of(vlShapeKind kind)
{
  vlMat3 r = vl_mat_multiply(vl_mat_rotation(0, 0.4), vl_mat_multiply(vl_mat_rotation(1, 1.1), vl_mat_rotation(2, -0.7)));
  return (vlShape){.kind = kind,
                   .center = {.v = {0.1, -0.2, 0.3}},
                   .rotation = r,
                   .size = {.v = {0.9, 0.6, 0.7}},
                   .radius = kind == VL_SHAPE_TORUS ? 0.6 : 0.4,
                   .radius_top = 0.15,
                   .tube_radius = 0.2,
                   .height = 0.8,
                   .normal = {.v = {0.3, 1.0, -0.2}},
                   .scale = {{1, 1, 1}}};
}

static vlSdf *create(const vlShape *shape)
{
  vlStatus status = {0};
  vlSdf *sdf = NULL;
  vlCode code = vl_sdf_create(&sdf, shape, &status);
  if (code) print_message("%s\n", status.message);
  assert_int_equal(code, VL_OK);
  return sdf;
}

/* The point of the (shrunk) shape nearest to p in its own axes is found by other means than the library's: membership tests
 * and dense sampling of the surface of revolution's profile. Returns whether p is inside. */
static bool inside_shape(const vlShape *s, vlVec3 p)
{
  double rho = sqrt(p.x * p.x + p.z * p.z), t = p.y / s->height + 0.5;
  switch (s->kind) {
  case VL_SHAPE_BOX:
    return fabs(p.x) < 0.5 * s->size.x && fabs(p.y) < 0.5 * s->size.y && fabs(p.z) < 0.5 * s->size.z;
  case VL_SHAPE_SPHERE:
    return vl_norm(p) < s->radius;
  case VL_SHAPE_CAPSULE: {
    double over = fmax(fabs(p.y) - 0.5 * s->height, 0.0);
    return rho * rho + over * over < s->radius * s->radius;
  }
  case VL_SHAPE_CYLINDER:
    return t > 0 && t < 1 && rho < s->radius;
  case VL_SHAPE_CONE:
    return t > 0 && t < 1 && rho < s->radius + t * (s->radius_top - s->radius);
  case VL_SHAPE_TORUS:
    return pow(rho - s->radius, 2) + p.y * p.y < s->tube_radius * s->tube_radius;
  default:
    return vl_dot(s->normal, p) < 0.0;
  }
}

/* A polyline of the profile in (rho, y). Returns its length in points. */
static int profile(const vlShape *s, double points[][2])
{
  double h = 0.5 * s->height;
  int n = 0;
  if (s->kind == VL_SHAPE_CYLINDER || s->kind == VL_SHAPE_CONE) {
    double top = s->kind == VL_SHAPE_CONE ? s->radius_top : s->radius;
    double corners[4][2] = {{0, -h}, {s->radius, -h}, {top, h}, {0, h}};
    memcpy(points, corners, sizeof corners);
    return 4;
  }
  int steps = 4000;
  for (int i = 0; i <= steps; i++, n++) {
    double a = VL_PI * (2.0 * i / steps - 1.0);
    if (s->kind == VL_SHAPE_TORUS) {
      points[n][0] = s->radius + s->tube_radius * cos(a);
      points[n][1] = s->tube_radius * sin(a);
    } else {
      double middle = s->kind == VL_SHAPE_CAPSULE ? copysign(h, a) : 0.0;
      points[n][0] = s->radius * cos(0.5 * a);
      points[n][1] = s->radius * sin(0.5 * a) + middle;
    }
  }
  return n;
}

static double segment_distance(const double a[2], const double b[2], double u, double v)
{
  double e[2] = {b[0] - a[0], b[1] - a[1]}, w[2] = {u - a[0], v - a[1]}, ee = e[0] * e[0] + e[1] * e[1];
  double t = ee > 0 ? fmin(fmax((w[0] * e[0] + w[1] * e[1]) / ee, 0.0), 1.0) : 0.0;
  return hypot(w[0] - t * e[0], w[1] - t * e[1]);
}

static double brute_force(const vlShape *s, vlVec3 p)
{
  double best = INFINITY;
  if (s->kind == VL_SHAPE_HALFSPACE) return fabs(vl_dot(s->normal, p)) / vl_norm(s->normal);
  if (s->kind == VL_SHAPE_BOX) {
    /* Distance to each of the six rectangles. */
    for (int side = 0; side < 6; side++) {
      vlVec3 q;
      for (int a = 0; a < 3; a++) q.v[a] = fmin(fmax(p.v[a], -0.5 * s->size.v[a]), 0.5 * s->size.v[a]);
      q.v[side / 2] = (side % 2 ? 0.5 : -0.5) * s->size.v[side / 2];
      best = fmin(best, vl_norm(vl_sub(p, q)));
    }
    return best;
  }
  static double points[4096][2];
  int n = profile(s, points);
  double rho = sqrt(p.x * p.x + p.z * p.z);
  for (int i = 0; i + 1 < n; i++) best = fmin(best, segment_distance(points[i], points[i + 1], rho, p.y));
  return best;
}

static void test_primitives_are_exact(void **state)
{
  (void)state;
  for (int kind = VL_SHAPE_BOX; kind <= VL_SHAPE_HALFSPACE; kind++) {
    vlShape s = shape_of(kind);
    vlSdf *sdf = create(&s);
    uint64_t seed = 7;
    for (int i = 0; i < 300; i++) {
      vlVec3 p = draw_point(&seed, 1.0), x = vl_add(s.center, vl_mat_apply(s.rotation, p));
      double d = vl_sdf_distance(sdf, x), exact = brute_force(&s, p);
      assert_int_equal(d < 0.0, inside_shape(&s, p));
      /* Arcs of radius <= 0.6 in chords of 2 pi / 4000: sagitta 2e-7. */
      assert_true(fabs(fabs(d) - exact) < 2e-7);
    }
    vl_sdf_destroy(&sdf);
    assert_null(sdf);
  }
}

static void check_gradient_and_slope(const vlSdf *sdf, double half)
{
  uint64_t seed = 11;
  for (int i = 0; i < 400; i++) {
    vlVec3 x = draw_point(&seed, half), y = draw_point(&seed, half), near = vl_axpy(x, 1e-3, y);
    double d = vl_sdf_distance(sdf, x);
    /* 1-Lipschitz, far and near. */
    assert_true(fabs(d - vl_sdf_distance(sdf, y)) <= vl_norm(vl_sub(x, y)) + 1e-12);
    assert_true(fabs(d - vl_sdf_distance(sdf, near)) <= vl_norm(vl_sub(x, near)) + 1e-12);
    vlVec3 g = vl_sdf_gradient(sdf, x), numeric;
    double step = 1e-5;
    for (int a = 0; a < 3; a++) {
      vlVec3 lo = x, hi = x;
      lo.v[a] -= step;
      hi.v[a] += step;
      numeric.v[a] = (vl_sdf_distance(sdf, hi) - vl_sdf_distance(sdf, lo)) / (2 * step);
    }
    assert_true(fabs(vl_norm(g) - 1.0) < 1e-9);
    /* Away from the ridges of the distance; second derivatives are 1/distance to them. */
    if (fabs(vl_norm(numeric) - 1.0) < 1e-6) assert_true(vl_norm(vl_sub(g, numeric)) < 1e-4);
  }
}

static void test_gradients_and_lipschitz(void **state)
{
  (void)state;
  for (int kind = VL_SHAPE_BOX; kind <= VL_SHAPE_HALFSPACE; kind++)
    for (int rounded = 0; rounded < 2; rounded++) {
      vlShape s = shape_of(kind);
      s.round = rounded ? 0.1 : 0.0;
      vlSdf *sdf = create(&s);
      check_gradient_and_slope(sdf, 1.2);
      vl_sdf_destroy(&sdf);
    }
}

static void test_round_keeps_faces_and_rounds_edges(void **state)
{
  (void)state;
  vlShape s = shape_of(VL_SHAPE_BOX);
  s.rotation = vl_mat_identity();
  s.center = vl_vec(0, 0, 0);
  s.round = 0.1;
  vlSdf *sdf = create(&s);
  assert_true(fabs(vl_sdf_distance(sdf, vl_vec(0.45, 0.1, -0.2))) < 1e-15);
  assert_true(fabs(vl_sdf_distance(sdf, vl_vec(0.1, 0.3, 0.1))) < 1e-15);
  /* Along the edge x = 0.45, y = 0.3 an arc of radius 0.1 about (0.35, 0.2). */
  assert_true(fabs(vl_sdf_distance(sdf, vl_vec(0.45, 0.3, 0.0)) - 0.1 * (sqrt(2.0) - 1.0)) < 1e-15);
  vl_sdf_destroy(&sdf);

  /* Both ends and the slanted side of a cone stay; so does a ball that only just fits. */
  for (int i = 0; i < 2; i++) {
    s = shape_of(VL_SHAPE_CONE);
    s.rotation = vl_mat_identity();
    s.center = vl_vec(0, 0, 0);
    s.radius_top = 0.0;
    /* Inradius of a triangle with base 0.8 and height 0.8. */
    double inradius = 0.4 * 0.8 / (0.4 + sqrt(0.16 + 0.64));
    s.round = i ? inradius : 0.05;
    sdf = create(&s);
    assert_true(fabs(vl_sdf_distance(sdf, vl_vec(0, -0.4, 0))) < 1e-12);
    if (i == 0)
      assert_true(fabs(vl_sdf_distance(sdf, vl_vec(0.2, 0.0, 0))) < 1e-12);
    else
      assert_true(fabs(vl_sdf_distance(sdf, vl_vec(0, 2 * inradius - 0.4, 0))) < 1e-12);
    vl_sdf_destroy(&sdf);
  }
}

static void expect_scene_error(const vlShape *shape, const char *text)
{
  vlStatus status = {0};
  vlSdf *sdf = NULL;
  assert_int_equal(vl_sdf_create(&sdf, shape, &status), VL_ERROR_SCENE);
  assert_null(sdf);
  if (!strstr(status.message, text)) print_message("no '%s' in: %s\n", text, status.message);
  assert_non_null(strstr(status.message, text));
}

static void test_bad_values_are_named(void **state)
{
  (void)state;
  vlShape s = shape_of(VL_SHAPE_BOX);
  s.round = 0.31;
  expect_scene_error(&s, "between 0 and 0.3 m");
  s = shape_of(VL_SHAPE_CYLINDER);
  s.round = 0.41;
  expect_scene_error(&s, "cylinder: round is 0.41 m, for this shape it must be between 0 and 0.4 m");
  s.round = -1.0;
  expect_scene_error(&s, "round is -1 m");
  s = shape_of(VL_SHAPE_SPHERE);
  s.radius = 0.0;
  expect_scene_error(&s, "sphere: radius is 0 m");
  s = shape_of(VL_SHAPE_TORUS);
  s.tube_radius = 0.7;
  expect_scene_error(&s, "tube_radius is 0.7 m");
  s = shape_of(VL_SHAPE_HALFSPACE);
  s.normal = vl_vec(0, 0, 0);
  expect_scene_error(&s, "normal");
  s = shape_of(VL_SHAPE_UNION);
  expect_scene_error(&s, "no parts");
  vlShape part = shape_of(VL_SHAPE_CONE);
  part.height = NAN;
  s.parts = &part;
  s.part_count = 1;
  expect_scene_error(&s, "part 1 of a union: cone: height");
}

static void test_combinations(void **state)
{
  (void)state;
  vlShape parts[3] = {shape_of(VL_SHAPE_BOX), shape_of(VL_SHAPE_SPHERE), shape_of(VL_SHAPE_CYLINDER)};
  parts[1].center = vl_vec(0.4, 0.3, 0.1);
  parts[2].center = vl_vec(-0.2, 0.2, 0.1);
  vlSdf *single[3];
  for (int i = 0; i < 3; i++) single[i] = create(&parts[i]);
  for (int kind = VL_SHAPE_UNION; kind <= VL_SHAPE_DIFFERENCE; kind++)
    for (int blended = 0; blended < 2; blended++) {
      vlShape s = {
          .kind = kind, .rotation = vl_mat_identity(), .parts = parts, .part_count = 3, .blend = blended ? 0.2 : 0.0};
      vlSdf *sdf = create(&s);
      uint64_t seed = 5;
      for (int i = 0; i < 500; i++) {
        vlVec3 x = draw_point(&seed, 1.0);
        double a = vl_sdf_distance(single[0], x), b = vl_sdf_distance(single[1], x), c = vl_sdf_distance(single[2], x);
        double sharp =
            kind == VL_SHAPE_UNION ? fmin(a, fmin(b, c)) : fmax(a, kind == VL_SHAPE_DIFFERENCE ? fmax(-b, -c) : fmax(b, c));
        double d = vl_sdf_distance(sdf, x), change = kind == VL_SHAPE_UNION ? sharp - d : d - sharp;
        /* Blending only adds to a union and only removes from the others, a quarter of its radius per fold at most. */
        assert_true(change >= -1e-15 && change <= (blended ? 0.1 : 0.0) + 1e-15);
      }
      check_gradient_and_slope(sdf, 1.2);
      vl_sdf_destroy(&sdf);
    }
  for (int i = 0; i < 3; i++) vl_sdf_destroy(&single[i]);
}

/* Parts turn and move with their combination. */
static void test_nested_transforms(void **state)
{
  (void)state;
  vlShape box = shape_of(VL_SHAPE_BOX), outer = shape_of(VL_SHAPE_UNION);
  outer.parts = &box;
  outer.part_count = 1;
  vlSdf *alone = create(&box), *nested = create(&outer);
  uint64_t seed = 3;
  for (int i = 0; i < 100; i++) {
    vlVec3 p = draw_point(&seed, 1.0), x = vl_add(outer.center, vl_mat_apply(outer.rotation, p));
    assert_true(fabs(vl_sdf_distance(nested, x) - vl_sdf_distance(alone, p)) < 1e-14);
  }
  vlStatus status = {0};
  vlTriMesh *mesh = NULL;
  assert_int_equal(vl_sdf_exact_surface(&mesh, nested, &status), VL_OK);
  assert_int_equal(mesh->triangle_count, 12);
  assert_true(fabs(vl_trimesh_volume(mesh) - 0.9 * 0.6 * 0.7) < 1e-14);
  for (int i = 0; i < 8; i++) assert_true(fabs(vl_sdf_distance(nested, mesh->x[i])) < 1e-14);
  vl_trimesh_destroy(&mesh);
  vl_sdf_destroy(&alone);
  vl_sdf_destroy(&nested);
}

static void test_bounds_hold_and_are_tight(void **state)
{
  (void)state;
  vlShape parts[2] = {shape_of(VL_SHAPE_BOX), shape_of(VL_SHAPE_SPHERE)};
  parts[1].center = vl_vec(0.5, 0.3, 0.1);
  for (int kind = 0; kind <= VL_SHAPE_DIFFERENCE; kind++) {
    if (kind == VL_SHAPE_MESH || kind == VL_SHAPE_HALFSPACE) continue;
    vlShape s = shape_of(kind);
    bool combined = kind >= VL_SHAPE_UNION;
    if (combined) {
      s.parts = parts;
      s.part_count = 2;
      s.blend = 0.3;
    }
    vlSdf *sdf = create(&s);
    vlBox3 box = vl_sdf_bounds(sdf), seen = vl_box_empty();
    for (int i = 0; i < 64 * 64 * 64; i++) {
      vlVec3 x = vl_vec(-1.5 + 3.0 * (i % 64) / 63, -1.5 + 3.0 * (i / 64 % 64) / 63, -1.5 + 3.0 * (i / 4096) / 63);
      if (vl_sdf_distance(sdf, x) < 0.0) seen = vl_box_add(seen, x);
    }
    for (int a = 0; a < 3; a++) {
      assert_true(seen.lo.v[a] >= box.lo.v[a] && seen.hi.v[a] <= box.hi.v[a]);
      /* Samples are 0.048 apart; a sharp corner may hide between them. */
      if (!combined) assert_true(seen.lo.v[a] - box.lo.v[a] < 0.13 && box.hi.v[a] - seen.hi.v[a] < 0.13);
    }
    vl_sdf_destroy(&sdf);
  }
  vlShape floor = shape_of(VL_SHAPE_HALFSPACE), both = {.kind = VL_SHAPE_INTERSECTION, .rotation = vl_mat_identity()};
  floor.rotation = vl_mat_identity();
  floor.normal = vl_vec(0, 2, 0);
  vlSdf *sdf = create(&floor);
  vlBox3 box = vl_sdf_bounds(sdf);
  assert_true(box.hi.y == floor.center.y && isinf(box.lo.y) && isinf(box.hi.x) && isinf(box.lo.z));
  vl_sdf_destroy(&sdf);
  vlShape cut[2] = {floor, parts[1]};
  both.parts = cut;
  both.part_count = 2;
  sdf = create(&both);
  box = vl_sdf_bounds(sdf);
  assert_true(vl_finite(box.lo) && vl_finite(box.hi) && box.hi.y == floor.center.y);
  vl_sdf_destroy(&sdf);
}

/* An octahedron with vertices at distance 1 on the axes, its faces listed inside out; `faces` of the eight are written. */
static void write_octahedron(const char *path, int faces)
{
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs("v 1 0 0\nv -1 0 0\nv 0 1 0\nv 0 -1 0\nv 0 0 1\nv 0 0 -1\n", file);
  for (int i = 0; i < faces; i++) {
    int x = i & 1 ? 2 : 1, y = i & 2 ? 4 : 3, z = i & 4 ? 6 : 5;
    bool flip = (i & 1) ^ (i >> 1 & 1) ^ (i >> 2 & 1);
    fprintf(file, "f %d %d %d\n", x, flip ? y : z, flip ? z : y);
  }
  fclose(file);
}

static void test_meshes(void **state)
{
  (void)state;
  char path[] = VL_BINARY_DIR "/test_sdf_octahedron.obj";
  write_octahedron(path, 8);
  vlShape s = shape_of(VL_SHAPE_MESH);
  s.file = path;
  s.scale = (vlVec3){{0.5, 0.5, 0.5}};
  vlSdf *sdf = create(&s);
  uint64_t seed = 9;
  for (int i = 0; i < 200; i++) {
    vlVec3 p = draw_point(&seed, 0.7), x = vl_add(s.center, vl_mat_apply(s.rotation, p));
    double l1 = fabs(p.x) + fabs(p.y) + fabs(p.z), d = vl_sdf_distance(sdf, x);
    assert_int_equal(d < 0.0, l1 < 0.5);
    /* |x| + |y| + |z| = 1/2: inside the distance to the nearest plane is exact. */
    if (l1 < 0.5) assert_true(fabs(d - (l1 - 0.5) / sqrt(3.0)) < 1e-14);
  }
  check_gradient_and_slope(sdf, 1.0);
  vlStatus status = {0};
  vlTriMesh *mesh = NULL;
  assert_int_equal(vl_sdf_exact_surface(&mesh, sdf, &status), VL_OK);
  assert_int_equal(mesh->triangle_count, 8);
  assert_true(fabs(vl_trimesh_volume(mesh) - 4.0 / 3.0 * 0.125) < 1e-14); /* flipped to face outwards */
  vl_trimesh_destroy(&mesh);
  vl_sdf_destroy(&sdf);

  write_octahedron(path, 7);
  assert_int_equal(vl_sdf_create(&sdf, &s, &status), VL_ERROR_MESH);
  assert_null(sdf);
  assert_non_null(strstr(status.message, path));
  assert_non_null(strstr(status.message, "3 open edges"));
  assert_non_null(strstr(status.message, "`repair: true`"));
  s.repair = true;
  sdf = create(&s);
  assert_int_equal(vl_sdf_exact_surface(&mesh, sdf, &status), VL_OK);
  assert_null(mesh);
  assert_true(vl_sdf_distance(sdf, s.center) < 0.0);
  /* Through the hole, face 7 along -(1,1,1), the sign changes and the distance does so without a jump. */
  double last = vl_sdf_distance(sdf, s.center);
  bool crossed = false;
  for (int i = 1; i <= 100; i++) {
    vlVec3 p = vl_scale(vl_vec(-1, -1, -1), 0.004 * i);
    double d = vl_sdf_distance(sdf, vl_add(s.center, vl_mat_apply(s.rotation, p)));
    assert_true(fabs(d - last) < 1.1 * 0.004 * sqrt(3.0));
    crossed |= last < 0.0 && d >= 0.0;
    last = d;
  }
  assert_true(crossed && last > 0.0);
  vl_sdf_destroy(&sdf);

  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs("v 0 0 0\nv 1 0 0\nv 0 1 0\n", file);
  fclose(file);
  assert_int_equal(vl_sdf_create(&sdf, &s, &status), VL_ERROR_MESH);
  assert_non_null(strstr(status.message, path));
  remove(path);
}

/* Cubes with these lower corners and sides; the triangles of a negative side face inwards. */
static void write_cubes(const char *path, const double cubes[][4], int count)
{
  static const int sides[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  for (int c = 0; c < count; c++)
    for (int i = 0; i < 8; i++) {
      double a = fabs(cubes[c][3]);
      fprintf(file, "v %g %g %g\n", cubes[c][0] + (i & 1) * a, cubes[c][1] + (i >> 1 & 1) * a, cubes[c][2] + (i >> 2) * a);
    }
  for (int i = 0; i < 6 * count; i++) {
    const int *f = sides[i % 6], first = 8 * (i / 6) + 1;
    bool turned = cubes[i / 6][3] < 0.0;
    fprintf(file, "f %d %d %d %d\n", f[0] + first, f[turned ? 3 : 1] + first, f[2] + first, f[turned ? 1 : 3] + first);
  }
  fclose(file);
}

static vlSdf *create_cubes(const double cubes[][4], int count, vlTriMesh **exact)
{
  char path[] = VL_BINARY_DIR "/test_sdf_cubes.obj";
  vlStatus status = {0};
  write_cubes(path, cubes, count);
  vlShape s = {.kind = VL_SHAPE_MESH, .rotation = vl_mat_identity(), .scale = {{1, 1, 1}}, .file = path};
  vlSdf *sdf = create(&s);
  assert_int_equal(vl_sdf_exact_surface(exact, sdf, &status), VL_OK);
  remove(path);
  return sdf;
}

/* Pieces of a mesh that overlap count once: no exact triangles then, and no holes where they meet. */
static void test_overlapping_pieces(void **state)
{
  (void)state;
  for (int overlap = 0; overlap < 2; overlap++) {
    vlTriMesh *mesh = NULL;
    vlSdf *sdf = create_cubes((const double[][4]){{0, 0, 0, 1}, {overlap ? 0.6 : 1.5, 0, 0, 1}}, 2, &mesh);
    assert_int_equal(mesh == NULL, overlap);
    /* Just outside the first cube; inside the second where they overlap. */
    assert_int_equal(vl_sdf_distance(sdf, vl_vec(1.01, 0.5, 0.5)) < 0.0, overlap);
    assert_true(vl_sdf_distance(sdf, vl_vec(0.8, 0.45, 0.55)) < 0.0);
    assert_true(vl_sdf_distance(sdf, vl_vec(-0.1, 0.5, 0.5)) > 0.0);
    vl_trimesh_destroy(&mesh);
    vl_sdf_destroy(&sdf);
  }
}

/* Cubes that overlap at a corner, where no middle of a triangle is inside another cube. With 0.5 the edges pass exactly
 * through the seams of the faces' triangles, with 1 they only meet in a corner. */
static void test_crossing_corners(void **state)
{
  (void)state;
  static const double shifts[6][3] = {{0.8, 0.83, 0.79}, {0.5, 0.5, 0.5},  {0.99, 0.9, 0.9},
                                      {0.8, 0.83, 0},    {1.01, 0.5, 0.5}, {-1.5, 0.9, 0.9}};
  for (int turned = 0; turned < 2; turned++)
    for (int i = 0; i < 6; i++) {
      const double *d = shifts[i];
      vlTriMesh *mesh = NULL;
      vlSdf *sdf = create_cubes((const double[][4]){{0, 0, 0, 1}, {d[0], d[1], d[2], turned ? -1 : 1}}, 2, &mesh);
      assert_int_equal(mesh == NULL, i < 4);
      uint64_t seed = 17;
      for (int k = 0; k < 200; k++) {
        vlVec3 x = vl_axpy(vl_vec(0.5, 0.5, 0.5), 1.0, draw_point(&seed, 1.5));
        bool first = true, second = true;
        for (int a = 0; a < 3; a++) {
          first = first && x.v[a] > 0 && x.v[a] < 1;
          second = second && x.v[a] > d[a] && x.v[a] < d[a] + 1;
        }
        assert_int_equal(vl_sdf_distance(sdf, x) < 0.0, first || second);
      }
      vl_trimesh_destroy(&mesh);
      vl_sdf_destroy(&sdf);
    }
}

/* Whatever way round the file lists them: a cube in the open is solid, a cube in a cube is a cavity where the two are
 * opposite, a cube in the cavity is solid. */
static void test_pieces_are_turned_outwards(void **state)
{
  (void)state;
  for (int signs = 0; signs < 16; signs++) {
    double s[4];
    for (int c = 0; c < 4; c++) s[c] = signs >> c & 1 ? -1.0 : 1.0;
    double cubes[4][4] = {{2, 2, 2, 0.2 * s[3]}, {-2, 0, 0, 1 * s[0]}, {1, 1, 1, 3 * s[1]}, {1.5, 1.5, 1.5, 1 * s[2]}};
    vlTriMesh *mesh = NULL;
    vlSdf *sdf = create_cubes((const double(*)[4])cubes, 4, &mesh);
    bool hollow = s[1] != s[2];
    assert_true(vl_sdf_distance(sdf, vl_vec(-1.5, 0.4, 0.6)) < 0.0);
    assert_true(vl_sdf_distance(sdf, vl_vec(1.2, 2, 2)) < 0.0);
    assert_int_equal(vl_sdf_distance(sdf, vl_vec(1.7, 1.7, 1.8)) > 0.0, hollow);
    assert_true(vl_sdf_distance(sdf, vl_vec(2.1, 2.12, 2.08)) < 0.0);
    assert_true(vl_sdf_distance(sdf, vl_vec(0, 0.5, 0.5)) > 0.0);
    /* Cubes that are not hollow overlap; then the innermost may be a cavity of one of the two only. */
    if (hollow) {
      assert_non_null(mesh);
      assert_true(fabs(vl_trimesh_volume(mesh) - (1 + 27 - 1 + 0.008)) < 1e-12);
    }
    vl_trimesh_destroy(&mesh);
    vl_sdf_destroy(&sdf);
  }
}

/* Two tetrahedra that touch along an edge, each closed with vertices of its own: joined there they would not be closed. */
static void test_touching_sheets(void **state)
{
  (void)state;
  static vlVec3 x[] = {{{0, 0, 0}}, {{0, 0, 1}}, {{1, 0, 0}},  {{0, 1, 0}},
                       {{0, 0, 0}}, {{0, 0, 1}}, {{-1, 0, 0}}, {{0, -1, 0}}};
  static int tri[][3] = {{0, 3, 2}, {0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {4, 7, 6}, {4, 6, 5}, {4, 5, 7}, {5, 6, 7}};
  vlShape shape = {.kind = VL_SHAPE_MESH, .rotation = vl_mat_identity(), .scale = {{1, 1, 1}}};
  shape.vertices = x;
  shape.vertex_count = 8;
  shape.triangles = tri;
  shape.triangle_count = 8;
  vlStatus status = {0};
  vlSdf *sdf = NULL;
  if (vl_sdf_create(&sdf, &shape, &status)) fail_msg("%s", status.message);
  uint64_t seed = 5;
  for (int i = 0; i < 2000; i++) {
    vlVec3 p = draw_point(&seed, 1.0);
    double right = fmin(fmin(p.x, p.y), fmin(p.z, 1.0 - p.x - p.y - p.z));
    double left = fmin(fmin(-p.x, -p.y), fmin(p.z, 1.0 + p.x + p.y - p.z)), inside = fmax(right, left);
    if (fabs(inside) < 1e-9) continue;
    if ((vl_sdf_distance(sdf, p) < 0.0) != (inside > 0.0)) fail_msg("(%g, %g, %g)", p.x, p.y, p.z);
  }
  vl_sdf_destroy(&sdf);
  /* without one triangle it is open, and refused */
  shape.triangle_count = 7;
  assert_int_equal(vl_sdf_create(&sdf, &shape, &status), VL_ERROR_MESH);
  assert_non_null(strstr(status.message, "3 open edges"));
  vl_sdf_destroy(&sdf);
}

/* A shape that was shifted is one that was made there. */
static void test_shift(void **state)
{
  (void)state;
  vlSdf *here = NULL, *there = NULL;
  vlShape shape = vl_shape_default(VL_SHAPE_SPHERE);
  shape.radius = 0.5;
  assert_int_equal(vl_sdf_create(&here, &shape, NULL), VL_OK);
  shape.center = vl_vec(0.5, -0.25, 2);
  assert_int_equal(vl_sdf_create(&there, &shape, NULL), VL_OK);
  vl_sdf_shift(here, shape.center);
  assert_true(vl_norm(vl_sub(vl_sdf_bounds(here).lo, vl_sdf_bounds(there).lo)) < 1e-12);
  for (int i = 0; i < 27; i++) {
    vlVec3 x = vl_vec(0.3 * (i % 3), 0.4 * (i / 3 % 3) - 0.5, 0.7 * (i / 9) + 1.1);
    assert_true(fabs(vl_sdf_distance(here, x) - vl_sdf_distance(there, x)) < 1e-12);
  }
  vl_sdf_destroy(&here);
  vl_sdf_destroy(&there);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_touching_sheets),
      cmocka_unit_test(test_primitives_are_exact),
      cmocka_unit_test(test_gradients_and_lipschitz),
      cmocka_unit_test(test_round_keeps_faces_and_rounds_edges),
      cmocka_unit_test(test_bad_values_are_named),
      cmocka_unit_test(test_combinations),
      cmocka_unit_test(test_shift),
      cmocka_unit_test(test_nested_transforms),
      cmocka_unit_test(test_bounds_hold_and_are_tight),
      cmocka_unit_test(test_meshes),
      cmocka_unit_test(test_overlapping_pieces),
      cmocka_unit_test(test_crossing_corners),
      cmocka_unit_test(test_pieces_are_turned_outwards),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
