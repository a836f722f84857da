/* Reports: no peak is lost when a table is made short; pictures keep their colours; files that are missing, damaged or cut
 * short are named; whatever a scene holds, the page's data stay data. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <png.h>
#include <turbojpeg.h>

#include "figures/report.h"
#include "figures/report_parts.h"
#include "files/file.h"
#include "frames/run_json.h"
#include "place.h"

static void write_file(const char *folder, const char *name, const char *text)
{
  char *path = vl_path_join(folder, name);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  assert_int_equal(fclose(file), 0);
  free(path);
}

static void remove_file(const char *folder, const char *name)
{
  char *path = vl_path_join(folder, name);
  unlink(path);
  free(path);
}

/* How often `part` stands in `text`. */
static int occurrences(const char *text, const char *part)
{
  int count = 0;
  for (const char *s = text; (s = strstr(s, part)); s++) count++;
  return count;
}

static void test_base64(void **state)
{
  (void)state;
  /* the examples of RFC 4648, section 10 */
  static const char *const pairs[][2] = {{"", ""},
                                         {"f", "Zg=="},
                                         {"fo", "Zm8="},
                                         {"foo", "Zm9v"},
                                         {"foob", "Zm9vYg=="},
                                         {"fooba", "Zm9vYmE="},
                                         {"foobar", "Zm9vYmFy"}};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    char *text = vl_base64("x:", pairs[i][0], strlen(pairs[i][0]));
    assert_int_equal(strncmp(text, "x:", 2), 0);
    assert_string_equal(text + 2, pairs[i][1]);
    free(text);
  }
}

static void test_short_table_is_kept(void **state)
{
  const Place *place = *state;
  vlReportTable table;
  write_file(place->folder, "data", "step,time [s],odd [m3/s],last\n1,0.5,nan,-3\n2,1,1e-12,4\n3,1.5");
  assert_int_equal(vl_report_table_read(&table, place->folder, "data", NULL), VL_OK);
  assert_int_equal(table.columns, 4);
  assert_int_equal(table.rows, 2);
  assert_true(table.cut);
  vlJson json;
  vl_json_begin(&json, false);
  vl_report_table_json(&json, NULL, &table, table.rows, VL_SHORT_EXTREMES);
  assert_int_equal(vl_json_finish(&json, NULL), VL_OK);
  assert_string_equal(json.text, "[{\"name\": \"step\", \"unit\": \"\", \"values\": [1, 2]}, "
                                 "{\"name\": \"time\", \"unit\": \"s\", \"values\": [0.5, 1]}, "
                                 "{\"name\": \"odd\", \"unit\": \"m3/s\", \"values\": [null, 1e-12]}, "
                                 "{\"name\": \"last\", \"unit\": \"\", \"values\": [-3, 4]}]\n");
  vl_json_clear(&json);
  vl_report_table_clear(&table);
}

/* Two columns with peaks at different rows, far apart and next to each other. */
static void test_peaks_survive(void **state)
{
  const Place *place = *state;
  enum { ROWS = 50000 };
  FILE *file = fopen(place->path, "w");
  assert_non_null(file);
  fprintf(file, "step,a,b\n");
  for (int i = 1; i <= ROWS; i++)
    fprintf(file, "%d,%d,%d\n", i, i == 777 ? 31 : i == 778 ? -31 : 1, i == 40123 ? 47 : i == ROWS ? 9 : 2);
  fclose(file);
  vlReportTable table;
  assert_int_equal(vl_report_table_read(&table, place->folder, "data", NULL), VL_OK);
  assert_int_equal(table.rows, ROWS);
  vlJson json;
  vl_json_begin(&json, false);
  vl_report_table_json(&json, NULL, &table, table.rows, VL_SHORT_EXTREMES);
  assert_int_equal(vl_json_finish(&json, NULL), VL_OK);
  size_t kept = vl_report_table_kept(ROWS);
  assert_true(kept < 3000);
  /* commas inside the three columns, between them, and inside the three objects */
  assert_int_equal(occurrences(json.text, ","), 3 * (int)(kept - 1) + 2 + 6);
  assert_int_equal(occurrences(json.text, " 31, -31,"), 1); /* in their order */
  assert_int_equal(occurrences(json.text, " 47,"), 1);
  assert_int_equal(occurrences(json.text, " 9]"), 1); /* the last row is the last row */
  assert_int_equal(occurrences(json.text, "[1, 2, "), 1);
  vl_json_clear(&json);
  /* means: 31 and -31 in one half of a bucket cancel to 1 - 2 / (its rows), between 0 and 1 */
  vl_json_begin(&json, false);
  vl_report_table_json(&json, NULL, &table, table.rows, VL_SHORT_MEANS);
  assert_int_equal(vl_json_finish(&json, NULL), VL_OK);
  assert_int_equal(occurrences(json.text, ","), 3 * (int)(kept - 1) + 2 + 6);
  const char *measured = strstr(json.text, "\"a\"");
  assert_non_null(measured);
  assert_int_equal(occurrences(measured, " 31,") + occurrences(measured, " -31,") + occurrences(measured, " 47,"), 0);
  vl_json_clear(&json);
  vl_report_table_clear(&table);
}

