/* Bodies beside liquid in several pieces within cells: they press on the piece that each patch is said to border. Cells that
 * are given as a tail are what they were; what flows into bodies is what they push away, and nothing is lost of either. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pressure/system.h"
#include "tail_pieces.h"
#include "wet_body.h"

/* A body that hangs in a half-filled box, begun for a step, and a tail of the liquid around it. */
typedef struct Case {
  vlBodyDef body;
  vlScene scene;
  vlSim *sim;
  Tank tank;
  vlFluid fluid;
  Tail tail;
} Case;

static int find_piece(const void *data, const vlPatch *patch)
{
  const Case *c = data;
  const int *cell = patch->cell;
  int b = vl_blocks_find(c->fluid.wet, cell[0] / VL_BLOCK, cell[1], cell[2]), node = b * VL_BLOCK + cell[0] % VL_BLOCK;
  if (b < 0) return VL_TAIL_SURFACE;
  int pieces = c->tail.mains ? 2 : 1;
  return end_of(&c->tail, node, c->tail.first_extra[node] < 0 ? 0 : patch->triangle % pieces);
}

/* pieces: 0 for no tail. */
static void begin(Case *c, vlBodyKind kind, int pieces)
{
  vlStatus status = {0};
  *c = (Case){.body = turned_box(vl_vec(0.52, 0.42, 0.45), vl_vec(0.35, 0.2, 0.25), 3)};
  c->body.kind = kind;
  c->body.velocity = vl_vec(0.3, -0.8, 0.1);
  c->body.density = 300.0;
  c->scene = coupled_scene(20, &c->body);
  c->scene.liquid.has_level = true;
  c->scene.liquid.level = 0.53;
  c->sim = start(&c->scene);
  step(c->sim);
  vlSharp *sim = vl_sharp(c->sim);
  assert_int_equal(vl_body_step_begin(sim, &(vlStep){.dt = 0.005}, &status), VL_OK);
  c->fluid = vl_sharp_fluid(sim);
  Tank *t = &c->tank;
  *t = (Tank){.grid = sim->grid, .wet = sim->work.wet, .rho = 1000.0, .dt = 0.005, .p = vl_field_create(&sim->grid)};
  for (int a = 0; a < 3; a++) {
    t->u[a] = vl_field_create(&t->grid);
    t->u_star[a] = vl_field_create(&t->grid);
  }
  tank_random_flow(t, 3);
  for (int a = 0; a < 3; a++)
    for (size_t i = 0; i < t->grid.length; i++) t->u_star[a][i] *= 0.2;
  assert_int_equal(vl_pressure_create(&t->pressure, &t->grid, &status), VL_OK);
  if (pieces == 0) return;
  c->tail = make_tail_of(t, &c->fluid, 0.1, 0.4, pieces, pieces == 2, 5);
  c->tail.tail.find = find_piece;
  c->tail.tail.data = c;
  c->fluid.tail = &c->tail.tail;
}

static void end(Case *c)
{
  for (int a = 0; a < 3; a++) {
    vl_field_destroy(&c->tank.grid, &c->tank.u[a]);
    vl_field_destroy(&c->tank.grid, &c->tank.u_star[a]);
  }
  vl_field_destroy(&c->tank.grid, &c->tank.p);
  vl_pressure_destroy(&c->tank.pressure);
  if (c->fluid.tail) free_tail(&c->tail);
  vl_sim_destroy(&c->sim);
}

/* By CG with multigrid, or by one of the forms of the coupled system. */
static void solve(Case *c, vlCouplingKind form)
{
  vlStatus status = {0};
  vlPressure *p = c->tank.pressure;
  vlSolveOptions options = {.tolerance = 1e-12, .max_iterations = 4000};
  assert_int_equal(vl_pressure_assemble(p, &c->fluid, &status), VL_OK);
  vl_pressure_rhs(p, &c->fluid, c->tank.u_star, NULL, c->tank.dt, c->tank.rho);
  vl_pressure_rhs_bodies(p);
  vlCode code = form == VL_COUPLING_SCHUR ? vl_pressure_solve(p, VL_SOLVER_MULTIGRID, options, &c->tank.result, &status)
                                          : vl_system_solve(p, form, 0.5, 1.0, options, &c->tank.result, &status);
  if (code) fail_msg("%s", status.message);
  assert_int_equal(c->tank.result.info.reason, VL_SOLVE_CONVERGED);
  vl_pressure_store(p, &c->fluid, c->tank.p);
  vl_coupling_velocity(&p->coupling, p->p);
  vl_pressure_apply(p, &c->fluid, c->tank.p, c->tank.u_star, NULL, c->tank.u);
}

static const vlBodyKind BODIES[2] = {VL_BODY_ELASTIC, VL_BODY_RIGID};

