/* Rows of cut cells: their order along each axis, and the open areas of faces that follow from adding them up (cuts.c tells
 * how).
 *
 * Between two cuts of a row the open area does not change, so a face takes the value behind the last cut before it, or the
 * value at infinity. Over a set of blocks that is one look-up where a run of blocks begins and a copy from the cell before
 * everywhere else. */
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "cut/cuts.h"

/* Sort key of a cell in a row along each axis: the two other coordinates, then the one along it. */
static const int row_order[3][3] = {{2, 1, 0}, {2, 0, 1}, {1, 0, 2}};

/* Areas closer than this to 0 or dx2, in dx2, are rounding. */
static const double AREA_SNAP = 1e-12;
/* Farther out, in dx2, no rounding leads: the surface overlaps itself. */
static const double AREA_ERROR = 1e-10;
static const double CLOSURE_LIMIT = 1e-8;

vlCode vl_cuts_reserve(vlCuts *cuts, size_t count, vlStatus *status)
{
  if (count < cuts->capacity) return VL_OK;
  size_t room = count + count / 2 + 1;
  const int *n = cuts->grid.n;
  int side = n[0] > n[1] ? n[0] : n[1];
  if (n[2] > side) side = n[2];
  vlCutCell *cut = realloc(cuts->cut, room * sizeof *cut);
  if (cut) cuts->cut = cut;
  int *scratch = realloc(cuts->scratch, (room + (size_t)side + 3) * sizeof *scratch);
  if (scratch) cuts->scratch = scratch;
  bool ok = cut && scratch;
  for (int a = 0; a < 3; a++) {
    int *along = realloc(cuts->along[a], room * sizeof *along);
    if (along) cuts->along[a] = along;
    ok = ok && along;
  }
  if (!ok) return vl_fail_memory(status, room * sizeof *cut, "the cut cells");
  cuts->capacity = room;
  return VL_OK;
}

/* The cuts are sorted by k, j, i. Where one key of a row's order is left out of that, the other two are in it, so two passes
 * do: by the cell's place across, then by the row's first key. */
static void sort_rows(vlCuts *cuts)
{
  int *swap = cuts->scratch, *bucket = cuts->scratch + cuts->capacity;
  for (int c = 0; c < cuts->count; c++) cuts->along[0][c] = c;
  for (int a = 1; a < 3; a++) {
    int first = row_order[a][0], second = row_order[a][1];
    vl_order_along(cuts->cut, sizeof *cuts->cut, second, cuts->grid.n[second], cuts->count, cuts->along[0], swap, bucket);
    vl_order_along(cuts->cut, sizeof *cuts->cut, first, cuts->grid.n[first], cuts->count, swap, cuts->along[a], bucket);
  }
}

static bool same_row(const int a[3], const int b[3], int axis)
{
  return a[row_order[axis][0]] == b[row_order[axis][0]] && a[row_order[axis][1]] == b[row_order[axis][1]];
}

static double snap_area(double area, double full, int *clamped)
{
  if (area < AREA_SNAP * full) {
    *clamped += area < -AREA_ERROR * full;
    return 0.0;
  }
  if (area > (1.0 - AREA_SNAP) * full) {
    *clamped += area > (1.0 + AREA_ERROR) * full;
    return full;
  }
  return area;
}

/* Adds up every row from infinity to infinity. */
static vlCode scan_rows(vlCuts *cuts, int axis, vlStatus *status)
{
  double full = cuts->grid.dx * cuts->grid.dx, open = 0.0;
  const vlCutCell *before = NULL;
  for (int c = 0; c <= cuts->rows[axis]; c++) {
    vlCutCell *cut = c < cuts->rows[axis] ? &cuts->cut[cuts->along[axis][c]] : NULL;
    if (!before || !cut || !same_row(before->cell, cut->cell, axis)) {
      double gap = before ? fabs(open - cuts->open_outside) / full : 0.0;
      cuts->closure = fmax(cuts->closure, gap);
      if (gap > CLOSURE_LIMIT)
        return vl_fail(
            status, VL_ERROR_MESH,
            "the solids' surface is not closed: a row of cells along %c near (%.6g, %.6g, %.6g) m does not add up",
            "xyz"[axis], cuts -> grid.origin.x + before->cell[0] * cuts->grid.dx,
            cuts->grid.origin.y + before->cell[1] * cuts->grid.dx, cuts->grid.origin.z + before->cell[2] * cuts->grid.dx);
      open = cuts->open_outside;
    }
    if (!cut) break;
    open -= cut->s.v[axis];
    cut->open[axis] = snap_area(open, full, &cuts->clamped);
    before = cut;
  }
  return VL_OK;
}

