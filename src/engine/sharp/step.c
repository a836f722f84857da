/* A time step. Its stages, in order, are those of a method; the sharp engine's are the tables below, the forces of the
 * first one are listed in forces.c. What is tried changes nothing of the state: where the solve fails, the step is tried
 * again with half its length, a few times, before the run gives up; a step that fails its checks, or that is asked to end,
 * is not taken. */
#include <math.h>
#include <stdio.h>

#include "base/status.h"
#include "base/timer.h"
#include "engine/sharp/body_step.h"
#include "engine/sharp/speed.h"
#include "pressure/system.h"

static vlStageRun move_geometry;

/* what sources give; u* = u + dt f; the bodies' S and w; L, J and b; p */
static const vlStage tried[] = {{VL_STAGE_FORCES, vl_sources_find},    {VL_STAGE_FORCES, vl_forces_add},
                                {VL_STAGE_FORCES, vl_body_step_begin}, {VL_STAGE_SETUP, vl_step_assemble},
                                {VL_STAGE_SOLVE, vl_step_solve},       {0, NULL}};
/* u = u* - (dt/rho) grad p, and how fast it is */
static const vlStage measured[] = {{VL_STAGE_VELOCITY, vl_step_velocity},
                                   {VL_STAGE_MEASURE, vl_step_describe},
                                   {VL_STAGE_MEASURE, vl_body_step_layer},
                                   {VL_STAGE_MEASURE, vl_measure},
                                   {0, NULL}};
/* Is it what was solved for? */
static const vlStage judged[] = {{VL_STAGE_MEASURE, vl_check_invariants},
                                 {VL_STAGE_MEASURE, vl_body_step_check},
                                 {VL_STAGE_MEASURE, vl_body_warn},
                                 {0, NULL}};
/* From here on the state changes: velocity and pressure are u and p, bodies move by v. */
static const vlStage taken[] = {{VL_STAGE_MEASURE, vl_walls_measure},
                                {VL_STAGE_VELOCITY, vl_step_accept},
                                {VL_STAGE_BODIES, vl_body_step_finish},
                                {VL_STAGE_BODIES, vl_step_keep_parted},
                                {0, NULL}};
/* Particles by u; then what follows from where they are. */
static const vlStage moved[] = {
    {VL_STAGE_MOTION, vl_sources_move},       {VL_STAGE_SOLVE, vl_motion_grow},       {VL_STAGE_VELOCITY, vl_motion_extend},
    {VL_STAGE_TRANSFER, vl_motion_reseed},    {VL_STAGE_MOTION, vl_motion_carry},     {VL_STAGE_MOTION, vl_motion_exchange},
    {VL_STAGE_MOTION, vl_motion_settle},      {VL_STAGE_TRANSFER, vl_motion_to_grid}, {VL_STAGE_LEVEL_SET, vl_motion_level},
    {VL_STAGE_MEASURE, vl_measure_particles}, {VL_STAGE_MEASURE, vl_motion_warn},     {0, NULL}};
static const vlStage still[] = {{VL_STAGE_MOTION, move_geometry}, {0, NULL}};

const vlMethod vl_method_sharp = {.tried = tried,
                                  .measured = measured,
                                  .judged = judged,
                                  .taken = taken,
                                  .moved = moved,
                                  .natural_step = vl_natural_step,
                                  .place = vl_motion_place,
                                  .settle = vl_motion_settle,
                                  .fill = vl_motion_fill};

enum { TRIES = 4, SWEPT_TURNS = 8 };
static const double SHORTEST = 1e-9; /* of a frame */

static vlCode ask(const vlSharp *sim, vlStatus *status)
{
  const vlCancel *cancel = &sim->sim.cancel;
  if (!cancel->asked || !cancel->asked(cancel->user)) return VL_OK;
  return vl_fail(status, VL_INTERRUPTED, "step %lld was given up, as was asked for", (long long)sim->state.step + 1);
}

static vlCode run(const vlStage *stage, vlSharp *sim, vlStep *step, vlStatus *status)
{
  const vlMethod *m = sim->method;
  bool given_up = stage == m->tried || stage == m->measured || stage == m->judged; /* it may be */
  vlCode code = VL_OK;
  for (; stage->run && !code; stage++) {
    if (given_up && (code = ask(sim, status))) break;
    double start = vl_seconds();
    code = stage->run(sim, step, status);
    step->info->seconds[stage->timer] += vl_seconds() - start;
  }
  return code;
}

double vl_usual_step(double dx, double g) { return 0.15 * sqrt(dx / g); }

