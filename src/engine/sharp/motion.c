/* The liquid's motion: particles through the new velocity field, and everything on the grid that follows from where they
 * are.
 *   move       velocities back to the particles, particles along u, sources and sinks
 *   settle     sort, wet blocks, open areas; velocities from the particles (or traced back), level set, density */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "engine/sharp/body_step.h"
#include "engine/sharp/subgrid.h"
#include "liquid/advect.h"
#include "liquid/level_set.h"
#include "liquid/particles.h"
#include "liquid/seed.h"

static const double KNOWN_AREA = 0.05; /* of dx2: smallest opening whose velocity counts */

vlSeed vl_motion_seed_in(const vlSharp *sim, vlDistance *liquid, const void *data, vlBox3 bounds, vlVec3 velocity)
{
  bool solids = sim->work.solid_nodes.any || sim->apart.count > 0;
  return (vlSeed){.per_axis = sim->scene->liquid.particles,
                  .velocity = velocity,
                  .liquid = liquid,
                  .liquid_data = data,
                  .solid = solids ? vl_sharp_solid_distance : NULL,
                  .solid_data = sim,
                  .bounds = vl_box_intersect(bounds, vl_grid_box(&sim->grid))};
}

static vlSeed seed_for(const vlSharp *sim, const vlLiquidShapes *shapes, vlVec3 velocity)
{
  return vl_motion_seed_in(sim, vl_liquid_shapes_distance, shapes, vl_liquid_shapes_bounds(shapes), velocity);
}

vlCode vl_motion_remove(vlSharp *sim, vlSdf *const *shapes, int count, int64_t *removed, vlStatus *status)
{
  vlParticles *p = sim->state.particles;
  const vlGrid *g = &sim->grid;
  int64_t gone = 0;
  *removed = 0;
  if (count == 0 || p->count == 0) return VL_OK;
  unsigned char *keep = malloc(p->count);
  if (!keep) return vl_fail_memory(status, p->count, "liquid that is taken away");
#pragma omp parallel for schedule(static) reduction(+ : gone)
  for (size_t i = 0; i < p->count; i++) {
    vlVec3 x = vl_axpy(g->origin, g->dx, vl_vec((double)p->x[0][i], (double)p->x[1][i], (double)p->x[2][i]));
    bool inside = false;
    for (int s = 0; s < count && !inside; s++) inside = vl_sdf_distance(shapes[s], x) < 0.0;
    keep[i] = !inside;
    gone += inside;
  }
  if (gone > 0) vl_particles_filter(p, keep);
  free(keep);
  *removed = gone;
  return VL_OK;
}

/* How far velocities must reach beyond the particles: a step's travel and the width of interpolation. */
int vl_motion_reach(const vlSharp *sim) { return (int)ceil(sim->scene->time.cfl) + 2; }

static vlCode rebuild_geometry(vlSharp *sim, vlStatus *status)
{
  vlWork *work = &sim->work;
  vlBlocks before = work->wet;
  work->given_now = false; /* until the next step finds what is given */
  work->wet = work->wet_before;
  work->wet_before = before;
  vlCode code = vl_wet_around(sim->state.particles, sim->guests, sim->guest_count, &sim->grid, vl_motion_reach(sim),
                              &work->wet, status);
  if (code) return code;
  double *const *u = sim->state.u, *const *u_old = sim->state.u_old;
  double *fields[] = {sim->state.p,
                      work->p,
                      work->level.phi,
                      work->density.filled,
                      work->density.excess,
                      work->open,
                      u[0],
                      u[1],
                      u[2],
                      u_old[0],
                      u_old[1],
                      u_old[2],
                      work->u[0],
                      work->u[1],
                      work->u[2],
                      work->path[0],
                      work->path[1],
                      work->path[2]};
  vl_wet_forget(&sim->grid, &work->wet_before, &work->wet, fields, sizeof fields / sizeof *fields);
  code = vl_sharp_recut(sim, status);
  if (code) return code;
  if (!vl_face_mask_reserve(&work->touched, work->wet.count) || !vl_face_mask_reserve(&work->known, work->wet.count) ||
      !vl_face_mask_reserve(&work->scratch, work->wet.count))
    return vl_fail_memory(status, (size_t)work->wet.count * 12, "face masks");
  return vl_node_distance_update(&sim->work.solid_nodes, &sim->grid, sim->statics, &work->wet, status);
}

