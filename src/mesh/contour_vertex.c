/* Crossings and vertices of dual contouring.
 *
 * A crossing is bracketed by the two ends of a lattice edge and narrowed by the Illinois secant, with bisection where
 * that stalls or the distance jumps. Zero counts as outside.
 *
 * A vertex is sought where the tangent planes at the crossings meet (qef.c), with rank 3, then 2, then 1. A solution must
 * lie in its cube and near the surface, else the mean of the crossings is taken. If an edge of the region passes
 * elsewhere through the cube, the nearest point of the edge inside is used. Departing from [ju2002], a solution up to one
 * cube outside counts as well if the distance vanishes there: only so do all polygons around an edge that grazes a cube
 * lie in its faces, which makes volumes of polyhedra exact. On curved surfaces these vertices lie as far outside as the
 * facets between them sag: a sphere's volume is four times better than with vertices on it. */
#include "mesh/contour_lattice.h"

#include <float.h>

#include "base/vec.h"
#include "mesh/contour.h"

/* Distance to the box, and in *axis and *sign the side that is nearest. */
static double box_distance(vlBox3 box, vlVec3 x, int *axis, double *sign)
{
  double d = -INFINITY;
  for (int a = 0; a < 3; a++) {
    double lo = box.lo.v[a] - x.v[a], hi = x.v[a] - box.hi.v[a], side = fmax(lo, hi);
    if (side <= d) continue;
    d = side;
    *axis = a;
    *sign = lo > hi ? -1.0 : 1.0;
  }
  return d;
}

double vl_clipped_distance(const vlClipped *c, vlVec3 x)
{
  int axis;
  double sign, outside = box_distance(c->box, x, &axis, &sign);
  return fmax(outside, c->region.distance(c->region.data, x));
}

static vlVec3 clipped_gradient(const vlClipped *c, vlVec3 x)
{
  int axis = 0;
  double sign = 1.0, outside = box_distance(c->box, x, &axis, &sign);
  if (outside < c->region.distance(c->region.data, x)) return c->region.gradient(c->region.data, x);
  vlVec3 g = vl_vec(0, 0, 0);
  g.v[axis] = sign;
  return g;
}

/* Smallest distance worth telling from zero at x. */
static double rounding(const vlClipped *c, vlVec3 x)
{
  return 1e-15 * c->h + 2.0 * DBL_EPSILON * fmax(fabs(x.x), fmax(fabs(x.y), fabs(x.z)));
}

vlCrossing vl_clipped_crossing(const vlClipped *c, const int node[3], int axis)
{
  vlVec3 x;
  for (int a = 0; a < 3; a++) x.v[a] = c->origin.v[a] + node[a] * c->h;
  double lo = x.v[axis], hi = c->origin.v[axis] + (node[axis] + 1) * c->h, width = hi - lo;
  double f_lo = vl_clipped_distance(c, x), f = f_lo, tolerance = rounding(c, x);
  x.v[axis] = hi;
  double f_hi = vl_clipped_distance(c, x);
  bool lo_inside = f_lo < 0.0;
  int last = 0;
  for (int i = 0; i < 120 && hi - lo > 1e-14 * c->h; i++) {
    double at = lo + (hi - lo) * (f_lo / (f_lo - f_hi));
    if (i % 3 == 2) {
      if (hi - lo > 0.5 * width) at = lo + 0.5 * (hi - lo);
      width = hi - lo;
    }
    if (!(at > lo && at < hi)) at = lo + 0.5 * (hi - lo);
    if (at == lo || at == hi) break;
    x.v[axis] = at;
    f = vl_clipped_distance(c, x);
    if (fabs(f) <= tolerance) break;
    /* The end that stays twice in a row counts half. */
    if ((f < 0.0) == lo_inside) {
      lo = at;
      f_lo = f;
      if (last == 1) f_hi *= 0.5;
      last = 1;
    } else {
      hi = at;
      f_hi = f;
      if (last == -1) f_lo *= 0.5;
      last = -1;
    }
  }
  return (vlCrossing){x, clipped_gradient(c, x), fabs(f) < 1e-3 * c->h};
}

static bool in_box(vlBox3 box, vlVec3 x)
{
  for (int a = 0; a < 3; a++)
    if (!(x.v[a] >= box.lo.v[a] && x.v[a] <= box.hi.v[a])) return false;
  return true;
}

/* Moves x along the line x + t direction to the nearest point in the box, if the line meets it. */
static bool slide_into(vlBox3 box, vlVec3 *x, vlVec3 direction)
{
  double from = -INFINITY, to = INFINITY;
  for (int a = 0; a < 3; a++) {
    if (direction.v[a] == 0.0) {
      if (x->v[a] < box.lo.v[a] || x->v[a] > box.hi.v[a]) return false;
      continue;
    }
    double t0 = (box.lo.v[a] - x->v[a]) / direction.v[a], t1 = (box.hi.v[a] - x->v[a]) / direction.v[a];
    from = fmax(from, fmin(t0, t1));
    to = fmin(to, fmax(t0, t1));
  }
  if (from > to) return false;
  *x = vl_axpy(*x, from > 0.0 ? from : fmin(to, 0.0), direction);
  return true;
}

vlVec3 vl_clipped_vertex(const vlClipped *c, const int node[3], const vlCrossing crossing[], int count)
{
  vlVec3 mean = vl_vec(0, 0, 0);
  bool smooth = true;
  for (int i = 0; i < count; i++) {
    mean = vl_axpy(mean, 1.0 / count, crossing[i].x);
    smooth &= crossing[i].smooth;
  }
  if (!smooth) return mean;

  vlQef qef = {0};
  for (int i = 0; i < count; i++) {
    vlVec3 n = crossing[i].normal;
    vl_qef_add(&qef, n, vl_dot(n, vl_sub(crossing[i].x, mean)));
  }
  vl_qef_factor(&qef);
  vlBox3 cube;
  for (int a = 0; a < 3; a++) {
    cube.lo.v[a] = c->origin.v[a] + node[a] * c->h;
    cube.hi.v[a] = cube.lo.v[a] + c->h;
  }
  double smallest = fabs(vl_clipped_distance(c, mean)), on_surface = 1e-9 * c->h;
  for (int rank = vl_qef_rank(&qef, 1e-10); rank > 0; rank--) {
    vlVec3 x = vl_add(mean, vl_qef_solve(&qef, rank));
    bool inside = in_box(cube, x) || (rank == 2 && slide_into(cube, &x, qef.vector[2]));
    if (!inside && !in_box(vl_box_grow(cube, c->h), x)) continue;
    double d = fabs(vl_clipped_distance(c, x));
    if (d <= on_surface || (inside && d <= 2.0 * smallest)) return x;
  }
  return mean;
}
