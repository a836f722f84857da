/* Finding contacts: surface nodes against the surfaces they could reach in a step.
 *
 * A node is a candidate where its distance is below what both sides may travel in the step, plus the clearance that surfaces
 * keep from each other. Against static solids the distance's gradient is the normal; against bodies the nearest point of
 * their surface and, inside, the pseudo-normal there. Both bodies' nodes are tried against the other's triangles; edges
 * that cross between nodes are not looked for. A body is not tried against itself. */
#include "solid/contact.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"

static const double CLEARANCE = 0.02; /* cells */
static const double SLACK = 0.05;     /* cells beyond what the present velocities reach */
static const double DEEPEST = 1.5;    /* cells: deeper inside another body the nearest surface tells nothing */

void vl_contacts_clear(vlContacts *contacts)
{
  free(contacts->list);
  *contacts = (vlContacts){0};
}

static bool add(vlContacts *contacts, vlContact contact)
{
  void *list = contacts->list;
  bool room = vl_array_reserve(&list, &contacts->capacity, (size_t)contacts->count + 1, sizeof *contacts->list);
  contacts->list = list;
  if (!room) return false;
  /* tangents: any two that make a frame with the normal */
  vlVec3 n = contact.frame[0], axis = fabs(n.x) < 0.6 ? vl_vec(1, 0, 0) : vl_vec(0, 1, 0);
  contact.frame[1] = vl_unit(vl_cross(n, axis));
  contact.frame[2] = vl_cross(n, contact.frame[1]);
  contacts->list[contacts->count++] = contact;
  return true;
}

static vlContact against_fixed(const vlContactScene *s, int b, int node, vlVec3 normal, double distance)
{
  return (vlContact){.node = {s->first_node[b] + node, -1, -1, -1},
                     .weight = {1.0},
                     .body = {b, -1},
                     .frame = {normal},
                     .gap = distance - CLEARANCE * s->grid->dx,
                     .friction = s->friction[b]};
}

/* m that the node may come nearer to something that moves at v, and a little more. */
static double reach(const vlContactScene *s, const vlElastic *body, int node, vlVec3 v, double dt)
{
  return dt * vl_norm(vl_sub(body->v[node], v)) + (CLEARANCE + SLACK) * s->grid->dx;
}

static bool try_sides(vlContacts *contacts, const vlContactScene *s, int b, int node, double dt)
{
  const vlElastic *body = s->body[b];
  vlBox3 box = vl_grid_box(s->grid);
  double near = reach(s, body, node, vl_vec(0, 0, 0), dt);
  bool ok = true;
  for (int side = 0; side < 6 && ok; side++) {
    int a = side / 2;
    if (s->grid->n[a] == 1) continue; /* a slab has no sides there */
    double x = body->x[node].v[a], d = side % 2 ? box.hi.v[a] - x : x - box.lo.v[a];
    if (d > near) continue;
    vlVec3 normal = vl_vec(0, 0, 0);
    normal.v[a] = side % 2 ? -1.0 : 1.0;
    ok = add(contacts, against_fixed(s, b, node, normal, d));
  }
  return ok;
}

static bool try_statics(vlContacts *contacts, const vlContactScene *s, int b, int node, double dt)
{
  const vlElastic *body = s->body[b];
  if (!s->statics || vl_statics_surface(s->statics)->triangle_count == 0) return true;
  vlVec3 x = body->x[node], slope;
  double d = vl_statics_distance(s->statics, x), h = 1e-3 * s->grid->dx;
  if (d > reach(s, body, node, vl_vec(0, 0, 0), dt)) return true;
  for (int a = 0; a < 3; a++) {
    vlVec3 step = vl_vec(0, 0, 0);
    step.v[a] = s->grid->n[a] == 1 ? 0.0 : h;
    slope.v[a] = vl_statics_distance(s->statics, vl_add(x, step)) - vl_statics_distance(s->statics, vl_sub(x, step));
  }
  return vl_norm(slope) <= 0.0 || add(contacts, against_fixed(s, b, node, vl_unit(slope), d));
}

