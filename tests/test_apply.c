/* Right-hand side and velocity update: each other's transpose, what the matrix is made of, and nothing moves that is at
 * rest. Open areas are noise: nothing here depends on what they are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tank.h"

/* Assembled, with the right-hand side of u*. */
static vlFluid prepare(Tank *t)
{
  vlStatus status = {0};
  vlFluid fluid = tank_fluid(t);
  if (vl_pressure_assemble(t->pressure, &fluid, &status)) fail_msg("%s", status.message);
  vl_pressure_rhs(t->pressure, &fluid, t->u_star, NULL, t->dt, t->rho);
  return fluid;
}

/* Any pressure of the unknowns, in the system and as a field. */
static void set_pressure(Tank *t, const vlFluid *fluid, uint64_t seed)
{
  const vlStencil *s = &t->pressure->stencil;
  for (size_t i = 0; i < vl_stencil_length(s); i++)
    t->pressure->p[i] = s->diagonal[i] > 0.0 ? random_between(&seed, -1e3, 1e3) : 0.0;
  vl_pressure_store(t->pressure, fluid, t->p);
}

/* With M the masses of faces, rho A_f d_f, u(p) = -(dt/rho) grad p and b = -(rho/(dt dx)) outflow(u*):
 *   u* . M u(p) = dt p . outflow(u*) = -(dt2 dx/rho) p . b */
static void update_is_the_transpose_of_outflow(void **state)
{
  (void)state;
  Tank t;
  tank_noise(&t, 7, 1, false);
  tank_random_flow(&t, 2);
  vlFluid fluid = prepare(&t);
  set_pressure(&t, &fluid, 3);
  double *zero[3], momentum = 0.0, size = 0.0;
  for (int a = 0; a < 3; a++) zero[a] = vl_field_create(&t.grid);
  vl_pressure_apply(t.pressure, &fluid, t.p, zero, NULL, t.u);
  for (int b = 0; b < t.wet.count; b++)
    for (int l = 0; l < vl_blocks_width(&t.wet, t.wet.at[b]); l++)
      for (int a = 0; a < 3; a++) {
        vlLink link = vl_links_at(&t.pressure->links, &fluid, b * VL_BLOCK + l, a);
        double term = t.rho * link.area * link.distance * t.u_star[a][link.at] * t.u[a][link.at];
        momentum += link.kind ? term : 0.0;
        size += fabs(term);
      }
  double work = vl_vector_dot(t.pressure->p, t.pressure->b, vl_stencil_length(&t.pressure->stencil));
  assert_true(size > 0.0);
  assert_true(fabs(momentum + t.dt * t.dt * t.grid.dx / t.rho * work) <= 1e-13 * size); /* round-off of the sums */
  for (int a = 0; a < 3; a++) vl_field_destroy(&t.grid, &zero[a]);
  tank_drain(&t);
}

/* What the update takes is what the matrix says: the right-hand side of u(p) is -L p. */
static void matrix_is_outflow_of_the_update(void **state)
{
  (void)state;
  Tank t;
  tank_noise(&t, 7, 4, false);
  vlFluid fluid = prepare(&t);
  set_pressure(&t, &fluid, 5);
  const vlStencil *s = &t.pressure->stencil;
  double *p = stencil_zero(s), *lp = stencil_zero(s);
  memcpy(p, t.pressure->p, vl_stencil_length(s) * sizeof *p);
  vl_stencil_apply(s, p, lp);
  vl_pressure_apply(t.pressure, &fluid, t.p, t.u_star, NULL, t.u); /* u* is zero */
  vl_pressure_rhs(t.pressure, &fluid, t.u, NULL, t.dt, t.rho);
  for (size_t i = 0; i < vl_stencil_length(s); i++)
    assert_true(fabs(t.pressure->b[i] + lp[i]) <= 1e-13 * 2e3 * s->diagonal[i]); /* terms of a row are below that */
  vl_stencil_vector_free(p);
  vl_stencil_vector_free(lp);
  tank_drain(&t);
}

/* After the solve outflow is what the residual leaves: |outflow| <= dt dx/rho tolerance |b|, with a factor of two that CG
 * allows itself. */
static void nothing_is_left_but_the_residual(void **state)
{
  (void)state;
  for (int full = 0; full < 2; full++) {
    Tank t;
    tank_noise(&t, 7, 6, full);
    tank_random_flow(&t, 7);
    vlFluid fluid = tank_fluid(&t);
    for (double tolerance = 1e-3; tolerance > 1e-12; tolerance *= 1e-4) {
      tank_project(&t, &fluid, VL_SOLVER_MULTIGRID, tolerance, NULL);
      double b = sqrt(vl_vector_dot(t.pressure->b, t.pressure->b, vl_stencil_length(&t.pressure->stencil)));
      double allowed = 2.0 * tolerance * b * t.dt * t.grid.dx / t.rho / (t.grid.dx * t.grid.dx);
      assert_true(tank_max_outflow(&t, t.u) <= allowed + 1e-13);
    }
    tank_drain(&t);
  }
}

