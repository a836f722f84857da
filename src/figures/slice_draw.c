/* What is inside of a figure's frame, from the ground up: cells by kind or pressure, the liquid's surface, solids over it,
 * bodies and their mesh, grid lines, open faces, sample points, patches, velocities.
 *
 * Cells of one colour form one shape, and runs of them along u one box. The open part of a face is drawn on its edge with
 * the length (A / dx2) dx; which end it keeps to is told by the faces beside it: the more open side. An arrow is
 * the mean velocity of a square of cells, of those in it that are liquid and at least half open, and stands in their
 * middle. */
#include <math.h>

#include "base/vec.h"
#include "figures/slice_figure.h"

static double upwards(const vlSliceFigure *f) { return f->slice->axis == 1 ? 1.0 : -1.0; } /* of v on the page */

enum { RAMP_STEPS = 96 };
static const double AREA_LEAST = 1e-9; /* open parts below this are closed */

static const vlColor INK = {34, 34, 34, 255}, WHITE = {255, 255, 255, 255};

static size_t cell_at(const vlSlice *s, int i, int j) { return (size_t)i + (size_t)s->n[0] * (size_t)j; }

vlColor vl_slice_kind_color(int kind)
{
  static const vlColor colors[VL_SLICE_KINDS] = {[VL_SLICE_AIR] = {255, 255, 255, 255},
                                                 [VL_SLICE_CUT_AIR] = {250, 240, 214, 255},
                                                 [VL_SLICE_LIQUID] = {211, 230, 246, 255},
                                                 [VL_SLICE_CUT_LIQUID] = {156, 200, 235, 255},
                                                 [VL_SLICE_SOLID] = {200, 197, 192, 255}};
  return colors[kind];
}

vlColor vl_slice_body_ink(void) { return (vlColor){146, 62, 20, 255}; }

vlColor vl_slice_sample_color(int direction)
{
  static const vlColor colors[2] = {{196, 42, 36, 255}, {20, 110, 190, 255}};
  return colors[direction];
}

vlPaint vl_figure_paint(const vlSliceFigure *f, unsigned what)
{
  double unit = f->em / 16.0, thick = fmin(fmax(0.08 * f->cell, 2.0 * unit), 6.0 * unit);
  vlPaint paint = {.framed = true};
  switch (what) {
  case VL_SHOW_GRID:
    paint.stroke = (vlColor){96, 96, 96, 90};
    paint.width = fmin(0.7 * unit, 0.06 * f->cell);
    break;
  case VL_SHOW_LIQUID:
    paint.stroke = (vlColor){24, 78, 140, 255};
    paint.width = 2.0 * unit;
    break;
  case VL_SHOW_SOLID:
    paint.fill = vl_slice_kind_color(VL_SLICE_SOLID);
    paint.stroke = (vlColor){84, 78, 72, 255};
    paint.width = 1.6 * unit;
    break;
  case VL_SHOW_BODIES:
    paint.fill = (vlColor){246, 214, 184, 255};
    paint.stroke = vl_slice_body_ink();
    paint.width = 1.6 * unit;
    break;
  case VL_SHOW_MESH:
    paint.stroke = (vlColor){146, 62, 20, 150};
    paint.width = fmin(0.8 * unit, 0.06 * f->cell);
    break;
  case VL_SHOW_AREAS:
    paint.stroke = (vlColor){20, 110, 190, 255};
    paint.width = thick;
    break;
  case VL_SHOW_PATCHES:
    paint.stroke = (vlColor){196, 42, 36, 255};
    paint.width = 0.7 * thick;
    break;
  default:
    paint.fill = INK;
  }
  return paint;
}

static bool same_color(const vlSlice *s, int k, int l) { return vl_norm(vl_sub(s->body_color[k], s->body_color[l])) == 0.0; }

bool vl_figure_body_begins(const vlSlice *s, int line)
{
  for (int l = 0; l < line; l++)
    if (same_color(s, l, line)) return false;
  return true;
}

