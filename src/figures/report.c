/* The report of a run: one HTML file that opens anywhere, without a network.
 *
 * The page (report/, put into the program when it is built) draws everything from one block of JSON that stands inside it:
 *   run        what run.json says, by the keys that the page uses
 *   series, timings, probes, walls   the tables, made short (report_table.c); all with the same rows
 *   bodies     what run.json says of each body, and its table
 *   pictures, video             from the folder render, or else preview, as data addresses (report_media.c)
 * Within the page's script element a '<' could end it, so every '<' is written as \u003c, which JSON reads as the same.
 * Tables of a run that goes on, or was killed, may differ by a line: all are cut to the shortest. A run that reached its end
 * has a line for each of its steps, anything less is an error. */
#include "figures/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/status.h"
#include "figures/report_parts.h"
#include "files/file.h"
#include "velella/velella.h"

enum { LARGEST_RUN_JSON = 64 << 20, TABLES = 4, KEY_ROOM = 64 };
enum { SERIES, TIMINGS, PROBES, WALLS };
static const char *const table_keys[TABLES] = {"series", "timings", "probes", "walls"};

typedef struct Key {
  const char *path;
  bool needed;
} Key;

/* What the page shows of run.json: texts and numbers. Later versions have added those that are not needed. */
static const Key texts[] = {
    {"version", true},
    {"compiler", false},
    {"state", true},
    {"exit_reason", false},
    {"started", false},
    {"finished", false},
    {"host", false},
    {"machine.cpu", false},
    {"machine.kernel", false},
    {"scene.name", true},
    {"scene.path", false},
    {"scene.text", false},
    {"scene.about", false},
    {"pressure.solver", false},
    {"liquid.transfer", false},
    {"pressure.coupling", false},
};
static const Key numbers[] = {
    {"exit_code", false},
    {"threads", true},
    {"totals.steps", true},
    {"totals.frames", true},
    {"totals.time", true},
    {"totals.wall_seconds", true},
    {"totals.liquid_cells", false},
    {"machine.cores", false},
    {"machine.memory_bytes", false},
    {"grid.cells.0", false},
    {"grid.cells.1", false},
    {"grid.cells.2", false},
    {"grid.dx", false},
    {"time.end", false},
    {"time.frames_per_second", false},
    {"time.cfl", false},
    {"pressure.tolerance", false},
};

typedef struct Source {
  const char *folder;
  char *path, *run; /* of run.json: its name and its text */
  vlReportTable table[TABLES];
  vlReportBodies bodies;
  vlLook look;
  size_t rows; /* that all tables have */
} Source;

static vlCode missing(const Source *source, const char *key, vlStatus *status)
{
  return vl_fail(status, VL_ERROR_FILE, "%s has no '%s'; it is damaged or not a run's file", source->path, key);
}

/* A list of strings, as far as it goes. */
static void add_list(vlJson *json, const char *run, const char *key)
{
  vl_json_array(json, key);
  bool found = true;
  for (int i = 0; found; i++) {
    char path[KEY_ROOM], *value;
    snprintf(path, sizeof path, "%s.%d", key, i);
    found = vl_json_find_string(run, path, &value);
    if (found) vl_json_string(json, NULL, value);
    free(value);
  }
  vl_json_end(json);
}

/* Keys keep their paths, "machine.cpu"; the page looks them up by these. */
static vlCode add_run(vlJson *json, const Source *source, bool gone, vlStatus *status)
{
  vl_json_object(json, "run");
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    char *value;
    bool found = vl_json_find_string(source->run, texts[i].path, &value);
    if (found) vl_json_string(json, texts[i].path, value);
    free(value);
    if (!found && texts[i].needed) return missing(source, texts[i].path, status);
  }
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    double value;
    bool found = vl_json_find_number(source->run, numbers[i].path, &value);
    if (found) vl_json_number(json, numbers[i].path, value);
    if (!found && numbers[i].needed) return missing(source, numbers[i].path, status);
  }
  for (int i = 0; i < VL_STAGE_COUNT; i++) {
    char key[KEY_ROOM];
    double value;
    snprintf(key, sizeof key, "totals.stage_seconds.%s", vl_stage_name((vlStageKind)i));
    if (vl_json_find_number(source->run, key, &value)) vl_json_number(json, key, value);
  }
  add_list(json, source->run, "command");
  add_list(json, source->run, "scene.settings");
  vl_json_bool(json, "gone", gone);
  vl_json_end(json);
  return VL_OK;
}

/* Whether the run came to an end at which its tables are whole. */
static bool is_over(const Source *source)
{
  char *state;
  bool over = vl_json_find_string(source->run, "state", &state) &&
              (strcmp(state, "finished") == 0 || strcmp(state, "interrupted") == 0);
  free(state);
  return over;
}

/* Whether a table that was read is whole; its rows count for all tables. */
static vlCode take_table(Source *source, const vlReportTable *table, const char *file, vlStatus *status)
{
  double steps = 0.0;
  vl_json_find_number(source->run, "totals.steps", &steps);
  if (is_over(source) && (table->cut || (double)table->rows < steps))
    return vl_fail(status, VL_ERROR_FILE,
                   "%s/%s has %zu whole lines after its header, but the run made %.0f steps; it is cut short",
                   source->folder, file, table->rows, steps);
  if (table == &source->table[SERIES] || table->rows < source->rows) source->rows = table->rows;
  return VL_OK;
}

