/* phi from particles: the calibrated kernel distance (kernel.c) where the surface is near, a constant elsewhere.
 *
 * A cell is deep when it, its 26 neighbours and the six cells two steps away all hold particles or are closed: then its own
 * neighbours lie in liquid too, so its value takes part in no distance to the surface. One bit per cell tells, and sixteen
 * cells are decided at once. */
#include "liquid/kernel.h"

#include <math.h>

#include "base/memory.h"
#include "base/status.h"

/* Cells: the height of a cell's centre over a flat surface that fills it to f is 0.5 - f; a margin above that leaves the
 * fluctuation of counts to the kernel. */
static const double FULL = 1.0;
/* Cells: least depth of a liquid cell. Nearer to zero the least distances of the ghost fluid would no longer agree with each
 * other, and the cell would fall freely for a step. */
static const double LEAST = 1e-3;

/* Cells that are not wholly open. */
static unsigned narrowed_by(const vlGrid *g, const double *open, vlBlockPosition at, int width)
{
  unsigned bits = width < VL_BLOCK ? 0xffffu & ~((1u << width) - 1u) : 0u; /* beyond the domain counts as closed */
  const double *o = open + vl_blocks_field(g, at);
  for (int l = 0; l < width; l++) bits |= (unsigned)(o[l] < 1.0) << l;
  return bits;
}

static unsigned held_by(const vlGrid *g, const vlParticles *p, const double *open, vlBlockPosition at, int width)
{
  unsigned bits = width < VL_BLOCK ? 0xffffu & ~((1u << width) - 1u) : 0u;
  int block = vl_blocks_find(&p->home, at.bx, at.j, at.k);
  const double *o = open + vl_blocks_field(g, at);
  for (int l = 0; l < width; l++) {
    int first = 0, last = 0;
    if (block >= 0) vl_particles_in(p, block, l, l + 1, &first, &last);
    if (first < last || o[l] < 0.01) bits |= 1u << l;
  }
  return bits;
}

/* Bits of the cells of wet blocks, and of those beyond them. */
typedef struct Cells {
  const vlBlocks *wet;
  const unsigned short *bits; /* [wet] */
  unsigned dry;
} Cells;

static unsigned bits_at(const Cells *c, int bx, int j, int k)
{
  if (bx < 0 || j < 0 || k < 0 || bx >= c->wet->columns || j >= c->wet->n[1] || k >= c->wet->n[2]) return 0xffffu;
  int b = vl_blocks_find(c->wet, bx, j, k);
  return b < 0 ? c->dry : c->bits[b];
}

/* A row with two cells more on either side: bit 2 is the block's first cell. */
static unsigned row(const Cells *c, int bx, int j, int k)
{
  return bits_at(c, bx - 1, j, k) >> (VL_BLOCK - 2) | bits_at(c, bx, j, k) << 2 |
         (bits_at(c, bx + 1, j, k) & 3u) << (VL_BLOCK + 2);
}

static unsigned deep_cells(const Cells *held, vlBlockPosition p)
{
  unsigned all = ~0u;
  for (int dk = -1; dk <= 1; dk++)
    for (int dj = -1; dj <= 1; dj++) {
      unsigned r = row(held, p.bx, p.j + dj, p.k + dk);
      all &= r & r << 1 & r >> 1;
      if (!dj && !dk) all &= r << 2 & r >> 2;
    }
  all &= row(held, p.bx, p.j - 2, p.k) & row(held, p.bx, p.j + 2, p.k) & row(held, p.bx, p.j, p.k - 2) &
         row(held, p.bx, p.j, p.k + 2);
  return all >> 2 & 0xffffu;
}

/* Cells with a marked one within the kernel's reach. */
static unsigned near_cells(const Cells *cells, vlBlockPosition p)
{
  unsigned any = 0;
  for (int dk = -2; dk <= 2; dk++)
    for (int dj = -2; dj <= 2; dj++) {
      if (dj * dj + dk * dk == 8) continue; /* an edge of the cube: beyond the kernel's ball */
      unsigned r = row(cells, p.bx, p.j + dj, p.k + dk);
      any |= r | r << 1 | r >> 1 | r << 2 | r >> 2;
    }
  return any >> 2 & 0xffffu;
}

