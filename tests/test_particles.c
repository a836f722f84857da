/* Sorting, adding, filtering and renewing particles, columns of any kind, and the wet blocks around them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "liquid/particles.h"
#include "pond.h"

static size_t place_of(const vlParticles *p, size_t i)
{
  return vl_blocks_place(&p->home, (int)p->x[0][i] / VL_BLOCK, (int)p->x[1][i], (int)p->x[2][i]) * VL_BLOCK +
         (size_t)((int)p->x[0][i] % VL_BLOCK);
}

/* A payload that names its particle. */
static void mark(vlParticles *p)
{
  for (size_t i = 0; i < p->count; i++)
    for (int a = 0; a < 3; a++) {
      p->v[a][i] = (float)(p->id[i] * 3 + (uint32_t)a);
      for (int b = 0; b < 3 && p->affine; b++) p->c[a][b][i] = (float)(p->id[i] * 9 + (uint32_t)(3 * a + b));
    }
}

static void assert_marked(const vlParticles *p)
{
  for (size_t i = 0; i < p->count; i++)
    for (int a = 0; a < 3; a++) {
      assert_true(p->v[a][i] == (float)(p->id[i] * 3 + (uint32_t)a));
      for (int b = 0; b < 3 && p->affine; b++) assert_true(p->c[a][b][i] == (float)(p->id[i] * 9 + (uint32_t)(3 * a + b)));
    }
}

/* Sorted by cell, former order (that is, id) inside a cell; every cell's range holds just its own. */
static void assert_sorted(const vlParticles *p)
{
  size_t found = 0;
  for (size_t i = 1; i < p->count; i++) {
    assert_true(place_of(p, i - 1) <= place_of(p, i));
    if (place_of(p, i - 1) == place_of(p, i)) assert_true(p->id[i - 1] < p->id[i]);
  }
  for (int b = 0; b < p->home.count; b++)
    for (int l = 0; l < VL_BLOCK; l++) {
      int first, last;
      vl_particles_in(p, b, l, l + 1, &first, &last);
      for (int i = first; i < last; i++) {
        assert_int_equal((int)p->x[0][i], p->home.at[b].bx * VL_BLOCK + l);
        assert_int_equal((int)p->x[1][i], p->home.at[b].j);
        assert_int_equal((int)p->x[2][i], p->home.at[b].k);
      }
      found += (size_t)(last - first);
    }
  assert_int_equal(found, p->count);
}

static void test_sort(void **state)
{
  (void)state;
  const double lo[3] = {0, 0, 0}, hi[3] = {37, 11, 9};
  for (int affine = 0; affine < 2; affine++) {
    Pond pond;
    pond_create(&pond, 37, 11, 9, 0.1, affine);
    pond_scatter(&pond, 20000, lo, hi, 7);
    mark(pond.particles);
    pond_sort(&pond);
    assert_sorted(pond.particles);
    assert_marked(pond.particles);
    /* none is lost: every id is there once */
    unsigned char *seen = calloc(20000, 1);
    for (size_t i = 0; i < 20000; i++) assert_int_equal(seen[pond.particles->id[i]]++, 0);
    free(seen);
    pond_destroy(&pond);
  }
}

static void test_same_bits_for_threads(void **state)
{
  (void)state;
  const double lo[3] = {0, 0, 0}, hi[3] = {37, 11, 9};
  Pond pond[3];
  int before = omp_get_max_threads();
  for (int t = 0; t < 3; t++) {
    omp_set_num_threads(1 << t);
    pond_create(&pond[t], 37, 11, 9, 0.1, true);
    pond_scatter(&pond[t], 20000, lo, hi, 7);
    mark(pond[t].particles);
    pond_sort(&pond[t]);
    const vlParticles *p = pond[t].particles, *q = pond[0].particles;
    assert_memory_equal(p->id, q->id, p->count * sizeof *p->id);
    for (int a = 0; a < 3; a++) assert_memory_equal(p->x[a], q->x[a], p->count * sizeof(float));
    assert_int_equal(p->home.count, q->home.count);
    assert_memory_equal(p->cell_start, q->cell_start, ((size_t)p->home.count * VL_BLOCK + 1) * sizeof(int));
  }
  omp_set_num_threads(before);
  for (int t = 0; t < 3; t++) pond_destroy(&pond[t]);
}