/* m/s: of the liquid, and of what running sources have added since it was measured. */
static double fastest(const vlSharp *sim)
{
  const vlLiquidDef *liquid = &sim->scene->liquid;
  double v = sim->state.max_speed;
  for (int s = 0; s < liquid->source_count; s++)
    if (vl_control_source_runs(&sim->sim, s, sim->state.time))
      v = fmax(v, fmax(vl_sources_speed(sim, s), vl_norm(sim->sim.control.way[s].velocity)));
  return fmax(v, vl_bodies_fastest(&sim->state.bodies));
}

/* Speed at the end of the step may be higher by dt g; the bound is the root of (v + g dt) dt = cfl dx. */
double vl_natural_step(const vlSharp *sim)
{
  double v = fastest(sim), g = vl_norm(vl_sharp_acceleration(sim)), d = sim->scene->time.cfl * sim->grid.dx, dt = INFINITY;
  if (v + g > 0.0) dt = 2.0 * d / (v + sqrt(v * v + 4.0 * g * d));
  return g > 0.0 ? fmin(dt, vl_usual_step(sim->grid.dx, g)) : dt;
}

static double choose_dt(const vlSharp *sim, double limit)
{
  const vlScene *scene = sim->scene;
  /* equal steps that end with the limit, so that no crumb of a step is left to divide by */
  if (scene->time.dt_fixed > 0.0 && !sim->sim.settling)
    return isfinite(limit / scene->time.dt_fixed) ? limit / fmax(1.0, ceil(limit / scene->time.dt_fixed - 1e-3))
                                                  : scene->time.dt_fixed;
  double dt = fmin(limit, scene->time.dt_max);
  if (scene->liquid.transfer != VL_TRANSFER_STILL) {
    dt = fmin(dt, sim->method->natural_step(sim));
    dt = vl_bodies_longest_step(&sim->apart, sim->state.time, dt, scene->time.cfl * sim->grid.dx);
  }
  /* equal steps up to the limit rather than whole ones and a crumb */
  return dt < limit && isfinite(limit / dt) ? limit / ceil(limit / dt - 1e-3) : dt;
}

/* Forms of the coupled system that need all its matrices. */
static bool by_forms(vlCouplingKind kind)
{
  return kind == VL_COUPLING_SPD || kind == VL_COUPLING_INDEFINITE || kind == VL_COUPLING_MINRES;
}

/* Whether velocities are of the step's middle and go with particles; traced ones are of its end. */
static bool swells(const vlSharp *sim)
{
  vlTransferKind kind = sim->scene->liquid.transfer;
  return sim->scene->time.scheme == VL_TIME_LEAPFROG && kind != VL_TRANSFER_STILL && kind != VL_TRANSFER_SEMI_LAGRANGIAN;
}

vlCode vl_step_assemble(vlSharp *sim, vlStep *step, vlStatus *status)
{
  vlFluid fluid = vl_sharp_fluid(sim);
  vlCode code = vl_pressure_assemble(sim->work.pressure, &fluid, status);
  if (!code) code = vl_sources_give(sim, step, status);
  sim->work.swells = 0.0;
  if (!code && swells(sim))
    sim->work.swells = vl_pressure_middle(sim->work.pressure, &fluid, sim->state.u_old, step->dt, sim->work.swell);
  fluid = vl_sharp_fluid(sim);
  if (!code) vl_pressure_rhs(sim->work.pressure, &fluid, sim->work.u, sim->state.p, step->kick, sim->scene->liquid.density);
  return code;
}

/* Leapfrog: velocities belong to the middles of steps, places to their ends; those a run begins with to its first end. */
static double kick_of(const vlSharp *sim, double dt)
{
  return sim->scene->time.scheme == VL_TIME_LEAPFROG ? 0.5 * (sim->state.last_dt + dt) : dt;
}

vlCode vl_sharp_prepare(vlSharp *sim, double dt, vlStatus *status)
{
  vlStepInfo info = {0};
  vlStep step = {.dt = dt, .kick = kick_of(sim, dt), .info = &info};
  vlCode code = VL_OK;
  for (const vlStage *stage = sim->method->tried; stage->run && stage->timer != VL_STAGE_SOLVE && !code; stage++)
    code = stage->run(sim, &step, status);
  return code;
}

