/* Volumes near the surface and inside the liquid, in bins of many cells: what is missing deep inside is found by the surface
 * above it. */
#include <stdlib.h>

#include "base/status.h"
#include "liquid/particles.h"
#include "liquid/surface_hold.h"

static size_t bin_of(const vlSurfaceScale *s, int i, int j, int k)
{
  return (size_t)(i / s->size) + (size_t)s->n[0] * ((size_t)(j / s->size) + (size_t)s->n[1] * (size_t)(k / s->size));
}

/* Cells deep inside are open and full. */
static void fill_deep(vlSurfaceScale *s, const vlSurfaceBins *bins)
{
  const vlSurfaceInput *in = bins->lattice->in;
  const vlParticles *p = in->particles;
  for (int b = 0; b < p->home.count; b++) {
    vlBlockPosition at = p->home.at[b];
    const int *start = p->cell_start + (ptrdiff_t)b * VL_BLOCK;
    if (vl_blocks_find(&bins->near, at.bx, at.j, at.k) >= 0) continue;
    for (int l = 0; l < vl_blocks_width(&p->home, at); l++)
      s->deep[bin_of(s, at.bx * VL_BLOCK + l, at.j, at.k)] += 1.0 - (start[l + 1] - start[l]) / in->per_cell;
  }
}

vlCode vl_surface_scale_create(vlSurfaceScale *s, const vlSurfaceBins *bins, int size, vlStatus *status)
{
  const int *n = bins->near.n;
  *s = (vlSurfaceScale){.size = size, .length = 1};
  for (int a = 0; a < 3; a++) s->length *= (size_t)(s->n[a] = (n[a] + size - 1) / size);
  double **arrays[] = {&s->deep, &s->excess, &s->share, &s->spare};
  for (int i = 0; i < 4; i++)
    if (!(*arrays[i] = calloc(s->length, sizeof(double))))
      return vl_fail_memory(status, s->length * sizeof(double), "the liquid's surface");
  fill_deep(s, bins);
  return VL_OK;
}

void vl_surface_scale_clear(vlSurfaceScale *s)
{
  free(s->deep);
  free(s->excess);
  free(s->share);
  free(s->spare);
  *s = (vlSurfaceScale){0};
}

static void gather(const vlSurfaceScale *s, const vlSurfaceBins *bins, const double *field, double *to)
{
  for (int b = 0; b < bins->near.count; b++) {
    vlBlockPosition p = bins->near.at[b];
    ptrdiff_t at = vl_blocks_field(bins->lattice->in->grid, p);
    for (int l = 0; l < vl_blocks_width(&bins->near, p); l++) to[bin_of(s, p.bx * VL_BLOCK + l, p.j, p.k)] += field[at + l];
  }
}

/* As in surface_bins.c. */
static void blur(const vlSurfaceScale *s, const double *field, double *to, int axis)
{
  size_t stride = axis == 0 ? 1 : axis == 1 ? (size_t)s->n[0] : (size_t)s->n[0] * (size_t)s->n[1], n = (size_t)s->n[axis];
  for (size_t at = 0; at < s->length; at++) {
    size_t i = at / stride % n;
    double sum = 0.0;
    if (i > 0) sum += field[at - stride] - field[at];
    if (i + 1 < n) sum += field[at + stride] - field[at];
    to[at] = field[at] + 0.25 * sum;
  }
}

static void blur_all(const vlSurfaceScale *s, double *field, double *to)
{
  blur(s, field, to, 0);
  blur(s, to, field, 1);
  blur(s, field, to, 2);
}

void vl_surface_scale_share(vlSurfaceScale *s, const vlSurfaceBins *bins, double least)
{
  double *gain = s->share, *around = s->spare;
  for (size_t i = 0; i < s->length; i++) gain[i] = 0.0;
  gather(s, bins, bins->gain, gain);
  blur_all(s, gain, around);
  for (size_t i = 0; i < s->length; i++) s->excess[i] = s->deep[i];
  gather(s, bins, bins->excess, s->excess);
  for (size_t i = 0; i < s->length; i++) s->excess[i] *= around[i] / (around[i] * around[i] + least * least);
  blur_all(s, s->excess, s->share);
}

double vl_surface_scale_at(const vlSurfaceScale *s, vlVec3 x)
{
  int lower[3];
  double upper[3], sum = 0.0;
  for (int a = 0; a < 3; a++) {
    double u = fmin(fmax(x.v[a] / s->size - 0.5, 0.0), s->n[a] - 1.0);
    lower[a] = (int)u;
    upper[a] = u - lower[a];
  }
  for (int c = 0; c < 8; c++) {
    size_t i[3];
    double weight = 1.0;
    for (int a = 0; a < 3; a++) {
      bool up = c >> a & 1;
      i[a] = (size_t)(lower[a] + (up && lower[a] + 1 < s->n[a]));
      weight *= up ? upper[a] : 1.0 - upper[a];
    }
    sum += weight * s->share[i[0] + (size_t)s->n[0] * (i[1] + (size_t)s->n[1] * i[2])];
  }
  return sum;
}
