/* Values of face fields between the faces: trilinear. Positions are in cells from the grid's lower corner. */
#ifndef VL_GRID_SAMPLE_H
#define VL_GRID_SAMPLE_H

#include <string.h>

#include "grid/grid.h"

/* Where a point lies among the faces along `axis` (VL_NODES: among the cell corners, VL_CELLS: among the cell centres):
 * field index of the lowest of the eight around it, and fractions. */
typedef struct vlStencil8 {
  ptrdiff_t at;
  double f[3];
  ptrdiff_t step[3]; /* to the next face along each axis; 0 along an axis of one cell */
} vlStencil8;

enum { VL_NODES = 3, VL_CELLS = 4 };

static inline vlStencil8 vl_sample_at(const vlGrid *g, int axis, const double x[3])
{
  vlStencil8 s = {.at = g->offset};
  for (int a = 0; a < 3; a++) {
    if (g->n[a] == 1) continue; /* a slab: no variation across it */
    bool on = a == axis || axis == VL_NODES;
    double q = on ? x[a] : x[a] - 0.5, hi = on ? g->n[a] - 1.0 : g->n[a] - 2.0;
    double base = floor(q);
    base = base < 0.0 ? 0.0 : base > hi ? hi : base; /* beyond the outermost faces: their value */
    s.f[a] = q - base < 0.0 ? 0.0 : q - base > 1.0 ? 1.0 : q - base;
    s.at += (ptrdiff_t)base * g->stride[a];
    s.step[a] = g->stride[a];
  }
  return s;
}

/* Two neighbours along x at once. */
typedef double vlPair __attribute__((vector_size(16)));

static inline vlPair vl_pair_at(const double *c)
{
  vlPair pair;
  memcpy(&pair, c, sizeof pair);
  return pair;
}

static inline double vl_sample_value(const vlStencil8 *s, const double *field)
{
  const double *c = field + s->at;
  ptrdiff_t y = s->step[1], z = s->step[2];
  vlPair a = vl_pair_at(c), b = vl_pair_at(c + y), d = vl_pair_at(c + z), e = vl_pair_at(c + z + y);
  vlPair near = a + s->f[1] * (b - a), far = d + s->f[1] * (e - d), both = near + s->f[2] * (far - near);
  return both[0] + s->f[0] * (both[1] - both[0]);
}

/* Slope in 1/cell along each axis. */
static inline void vl_sample_slope(const vlStencil8 *s, const double *field, double slope[3])
{
  const double *c = field + s->at;
  ptrdiff_t x = s->step[0], y = s->step[1], z = s->step[2];
  double fx = s->f[0], fy = s->f[1], fz = s->f[2];
  double a = c[0] + fx * (c[x] - c[0]), b = c[y] + fx * (c[y + x] - c[y]);
  double d = c[z] + fx * (c[z + x] - c[z]), e = c[z + y] + fx * (c[z + y + x] - c[z + y]);
  slope[0] = (1 - fz) * ((1 - fy) * (c[x] - c[0]) + fy * (c[y + x] - c[y])) +
             fz * ((1 - fy) * (c[z + x] - c[z]) + fy * (c[z + y + x] - c[z + y]));
  slope[1] = (1 - fz) * (b - a) + fz * (e - d);
  slope[2] = a + fy * (b - a) - (d + fy * (e - d));
  slope[2] = -slope[2];
}

/* The stencils of all three axes at once: a place among faces serves as one's own or as two others' across. */
static inline void vl_sample_faces(const vlGrid *g, const double x[3], vlStencil8 s[3])
{
  bool inner = true; /* not beyond the outermost of any faces */
  for (int a = 0; a < 3; a++) inner = inner && x[a] >= 0.5 && x[a] < g->n[a] - 0.5;
  if (!inner) {
    for (int a = 0; a < 3; a++) s[a] = vl_sample_at(g, a, x);
    return;
  }
  ptrdiff_t on[3], off[3];
  double on_f[3], off_f[3];
  for (int a = 0; a < 3; a++) {
    int i = (int)x[a], j = (int)(x[a] - 0.5);
    on[a] = i * g->stride[a];
    off[a] = j * g->stride[a];
    on_f[a] = x[a] - i;
    off_f[a] = x[a] - 0.5 - j;
  }
  s[0] = (vlStencil8){g->offset + on[0] + off[1] + off[2], {on_f[0], off_f[1], off_f[2]}, {1, g->stride[1], g->stride[2]}};
  s[1] = (vlStencil8){g->offset + off[0] + on[1] + off[2], {off_f[0], on_f[1], off_f[2]}, {1, g->stride[1], g->stride[2]}};
  s[2] = (vlStencil8){g->offset + off[0] + off[1] + on[2], {off_f[0], off_f[1], on_f[2]}, {1, g->stride[1], g->stride[2]}};
}

/* The whole velocity at a point. */
static inline void vl_sample_velocity(const vlGrid *g, double *const u[3], const double x[3], double v[3])
{
  vlStencil8 s[3];
  vl_sample_faces(g, x, s);
  for (int a = 0; a < 3; a++) v[a] = g->n[a] > 1 ? vl_sample_value(&s[a], u[a]) : 0.0;
}

#endif
