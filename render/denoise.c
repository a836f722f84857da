/* An edge-aware denoiser: wavelets with holes [dammertz2010], guided by the noise of each pixel [schied2017].
 *
 * Five passes average 5 x 5 pixels, 1, 2, 4, 8 and 16 apart, with a bell of weights. A neighbour counts less the more its
 * normal differs, the more its albedo differs beyond the noise of both, and the more its light differs compared with the
 * noise that the samples show; noise shrinks with each pass as the average does, so real detail is left alone. Where water
 * shows a picture of what lies below, normals vary from pixel to pixel and light decides.
 * In: a film with means and variances. Out: the same film, its light smoothed. */
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "film.h"

enum { PASSES = 5 };

static const float NORMAL_SHARPNESS = 24.0f, ALBEDO_WIDTH = 0.06f, LIGHT_WIDTH = 3.0f;

typedef struct Layer {
  vlF3 *light;
  float *variance;
} Layer;

/* Noise of a single pixel is itself noisy: 3 x 3 are averaged. */
static float local_variance(const vlFilm *film, const Layer *from, int x, int y)
{
  static const float bell[2] = {1.0f, 0.5f};
  float sum = 0.0f, weights = 0.0f;
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++) {
      int qx = x + dx, qy = y + dy;
      if (qx < 0 || qy < 0 || qx >= film->width || qy >= film->height) continue;
      float w = bell[abs(dx)] * bell[abs(dy)];
      sum += w * from->variance[(size_t)qy * (size_t)film->width + (size_t)qx];
      weights += w;
    }
  return sum / weights;
}

/* How much the pixel q counts for p, by what is seen there. */
static float likeness(const vlFilm *film, const Layer *from, size_t p, size_t q, float noise)
{
  float apart = f3_dot(film->normal[p], film->normal[p]) + f3_dot(film->normal[q], film->normal[q]) -
                2.0f * f3_dot(film->normal[p], film->normal[q]);
  vlF3 a = f3_sub(film->albedo[p], film->albedo[q]);
  float chance = film->albedo_variance[p] + film->albedo_variance[q];
  float color = larger(0.0f, f3_dot(a, a) - 3.0f * chance) / (ALBEDO_WIDTH * ALBEDO_WIDTH + 3.0f * chance);
  vlF3 difference = f3_sub(from->light[p], from->light[q]);
  float light = f3_dot(difference, difference) / (3.0f * (LIGHT_WIDTH * LIGHT_WIDTH * noise + 1e-6f));
  float unlike = NORMAL_SHARPNESS * 0.5f * apart + color + light;
  return unlike < 16.0f ? expf(-unlike) : 0.0f; /* below 1e-7 nothing is added */
}

static void smooth_pixel(const vlFilm *film, const Layer *from, const Layer *to, int x, int y, int hole)
{
  static const float bell[3] = {0.375f, 0.25f, 0.0625f};
  size_t width = (size_t)film->width, p = (size_t)y * width + (size_t)x;
  float noise = local_variance(film, from, x, y), weights = 0.0f, variance = 0.0f;
  vlF3 light = f3_all(0.0f);
  for (int dy = -2; dy <= 2; dy++)
    for (int dx = -2; dx <= 2; dx++) {
      int qx = x + dx * hole, qy = y + dy * hole;
      if (qx < 0 || qy < 0 || qx >= film->width || qy >= film->height) continue;
      size_t q = (size_t)qy * width + (size_t)qx;
      float w = bell[abs(dx)] * bell[abs(dy)] * (p == q ? 1.0f : likeness(film, from, p, q, noise));
      if (w == 0.0f) continue;
      light = f3_axpy(light, w, from->light[q]);
      variance += w * w * from->variance[q];
      weights += w;
    }
  to->light[p] = f3_scale(light, 1.0f / weights);
  to->variance[p] = variance / (weights * weights);
}

/* A pixel far brighter or darker than all around it was hit by a rare path: it becomes like the nearest of them. */
static void calm_pixel(const vlFilm *film, const Layer *to, int x, int y)
{
  size_t width = (size_t)film->width, p = (size_t)y * width + (size_t)x;
  float lo = INFINITY, hi = 0.0f, noise = 0.0f, own = f3_luminance(film->light[p]);
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++) {
      int qx = x + dx, qy = y + dy;
      if ((!dx && !dy) || qx < 0 || qy < 0 || qx >= film->width || qy >= film->height) continue;
      size_t q = (size_t)qy * width + (size_t)qx;
      lo = smaller(lo, f3_luminance(film->light[q]));
      hi = larger(hi, f3_luminance(film->light[q]));
      noise = larger(noise, film->variance[q]);
    }
  float wanted = smaller(larger(own, lo), hi);
  bool calm = own > 0.0f && wanted != own;
  to->light[p] = calm ? f3_scale(film->light[p], wanted / own) : film->light[p];
  to->variance[p] = calm ? larger(noise, smaller(film->variance[p], wanted * wanted)) : film->variance[p];
}

vlCode vl_film_denoise(vlFilm *film, vlStatus *status)
{
  size_t n = (size_t)film->width * (size_t)film->height;
  Layer from = {film->light, film->variance}, to = {malloc(n * sizeof(vlF3)), malloc(n * sizeof(float))};
  vlCode code = to.light && to.variance ? VL_OK : vl_fail_memory(status, n * 16, "the denoiser");
  for (int pass = -1; pass < PASSES && code == VL_OK; pass++) {
#pragma omp parallel for schedule(dynamic, 4)
    for (int y = 0; y < film->height; y++)
      for (int x = 0; x < film->width; x++) {
        if (pass < 0)
          calm_pixel(film, &to, x, y);
        else
          smooth_pixel(film, &from, &to, x, y, 1 << pass);
      }
    Layer last = from;
    from = to;
    to = last;
  }
  film->light = from.light;
  film->variance = from.variance;
  free(to.light);
  free(to.variance);
  return code;
}