/* Traced velocities are no particle's own. */
static void forget_touched(vlWork *work)
{
  for (int a = 0; a < 3; a++) memset(work->touched.bits[a], 0, (size_t)work->wet.count * sizeof *work->touched.bits[a]);
}

/* Traced back through the velocity, or the particles' own. */
static void velocities_on_grid(vlSharp *sim, double dt)
{
  vlWork *work = &sim->work;
  vlState *state = &sim->state;
  if (sim->scene->liquid.transfer == VL_TRANSFER_SEMI_LAGRANGIAN && state->step > 0) {
    vl_advect_faces(&sim->grid, &work->wet, state->u, dt, state->u_old);
    forget_touched(work);
    return;
  }
  vl_transfer_to_grid(state->particles, &sim->grid, &work->wet, state->u_old, work->u, &work->touched);
  for (int a = 0; a < 3; a++)
    memcpy(work->known.bits[a], work->touched.bits[a], (size_t)work->wet.count * sizeof *work->known.bits[a]);
  vl_extrapolate(&sim->grid, &work->wet, state->u_old, &work->known, &work->scratch, vl_motion_reach(sim));
}

/* keep: at outlets, what the solve has found. */
void vl_motion_free_sides(const vlSharp *sim, bool keep, double *const u[3])
{
  vlOpenSides open = {.keep = keep};
  for (int side = 0; side < 6; side++) open.side[side] = sim->outlet[side].open;
  vl_free_sides(&sim->grid, &sim->work.wet, sim->work.level.phi, &open, u);
  if (sim->subgrid) vl_subgrid_free_sides(sim, u);
}

/* Level set, and the walls' part in the velocities. */
static vlCode level_and_sides(vlSharp *sim, vlStatus *status)
{
  vlCode code = vl_particle_level(&sim->kernel, &sim->grid, sim->state.particles, sim->per_cell, sim->work.open,
                                  &sim->work.wet, &sim->work.level_work, &sim->work.level, status);
  if (code) return code;
  vl_wall_level(&sim->grid, &sim->work.wet, sim->state.particles, sim->work.open, sim->work.area, &sim->work.level_work,
                sim->work.level.phi);
  vl_density_fill(&sim->work.density, &sim->grid, sim->work.open, sim->work.level.phi, &sim->work.wet);
  vl_density_compare(&sim->work.density, &sim->grid, sim->state.particles, sim->per_cell, sim->work.level.phi,
                     &sim->work.wet);
  vl_motion_free_sides(sim, false, sim->state.u_old);
  vl_motion_free_sides(sim, true, sim->state.u); /* for those who read it */
  return VL_OK;
}

vlCode vl_motion_settle(vlSharp *sim, vlStep *step, vlStatus *status)
{
  (void)step;
  vlCode code = vl_particles_sort(sim->state.particles, &sim->grid, status);
  if (!code) code = rebuild_geometry(sim, status);
  if (!code)
    code = vl_body_distance_extend(&sim->work.body_distance, &sim->grid, sim->apart.body, &sim->work.wet_before,
                                   &sim->work.wet, status);
  return code;
}

vlCode vl_motion_to_grid(vlSharp *sim, vlStep *step, vlStatus *status)
{
  (void)status;
  velocities_on_grid(sim, step->dt);
  return VL_OK;
}

vlCode vl_motion_level(vlSharp *sim, vlStep *step, vlStatus *status)
{
  (void)step;
  return level_and_sides(sim, status);
}

