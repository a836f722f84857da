/* Rows of cut cells: their order along each axis, and the open areas that follow from adding them up (cuts.c tells how). */
#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"
#include "cut/cuts.h"
#include "cut/order.h"

/* Areas closer than this to 0 or dx2, in dx2, are rounding. */
static const double AREA_SNAP = 1e-12;
/* Farther out, in dx2, no rounding leads: the surface overlaps itself. */
static const double AREA_ERROR = 1e-10;
static const double CLOSURE_LIMIT = 1e-8;

int vl_cuts_compare(const int a[3], const int b[3], const int order[3])
{
  for (int m = 0; m < 3; m++)
    if (a[order[m]] != b[order[m]]) return a[order[m]] < b[order[m]] ? -1 : 1;
  return 0;
}

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

/* Sort key of a row along axis a: the two other coordinates, then the one along it. */
const int vl_cuts_row_order[3][3] = {{2, 1, 0}, {2, 0, 1}, {1, 0, 2}};

/* The cuts are sorted by k, j, i. Where one key of a row's order is left out of that, the other two are in it, so two passes
 * do: by the cell's place across, then by the row's first key. */
static void sort_rows(vlCuts *cuts)
{
  int *swap = cuts->scratch, *bucket = cuts->scratch + cuts->capacity;
  for (int c = 0; c < cuts->count; c++) cuts->along[0][c] = c;
  for (int a = 1; a < 3; a++) {
    int first = vl_cuts_row_order[a][0], second = vl_cuts_row_order[a][1];
    vl_order_along(cuts->cut, sizeof *cuts->cut, second, cuts->grid.n[second], cuts->count, cuts->along[0], swap, bucket);
    vl_order_along(cuts->cut, sizeof *cuts->cut, first, cuts->grid.n[first], cuts->count, swap, cuts->along[a], bucket);
  }
}

static bool same_row(const int a[3], const int b[3], int axis)
{
  return a[vl_cuts_row_order[axis][0]] == b[vl_cuts_row_order[axis][0]] &&
         a[vl_cuts_row_order[axis][1]] == b[vl_cuts_row_order[axis][1]];
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
    int a = vl_cuts_row_order[axis][m];
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
