/* The assembled pressure matrix: symmetric, an M-matrix, blind to constants where no air is, in units that do not know dx;
 * and parting cells step by step is the same as at once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tank.h"

static void assemble(Tank *t, const vlFluid *fluid)
{
  vlStatus status = {0};
  if (vl_pressure_assemble(t->pressure, fluid, &status)) fail_msg("%s", status.message);
}

static void matrix_is_symmetric(void **state)
{
  (void)state;
  Tank t;
  tank_noise(&t, 7, 1, false);
  vlFluid fluid = tank_fluid(&t);
  assemble(&t, &fluid);
  const vlStencil *s = &t.pressure->stencil;
  size_t n = vl_stencil_length(s);
  double *x = stencil_random(s, 2), *y = stencil_random(s, 3), *lx = stencil_zero(s), *ly = stencil_zero(s);
  vl_stencil_apply(s, x, lx);
  vl_stencil_apply(s, y, ly);
  double size = sqrt(vl_vector_dot(lx, lx, n) * vl_vector_dot(y, y, n));
  assert_true(fabs(vl_vector_dot(y, lx, n) - vl_vector_dot(x, ly, n)) <= 1e-13 * size); /* round-off of sums */
  assert_true(vl_vector_dot(x, lx, n) > 0.0);
  for (size_t i = 0; i < n; i++)
    for (int a = 0; a < 3; a++) assert_true(s->w[a][i] >= 0.0 && (s->w[a][i] == 0.0 || s->diagonal[i] > 0.0));
  double *all[] = {x, y, lx, ly};
  for (int v = 0; v < 4; v++) vl_stencil_vector_free(all[v]);
  tank_drain(&t);
}

/* L 1 = 0, to the round-off of six weights, and the whole is one closed region. */
static void constants_do_nothing_without_air(void **state)
{
  (void)state;
  Tank t;
  tank_noise(&t, 7, 4, true);
  vlFluid fluid = tank_fluid(&t);
  assemble(&t, &fluid);
  const vlStencil *s = &t.pressure->stencil;
  assert_int_equal(s->unknowns, 37 * 9 * 7);
  assert_int_equal(t.pressure->links.surface_count, 0);
  assert_int_equal(t.pressure->null_count, 1);
  double *one = stencil_zero(s), *row = stencil_zero(s);
  for (size_t i = 0; i < vl_stencil_length(s); i++) one[i] = s->diagonal[i] > 0.0;
  vl_stencil_apply(s, one, row);
  for (size_t i = 0; i < vl_stencil_length(s); i++) assert_true(fabs(row[i]) <= 1e-15 * 6.0 * s->diagonal[i]);
  vl_stencil_vector_free(one);
  vl_stencil_vector_free(row);
  tank_drain(&t);
}

/* Twice as large cells with the same open parts: the same numbers, exactly, for two is a power of two. */
static void cells_have_no_size(void **state)
{
  (void)state;
  Tank t;
  tank_noise(&t, 7, 5, false);
  vlFluid fluid = tank_fluid(&t);
  assemble(&t, &fluid);
  size_t n = vl_stencil_length(&t.pressure->stencil);
  double *before = malloc(n * sizeof *before);
  memcpy(before, t.pressure->stencil.diagonal, n * sizeof *before);
  t.grid.dx *= 2.0;
  for (size_t i = 0; i < t.grid.length; i++) {
    t.phi[i] *= 2.0;
    for (int a = 0; a < 3; a++) t.area[a][i] *= 4.0;
  }
  assemble(&t, &fluid);
  assert_int_equal(vl_stencil_length(&t.pressure->stencil), n);
  assert_memory_equal(before, t.pressure->stencil.diagonal, n * sizeof *before);
  free(before);
  tank_drain(&t);
}

/* Parts every node, or the nodes of about `blocks` blocks. */
static void part(Tank *t, vlFluid *fluid, unsigned short *parted, double blocks, uint64_t seed)
{
  vlStatus status = {0};
  for (int b = 0; b < t->wet.count; b++)
    parted[b] = random_between(&seed, 0, t->wet.count) < blocks ? t->pressure->links.active[b] : 0;
  fluid->parted = parted;
  if (vl_pressure_part(t->pressure, fluid, &status)) fail_msg("%s", status.message);
}

static void assert_same_matrix(const vlPressure *a, const vlPressure *b)
{
  size_t n = vl_stencil_length(&a->stencil);
  assert_int_equal(vl_stencil_length(&b->stencil), n);
  for (int axis = 0; axis < 3; axis++) assert_memory_equal(a->stencil.w[axis], b->stencil.w[axis], n * sizeof(double));
  assert_memory_equal(a->stencil.diagonal, b->stencil.diagonal, n * sizeof(double));
  assert_memory_equal(a->surface, b->surface, n / VL_BLOCK * sizeof *a->surface);
  assert_int_equal(a->stencil.unknowns, b->stencil.unknowns);
}

/* Only blocks around cells that changed are assembled again: the same as when all cells change, and as at once. */
static void the_way_to_a_set_does_not_count(void **state)
{
  (void)state;
  Tank t, other;
  tank_noise(&t, 7, 6, false);
  tank_noise(&other, 7, 6, false);
  vlFluid fluid = tank_fluid(&t), same = tank_fluid(&other);
  unsigned short *parted = calloc((size_t)t.wet.count, sizeof *parted);
  int64_t least = INT64_MAX;
  assemble(&t, &fluid);
  assemble(&other, &same);
  int64_t unknowns = t.pressure->stencil.unknowns;
  for (uint64_t seed = 1; seed < 12; seed++) {
    part(&t, &fluid, parted, 6, seed);
    part(&other, &same, parted, INFINITY, seed);
    assert_int_equal(other.pressure->stencil.unknowns, 0);
    part(&other, &same, parted, 6, seed);
    assert_same_matrix(t.pressure, other.pressure);
    least = t.pressure->stencil.unknowns < least ? t.pressure->stencil.unknowns : least;
  }
  assert_true(least < unknowns - 50);
  part(&t, &fluid, parted, 0, 1); /* all are joined again */
  assemble(&other, &same);
  assert_same_matrix(t.pressure, other.pressure);
  free(parted);
  tank_drain(&t);
  tank_drain(&other);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(matrix_is_symmetric),
      cmocka_unit_test(constants_do_nothing_without_air),
      cmocka_unit_test(cells_have_no_size),
      cmocka_unit_test(the_way_to_a_set_does_not_count),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
