/* Figures of slices: what is drawn adds up to the numbers, the SVG is well-formed XML, equal input gives equal bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "figures/slice_figure.h"
#include "slice_run.h"

static vlDrawing draw(const vlSlice *s, unsigned show, const double window[4])
{
  vlStatus status = {0};
  vlDrawing drawing;
  vlSliceStyle style = {.show = show, .size = 800.0, .range = vl_slice_range_empty(), .name = "<a & b>"};
  if (window) memcpy(style.window, window, sizeof style.window);
  assert_int_equal(vl_slice_window(s, style.window, &status), VL_OK);
  vl_slice_range_add(&style.range, s, style.window);
  if (vl_slice_draw(&drawing, s, &style, &status)) fail_msg("%s", status.message);
  return drawing;
}

/* The length of all lines of a shape, m. */
static double drawn_length(const vlDrawing *drawing, const vlDrawingItem *item, double scale)
{
  double sum = 0.0;
  for (size_t l = item->first; l < item->first + item->count; l++)
    for (size_t p = drawing->line[l].first; p + 1 < drawing->line[l].first + drawing->line[l].count; p++)
      sum += hypot(drawing->point[p + 1][0] - drawing->point[p][0], drawing->point[p + 1][1] - drawing->point[p][1]);
  return sum / scale;
}

/* The open parts that are drawn have the areas of the faces of cut cells: each such cell has four faces, a face between two
 * of them is drawn once. */
static void test_drawn_areas(void **state)
{
  (void)state;
  SliceRun r;
  make_run(&r, false);
  vlSlice *s = cut_run(&r, VL_Z, NAN);
  vlDrawing drawing = draw(s, VL_SHOW_AREAS, NULL);
  double scale = (drawing.frame[2] - drawing.frame[0]) / (RUN_NX * run_dx), expected = 0.0;
  /* by hand: around the ring of 18 cut cells 22 faces are whole, the 18 between its cells are half open, the 14 towards
   * the inside are closed */
  for (int d = 0; d < 2; d++) {
    int n0 = RUN_NX + (d == 0), n1 = RUN_NY + (d == 1);
    for (int j = 0; j < n1; j++)
      for (int i = 0; i < n0; i++) {
        bool near = i >= 2 && j >= 2 && i < 8 + (d == 0) && j < 7 + (d == 1);
        if (near) expected += s->area[d][i + n0 * j] * run_dx;
      }
  }
  assert_true(fabs(expected - (22 + 0.5 * 18) * run_dx) < 1e-12);
  assert_true(fabs(drawn_length(&drawing, &drawing.item[0], scale) - expected) < 1e-9);
  vl_drawing_clear(&drawing);
  vl_slice_destroy(&s);
  remove_run(&r);
}

/* Boxes of one colour cover the cells of one kind. */
static void test_drawn_cells(void **state)
{
  (void)state;
  SliceRun r;
  make_run(&r, false);
  vlSlice *s = cut_run(&r, VL_Z, NAN);
  vlDrawing drawing = draw(s, VL_SHOW_KINDS, NULL);
  double scale = (drawing.frame[2] - drawing.frame[0]) / (RUN_NX * run_dx);
  static const int kinds[] = {VL_SLICE_CUT_AIR, VL_SLICE_LIQUID, VL_SLICE_CUT_LIQUID, VL_SLICE_SOLID};
  static const int cells[] = {8, 42, 10, 12};
  for (int k = 0; k < 4; k++) {
    const vlDrawingItem *item = &drawing.item[k];
    vlColor color = vl_slice_kind_color(kinds[k]);
    assert_memory_equal(&item->paint.fill, &color, sizeof color);
    double area = 0.0;
    for (size_t l = item->first; l < item->first + item->count; l++) {
      double(*p)[2] = &drawing.point[drawing.line[l].first];
      area += (p[2][0] - p[0][0]) * (p[2][1] - p[0][1]) / (scale * scale);
    }
    assert_true(fabs(area - cells[k] * run_dx * run_dx) < 1e-9);
  }
  vl_drawing_clear(&drawing);
  vl_slice_destroy(&s);
  remove_run(&r);
}

