/* phi from particles: the calibrated kernel distance (kernel.c) where the surface is near, a constant elsewhere.
 *
 * A cell is deep when it, its 26 neighbours and the six cells two steps away all hold particles or are closed: then its own
 * neighbours lie in liquid too, so its value takes part in no distance to the surface. One bit per cell tells, and sixteen
 * cells are decided at once. */
#include "liquid/particle_level.h"

#include <math.h>

#include "base/memory.h"
#include "base/status.h"

/* Cells: the height of a cell's centre over a flat surface that fills it to f is 0.5 - f; a margin above that leaves the
 * fluctuation of counts to the kernel. */
static const double FULL = 1.0;
/* Cells: least depth of a liquid cell. Nearer to zero the least distances of the ghost fluid would no longer agree with each
 * other, and the cell would fall freely for a step. */
static const double LEAST = 1e-3;

static unsigned held_by(const vlGrid *g, const vlParticles *p, const double *open, vlBlockPosition at, int width)
{
  unsigned bits = width < VL_BLOCK ? 0xffffu & ~((1u << width) - 1u) : 0u; /* beyond the domain counts as closed */
  int block = vl_blocks_find(&p->home, at.bx, at.j, at.k);
  const double *o = open + vl_blocks_field(g, at);
  for (int l = 0; l < width; l++) {
    int first = 0, last = 0;
    if (block >= 0) vl_particles_in(p, block, l, l + 1, &first, &last);
    if (first < last || o[l] < 0.01) bits |= 1u << l;
  }
  return bits;
}

static unsigned held_at(const vlBlocks *wet, const unsigned short *held, int bx, int j, int k)
{
  if (bx < 0 || j < 0 || k < 0 || bx >= wet->columns || j >= wet->n[1] || k >= wet->n[2]) return 0xffffu;
  int b = vl_blocks_find(wet, bx, j, k);
  return b < 0 ? 0u : held[b];
}

/* A row with two cells more on either side: bit 2 is the block's first cell. */
static unsigned row(const vlBlocks *wet, const unsigned short *held, int bx, int j, int k)
{
  return held_at(wet, held, bx - 1, j, k) >> (VL_BLOCK - 2) | held_at(wet, held, bx, j, k) << 2 |
         (held_at(wet, held, bx + 1, j, k) & 3u) << (VL_BLOCK + 2);
}

static unsigned deep_cells(const vlBlocks *wet, const unsigned short *held, vlBlockPosition p)
{
  unsigned all = ~0u;
  for (int dk = -1; dk <= 1; dk++)
    for (int dj = -1; dj <= 1; dj++) {
      unsigned r = row(wet, held, p.bx, p.j + dj, p.k + dk);
      all &= r & r << 1 & r >> 1;
      if (!dj && !dk) all &= r << 2 & r >> 2;
    }
  all &= row(wet, held, p.bx, p.j - 2, p.k) & row(wet, held, p.bx, p.j + 2, p.k) & row(wet, held, p.bx, p.j, p.k - 2) &
         row(wet, held, p.bx, p.j, p.k + 2);
  return all >> 2 & 0xffffu;
}

static bool particles_near(const vlParticles *p, vlBlockPosition at)
{
  const int *n = p->home.n;
  for (int k = at.k - 2; k <= at.k + 2; k++)
    for (int j = at.j - 2; j <= at.j + 2; j++)
      for (int bx = at.bx - 1; bx <= at.bx + 1; bx++)
        if (j >= 0 && k >= 0 && j < n[1] && k < n[2] && vl_blocks_find(&p->home, bx, j, k) >= 0) return true;
  return false;
}

static int64_t count_in(const vlParticles *p, vlBlockPosition at, int l)
{
  int block = vl_blocks_find(&p->home, at.bx, at.j, at.k), first = 0, last = 0;
  if (block >= 0) vl_particles_in(p, block, l, l + 1, &first, &last);
  return last - first;
}

typedef struct BlockSums {
  int64_t cells, particles;
} BlockSums;

static void level_block(const vlKernel *kernel, const vlGrid *g, const vlParticles *p, int per_cell, const double *open,
                        vlBlockPosition at, int width, unsigned deep, vlLevelOutput *out, BlockSums *sums)
{
  ptrdiff_t to = vl_blocks_field(g, at);
  bool near = particles_near(p, at);
  for (int l = 0; l < width; l++) {
    const double x[3] = {at.bx * VL_BLOCK + l + 0.5, at.j + 0.5, at.k + 0.5};
    double height = VL_KERNEL_RADIUS, count = near ? (double)count_in(p, at, l) : 0.0,
           fill = count / (per_cell * fmax(open[to + l], 0.05));
    if (deep >> l & 1u)
      height = -VL_KERNEL_RADIUS;
    else if (near)
      height = vl_kernel_distance(kernel, g, p, open, x);
    if (fill > FULL) height = fmin(height, FULL - fill);
    if (height < 0.0) height = fmin(height, -LEAST);
    out->phi[to + l] = height * g->dx;
    if (deep >> l & 1u && open[to + l] > 0.999) {
      sums->cells++;
      sums->particles += (int64_t)count;
    }
  }
}

vlCode vl_particle_level(const vlKernel *kernel, const vlGrid *g, const vlParticles *p, int per_cell, const double *open,
                         const vlBlocks *wet, vlLevelWork *work, vlLevelOutput *out, vlStatus *status)
{
  void *held = work->held;
  bool room = vl_array_reserve(&held, &work->capacity, (size_t)wet->count + 1, sizeof *work->held);
  work->held = held;
  if (!room) return vl_fail_memory(status, (size_t)wet->count * 2, "the liquid's level set");
#pragma omp parallel for schedule(static)
  for (int b = 0; b < wet->count; b++)
    work->held[b] = (unsigned short)held_by(g, p, open, wet->at[b], vl_blocks_width(wet, wet->at[b]));
  int64_t cells = 0, particles = 0;
#pragma omp parallel for schedule(dynamic, 16) reduction(+ : cells, particles)
  for (int b = 0; b < wet->count; b++) {
    BlockSums sums = {0};
    level_block(kernel, g, p, per_cell, open, wet->at[b], vl_blocks_width(wet, wet->at[b]),
                deep_cells(wet, work->held, wet->at[b]), out, &sums);
    cells += sums.cells;
    particles += sums.particles;
  }
  out->filling = (vlFilling){cells, particles};
  return VL_OK;
}
