/* What stands around a figure: title, axes in metres, a key to everything that is shown, the scale of colours, and an arrow
 * of a round speed. Marks of axes and scales are 1, 2 or 5 times a power of ten. */
#include <math.h>
#include <stdio.h>

#include "figures/slice_figure.h"

static const vlColor INK = {34, 34, 34, 255}, GREY = {110, 110, 110, 255};
static const double SMALL = 0.9; /* em, of all words but the title */

/* The largest of 1, 2, 5 times a power of ten that is not above x. */
static double round_down(double x)
{
  double power = pow(10.0, floor(log10(x) + 1e-9)), part = x / power;
  return power * (part >= 5.0 - 1e-9 ? 5.0 : part >= 2.0 - 1e-9 ? 2.0 : 1.0);
}

/* Distance of marks so that at most `most` fit in. */
static double mark_step(double length, int most)
{
  double step = round_down(length / most);
  while (length / step > most) step = round_down(step * 2.5 + 1e-9 * step);
  return step;
}

/* With as many decimals as the step needs; -0 is 0. */
static const char *mark_text(double value, double step, char text[static 32])
{
  int decimals = (int)fmax(0.0, -floor(log10(step) + 1e-9));
  if (fabs(value) < 1e-6 * step) value = 0.0;
  if (decimals > 6 || fabs(value) >= 1e7)
    snprintf(text, 32, "%.3g", value);
  else
    snprintf(text, 32, "%.*f", decimals, value);
  return text;
}

static void words(const vlSliceFigure *f, double x, double y, double size, vlAnchor anchor, vlColor color, const char *text)
{
  vl_drawing_words(f->drawing, x, y, size * f->em, anchor, false, color, text);
}

static void draw_axis(const vlSliceFigure *f, int a)
{
  const double *frame = f->drawing->frame;
  double from = f->window[a], to = f->window[a + 2], length = frame[a + 2] - frame[a], tick = 0.4 * f->em;
  double step = mark_step(to - from, (int)fmax(2.0, fmin(10.0, length / ((a == 0 ? 4.0 : 2.2) * f->em))));
  char text[32];
  vl_drawing_shape(f->drawing, (vlPaint){.stroke = INK, .width = f->em / 16.0});
  for (double m = ceil(from / step - 1e-6); m * step <= to + 1e-6 * step; m++) {
    double x = a == 0 ? vl_figure_x(f, m * step) : frame[0], y = a == 1 ? vl_figure_y(f, m * step) : frame[3];
    vl_drawing_segment(f->drawing, x, y, a == 0 ? x : x - tick, a == 0 ? y + tick : y);
  }
  for (double m = ceil(from / step - 1e-6); m * step <= to + 1e-6 * step; m++) {
    double x = a == 0 ? vl_figure_x(f, m * step) : frame[0] - 1.6 * tick;
    double y = a == 1 ? vl_figure_y(f, m * step) + 0.32 * f->em : frame[3] + 1.45 * f->em;
    words(f, x, y, SMALL, a == 0 ? VL_ANCHOR_MIDDLE : VL_ANCHOR_END, INK, mark_text(m * step, step, text));
  }
  snprintf(text, sizeof text, "%c (m)", 'x' + (a == 0 ? f->slice->u : f->slice->v));
  if (a == 0)
    words(f, 0.5 * (frame[0] + frame[2]), frame[3] + 2.9 * f->em, SMALL, VL_ANCHOR_MIDDLE, INK, text);
  else
    vl_drawing_words(f->drawing, 1.2 * f->em, 0.5 * (frame[1] + frame[3]), SMALL * f->em, VL_ANCHOR_MIDDLE, true, INK, text);
}

static void draw_title(const vlSliceFigure *f)
{
  const vlSlice *s = f->slice;
  const double *frame = f->drawing->frame;
  char text[200];
  snprintf(f->drawing->title, sizeof f->drawing->title, "%.120s, t = %.4g s, %c = %.4g m", f->style->name, s->time,
           'x' + s->axis, s->position);
  words(f, frame[0], 1.9 * f->em, 1.2, VL_ANCHOR_START, INK, f->drawing->title);
  snprintf(text, sizeof text, "%d x %d cells of %.4g m; layer %d", s->n[0], s->n[1], s->dx, s->layer);
  words(f, frame[0], 3.4 * f->em, SMALL, VL_ANCHOR_START, GREY, text);
}

/* One line of the key; *y is moved on. The symbol is drawn by the caller in a box of 2 em by 1 em at its left. */
static void key_words(const vlSliceFigure *f, double *y, const char *text)
{
  words(f, f->drawing->frame[2] + 4.2 * f->em, *y + 0.3 * f->em, SMALL, VL_ANCHOR_START, INK, text);
  *y += 1.6 * f->em;
}

