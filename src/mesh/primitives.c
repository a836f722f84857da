/* Signed distances of box, sphere, capsule, cylinder, cone, torus and half-space.
 *
 * Solids of revolution are evaluated in the half-plane (rho, y), rho = sqrt(x^2 + z^2): cylinder and cone are a convex
 * polygon there, whose distance is the smallest to its three outer segments and whose sign is that of the largest
 * half-plane distance. All distances are exact inside and out.
 *
 * Rounding: the shape is moved inwards by r (for polyhedra and profiles every face by r) and the distance lowered by r,
 * so that flat faces stay where they are and edges become arcs of radius r. It leaves sphere, capsule, torus and
 * half-space as they are. */
#include "mesh/sdf.h"

#include "base/status.h"
#include "base/vec.h"
#include "base/words.h"

static vlCode check_length(const vlShape *s, const char *key, double value, bool zero_allowed, vlStatus *status)
{
  if (isfinite(value) && (value > 0.0 || (zero_allowed && value == 0.0))) return VL_OK;
  return vl_fail(status, VL_ERROR_SCENE, "%s: %s is %g m, it must be %s", vl_word(vl_shape_words, s->kind), key, value,
                 zero_allowed ? "zero or more" : "more than zero");
}

static vlCode check_round(const vlShape *s, double largest, vlStatus *status)
{
  if (s->round >= 0.0 && s->round <= largest * (1.0 + 1e-12)) return VL_OK; /* the largest value itself may be rounded */
  return vl_fail(status, VL_ERROR_SCENE, "%s: round is %g m, for this shape it must be between 0 and %g m",
                 vl_word(vl_shape_words, s->kind), s->round, largest);
}

static vlCode create_box(vlPrimitive *p, const vlShape *s, vlStatus *status)
{
  static const char *const keys[3] = {"size along x", "size along y", "size along z"};
  vlCode code = VL_OK;
  for (int a = 0; a < 3 && !code; a++) code = check_length(s, keys[a], s->size.v[a], false, status);
  if (!code) code = check_round(s, 0.5 * fmin(s->size.x, fmin(s->size.y, s->size.z)), status);
  for (int a = 0; a < 3; a++) p->half.v[a] = fmax(0.5 * s->size.v[a] - s->round, 0.0);
  return code;
}

/* The profile of a cylinder or cone with every side moved inwards by round. */
static vlCode create_frustum(vlPrimitive *p, const vlShape *s, vlStatus *status)
{
  double top = s->kind == VL_SHAPE_CONE ? s->radius_top : s->radius, h = s->height, r = s->round;
  vlCode code = check_length(s, "height", h, false, status);
  if (!code) code = check_length(s, "radius", s->radius, s->kind == VL_SHAPE_CONE && top > 0.0, status);
  if (!code) code = check_length(s, "radius_top", top, s->kind == VL_SHAPE_CONE, status);
  if (code) return code;

  /* The largest ball that fits touches the wider end and the side, or both ends. */
  double slant = hypot(h, s->radius - top), wide = fmax(s->radius, top), narrow = fmin(s->radius, top);
  double largest = fmin(0.5 * h, wide * h / (slant + wide - narrow));
  if ((code = check_round(s, largest, status))) return code;

  double slope = (top - s->radius) / h, shift = r * slant / h;
  p->y[0] = -0.5 * h + r;
  p->y[1] = 0.5 * h - r;
  for (int i = 0; i < 2; i++) p->r[i] = s->radius + slope * (p->y[i] + 0.5 * h) - shift;
  /* A side that reaches the axis before the end makes a tip there. */
  for (int i = 0; i < 2; i++) {
    double other = fmax(p->r[1 - i], 0.0), end = p->y[1 - i];
    if (p->r[i] < 0.0 && p->r[i] < p->r[1 - i]) p->y[i] = end + (p->y[i] - end) * other / (other - p->r[i]);
    p->r[i] = fmax(p->r[i], 0.0);
  }
  return VL_OK;
}

static vlCode create_torus(vlPrimitive *p, const vlShape *s, vlStatus *status)
{
  vlCode code = check_length(s, "radius", s->radius, false, status);
  if (!code) code = check_length(s, "tube_radius", s->tube_radius, false, status);
  if (!code && s->tube_radius > s->radius)
    code = vl_fail(status, VL_ERROR_SCENE, "torus: tube_radius is %g m, it must not be more than the radius %g m",
                   s->tube_radius, s->radius);
  if (!code) code = check_round(s, s->tube_radius, status);
  p->tube_radius = s->tube_radius;
  return code;
}

