/* Tetrahedral meshes: boxes, surfaces, placing, and what the check refuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <limits.h>
#include <math.h>
#include <stdio.h>

#include "mesh/tetmesh.h"
#include "mesh_shapes.h"

static vlTetMesh make_box(vlBox3 box, int nx, int ny, int nz)
{
  vlTetMesh mesh;
  vlStatus status = {0};
  if (vl_tetmesh_box(&mesh, box, (const int[3]){nx, ny, nz}, &status) != VL_OK) fail_msg("%s", status.message);
  return mesh;
}

static vlBox3 beam_box(void) { return (vlBox3){{.v = {0.5, 0.26, -0.03}}, {.v = {0.57, 0.75, 0.04}}}; }
static vlBox3 unit_box(void) { return (vlBox3){{.v = {0, 0, 0}}, {.v = {1, 1, 1}}}; }

static void assert_usable(const vlTetMesh *mesh)
{
  vlStatus status = {0};
  if (vl_tetmesh_check(mesh, "mesh", NULL, &status) != VL_OK) fail_msg("%s", status.message);
}

/* The counts of [zarifi2017]'s boxes. */
static void test_box_counts(void **state)
{
  (void)state;
  static const int boxes[][5] = {{4, 28, 4, 725, 2688},   {3, 21, 3, 352, 1134},  {2, 14, 2, 135, 336}, {2, 20, 2, 189, 480},
                                 {34, 34, 1, 2450, 6936}, {20, 20, 1, 882, 2400}, {6, 6, 6, 343, 1296}, {1, 1, 1, 8, 6}};
  for (size_t i = 0; i < sizeof boxes / sizeof *boxes; i++) {
    vlTetMesh mesh = make_box(beam_box(), boxes[i][0], boxes[i][1], boxes[i][2]);
    assert_int_equal(mesh.node_count, boxes[i][3]);
    assert_int_equal(mesh.tet_count, boxes[i][4]);
    assert_usable(&mesh);
    vl_tetmesh_clear(&mesh);
  }
}

static void test_box_geometry(void **state)
{
  (void)state;
  vlBox3 box = beam_box();
  vlTetMesh mesh = make_box(box, 4, 28, 4);
  vlVec3 side = vl_sub(box.hi, box.lo);
  double volume = side.x * side.y * side.z, each = volume / mesh.tet_count;
  /* edges of 0.0175 m between coordinates below 1 m: 2e-16 / 0.0175 relative, three of them */
  for (int t = 0; t < mesh.tet_count; t++) assert_true(fabs(vl_tetmesh_tet_volume(&mesh, t) - each) < 5e-14 * each);
  assert_true(fabs(vl_tetmesh_volume(&mesh) - volume) < 1e-12 * volume);
  vlBox3 bounds = vl_tetmesh_bounds(&mesh);
  assert_memory_equal(&bounds, &box, sizeof box);
  for (int k = 0, i = 0; k <= 4; k++)
    for (int j = 0; j <= 28; j++)
      for (int n = 0; n <= 4; n++, i++) {
        vlVec3 x = vl_vec(box.lo.x + side.x * n / 4, box.lo.y + side.y * j / 28, box.lo.z + side.z * k / 4);
        assert_true(vl_norm(vl_sub(mesh.node[i], x)) < 1e-15);
      }
  vl_tetmesh_clear(&mesh);
}

/* Whether two faces have the same three nodes, in any order. */
static bool same_face(const int *a, const int *b)
{
  for (int i = 0; i < 3; i++)
    if (a[i] != b[0] && a[i] != b[1] && a[i] != b[2]) return false;
  return true;
}

/* Every face of every tetrahedron against every other: an inner one has one partner, an outer one none and lies on the box.
 */
static void test_box_conforms(void **state)
{
  (void)state;
  enum { MOST = 4 * 6 * 3 * 2 * 2 };
  static int face[MOST][3];
  vlTetMesh mesh = make_box(unit_box(), 3, 2, 2);
  int n = 0, outer = 0;
  for (int t = 0; t < mesh.tet_count; t++)
    for (int k = 0; k < 4; k++, n++)
      for (int c = 0; c < 3; c++) face[n][c] = mesh.tet[t][(k + 1 + c) % 4];
  assert_int_equal(n, MOST);
  for (int i = 0; i < n; i++) {
    int partners = -1;
    for (int j = 0; j < n; j++) partners += same_face(face[i], face[j]);
    bool on_box = false;
    for (int a = 0; a < 3; a++)
      for (int s = 0; s < 2; s++)
        on_box |= mesh.node[face[i][0]].v[a] == s && mesh.node[face[i][1]].v[a] == s && mesh.node[face[i][2]].v[a] == s;
    assert_int_equal(partners, on_box ? 0 : 1);
    outer += on_box;
  }
  assert_int_equal(outer, 4 * (3 * 2 + 2 * 2 + 2 * 3));
  vl_tetmesh_clear(&mesh);
}

