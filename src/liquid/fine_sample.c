/* The fine level set between its nodes, trilinear or by cubes; at cells' centres; the volume below it.
 *
 * A cubic takes four nodes along each axis, i-1 to i+2 around q = i + f [Lagrange]:
 *   w = {-f (f-1)(f-2)/6, (f+1)(f-1)(f-2)/2, -(f+1) f (f-2)/2, (f+1) f (f-1)/6},
 * at the box's sides the outermost four that there are: no values beyond. Past the sides phi goes on linearly. The volume is
 * that of the six tetrahedra of a fine cell around its diagonal, phi linear in each. */
#include <string.h>

#include "grid/sample.h"
#include "liquid/fine_parts.h"

typedef double Four __attribute__((vector_size(32)));

static Four four_at(const double *from)
{
  Four v;
  memcpy(&v, from, sizeof v);
  return v;
}

/* Weights along an axis, and those of the slope. */
typedef struct Along {
  int start;
  double w[4], d[4];
} Along;

static inline Along along(int n, double q)
{
  if (n < 4) { /* too few nodes for a cubic */
    int i = (int)vl_clamp(floor(q), 0.0, n - 2.0);
    double f = q - i;
    return (Along){i, {1.0 - f, f}, {-1.0, 1.0}};
  }
  int i = (int)vl_clamp(floor(q), 1.0, n - 3.0);
  double f = q - i, a = f + 1.0, b = f - 1.0, c = f - 2.0;
  return (Along){i - 1,
                 {-f * b * c / 6.0, 0.5 * a * b * c, -0.5 * a * f * c, a * f * b / 6.0},
                 {-(3.0 * f * f - 6.0 * f + 2.0) / 6.0, 0.5 * (3.0 * f * f - 4.0 * f - 1.0),
                  -0.5 * (3.0 * f * f - 2.0 * f - 2.0), (3.0 * f * f - 1.0) / 6.0}};
}

static inline double sum(Four v) { return v[0] + v[1] + v[2] + v[3]; }

__attribute__((always_inline)) static inline double cubic(const vlFine *f, const double *phi, const double q[3],
                                                          double *slope)
{
  const vlGrid *g = &f->nodes;
  bool slab = vl_fine_slab(f);
  Along x = along(g->n[0], q[0]), y = along(g->n[1], q[1]);
  Along z = slab ? (Along){.w = {1.0}} : along(g->n[2], q[2]);
  const double *from = phi + vl_grid_at(g, x.start, y.start, z.start);
  Four v = {0}, vy = {0}, vz = {0};
  for (int k = 0; k < (slab ? 1 : 4); k++) {
    const double *row = from + k * g->stride[2];
    Four r[4];
    for (int j = 0; j < 4; j++) r[j] = four_at(row + j * g->stride[1]);
    Four plane = y.w[0] * r[0] + y.w[1] * r[1] + (y.w[2] * r[2] + y.w[3] * r[3]);
    v += z.w[k] * plane;
    if (!slope) continue;
    vy += z.w[k] * (y.d[0] * r[0] + y.d[1] * r[1] + (y.d[2] * r[2] + y.d[3] * r[3]));
    vz += z.d[k] * plane;
  }
  Four w = four_at(x.w);
  if (slope) {
    slope[0] = sum(four_at(x.d) * v);
    slope[1] = sum(w * vy);
    slope[2] = sum(w * vz);
  }
  return sum(w * v);
}

double vl_fine_cubic(const vlFine *f, const double *phi, const double q[3], double slope[3])
{
  double in[3], local[3], beyond = 0.0;
  for (int a = 0; a < 3; a++) {
    in[a] = vl_clamp(q[a], 0.0, f->nodes.n[a] - 1.0);
    beyond += fabs(q[a] - in[a]);
  }
  if (vl_fine_slab(f)) beyond -= fabs(q[2] - in[2]);
  if (beyond > 0.0) {
    double value = cubic(f, phi, in, local);
    for (int a = 0; a < 3; a++) value += local[a] * (q[a] - in[a]);
    if (slope) memcpy(slope, local, sizeof local);
    return value;
  }
  return slope ? cubic(f, phi, in, slope) : cubic(f, phi, in, NULL);
}

double vl_fine_linear(const vlFine *f, const double *phi, const int cell[3], const double q[3], double slope[3])
{
  vlStencil8 s = {.at = f->nodes.offset};
  for (int a = 0; a < (vl_fine_slab(f) ? 2 : 3); a++) {
    double first = f->refine * cell[a], base = vl_clamp(floor(q[a]), first, first + f->refine - 1.0);
    s.f[a] = q[a] - base;
    s.step[a] = f->nodes.stride[a];
    s.at += (ptrdiff_t)base * f->nodes.stride[a];
  }
  if (slope) vl_sample_slope(&s, phi, slope);
  return vl_sample_value(&s, phi);
}

void vl_fine_slope(const vlFine *f, const double *phi, ptrdiff_t at, double slope[3])
{
  double far = 0.5 * vl_fine_far(f), h = f->nodes.dx;
  for (int a = 0; a < 3; a++) {
    ptrdiff_t s = f->nodes.stride[a];
    if (a == 2 && vl_fine_slab(f)) s = 0;
    bool lower = fabs(phi[at - s]) < far, upper = fabs(phi[at + s]) < far;
    double rise = (upper ? phi[at + s] : phi[at]) - (lower ? phi[at - s] : phi[at]);
    slope[a] = rise / (lower && upper ? 2.0 * h : h);
  }
}

