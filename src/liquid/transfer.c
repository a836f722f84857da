/* Particles to grid and back.
 *
 * To the grid [bridson2015]: u_f = sum w v / sum w with trilinear w around the face, for affine particles v + c (x_f - x_p)
 * [jiang2015]. Each block of sixteen faces collects from the rows of particles around it, in their order: no two threads
 * write to one face, and the sums are the same for any number of threads. Back: PIC takes the grid's velocity, FLIP its
 * change [zhu2005]; a share of each is mixed. */
#include "liquid/transfer.h"

#include <stdlib.h>

#include "base/memory.h"
#include "grid/sample.h"

bool vl_face_mask_reserve(vlFaceMask *mask, int blocks)
{
  bool ok = true;
  for (int a = 0; a < 3; a++) {
    void *bits = mask->bits[a];
    ok = vl_array_reserve(&bits, &mask->capacity[a], (size_t)blocks + 1, sizeof *mask->bits[a]) && ok;
    mask->bits[a] = bits;
  }
  return ok;
}

void vl_face_mask_clear(vlFaceMask *mask)
{
  for (int a = 0; a < 3; a++) free(mask->bits[a]);
  *mask = (vlFaceMask){0};
}

/* Sums for the sixteen faces of a block along one axis. */
typedef struct Sums {
  double momentum[VL_BLOCK], weight[VL_BLOCK];
  int axis;
  double x0, y, z; /* of the first face, cells */
  bool flat_z;     /* a slab: no weight across it */
  double dx;
} Sums;

static void add_particles(Sums *s, const vlParticles *p, int first, int last)
{
  for (int i = first; i < last; i++) {
    double dy = s->y - (double)p->x[1][i], dz = s->flat_z ? 0.0 : s->z - (double)p->x[2][i];
    double wy = 1.0 - fabs(dy), wz = 1.0 - fabs(dz);
    if (wy <= 0.0 || wz <= 0.0) continue;
    double q = (double)p->x[0][i] - s->x0, base = floor(q), f = q - base;
    int l = (int)base;
    double v = (double)p->v[s->axis][i];
    double slope = 0.0;
    if (p->affine) {
      v += s->dx * ((double)p->c[s->axis][1][i] * dy + (double)p->c[s->axis][2][i] * dz);
      slope = s->dx * (double)p->c[s->axis][0][i];
    }
    double w = wy * wz;
    if (l >= 0 && l < VL_BLOCK) {
      s->momentum[l] += w * (1.0 - f) * (v - slope * f);
      s->weight[l] += w * (1.0 - f);
    }
    if (l + 1 >= 0 && l + 1 < VL_BLOCK) {
      s->momentum[l + 1] += w * f * (v + slope * (1.0 - f));
      s->weight[l + 1] += w * f;
    }
  }
}

/* One row of particles: the block itself and one cell of the blocks left and right of it. */
static void add_row(Sums *s, const vlParticles *p, int bx, int j, int k)
{
  const vlBlocks *home = &p->home;
  int first, last, left = vl_blocks_find(home, bx - 1, j, k), own = vl_blocks_find(home, bx, j, k),
                   right = vl_blocks_find(home, bx + 1, j, k);
  if (left >= 0) {
    vl_particles_in(p, left, VL_BLOCK - 1, VL_BLOCK, &first, &last);
    add_particles(s, p, first, last);
  }
  if (own >= 0) {
    vl_particles_in(p, own, 0, VL_BLOCK, &first, &last);
    add_particles(s, p, first, last);
  }
  if (right >= 0) {
    vl_particles_in(p, right, 0, 1, &first, &last);
    add_particles(s, p, first, last);
  }
}

static unsigned collect_block(const vlParticles *p, const vlGrid *g, vlBlockPosition at, int axis, double *u)
{
  Sums s = {.axis = axis, .flat_z = g->n[2] == 1, .dx = g->dx};
  s.x0 = at.bx * VL_BLOCK + (axis == 0 ? 0.0 : 0.5);
  s.y = at.j + (axis == 1 ? 0.0 : 0.5);
  s.z = at.k + (axis == 2 ? 0.0 : 0.5);
  int top_j = axis == 1 ? 0 : 1, top_k = axis == 2 ? 0 : 1;
  for (int dk = -1; dk <= top_k; dk++)
    for (int dj = -1; dj <= top_j; dj++) {
      int j = at.j + dj, k = at.k + dk;
      if (j >= 0 && k >= 0 && j < g->n[1] && k < g->n[2]) add_row(&s, p, at.bx, j, k);
    }
  const int cell[3] = {at.bx * VL_BLOCK, at.j, at.k};
  ptrdiff_t to = vl_blocks_field(g, at);
  unsigned known = 0;
  for (int l = 0; l < VL_BLOCK && cell[0] + l < g->n[0]; l++) {
    bool side = cell[axis] + (axis == 0 ? l : 0) == 0, touched = s.weight[l] > 1e-9;
    u[to + l] = touched && !side ? s.momentum[l] / s.weight[l] : 0.0;
    if (touched || side) known |= 1u << l;
  }
  return known;
}

void vl_transfer_to_grid(const vlParticles *particles, const vlGrid *grid, const vlBlocks *wet, double *const u[3],
                         vlFaceMask *known)
{
#pragma omp parallel for schedule(dynamic, 16)
  for (int b = 0; b < wet->count; b++)
    for (int a = 0; a < 3; a++)
      known->bits[a][b] = (unsigned short)(grid->n[a] > 1 ? collect_block(particles, grid, wet->at[b], a, u[a]) : 0xffffu);
}

void vl_transfer_to_particles(vlParticles *p, const vlGrid *g, double *const u[3], double *const change[3], double flip,
                              const vlFlight *flight)
{
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < p->count; i++) {
    const double x[3] = {(double)p->x[0][i], (double)p->x[1][i], (double)p->x[2][i]};
    bool flies = vl_flies(flight, g, x);
    for (int a = 0; a < 3; a++) {
      if (g->n[a] == 1) continue;
      if (flies) p->v[a][i] += (float)flight->gain[a];
      if (flies) continue;
      vlStencil8 s = vl_sample_at(g, a, x);
      double now = vl_sample_value(&s, u[a]);
      if (p->affine) {
        double slope[3];
        vl_sample_slope(&s, u[a], slope);
        for (int b = 0; b < 3; b++) p->c[a][b][i] = (float)(slope[b] / g->dx);
        p->v[a][i] = (float)now;
      } else {
        double change_here = flip > 0.0 ? vl_sample_value(&s, change[a]) : 0.0;
        p->v[a][i] = (float)(flip * ((double)p->v[a][i] + change_here) + (1.0 - flip) * now);
      }
    }
  }
}
