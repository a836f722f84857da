/* Sets of blocks: what was appended is found, in order, and nothing else; rebuilding forgets. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include <stdlib.h>

#include "grids.h"

/* A random subset of the blocks of a grid: a fixed answer for every place and seed. */
static bool chosen(int bx, int j, int k, unsigned seed)
{
  unsigned h = (unsigned)(bx * 7919 + j * 104729 + k * 1299709) ^ seed * 2654435761u;
  h = (h ^ h >> 15) * 2246822519u;
  return (h ^ h >> 13) % 3 == 0;
}

static void rebuild(vlBlocks *blocks, unsigned seed)
{
  vl_blocks_begin(blocks);
  for (int k = 0; k < blocks->n[2]; k++)
    for (int j = 0; j < blocks->n[1]; j++)
      for (int bx = 0; bx < blocks->columns; bx++)
        if (chosen(bx, j, k, seed) && (k + (int)seed) % 4 != 1)
          assert_true(vl_blocks_append(blocks, bx, j, k)); /* some planes stay empty */
  vl_blocks_end(blocks);
}

static void check_set(const vlBlocks *blocks, unsigned seed)
{
  int next = 0;
  for (int k = 0; k < blocks->n[2]; k++) {
    assert_int_equal(blocks->plane_start[k], next);
    for (int j = 0; j < blocks->n[1]; j++)
      for (int bx = 0; bx < blocks->columns; bx++) {
        bool expected = chosen(bx, j, k, seed) && (k + (int)seed) % 4 != 1;
        assert_int_equal(vl_blocks_find(blocks, bx, j, k), expected ? next : -1);
        if (!expected) continue;
        assert_true(blocks->at[next].bx == bx && blocks->at[next].j == j && blocks->at[next].k == k);
        next++;
      }
  }
  assert_int_equal(blocks->plane_start[blocks->n[2]], next);
  assert_int_equal(blocks->count, next);
  for (int k = -1; k <= blocks->n[2]; k++)
    for (int j = -1; j <= blocks->n[1]; j++)
      for (int bx = -1; bx <= blocks->columns; bx++)
        if (bx < 0 || j < 0 || k < 0 || bx == blocks->columns || j == blocks->n[1] || k == blocks->n[2])
          assert_int_equal(vl_blocks_find(blocks, bx, j, k), -1);
}

static void finds_exactly_what_was_appended(void **state)
{
  (void)state;
  const int sizes[][3] = {{1, 1, 1}, {15, 3, 2}, {16, 5, 4}, {17, 4, 9}, {33, 7, 5}, {100, 1, 6}, {3, 40, 1}};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
    vlBlocks blocks;
    vlStatus status = {0};
    assert_int_equal(vl_blocks_create(&blocks, sizes[s], &status), VL_OK);
    for (unsigned seed = 0; seed < 6; seed++) {
      rebuild(&blocks, seed);
      check_set(&blocks, seed);
    }
    vl_blocks_begin(&blocks);
    vl_blocks_end(&blocks);
    assert_int_equal(blocks.count, 0);
    for (int k = 0; k <= sizes[s][2]; k++) assert_int_equal(blocks.plane_start[k], 0);
    vl_blocks_clear(&blocks);
    assert_null(blocks.map);
    vl_blocks_clear(&blocks);
  }
}

static void widths_cover_the_grid(void **state)
{
  (void)state;
  const int sizes[] = {1, 15, 16, 17, 33};
  for (int s = 0; s < 5; s++) {
    vlGrid g = make_grid(sizes[s], 3, 2, 1.0, vl_vec(0, 0, 0));
    vlBlocks blocks;
    vlStatus status = {0};
    assert_int_equal(vl_blocks_create(&blocks, g.n, &status), VL_OK);
    assert_int_equal(blocks.columns, g.blocks_x);
    int total = 0;
    for (int bx = 0; bx < blocks.columns; bx++) {
      int width = vl_blocks_width(&blocks, (vlBlockPosition){bx, 1, 1});
      assert_in_range(width, 1, VL_BLOCK);
      total += width;
      assert_int_equal(vl_blocks_field(&g, (vlBlockPosition){bx, 2, 1}), vl_grid_at(&g, bx * VL_BLOCK, 2, 1));
    }
    assert_int_equal(total, sizes[s]);
    vl_blocks_clear(&blocks);
  }
}

static void rebuilding_takes_no_more_memory(void **state)
{
  (void)state;
  vlBlocks blocks;
  vlStatus status = {0};
  assert_int_equal(vl_blocks_create(&blocks, (const int[3]){64, 30, 30}, &status), VL_OK);
  rebuild(&blocks, 3);
  size_t capacity = blocks.capacity;
  const vlBlockPosition *at = blocks.at;
  for (int i = 0; i < 5; i++) rebuild(&blocks, 3);
  assert_int_equal(blocks.capacity, capacity);
  assert_ptr_equal(blocks.at, at);
  vl_blocks_clear(&blocks);
}

/* A small set that travels through a large grid: its map is held where it is. */
static void the_map_follows(void **state)
{
  (void)state;
  vlBlocks blocks;
  vlStatus status = {0};
  double first = 0.0, most = 0.0;
  assert_int_equal(vl_blocks_create(&blocks, (const int[3]){640, 600, 600}, &status), VL_OK);
  for (int k = 0; k < 580; k++) {
    vl_blocks_begin(&blocks);
    for (int c = 0; c < 20 * 20; c++) assert_true(vl_blocks_append(&blocks, 7, 10 + k / 4 + c % 20, k + c / 20));
    vl_blocks_end(&blocks);
    for (int c = 0; c < 20 * 20; c++) assert_int_equal(vl_blocks_find(&blocks, 7, 10 + k / 4 + c % 20, k + c / 20), c);
    if (k > 0) assert_int_equal(vl_blocks_find(&blocks, 7, 10 + k / 4, k - 1), -1);
    most = fmax(most, vl_blocks_bytes(&blocks));
    if (k == 0) first = most;
  }
  assert_true(first > 0.0 && most < 2.0 * first); /* all: 20 times as much */
  vl_blocks_clear(&blocks);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(finds_exactly_what_was_appended),
      cmocka_unit_test(widths_cover_the_grid),
      cmocka_unit_test(rebuilding_takes_no_more_memory),
      cmocka_unit_test(the_map_follows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
