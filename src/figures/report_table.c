/* The tables of a run, for charts.
 *
 * A table is read whole: a header line "step,time [s],...", then lines with a number for each column. A last line without
 * its end is being written, or was cut off, and is left out.
 * A page has no use for more points than it has pixels. Long tables are cut into buckets of equal numbers of rows; a bucket
 * becomes two rows, which hold for every column the least and the largest value in the order in which they came. So no peak
 * is lost, whatever its column, and all columns go on sharing their rows. The first and the last row stay as they are.
 * Clocks are noisy, and their peaks tell of the machine: for them the two rows are the means over the bucket's halves.
 *   FOLDER/FILE -> vlReportTable -> JSON with nine digits to a number; those that are not finite become null. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "figures/report_parts.h"
#include "files/file.h"

enum { BUCKETS = 900, MOST_COLUMNS = 4096, NAME_ROOM = 160 };

/* Cuts the header line at its commas. */
static vlCode read_header(vlReportTable *table, const char *line, const char *path, vlStatus *status)
{
  if (strncmp(line, "step,", 5) != 0)
    return vl_fail(status, VL_ERROR_FILE,
                   "%s does not begin with the names of its columns, \"step,...\"; it is no table of a run", path);
  table->header = strdup(line);
  int count = 1;
  for (const char *s = line; (s = strchr(s, ',')); s++) count++;
  if (count > MOST_COLUMNS)
    return vl_fail(status, VL_ERROR_FILE, "%s has %d columns; at most %d are read", path, count, MOST_COLUMNS);
  table->name = calloc((size_t)count, sizeof *table->name);
  if (!table->header || !table->name) return vl_fail_memory(status, strlen(line), path);
  char *rest = table->header;
  while (rest) table->name[table->columns++] = strsep(&rest, ",");
  return VL_OK;
}

static vlCode read_row(vlReportTable *table, const char *line, size_t number, const char *path, vlStatus *status)
{
  size_t n = (size_t)table->columns;
  void *value = table->value;
  if (!vl_array_reserve(&value, &table->capacity, (table->rows + 1) * n, sizeof *table->value))
    return vl_fail_memory(status, (table->rows + 1) * n * sizeof *table->value, path);
  table->value = value;
  const char *s = line;
  for (int c = 0; c < table->columns; c++) {
    char *end;
    table->value[table->rows * n + (size_t)c] = strtod(s, &end);
    if (end == s || *end != (c + 1 < table->columns ? ',' : '\0'))
      return vl_fail(status, VL_ERROR_FILE, "%s:%zu: no number of '%s' at \"%.20s\"; a line has %d numbers", path, number,
                     table->name[c], s, table->columns);
    s = end + 1;
  }
  table->rows++;
  return VL_OK;
}

static vlCode read_lines(vlReportTable *table, FILE *file, const char *path, vlStatus *status)
{
  char *line = NULL;
  size_t room = 0;
  vlCode code = VL_OK;
  errno = 0;
  for (size_t number = 1; code == VL_OK; number++) {
    ssize_t n = getline(&line, &room, file);
    if (n < 0) break;
    table->cut = line[n - 1] != '\n';
    if (table->cut && number > 1) break;
    if (!table->cut) line[n - 1] = '\0';
    code = number == 1 ? read_header(table, line, path, status) : read_row(table, line, number, path, status);
  }
  if (code == VL_OK && ferror(file)) code = vl_fail(status, VL_ERROR_FILE, "cannot read %s: %s", path, strerror(errno));
  if (code == VL_OK && !table->header) code = vl_fail(status, VL_ERROR_FILE, "%s is empty; it has not even a header", path);
  free(line);
  return code;
}

vlCode vl_report_table_read(vlReportTable *table, const char *folder, const char *file, vlStatus *status)
{
  *table = (vlReportTable){0};
  char *path = vl_path_join(folder, file);
  if (!path) return vl_fail_memory(status, strlen(folder), file);
  FILE *stream = fopen(path, "re");
  vlCode code = stream ? read_lines(table, stream, path, status)
                       : vl_fail(status, VL_ERROR_FILE, "cannot read %s: %s", path, strerror(errno));
  if (stream) fclose(stream);
  free(path);
  return code;
}