/* Again, from where it was, until the contacts are those it was solved with and sealed liquid keeps its volume. */
static vlCode solve_in_turns(vlSharp *sim, double dt, vlSolveOptions options, vlPressureSolve *result, vlStatus *status)
{
  vlPressure *pressure = sim->work.pressure;
  int iterations = 0, turns = 0;
  double discarded = 0.0; /* the right-hand side has lost it after the first turn */
  for (bool done = false; !done;) {
    vlCode code = ask(sim, status);
    if (code) return code;
    vl_pressure_rhs_bodies(pressure);
    code = vl_pressure_solve(pressure, sim->scene->pressure.solver, options, result, status);
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

vlCode vl_sharp_solve(vlSharp *sim, double dt, vlSolveOptions options, vlPressureSolve *result, vlStatus *status)
{
  const vlScene *scene = sim->scene;
  vlPressure *pressure = sim->work.pressure;
  bool forms = pressure->coupled && by_forms(scene->coupling.kind) && !pressure->bounds &&
               sim->work.contact.active_count == 0; /* they know neither contact nor bounds */
  if (forms) {
    vlCode code = vl_system_solve(pressure, scene->coupling.kind, scene->coupling.sigma, scene->coupling.alpha, options,
                                  result, status);
    if (!code) vl_coupling_velocity(&pressure->coupling, pressure->p);
    if (code || vl_body_step_contacts_hold(sim)) return code;
  }
  return solve_in_turns(sim, dt, options, result, status);
}

vlCode vl_step_solve(vlSharp *sim, vlStep *step, vlStatus *status)
{
  const vlPressureDef *pressure = &sim->scene->pressure;
  vlSolveOptions options = {.tolerance = pressure->tolerance, .max_iterations = pressure->max_iterations};
  return vl_separate_on(sim->scene) ? vl_separate_solve(sim, step->dt, options, &step->result, status)
                                    : vl_sharp_solve(sim, step->dt, options, &step->result, status);
}

vlCode vl_step_velocity(vlSharp *sim, vlStep *step, vlStatus *status)
{
  (void)step, (void)status;
  vlFluid fluid = vl_sharp_fluid(sim);
  vl_pressure_store(sim->work.pressure, &fluid, sim->work.p);
  vl_lift_end_liquid(sim);
  vl_pressure_apply(sim->work.pressure, &fluid, sim->work.p, sim->work.u,
                    sim->state.particles ? sim->work.touched.bits : NULL, sim->work.u);
  return VL_OK;
}

vlCode vl_step_describe(vlSharp *sim, vlStep *step, vlStatus *status)
{
  (void)status;
  vlStepInfo *info = step->info;
  info->step = sim->state.step + 1;
  info->time = sim->state.time + step->dt;
  info->dt = step->dt;
  info->iterations = step->result.info.iterations;
  info->residual = step->result.info.residual;
  info->discarded_flux = step->result.discarded_flux;
  info->separation_loops = sim->work.separation.loops;
  info->separation_fallbacks = sim->work.separation.fallbacks;
  info->parted = sim->work.separation.count;
  return VL_OK;
}

vlCode vl_step_keep_parted(vlSharp *sim, vlStep *step, vlStatus *status)
{
  (void)step;
  if (!vl_separate_on(sim->scene)) return VL_OK;
  return vl_separation_keep(&sim->work.separation, &sim->work.wet, &sim->state.parted, status);
}

static void exchange(double **a, double **b)
{
  double *first = *a;
  *a = *b;
  *b = first;
}

vlCode vl_step_accept(vlSharp *sim, vlStep *step, vlStatus *status)
{
  (void)status;
  sim->state.step = step->info->step;
  sim->state.time = step->info->time;
  sim->state.last_dt = step->dt;
  sim->state.max_speed = step->info->max_speed;
  exchange(&sim->state.p, &sim->work.p);
  for (int a = 0; a < 3; a++) exchange(&sim->state.u[a], &sim->work.u[a]);
  return VL_OK;
}

/* Of liquid that is still nothing moves but the bodies in it. */
static vlCode move_geometry(vlSharp *sim, vlStep *step, vlStatus *status)
{
  (void)step;
  vlCode code = vl_body_step_distance(sim, NULL, status);
  return code ? code : vl_sharp_recut(sim, status);
}

/* A solve that stopped short of the tolerance but close to it is used, with a warning. */
static bool usable(const vlSharp *sim, const vlPressureSolve *result)
{
  double tolerance = sim->scene->pressure.tolerance;
  if (result->info.reason == VL_SOLVE_CONVERGED) return true;
  if (!(result->info.residual <= 100.0 * tolerance)) return false;
  vl_log(sim->log, VL_LOG_WARNING, "step %lld: the pressure solve %s: residual %.2e after %d iterations, wanted %.1e",
         (long long)sim->state.step + 1, vl_solve_reason_text(result->info.reason), result->info.residual,
         result->info.iterations, tolerance);
  return true;
}

enum { WHY = 256 };

/* Whether the step can be used; if not, why. */
static bool judge_solve(const vlSharp *sim, const vlStep *step, char why[static WHY])
{
  const vlSolveInfo *info = &step->result.info;
  if (usable(sim, &step->result)) return true;
  snprintf(why, WHY, "the pressure solve %s (residual %.2e after %d iterations)", vl_solve_reason_text(info->reason),
           info->residual, info->iterations);
  return false;
}

static bool judge_speed(const vlSharp *sim, const vlStep *step, char why[static WHY])
{
  double speed = vl_speed_of_step(sim, step->info), limit = vl_speed_limit(sim);
  if (speed <= limit) return true;
  if (isnan(speed))
    snprintf(why, WHY, "a velocity is no number");
  else
    snprintf(why, WHY,
             "something moves at %.3g m/s; with its gravity, speeds, pushes and materials nothing in the scene could reach "
             "%.3g m/s",
             speed, limit);
  return false;
}

/* Solves for the pressure and the velocity, with smaller steps if it must. */
static vlCode try_steps(vlSharp *sim, vlStep *step, vlStatus *status)
{
  for (int attempt = 1;; attempt++, step->dt *= 0.5) {
    char why[WHY];
    step->kick = kick_of(sim, step->dt);
    vlCode code = run(sim->method->tried, sim, step, status);
    bool good = !code && judge_solve(sim, step, why);
    if (good) code = run(sim->method->measured, sim, step, status);
    good = good && !code && judge_speed(sim, step, why);
    if (code || good) return code;
    if (attempt == TRIES)
      return vl_fail(status, VL_ERROR_SOLVER, "step %lld at %.6g s failed %d times, last with dt = %.3g s: %s",
                     (long long)sim->state.step + 1, sim->state.time, TRIES, step->dt, why);
    vl_log(sim->log, VL_LOG_WARNING, "step %lld: %s; trying again with half the time step", (long long)sim->state.step + 1,
           why);
  }
}

/* A state that is not one any more, from which no file is to be made. */
static vlCode check_moved(const vlStepInfo *info, vlStatus *status)
{
  double sum = info->potential_energy + info->kinetic_energy + info->particle_volume;
  if (isfinite(sum) && vl_finite(info->momentum)) return VL_OK;
  return vl_fail(status, VL_ERROR_SOLVER, "step %lld: a particle's place or velocity is no number", (long long)info->step);
}

/* A step so short that a run of them would not come to its next frame. */
static vlCode check_length(const vlSharp *sim, double dt, double limit, vlStatus *status)
{
  double least = SHORTEST / sim->scene->time.frames_per_second;
  if (dt >= least || dt >= 0.1 * limit || sim->scene->time.dt_fixed > 0.0 || sim->scene->time.dt_max < least) return VL_OK;
  return vl_fail(
      status, VL_ERROR_SOLVER,
      "step %lld at %.6g s: something moves at %.3g m/s, so that a step may last %.3g s, and %.3g of them would be "
      "needed for a frame",
      (long long)sim->state.step + 1, sim->state.time, fastest(sim), dt, 1.0 / (dt * sim->scene->time.frames_per_second));
}

vlCode vl_sharp_step(vlSim *base, double dt_limit, vlStepInfo *info, vlStatus *status)
{
  vlSharp *sim = vl_sharp(base);
  vlStep step = {.dt = choose_dt(sim, dt_limit), .info = info};
  if (!isfinite(step.dt))
    return vl_fail(status, VL_ERROR_USAGE,
                   "vl_sim_step: nothing limits the time step: dt_limit is %g s, time.dt_max %g s, and neither gravity nor "
                   "motion gives a bound",
                   dt_limit, sim->scene->time.dt_max);
  vlCode code = check_length(sim, step.dt, dt_limit, status);
  if (!code) code = vl_bodies_mark(&sim->state.bodies, &sim->work.mark, status);
  if (code) return code;
  code = try_steps(sim, &step, status);
  if (!code) code = run(sim->method->judged, sim, &step, status);
  if (code) {
    vl_bodies_back(&sim->state.bodies, &sim->work.mark);
    return code;
  }
  code = run(sim->method->taken, sim, &step, status);
  if (!code) code = run(sim->state.particles ? sim->method->moved : still, sim, &step, status);
  return code ? code : check_moved(info, status);
}
