/* A figure of a slice while it is drawn. */
#ifndef VL_FIGURES_SLICE_FIGURE_H
#define VL_FIGURES_SLICE_FIGURE_H

#include "figures/slice.h"

typedef struct vlSliceFigure {
  vlDrawing *drawing;
  const vlSlice *slice;
  const vlSliceStyle *style;
  unsigned show;
  double window[4];       /* m: u0, v0, u1, v1, inside of the domain */
  double em;              /* px: height of the words */
  double scale, cell;     /* px for each m, px for each cell */
  int first[2], last[2];  /* cells that are seen: first .. last - 1 */
  int stride;             /* cells from one arrow to the next */
  double arrow_per_speed; /* px for each m/s; 0: no arrows */
} vlSliceFigure;

static inline double vl_figure_x(const vlSliceFigure *f, double u)
{
  return f->drawing->frame[0] + (u - f->window[0]) * f->scale;
}
/* v points up; z downwards, so that a plane of constant y is seen from above */
static inline double vl_figure_y(const vlSliceFigure *f, double v)
{
  if (f->slice->axis == 1) return f->drawing->frame[1] + (v - f->window[1]) * f->scale;
  return f->drawing->frame[3] - (v - f->window[1]) * f->scale;
}

vlColor vl_slice_kind_color(int kind);
vlColor vl_slice_body_ink(void);              /* of their velocities */
vlColor vl_slice_sample_color(int direction); /* of velocities along u and v */
/* Light yellow over green to dark blue for t from 0 to 1, darker in even steps for the eye. */
vlColor vl_slice_ramp(double t);
/* One arrow as a closed line of the current shape. */
void vl_figure_arrow(const vlSliceFigure *f, double x, double y, double dx, double dy, double thickness);
/* Everything inside of the frame. */
void vl_figure_contents(const vlSliceFigure *f);
/* What stands around it: title, axes, legend, scale of colours. */
void vl_figure_surroundings(const vlSliceFigure *f);
/* Paints that the contents and the legend share. */
vlPaint vl_figure_paint(const vlSliceFigure *f, unsigned what);
/* Of the body of a line of slice->body; is the line the first one in that colour? */
vlPaint vl_figure_body_paint(const vlSliceFigure *f, int line);
bool vl_figure_body_begins(const vlSlice *slice, int line);

#endif
