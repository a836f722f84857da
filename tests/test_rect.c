/* Algebra of rectangular sparse matrices against dense ones, and their files. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "coupled.h"
#include "place.h"

enum { M = 17, N = 11 };

static void check_order(const vlCsr *a, int columns)
{
  for (int i = 0; i < a->rows; i++)
    for (int64_t e = a->start[i]; e < a->start[i + 1]; e++) {
      assert_in_range(a->column[e], 0, columns - 1);
      if (e > a->start[i]) assert_true(a->column[e] > a->column[e - 1]);
    }
}

static void transpose_and_scale(void **state)
{
  (void)state;
  vlStatus status = {0};
  vlCsr *a = random_rectangle(M, N, 2, 4, 1.0, 3), *t = NULL, *back = NULL, *scaled = NULL;
  double *d = random_vector(N, 4);
  assert_int_equal(vl_rect_transpose(&t, a, N, &status), VL_OK);
  assert_int_equal(vl_rect_transpose(&back, t, M, &status), VL_OK);
  assert_int_equal(vl_rect_scaled(&scaled, a, d, &status), VL_OK);
  check_order(t, M);
  double *full = to_dense(a, N), *turned = to_dense(t, M), *with = to_dense(scaled, N);
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++) {
      assert_true(full[i * N + j] == turned[j * M + i]);
      assert_true(full[i * N + j] * d[j] == with[i * N + j]);
    }
  assert_memory_equal(a->column, back->column, (size_t)a->start[M] * sizeof *a->column);
  assert_memory_equal(a->value, back->value, (size_t)a->start[M] * sizeof *a->value);
  free(d);
  free(full);
  free(turned);
  free(with);
  vl_csr_destroy(&a);
  vl_csr_destroy(&t);
  vl_csr_destroy(&back);
  vl_csr_destroy(&scaled);
}

static void products_equal_dense_ones(void **state)
{
  (void)state;
  vlStatus status = {0};
  vlCsr *a = random_rectangle(M, N, 1, 4, 1.0, 3), *t = NULL, *square = NULL, *sum = NULL,
        *poor = random_spd(M, 0.2, 1.0, 6);
  assert_int_equal(vl_rect_transpose(&t, a, N, &status), VL_OK);
  assert_int_equal(vl_rect_multiply(&square, a, t, M, &status), VL_OK);
  assert_int_equal(vl_rect_add(&sum, square, -0.5, poor, &status), VL_OK);
  check_order(square, M);
  check_order(sum, M);
  double *full = to_dense(a, N), *product = to_dense(square, M), *total = to_dense(sum, M), *other = to_dense(poor, M);
  for (int i = 0; i < M; i++)
    for (int j = 0; j < M; j++) {
      double dot = 0.0;
      for (int k = 0; k < N; k++) dot += full[i * N + k] * full[j * N + k];
      assert_true(dot == product[i * M + j]); /* the same terms in the same order, zeros among them */
      assert_true(product[i * M + j] == product[j * M + i]);
      assert_true(total[i * M + j] == product[i * M + j] - 0.5 * other[i * M + j]);
    }
  free(full);
  free(product);
  free(total);
  free(other);
  vl_csr_destroy(&a);
  vl_csr_destroy(&t);
  vl_csr_destroy(&square);
  vl_csr_destroy(&sum);
  vl_csr_destroy(&poor);
}

static void blocks_are_joined(void **state)
{
  (void)state;
  vlStatus status = {0};
  vlCsr *a = random_spd(M, 0.3, 1.0, 6), *b = random_rectangle(M, N, 2, 3, 1.0, 3), *d = random_spd(N, 0.3, 1.0, 7),
        *all = NULL;
  assert_int_equal(vl_rect_join(&all, a, b, d, N, 2.0, -3.0, &status), VL_OK);
  assert_int_equal(all->rows, M + N);
  check_order(all, M + N);
  double *full = to_dense(all, M + N), *fa = to_dense(a, M), *fb = to_dense(b, N), *fd = to_dense(d, N);
  for (int i = 0; i < M + N; i++)
    for (int j = 0; j < M + N; j++) {
      double wanted = i < M && j < M     ? fa[i * M + j]
                      : i >= M && j >= M ? -3.0 * fd[(i - M) * N + j - M]
                      : i < M            ? 2.0 * fb[i * N + j - M]
                                         : 2.0 * fb[j * N + i - M];
      assert_true(full[i * (M + N) + j] == wanted);
    }
  free(full);
  free(fa);
  free(fb);
  free(fd);
  vl_csr_destroy(&a);
  vl_csr_destroy(&b);
  vl_csr_destroy(&d);
  vl_csr_destroy(&all);
}

