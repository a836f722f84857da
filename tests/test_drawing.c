/* Drawings into pixels: cover of boxes, lines and letters against their areas; boxes side by side without a seam. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "drawing/drawing_raster.h"
#include "files/file.h"
#include "place.h"

enum { SIDE = 40 };
static const double whole[4] = {0, 0, SIDE, SIDE};
static const vlColor black = {0, 0, 0, 255};

/* Black that is there, in pixels. */
static double ink(const vlRaster *raster)
{
  double sum = 0.0;
  for (int i = 0; i < raster->width * raster->height; i++) sum += 1.0 - raster->pixels[3 * i] / 255.0;
  return sum;
}

static void box(vlRaster *raster, double x0, double y0, double x1, double y1)
{
  vl_raster_edge(raster, x0, y0, x0, y1);
  vl_raster_edge(raster, x1, y1, x1, y0);
}

static void test_boxes(void **state)
{
  (void)state;
  vlRaster raster;
  assert_true(vl_raster_create(&raster, SIDE, SIDE));
  assert_true(ink(&raster) == 0.0);
  /* the scan lines lie at 0.1, 0.3, ... of a row: these heights are exact */
  box(&raster, 3.25, 4.2, 10.5, 9.6);
  vl_raster_fill(&raster, black, true, false, whole);
  assert_int_equal(raster.pixels[3 * (3 + SIDE * 6)], 64);   /* 3/4 covered */
  assert_int_equal(raster.pixels[3 * (10 + SIDE * 6)], 128); /* half */
  assert_int_equal(raster.pixels[3 * (5 + SIDE * 4)], 51);   /* 4/5 */
  /* each of the border's pixels is rounded to 1/255 */
  assert_true(fabs(ink(&raster) - 7.25 * 5.4) < 30 * 0.5 / 255);
  vl_raster_clear(&raster);
  /* a hole by the even-odd rule, none by turns; clipped to the left half */
  const double left[4] = {0, 0, 20, SIDE};
  for (int even_odd = 0; even_odd < 2; even_odd++) {
    assert_true(vl_raster_create(&raster, SIDE, SIDE));
    box(&raster, 10, 10, 30, 30);
    box(&raster, 15, 15, 25, 25);
    vl_raster_fill(&raster, black, even_odd, false, left);
    assert_true(fabs(ink(&raster) - (even_odd ? 200 - 50 : 200)) < 1e-9);
    vl_raster_clear(&raster);
  }
}

/* Thirds of pixels side by side: every pixel is covered by exactly one crisp box. */
static void test_crisp(void **state)
{
  (void)state;
  vlRaster raster;
  assert_true(vl_raster_create(&raster, SIDE, SIDE));
  for (int i = 0; i < 30; i++) {
    box(&raster, i * SIDE / 30.0, 0, (i + 1) * SIDE / 30.0, SIDE);
    vl_raster_fill(&raster, (vlColor){0, 0, 0, 128}, true, true, whole);
  }
  for (int i = 0; i < SIDE * SIDE; i++) assert_int_equal(raster.pixels[3 * i], 127);
  vl_raster_clear(&raster);
}

/* A line's ink is its length times its width, whichever way it runs and however often it crosses itself. */
static void test_strokes(void **state)
{
  (void)state;
  for (int k = 0; k < 8; k++) {
    vlRaster raster;
    double x = 12.0 * cos(0.3 + k * 0.785), y = 12.0 * sin(0.3 + k * 0.785);
    assert_true(vl_raster_create(&raster, SIDE, SIDE));
    vl_raster_stroke(&raster, 20 - x, 20 - y, 20 + x, 20 + y, 3.0, false);
    vl_raster_stroke(&raster, 20 + x, 20 + y, 20 - x, 20 - y, 3.0, false);
    vl_raster_fill(&raster, black, false, false, whole);
    /* five lines for a row: an end that leans is off by a tenth of a pixel at most along its width */
    assert_true(fabs(ink(&raster) - 24.0 * 3.0) < 1.0);
    vl_raster_clear(&raster);
  }
}

/* Every letter has ink, and words stay on their side of the anchor and near the line. */
static void test_words(void **state)
{
  (void)state;
  char text[2] = " ";
  for (int byte = '!'; byte <= '~'; byte++) {
    vlRaster raster;
    text[0] = (char)byte;
    vlDrawingItem item = {.text = text, .x = 10, .y = 25, .size = 16};
    assert_true(vl_raster_create(&raster, SIDE, SIDE));
    vl_raster_words(&raster, &item);
    for (size_t e = 0; e < raster.edge_count; e++) {
      assert_true(raster.edge[e].y0 > 25 - 0.85 * 16 && raster.edge[e].y1 < 25 + 0.32 * 16);
      assert_true(raster.edge[e].x > 9 && raster.edge[e].x < 10 + 16);
    }
    vl_raster_fill(&raster, black, false, false, whole);
    assert_true(ink(&raster) > 1.5);
    vl_raster_clear(&raster);
  }
}

static void test_png(void **state)
{
  const Place *place = *state;
  vlDrawing drawing = {.width = 30, .height = 20, .frame = {5, 5, 25, 15}};
  vl_drawing_shape(&drawing, (vlPaint){.fill = black, .stroke = {255, 0, 0, 255}, .width = 2.0, .framed = true});
  vl_drawing_box(&drawing, 0, 0, 30, 20);
  vl_drawing_disk(&drawing, 15, 10, 4);
  vl_drawing_words(&drawing, 2, 18, 8, VL_ANCHOR_END, true, black, "n = 1 \xc3\xa4");
  assert_int_equal(vl_drawing_write_png(&drawing, place->path, NULL), VL_OK);
  char *bytes;
  size_t length;
  assert_int_equal(vl_file_read(place->path, 1 << 20, &bytes, &length, NULL), VL_OK);
  assert_memory_equal(bytes, "\x89PNG\r\n\x1a\n", 8);
  assert_memory_equal(bytes + 16, "\0\0\0\x1e\0\0\0\x14", 8); /* 30 x 20 */
  assert_memory_equal(bytes + length - 8, "IEND", 4);
  free(bytes);
  vlStatus status = {0};
  assert_int_equal(vl_drawing_write_png(&drawing, "/nowhere/figure.png", &status), VL_ERROR_FILE);
  assert_non_null(strstr(status.message, "/nowhere/figure.png"));
  vl_drawing_clear(&drawing);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_boxes), cmocka_unit_test(test_crisp),
                                     cmocka_unit_test(test_strokes), cmocka_unit_test(test_words),
                                     cmocka_unit_test_setup_teardown(test_png, make_place, remove_place)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
