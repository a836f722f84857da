/* Liquid and one elastic body in a box, for the tests of the coupling. Include cmocka first. */
#ifndef VL_TESTS_WET_BODY_H
#define VL_TESTS_WET_BODY_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "engine/sharp/body_step.h"

/* A box turned about two axes, so that it cuts cells in every way; free and without damping. */
static inline vlBodyDef turned_box(vlVec3 center, vlVec3 size, int cells)
{
  vlBodyDef body = {.shape = VL_BODY_BOX,
                    .center = center,
                    .rotation = vl_mat_multiply(vl_mat_rotation(1, 0.4), vl_mat_rotation(2, 0.7)),
                    .size = size,
                    .cells = {cells, cells, cells},
                    .scale = {{1, 1, 1}},
                    .density = 700.0,
                    .young = 2e5,
                    .poisson = 0.3,
                    .friction = 0.3,
                    .stretch = vl_vec(1, 1, 1)};
  strcpy(body.name, "body");
  return body;
}

/* A box of one metre; still liquid, exact steps. The body is not copied: it must live as long as the scene. */
static inline vlScene coupled_scene(int cells, vlBodyDef *body)
{
  vlScene scene;
  vl_scene_default(&scene);
  scene.grid.size = vl_vec(1, 1, 1);
  scene.grid.cells = cells;
  scene.grid.dx = 0.0;
  scene.liquid.transfer = VL_TRANSFER_STILL;
  scene.pressure.tolerance = 1e-12;
  scene.pressure.max_iterations = 400;
  scene.time.dt_fixed = 0.005;
  scene.check_level = 3;
  scene.pressure.separation = VL_SEPARATION_NO; /* a step is one linear solve */
  scene.bodies = body;
  scene.body_count = body ? 1 : 0;
  return scene;
}

static inline vlShape ball(vlVec3 center, double radius)
{
  vlShape shape = vl_shape_default(VL_SHAPE_SPHERE);
  shape.center = center;
  shape.radius = radius;
  return shape;
}

static inline vlSim *start_with(const vlScene *scene, int threads)
{
  vlStatus status = {0};
  vlSim *sim = NULL;
  if (vl_sim_create(&sim, scene, (vlSimOptions){.threads = threads}, &status)) fail_msg("%s", status.message);
  return sim;
}

static inline vlSim *start(const vlScene *scene) { return start_with(scene, 2); }

static inline vlStepInfo step(vlSim *sim)
{
  vlStatus status = {0};
  vlStepInfo info = {0};
  if (vl_sim_step(sim, INFINITY, &info, &status)) fail_msg("%s", status.message);
  return info;
}

/* Every face of the wet blocks gets the velocity. */
static inline void set_velocity(vlSim *sim, vlVec3 u)
{
  double *const *before = vl_sharp_before(vl_sharp(sim));
  const vlGrid *g = &vl_sharp(sim)->grid;
  for (int b = 0; b < vl_sharp(sim)->work.wet.count; b++) {
    ptrdiff_t at = vl_blocks_field(g, vl_sharp(sim)->work.wet.at[b]);
    for (int a = 0; a < 3; a++)
      for (int l = 0; l < VL_BLOCK; l++) before[a][at + l] = before[a][at + l + g->stride[a]] = u.v[a];
  }
}

/* A ball of liquid around the scene's bodies moves as they do, at u, and nothing pushes: the largest pressure of the step
 * over rho |u| dx / dt, which must be round-off. */
static inline double free_stream(vlScene *scene, vlVec3 u)
{
  vlShape liquid = ball(vl_vec(0.5, 0.5, 0.5), 0.35);
  scene->gravity = vl_vec(0, 0, 0);
  scene->liquid.shapes = &liquid;
  scene->liquid.shape_count = 1;
  vlSim *sim = start(scene);
  set_velocity(sim, u);
  step(sim);
  double most = 0.0, scale = 1000.0 * vl_norm(u) * vl_sharp(sim)->grid.dx / scene->time.dt_fixed;
  assert_true(vl_sharp(sim)->work.pressure->coupling.rows > 100);
  for (size_t i = 0; i < vl_stencil_length(&vl_sharp(sim)->work.pressure->stencil); i++)
    most = fmax(most, fabs(vl_sharp(sim)->work.pressure->p[i]));
  vl_sim_destroy(&sim);
  scene->liquid.shapes = NULL;
  scene->liquid.shape_count = 0;
  return most / scale;
}

/* kg m/s that the liquid gained in the last step: sum over its faces, with their areas then, of rho A d (u1 - u0). */
static inline vlVec3 liquid_gain(const vlSim *sim, double *const area[3])
{
  vlVec3 gain = vl_vec(0, 0, 0);
  vlFluid fluid = vl_sharp_fluid(vl_sharp(sim));
  fluid.area = (const double *const *)area;
  for (int b = 0; b < vl_sharp(sim)->work.wet.count; b++)
    for (int l = 0; l < vl_blocks_width(&vl_sharp(sim)->work.wet, vl_sharp(sim)->work.wet.at[b]); l++)
      for (int a = 0; a < 3; a++) {
        vlLink link = vl_links_at(&vl_sharp(sim)->work.pressure->links, &fluid, b * VL_BLOCK + l, a);
        ptrdiff_t at = vl_blocks_field(&vl_sharp(sim)->grid, vl_sharp(sim)->work.wet.at[b]) + l;
        if (link.kind)
          gain.v[a] += 1000.0 * link.area * link.distance * (vl_sharp(sim)->state.u[a][at] - vl_sharp(sim)->work.u[a][at]);
      }
  return gain;
}

static inline vlVec3 pieces_gain(const vlLayerPiece *piece, int first, int last, const vlVec3 *v0, const vlVec3 *v1)
{
  vlVec3 gain = vl_vec(0, 0, 0);
  for (int i = first; i < last; i++) {
    const vlLayerPiece *q = &piece[i];
    for (int k = 0; k < q->nodes; k++)
      gain = vl_axpy(gain, q->inertia * q->share[k] * vl_dot(q->n, vl_sub(v1[q->node[k]], v0[q->node[k]])), q->n);
  }
  return gain;
}

/* The same of the liquid that bodies carried, v0 what their nodes had before. */
static inline vlVec3 layer_gain(const vlSim *sim, const vlVec3 *v0)
{
  const vlBodySet *bodies = &vl_sharp(sim)->state.bodies;
  const vlLayer *layer = &vl_sharp(sim)->work.layer;
  const vlVec3 *v1 = vl_sharp(sim)->work.pressure->coupling.velocity;
  vlVec3 gain = vl_vec(0, 0, 0);
  for (int b = 0; b < bodies->count; b++) {
    int at = bodies->first_node[b];
    gain = vl_add(gain, pieces_gain(layer->surface.piece, layer->first[b], layer->first[b + 1], v0 + at, v1 + at));
    gain =
        vl_add(gain, pieces_gain(layer->deeper.piece, layer->first_deeper[b], layer->first_deeper[b + 1], v0 + at, v1 + at));
  }
  return gain;
}

/* Velocities of all nodes, to be freed. */
static inline vlVec3 *copy_velocities(const vlSim *sim)
{
  const vlBodySet *bodies = &vl_sharp(sim)->state.bodies;
  vlVec3 *v = calloc((size_t)vl_bodies_nodes(bodies) + 1, sizeof *v);
  assert_non_null(v);
  for (int b = 0; b < bodies->count; b++)
    memcpy(v + bodies->first_node[b], bodies->body[b]->v, (size_t)bodies->body[b]->node_count * sizeof *v);
  return v;
}

#endif