vlCode vl_primitive_create(vlPrimitive *primitive, const vlShape *s, vlStatus *status)
{
  vlPrimitive p = {.kind = s->kind, .radius = s->radius, .half_height = 0.5 * s->height};
  vlCode code = VL_OK;
  switch (s->kind) {
  case VL_SHAPE_BOX:
    code = create_box(&p, s, status);
    p.round = s->round;
    break;
  case VL_SHAPE_SPHERE:
    code = check_length(s, "radius", s->radius, false, status);
    if (!code) code = check_round(s, s->radius, status);
    break;
  case VL_SHAPE_CAPSULE:
    code = check_length(s, "radius", s->radius, false, status);
    if (!code) code = check_length(s, "height", s->height, true, status);
    if (!code) code = check_round(s, s->radius, status);
    break;
  case VL_SHAPE_CYLINDER:
  case VL_SHAPE_CONE:
    code = create_frustum(&p, s, status);
    p.round = s->round;
    break;
  case VL_SHAPE_TORUS:
    code = create_torus(&p, s, status);
    break;
  case VL_SHAPE_HALFSPACE:
    p.normal = vl_unit(s->normal);
    if (!vl_finite(s->normal) || !(vl_norm(s->normal) > 0.0))
      code = vl_fail(status, VL_ERROR_SCENE, "halfspace: normal is (%g, %g, %g), it must not be zero", s->normal.x,
                     s->normal.y, s->normal.z);
    if (!code) code = check_round(s, INFINITY, status);
    break;
  default:
    code = vl_fail(status, VL_ERROR_INTERNAL, "shape %s is no primitive", vl_word(vl_shape_words, s->kind));
  }
  *primitive = p;
  return code;
}

static double box_distance(vlVec3 half, vlVec3 x, vlVec3 *gradient)
{
  vlVec3 q = vl_vec(fabs(x.x) - half.x, fabs(x.y) - half.y, fabs(x.z) - half.z), out = vl_max(q, vl_vec(0, 0, 0));
  int a = q.x >= q.y ? (q.x >= q.z ? 0 : 2) : (q.y >= q.z ? 1 : 2);
  if (q.v[a] <= 0.0) {
    if (gradient) {
      *gradient = vl_vec(0, 0, 0);
      gradient->v[a] = copysign(1.0, x.v[a]);
    }
    return q.v[a];
  }
  if (gradient) {
    /* Scaled first: the squares of tiny distances would vanish. */
    vlVec3 g = vl_unit(vl_scale(out, 1.0 / q.v[a]));
    *gradient = vl_vec(copysign(g.x, x.x), copysign(g.y, x.y), copysign(g.z, x.z));
  }
  return vl_norm(out);
}

/* Distance to a point at the origin of the plane (or space), with a unit gradient everywhere. */
static double point_distance(vlVec3 x, vlVec3 *gradient)
{
  double d = vl_norm(x);
  if (gradient) *gradient = d > 0.0 ? vl_scale(x, 1.0 / d) : vl_vec(0, 1, 0);
  return d;
}

typedef struct {
  double u, v;
} Flat; /* (rho, y) */

/* Signed distance to the convex profile (0,y0) (r0,y0) (r1,y1) (0,y1). */
static double profile_distance(const double y[2], const double r[2], Flat x, Flat *gradient)
{
  Flat corner[4] = {{0.0, y[0]}, {r[0], y[0]}, {r[1], y[1]}, {0.0, y[1]}};
  double best = INFINITY, largest = -INFINITY;
  Flat g = {0.0, 1.0};
  for (int i = 0; i < 3; i++) {
    Flat a = corner[i], e = {corner[i + 1].u - a.u, corner[i + 1].v - a.v}, w = {x.u - a.u, x.v - a.v};
    double length = hypot(e.u, e.v);
    /* Outward normal: the boundary runs counter-clockwise in (rho, y). */
    Flat n = i == 0         ? (Flat){0, -1}
             : i == 2       ? (Flat){0, 1}
             : length > 0.0 ? (Flat){e.v / length, -e.u / length}
                            : (Flat){1, 0};
    double plane = n.u * w.u + n.v * w.v, along = length > 0.0 ? (e.u * w.u + e.v * w.v) / length : 0.0;
    largest = fmax(largest, plane);
    double beyond = along < 0.0 ? along : along > length ? along - length : 0.0;
    double d = length > 0.0 ? hypot(plane, beyond) : hypot(w.u, w.v);
    if (d >= best) continue;
    best = d;
    /* Past an end of the segment the gradient points away from the corner, else along the normal. */
    bool corner_nearest = (beyond != 0.0 || length == 0.0) && d > 0.0;
    if (corner_nearest && along > 0.0) w = (Flat){x.u - corner[i + 1].u, x.v - corner[i + 1].v};
    g = corner_nearest ? (Flat){w.u / d, w.v / d} : n;
  }
  if (gradient) *gradient = g;
  return largest < 0.0 ? -best : best;
}

