/* The film: tiles of pixels are exposed by whatever thread is free; a pixel's samples depend on its place alone.
 *
 * Samples lie in a tent of two pixels' width around the pixel's middle, which smooths edges better than a square.
 * Developing: radiance times exposure goes through a curve with a straight middle, a soft toe and a shoulder that bends
 * towards white [uchimura2017], mixed with the same curve on the luminance so that bright colours pale instead of shifting
 * their hue; then sRGB, and a noise of half a step so that smooth gradients show no bands. */
#include "film.h"

#include <stdlib.h>

#include "base/status.h"

enum { TILE = 16 };

vlCode vl_film_create(vlFilm *film, int width, int height, vlStatus *status)
{
  size_t n = (size_t)width * (size_t)height;
  *film = (vlFilm){.width = width,
                   .height = height,
                   .light = calloc(n, sizeof(vlF3)),
                   .normal = calloc(n, sizeof(vlF3)),
                   .albedo = calloc(n, sizeof(vlF3)),
                   .variance = calloc(n, sizeof(float)),
                   .albedo_variance = calloc(n, sizeof(float))};
  if (film->light && film->normal && film->albedo && film->variance && film->albedo_variance) return VL_OK;
  vl_film_clear(film);
  return vl_fail_memory(status, n * 44, "the picture");
}

void vl_film_clear(vlFilm *film)
{
  free(film->light);
  free(film->normal);
  free(film->albedo);
  free(film->variance);
  free(film->albedo_variance);
  *film = (vlFilm){0};
}

static float tent(float u) { return u < 0.5f ? sqrtf(2.0f * u) - 1.0f : 1.0f - sqrtf(2.0f - 2.0f * u); }

/* Variance of a mean of n colours, mean over the channels, from their sum and the sum of their squares. By luminance alone
 * red and grey of the same brightness would seem to have none. */
static float variance_of(vlF3 sum, double squares, int n)
{
  double mean2 = (double)f3_dot(sum, sum) / ((double)n * n);
  return (float)((n > 1 ? fmax(0.0, squares / n - mean2) / (n - 1) : mean2) / 3.0);
}

typedef struct Exposure {
  vlFilm *film;
  const vlWorld *world;
  const vlCamera *camera;
  const vlTraceOptions *options;
  int samples, frame;
  vlF3 origin;
  bool in_water;
} Exposure;

static void expose_pixel(const Exposure *e, int x, int y)
{
  vlF3 light = f3_all(0.0f), normal = light, albedo = light;
  double squares = 0.0, albedo_squares = 0.0;
  for (int i = 0; i < e->samples; i++) {
    vlSampler sampler = vl_sampler((uint32_t)x, (uint32_t)y, (uint32_t)e->frame, (uint32_t)i, (uint32_t)e->samples);
    vlFeatures features;
    float u[2];
    vl_draw_pair(&sampler, u);
    vlVec3 d =
        vl_camera_direction(e->camera, (x + 0.5 + tent(u[0])) / e->film->width, (y + 0.5 + tent(u[1])) / e->film->height);
    vlF3 sample = vl_trace(e->world, (vlRay){e->origin, f3_from(d)}, e->in_water, e->options, &sampler, &features);
    light = f3_add(light, sample);
    normal = f3_add(normal, features.normal);
    albedo = f3_add(albedo, features.albedo);
    squares += (double)f3_dot(sample, sample);
    albedo_squares += (double)f3_dot(features.albedo, features.albedo);
  }
  size_t pixel = (size_t)y * (size_t)e->film->width + (size_t)x;
  float each = 1.0f / (float)e->samples;
  e->film->light[pixel] = f3_scale(light, each);
  e->film->normal[pixel] = f3_scale(normal, each);
  e->film->albedo[pixel] = f3_scale(albedo, each);
  e->film->variance[pixel] = variance_of(light, squares, e->samples);
  e->film->albedo_variance[pixel] = variance_of(albedo, albedo_squares, e->samples);
}

bool vl_film_expose(vlFilm *film, const vlWorld *world, const vlCamera *camera, const vlTraceOptions *options, int samples,
                    int frame, bool (*stop)(void))
{
  film->samples = samples;
  Exposure e = {film, world, camera, options, samples, frame, vl_world_place(world, camera->position), false};
  e.in_water = vl_world_in_water(world, e.origin);
  int across = (film->width + TILE - 1) / TILE, tiles = across * ((film->height + TILE - 1) / TILE);
#pragma omp parallel for schedule(dynamic, 1)
  for (int tile = 0; tile < tiles; tile++) {
    int x0 = tile % across * TILE, y0 = tile / across * TILE;
    if (stop && stop()) continue;
    for (int y = y0; y < y0 + TILE && y < film->height; y++)
      for (int x = x0; x < x0 + TILE && x < film->width; x++) expose_pixel(&e, x, y);
  }
  return !(stop && stop());
}

float vl_tone(float x)
{
  /* straight with slope 1 from m to m + l, with a toe of power c below; then towards 1 */
  const float m = 0.24f, l = 0.28f, c = 1.35f;
  if (x < m) return m * powf(larger(x, 0.0f) / m, c);
  if (x < m + l) return x;
  float rest = 1.0f - m - l;
  return 1.0f - rest * expf(-(x - m - l) / rest);
}

static float screen(float x) { return x <= 0.0031308f ? 12.92f * x : 1.055f * powf(x, 1.0f / 2.4f) - 0.055f; }

void vl_film_develop(const vlFilm *film, double exposure, unsigned char *bytes)
{
  const float gain = (float)exp2(exposure), keep_hue = 0.4f;
#pragma omp parallel for schedule(static)
  for (int y = 0; y < film->height; y++)
    for (int x = 0; x < film->width; x++) {
      size_t pixel = (size_t)y * (size_t)film->width + (size_t)x;
      vlF3 light = f3_scale(film->light[pixel], gain), each = f3(vl_tone(light.x), vl_tone(light.y), vl_tone(light.z));
      float bright = f3_luminance(light);
      vlF3 whole = bright > 0.0f ? f3_scale(light, vl_tone(bright) / bright) : light, out = f3_mix(each, whole, keep_hue);
      const float channel[3] = {out.x, out.y, out.z};
      for (int c = 0; c < 3; c++) {
        float noise = (float)(vl_hash((uint32_t)pixel * 3u + (uint32_t)c) >> 8) * 0x1p-24f;
        bytes[3 * pixel + (size_t)c] = (unsigned char)smaller(255.0f, 255.0f * screen(clamp01(channel[c])) + noise);
      }
    }
}
