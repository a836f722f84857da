/* Files of tetrahedra come back as they went out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/vec.h"
#include "files/tet_file.h"

static void make(vlTetMesh *mesh)
{
  *mesh = (vlTetMesh){0};
  assert_int_equal(vl_tetmesh_box(mesh, (vlBox3){vl_vec(0, 0, 0), vl_vec(1, 1, 1)}, (int[3]){2, 1, 3}, NULL), VL_OK);
  for (int i = 0; i < mesh->node_count; i++) /* numbers that need all their digits */
    for (int a = 0; a < 3; a++) mesh->node[i].v[a] = mesh->node[i].v[a] / 3.0 + 1e-7 * sqrt(i + a);
}

static void test_round_trip(void **state)
{
  (void)state;
  static const char *const endings[] = {"msh", "vtu", "MSH"};
  vlTetMesh mesh;
  make(&mesh);
  for (int i = 0; i < 3; i++) {
    char path[64];
    vlTetMesh back = {0};
    vlStatus status;
    snprintf(path, sizeof path, "/tmp/velella_test_tet_file_%d.%s", (int)getpid(), endings[i]);
    if (vl_tet_file_write(path, &mesh, &status)) fail_msg("%s", status.message);
    if (vl_tetmesh_read(&back, path, &status)) fail_msg("%s", status.message);
    assert_true(back.node_count == mesh.node_count && back.tet_count == mesh.tet_count);
    assert_memory_equal(back.node, mesh.node, (size_t)mesh.node_count * sizeof *mesh.node);
    assert_memory_equal(back.tet, mesh.tet, (size_t)mesh.tet_count * sizeof *mesh.tet);
    vl_tetmesh_clear(&back);
    remove(path);
  }
  vl_tetmesh_clear(&mesh);
}

static void test_refused(void **state)
{
  (void)state;
  vlTetMesh mesh;
  vlStatus status = {0};
  make(&mesh);
  assert_int_equal(vl_tet_file_write("/tmp/mesh.obj", &mesh, &status), VL_ERROR_USAGE);
  assert_non_null(strstr(status.message, "/tmp/mesh.obj: a name that ends in .msh"));
  assert_int_equal(vl_tet_file_check_name("/tmp/a.msh/b", &status), VL_ERROR_USAGE);
  assert_int_equal(vl_tet_file_check_name("msh", &status), VL_ERROR_USAGE);
  assert_int_equal(vl_tet_file_write("/nowhere/at/all/mesh.msh", &mesh, &status), VL_ERROR_FILE);
  assert_int_equal(vl_tet_file_write("/nowhere/at/all/mesh.vtu", &mesh, &status), VL_ERROR_FILE);
  vl_tetmesh_clear(&mesh);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_round_trip), cmocka_unit_test(test_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
