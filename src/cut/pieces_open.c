/* What solids leave open of the fine cells of one cell.
 *
 * A fine cell without their surface is open or solid, and all its faces with it; behind one with it stands the open area
 * that the cuts hold. Along x one search for each row finds both its cuts and what is open before them; along y and z a
 * search is needed where a row begins with a cut. */
#include "cut/pieces_parts.h"

/* The first cut of the rows along x at or behind fine cell (i, j, k). */
static int first_behind(const vlCuts *open, const int at[3])
{
  int lo = 0, hi = open->rows[0];
  while (lo < hi) {
    int mid = lo + (hi - lo) / 2;
    if (vl_cuts_compare(open->cut[open->along[0][mid]].cell, at) < 0)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

/* As vl_cuts_fill_open has it, freed of rounding as areas are. */
static double part_of(const vlCutCell *cut, double dx)
{
  double part = (cut->open[1] + cut->moment.y / dx) / (dx * dx);
  return part < 1e-12 ? 0.0 : part > 1.0 ? 1.0 : part;
}

static void row_along_x(vlPieceCell *c, const vlCuts *open, const int first[3], int at, const vlCutCell **cut)
{
  double full = open->grid.dx * open->grid.dx, now = open->open_outside / full;
  int next = first_behind(open, first);
  if (next > 0) {
    const vlCutCell *before = &open->cut[open->along[0][next - 1]];
    if (before->cell[1] == first[1] && before->cell[2] == first[2]) now = before->open[0] / full;
  }
  c->open[0][at] = now;
  for (int l = 0; l < c->refine; l++, at++) {
    const vlCutCell *here = next < open->rows[0] ? &open->cut[open->along[0][next]] : NULL;
    bool is = here && vl_cuts_compare(here->cell, (const int[3]){first[0] + l, first[1], first[2]}) == 0;
    cut[at] = is ? here : NULL;
    if (is) {
      now = here->open[0] / full;
      next++;
    }
    c->part[at] = is ? part_of(here, open->grid.dx) : now > 0.5 ? 1.0 : 0.0;
    c->open[0][at + 1] = now;
  }
}

static void row_across(vlPieceCell *c, const vlCuts *open, int axis, const int first[3], int at, const vlCutCell **cut)
{
  double full = open->grid.dx * open->grid.dx;
  c->open[axis][at] = cut[at] ? vl_cuts_open_area(open, axis, first[0], first[1], first[2]) / full : c->part[at];
  for (int l = 0; l < c->refine; l++, at += c->stride[axis])
    c->open[axis][at + c->stride[axis]] = cut[at] ? cut[at]->open[axis] / full : c->part[at];
}

/* A fine cell into which a face is open holds liquid, if next to none. */
static void keep_open(vlPieceCell *c, int at)
{
  for (int a = 0; a < 3; a++)
    if (c->open[a][at] > 0.0 || c->open[a][at + c->stride[a]] > 0.0) c->part[at] = 1e-15;
}

void vl_piece_open(vlPieceCell *c, const vlCuts *open, const int cell[3])
{
  const vlCutCell *cut[VL_PIECES_NODES];
  int r = c->refine;
  for (int axis = 0; axis < 3; axis++) {
    int b = axis == 0 ? 1 : 0, d = axis == 2 ? 1 : 2;
    for (int n = 0; n < r; n++)
      for (int m = 0; m < r; m++) {
        int first[3] = {r * cell[0], r * cell[1], r * cell[2]}, at = m * c->stride[b] + n * c->stride[d];
        first[b] += m;
        first[d] += n;
        if (axis == 0)
          row_along_x(c, open, first, at, cut);
        else
          row_across(c, open, axis, first, at, cut);
      }
  }
  for (int l = 0; l < r * r * r; l++) {
    int at = l % r + l / r % r * c->stride[1] + l / r / r * c->stride[2];
    if (cut[at] && c->part[at] == 0.0) keep_open(c, at);
  }
}
