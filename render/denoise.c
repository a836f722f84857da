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

/* So few samples that they say little of their own noise. */
static bool is_grainy(const vlFilm *film) { return film->samples > 0 && film->samples < 12; }

/* Noise of a single pixel is itself noisy: 3 x 3 are averaged, or 5 x 5 of few samples. */
static float local_mean(const vlFilm *film, const float *values, int reach, int x, int y)
{
  static const float bell[3] = {1.0f, 0.5f, 0.25f};
  float sum = 0.0f, weights = 0.0f;
  for (int dy = -reach; dy <= reach; dy++)
    for (int dx = -reach; dx <= reach; dx++) {
      int qx = x + dx, qy = y + dy;
      if (qx < 0 || qy < 0 || qx >= film->width || qy >= film->height) continue;
      float w = bell[abs(dx)] * bell[abs(dy)];
      sum += w * values[(size_t)qy * (size_t)film->width + (size_t)qx];
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
  float noise = local_mean(film, from->variance, is_grainy(film) && hole == 1 ? 2 : 1, x, y), weights = 0.0f,
        variance = 0.0f;
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

/* The two least and the two largest values so far. */
typedef struct Extremes {
  float lo[2], hi[2];
} Extremes;

static void meet_value(Extremes *e, float x)
{
  e->lo[1] = smaller(e->lo[1], larger(e->lo[0], x));
  e->lo[0] = smaller(e->lo[0], x);
  e->hi[1] = larger(e->hi[1], smaller(e->hi[0], x));
  e->hi[0] = larger(e->hi[0], x);
}

/* A pixel far brighter or darker than all around it was hit by a rare path: it becomes like the nearest of them; where there
 * are few samples, two such pixels may lie side by side. */
static void calm_pixel(const vlFilm *film, const Layer *to, int x, int y)
{
  size_t width = (size_t)film->width, p = (size_t)y * width + (size_t)x;
  Extremes around = {{INFINITY, INFINITY}, {0.0f, 0.0f}};
  float noise = 0.0f, own = f3_luminance(film->light[p]);
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++) {
      int qx = x + dx, qy = y + dy;
      if ((!dx && !dy) || qx < 0 || qy < 0 || qx >= film->width || qy >= film->height) continue;
      size_t q = (size_t)qy * width + (size_t)qx;
      meet_value(&around, f3_luminance(film->light[q]));
      noise = larger(noise, film->variance[q]);
    }
  int which = is_grainy(film) ? 1 : 0;
  float wanted = smaller(larger(own, around.lo[which]), around.hi[which]);
  bool calm = own > 0.0f && wanted != own;
  to->light[p] = calm ? f3_scale(film->light[p], wanted / own) : film->light[p];
  to->variance[p] = calm ? larger(noise, smaller(film->variance[p], wanted * wanted)) : film->variance[p];
}

/* Where samples are few, the noise of the albedo is averaged like that of light. */
static vlCode spread_chance(vlFilm *film, vlStatus *status)
{
  size_t n = (size_t)film->width * (size_t)film->height;
  float *spread = malloc(n * sizeof *spread);
  if (!spread) return vl_fail_memory(status, n * sizeof *spread, "the denoiser");
#pragma omp parallel for schedule(static)
  for (int y = 0; y < film->height; y++)
    for (int x = 0; x < film->width; x++)
      spread[(size_t)y * (size_t)film->width + (size_t)x] = local_mean(film, film->albedo_variance, 2, x, y);
  free(film->albedo_variance);
  film->albedo_variance = spread;
  return VL_OK;
}

vlCode vl_film_denoise(vlFilm *film, vlStatus *status)
{
  size_t n = (size_t)film->width * (size_t)film->height;
  Layer from = {film->light, film->variance}, to = {malloc(n * sizeof(vlF3)), malloc(n * sizeof(float))};
  vlCode code = to.light && to.variance ? VL_OK : vl_fail_memory(status, n * 16, "the denoiser");
  if (code == VL_OK && is_grainy(film)) code = spread_chance(film, status);
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
