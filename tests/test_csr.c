/* CSR matrices: product against a dense one, symmetry, diagonal; Matrix Market files read back to the same bits. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "matrices.h"

static void product_equals_dense(void **state)
{
  (void)state;
  enum { N = 60 };
  vlCsr *a = random_spd(N, 0.2, 1.0, 11);
  double dense[N][N] = {{0.0}}, y[N];
  for (int i = 0; i < N; i++)
    for (int64_t e = a->start[i]; e < a->start[i + 1]; e++) dense[i][a->column[e]] = a->value[e];
  double *x = random_vector(N, 5);
  vl_csr_apply(a, x, y);
  for (int i = 0; i < N; i++) {
    double sum = 0.0, size = 0.0;
    for (int j = 0; j < N; j++) {
      assert_true(dense[i][j] == dense[j][i]);
      sum += dense[i][j] * x[j];
      size += fabs(dense[i][j] * x[j]);
    }
    assert_true(fabs(sum - y[i]) <= N * 2.3e-16 * size); /* at most N roundings in each sum */
  }
  free(x);
  vl_csr_destroy(&a);
  assert_null(a);
  vl_csr_destroy(&a);
}

/* -u'' of a sine on a Dirichlet box is an eigenvector: A u = sum of 2 - 2 cos(pi k / (n + 1)). */
static void poisson_has_sine_eigenvectors(void **state)
{
  (void)state;
  int nx = 40, ny = 30, nz = 20;
  vlCsr *a = poisson(nx, ny, nz, true);
  double *u = zero_vector((size_t)a->rows), *y = zero_vector((size_t)a->rows);
  const double pi = acos(-1.0);
  double kx = pi * 3 / (nx + 1), ky = pi * 2 / (ny + 1), kz = pi * 1 / (nz + 1);
  for (int i = 0; i < a->rows; i++)
    u[i] = sin(kx * (i % nx + 1)) * sin(ky * (i / nx % ny + 1)) * sin(kz * (i / nx / ny + 1));
  double lambda = 6.0 - 2.0 * cos(kx) - 2.0 * cos(ky) - 2.0 * cos(kz);
  vl_csr_apply(a, u, y);
  for (int i = 0; i < a->rows; i++)
    assert_true(fabs(y[i] - lambda * u[i]) < 1e-14); /* a dozen roundings of numbers up to 6 */
  free(u);
  free(y);
  vl_csr_destroy(&a);
}

static void diagonal_names_a_bad_row(void **state)
{
  (void)state;
  vlStatus status = {0};
  vlCsr *a = poisson(5, 5, 1, true);
  double diagonal[25];
  assert_int_equal(vl_csr_diagonal(a, diagonal, &status), VL_OK);
  for (int i = 0; i < 25; i++) assert_true(diagonal[i] == 4.0);
  for (int64_t e = a->start[7]; e < a->start[8]; e++)
    if (a->column[e] == 7) a->value[e] = -2.5;
  assert_int_equal(vl_csr_diagonal(a, diagonal, &status), VL_ERROR_SOLVER);
  assert_non_null(strstr(status.message, "row 7 of 25"));
  assert_non_null(strstr(status.message, "-2.5"));
  for (int64_t e = a->start[7]; e < a->start[8]; e++) a->value[e] = 0.0;
  assert_int_equal(vl_csr_diagonal(a, diagonal, &status), VL_OK);
  assert_true(diagonal[7] == 0.0);
  vl_csr_destroy(&a);
}

