/* Liquid whose velocity belongs to the middle of the step (time.scheme: leapfrog; docs/theory/time.md).
 *
 * u1 at a place x is the velocity of what is at x when the step begins and has gone half of its way when it has u1. Where
 * liquid turns, that is no field without divergence: what keeps its volume is the map x -> x + h u1, so that
 *     det(1 + h grad u1) = 1,      div u1 = h sum over a < b of (d_b u_a d_a u_b - d_a u_a d_b u_b) = swell
 * up to h^2. What the step before has left, velocities that are half a step old, has the same with the other sign: the
 * pressure turns it from one to the other and takes no energy, where without it takes away in each step what has turned out
 * of the way in a whole one.
 *
 * Gradients are those of the velocity before the step, in cells that are open and all around which there is liquid, at least
 * half a cell of it, or a side of the domain, and none of whose faces is a tail's, where fields hold none; where the step is
 * too long for them, |h grad u| > 1, the swell fades. Regions without air cannot swell: the mean is taken out. In: velocity
 * before the step. Out: swell in 1/s, on the wet blocks. */
#include <math.h>

#include "pressure/pressure.h"

static const double HALF_OPEN = 0.5; /* of a cell's volume: through slivers liquid may shoot and tell nothing of the flow */

static bool is_cut(const vlFluid *fluid, const int cell[3])
{
  int b = fluid->tail && fluid->tail->cut ? vl_blocks_find(fluid->wet, cell[0] / VL_BLOCK, cell[1], cell[2]) : -1;
  return b >= 0 && fluid->tail->cut[b] >> cell[0] % VL_BLOCK & 1u;
}

/* 1/s: change of the mean of two faces along `a` from cell to cell along b; one-sided beside the sides of the domain. False:
 * it is not known. */
static bool slope(const vlFluid *fluid, const double *u, const int cell[3], ptrdiff_t at, int a, int b, double *value)
{
  const vlGrid *g = fluid->grid;
  ptrdiff_t low = at, high = at;
  for (int up = 0; up < 2; up++) {
    int next[3] = {cell[0], cell[1], cell[2]};
    next[b] += up ? 1 : -1;
    if (next[b] < 0 || next[b] >= g->n[b]) continue;
    ptrdiff_t beside = vl_grid_at(g, next[0], next[1], next[2]);
    if (is_cut(fluid, next) || !vl_links_is_node(fluid, next) || (fluid->open && fluid->open[beside] < HALF_OPEN))
      return false;
    *(up ? &high : &low) = beside;
  }
  ptrdiff_t cells = (high - low) / g->stride[b], s = g->stride[a];
  if (cells == 0) return false;
  *value = 0.5 * (u[high] + u[high + s] - u[low] - u[low + s]) / ((double)cells * g->dx);
  return true;
}

static double swell_of(const vlFluid *fluid, double *const u[3], const int cell[3], ptrdiff_t at, double h)
{
  const vlGrid *g = fluid->grid;
  double grad[3][3] = {{0}}, sum = 0.0, square = 0.0;
  if ((fluid->open && fluid->open[at] < 1.0 - 1e-9) || is_cut(fluid, cell)) return 0.0;
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++) {
      if (g->n[a] == 1 || g->n[b] == 1) continue;
      if (a == b)
        grad[a][a] = (u[a][at + g->stride[a]] - u[a][at]) / g->dx;
      else if (!slope(fluid, u[a], cell, at, a, b, &grad[a][b]))
        return 0.0;
      square += h * h * grad[a][b] * grad[a][b];
    }
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < a; b++) sum += grad[a][b] * grad[b][a] - grad[a][a] * grad[b][b];
  return h * sum / (1.0 + square * square);
}

/* Takes the mean over each region without air out of it. */
static void balance(vlPressure *pressure, const vlFluid *fluid, double *swell)
{
  const vlBlocks *blocks = &pressure->stencil.blocks;
  size_t n = (size_t)blocks->count * VL_BLOCK;
  double *sum = pressure->work, *cells = pressure->work + n; /* by a region's first cell */
  for (int pass = 0; pass < 3; pass++)
    for (size_t i = 0; i < n; i++) {
      int first = pressure->label[i];
      if (first < 0 || pressure->region[i] == VL_REGION_OPEN) continue;
      double *own = &swell[vl_blocks_field(fluid->grid, blocks->at[i / VL_BLOCK]) + (ptrdiff_t)(i % VL_BLOCK)];
      if (pass == 0)
        sum[first] = cells[first] = 0.0;
      else if (pass == 1) {
        sum[first] += *own;
        cells[first] += 1.0;
      } else
        *own -= sum[first] / cells[first];
    }
}

double vl_pressure_middle(vlPressure *pressure, const vlFluid *fluid, double *const u[3], double h, double *swell)
{
  double most = 0.0;
#pragma omp parallel for schedule(static) reduction(max : most)
  for (int b = 0; b < fluid->wet->count; b++) {
    vlBlockPosition p = fluid->wet->at[b];
    ptrdiff_t at = vl_blocks_field(fluid->grid, p);
    for (int l = 0; l < VL_BLOCK; l++) swell[at + l] = 0.0;
    for (unsigned left = pressure->links.active[b]; left; left &= left - 1u) {
      int l = __builtin_ctz(left);
      const int cell[3] = {p.bx * VL_BLOCK + l, p.j, p.k};
      swell[at + l] = swell_of(fluid, u, cell, at + l, h);
      most = fmax(most, fabs(swell[at + l]));
    }
  }
  if (pressure->sealed_count + pressure->null_count > 0) balance(pressure, fluid, swell);
  return most;
}