/* A pale tint inside, so that what is drawn over it is seen, and a dark line around it. */
vlPaint vl_figure_body_paint(const vlSliceFigure *f, int line)
{
  vlPaint paint = vl_figure_paint(f, VL_SHOW_BODIES);
  const vlVec3 color = f->slice->body_color[line];
  unsigned char tint[3], ink[3];
  for (int c = 0; c < 3; c++) {
    tint[c] = (unsigned char)(255.0 * (0.45 + 0.55 * color.v[c]));
    ink[c] = (unsigned char)(255.0 * 0.55 * color.v[c]);
  }
  paint.fill = (vlColor){tint[0], tint[1], tint[2], 255};
  paint.stroke = (vlColor){ink[0], ink[1], ink[2], 255};
  return paint;
}

/* Boxes over all cells of one class, joined along u. class_of: a class, or -1 for none. */
static void fill_class(const vlSliceFigure *f, int class, int (*class_of)(const vlSliceFigure *f, int i, int j),
                       vlColor color)
{
  const vlSlice *s = f->slice;
  bool begun = false;
  for (int j = f->first[1]; j < f->last[1]; j++)
    for (int i = f->first[0]; i < f->last[0]; i++) {
      int end = i;
      while (end < f->last[0] && class_of(f, end, j) == class) end++;
      if (end == i) continue;
      if (!begun) vl_drawing_shape(f->drawing, (vlPaint){.fill = color, .framed = true, .crisp = true});
      begun = true;
      double x = vl_figure_x(f, s->lo[0] + i * s->dx), width = (end - i) * f->cell;
      double y0 = vl_figure_y(f, s->lo[1] + j * s->dx), y1 = vl_figure_y(f, s->lo[1] + (j + 1) * s->dx);
      vl_drawing_box(f->drawing, x, fmin(y0, y1), width, fabs(y1 - y0));
      i = end - 1;
    }
}

static int kind_class(const vlSliceFigure *f, int i, int j) { return f->slice->kind[cell_at(f->slice, i, j)]; }

static int pressure_class(const vlSliceFigure *f, int i, int j)
{
  size_t at = cell_at(f->slice, i, j);
  const double *range = f->style->range.pressure;
  if (!f->slice->unknown[at]) return -1;
  double t = range[1] > range[0] ? (f->slice->pressure[at] - range[0]) / (range[1] - range[0]) : 0.0;
  return (int)fmin(fmax(t * RAMP_STEPS, 0.0), RAMP_STEPS - 1);
}

static void draw_cells(const vlSliceFigure *f)
{
  for (int kind = VL_SLICE_AIR + 1; kind < VL_SLICE_KINDS && f->show & VL_SHOW_KINDS; kind++)
    fill_class(f, kind, kind_class, vl_slice_kind_color(kind));
  for (int step = 0; step < RAMP_STEPS && f->show & VL_SHOW_PRESSURE; step++)
    fill_class(f, step, pressure_class, vl_slice_ramp((step + 0.5) / RAMP_STEPS));
}

/* Lines on the page, without points that lie on the way between their neighbours. */
static void put_line(const vlSliceFigure *f, const vlSliceLines *lines, int l)
{
  const double close = 0.05; /* px */
  double px = 0.0, py = 0.0;
  vl_drawing_line(f->drawing, lines->closed[l]);
  for (int i = lines->first[l]; i < lines->first[l + 1]; i++) {
    double x = vl_figure_x(f, lines->x[i][0]), y = vl_figure_y(f, lines->x[i][1]);
    bool inner = i > lines->first[l] && i + 1 < lines->first[l + 1];
    if (inner) {
      double qx = vl_figure_x(f, lines->x[i + 1][0]) - px, qy = vl_figure_y(f, lines->x[i + 1][1]) - py;
      double off = fabs((x - px) * qy - (y - py) * qx), along = (x - px) * qx + (y - py) * qy, whole = hypot(qx, qy);
      if (off <= close * whole && along >= 0.0 && along <= whole * whole) continue;
    }
    vl_drawing_point(f->drawing, x, y);
    px = x;
    py = y;
  }
}

static void put_lines(const vlSliceFigure *f, const vlSliceLines *lines)
{
  for (int l = 0; l < lines->count; l++) put_line(f, lines, l);
}

