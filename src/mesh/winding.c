/* The generalised winding number: how much of the view from x is covered by the surface's inner side; and the surfaces that
 * need it.
 *
 *   w(x) = 1/(4 pi) sum over triangles of their signed solid angle        [jacobson2013]
 * 1 inside a closed surface and 0 outside; with holes it changes smoothly across them, so w = 1/2 closes
 * them. Solid angle of a, b, c seen from the origin [vanoosterom1983]:
 *   tan(angle/2) = a.(b x c) / (|a||b||c| + (a.b)|c| + (b.c)|a| + (c.a)|b|)
 * A cluster farther away than FAR_FACTOR times its radius is replaced by the first two terms of its Taylor
 * series about the centre of area c [barill2018]: with r = c - x, the sum N of its area vectors and
 * the moment M = sum of (centroid - c) (area vector)^T,
 *   angle = r.N / |r|^3 + (tr M - 3 r.M r / |r|^2) / |r|^3
 * The dipole alone had three to seven times the mean error (four meshes, factor 2.5).
 *
 * x → w. */
#include <math.h>

#include "base/vec.h"
#include "mesh/bvh_tree.h"

#define FAR_FACTOR 3.0

static double solid_angle(const vlVec3 *corner, vlVec3 x)
{
  vlVec3 a = vl_sub(corner[0], x), b = vl_sub(corner[1], x), c = vl_sub(corner[2], x);
  double la = vl_norm(a), lb = vl_norm(b), lc = vl_norm(c);
  double up = vl_dot(a, vl_cross(b, c));
  double down = la * lb * lc + vl_dot(a, b) * lc + vl_dot(b, c) * la + vl_dot(c, a) * lb;
  return 2.0 * atan2(up, down);
}

static double far_angle(const vlBvhFar *far, vlVec3 r, double r2)
{
  const vlMat3 *m = &far->moment;
  double trace = m->m[0][0] + m->m[1][1] + m->m[2][2];
  double terms = vl_dot(r, far->dipole) + trace - 3.0 * vl_dot(r, vl_mat_apply(*m, r)) / r2;
  return terms / (r2 * sqrt(r2));
}

double vl_bvh_winding(const vlBvh *bvh, vlVec3 x)
{
  int stack[VL_BVH_STACK], top = 0;
  double sum = 0.0;
  stack[top++] = 0;
  while (top > 0) {
    int index = stack[--top];
    const vlBvhNode *node = &bvh->node[index];
    const vlBvhFar *far = &bvh->far[index];
    vlVec3 r = vl_sub(far->center, x);
    double r2 = vl_dot(r, r), reach = FAR_FACTOR * far->radius;
    if (r2 > reach * reach) {
      sum += far_angle(far, r, r2);
    } else if (node->count == 0) {
      stack[top++] = node->first + 1;
      stack[top++] = node->first;
    } else {
      for (int i = node->first; i < node->first + node->count; i++) sum += solid_angle(bvh->corner[i], x);
    }
  }
  return sum / (4.0 * VL_PI);
}

/* Part `i` of a node, a triangle of a leaf or one of two children, as seen from far away. */
static vlBvhFar node_part(const vlBvh *bvh, const vlBvhNode *node, int i)
{
  if (node->count == 0) return bvh->far[node->first + i];
  const vlVec3 *c = bvh->corner[node->first + i];
  vlBvhFar part = {0};
  part.center = vl_scale(vl_add(c[0], vl_add(c[1], c[2])), 1.0 / 3.0);
  part.dipole = vl_scale(vl_cross(vl_sub(c[1], c[0]), vl_sub(c[2], c[0])), 0.5);
  part.area = vl_norm(part.dipole);
  return part;
}

static void add_moment(vlMat3 *moment, const vlBvhFar *part, vlVec3 center)
{
  vlVec3 d = vl_sub(part->center, center);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) moment->m[i][j] += part->moment.m[i][j] + d.v[i] * part->dipole.v[j];
}

