/* The level set is found from all particles within two cells, whatever lies between. Beside walls that is not enough:
 *  - Behind a wall two cells thick a cell may seem to be liquid. Without a particle in itself or in a cell that it opens
 *    into, it is air.
 *  - Slivers, cells of which a solid leaves less than a tenth open, have their centre inside the solid, up to a cell away
 *    from any particle. One that is taken for air is a hole in the wall: its pressure is zero, liquid flows out through its
 *    openings for ever, and liquid that a body seals off seems to have a free surface. There is no room for a surface in it,
 *    so it is what it opens into: liquid if more of its open area leads to liquid than to air, other slivers not counted.
 *  - A few cells of air with liquid all around, where particles happen to be sparse, are liquid. Left alone they would suck
 *    it in with the pressure of the open air, and sealed liquid would no longer be sealed.
 * Only signs change, the values are as small as can be: interpolation across the wall shall not notice. What is decided
 * about slivers depends on other cells alone, so the order does not matter. */
#include "liquid/kernel.h"

static const double SLIVER = 0.1; /* open part of the cell's volume */
static const double LEAST = 1e-3; /* cells: least depth of a liquid cell, as in particle_level.c */
enum { POCKET = 8 };              /* cells: air in no more is chance */

typedef struct Walls {
  const vlGrid *grid;
  const vlParticles *particles;
  const double *open;
  double *const *area;
} Walls;

/* A neighbour of a cell: its place in fields, its cell, and the open area between; false beyond the domain's sides. */
static bool neighbour(const Walls *w, const int cell[3], ptrdiff_t at, int side, ptrdiff_t *other, int next[3], double *area)
{
  int a = side / 2, up = side % 2;
  if (cell[a] == (up ? w->grid->n[a] - 1 : 0)) return false;
  for (int c = 0; c < 3; c++) next[c] = cell[c];
  next[a] += up ? 1 : -1;
  *other = up ? at + w->grid->stride[a] : at - w->grid->stride[a];
  *area = w->area[a][up ? *other : at];
  return true;
}

static bool opens_to_particles(const Walls *w, const int cell[3], ptrdiff_t at)
{
  ptrdiff_t other;
  int next[3];
  double area;
  for (int side = 0; side < 6; side++)
    if (neighbour(w, cell, at, side, &other, next, &area) && area > 0.0 && vl_particles_in_cell(w->particles, next) > 0)
      return true;
  return false;
}

/* Open area towards liquid less that towards air; *any: there is some, towards slivers too. */
static double balance(const Walls *w, const int cell[3], ptrdiff_t at, const double *phi, bool *any)
{
  ptrdiff_t other;
  int next[3];
  double sum = 0.0, area;
  *any = false;
  for (int side = 0; side < 6; side++) {
    if (!neighbour(w, cell, at, side, &other, next, &area) || !(area > 0.0)) continue;
    *any = true;
    if (w->open[other] >= SLIVER) sum += phi[other] < 0.0 ? area : -area;
  }
  return sum;
}

/* Whether the air cell and all air it is joined with are no more than POCKET cells. */
static bool is_pocket(const Walls *w, const vlBlocks *wet, const int start[3], ptrdiff_t start_at, const double *phi)
{
  int cell[POCKET][3] = {{start[0], start[1], start[2]}}, count = 1;
  ptrdiff_t at[POCKET] = {start_at}, other;
  double area;
  for (int c = 0; c < count; c++)
    for (int side = 0; side < 6; side++) {
      int next[3], k = 0;
      if (!neighbour(w, cell[c], at[c], side, &other, next, &area) || !(area > 0.0)) continue;
      if (vl_blocks_find(wet, next[0] / VL_BLOCK, next[1], next[2]) < 0) return false;
      if (phi[other] < 0.0) continue;
      while (k < count && at[k] != other) k++;
      if (k < count) continue;
      if (count == POCKET) return false;
      for (int a = 0; a < 3; a++) cell[count][a] = next[a];
      at[count++] = other;
    }
  return true;
}

static bool opens_to_liquid(const Walls *w, const int cell[3], ptrdiff_t at, const double *phi)
{
  ptrdiff_t other;
  int next[3];
  double area;
  for (int side = 0; side < 6; side++)
    if (neighbour(w, cell, at, side, &other, next, &area) && area > 0.0 && phi[other] < 0.0) return true;
  return false;
}

/* Slivers, or the other cells. */
static void mend_block(const Walls *w, const vlBlocks *wet, vlBlockPosition p, bool slivers, double *phi)
{
  double least = LEAST * w->grid->dx;
  ptrdiff_t at = vl_blocks_field(w->grid, p);
  for (int l = 0; l < vl_blocks_width(wet, p); l++) {
    const int cell[3] = {p.bx * VL_BLOCK + l, p.j, p.k};
    bool any = true, sliver = w->open[at + l] < SLIVER, liquid = phi[at + l] < 0.0;
    if (sliver != slivers || (!sliver && !liquid) || vl_particles_in_cell(w->particles, cell) > 0) continue;
    bool stays = sliver ? balance(w, cell, at + l, phi, &any) > 0.0 : opens_to_particles(w, cell, at + l);
    if (any && stays != liquid) phi[at + l] = stays ? -least : least;
  }
}

/* Bits of the cells of a block that are air in pockets. */
static unsigned pockets(const Walls *w, const vlBlocks *wet, vlBlockPosition p, const double *phi)
{
  ptrdiff_t at = vl_blocks_field(w->grid, p);
  unsigned bits = 0;
  for (int l = 0; l < vl_blocks_width(wet, p); l++) {
    const int cell[3] = {p.bx * VL_BLOCK + l, p.j, p.k};
    if (phi[at + l] >= 0.0 && opens_to_liquid(w, cell, at + l, phi) && is_pocket(w, wet, cell, at + l, phi)) bits |= 1u << l;
  }
  return bits;
}

void vl_wall_level(const vlGrid *g, const vlBlocks *wet, const vlParticles *particles, const double *open,
                   double *const area[3], vlLevelWork *work, double *phi)
{
  const Walls w = {g, particles, open, area};
  for (int slivers = 0; slivers < 2; slivers++) {
#pragma omp parallel for schedule(static)
    for (int b = 0; b < wet->count; b++) mend_block(&w, wet, wet->at[b], slivers, phi);
  }
#pragma omp parallel for schedule(static)
  for (int b = 0; b < wet->count; b++) work->held[b] = (unsigned short)pockets(&w, wet, wet->at[b], phi);
#pragma omp parallel for schedule(static)
  for (int b = 0; b < wet->count; b++)
    for (int l = 0; l < VL_BLOCK && work->held[b]; l++)
      if (work->held[b] >> l & 1u) phi[vl_blocks_field(g, wet->at[b]) + l] = -LEAST * g->dx;
}
