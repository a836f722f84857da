/* series.csv and timings.csv: whole lines, one column for each header word, bitwise readable, no clock in series.csv. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "files/file.h"
#include "frames/series.h"

typedef struct Place {
  char folder[64], series[96], timings[96], walls[96];
  vlSim *sim; /* without probes and bodies */
} Place;

static vlSim *still_sim(void)
{
  vlScene scene;
  vlSim *sim = NULL;
  vl_scene_default(&scene);
  scene.grid.cells = 8;
  scene.liquid.has_level = true;
  scene.liquid.level = 0.2;
  assert_int_equal(vl_sim_create(&sim, &scene, (vlSimOptions){.threads = 1}, NULL), VL_OK);
  vl_scene_clear(&scene);
  return sim;
}

static int make_place(void **state)
{
  Place *place = calloc(1, sizeof *place);
  if (!place) return -1;
  strcpy(place->folder, "/tmp/vl_series_XXXXXX");
  if (!mkdtemp(place->folder)) return -1;
  snprintf(place->series, sizeof place->series, "%s/series.csv", place->folder);
  snprintf(place->timings, sizeof place->timings, "%s/timings.csv", place->folder);
  snprintf(place->walls, sizeof place->walls, "%s/walls.csv", place->folder);
  place->sim = still_sim();
  *state = place;
  return 0;
}

static int remove_place(void **state)
{
  Place *place = *state;
  unlink(place->series);
  unlink(place->timings);
  unlink(place->walls);
  int code = rmdir(place->folder);
  vl_sim_destroy(&place->sim);
  free(place);
  return code;
}

static vlStepInfo info_of(int step)
{
  return (vlStepInfo){
      .step = step,
      .time = step / 30.0,
      .dt = 1.0 / 30.0,
      .liquid_cells = INT64_C(5000000000) + step,
      .null_components = 2,
      .discarded_flux = -1e-17 / 3.0,
      .iterations = 17 + step,
      .residual = 1e-7 / 3.0,
      .max_speed = sqrt(2.0),
      .max_divergence = 5e-324,
      .kinetic_energy = 1.0 / 7.0,
      .volume = 0.1,
      .rescued = 5 + step,
      .lost = 3 + step,
      .body_force = {.v = {-1.0 / 7.0, 2e-5 / 3.0, 0.0}},
      .bodies = 2,
      .inverted = 5,
      .contacts = 7,
      .overlap = 1e-4 / 3.0,
      .contact_turns = 3,
      .contact_error = 2e-3 / 7.0,
      .separation_loops = 4,
      .separation_fallbacks = 1,
      .parted = 321 + step,
      .wall_force = {.v = {1.0 / 3.0, -2.0 / 3.0, 1e300}},
      .weight = {.v = {-1.0 / 9.0, 9.81 / 3.0, 1e-300}},
      .seconds = {0.1 * step, 0.2, 0.3, 0.4},
  };
}

static char *slurp(const char *path)
{
  char *text;
  size_t length;
  assert_int_equal(vl_file_read(path, 1 << 20, &text, &length, NULL), VL_OK);
  return text;
}

/* Column of the header word `name`, -1: none. */
static int column_of(const char *text, const char *name)
{
  size_t n = strlen(name);
  int column = 0;
  for (const char *s = text; *s != '\n'; s++) {
    if ((s == text || s[-1] == ',') && strncmp(s, name, n) == 0 && strchr(", \n", s[n])) return column;
    if (*s == ',') column++;
  }
  return -1;
}

static const char *line_at(const char *text, int line)
{
  for (; line > 0; line--) {
    text = strchr(text, '\n');
    assert_non_null(text);
    text++;
  }
  return text;
}

static const char *cell_at(const char *text, int line, const char *name)
{
  int column = column_of(text, name);
  assert_true(column >= 0);
  const char *s = line_at(text, line);
  for (; column > 0; column--) {
    s += strcspn(s, ",\n");
    assert_int_equal(*s, ',');
    s++;
  }
  return s;
}

static void assert_cell(const char *text, int line, const char *name, double expected)
{
  double found = strtod(cell_at(text, line, name), NULL);
  assert_memory_equal(&found, &expected, sizeof found);
}

static int commas(const char *line)
{
  int n = 0;
  for (; *line && *line != '\n'; line++) n += *line == ',';
  return n;
}

static int lines_of(const char *text)
{
  int n = 0;
  for (; *text; text++) n += *text == '\n';
  return n;
}

