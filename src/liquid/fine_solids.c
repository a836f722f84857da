/* The surface at walls: of solids, and the sides of the domain.
 *
 * Nodes in a solid, or on its surface, take what phi is before the wall, continued linearly,
 *
 *     phi(x) = p1 + (p1 - p2) (h - d)/h      p1, p2 = phi at x + (h - d) n, h farther      d <= 0: distance to solids, n:
 * out of them
 *
 * so that planes stay planes and what velocities make of phi inside of solids does no harm. Liquid whose surface lies on a
 * wall, within ON of it and along it, has no surface there: someone has drawn its side just where the wall is. Then phi(x) =
 * p1. */
#include <math.h>

#include "liquid/fine_parts.h"

static const double ON = 0.05, CLEAR = 0.5; /* fine cells: nearer is on the wall; in a narrower gap there is no such place */
static const double ALONG = 0.85;           /* slope of phi towards a wall, from which on the surface is along it */

typedef struct Solids {
  vlDistance *distance;
  const void *data;
  const double *open;
} Solids;

/* Is one of the cells that meet in a node not wholly open? */
static bool beside_solid(const vlFine *f, const double *open, const int q[3])
{
  int lo[3], hi[3], c[3];
  for (int a = 0; a < 3; a++) {
    hi[a] = q[a] / f->refine;
    lo[a] = q[a] % f->refine ? hi[a] : hi[a] - 1;
    if (lo[a] < 0) lo[a] = 0;
    if (hi[a] >= f->grid->n[a]) hi[a] = f->grid->n[a] - 1;
  }
  for (c[2] = lo[2]; c[2] <= hi[2]; c[2]++)
    for (c[1] = lo[1]; c[1] <= hi[1]; c[1]++)
      for (c[0] = lo[0]; c[0] <= hi[0]; c[0]++)
        if (open[vl_grid_at(f->grid, c[0], c[1], c[2])] < 1.0) return true;
  return false;
}

static vlVec3 out_of(const Solids *s, vlVec3 x, double h, bool slab)
{
  vlVec3 n = vl_vec(0, 0, 0);
  for (int a = 0; a < (slab ? 2 : 3); a++) {
    vlVec3 lower = x, upper = x;
    lower.v[a] -= 0.25 * h;
    upper.v[a] += 0.25 * h;
    n.v[a] = s->distance(s->data, upper) - s->distance(s->data, lower);
  }
  return vl_norm(n) > 0.0 ? vl_unit(n) : n;
}

/* m: phi at x, m; false: it is not known there. */
static bool phi_at(const vlFine *f, vlVec3 x, double *phi)
{
  double place[3];
  int cell[3];
  for (int a = 0; a < 3; a++) {
    place[a] = (x.v[a] - f->grid->origin.v[a]) / f->grid->dx;
    if (!(place[a] >= 0.0 && place[a] <= f->grid->n[a])) return false;
  }
  vl_fine_cell_of(f, place, cell);
  if (!vl_fine_is_near(f, cell[0], cell[1], cell[2])) return false;
  *phi = vl_fine_at(f, place, NULL);
  return true;
}

/* A node on a side of the domain. */
static double at_sides(const vlFine *f, const int q[3], ptrdiff_t at, double phi)
{
  double h = f->nodes.dx;
  for (int a = 0; a < (vl_fine_slab(f) ? 2 : 3); a++) {
    ptrdiff_t in = q[a] == 0 ? f->nodes.stride[a] : q[a] == f->nodes.n[a] - 1 ? -f->nodes.stride[a] : 0;
    if (in == 0 || !(fabs(phi) < ON * h)) continue;
    double before = f->phi[at + in];
    if (fabs(before) < 0.5 * vl_fine_far(f) && before < -ALONG * h) return before;
  }
  return phi;
}

/* A node in a solid, or on one. */
static double in_solid(const vlFine *f, const Solids *s, const int q[3], double phi)
{
  double h = f->nodes.dx, p1, p2;
  vlVec3 x = vl_axpy(f->grid->origin, h, vl_vec(q[0], q[1], q[2]));
  if (vl_fine_slab(f)) x.z = f->grid->origin.z + 0.5 * f->grid->dx;
  double d = s->distance(s->data, x);
  if (d > ON * h || d < -VL_FINE_BAND * f->grid->dx) return phi;
  vlVec3 n = out_of(s, x, h, vl_fine_slab(f)), y = vl_axpy(x, h - d, n), z = vl_axpy(y, h, n);
  if (s->distance(s->data, y) < CLEAR * h || !phi_at(f, y, &p1)) return phi;
  if (s->distance(s->data, z) < CLEAR * h || !phi_at(f, z, &p2)) p2 = p1;
  double slope = (p1 - p2) / h, wall = p1 + slope * h; /* phi on the wall */
  if (p1 < -ALONG * h && fabs(wall) < ON * h) return p1;
  return d < -ON * h ? wall - slope * d : phi;
}

static void look_at_walls(const vlFine *f, vlBlockPosition at, unsigned bits, const void *data)
{
  const Solids *s = data;
  ptrdiff_t to = vl_blocks_field(&f->nodes, at);
  for (int l = 0; l < VL_BLOCK; l++) {
    if (!(bits >> l & 1)) continue;
    int q[3] = {at.bx * VL_BLOCK + l, at.j, at.k};
    double phi = vl_fine_phi_or_side(f, q, to + l);
    if (fabs(phi) < 0.5 * vl_fine_far(f)) phi = at_sides(f, q, to + l, phi);
    if (s->distance && beside_solid(f, s->open, q)) phi = in_solid(f, s, q, phi);
    f->work->next[to + l] = phi;
  }
}

vlCode vl_fine_at_walls(vlFine *f, vlDistance *distance, const void *data, const double *open, vlStatus *status)
{
  const Solids solids = {distance, data, open};
  vlCode code = vl_fine_see_near(f, status);
  return code ? code : vl_fine_renew(f, look_at_walls, &solids, status);
}
