/* Isosurface stuffing: angles, volumes, surfaces, grading, threads, thin shapes, broken ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "mesh/stuff.h"
#include "mesh/stuff_parts.h"
#include "mesh/tetmesh.h"
#include "mesh_shapes.h"

/* The bounds of [labelle2007], in degrees. */
#define LEAST_ANGLE 10.7
#define MOST_ANGLE 164.8

static vlShape sphere(double radius)
{
  vlShape shape = vl_shape_default(VL_SHAPE_SPHERE);
  shape.radius = radius;
  return shape;
}

static vlShape box(double x, double y, double z)
{
  vlShape shape = vl_shape_default(VL_SHAPE_BOX);
  shape.size = vl_vec(x, y, z);
  return shape;
}

static vlMat3 random_rotation(uint64_t *seed)
{
  vlMat3 r = vl_mat_identity();
  for (int a = 0; a < 3; a++) r = vl_mat_multiply(vl_mat_rotation(a, random_between(seed, -3.0, 3.0)), r);
  return r;
}

/* Closed, every edge between two triangles, every vertex in one fan. Returns the surface's area. */
static double check_surface(const vlTetMesh *mesh)
{
  vlTriMesh *surface = NULL;
  vlTriMeshDefects defects;
  vlPinches pinches;
  int *node = NULL;
  assert_int_equal(vl_tetmesh_surface(&surface, &node, mesh, NULL), VL_OK);
  assert_int_equal(vl_trimesh_check(surface, &defects, NULL), VL_OK);
  assert_true(defects.open_edges == 0 && defects.bad_edges == 0 && !defects.inside_out);
  assert_int_equal(vl_pinches_find(&pinches, surface, node, NULL), VL_OK);
  assert_true(pinches.edge.count == 0 && pinches.node.count == 0);
  double area = area_of(surface);
  vl_pinches_clear(&pinches);
  vl_trimesh_destroy(&surface);
  free(node);
  return area;
}

/* Fills a shape and asserts all that holds for any. */
static vlTetQuality fill(vlTetMesh *mesh, const vlShape *shape, double cell, bool uniform, vlStuffInfo *info)
{
  vlStatus status;
  vlStuffOptions options = {.cell = cell, .uniform = uniform};
  if (vl_stuff_shape(mesh, shape, &options, info, NULL, &status)) fail_msg("%s", status.message);
  vlTetQuality q = vl_tet_quality(mesh);
  assert_true(q.dihedral_least > LEAST_ANGLE && q.dihedral_most < MOST_ANGLE);
  check_surface(mesh);
  return q;
}

static vlTetQuality fill_and_forget(const vlShape *shape, double cell, vlStuffInfo *info)
{
  vlTetMesh mesh;
  vlTetQuality q = fill(&mesh, shape, cell, false, info);
  vl_tetmesh_clear(&mesh);
  return q;
}

/* The error of the volume falls with h^2; the rates scatter with how the lattice lies, so the one over a factor of 4 is
 * taken. A sphere's nodes lie on it. */
static void test_volume_order(void **state)
{
  (void)state;
  vlShape shape = sphere(0.5);
  shape.center = vl_vec(0.01, 0.02, 0.03);
  vlShape torus = vl_shape_default(VL_SHAPE_TORUS);
  torus.radius = 0.5;
  torus.tube_radius = 0.2;
  const vlShape *shapes[] = {&shape, &torus};
  const double exact[] = {VL_PI / 6.0, 2.0 * VL_PI * VL_PI * 0.5 * 0.04};
  for (int i = 0; i < 2; i++) {
    vlStuffInfo info;
    double coarse = exact[i] - fill_and_forget(shapes[i], 0.12, &info).volume;
    double fine = exact[i] - fill_and_forget(shapes[i], 0.03, &info).volume;
    double order = log(coarse / fine) / log(4.0);
    assert_true(order > 1.8 && order < 2.3);
    assert_true(info.pieces == 1 && info.thin == 0 && info.narrow == 0 && info.torn == 0);
  }
}

