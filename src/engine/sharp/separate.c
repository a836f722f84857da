/* Which things liquid may part from: the scene says so for the box and all that does not say so itself, solids and bodies
 * may. A cell of liquid that touches several of them parts if it may part from one. What a cell touches is asked of the
 * solids' distances and of the patches of bodies in it and, where a face is not wholly open, beyond it. */
#include <math.h>
#include <string.h>

#include "base/status.h"
#include "engine/sharp/body_step.h"

static bool default_of(const vlScene *scene) { return scene->pressure.separation != VL_SEPARATION_NO; }

static bool of_solid(const vlScene *scene, int s)
{
  return scene->solids[s].has_separation ? scene->solids[s].separation : default_of(scene);
}

static bool of_body(const vlScene *scene, const vlBodyDef *body)
{
  return body->has_separation ? body->separation : default_of(scene);
}

/* Does any solid or body say `which`? */
static bool any_says(const vlScene *scene, bool which)
{
  bool any = false;
  for (int b = 0; b < scene->body_count && !any; b++) any = of_body(scene, &scene->bodies[b]) == which;
  for (int s = 0; s < scene->solid_count && !any; s++) any = of_solid(scene, s) == which;
  return any;
}

bool vl_separate_on(const vlScene *scene) { return default_of(scene) || any_says(scene, true); }

static bool is_mixed(const vlScene *scene) { return any_says(scene, !default_of(scene)); }

/* First patch at or behind a cell, in the order k, j, i. */
static int first_patch(const vlPatches *patches, const int cell[3])
{
  int lo = 0, hi = patches->count;
  while (lo < hi) {
    int mid = lo + (hi - lo) / 2;
    const int *c = patches->patch[mid].cell;
    bool before = c[2] != cell[2] ? c[2] < cell[2] : c[1] != cell[1] ? c[1] < cell[1] : c[0] < cell[0];
    lo = before ? mid + 1 : lo;
    hi = before ? hi : mid;
  }
  return lo;
}

/* Looks at the bodies whose patches lie in a cell; *touches: there are some. */
static bool may_part_from_bodies(const vlSharp *sim, const int cell[3], bool *touches)
{
  const vlPatches *patches = &sim->work.patches;
  for (int q = first_patch(patches, cell); q < patches->count; q++) {
    const vlPatch *patch = &patches->patch[q];
    if (patch->cell[0] != cell[0] || patch->cell[1] != cell[1] || patch->cell[2] != cell[2]) break;
    *touches = true;
    if (of_body(sim->scene, sim->apart.body[vl_bodies_owner(&sim->apart, patch->node[0])]->def)) return true;
  }
  return false;
}

static bool may_part(const void *data, const int cell[3])
{
  const vlSharp *sim = data;
  const vlGrid *g = &sim->grid;
  const double *const *area = (const double *const *)sim->work.area;
  bool touches = false;
  for (int side = 0; side < 6; side++) touches = touches || vl_links_wall(g, area, cell, side) == VL_WALL_DOMAIN;
  if (touches && default_of(sim->scene)) return true;
  for (int s = 0; s < sim->scene->solid_count; s++) {
    if (!vl_statics_touch(sim->statics, s, vl_grid_center(g, cell[0], cell[1], cell[2]), g->dx)) continue;
    touches = true;
    if (of_solid(sim->scene, s)) return true;
  }
  if (may_part_from_bodies(sim, cell, &touches)) return true;
  for (int side = 0; side < 6; side++) {
    int beside[3] = {cell[0], cell[1], cell[2]};
    beside[side / 2] += side % 2 ? 1 : -1;
    if (vl_links_wall(g, area, cell, side) == VL_WALL_NARROW && may_part_from_bodies(sim, beside, &touches)) return true;
  }
  return !touches && default_of(sim->scene);
}

/* The pressure of a step in which liquid may part from walls (pressure/separation.h), by policy iteration:
 *
 *   parted = as in the last step
 *   repeat  solve with p = 0 on the parted cells, from the pressure as it is
 *           part cells that pull, join parted cells that would take in liquid
 *   until none does
 *
 * All that counts of a solve before the last is which way the pressure pushes: the first is loose, those that follow get
 * closer to the tolerance asked for, and what they settle on is solved to it and looked at again. Where a set returns, or
 * after PATIENCE solves, the conditions are solved as they stand, by MPRGP. */

enum {
  PATIENCE = 9, /* solves until MPRGP takes over */
  MOST = 30     /* where it may not */
};

static const double LOOSE = 1e-2;      /* tolerance of the first solve */
static const double CLOSER = 0.1;      /* that of each against that of the one before */
static const double ZERO_LOOSE = 0.01; /* of the tolerance: what counts as no pull, no gain after a loose solve */
static const double ZERO = 10.0;       /* and after one to the tolerance asked for */

/* The system with the cells parted as they are now. */
static vlCode part_system(vlSharp *sim, vlStatus *status)
{
  vlFluid fluid = vl_sharp_fluid(sim);
  const double *guess = sim->work.separation.loops > 0 ? sim->work.p : sim->state.p;
  vlPressure *pressure = sim->work.pressure;
  vlCode code = vl_pressure_part(pressure, &fluid, status);
  if (!code) vl_pressure_rhs(pressure, &fluid, sim->work.u, guess, pressure->step.dt, sim->scene->liquid.density);
  return code;
}

