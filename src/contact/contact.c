/* Finding contacts: what of the bodies' surfaces could reach something in a step.
 *
 * Surface nodes are tried against the sides of the box, the static solids and the other bodies; both bodies' nodes against
 * the other's triangles. What meets a surface between nodes, edges and insides of triangles, is looked for in
 * contact_between.c, a body against itself in contact_self.c. All of them end in vl_contacts_meet: a point with weights
 * against a point with weights, a normal and a gap. Bodies that began deep inside each other have a way out of their own
 * (contact_deep.c).
 * bodies, static solids, dt -> contacts, in an order that depends on the bodies alone. */
#include "contact/contact.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"
#include "contact/contact_parts.h"

void vl_contacts_clear(vlContacts *contacts)
{
  for (int b = 0; contacts->skin && b < contacts->skin_count; b++) vl_skin_clear(&contacts->skin[b]);
  free(contacts->skin);
  free(contacts->bounds);
  free(contacts->distance);
  free(contacts->list);
  free(contacts->group);
  free(contacts->keep);
  *contacts = (vlContacts){0};
}

static vlCode prepare(vlContacts *contacts, const vlBodySet *s, vlStatus *status)
{
  if (contacts->skin) return VL_OK;
  size_t bodies = (size_t)s->count, nodes = 0;
  for (int b = 0; b < s->count; b++) nodes = nodes > (size_t)s->body[b]->node_count ? nodes : (size_t)s->body[b]->node_count;
  contacts->skin = calloc(bodies + 1, sizeof *contacts->skin);
  contacts->bounds = malloc((bodies + 1) * sizeof *contacts->bounds);
  contacts->distance = malloc((nodes + 1) * sizeof *contacts->distance);
  contacts->skin_count = s->count;
  vlCode code = contacts->skin && contacts->bounds && contacts->distance
                    ? VL_OK
                    : vl_fail_memory(status, nodes * sizeof *contacts->distance, "contacts");
  for (int b = 0; b < s->count && !code; b++) code = vl_skin_create(&contacts->skin[b], &s->distance->surface[b], status);
  if (code) vl_contacts_clear(contacts);
  return code;
}

static bool try_sides(vlContacts *contacts, const vlBodySet *s, int b, int node, double dt)
{
  vlOwnPoint own = {.body = b, .count = 1, .node = {node}, .weight = {1.0}};
  vlBox3 box = vl_grid_box(s->grid);
  bool ok = true;
  for (int side = 0; side < 6 && ok; side++) {
    int a = side / 2;
    if (s->grid->n[a] == 1) continue; /* a slab has no sides there */
    double x = s->body[b]->x[node].v[a];
    vlTouch touch = {.distance = side % 2 ? box.hi.v[a] - x : x - box.lo.v[a], .body = -1};
    touch.normal.v[a] = side % 2 ? -1.0 : 1.0;
    ok = vl_contacts_meet(contacts, s, &own, &touch, dt);
  }
  return ok;
}

static bool try_node(vlContacts *contacts, const vlBodySet *s, int b, int node, int other, double dt)
{
  vlOwnPoint own = {.body = b, .count = 1, .node = {node}, .weight = {1.0}};
  vlTouch touch = vl_touch_at(s, other, s->body[b]->x[node]);
  contacts->distance[node] = touch.distance;
  return vl_contacts_meet(contacts, s, &own, &touch, dt);
}

static bool try_statics(vlContacts *contacts, const vlBodySet *s, int b, double fastest, double dt)
{
  if (!s->statics || vl_statics_surface(s->statics)->triangle_count == 0) return true;
  const vlSkin *skin = &contacts->skin[b];
  bool ok = true;
  for (int i = 0; i < skin->node_count && ok; i++) {
    int node = skin->node[i];
    contacts->distance[node] = vl_statics_distance(s->statics, s->body[b]->x[node]);
    if (contacts->distance[node] <= vl_contact_reach(s, fastest, dt))
      ok = try_node(contacts, s, b, node, VL_TOUCH_STATICS, dt);
  }
  ok = ok && vl_contacts_try_edges(contacts, s, b, VL_TOUCH_STATICS, fastest, dt);
  return ok && vl_contacts_try_faces(contacts, s, b, fastest, dt);
}

