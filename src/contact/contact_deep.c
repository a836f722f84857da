/* Bodies that were allowed to begin inside each other, while they are deeper in than nearest points can tell the way out.
 *
 * Nearest points of two such bodies lead out by different sides, and as contacts would hold them where they are. So all
 * contacts of the pair push along one direction, in which what they share becomes less the fastest:
 *
 *     n = (integral of other's normal over its surface inside the body - of the body's over its surface inside other) / |..|
 *
 * both integrals are the same, since what is shared is closed. Where they vanish, one body inside the other or across its
 * middle, the way is from middle to middle, and up where these are one. Points are the nodes that are inside, and of
 * triangles without such a node their deepest place.
 * a pair of bodies -> whether it is so, and contacts. */
#include "contact/contact_parts.h"

#include <math.h>

static const double DEEP = 0.1;     /* cells: below it, nearest points are right */
static const double MIDDLES = 1e-2; /* weight of the way between the middles, and of up */
static const double UP = 1e-4;

enum { FINEST = 8 };

typedef struct Shared {
  vlVec3 out; /* m2: the integral of the outward normals */
  double area, depth;
} Shared;

typedef struct Place {
  double depth, weight[3];
} Place;

/* The deepest place in `other` of a triangle, looked for in the middles of n^2 equal ones; what of it is inside is added. */
static Place look(Shared *shared, const vlBodySet *s, const vlTriMesh *surface, int triangle, int other)
{
  const int *c = surface->tri[triangle];
  vlVec3 a = vl_sub(surface->x[c[1]], surface->x[c[0]]), b = vl_sub(surface->x[c[2]], surface->x[c[0]]);
  vlVec3 area = vl_scale(vl_cross(a, b), 0.5);
  double longest = fmax(vl_norm(vl_sub(b, a)), fmax(vl_norm(a), vl_norm(b)));
  int n = (int)fmax(1.0, fmin(FINEST, ceil(longest / s->grid->dx)));
  Place best = {.depth = 0.0};
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 2 * (n - i) - 1; j++) {
      double w1 = (i + (j % 2 ? 2.0 : 1.0) / 3.0) / n, w2 = (j / 2 + (j % 2 ? 2.0 : 1.0) / 3.0) / n;
      double depth = -vl_touch_distance(s, other, vl_axpy(vl_axpy(surface->x[c[0]], w1, a), w2, b));
      if (depth <= 0.0) continue;
      shared->out = vl_axpy(shared->out, 1.0 / (n * n), area);
      shared->area += vl_norm(area) / (n * n);
      shared->depth = fmax(shared->depth, depth);
      if (depth > best.depth) best = (Place){depth, {1.0 - w1 - w2, w1, w2}};
    }
  return best;
}

static bool may_reach(const vlTriMesh *surface, int triangle, vlBox3 box)
{
  vlBox3 own = vl_box_empty();
  for (int k = 0; k < 3; k++) own = vl_box_add(own, surface->x[surface->tri[triangle][k]]);
  return !vl_box_is_empty(vl_box_intersect(own, box));
}

static vlVec3 middle(vlBox3 box) { return vl_scale(vl_add(box.lo, box.hi), 0.5); }

/* Whether the two are deep in each other, and the way out of `b` for `a`. */
static bool find_way(const vlBodySet *s, int a, int b, vlVec3 *way)
{
  const int of[2] = {a, b};
  Shared shared[2] = {{.area = 0.0}, {.area = 0.0}};
  for (int k = 0; k < 2; k++) {
    const vlTriMesh *surface = &s->distance->surface[of[k]];
    for (int t = 0; t < surface->triangle_count; t++)
      if (may_reach(surface, t, s->distance->bounds[of[1 - k]])) look(&shared[k], s, surface, t, of[1 - k]);
  }
  if (!(fmax(shared[0].depth, shared[1].depth) > DEEP * s->grid->dx)) return false;
  vlVec3 apart = vl_sub(middle(s->distance->bounds[a]), middle(s->distance->bounds[b]));
  double area = shared[0].area + shared[1].area;
  *way = vl_sub(shared[1].out, shared[0].out);
  if (vl_norm(apart) > 0.0) *way = vl_axpy(*way, MIDDLES * area / vl_norm(apart), apart);
  way->y += UP * area;
  if (s->grid->n[2] == 1) way->z = 0.0;
  *way = vl_unit(*way);
  return true;
}

static bool push(vlContacts *contacts, const vlBodySet *s, vlOwnPoint own, int other, vlVec3 way, double dt)
{
  vlTouch touch = vl_touch_at(s, other, vl_own_place(s, &own));
  touch.normal = way;
  return vl_contacts_push(contacts, s, &own, &touch, dt);
}

bool vl_contacts_try_deep(vlContacts *contacts, const vlBodySet *s, int b, int other, double dt, bool *deep)
{
  vlVec3 way;
  *deep = false;
  if (!s->body[b]->def->overlap && !s->body[other]->def->overlap) return true;
  if (!(b < other ? find_way(s, b, other, &way) : find_way(s, other, b, &way))) return true;
  if (b > other) way = vl_scale(way, -1.0);
  *deep = true;
  const vlTriMesh *surface = &s->distance->surface[b];
  const vlSkin *skin = &contacts->skin[b];
  bool ok = true;
  for (int i = 0; i < skin->node_count && ok; i++) {
    double *distance = &contacts->distance[skin->node[i]];
    *distance = vl_touch_distance(s, other, surface->x[skin->node[i]]);
    vlOwnPoint own = {.body = b, .count = 1, .node = {skin->node[i]}, .weight = {1.0}};
    if (*distance < 0.0) ok = push(contacts, s, own, other, way, dt);
  }
  for (int t = 0; t < surface->triangle_count && ok; t++) {
    const int *c = surface->tri[t];
    if (!may_reach(surface, t, s->distance->bounds[other])) continue;
    if (fmin(contacts->distance[c[0]], fmin(contacts->distance[c[1]], contacts->distance[c[2]])) < 0.0) continue;
    Place p = look(&(Shared){.area = 0.0}, s, surface, t, other);
    vlOwnPoint own = {b, 3, {c[0], c[1], c[2]}, {p.weight[0], p.weight[1], p.weight[2]}};
    if (p.depth > 0.0) ok = push(contacts, s, own, other, way, dt);
  }
  return ok;
}
