/* Elastic bodies from their definitions in the scene to their first state, and the motion of what is pinned.
 *
 * A body is meshed about its own origin (body_fill.c), turned and moved: its form at rest X. With the centre of mass c
 * and the rotation Q of its axes it starts at
 *
 *     x = c + Q diag(stretch) Q^T (X - c)        v = velocity + spin x (x - c)
 *
 * A pin takes the nodes whose x lies in its region or on its surface; along its axes such a node is later at
 *
 *     x(t) = x(0) + velocity s + amplitude sin(2 pi frequency s),        s = t - start, kept between 0 and end - start
 *
 * and the step is told the velocity that brings it there. In a slab bodies are boxes across its thickness, one cuboid deep,
 * whose nodes are held along z: plane strain. Regions of pins are looked at in its middle plane.
 * In: the scene. Out: bodies ready to step, or an error with file, line and the body's name. */
#include "engine/bodies.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "engine/body_fill.h"
#include "grid/grid.h"
#include "mesh/sdf.h"
#include "solid/rigid.h"

/* Puts "file:line:column: body 'name': " before the message; returns the code. */
static vlCode locate(vlCode code, const vlScene *scene, const vlBodyDef *def, vlSource where, vlStatus *status)
{
  if (!code) return code;
  vl_status_prefix(status, "body '%.63s': ", def->name);
  if (scene->path && where.line > 0) vl_status_prefix(status, "%.1000s:%d:%d: ", scene->path, where.line, where.column);
  return code;
}

static vlCode make_body(vlElastic **body, vlStuffInfo *stuffed, const vlScene *scene, const vlBodyDef *def, vlStatus *status)
{
  vlVec3 center = def->center;
  if (scene->slab) center.z = 0.0;
  const vlElasticMaterial material = {
      .density = def->density,
      .young = def->young,
      .poisson = def->poisson,
      .mass_damping = def->mass_damping,
      .stiffness_damping = def->stiffness_damping,
      .model = def->model == VL_MODEL_NEO_HOOKEAN ? VL_ELASTIC_NEO_HOOKEAN : VL_ELASTIC_COROTATIONAL,
  };
  const vlElasticOptions options = {
      def->element == VL_ELEMENT_QUADRATIC ? VL_ELASTIC_QUADRATIC : VL_ELASTIC_LINEAR,
      def->scheme == VL_SCHEME_BDF2 ? VL_ELASTIC_BDF2 : VL_ELASTIC_BACKWARD_EULER,
  };
  vlTetMesh mesh;
  vlCode code = vl_body_fill(&mesh, stuffed, scene, def, status);
  if (!code) vl_tetmesh_transform(&mesh, def->rotation, center);
  if (!code) code = vl_elastic_create(body, &mesh, material, options, def->file ? def->file : "its mesh", status);
  vl_tetmesh_clear(&mesh);
  return code;
}

/* First positions and velocities. */
static void start(vlElastic *body, const vlBodyDef *def)
{
  vlVec3 c = vl_elastic_measure(body, vl_vec(0, 0, 0)).center;
  vlMat3 Q = def->rotation, back = vl_mat_transpose(Q);
  bool stretched = def->stretch.x != 1.0 || def->stretch.y != 1.0 || def->stretch.z != 1.0;
  for (int i = 0; i < body->node_count; i++) {
    vlVec3 r = vl_mat_apply(back, vl_sub(body->rest[i], c));
    for (int a = 0; a < 3; a++) r.v[a] *= def->stretch.v[a];
    if (stretched) body->x[i] = vl_add(c, vl_mat_apply(Q, r));
    body->v[i] = vl_add(def->velocity, vl_cross(def->spin, vl_sub(body->x[i], c)));
  }
  vl_elastic_restart(body);
}

static vlBox3 bounds(const vlElastic *body)
{
  vlBox3 box = vl_box_empty();
  for (int i = 0; i < body->node_count; i++) box = vl_box_add(box, body->x[i]);
  return box;
}

