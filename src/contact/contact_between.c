/* Contacts between nodes: edges that cross, and a thin solid under the inside of a triangle.
 *
 * Along an edge, or over a triangle, the distance d to the other surface is searched for local minima, among samples that
 * are then refined [macklin2020]. One counts if it lies deeper than the nodes lead to expect,
 *
 *     d( sum w_k x_k ) < sum w_k d(x_k) - MARGIN          over a flat floor both sides are equal but for MARGIN
 *
 * so something stands out between the nodes: a corner, a ridge, a post, another edge across. Where the minimum is flat
 * (a bar across a bar) both its ends are taken, so that the bar has something to stand on. d changes by no more than the
 * way, which rules out most edges at once.
 * What stands out pushes across the edge or the triangle, since along it there is no minimum. Edges of one body are enough:
 * where edges cross there are two of them, and the corners of the other body are nodes. */
#include "contact/contact_parts.h"

#include <math.h>

static const double MARGIN = 0.03; /* cells */
static const double LEVEL = 0.01;  /* cells: what counts as flat */
static const double NEXT = 0.01;   /* cells: beside a minimum */

enum { LEAST = 8, MOST = 24, GOLDEN_STEPS = 12, RISE_STEPS = 8, SEARCH_STEPS = 10, FACE_MOST = 8 };

/* Part of a body's surface, against `other`. */
typedef struct Piece {
  const vlBodySet *scene;
  int other;
  vlOwnPoint own;
  double distance[3]; /* of its nodes */
} Piece;

static double distance_of(const Piece *p) { return vl_touch_distance(p->scene, p->other, vl_own_place(p->scene, &p->own)); }

/* Whether something stands out at the present weights, where the distance is d. */
static bool stands_out(const Piece *p, double d)
{
  double expected = 0.0;
  for (int k = 0; k < p->own.count; k++) expected += p->own.weight[k] * p->distance[k];
  return d < expected - MARGIN * p->scene->grid->dx;
}

static double distance_along(Piece *p, double t)
{
  p->own.weight[0] = 1.0 - t;
  p->own.weight[1] = t;
  return distance_of(p);
}

/* The minimum between lo and hi, by golden section. */
static double refine(Piece *p, double lo, double hi)
{
  const double part = 0.38196601125010515;
  double a = lo + part * (hi - lo), b = hi - part * (hi - lo), fa = distance_along(p, a), fb = distance_along(p, b);
  for (int i = 0; i < GOLDEN_STEPS; i++) {
    if (fa <= fb) {
      hi = b, b = a, fb = fa;
      a = lo + part * (hi - lo);
      fa = distance_along(p, a);
    } else {
      lo = a, a = b, fa = fb;
      b = hi - part * (hi - lo);
      fb = distance_along(p, b);
    }
  }
  return fa <= fb ? a : b;
}

/* Where the distance has risen to `most`, between t, where it has not, and `end`, where it has. */
static double find_rise(Piece *p, double t, double end, double most)
{
  for (int i = 0; i < RISE_STEPS; i++) {
    double middle = 0.5 * (t + end);
    if (distance_along(p, middle) < most)
      t = middle;
    else
      end = middle;
  }
  return t;
}

/* Adds the point with the present weights, which n pushes; `out` is the piece's own normal. */
static bool meet(vlContacts *contacts, const Piece *p, vlTouch touch, vlVec3 n, vlVec3 out, double dt)
{
  if (vl_dot(touch.normal, out) > 0.3 || vl_dot(n, out) > 0.0) return true; /* the far side of a thin body */
  touch.normal = n;
  return vl_contacts_meet(contacts, p->scene, &p->own, &touch, dt);
}

/* What pushes an edge at a minimum of the distance: of the normals on both sides of it, which lead away along the edge to
 * either side, the mean that leads to neither. Where edges cross this is across both, outside as well as inside. */
static vlVec3 push_across(Piece *p, double t, double length, vlVec3 along, vlVec3 normal, vlVec3 out)
{
  double step = NEXT * p->scene->grid->dx / length, slope[2];
  vlVec3 side[2], n;
  for (int k = 0; k < 2; k++) {
    distance_along(p, t + (k ? step : -step));
    side[k] = vl_touch_at(p->scene, p->other, vl_own_place(p->scene, &p->own)).normal;
    slope[k] = vl_dot(side[k], along);
  }
  distance_along(p, t);
  if (slope[0] < 0.0 && slope[1] > 0.0)
    n = vl_add(vl_scale(side[0], slope[1]), vl_scale(side[1], -slope[0]));
  else
    n = normal;
  n = vl_axpy(n, -vl_dot(n, along), along);
  return vl_unit(vl_norm(n) > 1e-3 * vl_norm(normal) && vl_dot(n, out) < 0.0 ? n : vl_scale(out, -1.0));
}