/* A solve more, whose iterations are added to the others'. */
static vlCode solve(vlSharp *sim, double dt, vlSolveOptions options, vlPressureSolve *result, vlStatus *status)
{
  vlPressureSolve all = *result;
  vl_body_step_contacts_again(sim);
  vlCode code = vl_sharp_solve(sim, dt, options, result, status);
  sim->work.separation.loops++;
  result->info.iterations += all.info.iterations;
  /* a right-hand side that is solved for again has lost it */
  result->discarded_flux = fmax(result->discarded_flux, all.discarded_flux);
  vlFluid fluid = vl_sharp_fluid(sim);
  if (!code && result->info.reason == VL_SOLVE_CONVERGED) vl_pressure_store(sim->work.pressure, &fluid, sim->work.p);
  return code;
}

static vlCode update(vlSharp *sim, vlSeparationZero zero, int64_t *changed, vlStatus *status)
{
  vlFluid fluid = vl_sharp_fluid(sim);
  vlSeparationLook look = {sim->work.u, sim->work.p, zero};
  return vl_separation_update(&sim->work.separation, sim->work.pressure, &fluid, &look, changed, status);
}

/* Parted is what MPRGP leaves at its bound. */
static void part_at_bound(vlSharp *sim)
{
  vlSeparation *s = &sim->work.separation;
  for (int b = 0; b < sim->work.wet.count; b++) {
    ptrdiff_t at = vl_blocks_field(&sim->grid, sim->work.wet.at[b]);
    for (unsigned left = s->wall[b]; left; left &= left - 1u) {
      int l = __builtin_ctz(left);
      if (sim->work.p[at + l] <= 0.0) s->parted[b] |= (unsigned short)(1u << l);
    }
  }
}

static vlCode solve_bounded(vlSharp *sim, double dt, vlSolveOptions options, vlPressureSolve *result, vlStatus *status)
{
  vlSeparation *s = &sim->work.separation;
  const vlSeparationZero any = {INFINITY, INFINITY}; /* the set stays: only how well it fits is found */
  vlFluid fluid = vl_sharp_fluid(sim);
  int64_t changed;
  memset(s->parted, 0, (size_t)sim->work.wet.count * sizeof *s->parted);
  vlCode code = part_system(sim, status);
  if (!code) code = vl_pressure_bound(sim->work.pressure, &fluid, s->wall, status);
  if (!code) code = solve(sim, dt, options, result, status);
  if (code || result->info.reason == VL_SOLVE_NAN) return code;
  vl_pressure_store(sim->work.pressure, &fluid, sim->work.p); /* also of a solve that stopped short: it may be used */
  part_at_bound(sim);
  return update(sim, any, &changed, status);
}

/* *settled: with what the solves end with, the conditions hold. */
static vlCode solve_by_policy(vlSharp *sim, double dt, vlSolveOptions options, int most, vlPressureSolve *result,
                              bool *settled, vlStatus *status)
{
  vlSeparation *s = &sim->work.separation;
  double wanted = options.tolerance;
  *settled = false;
  vlCode code = part_system(sim, status);
  for (options.tolerance = fmax(wanted, LOOSE); !code && s->loops < most;) {
    bool loose = options.tolerance > wanted;
    int64_t changed = 0;
    code = solve(sim, dt, options, result, status);
    if (code || result->info.reason != VL_SOLVE_CONVERGED) break;
    vlSeparationZero zero = vl_separation_zero(sim->work.pressure, loose ? ZERO_LOOSE * options.tolerance : ZERO * wanted);
    code = update(sim, zero, &changed, status);
    *settled = !code && !changed && !loose;
    if (code || *settled) break;
    if (changed && !loose && vl_separation_returns(s, &sim->work.wet)) break;
    options.tolerance = changed ? fmax(wanted, CLOSER * options.tolerance) : wanted;
    if (changed) code = part_system(sim, status);
  }
  return code;
}

vlCode vl_separate_solve(vlSharp *sim, double dt, vlSolveOptions options, vlPressureSolve *result, vlStatus *status)
{
  vlSeparation *s = &sim->work.separation;
  vlFluid fluid = vl_sharp_fluid(sim);
  vlSeparationKind kind = sim->scene->pressure.separation;
  bool settled = false, alone = kind == VL_SEPARATION_POLICY;
  *result = (vlPressureSolve){0};
  vlMayPart may = {is_mixed(sim->scene) ? may_part : NULL, sim};
  vlCode code = vl_separation_begin(s, sim->work.pressure, &fluid, may, &sim->state.parted, status);
  if (!code) code = vl_lift_begin(sim, status);
  if (code) return code;
  if (kind == VL_SEPARATION_MPRGP) return solve_bounded(sim, dt, options, result, status);
  code = solve_by_policy(sim, dt, options, alone ? MOST : PATIENCE, result, &settled, status);
  if (code || settled || result->info.reason != VL_SOLVE_CONVERGED) return code;
  if (!alone) {
    s->fallbacks++;
    return solve_bounded(sim, dt, options, result, status);
  }
  memcpy(s->parted, sim->work.pressure->parted, (size_t)sim->work.wet.count * sizeof *s->parted); /* as it was solved */
  vl_log(sim->log, VL_LOG_WARNING,
         "step %lld: which liquid parts from walls has not settled after %d solves: a pull of %.3g Pa is left",
         (long long)sim->state.step + 1, s->loops, s->worst_pull);
  return code;
}
