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
static inline double push_at(const vlFine *f, const vlFineFlow *flow, const double x[3], double phi, const double n[3])
{
  double y[3], away = phi / f->grid->dx;
  for (int a = 0; a < 3; a++) y[a] = vl_clamp(x[a] - away * n[a], 0.0, f->grid->n[a]);
  vlStencil8 s = vl_sample_at(f->grid, VL_CELLS, y);
  double weight = vl_sample_value(&s, flow->weight);
  return weight == 0.0 ? 0.0 : vl_sample_value(&s, flow->push) / weight;
}

/* Are all nodes of the cubic at q in near cells? */
static bool cubic_is_known(const vlFine *f, const double q[3])
{
  int cell[3][2] = {{0}};
  for (int a = 0; a < (vl_fine_slab(f) ? 2 : 3); a++) {
    int last = f->nodes.n[a] - 4, first = (int)vl_clamp(floor(q[a]) - 1.0, 0.0, last < 0 ? 0.0 : last);
    cell[a][0] = first / f->refine;
    cell[a][1] = last < 0 ? cell[a][0] : (first + 2) / f->refine;
  }
  for (int corner = 0; corner < 8; corner++)
    if (!vl_fine_is_near(f, cell[0][corner & 1], cell[1][corner >> 1 & 1], cell[2][corner >> 2])) return false;
  return true;
}