static void test_nodes_on_surface(void **state)
{
  (void)state;
  vlShape shape = sphere(0.5);
  vlTetMesh mesh;
  vlTriMesh *surface = NULL;
  vlStuffInfo info;
  int *node = NULL;
  fill(&mesh, &shape, 0.07, false, &info);
  assert_int_equal(vl_tetmesh_surface(&surface, &node, &mesh, NULL), VL_OK);
  assert_true(surface->triangle_count > 500);
  for (int i = 0; i < surface->vertex_count; i++) assert_true(fabs(vl_norm(surface->x[i]) - 0.5) <= 1e-12);
  for (int i = 0; i < mesh.node_count; i++) assert_true(vl_norm(mesh.node[i]) < 0.5 + 1e-12);
  vl_trimesh_destroy(&surface);
  free(node);
  vl_tetmesh_clear(&mesh);
}

/* A box whose edges are multiples of the cell is met to rounding, edges and corners too. */
static void test_aligned_box(void **state)
{
  (void)state;
  vlShape shape = box(1.0, 0.8, 0.6);
  shape.center = vl_vec(0.3, -0.2, 0.1);
  for (int uniform = 0; uniform < 2; uniform++) {
    vlTetMesh mesh;
    vlStuffInfo info;
    vlTetQuality q = fill(&mesh, &shape, 0.1, uniform, &info);
    vlBox3 bounds = vl_tetmesh_bounds(&mesh);
    assert_true(fabs(q.volume - 0.48) <= 1e-11);
    assert_true(fabs(bounds.hi.x - 0.8) <= 1e-12);
    assert_true(fabs(bounds.lo.y + 0.6) <= 1e-12);
    assert_true(q.dihedral_least > 44.9 && q.dihedral_most < 120.1);
    vl_tetmesh_clear(&mesh);
  }
}

/* Turned boxes, spheres of all sizes, blends and differences: fill() looks at the angles and surfaces. */
static void test_random_shapes(void **state)
{
  (void)state;
  uint64_t seed = 5;
  for (int n = 0; n < 30; n++) {
    vlShape parts[3], shape = vl_shape_default(n % 3 == 0 ? VL_SHAPE_DIFFERENCE : VL_SHAPE_UNION);
    for (int i = 0; i < 3; i++) {
      double r = random_between(&seed, 0.15, 0.4);
      parts[i] = (n + i) % 2 ? sphere(r) : box(2.0 * r, r, random_between(&seed, 0.2, 0.8));
      parts[i].rotation = random_rotation(&seed);
      parts[i].center = random_vec(&seed, -0.3, 0.3);
    }
    shape.blend = n % 4 ? random_between(&seed, 0.0, 0.2) : 0.0;
    shape.parts = parts;
    shape.part_count = 1 + n % 3;
    shape.rotation = random_rotation(&seed);
    vlTetMesh mesh;
    vlStuffInfo info;
    vlStatus status;
    vlStuffOptions options = {.cell = random_between(&seed, 0.04, 0.2), .uniform = n % 5 == 0};
    vlCode code = vl_stuff_shape(&mesh, &shape, &options, &info, NULL, &status);
    if (code) { /* a difference may leave next to nothing */
      assert_true(code == VL_ERROR_MESH && n % 3 == 0);
      continue;
    }
    vlTetQuality q = vl_tet_quality(&mesh);
    assert_true(q.dihedral_least > LEAST_ANGLE && q.dihedral_most < MOST_ANGLE && info.pieces > 0);
    check_surface(&mesh);
    vl_tetmesh_clear(&mesh);
  }
}

static int compare_points(const void *a, const void *b) { return memcmp(a, b, sizeof(vlVec3)); }
static int compare_corners(const void *a, const void *b) { return memcmp(a, b, 3 * sizeof(vlVec3)); }