vlCode vl_motion_place(vlSharp *sim, vlStatus *status)
{
  vlCode code = vl_particles_sort(sim->state.particles, &sim->grid, status);
  if (!code) code = vl_body_step_distance(sim, NULL, status);
  return code ? code : rebuild_geometry(sim, status);
}

/* Before the first step the velocity is what the liquid begins with. */
void vl_motion_begin(vlSharp *sim)
{
  const vlBlocks *wet = &sim->work.wet;
  for (int b = 0; b < wet->count; b++)
    for (int a = 0; a < 3; a++)
      for (int upper = 0; upper < 2; upper++) {
        ptrdiff_t at = vl_blocks_field(&sim->grid, wet->at[b]) + upper * sim->grid.stride[a];
        memcpy(sim->state.u[a] + at, sim->state.u_old[a] + at, VL_BLOCK * sizeof(double));
      }
}

vlCode vl_motion_fill(vlSharp *sim, vlStatus *status)
{
  if (sim->scene->liquid.transfer == VL_TRANSFER_SEMI_LAGRANGIAN && sim->state.step > 0)
    forget_touched(&sim->work);
  else
    velocities_on_grid(sim, 0.0);
  vlCode code = level_and_sides(sim, status);
  if (!code && sim->state.step == 0) vl_motion_begin(sim);
  return code;
}

vlCode vl_motion_seed(vlSharp *sim, vlStatus *status)
{
  const vlLiquidDef *liquid = &sim->scene->liquid;
  vlStepInfo ignored = {0};
  vlStep step = {.info = &ignored};
  vlLiquidShapes shapes;
  vlCode code = vl_liquid_shapes_create(&shapes, liquid, sim->scene->path, status);
  if (code) return code;
  vlSeed seed = seed_for(sim, &shapes, liquid->velocity);
  size_t added = 0;
  bool counted = sim->scene->engine == VL_ENGINE_IMMERSED; /* there the surface is where particles are half as dense */
  seed.even = counted;
  if (!vl_box_is_empty(seed.bounds)) code = vl_seed(sim->state.particles, &sim->grid, &seed, &added, status);
  if (!code) code = vl_motion_place(sim, status);
  if (!code && !counted) code = vl_seed_fit(sim->state.particles, &sim->grid, &sim->kernel, sim->work.open, &seed, status);
  if (!code && sim->method->seed) code = sim->method->seed(sim, &shapes, status);
  vl_liquid_shapes_clear(&shapes);
  if (!code) vl_swirl_add(sim->state.particles, &sim->grid, liquid);
  if (!code) code = vl_sources_run(sim, 0.0, &ignored, status);
  if (!code) code = vl_motion_settle(sim, &step, status);
  return code ? code : sim->method->fill(sim, status);
}

/* Faces that tell something of the liquid. */
typedef enum Carriers {
  FLOW,   /* faces of liquid cells */
  INSIDE, /* of these, those whose middle lies below the surface */
  SPRAY   /* faces that particles touch, and the domain's sides */
} Carriers;

/* Bits of such lower faces of a wet block along an axis. A face that a solid leaves almost no opening can have any velocity
 * without moving anything, so it is filled from its neighbours like a closed one. */
static unsigned carriers(const vlSharp *sim, const vlFluid *fluid, int b, int a, Carriers kind)
{
  const vlWork *work = &sim->work;
  vlBlockPosition p = work->wet.at[b];
  double least = KNOWN_AREA * sim->grid.dx * sim->grid.dx;
  ptrdiff_t at = vl_blocks_field(&sim->grid, p), below = at - sim->grid.stride[a];
  unsigned bits = kind == SPRAY ? work->touched.bits[a][b] : vl_links_flow(&work->pressure->links, b, a);
  if (sim->subgrid && kind != SPRAY) bits |= vl_subgrid_flow(sim, b, a);
  if (kind == FLOW && work->given_now) bits |= work->given.bits[a][b];
  if (kind == FLOW && sim->outlet[2 * a].open && (a == 0 ? p.bx : a == 1 ? p.j : p.k) == 0)
    bits |= work->pressure->links.active[b] & (a == 0 ? 1u : 0xffffu);
  for (int l = 0; l < VL_BLOCK && bits; l++)
    if (fluid->area[a][at + l] <= least || (kind == INSIDE && fluid->phi[at + l] + fluid->phi[below + l] > 0.0))
      bits &= ~(1u << l);
  if (kind == SPRAY && (a == 0 ? p.bx : a == 1 ? p.j : p.k) == 0) bits |= a == 0 ? 1u : 0xffffu;
  return bits & ((1u << vl_blocks_width(&work->wet, p)) - 1u);
}

