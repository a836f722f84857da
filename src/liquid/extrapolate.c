/* Extrapolation in layers: an unknown face takes the mean of its known neighbours along the six directions, all faces of a
 * layer from the layer before, so the result does not depend on the order of the faces. */
#include "liquid/transfer.h"

#include <string.h>

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

static unsigned fill_block(const vlGrid *g, const vlBlocks *wet, int b, int axis, const vlFaceMask *mask, double *u)
{
  vlBlockPosition p = wet->at[b];
  unsigned own = mask->bits[axis][b], near[6], inside = (1u << vl_blocks_width(wet, p)) - 1u;
  if ((own & inside) == inside) return own;
  neighbour_bits(mask, wet, axis, p, own, near);
  unsigned some = (near[0] | near[1] | near[2] | near[3] | near[4] | near[5]) & ~own & inside;
  const ptrdiff_t step[6] = {-1, 1, -g->stride[1], g->stride[1], -g->stride[2], g->stride[2]};
  ptrdiff_t at = vl_blocks_field(g, p);
  for (int l = 0; l < VL_BLOCK; l++) {
    if (!(some >> l & 1u)) continue;
    double sum = 0.0;
    int count = 0;
    for (int n = 0; n < 6; n++)
      if (near[n] >> l & 1u) {
        sum += u[at + l + step[n]];
        count++;
      }
    u[at + l] = sum / count;
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

void vl_free_sides(const vlGrid *g, const vlBlocks *wet, const double *phi, double *const u[3])
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
        if (cell == 0) u[a][here] = wall ? 0.0 : u[a][next];
        if (cell == g->n[a] - 1) u[a][next] = wall ? 0.0 : u[a][here];
      }
    }
  }
}
