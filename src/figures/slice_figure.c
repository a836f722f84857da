/* The layout of a figure: how large a metre becomes, what is seen, which arrows stand where; the scale of colours.
 *
 *   title
 *   +-- frame --------+  legend
 *   |                 |
 *   +-----------------+
 *     axes
 * Colours of the scale are a path through OKLCH [ottosson2020]: lightness falls evenly, so that equal steps of pressure look
 * equally far apart and a print in grey still orders them; the hue turns from yellow over green to blue on the way. */
#include "figures/slice_figure.h"

#include <math.h>
#include <stdio.h>

#include "base/status.h"
#include "base/vec.h"

enum { DETAIL_CELLS = 48 };              /* with fewer cells across, single cells are shown */
static const double ARROW_SPACING = 1.7; /* em: least distance between arrows */
static const double REST_SPEED = 1e-9;   /* m/s: no arrows below */
/* margins in em: left, top, right, bottom */
static const double MARGIN[4] = {4.6, 4.4, 15.2, 3.8};

static unsigned char to_byte(double linear)
{
  double c = fmin(fmax(linear, 0.0), 1.0);
  double s = c <= 0.0031308 ? 12.92 * c : 1.055 * pow(c, 1.0 / 2.4) - 0.055;
  return (unsigned char)lround(255.0 * s);
}

