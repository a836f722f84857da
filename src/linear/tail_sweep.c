/* The tail of a stencil in multigrid: see tail_sweep.h. One thread goes through it in order; what it passes over is a small
 * part of the system. */
#include "linear/tail_sweep.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"

void vl_tail_sweep_clear(vlTailSweep *s)
{
  free(s->inverse);
  free(s->cell);
  free(s->held);
  free(s->start);
  free(s->beside);
  free(s->sum);
  *s = (vlTailSweep){0};
}

double vl_tail_sweep_bytes(const vlTailSweep *s)
{
  return (double)(s->inverse_capacity + s->sum_capacity) * sizeof(double) + (double)s->held_capacity * sizeof(float) +
         (double)(s->start_capacity + s->cell_capacity) * sizeof(int) + (double)s->beside_capacity * sizeof(vlTailNeighbour);
}

/* Counts the neighbours of each unknown of the tail one place up, or puts them there. */
static void walk_pairs(vlTailSweep *s, const vlStencil *stencil, bool fill)
{
  for (int q = 0; q < stencil->pair_count; q++) {
    vlStencilPair pair = stencil->pair[q];
    const int end[2] = {pair.i, pair.j};
    for (int side = 0; side < 2; side++) {
      int e = end[side] - s->first;
      if (e < 0) continue;
      if (fill)
        s->beside[s->start[e + 1]++] = (vlTailNeighbour){end[1 - side], pair.w};
      else
        s->start[e + 2]++;
    }
  }
}

static bool reserve(vlTailSweep *s, size_t count, size_t entries)
{
  return vl_array_reserve((void **)&s->inverse, &s->inverse_capacity, count, sizeof *s->inverse) &&
         vl_array_reserve((void **)&s->cell, &s->cell_capacity, count, sizeof *s->cell) &&
         vl_array_reserve((void **)&s->held, &s->held_capacity, count, sizeof *s->held) &&
         vl_array_reserve((void **)&s->start, &s->start_capacity, count + 2, sizeof *s->start) &&
         vl_array_reserve((void **)&s->beside, &s->beside_capacity, entries, sizeof *s->beside);
}

vlCode vl_tail_sweep_build(vlTailSweep *s, const vlStencil *stencil, vlStatus *status)
{
  s->first = (int)vl_stencil_tail(stencil);
  s->cells = stencil->blocks.count * VL_BLOCK;
  s->count = stencil->extra;
  if (s->count == 0) return VL_OK;
  size_t count = (size_t)s->count, entries = 2 * (size_t)stencil->pair_count + 1;
  if (!reserve(s, count, entries))
    return vl_fail_memory(status, entries * sizeof *s->beside, "the tail of the pressure matrix");
  for (int e = 0; e < s->count; e++) {
    double diagonal = stencil->diagonal[s->first + e];
    s->inverse[e] = diagonal > 0.0 ? 1.0 / diagonal : 0.0;
    s->cell[e] = diagonal > 0.0 ? stencil->extra_cell[e] : -1;
  }
  memset(s->start, 0, (count + 2) * sizeof *s->start);
  walk_pairs(s, stencil, false);
  for (size_t e = 2; e < count + 2; e++) s->start[e] += s->start[e - 1];
  walk_pairs(s, stencil, true);
  return VL_OK;
}

/* The cell that an unknown is part of on coarser grids; -1: none. */
static int cell_of(const vlTailSweep *s, int place) { return place < s->first ? place : s->cell[place - s->first]; }

/* Axis along which cell b is next to a, above it, or with its bits turned over, below; 3: elsewhere, or there is none. */
static int axis_between(const vlStencil *stencil, int a, int b)
{
  if (a < 0 || b < 0) return 3;
  vlBlockPosition p = stencil->blocks.at[a / VL_BLOCK], q = stencil->blocks.at[b / VL_BLOCK];
  const int step[3] = {(q.bx - p.bx) * VL_BLOCK + b % VL_BLOCK - a % VL_BLOCK, q.j - p.j, q.k - p.k};
  if (abs(step[0]) + abs(step[1]) + abs(step[2]) != 1) return 3;
  int axis = step[0] ? 0 : step[1] ? 1 : 2;
  return step[axis] > 0 ? axis : ~axis;
}

