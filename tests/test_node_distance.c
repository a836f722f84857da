/* Distances to static solids at the cells' corners: right on all blocks that are asked for, also where they were forgotten
 * in between, and no trail of them behind liquid that travels. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "grids.h"
#include "solid/node_distance.h"

enum { LENGTH = 300, SIDE = 20 };

/* The whole width of a long box, 20 planes from k on. */
static void set_blocks(vlBlocks *blocks, int k)
{
  vl_blocks_begin(blocks);
  for (int p = k; p < k + SIDE; p++)
    for (int j = 0; j < blocks->n[1]; j++)
      for (int bx = 0; bx < blocks->columns; bx++) assert_true(vl_blocks_append(blocks, bx, j, p));
  vl_blocks_end(blocks);
}

/* Near blocks: exact at all corners; others are farther from the solid than three cells. Returns how many are near. */
static int check(const vlNodeDistance *nodes, const vlGrid *g, const vlStatics *statics, const vlBlocks *blocks)
{
  int near = 0;
  for (int b = 0; b < blocks->count; b++) {
    vlBlockPosition p = blocks->at[b];
    unsigned char is = nodes->near[vl_blocks_place(blocks, p.bx, p.j, p.k)];
    assert_in_range(is, 1, 2);
    near += is == 2;
    for (int c = 0; c < 8; c++)
      for (int l = 0; l < vl_blocks_width(blocks, p); l++) {
        int i = p.bx * VL_BLOCK + l + c % 2, j = p.j + c / 2 % 2, k = p.k + c / 4;
        double exact = vl_statics_distance(statics, vl_axpy(g->origin, g->dx, vl_vec(i, j, k))) / g->dx;
        if (is == 2)
          assert_true(fabs(nodes->distance[vl_grid_at(g, i, j, k)] - exact) < 1e-9);
        else
          assert_true(exact > 3.0);
      }
  }
  return near;
}

static void travelling(void **state)
{
  (void)state;
  vlStatus status = {0};
  vlGrid g = make_grid(40, 24, LENGTH, 0.05, vl_vec(0, 0, 0));
  vlSolidDef rod = {.name = "rod", .shape = vl_shape_default(VL_SHAPE_BOX)};
  rod.shape.center = vl_vec(0.7, 0.5, 0.5 * LENGTH * g.dx);
  rod.shape.size = vl_vec(0.2, 0.2, 2.0 * LENGTH * g.dx);
  vlScene scene;
  vl_scene_default(&scene);
  scene.solids = &rod;
  scene.solid_count = 1;
  vlStatics *statics = NULL;
  vlNodeDistance nodes;
  vlBlocks blocks;
  assert_int_equal(vl_statics_create(&statics, &scene, &g, (vlLog){0}, &status), VL_OK);
  assert_int_equal(vl_node_distance_create(&nodes, &g, statics, &status), VL_OK);
  assert_int_equal(vl_blocks_create(&blocks, g.n, &status), VL_OK);
  double first = 0.0, most = 0.0;
  int near = 0;
  for (int step = 0; step < 2 * (LENGTH - SIDE) / 5; step++) { /* there and back */
    int k = 5 * step;
    set_blocks(&blocks, k < LENGTH - SIDE ? k : 2 * (LENGTH - SIDE) - k);
    assert_int_equal(vl_node_distance_update(&nodes, &g, statics, &blocks, &status), VL_OK);
    if (step % 7 == 0) near += check(&nodes, &g, statics, &blocks);
    most = fmax(most, vl_node_distance_bytes(&nodes));
    if (step == 0) first = most;
  }
  assert_true(near > 1000);
  assert_true(first > 0.0 && most < 2.5 * first); /* all: 15 times as much */
  vl_blocks_clear(&blocks);
  vl_node_distance_clear(&nodes, &g);
  vl_statics_destroy(&statics);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(travelling)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
