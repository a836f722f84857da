/* Bodies that hang by a point or an edge, crumbs, surfaces that touch themselves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "mesh/stuff_parts.h"

/* Cubes of edge 1 at whole places, six tetrahedra each, that share their nodes. */
static void make_cubes(vlTetMesh *mesh, const int (*place)[3], int count)
{
  enum { N = 6 };
  int number[N * N * N], nodes = 0;
  vlTetMesh cube = {0};
  assert_int_equal(vl_tetmesh_box(&cube, (vlBox3){vl_vec(0, 0, 0), vl_vec(1, 1, 1)}, (int[3]){1, 1, 1}, NULL), VL_OK);
  assert_int_equal(vl_tetmesh_create(mesh, 8 * count, 6 * count, NULL), VL_OK);
  for (int i = 0; i < N * N * N; i++) number[i] = -1;
  for (int c = 0; c < count; c++)
    for (int t = 0; t < 6; t++)
      for (int k = 0; k < 4; k++) {
        vlVec3 x = cube.node[cube.tet[t][k]];
        for (int a = 0; a < 3; a++) x.v[a] += place[c][a];
        int *own = &number[(int)x.x + N * ((int)x.y + N * (int)x.z)];
        if (*own < 0) {
          mesh->node[nodes] = x;
          *own = nodes++;
        }
        mesh->tet[6 * c + t][k] = *own;
      }
  mesh->node_count = nodes;
  vl_tetmesh_clear(&cube);
}

static void assert_manifold(const vlTetMesh *mesh)
{
  vlTriMesh *surface = NULL;
  int *node = NULL;
  vlPinches pinches;
  assert_int_equal(vl_tetmesh_check(mesh, "test", NULL, NULL), VL_OK);
  assert_int_equal(vl_tetmesh_surface(&surface, &node, mesh, NULL), VL_OK);
  assert_int_equal(vl_pinches_find(&pinches, surface, node, NULL), VL_OK);
  assert_true(pinches.edge.count == 0 && pinches.node.count == 0);
  vl_pinches_clear(&pinches);
  vl_trimesh_destroy(&surface);
  free(node);
}

static vlStuffInfo tidy(vlTetMesh *mesh, double cell)
{
  vlStuffInfo info = {0};
  vlStatus status;
  if (vl_stuff_tidy(mesh, cell, &info, &status)) fail_msg("%s", status.message);
  assert_manifold(mesh);
  return info;
}

/* A good mesh stays as it is, bit by bit. */
static void test_good(void **state)
{
  (void)state;
  const int place[][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}};
  vlTetMesh mesh = {0}, before = {0};
  make_cubes(&mesh, place, 3);
  make_cubes(&before, place, 3);
  vlStuffInfo info = tidy(&mesh, 0.1);
  assert_true(info.pieces == 1 && info.crumbs == 0 && info.torn == 0);
  assert_true(mesh.node_count == before.node_count && mesh.tet_count == before.tet_count);
  assert_memory_equal(mesh.node, before.node, (size_t)mesh.node_count * sizeof *mesh.node);
  assert_memory_equal(mesh.tet, before.tet, (size_t)mesh.tet_count * sizeof *mesh.tet);
  vl_tetmesh_clear(&mesh);
  vl_tetmesh_clear(&before);
}

static void test_point(void **state)
{
  (void)state;
  const int place[][3] = {{0, 0, 0}, {1, 1, 1}};
  vlTetMesh mesh = {0};
  make_cubes(&mesh, place, 2);
  assert_int_equal(mesh.node_count, 15);
  vlStuffInfo info = tidy(&mesh, 0.1);
  assert_true(info.pieces == 2 && info.torn == 1 && mesh.node_count == 16 && mesh.tet_count == 12);
  vl_tetmesh_clear(&mesh);
}

static void test_edge(void **state)
{
  (void)state;
  const int place[][3] = {{0, 0, 0}, {1, 1, 0}};
  vlTetMesh mesh = {0};
  make_cubes(&mesh, place, 2);
  vlStuffInfo info = tidy(&mesh, 0.1);
  assert_true(info.pieces == 2 && info.torn == 2 && mesh.node_count == 16 && mesh.tet_count == 12);
  vl_tetmesh_clear(&mesh);
}

/* Two cubes that share an edge are also joined by a bridge over its upper end: tearing the lower one is enough. With a
 * second bridge neither can be torn, and what is at the edge has to go. */
static void test_bridged_edge(void **state)
{
  (void)state;
  const int place[][3] = {{0, 0, 1}, {1, 1, 1}, {0, 0, 2}, {0, 1, 2}, {1, 1, 2}, {0, 0, 0}, {0, 1, 0}, {1, 1, 0}};
  vlTetMesh mesh = {0};
  make_cubes(&mesh, place, 5);
  vlStuffInfo info = tidy(&mesh, 0.1);
  assert_true(info.torn == 1 && info.pieces == 1 && mesh.tet_count == 30);
  vl_tetmesh_clear(&mesh);
  make_cubes(&mesh, place, 8);
  info = tidy(&mesh, 0.1);
  assert_true(info.torn > 0 && mesh.tet_count < 48 && mesh.tet_count > 24);
  vl_tetmesh_clear(&mesh);
}

/* A cavity that touches the outside in one point. */
static void test_pinched_point(void **state)
{
  (void)state;
  int place[26][3], count = 0;
  for (int i = 0; i < 27; i++) {
    int at[3] = {i % 3, i / 3 % 3, i / 9};
    if (i == 13 || i == 26) continue; /* the middle, and a corner */
    memcpy(place[count++], at, sizeof at);
  }
  vlTetMesh mesh = {0};
  make_cubes(&mesh, (const int(*)[3])place, count);
  vlStuffInfo info = tidy(&mesh, 0.1);
  assert_true(info.torn > 0 && info.pieces == 1 && mesh.tet_count < 150 && mesh.tet_count > 75);
  vl_tetmesh_clear(&mesh);
}

static void test_crumbs(void **state)
{
  (void)state;
  const int place[][3] = {{0, 0, 0}, {1, 0, 0}, {4, 4, 4}};
  vlTetMesh mesh = {0};
  make_cubes(&mesh, place, 3);
  vlStuffInfo info = tidy(&mesh, 1.01);
  assert_true(info.crumbs == 1 && info.pieces == 1 && mesh.tet_count == 12);
  /* the largest stays, however small */
  info = tidy(&mesh, 10.0);
  assert_true(info.crumbs == 0 && info.pieces == 1 && mesh.tet_count == 12);
  vl_tetmesh_clear(&mesh);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_good),         cmocka_unit_test(test_point),         cmocka_unit_test(test_edge),
      cmocka_unit_test(test_bridged_edge), cmocka_unit_test(test_pinched_point), cmocka_unit_test(test_crumbs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