static void test_empty_and_crowded(void **state)
{
  (void)state;
  Pond pond;
  pond_create(&pond, 20, 5, 4, 0.1, false);
  pond_sort(&pond);
  assert_int_equal(pond.particles->home.count, 0);
  /* all in the last cell of the grid, more than the insertion sort takes */
  const double lo[3] = {19, 4, 3}, hi[3] = {20, 5, 4}, first_lo[3] = {0, 0, 0}, first_hi[3] = {1, 1, 1};
  pond_scatter(&pond, 2000, lo, hi, 3);
  mark(pond.particles);
  pond_sort(&pond);
  assert_int_equal(pond.particles->home.count, 1);
  assert_sorted(pond.particles);
  assert_marked(pond.particles);
  /* the corners of the grid come in order, whatever was sorted before */
  pond_scatter(&pond, 5, first_lo, first_hi, 4);
  mark(pond.particles);
  pond_sort(&pond);
  assert_int_equal(pond.particles->home.count, 2);
  assert_sorted(pond.particles);
  assert_int_equal(pond.particles->id[0], 2000);
  pond_destroy(&pond);
}

static void test_filter_and_add(void **state)
{
  (void)state;
  const double lo[3] = {0, 0, 0}, hi[3] = {20, 5, 4};
  Pond pond;
  pond_create(&pond, 20, 5, 4, 0.1, true);
  pond_scatter(&pond, 1000, lo, hi, 5);
  mark(pond.particles);
  unsigned char keep[1000];
  for (int i = 0; i < 1000; i++) keep[i] = i % 3 != 0;
  vl_particles_filter(pond.particles, keep);
  assert_int_equal(pond.particles->count, 666);
  for (size_t i = 0; i < 666; i++) assert_int_equal(pond.particles->id[i], i / 2 * 3 + 1 + i % 2);
  assert_marked(pond.particles);
  /* a freed id is not given again, and a new particle has no affine part */
  pond_scatter(&pond, 1, lo, hi, 6);
  assert_int_equal(pond.particles->id[666], 1000);
  for (int a = 0; a < 9; a++) assert_true(pond.particles->c[a / 3][a % 3][666] == 0.0f);
  mark(pond.particles);
  pond_sort(&pond);
  assert_sorted(pond.particles);
  assert_marked(pond.particles);
  pond_destroy(&pond);
}

/* Columns of this test's own. */
static const vlColumn COLOUR = {"colour", "", VL_COLUMN_FLOAT, 3, {"red", "green", "blue"}, .shown = true},
                      ORIGIN = {"origin", "", VL_COLUMN_UINT32, 1, {"origin"}, .renewed = true},
                      MADE = {"made", "", VL_COLUMN_UINT32, 1, {"made"}, .fresh = VL_FRESH_ID};

static void *array_of(const vlParticles *p, const char *name)
{
  for (int k = 0; k < p->arrays; k++)
    if (strcmp(vl_particles_array(p, k).name, name) == 0) return vl_particles_array(p, k).data;
  fail_msg("no array %s", name);
  return NULL;
}

static void paint(vlParticles *p)
{
  for (size_t i = 0; i < p->count; i++) {
    for (int c = 0; c < 3; c++) ((float *)array_of(p, COLOUR.part[c]))[i] = (float)(p->id[i] * 5 + (uint32_t)c);
    ((uint32_t *)array_of(p, "origin"))[i] = ~p->id[i];
  }
}

static void assert_painted(const vlParticles *p)
{
  for (size_t i = 0; i < p->count; i++) {
    for (int c = 0; c < 3; c++)
      assert_true(((const float *)array_of(p, COLOUR.part[c]))[i] == (float)(p->id[i] * 5 + (uint32_t)c));
    assert_int_equal(((const uint32_t *)array_of(p, "origin"))[i], ~p->id[i]);
  }
}

