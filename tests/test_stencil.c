/* The 7-point operator over blocks: equal to its sparse matrix, symmetric, positive, the same for any number of threads. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include <limits.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "grids.h"
#include "liquid_blob.h"

static void make_blob(vlStencil *s, int n, int nz)
{
  vlStatus status = {0};
  assert_int_equal(blob_stencil(s, n, nz, &status), VL_OK);
}

static void check_against_csr(const vlStencil *s)
{
  size_t n = vl_stencil_length(s);
  int *row_of = malloc(n * sizeof(int));
  vlCsr *a = NULL;
  vlStatus status = {0};
  assert_int_equal(vl_stencil_to_csr(&a, s, row_of, &status), VL_OK);
  assert_int_equal(a->rows, s->unknowns);
  double *x = stencil_random(s, 3), *y = stencil_zero(s);
  double *rows_x = malloc((size_t)a->rows * sizeof(double)), *rows_y = malloc((size_t)a->rows * sizeof(double));
  int seen = 0;
  for (size_t i = 0; i < n; i++) {
    assert_true((row_of[i] >= 0) == (s->diagonal[i] > 0.0));
    if (row_of[i] < 0) continue;
    assert_int_equal(row_of[i], seen++);
    rows_x[row_of[i]] = x[i];
  }
  for (int r = 0; r < a->rows; r++)
    for (int64_t e = a->start[r]; e < a->start[r + 1]; e++) {
      assert_in_range(a->column[e], 0, a->rows - 1);
      if (e > a->start[r]) assert_true(a->column[e] > a->column[e - 1]);
    }
  vl_stencil_apply(s, x, y);
  vl_csr_apply(a, rows_x, rows_y);
  for (size_t i = 0; i < n; i++) {
    if (row_of[i] < 0)
      assert_true(y[i] == 0.0);
    else /* seven products of numbers up to the diagonal, added in another order */
      assert_true(fabs(y[i] - rows_y[row_of[i]]) <= 16 * 2.3e-16 * s->diagonal[i]);
  }
  vl_stencil_vector_free(x);
  vl_stencil_vector_free(y);
  free(rows_x);
  free(rows_y);
  free(row_of);
  vl_csr_destroy(&a);
}

/* Two blocks long, and air at distance one behind: the last block's diagonals look like any other's. */
static double phi_two_blocks(const int n[3], int i, int j, int k)
{
  (void)n, (void)j, (void)k;
  return i < 2 * VL_BLOCK ? -1.0 : 0.0;
}

static void product_equals_csr(void **state)
{
  (void)state;
  const int sizes[][2] = {{8, 8}, {33, 33}, {48, 48}, {64, 1}, {17, 2}};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    vlStencil s;
    make_blob(&s, sizes[i][0], sizes[i][1]);
    check_against_csr(&s);
    vl_stencil_clear(&s);
  }
  const int odd[][3] = {{1, 20, 30}, {40, 1, 5}, {1, 1, 9}, {20, 1, 1}, {1, 1, 2}};
  for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
    vlStencil s;
    make_stencil(&s, odd[i], phi_full);
    check_against_csr(&s);
    vl_stencil_clear(&s);
  }
  vlStencil s;
  make_stencil(&s, (const int[3]){40, 5, 5}, phi_two_blocks);
  check_against_csr(&s);
  vl_stencil_clear(&s);
}

static void symmetric_and_positive(void **state)
{
  (void)state;
  vlStencil s;
  make_blob(&s, 40, 40);
  size_t n = vl_stencil_length(&s);
  double *ly = stencil_zero(&s), *lx = stencil_zero(&s);
  for (uint64_t seed = 1; seed < 6; seed++) {
    double *x = stencil_random(&s, seed), *y = stencil_random(&s, seed + 100);
    vl_stencil_apply(&s, x, lx);
    vl_stencil_apply(&s, y, ly);
    double xly = vl_vector_dot(x, ly, n), ylx = vl_vector_dot(y, lx, n), xlx = vl_vector_dot(x, lx, n);
    assert_true(fabs(xly - ylx) <= 1e-13 * xlx); /* the sums' rounding */
    assert_true(xlx > 0.0);
    vl_stencil_vector_free(x);
    vl_stencil_vector_free(y);
  }
  vl_stencil_vector_free(lx);
  vl_stencil_vector_free(ly);
  vl_stencil_clear(&s);
}

/* A closed box: constants are the null space, exactly, since all numbers are small integers. */
static void constants_are_null_vectors_of_a_closed_box(void **state)
{
  (void)state;
  const int sizes[][3] = {{20, 7, 5}, {33, 16, 1}, {48, 48, 3}};
  for (int c = 0; c < 3; c++) {
    vlStencil s;
    make_stencil(&s, sizes[c], phi_full);
    double *x = stencil_zero(&s), *y = stencil_zero(&s);
    for (size_t i = 0; i < vl_stencil_length(&s); i++) x[i] = s.diagonal[i] > 0.0 ? 3.0 : 0.0;
    vl_stencil_apply(&s, x, y);
    for (size_t i = 0; i < vl_stencil_length(&s); i++) assert_true(y[i] == 0.0);
    vl_stencil_vector_free(x);
    vl_stencil_vector_free(y);
    vl_stencil_clear(&s);
  }
}