/* Adds carriers that are not known yet; returns the largest speed among them. */
static double add_known(vlSharp *sim, Carriers kind, double *const u[3])
{
  vlFluid fluid = vl_sharp_fluid(sim);
  vlWork *work = &sim->work;
  double fastest = 0.0;
#pragma omp parallel for schedule(static) reduction(max : fastest)
  for (int b = 0; b < work->wet.count; b++)
    for (int a = 0; a < 3; a++) {
      unsigned known = kind == SPRAY ? work->known.bits[a][b] : 0u, bits = carriers(sim, &fluid, b, a, kind) & ~known;
      ptrdiff_t at = vl_blocks_field(&sim->grid, work->wet.at[b]);
      for (int l = 0; l < VL_BLOCK; l++)
        if (bits >> l & 1u) fastest = fmax(fastest, fabs(u[a][at + l]));
      work->known.bits[a][b] = (unsigned short)(known | bits);
    }
  return fastest;
}

/* Values beyond the faces that carry flow. Particles that lie on the surface touch faces above it; these take the values of
 * the flow below, for nothing would hold them against gravity. Only spray farther away flies by itself. */
static double extend(vlSharp *sim, Carriers from, double *const u[3], double *spray)
{
  vlWork *work = &sim->work;
  double flow = add_known(sim, from, u);
  vl_extrapolate(&sim->grid, &work->wet, u, &work->known, &work->scratch, 1);
  *spray = add_known(sim, SPRAY, u);
  vl_extrapolate(&sim->grid, &work->wet, u, &work->known, &work->scratch, vl_motion_reach(sim) - 1);
  return flow;
}

/* The change u - u_old that FLIP gives to particles, into work.u. At faces above the surface u_old was a mean of particles
 * below the face only, and the change there would make up for that in every step: short waves grow from it. So the change is
 * taken from inside the liquid and continued. */
static void find_change(vlSharp *sim)
{
  const vlBlocks *wet = &sim->work.wet;
  double ignored, *const *u = sim->state.u, *const *u_old = sim->state.u_old, *const *change = sim->work.u;
#pragma omp parallel for schedule(static)
  for (int b = 0; b < wet->count; b++) {
    ptrdiff_t at = vl_blocks_field(&sim->grid, wet->at[b]);
    for (int a = 0; a < 3; a++)
      for (int l = 0; l < VL_BLOCK; l++) change[a][at + l] = u[a][at + l] - u_old[a][at + l];
  }
  extend(sim, INSIDE, change, &ignored);
  vl_motion_free_sides(sim, false, change);
}

/* FLIP's v = flip (v + change) + (1 - flip) path is to take u and not the path: the change makes up for it. */
static void take_path_out(vlSharp *sim, double flip)
{
  const vlBlocks *wet = &sim->work.wet;
  double *const *change = sim->work.u, *const *path = sim->work.path, *const *u = sim->state.u, part = (1.0 - flip) / flip;
#pragma omp parallel for schedule(static)
  for (int b = 0; b < wet->count; b++) {
    ptrdiff_t at = vl_blocks_field(&sim->grid, wet->at[b]);
    for (int a = 0; a < 3; a++)
      for (int l = 0; l < VL_BLOCK; l++) change[a][at + l] -= part * (path[a][at + l] - u[a][at + l]);
  }
}

static bool by_flip(const vlSharp *sim) { return sim->scene->liquid.transfer == VL_TRANSFER_FLIP; }