static void test_columns_travel(void **state)
{
  (void)state;
  const double lo[3] = {0, 0, 0}, hi[3] = {20, 5, 4};
  enum { COUNT = 3000, KEPT = 2000 };
  for (int affine = 0; affine < 2; affine++) {
    Pond pond;
    pond_create(&pond, 20, 5, 4, 0.1, affine);
    vlParticles *p = pond.particles;
    vl_particles_add_column(p, &COLOUR);
    vl_particles_add_column(p, &ORIGIN);
    pond_scatter(&pond, COUNT, lo, hi, 8);
    mark(p);
    paint(p);
    pond_sort(&pond);
    assert_marked(p);
    assert_painted(p);
    unsigned char keep[COUNT];
    for (int i = 0; i < COUNT; i++) keep[i] = i % 3 != 1;
    vl_particles_filter(p, keep);
    assert_int_equal(p->count, KEPT);
    assert_painted(p);
    /* whole numbers, here those of NaN, do not come to stand behind the floats */
    pond_sort(&pond);
    for (size_t i = KEPT; i < KEPT + VL_PARTICLES_SPARE; i++)
      for (int a = 0; a < 3; a++) assert_true(isfinite(p->x[a][i]) && isfinite(p->v[a][i]));
    /* a new one has nothing of those that lay in its place, and more room changes nothing */
    pond_scatter(&pond, 1, lo, hi, 9);
    for (int c = 0; c < 3; c++) assert_true(((float *)array_of(p, COLOUR.part[c]))[KEPT] == 0.0f);
    assert_int_equal(((uint32_t *)array_of(p, "origin"))[KEPT], 0);
    paint(p);
    pond_scatter(&pond, 3 * COUNT, lo, hi, 10);
    p->count = KEPT + 1;
    assert_painted(p);
    pond_sort(&pond);
    assert_sorted(p);
    assert_painted(p);
    pond_destroy(&pond);
  }
}

/* What a particle keeps and what it gets when it becomes another one; ids are not shared between columns. */
static void test_renew(void **state)
{
  (void)state;
  const double lo[3] = {0, 0, 0}, hi[3] = {20, 5, 4};
  Pond pond;
  pond_create(&pond, 20, 5, 4, 0.1, true);
  vlParticles *p = pond.particles;
  const vlColumn *const rows[] = {&COLOUR, &ORIGIN, &MADE};
  for (int r = 0; r < 3; r++) vl_particles_add_column(p, rows[r]);
  pond_scatter(&pond, 3, lo, hi, 5);
  mark(p);
  paint(p);
  const uint32_t *made = array_of(p, "made"), *origin = array_of(p, "origin");
  for (uint32_t i = 0; i < 3; i++) assert_true(p->id[i] == 2 * i && made[i] == 2 * i + 1);
  vl_particles_renew(p, 1);
  assert_true(p->id[0] == 0 && p->id[1] == 6 && p->id[2] == 4 && p->next_id == 7);
  assert_true(origin[0] == ~0u && origin[1] == 0 && made[1] == 3);
  for (int c = 0; c < 3; c++) {
    assert_true(((float *)array_of(p, COLOUR.part[c]))[1] == (float)(2 * 5 + c));
    assert_true(p->v[c][1] == (float)(2 * 3 + c) && p->c[c][c][1] == 0.0f && p->c[c][c][0] == (float)(4 * c));
  }
  pond_destroy(&pond);
}

/* Names and order, as checkpoints have them; each array once, the named ones among them. */
static void test_arrays(void **state)
{
  (void)state;
  const double lo[3] = {0, 0, 0}, hi[3] = {20, 5, 4};
  static const char *const expected[2] = {
      "x vx red y vy green z vz id blue origin ",
      "x vx cxx cxy cxz red y vy cyx cyy cyz green z vz czx czy czz id blue origin ",
  };
  for (int affine = 0; affine < 2; affine++) {
    Pond pond;
    char names[256] = "";
    pond_create(&pond, 20, 5, 4, 0.1, affine);
    vlParticles *p = pond.particles;
    vl_particles_add_column(p, &COLOUR);
    vl_particles_add_column(p, &ORIGIN);
    assert_int_equal(p->arrays, affine ? 20 : 11);
    for (int k = 0; k < p->arrays; k++) strcat(strcat(names, vl_particles_array(p, k).name), " ");
    assert_string_equal(names, expected[affine]);
    assert_null(vl_particles_array(p, p->arrays).name);
    for (int turn = 0; turn < 3; turn++) {
      pond_scatter(&pond, 100, lo, hi, 5);
      if (turn > 0) pond_sort(&pond);
      assert_ptr_equal(array_of(p, "y"), p->x[1]);
      assert_ptr_equal(array_of(p, "vz"), p->v[2]);
      assert_ptr_equal(array_of(p, "id"), p->id);
      if (affine) assert_ptr_equal(array_of(p, "cyz"), p->c[1][2]);
      if (!affine) assert_null(p->c[1][2]);
    }
    pond_destroy(&pond);
  }
}

