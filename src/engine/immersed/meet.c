/* Grains of surfaces by cell, and the way of liquid beside them [brandt2019, sec. 5].
 *
 * Grains within a spacing s of a surface have a normal n. One of them at x2 stops liquid at x, nearer than a spacing or its
 * way in the step, which goes inwards against it:
 *
 *     v += ((v2 - v).n) n
 *
 * and leads out, by a part OUT of the way in a step, what lies inside or nearer than CLEAR s before the surface; that way is
 * no velocity which the particle keeps. Farther from the grain than that, for a surface lies up to a spacing before its
 * grains, it may go as near as CLEAR s and no nearer:
 *
 *     (v - v2).n >= -max(0, room)/dt      room = (x - x2).n - depth - CLEAR s
 *
 * Without that space the weight of the liquid holds it just below the surface, for a part of what presses it in comes anew
 * in each step.
 *
 * They are listed by the cell of the wet blocks that they lie in, with a cone around their normals; `beside` tells at once
 * where there is nothing to look for. What grains do to each other is in touch.c. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/vec.h"
#include "engine/immersed/immersed.h"

static const double OUT = 0.5, CLEAR = 0.25; /* of a step's way; of a spacing */

static int wet_cell(const vlSharp *base, const vlParticles *p, size_t i)
{
  int cell[3] = {(int)p->x[0][i], (int)p->x[1][i], (int)p->x[2][i]};
  int b = vl_blocks_find(&base->work.wet, cell[0] / VL_BLOCK, cell[1], cell[2]);
  return b < 0 ? -1 : b * VL_BLOCK + cell[0] % VL_BLOCK;
}

/* Marks a cell and its neighbours. */
static void mark_beside(vlImmersed *sim, int cell)
{
  const vlBlocks *wet = &sim->base.work.wet;
  vlBlockPosition p = wet->at[cell / VL_BLOCK];
  int i = p.bx * VL_BLOCK + cell % VL_BLOCK;
  for (int k = p.k - 1; k <= p.k + 1; k++)
    for (int j = p.j - 1; j <= p.j + 1; j++)
      for (int c = i - 1; c <= i + 1; c++) {
        if (c < 0 || j < 0 || k < 0 || c >= wet->n[0] || j >= wet->n[1] || k >= wet->n[2]) continue;
        int b = vl_blocks_find(wet, c / VL_BLOCK, j, k);
        if (b >= 0) sim->beside[b] |= (unsigned short)(1u << c % VL_BLOCK);
      }
}

/* Counts the grains of each cell, or puts them there, in the order of guests and of their cells. */
static void pass_grains(vlImmersed *sim, bool put)
{
  for (int s = 0; s < sim->guest_count; s++) {
    const vlParticles *p = sim->guest[s].points;
    for (size_t i = 0; i < p->count; i++) {
      int cell = vl_grain_is_outer(sim->guest[s].grains, (int)p->id[i]) ? wet_cell(&sim->base, p, i) : -1;
      if (cell < 0) continue;
      if (put) {
        sim->outer[sim->first[cell + 1]++] = (vlOuterGrain){s, (int)p->id[i]};
      } else {
        if (sim->first[cell + 2]++ == 0) mark_beside(sim, cell);
      }
    }
  }
}

/* The mean normal of a cell's grains, and the cosine of the widest angle to it. */
static void find_cone(vlImmersed *sim, int cell)
{
  int first = sim->first[cell], end = sim->first[cell + 1];
  vlVec3 sum = vl_vec(0, 0, 0);
  double least = 1.0;
  for (int q = first; q < end; q++) sum = vl_add(sum, sim->guest[sim->outer[q].guest].grains->normal[sim->outer[q].grain]);
  vlVec3 axis = vl_norm(sum) > 0.0 ? vl_unit(sum) : sum;
  for (int q = first; q < end; q++)
    least = fmin(least, vl_dot(axis, sim->guest[sim->outer[q].guest].grains->normal[sim->outer[q].grain]));
  sim->cone[cell] = (vlCone){axis, least};
}

/* first is kept a place up while the grains are put. */
vlCode vl_meet_find(vlImmersed *sim, vlStatus *status)
{
  size_t most = 1, blocks = (size_t)sim->base.work.wet.count + 1, cells = blocks * VL_BLOCK + 2;
  for (int s = 0; s < sim->guest_count; s++) most += (size_t)sim->guest[s].grains->count;
  bool room = vl_array_reserve((void **)&sim->outer, &sim->outer_capacity, most, sizeof *sim->outer) &&
              vl_array_reserve((void **)&sim->first, &sim->first_capacity, cells, sizeof *sim->first) &&
              vl_array_reserve((void **)&sim->cone, &sim->cone_capacity, cells, sizeof *sim->cone) &&
              vl_array_reserve((void **)&sim->beside, &sim->beside_capacity, blocks, sizeof *sim->beside);
  if (!room) return vl_fail_memory(status, most * sizeof *sim->outer, "grains of surfaces");
  memset(sim->beside, 0, blocks * sizeof *sim->beside);
  memset(sim->first, 0, cells * sizeof *sim->first);
  pass_grains(sim, false);
  for (size_t c = 2; c < cells; c++) sim->first[c] += sim->first[c - 1];
  pass_grains(sim, true);
#pragma omp parallel for schedule(static, 256)
  for (int c = 0; c < sim->base.work.wet.count * VL_BLOCK; c++)
    if (sim->first[c + 1] > sim->first[c]) find_cone(sim, c);
  return VL_OK;
}

