/* Polygons into pixels by scanning rows.
 *
 * A row of pixels is scanned along SCANS lines. On each the crossings with the edges are sorted, spans of inside follow by
 * the even-odd rule or by counting turns, and a span covers pixels by its exact length in them. The mean over the lines is
 * the pixel's cover, with which the colour is blended in. Crisp shapes are scanned once, through the pixels' centres, and
 * cover pixels whole, so that boxes side by side leave no seam. */
#include "drawing/drawing_raster.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/vec.h"

enum { SCANS = 5 };

bool vl_raster_create(vlRaster *raster, int width, int height)
{
  size_t bytes = 3 * (size_t)width * (size_t)height;
  *raster =
      (vlRaster){.width = width, .height = height, .pixels = malloc(bytes), .row = calloc((size_t)width, sizeof(float))};
  if (!raster->pixels || !raster->row) {
    vl_raster_clear(raster);
    return false;
  }
  memset(raster->pixels, 255, bytes);
  return true;
}

void vl_raster_clear(vlRaster *raster)
{
  free(raster->pixels);
  free(raster->edge);
  free(raster->row);
  free(raster->active);
  free(raster->cross);
  *raster = (vlRaster){0};
}

void vl_raster_edge(vlRaster *raster, double x0, double y0, double x1, double y1)
{
  if (y0 == y1) return;
  void *edges = raster->edge;
  bool room = vl_array_reserve(&edges, &raster->edge_capacity, raster->edge_count + 1, sizeof *raster->edge);
  raster->edge = edges;
  raster->failed = raster->failed || !room;
  if (raster->failed) return;
  bool down = y1 > y0;
  double slope = (x1 - x0) / (y1 - y0);
  raster->edge[raster->edge_count++] =
      (vlRasterEdge){.x = down ? x0 : x1, .slope = slope, .y0 = down ? y0 : y1, .y1 = down ? y1 : y0, .turn = down ? 1 : -1};
}

static void polygon(vlRaster *raster, double (*p)[2], int n)
{
  for (int i = 0; i < n; i++) vl_raster_edge(raster, p[i][0], p[i][1], p[(i + 1) % n][0], p[(i + 1) % n][1]);
}

void vl_raster_stroke(vlRaster *raster, double x0, double y0, double x1, double y1, double width, bool round)
{
  enum { CORNERS = 10 };
  double length = hypot(x1 - x0, y1 - y0), half = 0.5 * width;
  double nx = length > 0.0 ? -(y1 - y0) / length * half : 0.0, ny = length > 0.0 ? (x1 - x0) / length * half : 0.0;
  double body[4][2] = {{x0 - nx, y0 - ny}, {x1 - nx, y1 - ny}, {x1 + nx, y1 + ny}, {x0 + nx, y0 + ny}}, end[CORNERS][2];
  polygon(raster, body, 4);
  for (int side = 0; side < 2 && round; side++) {
    for (int c = 0; c < CORNERS; c++) {
      end[c][0] = (side ? x1 : x0) + half * cos(2.0 * VL_PI * c / CORNERS);
      end[c][1] = (side ? y1 : y0) + half * sin(2.0 * VL_PI * c / CORNERS);
    }
    polygon(raster, end, CORNERS);
  }
}

static int compare_edges(const void *a, const void *b)
{
  double x = ((const vlRasterEdge *)a)->y0, y = ((const vlRasterEdge *)b)->y0;
  return (x > y) - (x < y);
}

static int compare_crossings(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void cover(vlRaster *raster, double from, double to, float weight, bool crisp, const double clip[4])
{
  from = fmax(fmax(from, clip[0]), 0.0);
  to = fmin(fmin(to, clip[2]), raster->width);
  if (crisp) {
    from = ceil(from - 0.5);
    to = ceil(to - 0.5);
  }
  if (!(to > from)) return;
  int first = (int)from, last = (int)ceil(to) - 1;
  for (int i = first; i <= last; i++) raster->row[i] += weight * (float)(fmin(to, i + 1.0) - fmax(from, i));
}

/* Spans of inside along the line at y; the first `count` edges of `active` cross it. */
static void scan_line(vlRaster *raster, int count, double y, bool even_odd, bool crisp, const double clip[4])
{
  int n = 0, turns = 0;
  for (int a = 0; a < count; a++) {
    const vlRasterEdge *e = &raster->edge[raster->active[a]];
    if (y < e->y0 || y >= e->y1) continue;
    raster->cross[2 * n] = e->x + e->slope * (y - e->y0);
    raster->cross[2 * n++ + 1] = e->turn;
  }
  qsort(raster->cross, (size_t)n, 2 * sizeof *raster->cross, compare_crossings);
  for (int c = 0; c + 1 < n; c++) {
    turns += (int)raster->cross[2 * c + 1];
    bool inside = even_odd ? c % 2 == 0 : turns != 0;
    if (inside) cover(raster, raster->cross[2 * c], raster->cross[2 * c + 2], crisp ? 1.0f : 1.0f / SCANS, crisp, clip);
  }
}

static void blend_row(vlRaster *raster, int y, vlColor color)
{
  const unsigned char source[3] = {color.r, color.g, color.b};
  unsigned char *pixel = raster->pixels + 3 * (size_t)raster->width * (size_t)y;
  for (int i = 0; i < raster->width; i++, pixel += 3) {
    if (raster->row[i] == 0.0f) continue;
    float alpha = fminf(raster->row[i], 1.0f) * (float)color.a / 255.0f;
    for (int c = 0; c < 3; c++)
      pixel[c] = (unsigned char)lrintf((float)pixel[c] * (1.0f - alpha) + (float)source[c] * alpha);
    raster->row[i] = 0.0f;
  }
}

static bool reserve_active(vlRaster *raster)
{
  if (raster->active_capacity >= raster->edge_count) return true;
  free(raster->active);
  free(raster->cross);
  raster->active_capacity = 0;
  raster->active = malloc(raster->edge_capacity * sizeof *raster->active);
  raster->cross = malloc(raster->edge_capacity * 2 * sizeof *raster->cross);
  if (raster->active && raster->cross) raster->active_capacity = raster->edge_capacity;
  return raster->active_capacity > 0;
}

void vl_raster_fill(vlRaster *raster, vlColor color, bool even_odd, bool crisp, const double clip[4])
{
  raster->failed = raster->failed || (raster->edge_count > 0 && !reserve_active(raster));
  if (!raster->failed && raster->edge_count > 0) {
    qsort(raster->edge, raster->edge_count, sizeof *raster->edge, compare_edges);
    size_t next = 0;
    int count = 0, scans = crisp ? 1 : SCANS;
    int y = (int)fmax(0.0, floor(fmin(raster->edge[0].y0, raster->height)));
    for (; y < raster->height && (count > 0 || next < raster->edge_count); y++) {
      while (next < raster->edge_count && raster->edge[next].y0 < y + 1.0) raster->active[count++] = (int)next++;
      int kept = 0;
      for (int a = 0; a < count; a++)
        if (raster->edge[raster->active[a]].y1 > y) raster->active[kept++] = raster->active[a];
      count = kept;
      for (int s = 0; s < scans; s++) {
        double line = y + (s + 0.5) / scans;
        if (line >= clip[1] && line < clip[3]) scan_line(raster, count, line, even_odd, crisp, clip);
      }
      blend_row(raster, y, color);
    }
  }
  raster->edge_count = 0;
}
