/* A time step of the sharp engine:
 *   add forces      u* = u_old + dt g
 *   pressure        L p = -div u*,   u = u* - (dt/rho) grad p,   with elastic bodies as in pressure/coupling.h
 *   move bodies     v, x += dt v (body_step.c)
 *   move liquid     extrapolate u, particles' velocities, positions; then the grid's geometry and velocities anew (motion.c)
 * The solve comes first and changes nothing but the next first guess of the pressure: a step whose solve fails is tried
 * again with half the time step, a few times, before the run gives up; a step that fails its checks is not taken. */
#include <math.h>
#include <string.h>

#include "base/status.h"
#include "base/timer.h"
#include "engine/body_drive.h"
#include "engine/body_step.h"
#include "engine/sim.h"
#include "pressure/swept.h"
#include "pressure/system.h"

enum { TRIES = 4, SWEPT_TURNS = 8 };

double vl_usual_step(double dx, double g) { return 0.15 * sqrt(dx / g); }

/* m/s: of the liquid, and of what running sources have added since it was measured. */
static double fastest(const vlSim *sim)
{
  const vlLiquidDef *liquid = &sim->scene->liquid;
  double v = sim->state.max_speed;
  for (int s = 0; s < liquid->source_count; s++)
    if (sim->state.time >= liquid->sources[s].start && sim->state.time < liquid->sources[s].end)
      v = fmax(v, vl_norm(liquid->sources[s].velocity));
  return fmax(v, vl_bodies_fastest(&sim->state.bodies));
}

/* Speed at the end of the step may be higher by dt g; the bound is the root of (v + g dt) dt = cfl dx. */
static double choose_dt(const vlSim *sim, double limit)
{
  const vlScene *scene = sim->scene;
  /* equal steps that end with the limit, so that no crumb of a step is left to divide by */
  if (scene->dt_fixed > 0.0)
    return isfinite(limit / scene->dt_fixed) ? limit / fmax(1.0, ceil(limit / scene->dt_fixed - 1e-3)) : scene->dt_fixed;
  double dt = fmin(limit, scene->dt_max), v = fastest(sim), g = vl_norm(scene->gravity), d = scene->cfl * sim->grid.dx;
  bool moves = scene->liquid.transfer != VL_TRANSFER_STILL;
  if (moves && v + g > 0.0) dt = fmin(dt, 2.0 * d / (v + sqrt(v * v + 4.0 * g * d)));
  if (moves && g > 0.0) dt = fmin(dt, vl_usual_step(sim->grid.dx, g));
  if (moves) dt = vl_bodies_driven_step(&sim->state.bodies, scene, sim->state.time, dt, d);
  /* equal steps up to the limit rather than whole ones and a crumb */
  return dt < limit && isfinite(limit / dt) ? limit / ceil(limit / dt - 1e-3) : dt;
}

/* Domain sides are walls at rest for the solve. */
static void add_forces(vlSim *sim, double dt)
{
  const vlGrid *g = &sim->grid;
  const vlBlocks *wet = &sim->work.wet;
#pragma omp parallel for schedule(static)
  for (int b = 0; b < wet->count; b++) {
    vlBlockPosition p = wet->at[b];
    ptrdiff_t at = vl_blocks_field(g, p);
    for (int a = 0; a < 3; a++)
      for (int l = 0; l < vl_blocks_width(wet, p); l++) {
        int cell = a == 0 ? p.bx * VL_BLOCK + l : a == 1 ? p.j : p.k;
        sim->work.u[a][at + l] = cell == 0 ? 0.0 : sim->state.u_old[a][at + l] + dt * sim->scene->gravity.v[a];
        if (cell == g->n[a] - 1) sim->work.u[a][at + l + g->stride[a]] = 0.0;
      }
  }
}

/* Forms of the coupled system that need all its matrices. */
static bool by_forms(vlCouplingKind kind)
{
  return kind == VL_COUPLING_SPD || kind == VL_COUPLING_INDEFINITE || kind == VL_COUPLING_MINRES;
}

