/* Where hands hold bodies, where their targets are, and how they pull; see grab.h. */
#include "solid/grab.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "base/vec.h"
#include "mesh/bvh.h"

static const double G = 9.81;    /* m/s2 */
static const double SAG = 0.006; /* m: of a body under its weight, or half a cell */
static const double REACH = 10.0, MOST = 20.0;

double vl_grab_rate(double dx) { return sqrt(G / fmin(SAG, 0.5 * dx)); }

static double sag_of(const vlGrabHold *h) { return G / (h->rate * h->rate); }

/* m/s: of a target; and of what a far one pulls. */
static double fastest_target(const vlGrabHold *h) { return MOST * sqrt(G * sag_of(h)); }
static double fastest_pull(const vlGrabHold *h, double off) { return 0.5 * h->rate * fmin(off, REACH * sag_of(h)); }

vlVec3 vl_grab_mean(const vlGrab *grab, const vlVec3 *a)
{
  vlVec3 sum = vl_vec(0, 0, 0);
  for (int i = 0; i < grab->hold.count; i++) sum = vl_axpy(sum, grab->hold.share[i], a[grab->hold.node[i]]);
  return sum;
}

vlVec3 vl_grab_held(const vlGrab *grab, const vlBody *body)
{
  return vl_add(vl_grab_mean(grab, body->x), grab->hold.offset);
}

/* Holds the nearest point of the surface by the corners of its triangle; returns how far it is. */
static double hold_nearest(vlGrabHold *h, const vlBody *body, vlVec3 point)
{
  double nearest = INFINITY;
  for (int t = 0; t < body->triangle_count; t++) {
    const int *node = body->triangle[t];
    const vlVec3 corner[3] = {body->x[node[0]], body->x[node[1]], body->x[node[2]]};
    vlVec3 b = vl_triangle_closest(corner, point), x = vl_vec(0, 0, 0);
    for (int k = 0; k < 3; k++) x = vl_axpy(x, b.v[k], corner[k]);
    double distance = vl_norm(vl_sub(x, point));
    if (!(distance < nearest)) continue;
    nearest = distance;
    h->count = 3;
    for (int k = 0; k < 3; k++) {
      h->node[k] = node[k];
      h->share[k] = b.v[k];
    }
  }
  return nearest;
}

/* Of the nodes of the surface within the radius the nearest, equally; if there are none, all stays as it is. */
static vlCode hold_around(vlGrabHold *h, const vlBody *body, vlVec3 point, double radius, vlStatus *status)
{
  double distance[VL_GRAB_NODES];
  int count = 0, near[VL_GRAB_NODES];
  bool *seen = calloc((size_t)body->node_count, sizeof *seen);
  if (!seen) return vl_fail_memory(status, (size_t)body->node_count * sizeof *seen, "the hold on a body");
  for (int c = 0; c < 3 * body->triangle_count; c++) {
    int node = body->triangle[c / 3][c % 3];
    double d = vl_norm(vl_sub(body->x[node], point));
    if (seen[node] || !(d <= radius)) continue;
    seen[node] = true;
    if (count == VL_GRAB_NODES && !(d < distance[count - 1])) continue;
    int at = count < VL_GRAB_NODES ? count++ : count - 1;
    for (; at > 0 && d < distance[at - 1]; at--) {
      distance[at] = distance[at - 1];
      near[at] = near[at - 1];
    }
    distance[at] = d;
    near[at] = node;
  }
  free(seen);
  if (count == 0) return VL_OK;
  h->count = count;
  for (int i = 0; i < count; i++) {
    h->node[i] = near[i];
    h->share[i] = 1.0 / count;
  }
  return VL_OK;
}

vlCode vl_grab_close(vlGrab *grab, const vlBody *body, vlVec3 point, double radius, double *distance, vlStatus *status)
{
  vlGrabHold *h = &grab->hold;
  h->count = 0;
  *distance = hold_nearest(h, body, point);
  vlCode code = body->stiff ? VL_OK : hold_around(h, body, point, radius, status);
  h->offset = vl_sub(point, vl_grab_mean(grab, body->x));
  h->from = h->to = point;
  h->since = h->until = 0.0;
  h->force = vl_vec(0, 0, 0);
  return code;
}