static void test_bad_tables_are_named(void **state)
{
  const Place *place = *state;
  static const struct {
    const char *text, *message;
  } cases[] = {
      {"", "data is empty"},
      {"<html>\n", "does not begin with"},
      {"step,a [m]\n1,2\n2,x\n", "data:3: no number of 'a [m]' at \"x\""},
      {"step,a\n1\n", "data:2: no number of 'step'"},
      {"step,a\n1,2,3\n", "data:2: no number of 'a'"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    vlStatus status = {0};
    vlReportTable table;
    write_file(place->folder, "data", cases[i].text);
    assert_int_equal(vl_report_table_read(&table, place->folder, "data", &status), VL_ERROR_FILE);
    assert_non_null(strstr(status.message, cases[i].message));
    vl_report_table_clear(&table);
  }
  vlStatus status = {0};
  vlReportTable table;
  assert_int_equal(vl_report_table_read(&table, place->folder, "none.csv", &status), VL_ERROR_FILE);
  assert_non_null(strstr(status.message, "none.csv"));
  vl_report_table_clear(&table);
}

/* Left half red, right half blue, at a width that does not divide: the halves keep their colours. */
static void test_picture(void **state)
{
  const Place *place = *state;
  enum { W = 90, H = 60, SMALL = 37 };
  static unsigned char pixels[H][W][3];
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) pixels[y][x][x < W / 2 ? 0 : 2] = 200;
  png_image image = {.version = PNG_IMAGE_VERSION, .width = W, .height = H, .format = PNG_FORMAT_RGB};
  assert_true(png_image_write_to_file(&image, place->path, 0, pixels, 0, NULL));
  vlPicture picture;
  assert_int_equal(vl_picture_shrink(&picture, place->path, SMALL, NULL), VL_OK);
  assert_int_equal(picture.width, SMALL);
  assert_int_equal(picture.height, 25); /* 60 * 37 / 90 = 24.7 */
  static unsigned char back[25][SMALL][3];
  tjhandle jpeg = tjInitDecompress();
  assert_int_equal(tjDecompress2(jpeg, picture.bytes, picture.length, &back[0][0][0], SMALL, 0, 25, TJPF_RGB, 0), 0);
  tjDestroy(jpeg);
  /* JPEG at this quality errs by a few of 255 on flat colours */
  for (int c = 0; c < 3; c++) {
    assert_in_range(back[12][5][c] + 8, (c == 0 ? 200 : 0), (c == 0 ? 216 : 16));
    assert_in_range(back[12][SMALL - 6][c] + 8, (c == 2 ? 200 : 0), (c == 2 ? 216 : 16));
  }
  vl_picture_clear(&picture);
  assert_null(picture.bytes);

  vlStatus status = {0};
  assert_int_equal(truncate(place->path, 60), 0);
  assert_int_equal(vl_picture_shrink(&picture, place->path, SMALL, &status), VL_ERROR_FILE);
  assert_non_null(strstr(status.message, place->path));
}

/* A run of two steps with a scene that would like to be markup. */
static void write_run(const char *folder, vlRunState run_state)
{
  vlScene scene;
  vl_scene_default(&scene);
  strcpy(scene.name, "evil");
  scene.text = strdup("about: </script><b>&amp; <!-- \"\n");
  scene.grid.cells = 16;
  scene.grid.size = (vlVec3){{1.0, 1.0, 1.0}};
  vlRunRecord record = {.scene = &scene, .threads = 1, .started = 1, .state = run_state, .steps = 2, .time = 1.0};
  char *path = vl_path_join(folder, "run.json");
  assert_int_equal(vl_run_json_write(path, &record, NULL), VL_OK);
  free(path);
  vl_scene_clear(&scene);
  write_file(folder, "series.csv", "step,time [s],volume [m3]\n1,0.5,2\n2,1,2\n");
  write_file(folder, "timings.csv", "step,forces [s]\n1,0.1\n2,0.1\n");
}

static void remove_run(const char *folder)
{
  static const char *const files[] = {"run.json", "series.csv", "timings.csv", "probes.csv", "report.html"};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) remove_file(folder, files[i]);
}