static void empty_matrices_are_fine(void **state)
{
  (void)state;
  vlStatus status = {0};
  Place *place = *state;
  vlCsr *none = random_rectangle(M, 0, 1, 4, 1.0, 3), *t = NULL, *square = NULL, *back = NULL;
  int columns = -1;
  assert_int_equal(vl_rect_transpose(&t, none, 0, &status), VL_OK);
  assert_int_equal(t->rows, 0);
  assert_int_equal(vl_rect_multiply(&square, none, t, M, &status), VL_OK);
  assert_int_equal(square->start[M], 0);
  assert_int_equal(vl_rect_write(none, 0, place->path, &status), VL_OK);
  assert_int_equal(vl_rect_read(&back, &columns, place->path, &status), VL_OK);
  assert_true(back->rows == M && columns == 0 && back->start[M] == 0);
  vl_csr_destroy(&none);
  vl_csr_destroy(&t);
  vl_csr_destroy(&square);
  vl_csr_destroy(&back);
}

static void write_text(const char *path, const char *text)
{
  FILE *out = fopen(path, "w");
  assert_non_null(out);
  fputs(text, out);
  fclose(out);
}

/* Comments, any order, two entries for one place, symmetric halves. */
static void foreign_files_are_read(void **state)
{
  Place *place = *state;
  vlStatus status = {0};
  vlCsr *a = NULL;
  int columns;
  write_text(place->path,
             "%%MatrixMarket matrix coordinate real general\n% made by hand\n\n3 4 4\n3 1 2.5\n1 4 -1e3\n3 1 0.5\n1 2 7\n");
  assert_int_equal(vl_rect_read(&a, &columns, place->path, &status), VL_OK);
  double *full = to_dense(a, 4);
  static const double wanted[12] = {0, 7, 0, -1e3, 0, 0, 0, 0, 3, 0, 0, 0};
  assert_int_equal(columns, 4);
  assert_int_equal(a->start[3], 3);
  check_order(a, 4);
  assert_memory_equal(full, wanted, sizeof wanted);
  free(full);
  vl_csr_destroy(&a);
  write_text(place->path, "%%MatrixMarket matrix coordinate real symmetric\r\n2 2 2\r\n2 1 5\r\n2 2 1\r\n");
  assert_int_equal(vl_rect_read(&a, &columns, place->path, &status), VL_OK);
  assert_int_equal(a->start[2], 3);
  assert_true(a->value[0] == 5.0 && a->column[0] == 1);
  vl_csr_destroy(&a);
}

static void broken_files_are_named(void **state)
{
  Place *place = *state;
  static const struct {
    const char *text, *complaint;
  } broken[] = {
      {"", ":1: the file is empty"},
      {"%%MatrixMarket matrix coordinate complex general\n1 1 0\n", ":1: begins with"},
      {"%%MatrixMarket matrix coordinate real general\n", ":2: the file ends where there should be the matrix's size"},
      {"%%MatrixMarket matrix coordinate real general\n3 3\n", ":2: expected rows"},
      {"%%MatrixMarket matrix coordinate real symmetric\n3 4 0\n", ":2: expected rows"},
      {"%%MatrixMarket matrix coordinate real general\n99999999999 3 0\n", ":2: expected rows"},
      {"%%MatrixMarket matrix coordinate real general\n3 3 9000000000000000000\n1 1 1\n",
       ":4: the file ends where there should be an entry"},
      {"%%MatrixMarket matrix coordinate real general\n3 3 1\n4 1 1\n", ":3: expected row"},
      {"%%MatrixMarket matrix coordinate real general\n3 3 1\n0 1 1\n", ":3: expected row"},
      {"%%MatrixMarket matrix coordinate real general\n3 3 1\n1 1 one\n", ":3: expected row"},
      {"%%MatrixMarket matrix coordinate real general\n3 3 1\n1 1 1 1\n", ":3: expected row"},
  };
  vlStatus status = {0};
  for (size_t k = 0; k < sizeof broken / sizeof *broken; k++) {
    vlCsr *a = NULL;
    int columns;
    write_text(place->path, broken[k].text);
    assert_int_equal(vl_rect_read(&a, &columns, place->path, &status), VL_ERROR_FILE);
    assert_null(a);
    if (!strstr(status.message, broken[k].complaint)) fail_msg("case %zu: %s", k, status.message);
    assert_non_null(strstr(status.message, place->path));
  }
  double *x = NULL;
  int n;
  write_text(place->path, "%%MatrixMarket matrix array real general\n2 1\n1.5\nx\n");
  assert_int_equal(vl_vector_read(&x, &n, place->path, &status), VL_ERROR_FILE);
  assert_null(x);
  assert_non_null(strstr(status.message, ":4: expected one number"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(transpose_and_scale),
      cmocka_unit_test(products_equal_dense_ones),
      cmocka_unit_test(blocks_are_joined),
      cmocka_unit_test_setup_teardown(empty_matrices_are_fine, make_place, remove_place),
      cmocka_unit_test_setup_teardown(foreign_files_are_read, make_place, remove_place),
      cmocka_unit_test_setup_teardown(broken_files_are_named, make_place, remove_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