static void matrix_file_reads_back(void **state)
{
  (void)state;
  const char *path = VL_BINARY_DIR "/test_csr_matrix.mtx";
  vlStatus status = {0};
  vlCsr *a = random_spd(50, 0.1, 1e-3, 3);
  a->value[0] = a->value[0] * 1e300; /* exponents of three digits too */
  a->value[a->start[50] - 1] *= 1e-300;
  assert_int_equal(vl_csr_write(a, path, &status), VL_OK);

  double full[50][50] = {{0.0}}, value;
  int rows, columns, count, i, j, seen = 0;
  FILE *in = fopen(path, "r");
  assert_non_null(in);
  char line[128];
  assert_non_null(fgets(line, sizeof line, in));
  assert_string_equal(line, "%%MatrixMarket matrix coordinate real symmetric\n");
  assert_int_equal(fscanf(in, "%d %d %d", &rows, &columns, &count), 3);
  assert_int_equal(rows, 50);
  assert_int_equal(columns, 50);
  for (; fscanf(in, "%d %d %lf", &i, &j, &value) == 3; seen++) {
    assert_true(1 <= j && j <= i && i <= 50);
    full[i - 1][j - 1] = full[j - 1][i - 1] = value;
  }
  assert_true(feof(in));
  fclose(in);
  assert_int_equal(seen, count);
  assert_int_equal(2 * count - 50, a->start[50]);
  for (i = 0; i < 50; i++)
    for (int64_t e = a->start[i]; e < a->start[i + 1]; e++) assert_true(full[i][a->column[e]] == a->value[e]);
  assert_int_not_equal(access(VL_BINARY_DIR "/test_csr_matrix.mtx.part", F_OK), 0);
  remove(path);
  vl_csr_destroy(&a);
}

static void vector_file_reads_back(void **state)
{
  (void)state;
  const char *path = VL_BINARY_DIR "/test_csr_vector.mtx";
  vlStatus status = {0};
  double *x = random_vector(1000, 9), value;
  x[1] = 5e-324;
  x[2] = 1.7976931348623157e308;
  assert_int_equal(vl_vector_write(x, 1000, path, &status), VL_OK);
  FILE *in = fopen(path, "r");
  assert_non_null(in);
  char line[128];
  assert_non_null(fgets(line, sizeof line, in));
  assert_string_equal(line, "%%MatrixMarket matrix array real general\n");
  assert_non_null(fgets(line, sizeof line, in));
  assert_string_equal(line, "1000 1\n");
  for (int i = 0; i < 1000; i++) {
    assert_int_equal(fscanf(in, "%lf", &value), 1);
    assert_true(value == x[i]);
  }
  assert_int_not_equal(fscanf(in, "%lf", &value), 1);
  fclose(in);
  remove(path);
  free(x);
}

static void unwritable_path_is_named(void **state)
{
  (void)state;
  const char *path = VL_BINARY_DIR "/no such folder/a.mtx";
  vlStatus status = {0};
  vlCsr *a = poisson(3, 3, 1, true);
  assert_int_equal(vl_csr_write(a, path, &status), VL_ERROR_FILE);
  assert_non_null(strstr(status.message, path));
  assert_non_null(strstr(status.message, strerror(ENOENT)));
  assert_int_equal(vl_vector_write(a->value, 3, path, &status), VL_ERROR_FILE);
  vl_csr_destroy(&a);
}

/* A limit on file size stands for the full disk: the write fails half-way, the old file stays, no partial one is left. */
static void full_disk_keeps_the_old_file(void **state)
{
  (void)state;
  const char *path = VL_BINARY_DIR "/test_csr_full.mtx";
  vlStatus status = {0};
  vlCsr *a = poisson(40, 40, 1, true);
  assert_int_equal(vl_vector_write(a->value, 4, path, &status), VL_OK);
  struct rlimit old, small;
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
  small = (struct rlimit){.rlim_cur = 20000, .rlim_max = old.rlim_max};
  void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
  vlCode code = vl_csr_write(a, path, &status);
  setrlimit(RLIMIT_FSIZE, &old);
  signal(SIGXFSZ, handler);
  assert_int_equal(code, VL_ERROR_FILE);
  assert_non_null(strstr(status.message, strerror(EFBIG)));
  assert_int_not_equal(access(VL_BINARY_DIR "/test_csr_full.mtx.part", F_OK), 0);
  FILE *in = fopen(path, "r");
  assert_non_null(in);
  char line[128];
  assert_non_null(fgets(line, sizeof line, in));
  assert_string_equal(line, "%%MatrixMarket matrix array real general\n");
  fclose(in);
  remove(path);
  vl_csr_destroy(&a);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(product_equals_dense),         cmocka_unit_test(poisson_has_sine_eigenvectors),
      cmocka_unit_test(diagonal_names_a_bad_row),     cmocka_unit_test(matrix_file_reads_back),
      cmocka_unit_test(vector_file_reads_back),       cmocka_unit_test(unwritable_path_is_named),
      cmocka_unit_test(full_disk_keeps_the_old_file),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
