/* A time step of the sharp engine:
 *   add forces      u* = u + dt g
 *   geometry        unknowns, face weights
 *   pressure        L p = -div u*,   u = u* - (dt/rho) grad p
 * The liquid does not move yet: its level set stays as the scene drew it. A step that fails leaves the state as it was and
 * is tried again with half the time step, a few times, before the run gives up. */
#include <math.h>

#include "base/status.h"
#include "base/timer.h"
#include "engine/sim.h"

enum { TRIES = 4 };

static double choose_dt(const vlSim *sim, double limit, double max_speed)
{
  const vlScene *scene = sim->scene;
  if (scene->dt_fixed > 0.0) return fmin(scene->dt_fixed, limit);
  double dt = fmin(limit, scene->dt_max);
  if (max_speed > 0.0) dt = fmin(dt, scene->cfl * sim->grid.dx / max_speed);
  /* two equal steps rather than a whole one and a crumb */
  if (dt < limit && limit < 2.0 * dt) dt = 0.5 * limit;
  return dt;
}

/* Domain sides are walls at rest; faces on them keep zero. */
static void add_forces(vlSim *sim, double dt)
{
  const vlGrid *g = &sim->grid;
  const vlBlocks *wet = &sim->work.wet;
#pragma omp parallel for schedule(static)
  for (int b = 0; b < wet->count; b++) {
    vlBlockPosition p = wet->at[b];
    ptrdiff_t at = vl_blocks_field(g, p);
    const int cell[3] = {p.bx * VL_BLOCK, p.j, p.k};
    for (int a = 0; a < 3; a++)
      for (int l = 0; l < vl_blocks_width(wet, p); l++) {
        bool side = cell[a] + (a == 0 ? l : 0) == 0;
        sim->work.u_star[a][at + l] = side ? 0.0 : sim->state.u[a][at + l] + dt * sim->scene->gravity.v[a];
      }
  }
}

static vlCode try_step(vlSim *sim, double dt, vlStepInfo *info, vlPressureSolve *result, vlStatus *status)
{
  const vlScene *scene = sim->scene;
  double rho = scene->liquid.density, start = vl_seconds();
  vlFluid fluid = vl_sim_fluid(sim);
  vlPressure *pressure = sim->work.pressure;
  add_forces(sim, dt);
  info->seconds[0] += vl_seconds() - start;

  start = vl_seconds();
  vlCode code = vl_pressure_assemble(pressure, &fluid, status);
  if (code) return code;
  vl_pressure_rhs(pressure, &fluid, sim->work.u_star, sim->state.p, dt, rho);
  info->seconds[1] += vl_seconds() - start;

  start = vl_seconds();
  vlSolveOptions options = {.tolerance = scene->tolerance, .max_iterations = scene->max_iterations};
  code = vl_pressure_solve(pressure, scene->solver, options, dt, rho, sim->grid.dx, result, status);
  info->seconds[2] += vl_seconds() - start;
  return code;
}

static void accept(vlSim *sim, double dt, vlStepInfo *info)
{
  double start = vl_seconds();
  vlFluid fluid = vl_sim_fluid(sim);
  vl_pressure_store(sim->work.pressure, &fluid, sim->state.p);
  vl_pressure_apply(sim->work.pressure, &fluid, sim->state.p, sim->work.u_star, dt, sim->scene->liquid.density,
                    sim->state.u);
  sim->state.time += dt;
  sim->state.step++;
  info->seconds[3] += vl_seconds() - start;
}

/* A solve that stopped short of the tolerance but close to it is used, with a warning. */
static bool usable(const vlSim *sim, const vlPressureSolve *result)
{
  if (result->info.reason == VL_SOLVE_CONVERGED) return true;
  if (!(result->info.residual <= 100.0 * sim->scene->tolerance)) return false;
  vl_log(sim->log, VL_LOG_WARNING, "step %lld: the pressure solve %s: residual %.2e after %d iterations, wanted %.1e",
         (long long)sim->state.step + 1, vl_solve_reason_text(result->info.reason), result->info.residual,
         result->info.iterations, sim->scene->tolerance);
  return true;
}

vlCode vl_sim_step(vlSim *sim, double dt_limit, vlStepInfo *info, vlStatus *status)
{
  vlPressureSolve result = {0};
  double dt = choose_dt(sim, dt_limit, sim->max_speed);
  *info = (vlStepInfo){0};
  for (int attempt = 1;; attempt++, dt *= 0.5) {
    vlCode code = try_step(sim, dt, info, &result, status);
    if (code) return code;
    if (usable(sim, &result)) break;
    if (attempt == TRIES)
      return vl_fail(status, VL_ERROR_SOLVER,
                     "step %lld at %.6g s failed %d times, last with dt = %.3g s: the pressure solve %s (residual %.2e "
                     "after %d iterations)",
                     (long long)sim->state.step + 1, sim->state.time, TRIES, dt, vl_solve_reason_text(result.info.reason),
                     result.info.residual, result.info.iterations);
    vl_log(sim->log, VL_LOG_WARNING, "step %lld: the pressure solve %s; trying again with half the time step",
           (long long)sim->state.step + 1, vl_solve_reason_text(result.info.reason));
  }
  accept(sim, dt, info);
  info->step = sim->state.step;
  info->time = sim->state.time;
  info->dt = dt;
  info->iterations = result.info.iterations;
  info->residual = result.info.residual;
  info->discarded_flux = result.discarded_flux;
  vl_measure(sim, info);
  sim->max_speed = info->max_speed;
  return sim->scene->check_level > 0 ? vl_check_invariants(sim, info, status) : VL_OK;
}
