/* Polygons into pixels, and letters into strokes. */
#ifndef VL_FIGURES_DRAWING_RASTER_H
#define VL_FIGURES_DRAWING_RASTER_H

#include "drawing/drawing.h"

typedef struct vlRasterEdge {
  double x, slope; /* px: place at y0, and change of x with y */
  double y0, y1;   /* px, y0 < y1 */
  int turn;        /* +1: it ran downwards, -1: upwards */
} vlRasterEdge;

typedef struct vlRaster {
  int width, height;     /* px */
  unsigned char *pixels; /* RGB, upper left first [height][width][3] */
  vlRasterEdge *edge;    /* of the polygons that wait to be filled [edge_count] */
  size_t edge_count, edge_capacity;
  float *row;    /* how much of each pixel of a row is covered [width] */
  int *active;   /* edges that cross a row [active_capacity] */
  double *cross; /* where, and in which direction [active_capacity][2] */
  size_t active_capacity;
  bool failed; /* memory ran out */
} vlRaster;

bool vl_raster_create(vlRaster *raster, int width, int height); /* all white; false: no memory */
void vl_raster_clear(vlRaster *raster);
void vl_raster_edge(vlRaster *raster, double x0, double y0, double x1, double y1);
/* A line with round ends, as polygons that all turn the same way: fill them with the rule that counts turns. */
void vl_raster_stroke(vlRaster *raster, double x0, double y0, double x1, double y1, double width, bool round);
/* Fills what the waiting edges enclose, inside of clip (px: left, top, right, bottom), and forgets them. */
void vl_raster_fill(vlRaster *raster, vlColor color, bool even_odd, bool crisp, const double clip[4]);

/* Words as strokes of waiting edges. */
void vl_raster_words(vlRaster *raster, const vlDrawingItem *item);

#endif