static void key_box(const vlSliceFigure *f, double *y, vlColor color, const char *text)
{
  vl_drawing_shape(f->drawing, (vlPaint){.fill = color, .stroke = GREY, .width = 0.8 * f->em / 16.0});
  vl_drawing_box(f->drawing, f->drawing->frame[2] + 1.6 * f->em, *y - 0.5 * f->em, 2.0 * f->em, f->em);
  key_words(f, y, text);
}

/* Stripes of the bodies' colours, of the first few. */
static void key_bodies(const vlSliceFigure *f, double *y)
{
  enum { MOST = 6 };
  const vlSlice *s = f->slice;
  int line[MOST], count = 0;
  for (int l = 0; l < s->body.count && count < MOST; l++)
    if (vl_figure_body_begins(s, l)) line[count++] = l;
  for (int k = 0; k < count; k++) {
    vlColor fill = vl_figure_body_paint(f, line[k]).fill;
    vl_drawing_shape(f->drawing, (vlPaint){.fill = fill, .stroke = GREY, .width = 0.8 * f->em / 16.0});
    vl_drawing_box(f->drawing, f->drawing->frame[2] + (1.6 + 2.0 * k / count) * f->em, *y - 0.5 * f->em, 2.0 * f->em / count,
                   f->em);
  }
  key_words(f, y, count > 1 ? "bodies" : "body");
}

static void key_line(const vlSliceFigure *f, double *y, unsigned what, const char *text)
{
  vlPaint paint = vl_figure_paint(f, what);
  paint.framed = false;
  paint.fill = (vlColor){0};
  double x = f->drawing->frame[2] + 1.6 * f->em;
  vl_drawing_shape(f->drawing, paint);
  vl_drawing_segment(f->drawing, x, *y, x + 2.0 * f->em, *y);
  key_words(f, y, text);
}

static void key_patch(const vlSliceFigure *f, double *y)
{
  double x = f->drawing->frame[2] + 2.6 * f->em;
  vlPaint line = vl_figure_paint(f, VL_SHOW_PATCHES);
  line.framed = false;
  vl_drawing_shape(f->drawing, line);
  vl_drawing_segment(f->drawing, x - f->em, *y - 0.4 * f->em, x + f->em, *y - 0.4 * f->em);
  vl_drawing_shape(f->drawing, (vlPaint){.fill = line.stroke});
  vl_figure_arrow(f, x, *y - 0.4 * f->em, 0.0, 0.9 * f->em, 0.1 * f->em);
  vl_drawing_shape(f->drawing, (vlPaint){.fill = INK});
  vl_drawing_disk(f->drawing, x, *y - 0.4 * f->em, 0.15 * f->em);
  key_words(f, y,
            f->slice->solid.count == 0 && f->slice->body.count > 0 ? "patch, area into body" : "patch, area into solid");
}

static void key_samples(const vlSliceFigure *f, double *y)
{
  double x = f->drawing->frame[2] + 2.6 * f->em;
  char text[32];
  vl_drawing_shape(f->drawing, (vlPaint){.fill = INK});
  vl_drawing_disk(f->drawing, x, *y, 0.2 * f->em);
  key_words(f, y, "pressure sample");
  for (int d = 0; d < 2; d++) {
    vl_drawing_shape(f->drawing, (vlPaint){.stroke = vl_slice_sample_color(d), .width = 0.18 * f->em});
    double dx = d == 0 ? 0.6 * f->em : 0.0, dy = d == 1 ? 0.6 * f->em : 0.0;
    vl_drawing_segment(f->drawing, x - dx, *y - dy, x + dx, *y + dy);
    snprintf(text, sizeof text, "velocity sample, %c", 'x' + (d == 0 ? f->slice->u : f->slice->v));
    key_words(f, y, text);
  }
}

/* An arrow of a round speed. */
static void key_velocity(const vlSliceFigure *f, double *y)
{
  char text[64], number[32];
  double speed = f->style->range.speed;
  if (!(f->arrow_per_speed > 0.0)) {
    key_words(f, y, "at rest: no arrows");
    return;
  }
  double shown = round_down(speed), length = shown * f->arrow_per_speed;
  /* more than fits before the words: show less */
  while (length > 2.4 * f->em) {
    shown = round_down(0.51 * shown);
    length = shown * f->arrow_per_speed;
  }
  double x = f->drawing->frame[2] + 2.6 * f->em - 0.5 * length;
  vl_drawing_shape(f->drawing, (vlPaint){.fill = INK});
  vl_figure_arrow(f, x, *y, length, 0.0, 1.5 * f->em / 16.0);
  snprintf(number, sizeof number, "%.3g m/s", shown);
  key_words(f, y, number);
  if (f->slice->body.count > 0) {
    vl_drawing_shape(f->drawing, (vlPaint){.fill = vl_slice_body_ink()});
    vl_figure_arrow(f, x, *y, length, 0.0, 1.5 * f->em / 16.0);
    key_words(f, y, "the same, of bodies");
  }
  snprintf(text, sizeof text, "fastest %.3g m/s", speed);
  key_words(f, y, text);
}