vlCode vl_sharp_prepare(vlSim *sim, double dt, vlStepInfo *info, vlStatus *status)
{
  double start = vl_seconds();
  add_forces(sim, dt);
  vlCode code = vl_body_step_begin(sim, dt, status);
  if (code) return code;
  vlFluid fluid = vl_sim_fluid(sim);
  info->seconds[0] += vl_seconds() - start;

  start = vl_seconds();
  code = vl_pressure_assemble(sim->work.pressure, &fluid, status);
  if (code) return code;
  vl_pressure_rhs(sim->work.pressure, &fluid, sim->work.u, sim->state.p, dt, sim->scene->liquid.density);
  info->seconds[1] += vl_seconds() - start;
  return VL_OK;
}

/* Again, from where it was, until the contacts are those it was solved with and sealed liquid keeps its volume. */
static vlCode solve_in_turns(vlSim *sim, double dt, vlSolveOptions options, vlPressureSolve *result, vlStatus *status)
{
  vlPressure *pressure = sim->work.pressure;
  int iterations = 0, turns = 0;
  double discarded = 0.0; /* the right-hand side has lost it after the first turn */
  for (bool done = false; !done;) {
    vl_pressure_rhs_bodies(pressure);
    vlCode code = vl_pressure_solve(pressure, sim->scene->solver, options, result, status);
    iterations += result->info.iterations;
    discarded += result->discarded_flux;
    if (code) return code;
    if (!pressure->coupled) break;
    vl_coupling_velocity(&pressure->coupling, pressure->p);
    if (result->info.reason != VL_SOLVE_CONVERGED) break;
    done = vl_body_step_contacts_hold(sim);
    done = (++turns >= SWEPT_TURNS || vl_swept_holds(pressure, dt, sim->grid.dx)) && done;
  }
  result->info.iterations = iterations;
  result->discarded_flux = discarded;
  return VL_OK;
}

vlCode vl_sharp_solve(vlSim *sim, double dt, vlSolveOptions options, vlPressureSolve *result, vlStatus *status)
{
  const vlScene *scene = sim->scene;
  vlPressure *pressure = sim->work.pressure;
  bool forms = pressure->coupled && by_forms(scene->coupling) && !pressure->bounds &&
               sim->work.contact.active_count == 0; /* they know neither contact nor bounds */
  if (forms) {
    vlCode code = vl_system_solve(pressure, scene->coupling, scene->sigma, scene->alpha, options, result, status);
    if (!code) vl_coupling_velocity(&pressure->coupling, pressure->p);
    if (code || vl_body_step_contacts_hold(sim)) return code;
  }
  return solve_in_turns(sim, dt, options, result, status);
}

static vlCode try_step(vlSim *sim, double dt, vlStepInfo *info, vlPressureSolve *result, vlStatus *status)
{
  const vlScene *scene = sim->scene;
  vlSolveOptions options = {.tolerance = scene->tolerance, .max_iterations = scene->max_iterations};
  vlCode code = vl_sharp_prepare(sim, dt, info, status);
  if (code) return code;
  double start = vl_seconds();
  code = vl_parting_on(scene) ? vl_parting_solve(sim, dt, options, result, status)
                              : vl_sharp_solve(sim, dt, options, result, status);
  info->seconds[2] += vl_seconds() - start;
  return code;
}

