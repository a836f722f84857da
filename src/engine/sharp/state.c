/* The state of a simulation of the sharp engine, shown to a visitor (grid/visitor.h).
 *
 * Shown: counters, bodies, particles in their order, and on the wet blocks the pressure (first guess of the next solve) and
 * the velocity before the next forces and after the last solve; cells parted from walls; with leapfrog the last step's
 * length; what was warned of. Everything else follows from these and the scene, in the same order of operations, so a
 * restored run goes on with the same bits. */
#include "base/memory.h"
#include "base/status.h"
#include "engine/sharp/body_step.h"
#include "engine/sharp/subgrid.h"

static const char *const PARTED = "parted";
static const char *const BEFORE[3] = {"u", "v", "w"}, *const NEW[3] = {"u_new", "v_new", "w_new"};

/* The counters, as they stand in files. */
typedef struct Counters {
  int64_t step, particles, next_id, affine, transfer, n[3];
  double time, max_speed, dx;
} Counters;

static Counters counters_of(const vlSharp *sim)
{
  const vlState *state = &sim->state;
  const vlParticles *p = state->particles;
  return (Counters){.step = state->step,
                    .particles = p ? (int64_t)p->count : 0,
                    .next_id = p ? p->next_id : 0,
                    .affine = p && p->affine,
                    .transfer = sim->scene->liquid.transfer,
                    .n = {sim->grid.n[0], sim->grid.n[1], sim->grid.n[2]},
                    .time = state->time,
                    .max_speed = state->max_speed,
                    .dx = sim->grid.dx};
}

static vlCode check_amounts(const Counters *c, vlStatus *status)
{
  vlCode code = vl_numbers_check("counters: step", VL_NUMBERS_COUNT_64, &c->step, 1, status);
  if (!code)
    code = vl_numbers_check_in("counters: particles", VL_NUMBERS_COUNT_64, &c->particles, 1, 0.0, 2147483647.0, status);
  if (!code) code = vl_numbers_check_in("counters: next_id", VL_NUMBERS_COUNT_64, &c->next_id, 1, 0.0, 4294967295.0, status);
  if (!code) code = vl_numbers_check("counters: time", VL_NUMBERS_LEAST_0, &c->time, 1, status);
  return code ? code : vl_numbers_check_in("counters: max_speed", VL_NUMBERS_SPEED, &c->max_speed, 1, 0.0, 1e12, status);
}

static vlCode check_counters(const vlSharp *sim, const Counters *c, vlStatus *status)
{
  const int *n = sim->grid.n;
  if (c->n[0] != n[0] || c->n[1] != n[1] || c->n[2] != n[2] || c->dx != sim->grid.dx)
    return vl_fail(status, VL_ERROR_FILE,
                   "written for %lld x %lld x %lld cells of %g m; this scene has %d x %d x %d of %g m", (long long)c->n[0],
                   (long long)c->n[1], (long long)c->n[2], c->dx, n[0], n[1], n[2], sim->grid.dx);
  if (c->transfer != (int64_t)sim->scene->liquid.transfer)
    return vl_fail(status, VL_ERROR_FILE, "written with another liquid.transfer than this scene has");
  return check_amounts(c, status);
}

static vlCode visit_counters(vlSharp *sim, vlVisitor *v, Counters *c, vlStatus *status)
{
  *c = counters_of(sim);
  vlCode code = v->array(v->data, "counters", c, sizeof *c, 1, status);
  return code || !v->restoring ? code : check_counters(sim, c, status);
}

/* Room for so many particles as there are, which must be those that were counted. */
static vlCode make_room(vlParticles *p, const vlVisitor *v, size_t count, vlStatus *status)
{
  size_t found = 0;
  const char *first = vl_particles_array(p, 0).name;
  if (!v->find(v->data, first, VL_COLUMN_BYTES, &found) || found != count)
    return vl_fail(status, VL_ERROR_FILE, "'counters' tells of %zu particles; '%s' has %zu", count, first, found);
  return vl_particles_reserve(p, count, status);
}

static vlCode visit_particles(vlParticles *p, const vlGrid *grid, vlVisitor *v, const Counters *c, vlStatus *status)
{
  size_t count = (size_t)c->particles;
  vlCode code = v->restoring ? make_room(p, v, count, status) : VL_OK;
  for (int k = 0; k < p->arrays && !code; k++) {
    vlParticleArray array = vl_particles_array(p, k);
    code = v->array(v->data, array.name, array.data, VL_COLUMN_BYTES, count, status);
  }
  if (code) return code;
  p->count = count;
  p->next_id = (uint32_t)c->next_id;
  return v->restoring ? vl_particles_check(p, grid, status) : VL_OK;
}

static vlCode visit_field(vlSharp *sim, vlVisitor *v, const char *name, double *field, vlNumbers numbers, vlStatus *status)
{
  const vlBlocks *wet = &sim->work.wet;
  vlCode code = v->field(v->data, name, field, &sim->grid, wet, status);
  for (int b = 0; b < wet->count && v->restoring && !code; b++) {
    vlBlockPosition p = wet->at[b];
    code = vl_numbers_check(name, numbers, field + vl_blocks_field(&sim->grid, p), (size_t)vl_blocks_width(wet, p), status);
    if (code) vl_status_prefix(status, "cells %d to %d, %d, %d: ", p.bx * VL_BLOCK, (p.bx + 1) * VL_BLOCK - 1, p.j, p.k);
  }
  return code;
}

