/* Closest point and signed distance.
 *
 * The closest point of a triangle is given by weights of its corners; the corners of positive weight name
 * the feature it lies on: three a face, two an edge, one a vertex. Where the foot of the perpendicular
 * falls outside, the closest point lies on a side whose weight (of the opposite corner) is not positive.
 * The walk goes to the nearer child first and leaves out boxes farther away than the best point.
 *
 * Sign [baerentzen2005]: of (x - p) . n with the pseudo-normal n of p's feature. Face: its normal. Edge:
 * the sum of its faces' normals. Vertex: their sum weighted by the angle each face has there. Around a
 * closed surface this is exact, also where the nearest feature is a sharp edge or corner. A surface with folds
 * (winding.c) has the sign from its winding number instead, and n along x - p.
 *
 * x → closest point, its normal, signed distance. */
#include <math.h>
#include <stdlib.h>

#include "base/status.h"
#include "base/vec.h"
#include "mesh/bvh_tree.h"
#include "mesh/trimesh.h"

typedef struct Foot {
  vlVec3 point;     /* m */
  double distance2; /* m2 */
  vlVec3 weight;    /* barycentric; exactly 0 for corners the feature does not have */
} Foot;

static double distance2(vlVec3 a, vlVec3 b)
{
  vlVec3 d = vl_sub(a, b);
  return vl_dot(d, d);
}

/* The closest point of the side that starts at corner i, where it beats *best. */
static void try_side(const vlVec3 *corner, int i, vlVec3 x, Foot *best)
{
  int j = (i + 1) % 3;
  vlVec3 a = corner[i], e = vl_sub(corner[j], a);
  double length2 = vl_dot(e, e);
  double s = length2 > 0.0 ? vl_dot(vl_sub(x, a), e) / length2 : 0.0;
  s = s > 0.0 ? (s < 1.0 ? s : 1.0) : 0.0;
  Foot foot = {.point = vl_add(vl_scale(a, 1.0 - s), vl_scale(corner[j], s))};
  foot.distance2 = distance2(x, foot.point);
  if (!(foot.distance2 < best->distance2)) return;
  foot.weight.v[i] = 1.0 - s;
  foot.weight.v[j] = s;
  *best = foot;
}

/* Puts the closest point of the triangle into *best if it beats it. */
static void try_triangle(const vlVec3 *corner, vlVec3 x, Foot *best)
{
  vlVec3 e1 = vl_sub(corner[1], corner[0]), e2 = vl_sub(corner[2], corner[0]), d = vl_sub(x, corner[0]);
  vlVec3 n = vl_cross(e1, e2);
  double nn = vl_dot(n, n), l1 = vl_dot(e1, e1), l2 = vl_dot(e2, e2);
  double longest2 = l1 > l2 ? l1 : l2;
  /* a needle of angle below 1e-10 is its sides: weights from its normal would be noise */
  if (!(nn > 1e-20 * longest2 * longest2)) {
    for (int i = 0; i < 3; i++) try_side(corner, i, x, best);
    return;
  }
  double h = vl_dot(d, n);
  if (h * h >= best->distance2 * nn) return; /* its plane is too far away */
  double w1 = vl_dot(vl_cross(d, e2), n) / nn, w2 = vl_dot(vl_cross(e1, d), n) / nn, w0 = 1.0 - w1 - w2;
  if (w0 > 0.0 && w1 > 0.0 && w2 > 0.0) {
    vlVec3 p = vl_axpy(vl_axpy(corner[0], w1, e1), w2, e2);
    double p2 = distance2(x, p);
    if (p2 < best->distance2) *best = (Foot){p, p2, vl_vec(w0, w1, w2)};
    return;
  }
  if (w2 <= 0.0) try_side(corner, 0, x, best);
  if (w0 <= 0.0) try_side(corner, 1, x, best);
  if (w1 <= 0.0) try_side(corner, 2, x, best);
}

vlVec3 vl_triangle_closest(const vlVec3 corner[3], vlVec3 x)
{
  Foot best = {.distance2 = INFINITY, .weight = vl_vec(1.0, 0.0, 0.0)};
  try_triangle(corner, x, &best);
  return best.weight;
}

static double box_distance2(const vlBox3 *box, vlVec3 x)
{
  double sum = 0.0;
  for (int a = 0; a < 3; a++) {
    double below = box->lo.v[a] - x.v[a], above = x.v[a] - box->hi.v[a];
    double d = below > above ? below : above;
    if (d > 0.0) sum += d * d;
  }
  return sum;
}

typedef struct Visit {
  int node;
  double distance2; /* to its box */
} Visit;

