/* Bodies in a step: begin (S, w, contacts), the pressure solve with J (pressure/coupling.h), finish (v, x), then the
 * geometry anew for the next step. Which contacts close depends on the pressure, so the solve is repeated, from where it
 * was, when its pressure closes others than were taken for closed. The bodies always move as the last solve has it, so that
 * they and the liquid agree; by how much the contacts' conditions are broken then is told. */
#include "engine/sharp/body_step.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "cut/patches.h"

enum { CONTACT_TURNS = 8 };

static const double TOO_DEEP = 1.5; /* cells: a particle so far inside a body has gone through its surface */

static bool in_domain(const vlGrid *g, const int cell[3])
{
  for (int a = 0; a < 3; a++)
    if (cell[a] < 0 || cell[a] >= g->n[a]) return false;
  return true;
}

/* How many cells hold both sides of body b: its patches there nearly cancel. */
static int count_pierced(const vlSharp *sim, int b)
{
  const vlPatches *patches = &sim->work.patches;
  const vlGrid *g = &sim->grid;
  const int *first_node = sim->apart.first_node;
  int count = 0;
  for (int first = 0, last; first < patches->count; first = last) {
    vlVec3 sum = vl_vec(0, 0, 0);
    double area = 0.0;
    last = vl_patches_of_cell(patches, first);
    if (!in_domain(g, patches->patch[first].cell)) continue;
    for (int q = first; q < last; q++) {
      const vlPatch *patch = &patches->patch[q];
      if (patch->node[0] < first_node[b] || patch->node[0] >= first_node[b + 1]) continue;
      sum = vl_add(sum, patch->s);
      area += vl_norm(patch->s);
    }
    count += area > 0.5 * g->dx * g->dx && vl_norm(sum) < 0.25 * area;
  }
  return count;
}

static void warn_of_places(const vlSharp *sim)
{
  int overlaps = sim->work.cuts->clamped - sim->static_cuts->clamped;
  for (int b = 0; b < sim->apart.count; b++) {
    int pierced = count_pierced(sim, b);
    if (pierced > 0)
      vl_log(
          sim->log, VL_LOG_WARNING,
          "body '%.63s': both its sides lie in one cell at %d place(s): liquid passes through it there; bodies are tight if "
          "they are thicker than the diagonal of a cell, %.4g m",
          sim->apart.body[b]->def->name, pierced, sqrt(3.0) * sim->grid.dx);
  }
  if (overlaps > 0)
    vl_log(sim->log, VL_LOG_WARNING,
           "bodies begin inside solids or each other: %d faces are closed more than once; they will be pushed apart",
           overlaps);
}

/* The grid sees a body in the medium by the grains in its cells. */
static void warn_of_small(const vlSharp *sim)
{
  double cell = pow(sim->grid.dx, 3);
  for (int b = 0; b < sim->state.bodies.count; b++) {
    const vlBody *body = sim->state.bodies.body[b];
    double volume = 0.0;
    if (!body->type->grains || !body->type->element_volume) continue;
    for (int e = 0; e < body->element_count; e++) volume += body->type->element_volume(body, e);
    if (volume >= cell) continue;
    vl_log(sim->log, VL_LOG_WARNING,
           "body '%.63s' has %.3g m3, less than a cell, %.3g m3: the medium knows its mass and not its form; smaller cells "
           "see it",
           body->def->name, volume, cell);
  }
}

void vl_body_step_doubt(const vlSharp *sim)
{
  if (sim->apart.count > 0) warn_of_places(sim);
  if (sim->scene->engine == VL_ENGINE_IMMERSED) warn_of_small(sim);
}

vlCode vl_body_step_create(vlSharp *sim, vlStatus *status)
{
  const vlBodySet *bodies = &sim->apart;
  if (bodies->count == 0) return VL_OK;
  sim->work.total = calloc((size_t)vl_bodies_nodes(bodies) + 1, sizeof *sim->work.total);
  sim->work.layer_force = calloc((size_t)vl_bodies_nodes(bodies) + 1, sizeof *sim->work.layer_force);
  sim->work.lifts.force = calloc((size_t)vl_bodies_nodes(bodies) + 1, sizeof *sim->work.lifts.force);
  if (!sim->work.total || !sim->work.layer_force || !sim->work.lifts.force)
    return vl_fail_memory(status, (size_t)vl_bodies_nodes(bodies) * sizeof(vlVec3), "the bodies");
  vlCode code = vl_body_distance_create(&sim->work.body_distance, &sim->grid, bodies->count, status);
  if (!code) code = vl_body_step_cut(sim, status);
  return code ? code : vl_body_step_distance(sim, NULL, status);
}

