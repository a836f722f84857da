/* Elastic bodies for the page: run.json lists them as bodies.0, bodies.1 and so on, each with the name of its table.
 * In: the text of run.json, RUN/bodies/NAME.csv. Out: JSON for the page. */
#include "figures/report_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"

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

void vl_report_bodies_json(vlJson *json, const vlReportBodies *bodies, const char *run, size_t rows)
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
    add_probes(json, run, b);
    vl_report_table_json(json, "table", &bodies->body[b].table, rows, VL_SHORT_EXTREMES);
    vl_json_end(json);
  }
  vl_json_end(json);
}
