/* A step of the immersed engine, algorithm 2 of [brandt2019]:
 *
 *   elastic step of the bodies alone                      V*
 *   particles and grains to the grid, new forces          u*, M_f, rho_f
 *   pressure with the density of each face                div (1/rho grad p) = div u* / dt - excess
 *   grid to particles and grains, what must not meet      v
 *   places along the grid's velocity                      x
 *   bodies in the shape nearest to their grains           Xr
 *
 * The driver, retries and all stages that are the sharp engine's are in engine/sharp/step.c. The solve ends after a fixed
 * number of iterations, begun from the last pressure, or before where it is exact, so that each step costs the same. Other
 * ways to begin, to iterate and to count densities are there for the figures of the paper (scene keys pressure.guess, solver
 * and density). */
#include <math.h>

#include "engine/immersed/immersed.h"

static const double STEP = 1.0 / 60.0; /* s: of [brandt2019, table 1] */

static double natural_step(const vlSharp *sim)
{
  (void)sim;
  return STEP;
}

/* How dense a cell is over the liquid's density, by mass and room on its faces inside the domain. */
static double cell_density(const vlSharp *sim, vlBlockPosition p, int l)
{
  const vlGrid *g = &sim->grid;
  ptrdiff_t at = vl_blocks_field(g, p) + l;
  const int cell[3] = {p.bx * VL_BLOCK + l, p.j, p.k};
  double mass = 0.0, room = 0.0;
  for (int a = 0; a < 3; a++)
    for (int upper = 0; upper < 2; upper++) {
      ptrdiff_t f = at + upper * g->stride[a];
      if (cell[a] == (upper ? g->n[a] - 1 : 0)) continue;
      mass += sim->work.mass[a][f];
      room += sim->work.mass[a][f] * sim->work.light[a][f];
    }
  return room > 0.0 ? mass / room : 1.0;
}

/* As the program of [brandt2019] has it: div grad p = rho div u / dt, u -= dt/rho grad p, with rho of the cell in the one
 * and of the face in the other. No pressure takes the divergence away then where rho differs from face to face. */
static void weigh_cells(vlSharp *sim)
{
  vlPressure *pressure = sim->work.pressure;
  const vlBlocks *blocks = &pressure->stencil.blocks;
#pragma omp parallel for schedule(static)
  for (int b = 0; b < blocks->count; b++)
    for (int l = 0; l < vl_blocks_width(blocks, blocks->at[b]); l++)
      pressure->b[b * VL_BLOCK + l] *= cell_density(sim, blocks->at[b], l);
}

/* What the matrix is made of. */
static vlFluid assembled(const vlSharp *sim)
{
  vlFluid fluid = vl_sharp_fluid(sim);
  if (sim->scene->pressure.density == VL_DENSITY_CELLS) fluid.light = NULL;
  return fluid;
}

/* The system, with the divergence that crowded cells ask for. */
static vlCode assemble(vlSharp *sim, vlStep *step, vlStatus *status)
{
  const vlPressureDef *pressure = &sim->scene->pressure;
  vlFluid fluid = assembled(sim);
  vlCode code = vl_pressure_assemble(sim->work.pressure, &fluid, status);
  if (!code) code = vl_sources_give(sim, step, status);
  if (code) return code;
  sim->work.swells = vl_medium_excess(vl_immersed(sim), step->dt);
  fluid = assembled(sim);
  vl_pressure_rhs(sim->work.pressure, &fluid, sim->work.u, pressure->guess == VL_GUESS_ZERO ? NULL : sim->state.p,
                  step->kick, sim->scene->liquid.density);
  if (pressure->density == VL_DENSITY_CELLS && sim->guest_count > 0) weigh_cells(sim);
  if (sim->guest_count > 0) vl_medium_keep(vl_immersed(sim));
  return VL_OK;
}

static vlCode solve(vlSharp *sim, vlStep *step, vlStatus *status)
{
  const vlPressureDef *pressure = &sim->scene->pressure;
  vlSolveOptions options = {.tolerance = pressure->tolerance, .max_iterations = pressure->max_iterations};
  vlCode code = vl_sharp_solve(sim, step->dt, options, &step->result, status);
  if (step->result.info.reason == VL_SOLVE_ITERATIONS) step->result.info.reason = VL_SOLVE_CONVERGED;
  return code;
}

static vlCode to_grid(vlSharp *sim, vlStep *step, vlStatus *status)
{
  (void)step, (void)status;
  vl_medium_to_grid(vl_immersed(sim));
  return VL_OK;
}