static void draw_liquid(const vlSliceFigure *f)
{
  vl_drawing_shape(f->drawing, vl_figure_paint(f, VL_SHOW_LIQUID));
  put_lines(f, &f->slice->liquid);
}

/* Where everything far away is solid, a box around the frame turns inside and outside over. */
static void draw_solid(const vlSliceFigure *f)
{
  const double *frame = f->drawing->frame, far = 4.0 * f->em;
  vl_drawing_shape(f->drawing, vl_figure_paint(f, VL_SHOW_SOLID));
  put_lines(f, &f->slice->solid);
  if (f->slice->solid_outside)
    vl_drawing_box(f->drawing, frame[0] - far, frame[1] - far, frame[2] - frame[0] + 2.0 * far,
                   frame[3] - frame[1] + 2.0 * far);
}

static void draw_bodies(const vlSliceFigure *f)
{
  const vlSlice *s = f->slice;
  for (int k = 0; k < s->body.count; k++) {
    if (!vl_figure_body_begins(s, k)) continue;
    vl_drawing_shape(f->drawing, vl_figure_body_paint(f, k));
    for (int l = k; l < s->body.count; l++)
      if (same_color(s, k, l)) put_line(f, &s->body, l);
  }
}

static void draw_mesh(const vlSliceFigure *f)
{
  vl_drawing_shape(f->drawing, vl_figure_paint(f, VL_SHOW_MESH));
  put_lines(f, &f->slice->mesh);
}

static void draw_grid(const vlSliceFigure *f)
{
  const vlSlice *s = f->slice;
  const double *frame = f->drawing->frame;
  vl_drawing_shape(f->drawing, vl_figure_paint(f, VL_SHOW_GRID));
  for (int i = f->first[0]; i <= f->last[0]; i++) {
    double x = vl_figure_x(f, s->lo[0] + i * s->dx);
    vl_drawing_segment(f->drawing, x, frame[1], x, frame[3]);
  }
  for (int j = f->first[1]; j <= f->last[1]; j++) {
    double y = vl_figure_y(f, s->lo[1] + j * s->dx);
    vl_drawing_segment(f->drawing, frame[0], y, frame[2], y);
  }
}

static double area_of(const vlSlice *s, int d, int i, int j)
{
  if (i < 0 || j < 0 || i >= s->n[0] + (d == 0) || j >= s->n[1] + (d == 1)) return 0.0;
  return s->area[d][i + (s->n[0] + (d == 0)) * j];
}

static bool is_cut(const vlSlice *s, int i, int j)
{
  if (i < 0 || j < 0 || i >= s->n[0] || j >= s->n[1]) return false;
  int kind = s->kind[cell_at(s, i, j)];
  return kind == VL_SLICE_CUT_AIR || kind == VL_SLICE_CUT_LIQUID;
}

static void draw_area(const vlSliceFigure *f, int d, int i, int j)
{
  const vlSlice *s = f->slice;
  double part = area_of(s, d, i, j);
  bool touches = is_cut(s, i, j) || is_cut(s, i - (d == 0), j - (d == 1));
  if (!touches || part < AREA_LEAST) return;
  /* along the edge, from 0 to 1: the part keeps to the more open side */
  double below = area_of(s, d, i - (d == 1), j - (d == 0)), above = area_of(s, d, i + (d == 1), j + (d == 0));
  double from = below > above ? 0.0 : below < above ? 1.0 - part : 0.5 * (1.0 - part);
  double u0 = i + (d == 1 ? from : 0.0), v0 = j + (d == 0 ? from : 0.0);
  double u1 = u0 + (d == 1 ? part : 0.0), v1 = v0 + (d == 0 ? part : 0.0);
  vl_drawing_segment(f->drawing, vl_figure_x(f, s->lo[0] + u0 * s->dx), vl_figure_y(f, s->lo[1] + v0 * s->dx),
                     vl_figure_x(f, s->lo[0] + u1 * s->dx), vl_figure_y(f, s->lo[1] + v1 * s->dx));
}

