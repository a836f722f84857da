/* The calibrated distance from particles (after the averaging of [zhu2005]).
 *
 * Kernel k(s) = (1 - s^2)^3, s = |x - x_p|/R. With K(t) the kernel summed over the plane at depth t below the point (in R),
 * a half-space whose surface lies h below the point has its mean at depth T(h) = int_h^1 t K(t) dt / int_h^1 K(t) dt, K(t) ~
 * (1 - t^2)^4 in space, (1 - t^2)^3.5 in the plane, rising from 0 deep inside (h = -1) to 1 far outside (h = 1). height[]
 * holds its inverse. */
#include "liquid/kernel.h"

enum { STEPS = 256 };

static double plane_sum(int axes, double t)
{
  double u = 1.0 - t * t;
  return u <= 0.0 ? 0.0 : axes == 2 ? u * u * u * sqrt(u) : u * u * u * u;
}

/* T at the heights -1 ... 1, by the midpoint rule from the top down. */
void vl_kernel_create(vlKernel *kernel, const vlGrid *grid)
{
  enum { FINE = 8192 };
  double R = VL_KERNEL_RADIUS;
  kernel->axes = (grid->n[0] > 1) + (grid->n[1] > 1) + (grid->n[2] > 1);
  int axes = kernel->axes < 2 ? 2 : kernel->axes;
  kernel->full = axes == 2 ? 0.25 * VL_PI * R * R : 4.0 * VL_PI * 0.05079365079365079 * R * R * R;
  double mass = 0.0, moment = 0.0, last_shift = 1.0, last_height = 1.0;
  int next = STEPS;
  kernel->height[STEPS] = kernel->height[STEPS + 1] = (float)R;
  for (int i = FINE - 1; i >= 0; i--) {
    double t = -1.0 + 2.0 * (i + 0.5) / FINE, height = -1.0 + 2.0 * i / FINE, k = plane_sum(axes, t);
    mass += k;
    moment += t * k;
    double shift = mass > 0.0 ? moment / mass : 1.0;
    /* pass every table entry between the last shift and this one */
    while (next > 0 && shift <= (double)next / STEPS) {
      double wanted = (double)next / STEPS, f = last_shift > shift ? (last_shift - wanted) / (last_shift - shift) : 0.0;
      kernel->height[next--] = (float)(R * (last_height + f * (height - last_height)));
    }
    last_shift = shift;
    last_height = height;
  }
  while (next >= 0) kernel->height[next--] = (float)-R;
}

double vl_kernel_height(const vlKernel *kernel, double shift)
{
  double at = shift / VL_KERNEL_RADIUS * STEPS;
  if (at >= STEPS) return VL_KERNEL_RADIUS;
  int i = (int)at;
  return (double)kernel->height[i] + (at - i) * ((double)kernel->height[i + 1] - (double)kernel->height[i]);
}

double vl_kernel_weight(double squared)
{
  double u = 1.0 - squared / (VL_KERNEL_RADIUS * VL_KERNEL_RADIUS);
  return u > 0.0 ? u * u * u : 0.0;
}

/* Sums of w dx, w dy, w dz and w over particles, in lanes: several particles are weighed at once, in single precision like
 * their places. */
enum { LANES = VL_PARTICLES_SPARE };
typedef struct Sums {
  float x[LANES], y[LANES], z[LANES], w[LANES];
} Sums;

/* Adds a run of particles; the last lanes may hold others, which count for nothing. */
static void add_particles(const vlParticles *p, int first, int last, const float at[3], Sums *sums)
{
  const float *x = p->x[0], *y = p->x[1], *z = p->x[2];
  const float scale = (float)(1.0 / (VL_KERNEL_RADIUS * VL_KERNEL_RADIUS)), ax = at[0], ay = at[1], az = at[2];
  Sums s = *sums;
  for (int i = first; i < last; i += LANES)
    for (int l = 0; l < LANES; l++) {
      float dx = x[i + l] - ax, dy = y[i + l] - ay, dz = z[i + l] - az, u = 1.0f - scale * (dx * dx + dy * dy + dz * dz);
      u = u > 0.0f ? u : 0.0f;
      u = i + l < last ? u : 0.0f;
      float w = u * u * u;
      s.x[l] += w * dx;
      s.y[l] += w * dy;
      s.z[l] += w * dz;
      s.w[l] += w;
    }
  *sums = s;
}

static double sum_lanes(const float s[LANES])
{
  double sum = 0.0;
  for (int l = 0; l < LANES; l++) sum += (double)s[l];
  return sum;
}

