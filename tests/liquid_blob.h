/* A dam-break-like set of unknowns for solver tests: a column with a tilted wavy surface, droplets above it and bubbles in
 * it, walls on the domain's sides. */
#ifndef VL_TESTS_LIQUID_BLOB_H
#define VL_TESTS_LIQUID_BLOB_H

#include <math.h>
#include <stdint.h>

#include "linear/stencil.h"

static inline double blob_hash(int i, int j, int k)
{
  uint32_t h = (uint32_t)i * 73856093u ^ (uint32_t)j * 19349663u ^ (uint32_t)k * 83492791u;
  h = (h ^ h >> 13) * 1274126177u;
  return (double)(h ^ h >> 16) / 4294967296.0;
}

/* Level set in cells: about 36 % of the box is liquid. */
static inline double blob_phi(int n, int i, int j, int k)
{
  double x = (i + 0.5) / n, y = (j + 0.5) / n, z = (k + 0.5) / n;
  double phi = y - (0.62 - 0.45 * x + 0.04 * sin(9.0 * x + 5.0 * z));
  int cell = n / 8 < 4 ? 4 : n / 8;
  int ci = i / cell, cj = j / cell, ck = k / cell;
  double r = (0.12 + 0.25 * blob_hash(ci, cj, ck)) * cell / n;
  double dx = x - (ci + 0.5) * cell / n, dy = y - (cj + 0.5) * cell / n, dz = z - (ck + 0.5) * cell / n;
  double ball = sqrt(dx * dx + dy * dy + dz * dz) - r;
  if (blob_hash(ck, ci, cj) < 0.35) phi = phi > 0.0 ? fmin(phi, ball) : fmax(phi, -ball);
  return phi * n;
}

/* Weights 1 between liquid cells, 1/theta to air; n cells a side (nz = 1: a slab). */
static inline vlCode blob_stencil(vlStencil *s, int n, int nz, vlStatus *status)
{
  vlCode code = vl_stencil_create(s, (const int[3]){n, n, nz}, status);
  if (code) return code;
  vl_blocks_begin(&s->blocks);
  for (int k = 0; k < nz; k++)
    for (int j = 0; j < n; j++)
      for (int bx = 0; bx < s->blocks.columns; bx++) {
        bool any = false;
        for (int l = 0; l < VL_BLOCK && bx * VL_BLOCK + l < n; l++) any = any || blob_phi(n, bx * VL_BLOCK + l, j, k) < 0.0;
        if (any) vl_blocks_append(&s->blocks, bx, j, k);
      }
  vl_blocks_end(&s->blocks);
  code = vl_stencil_resize(s, status);
  if (code) return code;
  const int size[3] = {n, n, nz};
  for (int b = 0; b < s->blocks.count; b++) {
    vlBlockPosition p = s->blocks.at[b];
    for (int l = 0; l < VL_BLOCK && p.bx * VL_BLOCK + l < n; l++) {
      const int c[3] = {p.bx * VL_BLOCK + l, p.j, p.k};
      double phi = blob_phi(n, c[0], c[1], c[2]), diagonal = 0.0;
      if (phi >= 0.0) continue;
      for (int a = 0; a < 3; a++)
        for (int side = -1; side <= 1; side += 2) {
          int o[3] = {c[0], c[1], c[2]};
          o[a] += side;
          if (o[a] < 0 || o[a] >= size[a]) continue;
          double other = blob_phi(n, o[0], o[1], o[2]);
          double weight = other < 0.0 ? 1.0 : 1.0 / fmax(1e-4, phi / (phi - other));
          diagonal += weight;
          if (side < 0 && other < 0.0) s->w[a][b * VL_BLOCK + l] = 1.0;
        }
      s->diagonal[b * VL_BLOCK + l] = diagonal;
    }
  }
  vl_stencil_finish(s);
  return VL_OK;
}

#endif
