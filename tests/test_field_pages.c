/* Fields whose blocks travel: values stay where blocks are, and no trail is left behind, along whatever axis. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "grid/blocks.h"
#include "grids.h"

enum { SIDE = 12, FIELDS = 2 }; /* blocks across the way */

/* A cube of blocks, `at` cells along the axis. */
static void set_blocks(vlBlocks *blocks, int axis, int at)
{
  int lo[3] = {0, 1, 2}, n[3] = {2, SIDE, SIDE};
  lo[axis] = axis == 0 ? at / VL_BLOCK : at;
  vl_blocks_begin(blocks);
  for (int k = lo[2]; k < lo[2] + n[2]; k++)
    for (int j = lo[1]; j < lo[1] + n[1]; j++)
      for (int bx = lo[0]; bx < lo[0] + n[0]; bx++) assert_true(vl_blocks_append(blocks, bx, j, k));
  vl_blocks_end(blocks);
}

/* Cells, and upper faces and corners of cells. */
static void fill(const vlGrid *g, const vlBlocks *blocks, double *const *field)
{
  for (int b = 0; b < blocks->count; b++)
    for (int l = -1; l <= VL_BLOCK; l++)
      for (int row = 0; row < 4; row++)
        for (int f = 0; f < FIELDS; f++) {
          ptrdiff_t at = vl_blocks_field(g, blocks->at[b]) + l + row % 2 * g->stride[1] + row / 2 * g->stride[2];
          field[f][at] = (double)at + f;
        }
}

/* On the blocks of both sets. */
static void assert_filled(const vlGrid *g, const vlBlocks *before, const vlBlocks *now, double *const *field)
{
  for (int b = 0; b < now->count; b++) {
    vlBlockPosition p = now->at[b];
    if (vl_blocks_find(before, p.bx, p.j, p.k) < 0) continue;
    for (int l = 0; l < VL_BLOCK; l++)
      for (int f = 0; f < FIELDS; f++) {
        ptrdiff_t at = vl_blocks_field(g, p) + l;
        assert_true(field[f][at] == (double)at + f);
      }
  }
}

/* Returns the most that was held on the way over what was held where it began. */
static double travel(int axis, int step)
{
  int n[3] = {48, 24, 24}, way = axis == 0 ? 4000 : 400;
  n[axis] = way;
  vlGrid g = make_grid(n[0], n[1], n[2], 1.0, vl_vec(0, 0, 0));
  vlBlocks blocks[2];
  vlPageUse pages;
  vlStatus status = {0};
  double *field[FIELDS], first = 0.0, most = 0.0;
  for (int s = 0; s < 2; s++) assert_int_equal(vl_blocks_create(&blocks[s], g.n, &status), VL_OK);
  assert_true(vl_field_pages_create(&pages, &g));
  for (int f = 0; f < FIELDS; f++) assert_non_null(field[f] = vl_field_create(&g));
  void *memory[FIELDS] = {field[0], field[1]};
  for (int at = 0, s = 0; at < way - 2 * VL_BLOCK; at += step, s = !s) {
    set_blocks(&blocks[s], axis, at);
    vl_field_pages_follow(&pages, &g, &blocks[s], memory, FIELDS);
    assert_filled(&g, &blocks[!s], &blocks[s], field);
    fill(&g, &blocks[s], field);
    most = fmax(most, vl_page_use_bytes(&pages, memory, FIELDS));
    if (at == 0) first = most;
  }
  for (int f = 0; f < FIELDS; f++) vl_field_destroy(&g, &field[f]);
  vl_page_use_clear(&pages);
  for (int s = 0; s < 2; s++) vl_blocks_clear(&blocks[s]);
  assert_true(first > 0.0);
  return most / first;
}

/* An eighth more may be held, and eight pages, and as many as the place of the blocks among pages makes out: here 0.2 of the
 * first. All that was written would be 10 to 60 times as much. */
static void no_trail(void **state)
{
  (void)state;
  const int steps[3] = {1, 3, 100};
  for (int axis = 0; axis < 3; axis++)
    for (int s = 0; s < 3; s++) {
      double ratio = travel(axis, steps[s]);
      print_message("axis %d, step %d: %.3f\n", axis, steps[s], ratio);
      assert_true(ratio < 1.4);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(no_trail)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
