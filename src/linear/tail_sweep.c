/* Sweeps over the tail of a stencil: see tail_sweep.h. One thread goes through it in order; what it passes over is a small
 * part of the system. */
#include "linear/tail_sweep.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"

void vl_tail_sweep_clear(vlTailSweep *s)
{
  free(s->inverse);
  free(s->start);
  free(s->beside);
  *s = (vlTailSweep){0};
}

double vl_tail_sweep_bytes(const vlTailSweep *s)
{
  return (double)s->inverse_capacity * sizeof(double) + (double)s->start_capacity * sizeof(int) +
         (double)s->beside_capacity * sizeof(vlTailNeighbour);
}

/* Counts the neighbours of each unknown of the tail one place up, or puts them there. */
static void walk_pairs(vlTailSweep *s, const vlStencil *stencil, bool fill)
{
  int first = (int)s->first;
  for (int q = 0; q < stencil->pair_count; q++) {
    vlStencilPair pair = stencil->pair[q];
    const int end[2] = {pair.i, pair.j};
    for (int side = 0; side < 2; side++) {
      if (end[side] < first) continue;
      int e = end[side] - first;
      if (fill)
        s->beside[s->start[e + 1]++] = (vlTailNeighbour){end[1 - side], pair.w};
      else
        s->start[e + 2]++;
    }
  }
}

vlCode vl_tail_sweep_build(vlTailSweep *s, const vlStencil *stencil, vlStatus *status)
{
  s->first = vl_stencil_tail(stencil);
  s->cells = (size_t)stencil->blocks.count * VL_BLOCK;
  s->count = stencil->extra;
  if (s->count == 0) return VL_OK;
  size_t count = (size_t)s->count, entries = 2 * (size_t)stencil->pair_count + 1;
  if (!vl_array_reserve((void **)&s->inverse, &s->inverse_capacity, count, sizeof *s->inverse) ||
      !vl_array_reserve((void **)&s->start, &s->start_capacity, count + 2, sizeof *s->start) ||
      !vl_array_reserve((void **)&s->beside, &s->beside_capacity, entries, sizeof *s->beside))
    return vl_fail_memory(status, entries * sizeof *s->beside, "the tail of the pressure matrix");
  for (size_t e = 0; e < count; e++) {
    double diagonal = stencil->diagonal[s->first + e];
    s->inverse[e] = diagonal > 0.0 ? 1.0 / diagonal : 0.0;
  }
  memset(s->start, 0, (count + 2) * sizeof *s->start);
  walk_pairs(s, stencil, false);
  for (size_t e = 2; e < count + 2; e++) s->start[e] += s->start[e - 1];
  walk_pairs(s, stencil, true);
  return VL_OK;
}

void vl_tail_sweep_forward(const vlTailSweep *s, const double *r, double *z, double factor, float *residual)
{
  for (size_t i = s->cells; i < s->first && s->count > 0; i++) z[i] = 0.0;
  for (int e = 0; e < s->count; e++) {
    int own = (int)s->first + e;
    double sum = r[own];
    for (int i = s->start[e]; i < s->start[e + 1]; i++)
      if (s->beside[i].at >= (int)s->first && s->beside[i].at < own) sum += s->beside[i].w * z[s->beside[i].at];
    z[own] = s->inverse[e] * sum;
    for (int i = s->start[e]; i < s->start[e + 1]; i++)
      if (s->beside[i].at < (int)s->first) residual[s->beside[i].at] += (float)(factor * s->beside[i].w * z[own]);
  }
}

void vl_tail_sweep_backward(const vlTailSweep *s, const double *r, double *z)
{
  for (int e = s->count - 1; e >= 0; e--) {
    double sum = r[s->first + (size_t)e];
    for (int i = s->start[e]; i < s->start[e + 1]; i++) sum += s->beside[i].w * z[s->beside[i].at];
    z[s->first + (size_t)e] = s->inverse[e] * sum;
  }
}