/* A run.json that lists a body, and the body's table with so many lines. */
static void add_body(const char *folder, const char *table, int lines)
{
  char *path = vl_path_join(folder, "run.json"), *text, more[2000],
       rows[200] = "step,time [s],volume [m3]\n1,0.5,1e-3\n2,1,1e-3\n";
  size_t length;
  assert_int_equal(vl_file_read(path, 1 << 20, &text, &length, NULL), VL_OK);
  char *rest = strchr(text, '{');
  assert_non_null(rest);
  snprintf(more, sizeof more,
           "{\"bodies\": [{\"name\": \"</b>\", \"table\": \"%s\", \"nodes\": 8, \"young\": 1e5, \"probes\": [\"tip\"]}],",
           table);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(more, file);
  /* an empty list of bodies stands there already */
  char *old = strstr(rest, "\"bodies\": []");
  assert_non_null(old);
  memcpy(old, "\"nobody\"", 8);
  fputs(rest + 1, file);
  assert_int_equal(fclose(file), 0);
  free(text);
  free(path);
  char *end = rows;
  for (int i = 0; i <= lines; i++) end = strchr(end, '\n') + 1;
  *end = '\0';
  char *below = vl_path_join(folder, "bodies");
  assert_int_equal(vl_folder_create(below, NULL), VL_OK);
  free(below);
  write_file(folder, "bodies/b.csv", rows);
}

static void remove_body(const char *folder)
{
  remove_file(folder, "bodies/b.csv");
  char *below = vl_path_join(folder, "bodies");
  rmdir(below);
  free(below);
}

/* Bodies with their tables; one that is missing or cut short is named, and none outside of the folder is read. */
static void test_bodies(void **state)
{
  const Place *place = *state;
  static const struct {
    const char *table;
    int lines;
    vlCode code;
    const char *message;
  } cases[] = {{"bodies/b.csv", 2, VL_OK, NULL},
               {"bodies/b.csv", 1, VL_ERROR_FILE, "bodies/b.csv has 1 whole lines"},
               {"bodies/none.csv", 2, VL_ERROR_FILE, "bodies/none.csv"},
               {"../b.csv", 2, VL_ERROR_FILE, "not below the run's folder"}};
  if (!vl_report_page.charts) skip();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    vlReport report;
    vlStatus status = {0};
    write_run(place->folder, VL_RUN_FINISHED);
    add_body(place->folder, cases[i].table, cases[i].lines);
    assert_int_equal(vl_report_write(place->folder, false, (vlLog){0}, &report, &status), cases[i].code);
    if (cases[i].message) {
      if (!strstr(status.message, cases[i].message)) fail_msg("%s", status.message);
    } else {
      char *path = vl_path_join(place->folder, "report.html"), *text;
      size_t length;
      assert_int_equal(report.bodies, 1);
      assert_int_equal(vl_file_read(path, 1 << 24, &text, &length, NULL), VL_OK);
      assert_non_null(strstr(text, "\"bodies\": [{\"name\": \"\\u003c/b>\", \"nodes\": 8, \"young\": 100000, \"color\": "
                                   "\"#e85940\", \"probes\": [\"tip\"], "
                                   "\"table\": [{\"name\": \"step\""));
      free(text);
      free(path);
    }
    remove_body(place->folder);
    remove_run(place->folder);
  }
}

static void test_page(void **state)
{
  const Place *place = *state;
  vlStatus status = {0};
  vlReport report;
  write_run(place->folder, VL_RUN_FINISHED);
  if (!vl_report_page.charts) {
    assert_int_equal(vl_report_write(place->folder, false, (vlLog){0}, &report, &status), VL_ERROR_BACKEND);
    assert_non_null(strstr(status.message, "npm"));
    remove_run(place->folder);
    skip();
  }
  assert_int_equal(vl_report_write(place->folder, false, (vlLog){0}, &report, &status), VL_OK);
  assert_int_equal(report.steps, 2);
  assert_int_equal(report.probes, 0);
  assert_int_equal(report.pictures, 0);
  assert_int_equal(report.video, VL_VIDEO_NONE);
  char *path = vl_path_join(place->folder, "report.html"), *text;
  size_t length;
  assert_int_equal(vl_file_read(path, 1 << 24, &text, &length, NULL), VL_OK);
  assert_int_equal(length, report.bytes);
  assert_null(strstr(text, "</script><b>"));
  assert_non_null(strstr(text, "about: \\u003c/script>\\u003cb>&amp; \\u003c!-- \\\"\\n"));
  assert_non_null(strstr(text, "\"grid.cells.0\": 16"));
  assert_non_null(strstr(text, "Permission is hereby granted")); /* uPlot's licence travels with it */
  assert_null(strstr(text, "{{"));
  free(text);
  free(path);
  remove_run(place->folder);
}

