/* The levels of sealed liquid, beside any preconditioner: see sealed.h. Everything that is not a sum over cells lives on the
 * rows of the coupling, which are few. */
#include "pressure/sealed.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "pressure/pressure.h"

void vl_sealed_clear(vlSealed *s)
{
  free(s->image);
  free(s->reduced);
  *s = (vlSealed){0};
}

/* Number of the sealed region of a cell, -1: of none that is solved for. */
static int region_of(const vlSealed *s, size_t cell)
{
  int r = VL_REGION_SEALED - s->region[cell];
  return r >= 0 && r < s->count ? r : -1;
}

/* level = Z^T x */
static void restrict_levels(const vlSealed *s, const double *x, double *level)
{
  for (int r = 0; r < s->count; r++) level[r] = 0.0;
  for (size_t i = 0; i < s->inner.n; i++) {
    int r = region_of(s, i);
    if (r >= 0) level[r] += x[i];
  }
}

/* level = E^-1 (level - (A Z)^T x) */
static void level_left(const vlSealed *s, const double *x, double *level)
{
  const vlCoupling *c = s->coupling;
  for (int r = 0; r < s->count; r++)
    for (int q = 0; q < c->rows; q++) level[r] -= s->image[(size_t)r * (size_t)c->rows + (size_t)q] * x[c->cell[q]];
  vl_dense_solve(s->factor, s->count, level);
}

static void apply_sealed(void *data, const double *r, double *z)
{
  const vlSealed *s = data;
  const vlCoupling *c = s->coupling;
  double *reduced = s->reduced + s->inner.pad, sum[VL_SEALED_MOST], level[VL_SEALED_MOST];
  restrict_levels(s, r, sum);
  memcpy(level, sum, sizeof level);
  vl_dense_solve(s->factor, s->count, level);
  memcpy(reduced, r, s->inner.n * sizeof *r);
  for (int k = 0; k < s->count; k++)
    for (int q = 0; q < c->rows; q++) reduced[c->cell[q]] -= level[k] * s->image[(size_t)k * (size_t)c->rows + (size_t)q];
  s->inner.apply(s->inner.data, reduced, z);
  level_left(s, z, sum);
  for (size_t i = 0; i < s->inner.n; i++) {
    int k = region_of(s, i);
    if (k >= 0) z[i] += sum[k];
  }
}

/* A Z of one region, on the rows. */
static void find_image(vlSealed *s, int region)
{
  const vlCoupling *c = s->coupling;
  double *image = s->image + (size_t)region * (size_t)c->rows, *x = s->reduced + s->inner.pad;
  for (size_t i = 0; i < s->inner.n; i++) x[i] = region_of(s, i) == region;
  vl_coupling_load(c, x, c->velocity);
  vl_coupling_solve(c, c->velocity, c->velocity);
  for (int q = 0; q < c->rows; q++) image[q] = c->scale * vl_coupling_row_flux(c, c->velocity, q);
}

/* Factors E, of as many regions as have a pivot beyond round-off. */
static void factor_levels(vlSealed *s)
{
  double E[VL_SEALED_MOST * VL_SEALED_MOST];
  int all = s->count;
  memcpy(E, s->factor, sizeof E);
  for (; s->count > 0; s->count--) {
    int n = s->count;
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) s->factor[i * n + j] = E[i * all + j];
    bool good = vl_dense_factor(s->factor, n);
    for (int i = 0; i < n && good; i++) good = s->factor[i * n + i] * s->factor[i * n + i] > 1e-10 * E[i * all + i];
    if (good) return;
  }
}

vlCode vl_sealed_prepare(vlSealed *s, const vlCoupling *coupling, const int *region, int count, vlOperator inner,
                         vlOperator *corrected, vlStatus *status)
{
  s->coupling = coupling;
  s->region = region;
  s->inner = inner;
  s->count = count < VL_SEALED_MOST ? count : VL_SEALED_MOST;
  *corrected = inner;
  if (count == 0) return VL_OK;
  size_t padded = inner.n + 2 * inner.pad, rows = (size_t)coupling->rows;
  if (!vl_array_reserve((void **)&s->image, &s->image_capacity, rows * (size_t)s->count, sizeof *s->image) ||
      !vl_array_reserve((void **)&s->reduced, &s->reduced_capacity, padded, sizeof *s->reduced))
    return vl_fail_memory(status, padded * sizeof(double), "the sealed regions of liquid");
  memset(s->reduced, 0, padded * sizeof *s->reduced);
  for (int r = 0; r < s->count; r++) find_image(s, r);
  memset(s->factor, 0, sizeof s->factor);
  for (int r = 0; r < s->count; r++)
    for (int q = 0; q < coupling->rows; q++) {
      int k = region_of(s, (size_t)coupling->cell[q]);
      if (k >= 0) s->factor[k * s->count + r] += s->image[(size_t)r * rows + (size_t)q];
    }
  factor_levels(s);
  if (s->count == 0) return VL_OK;
  *corrected = (vlOperator){.n = inner.n, .pad = inner.pad, .apply = apply_sealed, .data = s};
  return VL_OK;
}