vlCode vl_grab_add(vlBody *body, const vlGrab *grab, vlStatus *status)
{
  vlBodyControl *c = &body->control;
  size_t bytes = ((size_t)c->grab_count + 1) * sizeof *c->grab;
  vlGrab *grown = realloc(c->grab, bytes);
  if (!grown) return vl_fail_memory(status, bytes, "the hold on a body");
  c->grab = grown;
  c->grab[c->grab_count++] = *grab;
  return VL_OK;
}

void vl_grab_remove(vlBody *body, int index)
{
  vlBodyControl *c = &body->control;
  c->grab_count--;
  memmove(c->grab + index, c->grab + index + 1, (size_t)(c->grab_count - index) * sizeof *c->grab);
  if (c->grab_count > 0) return;
  free(c->grab);
  c->grab = NULL;
}

/* A point of the straight way from a at t_a to b at t_b. */
static vlVec3 between(vlVec3 a, double t_a, vlVec3 b, double t_b, double t)
{
  if (t >= t_b) return b;
  return t <= t_a ? a : vl_axpy(a, (t - t_a) / (t_b - t_a), vl_sub(b, a));
}

static vlVec3 path_at(const vlDragDef *drag, double t)
{
  vlVec3 a = drag->point;
  double t_a = drag->start;
  for (int k = 0; k < drag->path_count; k++) {
    const vlDragKeyDef *key = &drag->path[k];
    if (t < key->time) return between(a, t_a, key->position, key->time, t);
    a = key->position;
    t_a = key->time;
  }
  return a;
}

vlVec3 vl_grab_target(const vlGrab *grab, const vlBody *body, double time)
{
  const vlGrabHold *h = &grab->hold;
  if (h->drag >= 0) return path_at(&body->scene->drags[h->drag], time);
  return between(h->from, h->since, h->to, h->until, time);
}

/* m/s: of the target in a step, no faster than is followed. */
static vlVec3 target_velocity(const vlGrab *grab, const vlBody *body, double time, double dt)
{
  if (body->control.still) return vl_vec(0, 0, 0);
  vlVec3 way = vl_sub(vl_grab_target(grab, body, time + dt), vl_grab_target(grab, body, time));
  double speed = vl_norm(way) / dt, most = fastest_target(&grab->hold);
  return vl_scale(way, (speed > most ? most / speed : 1.0) / dt);
}

void vl_grabs_aim(vlBody *body, double time, double dt)
{
  for (int g = 0; g < body->control.grab_count; g++) {
    vlGrab *grab = &body->control.grab[g];
    grab->target = vl_grab_target(grab, body, body->control.still ? time : time + dt);
    grab->velocity = target_velocity(grab, body, time, dt);
  }
}

double vl_grabs_way(const vlBody *body, double time, double dt)
{
  double way = 0.0;
  for (int g = 0; g < body->control.grab_count; g++) {
    const vlGrab *grab = &body->control.grab[g];
    double off = vl_norm(vl_sub(vl_grab_target(grab, body, time), vl_grab_held(grab, body)));
    double speed = vl_norm(target_velocity(grab, body, time, dt)) + fastest_pull(&grab->hold, off);
    way = fmax(way, dt * speed);
  }
  return way;
}

double vl_grabs_speed(const vlBody *body)
{
  double speed = 0.0;
  for (int g = 0; g < body->control.grab_count; g++)
    speed += fastest_target(&body->control.grab[g].hold) + fastest_pull(&body->control.grab[g].hold, INFINITY);
  return speed;
}

void vl_grabs_begin(vlBody *body, double mass, const vlVec3 *base, double span)
{
  if (body->control.grab_count == 0) return;
  double displaced = body->scene ? body->scene->liquid.density * fabs(vl_body_enclosed(body)) : 0.0, m = mass + displaced;
  for (int g = 0; g < body->control.grab_count; g++) {
    vlGrab *grab = &body->control.grab[g];
    const vlGrabHold *h = &grab->hold;
    double off = vl_norm(vl_sub(grab->target, vl_grab_held(grab, body))), reach = REACH * sag_of(h);
    double k = m * h->rate * h->rate * (off > reach ? reach / off : 1.0), d = 2.0 * m * h->rate;
    vlVec3 way = vl_sub(grab->target, vl_add(vl_grab_mean(grab, base), h->offset));
    grab->resistance = k * span + d;
    grab->pull = vl_axpy(vl_scale(way, k), d, grab->velocity);
  }
}

void vl_grab_finish(vlGrab *grab, vlVec3 velocity) { grab->hold.force = vl_axpy(grab->pull, -grab->resistance, velocity); }
