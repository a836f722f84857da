/* Closed regions of liquid: connected unknowns without a link to the free surface.
 *
 * There only pressure differences matter: the constant on each region is a null vector of the matrix. It is taken out of the
 * right-hand side and of every preconditioned residual, so the mean pressure of a closed region stays what the first guess
 * had. What is taken out of the right-hand side is flux that no pressure can balance (a scripted wall squeezing closed
 * liquid) and is reported. A region that a body borders which yields is not closed in this sense. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "pressure/pressure.h"

/* A body that moves in a few ways only (modes) gives way as a whole. A constant pressure around all of it presses in vain,
 * and so does one in several regions that surround it together: these constants are null vectors like that of a region
 * between walls. Regions are looked at one by one, then those at the same such bodies together; joined[label] leads to the
 * first cell of those. A body that loads do not move is a wall. */
static bool gives_way_whole(const vlBody *body) { return body->type->mode && body->mode_count > 0; }

static int first_joined(const int *joined, int label)
{
  while (joined[label] != label) label = joined[label];
  return label;
}

static void join(int *joined, int a, int b)
{
  a = first_joined(joined, a);
  b = first_joined(joined, b);
  joined[a > b ? a : b] = a > b ? b : a;
}

static bool row_of(const vlPressure *pressure, const int *joined, int row, int root)
{
  int label = pressure->label[pressure->coupling.cell[row]];
  return label >= 0 && pressure->region[label] == VL_REGION_SEALED && first_joined(joined, label) == root;
}

/* Does pressure of one on the rows of the regions joined to `root` move a body in mode k, beyond what is left where sums
 * over closed surfaces cancel? */
static bool moves(const vlPressure *pressure, const int *joined, int root, int b, int k)
{
  const double IN_VAIN = 1e-9;
  const vlCoupling *c = &pressure->coupling;
  const vlBody *body = c->bodies->body[b];
  int first = c->bodies->first_node[b], last = c->bodies->first_node[b + 1];
  double sum = 0.0, size = 0.0;
  for (int r = 0; r < c->rows; r++)
    for (int e = c->start[r]; e < c->start[r + 1] && row_of(pressure, joined, r, root); e++) {
      if (c->node[e] < first || c->node[e] >= last) continue;
      vlVec3 v = body->type->mode(body, k, c->node[e] - first);
      sum += vl_dot(c->weight[e], v);
      size += vl_norm(c->weight[e]) * vl_norm(v);
    }
  return fabs(sum) > IN_VAIN * size;
}

/* Does a row of the regions joined to `root` touch the body, and yield? */
static bool yields_at(const vlPressure *pressure, const int *joined, int root, int b)
{
  const vlCoupling *c = &pressure->coupling;
  for (int r = 0; r < c->rows; r++) {
    bool at = false;
    for (int e = c->start[r]; e < c->start[r + 1]; e++)
      at = at || (c->node[e] >= c->bodies->first_node[b] && c->node[e] < c->bodies->first_node[b + 1]);
    if (at && row_of(pressure, joined, r, root) && vl_coupling_row_yields(c, r)) return true;
  }
  return false;
}

/* Does one constant in the regions joined to `root` move nothing? */
static bool presses_in_vain(const vlPressure *pressure, const int *joined, int root)
{
  const vlCoupling *c = &pressure->coupling;
  for (int b = 0; b < c->bodies->count; b++) {
    const vlBody *body = c->bodies->body[b];
    if (!c->wet[b] || !body->yields) continue;
    if (!gives_way_whole(body) && yields_at(pressure, joined, root, b)) return false;
    for (int k = 0; k < body->mode_count; k++)
      if (moves(pressure, joined, root, b, k)) return false;
  }
  return true;
}

static void join_at_whole(const vlPressure *pressure, int *joined)
{
  const vlCoupling *c = &pressure->coupling;
  for (int b = 0; b < c->bodies->count; b++) {
    int before = -1;
    for (int r = 0; r < c->rows && gives_way_whole(c->bodies->body[b]) && c->wet[b]; r++) {
      int label = pressure->label[c->cell[r]];
      bool at = false;
      for (int e = c->start[r]; e < c->start[r + 1]; e++)
        at = at || (c->node[e] >= c->bodies->first_node[b] && c->node[e] < c->bodies->first_node[b + 1]);
      if (!at || label < 0 || pressure->region[label] != VL_REGION_SEALED) continue;
      if (before >= 0) join(joined, before, label);
      before = label;
    }
  }
}

/* Takes back that regions are sealed whose constants move nothing: they are closed, alone or together. */
static void reconsider_whole(vlPressure *pressure, int *joined, int n)
{
  for (int i = 0; i < n; i++) joined[i] = i;
  for (int i = 0; i < n; i++)
    if (pressure->label[i] == i && pressure->region[i] == VL_REGION_SEALED && presses_in_vain(pressure, joined, i))
      pressure->region[i] = VL_REGION_NONE;
  join_at_whole(pressure, joined);
  for (int i = n - 1; i >= 0; i--) { /* the first cell of joined regions last: the others ask it */
    if (pressure->label[i] != i || pressure->region[i] != VL_REGION_SEALED || joined[i] != i) continue;
    if (!presses_in_vain(pressure, joined, i)) continue;
    for (int j = i; j < n; j++)
      if (pressure->label[j] == j && pressure->region[j] == VL_REGION_SEALED && first_joined(joined, j) == i)
        pressure->region[j] = VL_REGION_NONE;
  }
}