void vl_body_step_clear(vlSharp *sim)
{
  vl_body_distance_clear(&sim->work.body_distance, &sim->grid);
  vl_patches_clear(&sim->work.patches);
  free(sim->work.total);
  free(sim->work.layer_force);
  free(sim->work.lifts.lift);
  free(sim->work.lifts.force);
  vl_layer_clear(&sim->work.layer);
  free(sim->work.mark.bytes);
  vl_contact_solve_clear(&sim->work.contact);
}

vlCode vl_body_step_cut(vlSharp *sim, vlStatus *status)
{
  const vlBodySet *bodies = &sim->apart;
  if (bodies->count == 0) return VL_OK;
  vlCode code = vl_patches_update(&sim->work.patches, bodies, 0, bodies->count, &sim->grid, status);
  return code ? code : vl_cuts_merge(sim->work.cuts, sim->static_cuts, &sim->work.patches, status);
}

vlCode vl_body_step_distance(vlSharp *sim, const vlBlocks *within, vlStatus *status)
{
  return vl_body_distance_update(&sim->work.body_distance, &sim->grid, sim->apart.body, within, status);
}

/* Contacts settle with the loads as they are, NULL: as they were in the last step. */
static void settle_contacts(vlSharp *sim, const vlVec3 *load)
{
  vlBodySet *bodies = &sim->apart;
  vlVec3 *v = sim->work.total;
  for (int b = 0; b < bodies->count; b++) {
    int first = bodies->first_node[b];
    vl_body_velocity(bodies->body[b], load ? load + first : bodies->body[b]->load, v + first);
  }
  vl_contact_solve_settle(&sim->work.contact, v);
}

static vlVec3 pull_at(const void *data, vlVec3 x) { return vl_sharp_pull(data, x); }

/* Before the bodies begin: what liquid they carry in the step. */
static vlCode find_layer(vlSharp *sim, vlStatus *status)
{
  vlFluid fluid = vl_sharp_fluid(sim);
  const vlPartedPlaces *parted = vl_separate_on(sim->scene) ? &sim->state.parted : NULL;
  return vl_layer_find(&sim->work.layer, &fluid, parted, sim->scene->liquid.density, (vlPull){pull_at, sim}, status);
}

vlCode vl_body_step_layer(vlSharp *sim, vlStep *step, vlStatus *status)
{
  (void)status;
  if (sim->apart.count == 0) return VL_OK;
  vl_lift_end_bodies(sim);
  sim->work.layer_sums = vl_layer_push(&sim->work.layer, &sim->apart, sim->work.pressure->coupling.velocity, step->kick,
                                       vl_sim_gravity(&sim->sim), sim->work.layer_force);
  return VL_OK;
}

vlCode vl_body_step_begin(vlSharp *sim, vlStep *step, vlStatus *status)
{
  vlBodySet *bodies = &sim->apart;
  vlVec3 gravity = vl_sharp_acceleration(sim);
  double dt = step->dt;
  vlCode code = VL_OK;
  sim->work.lifts.count = 0;
  if (bodies->count == 0) return VL_OK;
  for (int b = 0; b < bodies->count; b++)
    bodies->body[b]->kick = sim->scene->time.scheme == VL_TIME_LEAPFROG ? step->kick : 0.0;
  vl_bodies_drive(bodies, sim->state.time, dt);
  vl_slices_weigh(bodies, &sim->work.patches, gravity, sim->scene->pressure.weights == VL_WEIGHTS_AREA);
  code = find_layer(sim, status);
  for (int b = 0; b < bodies->count && !code; b++) code = vl_body_begin(bodies->body[b], dt, gravity, status);
  if (!code) code = vl_contact_solve_begin(&sim->work.contact, bodies, dt, status);
  if (!code && sim->work.contact.contacts.count > 0) settle_contacts(sim, NULL);
  return code;
}