void vl_meet_clear(vlImmersed *sim)
{
  free(sim->outer);
  free(sim->first);
  free(sim->cone);
  free(sim->beside);
  free(sim->of_guest);
  free(sim->touch);
}

int vl_meet_around(const vlImmersed *sim, const double x[3], int row[VL_MEET_ROWS][2])
{
  const vlBlocks *wet = &sim->base.work.wet;
  int i = (int)x[0], j0 = (int)x[1] - 1, k0 = (int)x[2] - 1, lo = i > 0 ? i - 1 : 0, hi = i + 1 < wet->n[0] ? i + 1 : i;
  int rows = 0;
  for (int k = k0 < 0 ? 0 : k0; k <= k0 + 2 && k < wet->n[2]; k++)
    for (int j = j0 < 0 ? 0 : j0; j <= j0 + 2 && j < wet->n[1]; j++)
      for (int from = lo, to; from <= hi; from = to) { /* cells of one block */
        int b = vl_blocks_find(wet, from / VL_BLOCK, j, k), end = (from / VL_BLOCK + 1) * VL_BLOCK;
        to = hi + 1 < end ? hi + 1 : end;
        if (b < 0) continue;
        int cell = b * VL_BLOCK + from % VL_BLOCK;
        if (sim->first[cell] == sim->first[cell + to - from]) continue;
        row[rows][0] = cell;
        row[rows++][1] = cell + to - from;
      }
  return rows;
}

/* The grain nearest to a place. */
typedef struct Nearest {
  double square; /* m2 */
  vlOuterGrain grain;
} Nearest;

static Nearest find_nearest(const vlImmersed *sim, const double at[3])
{
  const vlGrid *g = &sim->base.grid;
  Nearest n = {.square = g->dx * g->dx, .grain = {-1, -1}};
  vlVec3 x = vl_grid_place(g, at);
  int row[VL_MEET_ROWS][2], rows = vl_meet_around(sim, at, row);
  for (int r = 0; r < rows; r++)
    for (int q = sim->first[row[r][0]]; q < sim->first[row[r][1]]; q++) {
      vlOuterGrain other = sim->outer[q];
      vlVec3 d = vl_sub(sim->guest[other.guest].grains->x[other.grain], x);
      double square = vl_dot(d, d);
      if (square < n.square) n = (Nearest){square, other};
    }
  return n;
}

static bool is_beside(const vlImmersed *sim, const double x[3])
{
  const vlBlocks *wet = &sim->base.work.wet;
  for (int a = 0; a < 3; a++)
    if (!(x[a] >= 0.0 && x[a] < wet->n[a])) return false;
  int b = vl_blocks_find(wet, (int)x[0] / VL_BLOCK, (int)x[1], (int)x[2]);
  return b >= 0 && sim->beside[b] >> (int)x[0] % VL_BLOCK & 1u;
}

/* Takes out of v what leads into the body at the nearest grain, and leads out what is inside; half way of the step skins are
 * half a step on. Beyond the reach of grains it may come as near to the skin as it is to be. */
static void turn(const vlImmersed *sim, vlVec3 x, const Nearest *n, bool lead_out, bool half_way, double v[3])
{
  const vlGuest *guest = &sim->guest[n->grain.guest];
  const vlGrains *grains = guest->grains;
  vlVec3 own = vl_vec(v[0], v[1], v[2]), normal = grains->normal[n->grain.grain], skin = guest->v[n->grain.grain];
  double s = grains->spacing, dt = sim->step_dt, reach = fmin(sim->base.grid.dx, fmax(s, vl_norm(own) * dt));
  double along = vl_dot(vl_sub(x, grains->x[n->grain.grain]), normal), aside = n->square - along * along;
  double room = along - grains->depth[n->grain.grain] - CLEAR * s - (half_way ? 0.5 * dt * vl_dot(skin, normal) : 0.0);
  double into = vl_dot(vl_sub(skin, own), normal);
  if (n->square > reach * reach) {
    if (aside > s * s) return;
    into -= fmax(0.0, room) / dt;
  }
  if (lead_out && aside < s * s) into += fmin(OUT * fmax(0.0, -room), s) / dt;
  if (into <= 0.0) return;
  for (int a = 0; a < 3; a++) v[a] += into * normal.v[a];
}

bool vl_meet_deflects(const void *data, vlBlockPosition block)
{
  const vlImmersed *sim = data;
  for (int k = block.k - 1; k <= block.k + 1; k++)
    for (int j = block.j - 1; j <= block.j + 1; j++)
      for (int bx = block.bx - 1; bx <= block.bx + 1; bx++) {
        int b = vl_blocks_find(&sim->base.work.wet, bx, j, k);
        if (b >= 0 && sim->beside[b]) return true;
      }
  return false;
}

void vl_meet_deflect(const void *data, const double x[3], double v[3], double w[3])
{
  const vlImmersed *sim = data;
  if (!is_beside(sim, x)) return;
  Nearest n = find_nearest(sim, x);
  if (n.grain.guest < 0) return;
  vlVec3 place = vl_grid_place(&sim->base.grid, x);
  turn(sim, place, &n, !w, !w, v);
  if (w) turn(sim, place, &n, true, false, w);
}