static vlCode visit_fields(vlSharp *sim, vlVisitor *v, vlStatus *status)
{
  vlState *state = &sim->state;
  vlCode code = visit_field(sim, v, "p", state->p, VL_NUMBERS_OTHER, status);
  for (int a = 0; a < 3 && !code; a++) code = visit_field(sim, v, BEFORE[a], state->u_old[a], VL_NUMBERS_SPEED, status);
  for (int a = 0; a < 3 && !code; a++) code = visit_field(sim, v, NEW[a], state->u[a], VL_NUMBERS_SPEED, status);
  return code;
}

/* Where they are not there the next step begins with none, as it does where liquid did not part before. */
static vlCode restore_parted(vlSharp *sim, vlVisitor *v, vlStatus *status)
{
  vlPartedPlaces *parted = &sim->state.parted;
  size_t count = 0;
  const int64_t *place = v->find(v->data, PARTED, sizeof *place, &count);
  parted->count = 0;
  if (!place) return VL_OK;
  if (!vl_array_reserve((void **)&parted->place, &parted->capacity, count + 1, sizeof *place))
    return vl_fail_memory(status, count * sizeof *place, "liquid that parts from walls");
  int64_t cells = (int64_t)sim->grid.n[0] * sim->grid.n[1] * sim->grid.n[2];
  for (size_t c = 0; c < count; c++) {
    if (place[c] < 0 || place[c] >= cells)
      return vl_fail(status, VL_ERROR_FILE, "'%s' names cell %lld; the grid has %lld", PARTED, (long long)place[c],
                     (long long)cells);
    parted->place[c] = place[c];
  }
  parted->count = (int64_t)count;
  return VL_OK;
}

static vlCode visit_parted(vlSharp *sim, vlVisitor *v, vlStatus *status)
{
  vlPartedPlaces *parted = &sim->state.parted;
  if (v->restoring) return restore_parted(sim, v, status);
  if (!vl_separate_on(sim->scene)) return VL_OK;
  return v->array(v->data, PARTED, parted->place ? parted->place : &(int64_t){0}, sizeof *parted->place,
                  (size_t)parted->count, status);
}

static vlCode visit_told(vlTold *told, vlVisitor *v, vlStatus *status)
{
  vlCode code = v->array(v->data, "told", told, sizeof *told, 1, status);
  if (code || !v->restoring) return code;
  const int64_t counts[] = {told->inverted, told->leap};
  const double amounts[] = {told->squeezed, told->broken, told->crushed};
  code = vl_numbers_check("told", VL_NUMBERS_COUNT_64, counts, 2, status);
  return code ? code : vl_numbers_check("told", VL_NUMBERS_LEAST_0, amounts, 3, status);
}

/* Checkpoints of before have none of it. */
static vlCode visit_lost(vlLost *lost, vlVisitor *v, vlStatus *status)
{
  size_t count = 0;
  if (!v->restoring) return v->array(v->data, "lost", lost, sizeof *lost, 1, status);
  const vlLost *found = v->find(v->data, "lost", sizeof *lost, &count);
  *lost = found && count == 1 ? *found : (vlLost){0};
  return vl_numbers_check("lost", VL_NUMBERS_LEAST_0, lost, 2, status);
}

/* Of leapfrog alone: how far before the end the velocities are. Where it is not there they are those of the end. */
static vlCode visit_last_step(vlSharp *sim, vlVisitor *v, vlStatus *status)
{
  static const char *const name = "last_step";
  double *last = &sim->state.last_dt;
  size_t count = 0;
  bool leaps = sim->scene->time.scheme == VL_TIME_LEAPFROG;
  if (!v->restoring) return leaps ? v->array(v->data, name, last, sizeof *last, 1, status) : VL_OK;
  const double *found = v->find(v->data, name, sizeof *last, &count);
  *last = found && count == 1 ? *found : 0.0;
  return vl_numbers_check(name, VL_NUMBERS_LEAST_0, last, 1, status);
}

/* Checkpoints of before have none of it. */
static vlCode visit_flows(vlFlows *flows, vlVisitor *v, vlStatus *status)
{
  size_t count = 0;
  if (!v->restoring) return v->array(v->data, "flows", flows, sizeof *flows, 1, status);
  const vlFlows *found = v->find(v->data, "flows", sizeof *flows, &count);
  *flows = found && count == 1 ? *found : (vlFlows){0};
  return vl_numbers_check("flows", VL_NUMBERS_LEAST_0, flows, 1, status);
}

vlCode vl_sharp_visit(vlSim *base, vlVisitor *v, vlStatus *status)
{
  vlSharp *sim = vl_sharp(base);
  vlState *state = &sim->state;
  Counters c;
  vlCode code = visit_counters(sim, v, &c, status);
  if (!code) code = vl_bodies_visit(&state->bodies, v, c.time, status);
  if (!code && state->particles) code = visit_particles(state->particles, &sim->grid, v, &c, status);
  if (!code && v->restoring) {
    state->step = c.step;
    state->time = c.time;
    state->max_speed = c.max_speed;
    vl_sources_place(sim);
    code = state->particles ? sim->method->place(sim, status) : vl_sharp_rebuild(sim, status);
  }
  if (!code) code = visit_fields(sim, v, status);
  if (!code && state->fine) code = vl_fine_visit(state->fine, v, status);
  if (!code && state->fine) code = vl_air_visit(sim, v, status);
  if (!code && v->restoring && state->particles) code = sim->method->fill(sim, status);
  if (!code) code = visit_parted(sim, v, status);
  if (!code) code = visit_last_step(sim, v, status);
  if (!code) code = vl_walls_visit(sim, v, status);
  if (!code) code = visit_told(&state->told, v, status);
  if (!code) code = visit_lost(&state->lost, v, status);
  return code ? code : visit_flows(&state->flows, v, status);
}
