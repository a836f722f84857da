/* Values of nodes that know none, from known ones outwards.
 *
 * In each turn the unknown nodes beside known ones get theirs. Distances go on as they rise towards the node, linearly from
 * the neighbour y that is nearest to the surface, and by no more than the way from there,
 *
 *     d(y + e) = d(y) + clamp(d(y) - d(y - e), -1, 1)
 *
 * which leaves planes exact; where y - e is unknown, as they march [sethian1996]. */
#include <math.h>
#include <string.h>

#include "base/status.h"
#include "liquid/fine_parts.h"

/* Of each block, unknown nodes with a known neighbour along an axis -> edge; how many. */
static int find_edge(vlFine *f, const unsigned short *known)
{
  struct vlFineWork *w = f->work;
  const vlFineSet *set = &w->nodes;
  int count = 0;
#pragma omp parallel for schedule(static) reduction(+ : count)
  for (int b = 0; b < set->blocks.count; b++) {
    unsigned unknown = set->bits[b] & ~(unsigned)known[b];
    w->edge[b] = unknown ? (unsigned short)(unknown & vl_fine_around(w, known, b, false)) : 0;
    count += __builtin_popcount(w->edge[b]);
  }
  return count;
}

vlCode vl_fine_outwards(vlFine *f, double *phi, unsigned short *known, vlFineGrow *grow, vlStatus *status)
{
  struct vlFineWork *w = f->work;
  const vlFineSet *set = &w->nodes;
  int blocks = set->blocks.count, left = 0;
  vlCode code = vl_fine_room(&w->edge, &w->edge_capacity, (size_t)blocks + 1, sizeof *w->edge, status);
  if (code) return code;
  for (int b = 0; b < blocks; b++) left += __builtin_popcount(set->bits[b] & ~(unsigned)known[b]);
  while (left > 0) {
    int count = find_edge(f, known);
    bool none = count == 0; /* no known node beside any that is left */
    if (none) count = left;
    for (int b = 0; b < blocks && none; b++) w->edge[b] = (unsigned short)(set->bits[b] & ~(unsigned)known[b]);
#pragma omp parallel for schedule(dynamic, 256)
    for (int b = 0; b < blocks; b++)
      if (w->edge[b]) grow(f, phi, known, b, w->edge[b]);
    for (int b = 0; b < blocks; b++) known[b] |= w->edge[b];
    left -= count;
  }
  return VL_OK;
}

/* d >= all a with sum over axes of max(d - a, 0)^2 = 1: distance of a node from those of its known neighbours along the axes
 * that are nearer to the surface, in fine cells; `upper`: where there is none. v: the nearest along each axis, or INFINITY.
 */
static double marched(double v[3], double upper)
{
  double sum = 0.0, squares = 0.0, d = upper;
  for (int a = 0; a < 2; a++) /* least first */
    for (int b = 0; b < 2 - a; b++)
      if (v[b] > v[b + 1]) {
        double least = v[b + 1];
        v[b + 1] = v[b];
        v[b] = least;
      }
  for (int n = 0; n < 3 && v[n] < d; n++) {
    sum += v[n];
    squares += v[n] * v[n];
    d = (sum + sqrt(fmax(sum * sum - (n + 1) * (squares - 1.0), 0.0))) / (n + 1);
  }
  return d;
}

/* m: distance of an unknown node at `at`, by its size; `sign`: of its side. */
static double from_known(const vlFine *f, const double *phi, const unsigned short *known, int b, int l, ptrdiff_t at,
                         double sign)
{
  double h = f->nodes.dx, v[3] = {INFINITY, INFINITY, INFINITY}, best = INFINITY, rise = NAN;
  for (int side = 0; side < 6; side++) {
    int beside = vl_fine_beside(f->work, b, l, side), a = side / 2;
    if (!vl_fine_has(known, beside)) continue;
    ptrdiff_t step = (side % 2 ? 1 : -1) * f->nodes.stride[a];
    double own = sign * phi[at + step] / h;
    if (!(own >= 0.0)) continue;
    v[a] = fmin(v[a], own);
    if (own >= best) continue;
    int behind = vl_fine_beside(f->work, beside / VL_BLOCK, beside % VL_BLOCK, side);
    best = own;
    rise = vl_fine_has(known, behind) ? own - sign * phi[at + 2 * step] / h : NAN;
  }
  if (best == INFINITY) return VL_FINE_BAND * f->grid->dx;
  double d = isnan(rise) ? marched(v, best + 1.0) : best + vl_clamp(rise, -1.0, 1.0);
  return h * fmax(d, 1e-3);
}

static void go_on(const vlFine *f, double *phi, const unsigned short *known, int b, unsigned bits)
{
  ptrdiff_t first = vl_blocks_field(&f->nodes, f->work->nodes.blocks.at[b]);
  for (; bits; bits &= bits - 1u) {
    int l = __builtin_ctz(bits);
    double sign = phi[first + l] < 0.0 ? -1.0 : 1.0;
    phi[first + l] = sign * from_known(f, phi, known, b, l, first + l, sign);
  }
}

vlCode vl_fine_fill(vlFine *f, double *phi, vlStatus *status)
{
  struct vlFineWork *w = f->work;
  const vlFineSet *set = &w->nodes;
  double far = 0.5 * vl_fine_far(f);
  vlCode code = vl_fine_room(&w->which, &w->which_capacity, (size_t)set->blocks.count + 1, sizeof *w->which, status);
  if (code) return code;
#pragma omp parallel for schedule(static)
  for (int b = 0; b < set->blocks.count; b++) {
    const double *row = phi + vl_blocks_field(&f->nodes, set->blocks.at[b]);
    unsigned bits = 0;
    for (int l = 0; l < VL_BLOCK; l++) bits |= (unsigned)(fabs(row[l]) < far) << l;
    w->which[b] = (unsigned short)(bits & set->bits[b]);
  }
  return vl_fine_outwards(f, phi, w->which, go_on, status);
}