/* Pressures, loads and velocities of bodies are those without tail, in every form of the system. */
static void cells_of_the_tail_are_cells(void **state)
{
  (void)state;
  static const vlCouplingKind form[] = {VL_COUPLING_SCHUR, VL_COUPLING_MINRES};
  for (int kind = 0; kind < 2; kind++)
    for (int f = 0; f < 2; f++) {
      Case plain, c;
      begin(&plain, BODIES[kind], 0);
      begin(&c, BODIES[kind], 1);
      solve(&plain, VL_COUPLING_SCHUR);
      solve(&c, form[f]);
      const vlCoupling *there = &plain.tank.pressure->coupling, *here = &c.tank.pressure->coupling;
      int extras = 0;
      for (int r = 0; r < here->rows; r++) extras += here->cell[r] >= (int)vl_stencil_tail(&c.tank.pressure->stencil);
      assert_int_equal(here->rows, there->rows);
      assert_true(extras > 50);
      double largest = 0.0, off = 0.0, force = 0.0, off_force = 0.0, speed = 0.0, off_speed = 0.0;
      for (int i = 0; i < c.tank.wet.count * VL_BLOCK; i++) {
        ptrdiff_t at = vl_blocks_field(&c.tank.grid, c.tank.wet.at[i / VL_BLOCK]) + i % VL_BLOCK;
        int e = c.tail.first_extra[i];
        largest = fmax(largest, fabs(plain.tank.p[at]));
        off = fmax(off, fabs((e < 0 ? c.tank.p[at] : c.tail.p[e]) - plain.tank.p[at]));
      }
      for (int i = 0; i < vl_bodies_nodes(here->bodies); i++) {
        force = fmax(force, vl_norm(there->load[i]));
        off_force = fmax(off_force, vl_norm(vl_sub(here->load[i], there->load[i])));
        speed = fmax(speed, vl_norm(there->velocity[i]));
        off_speed = fmax(off_speed, vl_norm(vl_sub(here->velocity[i], there->velocity[i])));
      }
      if (!(off <= 1e-8 * largest && off_force <= 1e-8 * force && off_speed <= 1e-8 * speed))
        fail_msg("body %d, form %d: p off by %.1e, load by %.1e, v by %.1e", kind, f, off / largest, off_force / force,
                 off_speed / speed);
      end(&plain);
      end(&c);
    }
}

/* Two pieces in a cell: power, force and flow. */
static void pieces_carry_bodies(void **state)
{
  (void)state;
  for (int kind = 0; kind < 2; kind++) {
    Case c;
    begin(&c, BODIES[kind], 2);
    solve(&c, VL_COUPLING_SCHUR);
    const vlPressure *p = c.tank.pressure;
    const vlCoupling *j = &p->coupling;
    const vlStencil *s = &p->stencil;
    size_t n = vl_stencil_length(s);
    /* force: sum of p s over the patches, each with the pressure of its own piece */
    vlVec3 total = vl_vec(0, 0, 0), told = vl_vec(0, 0, 0);
    double size = 0.0;
    int pieces = 0;
    for (int q = 0; q < j->patches->count; q++) {
      const vlPatch *patch = &j->patches->patch[q];
      int at = vl_tail_place(p, &c.fluid, vl_tail_find(&c.fluid, patch));
      if (at < 0) continue;
      pieces += at >= (int)vl_stencil_tail(s);
      total = vl_axpy(total, p->p[at], patch->s);
      size += fabs(p->p[at]) * vl_norm(patch->s);
    }
    for (int i = 0; i < vl_bodies_nodes(j->bodies); i++) told = vl_add(told, j->load[i]);
    assert_true(pieces > 50);
    assert_true(vl_norm(vl_sub(total, told)) <= 1e-13 * size);
    /* power: p.J v = v.J^T p */
    double *flux = calloc(n + VL_BLOCK, sizeof *flux), by_cells = 0.0, by_nodes = 0.0, power = 0.0;
    vl_coupling_flux(j, j->velocity, 1.0, NULL, flux);
    for (size_t i = 0; i < n; i++) by_cells += p->p[i] * flux[i];
    for (int i = 0; i < vl_bodies_nodes(j->bodies); i++) {
      by_nodes += vl_dot(j->load[i], j->velocity[i]);
      power += vl_norm(j->load[i]) * vl_norm(j->velocity[i]);
    }
    assert_true(fabs(by_cells - by_nodes) <= 1e-13 * power);
    /* flow: none is left in any node */
    double most = 0.0, before = 0.0, dx2 = c.tank.grid.dx * c.tank.grid.dx;
    for (size_t i = 0; i < n; i++) before = fmax(before, fabs(p->b[i]) / j->scale);
    for (int b = 0; b < c.tank.wet.count; b++) {
      double outflow[VL_BLOCK] = {0};
      int own = vl_tail_place(p, &c.fluid, b * VL_BLOCK);
      vl_links_outflow(&p->links, &c.fluid, b, c.tank.u, outflow);
      for (int l = 0; l < VL_BLOCK && own >= 0; l++)
        if (s->diagonal[own + l] > 0.0) most = fmax(most, fabs(outflow[l] + flux[own + l]));
    }
    for (int e = 0; e < c.tail.tail.extras; e++) {
      double outflow[VL_BLOCK] = {0};
      vl_tail_outflow(&p->links, p->links.ends.blocks + e, outflow);
      if (s->diagonal[vl_stencil_tail(s) + (size_t)e] > 0.0)
        most = fmax(most, fabs(outflow[0] + flux[vl_stencil_tail(s) + (size_t)e]));
    }
    assert_true(before > 0.01 * dx2);
    if (!(most <= 1e-9 * before)) fail_msg("body %d: %.1e of the outflow is left", kind, most / before);
    free(flux);
    end(&c);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cells_of_the_tail_are_cells),
      cmocka_unit_test(pieces_carry_bodies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