/* Walks to the leaf nearest to x below `node`; boxes passed by go on the stack. -1: all are too far. */
static int descend(const vlBvh *bvh, int node, vlVec3 x, double best, Visit *stack, int *top)
{
  while (bvh->node[node].count == 0) {
    int left = bvh->node[node].first;
    Visit near = {left, box_distance2(&bvh->node[left].box, x)};
    Visit far = {left + 1, box_distance2(&bvh->node[left + 1].box, x)};
    if (far.distance2 < near.distance2) {
      Visit swap = near;
      near = far;
      far = swap;
    }
    if (far.distance2 < best) stack[(*top)++] = far;
    if (!(near.distance2 < best)) return -1;
    node = near.node;
  }
  return node;
}

/* Some place of the surface to begin with. */
static Foot first_foot(const vlBvh *bvh, vlVec3 x)
{
  return (Foot){bvh->corner[0][0], distance2(x, bvh->corner[0][0]), vl_vec(1.0, 0.0, 0.0)};
}

/* The slot with the closest triangle that beats *best, else `slot`. With `any` the first one that does will do. */
static int find_closest(const vlBvh *bvh, vlVec3 x, Foot *best, int slot, bool any)
{
  Visit stack[VL_BVH_STACK];
  int top = 0;
  stack[top++] = (Visit){0, 0.0};
  while (top > 0) {
    Visit visit = stack[--top];
    if (!(visit.distance2 < best->distance2)) continue;
    int leaf = descend(bvh, visit.node, x, best->distance2, stack, &top);
    if (leaf < 0) continue;
    const vlBvhNode *node = &bvh->node[leaf];
    for (int i = node->first; i < node->first + node->count; i++) {
      double before = best->distance2;
      try_triangle(bvh->corner[i], x, best);
      if (!(best->distance2 < before)) continue;
      slot = i;
      if (any) return slot;
    }
  }
  return slot;
}

static vlVec3 feature_normal(const vlBvh *bvh, int t, vlVec3 weight)
{
  int corners = 0, last = 0, missing = 0;
  for (int k = 0; k < 3; k++) {
    if (weight.v[k] > 0.0) {
      corners++;
      last = k;
    } else {
      missing = k;
    }
  }
  if (corners == 3) return bvh->face_normal[t];
  if (corners == 1) return bvh->vertex_normal[bvh->mesh->tri[t][last]];
  int edge = bvh->edge_of[t][(missing + 1) % 3];
  return edge >= 0 ? bvh->edge_normal[edge] : bvh->vertex_normal[bvh->mesh->tri[t][last]];
}

/* The way from the surface to x, or back from x if it is inside; the feature's own normal where that has no direction. */
static vlVec3 outward(const vlBvh *bvh, vlVec3 x, const Foot *foot, vlVec3 normal)
{
  const vlBox3 *box = &bvh->node[0].box;
  double least = 1e-9 * vl_norm(vl_sub(box->hi, box->lo));
  if (!(foot->distance2 > least * least)) return normal;
  bool inside = box_distance2(box, x) == 0.0 && vl_bvh_winding(bvh, x) > 0.5;
  return vl_scale(vl_sub(x, foot->point), (inside ? -1.0 : 1.0) / sqrt(foot->distance2));
}

static vlClosest describe(const vlBvh *bvh, vlVec3 x, int slot, const Foot *foot)
{
  int t = bvh->triangle[slot];
  vlVec3 normal = feature_normal(bvh, t, foot->weight);
  if (bvh->folded) normal = outward(bvh, x, foot, normal);
  return (vlClosest){sqrt(foot->distance2), foot->point, normal, t, foot->weight};
}

vlClosest vl_bvh_closest(const vlBvh *bvh, vlVec3 x)
{
  Foot foot = first_foot(bvh, x);
  int slot = find_closest(bvh, x, &foot, 0, false);
  return describe(bvh, x, slot, &foot);
}

/* The walk passes by the same leaves in the same order, only without those that are farther than the hint: so it ends at the
 * same triangle, also where several share the nearest point. */
vlClosest vl_bvh_closest_near(const vlBvh *bvh, vlVec3 x, vlVec3 hint)
{
  Foot foot = first_foot(bvh, x);
  const vlBox3 *box = &bvh->node[0].box;
  double slack = 1e-12 * (vl_norm(vl_sub(box->hi, box->lo)) + vl_norm(x)); /* far above round-off of distances */
  double most = sqrt(distance2(x, hint)) * (1.0 + 1e-9) + slack;
  if (!(most * most < foot.distance2)) return vl_bvh_closest(bvh, x);
  foot.distance2 = most * most;
  int slot = find_closest(bvh, x, &foot, -1, false);
  return slot < 0 ? vl_bvh_closest(bvh, x) : describe(bvh, x, slot, &foot);
}

