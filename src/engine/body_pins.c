/* What holds and moves parts of elastic bodies.
 *
 * A pin takes the nodes that begin in its region or on its surface; along its axes such a node is later at
 *
 *     x(t) = x(0) + shift(t)        shift = velocity s + amplitude sin(2 pi frequency s),
 *                                   s = t - start, kept between 0 and end - start
 *
 * and the step is told the velocity that brings it there. Where a pin goes is known from the start, so that the time at
 * which it would leave the box is found before the first step: the path is sampled, 64 times in each sway, and the first
 * sample outside is narrowed down by bisection. In a slab regions are looked at in its middle plane, and nodes are held
 * along z. In: the scene's pins. Out: held unknowns and their velocities. */
#include "engine/body_pins.h"

#include <math.h>

#include "base/excerpt.h"
#include "mesh/sdf.h"

vlCode vl_body_locate(vlCode code, const vlScene *scene, const vlBodyDef *def, vlSource where, vlStatus *status)
{
  if (!code) return code;
  vl_status_prefix(status, "body '%.63s': ", def->name);
  vl_status_locate(status, scene->path, scene->text, where);
  return code;
}

vlBox3 vl_body_bounds(const vlElastic *body)
{
  vlBox3 box = vl_box_empty();
  for (int i = 0; i < body->node_count; i++) box = vl_box_add(box, body->x[i]);
  return box;
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
  vlBox3 box = vl_body_bounds(body);
  double near = 1e-6 * vl_norm(vl_sub(box.hi, box.lo)); /* nodes on the surface count, far within rounding */
  int count = 0;
  for (int i = 0; i < body->node_count && !code; i++) {
    vlVec3 x = body->x[i];
    if (scene->grid.slab) x.z = 0.0;
    if (!(vl_sdf_distance(region, x) <= near)) continue;
    count++;
    for (int axis = 0; axis < (scene->grid.slab ? 2 : 3); axis++)
      if (pin->axes & 1u << axis) owner[3 * i + axis] = index;
  }
  if (!code && !count)
    code = vl_fail(status, VL_ERROR_SCENE,
                   "there is no node in its region; the body begins from (%g, %g, %g) to (%g, %g, %g) m", box.lo.x, box.lo.y,
                   box.lo.z, box.hi.x, box.hi.y, box.hi.z);
  vl_sdf_destroy(&region);
  if (code) vl_status_prefix(status, "pins[%d]: ", index);
  return vl_body_locate(code, scene, def, pin->region.where, status);
}

vlCode vl_body_hold_pins(vlElastic *body, int *owner, const vlScene *scene, const vlBodyDef *def, vlStatus *status)
{
  vlCode code = VL_OK;
  for (int i = 0; i < 3 * body->node_count; i++) owner[i] = -1;
  if (body->rigid) return VL_OK; /* its slab is in the axes that are locked */
  for (int p = 0; p < def->pin_count && !code; p++) code = hold_region(body, owner, scene, def, p, status);
  for (int i = 0; i < 3 * body->node_count && !code; i++) {
    int node = i / 3, axis = i % 3;
    bool flat = scene->grid.slab && axis == 2;
    if (owner[i] < 0 && !flat) continue;
    double v = flat ? 0.0 : first_velocity(&def->pins[owner[i]], axis);
    vl_elastic_hold(body, node, axis, v);
    body->v[node].v[axis] = v;
  }
  return code;
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

/* Smallest and largest first place, along the axis, of the nodes that the pin holds along it; false: it holds none. */
static bool held_range(const vlBodies *bodies, int body, int pin, int axis, double range[2])
{
  range[0] = INFINITY;
  range[1] = -INFINITY;
  for (int i = 0; i < bodies->body[body]->node_count; i++) {
    if (bodies->pin[body][3 * i + axis] != pin) continue;
    double x = bodies->first[body][i].v[axis];
    range[0] = fmin(range[0], x);
    range[1] = fmax(range[1], x);
  }
  return range[0] <= range[1];
}

static bool is_out(const vlPinDef *pin, int axis, double t, const double range[2], vlBox3 box)
{
  double shift = shift_at(pin, axis, t), slack = 1e-9 * (box.hi.v[axis] - box.lo.v[axis]);
  return range[0] + shift < box.lo.v[axis] - slack || range[1] + shift > box.hi.v[axis] + slack;
}

/* First time in [0, until] at which the pin has carried a node out of the box along the axis; INFINITY: never. */
static double exit_time(const vlPinDef *pin, int axis, double until, const double range[2], vlBox3 box)
{
  enum { IN_A_SWAY = 64, MOST = 1000000, HALVINGS = 40 };
  double from = fmin(pin->start, until), span = fmin(pin->end, until) - from;
  if (!(span > 0.0) || !isfinite(span)) return INFINITY;
  double wanted = ceil(IN_A_SWAY * (1.0 + pin->frequency * span));
  int samples = wanted < MOST ? (int)wanted : MOST;
  for (int i = 1; i <= samples; i++) {
    double in = from + span * (i - 1) / samples, out = from + span * i / samples;
    if (!is_out(pin, axis, out, range, box)) continue;
    for (int k = 0; k < HALVINGS; k++) {
      double middle = 0.5 * (in + out);
      *(is_out(pin, axis, middle, range, box) ? &out : &in) = middle;
    }
    return out;
  }
  return INFINITY;
}

vlPinExit vl_bodies_pin_exit(const vlBodies *bodies, const vlScene *scene, int body, vlBox3 box)
{
  vlPinExit exit = {.pin = -1, .time = INFINITY};
  const vlBodyDef *def = &scene->bodies[body];
  for (int p = 0; p < def->pin_count; p++)
    for (int axis = 0; axis < (scene->grid.slab ? 2 : 3); axis++) {
      double range[2];
      if (!held_range(bodies, body, p, axis, range)) continue;
      double time = exit_time(&def->pins[p], axis, scene->time.end, range, box);
      if (time < exit.time) exit = (vlPinExit){.pin = p, .axis = axis, .time = time};
    }
  return exit;
}
