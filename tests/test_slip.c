/* Velocities at solids: a flow that slides along a slanting wall is continued into it exactly, and nothing goes through. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "grid/sample.h"
#include "liquid/advect.h"
#include "pond.h"

/* The wall: n . x = 6 cells; solid below. */
typedef struct Wall {
  double n[3];
} Wall;

static double height(const Wall *wall, const double x[3])
{
  return wall->n[0] * x[0] + wall->n[1] * x[1] + wall->n[2] * x[2] - 6.0;
}

/* Stagnation flow on the wall: -d through it, and along it whatever leaves no divergence; linear, so interpolation is exact.
 */
static Linear stagnation(const Wall *wall)
{
  Linear flow = {{{0}}};
  for (int a = 0; a < 3; a++) {
    for (int b = 0; b < 3; b++) flow.c[a][b] = (a == b ? 0.5 : 0.0) - 1.5 * wall->n[a] * wall->n[b];
    flow.c[a][3] = 0.3 * (a == 2) - 0.3 * wall->n[2] * wall->n[a] + 6.0 * wall->n[a];
  }
  return flow;
}

static void slides_along(Wall wall)
{
  Pond pond;
  vlStatus status = {0};
  vlSlipWork work = {0};
  pond_create(&pond, 20, 14, 12, 0.1, false);
  const vlGrid *g = &pond.grid;
  unsigned char *near = malloc(vl_blocks_place(&pond.wet, g->blocks_x, g->n[1], g->n[2]) + 1);
  assert_non_null(near);
  memset(near, 2, vl_blocks_place(&pond.wet, g->blocks_x, g->n[1], g->n[2]) + 1);
  for (int k = 0; k <= g->n[2]; k++)
    for (int j = 0; j <= g->n[1]; j++)
      for (int i = 0; i <= g->n[0]; i++) {
        const double x[3] = {i, j, k};
        pond.phi[vl_grid_at(g, i, j, k)] = height(&wall, x);
      }
  Linear flow = stagnation(&wall);
  linear_fill(&flow, g, pond.u);
  /* deep in the solid nothing is known */
  for (int a = 0; a < 3; a++)
    for (int k = 0; k < g->n[2]; k++)
      for (int j = 0; j < g->n[1]; j++)
        for (int i = 0; i < g->n[0]; i++) {
          double x[3];
          face_middle(g, a, i, j, k, x);
          if (height(&wall, x) < -0.8) pond.u[a][vl_grid_at(g, i, j, k)] = 77.0;
        }
  vlObstacles obstacles = {.distance = pond.phi, .near = near, .shape = &pond.wet};
  assert_int_equal(vl_slip(g, &pond.wet, obstacles, NULL, pond.u, &work, &status), VL_OK);
  int checked = 0;
  for (int a = 0; a < 3; a++)
    for (int k = 3; k < g->n[2] - 3; k++)
      for (int j = 3; j < g->n[1] - 3; j++)
        for (int i = 3; i < g->n[0] - 3; i++) {
          double x[3], v = pond.u[a][vl_grid_at(g, i, j, k)], wall_slope = 0.0;
          face_middle(g, a, i, j, k, x);
          double d = height(&wall, x);
          if (d < -1.0 || d > 0.25) continue;
          /* along the wall the velocity a cell before it: exact but for the change over the way there */
          double before[3];
          for (int b = 0; b < 3; b++) before[b] = x[b] + (1.0 - d) * wall.n[b];
          double along = linear_at(&flow, a, before);
          for (int b = 0; b < 3; b++) wall_slope += linear_at(&flow, b, before) * wall.n[b];
          assert_true(fabs(v - (along - (1.0 - d) * wall_slope * wall.n[a])) < 1e-9);
          /* this flow has no shear, so that is the flow itself */
          assert_true(fabs(v - linear_at(&flow, a, x)) < 1e-9);
          checked++;
        }
  if (checked < 10) fail_msg("%d faces checked", checked);
  free(work.value);
  free(near);
  pond_destroy(&pond);
}

static void test_slides_along_walls(void **state)
{
  (void)state;
  slides_along((Wall){{0.0, 1.0, 0.0}});
  slides_along((Wall){{0.28, 0.96, 0.0}});
  slides_along((Wall){{0.36, 0.8, 0.48}});
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_slides_along_walls)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
