/* Particles to grid and back.
 *
 * To the grid [bridson2015]: u_f = sum w v / sum w with trilinear w around the face, for affine particles v + c (x_f - x_p)
 * [jiang2015]. The particles of a block are summed for the faces around it and then added to the fields, plane by plane of
 * blocks; planes that are worked on at the same time lie three apart, so no two threads write to one face, and the order of
 * the sums does not depend on their number. Back: PIC takes the grid's velocity, FLIP its
 * change [zhu2005]; a share of each is mixed. */
#include "liquid/transfer.h"

#include <stdlib.h>
#include <string.h>

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

/* What the particles of one block give to the faces around it: rows j-1 .. j+1 and k-1 .. k+1, faces -1 .. 16 of each. */
enum { FACES = VL_BLOCK + 2 };
typedef struct Spread {
  double momentum[3][3][3][FACES], weight[3][3][3][FACES]; /* [axis][k][j][face] */
} Spread;

/* Of a coordinate among faces: the lower of two, from the block's own row or first cell, and the share of the upper. */
typedef struct Between {
  int base;
  double f;
} Between;

static inline Between between(double q)
{
  int base = (int)(q + 2.0) - 2; /* q > -1 */
  return (Between){base, q - base};
}

/* One particle to the eight faces around it along one axis. along[b]: its place among the rows or faces along axis b. */
static inline void spread_one(Spread *s, int axis, const Between along[3], double v, const double slope[3])
{
  for (int dk = 0; dk < 2; dk++) {
    double wz = dk ? along[2].f : 1.0 - along[2].f, z = dk - along[2].f;
    for (int dj = 0; dj < 2; dj++) {
      double w = wz * (dj ? along[1].f : 1.0 - along[1].f), y = dj - along[1].f, f = along[0].f;
      double here = v + slope[1] * y + slope[2] * z;
      double *m = &s->momentum[axis][along[2].base + dk + 1][along[1].base + dj + 1][along[0].base + 1];
      double *n = &s->weight[axis][along[2].base + dk + 1][along[1].base + dj + 1][along[0].base + 1];
      m[0] += w * (1.0 - f) * (here - slope[0] * f);
      n[0] += w * (1.0 - f);
      m[1] += w * f * (here + slope[0] * (1.0 - f));
      n[1] += w * f;
    }
  }
}

static void spread_particles(Spread *s, const vlParticles *p, const vlGrid *g, int block)
{
  vlBlockPosition at = p->home.at[block];
  const double origin[3] = {at.bx * VL_BLOCK, at.j, at.k};
  int first, last;
  vl_particles_in(p, block, 0, VL_BLOCK, &first, &last);
  for (int i = first; i < last; i++) {
    Between on[3], off[3]; /* among faces along the axis, and among those of the other axes */
    for (int b = 0; b < 3; b++) {
      double q = (double)p->x[b][i] - origin[b];
      bool flat = g->n[b] == 1; /* a slab: no weight across it */
      on[b] = flat ? (Between){0, 0.0} : between(q);
      off[b] = flat ? (Between){0, 0.0} : between(q - 0.5);
    }
    for (int a = 0; a < 3; a++) {
      if (g->n[a] == 1) continue;
      const Between along[3] = {a == 0 ? on[0] : off[0], a == 1 ? on[1] : off[1], a == 2 ? on[2] : off[2]};
      double slope[3] = {0.0, 0.0, 0.0};
      for (int b = 0; b < 3 && p->affine; b++) slope[b] = g->n[b] == 1 ? 0.0 : g->dx * (double)p->c[a][b][i];
      spread_one(s, a, along, (double)p->v[a][i], slope);
    }
  }
}

/* Adds a block's shares to the fields, where there are cells. */
static void add_spread(const Spread *s, const vlGrid *g, vlBlockPosition at, double *const u[3], double *const weight[3])
{
  int i0 = at.bx * VL_BLOCK - 1, lo = i0 < 0 ? 1 : 0, hi = g->n[0] - i0 < FACES ? g->n[0] - i0 : FACES;
  for (int a = 0; a < 3; a++)
    for (int dk = 0; dk < 3; dk++)
      for (int dj = 0; dj < 3; dj++) {
        int j = at.j + dj - 1, k = at.k + dk - 1;
        if (j < 0 || k < 0 || j >= g->n[1] || k >= g->n[2]) continue;
        ptrdiff_t to = vl_grid_at(g, i0, j, k);
        for (int l = lo; l < hi; l++) {
          u[a][to + l] += s->momentum[a][dk][dj][l];
          weight[a][to + l] += s->weight[a][dk][dj][l];
        }
      }
}

static void clear_block(const vlGrid *g, vlBlockPosition at, double *const u[3], double *const weight[3])
{
  ptrdiff_t to = vl_blocks_field(g, at);
  for (int a = 0; a < 3; a++) {
    memset(u[a] + to, 0, VL_BLOCK * sizeof(double));
    memset(weight[a] + to, 0, VL_BLOCK * sizeof(double));
  }
}

/* Means from sums; returns the faces that have one. */
static unsigned divide_block(const vlGrid *g, vlBlockPosition at, int axis, const double *weight, double *u)
{
  const int cell[3] = {at.bx * VL_BLOCK, at.j, at.k};
  ptrdiff_t to = vl_blocks_field(g, at);
  unsigned known = 0;
  for (int l = 0; l < VL_BLOCK && cell[0] + l < g->n[0]; l++) {
    bool side = cell[axis] + (axis == 0 ? l : 0) == 0, touched = weight[to + l] > 1e-9;
    u[to + l] = touched && !side ? u[to + l] / weight[to + l] : 0.0;
    if (touched || side) known |= 1u << l;
  }
  return known;
}

void vl_transfer_to_grid(const vlParticles *p, const vlGrid *g, const vlBlocks *wet, double *const u[3],
                         double *const weight[3], vlFaceMask *known)
{
  const vlBlocks *home = &p->home;
#pragma omp parallel for schedule(static)
  for (int b = 0; b < wet->count; b++) clear_block(g, wet->at[b], u, weight);
  for (int color = 0; color < 3; color++) { /* a plane writes to itself and its neighbours */
#pragma omp parallel for schedule(dynamic)
    for (int k = color; k < g->n[2]; k += 3)
      for (int b = home->plane_start[k]; b < home->plane_start[k + 1]; b++) {
        Spread s = {0};
        spread_particles(&s, p, g, b);
        add_spread(&s, g, home->at[b], u, weight);
      }
  }
#pragma omp parallel for schedule(static)
  for (int b = 0; b < wet->count; b++)
    for (int a = 0; a < 3; a++)
      known->bits[a][b] = (unsigned short)(g->n[a] > 1 ? divide_block(g, wet->at[b], a, weight[a], u[a]) : 0xffffu);
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