static void draw_scale(const vlSliceFigure *f, double *y)
{
  enum { STEPS = 96 };
  const double *range = f->style->range.pressure;
  double x = f->drawing->frame[2] + 1.6 * f->em, width = 1.3 * f->em, top = *y + 1.2 * f->em, height = 12.0 * f->em;
  bool kilo = fmax(fabs(range[0]), fabs(range[1])) >= 5000.0;
  double unit = kilo ? 1000.0 : 1.0, lo = range[0] / unit, hi = range[1] / unit;
  words(f, x, *y + 0.4 * f->em, SMALL, VL_ANCHOR_START, INK, kilo ? "pressure (kPa)" : "pressure (Pa)");
  if (!(hi > lo)) {
    words(f, x, *y + 2.0 * f->em, SMALL, VL_ANCHOR_START, INK, isfinite(lo) ? "the same everywhere" : "no liquid is seen");
    return;
  }
  for (int i = 0; i < STEPS; i++) { /* each reaches below the next, so that no seam is left */
    vl_drawing_shape(f->drawing, (vlPaint){.fill = vl_slice_ramp(1.0 - (i + 0.5) / STEPS), .crisp = true});
    vl_drawing_box(f->drawing, x, top + height * i / STEPS, width, height * (STEPS - i) / STEPS);
  }
  vl_drawing_shape(f->drawing, (vlPaint){.stroke = INK, .width = f->em / 16.0});
  vl_drawing_box(f->drawing, x, top, width, height);
  double step = mark_step(hi - lo, 6);
  for (double m = ceil(lo / step - 1e-6); m * step <= hi + 1e-6 * step; m++) {
    double at = top + height * (hi - m * step) / (hi - lo);
    vl_drawing_segment(f->drawing, x + width, at, x + width + 0.35 * f->em, at);
  }
  for (double m = ceil(lo / step - 1e-6); m * step <= hi + 1e-6 * step; m++) {
    char text[32];
    double at = top + height * (hi - m * step) / (hi - lo);
    words(f, x + width + 0.6 * f->em, at + 0.32 * f->em, SMALL, VL_ANCHOR_START, INK, mark_text(m * step, step, text));
  }
  *y = top + height + 1.6 * f->em;
}

static void draw_key(const vlSliceFigure *f)
{
  static const char *const kinds[VL_SLICE_KINDS] = {"air", "air, cut cell", "liquid", "liquid, cut cell", "solid"};
  double y = f->drawing->frame[1] + 0.6 * f->em;
  bool bodies = f->show & VL_SHOW_BODIES && f->slice->body.count > 0;
  if (f->show & VL_SHOW_PRESSURE) draw_scale(f, &y);
  for (int kind = 0; kind < VL_SLICE_KINDS && f->show & VL_SHOW_KINDS; kind++) {
    bool covered = (kind == VL_SLICE_LIQUID || kind == VL_SLICE_CUT_LIQUID) && f->show & VL_SHOW_PRESSURE;
    /* cells that nothing but bodies close are seen as bodies */
    bool none = kind == VL_SLICE_SOLID && bodies && f->slice->solid.count == 0 && !f->slice->solid_outside;
    if (!covered && !none) key_box(f, &y, vl_slice_kind_color(kind), kinds[kind]);
  }
  if (f->show & VL_SHOW_LIQUID) key_line(f, &y, VL_SHOW_LIQUID, "liquid's surface");
  if (f->show & VL_SHOW_SOLID && !(f->show & (VL_SHOW_KINDS | VL_SHOW_PATCHES)) && f->slice->solid.count > 0)
    key_box(f, &y, vl_slice_kind_color(VL_SLICE_SOLID), "solid");
  if (bodies) key_bodies(f, &y);
  if (f->show & VL_SHOW_MESH && f->slice->mesh.count > 0) key_line(f, &y, VL_SHOW_MESH, "its tetrahedra");
  if (f->show & VL_SHOW_AREAS) key_line(f, &y, VL_SHOW_AREAS, "open part of a face");
  if (f->show & VL_SHOW_PATCHES) key_patch(f, &y);
  if (f->show & VL_SHOW_SAMPLES) key_samples(f, &y);
  if (f->show & VL_SHOW_VELOCITY) key_velocity(f, &y);
}

void vl_figure_surroundings(const vlSliceFigure *f)
{
  const double *frame = f->drawing->frame;
  vl_drawing_shape(f->drawing, (vlPaint){.stroke = INK, .width = 1.2 * f->em / 16.0});
  vl_drawing_box(f->drawing, frame[0], frame[1], frame[2] - frame[0], frame[3] - frame[1]);
  draw_title(f);
  for (int a = 0; a < 2; a++) draw_axis(f, a);
  draw_key(f);
}