vlColor vl_slice_ramp(double t)
{
  double lightness = 0.94 - 0.58 * t, hue = (108.0 + 166.0 * t) * VL_PI / 180.0;
  /* less where screens have little of it, so that no channel is cut off */
  double chroma = 0.105 + 0.025 * t - 0.09 * t * (1.0 - t) * (1.0 + 0.5 * t);
  double a = chroma * cos(hue), b = chroma * sin(hue);
  double l = lightness + 0.3963377774 * a + 0.2158037573 * b;
  double m = lightness - 0.1055613458 * a - 0.0638541728 * b;
  double s = lightness - 0.0894841775 * a - 1.2914855480 * b;
  l = l * l * l;
  m = m * m * m;
  s = s * s * s;
  return (vlColor){to_byte(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
                   to_byte(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
                   to_byte(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s), 255};
}

vlCode vl_slice_window(const vlSlice *slice, double window[4], vlStatus *status)
{
  bool whole = true;
  for (int i = 0; i < 4; i++) whole = whole && window[i] == 0.0;
  double lo[2] = {slice->lo[0], slice->lo[1]};
  double hi[2] = {lo[0] + slice->n[0] * slice->dx, lo[1] + slice->n[1] * slice->dx};
  const int axes[2] = {slice->u, slice->v};
  for (int a = 0; a < 2; a++) {
    double from = whole ? lo[a] : fmax(window[a], lo[a]), to = whole ? hi[a] : fmin(window[a + 2], hi[a]);
    if (!(to - from > 1e-6 * slice->dx)) /* less has no round numbers to stand on its axis */
      return vl_fail(status, VL_ERROR_USAGE,
                     "the window from %c = %g m to %g m is empty or misses the domain, where %c is from %g m to %g m",
                     'x' + axes[a], window[a], window[a + 2], 'x' + axes[a], lo[a], hi[a]);
    window[a] = from;
    window[a + 2] = to;
  }
  return VL_OK;
}

/* Cells that a window shows, with those it only touches a hair of left out. */
static void cells_seen(const vlSlice *s, const double window[4], int first[2], int last[2])
{
  for (int a = 0; a < 2; a++) {
    first[a] = (int)floor((window[a] - s->lo[a]) / s->dx + 1e-6);
    last[a] = (int)ceil((window[a + 2] - s->lo[a]) / s->dx - 1e-6);
    if (first[a] < 0) first[a] = 0;
    if (last[a] > s->n[a]) last[a] = s->n[a];
  }
}

vlSliceRange vl_slice_range_empty(void) { return (vlSliceRange){.pressure = {INFINITY, -INFINITY}}; }

static void add_speed(vlSliceRange *range, const float velocity[2])
{
  double speed = hypot(velocity[0], velocity[1]);
  range->speed = fmax(range->speed, speed);
  range->squares += speed * speed;
  range->count++;
}

void vl_slice_range_add(vlSliceRange *range, const vlSlice *slice, const double window[4])
{
  int first[2], last[2];
  cells_seen(slice, window, first, last);
  for (int j = first[1]; j < last[1]; j++)
    for (int i = first[0]; i < last[0]; i++) {
      size_t at = (size_t)i + (size_t)slice->n[0] * (size_t)j;
      if (slice->in_body[at]) add_speed(range, slice->body_velocity + 2 * at);
      if (!slice->unknown[at]) continue;
      range->pressure[0] = fmin(range->pressure[0], slice->pressure[at]);
      range->pressure[1] = fmax(range->pressure[1], slice->pressure[at]);
      add_speed(range, slice->velocity + 2 * at);
    }
}

static void choose_layout(vlSliceFigure *f)
{
  vlDrawing *d = f->drawing;
  double width = f->window[2] - f->window[0], height = f->window[3] - f->window[1];
  f->em = f->style->size / 75.0;
  double room = f->style->size - (MARGIN[0] + MARGIN[2]) * f->em;
  f->scale = fmin(room / width, 1.2 * room / height);
  f->cell = f->scale * f->slice->dx;
  d->width = f->style->size;
  d->frame[0] = MARGIN[0] * f->em;
  d->frame[1] = MARGIN[1] * f->em;
  d->frame[2] = d->frame[0] + width * f->scale;
  d->frame[3] = d->frame[1] + height * f->scale;
  /* the legend needs some height, too */
  d->height = fmax(d->frame[3] + MARGIN[3] * f->em, 27.0 * f->em);
  d->width -= fmax(0.0, room - width * f->scale);
}

static void choose_contents(vlSliceFigure *f)
{
  int across = 0;
  for (int a = 0; a < 2; a++) across = f->last[a] - f->first[a] > across ? f->last[a] - f->first[a] : across;
  f->show = f->style->show;
  if (!f->show) {
    f->show = VL_SHOW_LIQUID | VL_SHOW_SOLID | VL_SHOW_BODIES | VL_SHOW_VELOCITY;
    f->show |= across <= DETAIL_CELLS ? VL_SHOW_GRID | VL_SHOW_KINDS | VL_SHOW_AREAS | VL_SHOW_PATCHES : VL_SHOW_PRESSURE;
  }
  f->stride = (int)ceil(ARROW_SPACING * f->em / f->cell);
  /* a few fast drops shall not make all other arrows tiny: twice the mean is long enough, and twice as long the most */
  const vlSliceRange *range = &f->style->range;
  double usual = range->count > 0.0 ? 2.0 * sqrt(range->squares / range->count) : 0.0;
  double full = fmax(fmin(range->speed, usual), 0.5 * range->speed);
  if (full > REST_SPEED) f->arrow_per_speed = 0.95 * f->stride * f->cell / full;
}

vlCode vl_slice_draw(vlDrawing *drawing, const vlSlice *slice, const vlSliceStyle *style, vlStatus *status)
{
  vlSliceFigure f = {.drawing = drawing, .slice = slice, .style = style};
  *drawing = (vlDrawing){0};
  for (int i = 0; i < 4; i++) f.window[i] = style->window[i];
  vlCode code = vl_slice_window(slice, f.window, status);
  if (code != VL_OK) return code;
  cells_seen(slice, f.window, f.first, f.last);
  choose_layout(&f);
  choose_contents(&f);
  vl_figure_contents(&f);
  vl_figure_surroundings(&f);
  if (drawing->failed) {
    vl_drawing_clear(drawing);
    code = vl_fail_memory(status, sizeof *drawing, "a figure");
  }
  return code;
}
