/* Closeness of regions given by their signed distances.
 *
 * m(x) = max(d_a, d_b) is 1-Lipschitz and below `reach` where both are near or overlap. A box is halved until its middle
 * shows such a point, its half diagonal rules one out, or it is small compared with `reach`. */
#include "solid/unions.h"

#include "base/vec.h"

/* By comparisons: fmax is a call, and this is the innermost loop. */
static double box_distance(const vlBox3 *box, vlVec3 x)
{
  double sum = 0.0;
  for (int a = 0; a < 3; a++) {
    double below = box->lo.v[a] - x.v[a], above = x.v[a] - box->hi.v[a], d = below > above ? below : above;
    if (d > 0.0) sum += d * d;
  }
  return sqrt(sum);
}

/* The nearest shape and its distance. The one with the nearest bounds comes first, so that most of the others, costly
 * meshes above all, are ruled out by theirs. */
static int nearest_shape(const vlUnion *u, vlVec3 x, double *distance)
{
  int first = 0, best = -1;
  double closest = INFINITY, d = INFINITY;
  for (int i = 0; i < u->count && u->count > 1; i++) {
    vlBox3 box = vl_sdf_bounds(u->sdfs[i]);
    double bound = box_distance(&box, x);
    if (bound < closest) {
      closest = bound;
      first = i;
    }
  }
  for (int k = 0; k < u->count; k++) {
    int i = k == 0 ? first : k <= first ? k - 1 : k;
    vlBox3 box = vl_sdf_bounds(u->sdfs[i]);
    double bound = k > 0 ? box_distance(&box, x) : 0.0;
    if (bound > 0.0 && bound >= d) continue;
    double own = vl_sdf_distance(u->sdfs[i], x);
    if (best >= 0 && own >= d) continue;
    d = own;
    best = i;
  }
  *distance = d;
  return best;
}

double vl_union_distance(const vlUnion *u, vlVec3 x)
{
  double d;
  nearest_shape(u, x, &d);
  return u->outside ? -d : d;
}

vlVec3 vl_union_gradient(const vlUnion *u, vlVec3 x)
{
  double d;
  int i = nearest_shape(u, x, &d);
  if (i < 0) return vl_vec(0, 0, 0);
  return vl_scale(vl_sdf_gradient(u->sdfs[i], x), u->outside ? -1.0 : 1.0);
}

static vlBox3 bounds_of(const vlUnion *u)
{
  if (u->outside) return vl_box_everything();
  vlBox3 box = vl_box_empty();
  for (int i = 0; i < u->count; i++) box = vl_box_unite(box, vl_sdf_bounds(u->sdfs[i]));
  return box;
}

static bool search(const vlUnion *a, const vlUnion *b, vlBox3 box, double reach)
{
  vlVec3 size = vl_sub(box.hi, box.lo), middle = vl_axpy(box.lo, 0.5, size);
  double half = 0.5 * vl_norm(size), d = vl_union_distance(a, middle);
  if (d - half > reach) return false;
  d = fmax(d, vl_union_distance(b, middle));
  if (d < reach) return true;
  if (d - half > reach) return false;
  if (half < 0.25 * reach) return true;
  int axis = size.x >= size.y ? (size.x >= size.z ? 0 : 2) : (size.y >= size.z ? 1 : 2);
  vlBox3 lower = box, upper = box;
  lower.hi.v[axis] = upper.lo.v[axis] = middle.v[axis];
  return search(a, b, lower, reach) || search(a, b, upper, reach);
}

bool vl_unions_meet(const vlUnion *a, const vlUnion *b, vlBox3 box, double reach)
{
  box = vl_box_intersect(box, vl_box_grow(bounds_of(a), reach));
  box = vl_box_intersect(box, vl_box_grow(bounds_of(b), reach));
  return !vl_box_is_empty(box) && search(a, b, box, reach);
}
