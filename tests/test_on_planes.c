/* Bodies whose faces lie on planes of the grid, as round numbers have it: what trembles there by round-off and contact is
 * cut as if it lay on the plane, and water beside it stays calm. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cut/patches.h"
#include "moving.h"
#include "solids.h"

static void cut_box(vlPatches *patches, vlTriMesh *box, const vlGrid *grid)
{
  vlStatus status = {0};
  vlBody body = {.x = box->x, .triangle = box->tri, .triangle_count = box->triangle_count}, *list[] = {&body};
  const vlBodySet set = {.body = list, .count = 1, .first_node = (int[]){0, box->vertex_count}};
  *patches = (vlPatches){0};
  assert_int_equal(vl_patches_update(patches, &set, 0, 1, grid, &status), VL_OK);
}

/* The same pieces in the same cells for a box on planes and for one that is some 1e-5 of a cell off; a box that is off by
 * more, or stands at an angle, is cut where it is. */
static void test_trembling_box(void **state)
{
  (void)state;
  vlGrid grid = make_grid(12, 12, 12, 0.1, vl_vec(0, 0, 0));
  for (int k = 0; k < 4; k++) {
    const double off[] = {3e-6, -7e-6, 2e-5, 1e-3}; /* m: 3e-5, -7e-5, 2e-4 and 1e-2 cells */
    vlTriMesh *exact = make_exact_box(vl_vec(0.3, 0.4, 0.2), vl_vec(0.7, 0.6, 0.9)),
              *near = make_exact_box(vl_vec(0.3, 0.4, 0.2), vl_vec(0.7, 0.6, 0.9));
    for (int v = 0; v < near->vertex_count; v++) near->x[v] = vl_add(near->x[v], vl_vec(off[k], -off[k], off[k]));
    vlPatches one, two;
    cut_box(&one, exact, &grid);
    cut_box(&two, near, &grid);
    bool same = one.count == two.count;
    for (int q = 0; q < one.count && same; q++)
      same = vl_cuts_compare(one.patch[q].cell, two.patch[q].cell) == 0 &&
             vl_norm(vl_sub(one.patch[q].s, two.patch[q].s)) <= 1e-15;
    assert_true(same == (k < 2));
    vl_patches_clear(&one);
    vl_patches_clear(&two);
    vl_trimesh_destroy(&exact);
    vl_trimesh_destroy(&near);
  }
}

/* A crate at rest on the floor, its sides on planes of the grid: it made jets of 0.2 m/s here, more in finer grids. */
static void test_crate_makes_no_jets(void **state)
{
  (void)state;
  static const char *const text = "grid: {size: [0.8, 0.6, 0.6], cells: 16}\n"
                                  "liquid: {level: 0.4}\n"
                                  "bodies: [{name: a, rigid: yes, shape: box, size: [0.15, 0.15, 0.15],\n"
                                  "          center: [0.425, 0.075, 0.325], density: 2000}]\n";
  vlStatus status = {0};
  vlScene scene;
  if (vl_scene_parse(&scene, text, strlen(text), "crate.yaml", NULL, 0, &status)) fail_msg("%s", status.message);
  vlSim *sim = start(&scene, 1);
  double fastest = 0.0;
  while (vl_sim_time(sim) < 0.5) fastest = fmax(fastest, one_step(sim, 0.1).max_speed);
  assert_true(fastest > 0.0 && fastest < 0.03); /* 0.016 is the settling of the water itself */
  vl_sim_destroy(&sim);
  vl_scene_clear(&scene);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_trembling_box), cmocka_unit_test(test_crate_makes_no_jets)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
