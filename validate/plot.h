/* Plots as SVG files: panels side by side, each with a title, round ticks on linear or logarithmic axes, lines, markers and
 * a legend. Data stays the caller's.
 *
 *   Plot plot = {.title = "...", .x_label = "t (s)", .y_label = "..."};
 *   plot_add(&plot, (PlotSeries){x, y, count, "measured", .color = 0});
 *   plot_write(path, &plot, 1);
 *
 * Points that are not finite, or not positive on a logarithmic axis, are left out and break the line. */
#ifndef VL_VALIDATE_PLOT_H
#define VL_VALIDATE_PLOT_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

enum { PLOT_SERIES = 16, PLOT_WIDTH = 460, PLOT_HEIGHT = 360 };

typedef struct PlotSeries {
  const double *x, *y;
  int count;
  const char *label; /* NULL: not in the legend */
  int color;         /* 0 .. 5; 6: grey, for limits and theory */
  bool dots;         /* markers at the points */
  bool no_line, dashed;
} PlotSeries;

typedef struct Plot {
  const char *title, *x_label, *y_label;
  bool log_x, log_y;
  bool legend_low;   /* legend at the lower end of the panel */
  double y_lo, y_hi; /* range of y if y_lo < y_hi; else that of the data */
  PlotSeries series[PLOT_SERIES];
  int count;
} Plot;

/* One axis: data lo..hi (logarithms where logarithmic) goes to pixels from..to. */
typedef struct PlotAxis {
  double lo, hi, from, to;
  bool log;
} PlotAxis;

static inline void plot_add(Plot *plot, PlotSeries series)
{
  if (plot->count < PLOT_SERIES) plot->series[plot->count++] = series;
}

static inline double plot_value(bool log, double v) { return log ? (v > 0.0 ? log10(v) : NAN) : v; }

static inline double plot_place(const PlotAxis *axis, double v)
{
  return axis->from + (plot_value(axis->log, v) - axis->lo) / (axis->hi - axis->lo) * (axis->to - axis->from);
}

/* 1, 2 or 5 times a power of ten, so that about `count` of them fit in the range. */
static inline double plot_tick_step(double range, int count)
{
  double rough = range / count, power = pow(10.0, floor(log10(rough))), part = rough / power;
  return power * (part < 1.5 ? 1 : part < 3.5 ? 2 : part < 7.5 ? 5 : 10);
}

static inline int plot_labels(const Plot *plot)
{
  int labels = 0;
  for (int s = 0; s < plot->count; s++) labels += plot->series[s].label != NULL;
  return labels;
}

/* The legend covers no data. */
static inline void plot_make_room(const Plot *plot, PlotAxis *axis)
{
  double part = (17.0 * plot_labels(plot) + 8.0) / fabs(axis->to - axis->from);
  double room = (axis->hi - axis->lo) * part / (1.0 - part);
  if (plot->legend_low)
    axis->lo -= room;
  else
    axis->hi += room;
}

static inline PlotAxis plot_axis(const Plot *plot, bool vertical, double from, double to)
{
  PlotAxis axis = {INFINITY, -INFINITY, from, to, vertical ? plot->log_y : plot->log_x};
  for (int s = 0; s < plot->count; s++)
    for (int i = 0; i < plot->series[s].count; i++) {
      double x = plot_value(plot->log_x, plot->series[s].x[i]), y = plot_value(plot->log_y, plot->series[s].y[i]),
             v = vertical ? y : x;
      if (!isfinite(x) || !isfinite(y)) continue;
      axis.lo = fmin(axis.lo, v);
      axis.hi = fmax(axis.hi, v);
    }
  if (vertical && plot->y_lo < plot->y_hi) {
    axis.lo = plot_value(axis.log, plot->y_lo);
    axis.hi = plot_value(axis.log, plot->y_hi);
    return axis;
  }
  if (!(axis.lo <= axis.hi)) axis.lo = 0.0, axis.hi = 1.0;
  double margin = fmax(0.05 * (axis.hi - axis.lo), 1e-9 * fmax(fabs(axis.hi), 1.0));
  axis.lo -= vertical || axis.log ? margin : 0.0;
  axis.hi += margin;
  if (axis.log && axis.hi - axis.lo < 0.5) axis.lo -= 0.25, axis.hi += 0.25;
  if (vertical) plot_make_room(plot, &axis);
  return axis;
}

