/* The surface of bodies in cells: pieces against the whole, alone and together with static solids. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cut/patches.h"
#include "solids.h"

/* The patches of a mesh as a body whose nodes are numbered from first_node on. */
static void cut_body(vlPatches *patches, const vlTriMesh *mesh, int first_node, const vlGrid *grid)
{
  vlStatus status = {0};
  vlBody body = {.x = mesh->x, .triangle = mesh->tri, .triangle_count = mesh->triangle_count}, *list[] = {&body};
  const vlBodySet set = {.body = list, .count = 1, .first_node = (int[]){first_node, first_node + mesh->vertex_count}};
  *patches = (vlPatches){0};
  assert_int_equal(vl_patches_update(patches, &set, 0, 1, grid, &status), VL_OK);
}

/* All pieces lie in their triangle and in their cell, add up to the closed surface, and come in the order of cells. */
static void test_pieces(void **state)
{
  (void)state;
  vlGrid grid = make_grid(17, 13, 15, 0.1, vl_vec(-0.2, 0.1, 0.3));
  vlTriMesh *ball = make_ball(0.37, vl_vec(0.61, 0.72, 1.03), 3);
  vlPatches patches;
  cut_body(&patches, ball, 100, &grid);
  vlVec3 sum = vl_vec(0, 0, 0);
  double area = 0.0, volume = 0.0;
  for (int q = 0; q < patches.count; q++) {
    const vlPatch *p = &patches.patch[q];
    vlVec3 center = vl_vec(0, 0, 0);
    assert_true(fabs(p->b[0] + p->b[1] + p->b[2] - 1.0) <= 1e-14);
    for (int v = 0; v < 3; v++) {
      assert_true(p->b[v] >= 0.0 && p->node[v] >= 100 && p->node[v] < 100 + ball->vertex_count);
      center = vl_axpy(center, p->b[v], ball->x[p->node[v] - 100]);
    }
    for (int a = 0; a < 3; a++) {
      double x = (center.v[a] - grid.origin.v[a]) / grid.dx;
      assert_true(x >= p->cell[a] - 1e-9 && x <= p->cell[a] + 1 + 1e-9);
    }
    sum = vl_add(sum, p->s);
    area += vl_norm(p->s);
    volume -= vl_dot(p->s, center) / 3.0;
    if (q > 0) assert_true(vl_cuts_compare(p[-1].cell, p->cell) <= 0);
  }
  assert_true(vl_norm(sum) <= 1e-12 * area);
  assert_true(fabs(area - area_of(ball)) <= 1e-12 * area);
  assert_true(fabs(volume - vl_trimesh_volume(ball)) <= 1e-11 * volume);
  vl_patches_clear(&patches);
  vl_trimesh_destroy(&ball);
}

/* Of each cell: faces and surface add up to nothing, and its volume is the same along each axis. */
static void assert_closed(const vlCuts *cuts)
{
  const vlGrid *g = &cuts->grid;
  for (int c = 0; c < cuts->count; c++) {
    const vlCutCell *cut = &cuts->cut[c];
    const int *at = cut->cell;
    double volume[3], lower[3];
    bool inside = true;
    for (int a = 0; a < 3; a++) inside = inside && at[a] >= 0 && at[a] < g->n[a];
    if (!inside) continue;
    for (int a = 0; a < 3; a++) {
      lower[a] = vl_cuts_open_area(cuts, a, at[0], at[1], at[2]);
      assert_true(fabs(cut->open[a] - lower[a] + cut->s.v[a]) <= 1e-11 * g->dx * g->dx);
      volume[a] = vl_cuts_cell_volume(cuts, a, at[0], at[1], at[2], lower[a]);
    }
    assert_true(fabs(volume[0] - volume[1]) + fabs(volume[0] - volume[2]) <= 1e-10 * pow(g->dx, 3));
  }
}

/* A ball as static solid and a box as body: together what they are apart. */
static void test_merge(void **state)
{
  (void)state;
  vlStatus status = {0};
  uint64_t seed = 7;
  vlGrid grid = make_grid(20, 16, 18, 0.05, vl_vec(0, 0, 0));
  vlTriMesh *ball = make_ball(0.17, vl_vec(0.25, 0.3, 0.4), 3);
  vlTriMesh *box = make_box(vl_vec(0.3, 0.21, 0.26), random_rotation(&seed), vl_vec(0.7, 0.45, 0.5));
  vlCuts *statics = make_cuts(ball, false, &grid), both = {0};
  vlPatches patches;
  cut_body(&patches, box, 0, &grid);
  for (int again = 0; again < 2; again++) { /* the second time in the memory of the first */
    assert_int_equal(vl_cuts_merge(&both, statics, &patches, &status), VL_OK);
    assert_closed(&both);
    assert_int_equal(both.clamped, 0);
    double volume = vl_cuts_solid_volume(&both), wanted = vl_trimesh_volume(ball) + vl_trimesh_volume(box);
    assert_true(fabs(volume - wanted) <= 1e-11);
  }
  /* the box alone as a static solid cuts the same areas */
  vlCuts *alone = make_cuts(box, false, &grid);
  for (int c = 0; c < alone->count; c++) {
    const vlCutCell *one = &alone->cut[c], *other = vl_cuts_find(&both, one->cell[0], one->cell[1], one->cell[2]);
    assert_non_null(other);
    for (int a = 0; a < 3; a++) assert_true(fabs(one->open[a] - other->open[a]) <= 1e-12);
  }
  vl_cuts_release(&both);
  vl_cuts_destroy(&alone);
  vl_cuts_destroy(&statics);
  vl_patches_clear(&patches);
  vl_trimesh_destroy(&ball);
  vl_trimesh_destroy(&box);
}

/* Faces in grid planes and corners on grid points: no piece is lost or counted twice. */
static void test_aligned(void **state)
{
  (void)state;
  vlStatus status = {0};
  vlGrid grid = make_grid(8, 8, 8, 0.125, vl_vec(0, 0, 0));
  vlTriMesh *none = vl_trimesh_create(0, 0), *box = make_exact_box(vl_vec(0.25, 0.25, 0.5), vl_vec(0.5, 0.625, 0.75));
  vlCuts *statics = make_cuts(none, false, &grid), both = {0};
  vlPatches patches;
  cut_body(&patches, box, 0, &grid);
  assert_int_equal(vl_cuts_merge(&both, statics, &patches, &status), VL_OK);
  assert_closed(&both);
  for (int c = 0; c < both.count; c++)
    for (int a = 0; a < 3; a++) assert_true(both.cut[c].open[a] == 0.0 || both.cut[c].open[a] == 0.015625);
  assert_true(fabs(vl_cuts_solid_volume(&both) - 0.25 * 0.375 * 0.25) <= 1e-14);
  vl_cuts_release(&both);
  vl_cuts_destroy(&statics);
  vl_patches_clear(&patches);
  vl_trimesh_destroy(&none);
  vl_trimesh_destroy(&box);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pieces),
      cmocka_unit_test(test_merge),
      cmocka_unit_test(test_aligned),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