bool vl_body_step_contacts_hold(vlSharp *sim)
{
  vlContactSolve *contact = &sim->work.contact;
  contact->turns++;
  if (contact->contacts.count == 0) return true;
  contact->error = vl_contact_solve_error(contact, sim->work.pressure->coupling.velocity);
  if (contact->error <= contact->still || contact->turns > CONTACT_TURNS) return true;
  bool best = contact->error <= contact->kept_error;
  if (best) vl_contact_solve_keep(contact);
  if (contact->turns < CONTACT_TURNS) {
    if (!vl_contact_solve_slide(contact, sim->work.pressure->coupling.velocity))
      settle_contacts(sim, sim->work.pressure->coupling.load);
    return false;
  }
  /* what comes now is how the bodies move: no contact may drag them, which would feed on itself */
  if (!best && !contact->kept_pulls) {
    vl_contact_solve_restore(contact);
    return false;
  }
  return !vl_contact_solve_let_go(contact);
}

void vl_body_step_contacts_again(vlSharp *sim)
{
  sim->work.contact.turns = 0;
  sim->work.contact.kept_error = INFINITY;
}

/* Said once, and again when it has become ten times as many. */
static void warn_of_inverted(vlSharp *sim)
{
  for (int b = 0; b < sim->state.bodies.count; b++) {
    const vlBody *body = sim->state.bodies.body[b];
    if (body->inverted < 1 || body->inverted < 10 * sim->state.told.inverted) continue;
    vl_log(
        sim->log, VL_LOG_WARNING,
        "step %lld: body '%.63s' has %d of %d elements inside out: it is too soft for its load or its elements too coarse, "
        "and liquid around it may suffer",
        (long long)sim->state.step, body->def->name, body->inverted, body->element_count);
    sim->state.told.inverted = body->inverted;
  }
}

/* Bodies that would pass through half a cell in the step. Said once, and again when it has become ten times as much. */
static void warn_of_broken(vlSharp *sim, double dt)
{
  double error = sim->work.contact.contacts.count > 0 ? sim->work.contact.error : 0.0;
  if (!(error * dt > 0.5 * sim->grid.dx) || error < 10.0 * sim->state.told.broken) return;
  vl_log(sim->log, VL_LOG_WARNING,
         "step %lld: which of the bodies' %d contacts close has not settled after %d solves: they are left broken by up to "
         "%.3g "
         "m/s, and bodies may overlap or jerk; shorter steps or heavier bodies help",
         (long long)sim->state.step, sim->work.contact.contacts.count, sim->work.contact.turns, error);
  sim->state.told.broken = error;
}

vlCode vl_body_step_check(vlSharp *sim, vlStep *step, vlStatus *status)
{
  const vlBodySet *bodies = &sim->apart;
  vlVec3 *load = sim->work.pressure->coupling.load, *total = sim->work.total;
  if (bodies->count == 0) return VL_OK;
  memcpy(total, load, (size_t)vl_bodies_nodes(bodies) * sizeof *total);
  vl_contact_solve_add(&sim->work.contact, total);
  for (int i = 0; i < vl_bodies_nodes(bodies); i++)
    if (!vl_finite(total[i]) || !vl_finite(sim->work.layer_force[i]) || !vl_finite(sim->work.pressure->coupling.velocity[i]))
      return vl_fail(status, VL_ERROR_SOLVER, "step %lld: a force on a body or a velocity of it is not finite",
                     (long long)step->info->step);
  return VL_OK;
}

vlCode vl_body_step_finish(vlSharp *sim, vlStep *step, vlStatus *status)
{
  vlBodySet *bodies = &sim->apart;
  const vlVec3 *load = sim->work.pressure->coupling.load, *layer = sim->work.layer_force;
  vlVec3 *total = sim->work.total;
  vlCode code = VL_OK;
  for (int b = 0; b < bodies->count && !code; b++) {
    vlBody *body = bodies->body[b];
    int first = bodies->first_node[b];
    for (int i = first; !body->type->carry && i < bodies->first_node[b + 1]; i++) total[i] = vl_add(total[i], layer[i]);
    code = vl_body_finish(body, total + first, status);
    memcpy(body->load, load + first, (size_t)body->node_count * sizeof *load);
    memcpy(body->layer, layer + first, (size_t)body->node_count * sizeof *layer);
    body->contact_force = vl_contact_solve_push(&sim->work.contact, b);
  }
  if (!code) vl_body_distance_velocity(&sim->work.body_distance, bodies->body);
  if (!code) warn_of_inverted(sim);
  if (!code) warn_of_broken(sim, step->dt);
  return code;
}

