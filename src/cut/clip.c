/* Triangle against grid (docs/theory/geometry.md).
 *
 * The triangle is cut along x into slabs, each slab along y into rods, each rod along z into pieces, by splitting a convex
 * polygon at one plane after the other. A vertex on a plane counts as above it, so every point of the surface lies in
 * exactly one cell and pieces of neighbouring triangles fit together: no vertex needs to be moved. The area vectors of the
 * pieces add up to the triangle's. */
#include "cut/cuts.h"

enum { MAX_CORNERS = 12 };

typedef struct Polygon {
  vlVec3 x[MAX_CORNERS];
  int count;
} Polygon;

typedef struct Target {
  const int *n;
  vlVec3 normal; /* of the triangle, not unit */
  int cell[3];
  vlClipEmit *emit;
  void *user;
} Target;

double vl_clip_snap(double coordinate, double within)
{
  double plane = nearbyint(coordinate);
  return fabs(coordinate - plane) < within ? plane : coordinate;
}

/* Where the edge meets the plane; computed from its lower end, so that both triangles at the edge find the same point. */
static vlVec3 crossing(vlVec3 below, vlVec3 above, int axis, double plane)
{
  double t = (plane - below.v[axis]) / (above.v[axis] - below.v[axis]);
  vlVec3 x = vl_axpy(below, t, vl_sub(above, below));
  x.v[axis] = plane;
  return x;
}

/* Splits a convex polygon into the parts below and above (or on) the plane. */
static void split(const Polygon *whole, int axis, double plane, Polygon *below, Polygon *above)
{
  below->count = above->count = 0;
  for (int i = 0; i < whole->count; i++) {
    vlVec3 a = whole->x[i], b = whole->x[(i + 1) % whole->count];
    bool a_below = a.v[axis] < plane, b_below = b.v[axis] < plane;
    if (a_below)
      below->x[below->count++] = a;
    else
      above->x[above->count++] = a;
    if (a_below == b_below) continue;
    vlVec3 x = a_below ? crossing(a, b, axis, plane) : crossing(b, a, axis, plane);
    below->x[below->count++] = x;
    above->x[above->count++] = x;
  }
}

static void emit_piece(const Polygon *polygon, const Target *target)
{
  vlVec3 area = vl_vec(0, 0, 0), moment = vl_vec(0, 0, 0);
  double total = 0.0;
  for (int i = 1; i + 1 < polygon->count; i++) {
    vlVec3 part = vl_scale(vl_cross(vl_sub(polygon->x[i], polygon->x[0]), vl_sub(polygon->x[i + 1], polygon->x[0])), 0.5);
    double weight = vl_norm(part);
    area = vl_add(area, part);
    moment = vl_axpy(moment, weight / 3.0, vl_add(polygon->x[0], vl_add(polygon->x[i], polygon->x[i + 1])));
    total += weight;
  }
  if (total <= 0.0) return;
  vlClipPiece piece = {.cell = {target->cell[0], target->cell[1], target->cell[2]},
                       .area = area,
                       .center = vl_scale(moment, 1.0 / total),
                       .corner = polygon->x,
                       .corners = polygon->count};
  target->emit(target->user, &piece);
}

static bool beyond(int cell, int n) { return cell < 0 || cell >= n; }

static int clamp_cell(double coordinate, int n)
{
  double cell = floor(coordinate);
  return cell >= n ? n : cell >= 0.0 ? (int)cell : -1; /* what is no number is beyond, too */
}

/* Cuts along `axis`, then hands every part to the next axis. */
static void cut_axis(const Polygon *polygon, int axis, Target *target)
{
  if (axis == 3) {
    emit_piece(polygon, target);
    return;
  }
  double lo = polygon->x[0].v[axis], hi = lo;
  for (int i = 1; i < polygon->count; i++) {
    lo = fmin(lo, polygon->x[i].v[axis]);
    hi = fmax(hi, polygon->x[i].v[axis]);
  }
  int n = target->n[axis], first = clamp_cell(lo, n), last = clamp_cell(hi, n);
  /* in a grid plane: to the side the normal points to */
  if (lo == hi && lo == floor(lo)) {
    if (target->normal.v[axis] < 0.0) first = clamp_cell(lo - 1.0, n);
    last = first;
  } else if (hi == floor(hi)) {
    last = clamp_cell(hi - 1.0, n); /* above its highest plane it has an edge at most */
  }
  Polygon rest = *polygon, below, above;
  for (int cell = first; cell <= last && rest.count >= 3; cell++) {
    if (cell < last) {
      split(&rest, axis, cell + 1.0, &below, &above);
      rest = above;
    } else {
      below = rest;
    }
    target->cell[axis] = cell;
    int outside = 0;
    for (int a = 0; a <= axis; a++) outside += beyond(target->cell[a], target->n[a]);
    if (below.count >= 3 && outside < 2) cut_axis(&below, axis + 1, target);
  }
}

void vl_clip_triangle(const vlVec3 x[3], const int n[3], vlClipEmit *emit, void *user)
{
  Polygon triangle = {.x = {x[0], x[1], x[2]}, .count = 3};
  Target target = {.n = n, .normal = vl_cross(vl_sub(x[1], x[0]), vl_sub(x[2], x[0])), .emit = emit, .user = user};
  cut_axis(&triangle, 0, &target);
}