static bool try_edge(vlContacts *contacts, Piece *p, int edge, double length, double dt)
{
  const vlTriMesh *surface = &p->scene->distance->surface[p->own.body];
  double level = LEVEL * p->scene->grid->dx, d[MOST + 1], last = -1.0;
  int n = (int)fmax(LEAST, fmin(MOST, ceil(4.0 * length / p->scene->grid->dx)));
  bool ok = true;
  for (int k = 0; k <= n; k++) d[k] = k == 0 ? p->distance[0] : k == n ? p->distance[1] : distance_along(p, (double)k / n);
  for (int k = 1; k < n && ok; k++) {
    double least = fmin(d[k - 1], d[k + 1]), most = fmax(d[k - 1], d[k + 1]);
    if (least < d[k] - level || most < d[k] + level) continue;
    double t = (double)k / n;
    if (least > d[k] + level)
      t = refine(p, (k - 1.0) / n, (k + 1.0) / n);
    else
      t = find_rise(p, t, (d[k + 1] > d[k - 1] ? k + 1.0 : k - 1.0) / n, d[k] + level);
    if (!stands_out(p, distance_along(p, t)) || fabs(t - last) < 1e-2 / n) continue;
    last = t;
    vlVec3 along = vl_unit(vl_sub(surface->x[p->own.node[1]], surface->x[p->own.node[0]]));
    vlVec3 out = vl_skin_edge_normal(&contacts->skin[p->own.body], surface, edge);
    vlTouch touch = vl_touch_at(p->scene, p->other, vl_own_place(p->scene, &p->own));
    ok = meet(contacts, p, touch, push_across(p, t, length, along, touch.normal, out), out, dt);
  }
  return ok;
}

bool vl_contacts_try_edges(vlContacts *contacts, const vlBodySet *s, int b, int other, double fastest, double dt)
{
  const vlSkin *skin = &contacts->skin[b];
  const vlVec3 *x = s->body[b]->x;
  double near = vl_contact_reach(s, fastest, dt);
  bool ok = true;
  for (int e = 0; e < skin->edge_count && ok; e++) {
    const int *end = skin->edge[e];
    if (other >= 0) {
      vlBox3 box = vl_box_add(vl_box_add(vl_box_empty(), x[end[0]]), x[end[1]]);
      if (vl_box_is_empty(vl_box_intersect(box, contacts->bounds[other]))) continue;
    }
    Piece p = {.scene = s, .other = other, .own = {.body = b, .count = 2, .node = {end[0], end[1]}}};
    for (int k = 0; k < 2; k++) {
      double *known = &contacts->distance[end[k]];
      if (isnan(*known)) *known = vl_touch_distance(s, other, x[end[k]]);
      p.distance[k] = *known;
    }
    double length = vl_norm(vl_sub(x[end[1]], x[end[0]]));
    if (0.5 * (p.distance[0] + p.distance[1] - length) <= near) ok = try_edge(contacts, &p, e, length, dt);
  }
  return ok;
}

static double distance_over(Piece *p, double w1, double w2)
{
  p->own.weight[0] = 1.0 - w1 - w2;
  p->own.weight[1] = w1;
  p->own.weight[2] = w2;
  return distance_of(p);
}

/* The deepest place inside a triangle: of samples, then by steps to the side that are halved where they lead nowhere. */
static void search_face(Piece *p, int n, double best[2])
{
  double least = INFINITY, step = 0.5 / n;
  for (int i = 1; i < n; i++)
    for (int j = 1; i + j < n; j++) {
      double d = distance_over(p, (double)i / n, (double)j / n);
      if (d >= least) continue;
      least = d;
      best[0] = (double)i / n, best[1] = (double)j / n;
    }
  for (int turn = 0; turn < SEARCH_STEPS; turn++) {
    static const int ways[6][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, -1}, {-1, 1}};
    bool moved = false;
    for (int way = 0; way < 6; way++) {
      double w1 = best[0] + step * ways[way][0], w2 = best[1] + step * ways[way][1];
      if (w1 < 0.0 || w2 < 0.0 || w1 + w2 > 1.0) continue;
      double d = distance_over(p, w1, w2);
      if (d >= least) continue;
      least = d;
      best[0] = w1, best[1] = w2;
      moved = true;
    }
    if (!moved) step *= 0.5;
  }
}

static bool try_face(vlContacts *contacts, Piece *p, int triangle, double longest, double dt)
{
  double w[2] = {0.0, 0.0}, inside = 0.02;
  int n = (int)fmax(3.0, fmin(FACE_MOST, ceil(2.0 * longest / p->scene->grid->dx)));
  search_face(p, n, w);
  if (!stands_out(p, distance_over(p, w[0], w[1]))) return true;
  if (fmin(fmin(w[0], w[1]), 1.0 - w[0] - w[1]) < inside) return true; /* on an edge, which is tried itself */
  vlVec3 out = vl_skin_face_normal(&p->scene->distance->surface[p->own.body], triangle);
  vlTouch touch = vl_touch_at(p->scene, p->other, vl_own_place(p->scene, &p->own));
  return meet(contacts, p, touch, vl_scale(out, -1.0), out, dt);
}

bool vl_contacts_try_faces(vlContacts *contacts, const vlBodySet *s, int b, double fastest, double dt)
{
  const vlTriMesh *surface = &s->distance->surface[b];
  double near = vl_contact_reach(s, fastest, dt);
  bool ok = true;
  for (int t = 0; t < surface->triangle_count && ok; t++) {
    const int *c = surface->tri[t];
    Piece p = {.scene = s, .other = VL_TOUCH_STATICS, .own = {.body = b, .count = 3, .node = {c[0], c[1], c[2]}}};
    double least = INFINITY, longest = 0.0;
    for (int k = 0; k < 3; k++) {
      p.distance[k] = contacts->distance[c[k]];
      least = fmin(least, p.distance[k]);
      longest = fmax(longest, vl_norm(vl_sub(surface->x[c[k]], surface->x[c[(k + 1) % 3]])));
    }
    /* no place is farther from all corners than the sides are long */
    if (least - longest <= near) ok = try_face(contacts, &p, t, longest, dt);
  }
  return ok;
}
