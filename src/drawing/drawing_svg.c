/* A drawing as SVG 1.1: one path for each shape, words as text. Coordinates have two decimals; a step along an axis is
 * written as H or V, which is what makes pictures of cells small. Equal drawings give equal bytes. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "drawing/drawing.h"
#include "files/file.h"

enum { COORDINATE = 32 };

/* At most two decimals, no zeros at the end, a point whatever the locale says. */
static const char *coordinate(double value, char text[static COORDINATE])
{
  long long hundredths = llround(fmin(fmax(value, -1e9), 1e9) * 100.0);
  const char *sign = hundredths < 0 ? "-" : "";
  if (hundredths < 0) hundredths = -hundredths;
  long long whole = hundredths / 100, rest = hundredths % 100;
  if (rest == 0)
    snprintf(text, COORDINATE, "%s%lld", sign, whole);
  else if (rest % 10 == 0)
    snprintf(text, COORDINATE, "%s%lld.%lld", sign, whole, rest / 10);
  else
    snprintf(text, COORDINATE, "%s%lld.%02lld", sign, whole, rest);
  return text;
}

/* Text between tags or in quotes; bytes that XML does not allow become '?'. */
static void write_text(vlFile *file, const char *text)
{
  static const char raw[] = "&<>\"";
  static const char *const entity[] = {"&amp;", "&lt;", "&gt;", "&quot;"};
  for (; *text; text++) {
    const char *found = strchr(raw, *text);
    bool forbidden = (unsigned char)*text < 0x20;
    vl_file_print(file, "%s", found ? entity[found - raw] : "");
    if (!found) vl_file_print(file, "%c", forbidden ? '?' : *text);
  }
}

static void write_color(vlFile *file, const char *name, vlColor color)
{
  if (!color.a) {
    vl_file_print(file, " %s=\"none\"", name);
    return;
  }
  vl_file_print(file, " %s=\"#%02x%02x%02x\"", name, color.r, color.g, color.b);
  if (color.a < 255) vl_file_print(file, " %s-opacity=\"0.%02d\"", name, color.a * 100 / 256);
}

static void write_line(vlFile *file, const vlDrawing *drawing, const vlDrawingLine *line)
{
  char x[2][COORDINATE] = {"", ""}, y[2][COORDINATE] = {"", ""};
  for (size_t i = 0; i < line->count; i++) {
    const double *point = drawing->point[line->first + i];
    int now = i % 2;
    coordinate(point[0], x[now]);
    coordinate(point[1], y[now]);
    bool same_x = strcmp(x[0], x[1]) == 0, same_y = strcmp(y[0], y[1]) == 0;
    if (i == 0)
      vl_file_print(file, "M%s %s", x[now], y[now]);
    else if (same_x && same_y && line->count > 2)
      continue;
    else if (same_x)
      vl_file_print(file, "V%s", y[now]);
    else if (same_y)
      vl_file_print(file, "H%s", x[now]);
    else
      vl_file_print(file, "L%s %s", x[now], y[now]);
  }
  vl_file_print(file, line->closed ? "Z" : "");
}

static void write_shape(vlFile *file, const vlDrawing *drawing, const vlDrawingItem *item)
{
  char width[COORDINATE];
  vl_file_print(file, "<path");
  write_color(file, "fill", item->paint.fill);
  if (item->paint.fill.a) vl_file_print(file, " fill-rule=\"evenodd\"");
  if (item->paint.stroke.a) {
    write_color(file, "stroke", item->paint.stroke);
    vl_file_print(file, " stroke-width=\"%s\" stroke-linejoin=\"round\"", coordinate(item->paint.width, width));
  }
  if (item->paint.crisp) vl_file_print(file, " shape-rendering=\"crispEdges\"");
  vl_file_print(file, " d=\"");
  for (size_t l = 0; l < item->count; l++) write_line(file, drawing, &drawing->line[item->first + l]);
  vl_file_print(file, "\"/>\n");
}

static void write_words(vlFile *file, const vlDrawingItem *item)
{
  static const char *const anchors[] = {"start", "middle", "end"};
  char x[COORDINATE], y[COORDINATE], size[COORDINATE];
  coordinate(item->x, x);
  coordinate(item->y, y);
  vl_file_print(file, "<text x=\"%s\" y=\"%s\" font-size=\"%s\"", x, y, coordinate(item->size, size));
  if (item->anchor != VL_ANCHOR_START) vl_file_print(file, " text-anchor=\"%s\"", anchors[item->anchor]);
  if (item->upright) vl_file_print(file, " transform=\"rotate(-90 %s %s)\"", x, y);
  write_color(file, "fill", item->paint.fill);
  vl_file_print(file, ">");
  write_text(file, item->text);
  vl_file_print(file, "</text>\n");
}

static void write_head(vlFile *file, const vlDrawing *drawing)
{
  char w[COORDINATE], h[COORDINATE], f[4][COORDINATE];
  coordinate(drawing->width, w);
  coordinate(drawing->height, h);
  vl_file_print(file,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%s\" height=\"%s\" viewBox=\"0 0 %s %s\" "
                "font-family=\"Helvetica, Arial, sans-serif\">\n<title>",
                w, h, w, h);
  write_text(file, drawing->title);
  const double *frame = drawing->frame;
  coordinate(frame[0], f[0]);
  coordinate(frame[1], f[1]);
  coordinate(frame[2] - frame[0], f[2]);
  coordinate(frame[3] - frame[1], f[3]);
  vl_file_print(file,
                "</title>\n<clipPath id=\"frame\"><rect x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\"/></clipPath>\n"
                "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n",
                f[0], f[1], f[2], f[3]);
}

vlCode vl_drawing_write_svg(const vlDrawing *drawing, const char *path, vlStatus *status)
{
  if (drawing->failed) return vl_fail_memory(status, drawing->point_count * sizeof *drawing->point, path);
  vlFile file;
  vlCode code = vl_file_open(&file, path, status);
  if (code != VL_OK) return code;
  write_head(&file, drawing);
  bool framed = false;
  for (size_t i = 0; i < drawing->item_count; i++) {
    const vlDrawingItem *item = &drawing->item[i];
    if (item->paint.framed != framed) vl_file_print(&file, framed ? "</g>\n" : "<g clip-path=\"url(#frame)\">\n");
    framed = item->paint.framed;
    if (item->text)
      write_words(&file, item);
    else if (item->count > 0)
      write_shape(&file, drawing, item);
  }
  vl_file_print(&file, framed ? "</g>\n</svg>\n" : "</svg>\n");
  return vl_file_commit(&file, status);
}
