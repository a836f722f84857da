/* Grids and stencils of any size for the tests, from a function of the cell. */
#ifndef VL_TESTS_GRIDS_H
#define VL_TESTS_GRIDS_H

#include <math.h>

#include "base/vec.h"
#include "grid/blocks.h"
#include "linear/stencil.h"

static inline vlGrid make_grid(int nx, int ny, int nz, double dx, vlVec3 origin)
{
  vlGridDef box = {.origin = origin, .size = vl_vec(nx * dx, ny * dx, nz * dx), .dx = dx};
  vlGrid grid = {0};
  vlStatus status = {0};
  assert_int_equal(vl_grid_create(&grid, &box, &status), VL_OK);
  assert_int_equal(grid.n[0], nx);
  assert_int_equal(grid.n[1], ny);
  assert_int_equal(grid.n[2], nz);
  return grid;
}

/* Level set in cells, negative in liquid. */
typedef double CellPhi(const int n[3], int i, int j, int k);

/* Links of one liquid cell; walls on the domain's sides. */
static inline void set_cell(vlStencil *s, CellPhi *phi, const int cell[3], size_t at)
{
  const int *n = s->blocks.n;
  double in = phi(n, cell[0], cell[1], cell[2]), diagonal = 0.0;
  for (int a = 0; a < 3; a++)
    for (int side = -1; side <= 1; side += 2) {
      int o[3] = {cell[0], cell[1], cell[2]};
      o[a] += side;
      if (o[a] < 0 || o[a] >= n[a]) continue;
      double out = phi(n, o[0], o[1], o[2]);
      diagonal += out < 0.0 ? 1.0 : 1.0 / fmax(1e-4, in / (in - out));
      if (side < 0 && out < 0.0) s->w[a][at] = 1.0;
    }
  s->diagonal[at] = diagonal;
}

static inline void make_stencil(vlStencil *s, const int n[3], CellPhi *phi)
{
  vlStatus status = {0};
  assert_int_equal(vl_stencil_create(s, n, &status), VL_OK);
  for (int k = 0; k < n[2]; k++)
    for (int j = 0; j < n[1]; j++)
      for (int bx = 0; bx < s->blocks.columns; bx++) {
        bool any = false;
        for (int i = bx * VL_BLOCK; i < (bx + 1) * VL_BLOCK && i < n[0]; i++) any = any || phi(n, i, j, k) < 0.0;
        if (any) assert_true(vl_blocks_append(&s->blocks, bx, j, k));
      }
  vl_blocks_end(&s->blocks);
  assert_int_equal(vl_stencil_resize(s, &status), VL_OK);
  for (int b = 0; b < s->blocks.count; b++) {
    vlBlockPosition p = s->blocks.at[b];
    for (int l = 0; l < vl_blocks_width(&s->blocks, p); l++) {
      const int cell[3] = {p.bx * VL_BLOCK + l, p.j, p.k};
      if (phi(n, cell[0], cell[1], cell[2]) < 0.0) set_cell(s, phi, cell, (size_t)b * VL_BLOCK + (size_t)l);
    }
  }
  vl_stencil_finish(s);
}

/* Everything liquid, no air: the pure Neumann problem. */
static inline double phi_full(const int n[3], int i, int j, int k)
{
  (void)n, (void)i, (void)j, (void)k;
  return -1.0;
}

/* A pool with a wavy surface at about 60 % of the height; z is up where y has one cell only. */
static inline double phi_pool(const int n[3], int i, int j, int k)
{
  int up = n[1] > 1 ? 1 : 2;
  double x = (i + 0.5) / n[0], z = up == 1 ? (k + 0.5) / n[2] : 0.0;
  return (up == 1 ? j : k) + 0.5 - n[up] * (0.6 + 0.1 * sin(7.0 * x + 3.0 * z));
}

/* Compact vector of random values on the unknowns, zeros elsewhere. */
static inline double *stencil_random(const vlStencil *s, uint64_t seed)
{
  double *x = vl_stencil_vector_create((size_t)s->blocks.count);
  assert_non_null(x);
  for (size_t i = 0; i < vl_stencil_length(s); i++) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    if (s->diagonal[i] > 0.0) x[i] = (double)(seed >> 11) * 0x1p-52 - 1.0;
  }
  return x;
}

static inline double *stencil_zero(const vlStencil *s)
{
  double *x = vl_stencil_vector_create((size_t)s->blocks.count);
  assert_non_null(x);
  return x;
}

#endif
