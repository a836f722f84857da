/* Measures of tetrahedra whose angles and radii are known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/vec.h"
#include "mesh/tetmesh.h"

/* Rounding of a few operations on numbers near one, in degrees. */
#define NEAR 1e-11

static void test_regular(void **state)
{
  (void)state;
  const vlVec3 x[4] = {vl_vec(1, 1, 1), vl_vec(1, -1, -1), vl_vec(-1, 1, -1), vl_vec(-1, -1, 1)};
  double angle[6];
  vl_tet_dihedrals(x, angle);
  for (int e = 0; e < 6; e++) assert_true(fabs(angle[e] - (acos(1.0 / 3.0) * 180.0 / VL_PI)) <= NEAR);
  assert_true(fabs(fabs(vl_tet_ratio(x)) - 1.0) <= 1e-14);
}

/* The corner of a cube: three right angles, and three of acos(1 / sqrt 3) at the slanted face. r = a / (3 + sqrt 3),
 * R = a sqrt 3 / 2. */
static void test_corner(void **state)
{
  (void)state;
  const vlVec3 x[4] = {vl_vec(0, 0, 0), vl_vec(1, 0, 0), vl_vec(0, 1, 0), vl_vec(0, 0, 1)};
  double angle[6];
  vl_tet_dihedrals(x, angle);
  for (int e = 0; e < 6; e++) assert_true(fabs(angle[e] - (e < 3 ? 90.0 : acos(1.0 / sqrt(3.0)) * 180.0 / VL_PI)) <= NEAR);
  assert_true(fabs(vl_tet_ratio(x) - (6.0 / (sqrt(3.0) * (3.0 + sqrt(3.0))))) <= 1e-14);
}

/* A tetrahedron of the body-centred cubic lattice: 90 degrees at its two long edges, 60 at the others. Turned over, its
 * ratio changes sign. */
static void test_lattice(void **state)
{
  (void)state;
  vlVec3 x[4] = {vl_vec(0, 0, 0), vl_vec(2, 0, 0), vl_vec(1, 1, -1), vl_vec(1, 1, 1)};
  double angle[6];
  vl_tet_dihedrals(x, angle);
  for (int e = 0; e < 6; e++) assert_true(fabs(angle[e] - (e == 0 || e == 5 ? 90.0 : 60.0)) <= NEAR);
  double ratio = vl_tet_ratio(x);
  assert_true(ratio > 0.9 && ratio < 1.0);
  vlVec3 swap = x[0];
  x[0] = x[1];
  x[1] = swap;
  assert_true(fabs(vl_tet_ratio(x) + ratio) <= 1e-14);
}

static void test_flat(void **state)
{
  (void)state;
  const vlVec3 x[4] = {vl_vec(0, 0, 0), vl_vec(1, 0, 0), vl_vec(0, 1, 0), vl_vec(1, 1, 0)};
  assert_true(vl_tet_ratio(x) == 0.0);
}

/* A cube of six tetrahedra about its diagonal: all have angles of 45, 60 and 90 degrees. */
static void test_mesh(void **state)
{
  (void)state;
  vlTetMesh mesh = {0};
  vlStatus status;
  assert_int_equal(vl_tetmesh_box(&mesh, (vlBox3){vl_vec(0, 0, 0), vl_vec(2, 2, 2)}, (int[3]){1, 1, 1}, &status), VL_OK);
  vlTetQuality q = vl_tet_quality(&mesh);
  int64_t angles = 0, tets = 0;
  for (int i = 0; i < VL_QUALITY_BINS; i++) {
    angles += q.dihedral_count[i];
    tets += q.ratio_count[i];
    bool there = i == 4 || i == 6 || i == 9; /* steps of 10 degrees */
    assert_true((q.dihedral_count[i] > 0) == there);
  }
  assert_true(angles == 36 && tets == 6);
  assert_true(fabs(q.volume - 8.0) <= 1e-13);
  assert_true(fabs(q.dihedral_least - 45.0) <= NEAR);
  assert_true(fabs(q.dihedral_most - 90.0) <= NEAR);
  assert_true(q.edge_least == 2.0);
  assert_true(fabs(q.edge_most - (2.0 * sqrt(3.0))) <= 1e-14);
  assert_true(fabs(q.ratio_least - q.ratio_mean) <= 1e-14);
  vl_tetmesh_clear(&mesh);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_regular), cmocka_unit_test(test_corner), cmocka_unit_test(test_lattice),
      cmocka_unit_test(test_flat),    cmocka_unit_test(test_mesh),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