static void update_velocity(vlSim *sim, vlStepInfo *info)
{
  double start = vl_seconds();
  vlFluid fluid = vl_sim_fluid(sim);
  vl_pressure_store(sim->work.pressure, &fluid, sim->state.p);
  vl_pressure_apply(sim->work.pressure, &fluid, sim->state.p, sim->work.u,
                    sim->state.particles ? sim->work.touched.bits : NULL, sim->work.u);
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

/* Solves for the pressure, with smaller steps if it must; *dt is the step that succeeded. */
static vlCode solve(vlSim *sim, double *dt, vlStepInfo *info, vlPressureSolve *result, vlStatus *status)
{
  for (int attempt = 1;; attempt++, *dt *= 0.5) {
    vlCode code = try_step(sim, *dt, info, result, status);
    if (code || usable(sim, result)) return code;
    if (attempt == TRIES)
      return vl_fail(status, VL_ERROR_SOLVER,
                     "step %lld at %.6g s failed %d times, last with dt = %.3g s: the pressure solve %s (residual %.2e "
                     "after %d iterations)",
                     (long long)sim->state.step + 1, sim->state.time, TRIES, *dt, vl_solve_reason_text(result->info.reason),
                     result->info.residual, result->info.iterations);
    vl_log(sim->log, VL_LOG_WARNING, "step %lld: the pressure solve %s; trying again with half the time step",
           (long long)sim->state.step + 1, vl_solve_reason_text(result->info.reason));
  }
}

/* The pressure of a step that is not taken is no first guess. */
static void forget_guess(vlSim *sim)
{
  const vlBlocks *wet = &sim->work.wet;
  for (int b = 0; b < wet->count; b++)
    memset(sim->state.p + vl_blocks_field(&sim->grid, wet->at[b]), 0,
           (size_t)vl_blocks_width(wet, wet->at[b]) * sizeof(double));
}

static vlCode advance(vlSim *sim, double dt_limit, vlStepInfo *info, vlStatus *status)
{
  vlPressureSolve result = {0};
  double dt = choose_dt(sim, dt_limit);
  if (!isfinite(dt))
    return vl_fail(status, VL_ERROR_USAGE,
                   "vl_sim_step: nothing limits the time step: dt_limit is %g s, time.dt_max %g s, and neither gravity nor "
                   "motion gives a bound",
                   dt_limit, sim->scene->dt_max);
  vlCode code = solve(sim, &dt, info, &result, status);
  if (code) return code;
  update_velocity(sim, info);
  info->step = sim->state.step + 1;
  info->time = sim->state.time + dt;
  info->dt = dt;
  info->iterations = result.info.iterations;
  info->residual = result.info.residual;
  info->discarded_flux = result.discarded_flux;
  info->separation_loops = sim->work.separation.loops;
  info->separation_fallbacks = sim->work.separation.fallbacks;
  info->parted = sim->work.separation.count;
  vl_body_drive_warn(sim, info);
  vl_measure(sim, info);
  if (sim->scene->check_level > 0) code = vl_check_invariants(sim, info, status);
  if (code) {
    forget_guess(sim);
    return code;
  }

  code = vl_body_step_finish(sim, status);
  if (!code && vl_parting_on(sim->scene))
    code = vl_separation_keep(&sim->work.separation, &sim->work.wet, &sim->state.parted, status);
  if (code) return code;
  sim->state.step = info->step;
  sim->state.time = info->time;
  sim->state.max_speed = info->max_speed;
  if (sim->state.particles) {
    code = vl_motion_step(sim, dt, info, status);
    if (!code) vl_measure_particles(sim, info);
    return code;
  }
  for (int a = 0; a < 3; a++) { /* still liquid: what is now was before */
    double *swap = sim->state.u_old[a];
    sim->state.u_old[a] = sim->work.u[a];
    sim->work.u[a] = swap;
  }
  code = vl_body_step_distance(sim, NULL, status);
  return code ? code : vl_sim_recut(sim, status);
}

vlCode vl_sim_step(vlSim *sim, double dt_limit, vlStepInfo *info, vlStatus *status)
{
  vlStepInfo own;
  if (!info) info = &own;
  *info = (vlStepInfo){0};
  if (!(dt_limit > 0.0))
    return vl_fail(status, VL_ERROR_USAGE, "vl_sim_step: dt_limit is %g s, it must be more than 0", dt_limit);
  int before = vl_sim_enter(sim);
  vlCode code = advance(sim, dt_limit, info, status);
  vl_sim_leave(before);
  return code;
}
