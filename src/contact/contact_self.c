/* A body that folds onto itself: nodes of its surface against triangles of the same surface.
 *
 * The nearest triangle of a node is one that it belongs to, so all triangles near it are looked at, and most of them are no
 * contact. A pair touches if the surfaces face each other (their normals are opposed), the node lies across the triangle and
 * not beside it, and
 *   in front of the triangle:  it is nearer than it was at rest;
 *   behind it:                 by little, and by less than a tenth of what it was away at rest.
 * The other side of a thin plate is behind, by as much as at rest, so it never counts unless the plate is pressed to a
 * tenth of its thickness; a notch counts once it closes. Of several triangles the nearest is taken. */
#include "contact/contact_parts.h"

#include <math.h>

static const double OPPOSED = -0.2;     /* cosine of the normals, at most */
static const double ACROSS = 0.7;       /* part of the way to the triangle that is along its normal, at least */
static const double DEEPEST = 0.15;     /* cells behind the surface */
static const double NEARER = 0.9;       /* in front: distance over that at rest, at most */
static const double CAME_THROUGH = 0.1; /* behind: the same */

typedef struct Search {
  const vlBodySet *scene;
  const vlBody *body;
  const vlTriMesh *surface;
  int node;
  vlVec3 normal; /* of the node */
  double nearest;
  vlTouch touch; /* the nearest so far; count 0: none */
} Search;

static void try_triangle(void *data, int triangle)
{
  Search *q = data;
  const int *t = q->surface->tri[triangle];
  if (t[0] == q->node || t[1] == q->node || t[2] == q->node) return;
  vlVec3 n = vl_skin_face_normal(q->surface, triangle);
  if (vl_dot(q->normal, n) > OPPOSED) return;
  const vlVec3 corner[3] = {q->body->x[t[0]], q->body->x[t[1]], q->body->x[t[2]]};
  vlVec3 w = vl_triangle_closest(corner, q->body->x[q->node]), away = q->body->x[q->node], rest = q->body->rest[q->node],
         v = vl_vec(0, 0, 0);
  for (int k = 0; k < 3; k++) {
    away = vl_axpy(away, -w.v[k], corner[k]);
    rest = vl_axpy(rest, -w.v[k], q->body->rest[t[k]]);
    v = vl_axpy(v, w.v[k], q->body->v[t[k]]);
  }
  double d = vl_norm(away), h = vl_dot(away, n), dx = q->scene->grid->dx;
  bool touching = d < 1e-3 * dx; /* the way has no direction */
  if (d >= q->nearest || (!touching && fabs(h) < ACROSS * d) || h < -DEEPEST * dx) return;
  if (d > (h < 0.0 ? CAME_THROUGH : NEARER) * vl_norm(rest)) return;
  q->nearest = d;
  q->touch = (vlTouch){.distance = h < 0.0 ? -d : d,
                       .normal = touching ? n : vl_scale(away, (h < 0.0 ? -1.0 : 1.0) / d),
                       .velocity = v,
                       .count = 3,
                       .node = {t[0], t[1], t[2]},
                       .weight = {w.x, w.y, w.z}};
}

/* m/s: no two nodes of the body come together faster. */
static double fastest_inside(const vlBody *body)
{
  vlBox3 box = vl_box_empty();
  for (int i = 0; i < body->node_count; i++) box = vl_box_add(box, body->v[i]);
  return vl_norm(vl_sub(box.hi, box.lo));
}

bool vl_contacts_try_self(vlContacts *contacts, const vlBodySet *s, int b, double dt)
{
  const vlSkin *skin = &contacts->skin[b];
  const vlBvh *tree = s->distance->tree[b];
  double near = fmax(vl_contact_reach(s, fastest_inside(s->body[b]), dt), DEEPEST * s->grid->dx);
  bool ok = true;
  if (s->body[b]->stiff) return true;
  for (int i = 0; i < skin->node_count && ok; i++) {
    Search q = {.scene = s,
                .body = s->body[b],
                .surface = &s->distance->surface[b],
                .node = skin->node[i],
                .normal = vl_bvh_vertex_normal(tree, skin->node[i]),
                .nearest = INFINITY};
    vlVec3 x = q.body->x[q.node];
    vl_bvh_visit(tree, vl_box_grow((vlBox3){x, x}, near), try_triangle, &q);
    if (q.touch.count == 0) continue;
    q.touch.body = b;
    vlOwnPoint own = {.body = b, .count = 1, .node = {q.node}, .weight = {1.0}};
    ok = vl_contacts_meet(contacts, s, &own, &q.touch, dt);
  }
  return ok;
}