void vl_report_table_clear(vlReportTable *table)
{
  free(table->header);
  free(table->name);
  free(table->value);
  *table = (vlReportTable){0};
}

size_t vl_report_table_kept(size_t rows) { return rows > 2 * BUCKETS + 2 ? 2 * BUCKETS + 2 : rows; }

static void add_value(vlJson *json, double value)
{
  char text[32];
  snprintf(text, sizeof text, "%.9g", value);
  if (isfinite(value))
    vl_json_number(json, NULL, strtod(text, NULL));
  else
    vl_json_string(json, NULL, NULL);
}

/* Least and largest value of column c in rows [begin, end), in the order of their rows. Not finite: left out if it can be.
 */
static void extremes(const vlReportTable *table, int c, size_t begin, size_t end, double pair[2])
{
  size_t n = (size_t)table->columns, least = end, most = end;
  for (size_t r = begin; r < end; r++) {
    double v = table->value[r * n + (size_t)c];
    if (!isfinite(v)) continue;
    if (least == end || v < table->value[least * n + (size_t)c]) least = r;
    if (most == end || v > table->value[most * n + (size_t)c]) most = r;
  }
  if (least == end) {
    pair[0] = pair[1] = NAN;
    return;
  }
  pair[least > most] = table->value[least * n + (size_t)c];
  pair[least <= most] = table->value[most * n + (size_t)c];
}

static double mean(const vlReportTable *table, int c, size_t begin, size_t end)
{
  double sum = 0.0;
  for (size_t r = begin; r < end; r++) sum += table->value[r * (size_t)table->columns + (size_t)c];
  return sum / (double)(end - begin);
}

/* Rows [begin, end), at least two: only tables of more rows than twice the buckets are cut. */
static void add_bucket(vlJson *json, const vlReportTable *table, int c, size_t begin, size_t end, vlReportShort how)
{
  double pair[2];
  if (how == VL_SHORT_EXTREMES) {
    extremes(table, c, begin, end, pair);
  } else {
    size_t middle = begin + (end - begin + 1) / 2;
    pair[0] = mean(table, c, begin, middle);
    pair[1] = mean(table, c, middle, end);
  }
  add_value(json, pair[0]);
  add_value(json, pair[1]);
}

static void add_values(vlJson *json, const vlReportTable *table, int c, size_t rows, vlReportShort how)
{
  size_t n = (size_t)table->columns;
  bool whole = vl_report_table_kept(rows) == rows;
  for (size_t r = 0; whole && r < rows; r++) add_value(json, table->value[r * n + (size_t)c]);
  if (whole) return;
  size_t inner = rows - 2;
  add_value(json, table->value[c]);
  for (size_t b = 0; b < BUCKETS; b++)
    add_bucket(json, table, c, 1 + b * inner / BUCKETS, 1 + (b + 1) * inner / BUCKETS, how);
  add_value(json, table->value[(rows - 1) * n + (size_t)c]);
}

void vl_report_table_json(vlJson *json, const char *key, const vlReportTable *table, size_t rows, vlReportShort how)
{
  vl_json_array(json, key);
  for (int c = 0; c < table->columns; c++) {
    /* "time [s]": the name ends before " [" */
    const char *text = table->name[c], *bracket = strrchr(text, '[');
    char name[NAME_ROOM], unit[NAME_ROOM];
    size_t n = bracket && bracket > text ? (size_t)(bracket - text - 1) : strlen(text);
    snprintf(name, sizeof name, "%.*s", (int)n, text);
    snprintf(unit, sizeof unit, "%.*s", bracket ? (int)strcspn(bracket + 1, "]") : 0, bracket ? bracket + 1 : "");
    vl_json_object(json, NULL);
    vl_json_string(json, "name", name);
    vl_json_string(json, "unit", unit);
    vl_json_array(json, "values");
    add_values(json, table, c, rows, how);
    vl_json_end(json);
    vl_json_end(json);
  }
  vl_json_end(json);
}

