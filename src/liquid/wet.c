/* Wet blocks: the blocks with particles, grown by a few cells along every axis so that velocities can be extrapolated as far
 * as particles may travel. Along x a block is added only when a particle is close enough to its end. */
#include "liquid/particles.h"

#include <string.h>

#include "base/status.h"

typedef struct Bounds {
  int lo[3], hi[3];
} Bounds;

static int clamp(int value, int n) { return value < 0 ? 0 : value >= n ? n - 1 : value; }

static Bounds reach_of(const vlParticles *p, int block, int reach)
{
  vlBlockPosition at = p->home.at[block];
  const int *n = p->home.n;
  /* first and last cell of the block that hold particles */
  const int *start = p->cell_start + (ptrdiff_t)block * VL_BLOCK;
  int first = 0, last = VL_BLOCK - 1;
  while (first < last && start[first + 1] == start[0]) first++;
  while (last > first && start[last] == start[VL_BLOCK]) last--;
  first = clamp(at.bx * VL_BLOCK + first - reach, n[0]);
  last = clamp(at.bx * VL_BLOCK + last + reach, n[0]);
  return (Bounds){{first / VL_BLOCK, clamp(at.j - reach, n[1]), clamp(at.k - reach, n[2])},
                  {last / VL_BLOCK, clamp(at.j + reach, n[1]), clamp(at.k + reach, n[2])}};
}

static void mark(const vlParticles *p, int reach, vlBlocks *wet, Bounds *all)
{
  for (int b = 0; b < p->home.count; b++) {
    Bounds r = reach_of(p, b, reach);
    for (int k = r.lo[2]; k <= r.hi[2]; k++)
      for (int j = r.lo[1]; j <= r.hi[1]; j++)
        for (int bx = r.lo[0]; bx <= r.hi[0]; bx++) wet->map[vl_blocks_place(wet, bx, j, k)] = 1;
    for (int a = 0; a < 3; a++) {
      all->lo[a] = r.lo[a] < all->lo[a] ? r.lo[a] : all->lo[a];
      all->hi[a] = r.hi[a] > all->hi[a] ? r.hi[a] : all->hi[a];
    }
  }
}

vlCode vl_wet_around(const vlParticles *p, vlParticles *const *guests, int guest_count, const vlGrid *grid, int reach,
                     vlBlocks *wet, vlStatus *status)
{
  Bounds all = {{wet->columns, grid->n[1], grid->n[2]}, {-1, -1, -1}};
  vl_blocks_begin(wet);
  mark(p, reach, wet, &all);
  for (int s = 0; s < guest_count; s++) mark(guests[s], reach, wet, &all);
  bool ok = true;
  for (int k = all.lo[2]; k <= all.hi[2]; k++)
    for (int j = all.lo[1]; j <= all.hi[1]; j++)
      for (int bx = all.lo[0]; bx <= all.hi[0]; bx++)
        if (wet->map[vl_blocks_place(wet, bx, j, k)]) ok = vl_blocks_append(wet, bx, j, k) && ok;
  vl_blocks_end(wet);
  return ok ? VL_OK : vl_fail_memory(status, (size_t)wet->count * sizeof(vlBlockPosition), "the list of wet blocks");
}

void vl_wet_forget(const vlGrid *grid, const vlBlocks *before, const vlBlocks *now, double *const *fields, int count)
{
#pragma omp parallel for schedule(static)
  for (int b = 0; b < before->count; b++) {
    vlBlockPosition p = before->at[b];
    if (vl_blocks_find(now, p.bx, p.j, p.k) >= 0) continue;
    for (int f = 0; f < count; f++)
      memset(fields[f] + vl_blocks_field(grid, p), 0, (size_t)vl_blocks_width(before, p) * sizeof(double));
  }
}