bool vl_bvh_within(const vlBvh *bvh, vlVec3 x, double distance)
{
  Foot foot = {.distance2 = distance * distance};
  return find_closest(bvh, x, &foot, -1, true) >= 0;
}

double vl_bvh_signed_distance(const vlBvh *bvh, vlVec3 x)
{
  vlClosest c = vl_bvh_closest(bvh, x);
  return vl_dot(vl_sub(x, c.point), c.normal) < 0.0 ? -c.distance : c.distance;
}

vlVec3 vl_bvh_vertex_normal(const vlBvh *bvh, int vertex) { return bvh->vertex_normal[vertex]; }

static void add_face_to_vertices(vlBvh *bvh, int t)
{
  const vlTriMesh *mesh = bvh->mesh;
  const int *tri = mesh->tri[t];
  for (int k = 0; k < 3; k++) {
    vlVec3 a = mesh->x[tri[k]];
    vlVec3 e = vl_sub(mesh->x[tri[(k + 1) % 3]], a), f = vl_sub(mesh->x[tri[(k + 2) % 3]], a);
    double angle = atan2(vl_norm(vl_cross(e, f)), vl_dot(e, f));
    bvh->vertex_normal[tri[k]] = vl_axpy(bvh->vertex_normal[tri[k]], angle, bvh->face_normal[t]);
  }
}

static void number_edges(vlBvh *bvh, const vlSide *sides, size_t count)
{
  for (int t = 0; t < bvh->mesh->triangle_count; t++)
    for (int k = 0; k < 3; k++) bvh->edge_of[t][k] = -1;
  for (size_t i = 0, end; i < count; i = end, bvh->edge_count++) {
    end = vl_sides_edge_end(sides, count, i);
    for (size_t s = i; s < end; s++) bvh->edge_of[sides[s].triangle][sides[s].side] = bvh->edge_count;
  }
}

void vl_bvh_update_normals(vlBvh *bvh)
{
  const vlTriMesh *mesh = bvh->mesh;
  for (int i = 0; i < mesh->vertex_count; i++) bvh->vertex_normal[i] = vl_vec(0, 0, 0);
  for (int e = 0; e < bvh->edge_count; e++) bvh->edge_normal[e] = vl_vec(0, 0, 0);
  for (int t = 0; t < mesh->triangle_count; t++) {
    const int *tri = mesh->tri[t];
    vlVec3 a = mesh->x[tri[0]];
    bvh->face_normal[t] = vl_unit(vl_cross(vl_sub(mesh->x[tri[1]], a), vl_sub(mesh->x[tri[2]], a)));
    add_face_to_vertices(bvh, t);
    for (int k = 0; k < 3; k++) {
      int e = bvh->edge_of[t][k];
      if (e >= 0) bvh->edge_normal[e] = vl_add(bvh->edge_normal[e], bvh->face_normal[t]);
    }
  }
  for (int i = 0; i < mesh->vertex_count; i++) bvh->vertex_normal[i] = vl_unit(bvh->vertex_normal[i]);
  for (int e = 0; e < bvh->edge_count; e++) bvh->edge_normal[e] = vl_unit(bvh->edge_normal[e]);
}

vlCode vl_bvh_build_normals(vlBvh *bvh, vlStatus *status)
{
  const vlTriMesh *mesh = bvh->mesh;
  size_t n = (size_t)mesh->triangle_count, m = (size_t)mesh->vertex_count, side_count = 0;
  vlSide *sides = NULL;
  vlCode code = vl_sides_sorted(&sides, &side_count, mesh, status);
  bvh->face_normal = malloc(n * sizeof *bvh->face_normal);
  bvh->edge_normal = malloc((side_count + 1) * sizeof *bvh->edge_normal);
  bvh->vertex_normal = malloc(m * sizeof *bvh->vertex_normal);
  bvh->edge_of = malloc(n * sizeof *bvh->edge_of);
  if (code == VL_OK && (!bvh->face_normal || !bvh->edge_normal || !bvh->vertex_normal || !bvh->edge_of))
    code = vl_fail_memory(status, (n + m + side_count) * sizeof(vlVec3), "the normals of a mesh");
  if (code == VL_OK) {
    number_edges(bvh, sides, side_count);
    vl_bvh_update_normals(bvh);
  }
  free(sides);
  return code;
}
