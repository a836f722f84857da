/* Divergence of velocities that belong to the middle of a step (pressure/middle.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tank.h"

static const double H = 0.01; /* s */

static double phi_of_pool(const void *data, vlVec3 x)
{
  (void)data;
  return x.y - 0.95;
}

/* u = A x on all lower faces. */
static void put_flow(Tank *t, const double A[3][3])
{
  for (int k = 0; k < t->grid.n[2]; k++)
    for (int j = 0; j < t->grid.n[1]; j++)
      for (int i = 0; i < t->grid.n[0]; i++)
        for (int a = 0; a < 3; a++) {
          vlVec3 x = vl_grid_center(&t->grid, i, j, k);
          x.v[a] -= 0.5 * t->grid.dx;
          t->u[a][vl_grid_at(&t->grid, i, j, k)] = A[a][0] * x.x + A[a][1] * x.y + A[a][2] * x.z;
        }
}

static double *swell_of(Tank *t)
{
  vlStatus status = {0};
  vlFluid fluid = tank_fluid(t);
  double *swell = vl_field_create(&t->grid);
  assert_non_null(swell);
  if (vl_pressure_assemble(t->pressure, &fluid, &status)) fail_msg("%s", status.message);
  vl_pressure_middle(t->pressure, &fluid, t->u, H, swell);
  return swell;
}

static double in_pool(const double A[3][3])
{
  Tank t;
  tank_fill(&t, make_grid(20, 12, 9, 0.1, vl_vec(0, 0, 0)), NULL, phi_of_pool, NULL);
  put_flow(&t, A);
  double *swell = swell_of(&t), found = swell[vl_grid_at(&t.grid, 7, 4, 5)];
  assert_true(swell[vl_grid_at(&t.grid, 7, 8, 5)] == 0.0); /* at the surface it is not known */
  vl_field_destroy(&t.grid, &swell);
  tank_drain(&t);
  return found;
}

static void assert_part(double found, double wanted)
{
  if (!(fabs(found - wanted) <= 1e-9 * fabs(wanted))) fail_msg("%.12g instead of %.12g", found, wanted);
}

/* Each stands for x -> x + h A x with a determinant of 1 - swell h + ...: what turns must draw together, what is drawn out
 * along one axis swell. */
static void ways_keep_their_volume(void **state)
{
  (void)state;
  const double w = 2.0, s = 3.0, fast = 150.0;
  const double turned[3][3] = {{0, 0, w}, {0, 0, 0}, {-w, 0, 0}}, drawn[3][3] = {{s, 0, 0}, {0, -s, 0}, {0, 0, 0}},
               sheared[3][3] = {{0, s, 0}, {0, 0, 0}, {0, 0, 0}}, spun[3][3] = {{0, -fast, 0}, {fast, 0, 0}, {0, 0, 0}};
  assert_part(in_pool(turned), -H * w * w / (1.0 + pow(2.0 * H * H * w * w, 2)));
  assert_part(in_pool(drawn), H * s * s / (1.0 + pow(2.0 * H * H * s * s, 2)));
  assert_true(fabs(in_pool(sheared)) <= 1e-12);
  assert_part(in_pool(spun), -H * fast * fast / (1.0 + pow(2.0 * H * H * fast * fast, 2))); /* the step is too long */
}

/* What shoots through the openings of a sliver says nothing of the flow beside it. */
static void slivers_are_not_asked(void **state)
{
  (void)state;
  Tank t;
  vlStatus status = {0};
  const double turned[3][3] = {{0, 0, 2.0}, {0, 0, 0}, {-2.0, 0, 0}};
  tank_fill(&t, make_grid(20, 12, 9, 0.1, vl_vec(0, 0, 0)), NULL, phi_of_pool, NULL);
  put_flow(&t, turned);
  double *swell = vl_field_create(&t.grid), *open = vl_field_create(&t.grid);
  for (size_t i = 0; i < t.grid.length; i++) open[i] = 1.0;
  open[vl_grid_at(&t.grid, 8, 4, 5)] = 0.3;
  open[vl_grid_at(&t.grid, 12, 4, 5)] = 0.7;
  vlFluid fluid = tank_fluid(&t);
  fluid.open = open;
  if (vl_pressure_assemble(t.pressure, &fluid, &status)) fail_msg("%s", status.message);
  vl_pressure_middle(t.pressure, &fluid, t.u, H, swell);
  for (int i = 7; i <= 13; i++) {
    bool told = i == 10 || i == 11 || i == 13;
    assert_true((swell[vl_grid_at(&t.grid, i, 4, 5)] != 0.0) == told);
  }
  vl_field_destroy(&t.grid, &swell);
  vl_field_destroy(&t.grid, &open);
  tank_drain(&t);
}

/* Without air the whole cannot swell. */
static void full_boxes_stay_full(void **state)
{
  (void)state;
  Tank t;
  double sum = 0.0, size = 0.0;
  tank_noise(&t, 7, 15, true);
  tank_random_flow(&t, 16);
  for (int a = 0; a < 3; a++)
    for (size_t i = 0; i < t.grid.length; i++) t.u[a][i] = t.u_star[a][i];
  double *swell = swell_of(&t);
  for (int k = 0; k < 7; k++)
    for (int j = 0; j < 9; j++)
      for (int i = 0; i < 37; i++) {
        sum += swell[vl_grid_at(&t.grid, i, j, k)];
        size += fabs(swell[vl_grid_at(&t.grid, i, j, k)]);
      }
  assert_true(size > 0.0 && fabs(sum) <= 1e-12 * size);
  vl_field_destroy(&t.grid, &swell);
  tank_drain(&t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ways_keep_their_volume),
      cmocka_unit_test(slivers_are_not_asked),
      cmocka_unit_test(full_boxes_stay_full),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
