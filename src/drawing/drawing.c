/* Builds the list of a drawing: shapes of lines of points, and words, each list in one growing array. */
#include "drawing/drawing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/vec.h"

void vl_drawing_clear(vlDrawing *drawing)
{
  for (size_t i = 0; i < drawing->item_count; i++) free(drawing->item[i].text);
  free(drawing->item);
  free(drawing->line);
  free(drawing->point);
  *drawing = (vlDrawing){0};
}

static vlDrawingItem *add_item(vlDrawing *drawing)
{
  void *items = drawing->item;
  bool room = vl_array_reserve(&items, &drawing->item_capacity, drawing->item_count + 1, sizeof *drawing->item);
  drawing->item = items;
  drawing->failed = drawing->failed || !room;
  if (drawing->failed) return NULL;
  vlDrawingItem *item = &drawing->item[drawing->item_count++];
  *item = (vlDrawingItem){.first = drawing->line_count};
  return item;
}

void vl_drawing_shape(vlDrawing *drawing, vlPaint paint)
{
  vlDrawingItem *item = add_item(drawing);
  if (item) item->paint = paint;
}

void vl_drawing_line(vlDrawing *drawing, bool closed)
{
  void *lines = drawing->line;
  bool room = vl_array_reserve(&lines, &drawing->line_capacity, drawing->line_count + 1, sizeof *drawing->line);
  drawing->line = lines;
  drawing->failed = drawing->failed || !room;
  if (drawing->failed) return;
  drawing->line[drawing->line_count++] = (vlDrawingLine){.first = drawing->point_count, .closed = closed};
  drawing->item[drawing->item_count - 1].count++;
}

void vl_drawing_point(vlDrawing *drawing, double x, double y)
{
  void *points = drawing->point;
  bool room = vl_array_reserve(&points, &drawing->point_capacity, drawing->point_count + 1, sizeof *drawing->point);
  drawing->point = points;
  drawing->failed = drawing->failed || !room;
  if (drawing->failed) return;
  drawing->point[drawing->point_count][0] = x;
  drawing->point[drawing->point_count++][1] = y;
  drawing->line[drawing->line_count - 1].count++;
}

void vl_drawing_segment(vlDrawing *drawing, double x0, double y0, double x1, double y1)
{
  vl_drawing_line(drawing, false);
  vl_drawing_point(drawing, x0, y0);
  vl_drawing_point(drawing, x1, y1);
}

void vl_drawing_box(vlDrawing *drawing, double x, double y, double width, double height)
{
  vl_drawing_line(drawing, true);
  vl_drawing_point(drawing, x, y);
  vl_drawing_point(drawing, x + width, y);
  vl_drawing_point(drawing, x + width, y + height);
  vl_drawing_point(drawing, x, y + height);
}

void vl_drawing_disk(vlDrawing *drawing, double x, double y, double radius)
{
  enum { CORNERS = 12 };
  vl_drawing_line(drawing, true);
  for (int i = 0; i < CORNERS; i++) {
    double angle = 2.0 * VL_PI * (i + 0.5) / CORNERS;
    vl_drawing_point(drawing, x + radius * cos(angle), y + radius * sin(angle));
  }
}

void vl_drawing_words(vlDrawing *drawing, double x, double y, double size, vlAnchor anchor, bool upright, vlColor color,
                      const char *text)
{
  vlDrawingItem *item = add_item(drawing);
  if (!item) return;
  item->paint.fill = color;
  item->x = x;
  item->y = y;
  item->size = size;
  item->anchor = anchor;
  item->upright = upright;
  item->text = strdup(text);
  drawing->failed = drawing->failed || !item->text;
}