/* A rigid body starts in the form at rest; in a slab it moves in the plane. */
static vlCode start_rigid(vlElastic *body, const vlScene *scene, const vlBodyDef *def, vlStatus *status)
{
  enum { ACROSS_SLAB = 1u << 2 | 1u << 3 | 1u << 4 }; /* along z, about x and y */
  vlCode code = vl_elastic_make_rigid(body, status);
  if (code) return code;
  if (scene->slab) body->rigid->locked = ACROSS_SLAB;
  vl_rigid_set_motion(body->rigid, def->velocity, def->spin);
  vl_elastic_follow_rigid(body);
  return VL_OK;
}

static vlCode check_inside(const vlElastic *body, const vlScene *scene, vlStatus *status)
{
  vlGrid grid;
  vlCode code = vl_grid_create(&grid, scene, status);
  if (code) return code;
  vlBox3 own = bounds(body), box = vl_grid_box(&grid);
  for (int a = 0; a < (scene->slab ? 2 : 3); a++) {
    double lo = box.lo.v[a], hi = box.hi.v[a], slack = 1e-9 * (hi - lo); /* 0.1 + 0.2 is not 0.3 */
    if (own.lo.v[a] >= lo - slack && own.hi.v[a] <= hi + slack) continue;
    return vl_fail(status, VL_ERROR_SCENE, "it begins from %c = %g to %g m; the box is from %g to %g m", 'x' + a,
                   own.lo.v[a], own.hi.v[a], lo, hi);
  }
  return VL_OK;
}

/* How far a pin has moved along an axis at time t. */
static double shift_at(const vlPinDef *pin, int axis, double t)
{
  double s = fmax(fmin(t, pin->end) - pin->start, 0.0);
  return pin->velocity.v[axis] * s + pin->amplitude.v[axis] * sin(2.0 * VL_PI * pin->frequency * s);
}

static double first_velocity(const vlPinDef *pin, int axis)
{
  bool moving = pin->start <= 0.0 && pin->end > 0.0;
  return moving ? pin->velocity.v[axis] + 2.0 * VL_PI * pin->frequency * pin->amplitude.v[axis] : 0.0;
}

/* Gives the nodes in the region to pin number `index`. */
static vlCode hold_region(vlElastic *body, int *owner, const vlScene *scene, const vlBodyDef *def, int index,
                          vlStatus *status)
{
  const vlPinDef *pin = &def->pins[index];
  vlSdf *region = NULL;
  vlCode code = vl_sdf_create(&region, &pin->region, status);
  vlBox3 box = bounds(body);
  double near = 1e-6 * vl_norm(vl_sub(box.hi, box.lo)); /* nodes on the surface count, far within rounding */
  int count = 0;
  for (int i = 0; i < body->node_count && !code; i++) {
    vlVec3 x = body->x[i];
    if (scene->slab) x.z = 0.0;
    if (!(vl_sdf_distance(region, x) <= near)) continue;
    count++;
    for (int axis = 0; axis < (scene->slab ? 2 : 3); axis++)
      if (pin->axes & 1u << axis) owner[3 * i + axis] = index;
  }
  if (!code && !count)
    code = vl_fail(status, VL_ERROR_SCENE,
                   "there is no node in its region; the body begins from (%g, %g, %g) to (%g, %g, %g) m", box.lo.x, box.lo.y,
                   box.lo.z, box.hi.x, box.hi.y, box.hi.z);
  vl_sdf_destroy(&region);
  if (code) vl_status_prefix(status, "pins[%d]: ", index);
  return locate(code, scene, def, pin->region.where, status);
}

static vlCode hold_pins(vlElastic *body, int *owner, const vlScene *scene, const vlBodyDef *def, vlStatus *status)
{
  vlCode code = VL_OK;
  for (int i = 0; i < 3 * body->node_count; i++) owner[i] = -1;
  for (int p = 0; p < def->pin_count && !code; p++) code = hold_region(body, owner, scene, def, p, status);
  for (int i = 0; i < 3 * body->node_count && !code; i++) {
    int node = i / 3, axis = i % 3;
    bool flat = scene->slab && axis == 2;
    if (owner[i] < 0 && !flat) continue;
    double v = flat ? 0.0 : first_velocity(&def->pins[owner[i]], axis);
    vl_elastic_hold(body, node, axis, v);
    body->v[node].v[axis] = v;
  }
  return code;
}

