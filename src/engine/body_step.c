/* Elastic bodies in a step: begin (S, w), the pressure solve with J (pressure/coupling.h), finish (v, x), then the geometry
 * anew for the next step.
 *
 * The sides of the box hold a body's nodes back [zarifi2017, sec. 4.4, there by an explicit correction]: a node that would
 * leave through a side in the coming step is held along that axis, with the velocity that brings it onto the side, and so is
 * part of the solve like a pin. It is let go when the side would have to pull. */
#include "engine/body_step.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"

static const double TOO_DEEP = 1.5; /* cells: a particle so far inside a body has gone through its surface */

vlWetBodies vl_body_step_wet(const vlSim *sim)
{
  const vlBodies *bodies = &sim->state.bodies;
  return (vlWetBodies){bodies->body, bodies->count, sim->work.first_node, &sim->work.patches};
}

static vlCode number_nodes(vlSim *sim, vlStatus *status)
{
  const vlBodies *bodies = &sim->state.bodies;
  sim->work.first_node = calloc((size_t)bodies->count + 1, sizeof *sim->work.first_node);
  sim->work.surface_of = calloc((size_t)bodies->count + 1, sizeof *sim->work.surface_of);
  if (!sim->work.first_node || !sim->work.surface_of)
    return vl_fail_memory(status, (size_t)bodies->count * sizeof(vlPatchSurface), "elastic bodies");
  for (int b = 0; b < bodies->count; b++)
    sim->work.first_node[b + 1] = sim->work.first_node[b] + bodies->body[b]->node_count;
  return VL_OK;
}

vlCode vl_body_step_create(vlSim *sim, vlStatus *status)
{
  vlCode code = vl_bodies_create(&sim->state.bodies, sim->scene, status);
  if (!code) code = number_nodes(sim, status);
  if (code || sim->state.bodies.count == 0) return code;
  for (int b = 0; b < sim->state.bodies.count; b++)
    sim->state.bodies.body[b]->elastic_first = sim->scene->coupling == VL_COUPLING_DAMPING_ONLY;
  sim->cuts = calloc(1, sizeof *sim->cuts);
  if (!sim->cuts) return vl_fail_memory(status, sizeof *sim->cuts, "the cut cells");
  code = vl_body_distance_create(&sim->work.body_distance, &sim->grid, sim->state.bodies.count, status);
  if (!code) code = vl_body_step_cut(sim, status);
  return code ? code : vl_body_step_distance(sim, status);
}

void vl_body_step_clear(vlSim *sim)
{
  vl_body_distance_clear(&sim->work.body_distance, &sim->grid);
  vl_patches_clear(&sim->work.patches);
  free(sim->work.first_node);
  free(sim->work.surface_of);
  vl_bodies_clear(&sim->state.bodies);
}

vlCode vl_body_step_cut(vlSim *sim, vlStatus *status)
{
  const vlBodies *bodies = &sim->state.bodies;
  if (bodies->count == 0) return VL_OK;
  vlPatchSurface *surface = sim->work.surface_of;
  for (int b = 0; b < bodies->count; b++) {
    const vlElastic *body = bodies->body[b];
    surface[b] = (vlPatchSurface){body->x, (const int(*)[3])body->triangle, body->triangle_count, sim->work.first_node[b]};
  }
  vlCode code = vl_patches_update(&sim->work.patches, surface, bodies->count, &sim->grid, status);
  return code ? code : vl_cuts_merge(sim->cuts, sim->static_cuts, &sim->work.patches, status);
}

vlCode vl_body_step_distance(vlSim *sim, vlStatus *status)
{
  return vl_body_distance_update(&sim->work.body_distance, &sim->grid, sim->state.bodies.body, status);
}

/* Whether the node is about to leave the box along the axis; *side is where it would. */
static bool leaves(const vlSim *sim, const vlElastic *body, int node, int axis, double dt, double *side)
{
  double lo = sim->grid.origin.v[axis], hi = lo + sim->grid.n[axis] * sim->grid.dx;
  double to = body->x[node].v[axis] + dt * body->v[node].v[axis];
  *side = to < lo ? lo : hi;
  return to < lo || to > hi;
}

