/* The legend: a pale plate in the lower left corner with the quantity, the ramp of colours and the values at its ends. It
 * is drawn over the finished picture, so light and noise do not touch it. */
#include "legend.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "drawing/drawing_raster.h"
#include "material.h"

enum { LEAST_WIDTH = 240 };            /* px: of a picture with a legend */
static const double LETTERS = 0.0145;  /* height of letters, as part of the picture's width */
static const double LEAST_LETTERS = 9; /* px */

static unsigned char screen(float linear)
{
  float x = linear <= 0.0031308f ? 12.92f * linear : 1.055f * powf(linear, 1.0f / 2.4f) - 0.055f;
  return (unsigned char)lrintf(255.0f * fminf(fmaxf(x, 0.0f), 1.0f));
}

static void fill_box(vlRaster *raster, double x, double y, double width, double height, vlColor color)
{
  const double all[4] = {0.0, 0.0, raster->width, raster->height};
  const double corner[5][2] = {{x, y}, {x, y + height}, {x + width, y + height}, {x + width, y}, {x, y}};
  for (int i = 0; i < 4; i++) vl_raster_edge(raster, corner[i][0], corner[i][1], corner[i + 1][0], corner[i + 1][1]);
  vl_raster_fill(raster, color, true, false, all);
}

static void write_words(vlRaster *raster, double x, double y, double size, vlAnchor anchor, char *text)
{
  const double all[4] = {0.0, 0.0, raster->width, raster->height};
  vlDrawingItem words = {.text = text, .x = x, .y = y, .size = size, .anchor = anchor};
  vl_raster_words(raster, &words);
  vl_raster_fill(raster, (vlColor){35, 39, 45, 255}, false, false, all);
}

/* "2.4 m/s", "13.5 kPa": three digits, with the thousands in the unit. */
static void write_value(double value, const char *unit, char *text, size_t room)
{
  static const char *const prefixes[] = {"", "k", "M", "G"};
  int k = 0;
  for (; value >= 999.5 && k < 3; k++) value /= 1000.0;
  snprintf(text, room, "%.3g %s%s", value, prefixes[k], unit);
}

/* One colour for each column of the bar. */
static void draw_ramp(vlRaster *raster, int left, int top, int width, int height)
{
  for (int x = 0; x < width; x++) {
    vlF3 color = vl_ramp_color((float)x / (float)(width - 1));
    const unsigned char rgb[3] = {screen(color.x), screen(color.y), screen(color.z)};
    for (int y = 0; y < height; y++)
      memcpy(raster->pixels + 3 * ((size_t)(top + y) * (size_t)raster->width + (size_t)(left + x)), rgb, sizeof rgb);
  }
}

vlCode vl_legend_draw(const vlLegend *legend, unsigned char *rgb, vlStatus *status)
{
  size_t bytes = 3 * (size_t)legend->width * (size_t)legend->height;
  double letters = fmax(LEAST_LETTERS, LETTERS * legend->width);
  double plate = 15.0 * letters, high = 4.6 * letters, beside = letters;
  if (legend->width < LEAST_WIDTH || legend->height < high + 2.0 * beside) return VL_OK;
  vlRaster raster;
  if (!vl_raster_create(&raster, legend->width, legend->height)) return vl_fail_memory(status, bytes, "a legend");
  memcpy(raster.pixels, rgb, bytes);
  double left = beside, top = legend->height - beside - high, inner = left + 0.8 * letters;
  char value[48], quantity[32];
  write_value(legend->most, legend->unit, value, sizeof value);
  snprintf(quantity, sizeof quantity, "%s", legend->quantity);
  fill_box(&raster, left, top, plate, high, (vlColor){250, 250, 250, 215});
  write_words(&raster, inner, top + 1.35 * letters, letters, VL_ANCHOR_START, quantity);
  draw_ramp(&raster, (int)inner, (int)(top + 1.75 * letters), (int)(plate - 1.6 * letters), (int)(1.1 * letters));
  write_words(&raster, inner, top + 4.05 * letters, letters, VL_ANCHOR_START, (char[]){"0"});
  write_words(&raster, left + plate - 0.8 * letters, top + 4.05 * letters, letters, VL_ANCHOR_END, value);
  if (!raster.failed) memcpy(rgb, raster.pixels, bytes);
  vlCode code = raster.failed ? vl_fail_memory(status, bytes, "a legend") : VL_OK;
  vl_raster_clear(&raster);
  return code;
}