/* Text with the characters that XML keeps for itself written out. */
static inline void plot_text(FILE *f, double x, double y, const char *style, const char *text)
{
  fprintf(f, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, style);
  for (const char *c = text; *c; c++) {
    if (*c == '<')
      fputs("&lt;", f);
    else if (*c == '&')
      fputs("&amp;", f);
    else
      fputc(*c, f);
  }
  fputs("</text>\n", f);
}

static inline void plot_tick(FILE *f, const PlotAxis *axis, const PlotAxis *other, bool vertical, double v, const char *text)
{
  double p = plot_place(axis, v), x1 = vertical ? other->from : p, x2 = vertical ? other->to : p,
         y1 = vertical ? p : other->from, y2 = vertical ? p : other->to;
  fprintf(f, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#e3e3de\"/>\n", x1, y1, x2, y2);
  if (vertical)
    plot_text(f, x1 - 6, p + 4, "text-anchor=\"end\"", text);
  else
    plot_text(f, p, y1 + 17, "text-anchor=\"middle\"", text);
}

/* Round numbers; powers of ten where the axis is logarithmic, and 2 and 5 times them where it is short. */
static inline void plot_ticks(FILE *f, const PlotAxis *axis, const PlotAxis *other, bool vertical)
{
  char text[32];
  if (!axis->log) {
    double step = plot_tick_step(axis->hi - axis->lo, vertical ? 6 : 7);
    for (double k = ceil(axis->lo / step - 1e-6); k * step <= axis->hi + 1e-6 * step; k++) {
      snprintf(text, sizeof text, "%.6g", k == 0.0 ? 0.0 : k * step);
      plot_tick(f, axis, other, vertical, k * step, text);
    }
    return;
  }
  static const double part[] = {1, 2, 5};
  int parts = axis->hi - axis->lo < 2.5 ? 3 : 1, every = axis->hi - axis->lo > 8.0 ? 2 : 1;
  for (int e = (int)floor(axis->lo); e <= (int)ceil(axis->hi); e++)
    for (int k = 0; k < parts; k++) {
      double v = part[k] * pow(10.0, e);
      if (log10(v) < axis->lo || log10(v) > axis->hi || e % every) continue;
      if (e < -3 || e > 4)
        snprintf(text, sizeof text, "%ge%d", part[k], e);
      else
        snprintf(text, sizeof text, "%g", v);
      plot_tick(f, axis, other, vertical, v, text);
    }
}

static inline const char *plot_color(int color)
{
  static const char *const colors[] = {"#1769aa", "#c8501e", "#2a8a4a", "#7d4ba3", "#b08300", "#0f8f96", "#8a8a85"};
  return colors[color % 7];
}

static inline void plot_series(FILE *f, const PlotSeries *s, const PlotAxis *x, const PlotAxis *y)
{
  const char *color = plot_color(s->color);
  double last_x = -INFINITY, last_y = -INFINITY;
  bool open = false;
  for (int i = 0; i < s->count && !s->no_line; i++) {
    double px = plot_place(x, s->x[i]), py = plot_place(y, s->y[i]);
    bool drawn = isfinite(px) && isfinite(py);
    if (drawn && open && i < s->count - 1 && fabs(px - last_x) < 0.7 && fabs(py - last_y) < 0.7) continue;
    if (drawn && !open)
      fprintf(f, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.8\"%s points=\"", color,
              s->dashed ? " stroke-dasharray=\"6 4\"" : "");
    if (drawn) fprintf(f, "%.1f,%.1f ", px, py);
    if (!drawn && open) fputs("\"/>\n", f);
    open = drawn;
    last_x = px;
    last_y = py;
  }
  if (open) fputs("\"/>\n", f);
  for (int i = 0; i < s->count && s->dots; i++) {
    double px = plot_place(x, s->x[i]), py = plot_place(y, s->y[i]);
    if (isfinite(px) && isfinite(py))
      fprintf(f, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.6\" fill=\"%s\" stroke=\"#fff\"/>\n", px, py, color);
  }
}

static inline void plot_legend(FILE *f, const Plot *plot, double x, double top, double bottom)
{
  int labels = plot_labels(plot), line = 0;
  for (int s = 0; s < plot->count; s++) {
    const PlotSeries *series = &plot->series[s];
    double y = (plot->legend_low ? bottom - 17.0 * labels - 2 : top + 10) + 17.0 * line;
    if (!series->label) continue;
    line++;
    if (!series->no_line)
      fprintf(f, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" stroke-width=\"1.8\"%s/>\n", x, y,
              x + 24, y, plot_color(series->color), series->dashed ? " stroke-dasharray=\"6 4\"" : "");
    if (series->dots)
      fprintf(f, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.6\" fill=\"%s\" stroke=\"#fff\"/>\n", x + 12, y,
              plot_color(series->color));
    plot_text(f, x + 30, y + 4, "style=\"paint-order:stroke\" stroke=\"#fbfbf8\" stroke-width=\"4\"", series->label);
    plot_text(f, x + 30, y + 4, "", series->label);
  }
}

static inline void plot_panel(FILE *f, const Plot *plot, int index)
{
  double left = index * PLOT_WIDTH + 74, right = (index + 1) * PLOT_WIDTH - 16, top = 36, bottom = PLOT_HEIGHT - 52;
  PlotAxis x = plot_axis(plot, false, left, right), y = plot_axis(plot, true, bottom, top);
  char turned[96];
  plot_ticks(f, &x, &y, false);
  plot_ticks(f, &y, &x, true);
  fprintf(f, "<clipPath id=\"panel%d\"><rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\"/></clipPath>\n", index, left - 4,
          top - 4, right - left + 8, bottom - top + 8);
  fprintf(f, "<g clip-path=\"url(#panel%d)\">\n", index);
  for (int s = 0; s < plot->count; s++) plot_series(f, &plot->series[s], &x, &y);
  fprintf(f, "</g>\n<path d=\"M%g %g V%g H%g\" fill=\"none\" stroke=\"#555\"/>\n", left, top, bottom, right);
  plot_text(f, 0.5 * (left + right), 22, "text-anchor=\"middle\" font-weight=\"bold\" font-size=\"14\"", plot->title);
  plot_text(f, 0.5 * (left + right), PLOT_HEIGHT - 14, "text-anchor=\"middle\"", plot->x_label);
  snprintf(turned, sizeof turned, "text-anchor=\"middle\" transform=\"rotate(-90 %g %g)\"", left - 58, 0.5 * (top + bottom));
  plot_text(f, left - 58, 0.5 * (top + bottom), turned, plot->y_label);
  plot_legend(f, plot, left + 12, top, bottom);
}

/* false: the file could not be written. */
static inline bool plot_write(const char *path, const Plot *panels, int count)
{
  FILE *f = fopen(path, "w");
  if (!f) return false;
  fprintf(f,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
          "font-family=\"sans-serif\" font-size=\"12\" fill=\"#222\">\n<rect width=\"100%%\" height=\"100%%\" "
          "fill=\"#fbfbf8\"/>\n",
          count * PLOT_WIDTH, PLOT_HEIGHT, count * PLOT_WIDTH, PLOT_HEIGHT);
  for (int p = 0; p < count; p++) plot_panel(f, &panels[p], p);
  fputs("</svg>\n", f);
  bool good = !ferror(f);
  return fclose(f) == 0 && good;
}

#endif