/* Corners of all triangles of the surface, in an order that does not depend on their numbers; [3 * *count] */
static vlVec3 *list_corners(const vlTetMesh *mesh, size_t *count)
{
  vlTriMesh *surface = NULL;
  int *node = NULL;
  assert_int_equal(vl_tetmesh_surface(&surface, &node, mesh, NULL), VL_OK);
  *count = (size_t)surface->triangle_count;
  vlVec3 *corner = malloc(3 * *count * sizeof *corner);
  for (size_t t = 0; t < *count; t++) {
    for (int k = 0; k < 3; k++) corner[3 * t + (size_t)k] = surface->x[surface->tri[t][k]];
    qsort(corner + 3 * t, 3, sizeof *corner, compare_points);
  }
  qsort(corner, *count, 3 * sizeof *corner, compare_corners);
  vl_trimesh_destroy(&surface);
  free(node);
  return corner;
}

/* Inside only the size changes: the same surface bit by bit, fewer tetrahedra, larger ones. */
static void test_grading(void **state)
{
  (void)state;
  vlShape shape = sphere(0.5);
  vlTetMesh graded, uniform;
  vlStuffInfo info;
  vlTetQuality g = fill(&graded, &shape, 0.03, false, &info), u = fill(&uniform, &shape, 0.03, true, &info);
  assert_true(3 * graded.tet_count < 2 * uniform.tet_count);
  /* sums of some 1e5 terms, each rounded */
  assert_true(fabs(g.volume - u.volume) <= 1e-11);
  size_t count[2];
  vlVec3 *a = list_corners(&graded, &count[0]), *b = list_corners(&uniform, &count[1]);
  assert_true(count[0] == count[1] && count[0] > 10000);
  assert_memory_equal(a, b, 3 * count[0] * sizeof *a);
  free(a);
  free(b);
  /* before a point is moved by less than 0.35 cells, the lattice's longest edge is one */
  assert_true(g.edge_most > 3.9 * 0.03 && u.edge_most < 1.7 * 0.03);
  vl_tetmesh_clear(&graded);
  vl_tetmesh_clear(&uniform);
}

static void test_threads(void **state)
{
  (void)state;
  vlShape parts[2] = {sphere(0.3), box(0.3, 0.9, 0.3)}, shape = vl_shape_default(VL_SHAPE_UNION);
  shape.parts = parts;
  shape.part_count = 2;
  shape.blend = 0.1;
  vlTetMesh mesh[3];
  vlStuffInfo info[3];
  int most = omp_get_max_threads();
  const int threads[3] = {1, 2, 3};
  for (int i = 0; i < 3; i++) {
    omp_set_num_threads(threads[i]);
    fill(&mesh[i], &shape, 0.06, false, &info[i]);
    assert_true(mesh[i].node_count == mesh[0].node_count && mesh[i].tet_count == mesh[0].tet_count);
    assert_memory_equal(mesh[i].node, mesh[0].node, (size_t)mesh[0].node_count * sizeof *mesh[0].node);
    assert_memory_equal(mesh[i].tet, mesh[0].tet, (size_t)mesh[0].tet_count * sizeof *mesh[0].tet);
    assert_true(info[i].samples == info[0].samples);
  }
  omp_set_num_threads(most);
  for (int i = 0; i < 3; i++) vl_tetmesh_clear(&mesh[i]);
}

/* A ball with a fin: the fin is reported where it is, whether the lattice meets it or not. */
static void test_thin(void **state)
{
  (void)state;
  vlShape parts[2] = {sphere(0.3), box(0.004, 0.5, 0.5)}, shape = vl_shape_default(VL_SHAPE_UNION);
  vlStuffInfo info;
  parts[1].center = vl_vec(0.013, 0.4, 0.0);
  shape.parts = parts;
  shape.part_count = 2;
  fill_and_forget(&shape, 0.05, &info);
  assert_true(info.thin > 20 && vl_stuff_is_coarse(&info));
  assert_true(fabs(info.first_thin.x - 0.013) < 0.003 && vl_norm(info.first_thin) > 0.29);
  /* the other way round: a cut through the ball */
  shape.kind = VL_SHAPE_DIFFERENCE;
  fill_and_forget(&shape, 0.05, &info);
  assert_true(info.narrow > 20 && vl_stuff_is_coarse(&info));
  assert_true(fabs(info.first_thin.x - 0.013) < 0.003);
  /* thick enough: nothing to report */
  shape.part_count = 1;
  fill_and_forget(&shape, 0.05, &info);
  assert_true(!vl_stuff_is_coarse(&info) && info.thin == 0 && info.narrow == 0);
}

