/* Bodies that begin inside each other.
 *
 * Points of one body's surface, its nodes and a lattice on each of its triangles, are looked at by their signed distance to
 * the other's; the deepest one tells how deep. So are points a little below the middles of its triangles, without which two
 * bodies in the very same place would only touch. What is not deeper than a hundredth of the smaller body is a touch, which
 * tetrahedra and round numbers make. In a slab surfaces are taken to be long across it, so that depths are those in its
 * plane. Two scripted bodies may pass through each other. In: the bodies where they begin. Out: an error that names all
 * pairs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/excerpt.h"
#include "base/vec.h"
#include "mesh/bvh.h"
#include "solid/body_set.h"

static const double TOUCH = 0.01; /* of the smaller body's diagonal */
static const double BELOW = 0.02; /* of it: points below the surface */
static const double APART = 0.05; /* of it: between points of the lattice */
static const double ACROSS = 1e3; /* a slab's bodies are so much longer across it */
enum { LATTICE_MOST = 16, PAIRS_SHOWN = 6 };

typedef struct Skin {
  vlBox3 bounds;
  vlTriMesh *mesh;
  vlBvh *tree;
} Skin;

typedef struct Depth {
  double depth; /* m; 0: none of the points lies inside */
  vlVec3 at;
} Depth;

static vlCode make_skin(Skin *skin, const vlBody *body, bool slab, vlStatus *status)
{
  if (skin->tree) return VL_OK;
  vlTriMesh *mesh = skin->mesh = vl_trimesh_create(body->node_count, body->triangle_count);
  if (!mesh) return vl_fail_memory(status, (size_t)body->node_count * sizeof(vlVec3), "the surface of a body");
  for (int i = 0; i < body->node_count; i++) {
    mesh->x[i] = body->x[i];
    if (slab) mesh->x[i].z *= ACROSS;
  }
  for (int t = 0; t < body->triangle_count; t++)
    for (int k = 0; k < 3; k++) mesh->tri[t][k] = body->triangle[t][k];
  vlCode code = vl_bvh_create(&skin->tree, mesh, status);
  if (!code) vl_bvh_mind_folds(skin->tree);
  return code;
}

static void look_at(Depth *d, const Skin *other, vlBox3 box, vlVec3 x, bool slab)
{
  if (slab) x.z = 0.0;
  for (int a = 0; a < 3; a++)
    if (x.v[a] < box.lo.v[a] || x.v[a] > box.hi.v[a]) return;
  double depth = -vl_bvh_signed_distance(other->tree, x);
  if (depth > d->depth) *d = (Depth){depth, x};
}

/* A point below the middle of a triangle, where the body is thick enough. */
static void look_below(Depth *d, const Skin *own, const Skin *other, vlBox3 box, const vlVec3 c[3], double below)
{
  vlVec3 n = vl_cross(vl_sub(c[1], c[0]), vl_sub(c[2], c[0]));
  if (!(vl_norm(n) > 0.0)) return;
  vlVec3 middle = vl_scale(vl_add(c[0], vl_add(c[1], c[2])), 1.0 / 3.0), x = vl_axpy(middle, -below / vl_norm(n), n);
  if (vl_bvh_signed_distance(own->tree, x) < 0.0) look_at(d, other, box, x, false);
}

/* Points of the body in the other one. */
static void look(Depth *d, const vlBody *body, const Skin *own, const Skin *other, vlBox3 box, double size, bool slab)
{
  const double apart = APART * size;
  for (int t = 0; t < body->triangle_count; t++) {
    vlVec3 c[3];
    for (int k = 0; k < 3; k++) c[k] = body->x[body->triangle[t][k]];
    vlBox3 bounds = vl_box_add(vl_box_add(vl_box_add(vl_box_empty(), c[0]), c[1]), c[2]);
    if (vl_box_is_empty(vl_box_intersect(bounds, box))) continue;
    double edge = fmax(vl_norm(vl_sub(c[1], c[0])), fmax(vl_norm(vl_sub(c[2], c[1])), vl_norm(vl_sub(c[0], c[2]))));
    int n = (int)fmin(ceil(edge / apart), LATTICE_MOST);
    for (int i = 0; i <= n; i++)
      for (int j = 0; i + j <= n; j++) {
        vlVec3 x = vl_axpy(c[0], (double)i / n, vl_sub(c[1], c[0]));
        look_at(d, other, box, vl_axpy(x, (double)j / n, vl_sub(c[2], c[0])), slab);
      }
    if (!slab) look_below(d, own, other, box, c, BELOW * size);
  }
}

