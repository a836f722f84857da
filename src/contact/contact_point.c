/* Points against surfaces: the one place where a contact is made, whatever found it.
 *
 * Against static solids the distance's gradient is the normal; against bodies the way to the nearest point of their surface
 * and, very near to it, the pseudo-normal there. A contact is kept where the distance is below what both sides may travel in
 * the step, plus the clearance that surfaces keep from each other; deeper than DEEPEST in another body, the nearest surface
 * tells nothing about the way out. */
#include "contact/contact_parts.h"

#include <math.h>

#include "base/memory.h"

static const double CLEARANCE = 0.02; /* cells */
static const double SLACK = 0.05;     /* cells beyond what the present velocities reach */
static const double DEEPEST = 1.5;    /* cells */

vlVec3 vl_own_place(const vlBodySet *s, const vlOwnPoint *own)
{
  vlVec3 x = vl_vec(0, 0, 0);
  for (int k = 0; k < own->count; k++) x = vl_axpy(x, own->weight[k], s->body[own->body]->x[own->node[k]]);
  return x;
}

double vl_contact_reach(const vlBodySet *s, double speed, double dt)
{
  return dt * speed + (CLEARANCE + SLACK) * s->grid->dx;
}

static double signed_distance(vlVec3 x, const vlClosest *c)
{
  return vl_dot(vl_sub(x, c->point), c->normal) < 0.0 ? -c->distance : c->distance;
}

double vl_touch_distance(const vlBodySet *s, int other, vlVec3 x)
{
  if (other == VL_TOUCH_STATICS) return vl_statics_distance(s->statics, x);
  vlClosest c = vl_bvh_closest(s->distance->tree[other], x);
  return signed_distance(x, &c);
}

static vlTouch touch_statics(const vlBodySet *s, vlVec3 x)
{
  double h = 1e-3 * s->grid->dx;
  vlVec3 slope;
  for (int a = 0; a < 3; a++) {
    vlVec3 step = vl_vec(0, 0, 0);
    step.v[a] = s->grid->n[a] == 1 ? 0.0 : h;
    slope.v[a] = vl_statics_distance(s->statics, vl_add(x, step)) - vl_statics_distance(s->statics, vl_sub(x, step));
  }
  return (vlTouch){.distance = vl_statics_distance(s->statics, x), .normal = vl_unit(slope), .body = -1};
}

vlTouch vl_touch_at(const vlBodySet *s, int other, vlVec3 x)
{
  if (other == VL_TOUCH_STATICS) return touch_statics(s, x);
  const vlBody *wall = s->body[other];
  vlClosest c = vl_bvh_closest(s->distance->tree[other], x);
  const int *corner = wall->triangle[vl_body_distance_triangle(s->distance, other, c.triangle)];
  double d = signed_distance(x, &c), far = 1e-3 * s->grid->dx; /* nearer, the way to the nearest point has no direction */
  vlTouch touch = {.distance = d, .normal = c.normal, .body = other, .count = 3};
  if (c.distance > far) touch.normal = vl_scale(vl_sub(x, c.point), 1.0 / d);
  for (int k = 0; k < 3; k++) {
    touch.node[k] = corner[k];
    touch.weight[k] = c.barycentric.v[k];
    touch.velocity = vl_axpy(touch.velocity, c.barycentric.v[k], vl_body_expected(wall, corner[k]));
  }
  return touch;
}

static vlContact make_contact(const vlContacts *contacts, const vlBodySet *s, const vlOwnPoint *own, const vlTouch *touch)
{
  vlContact c = {.own = own->count,
                 .body = {own->body, touch->body},
                 .frame = {touch->normal},
                 .gap = touch->distance - contacts->clearance,
                 .friction = s->body[own->body]->friction};
  if (touch->body >= 0) c.friction = sqrt(c.friction * s->body[touch->body]->friction);
  for (int k = 0; k < own->count; k++) {
    c.node[c.count] = s->first_node[own->body] + own->node[k];
    c.weight[c.count++] = own->weight[k];
  }
  for (int k = 0; k < touch->count; k++) {
    c.node[c.count] = s->first_node[touch->body] + touch->node[k];
    c.weight[c.count++] = -touch->weight[k];
  }
  vlVec3 n = touch->normal;
  if (s->grid->n[2] == 1) { /* one tangent; nothing moves across a slab, and so nothing rubs */
    c.frame[1] = vl_vec(-n.y, n.x, 0.0);
    return c;
  }
  /* tangents: any two that make a frame with the normal */
  vlVec3 axis = fabs(n.x) < 0.6 ? vl_vec(1, 0, 0) : vl_vec(0, 1, 0);
  c.frame[1] = vl_unit(vl_cross(n, axis));
  c.frame[2] = vl_cross(n, c.frame[1]);
  return c;
}

/* In a slab contacts push in its plane, whatever way the surfaces lean across it. 0: it pushes across. */
static vlVec3 in_plane(const vlBodySet *s, vlVec3 n)
{
  if (s->grid->n[2] != 1) return n;
  vlVec3 flat = vl_vec(n.x, n.y, 0.0);
  return vl_norm(flat) > 0.1 ? vl_unit(flat) : vl_vec(0, 0, 0);
}

bool vl_contacts_push(vlContacts *contacts, const vlBodySet *s, const vlOwnPoint *own, const vlTouch *found, double dt)
{
  vlTouch flat = *found, *touch = &flat;
  flat.normal = in_plane(s, found->normal);
  vlVec3 v = vl_scale(touch->velocity, -1.0);
  for (int k = 0; k < own->count; k++) v = vl_axpy(v, own->weight[k], vl_body_expected(s->body[own->body], own->node[k]));
  contacts->clearance = CLEARANCE * s->grid->dx;
  if (touch->distance > vl_contact_reach(s, vl_norm(v), dt) || !(vl_norm(touch->normal) > 0.0)) return true;
  void *list = contacts->list;
  bool room = vl_array_reserve(&list, &contacts->capacity, (size_t)contacts->count + 1, sizeof *contacts->list);
  contacts->list = list;
  if (room) contacts->list[contacts->count++] = make_contact(contacts, s, own, touch);
  return room;
}

bool vl_contacts_meet(vlContacts *contacts, const vlBodySet *s, const vlOwnPoint *own, const vlTouch *found, double dt)
{
  if (found->body >= 0 && found->distance < -DEEPEST * s->grid->dx) return true;
  return vl_contacts_push(contacts, s, own, found, dt);
}