static vlCode full(vlSharp *sim, vlStep *step, vlStatus *status)
{
  (void)step, (void)status;
  vl_medium_fill(vl_immersed(sim));
  vl_motion_free_sides(sim, false, sim->state.u_old);
  vl_motion_free_sides(sim, true, sim->state.u);
  return VL_OK;
}

/* The grid counts bodies with what programs have made of them since (vl_sim_set_material). */
static vlCode weigh(vlSharp *sim, vlStep *step, vlStatus *status)
{
  if (!vl_guests_weigh(vl_immersed(sim))) return VL_OK;
  vlCode code = to_grid(sim, step, status);
  return code ? code : full(sim, step, status);
}

static vlCode settle(vlSharp *sim, vlStep *step, vlStatus *status)
{
  vlCode code = vl_guests_sort(vl_immersed(sim), status);
  return code ? code : vl_motion_settle(sim, step, status);
}

static vlCode place(vlSharp *sim, vlStatus *status)
{
  vlCode code = vl_guests_sort(vl_immersed(sim), status);
  return code ? code : vl_motion_place(sim, status);
}

static vlCode fill(vlSharp *sim, vlStatus *status)
{
  vlStep none = {0};
  vlCode code = to_grid(sim, &none, status);
  if (!code) code = full(sim, &none, status);
  if (!code && sim->state.step == 0) vl_motion_begin(sim);
  return code;
}

static vlCode kick(vlSharp *sim, vlStep *step, vlStatus *status)
{
  (void)step;
  return sim->guest_count > 0 ? vl_medium_kick(vl_immersed(sim), status) : VL_OK;
}

/* Crowded cells hold no more than they have room for. */
static double filled(const vlSharp *sim, ptrdiff_t at)
{
  double full = sim->work.full[at];
  return full < 1.0 ? full : 1.0;
}

static const vlStage tried[] = {{VL_STAGE_TRANSFER, weigh},
                                {VL_STAGE_FORCES, vl_sources_find},
                                {VL_STAGE_FORCES, vl_forces_add},
                                {VL_STAGE_FORCES, vl_body_step_begin},
                                {VL_STAGE_BODIES, vl_guests_predict},
                                {VL_STAGE_SETUP, assemble},
                                {VL_STAGE_SOLVE, solve},
                                {0, NULL}};
static const vlStage measured[] = {{VL_STAGE_VELOCITY, vl_step_velocity},  {VL_STAGE_MEASURE, vl_step_describe},
                                   {VL_STAGE_MEASURE, vl_body_step_layer}, {VL_STAGE_MEASURE, vl_measure},
                                   {VL_STAGE_MEASURE, vl_guests_measure},  {0, NULL}};
static const vlStage judged[] = {{VL_STAGE_MEASURE, vl_body_step_check}, {VL_STAGE_MEASURE, vl_body_warn}, {0, NULL}};
static const vlStage taken[] = {{VL_STAGE_MEASURE, vl_walls_measure},
                                {VL_STAGE_VELOCITY, vl_step_accept},
                                {VL_STAGE_BODIES, vl_body_step_finish},
                                {0, NULL}};
static const vlStage moved[] = {{VL_STAGE_MOTION, vl_sources_move},
                                {VL_STAGE_VELOCITY, kick},
                                {VL_STAGE_VELOCITY, vl_motion_extend},
                                {VL_STAGE_BODIES, vl_guests_carry},
                                {VL_STAGE_MOTION, vl_motion_carry},
                                {VL_STAGE_BODIES, vl_guests_settle},
                                {VL_STAGE_MOTION, vl_motion_exchange},
                                {VL_STAGE_MOTION, settle},
                                {VL_STAGE_TRANSFER, to_grid},
                                {VL_STAGE_LEVEL_SET, full},
                                {VL_STAGE_MEASURE, vl_measure_particles},
                                {VL_STAGE_MEASURE, vl_motion_warn},
                                {0, NULL}};

const vlMethod vl_method_immersed = {.tried = tried,
                                     .measured = measured,
                                     .judged = judged,
                                     .taken = taken,
                                     .moved = moved,
                                     .natural_step = natural_step,
                                     .filled = filled,
                                     .place = place,
                                     .settle = settle,
                                     .fill = fill,
                                     .deflect = vl_meet_deflect,
                                     .deflects = vl_meet_deflects};