/* Vertices - edges + faces of the surface: 2 for a plate in one piece without holes. */
static int euler_number(const vlTetMesh *mesh)
{
  vlTriMesh *surface = NULL;
  int *node = NULL;
  assert_int_equal(vl_tetmesh_surface(&surface, &node, mesh, NULL), VL_OK);
  int number = surface->vertex_count - surface->triangle_count / 2;
  vl_trimesh_destroy(&surface);
  free(node);
  return number;
}

/* Plates at random angles: of 1.4 cells they are whole, of 1.1 most have holes. What is broken is told. */
static void test_plates(void **state)
{
  (void)state;
  uint64_t seed = 9;
  int broken = 0;
  for (int n = 0; n < 24; n++) {
    bool thick = n % 2;
    vlShape shape = box(0.5, 0.05, 0.5);
    vlTetMesh mesh;
    vlStuffInfo info;
    shape.rotation = random_rotation(&seed);
    shape.center = random_vec(&seed, 0.0, 1.0);
    fill(&mesh, &shape, 0.05 / (thick ? 1.4 : 1.1), false, &info);
    bool whole = info.pieces == 1 && info.torn == 0 && euler_number(&mesh) == 2;
    assert_true(whole || vl_stuff_is_coarse(&info));
    assert_true(vl_stuff_is_coarse(&info) == !thick);
    assert_true(whole || !thick);
    broken += !whole;
    vl_tetmesh_clear(&mesh);
  }
  assert_true(broken > 4);
}

static void refuse(const vlShape *shape, double cell, const char *text)
{
  vlTetMesh mesh;
  vlStatus status = {0};
  vlStuffOptions options = {.cell = cell};
  vlCode code = vl_stuff_shape(&mesh, shape, &options, NULL, NULL, &status);
  assert_true(code == VL_ERROR_MESH && status.code == code);
  if (!strstr(status.message, text)) fail_msg("no '%s' in: %s", text, status.message);
  assert_true(mesh.node == NULL && mesh.tet == NULL && mesh.tet_count == 0);
}

static void test_refused(void **state)
{
  (void)state;
  vlShape ball = sphere(0.1), half = vl_shape_default(VL_SHAPE_HALFSPACE), plate = box(1, 0.01, 1);
  half.normal = vl_vec(0, 1, 0);
  plate.center = vl_vec(0, 0.02, 0);
  refuse(&ball, -1.0, "cell is -1 m, it must be more than zero");
  refuse(&ball, NAN, "it must be more than zero");
  refuse(&ball, 1e-7, "the shape is 0.2 m long");
  refuse(&ball, 1e-5, "a larger cell is needed");
  refuse(&ball, 5.0, "no tetrahedron of that size fits");
  refuse(&plate, 0.1, "it needs a smaller one");
  refuse(&half, 0.1, "only a bounded one can be filled");
}

static void take_mesh(vlShape *shape, const vlTriMesh *mesh)
{
  *shape = vl_shape_default(VL_SHAPE_MESH);
  shape->vertices = mesh->x;
  shape->triangles = mesh->tri;
  shape->vertex_count = mesh->vertex_count;
  shape->triangle_count = mesh->triangle_count;
}

/* A surface with a hole is refused with the place of it, and filled as if it had none when it is repaired. */
static void test_broken_mesh(void **state)
{
  (void)state;
  vlTriMesh *mesh = make_loose_sphere(3);
  vlShape shape;
  vlStuffInfo info;
  double volume = vl_trimesh_volume(mesh);
  mesh->triangle_count -= 3;
  take_mesh(&shape, mesh);
  refuse(&shape, 0.2, "open edges");
  shape.repair = true;
  vlTetQuality q = fill_and_forget(&shape, 0.1, &info);
  assert_true(info.pieces == 1 && fabs(q.volume / volume - 1.0) < 0.02);
  vl_trimesh_destroy(&mesh);
}

