/* The fine level set carried by velocity.
 *
 *   phi(x, t + dt) = phi(x - dt v, t),   v = u(x - dt/2 u(x)) + s n,
 * s = push/weight at the closest point y of the old surface to x - dt u, n its normal [chen2020]. phi is a
 * cubic within CUBIC fine cells of the surface, trilinear farther out. What comes from where no distance is known has only a
 * side. */
#include <math.h>
#include <string.h>

#include "grid/sample.h"
#include "liquid/fine_parts.h"

enum { NONE = -2 };              /* no cell: that of a node before the first */
static const double CUBIC = 3.0; /* fine cells */

/* m/s: how much faster than u the surface is at the point that is closest to x (cells), where phi and its slope are these.
 */
static double push_at(const vlFine *f, const vlFineFlow *flow, const double x[3], double phi, const double n[3])
{
  double y[3];
  for (int a = 0; a < 3; a++) y[a] = vl_clamp(x[a] - phi / f->grid->dx * n[a], 0.0, f->grid->n[a]);
  vlStencil8 s = vl_sample_at(f->grid, VL_CELLS, y);
  double weight = vl_sample_value(&s, flow->weight);
  return weight == 0.0 ? 0.0 : vl_sample_value(&s, flow->push) / weight;
}

/* m: at q (fine cells), where phi is about `linear`. */
static double smooth(const vlFine *f, const double q[3], double linear)
{
  double h = f->nodes.dx, reach = fmin(CUBIC, 2.0 * f->refine - 2.0) * h; /* so that the cubic's nodes are known */
  if (fabs(linear) > reach) return linear;
  double cubic = vl_fine_cubic(f, f->phi, q, NULL);
  return fabs(cubic - linear) < h ? cubic : linear;
}

static bool is_in(const double x[3], const int cell[3])
{
  bool in = true;
  for (int a = 0; a < 3; a++) in &= x[a] >= cell[a] && x[a] <= cell[a] + 1;
  return in;
}

/* A near cell that x (cells) is in, or on a side of; `cell`: that of the node before, which is likely to be it. */
static bool near_cell_of(const vlFine *f, const double x[3], int cell[3])
{
  const double TOUCH = 1e-9;
  if (is_in(x, cell)) return true;
  for (int side = 0; side < 8; side++) {
    double y[3];
    for (int a = 0; a < 3; a++) y[a] = side >> a & 1 ? x[a] - TOUCH : x[a];
    vl_fine_cell_of(f, y, cell);
    if (vl_fine_is_near(f, cell[0], cell[1], cell[2])) return true;
  }
  return false;
}

/* phi beyond a side: as before it, linearly, and air where the side is a wall. */
static double come_in(const vlFine *f, const vlFineFlow *flow, double phi, const double slope[3], const double q[3],
                      const double in[3])
{
  double air = -INFINITY;
  for (int a = 0; a < 3; a++) {
    double way = q[a] - in[a];
    phi += slope[a] * way;
    if (fabs(way) > 1e-9 && !flow->liquid_beyond[2 * a + (way > 0.0)]) air = fmax(air, fabs(way) * f->nodes.dx);
  }
  return fmax(phi, air);
}

/* phi at the point x (cells) that the velocity comes from; beyond the box's sides it goes on linearly. */
static double carried(const vlFine *f, const vlFineFlow *flow, const double x[3], int cell[3])
{
  double q[3], in[3], slope[3], beyond = 0.0;
  if (!near_cell_of(f, x, cell)) {
    double side = vl_fine_side_of(f, cell);
    cell[0] = NONE;
    return side * vl_fine_far(f);
  }
  for (int a = 0; a < 3; a++) {
    q[a] = x[a] * f->refine;
    in[a] = vl_clamp(q[a], 0.0, f->nodes.n[a] - 1.0);
    beyond += fabs(q[a] - in[a]);
  }
  if (!flow->push && beyond == 0.0) return smooth(f, q, vl_fine_linear(f, f->phi, cell, q, NULL));
  double phi = vl_fine_linear(f, f->phi, cell, in, slope);
  phi = come_in(f, flow, phi, slope, q, in);
  if (flow->push) {
    double length = sqrt(slope[0] * slope[0] + slope[1] * slope[1] + slope[2] * slope[2]), n[3];
    for (int a = 0; a < 3; a++) n[a] = slope[a] / fmax(length, 1e-3 * f->nodes.dx);
    double way = flow->dt * push_at(f, flow, x, phi, n) / f->nodes.dx; /* fine cells */
    for (int a = 0; a < 3; a++) q[a] -= way * n[a];
    phi -= way * length;
  }
  return smooth(f, q, phi);
}

/* A component of the velocity at a block of nodes, the first of them at x (cells): faces are interpolated across the row
 * once. */
static void sample_row(const vlGrid *g, const double *u, int axis, const double x[3], double part, double v[VL_BLOCK])
{
  vlStencil8 s = vl_sample_at(g, axis, x);
  double at = axis == 0 ? x[0] : x[0] - 0.5, hi = fmax(axis == 0 ? g->n[0] - 1.0 : g->n[0] - 2.0, 0.0);
  double first = vl_clamp(floor(at), 0.0, hi), across[VL_BLOCK / 2 + 2];
  const double *c = u + s.at;
  ptrdiff_t y = s.step[1], z = s.step[2];
  for (int i = 0; i < (int)(VL_BLOCK * part) + 2; i++) {
    double near = c[i] + s.f[1] * (c[i + y] - c[i]), far = c[i + z] + s.f[1] * (c[i + y + z] - c[i + z]);
    across[i] = near + s.f[2] * (far - near);
  }
  for (int l = 0; l < VL_BLOCK; l++) {
    double q = at + l * part, base = vl_clamp(floor(q), first, hi);
    double f = g->n[0] == 1 ? 0.0 : vl_clamp(q - base, 0.0, 1.0);
    int i = (int)(base - first);
    v[l] = across[i] + f * (across[i + 1] - across[i]);
  }
}

static void look_back(const vlFine *f, vlBlockPosition p, unsigned bits, const void *data)
{
  const vlFineFlow *flow = data;
  const vlGrid *g = f->grid;
  double *phi = f->work->next + vl_blocks_field(&f->nodes, p), step = flow->dt / g->dx, part = 1.0 / f->refine;
  double u[3][VL_BLOCK] = {0}, x[3] = {p.bx * VL_BLOCK * part, p.j * part, p.k * part}, first = x[0];
  int cell[3] = {NONE, NONE, NONE};
  for (int a = 0; a < 3; a++)
    if (g->n[a] > 1) sample_row(g, flow->u[a], a, x, part, u[a]);
  for (int l = 0; l < VL_BLOCK; l++) {
    if (!(bits >> l & 1)) continue;
    double v[3], y[3];
    x[0] = first + l * part;
    for (int a = 0; a < 3; a++) y[a] = vl_clamp(x[a] - 0.5 * step * u[a][l], 0.0, g->n[a]);
    vl_sample_velocity(g, flow->u, y, v);
    for (int a = 0; a < 3; a++) y[a] = x[a] - step * v[a];
    phi[l] = carried(f, flow, y, cell);
  }
}

vlCode vl_fine_advect(vlFine *f, const vlFineFlow *flow, vlStatus *status)
{
  vlCode code = vl_fine_see_near(f, status);
  return code ? code : vl_fine_renew(f, look_back, flow, status);
}