static void test_faces(void **state)
{
  (void)state;
  vlTetMesh mesh = make_box(unit_box(), 3, 2, 2);
  vlTetFace *faces;
  size_t count;
  assert_int_equal(vl_tet_faces_sorted(&faces, &count, &mesh, NULL), VL_OK);
  assert_int_equal(count, 4 * mesh.tet_count);
  for (size_t i = 0; i < count; i++) {
    const vlTetFace *f = &faces[i];
    assert_true(f->key[0] < f->key[1] && f->key[1] < f->key[2]);
    assert_int_equal(mesh.tet[f->tet][f->corner], f->key[3]);
    vlVec3 a = mesh.node[f->key[0]], b = mesh.node[f->key[1]], c = mesh.node[f->key[2]];
    double side = vl_dot(vl_cross(vl_sub(b, a), vl_sub(c, a)), vl_sub(mesh.node[f->key[3]], a));
    assert_true(f->even ? side < 0.0 : side > 0.0);
    for (int d = 0; i > 0 && d < 4; d++) {
      assert_true(faces[i - 1].key[d] <= f->key[d]);
      if (faces[i - 1].key[d] < f->key[d]) break;
    }
  }
  free(faces);
  vl_tetmesh_clear(&mesh);
}

/* Closed, outward, over the right nodes; returns its area. */
static double assert_surface(const vlTetMesh *mesh, int triangles)
{
  vlTriMesh *surface;
  int *node;
  vlTriMeshDefects d;
  assert_int_equal(vl_tetmesh_surface(&surface, &node, mesh, NULL), VL_OK);
  assert_int_equal(surface->triangle_count, triangles);
  assert_int_equal(vl_trimesh_check(surface, &d, NULL), VL_OK);
  assert_int_equal(d.open_edges + d.bad_edges + d.flat_triangles + d.unused_vertices, 0);
  for (int i = 0; i < surface->vertex_count; i++) {
    assert_true(i == 0 || node[i] > node[i - 1]);
    assert_memory_equal(&surface->x[i], &mesh->node[node[i]], sizeof *surface->x);
  }
  /* both sums of some thousand terms of one size */
  double volume = vl_tetmesh_volume(mesh);
  assert_true(volume > 0.0 && fabs(vl_trimesh_volume(surface) - volume) < 1e-12 * volume);
  double area = area_of(surface);
  free(node);
  vl_trimesh_destroy(&surface);
  return area;
}

static void test_box_surface(void **state)
{
  (void)state;
  vlTetMesh mesh = make_box(beam_box(), 4, 28, 4);
  double area = assert_surface(&mesh, 4 * (4 * 28 + 28 * 4 + 4 * 4)), exact = 2 * (2 * 0.07 * 0.49 + 0.07 * 0.07);
  assert_true(fabs(area - exact) < 1e-12 * exact);
  vl_tetmesh_clear(&mesh);
}

/* Without the tetrahedra of its middle cell a cube of 3^3 has a second surface, which points into the cavity. */
static void test_cavity_surface(void **state)
{
  (void)state;
  vlTetMesh mesh = make_box(unit_box(), 3, 3, 3);
  int middle = 6 * (1 + 3 + 9);
  memmove(mesh.tet[middle], mesh.tet[middle + 6], (size_t)(mesh.tet_count - middle - 6) * sizeof *mesh.tet);
  mesh.tet_count -= 6;
  assert_usable(&mesh);
  assert_true(fabs(vl_tetmesh_volume(&mesh) - 26.0 / 27.0) < 1e-14);
  assert_true(fabs(assert_surface(&mesh, 108 + 12) - (6.0 + 6.0 / 9.0)) < 1e-13);
  vl_tetmesh_clear(&mesh);
}

