/* Open areas of faces from the cuts along each row.
 *
 * Between two cuts of a row the open area does not change, so a face takes the value behind the last cut before it, or the
 * value at infinity. Over a set of blocks that is one look-up where a run of blocks begins and a copy from the cell before
 * everywhere else. */
#include "cut/cuts.h"

static int compare_place(const int cell[3], int i, int j, int k)
{
  if (cell[2] != k) return cell[2] < k ? -1 : 1;
  if (cell[1] != j) return cell[1] < j ? -1 : 1;
  return cell[0] == i ? 0 : cell[0] < i ? -1 : 1;
}

/* First cut at or behind cell (i, j, k) in the order k, j, i. */
static int lower_bound(const vlCuts *cuts, int i, int j, int k)
{
  int lo = 0, hi = cuts->count;
  while (lo < hi) {
    int mid = lo + (hi - lo) / 2;
    if (compare_place(cuts->cut[mid].cell, i, j, k) < 0)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

const vlCutCell *vl_cuts_find(const vlCuts *cuts, int i, int j, int k)
{
  int at = lower_bound(cuts, i, j, k);
  return at < cuts->count && compare_place(cuts->cut[at].cell, i, j, k) == 0 ? &cuts->cut[at] : NULL;
}

int vl_cuts_of_block(const vlCuts *cuts, vlBlockPosition p, int *last)
{
  int first = lower_bound(cuts, p.bx * VL_BLOCK, p.j, p.k), at = first, end = (p.bx + 1) * VL_BLOCK;
  if (end > cuts->grid.n[0]) end = cuts->grid.n[0]; /* the cell beyond the side is not the block's */
  while (at < cuts->count && compare_place(cuts->cut[at].cell, end, p.j, p.k) < 0) at++;
  *last = at;
  return first;
}

/* Orders cells by row along `axis`, then along it. */
static int compare_in_row(const int cell[3], const int place[3], int axis)
{
  for (int m = 0; m < 3; m++) {
    int a = vl_cuts_row_order[axis][m];
    if (cell[a] != place[a]) return cell[a] < place[a] ? -1 : 1;
  }
  return 0;
}

double vl_cuts_open_area(const vlCuts *cuts, int axis, int i, int j, int k)
{
  const int place[3] = {i, j, k};
  int lo = 0, hi = cuts->rows[axis];
  while (lo < hi) {
    int mid = lo + (hi - lo) / 2;
    if (compare_in_row(cuts->cut[cuts->along[axis][mid]].cell, place, axis) < 0)
      lo = mid + 1;
    else
      hi = mid;
  }
  if (lo == 0) return cuts->open_outside;
  const vlCutCell *before = &cuts->cut[cuts->along[axis][lo - 1]];
  for (int a = 0; a < 3; a++)
    if (a != axis && before->cell[a] != place[a]) return cuts->open_outside;
  return before->open[axis];
}

/* Lower faces of a block along `axis`; `known`: those of the block before it along y or z are there already. */
static void fill_lower(const vlCuts *cuts, vlBlockPosition p, int width, int axis, bool known, double *area)
{
  const vlGrid *g = &cuts->grid;
  ptrdiff_t at = vl_blocks_field(g, p), back = g->stride[axis];
  int first, last;
  if (axis == 0) {
    area[at] = vl_cuts_open_area(cuts, 0, p.bx * VL_BLOCK, p.j, p.k);
    for (int l = 1; l < width; l++) area[at + l] = area[at];
    first = vl_cuts_of_block(cuts, p, &last);
    for (int c = first; c < last; c++)
      for (int l = cuts->cut[c].cell[0] - p.bx * VL_BLOCK + 1; l < width; l++) area[at + l] = cuts->cut[c].open[0];
    return;
  }
  if (!known) {
    for (int l = 0; l < width; l++) area[at + l] = vl_cuts_open_area(cuts, axis, p.bx * VL_BLOCK + l, p.j, p.k);
    return;
  }
  vlBlockPosition before = p;
  if (axis == 1)
    before.j--;
  else
    before.k--;
  for (int l = 0; l < width; l++) area[at + l] = area[at + l - back];
  first = vl_cuts_of_block(cuts, before, &last);
  for (int c = first; c < last; c++) area[at + cuts->cut[c].cell[0] - p.bx * VL_BLOCK] = cuts->cut[c].open[axis];
}

/* Upper faces of a block whose neighbour on that side is not in the set. */
static void fill_upper(const vlCuts *cuts, vlBlockPosition p, int width, int axis, double *area)
{
  const vlGrid *g = &cuts->grid;
  ptrdiff_t at = vl_blocks_field(g, p), step = g->stride[axis];
  int last, first = vl_cuts_of_block(cuts, p, &last);
  if (axis == 0) {
    const vlCutCell *end = last > first ? &cuts->cut[last - 1] : NULL;
    bool at_end = end && end->cell[0] == p.bx * VL_BLOCK + width - 1;
    area[at + width] = at_end ? end->open[0] : area[at + width - 1];
    return;
  }
  for (int l = 0; l < width; l++) area[at + l + step] = area[at + l];
  for (int c = first; c < last; c++) area[at + cuts->cut[c].cell[0] - p.bx * VL_BLOCK + step] = cuts->cut[c].open[axis];
}

static void fill_block(const vlCuts *cuts, const vlBlocks *blocks, int b, int axis, double *area)
{
  vlBlockPosition p = blocks->at[b];
  int width = vl_blocks_width(blocks, p);
  const int step[3] = {axis == 0, axis == 1, axis == 2};
  bool known = axis != 0 && vl_blocks_find(blocks, p.bx, p.j - step[1], p.k - step[2]) >= 0;
  fill_lower(cuts, p, width, axis, known, area);
  bool ends = vl_blocks_find(blocks, p.bx + step[0], p.j + step[1], p.k + step[2]) < 0;
  if (ends) fill_upper(cuts, p, width, axis, area);
}

void vl_cuts_fill_areas(const vlCuts *cuts, const vlBlocks *blocks, double *const area[3])
{
  for (int axis = 0; axis < 2; axis++) {
#pragma omp parallel for schedule(dynamic)
    for (int k = 0; k < blocks->n[2]; k++)
      for (int b = blocks->plane_start[k]; b < blocks->plane_start[k + 1]; b++)
        fill_block(cuts, blocks, b, axis, area[axis]);
  }
  /* along z a plane copies from the one below it */
  for (int k = 0; k < blocks->n[2]; k++) {
#pragma omp parallel for schedule(static)
    for (int b = blocks->plane_start[k]; b < blocks->plane_start[k + 1]; b++) fill_block(cuts, blocks, b, 2, area[2]);
  }
}

void vl_cuts_fill_open(const vlCuts *cuts, const vlBlocks *blocks, const double *area_y, double *open)
{
  const vlGrid *g = &cuts->grid;
  double full = g->dx * g->dx;
#pragma omp parallel for schedule(static)
  for (int b = 0; b < blocks->count; b++) {
    vlBlockPosition p = blocks->at[b];
    ptrdiff_t at = vl_blocks_field(g, p);
    for (int l = 0; l < vl_blocks_width(blocks, p); l++) open[at + l] = area_y[at + l] / full;
    int last, first = vl_cuts_of_block(cuts, p, &last);
    for (int c = first; c < last; c++) {
      const vlCutCell *cut = &cuts->cut[c];
      double part =
          (cut->open[1] + cut->moment.y / g->dx) / full; /* surfaces that overlap may leave more or less than there is */
      open[at + cut->cell[0] - p.bx * VL_BLOCK] = part < 0.0 ? 0.0 : part > 1.0 ? 1.0 : part;
    }
  }
}

double vl_cuts_cell_volume(const vlCuts *cuts, int axis, int i, int j, int k, double lower_area)
{
  const vlCutCell *cut = vl_cuts_find(cuts, i, j, k);
  double dx = cuts->grid.dx;
  return cut ? cut->open[axis] * dx + cut->moment.v[axis] : lower_area * dx;
}

/* Row by row along x: whole cells between the cuts, and the cut cells themselves. */
double vl_cuts_solid_volume(const vlCuts *cuts)
{
  const vlGrid *g = &cuts->grid;
  double full = g->dx * g->dx, open_volume = 0.0;
  int c = 0;
  for (int k = 0; k < g->n[2]; k++)
    for (int j = 0; j < g->n[1]; j++) {
      double open = cuts->open_outside;
      int done = 0; /* cells of the row accounted for */
      while (c < cuts->rows[0] && compare_place(cuts->cut[cuts->along[0][c]].cell, g->n[0], j, k) <= 0) {
        const vlCutCell *cut = &cuts->cut[cuts->along[0][c++]];
        int i = cut->cell[0];
        if (i >= g->n[0]) continue; /* behind the last cell */
        if (i >= 0) {
          open_volume += open * (i - done) * g->dx + cut->open[0] * g->dx + cut->moment.x;
          done = i + 1;
        }
        open = cut->open[0];
      }
      open_volume += open * (g->n[0] - done) * g->dx;
    }
  return full * g->dx * g->n[0] * g->n[1] * (double)g->n[2] - open_volume;
}