typedef struct BlockSums {
  int64_t cells, particles;
} BlockSums;

/* What is known of a block's cells beforehand, a bit each. */
typedef struct Known {
  unsigned deep;     /* far inside */
  unsigned near;     /* particles within the kernel's reach */
  unsigned narrowed; /* something closed within it */
} Known;

static Known look_around(const Cells *held, const Cells *narrow, vlBlockPosition at, int width)
{
  unsigned inside = (1u << width) - 1u;
  Known known = {.deep = deep_cells(held, at)};
  if ((known.deep & inside) == inside) return known;
  known.near = near_cells(held, at);
  known.narrowed = known.near & inside ? near_cells(narrow, at) : 0u;
  return known;
}

static double kernel_height(const vlKernel *kernel, const vlGrid *g, const vlParticles *p, const double *open,
                            const int cell[3], bool narrowed)
{
  const double x[3] = {cell[0] + 0.5, cell[1] + 0.5, cell[2] + 0.5};
  double liquid[4], solid[4] = {0};
  vl_kernel_liquid(g, p, x, liquid);
  if (narrowed && liquid[3] > 0.0) vl_kernel_solid(g, open, x, solid);
  return vl_kernel_resolve(kernel, liquid, solid);
}

static void level_block(const vlKernel *kernel, const vlGrid *g, const vlParticles *p, int per_cell, const double *open,
                        vlBlockPosition at, int width, Known known, vlLevelOutput *out, BlockSums *sums)
{
  ptrdiff_t to = vl_blocks_field(g, at);
  for (int l = 0; l < width; l++) {
    bool deep = known.deep >> l & 1u, near = known.near >> l & 1u;
    const int cell[3] = {at.bx * VL_BLOCK + l, at.j, at.k};
    double height = VL_KERNEL_RADIUS, count = deep || near ? vl_particles_in_cell(p, cell) : 0.0,
           room = open[to + l] > 0.05 ? open[to + l] : 0.05, fill = count / (per_cell * room);
    if (deep)
      height = -VL_KERNEL_RADIUS;
    else if (near)
      height = kernel_height(kernel, g, p, open, cell, known.narrowed >> l & 1u);
    if (fill > FULL && height > FULL - fill) height = FULL - fill;
    if (height < 0.0 && height > -LEAST) height = -LEAST;
    out->phi[to + l] = height * g->dx;
    if (deep && open[to + l] > 0.999) {
      sums->cells++;
      sums->particles += (int64_t)count;
    }
  }
}

vlCode vl_particle_level(const vlKernel *kernel, const vlGrid *g, const vlParticles *p, int per_cell, const double *open,
                         const vlBlocks *wet, vlLevelWork *work, vlLevelOutput *out, vlStatus *status)
{
  bool room = vl_array_reserve(&work->held, &work->capacity, (size_t)wet->count + 1, sizeof *work->held);
  room = vl_array_reserve(&work->narrow, &work->narrow_capacity, (size_t)wet->count + 1, sizeof *work->narrow) && room;
  if (!room) return vl_fail_memory(status, (size_t)wet->count * 4, "the liquid's level set");
#pragma omp parallel for schedule(static)
  for (int b = 0; b < wet->count; b++) {
    int width = vl_blocks_width(wet, wet->at[b]);
    work->held[b] = (unsigned short)held_by(g, p, open, wet->at[b], width);
    work->narrow[b] = (unsigned short)narrowed_by(g, open, wet->at[b], width);
  }
  /* beyond the wet blocks there are no particles, and what is closed there is not known */
  const Cells with_particles = {wet, work->held, 0u}, with_solid = {wet, work->narrow, 0xffffu};
  int64_t cells = 0, particles = 0;
#pragma omp parallel for schedule(dynamic, 16) reduction(+ : cells, particles)
  for (int b = 0; b < wet->count; b++) {
    BlockSums sums = {0};
    int width = vl_blocks_width(wet, wet->at[b]);
    Known known = look_around(&with_particles, &with_solid, wet->at[b], width);
    level_block(kernel, g, p, per_cell, open, wet->at[b], width, known, out, &sums);
    cells += sums.cells;
    particles += sums.particles;
  }
  out->filling = (vlFilling){cells, particles};
  return VL_OK;
}
