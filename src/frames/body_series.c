/* One table for each body: "step,time [s],center_x [m],...", a line after every step.
 *
 * A list says which member of vlBodyInfo a column shows, its name and its unit; a vector takes three columns. Numbers carry
 * all their digits, so equal runs give equal bytes. How lines get into the files: files/table.h. */
#include "frames/series.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "files/file.h"
#include "files/table.h"

typedef struct Column {
  const char *name, *unit;
  size_t offset; /* of a double or a vector in vlBodyInfo */
  bool vector;
} Column;

static const Column columns[] = {
    {"center", "m", offsetof(vlBodyInfo, center), true},
    {"rotation", "rad", offsetof(vlBodyInfo, rotation), true},
    {"momentum", "kg m/s", offsetof(vlBodyInfo, momentum), true},
    {"angular_momentum", "kg m2/s", offsetof(vlBodyInfo, angular_momentum), true},
    {"load_force", "N", offsetof(vlBodyInfo, load_force), true},
    {"load_torque", "N m", offsetof(vlBodyInfo, load_torque), true},
    {"contact_force", "N", offsetof(vlBodyInfo, contact_force), true},
    {"reaction", "N", offsetof(vlBodyInfo, reaction), true},
    {"power", "W", offsetof(vlBodyInfo, power), false},
    {"kinetic_energy", "J", offsetof(vlBodyInfo, kinetic_energy), false},
    {"elastic_energy", "J", offsetof(vlBodyInfo, elastic_energy), false},
    {"potential_energy", "J", offsetof(vlBodyInfo, potential_energy), false},
    {"volume", "m3", offsetof(vlBodyInfo, volume), false},
};
enum { COLUMNS = sizeof columns / sizeof *columns, LINE_ROOM = 2048 };
_Static_assert((3 * COLUMNS + 3) * VL_NUMBER_TEXT < LINE_ROOM, "a line has room");

struct vlBodySeries {
  const vlSim *sim;
  int count;
  vlTable table[]; /* [count] */
};

static size_t header_line(char line[static LINE_ROOM])
{
  size_t n = (size_t)snprintf(line, LINE_ROOM, "step,time [s]");
  for (int i = 0; i < COLUMNS; i++)
    for (int a = 0; a < (columns[i].vector ? 3 : 1); a++) {
      const char part[3] = {'_', "xyz"[a], '\0'};
      n += (size_t)snprintf(line + n, LINE_ROOM - n, ",%s%s [%s]", columns[i].name, columns[i].vector ? part : "",
                            columns[i].unit);
    }
  return n + (size_t)snprintf(line + n, LINE_ROOM - n, ",inverted\n");
}

static size_t value_line(const vlSim *sim, const vlBodyInfo *info, char line[static LINE_ROOM])
{
  char text[VL_NUMBER_TEXT];
  size_t n = (size_t)snprintf(line, LINE_ROOM, "%lld,%s", (long long)vl_sim_step_count(sim),
                              vl_number_text(vl_sim_time(sim), text));
  for (int i = 0; i < COLUMNS; i++) {
    double value[3];
    int width = columns[i].vector ? 3 : 1;
    memcpy(value, (const char *)info + columns[i].offset, (size_t)width * sizeof *value);
    for (int a = 0; a < width; a++) n += (size_t)snprintf(line + n, LINE_ROOM - n, ",%s", vl_number_text(value[a], text));
  }
  return n + (size_t)snprintf(line + n, LINE_ROOM - n, ",%d\n", info->inverted);
}

const char *vl_body_table_name(const char *body, int number, char table[static VL_BODY_TABLE_ROOM])
{
  bool good = *body && *body != '.' && strlen(body) < sizeof((vlBodyDef *)0)->name;
  for (const char *c = body; *c; c++) good = good && (isalnum((unsigned char)*c) || strchr("-_.[]", *c));
  if (good)
    snprintf(table, VL_BODY_TABLE_ROOM, "bodies/%.63s.csv", body);
  else
    snprintf(table, VL_BODY_TABLE_ROOM, "bodies/body_%d.csv", number);
  return table;
}

vlCode vl_body_series_create(vlBodySeries **series, const vlSim *sim, const char *folder, vlStatus *status)
{
  int count = vl_sim_body_count(sim);
  *series = NULL;
  if (count == 0) return VL_OK;
  size_t bytes = sizeof(vlBodySeries) + (size_t)count * sizeof(vlTable);
  vlBodySeries *s = *series = calloc(1, bytes);
  if (!s) return vl_fail_memory(status, bytes, "the tables of the bodies");
  s->sim = sim;
  s->count = count;
  for (int i = 0; i < count; i++) s->table[i] = VL_TABLE_CLOSED;
  char header[LINE_ROOM], *below = vl_path_join(folder, "bodies");
  header_line(header);
  vlCode code = below ? vl_folder_create(below, status) : vl_fail_memory(status, strlen(folder), "a folder's name");
  for (int i = 0; i < count && code == VL_OK; i++) {
    char table[VL_BODY_TABLE_ROOM];
    vl_body_table_name(vl_sim_scene(sim)->bodies[i].name, i, table);
    code = vl_table_open(&s->table[i], folder, table, header, status);
  }
  free(below);
  if (code != VL_OK) vl_body_series_destroy(series);
  return code;
}

vlCode vl_body_series_keep(vlBodySeries *series, int64_t step, vlStatus *status)
{
  vlCode code = VL_OK;
  for (int i = 0; series && i < series->count && code == VL_OK; i++) code = vl_table_keep(&series->table[i], step, status);
  return code;
}

vlCode vl_body_series_add(vlBodySeries *series, vlStatus *status)
{
  vlCode code = VL_OK;
  for (int i = 0; series && i < series->count && code == VL_OK; i++) {
    vlBodyView body = vl_sim_body(series->sim, i);
    char line[LINE_ROOM];
    size_t length = value_line(series->sim, &body.info, line);
    code = vl_table_append(&series->table[i], line, length, status);
  }
  return code;
}

void vl_body_series_destroy(vlBodySeries **series)
{
  if (!series || !*series) return;
  for (int i = 0; i < (*series)->count; i++) vl_table_close(&(*series)->table[i]);
  free(*series);
  *series = NULL;
}