/* Any order of nodes and tetrahedra, any even order inside them, nodes moved a little. */
static void test_shuffled(void **state)
{
  (void)state;
  uint64_t seed = 3;
  vlTetMesh mesh = make_box(unit_box(), 4, 3, 5);
  for (int i = 0; i < mesh.node_count; i++) mesh.node[i] = vl_axpy(mesh.node[i], 0.02, random_vec(&seed, -1.0, 1.0));
  double volume = vl_tetmesh_volume(&mesh);
  int *to = malloc((size_t)mesh.node_count * sizeof *to);
  vlVec3 *node = malloc((size_t)mesh.node_count * sizeof *node);
  for (int i = 0; i < mesh.node_count; i++) to[i] = i;
  for (int i = mesh.node_count - 1; i > 0; i--) {
    int j = (int)random_between(&seed, 0, i + 1), kept = to[i];
    to[i] = to[j];
    to[j] = kept;
  }
  for (int i = 0; i < mesh.node_count; i++) node[to[i]] = mesh.node[i];
  memcpy(mesh.node, node, (size_t)mesh.node_count * sizeof *node);
  for (int t = mesh.tet_count - 1; t >= 0; t--) {
    int u = (int)random_between(&seed, 0, t + 1), moved[4];
    memcpy(moved, mesh.tet[t], sizeof moved);
    memcpy(mesh.tet[t], mesh.tet[u], sizeof moved);
    for (int k = 0; k < 4; k++) mesh.tet[u][k] = moved[3 - k]; /* an even permutation */
  }
  for (int t = 0; t < mesh.tet_count; t++)
    for (int k = 0; k < 4; k++) mesh.tet[t][k] = to[mesh.tet[t][k]];
  assert_usable(&mesh);
  assert_true(fabs(vl_tetmesh_volume(&mesh) - volume) < 1e-13 * volume);
  assert_surface(&mesh, 4 * (4 * 3 + 3 * 5 + 5 * 4));
  free(to);
  free(node);
  vl_tetmesh_clear(&mesh);
}

static void test_transform(void **state)
{
  (void)state;
  vlTetMesh mesh = make_box(unit_box(), 2, 3, 2), copy = make_box(unit_box(), 2, 3, 2);
  vlMat3 turn = vl_mat_rotation(VL_Z, 0.5 * VL_PI);
  vl_tetmesh_transform(&copy, turn, vl_vec(10, 0, 0));
  /* a quarter turn about z: x becomes y, y becomes -x */
  for (int i = 0; i < mesh.node_count; i++) {
    vlVec3 x = mesh.node[i];
    assert_true(vl_norm(vl_sub(copy.node[i], vl_vec(10 - x.y, x.x, x.z))) < 1e-14);
  }
  assert_memory_equal(copy.tet, mesh.tet, (size_t)mesh.tet_count * sizeof *mesh.tet);
  vl_tetmesh_transform(&copy, (vlMat3){{{2, 0, 0}, {0, 0.5, 0}, {0, 0, -3}}}, vl_vec(0, 0, 0));
  assert_true(fabs(vl_tetmesh_volume(&copy) - 3.0) < 1e-12);
  assert_usable(&copy);
  vl_tetmesh_clear(&copy);
  vl_tetmesh_clear(&mesh);
  vl_tetmesh_clear(&mesh);
  vl_tetmesh_clear(NULL);
}

static void test_orient(void **state)
{
  (void)state;
  vlTetMesh mesh = make_box(unit_box(), 2, 1, 2);
  for (int t = 0; t < mesh.tet_count; t++) {
    int a = mesh.tet[t][0];
    mesh.tet[t][0] = mesh.tet[t][1];
    mesh.tet[t][1] = a;
  }
  assert_true(vl_tetmesh_volume(&mesh) < 0.0);
  vl_tetmesh_orient(&mesh);
  assert_true(fabs(vl_tetmesh_volume(&mesh) - 1.0) < 1e-15);
  assert_usable(&mesh);
  vl_tetmesh_orient(&mesh); /* nothing to do */
  assert_usable(&mesh);
  vl_tetmesh_clear(&mesh);
}

/* The unit corner, and points to build more tetrahedra with. */
static const vlVec3 points[7] = {{.v = {0, 0, 0}}, {.v = {1, 0, 0}},  {.v = {0, 1, 0}},      {.v = {0, 0, 1}},
                                 {.v = {1, 1, 1}}, {.v = {0, 0, -1}}, {.v = {0.25, 0.25, 2}}};