static void test_values_read_back(void **state)
{
  const Place *place = *state;
  vlSeries *series;
  vlStatus status = {0};
  assert_int_equal(vl_series_create(&series, place->sim, place->folder, &status), VL_OK);
  for (int step = 1; step <= 3; step++) {
    vlStepInfo info = info_of(step);
    assert_int_equal(vl_series_add(series, &info, &status), VL_OK);
    /* the line is out before the series is closed */
    char *text = slurp(place->series);
    assert_int_equal(lines_of(text), 1 + step);
    assert_int_equal(commas(text), commas(line_at(text, step)));
    assert_int_equal(strtoll(cell_at(text, step, "step"), NULL, 10), step);
    assert_int_equal(strtoll(cell_at(text, step, "liquid_cells"), NULL, 10), INT64_C(5000000000) + step);
    assert_int_equal(strtol(cell_at(text, step, "iterations"), NULL, 10), 17 + step);
    assert_int_equal(strtol(cell_at(text, step, "null_components"), NULL, 10), 2);
    assert_cell(text, step, "time", info.time);
    assert_cell(text, step, "dt", info.dt);
    assert_cell(text, step, "discarded_flux", info.discarded_flux);
    assert_cell(text, step, "residual", info.residual);
    assert_cell(text, step, "max_speed", info.max_speed);
    assert_cell(text, step, "max_divergence", info.max_divergence);
    assert_cell(text, step, "mean_divergence", info.mean_divergence);
    assert_cell(text, step, "kinetic_energy", info.kinetic_energy);
    assert_cell(text, step, "volume", info.volume);
    assert_cell(text, step, "wall_force_x", info.wall_force.x);
    assert_cell(text, step, "wall_force_y", info.wall_force.y);
    assert_cell(text, step, "wall_force_z", info.wall_force.z);
    assert_cell(text, step, "body_force_x", info.body_force.x);
    assert_cell(text, step, "body_force_y", info.body_force.y);
    assert_cell(text, step, "body_force_z", info.body_force.z);
    assert_cell(text, step, "rescued", 5.0 + step);
    assert_cell(text, step, "lost", 3.0 + step);
    assert_cell(text, step, "bodies", 2.0);
    assert_cell(text, step, "inverted", 5.0);
    assert_cell(text, step, "contacts", 7.0);
    assert_cell(text, step, "overlap", info.overlap);
    assert_cell(text, step, "contact_turns", 3.0);
    assert_cell(text, step, "contact_error", info.contact_error);
    assert_cell(text, step, "separation_loops", 4.0);
    assert_cell(text, step, "separation_fallbacks", 1.0);
    assert_cell(text, step, "parted", 321.0 + step);
    assert_cell(text, step, "weight_x", info.weight.x);
    assert_cell(text, step, "weight_y", info.weight.y);
    assert_cell(text, step, "weight_z", info.weight.z);
    free(text);
    text = slurp(place->timings);
    assert_cell(text, step, "step", step);
    for (int i = 0; i < VL_STAGE_COUNT; i++) assert_cell(text, step, vl_stage_name((vlStageKind)i), info.seconds[i]);
    free(text);
  }
  vl_series_destroy(&series);
  assert_null(series);
  vl_series_destroy(&series);
}

static void test_clock_does_not_enter_series(void **state)
{
  const Place *place = *state;
  char *text[2];
  for (int run = 0; run < 2; run++) {
    vlSeries *series;
    assert_int_equal(vl_series_create(&series, place->sim, place->folder, NULL), VL_OK);
    vlStepInfo info = info_of(1);
    for (int i = 0; i < 4; i++) info.seconds[i] += run;
    assert_int_equal(vl_series_add(series, &info, NULL), VL_OK);
    vl_series_destroy(&series);
    text[run] = slurp(place->series);
    unlink(place->series);
    unlink(place->timings);
  }
  assert_string_equal(text[0], text[1]);
  free(text[0]);
  free(text[1]);
}

static void test_append_continues(void **state)
{
  const Place *place = *state;
  for (int run = 1; run <= 2; run++) {
    vlSeries *series;
    vlStepInfo info = info_of(run);
    assert_int_equal(vl_series_create(&series, place->sim, place->folder, NULL), VL_OK);
    assert_int_equal(vl_series_add(series, &info, NULL), VL_OK);
    vl_series_destroy(&series);
  }
  char *text = slurp(place->series);
  assert_int_equal(lines_of(text), 3);
  assert_cell(text, 2, "step", 2.0);
  free(text);
}

static void test_foreign_file_is_refused(void **state)
{
  const Place *place = *state;
  FILE *file = fopen(place->timings, "w");
  assert_non_null(file);
  fputs("my notes\n", file);
  fclose(file);
  vlSeries *series;
  vlStatus status = {0};
  assert_int_equal(vl_series_create(&series, place->sim, place->folder, &status), VL_ERROR_FILE);
  assert_null(series);
  assert_non_null(strstr(status.message, place->timings));
  char *text = slurp(place->timings);
  assert_string_equal(text, "my notes\n");
  free(text);
}

static void test_missing_folder(void **state)
{
  (void)state;
  vlSeries *series;
  vlStatus status = {0};
  vlSim *sim = still_sim();
  assert_int_equal(vl_series_create(&series, sim, "/nonexistent_vl", &status), VL_ERROR_FILE);
  assert_null(series);
  assert_non_null(strstr(status.message, "/nonexistent_vl/series.csv"));
  assert_non_null(strstr(status.message, strerror(ENOENT)));
  vl_sim_destroy(&sim);
}

/* A disk that is full in the middle of a line leaves whole lines. */
static void test_size_limit_leaves_whole_lines(void **state)
{
  const Place *place = *state;
  vlSeries *series;
  vlStatus status = {0};
  vlStepInfo info = info_of(1);
  struct rlimit before, small;
  assert_int_equal(vl_series_create(&series, place->sim, place->folder, NULL), VL_OK);
  assert_int_equal(vl_series_add(series, &info, NULL), VL_OK);
  char *whole = slurp(place->series);
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  small = before;
  small.rlim_cur = strlen(whole) + 10;
  void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
  vlCode code = vl_series_add(series, &info, &status);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
  signal(SIGXFSZ, handler);
  assert_int_equal(code, VL_ERROR_FILE);
  assert_non_null(strstr(status.message, place->series));
  assert_non_null(strstr(status.message, strerror(EFBIG)));
  char *text = slurp(place->series);
  assert_string_equal(text, whole);
  free(text);
  free(whole);
  vl_series_destroy(&series);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_values_read_back, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_clock_does_not_enter_series, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_append_continues, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_foreign_file_is_refused, make_place, remove_place),
      cmocka_unit_test(test_missing_folder),
      cmocka_unit_test_setup_teardown(test_size_limit_leaves_whole_lines, make_place, remove_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