static vlCode read_table(Source *source, int t, vlStatus *status)
{
  char file[KEY_ROOM];
  snprintf(file, sizeof file, "%s.csv", table_keys[t]);
  if (t == PROBES || t == WALLS) { /* that of walls is not there in runs of earlier versions */
    char *path = vl_path_join(source->folder, file);
    struct stat about;
    bool there = path && stat(path, &about) == 0;
    free(path);
    if (!there) return VL_OK;
  }
  vlCode code = vl_report_table_read(&source->table[t], source->folder, file, status);
  return code == VL_OK ? take_table(source, &source->table[t], file, status) : code;
}

/* Every table counts its steps in the first column; they must be the same ones. */
static vlCode compare_table(const Source *source, const vlReportTable *table, const char *file, vlStatus *status)
{
  const vlReportTable *series = &source->table[SERIES];
  for (size_t r = 0; table->columns && r < source->rows; r++) {
    double is = table->value[r * (size_t)table->columns], wanted = series->value[r * (size_t)series->columns];
    if (is != wanted)
      return vl_fail(status, VL_ERROR_FILE, "%s/%s:%zu: step %.0f, but series.csv has step %.0f there", source->folder, file,
                     r + 2, is, wanted);
  }
  return VL_OK;
}

static vlCode compare_steps(const Source *source, vlStatus *status)
{
  vlCode code = VL_OK;
  for (int t = TIMINGS; t < TABLES && code == VL_OK; t++) {
    char file[KEY_ROOM];
    snprintf(file, sizeof file, "%s.csv", table_keys[t]);
    code = compare_table(source, &source->table[t], file, status);
  }
  for (int b = 0; b < source->bodies.count && code == VL_OK; b++)
    code = compare_table(source, &source->bodies.body[b].table, source->bodies.body[b].file, status);
  return code;
}

static vlCode read_bodies(Source *source, vlStatus *status)
{
  vlCode code = vl_report_bodies_read(&source->bodies, source->folder, source->run, status);
  for (int b = 0; b < source->bodies.count && code == VL_OK; b++)
    code = take_table(source, &source->bodies.body[b].table, source->bodies.body[b].file, status);
  return code;
}

static vlCode read_source(Source *source, vlStatus *status)
{
  size_t length;
  source->path = vl_path_join(source->folder, "run.json");
  if (!source->path) return vl_fail_memory(status, strlen(source->folder), "run.json");
  vlCode code = vl_file_read(source->path, LARGEST_RUN_JSON, &source->run, &length, status);
  if (code == VL_ERROR_FILE) vl_status_prefix(status, "%s is not the folder of a run: ", source->folder);
  for (int t = 0; t < TABLES && code == VL_OK; t++) code = read_table(source, t, status);
  if (code == VL_OK) code = read_bodies(source, status);
  if (code == VL_OK) code = vl_look_read(&source->look, source->folder, status);
  return code == VL_OK ? compare_steps(source, status) : code;
}

static void clear_source(Source *source)
{
  for (int t = 0; t < TABLES; t++) vl_report_table_clear(&source->table[t]);
  vl_report_bodies_clear(&source->bodies);
  vl_look_clear(&source->look);
  free(source->path);
  free(source->run);
}

static vlCode build(vlJson *json, const Source *source, bool gone, vlLog log, vlReport *report, vlStatus *status)
{
  vl_json_begin(json, false);
  vl_json_object(json, NULL);
  vlCode code = add_run(json, source, gone, status);
  if (code == VL_OK) {
    vl_json_integer(json, "steps", (int64_t)source->rows);
    vl_json_integer(json, "points", (int64_t)vl_report_table_kept(source->rows));
    for (int t = 0; t < TABLES; t++)
      vl_report_table_json(json, table_keys[t], &source->table[t], source->rows,
                           t == TIMINGS ? VL_SHORT_MEANS : VL_SHORT_EXTREMES);
    vl_report_bodies_json(json, &source->bodies, source->run, &source->look, source->rows);
    code = vl_report_media(json, source->folder, log, report, status);
  }
  if (code != VL_OK) return code;
  vl_json_end(json);
  return vl_json_finish(json, status);
}

static void write_escaped(vlFile *file, const char *text)
{
  for (;;) {
    size_t n = strcspn(text, "<");
    vl_file_write(file, text, n);
    if (!text[n]) return;
    vl_file_print(file, "\\u003c");
    text += n + 1;
  }
}

static vlCode write_page(const char *folder, const vlJson *json, vlReport *report, vlStatus *status)
{
  char *path = vl_path_join(folder, "report.html");
  if (!path) return vl_fail_memory(status, strlen(folder), "report.html");
  vlFile file;
  vlCode code = vl_file_open(&file, path, status);
  if (code == VL_OK) {
    vl_file_write(&file, vl_report_page.head, vl_report_page.head_length);
    write_escaped(&file, json->text);
    vl_file_write(&file, vl_report_page.tail, vl_report_page.tail_length);
    report->bytes = (size_t)ftell(file.stream);
    code = vl_file_commit(&file, status);
  }
  free(path);
  return code;
}

vlCode vl_report_write(const char *folder, bool gone, vlLog log, vlReport *report, vlStatus *status)
{
  *report = (vlReport){0};
  if (!vl_report_page.charts)
    return vl_fail(status, VL_ERROR_BACKEND,
                   "this build has no charts: uPlot was not there when it was made\n"
                   "install npm (scripts/install report) and build again with a network");
  Source source = {.folder = folder};
  vlJson json = {0};
  vlCode code = read_source(&source, status);
  if (code == VL_OK) code = build(&json, &source, gone, log, report, status);
  if (code == VL_OK) code = write_page(folder, &json, report, status);
  report->steps = (int64_t)source.rows;
  report->bodies = source.bodies.count;
  report->probes = source.table[PROBES].columns > 2 ? source.table[PROBES].columns - 2 : 0;
  vl_json_clear(&json);
  clear_source(&source);
  return code;
}