vlCode vl_tail_sweep_gather(vlTailSweep *s, const vlStencil *stencil, vlLevel *level, vlStatus *status)
{
  size_t all = (size_t)s->first + (size_t)s->count;
  if (!vl_array_reserve((void **)&s->sum, &s->sum_capacity, all, sizeof *s->sum))
    return vl_fail_memory(status, all * sizeof *s->sum, "the tail of the pressure matrix");
  memset(s->sum, 0, all * sizeof *s->sum);
  for (int q = 0; q < stencil->pair_count; q++) { /* less links between unknowns, more links between cells */
    vlStencilPair pair = stencil->pair[q];
    int a = cell_of(s, pair.i), b = cell_of(s, pair.j), axis = axis_between(stencil, a, b);
    if (axis == 3 && !(a == b && a >= 0)) continue;
    s->sum[pair.i] -= pair.w;
    s->sum[pair.j] -= pair.w;
    if (a == b) continue;
    s->sum[a] += pair.w;
    s->sum[b] += pair.w;
    level->w[axis < 0 ? ~axis : axis][axis < 0 ? a : b] += (float)pair.w;
  }
  for (int e = 0; e < s->count; e++) {
    double diagonal = stencil->diagonal[s->first + e], fixed = diagonal + s->sum[s->first + e];
    if (s->cell[e] >= 0 && fixed > 1e-9 * diagonal) s->sum[s->cell[e]] += fixed;
  }
  for (int i = 0; i < s->cells; i++)
    if (s->sum[i] != 0.0) level->diagonal[i] = (float)(stencil->diagonal[i] + s->sum[i]);
  return VL_OK;
}

/* What an unknown's neighbours give it: sum of w z; x: of cells, scaled, NULL: they stand in z. */
static double pull_of(const vlTailSweep *s, int e, const double *z, const float *x, double scale)
{
  double sum = 0.0;
  for (int i = s->start[e]; i < s->start[e + 1]; i++) {
    int at = s->beside[i].at;
    sum += s->beside[i].w * (at >= s->first || !x ? z[at] : scale * (double)x[at]);
  }
  return sum;
}

/* Adds to the cells' right-hand side what a change of z takes from them. */
static void push(const vlTailSweep *s, int e, double change, float *b)
{
  for (int i = s->start[e]; i < s->start[e + 1]; i++)
    if (s->beside[i].at < s->first) b[s->beside[i].at] += (float)(s->beside[i].w * change);
}

static void relax(const vlTailSweep *s, int e, const double *r, double *z, vlLevel *level, double scale)
{
  int own = s->first + e;
  z[own] = s->inverse[e] * (r[own] + pull_of(s, e, z, level->x, scale));
}

void vl_tail_sweep_begin(const vlTailSweep *s, const double *r, double *z, vlLevel *level, double scale)
{
  if (s->count == 0) return;
  for (int i = s->cells; i < s->first + s->count; i++) z[i] = 0.0;
  for (int e = 0; e < s->count; e++) {
    int own = s->first + e;
    double sum = r[own];
    for (int i = s->start[e]; i < s->start[e + 1]; i++)
      if (s->beside[i].at >= s->first) sum += s->beside[i].w * z[s->beside[i].at];
    z[own] = s->inverse[e] * sum;
    push(s, e, z[own] / scale, level->b);
  }
}

void vl_tail_sweep_down(const vlTailSweep *s, const double *r, double *z, vlLevel *level, double scale)
{
  for (int e = s->count - 1; e >= 0; e--) {
    double before = z[s->first + e];
    relax(s, e, r, z, level, scale);
    push(s, e, (z[s->first + e] - before) / scale, level->b);
  }
}

void vl_tail_sweep_residual(const vlTailSweep *s, const double *r, const double *z, vlLevel *level, double scale)
{
  for (int e = 0; e < s->count; e++) {
    int own = s->first + e;
    if (s->cell[e] < 0) continue;
    level->r[s->cell[e]] += (float)((r[own] + pull_of(s, e, z, level->x, scale) - z[own] / s->inverse[e]) / scale);
  }
}

void vl_tail_sweep_hold(const vlTailSweep *s, const vlLevel *level)
{
  for (int e = 0; e < s->count; e++) s->held[e] = s->cell[e] < 0 ? 0.0f : level->x[s->cell[e]];
}

void vl_tail_sweep_up(const vlTailSweep *s, const double *r, double *z, vlLevel *level, double scale)
{
  for (int e = 0; e < s->count; e++) {
    if (s->cell[e] < 0) continue;
    double change = (double)(level->x[s->cell[e]] - s->held[e]);
    z[s->first + e] += scale * change;
    push(s, e, change, level->b);
  }
  for (int e = 0; e < s->count; e++) {
    double before = z[s->first + e];
    relax(s, e, r, z, level, scale);
    push(s, e, (z[s->first + e] - before) / scale, level->b);
  }
}

void vl_tail_sweep_end(const vlTailSweep *s, const double *r, double *z)
{
  for (int e = s->count - 1; e >= 0; e--) z[s->first + e] = s->inverse[e] * (r[s->first + e] + pull_of(s, e, z, NULL, 0.0));
}
