/* Reseeding inside the liquid.
 *
 * Chance thins some cells out; with no particle left a cell would lose its velocity and become a bubble. A whole cell
 * deeper than DEPTH below the surface that holds less than a quarter of its particles is filled to a half: one particle
 * after the other is taken from the fullest deep cell among its 26 neighbours, as long as that holds more than its share,
 * and put into a free sub-cell with the velocity of the grid there. So the number of particles stays, and mass moves by no
 * more than two cells. The cells are served in order: the result does not depend on the number of threads. */
#include "liquid/seed.h"

#include "base/random.h"
#include "grid/sample.h"

static const double DEPTH = 1.5;   /* cells */
static const double WHOLE = 0.999; /* open part of a cell without solid */

/* A cell's particles: [first, last) in the sorted order, none if it is not deep inside the liquid. */
static void particles_of(const vlParticles *p, const vlGrid *g, const double *phi, const int cell[3], int *first, int *last)
{
  *first = *last = 0;
  for (int a = 0; a < 3; a++)
    if (cell[a] < 0 || cell[a] >= g->n[a]) return;
  int block = vl_blocks_find(&p->home, cell[0] / VL_BLOCK, cell[1], cell[2]);
  if (block < 0 || phi[vl_grid_at(g, cell[0], cell[1], cell[2])] > -DEPTH * g->dx) return;
  vl_particles_in(p, block, cell[0] % VL_BLOCK, cell[0] % VL_BLOCK + 1, first, last);
}

static bool is_in(const vlParticles *p, int i, const int cell[3])
{
  return (int)p->x[0][i] == cell[0] && (int)p->x[1][i] == cell[1] && (int)p->x[2][i] == cell[2];
}

/* Particles that are still in the cell they were sorted into; *some is the last of them. */
static int still_in(const vlParticles *p, int first, int last, const int cell[3], int *some)
{
  int count = 0;
  for (int i = first; i < last; i++)
    if (is_in(p, i, cell)) {
      count++;
      *some = i;
    }
  return count;
}

/* A particle of the fullest deep neighbour that has more than `share`; -1: none has. */
static int find_donor(const vlParticles *p, const vlGrid *g, const double *phi, const int cell[3], int share)
{
  int donor = -1, most = share;
  for (int n = 0; n < 27; n++) {
    const int at[3] = {cell[0] + n % 3 - 1, cell[1] + n / 3 % 3 - 1, cell[2] + n / 9 - 1};
    int first, last, some = -1;
    particles_of(p, g, phi, at, &first, &last);
    if (last - first <= most) continue; /* none ever comes to a full cell */
    int count = still_in(p, first, last, at, &some);
    if (count <= most) continue;
    most = count;
    donor = some;
  }
  return donor;
}

/* The particle becomes a new one at x. */
static void put(vlParticles *p, const vlGrid *g, const vlReseed *r, int i, const double x[3])
{
  for (int a = 0; a < 3; a++) {
    p->x[a][i] = (float)x[a];
    if (g->n[a] == 1) continue;
    vlStencil8 s = vl_sample_at(g, a, x);
    p->v[a][i] = (float)(vl_sample_value(&s, r->u[a]) - (r->less ? vl_sample_value(&s, r->less[a]) : 0.0));
  }
  vl_particles_renew(p, (size_t)i);
}

/* Bits of the sub-cells that hold one of the cell's own particles. */
static uint64_t taken_by(const vlParticles *p, const vlGrid *g, int m, int first, int last, const int cell[3])
{
  uint64_t taken = 0;
  for (int i = first; i < last; i++) {
    if (!is_in(p, i, cell)) continue;
    int sub[3];
    for (int a = 0; a < 3; a++) sub[a] = g->n[a] == 1 ? 0 : (int)(((double)p->x[a][i] - cell[a]) * m);
    taken |= (uint64_t)1 << ((sub[2] * m + sub[1]) * m + sub[0]);
  }
  return taken;
}

static int64_t fill_cell(vlParticles *p, const vlGrid *g, const vlReseed *r, const int cell[3], int full)
{
  int first, last, m = r->per_axis;
  particles_of(p, g, r->phi, cell, &first, &last);
  uint64_t taken = taken_by(p, g, m, first, last, cell),
           key = (((uint64_t)cell[2] * 8191u + (uint64_t)cell[1]) * 8191u + (uint64_t)cell[0]) * 64u ^ r->salt << 40;
  int64_t moved = 0;
  for (int n = 0, s = (int)(vl_random(key) * full); n < full && last - first + moved < full / 2; n++, s = (s + 1) % full) {
    if (taken >> s & 1u) continue;
    int donor = find_donor(p, g, r->phi, cell, full);
    if (donor < 0) break;
    const int sub[3] = {s % m, s / m % m, s / (m * m)};
    double x[3];
    for (int a = 0; a < 3; a++)
      x[a] = g->n[a] == 1 ? 0.5 : cell[a] + (sub[a] + 0.05 + 0.9 * vl_random(key + (uint64_t)(s * 3 + a + 1))) / m;
    put(p, g, r, donor, x);
    moved++;
  }
  return moved;
}

int64_t vl_reseed(vlParticles *p, const vlGrid *g, const vlReseed *r)
{
  int full = r->per_axis * r->per_axis * (g->n[2] > 1 ? r->per_axis : 1);
  int64_t moved = 0;
  for (int b = 0; b < p->home.count; b++) {
    vlBlockPosition at = p->home.at[b];
    for (int l = 0; l < vl_blocks_width(&p->home, at); l++) {
      const int cell[3] = {at.bx * VL_BLOCK + l, at.j, at.k};
      const int *start = p->cell_start + (ptrdiff_t)b * VL_BLOCK + l;
      bool sparse = 4 * (start[1] - start[0]) <= full;
      ptrdiff_t to = vl_grid_at(g, cell[0], cell[1], cell[2]);
      if (sparse && r->phi[to] <= -DEPTH * g->dx && r->open[to] > WHOLE) moved += fill_cell(p, g, r, cell, full);
    }
  }
  return moved;
}