/* Under a plane surface of any slope, whatever is open: p = rho g depth, and nothing moves. */
static void rest_stays_at_rest(void **state)
{
  (void)state;
  const vlVec3 normal = vl_unit(vl_vec(0.3, 1, 0.2)), gravity = vl_scale(normal, -9.81);
  Tank t;
  tank_noise(&t, 7, 8, false);
  for (int k = 0; k < 7; k++)
    for (int j = 0; j < 9; j++)
      for (int i = 0; i < 37; i++)
        t.phi[vl_grid_at(&t.grid, i, j, k)] = vl_dot(normal, vl_grid_center(&t.grid, i, j, k)) - 1.01;
  tank_forces(&t, gravity);
  vlFluid fluid = prepare(&t);
  for (int b = 0; b < t.wet.count; b++)
    for (int l = 0; l < vl_blocks_width(&t.wet, t.wet.at[b]); l++) {
      ptrdiff_t at = vl_blocks_field(&t.grid, t.wet.at[b]) + l;
      t.p[at] = tank_unknown(&t, b, l) ? -t.rho * 9.81 * t.phi[at] : 0.0;
    }
  vl_pressure_apply(t.pressure, &fluid, t.p, t.u_star, NULL, t.u);
  assert_true(t.pressure->links.surface_count > 50 && t.pressure->stencil.unknowns > 500);
  assert_true(tank_max_speed(&t) <= 1e-11); /* dt g = 0.1 m/s; theta down to 1e-4 makes 1e4 of a rounding */
  tank_drain(&t);
}

/* The same pressure on all of the surface and in all of the liquid pushes nothing, in the system and in the update. */
static void even_pressure_pushes_nothing(void **state)
{
  (void)state;
  const double q = 321.0;
  vlStatus status = {0};
  Tank t;
  tank_noise(&t, 7, 9, false);
  for (int a = 0; a < 3; a++)
    for (size_t i = 0; i < t.grid.length; i++) t.jump[a][i] = q;
  vlFluid fluid = tank_fluid(&t);
  fluid.jump = (const double *const *)t.jump;
  assert_int_equal(vl_pressure_assemble(t.pressure, &fluid, &status), VL_OK);
  vl_pressure_rhs(t.pressure, &fluid, t.u_star, NULL, t.dt, t.rho);
  const vlStencil *s = &t.pressure->stencil;
  double *p = stencil_zero(s), *lp = stencil_zero(s);
  for (size_t i = 0; i < vl_stencil_length(s); i++) t.pressure->p[i] = p[i] = s->diagonal[i] > 0.0 ? q : 0.0;
  vl_stencil_apply(s, p, lp);
  for (size_t i = 0; i < vl_stencil_length(s); i++)
    assert_true(fabs(lp[i] - t.pressure->b[i]) <= 1e-14 * q * s->diagonal[i]);
  vl_pressure_store(t.pressure, &fluid, t.p);
  vl_pressure_apply(t.pressure, &fluid, t.p, t.u_star, NULL, t.u);
  assert_true(tank_max_speed(&t) == 0.0); /* differences of equal numbers */
  vl_stencil_vector_free(p);
  vl_stencil_vector_free(lp);
  tank_drain(&t);
}

/* Faces without a link keep u* where they are told to and are open, else they are at rest; u may be u*. */
static void spray_is_kept(void **state)
{
  (void)state;
  Tank t;
  uint64_t seed = 10;
  tank_noise(&t, 7, 11, false);
  tank_random_flow(&t, 12);
  vlFluid fluid = prepare(&t);
  set_pressure(&t, &fluid, 13);
  unsigned short *keep[3];
  for (int a = 0; a < 3; a++) {
    keep[a] = malloc((size_t)t.wet.count * sizeof *keep[a]);
    for (int b = 0; b < t.wet.count; b++) keep[a][b] = (unsigned short)random_between(&seed, 0, 65535);
  }
  vl_pressure_apply(t.pressure, &fluid, t.p, t.u_star, keep, t.u);
  int kept = 0, still = 0;
  for (int b = 0; b < t.wet.count; b++)
    for (int l = 0; l < vl_blocks_width(&t.wet, t.wet.at[b]); l++)
      for (int a = 0; a < 3; a++) {
        vlLink link = vl_links_at(&t.pressure->links, &fluid, b * VL_BLOCK + l, a);
        if (link.kind) continue;
        bool stays = keep[a][b] >> l & 1u && link.area > 0.0;
        assert_true(t.u[a][link.at] == (stays ? t.u_star[a][link.at] : 0.0));
        kept += stays && t.u_star[a][link.at] != 0.0;
        still += !stays && t.u_star[a][link.at] != 0.0;
      }
  assert_true(kept > 100 && still > 100);
  vl_pressure_apply(t.pressure, &fluid, t.p, t.u_star, keep, t.u_star);
  for (int a = 0; a < 3; a++) {
    assert_memory_equal(t.u[a], t.u_star[a], t.grid.length * sizeof(double));
    free(keep[a]);
  }
  tank_drain(&t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(update_is_the_transpose_of_outflow), cmocka_unit_test(matrix_is_outflow_of_the_update),
      cmocka_unit_test(nothing_is_left_but_the_residual),   cmocka_unit_test(rest_stays_at_rest),
      cmocka_unit_test(even_pressure_pushes_nothing),       cmocka_unit_test(spray_is_kept),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
