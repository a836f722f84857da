/* Particles to grid [bridson2015]: u_f = sum w v / sum w with trilinear w around the face, for affine particles v + c (x_f -
 * x_p) [jiang2015]. The particles of a block are summed for the faces around it and then added to the fields, plane by plane
 * of blocks; planes that are worked on at the same time lie three apart, so no two threads write to one face, and the order
 * of the sums does not depend on their number. The way back is carry.c. */
#include "liquid/transfer.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

bool vl_face_mask_reserve(vlFaceMask *mask, int blocks)
{
  bool ok = true;
  for (int a = 0; a < 3; a++)
    ok = vl_array_reserve(&mask->bits[a], &mask->capacity[a], (size_t)blocks + 1, sizeof *mask->bits[a]) && ok;
  return ok;
}

void vl_face_mask_clear(vlFaceMask *mask)
{
  for (int a = 0; a < 3; a++) free(mask->bits[a]);
  *mask = (vlFaceMask){0};
}

/* What the particles of one block give to the faces around it. A particle lies between two faces along x and between two
 * rows each along y and z; the four rows are the lanes of a vector, and `sum` has one for every face -1 .. 16 and every
 * place of the four rows, which begin at the block's own or one below. */
enum { FACES = VL_BLOCK + 2, ROWS = 4 };
typedef double Rows __attribute__((vector_size(ROWS * sizeof(double)))); /* lane 2 dk + dj */
typedef struct Sum {
  Rows momentum, weight;
} Sum;
typedef struct Spread {
  Sum sum[3][2][2][FACES]; /* [axis][k][j][face] */
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

/* One particle to the eight faces around it along one axis. slope: of its velocity, NULL: none. */
static inline void spread_one(Spread *s, int axis, Between x, Between y, Between z, double v, const double *slope)
{
  Sum *lower = &s->sum[axis][z.base + 1][y.base + 1][x.base + 1], *upper = lower + 1;
  const Rows across = {1.0 - y.f, y.f, 1.0 - y.f, y.f}, up = {1.0 - z.f, 1.0 - z.f, z.f, z.f}, w = across * up;
  Rows below = w * (1.0 - x.f), above = w * x.f;
  lower->weight += below;
  upper->weight += above;
  if (!slope) {
    lower->momentum += below * v;
    upper->momentum += above * v;
    return;
  }
  const Rows from_y = {-y.f, 1.0 - y.f, -y.f, 1.0 - y.f}, from_z = {-z.f, -z.f, 1.0 - z.f, 1.0 - z.f};
  Rows here = v + slope[1] * from_y + slope[2] * from_z;
  lower->momentum += below * (here - slope[0] * x.f);
  upper->momentum += above * (here + slope[0] * (1.0 - x.f));
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
    double slope[3][3];
    for (int a = 0; a < 3 && p->affine; a++)
      for (int b = 0; b < 3; b++) slope[a][b] = g->n[b] == 1 ? 0.0 : g->dx * (double)p->c[a][b][i];
    spread_one(s, 0, on[0], off[1], off[2], (double)p->v[0][i], p->affine ? slope[0] : NULL);
    spread_one(s, 1, off[0], on[1], off[2], (double)p->v[1][i], p->affine ? slope[1] : NULL);
    spread_one(s, 2, off[0], off[1], on[2], (double)p->v[2][i], p->affine ? slope[2] : NULL);
  }
}

