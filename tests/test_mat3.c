/* 3x3 matrices: factors that multiply back, proper rotations, known singular values, flat, mirrored and extreme matrices. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include <float.h>

#include "base/vec.h"

static double random_unit(uint64_t *seed) /* -1 .. 1 */
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(int64_t)(*seed >> 11) / 4503599627370496.0 - 1.0;
}

static vlMat3 random_matrix(uint64_t *seed)
{
  vlMat3 a;
  for (int i = 0; i < 9; i++) a.m[i / 3][i % 3] = random_unit(seed);
  return a;
}

static vlMat3 random_rotation(uint64_t *seed)
{
  vlMat3 r = vl_mat_identity();
  for (int axis = 0; axis < 3; axis++) r = vl_mat_multiply(r, vl_mat_rotation(axis, 4.0 * random_unit(seed)));
  return r;
}

static vlMat3 compose(vlMat3 u, const double sigma[3], vlMat3 v)
{
  for (int i = 0; i < 9; i++) u.m[i / 3][i % 3] *= sigma[i % 3];
  return vl_mat_multiply(u, vl_mat_transpose(v));
}

static double distance(vlMat3 a, vlMat3 b)
{
  double most = 0.0; /* no squares: they leave the range */
  for (int i = 0; i < 9; i++) most = fmax(most, fabs(a.m[i / 3][i % 3] - b.m[i / 3][i % 3]));
  return most;
}

static void check_rotation(vlMat3 r)
{
  assert_true(distance(vl_mat_multiply(r, vl_mat_transpose(r)), vl_mat_identity()) < 20 * DBL_EPSILON);
  assert_true(fabs(vl_mat_determinant(r) - 1.0) < 20 * DBL_EPSILON);
}

static void check_svd(vlMat3 a)
{
  vlMat3 u, v;
  double sigma[3];
  assert_true(vl_mat_svd(a, &u, sigma, &v));
  check_rotation(u);
  check_rotation(v);
  assert_true(sigma[0] >= sigma[1] && sigma[1] >= fabs(sigma[2]) * (1.0 - 4 * DBL_EPSILON));
  assert_true(distance(compose(u, sigma, v), a) <= 30 * DBL_EPSILON * sigma[0]); /* a few dozen roundings */
}

static void factors_multiply_back(void **state)
{
  (void)state;
  uint64_t seed = 1;
  for (int k = 0; k < 2000; k++) check_svd(random_matrix(&seed));
}

/* Chosen singular values, sizes from 1e-200 to 1e200, ranks 0 to 3, mirrored or not: all come back. */
static void known_values_come_back(void **state)
{
  (void)state;
  static const double list[][3] = {{1, 1, 1},     {1, 1, -1}, {3, 2, 1}, {3, 2, -1}, {1, 1e-6, 1e-9},    {1, 1e-6, -1e-12},
                                   {1, 1, 1e-14}, {1, 0, 0},  {2, 2, 0}, {0, 0, 0},  {1, 1, 0.99999999}, {5, 1e-12, -1e-12}};
  static const double sizes[] = {1.0, 1e-200, 1e200};
  uint64_t seed = 2;
  for (int repeat = 0; repeat < 50; repeat++)
    for (size_t l = 0; l < sizeof list / sizeof *list; l++)
      for (int s = 0; s < 3; s++) {
        double sigma[3], found[3];
        vlMat3 u, v;
        for (int i = 0; i < 3; i++) sigma[i] = sizes[s] * list[l][i];
        vlMat3 a = compose(random_rotation(&seed), sigma, random_rotation(&seed));
        check_svd(a);
        assert_true(vl_mat_svd(a, &u, found, &v));
        for (int i = 0; i < 3; i++) assert_true(fabs(found[i] - sigma[i]) <= 30 * DBL_EPSILON * sigma[0]);
      }
}

/* Diagonal and permuted matrices have exact answers, whatever the order of their columns. */
static void columns_are_sorted(void **state)
{
  (void)state;
  static const int order[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  for (int p = 0; p < 6; p++) {
    vlMat3 a = {0}, u, v;
    double sigma[3];
    for (int i = 0; i < 3; i++) a.m[i][order[p][i]] = 1.0 + i;
    assert_true(vl_mat_svd(a, &u, sigma, &v));
    double sign = vl_mat_determinant(a) > 0.0 ? 1.0 : -1.0;
    assert_true(sigma[0] == 3.0 && sigma[1] == 2.0 && sigma[2] == sign);
    check_svd(a);
  }
}

/* F = R Y gives R back: for stretches, near-flat ones, and one negative stretch, the smallest. */
static void polar_finds_the_rotation(void **state)
{
  (void)state;
  static const double stretch[][3] = {{1, 1, 1}, {4, 2, 1}, {1, 1, 1e-9}, {1, 0.5, -0.2}, {1, 1, -0.9}, {1e-5, 1e-6, 1e-7}};
  uint64_t seed = 3;
  for (int repeat = 0; repeat < 200; repeat++)
    for (size_t s = 0; s < sizeof stretch / sizeof *stretch; s++) {
      vlMat3 r = random_rotation(&seed), q = random_rotation(&seed), found;
      vlMat3 f = vl_mat_multiply(r, compose(q, stretch[s], q));
      assert_true(vl_mat_polar(f, &found));
      check_rotation(found);
      double gap = stretch[s][1] + stretch[s][2]; /* R turns by errors of F over the sum of the two smallest stretches */
      assert_true(distance(found, r) < 100 * DBL_EPSILON * stretch[s][0] / gap);
    }
}

static void useless_input_keeps_the_old_rotation(void **state)
{
  (void)state;
  vlMat3 old = vl_mat_rotation(1, 0.3), r = old, tiny = vl_mat_identity(), bad = vl_mat_identity();
  for (int i = 0; i < 3; i++) tiny.m[i][i] = 1e-9;
  assert_false(vl_mat_polar(tiny, &r));
  assert_false(vl_mat_polar((vlMat3){0}, &r));
  bad.m[1][2] = NAN;
  assert_false(vl_mat_polar(bad, &r));
  bad.m[1][2] = INFINITY;
  assert_false(vl_mat_polar(bad, &r));
  assert_memory_equal(&r, &old, sizeof r);
}

static void inverse_and_determinant(void **state)
{
  (void)state;
  uint64_t seed = 4;
  vlMat3 b, flat = {{{1, 2, 3}, {2, 4, 6}, {1, 0, 1}}};
  for (int k = 0; k < 500; k++) {
    vlMat3 a = random_matrix(&seed);
    double det = vl_mat_determinant(a), n = vl_mat_norm(a);
    if (fabs(det) < 1e-3 * n * n * n) continue;
    assert_true(vl_mat_inverse(a, &b));
    assert_true(distance(vl_mat_multiply(a, b), vl_mat_identity()) < 1e-12); /* epsilon times condition numbers below 1e3 */
    assert_true(fabs(vl_mat_determinant(b) * det - 1.0) < 1e-11);
  }
  assert_false(vl_mat_inverse(flat, &b));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(factors_multiply_back),   cmocka_unit_test(known_values_come_back),
      cmocka_unit_test(columns_are_sorted),      cmocka_unit_test(polar_finds_the_rotation),
      cmocka_unit_test(inverse_and_determinant), cmocka_unit_test(useless_input_keeps_the_old_rotation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