/* Numbers the closed and the sealed regions by their first cell; returns how many are closed. */
static int number_regions(vlPressure *pressure)
{
  const vlCoupling *coupling = &pressure->coupling;
  int n = (int)vl_stencil_length(&pressure->stencil), *label = pressure->label, *region = pressure->region, count = 0;
  int *joined = (int *)pressure->work; /* free until the solve */
  bool whole = false;
  pressure->sealed_count = 0;
  for (int i = 0; i < n; i++) region[i] = VL_REGION_NONE;
  for (int i = 0; i < n; i++)
    if (pressure->surface[i / VL_BLOCK] >> (i % VL_BLOCK) & 1u) region[label[i]] = VL_REGION_OPEN;
  for (int r = 0; r < coupling->rows && pressure->coupled; r++) {
    int first = label[coupling->cell[r]]; /* -1: a body fills the cell, and no face of it is open */
    if (first >= 0 && region[first] == VL_REGION_NONE && vl_coupling_row_yields(coupling, r))
      region[first] = VL_REGION_SEALED;
  }
  for (int b = 0; b < coupling->bodies->count && pressure->coupled; b++)
    whole = whole || (gives_way_whole(coupling->bodies->body[b]) && coupling->wet[b]);
  if (whole) reconsider_whole(pressure, joined, n);
  /* a component's label is its first cell, so it is decided before the others ask */
  for (int i = 0; i < n; i++) {
    if (label[i] < 0) continue;
    if (label[i] != i)
      region[i] = region[label[i]];
    else if (region[i] == VL_REGION_SEALED)
      region[i] = VL_REGION_SEALED - pressure->sealed_count++;
    else if (region[i] == VL_REGION_NONE)
      region[i] = whole && first_joined(joined, i) != i ? region[first_joined(joined, i)] : count++;
  }
  return count;
}

vlCode vl_pressure_find_closed(vlPressure *pressure, vlStatus *status)
{
  int n = (int)vl_stencil_length(&pressure->stencil);
  vl_stencil_components(&pressure->stencil, pressure->label);
  int count = number_regions(pressure), cells = 0;
  pressure->null_count = 0;
  if (count == 0) return VL_OK;
  for (int i = 0; i < n; i++) cells += pressure->region[i] >= 0;

  void *start = pressure->null_start, *cell = pressure->null_cell;
  bool ok = vl_array_reserve(&start, &pressure->null_start_capacity, (size_t)count + 2, sizeof(int));
  pressure->null_start = start;
  ok = vl_array_reserve(&cell, &pressure->null_cell_capacity, (size_t)cells, sizeof(int)) && ok;
  pressure->null_cell = cell;
  if (!ok) return vl_fail_memory(status, (size_t)cells * sizeof(int), "the closed regions of liquid");

  /* counting sort by region; starts are kept one place up while filling */
  int *first = pressure->null_start;
  memset(first, 0, ((size_t)count + 2) * sizeof(int));
  for (int i = 0; i < n; i++)
    if (pressure->region[i] >= 0) first[pressure->region[i] + 2]++;
  for (int r = 0; r < count; r++) first[r + 2] += first[r + 1];
  for (int i = 0; i < n; i++)
    if (pressure->region[i] >= 0) pressure->null_cell[first[pressure->region[i] + 1]++] = i;
  pressure->null_count = count;
  return VL_OK;
}

/* Sum over cells in fixed pieces, each in order: the same for any number of threads. */
static double sum_cells(const double *x, const int *cell, int count)
{
  enum { PIECES = 256 };
  double part[PIECES] = {0};
  int size = (count + PIECES - 1) / PIECES;
#pragma omp parallel for schedule(static) if (count > 32768)
  for (int q = 0; q < PIECES; q++) {
    int last = (q + 1) * size < count ? (q + 1) * size : count;
    for (int c = q * size; c < last; c++) part[q] += x[cell[c]];
  }
  double sum = 0.0;
  for (int q = 0; q < PIECES; q++) sum += part[q];
  return sum;
}

double vl_pressure_project(const vlPressure *pressure, double *x)
{
  double removed = 0.0;
  for (int r = 0; r < pressure->null_count; r++) {
    const int *cell = pressure->null_cell + pressure->null_start[r];
    int count = pressure->null_start[r + 1] - pressure->null_start[r];
    double sum = sum_cells(x, cell, count), mean = sum / count;
    removed += fabs(sum);
#pragma omp parallel for schedule(static) if (count > 32768)
    for (int c = 0; c < count; c++) x[cell[c]] -= mean;
  }
  return removed;
}