static void hold_at_sides(vlSim *sim, int b, double dt)
{
  vlElastic *body = sim->state.bodies.body[b];
  unsigned char *contact = body->contact;
  for (int i = 0; i < 3 * body->node_count; i++) {
    int node = i / 3, axis = i % 3;
    double side;
    if (sim->grid.n[axis] == 1) continue;
    if (contact[i]) /* 1: lower side, 2: upper */
      side = sim->grid.origin.v[axis] + (contact[i] == 2 ? sim->grid.n[axis] * sim->grid.dx : 0.0);
    else if (body->held[i] || !leaves(sim, body, node, axis, dt, &side))
      continue;
    contact[i] = side > sim->grid.origin.v[axis] ? 2 : 1;
    vl_elastic_hold(body, node, axis, vl_elastic_velocity_to(body, dt, node, axis, side));
  }
}

static void release_from_sides(vlSim *sim, int b)
{
  vlElastic *body = sim->state.bodies.body[b];
  unsigned char *contact = body->contact;
  for (int i = 0; i < 3 * body->node_count; i++) {
    double push = body->reaction[i / 3].v[i % 3];
    if ((contact[i] == 1 && push < 0.0) || (contact[i] == 2 && push > 0.0)) {
      vl_elastic_release(body, i / 3, i % 3);
      contact[i] = 0;
    }
  }
}

vlCode vl_body_step_begin(vlSim *sim, double dt, vlStatus *status)
{
  vlBodies *bodies = &sim->state.bodies;
  vlCode code = VL_OK;
  if (bodies->count == 0) return VL_OK;
  vl_bodies_pin(bodies, sim->scene, sim->state.time, dt);
  for (int b = 0; b < bodies->count && !code; b++) {
    hold_at_sides(sim, b, dt);
    code = vl_elastic_begin(bodies->body[b], dt, sim->scene->gravity, status);
  }
  return code;
}

vlCode vl_body_step_finish(vlSim *sim, vlStatus *status)
{
  vlBodies *bodies = &sim->state.bodies;
  const vlVec3 *load = sim->work.pressure->coupling.load;
  vlCode code = VL_OK;
  for (int b = 0; b < bodies->count && !code; b++) {
    code = vl_elastic_finish(bodies->body[b], load + sim->work.first_node[b], status);
    if (!code) release_from_sides(sim, b);
  }
  if (!code) vl_body_distance_velocity(&sim->work.body_distance, bodies->body);
  return code;
}

static bool too_deep(const vlSim *sim, vlObstacles bodies, size_t i)
{
  const vlParticles *p = sim->state.particles;
  const double x[3] = {(double)p->x[0][i], (double)p->x[1][i], (double)p->x[2][i]};
  double n[3];
  return vl_obstacle_distance(&sim->grid, bodies, x, n, NULL) <= -TOO_DEEP;
}

vlCode vl_body_step_rescue(vlSim *sim, vlStepInfo *info, vlStatus *status)
{
  vlParticles *p = sim->state.particles;
  vlObstacles bodies = vl_sim_obstacles(sim);
  bodies.distance = NULL; /* no static solids */
  int64_t lost = 0;
  if (sim->state.bodies.count == 0) return VL_OK;
#pragma omp parallel for schedule(static) reduction(+ : lost)
  for (size_t i = 0; i < p->count; i++) lost += too_deep(sim, bodies, i);
  if (lost == 0) return VL_OK;
  unsigned char *keep = malloc(p->count);
  if (!keep) return vl_fail_memory(status, p->count, "particles in bodies");
  for (size_t i = 0; i < p->count; i++) keep[i] = !too_deep(sim, bodies, i);
  vl_particles_filter(p, keep);
  free(keep);
  info->lost += lost;
  return VL_OK;
}