static void assert_refused(const vlVec3 *nodes, int node_count, const int (*tets)[4], int tet_count, const char *message)
{
  vlTetMesh mesh;
  vlStatus status = {0};
  assert_int_equal(vl_tetmesh_from_arrays(&mesh, nodes, node_count, tets, tet_count, "body", &status), VL_ERROR_MESH);
  assert_string_equal(status.message, message);
  assert_int_equal(vl_tetmesh_from_arrays(&mesh, nodes, node_count, tets, tet_count, "body", NULL), VL_ERROR_MESH);
  assert_null(mesh.node);
  assert_null(mesh.tet);
  assert_int_equal(mesh.node_count + mesh.tet_count, 0);
}

static void test_arrays(void **state)
{
  (void)state;
  vlTetMesh mesh;
  /* both inverted: turned over */
  static const int two[2][4] = {{0, 2, 1, 3}, {4, 1, 2, 3}};
  assert_int_equal(vl_tetmesh_from_arrays(&mesh, points, 5, two, 2, "body", NULL), VL_OK);
  assert_true(fabs(vl_tetmesh_volume(&mesh) - 0.5) < 1e-15);
  assert_surface(&mesh, 6);
  vl_tetmesh_clear(&mesh);
}

static void test_refused_arrays(void **state)
{
  (void)state;
  static const int one[1][4] = {{0, 1, 2, 3}};
  assert_refused(NULL, 0, NULL, 0, "body: has no tetrahedra, expected at least one");
  assert_refused(points, 4, NULL, 3, "body: has no tetrahedra, expected at least one");
  assert_refused(points, 4, (const int[2][4]){{0, 1, 2, 3}, {1, 2, 3, 4}}, 2,
                 "body: tetrahedron 1 has the node 4; there are 0 to 3");
  assert_refused(points, 4, (const int[1][4]){{0, 1, 2, -1}}, 1, "body: tetrahedron 0 has the node -1; there are 0 to 3");
  assert_refused(points, 4, (const int[1][4]){{0, 1, 2, 1}}, 1,
                 "body: tetrahedron 0 has the node 1 twice, its nodes must differ");
  vlVec3 bad[4];
  memcpy(bad, points, sizeof bad);
  bad[2].y = INFINITY;
  assert_refused(bad, 4, one, 1, "body: node 2 is at (0, inf, 0), it must be finite");
  assert_refused(
      points, 6, one, 1,
      "body: node 4 at (1, 1, 1) belongs to no tetrahedron, so it has no mass; 2 of 6 nodes are unused and must be "
      "removed");
}

static void test_refused_volumes(void **state)
{
  (void)state;
  vlVec3 flat[4];
  static const int one[1][4] = {{0, 1, 2, 3}};
  memcpy(flat, points, sizeof flat);
  flat[3] = vl_vec(0.5, 0.25, 1e-12); /* volume 1.67e-13, longest edge sqrt 2 */
  assert_refused(
      flat, 4, one, 1,
      "body: tetrahedron 0 (nodes 0, 1, 2, 3) is flat: its volume is 1.66667e-13 m3, it must be more than 1e-12 of "
      "its longest edge cubed; 1 of 1 are flat");
  flat[3].z = 2e-11; /* 3.3e-12 > 2.83e-12 */
  vlTetMesh mesh;
  assert_int_equal(vl_tetmesh_from_arrays(&mesh, flat, 4, one, 1, "thin", NULL), VL_OK);
  vl_tetmesh_clear(&mesh);
  /* tiny is not flat */
  for (int i = 0; i < 4; i++) flat[i] = vl_scale(points[i], 1e-9);
  assert_int_equal(vl_tetmesh_from_arrays(&mesh, flat, 4, one, 1, "small", NULL), VL_OK);
  vl_tetmesh_clear(&mesh);
  assert_refused(
      points, 6, (const int[3][4]){{0, 1, 2, 3}, {4, 1, 2, 3}, {0, 1, 2, 5}}, 3,
      "body: tetrahedron 1 (nodes 4, 1, 2, 3) is inverted at rest: its volume is -0.333333 m3, it must be positive; "
      "2 of 3 are inverted");
}