static void test_ranges(void **state)
{
  (void)state;
  SliceRun r;
  make_run(&r, false);
  vlSlice *s = cut_run(&r, VL_Y, 0.12);
  double window[4] = {0.0, 0.0, 0.0, 0.0};
  vlSliceRange range = vl_slice_range_empty();
  assert_int_equal(vl_slice_window(s, window, NULL), VL_OK);
  assert_true(fabs(window[2] - RUN_NX * run_dx) < 1e-12 && fabs(window[3] - RUN_NZ * run_dx) < 1e-12);
  vl_slice_range_add(&range, s, window);
  assert_true(range.speed == 2.0); /* along x; that along y is not in the plane */
  assert_true(fabs(range.pressure[0] - 9810.0 * 0.35) < 1e-3 && range.pressure[0] == range.pressure[1]);
  double beside[4] = {2.0, 0.0, 3.0, 1.0}, turned[4] = {0.5, 0.5, 0.2, 0.7};
  vlStatus status = {0};
  assert_int_equal(vl_slice_window(s, beside, &status), VL_ERROR_USAGE);
  assert_non_null(strstr(status.message, "x is from 0 m to 1.2 m"));
  assert_int_equal(vl_slice_window(s, turned, &status), VL_ERROR_USAGE);
  vl_slice_destroy(&s);
  remove_run(&r);
}

/* Well-formed XML as far as we write it: tags nest, attributes are quoted, no bare '<' or '&'. */
static void check_xml(const char *s)
{
  char open[8][32];
  int depth = 0;
  for (; *s; s++) {
    if (*s == '&') assert_true(strchr("alqg", s[1]) && strchr(s, ';') && strchr(s, ';') - s < 7);
    assert_false(*s == '>');
    if (*s != '<') continue;
    bool closing = s[1] == '/';
    char name[32];
    size_t n = strspn(s + 1 + closing, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
    assert_true(n > 0 && n < sizeof name);
    snprintf(name, sizeof name, "%.*s", (int)n, s + 1 + closing);
    for (s += 1 + closing + n; *s && *s != '>'; s++) {
      assert_false(*s == '<');
      if (*s != '"') continue;
      s++;
      s += strcspn(s, "\"<");
      assert_int_equal(*s, '"');
    }
    assert_int_equal(*s, '>');
    if (s[-1] == '/') continue;
    if (closing) {
      assert_true(depth > 0);
      assert_string_equal(open[--depth], name);
    } else {
      assert_true(depth < 8);
      strcpy(open[depth++], name);
    }
  }
  assert_int_equal(depth, 0);
}

static void test_svg(void **state)
{
  (void)state;
  SliceRun r;
  char path[128], *text[2];
  size_t length[2];
  const double window[4] = {0.1, 0.1, 0.6, 0.62};
  make_run(&r, false);
  run_path(&r, "figure", path);
  for (unsigned show = 0; show < 2048; show += show < 2 ? 1 : show - 1) {
    for (int again = 0; again < 2; again++) {
      vlSlice *s = cut_run(&r, (int)(show % 3), NAN);
      vlDrawing drawing = draw(s, show, show % 3 == 2 ? window : NULL);
      assert_int_equal(vl_drawing_write_svg(&drawing, path, NULL), VL_OK);
      assert_int_equal(vl_file_read(path, 1 << 24, &text[again], &length[again], NULL), VL_OK);
      vl_drawing_clear(&drawing);
      vl_slice_destroy(&s);
    }
    check_xml(text[0]);
    assert_non_null(strstr(text[0], "&lt;a &amp; b&gt;"));
    assert_null(strstr(text[0], "nan"));
    assert_null(strstr(text[0], "inf"));
    assert_string_equal(text[0], text[1]);
    free(text[0]);
    free(text[1]);
  }
  remove_run(&r);
}

/* Darker step by step, as the eye and a grey print see it. */
static void test_ramp(void **state)
{
  (void)state;
  double before = 256.0;
  for (int i = 0; i <= 64; i++) {
    vlColor c = vl_slice_ramp(i / 64.0);
    double luminance = 0.2126 * c.r + 0.7152 * c.g + 0.0722 * c.b;
    assert_true(luminance < before);
    before = luminance;
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_drawn_areas), cmocka_unit_test(test_drawn_cells),
                                     cmocka_unit_test(test_ranges), cmocka_unit_test(test_svg), cmocka_unit_test(test_ramp)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