double vl_fine_at(const vlFine *f, const double x[3], double gradient[3])
{
  int cell[3];
  double slope[3] = {0}, q[3];
  vl_fine_cell_of(f, x, cell);
  bool near = vl_fine_is_near(f, cell[0], cell[1], cell[2]);
  for (int a = 0; a < 3; a++) q[a] = vl_clamp(x[a], 0.0, f->grid->n[a]) * f->refine;
  double value = near ? vl_fine_linear(f, f->phi, cell, q, slope) : vl_fine_side_of(f, cell) * VL_FINE_BAND * f->grid->dx;
  for (int a = 0; a < 3 && gradient; a++) gradient[a] = slope[a] / f->nodes.dx;
  return value;
}

void vl_fine_to_cells(const vlFine *f, const vlBlocks *wet, double *phi)
{
  int half = f->refine / 2;
#pragma omp parallel for schedule(static)
  for (int b = 0; b < wet->count; b++) {
    vlBlockPosition p = wet->at[b];
    ptrdiff_t at = vl_blocks_field(f->grid, p);
    int band = vl_blocks_find(&f->band, p.bx, p.j, p.k);
    for (int l = 0; l < vl_blocks_width(wet, p); l++) {
      int cell[3] = {p.bx * VL_BLOCK + l, p.j, p.k};
      bool near = band >= 0 && f->near[band] >> l & 1u;
      phi[at + l] =
          near ? f->phi[vl_fine_node(f, cell, half, half, half)] : vl_fine_side_of(f, cell) * VL_FINE_BAND * f->grid->dx;
    }
  }
}

/* Part of a tetrahedron where phi, linear between its corners, is below 0. */
static double part_below(double a, double b, double c, double d)
{
  double in[4], out[4];
  const double v[4] = {a, b, c, d};
  int ins = 0, outs = 0;
  for (int i = 0; i < 4; i++) {
    if (v[i] < 0.0)
      in[ins++] = v[i];
    else
      out[outs++] = v[i];
  }
  if (ins == 0 || outs == 0) return outs == 0 ? 1.0 : 0.0;
  if (ins == 1) return in[0] / (in[0] - out[0]) * (in[0] / (in[0] - out[1])) * (in[0] / (in[0] - out[2]));
  if (outs == 1) return 1.0 - out[0] / (out[0] - in[0]) * (out[0] / (out[0] - in[1])) * (out[0] / (out[0] - in[2]));
  /* a wedge: the edges ac, ad, bc, bd are cut at s, t, u, w of their lengths; three tetrahedra make it up */
  double s = in[0] / (in[0] - out[0]), t = in[0] / (in[0] - out[1]);
  double u = in[1] / (in[1] - out[0]), w = in[1] / (in[1] - out[1]);
  return s * t + t * u * (1.0 - s) + u * w * (1.0 - t);
}

/* Part of a fine cell: paths from its lowest to its highest corner along the three axes in any order. */
static double cell_part(const double *c, ptrdiff_t y, ptrdiff_t z)
{
  double v[8] = {c[0], c[1], c[y], c[1 + y], c[z], c[1 + z], c[y + z], c[1 + y + z]};
  int wet = 0;
  for (int i = 0; i < 8; i++) wet += v[i] < 0.0;
  if (wet == 0 || wet == 8) return wet ? 1.0 : 0.0;
  return (part_below(v[0], v[1], v[3], v[7]) + part_below(v[0], v[1], v[5], v[7]) + part_below(v[0], v[2], v[3], v[7]) +
          part_below(v[0], v[2], v[6], v[7]) + part_below(v[0], v[4], v[5], v[7]) + part_below(v[0], v[4], v[6], v[7])) /
         6.0;
}

/* In fine cells. */
static double volume_in(const vlFine *f, const int cell[3])
{
  double total = 0.0;
  int r = f->refine, planes = vl_fine_slab(f) ? 1 : r;
  for (int n = 0; n < planes; n++)
    for (int m = 0; m < r; m++) {
      const double *row = f->phi + vl_fine_node(f, cell, 0, m, n);
      for (int l = 0; l < r; l++) total += cell_part(row + l, f->nodes.stride[1], f->nodes.stride[2]);
    }
  return total * (r / planes);
}

double vl_fine_volume(const vlFine *f)
{
  double *part = f->work->sum, total = 0.0; /* has room for the band */
#pragma omp parallel for schedule(static)
  for (int b = 0; b < f->band.count; b++) {
    vlBlockPosition p = f->band.at[b];
    part[b] = 0.0;
    for (int l = 0; l < VL_BLOCK; l++)
      if (f->near[b] >> l & 1) part[b] += volume_in(f, (int[]){p.bx * VL_BLOCK + l, p.j, p.k});
  }
  for (int b = 0; b < f->band.count; b++) total += part[b];
  double h = f->nodes.dx, dx = f->grid->dx;
  return total * h * h * h + (double)f->work->deep * dx * dx * dx;
}
