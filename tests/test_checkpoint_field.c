/* Fields in checkpoints: they come back bit by bit, nothing outside the blocks is touched, other grids and other sets of
 * blocks are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "checkpoint_files.h"
#include "grids.h"

/* Every third block and a row of neighbours; with `none`, nothing. */
static void make_blocks(vlBlocks *blocks, const vlGrid *grid, bool none)
{
  assert_int_equal(vl_blocks_create(blocks, grid->n, NULL), VL_OK);
  vl_blocks_begin(blocks);
  for (int k = 0; k < grid->n[2]; k++)
    for (int j = 0; j < grid->n[1]; j++)
      for (int bx = 0; bx < blocks->columns && !none; bx++)
        if ((j == 2 && k == 1) || (bx + 2 * j + k) % 3 == 0) assert_true(vl_blocks_append(blocks, bx, j, k));
  vl_blocks_end(blocks);
}

static double value_at(size_t i) { return i % 97 ? sin((double)i) : NAN; }

static void test_fields(void **state)
{
  const Place *place = *state;
  /* rows that end inside a block, at its end, and less than the padding before it */
  static const int widths[] = {37, 32, 30, 1};
  for (int w = 0; w < 8; w++) {
    vlGrid grid = make_grid(widths[w / 2], 5, 4, 0.1, vl_vec(0, 0, 0));
    vlBlocks blocks;
    make_blocks(&blocks, &grid, w % 2);
    double *field = vl_field_create(&grid), *found = vl_field_create(&grid), *expected = vl_field_create(&grid);
    for (size_t i = 0; i < grid.length; i++) {
      field[i] = value_at(i);
      found[i] = expected[i] = -(double)i;
    }
    for (int b = 0; b < blocks.count; b++) {
      ptrdiff_t at = vl_blocks_field(&grid, blocks.at[b]);
      memcpy(expected + at, field + at, VL_BLOCK * sizeof *field);
    }

    vlCheckpointWriter *writer;
    vlCheckpointReader *reader;
    vlStatus status = {0};
    assert_int_equal(vl_checkpoint_create(&writer, place->path, &status), VL_OK);
    vl_checkpoint_add_field(writer, "p", field, &grid, &blocks);
    assert_int_equal(vl_checkpoint_commit(&writer, &status), VL_OK);
    assert_int_equal(vl_checkpoint_open(&reader, place->path, &status), VL_OK);
    assert_int_equal(vl_checkpoint_read_field(reader, "p", &grid, &blocks, found, &status), VL_OK);
    assert_memory_equal(found, expected, grid.length * sizeof *found);
    vl_checkpoint_close(&reader);
    vl_field_destroy(&grid, &field);
    vl_field_destroy(&grid, &found);
    vl_field_destroy(&grid, &expected);
    vl_blocks_clear(&blocks);
  }
}

static void test_other_blocks_are_refused(void **state)
{
  const Place *place = *state;
  vlGrid grid = make_grid(37, 5, 4, 0.1, vl_vec(0, 0, 0)), other = make_grid(37, 4, 5, 0.1, vl_vec(0, 0, 0));
  vlBlocks blocks, fewer, moved, turned;
  make_blocks(&blocks, &grid, false);
  make_blocks(&fewer, &grid, true);
  make_blocks(&turned, &other, false);
  make_blocks(&moved, &grid, false);
  assert_int_equal(vl_blocks_find(&moved, 2, 4, 3), -1); /* the last block moves to the last place */
  vl_blocks_begin(&moved);
  for (int b = 0; b < blocks.count; b++) {
    vlBlockPosition p = b + 1 < blocks.count ? blocks.at[b] : (vlBlockPosition){2, 4, 3};
    assert_true(vl_blocks_append(&moved, p.bx, p.j, p.k));
  }
  vl_blocks_end(&moved);
  double *field = vl_field_create(&grid), *turned_field = vl_field_create(&other);

  vlCheckpointWriter *writer;
  vlCheckpointReader *reader;
  vlStatus status = {0};
  assert_int_equal(vl_checkpoint_create(&writer, place->path, NULL), VL_OK);
  vl_checkpoint_add_field(writer, "p", field, &grid, &blocks);
  vl_checkpoint_add(writer, "empty field", NULL, VL_BLOCK * sizeof(double), 0);
  assert_int_equal(vl_checkpoint_commit(&writer, NULL), VL_OK);
  assert_int_equal(vl_checkpoint_open(&reader, place->path, NULL), VL_OK);

  const vlBlocks *const sets[] = {&fewer, &moved};
  for (int i = 0; i < 2; i++) {
    assert_int_equal(vl_checkpoint_read_field(reader, "p", &grid, sets[i], field, &status), VL_ERROR_FILE);
    assert_non_null(strstr(status.message, "'p' covers"));
  }
  assert_int_equal(vl_checkpoint_read_field(reader, "p", &other, &turned, turned_field, &status), VL_ERROR_FILE);
  assert_non_null(strstr(status.message, "'p' is of a grid of 37 x 5 x 4 cells, not of 37 x 4 x 5"));
  assert_int_equal(vl_checkpoint_read_field(reader, "empty field", &grid, &fewer, field, &status), VL_ERROR_FILE);
  assert_int_equal(vl_checkpoint_read_field(reader, "absent", &grid, &blocks, field, &status), VL_ERROR_FILE);
  vl_checkpoint_close(&reader);
  vl_field_destroy(&grid, &field);
  vl_field_destroy(&other, &turned_field);
  vl_blocks_clear(&blocks);
  vl_blocks_clear(&fewer);
  vl_blocks_clear(&moved);
  vl_blocks_clear(&turned);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_fields, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_other_blocks_are_refused, make_place, remove_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
