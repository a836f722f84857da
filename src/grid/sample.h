/* Values of face fields between the faces: trilinear. Positions are in cells from the grid's lower corner. */
#ifndef VL_GRID_SAMPLE_H
#define VL_GRID_SAMPLE_H

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

static inline double vl_sample_value(const vlStencil8 *s, const double *field)
{
  const double *c = field + s->at;
  ptrdiff_t x = s->step[0], y = s->step[1], z = s->step[2];
  double fx = s->f[0], fy = s->f[1], fz = s->f[2];
  double a = c[0] + fx * (c[x] - c[0]), b = c[y] + fx * (c[y + x] - c[y]);
  double d = c[z] + fx * (c[z + x] - c[z]), e = c[z + y] + fx * (c[z + y + x] - c[z + y]);
  double near = a + fy * (b - a), far = d + fy * (e - d);
  return near + fz * (far - near);
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

/* The whole velocity at a point. */
static inline void vl_sample_velocity(const vlGrid *g, double *const u[3], const double x[3], double v[3])
{
  for (int a = 0; a < 3; a++) {
    vlStencil8 s = vl_sample_at(g, a, x);
    v[a] = g->n[a] > 1 ? vl_sample_value(&s, u[a]) : 0.0;
  }
}

#endif