/* Adds the particles of cells lo..hi of a row of the grid. */
static void add_row(const vlParticles *p, int lo, int hi, int j, int k, const float at[3], Sums *sums)
{
  for (int bx = lo / VL_BLOCK; bx <= hi / VL_BLOCK; bx++) {
    int block = vl_blocks_find(&p->home, bx, j, k);
    if (block < 0) continue;
    int from = lo > bx * VL_BLOCK ? lo - bx * VL_BLOCK : 0,
        to = hi < (bx + 1) * VL_BLOCK - 1 ? hi - bx * VL_BLOCK + 1 : VL_BLOCK, first, last;
    vl_particles_in(p, block, from, to, &first, &last);
    add_particles(p, first, last, at, sums);
  }
}

/* Square of the distance along an axis from x to cell i. */
static double away(double x, int i, bool flat)
{
  double below = i - x, above = x - i - 1.0, d = below > above ? below : above;
  return flat || d <= 0.0 ? 0.0 : d * d;
}

/* Cells that the kernel around x reaches. */
static void reach(const vlGrid *g, const double x[3], int lo[3], int hi[3])
{
  for (int a = 0; a < 3; a++) {
    bool flat = g->n[a] == 1;
    lo[a] = flat ? 0 : (int)floor(x[a] - VL_KERNEL_RADIUS);
    hi[a] = flat ? 0 : (int)floor(x[a] + VL_KERNEL_RADIUS);
  }
}

/* Kernel mass and moment of what is not open around x: solids, and everything beyond the domain. */
void vl_kernel_solid(const vlGrid *g, const double *open, const double x[3], double sum[4])
{
  int lo[3], hi[3];
  reach(g, x, lo, hi);
  for (int k = lo[2]; k <= hi[2]; k++)
    for (int j = lo[1]; j <= hi[1]; j++)
      for (int i = lo[0]; i <= hi[0]; i++) {
        bool inside = i >= 0 && j >= 0 && k >= 0 && i < g->n[0] && j < g->n[1] && k < g->n[2];
        double closed = inside ? (open ? 1.0 - open[vl_grid_at(g, i, j, k)] : 0.0) : 1.0;
        if (closed <= 0.0) continue;
        double d[3] = {i + 0.5 - x[0], j + 0.5 - x[1], k + 0.5 - x[2]};
        double w = closed * vl_kernel_weight(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        for (int a = 0; a < 3; a++) sum[a] += w * d[a];
        sum[3] += w;
      }
}

double vl_kernel_resolve(const vlKernel *kernel, const double liquid[4], const double solid[4])
{
  if (liquid[3] <= 0.0) return VL_KERNEL_RADIUS;
  /* middle of the open space, relative to x; where almost all is solid the point itself */
  double space = kernel->full - solid[3], shift = 0.0;
  bool known = space > 0.05 * kernel->full;
  for (int a = 0; a < 3; a++) {
    double middle = known ? -solid[a] / space : 0.0, d = liquid[a] / liquid[3] - middle;
    shift += d * d;
  }
  return vl_kernel_height(kernel, sqrt(shift));
}

void vl_kernel_liquid(const vlGrid *g, const vlParticles *particles, const double x[3], double sum[4])
{
  int lo[3], hi[3];
  reach(g, x, lo, hi);
  for (int a = 0; a < 3; a++) {
    lo[a] = lo[a] < 0 ? 0 : lo[a];
    hi[a] = hi[a] >= g->n[a] ? g->n[a] - 1 : hi[a];
  }
  const float at[3] = {(float)x[0], (float)x[1], (float)x[2]};
  Sums sums = {0};
  for (int k = lo[2]; k <= hi[2]; k++)
    for (int j = lo[1]; j <= hi[1]; j++) {
      double square = VL_KERNEL_RADIUS * VL_KERNEL_RADIUS - away(x[1], j, g->n[1] == 1) - away(x[2], k, g->n[2] == 1);
      if (square <= 0.0) continue;
      double half = sqrt(square); /* of the row that lies in the kernel's ball */
      int from = x[0] - half > lo[0] ? (int)(x[0] - half) : lo[0], to = x[0] + half < hi[0] ? (int)(x[0] + half) : hi[0];
      if (from <= to) add_row(particles, from, to, j, k, at, &sums);
    }
  sum[0] = sum_lanes(sums.x);
  sum[1] = sum_lanes(sums.y);
  sum[2] = sum_lanes(sums.z);
  sum[3] = sum_lanes(sums.w);
}

double vl_kernel_distance(const vlKernel *kernel, const vlGrid *g, const vlParticles *particles, const double *open,
                          const double x[3])
{
  double liquid[4], solid[4] = {0};
  vl_kernel_liquid(g, particles, x, liquid);
  if (liquid[3] <= 0.0) return VL_KERNEL_RADIUS;
  vl_kernel_solid(g, open, x, solid);
  return vl_kernel_resolve(kernel, liquid, solid);
}