/* Cells: the box around all bodies. */
static void bound_bodies(const vlSharp *sim, double lo[3], double hi[3])
{
  const vlBodyDistance *d = &sim->work.body_distance;
  vlBox3 box = vl_box_empty();
  for (int b = 0; b < d->body_count; b++) box = vl_box_unite(box, d->bounds[b]);
  for (int a = 0; a < 3; a++) {
    lo[a] = (box.lo.v[a] - sim->grid.origin.v[a]) / sim->grid.dx;
    hi[a] = (box.hi.v[a] - sim->grid.origin.v[a]) / sim->grid.dx;
  }
}

/* Whether a particle lies too deep in a body. Near surfaces the grid tells: its distance, between corners where it is exact,
 * is right to a cell. Elsewhere a whole block lies in a body or outside. */
static bool too_deep(const vlSharp *sim, const vlObstacles *bodies, const double lo[3], const double hi[3], size_t i)
{
  const vlParticles *p = sim->state.particles;
  const vlBodyDistance *d = &sim->work.body_distance;
  const double at[3] = {(double)p->x[0][i], (double)p->x[1][i], (double)p->x[2][i]};
  for (int a = 0; a < 3; a++)
    if (at[a] < lo[a] || at[a] > hi[a]) return false;
  unsigned char near = d->near[vl_blocks_place(bodies->shape, (int)at[0] / VL_BLOCK, (int)at[1], (int)at[2])];
  double slope[3];
  if (near == VL_BODY_NEAR) return vl_obstacle_distance(&sim->grid, *bodies, at, slope, NULL) <= -TOO_DEEP;
  return near == VL_BODY_DEEP;
}

/* Puts a particle back before the nearest surface, at the body's velocity there; false where there is no room. */
static bool put_out(vlSharp *sim, size_t i)
{
  vlParticles *p = sim->state.particles;
  const vlGrid *g = &sim->grid;
  vlVec3 x = vl_axpy(g->origin, g->dx, vl_vec((double)p->x[0][i], (double)p->x[1][i], (double)p->x[2][i]));
  vlVec3 v, to = vl_body_distance_out(&sim->work.body_distance, sim->apart.body, x, 0.1 * g->dx, &v);
  for (int a = 0; a < 3; a++)
    if (to.v[a] <= g->origin.v[a] || to.v[a] >= g->origin.v[a] + g->n[a] * g->dx) return false;
  if (!(vl_sharp_solid_distance(sim, to) > 0.0)) return false;
  for (int a = 0; a < 3; a++) {
    if (g->n[a] == 1) continue;
    p->x[a][i] = (float)((to.v[a] - g->origin.v[a]) / g->dx);
    p->v[a][i] = (float)v.v[a];
  }
  return true;
}

vlCode vl_body_step_rescue(vlSharp *sim, vlStepInfo *info, vlStatus *status)
{
  vlParticles *p = sim->state.particles;
  vlObstacles bodies = vl_sharp_obstacles(sim);
  bodies.distance = NULL; /* no static solids */
  int64_t deep = 0, lost = 0;
  double lo[3], hi[3];
  if (sim->apart.count == 0) return VL_OK;
  bound_bodies(sim, lo, hi);
#pragma omp parallel for schedule(static) reduction(+ : deep)
  for (size_t i = 0; i < p->count; i++) deep += too_deep(sim, &bodies, lo, hi, i);
  if (deep == 0) return VL_OK;
  unsigned char *keep = malloc(p->count);
  if (!keep) return vl_fail_memory(status, p->count, "particles in bodies");
  for (size_t i = 0; i < p->count; i++) {
    keep[i] = !too_deep(sim, &bodies, lo, hi, i) || put_out(sim, i);
    lost += !keep[i];
  }
  if (lost > 0) vl_particles_filter(p, keep);
  free(keep);
  info->rescued += deep - lost;
  info->lost += lost;
  return VL_OK;
}