/* m: at q (fine cells), where phi is about `linear`. */
static inline double smooth(const vlFine *f, const double q[3], double linear)
{
  double h = f->nodes.dx, sure = (VL_FINE_BAND * f->refine - 2.0) * h; /* up to there the cubic's nodes are known */
  if (fabs(linear) > CUBIC * h || (fabs(linear) > sure && !cubic_is_known(f, q))) return linear;
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

/* phi at x (cells), q (fine cells), where it is about `phi` with this slope, after the push. */
static inline double pushed(const vlFine *f, const vlFineFlow *flow, const double x[3], double q[3], double phi,
                            const double slope[3])
{
  if (!flow->push) return smooth(f, q, phi);
  double h = f->nodes.dx, least = 1e-3 * h, n[3];
  double length = sqrt(slope[0] * slope[0] + slope[1] * slope[1] + slope[2] * slope[2]);
  double by = 1.0 / (length > least ? length : least);
  for (int a = 0; a < 3; a++) n[a] = slope[a] * by;
  double way = flow->dt * push_at(f, flow, x, phi, n) / h; /* fine cells */
  for (int a = 0; a < 3; a++) q[a] -= way * n[a];
  return smooth(f, q, phi - way * length);
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
  double phi = vl_fine_linear(f, f->phi, cell, in, slope);
  if (beyond > 0.0) phi = come_in(f, flow, phi, slope, q, in);
  return pushed(f, flow, x, q, phi, slope);
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

/* Where a row of points lies among faces along an axis: at them (on) and between them (off), as vl_sample_at has it. */
typedef struct Among {
  int on[VL_BLOCK], off[VL_BLOCK];
  double on_f[VL_BLOCK], off_f[VL_BLOCK];
} Among;

static void among_faces(int n, const double x[VL_BLOCK], Among *m)
{
  double last = n - 1.0, before = n > 1 ? n - 2.0 : 0.0;
  for (int l = 0; l < VL_BLOCK; l++) {
    double q = x[l] - 0.5, on = vl_clamp(floor(x[l]), 0.0, last), off = vl_clamp(floor(q), 0.0, before);
    m->on[l] = (int)on;
    m->off[l] = (int)off;
    m->on_f[l] = n > 1 ? vl_clamp(x[l] - on, 0.0, 1.0) : 0.0;
    m->off_f[l] = n > 1 ? vl_clamp(q - off, 0.0, 1.0) : 0.0;
  }
}

/* The velocities at a row of points, x[axis][l]. */
static void sample_points(const vlGrid *g, double *const u[3], double x[3][VL_BLOCK], double v[3][VL_BLOCK])
{
  Among m[3];
  for (int a = 0; a < 3; a++) among_faces(g->n[a], x[a], &m[a]);
  ptrdiff_t step[3];
  for (int a = 0; a < 3; a++) step[a] = g->n[a] > 1 ? g->stride[a] : 0;
  for (int axis = 0; axis < 3; axis++) {
    if (g->n[axis] == 1) continue;
    for (int l = 0; l < VL_BLOCK; l++) {
      vlStencil8 s = {.at = g->offset, .step = {step[0], step[1], step[2]}};
      for (int a = 0; a < 3; a++) {
        s.f[a] = a == axis ? m[a].on_f[l] : m[a].off_f[l];
        s.at += (a == axis ? m[a].on[l] : m[a].off[l]) * step[a];
      }
      v[axis][l] = vl_sample_value(&s, u[axis]);
    }
  }
}

/* phi and its slope per fine cell between eight nodes. */
static inline double linear_with_slope(const vlStencil8 *s, const double *phi, double slope[3])
{
  const double *c = phi + s->at;
  ptrdiff_t y = s->step[1], z = s->step[2];
  vlPair a = vl_pair_at(c), b = vl_pair_at(c + y), d = vl_pair_at(c + z), e = vl_pair_at(c + z + y);
  vlPair near_y = b - a, far_y = e - d, near = a + s->f[1] * near_y, far = d + s->f[1] * far_y;
  vlPair across = near_y + s->f[2] * (far_y - near_y), up = far - near, both = near + s->f[2] * up;
  slope[0] = both[1] - both[0];
  slope[1] = across[0] + s->f[0] * (across[1] - across[0]);
  slope[2] = up[0] + s->f[0] * (up[1] - up[0]);
  return both[0] + s->f[0] * slope[0];
}

/* As `carried`, where x is within the box and its cell is near. */
static inline double carried_inside(const vlFine *f, const vlFineFlow *flow, const double x[3], const int cell[3])
{
  vlStencil8 s = {.at = f->nodes.offset};
  double q[3], slope[3];
  for (int a = 0; a < 3; a++) {
    int last = f->refine * (cell[a] + 1) - 1;
    q[a] = x[a] * f->refine;
    if (a == 2 && vl_fine_slab(f)) continue;
    int base = (int)q[a] < last ? (int)q[a] : last;
    s.f[a] = q[a] - base;
    s.step[a] = f->nodes.stride[a];
    s.at += base * f->nodes.stride[a];
  }
  double phi = linear_with_slope(&s, f->phi, slope);
  return pushed(f, flow, x, q, phi, slope);
}

/* The points that the velocity of a row of nodes comes from, cells. */
static void trace_back(const vlFine *f, const vlFineFlow *flow, vlBlockPosition p, double y[3][VL_BLOCK])
{
  const vlGrid *g = f->grid;
  double step = flow->dt / g->dx, part = 1.0 / f->refine, u[3][VL_BLOCK] = {0};
  double first[3] = {p.bx * VL_BLOCK * part, p.j * part, p.k * part};
  for (int a = 0; a < 3; a++)
    if (g->n[a] > 1) sample_row(g, flow->u[a], a, first, part, u[a]);
  for (int a = 0; a < 3; a++)
    for (int l = 0; l < VL_BLOCK; l++)
      y[a][l] = vl_clamp(first[a] + (a == 0 ? l * part : 0.0) - 0.5 * step * u[a][l], 0.0, g->n[a]);
  sample_points(g, flow->u, y, u);
  for (int a = 0; a < 3; a++)
    for (int l = 0; l < VL_BLOCK; l++) y[a][l] = first[a] + (a == 0 ? l * part : 0.0) - step * u[a][l];
}

static void look_back(const vlFine *f, vlBlockPosition p, unsigned bits, const void *data)
{
  const vlFineFlow *flow = data;
  const int *n = f->grid->n;
  double *phi = f->work->next + vl_blocks_field(&f->nodes, p), y[3][VL_BLOCK];
  int cell[3] = {NONE, NONE, NONE}, slow[3] = {NONE, NONE, NONE}; /* near: those of nodes before */
  trace_back(f, flow, p, y);
  for (; bits; bits &= bits - 1u) {
    int l = __builtin_ctz(bits);
    double x[3] = {y[0][l], y[1][l], y[2][l]};
    bool in = x[0] >= 0.0 && x[1] >= 0.0 && x[2] >= 0.0 && x[0] < n[0] && x[1] < n[1] && x[2] < n[2];
    int c[3] = {(int)x[0], (int)x[1], (int)x[2]};
    if (in && (c[0] != cell[0] || c[1] != cell[1] || c[2] != cell[2])) {
      in = vl_fine_is_near(f, c[0], c[1], c[2]);
      if (in) memcpy(cell, c, sizeof cell);
    }
    phi[l] = in ? carried_inside(f, flow, x, c) : carried(f, flow, x, slow);
  }
}

vlCode vl_fine_advect(vlFine *f, const vlFineFlow *flow, vlStatus *status)
{
  vlCode code = vl_fine_see_near(f, status);
  return code ? code : vl_fine_renew(f, look_back, flow, status);
}
