/* What pins hold and how they move, for every kind of body that has them.
 *
 * A pin takes the nodes that begin in its region or on its surface; along its axes such a node is later at
 *
 *     x(t) = x(0) + shift(t)        shift = velocity s + amplitude sin(2 pi frequency s),
 *                                   s = t - start, kept between 0 and end - start
 *
 * Where a pin goes is known from the start, so that the time at which it would leave the box is found before the first step:
 * the path is sampled, 64 times in each sway, and the first sample outside is narrowed down by bisection. In a slab regions
 * are looked at in its middle plane. In: the scene's pins. Out: whom they hold, and where. */
#include "solid/pins.h"

#include <math.h>

#include "base/status.h"
#include "base/vec.h"
#include "mesh/sdf.h"

/* How far a pin has moved along an axis at time t. */
static double shift_at(const vlPinDef *pin, int axis, double t)
{
  double s = fmax(fmin(t, pin->end) - pin->start, 0.0);
  return pin->velocity.v[axis] * s + pin->amplitude.v[axis] * sin(2.0 * VL_PI * pin->frequency * s);
}

double vl_pin_first_velocity(const vlPinDef *pin, int axis)
{
  bool moving = pin->start <= 0.0 && pin->end > 0.0;
  return moving ? pin->velocity.v[axis] + 2.0 * VL_PI * pin->frequency * pin->amplitude.v[axis] : 0.0;
}

/* Gives the nodes in the region to pin number `index`. */
static vlCode find_region(const vlBody *body, int index, int *pin_of, vlStatus *status)
{
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
      if (pin->axes & 1u << axis) pin_of[3 * i + axis] = index;
  }
  if (!code && !count)
    code = vl_fail(status, VL_ERROR_SCENE,
                   "there is no node in its region; the body begins from (%g, %g, %g) to (%g, %g, %g) m", box.lo.x, box.lo.y,
                   box.lo.z, box.hi.x, box.hi.y, box.hi.z);
  vl_sdf_destroy(&region);
  if (code) vl_status_prefix(status, "pins[%d]: ", index);
  return vl_body_locate(code, body->scene, body->def, pin->region.where, status);
}

vlCode vl_pins_find(const vlBody *body, int *pin, vlStatus *status)
{
  vlCode code = VL_OK;
  for (int i = 0; i < 3 * body->node_count; i++) pin[i] = -1;
  for (int p = 0; p < body->def->pin_count && !code; p++) code = find_region(body, p, pin, status);
  return code;
}

int vl_pins_count(const vlBody *body, const int *pin)
{
  int count = 0;
  for (int i = 0; i < body->node_count; i++) count += pin[3 * i] >= 0 || pin[3 * i + 1] >= 0 || pin[3 * i + 2] >= 0;
  return count;
}

static const vlPinControl *control_of(const vlBody *body, int pin)
{
  const vlPinControl *control = body->control.pin ? &body->control.pin[pin] : NULL;
  return control && control->told ? control : NULL;
}

bool vl_pin_over(const vlBody *body, int pin, double time, double dt)
{
  const vlPinDef *def = &body->def->pins[pin];
  return !control_of(body, pin) && def->release && time >= def->end - 1e-6 * dt; /* times are sums of steps */
}

/* All that matters is the time, and where the nodes of a pin are that a program moves, so that a run that goes on from a
 * checkpoint holds what it held. */
double vl_pin_target(const vlBody *body, int pin, int unknown, double time, double dt)
{
  int node = unknown / 3, axis = unknown % 3;
  const vlPinControl *control = control_of(body, pin);
  if (body->control.still) return body->x[node].v[axis];
  if (control) return body->x[node].v[axis] + dt * control->velocity.v[axis];
  return body->first[node].v[axis] + shift_at(&body->def->pins[pin], axis, time + dt);
}

/* Smallest and largest first place, along the axis, of the nodes that the pin holds along it; false: it holds none. */
static bool held_range(const vlBody *body, const int *pin_of, int pin, int axis, double range[2])
{
  range[0] = INFINITY;
  range[1] = -INFINITY;
  for (int i = 0; i < body->node_count; i++) {
    if (pin_of[3 * i + axis] != pin) continue;
    double x = body->first[i].v[axis];
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

vlPinExit vl_pins_exit(const vlBody *body, const int *pin, vlBox3 box)
{
  vlPinExit exit = {.pin = -1, .time = INFINITY};
  const vlScene *scene = body->scene;
  for (int p = 0; p < body->def->pin_count; p++)
    for (int axis = 0; axis < (scene->grid.slab ? 2 : 3); axis++) {
      double range[2];
      if (!held_range(body, pin, p, axis, range)) continue;
      double time = exit_time(&body->def->pins[p], axis, scene->time.end, range, box);
      if (time < exit.time) exit = (vlPinExit){.pin = p, .axis = axis, .time = time};
    }
  return exit;
}

void vl_pins_doubt(const vlBody *body, const int *pin, vlBox3 box, vlLog log)
{
  vlPinExit exit = vl_pins_exit(body, pin, box);
  if (exit.pin < 0) return;
  vl_log(log, VL_LOG_WARNING,
         "body '%.63s': pins[%d] carries it out of the box along %c at t = %.4g s; what is outside does not push the liquid",
         body->def->name, exit.pin, "xyz"[exit.axis], exit.time);
}
