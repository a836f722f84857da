/* Liquid that no particle stands for is taken away: where it has parted from a wall, no air could get in between.
 *
 * In cells without particles
 *     phi <- max(phi, d - reach)        d: distance to the nearest particle
 * which leaves liquid evenly filled with particles alone if `reach` is more than the gaps between them. */
#include <math.h>

#include "base/status.h"
#include "liquid/fine_parts.h"

typedef struct Holes {
  const vlParticles *particles;
  double reach; /* cells */
} Holes;

static int particles_in(const vlParticles *p, const int cell[3])
{
  if (cell[0] < 0 || cell[1] < 0 || cell[2] < 0 || cell[0] >= p->home.n[0] || cell[1] >= p->home.n[1] ||
      cell[2] >= p->home.n[2])
    return 0;
  return vl_particles_in_cell(p, cell);
}

/* Cells: from x to the nearest particle in the cells around, or a cell and a half. */
static double nearest_particle(const vlFine *f, const vlParticles *p, const double x[3])
{
  int middle[3];
  double best = 1.5 * 1.5;
  vl_fine_cell_of(f, x, middle);
  for (int k = middle[2] - 1; k <= middle[2] + 1; k++)
    for (int j = middle[1] - 1; j <= middle[1] + 1; j++)
      for (int i = middle[0] - 1; i <= middle[0] + 1; i++) {
        const int cell[3] = {i, j, k};
        if (particles_in(p, cell) == 0) continue;
        int first, last, l = i % VL_BLOCK;
        vl_particles_in(p, vl_blocks_find(&p->home, i / VL_BLOCK, j, k), l, l + 1, &first, &last);
        for (int q = first; q < last; q++) {
          double d[3], square = 0.0;
          for (int a = 0; a < (vl_fine_slab(f) ? 2 : 3); a++) {
            d[a] = (double)p->x[a][q] - x[a];
            square += d[a] * d[a];
          }
          best = fmin(best, square);
        }
      }
  return sqrt(best);
}

/* Is one of the cells that meet in a node without particles? */
static bool beside_empty(const vlFine *f, const vlParticles *p, const int q[3])
{
  int lo[3], hi[3], cell[3];
  for (int a = 0; a < 3; a++) {
    hi[a] = q[a] / f->refine;
    lo[a] = q[a] % f->refine ? hi[a] : hi[a] - 1;
    if (lo[a] < 0) lo[a] = 0;
    if (hi[a] >= f->grid->n[a]) hi[a] = f->grid->n[a] - 1;
  }
  for (cell[2] = lo[2]; cell[2] <= hi[2]; cell[2]++)
    for (cell[1] = lo[1]; cell[1] <= hi[1]; cell[1]++)
      for (cell[0] = lo[0]; cell[0] <= hi[0]; cell[0]++)
        if (particles_in(p, cell) == 0) return true;
  return false;
}

static void look_at_holes(const vlFine *f, vlBlockPosition at, unsigned bits, const void *data)
{
  const Holes *holes = data;
  ptrdiff_t to = vl_blocks_field(&f->nodes, at);
  for (int l = 0; l < VL_BLOCK; l++) {
    if (!(bits >> l & 1)) continue;
    int q[3] = {at.bx * VL_BLOCK + l, at.j, at.k};
    double phi = vl_fine_phi_or_side(f, q, to + l);
    if (phi < 0.0 && beside_empty(f, holes->particles, q)) {
      const double x[3] = {(double)q[0] / f->refine, (double)q[1] / f->refine, (double)q[2] / f->refine};
      phi = fmax(phi, (nearest_particle(f, holes->particles, x) - holes->reach) * f->grid->dx);
    }
    f->work->next[to + l] = phi;
  }
}

/* Cells of liquid without particles that are to be opened somewhere -> work->crossed; how many. */
static int find_empty(vlFine *f, const vlParticles *p, const vlBlocks *wet, double reach, bool *room)
{
  int count = 0;
  vl_blocks_begin(&f->work->crossed.blocks);
  *room = true;
  for (int b = 0; b < wet->count && *room; b++) {
    vlBlockPosition at = wet->at[b];
    unsigned bits = 0;
    for (int l = 0; l < vl_blocks_width(wet, at); l++) {
      const int cell[3] = {at.bx * VL_BLOCK + l, at.j, at.k};
      if (particles_in(p, cell) > 0) continue;
      bool liquid = f->side[vl_grid_at(f->grid, cell[0], cell[1], cell[2])] < 0.0;
      if (!liquid && !vl_fine_is_near(f, cell[0], cell[1], cell[2])) continue;
      bool opens = false;
      for (int q = 0; q < 27 && !opens; q++) { /* corners, and the middles between them */
        const int half[3] = {q % 3, q / 3 % 3, q / 9};
        double x[3];
        for (int a = 0; a < 3; a++) x[a] = cell[a] + 0.5 * half[a];
        int n[3];
        for (int a = 0; a < 3; a++) n[a] = f->refine * cell[a] + half[a] * (f->refine / 2);
        if (!liquid && !(f->phi[vl_grid_at(&f->nodes, n[0], n[1], n[2])] < 0.0)) continue;
        opens = nearest_particle(f, p, x) > reach;
      }
      bits |= (unsigned)opens << l;
    }
    for (unsigned left = bits; left; left &= left - 1u) count++;
    if (bits) *room = vl_fine_set_append(&f->work->crossed, at.bx, at.j, at.k, bits);
  }
  vl_blocks_end(&f->work->crossed.blocks);
  return count;
}

vlCode vl_fine_open(vlFine *f, const vlParticles *particles, const vlBlocks *wet, double reach, vlStatus *status)
{
  bool room;
  const Holes holes = {particles, reach / f->grid->dx};
  if (find_empty(f, particles, wet, holes.reach, &room) == 0 && room) return VL_OK;
  vlFineSet near = vl_fine_near_set(f);
  room = room && vl_fine_set_grow(&f->work->crossed, VL_FINE_BAND, &f->work->found) &&
         vl_fine_set_unite(&near, &f->work->found, &f->work->seen);
  if (!room) return vl_fail_memory(status, (size_t)wet->count * 2, "liquid without particles");
  return vl_fine_renew(f, look_at_holes, &holes, status);
}