static void build_node_far(const vlBvh *bvh, const vlBvhNode *node, vlBvhFar *far)
{
  int parts = node->count == 0 ? 2 : node->count;
  vlVec3 sum = {.v = {0, 0, 0}};
  *far = (vlBvhFar){0};
  for (int i = 0; i < parts; i++) {
    vlBvhFar part = node_part(bvh, node, i);
    sum = vl_axpy(sum, part.area, part.center);
    far->dipole = vl_add(far->dipole, part.dipole);
    far->area += part.area;
  }
  vlVec3 middle = vl_scale(vl_add(node->box.lo, node->box.hi), 0.5);
  far->center = far->area > 0.0 ? vl_scale(sum, 1.0 / far->area) : middle;
  for (int i = 0; i < parts; i++) {
    vlBvhFar part = node_part(bvh, node, i);
    add_moment(&far->moment, &part, far->center);
  }
  vlVec3 r = vl_max(vl_sub(far->center, node->box.lo), vl_sub(node->box.hi, far->center));
  far->radius = vl_norm(r); /* to the farthest corner of the box */
}

/* From the last node back, children before parents. */
void vl_bvh_build_far(vlBvh *bvh)
{
  for (int i = bvh->node_count - 1; i >= 0; i--) build_node_far(bvh, &bvh->node[i], &bvh->far[i]);
}

/* Closed surfaces whose pseudo-normals are not to be trusted: contours of meshes that are repaired, or overlap themselves.
 *
 * Such surfaces have triangles that are flat to rounding, so that their normals are noise, and folds of a small part of a
 * cube, where one is inside out; a vertex there can take all of space on one side of it for the inside. Folds are where the
 * surface crosses itself, or where the winding number just before a triangle is not near 0, or just behind it not near 1.
 * The winding number itself does not mind them: a fold covers hardly anything of the view.
 *
 * tree -> whether signs and normals come from the winding number (bvh_closest.c). */

static const double NEEDLE = 1e-6; /* height over the longest side: thinner triangles have normals of noise */
static const double OFFSET = 1e-6; /* of the bounds' diagonal: how near to a triangle */
static const double ASTRAY = 0.25; /* of the winding number; its own error is 0.05 at most */
enum { LOOKED_AT = 20000 };        /* triangles, at most */

static bool is_needle(const vlVec3 corner[3])
{
  vlVec3 n = vl_cross(vl_sub(corner[1], corner[0]), vl_sub(corner[2], corner[0]));
  double longest2 = 0.0;
  for (int k = 0; k < 3; k++) {
    vlVec3 e = vl_sub(corner[(k + 1) % 3], corner[k]);
    longest2 = fmax(longest2, vl_dot(e, e));
  }
  return !(vl_norm(n) > NEEDLE * longest2);
}

static bool is_astray(const vlBvh *bvh, const vlVec3 corner[3], double offset)
{
  vlVec3 middle = vl_scale(vl_add(vl_add(corner[0], corner[1]), corner[2]), 1.0 / 3.0);
  vlVec3 n = vl_unit(vl_cross(vl_sub(corner[1], corner[0]), vl_sub(corner[2], corner[0])));
  return fabs(vl_bvh_winding(bvh, vl_axpy(middle, offset, n))) > ASTRAY ||
         fabs(vl_bvh_winding(bvh, vl_axpy(middle, -offset, n)) - 1.0) > ASTRAY;
}

bool vl_bvh_mind_folds(vlBvh *bvh)
{
  int count = bvh->mesh->triangle_count, step = count / LOOKED_AT + 1;
  const vlBox3 *box = &bvh->node[0].box;
  double offset = OFFSET * vl_norm(vl_sub(box->hi, box->lo));
  bvh->folded = false;
  for (int i = 0; i < count && !bvh->folded; i++) bvh->folded = is_needle(bvh->corner[i]);
  for (int i = 0; i < count && !bvh->folded; i += step) bvh->folded = is_astray(bvh, bvh->corner[i], offset);
  if (!bvh->folded) bvh->folded = vl_bvh_crosses_itself(bvh);
  return bvh->folded;
}