/* Two balls in one mesh that overlap are one body with the volume of their union, less what flat triangles and the groove
 * between them lose. */
static void test_overlapping_mesh(void **state)
{
  (void)state;
  vlTriMesh *ball = make_loose_sphere(3), *both = vl_trimesh_create(2 * ball->vertex_count, 2 * ball->triangle_count);
  for (int i = 0; i < both->vertex_count; i++) {
    int from = i % ball->vertex_count;
    both->x[i] = vl_add(ball->x[from], vl_vec(i == from ? 0.0 : 1.0, 0, 0));
  }
  for (int t = 0; t < both->triangle_count; t++)
    for (int k = 0; k < 3; k++) {
      int from = t % ball->triangle_count;
      both->tri[t][k] = ball->tri[from][k] + (t == from ? 0 : ball->vertex_count);
    }
  vlShape shape;
  vlStuffInfo info;
  take_mesh(&shape, both);
  vlTetQuality q = fill_and_forget(&shape, 0.14, &info);
  /* two unit balls less the lens of two caps of height 1/2: pi h^2 (3 - h) / 3 each */
  double exact = 2.0 * (4.0 * VL_PI / 3.0 - VL_PI * 0.25 * 2.5 / 3.0);
  assert_true(info.pieces == 1 && fabs(q.volume / exact - 1.0) < 0.04);
  vl_trimesh_destroy(&both);
  vl_trimesh_destroy(&ball);
}

/* cell = 0 takes a thirtieth of the longest side; a mesh that needs no repair has a volume to compare with. */
static void test_defaults(void **state)
{
  (void)state;
  vlShape shape = box(3.0, 1.0, 1.0), ball = sphere(1.0);
  vlStuffOptions options = {0}, coarse = {.cell = 0.3};
  vlTetMesh mesh;
  double volume;
  assert_int_equal(vl_stuff_shape(&mesh, &shape, &options, NULL, &volume, NULL), VL_OK);
  assert_true(fabs(options.cell - 0.1) <= 1e-15);
  assert_true(fabs(volume - 3.0) <= 1e-14);
  assert_true(fabs(vl_tetmesh_volume(&mesh) - 3.0) <= 1e-10);
  vl_tetmesh_clear(&mesh);
  /* boxes of a quarter of a cell, with h / 8 of the radius: their error is of second order, below h^2 / 10 */
  vlStuffInfo info;
  double exact = 4.0 / 3.0 * VL_PI, h = 0.25 * coarse.cell;
  assert_int_equal(vl_stuff_shape(&mesh, &ball, &coarse, &info, &volume, NULL), VL_OK);
  assert_true(fabs(volume / exact - 1.0) < 0.1 * h * h);
  assert_true(info.missing == 1.0 - vl_tetmesh_volume(&mesh) / volume && info.missing > 0.01 && info.missing < 0.1);
  vl_tetmesh_clear(&mesh);
  assert_true(vl_mesh_file_is_surface("a/b.OBJ") && vl_mesh_file_is_surface("x.stl") && !vl_mesh_file_is_surface("x.msh"));
  assert_false(vl_mesh_file_is_surface("obj"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_volume_order),  cmocka_unit_test(test_nodes_on_surface), cmocka_unit_test(test_aligned_box),
      cmocka_unit_test(test_random_shapes), cmocka_unit_test(test_grading),          cmocka_unit_test(test_threads),
      cmocka_unit_test(test_thin),          cmocka_unit_test(test_plates),           cmocka_unit_test(test_refused),
      cmocka_unit_test(test_broken_mesh),   cmocka_unit_test(test_overlapping_mesh), cmocka_unit_test(test_defaults),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
