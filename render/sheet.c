/* A contact sheet shows up to twelve pictures at equal distances, the first and the last among them, in a grid that is at
 * most 1920 pixels wide, each with its time below. The file's note lists what it shows; it is kept while the note is the one
 * that this command would give it and no picture is newer. */
#include "sheet.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "drawing/drawing_raster.h"
#include "files/pixels.h"
#include "png_file.h"

enum { MOST = 12, WIDTH = 1920, GAP = 8, CAPTION = 30, LETTERS = 19, NOTE = 512 }; /* px, but for MOST and NOTE */

typedef struct Sheet {
  const char *picture[MOST]; /* paths */
  int frame[MOST];
  int count, columns, rows;
  int width, height; /* px, of a picture */
  double rate;       /* frames in a second */
  vlRaster raster;
} Sheet;

/* Is the sheet there, with this note, and no older than its pictures? */
static bool up_to_date(const Sheet *s, const char *path, const char *note)
{
  for (int i = 0; i < s->count; i++)
    if (!vl_png_is_newer(path, s->picture[i])) return false;
  return vl_png_has_note(path, note);
}

static void choose(Sheet *s, char *const *pictures, const int *frames, int count)
{
  s->count = count < MOST ? count : MOST;
  for (int i = 0; i < s->count; i++) {
    int k = s->count > 1 ? (int)((long long)i * (count - 1) / (s->count - 1)) : 0;
    s->picture[i] = pictures[k];
    s->frame[i] = frames[k];
  }
  s->columns = s->count <= 3 ? s->count : s->count == 4 ? 2 : s->count <= 9 ? 3 : 4;
  s->rows = (s->count + s->columns - 1) / s->columns;
}

static void write_note(const Sheet *s, char note[static NOTE])
{
  int used = snprintf(note, NOTE, "sheet at %.6g frames a second, frames", s->rate);
  for (int i = 0; i < s->count; i++) used += snprintf(note + used, (size_t)(NOTE - used), " %d", s->frame[i]);
}

/* Lays picture i and its time on the sheet. */
static void lay(Sheet *s, int i, const vlPixels *pixels)
{
  int left = GAP + i % s->columns * (s->width + GAP), top = GAP + i / s->columns * (s->height + CAPTION);
  int wide = pixels->width < s->width ? pixels->width : s->width;
  for (int y = 0; y < pixels->height && y < s->height; y++)
    memcpy(s->raster.pixels + 3 * ((size_t)(top + y) * (size_t)s->raster.width + (size_t)left),
           pixels->rgb + 3 * (size_t)y * (size_t)pixels->width, 3 * (size_t)wide);
  char caption[48];
  /* as many digits as tell frames apart */
  int digits = (int)fmin(9.0, fmax(1.0, ceil(log10(s->rate))));
  snprintf(caption, sizeof caption, "%.*f s", digits, s->frame[i] / s->rate);
  vlDrawingItem words = {.text = caption,
                         .x = left + 0.5 * s->width,
                         .y = top + s->height + 21.0,
                         .size = fmin(LETTERS, 0.2 * s->width),
                         .anchor = VL_ANCHOR_MIDDLE};
  const double all[4] = {0.0, 0.0, s->raster.width, s->raster.height};
  vl_raster_words(&s->raster, &words);
  vl_raster_fill(&s->raster, (vlColor){40, 44, 50, 255}, false, false, all);
}

/* The first picture decides how large all are. */
static vlCode begin(Sheet *s, const vlPixels *first, const char *path, vlStatus *status)
{
  s->width = first->width;
  s->height = first->height;
  int width = GAP + s->columns * (s->width + GAP), height = GAP + s->rows * (s->height + CAPTION);
  return vl_raster_create(&s->raster, width, height) ? VL_OK
                                                     : vl_fail_memory(status, 3 * (size_t)width * (size_t)height, path);
}

static vlCode make(Sheet *s, const char *path, const char *note, vlStatus *status)
{
  vlCode code = VL_OK;
  for (int i = 0; i < s->count && code == VL_OK; i++) {
    vlPixels pixels;
    code = vl_pixels_read(&pixels, s->picture[i], (WIDTH - GAP) / s->columns - GAP, status);
    if (code == VL_OK && i == 0) code = begin(s, &pixels, path, status);
    if (code == VL_OK) lay(s, i, &pixels);
    vl_pixels_clear(&pixels);
  }
  if (code == VL_OK && s->raster.failed) code = vl_fail_memory(status, 1 << 16, path);
  if (code == VL_OK) code = vl_png_write(path, s->raster.width, s->raster.height, s->raster.pixels, note, status);
  vl_raster_clear(&s->raster);
  return code;
}

vlCode vl_sheet_write(const char *path, char *const *pictures, const int *frames, int count, double frames_per_second,
                      vlStatus *status)
{
  char note[NOTE];
  Sheet s = {.rate = frames_per_second};
  choose(&s, pictures, frames, count);
  write_note(&s, note);
  return up_to_date(&s, path, note) ? VL_OK : make(&s, path, note, status);
}
