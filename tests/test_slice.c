/* Slices of a run whose geometry is known: kinds of cells, open parts, patches and outlines against a box by hand, and
 * every mistake with its message. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "slice_run.h"

/* Rounding of areas that are sums over a few triangles. */
static const double ROUNDING = 1e-12;

/* Along x the box takes half a cell, 4 cells, half a cell; along y half, 3, half. */
static void test_kinds(void **state)
{
  (void)state;
  SliceRun r;
  make_run(&r, false);
  vlSlice *s = cut_run(&r, VL_Z, NAN);
  assert_int_equal(s->layer, 4);
  assert_true(s->position == 0.45);
  assert_true(s->time == 0.75);
  int count[VL_SLICE_KINDS] = {0};
  for (int c = 0; c < RUN_NX * RUN_NY; c++) count[s->kind[c]]++;
  assert_int_equal(count[VL_SLICE_SOLID], 12);
  assert_int_equal(count[VL_SLICE_CUT_LIQUID], 10);
  assert_int_equal(count[VL_SLICE_CUT_AIR], 8);
  assert_int_equal(count[VL_SLICE_LIQUID], 42);
  assert_int_equal(count[VL_SLICE_AIR], 48);
  for (int c = 0; c < RUN_NX * RUN_NY; c++)
    assert_int_equal(s->unknown[c], s->kind[c] == VL_SLICE_LIQUID || s->kind[c] == VL_SLICE_CUT_LIQUID);
  vl_slice_destroy(&s);
  assert_null(s);
  remove_run(&r);
}

/* A container: what was solid is open and the other way round. */
static void test_container(void **state)
{
  (void)state;
  SliceRun r;
  make_run(&r, true);
  vlSlice *s = cut_run(&r, VL_Z, NAN);
  assert_true(s->solid_outside);
  int count[VL_SLICE_KINDS] = {0};
  for (int c = 0; c < RUN_NX * RUN_NY; c++) count[s->kind[c]]++;
  assert_int_equal(count[VL_SLICE_SOLID], 120 - 30);
  assert_int_equal(count[VL_SLICE_LIQUID] + count[VL_SLICE_AIR], 12);
  assert_int_equal(count[VL_SLICE_CUT_LIQUID] + count[VL_SLICE_CUT_AIR], 18);
  vl_slice_destroy(&s);
  remove_run(&r);
}

static void test_areas(void **state)
{
  (void)state;
  SliceRun r;
  make_run(&r, false);
  vlSlice *s = cut_run(&r, VL_Z, 0.31);
  assert_int_equal(s->layer, 3);
  for (int d = 0; d < 2; d++) {
    int n0 = RUN_NX + (d == 0), n1 = RUN_NY + (d == 1);
    for (int j = 0; j < n1; j++)
      for (int i = 0; i < n0; i++) {
        /* a face is inside of the box across it, and covered by it along its edge */
        double across = (d == 0 ? i : j) * run_dx, along = (d == 0 ? j : i) * run_dx;
        bool inside = across > run_box[d] && across < run_box[2 + d];
        double covered = overlap(along, along + run_dx, run_box[1 - d], run_box[3 - d]) / run_dx;
        assert_true(fabs(s->area[d][i + n0 * j] - (inside ? 1.0 - covered : 1.0)) < ROUNDING);
      }
  }
  vl_slice_destroy(&s);
  remove_run(&r);
}

/* Patches are the cuts' own area vectors, close up, and have the size of the box's sides. */
static void test_patches(void **state)
{
  (void)state;
  SliceRun r;
  make_run(&r, false);
  vlSlice *s = cut_run(&r, VL_X, 0.5);
  assert_int_equal(s->u, VL_Z);
  assert_int_equal(s->v, VL_Y);
  vl_slice_destroy(&s);
  s = cut_run(&r, VL_Z, NAN);
  double sum[2] = {0.0, 0.0}, size = 0.0;
  for (int j = 0; j < RUN_NY; j++)
    for (int i = 0; i < RUN_NX; i++) {
      const vlSlicePatch *patch = &s->patch[i + RUN_NX * j];
      const vlCutCell *cut = vl_cuts_find(r.run.cuts, i, j, s->layer);
      for (int a = 0; a < 2; a++) {
        double exact = cut ? cut->s.v[a] / (run_dx * run_dx) : 0.0;
        assert_true(fabs(patch->area[a] - exact) < ROUNDING);
        sum[a] += patch->area[a];
      }
      size += patch->size;
      if (!(patch->size > 0.0)) continue;
      /* the centre lies in its cell */
      assert_true(patch->center[0] >= i * run_dx - ROUNDING && patch->center[0] <= (i + 1) * run_dx + ROUNDING);
      assert_true(patch->center[1] >= j * run_dx - ROUNDING && patch->center[1] <= (j + 1) * run_dx + ROUNDING);
    }
  assert_true(fabs(sum[0]) < 10 * ROUNDING && fabs(sum[1]) < 10 * ROUNDING);
  assert_true(fabs(size - 2.0 * (0.5 + 0.4) / run_dx) < 100 * ROUNDING);
  vl_slice_destroy(&s);
  remove_run(&r);
}