vlCode vl_motion_grow(vlSharp *sim, vlStep *step, vlStatus *status)
{
  vlWork *work = &sim->work;
  bool uneven = sim->scene->liquid.keep_volume && work->density.excess_max > 0.0;
  work->paths = uneven || work->swells > 0.0;
  if (!work->paths) return VL_OK;
  vlFluid fluid = vl_sharp_fluid(sim);
  vlGrowth growth = {.excess = uneven ? work->density.excess : NULL,
                     .room = sim->subgrid ? work->density.filled : NULL,
                     .shares = vl_density_shares(step->dt / vl_natural_step(sim)),
                     .dt = step->dt,
                     .q = work->p};
  return vl_pressure_grow(work->pressure, &fluid, growth, sim->state.u, work->touched.bits, work->path, status);
}

/* Continues a velocity beyond the liquid, along solids; tells the largest speeds in the liquid and of spray. */
static vlCode continue_velocity(vlSharp *sim, double *const u[3], double *flow, double *spray, vlStatus *status)
{
  *flow = extend(sim, FLOW, u, spray);
  vl_motion_free_sides(sim, true, u);
  vlCode code =
      vl_slip(&sim->grid, &sim->work.wet, vl_sharp_obstacles(sim), vl_subgrid_flows(sim), u, &sim->work.slip, status);
  if (!code) vl_sources_hold(sim, u);
  return code;
}

/* Of what the pressure changed: it is known at faces of liquid cells, and goes on beyond. */
void vl_motion_extend_kick(vlSharp *sim, double *const kick[3])
{
  double ignored;
  extend(sim, FLOW, kick, &ignored);
  vl_motion_free_sides(sim, false, kick);
}

/* As continue_velocity, of one that is known at all faces that something touches. */
vlCode vl_motion_extend_touched(vlSharp *sim, double *const u[3], vlStatus *status)
{
  vlWork *work = &sim->work;
  (void)add_known(sim, FLOW, u);
  (void)add_known(sim, SPRAY, u);
  vl_extrapolate(&sim->grid, &work->wet, u, &work->known, &work->scratch, vl_motion_reach(sim));
  vl_motion_free_sides(sim, true, u);
  vlCode code = vl_slip(&sim->grid, &work->wet, vl_sharp_obstacles(sim), vl_subgrid_flows(sim), u, &work->slip, status);
  if (!code) vl_sources_hold(sim, u);
  return code;
}

vlCode vl_motion_extend(vlSharp *sim, vlStep *step, vlStatus *status)
{
  double spray, flow = 0.0;
  vlCode code = continue_velocity(sim, sim->state.u, &step->info->max_speed, &spray, status);
  sim->state.max_speed = fmax(step->info->max_speed, spray);
  if (!code && sim->work.paths) code = continue_velocity(sim, sim->work.path, &flow, &spray, status);
  if (code) return code;
  sim->work.path_speed = fmax(flow, spray);
  if (!by_flip(sim)) return VL_OK;
  find_change(sim);
  if (sim->work.paths && sim->scene->liquid.flip > 0.0) take_path_out(sim, sim->scene->liquid.flip);
  return VL_OK;
}

/* Whether no particle can leave the wet blocks in the step, nor come near their border: a cell and a half is left for what
 * walls do to velocities and for ways out of them. Where nothing is known of that, results are the same and it costs more.
 */
static bool stays_wet(const vlSharp *sim, double dt)
{
  if (sim->apart.count == 0) return true;
  double v = fmax(fmax(sim->state.max_speed, sim->work.path_speed), vl_bodies_fastest(&sim->apart));
  v = fmax(v, vl_particles_fastest(sim->state.particles) + dt * vl_norm(vl_sharp_acceleration(sim)));
  return dt * v / sim->grid.dx + 1.5 <= vl_motion_reach(sim);
}

