/* A drawing as PNG: each item becomes polygons, the polygons pixels; libpng packs them. */
#include <errno.h>
#include <math.h>
#include <png.h>
#include <string.h>

#include "drawing/drawing_raster.h"
#include "files/file.h"

static void fill_item(vlRaster *raster, const vlDrawing *drawing, const vlDrawingItem *item, const double clip[4])
{
  for (size_t l = item->first; l < item->first + item->count; l++) {
    const vlDrawingLine *line = &drawing->line[l];
    for (size_t i = 0; i < line->count; i++) {
      const double *p = drawing->point[line->first + i], *q = drawing->point[line->first + (i + 1) % line->count];
      vl_raster_edge(raster, p[0], p[1], q[0], q[1]);
    }
  }
  vl_raster_fill(raster, item->paint.fill, true, item->paint.crisp, clip);
}

static void stroke_item(vlRaster *raster, const vlDrawing *drawing, const vlDrawingItem *item, const double clip[4])
{
  for (size_t l = item->first; l < item->first + item->count; l++) {
    const vlDrawingLine *line = &drawing->line[l];
    bool round = line->count > 2 && item->paint.width > 1.0;
    for (size_t i = 0; i + !line->closed < line->count; i++) {
      const double *p = drawing->point[line->first + i], *q = drawing->point[line->first + (i + 1) % line->count];
      vl_raster_stroke(raster, p[0], p[1], q[0], q[1], item->paint.width, round);
    }
  }
  vl_raster_fill(raster, item->paint.stroke, false, false, clip);
}

static void paint(vlRaster *raster, const vlDrawing *drawing)
{
  const double everywhere[4] = {0.0, 0.0, raster->width, raster->height};
  for (size_t i = 0; i < drawing->item_count; i++) {
    const vlDrawingItem *item = &drawing->item[i];
    const double *clip = item->paint.framed ? drawing->frame : everywhere;
    if (item->text) {
      vl_raster_words(raster, item);
      vl_raster_fill(raster, item->paint.fill, false, false, clip);
      continue;
    }
    if (item->paint.fill.a) fill_item(raster, drawing, item, clip);
    if (item->paint.stroke.a) stroke_item(raster, drawing, item, clip);
  }
}

static vlCode write_pixels(const vlRaster *raster, const char *path, vlStatus *status)
{
  vlFile file;
  vlCode code = vl_file_open(&file, path, status);
  if (code != VL_OK) return code;
  png_image image = {.version = PNG_IMAGE_VERSION,
                     .width = (png_uint_32)raster->width,
                     .height = (png_uint_32)raster->height,
                     .format = PNG_FORMAT_RGB};
  errno = 0;
  int written = png_image_write_to_stdio(&image, file.stream, 0, raster->pixels, 3 * raster->width, NULL);
  if (written) {
    code = vl_file_commit(&file, status);
  } else {
    code = vl_fail(status, VL_ERROR_FILE, "cannot write %s: %s", path, errno ? strerror(errno) : image.message);
    vl_file_abandon(&file);
  }
  png_image_free(&image);
  return code;
}

vlCode vl_drawing_write_png(const vlDrawing *drawing, const char *path, vlStatus *status)
{
  vlRaster raster = {0};
  int width = (int)ceil(drawing->width), height = (int)ceil(drawing->height);
  bool room = !drawing->failed && vl_raster_create(&raster, width, height);
  if (room) paint(&raster, drawing);
  vlCode code = VL_OK;
  if (!room || raster.failed)
    code = vl_fail_memory(status, 3 * (size_t)width * (size_t)height, path);
  else
    code = write_pixels(&raster, path, status);
  vl_raster_clear(&raster);
  return code;
}
