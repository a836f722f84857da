/* Reads a PNG file and makes it small: at most so many pixels wide.
 *
 * A pixel of the small picture is the mean over the rectangle of the large one that it covers, pixels at the rectangle's
 * border counting with the part that lies inside: weights from the overlap of intervals, first along x, then along y.
 *   FILE.png -> 8-bit RGB (libpng) -> means */
#include "files/pixels.h"

#include <math.h>
#include <png.h>
#include <stdlib.h>

#include "base/status.h"

enum { LARGEST_SIDE = 16384 };

/* One row or column of `from` pixels, `step` values apart, to `to` pixels; both have three channels. */
static void shrink_line(const float *in, size_t in_step, int from, float *out, size_t out_step, int to)
{
  double scale = (double)from / to;
  for (int i = 0; i < to; i++) {
    double lo = i * scale, hi = (i + 1) * scale, sum[3] = {0.0, 0.0, 0.0};
    for (int j = (int)lo; j < from && j < hi; j++) {
      double part = fmin(j + 1.0, hi) - fmax(j, lo);
      for (int c = 0; c < 3; c++) sum[c] += part * in[(size_t)j * in_step + (size_t)c];
    }
    for (int c = 0; c < 3; c++) out[(size_t)i * out_step + (size_t)c] = (float)(sum[c] / scale);
  }
}

/* rgb [w * h * 3] -> small [to_w * to_h * 3] */
static bool shrink(const unsigned char *rgb, int w, int h, unsigned char *small, int to_w, int to_h)
{
  size_t row = (size_t)to_w * 3;
  float *line = malloc((size_t)w * 3 * sizeof *line), *wide = malloc((size_t)h * row * sizeof *wide);
  float *column = malloc((size_t)to_h * 3 * sizeof *column);
  bool done = line && wide && column;
  for (int y = 0; done && y < h; y++) {
    for (int i = 0; i < 3 * w; i++) line[i] = rgb[(size_t)y * (size_t)w * 3 + (size_t)i];
    shrink_line(line, 3, w, wide + (size_t)y * row, 3, to_w);
  }
  for (int x = 0; done && x < to_w; x++) {
    shrink_line(wide + (size_t)x * 3, row, h, column, 3, to_h);
    for (int y = 0; y < to_h; y++)
      for (int c = 0; c < 3; c++) small[(size_t)y * row + (size_t)(3 * x + c)] = (unsigned char)lrintf(column[3 * y + c]);
  }
  free(line);
  free(wide);
  free(column);
  return done;
}

static vlCode read_png(png_image *image, unsigned char **rgb, const char *path, vlStatus *status)
{
  *image = (png_image){.version = PNG_IMAGE_VERSION};
  if (!png_image_begin_read_from_file(image, path))
    return vl_fail(status, VL_ERROR_FILE, "cannot read the picture %s: %s", path, image->message);
  if (image->width > LARGEST_SIDE || image->height > LARGEST_SIDE)
    return vl_fail(status, VL_ERROR_FILE, "the picture %s has %u x %u pixels; at most %d along a side are read", path,
                   image->width, image->height, LARGEST_SIDE);
  image->format = PNG_FORMAT_RGB;
  *rgb = malloc(PNG_IMAGE_SIZE(*image));
  if (!*rgb) return vl_fail_memory(status, PNG_IMAGE_SIZE(*image), path);
  png_color black = {0, 0, 0};
  if (!png_image_finish_read(image, &black, *rgb, 0, NULL))
    return vl_fail(status, VL_ERROR_FILE, "cannot read the picture %s: %s", path, image->message);
  return VL_OK;
}

vlCode vl_pixels_read(vlPixels *pixels, const char *path, int width, vlStatus *status)
{
  *pixels = (vlPixels){0};
  png_image image;
  unsigned char *rgb = NULL;
  vlCode code = read_png(&image, &rgb, path, status);
  if (code == VL_OK) {
    int w = (int)image.width, h = (int)image.height;
    pixels->width = w < width ? w : width;
    pixels->height = (int)fmax(1.0, round((double)h * pixels->width / w));
    pixels->rgb = malloc((size_t)pixels->width * (size_t)pixels->height * 3);
    if (!pixels->rgb || !shrink(rgb, w, h, pixels->rgb, pixels->width, pixels->height))
      code = vl_fail_memory(status, (size_t)w * (size_t)h * 12, path);
  }
  png_image_free(&image);
  free(rgb);
  if (code != VL_OK) vl_pixels_clear(pixels);
  return code;
}

void vl_pixels_clear(vlPixels *pixels)
{
  free(pixels->rgb);
  *pixels = (vlPixels){0};
}