static bool in_box(vlBox3 box, vlVec3 x)
{
  for (int a = 0; a < 3; a++)
    if (x.v[a] < box.lo.v[a] || x.v[a] > box.hi.v[a]) return false;
  return true;
}

/* Nodes of one body against the other, and its edges where it is the first of the two: edges that cross are two. */
static bool try_body(vlContacts *contacts, const vlBodySet *s, int b, int other, double fastest, double dt)
{
  const vlSkin *skin = &contacts->skin[b];
  if (!s->body[b]->yields && !s->body[other]->yields) return true;
  if (other == b || vl_box_is_empty(vl_box_intersect(contacts->bounds[b], contacts->bounds[other]))) return true;
  bool deep, ok = vl_contacts_try_deep(contacts, s, b, other, dt, &deep);
  if (deep) return ok;
  for (int i = 0; i < skin->node_count && ok; i++) {
    int node = skin->node[i];
    contacts->distance[node] = NAN;
    if (in_box(contacts->bounds[other], s->body[b]->x[node])) ok = try_node(contacts, s, b, node, other, dt);
  }
  return ok && (b > other || vl_contacts_try_edges(contacts, s, b, other, 2.0 * fastest, dt));
}

static bool find_of_body(vlContacts *contacts, const vlBodySet *s, int b, double fastest, double dt)
{
  const vlSkin *skin = &contacts->skin[b];
  bool ok = true, passes = !s->body[b]->yields; /* through all that does not yield either */
  for (int i = 0; i < skin->node_count && ok && !passes; i++) ok = try_sides(contacts, s, b, skin->node[i], dt);
  ok = ok && (passes || try_statics(contacts, s, b, fastest, dt));
  for (int other = 0; other < s->count && ok; other++) ok = try_body(contacts, s, b, other, fastest, dt);
  return ok && (passes || vl_contacts_try_self(contacts, s, b, dt));
}

/* Room for thinning is taken once there is something to thin. */
static bool thin(vlContacts *contacts, const vlBodySet *s)
{
  void *group = contacts->group, *keep = contacts->keep;
  bool room = vl_array_reserve(&group, &contacts->group_room, (size_t)contacts->count + 1, sizeof *contacts->group);
  contacts->group = group;
  room = vl_array_reserve(&keep, &contacts->keep_room, (size_t)contacts->count + 1, sizeof *contacts->keep) && room;
  contacts->keep = keep;
  if (room) vl_contacts_thin(contacts, s);
  return room;
}

vlCode vl_contacts_find(vlContacts *contacts, const vlBodySet *s, double dt, vlStatus *status)
{
  contacts->count = 0;
  vlCode code = prepare(contacts, s, status);
  if (code) return code;
  double fastest = 0.0;
  for (int b = 0; b < s->count; b++)
    for (int i = 0; i < s->body[b]->node_count; i++) fastest = fmax(fastest, vl_norm(vl_body_expected(s->body[b], i)));
  for (int b = 0; b < s->count; b++)
    contacts->bounds[b] = vl_box_grow(s->distance->bounds[b], vl_contact_reach(s, 2.0 * fastest, dt));
  bool ok = true;
  for (int b = 0; b < s->count && ok; b++) ok = find_of_body(contacts, s, b, fastest, dt);
  if (contacts->count > 0) ok = ok && thin(contacts, s);
  return ok ? VL_OK : vl_fail_memory(status, (size_t)contacts->count * sizeof *contacts->list, "contacts");
}

double vl_contacts_overlap(const vlContacts *contacts)
{
  double overlap = 0.0;
  for (int c = 0; c < contacts->count; c++) overlap = fmax(overlap, -(contacts->list[c].gap + contacts->clearance));
  return overlap;
}