/* Adds a block's shares to the fields, where there are cells. */
static void add_spread(const Spread *s, const vlGrid *g, vlBlockPosition at, double scale, double *const u[3],
                       double *const weight[3])
{
  int i0 = at.bx * VL_BLOCK - 1, lo = i0 < 0 ? 1 : 0, hi = g->n[0] - i0 < FACES ? g->n[0] - i0 : FACES;
  for (int a = 0; a < 3; a++)
    for (int q = 0; q < 4 * ROWS; q++) {
      int base_k = q >> 3, base_j = q >> 2 & 1, row = q & 3, j = at.j + base_j - 1 + (row & 1),
          k = at.k + base_k - 1 + (row >> 1);
      if (j < 0 || k < 0 || j >= g->n[1] || k >= g->n[2] || g->n[a] == 1) continue;
      const Sum *sum = s->sum[a][base_k][base_j];
      ptrdiff_t to = vl_grid_at(g, i0, j, k);
      for (int l = lo; l < hi; l++) {
        u[a][to + l] += scale * sum[l].momentum[row];
        weight[a][to + l] += scale * sum[l].weight[row];
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

void vl_transfer_clear(const vlGrid *g, const vlBlocks *wet, double *const u[3], double *const weight[3])
{
#pragma omp parallel for schedule(static)
  for (int b = 0; b < wet->count; b++) clear_block(g, wet->at[b], u, weight);
}

void vl_transfer_add(const vlParticles *p, const vlGrid *g, double scale, double *const u[3], double *const weight[3])
{
  const vlBlocks *home = &p->home;
  for (int color = 0; color < 3; color++) { /* a plane writes to itself and its neighbours */
#pragma omp parallel for schedule(dynamic)
    for (int k = color; k < g->n[2]; k += 3)
      for (int b = home->plane_start[k]; b < home->plane_start[k + 1]; b++) {
        Spread s = {0};
        spread_particles(&s, p, g, b);
        add_spread(&s, g, home->at[b], scale, u, weight);
      }
  }
}

void vl_transfer_divide(const vlGrid *g, const vlBlocks *wet, double *const u[3], double *const weight[3], vlFaceMask *known)
{
#pragma omp parallel for schedule(static)
  for (int b = 0; b < wet->count; b++)
    for (int a = 0; a < 3; a++)
      known->bits[a][b] = (unsigned short)(g->n[a] > 1 ? divide_block(g, wet->at[b], a, weight[a], u[a]) : 0xffffu);
}

void vl_transfer_to_grid(const vlParticles *p, const vlGrid *g, const vlBlocks *wet, double *const u[3],
                         double *const weight[3], vlFaceMask *known)
{
  vl_transfer_clear(g, wet, u, weight);
  vl_transfer_add(p, g, 1.0, u, weight);
  vl_transfer_divide(g, wet, u, weight, known);
}

/* Extrapolation in layers: an unknown face takes the mean of its known neighbours along the six directions, all faces of a
 * layer from the layer before, so the result does not depend on the order of the faces. */

static unsigned bits_at(const vlFaceMask *mask, const vlBlocks *wet, int axis, int bx, int j, int k)
{
  int b = vl_blocks_find(wet, bx, j, k);
  return b < 0 ? 0u : mask->bits[axis][b];
}

/* Bits of the faces whose neighbour in each of the six directions is known. */
static void neighbour_bits(const vlFaceMask *mask, const vlBlocks *wet, int axis, vlBlockPosition p, unsigned own,
                           unsigned near[6])
{
  near[0] = (own << 1 | bits_at(mask, wet, axis, p.bx - 1, p.j, p.k) >> (VL_BLOCK - 1)) & 0xffffu;
  near[1] = own >> 1 | (bits_at(mask, wet, axis, p.bx + 1, p.j, p.k) & 1u) << (VL_BLOCK - 1);
  near[2] = bits_at(mask, wet, axis, p.bx, p.j - 1, p.k);
  near[3] = bits_at(mask, wet, axis, p.bx, p.j + 1, p.k);
  near[4] = bits_at(mask, wet, axis, p.bx, p.j, p.k - 1);
  near[5] = bits_at(mask, wet, axis, p.bx, p.j, p.k + 1);
}

/* Four lanes of a block at once: numbers, and masks of all bits or none. */
typedef double Lanes __attribute__((vector_size(32)));
typedef int64_t LaneBits __attribute__((vector_size(32)));
enum { LANES = 4 };

/* What is read beside the known values another thread may just be writing: it is masked out. */
#if defined(__clang__)
#define VL_MASKED_READS __attribute__((no_sanitize("thread")))
#else
#define VL_MASKED_READS
#endif

/* The mean of the known neighbours, of four faces; masked out others add 0, so that the sum is theirs to the last bit. */
VL_MASKED_READS static Lanes mean_of_known(const double *u, const unsigned near[6], const ptrdiff_t step[6], int first)
{
  Lanes sum = {0}, count = {0}, one = {1.0, 1.0, 1.0, 1.0};
  const LaneBits bit = {1, 2, 4, 8};
  for (int n = 0; n < 6; n++) {
    unsigned some = near[n] >> first & 15u;
    if (!some) continue;
    LaneBits known = ((int64_t)some & bit) != 0;
    Lanes value;
    memcpy(&value, u + step[n], sizeof value);
    sum += (Lanes)((LaneBits)value & known);
    count += (Lanes)((LaneBits)one & known);
  }
  return sum / count;
}

static unsigned fill_block(const vlGrid *g, const vlBlocks *wet, int b, int axis, const vlFaceMask *mask, double *u)
{
  vlBlockPosition p = wet->at[b];
  unsigned own = mask->bits[axis][b], near[6], inside = (1u << vl_blocks_width(wet, p)) - 1u;
  if ((own & inside) == inside) return own;
  neighbour_bits(mask, wet, axis, p, own, near);
  unsigned some = (near[0] | near[1] | near[2] | near[3] | near[4] | near[5]) & ~own & inside;
  const ptrdiff_t step[6] = {-1, 1, -g->stride[1], g->stride[1], -g->stride[2], g->stride[2]};
  ptrdiff_t at = vl_blocks_field(g, p);
  for (int first = 0; first < VL_BLOCK; first += LANES) {
    unsigned wanted = some >> first & 15u;
    if (!wanted) continue;
    Lanes mean = mean_of_known(u + at + first, near, step, first);
    for (; wanted; wanted &= wanted - 1u) u[at + first + __builtin_ctz(wanted)] = mean[__builtin_ctz(wanted)];
  }
  return own | some;
}

void vl_extrapolate(const vlGrid *grid, const vlBlocks *wet, double *const u[3], vlFaceMask *known, vlFaceMask *scratch,
                    int layers)
{
  for (int layer = 0; layer < layers; layer++)
    for (int a = 0; a < 3; a++) {
      if (grid->n[a] == 1) continue;
#pragma omp parallel for schedule(static)
      for (int b = 0; b < wet->count; b++) scratch->bits[a][b] = (unsigned short)fill_block(grid, wet, b, a, known, u[a]);
      memcpy(known->bits[a], scratch->bits[a], (size_t)wet->count * sizeof *known->bits[a]);
    }
}

void vl_free_sides(const vlGrid *g, const vlBlocks *wet, const double *phi, const vlOpenSides *open, double *const u[3])
{
#pragma omp parallel for schedule(static)
  for (int b = 0; b < wet->count; b++) {
    vlBlockPosition p = wet->at[b];
    ptrdiff_t at = vl_blocks_field(g, p);
    for (int a = 0; a < 3; a++) {
      if (g->n[a] == 1) continue;
      for (int l = 0; l < vl_blocks_width(wet, p); l++) {
        const int cell = a == 0 ? p.bx * VL_BLOCK + l : a == 1 ? p.j : p.k;
        ptrdiff_t here = at + l, next = here + g->stride[a];
        bool wall = phi[here] < 0.0;
        bool lower = open && open->side[2 * a], upper = open && open->side[2 * a + 1], keep = wall && open && open->keep;
        if (cell == 0 && !(lower && keep)) u[a][here] = wall && !lower ? 0.0 : u[a][next];
        if (cell == g->n[a] - 1 && !(upper && keep)) u[a][next] = wall && !upper ? 0.0 : u[a][here];
      }
    }
  }
}