/* The outline is one closed line around the box's section; the level set is zero on one line from side to side. */
static void test_lines(void **state)
{
  (void)state;
  SliceRun r;
  make_run(&r, false);
  vlSlice *s = cut_run(&r, VL_Z, 0.8);
  assert_int_equal(s->layer, RUN_NZ - 1);
  assert_int_equal(s->solid.count, 1);
  assert_true(s->solid.closed[0]);
  double area = 0.0;
  int n = s->solid.first[1];
  for (int i = 0; i < n; i++) {
    const double *p = s->solid.x[i], *q = s->solid.x[(i + 1) % n];
    area += 0.5 * (p[0] * q[1] - p[1] * q[0]);
  }
  assert_true(fabs(fabs(area) - 0.5 * 0.4) < ROUNDING);
  assert_int_equal(s->liquid.count, 1);
  assert_false(s->liquid.closed[0]);
  n = s->liquid.first[1];
  assert_int_equal(n, RUN_NX + 2);
  /* values are floats */
  for (int i = 0; i < n; i++) assert_true(fabs(s->liquid.x[i][1] - run_level) < 1e-7);
  assert_true(fabs(fabs(s->liquid.x[n - 1][0] - s->liquid.x[0][0]) - RUN_NX * run_dx) < ROUNDING);
  vl_slice_destroy(&s);
  remove_run(&r);
}

static void refuse(const SliceRun *r, int frame, int axis, double position, vlCode code, const char *text)
{
  vlStatus status = {0};
  vlSlice *s;
  assert_int_equal(vl_slice_create(&s, &r->run, frame, axis, position, &status), code);
  assert_null(s);
  if (!strstr(status.message, text)) fail_msg("no '%s' in: %s", text, status.message);
}

static void test_errors(void **state)
{
  (void)state;
  SliceRun r;
  char path[128];
  vlStatus status = {0};
  make_run(&r, false);
  refuse(&r, 3, VL_Z, 0.9, VL_ERROR_USAGE, "from 0 m to 0.8 m");
  refuse(&r, 3, VL_X, -1e-3, VL_ERROR_USAGE, "x = -0.001 m");
  refuse(&r, 7, VL_Z, NAN, VL_ERROR_FILE, "fields_00007.vti");
  /* solids that are not there, or not those of the frame */
  vl_slice_run_close(&r.run);
  run_path(&r, "solids.vtp", path);
  unlink(path);
  open_run(&r);
  refuse(&r, 3, VL_Z, NAN, VL_ERROR_FILE, "output.solids: yes");
  vl_slice_run_close(&r.run);
  write_solids(&r, true);
  open_run(&r);
  refuse(&r, 3, VL_Z, NAN, VL_ERROR_FILE, "solids.vtp does not hold the solids of frame 3: cell (0, 0, 4)");
  /* frames that are not there */
  int *frames, count;
  assert_int_equal(vl_slice_frames(&r.run, &frames, &count, &status), VL_OK);
  assert_int_equal(count, 1);
  assert_int_equal(frames[0], 3);
  free(frames);
  run_path(&r, "fields/fields_00003.vti", path);
  unlink(path);
  assert_int_equal(vl_slice_frames(&r.run, &frames, &count, &status), VL_ERROR_FILE);
  assert_non_null(strstr(status.message, "output.fields: yes"));
  assert_null(frames);
  remove_run(&r);
}

/* A run's files cut off or foreign. */
static void test_damaged_run(void **state)
{
  (void)state;
  SliceRun r;
  char path[128], *text;
  size_t length;
  vlStatus status = {0};
  vlSliceRun run;
  make_run(&r, false);
  run_path(&r, "solids.vtp", path);
  assert_int_equal(vl_file_read(path, 1 << 20, &text, &length, &status), VL_OK);
  /* up to the last number; the tags behind it are not needed */
  for (size_t keep = 0; keep < length - strlen("\n</AppendedData>\n</VTKFile>\n"); keep += 7) {
    FILE *file = fopen(path, "wb");
    fwrite(text, 1, keep, file);
    fclose(file);
    vlCode code = vl_slice_run_open(&run, r.folder, &status);
    assert_true(code == VL_ERROR_FILE || code == VL_ERROR_MESH);
    assert_non_null(strstr(status.message, "solids.vtp"));
  }
  free(text);
  write_solids(&r, false);
  run_path(&r, "run.json", path);
  write_text(path, "{\"scene\": {\"name\": \"old\"}}");
  assert_int_equal(vl_slice_run_open(&run, r.folder, &status), VL_ERROR_FILE);
  assert_non_null(strstr(status.message, "grid.cells"));
  unlink(path);
  assert_int_equal(vl_slice_run_open(&run, r.folder, &status), VL_ERROR_FILE);
  assert_non_null(strstr(status.message, "is not the folder of a run"));
  remove_run(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_kinds),       cmocka_unit_test(test_container), cmocka_unit_test(test_areas),
      cmocka_unit_test(test_patches),     cmocka_unit_test(test_lines),     cmocka_unit_test(test_errors),
      cmocka_unit_test(test_damaged_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