/* Every cell within the reach of a particle is in a wet block, no block without such a cell is. Reaches beyond a block too.
 */
static void test_wet_blocks(void **state)
{
  (void)state;
  for (int reach = 0; reach < 40; reach += reach < 4 ? 1 : 13) {
    Pond pond;
    vlBlocks wet;
    vlStatus status = {0};
    pond_create(&pond, 75, 9, 8, 0.1, false);
    const double lo[3] = {30, 2, 3}, hi[3] = {36, 3, 4};
    pond_scatter(&pond, 3, lo, hi, 11);
    pond_sort(&pond);
    assert_int_equal(vl_blocks_create(&wet, pond.grid.n, &status), VL_OK);
    assert_int_equal(vl_wet_around(pond.particles, NULL, 0, &pond.grid, reach, &wet, &status), VL_OK);
    for (int b = 0; b < pond.wet.count; b++) {
      vlBlockPosition at = pond.wet.at[b];
      bool near = false;
      for (size_t i = 0; i < pond.particles->count; i++) {
        int x = (int)pond.particles->x[0][i], first = at.bx * VL_BLOCK,
            gap = x < first ? first - x : x - first - VL_BLOCK + 1;
        near = near || (gap <= reach && abs(at.j - (int)pond.particles->x[1][i]) <= reach &&
                        abs(at.k - (int)pond.particles->x[2][i]) <= reach);
      }
      assert_int_equal(vl_blocks_find(&wet, at.bx, at.j, at.k) >= 0, near);
    }
    vl_blocks_clear(&wet);
    pond_destroy(&pond);
  }
}

static void test_wet_forget(void **state)
{
  (void)state;
  Pond pond;
  vlBlocks wet;
  vlStatus status = {0};
  pond_create(&pond, 40, 6, 5, 0.1, false);
  const double lo[3] = {3, 2, 2}, hi[3] = {4, 3, 3};
  pond_scatter(&pond, 1, lo, hi, 2);
  pond_sort(&pond);
  assert_int_equal(vl_blocks_create(&wet, pond.grid.n, &status), VL_OK);
  assert_int_equal(vl_wet_around(pond.particles, NULL, 0, &pond.grid, 1, &wet, &status), VL_OK);
  vl_wet_forget(&pond.grid, &pond.wet, &wet, &pond.open, 1); /* one everywhere */
  for (int k = 0; k < 5; k++)
    for (int j = 0; j < 6; j++)
      for (int i = 0; i < 40; i++)
        assert_true(pond.open[vl_grid_at(&pond.grid, i, j, k)] ==
                    (vl_blocks_find(&wet, i / VL_BLOCK, j, k) >= 0 ? 1.0 : 0.0));
  vl_blocks_clear(&wet);
  pond_destroy(&pond);
}

/* The largest part along any axis, wherever it stands. */
static void test_fastest(void **state)
{
  (void)state;
  Pond pond;
  pond_create(&pond, 20, 10, 10, 0.1, false);
  vlParticles *p = pond.particles;
  assert_true(vl_particles_fastest(p) == 0.0);
  const double lo[3] = {0, 0, 0}, hi[3] = {20, 10, 10};
  pond_scatter(&pond, 9001, lo, hi, 3);
  const size_t places[] = {0, 15, 4095, 4096, 8999, 9000};
  for (int n = 0; n < 6; n++)
    for (int a = 0; a < 3; a++) {
      for (size_t i = 0; i < p->count; i++)
        for (int b = 0; b < 3; b++) p->v[b][i] = (float)(i % 7) - 3.0f;
      p->v[a][places[n]] = n % 2 ? -9.5f : 9.5f;
      assert_true(vl_particles_fastest(p) == 9.5);
    }
  pond_destroy(&pond);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_fastest),
      cmocka_unit_test(test_sort),
      cmocka_unit_test(test_same_bits_for_threads),
      cmocka_unit_test(test_empty_and_crowded),
      cmocka_unit_test(test_filter_and_add),
      cmocka_unit_test(test_columns_travel),
      cmocka_unit_test(test_renew),
      cmocka_unit_test(test_arrays),
      cmocka_unit_test(test_wet_blocks),
      cmocka_unit_test(test_wet_forget),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