static void draw_areas(const vlSliceFigure *f)
{
  vl_drawing_shape(f->drawing, vl_figure_paint(f, VL_SHOW_AREAS));
  for (int d = 0; d < 2; d++)
    for (int j = f->first[1]; j < f->last[1] + (d == 1); j++)
      for (int i = f->first[0]; i < f->last[0] + (d == 0); i++) draw_area(f, d, i, j);
}

/* Faces with a velocity to be found: open, inside of the domain, next to a cell with a pressure. */
static bool has_velocity(const vlSlice *s, int d, int i, int j)
{
  int at = d == 0 ? i : j;
  if (at <= 0 || at >= s->n[d] || area_of(s, d, i, j) < AREA_LEAST) return false;
  return s->unknown[cell_at(s, i, j)] || s->unknown[cell_at(s, i - (d == 0), j - (d == 1))];
}

static void draw_samples(const vlSliceFigure *f)
{
  const vlSlice *s = f->slice;
  double dot = fmin(0.07 * f->cell, 0.3 * f->em), dash = 0.16 * f->cell;
  vl_drawing_shape(f->drawing, (vlPaint){.fill = INK, .framed = true});
  for (int j = f->first[1]; j < f->last[1]; j++)
    for (int i = f->first[0]; i < f->last[0]; i++)
      if (s->unknown[cell_at(s, i, j)])
        vl_drawing_disk(f->drawing, vl_figure_x(f, s->lo[0] + (i + 0.5) * s->dx),
                        vl_figure_y(f, s->lo[1] + (j + 0.5) * s->dx), dot);
  for (int d = 0; d < 2; d++) {
    vl_drawing_shape(f->drawing,
                     (vlPaint){.stroke = vl_slice_sample_color(d), .width = fmax(0.8 * dot, 1.0), .framed = true});
    for (int j = f->first[1]; j < f->last[1]; j++)
      for (int i = f->first[0]; i < f->last[0]; i++) {
        if (!has_velocity(s, d, i, j)) continue;
        double x = vl_figure_x(f, s->lo[0] + (i + (d == 1 ? 0.5 : 0.0)) * s->dx);
        double y = vl_figure_y(f, s->lo[1] + (j + (d == 0 ? 0.5 : 0.0)) * s->dx);
        double dx = d == 0 ? dash : 0.0, dy = d == 1 ? dash : 0.0;
        vl_drawing_segment(f->drawing, x - dx, y - dy, x + dx, y + dy);
      }
  }
}

/* Patch arrows: an area of dx2 is half a cell long. */
static void draw_patches(const vlSliceFigure *f)
{
  const vlSlice *s = f->slice;
  vlPaint line = vl_figure_paint(f, VL_SHOW_PATCHES), arrow = {.fill = line.stroke, .framed = true};
  double dot = fmin(fmax(0.05 * f->cell, 0.08 * f->em), 0.25 * f->em);
  vl_drawing_shape(f->drawing, line);
  put_lines(f, &s->solid);
  put_lines(f, &s->body);
  for (int pass = 0; pass < 2; pass++) {
    vl_drawing_shape(f->drawing, pass ? (vlPaint){.fill = INK, .framed = true} : arrow);
    for (int j = f->first[1]; j < f->last[1]; j++)
      for (int i = f->first[0]; i < f->last[0]; i++) {
        const vlSlicePatch *patch = &s->patch[cell_at(s, i, j)];
        if (!(patch->size > AREA_LEAST)) continue;
        double x = vl_figure_x(f, patch->center[0]), y = vl_figure_y(f, patch->center[1]), half = 0.5 * f->cell;
        double dx = half * patch->area[0], dy = half * patch->area[1] * upwards(f);
        if (pass)
          vl_drawing_disk(f->drawing, x, y, dot);
        else if (hypot(dx, dy) > 1.5 * dot)
          vl_figure_arrow(f, x, y, dx, dy, 0.6 * dot);
      }
  }
}