/* Elastic bodies for the page: run.json lists them as bodies.0, bodies.1 and so on, each with the name of its table.
 * In: the text of run.json, RUN/bodies/NAME.csv. Out: JSON for the page. */

enum { KEY_ROOM = 96 };

static const char *key_of(int body, const char *key, char path[static KEY_ROOM])
{
  snprintf(path, KEY_ROOM, "bodies.%d.%s", body, key);
  return path;
}

/* A path that would lead out of the run's folder is no table of the run. */
static bool is_below(const char *file) { return *file && *file != '/' && !strstr(file, ".."); }

vlCode vl_report_bodies_read(vlReportBodies *bodies, const char *folder, const char *run, vlStatus *status)
{
  *bodies = (vlReportBodies){0};
  vlCode code = VL_OK;
  while (code == VL_OK) {
    char path[KEY_ROOM], *file;
    if (!vl_json_find_string(run, key_of(bodies->count, "table", path), &file)) break;
    void *more = realloc(bodies->body, (size_t)(bodies->count + 1) * sizeof *bodies->body);
    if (!more) {
      free(file);
      return vl_fail_memory(status, sizeof *bodies->body, "the tables of the bodies");
    }
    bodies->body = more;
    bodies->body[bodies->count] = (vlReportBody){.file = file};
    vlReportTable *table = &bodies->body[bodies->count++].table;
    code = is_below(file)
               ? vl_report_table_read(table, folder, file, status)
               : vl_fail(status, VL_ERROR_FILE, "%s/run.json: %s: '%s' is not below the run's folder", folder, path, file);
  }
  return code;
}

void vl_report_bodies_clear(vlReportBodies *bodies)
{
  for (int b = 0; b < bodies->count; b++) {
    free(bodies->body[b].file);
    vl_report_table_clear(&bodies->body[b].table);
  }
  free(bodies->body);
  *bodies = (vlReportBodies){0};
}

/* The names of its probes, as far as they go. */
static void add_probes(vlJson *json, const char *run, int body)
{
  vl_json_array(json, "probes");
  bool found = true;
  for (int p = 0; found; p++) {
    char key[32], path[KEY_ROOM], *name;
    snprintf(key, sizeof key, "probes.%d", p);
    found = vl_json_find_string(run, key_of(body, key, path), &name);
    if (found) vl_json_string(json, NULL, name);
    free(name);
  }
  vl_json_end(json);
}

static void add_color(vlJson *json, vlVec3 color)
{
  char text[8];
  unsigned part[3];
  for (int c = 0; c < 3; c++) part[c] = (unsigned)(255.0 * fmin(fmax(color.v[c], 0.0), 1.0) + 0.5);
  snprintf(text, sizeof text, "#%02x%02x%02x", part[0] & 255u, part[1] & 255u, part[2] & 255u);
  vl_json_string(json, "color", text);
}

void vl_report_bodies_json(vlJson *json, const vlReportBodies *bodies, const char *run, const vlLook *look, size_t rows)
{
  static const char *const texts[] = {"name", "element", "scheme", "model"};
  static const char *const numbers[] = {
      "nodes",   "elements", "mass",    "pins",         "pinned_nodes",     "missing_volume",
      "density", "young",    "poisson", "mass_damping", "stiffness_damping"};
  vl_json_array(json, "bodies");
  for (int b = 0; b < bodies->count; b++) {
    char path[KEY_ROOM];
    vl_json_object(json, NULL);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
      char *value;
      if (vl_json_find_string(run, key_of(b, texts[i], path), &value)) vl_json_string(json, texts[i], value);
      free(value);
    }
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
      double value;
      if (vl_json_find_number(run, key_of(b, numbers[i], path), &value)) vl_json_number(json, numbers[i], value);
    }
    add_color(json, vl_look_body_color(look, b));
    add_probes(json, run, b);
    vl_report_table_json(json, "table", &bodies->body[b].table, rows, VL_SHORT_EXTREMES);
    vl_json_end(json);
  }
  vl_json_end(json);
}