static double frustum_distance(const vlPrimitive *p, vlVec3 x, vlVec3 *gradient)
{
  double rho = hypot(x.x, x.z);
  Flat g, flat = {rho, x.y};
  double d = profile_distance(p->y, p->r, flat, gradient ? &g : NULL);
  if (gradient) {
    double c = rho > 0.0 ? x.x / rho : 1.0, s = rho > 0.0 ? x.z / rho : 0.0;
    *gradient = vl_vec(g.u * c, g.v, g.u * s);
  }
  return d;
}

static double torus_distance(const vlPrimitive *p, vlVec3 x, vlVec3 *gradient)
{
  double rho = hypot(x.x, x.z), c = rho > 0.0 ? x.x / rho : 1.0, s = rho > 0.0 ? x.z / rho : 0.0;
  vlVec3 ring = vl_vec(p->radius * c, 0.0, p->radius * s);
  return point_distance(vl_sub(x, ring), gradient) - p->tube_radius;
}

double vl_primitive_distance(const vlPrimitive *p, vlVec3 x, vlVec3 *gradient)
{
  switch (p->kind) {
  case VL_SHAPE_BOX:
    return box_distance(p->half, x, gradient) - p->round;
  case VL_SHAPE_SPHERE:
    return point_distance(x, gradient) - p->radius;
  case VL_SHAPE_CAPSULE: {
    double y = fmin(fmax(x.y, -p->half_height), p->half_height);
    return point_distance(vl_vec(x.x, x.y - y, x.z), gradient) - p->radius;
  }
  case VL_SHAPE_CYLINDER:
  case VL_SHAPE_CONE:
    return frustum_distance(p, x, gradient) - p->round;
  case VL_SHAPE_TORUS:
    return torus_distance(p, x, gradient);
  default:
    if (gradient) *gradient = p->normal;
    return vl_dot(p->normal, x);
  }
}

/* A disc about `c` across the unit vector `axis`. */
static vlBox3 disc_bounds(vlVec3 c, vlVec3 axis, double radius)
{
  vlVec3 e;
  for (int a = 0; a < 3; a++) e.v[a] = radius * sqrt(fmax(0.0, 1.0 - axis.v[a] * axis.v[a]));
  return (vlBox3){vl_sub(c, e), vl_add(c, e)};
}

/* Only a plane across a coordinate axis bounds anything. */
static vlBox3 halfspace_bounds(vlVec3 normal, vlVec3 c)
{
  vlBox3 b = vl_box_everything();
  for (int a = 0; a < 3; a++) {
    if (normal.v[(a + 1) % 3] != 0.0 || normal.v[(a + 2) % 3] != 0.0) continue;
    if (normal.v[a] > 0.0)
      b.hi.v[a] = c.v[a];
    else
      b.lo.v[a] = c.v[a];
  }
  return b;
}

vlBox3 vl_primitive_bounds(const vlPrimitive *p, vlMat3 rotation, vlVec3 c)
{
  vlVec3 axis = vl_vec(rotation.m[0][1], rotation.m[1][1], rotation.m[2][1]), e = vl_vec(0, 0, 0);
  switch (p->kind) {
  case VL_SHAPE_BOX:
    for (int a = 0; a < 3; a++)
      for (int b = 0; b < 3; b++) e.v[a] += fabs(rotation.m[a][b]) * p->half.v[b];
    return vl_box_grow((vlBox3){vl_sub(c, e), vl_add(c, e)}, p->round);
  case VL_SHAPE_SPHERE:
    return vl_box_grow((vlBox3){c, c}, p->radius);
  case VL_SHAPE_CAPSULE: {
    vlVec3 up = vl_scale(axis, p->half_height);
    vlBox3 ends = vl_box_add((vlBox3){vl_add(c, up), vl_add(c, up)}, vl_sub(c, up));
    return vl_box_grow(ends, p->radius);
  }
  case VL_SHAPE_CYLINDER:
  case VL_SHAPE_CONE: {
    vlBox3 lower = disc_bounds(vl_axpy(c, p->y[0], axis), axis, p->r[0]);
    vlBox3 upper = disc_bounds(vl_axpy(c, p->y[1], axis), axis, p->r[1]);
    return vl_box_grow(vl_box_unite(lower, upper), p->round);
  }
  case VL_SHAPE_TORUS:
    return vl_box_grow(disc_bounds(c, axis, p->radius), p->tube_radius);
  default:
    return halfspace_bounds(vl_mat_apply(rotation, p->normal), c);
  }
}