/* From (x, y) by (dx, dy): a shaft and a head. */
void vl_figure_arrow(const vlSliceFigure *f, double x, double y, double dx, double dy, double thickness)
{
  double length = hypot(dx, dy), head = fmin(0.45 * length, 6.0 * thickness);
  if (!(length > 0.0)) return;
  double ax = dx / length, ay = dy / length, half = 0.5 * fmin(thickness, 0.3 * head), wing = 0.42 * head,
         neck = length - head;
  const double outline[7][2] = {{0.0, half},   {neck, half},  {neck, wing}, {length, 0.0},
                                {neck, -wing}, {neck, -half}, {0.0, -half}};
  vl_drawing_line(f->drawing, true);
  for (int i = 0; i < 7; i++)
    vl_drawing_point(f->drawing, x + outline[i][0] * ax - outline[i][1] * ay, y + outline[i][0] * ay + outline[i][1] * ax);
}

/* Mean place (cells) and velocity over the liquid cells, or those in bodies, of a square of stride x stride cells; false:
 * too few of them. Bodies may be thin. */
static bool square_mean(const vlSliceFigure *f, bool bodies, int i0, int j0, double place[2], double velocity[2])
{
  const vlSlice *s = f->slice;
  const float *v = bodies ? s->body_velocity : s->velocity;
  int count = 0;
  place[0] = place[1] = velocity[0] = velocity[1] = 0.0;
  for (int j = j0 < f->first[1] ? f->first[1] : j0; j < j0 + f->stride && j < f->last[1]; j++)
    for (int i = i0 < f->first[0] ? f->first[0] : i0; i < i0 + f->stride && i < f->last[0]; i++) {
      size_t at = cell_at(s, i, j);
      if (bodies ? !s->in_body[at] : !s->unknown[at] || s->open[at] < 0.5f) continue;
      count++;
      place[0] += i + 0.5;
      place[1] += j + 0.5;
      velocity[0] += v[2 * at];
      velocity[1] += v[2 * at + 1];
    }
  for (int a = 0; a < 2 && count > 0; a++) {
    place[a] /= count;
    velocity[a] /= count;
  }
  return count > 0 && (bodies ? 6 : 3) * count >= f->stride * f->stride;
}

/* First with a white rim, which sets arrows off from dark colours, then in ink. */
static void draw_arrows(const vlSliceFigure *f, bool bodies)
{
  const vlSlice *s = f->slice;
  double unit = f->em / 16.0;
  for (int pass = 0; pass < 2; pass++) {
    vlPaint rim = {.stroke = WHITE, .width = 1.6 * unit, .framed = true},
            ink = {.fill = bodies ? vl_slice_body_ink() : INK, .framed = true};
    rim.stroke.a = 190;
    vl_drawing_shape(f->drawing, pass ? ink : rim);
    for (int j = 0; j < f->last[1]; j += f->stride)
      for (int i = 0; i < f->last[0]; i += f->stride) {
        double place[2], velocity[2];
        if (!square_mean(f, bodies, i, j, place, velocity)) continue;
        double dx = velocity[0] * f->arrow_per_speed, dy = velocity[1] * f->arrow_per_speed * upwards(f);
        if (hypot(dx, dy) < 3.0 * unit) continue;
        double x = vl_figure_x(f, s->lo[0] + place[0] * s->dx), y = vl_figure_y(f, s->lo[1] + place[1] * s->dx);
        vl_figure_arrow(f, x - 0.5 * dx, y - 0.5 * dy, dx, dy, 1.5 * unit);
      }
  }
}

static void draw_velocity(const vlSliceFigure *f)
{
  draw_arrows(f, false);
  if (f->slice->body.count > 0) draw_arrows(f, true);
}

void vl_figure_contents(const vlSliceFigure *f)
{
  static const struct {
    unsigned what;
    void (*draw)(const vlSliceFigure *f);
  } parts[] = {{VL_SHOW_KINDS | VL_SHOW_PRESSURE, draw_cells},
               {VL_SHOW_LIQUID, draw_liquid},
               {VL_SHOW_SOLID, draw_solid},
               {VL_SHOW_BODIES, draw_bodies},
               {VL_SHOW_MESH, draw_mesh},
               {VL_SHOW_GRID, draw_grid},
               {VL_SHOW_AREAS, draw_areas},
               {VL_SHOW_SAMPLES, draw_samples},
               {VL_SHOW_PATCHES, draw_patches},
               {VL_SHOW_VELOCITY, draw_velocity}};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (f->show & parts[i].what) parts[i].draw(f);
}