vlCode vl_motion_reseed(vlSharp *sim, vlStep *step, vlStatus *status)
{
  (void)status;
  vlReseed reseed = {.per_axis = sim->scene->liquid.particles,
                     .phi = sim->work.level.phi,
                     .open = sim->work.open,
                     .u = sim->state.u,
                     .less = by_flip(sim) ? sim->work.u : NULL,
                     .salt = (uint64_t)sim->state.step};
  step->info->reseeded = vl_reseed(sim->state.particles, &sim->grid, &reseed);
  return VL_OK;
}

/* What uneven forces add to a flying particle in the step. */
typedef struct Uneven {
  const vlSharp *sim;
  double time, kick; /* s: when the step began; over how long they act */
} Uneven;

static vlVec3 uneven_gain(const void *data, vlVec3 x)
{
  const Uneven *u = data;
  const vlGrid *g = &u->sim->grid;
  return vl_scale(vl_sharp_uneven_at(u->sim, vl_axpy(g->origin, g->dx, x), u->time), u->kick);
}

/* Sources, and whatever else the method holds. */
static bool hold(const void *data, const double x[3], const double own[3], double v[3], double way[3])
{
  const vlSharp *sim = data;
  if (sim->scene->liquid.source_count > 0 && vl_sources_hold_particle(sim, x, own, v, way)) return true;
  return sim->method->held && sim->method->held(sim, x, own, v, way);
}

vlCode vl_motion_carry(vlSharp *sim, vlStep *step, vlStatus *status)
{
  const vlLiquidDef *liquid = &sim->scene->liquid;
  vlFlight flight = {.phi = liquid->transfer == VL_TRANSFER_SEMI_LAGRANGIAN ? NULL : sim->work.level.phi};
  for (int a = 0; a < 3; a++) flight.gain[a] = step->kick * vl_sharp_acceleration(sim).v[a];
  const Uneven uneven = {sim, sim->state.time - step->dt, step->kick};
  flight.data = &uneven;
  if (vl_sharp_uneven(sim)) flight.more = uneven_gain;
  flight.flies = sim->method->flies;
  flight.flies_data = sim;
  vlCode code = vl_body_step_distance(sim, stays_wet(sim, step->dt) ? &sim->work.wet : NULL, status);
  vlObstacles obstacles = vl_sharp_obstacles(sim);
  if (!code) code = vl_calm_update(&sim->work.calm, &obstacles, status);
  if (code) return code;
  obstacles.calm = sim->work.calm.block;
  /* traced velocities take nothing back from the particles; there they are for those who read them */
  vlCarry carry = {.u = sim->state.u,
                   .path = sim->work.paths ? sim->work.path : NULL,
                   .change = sim->work.u,
                   .flip = by_flip(sim) ? liquid->flip : 0.0,
                   .dt = step->dt,
                   .integrator = liquid->integrator,
                   .obstacles = obstacles,
                   .flight = &flight,
                   .held = liquid->source_count > 0 || sim->method->held ? hold : NULL,
                   .held_data = sim,
                   .deflect = sim->guest_count > 0 && sim->scene->coupling.skins ? sim->method->deflect : NULL,
                   .deflects = sim->method->deflects,
                   .deflect_data = sim};
  code = vl_outlets_prepare(sim, &carry, status);
  if (code) return code;
  double moving, mass = liquid->density * pow(sim->grid.dx, 3) / sim->per_cell;
  step->info->stuck = (int64_t)vl_carry_particles(sim->state.particles, &sim->grid, &carry, &moving);
  step->info->kinetic_energy = mass * moving; /* in place of the grid's, where cells of thin sheets are full */
  return VL_OK;
}

vlCode vl_motion_exchange(vlSharp *sim, vlStep *step, vlStatus *status)
{
  vlCode code = vl_outlets_exchange(sim, step->dt, step->info, status);
  if (!code) code = vl_body_step_rescue(sim, step->info, status);
  if (!code) code = vl_sinks_exchange(sim, step->dt, step->info, status);
  return code ? code : vl_sources_run(sim, step->dt, step->info, status);
}