static void regular_blocks_agree_with_their_coefficients(void **state)
{
  (void)state;
  for (int nz = 1; nz <= 64; nz += 63) {
    vlStencil s;
    make_blob(&s, 64, nz);
    size_t n = vl_stencil_length(&s);
    int regular = 0;
    for (int b = 0; b < s.blocks.count; b++) regular += s.regular[b];
    assert_true(regular > 0 && regular < s.blocks.count);
    double *x = stencil_random(&s, 9), *fast = stencil_zero(&s), *slow = stencil_zero(&s);
    vl_stencil_apply(&s, x, fast);
    memset(s.regular, 0, (size_t)s.blocks.count);
    vl_stencil_apply(&s, x, slow);
    for (size_t i = 0; i < n; i++)
      assert_true(fabs(fast[i] - slow[i]) <= 1e-15 * 6.0); /* fused products may round once less */
    vl_stencil_vector_free(x);
    vl_stencil_vector_free(fast);
    vl_stencil_vector_free(slow);
    vl_stencil_clear(&s);
  }
}

static double phi_two_tanks(const int n[3], int i, int j, int k)
{
  (void)k;
  (void)j;
  return 2 * i == n[0] ? 1.0 : -1.0;
}

/* A serpentine: one component that only a chain of joins finds. */
static double phi_snake(const int n[3], int i, int j, int k)
{
  (void)k;
  if (j % 2 == 0) return -1.0;
  return i == (j / 2 % 2 ? 0 : n[0] - 1) ? -1.0 : 1.0;
}

static int count_labels(const vlStencil *s, int *label)
{
  int count = 0;
  vl_stencil_components(s, label);
  for (int i = 0; i < (int)vl_stencil_length(s); i++) {
    assert_true((label[i] >= 0) == (s->diagonal[i] > 0.0));
    count += label[i] == i;
    if (label[i] >= 0) assert_true(label[i] <= i && label[label[i]] == label[i]);
  }
  return count;
}

static void components_are_counted(void **state)
{
  (void)state;
  const int n[3] = {40, 21, 5}, flat[3] = {40, 21, 1};
  vlStencil two, snake, one;
  make_stencil(&two, n, phi_two_tanks);
  make_stencil(&snake, flat, phi_snake);
  make_stencil(&one, n, phi_full);
  int label[40 * 48 * 21 * 5];
  assert_int_equal(count_labels(&two, label), 2);
  for (int b = 0; b < two.blocks.count; b++)
    for (int l = 0; l < vl_blocks_width(&two.blocks, two.blocks.at[b]); l++) {
      int x = two.blocks.at[b].bx * VL_BLOCK + l;
      assert_int_equal(label[b * VL_BLOCK + l], x == 20 ? -1 : x < 20 ? 0 : VL_BLOCK + 5);
    }
  assert_int_equal(count_labels(&snake, label), 1);
  assert_int_equal(count_labels(&one, label), 1);
  vl_stencil_clear(&two);
  vl_stencil_clear(&snake);
  vl_stencil_clear(&one);
}

static void same_bits_for_any_number_of_threads(void **state)
{
  (void)state;
  int threads = omp_get_max_threads();
  double *first = NULL;
  size_t bytes = 0;
  for (int t = 1; t <= 4; t *= 2) {
    omp_set_num_threads(t);
    vlStencil s;
    make_blob(&s, 48, 48);
    double *x = stencil_random(&s, 4), *y = stencil_zero(&s);
    vl_stencil_apply(&s, x, y);
    bytes = vl_stencil_length(&s) * sizeof(double);
    if (first)
      assert_memory_equal(first, y, bytes);
    else
      first = memcpy(malloc(bytes), y, bytes);
    vl_stencil_vector_free(x);
    vl_stencil_vector_free(y);
    vl_stencil_clear(&s);
  }
  free(first);
  omp_set_num_threads(threads);
}

/* Rebuilt from large to small and back: no old coefficients remain. */
static void rebuilding_forgets(void **state)
{
  (void)state;
  vlStencil s, fresh;
  vlStatus status = {0};
  make_blob(&s, 33, 33);
  vl_blocks_begin(&s.blocks);
  assert_true(vl_blocks_append(&s.blocks, 1, 4, 4));
  vl_blocks_end(&s.blocks);
  assert_int_equal(vl_stencil_resize(&s, &status), VL_OK);
  for (int i = 0; i < 2 * VL_BLOCK; i++)
    for (int a = 0; a < 3; a++) assert_true(s.w[a][i] == 0.0 && s.diagonal[i] == 0.0);
  s.diagonal[3] = 2.0;
  vl_stencil_finish(&s);
  assert_int_equal(s.unknowns, 1);
  check_against_csr(&s);
  vl_stencil_clear(&s);

  assert_int_equal(vl_stencil_create(&fresh, (const int[3]){20, 20, 20}, &status), VL_OK);
  assert_int_equal(vl_stencil_resize(&fresh, &status), VL_OK); /* no liquid at all */
  vl_stencil_finish(&fresh);
  assert_int_equal(fresh.unknowns, 0);
  vl_stencil_clear(&fresh);
}

/* Compact cells are numbered by int; the count is looked at before any memory is asked for. */
static void too_many_blocks_are_refused(void **state)
{
  (void)state;
  vlStencil s;
  vlStatus status = {0};
  assert_int_equal(vl_stencil_create(&s, (const int[3]){16, 2, 2}, &status), VL_OK);
  s.blocks.count = INT_MAX / VL_BLOCK;
  assert_int_equal(vl_stencil_resize(&s, &status), VL_ERROR_MEMORY);
  assert_non_null(strstr(status.message, "134217727"));
  assert_null(s.diagonal);
  s.blocks.count = 0;
  vl_stencil_clear(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(product_equals_csr),
      cmocka_unit_test(symmetric_and_positive),
      cmocka_unit_test(constants_are_null_vectors_of_a_closed_box),
      cmocka_unit_test(regular_blocks_agree_with_their_coefficients),
      cmocka_unit_test(components_are_counted),
      cmocka_unit_test(same_bits_for_any_number_of_threads),
      cmocka_unit_test(rebuilding_forgets),
      cmocka_unit_test(too_many_blocks_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
