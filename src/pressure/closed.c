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

/* Numbers the closed and the sealed regions by their first cell; returns how many are closed. */
static int number_regions(vlPressure *pressure)
{
  const vlCoupling *coupling = &pressure->coupling;
  int n = (int)vl_stencil_length(&pressure->stencil), *label = pressure->label, *region = pressure->region, count = 0;
  pressure->sealed_count = 0;
  for (int i = 0; i < n; i++) region[i] = VL_REGION_NONE;
  for (int i = 0; i < n; i++)
    if (pressure->surface[i / VL_BLOCK] >> (i % VL_BLOCK) & 1u) region[label[i]] = VL_REGION_OPEN;
  for (int r = 0; r < coupling->rows && pressure->coupled; r++) {
    int first = label[coupling->cell[r]];
    if (region[first] == VL_REGION_NONE && vl_coupling_row_yields(coupling, r)) region[first] = VL_REGION_SEALED;
  }
  /* a component's label is its first cell, so it is decided before the others ask */
  for (int i = 0; i < n; i++) {
    if (label[i] < 0) continue;
    if (label[i] != i)
      region[i] = region[label[i]];
    else if (region[i] == VL_REGION_SEALED)
      region[i] = VL_REGION_SEALED - pressure->sealed_count++;
    else if (region[i] == VL_REGION_NONE)
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