static bool may_overlap(const vlBody *a, const vlBody *b)
{
  return a->def->overlap || b->def->overlap || (a->def->kind == VL_BODY_SCRIPTED && b->def->kind == VL_BODY_SCRIPTED);
}

static vlCode measure(Depth *d, const vlBodySet *set, Skin *skin, int i, int j, bool slab, vlStatus *status)
{
  const vlBody *a = set->body[i], *b = set->body[j];
  vlBox3 box = vl_box_intersect(skin[i].bounds, skin[j].bounds);
  *d = (Depth){0};
  if (vl_box_is_empty(box)) return VL_OK;
  double size = fmin(vl_body_size(a), vl_body_size(b));
  vlCode code = make_skin(&skin[i], a, slab, status);
  if (!code) code = make_skin(&skin[j], b, slab, status);
  if (code) return code;
  look(d, a, &skin[i], &skin[j], box, size, slab);
  look(d, b, &skin[j], &skin[i], box, size, slab);
  if (d->depth <= TOUCH * size) d->depth = 0.0;
  return VL_OK;
}

/* The first pair is the message, the others are named below it. */
static void tell(vlStatus *status, const vlBodyDef *a, const vlBodyDef *b, Depth d, int pairs)
{
  if (!status) return;
  size_t used = pairs ? strlen(status->message) : 0;
  if (pairs == 0)
    snprintf(status->message, sizeof status->message,
             "body '%.63s' begins inside body '%.63s', %.3g m deep at (%.4g, %.4g, %.4g) m", b->name, a->name, d.depth,
             d.at.x, d.at.y, d.at.z);
  else
    snprintf(status->message + used, sizeof status->message - used, "\n  so does '%.63s' in '%.63s', %.3g m deep", b->name,
             a->name, d.depth);
}

vlCode vl_bodies_check_apart(const vlBodySet *bodies, const vlScene *scene, vlStatus *status)
{
  Skin *skin = calloc((size_t)bodies->count + 1, sizeof *skin);
  vlCode code = skin ? VL_OK : vl_fail_memory(status, (size_t)bodies->count * sizeof *skin, "the bodies");
  for (int i = 0; i < bodies->count && !code; i++) skin[i].bounds = vl_body_bounds(bodies->body[i]);
  int pairs = 0;
  vlSource where = {0, 0};
  for (int i = 0; i < bodies->count && !code; i++)
    for (int j = i + 1; j < bodies->count && !code; j++) {
      Depth d;
      if (may_overlap(bodies->body[i], bodies->body[j])) continue;
      code = measure(&d, bodies, skin, i, j, scene->grid.slab, status);
      if (code || d.depth == 0.0) continue;
      if (pairs == 0) where = bodies->body[j]->def->where;
      if (pairs < PAIRS_SHOWN) tell(status, bodies->body[i]->def, bodies->body[j]->def, d, pairs);
      pairs++;
    }
  for (int i = 0; skin && i < bodies->count; i++) {
    vl_bvh_destroy(&skin[i].tree);
    vl_trimesh_destroy(&skin[i].mesh);
  }
  free(skin);
  if (code || pairs == 0) return code;
  if (status) {
    size_t used = strlen(status->message), room = sizeof status->message - used;
    status->code = VL_ERROR_SCENE;
    if (pairs > PAIRS_SHOWN) snprintf(status->message + used, room, "\n  and so on: %d pairs", pairs);
    used = strlen(status->message);
    snprintf(status->message + used, sizeof status->message - used,
             "\n  move them apart; with overlap: yes in one of the two they begin so and are pushed apart");
    vl_status_locate(status, scene->path, scene->text, where);
  }
  return VL_ERROR_SCENE;
}
