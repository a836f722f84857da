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
#include "solid/elastic_parts.h"

#include <math.h>
#include <stdlib.h>

#include "base/status.h"
#include "base/vec.h"
#include "mesh/sdf.h"

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
static vlCode hold_region(vlElastic *b, int index, vlStatus *status)
{
  const vlBody *body = &b->body;
  const vlPinDef *pin = &body->def->pins[index];
  bool slab = body->scene->grid.slab;
  vlSdf *region = NULL;
  vlCode code = vl_sdf_create(&region, &pin->region, status);
  vlBox3 box = vl_body_bounds(body);
  double near = 1e-6 * vl_norm(vl_sub(box.hi, box.lo)); /* nodes on the surface count, far within rounding */
  int count = 0;
  for (int i = 0; i < body->node_count && !code; i++) {
    vlVec3 x = body->x[i];
    if (slab) x.z = 0.0;
    if (!(vl_sdf_distance(region, x) <= near)) continue;
    count++;
    for (int axis = 0; axis < (slab ? 2 : 3); axis++)
      if (pin->axes & 1u << axis) b->pin[3 * i + axis] = index;
  }
  if (!code && !count)
    code = vl_fail(status, VL_ERROR_SCENE,
                   "there is no node in its region; the body begins from (%g, %g, %g) to (%g, %g, %g) m", box.lo.x, box.lo.y,
                   box.lo.z, box.hi.x, box.hi.y, box.hi.z);
  vl_sdf_destroy(&region);
  if (code) vl_status_prefix(status, "pins[%d]: ", index);
  return vl_body_locate(code, body->scene, body->def, pin->region.where, status);
}

vlCode vl_elastic_hold_pins(vlBody *body, vlStatus *status)
{
  vlElastic *b = (vlElastic *)body;
  vlCode code = VL_OK;
  for (int i = 0; i < 3 * body->node_count; i++) b->pin[i] = -1;
  for (int p = 0; p < body->def->pin_count && !code; p++) code = hold_region(b, p, status);
  for (int i = 0; i < 3 * body->node_count && !code; i++) {
    int node = i / 3, axis = i % 3;
    bool flat = body->scene->grid.slab && axis == 2;
    if (b->pin[i] < 0 && !flat) continue;
    double v = flat ? 0.0 : first_velocity(&body->def->pins[b->pin[i]], axis);
    vl_elastic_hold(b, node, axis, v);
    body->v[node].v[axis] = v;
  }
  return code;
}

/* All that matters is the time, and where the nodes of a pin are that a program moves, so that a run that goes on from a
 * checkpoint holds what it held. */
void vl_elastic_move_pins(vlElastic *b, double time, double dt)
{
  for (int i = 0; i < 3 * b->body.node_count; i++) {
    if (b->pin[i] < 0) continue;
    const vlPinDef *pin = &b->body.def->pins[b->pin[i]];
    int node = i / 3, axis = i % 3;
    const vlPinControl *control = b->body.control.pin ? &b->body.control.pin[b->pin[i]] : NULL;
    bool told = control && control->told;
    bool over = !told && pin->release && time >= pin->end - 1e-6 * dt; /* times are sums of steps */
    double target = b->body.control.still ? b->body.x[node].v[axis]
                    : told                ? b->body.x[node].v[axis] + dt * control->velocity.v[axis]
                                          : b->body.first[node].v[axis] + shift_at(pin, axis, time + dt);
    if (over)
      vl_elastic_release(b, node, axis);
    else
      vl_elastic_hold(b, node, axis, vl_elastic_velocity_to(b, dt, node, axis, target));
  }
}

int vl_elastic_pinned(const vlBody *body)
{
  const int *pin = ((const vlElastic *)body)->pin;
  int count = 0;
  for (int i = 0; i < body->node_count; i++) count += pin[3 * i] >= 0 || pin[3 * i + 1] >= 0 || pin[3 * i + 2] >= 0;
  return count;
}

/* Smallest and largest first place, along the axis, of the nodes that the pin holds along it; false: it holds none. */
static bool held_range(const vlElastic *b, int pin, int axis, double range[2])
{
  range[0] = INFINITY;
  range[1] = -INFINITY;
  for (int i = 0; i < b->body.node_count; i++) {
    if (b->pin[3 * i + axis] != pin) continue;
    double x = b->body.first[i].v[axis];
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

vlPinExit vl_elastic_pin_exit(const vlElastic *b, vlBox3 box)
{
  vlPinExit exit = {.pin = -1, .time = INFINITY};
  const vlScene *scene = b->body.scene;
  for (int p = 0; p < b->body.def->pin_count; p++)
    for (int axis = 0; axis < (scene->grid.slab ? 2 : 3); axis++) {
      double range[2];
      if (!held_range(b, p, axis, range)) continue;
      double time = exit_time(&b->body.def->pins[p], axis, scene->time.end, range, box);
      if (time < exit.time) exit = (vlPinExit){.pin = p, .axis = axis, .time = time};
    }
  return exit;
}