/* Rows beyond a side of the domain (along the other axes) have no faces in it. */
static bool row_inside(const vlCuts *cuts, const vlCutCell *cut, int axis)
{
  for (int m = 0; m < 2; m++) {
    int a = row_order[axis][m];
    if (cut->cell[a] < 0 || cut->cell[a] >= cuts->grid.n[a]) return false;
  }
  return true;
}

/* Leaves in each row order only the rows that pass through the domain: the others lack the pieces beyond two sides. */
static int keep_inside_rows(vlCuts *cuts, int axis)
{
  int kept = 0;
  for (int c = 0; c < cuts->count; c++) {
    int index = cuts->along[axis][c];
    if (row_inside(cuts, &cuts->cut[index], axis)) cuts->along[axis][kept++] = index;
  }
  return kept;
}

vlCode vl_cuts_close(vlCuts *cuts, vlStatus *status)
{
  vlCode code = VL_OK;
  cuts->clamped = 0;
  cuts->closure = 0.0;
  sort_rows(cuts);
  for (int a = 0; a < 3 && !code; a++) {
    cuts->rows[a] = keep_inside_rows(cuts, a);
    code = scan_rows(cuts, a, status);
  }
  return code;
}

/* A counting sort by one coordinate. Applied from the last key to the first it sorts by several, for each pass keeps the
 * order of the ones before: far fewer comparisons than sorting by all keys at once, which bodies would pay in every step. */
void vl_order_along(const void *records, size_t size, int axis, int n, int count, const int *from, int *to, int *bucket)
{
  const char *first = (const char *)records + (size_t)axis * sizeof(int);
  memset(bucket, 0, ((size_t)n + 3) * sizeof *bucket);
  for (int c = 0; c < count; c++) bucket[*(const int *)(first + (size_t)c * size) + 2]++;
  for (int i = 1; i < n + 3; i++) bucket[i] += bucket[i - 1]; /* bucket[i + 1]: where those of coordinate i begin */
  for (int c = 0; c < count; c++) to[bucket[*(const int *)(first + (size_t)from[c] * size) + 1]++] = from[c];
}

/* First cut at or behind cell (i, j, k) in the order k, j, i. */
static int lower_bound(const vlCuts *cuts, int i, int j, int k)
{
  int lo = 0, hi = cuts->count;
  while (lo < hi) {
    int mid = lo + (hi - lo) / 2;
    if (vl_cuts_compare(cuts->cut[mid].cell, (const int[3]){i, j, k}) < 0)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

const vlCutCell *vl_cuts_find(const vlCuts *cuts, int i, int j, int k)
{
  int at = lower_bound(cuts, i, j, k);
  return at < cuts->count && vl_cuts_compare(cuts->cut[at].cell, (const int[3]){i, j, k}) == 0 ? &cuts->cut[at] : NULL;
}

int vl_cuts_of_block(const vlCuts *cuts, vlBlockPosition p, int *last)
{
  int first = lower_bound(cuts, p.bx * VL_BLOCK, p.j, p.k), at = first, end = (p.bx + 1) * VL_BLOCK;
  if (end > cuts->grid.n[0]) end = cuts->grid.n[0]; /* the cell beyond the side is not the block's */
  while (at < cuts->count && vl_cuts_compare(cuts->cut[at].cell, (const int[3]){end, p.j, p.k}) < 0) at++;
  *last = at;
  return first;
}

/* Orders cells by row along `axis`, then along it. */
static int compare_in_row(const int cell[3], const int place[3], int axis)
{
  for (int m = 0; m < 3; m++) {
    int a = row_order[axis][m];
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
      while (c < cuts->rows[0] && vl_cuts_compare(cuts->cut[cuts->along[0][c]].cell, (const int[3]){g->n[0], j, k}) <= 0) {
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
