/* A drawing: shapes and words in the order they are painted, in pixels from the upper left corner. Built front to back,
 * then written as SVG or PNG. Running out of memory sticks and is reported when it is written. */
#ifndef VL_FIGURES_DRAWING_H
#define VL_FIGURES_DRAWING_H

#include "velella/types.h"

typedef struct vlColor {
  unsigned char r, g, b, a; /* a: 0 is none, 255 is opaque */
} vlColor;

typedef enum vlAnchor { VL_ANCHOR_START, VL_ANCHOR_MIDDLE, VL_ANCHOR_END } vlAnchor;

typedef struct vlPaint {
  vlColor fill, stroke; /* the inside by the even-odd rule, the line */
  double width;         /* px, of the line */
  bool framed;          /* only what lies in the drawing's frame is seen */
  bool crisp;           /* cells side by side: no blending at the edges */
} vlPaint;

typedef struct vlDrawingLine {
  size_t first, count; /* points */
  bool closed;
} vlDrawingLine;

/* Lines with one paint, or words. */
typedef struct vlDrawingItem {
  vlPaint paint;
  size_t first, count; /* lines */
  char *text;          /* NULL: a shape; else the words, in the paint's fill */
  double x, y, size;   /* px: where the words begin, on their base line, and their height */
  vlAnchor anchor;
  bool upright; /* read from below upwards */
} vlDrawingItem;

typedef struct vlDrawing {
  double width, height; /* px */
  double frame[4];      /* px: left, top, right, bottom */
  char title[256];      /* for those who cannot see it */
  double (*point)[2];   /* [point_count] */
  vlDrawingLine *line;  /* [line_count] */
  vlDrawingItem *item;  /* [item_count] */
  size_t point_count, point_capacity, line_count, line_capacity, item_count, item_capacity;
  bool failed; /* memory ran out */
} vlDrawing;

void vl_drawing_clear(vlDrawing *drawing);
void vl_drawing_shape(vlDrawing *drawing, vlPaint paint); /* begins a shape */
void vl_drawing_line(vlDrawing *drawing, bool closed);    /* begins a line of the shape */
void vl_drawing_point(vlDrawing *drawing, double x, double y);
void vl_drawing_segment(vlDrawing *drawing, double x0, double y0, double x1, double y1); /* an open line of two points */
void vl_drawing_box(vlDrawing *drawing, double x, double y, double width, double height);
void vl_drawing_disk(vlDrawing *drawing, double x, double y, double radius);
void vl_drawing_words(vlDrawing *drawing, double x, double y, double size, vlAnchor anchor, bool upright, vlColor color,
                      const char *text);

/* Files appear whole or not at all. */
vlCode vl_drawing_write_svg(const vlDrawing *drawing, const char *path, vlStatus *status);
vlCode vl_drawing_write_png(const vlDrawing *drawing, const char *path, vlStatus *status);

#endif