static bool try_body(vlContacts *contacts, const vlContactScene *s, int b, int node, int other, double dt)
{
  const vlElastic *body = s->body[b], *wall = s->body[other];
  vlVec3 x = body->x[node];
  vlClosest c = vl_bvh_closest(s->distance->tree[other], x);
  const int *corner = wall->triangle[vl_body_distance_triangle(s->distance, other, c.triangle)];
  vlVec3 v = vl_vec(0, 0, 0), away = vl_sub(x, c.point);
  for (int k = 0; k < 3; k++) v = vl_axpy(v, c.barycentric.v[k], wall->v[corner[k]]);
  double d = vl_dot(away, c.normal) < 0.0 ? -c.distance : c.distance;
  if (d > reach(s, body, node, v, dt) || d < -DEEPEST * s->grid->dx) return true;
  double far = 1e-3 * s->grid->dx; /* nearer, the way to the nearest point has no direction */
  vlVec3 normal = c.distance > far ? vl_scale(away, (d < 0.0 ? -1.0 : 1.0) / c.distance) : c.normal;
  vlContact contact = against_fixed(s, b, node, normal, d);
  contact.body[1] = other;
  contact.friction = sqrt(s->friction[b] * s->friction[other]);
  for (int k = 0; k < 3; k++) {
    contact.node[1 + k] = s->first_node[other] + corner[k];
    contact.weight[1 + k] = -c.barycentric.v[k];
  }
  return add(contacts, contact);
}

static vlBox3 body_bounds(const vlElastic *body)
{
  vlBox3 box = vl_box_empty();
  for (int i = 0; i < body->node_count; i++) box = vl_box_add(box, body->x[i]);
  return box;
}

static bool in_box(vlBox3 box, vlVec3 x)
{
  for (int a = 0; a < 3; a++)
    if (x.v[a] < box.lo.v[a] || x.v[a] > box.hi.v[a]) return false;
  return true;
}

/* Nodes of the surface, marked. */
static unsigned char *mark_surface(const vlElastic *body)
{
  unsigned char *mark = calloc((size_t)body->node_count, 1);
  for (int t = 0; mark && t < body->triangle_count; t++)
    for (int k = 0; k < 3; k++) mark[body->triangle[t][k]] = 1;
  return mark;
}

static bool find_of_body(vlContacts *contacts, const vlContactScene *s, int b, const vlBox3 *bounds, double dt)
{
  const vlElastic *body = s->body[b];
  unsigned char *surface = mark_surface(body);
  bool ok = surface != NULL;
  for (int node = 0; node < body->node_count && ok; node++) {
    if (!surface[node]) continue;
    ok = try_sides(contacts, s, b, node, dt) && try_statics(contacts, s, b, node, dt);
    for (int other = 0; other < s->count && ok; other++)
      if (other != b && in_box(bounds[other], body->x[node])) ok = try_body(contacts, s, b, node, other, dt);
  }
  free(surface);
  return ok;
}

vlCode vl_contacts_find(vlContacts *contacts, const vlContactScene *s, double dt, vlStatus *status)
{
  contacts->count = 0;
  vlBox3 *bounds = malloc(((size_t)s->count + 1) * sizeof *bounds);
  bool ok = bounds != NULL;
  double fastest = 0.0;
  for (int b = 0; b < s->count && ok; b++)
    for (int i = 0; i < s->body[b]->node_count; i++) fastest = fmax(fastest, vl_norm(s->body[b]->v[i]));
  for (int b = 0; b < s->count && ok; b++)
    bounds[b] = vl_box_grow(body_bounds(s->body[b]), 2.0 * dt * fastest + (CLEARANCE + SLACK) * s->grid->dx);
  for (int b = 0; b < s->count && ok; b++) ok = find_of_body(contacts, s, b, bounds, dt);
  free(bounds);
  return ok ? VL_OK : vl_fail_memory(status, (size_t)contacts->count * sizeof *contacts->list, "contacts");
}