static vlCode create_one(vlBodies *bodies, const vlScene *scene, int index, vlStatus *status)
{
  const vlBodyDef *def = &scene->bodies[index];
  vlCode code = make_body(&bodies->body[index], &bodies->stuffed[index], scene, def, status);
  vlElastic *body = bodies->body[index];
  if (!code) {
    start(body, def);
    if (def->rigid) code = start_rigid(body, scene, def, status);
    if (!code) code = check_inside(body, scene, status);
  }
  if (code) return locate(code, scene, def, def->where, status);
  size_t nodes = (size_t)body->node_count;
  bodies->first[index] = malloc(nodes * sizeof *bodies->first[index]);
  bodies->pin[index] = malloc(3 * nodes * sizeof *bodies->pin[index]);
  if (!bodies->first[index] || !bodies->pin[index])
    return vl_fail_memory(status, nodes * sizeof *bodies->first[index], "the pins of an elastic body");
  memcpy(bodies->first[index], body->x, nodes * sizeof *body->x);
  return hold_pins(body, bodies->pin[index], scene, def, status);
}

vlCode vl_bodies_create(vlBodies *bodies, const vlScene *scene, vlStatus *status)
{
  *bodies = (vlBodies){0};
  if (scene->body_count <= 0) return VL_OK;
  size_t count = (size_t)scene->body_count;
  bodies->body = calloc(count, sizeof *bodies->body);
  bodies->stuffed = calloc(count, sizeof *bodies->stuffed);
  bodies->first = calloc(count, sizeof *bodies->first);
  bodies->pin = calloc(count, sizeof *bodies->pin);
  vlCode code = VL_OK;
  if (bodies->body && bodies->stuffed && bodies->first && bodies->pin)
    bodies->count = scene->body_count;
  else
    code = vl_fail_memory(status, count * sizeof *bodies->body, "the elastic bodies");
  for (int i = 0; i < bodies->count && !code; i++) code = create_one(bodies, scene, i, status);
  if (code) vl_bodies_clear(bodies);
  return code;
}

void vl_bodies_clear(vlBodies *bodies)
{
  if (!bodies) return;
  for (int i = 0; i < bodies->count; i++) {
    vl_elastic_destroy(&bodies->body[i]);
    free(bodies->first[i]);
    free(bodies->pin[i]);
  }
  free(bodies->body);
  free(bodies->stuffed);
  free(bodies->first);
  free(bodies->pin);
  *bodies = (vlBodies){0};
}

/* All that matters is the time, so that a run that goes on from a checkpoint holds what it held. */
void vl_bodies_pin(vlBodies *bodies, const vlScene *scene, double time, double dt)
{
  for (int b = 0; b < bodies->count; b++) {
    vlElastic *body = bodies->body[b];
    for (int i = 0; i < 3 * body->node_count; i++) {
      if (bodies->pin[b][i] < 0) continue;
      const vlPinDef *pin = &scene->bodies[b].pins[bodies->pin[b][i]];
      int node = i / 3, axis = i % 3;
      bool over = pin->release && time >= pin->end - 1e-6 * dt; /* times are sums of steps */
      double target = bodies->first[b][node].v[axis] + shift_at(pin, axis, time + dt);
      if (over)
        vl_elastic_release(body, node, axis);
      else
        vl_elastic_hold(body, node, axis, vl_elastic_velocity_to(body, dt, node, axis, target));
    }
  }
}

int vl_bodies_pinned(const vlBodies *bodies, int body)
{
  const int *pin = bodies->pin[body];
  int count = 0;
  for (int i = 0; i < bodies->body[body]->node_count; i++)
    count += pin[3 * i] >= 0 || pin[3 * i + 1] >= 0 || pin[3 * i + 2] >= 0;
  return count;
}

double vl_bodies_fastest(const vlBodies *bodies)
{
  double fastest = 0.0;
  for (int b = 0; b < bodies->count; b++)
    for (int i = 0; i < bodies->body[b]->node_count; i++) fastest = fmax(fastest, vl_norm(bodies->body[b]->v[i]));
  return fastest;
}

bool vl_bodies_rigid(const vlBodies *bodies)
{
  for (int b = 0; b < bodies->count; b++)
    if (bodies->body[b]->rigid) return true;
  return false;
}
