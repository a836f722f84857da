/* Seeding: a jittered sub-cell lattice over the cells of the shape's bounding box. Jitter comes from a hash of cell,
 * sub-cell and salt, so it is the same for any number of threads and any order. */
#include "liquid/seed.h"

#include <stdlib.h>

#include "base/status.h"

static double hash(uint64_t key)
{
  key ^= key >> 33;
  key *= 0xff51afd7ed558ccdu;
  key ^= key >> 33;
  key *= 0xc4ceb9fe1a85ec53u;
  key ^= key >> 33;
  return (double)(key >> 11) * 0x1p-53;
}

static int cell_below(double x, int n) { return x < 0.0 ? 0 : x > n ? n : (int)x; }

static bool holds_particles(const vlParticles *p, int i, int j, int k)
{
  int block = vl_blocks_find(&p->home, i / VL_BLOCK, j, k), first, last;
  if (block < 0) return false;
  vl_particles_in(p, block, i % VL_BLOCK, i % VL_BLOCK + 1, &first, &last);
  return first < last;
}

/* The sub-cell points of one cell that are liquid, into x; returns how many. */
static int seed_cell(const vlGrid *g, const vlSeed *seed, int i, int j, int k, float x[][3])
{
  int m = seed->per_axis, flat = g->n[2] == 1, count = 0;
  for (int s = 0; s < m * m * (flat ? 1 : m); s++) {
    const int sub[3] = {s % m, s / m % m, s / (m * m)}, cell[3] = {i, j, k};
    double q[3];
    for (int a = 0; a < 3; a++) {
      uint64_t key = ((((uint64_t)k * 8191u + (uint64_t)j) * 8191u + (uint64_t)i) * 64u + (uint64_t)s) * 3u + (uint64_t)a;
      q[a] = g->n[a] == 1 ? 0.5 : cell[a] + (sub[a] + hash(key ^ seed->salt * 0x9e3779b97f4a7c15u)) / m;
    }
    vlVec3 world = vl_add(g->origin, vl_vec(q[0] * g->dx, q[1] * g->dx, q[2] * g->dx));
    if (seed->liquid(seed->liquid_data, world) >= 0.0) continue;
    if (seed->solid && seed->solid(seed->solid_data, world) < 0.02 * g->dx) continue;
    for (int a = 0; a < 3; a++) x[count][a] = (float)fmin(q[a], g->n[a] - 1e-3); /* rounding must not leave the grid */
    count++;
  }
  return count;
}

vlCode vl_seed(vlParticles *p, const vlGrid *g, const vlSeed *seed, size_t *added, vlStatus *status)
{
  int lo[3], hi[3];
  size_t before = p->count;
  for (int a = 0; a < 3; a++) {
    lo[a] = cell_below(floor((seed->bounds.lo.v[a] - g->origin.v[a]) / g->dx), g->n[a]);
    hi[a] = cell_below(floor((seed->bounds.hi.v[a] - g->origin.v[a]) / g->dx) + 1.0, g->n[a]);
  }
  const float v[3] = {(float)seed->velocity.x, (float)seed->velocity.y, g->n[2] > 1 ? (float)seed->velocity.z : 0.0f};
  double reach = 0.5 * sqrt(3.0) * g->dx;
  for (int k = lo[2]; k < hi[2]; k++)
    for (int j = lo[1]; j < hi[1]; j++)
      for (int i = lo[0]; i < hi[0]; i++) {
        float x[64][3];
        if (seed->liquid(seed->liquid_data, vl_grid_center(g, i, j, k)) > reach) continue;
        if (seed->only_empty && holds_particles(p, i, j, k)) continue;
        int count = seed_cell(g, seed, i, j, k, x);
        vlCode code = vl_particles_reserve(p, p->count + (size_t)count, status);
        if (code) return code;
        for (int c = 0; c < count; c++) vl_particles_add(p, x[c], v);
      }
  *added = p->count - before;
  return VL_OK;
}