static void write_picture(const char *folder, const char *name)
{
  static unsigned char pixels[8][16][3];
  char *path = vl_path_join(folder, name);
  png_image image = {.version = PNG_IMAGE_VERSION, .width = 16, .height = 8, .format = PNG_FORMAT_RGB};
  assert_true(png_image_write_to_file(&image, path, 0, pixels, 0, NULL));
  free(path);
}

static void keep_line(void *user, vlLogLevel level, const char *line)
{
  assert_int_equal(level, VL_LOG_WARNING);
  strncat(user, line, 4000 - strlen(user));
}

/* Previews stand in for pictures that are not there; what is damaged is left out by name. */
static void test_media(void **state)
{
  const Place *place = *state;
  static const char *const files[] = {"render/frame_00000.png",  "render/frame_00001.png",  "render/video.mp4",
                                      "preview/frame_00002.png", "preview/frame_00003.png", "preview/frame_4.png"};
  char said[5000] = "";
  vlReport report;
  if (!vl_report_page.charts) skip();
  write_run(place->folder, VL_RUN_FINISHED);
  char *render = vl_path_join(place->folder, "render"), *preview = vl_path_join(place->folder, "preview");
  assert_int_equal(vl_folder_create(render, NULL), VL_OK);
  assert_int_equal(vl_folder_create(preview, NULL), VL_OK);
  for (int i = 3; i < 6; i++) write_picture(place->folder, files[i]);
  assert_int_equal(vl_report_write(place->folder, false, (vlLog){keep_line, said}, &report, NULL), VL_OK);
  assert_true(report.preview && report.pictures == 2 && report.rendered == 2);
  assert_string_equal(said, "");
  write_picture(place->folder, files[0]);
  write_file(place->folder, files[1], "no picture");
  write_file(place->folder, files[2], "no video");
  assert_int_equal(vl_report_write(place->folder, false, (vlLog){keep_line, said}, &report, NULL), VL_OK);
  assert_true(!report.preview && report.pictures == 1 && report.rendered == 2);
  assert_int_equal(report.video, VL_VIDEO_NONE);
  assert_non_null(strstr(said, files[1]));
  assert_non_null(strstr(said, files[2]));
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) remove_file(place->folder, files[i]);
  rmdir(render);
  rmdir(preview);
  free(render);
  free(preview);
  remove_run(place->folder);
}

static void test_bad_runs_are_named(void **state)
{
  const Place *place = *state;
  static const struct {
    const char *file, *text, *message; /* text: NULL removes the file */
    vlRunState run_state;
    vlCode code;
  } cases[] = {
      {"run.json", NULL, "is not the folder of a run", VL_RUN_FINISHED, VL_ERROR_FILE},
      {"run.json", "{\"program\": \"velella\", \"sta", "run.json has no 'version'", VL_RUN_FINISHED, VL_ERROR_FILE},
      {"series.csv", NULL, "series.csv", VL_RUN_FINISHED, VL_ERROR_FILE},
      {"timings.csv", NULL, "timings.csv", VL_RUN_FINISHED, VL_ERROR_FILE},
      {"series.csv", "step,time [s]\n1,0.5\n2,", "series.csv has 1 whole lines", VL_RUN_FINISHED, VL_ERROR_FILE},
      {"series.csv", "step,time [s]\n1,0.5\n2,", NULL, VL_RUN_RUNNING, VL_OK},
      {"series.csv", "step,time [s]\n", NULL, VL_RUN_RUNNING, VL_OK},
      {"timings.csv", "step,forces [s]\n1,0.1\n3,0.1\n", "timings.csv:3: step 3", VL_RUN_FINISHED, VL_ERROR_FILE},
      {"probes.csv", "step,time [s],p [m]\n1,0.5,?\n", "probes.csv:2: no number of 'p [m]'", VL_RUN_FINISHED, VL_ERROR_FILE},
      {"probes.csv", "step,time [s],p [m]\n1,0.5,1\n2,1,1\n", NULL, VL_RUN_FINISHED, VL_OK},
  };
  if (!vl_report_page.charts) skip();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    vlStatus status = {0};
    vlReport report;
    write_run(place->folder, cases[i].run_state);
    if (cases[i].text)
      write_file(place->folder, cases[i].file, cases[i].text);
    else
      remove_file(place->folder, cases[i].file);
    assert_int_equal(vl_report_write(place->folder, false, (vlLog){0}, &report, &status), cases[i].code);
    if (cases[i].message) assert_non_null(strstr(status.message, cases[i].message));
    char *path = vl_path_join(place->folder, "report.html");
    assert_int_equal(there(path), cases[i].code == VL_OK);
    free(path);
    remove_run(place->folder);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_base64),
      cmocka_unit_test_setup_teardown(test_short_table_is_kept, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_peaks_survive, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_bad_tables_are_named, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_picture, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_page, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_media, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_bodies, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_bad_runs_are_named, make_place, remove_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
