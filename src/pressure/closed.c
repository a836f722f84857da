/* Closed regions of liquid: connected unknowns without a link to the free surface.
 *
 * There only pressure differences matter: the constant on each region is a null vector of the matrix. It is taken out of the
 * right-hand side and of every preconditioned residual, so the mean pressure of a closed region stays what the first guess
 * had. What is taken out of the right-hand side is flux that no pressure can balance (a scripted wall squeezing closed
 * liquid) and is reported. A region that an elastic body borders is not closed in this sense: the body yields. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "pressure/pressure.h"

/* A rigid body gives way as a whole. Liquid on all sides of it, in one region or in several, presses with one constant in
 * vain: J^T 1 = 0, and that constant is a null vector like that of a closed region. Regions at the same rigid body are
 * joined into one; joined[label] leads to its first cell. */
static int first_joined(const int *joined, int label)
{
  while (joined[label] != label) label = joined[label];
  return label;
}

static void join_regions(const vlPressure *pressure, int *joined)
{
  const vlCoupling *c = &pressure->coupling;
  int at_body;
  for (int b = 0; b < c->bodies.count; b++) {
    if (!c->bodies.body[b]->rigid || !c->wet[b]) continue;
    at_body = -1;
    for (int r = 0; r < c->rows; r++) {
      int node = c->start[r] < c->start[r + 1] ? c->node[c->start[r]] : -1, label = pressure->label[c->cell[r]];
      if (node < c->bodies.first_node[b] || node >= c->bodies.first_node[b + 1]) continue;
      if (pressure->region[label] != VL_REGION_SEALED) continue;
      int root = first_joined(joined, label);
      if (at_body >= 0 && root != at_body) {
        int lower = root < at_body ? root : at_body, upper = root < at_body ? at_body : root;
        joined[upper] = lower;
        root = lower;
      }
      at_body = root;
    }
  }
}

/* p.J S^-1 J^T p for p = 1 on the cells whose component is joined to `root`, over what one of the same rows alone has, times
 * their number squared. */
static double yielding(const vlPressure *pressure, const int *joined, int root)
{
  const vlCoupling *c = &pressure->coupling;
  vlVec3 *load = c->load, *v = c->velocity;
  size_t nodes = (size_t)c->bodies.first_node[c->bodies.count];
  double together = 0.0, alone = 0.0;
  int rows = 0;
  for (int pass = 0; pass < 2; pass++) {
    memset(load, 0, nodes * sizeof *load);
    for (int r = 0; r < c->rows; r++) {
      int label = pressure->label[c->cell[r]];
      if (pressure->region[label] != VL_REGION_SEALED || first_joined(joined, label) != root) continue;
      for (int e = c->start[r]; e < c->start[r + 1]; e++) load[c->node[e]] = vl_add(load[c->node[e]], c->weight[e]);
      rows += pass == 0;
      if (pass == 1) break;
    }
    vl_coupling_solve(c, load, v);
    double energy = 0.0;
    for (size_t i = 0; i < nodes; i++) energy += vl_dot(load[i], v[i]);
    *(pass == 0 ? &together : &alone) = energy;
  }
  return alone > 0.0 ? together / (alone * rows * rows) : 0.0;
}

/* Numbers the closed and the sealed regions by their first cell; returns how many are closed. */
static int number_regions(vlPressure *pressure)
{
  const double IN_VAIN = 1e-18; /* round-off of sums over closed surfaces, squared, and some */
  const vlCoupling *coupling = &pressure->coupling;
  int n = (int)vl_stencil_length(&pressure->stencil), *label = pressure->label, *region = pressure->region, count = 0;
  bool rigid = false;
  pressure->sealed_count = 0;
  for (int i = 0; i < n; i++) region[i] = VL_REGION_NONE;
  for (int i = 0; i < n; i++)
    if (pressure->surface[i / VL_BLOCK] >> (i % VL_BLOCK) & 1u) region[label[i]] = VL_REGION_OPEN;
  for (int r = 0; r < coupling->rows && pressure->coupled; r++) {
    int first = label[coupling->cell[r]];
    if (region[first] == VL_REGION_NONE && vl_coupling_row_yields(coupling, r)) region[first] = VL_REGION_SEALED;
  }
  for (int b = 0; b < coupling->bodies.count && pressure->coupled; b++) rigid = rigid || coupling->bodies.body[b]->rigid;
  int *joined = (int *)pressure->work; /* free until the solve */
  for (int i = 0; i < n && rigid; i++) joined[i] = i;
  if (rigid) join_regions(pressure, joined);
  /* a component's label is its first cell, so it is decided before the others ask */
  for (int i = 0; i < n; i++) {
    if (label[i] < 0) continue;
    if (label[i] != i)
      region[i] = region[label[i]];
    else if (region[i] == VL_REGION_SEALED && rigid && first_joined(joined, i) != i)
      region[i] = region[first_joined(joined, i)] >= 0 ? region[first_joined(joined, i)]
                                                       : VL_REGION_SEALED - pressure->sealed_count++;
    else if (region[i] == VL_REGION_SEALED && (!rigid || yielding(pressure, joined, i) > IN_VAIN))
      region[i] = VL_REGION_SEALED - pressure->sealed_count++;
    else if (region[i] == VL_REGION_NONE || region[i] == VL_REGION_SEALED)
      region[i] = count++;
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
