/* Keeping the liquid's volume by keeping its particles evenly spread.
 *
 * The pressure solve keeps the velocity free of divergence, but particles carried by interpolated velocities gather in some
 * places, most of all just below the surface, and thin out in others. The number of particles is the true volume. So each
 * cell compares the particles around it, weighted (1,2,1)/4 along each axis, with the volume below the surface there: rho =
 * sum w n / (per_cell sum w filled), and is to gain SHARE (rho - 1) of its volume in a step of the usual length, within
 * limits: what is crowded expands, what is sparse draws together, and with rho = 1 everywhere the surface encloses what the
 * particles stand for. Shorter steps take as much less, so that it is a rate. Differences below DEAD are chance and are left
 * alone, so liquid at rest is not stirred. How the volume comes about: pressure/volume.c. */
#include "liquid/particles.h"

#include <math.h>

#include "liquid/level_set.h"

/* A usual step carries particles by about a cell, so what they lose in evenness they lose by such steps, at any scale. */
static const double SHARE = 0.04;
static const double DEAD = 0.04;    /* of density */
static const double MOST_OUT = 0.1; /* of the volume in a step: fastest expansion */
static const double MOST_IN = 0.01; /* fastest contraction */

/* Weighted sums over the 3 x 3 rows around a block, with one cell more on either side. */
typedef struct Rows {
  double particles[VL_BLOCK + 2], filled[VL_BLOCK + 2];
} Rows;

/* Particles in cells lo .. hi-1 of a block, to sum[0] and on. */
static void add_counts(const vlParticles *p, int bx, int j, int k, int lo, int hi, double weight, double *sum)
{
  int block = vl_blocks_find(&p->home, bx, j, k);
  if (block < 0) return;
  const int *start = p->cell_start + (ptrdiff_t)block * VL_BLOCK;
  for (int l = lo; l < hi; l++) sum[l - lo] += weight * (start[l + 1] - start[l]);
}

static void add_row(Rows *rows, const vlGrid *g, const vlParticles *p, const double *filled, vlBlockPosition at, int dj,
                    int dk)
{
  int j = at.j + dj, k = at.k + dk;
  if (j < 0 || k < 0 || j >= g->n[1] || k >= g->n[2]) return;
  double weight = (dj ? 1.0 : 2.0) * (dk ? 1.0 : 2.0);
  add_counts(p, at.bx - 1, j, k, VL_BLOCK - 1, VL_BLOCK, weight, rows->particles);
  add_counts(p, at.bx, j, k, 0, VL_BLOCK, weight, rows->particles + 1);
  add_counts(p, at.bx + 1, j, k, 0, 1, weight, rows->particles + VL_BLOCK + 1);
  const double *f = filled + vl_grid_at(g, at.bx * VL_BLOCK, j, k) - 1;
  int first = at.bx > 0 ? 0 : 1, last = g->n[0] - at.bx * VL_BLOCK;
  for (int l = first; l < VL_BLOCK + 2 && l <= last; l++) rows->filled[l] += weight * f[l];
}

vlDensityShares vl_density_shares(double steps)
{
  double share = 1.0 - pow(1.0 - SHARE, steps), more = share / SHARE;
  return (vlDensityShares){share, fmin(0.5, more * MOST_OUT), more * MOST_IN};
}

static double excess_of(double density)
{
  double off = density - 1.0;
  return off > DEAD ? off - DEAD : off < -DEAD ? off + DEAD : 0.0;
}

static double excess_block(const vlGrid *g, const vlParticles *p, int per_cell, const double *phi, const double *filled,
                           vlBlockPosition at, int width, double *excess)
{
  Rows rows = {0};
  double most = 0.0;
  ptrdiff_t to = vl_blocks_field(g, at);
  bool liquid = false;
  for (int l = 0; l < width; l++) {
    excess[to + l] = 0.0;
    liquid = liquid || phi[to + l] < 0.0;
  }
  if (!liquid) return 0.0;
  for (int dk = -1; dk <= 1; dk++)
    for (int dj = -1; dj <= 1; dj++) add_row(&rows, g, p, filled, at, dj, dk);
  for (int l = 0; l < width; l++) {
    const double *n = rows.particles + l, *f = rows.filled + l;
    double particles = n[0] + 2.0 * n[1] + n[2], room = per_cell * (f[0] + 2.0 * f[1] + f[2]);
    if (!(phi[to + l] < 0.0) || room <= 0.0) continue;
    excess[to + l] = excess_of(particles / room);
    most = fmax(most, fabs(excess[to + l]));
  }
  return most;
}

void vl_density_fill(vlDensity *density, const vlGrid *g, const double *open, const double *phi, const vlBlocks *wet)
{
#pragma omp parallel for schedule(static)
  for (int b = 0; b < wet->count; b++) {
    ptrdiff_t at = vl_blocks_field(g, wet->at[b]);
    for (int l = 0; l < vl_blocks_width(wet, wet->at[b]); l++)
      density->filled[at + l] = vl_level_set_cell_fraction(g, phi, at + l) * open[at + l];
  }
}

void vl_density_compare(vlDensity *density, const vlGrid *g, const vlParticles *p, int per_cell, const double *phi,
                        const vlBlocks *wet)
{
  double most = 0.0;
#pragma omp parallel for schedule(static) reduction(max : most)
  for (int b = 0; b < wet->count; b++)
    most = fmax(most, excess_block(g, p, per_cell, phi, density->filled, wet->at[b], vl_blocks_width(wet, wet->at[b]),
                                   density->excess));
  density->excess_max = most;
}