static void test_refused_faces(void **state)
{
  (void)state;
  assert_refused(points, 5, (const int[3][4]){{4, 2, 1, 3}, {0, 1, 2, 3}, {1, 2, 0, 3}}, 3,
                 "body: tetrahedra 1 and 2 have the same nodes 0, 1, 2, 3, each must be there once");
  assert_refused(points, 7, (const int[4][4]){{0, 1, 2, 3}, {0, 2, 1, 5}, {0, 1, 2, 4}, {0, 1, 2, 6}}, 4,
                 "body: the face of nodes 0, 1, 2 belongs to 4 tetrahedra (0, 2, 1, ...), it must be one or two");
  static const vlVec3 folded[5] = {
      {.v = {0, 0, 0}}, {.v = {1, 0, 0}}, {.v = {0, 1, 0}}, {.v = {0, 0, 1}}, {.v = {0.2, 0.2, 2}}};
  assert_refused(folded, 5, (const int[2][4]){{0, 1, 2, 3}, {0, 1, 2, 4}}, 2,
                 "body: tetrahedra 0 and 1 lie on the same side of their face of nodes 0, 1, 2, it must be opposite sides");
}

static void test_labels(void **state)
{
  (void)state;
  static const int64_t node[6] = {10, 20, 30, 40, 50, 60}, tet[2] = {700, 5000000000};
  vlTetLabels labels = {node, tet};
  vlStatus status = {0};
  int tets[2][4] = {{0, 1, 2, 3}, {4, 1, 2, 3}};
  vlVec3 nodes[6];
  memcpy(nodes, points, sizeof nodes);
  vlTetMesh mesh = {nodes, tets, 6, 2};
  assert_int_equal(vl_tetmesh_check(&mesh, "a.msh", &labels, &status), VL_ERROR_MESH);
  assert_string_equal(status.message,
                      "a.msh: tetrahedron 5000000000 (nodes 50, 20, 30, 40) is inverted at rest: its volume is "
                      "-0.333333 m3, it must be positive; 1 of 2 are inverted");
  memcpy(tets[1], (int[4]){4, 2, 1, 3}, sizeof tets[1]);
  assert_int_equal(vl_tetmesh_check(&mesh, "a.msh", &labels, &status), VL_ERROR_MESH);
  assert_string_equal(status.message,
                      "a.msh: node 60 at (0, 0, -1) belongs to no tetrahedron, so it has no mass; 1 of 6 nodes "
                      "are unused and must be removed");
}

static void assert_box_refused(vlBox3 box, const int cells[3], const char *message)
{
  vlTetMesh mesh;
  vlStatus status = {0};
  assert_int_equal(vl_tetmesh_box(&mesh, box, cells, &status), VL_ERROR_SCENE);
  assert_string_equal(status.message, message);
  assert_null(mesh.node);
}

static void test_refused_boxes(void **state)
{
  (void)state;
  assert_box_refused(unit_box(), (const int[3]){3, 0, 2},
                     "mesh of a box: 3 x 0 x 2 cells, it must be 1 or more along each axis");
  assert_box_refused(unit_box(), (const int[3]){1000, 1000, 1000},
                     "mesh of a box: 1000 x 1000 x 1000 cells make 6000000000 tetrahedra, it must be up to 2147483647 of "
                     "them and of nodes");
  assert_box_refused(
      unit_box(), (const int[3]){INT_MAX, 1, 1},
      "mesh of a box: 2147483647 x 1 x 1 cells make 12884901882 tetrahedra, it must be up to 2147483647 of them "
      "and of nodes");
  vlBox3 box = unit_box();
  box.lo.y = 1.0;
  assert_box_refused(box, (const int[3]){1, 1, 1},
                     "mesh of a box: its y side is from 1 to 1 m, it must be finite and more than zero");
  box.lo.y = NAN;
  assert_box_refused(box, (const int[3]){1, 1, 1},
                     "mesh of a box: its y side is from nan to 1 m, it must be finite and more than zero");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_box_counts),    cmocka_unit_test(test_box_geometry),   cmocka_unit_test(test_box_conforms),
      cmocka_unit_test(test_faces),         cmocka_unit_test(test_box_surface),    cmocka_unit_test(test_cavity_surface),
      cmocka_unit_test(test_shuffled),      cmocka_unit_test(test_transform),      cmocka_unit_test(test_orient),
      cmocka_unit_test(test_arrays),        cmocka_unit_test(test_refused_arrays), cmocka_unit_test(test_refused_volumes),
      cmocka_unit_test(test_refused_faces), cmocka_unit_test(test_labels),         cmocka_unit_test(test_refused_boxes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
