/* The MAC grid: every cell and its padding has an index of its own, all of them inside the field. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include <stdlib.h>

#include "grids.h"

static const int SIZES[] = {1, 15, 16, 17, 33};
enum { SIZE_COUNT = sizeof SIZES / sizeof *SIZES };

/* Cells, upper faces and one layer around them: -1..n along every axis. */
static void check_indices(const vlGrid *g)
{
  unsigned char *used = calloc(g->length, 1);
  assert_non_null(used);
  for (int k = -1; k <= g->n[2]; k++)
    for (int j = -1; j <= g->n[1]; j++)
      for (int i = -1; i <= g->n[0]; i++) {
        ptrdiff_t at = vl_grid_at(g, i, j, k);
        if (at < 0 || (size_t)at >= g->length || used[at])
          fail_msg("cell (%d, %d, %d) of %d x %d x %d", i, j, k, g->n[0], g->n[1], g->n[2]);
        used[at] = 1;
      }
  free(used);
}

static void indices_are_unique(void **state)
{
  (void)state;
  for (int c = 0; c < SIZE_COUNT * SIZE_COUNT * SIZE_COUNT; c++) {
    vlGrid g = make_grid(SIZES[c % SIZE_COUNT], SIZES[c / SIZE_COUNT % SIZE_COUNT], SIZES[c / SIZE_COUNT / SIZE_COUNT], 0.25,
                         vl_vec(1, 2, 3));
    check_indices(&g);
  }
}

static void strides_step_to_neighbours(void **state)
{
  (void)state;
  vlGrid g = make_grid(17, 5, 3, 0.1, vl_vec(0, 0, 0));
  for (int i = 0; i < 17; i++) {
    ptrdiff_t at = vl_grid_at(&g, i, 2, 1);
    assert_int_equal(at + g.stride[0], vl_grid_at(&g, i + 1, 2, 1));
    assert_int_equal(at - g.stride[1], vl_grid_at(&g, i, 1, 1));
    assert_int_equal(at + g.stride[2], vl_grid_at(&g, i, 2, 2));
  }
  assert_int_equal(g.blocks_x, 2);
}

static void fields_are_zero_and_hold_their_values(void **state)
{
  (void)state;
  vlGrid g = make_grid(17, 4, 3, 1.0, vl_vec(0, 0, 0));
  double *field = vl_field_create(&g);
  assert_non_null(field);
  for (size_t i = 0; i < g.length; i++) assert_true(field[i] == 0.0);
  for (int k = -1; k <= 3; k++)
    for (int j = -1; j <= 4; j++)
      for (int i = -1; i <= 17; i++) field[vl_grid_at(&g, i, j, k)] = i + 100 * j + 10000 * k;
  for (int k = -1; k <= 3; k++)
    for (int j = -1; j <= 4; j++)
      for (int i = -1; i <= 17; i++) assert_true(field[vl_grid_at(&g, i, j, k)] == i + 100 * j + 10000 * k);
  vl_field_destroy(&g, &field);
  assert_null(field);
  vl_field_destroy(&g, &field);
}

static void sizes_come_from_the_scene(void **state)
{
  (void)state;
  vlGrid g;
  vlStatus status = {0};
  vlGridDef scene = {.origin = vl_vec(-1, 0, 2), .size = vl_vec(2, 1, 0.5), .cells = 40};
  assert_int_equal(vl_grid_create(&g, &scene, &status), VL_OK);
  assert_true(g.n[0] == 40 && g.n[1] == 20 && g.n[2] == 10 && g.dx == 0.05);
  vlVec3 center = vl_grid_center(&g, 0, 19, 9);
  assert_true(fabs(center.x + 0.975) < 1e-15 && fabs(center.y - 0.975) < 1e-15 && fabs(center.z - 2.475) < 1e-15);
  vlBox3 box = vl_grid_box(&g);
  assert_true(fabs(box.hi.x - 1) < 1e-15 && fabs(box.hi.y - 1) < 1e-15 && fabs(box.hi.z - 2.5) < 1e-15);

  /* the longest side counts only along the axes that are used */
  scene.size = vl_vec(1, 2, 100);
  scene.slab = true;
  assert_int_equal(vl_grid_create(&g, &scene, &status), VL_OK);
  assert_true(g.n[0] == 20 && g.n[1] == 40 && g.n[2] == 1);

  /* rounded to whole cells, at least one */
  scene = (vlGridDef){.size = vl_vec(1.04, 0.96, 0.01), .dx = 0.1};
  assert_int_equal(vl_grid_create(&g, &scene, &status), VL_OK);
  assert_true(g.n[0] == 10 && g.n[1] == 10 && g.n[2] == 1);
}

static void absurd_sizes_are_refused(void **state)
{
  (void)state;
  const vlGridDef bad[] = {{.size = vl_vec(1, 1, 1), .dx = 1e-6},
                           {.size = vl_vec(1, 1, 1)},
                           {.size = vl_vec(1, 1, 1), .cells = -4},
                           {.size = vl_vec(NAN, NAN, NAN), .cells = 10},
                           {.size = vl_vec(INFINITY, 1, 1), .dx = 0.1}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    vlGrid g;
    vlStatus status = {0};
    assert_int_equal(vl_grid_create(&g, &bad[i], &status), VL_ERROR_SCENE);
    assert_true(status.message[0] != '\0');
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(indices_are_unique),
      cmocka_unit_test(strides_step_to_neighbours),
      cmocka_unit_test(fields_are_zero_and_hold_their_values),
      cmocka_unit_test(sizes_come_from_the_scene),
      cmocka_unit_test(absurd_sizes_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
