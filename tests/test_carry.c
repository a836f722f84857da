/* The pass over the particles against plain versions of its parts, from the formulas: trilinear values face by face, PIC,
 * FLIP and affine velocities, the two integrators. What solids do to the way is tested in test_advect.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "liquid/advect.h"
#include "pond.h"

enum { COUNT = 4000 };
static const vlFlight GROUND = {.phi = NULL};

/* Value among the faces along an axis: the weights of all eight, each from its distance; beyond the outermost their value.
 */
static double plain_value(const vlGrid *g, int axis, const double *u, const double x[3])
{
  int base[3];
  double f[3], sum = 0.0;
  for (int a = 0; a < 3; a++) {
    double q = a == axis ? x[a] : x[a] - 0.5, most = a == axis ? g->n[a] : g->n[a] - 1.0;
    q = g->n[a] == 1 ? 0.0 : fmin(fmax(q, 0.0), most);
    base[a] = g->n[a] == 1 ? 0 : (int)fmin(floor(q), most - 1.0);
    f[a] = q - base[a];
  }
  for (int c = 0; c < 8; c++) {
    double w = 1.0;
    for (int a = 0; a < 3; a++) w *= c >> a & 1 ? f[a] : 1.0 - f[a];
    if (w > 0.0) sum += w * u[vl_grid_at(g, base[0] + (c & 1), base[1] + (c >> 1 & 1), base[2] + (c >> 2 & 1))];
  }
  return sum;
}

static void plain_velocity(const Pond *pond, const double x[3], double v[3])
{
  for (int a = 0; a < 3; a++) v[a] = pond->grid.n[a] == 1 ? 0.0 : plain_value(&pond->grid, a, pond->u[a], x);
}

static void plain_way(const Pond *pond, vlIntegratorKind integrator, double h, const double x[3], double to[3])
{
  double k1[3], k2[3], k3[3], at[3];
  plain_velocity(pond, x, k1);
  for (int a = 0; a < 3; a++) at[a] = x[a] + 0.5 * h * k1[a];
  plain_velocity(pond, at, k2);
  for (int a = 0; a < 3; a++) at[a] = x[a] + 0.75 * h * k2[a];
  plain_velocity(pond, at, k3);
  for (int a = 0; a < 3; a++) {
    double slope = integrator == VL_INTEGRATOR_RK2 ? k2[a] : (2.0 * k1[a] + 3.0 * k2[a] + 4.0 * k3[a]) / 9.0;
    to[a] = x[a] + h * slope;
  }
}

static void fill(Pond *pond, int nz, bool affine)
{
  pond_create(pond, 37, 11, nz, 0.1, affine);
  uint64_t seed = 11;
  const vlGrid *g = &pond->grid;
  for (int a = 0; a < 3; a++)
    for (int k = 0; k <= nz; k++)
      for (int j = 0; j <= 11; j++)
        for (int i = 0; i <= 37; i++) {
          pond->u[a][vl_grid_at(g, i, j, k)] = 2.0 * pond_random(&seed) - 1.0;
          pond->u_old[a][vl_grid_at(g, i, j, k)] = 2.0 * pond_random(&seed) - 1.0;
        }
  const double lo[3] = {0, 0, 0}, hi[3] = {37, 11, nz};
  pond_scatter(pond, COUNT, lo, hi, 5);
}

/* Places and velocities of the plain versions, to single precision of places up to 37 cells. */
static void test_plain(void **state)
{
  (void)state;
  static float x0[COUNT][3], v0[COUNT][3];
  for (int mode = 0; mode < 8; mode++) {
    int nz = mode & 1 ? 1 : 7;
    bool affine = mode & 2;
    vlIntegratorKind integrator = mode & 4 ? VL_INTEGRATOR_RK3 : VL_INTEGRATOR_RK2;
    double flip = 0.9, dt = 0.12;
    Pond pond;
    fill(&pond, nz, affine);
    vlParticles *p = pond.particles;
    for (int i = 0; i < COUNT; i++)
      for (int a = 0; a < 3; a++) x0[i][a] = p->x[a][i], v0[i][a] = p->v[a][i];
    vlCarry carry = {.u = pond.u, .change = pond.u_old, .flip = flip, .dt = dt, .integrator = integrator, .flight = &GROUND};
    assert_int_equal(vl_carry_particles(p, &pond.grid, &carry, &(double){0}), 0);
    for (int i = 0; i < COUNT; i++) {
      const double x[3] = {(double)x0[i][0], (double)x0[i][1], (double)x0[i][2]};
      double to[3], now[3];
      plain_velocity(&pond, x, now);
      plain_way(&pond, integrator, dt / pond.grid.dx, x, to);
      for (int a = 0; a < 3; a++) {
        int n = pond.grid.n[a];
        if (n == 1) continue;
        bool stopped = to[a] < 0.02 || to[a] > n - 0.02; /* at the domain's sides */
        if (stopped) {
          assert_true(p->x[a][i] > 0.0f && p->x[a][i] < (float)n);
          continue;
        }
        assert_true(fabs((double)p->x[a][i] - to[a]) <= 4e-6);
        double change = plain_value(&pond.grid, a, pond.u_old[a], x),
               v = affine ? now[a] : flip * ((double)v0[i][a] + change) + (1.0 - flip) * now[a];
        assert_true(fabs((double)p->v[a][i] - v) <= 4e-7);
      }
    }
    pond_destroy(&pond);
  }
}

static bool hold_right_half(const void *data, const double x[3], const double own[3], double v[3], double way[3])
{
  (void)own;
  const double *given = data;
  if (x[0] < 18.0) return false;
  for (int a = 0; a < 3; a++) v[a] = way[a] = given[a];
  return true;
}

/* What is held has the velocity it is held at, and goes straight on by it. */
static void test_held(void **state)
{
  (void)state;
  static const double given[3] = {0.5, -0.25, 0.125};
  Pond pond, free_pond;
  fill(&pond, 7, false);
  fill(&free_pond, 7, false);
  vlCarry carry = {.u = pond.u,
                   .change = pond.u_old,
                   .flip = 0.9,
                   .dt = 0.01,
                   .flight = &GROUND,
                   .held = hold_right_half,
                   .held_data = given};
  static float x0[COUNT], before[3][COUNT];
  for (int i = 0; i < COUNT; i++) x0[i] = pond.particles->x[0][i];
  for (int a = 0; a < 3; a++) memcpy(before[a], pond.particles->x[a], sizeof before[a]);
  vl_carry_particles(pond.particles, &pond.grid, &carry, &(double){0});
  carry.held = NULL;
  carry.u = free_pond.u;
  carry.change = free_pond.u_old;
  vl_carry_particles(free_pond.particles, &free_pond.grid, &carry, &(double){0});
  int held = 0;
  for (int i = 0; i < COUNT; i++)
    for (int a = 0; a < 3; a++) {
      float v = pond.particles->v[a][i];
      held += x0[i] >= 18.0f;
      if (x0[i] >= 18.0f)
        assert_true(v == (float)given[a] || v == 0.0f); /* zero: it ran into a side */
      else
        assert_true(v == free_pond.particles->v[a][i] && pond.particles->x[a][i] == free_pond.particles->x[a][i]);
      double way = 0.01 / pond.grid.dx * given[a], x = (double)before[a][i] + way;
      bool clear = x > 0.1 && x < pond.grid.n[a] - 0.1; /* of the sides, which keep particles off */
      if (x0[i] >= 18.0f && clear) assert_true(fabs((double)pond.particles->x[a][i] - x) < 1e-5);
    }
  assert_true(held > COUNT);
  pond_destroy(&pond);
  pond_destroy(&free_pond);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_plain), cmocka_unit_test(test_held)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
