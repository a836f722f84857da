/* Time series as CSV: tables that get a line after every step.
 *
 *   series.csv        what the step did: members of vlStepInfo
 *   timings.csv       wall-clock seconds of its stages, which differ from run to run and so have a file of their own
 *   probes.csv        what the scene's probes measure (vl_sim_probe)
 *   walls.csv         what the pressure does to each side of the box and each static solid: members of vlWallView
 *   bodies/NAME.csv   what each body does: members of vlBodyInfo
 *
 * Lists of columns say which member a column shows and its unit; a vector takes three. The header line is
 * "step,time [s],dt [s],...". Numbers carry as many digits as read back to the same bits, so two runs can be compared with
 * cmp. How lines get into the files: files/table.h. */
#include "frames/series.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "files/file.h"
#include "files/table.h"

typedef enum ColumnKind { COLUMN_INT, COLUMN_INT64, COLUMN_DOUBLE, COLUMN_VECTOR } ColumnKind;

typedef struct Column {
  const char *name, *unit; /* NULL: a number without one */
  ColumnKind kind;
  size_t offset; /* in what the table shows */
} Column;

/* The kind follows from the member's type; any other type does not compile. */
#define KIND_OF(x) _Generic((x), int : COLUMN_INT, int64_t : COLUMN_INT64, double : COLUMN_DOUBLE, vlVec3 : COLUMN_VECTOR)
#define NAMED(type, name, member, unit)                                                                                     \
  {                                                                                                                         \
    name, unit, KIND_OF(((type *)0)->member), offsetof(type, member)                                                        \
  }
#define COLUMN(type, member, unit) NAMED(type, #member, member, unit)

static const Column step_columns[] = {
    COLUMN(vlStepInfo, step, NULL),
    COLUMN(vlStepInfo, time, "s"),
    COLUMN(vlStepInfo, dt, "s"),
    COLUMN(vlStepInfo, liquid_cells, NULL),
    COLUMN(vlStepInfo, null_components, NULL),
    COLUMN(vlStepInfo, discarded_flux, "m3/s"),
    COLUMN(vlStepInfo, iterations, NULL),
    COLUMN(vlStepInfo, residual, NULL),
    COLUMN(vlStepInfo, separation_loops, NULL),
    COLUMN(vlStepInfo, separation_fallbacks, NULL),
    COLUMN(vlStepInfo, parted, NULL),
    COLUMN(vlStepInfo, max_speed, "m/s"),
    COLUMN(vlStepInfo, max_divergence, "1/s"),
    COLUMN(vlStepInfo, mean_divergence, "1/s"),
    COLUMN(vlStepInfo, kinetic_energy, "J"),
    COLUMN(vlStepInfo, potential_energy, "J"),
    COLUMN(vlStepInfo, momentum, "kg m/s"),
    COLUMN(vlStepInfo, volume, "m3"),
    COLUMN(vlStepInfo, particle_volume, "m3"),
    COLUMN(vlStepInfo, filling, NULL),
    COLUMN(vlStepInfo, particles, NULL),
    COLUMN(vlStepInfo, added, NULL),
    COLUMN(vlStepInfo, removed, NULL),
    COLUMN(vlStepInfo, reseeded, NULL),
    COLUMN(vlStepInfo, stuck, NULL),
    COLUMN(vlStepInfo, rescued, NULL),
    COLUMN(vlStepInfo, lost, NULL),
    COLUMN(vlStepInfo, outflow, "m3/s"),
    COLUMN(vlStepInfo, wall_force, "N"),
    COLUMN(vlStepInfo, body_force, "N"),
    COLUMN(vlStepInfo, weight, "N"),
    COLUMN(vlStepInfo, bodies, NULL),
    COLUMN(vlStepInfo, inverted, NULL),
    COLUMN(vlStepInfo, contacts, NULL),
    COLUMN(vlStepInfo, overlap, "m"),
    COLUMN(vlStepInfo, contact_turns, NULL),
    COLUMN(vlStepInfo, contact_error, "m/s"),
};

#define STAGE(name, stage) NAMED(vlStepInfo, name, seconds[stage], "s")
static const Column timing_columns[] = {
    COLUMN(vlStepInfo, step, NULL),          STAGE("forces", VL_STAGE_FORCES),     STAGE("pressure_setup", VL_STAGE_SETUP),
    STAGE("pressure_solve", VL_STAGE_SOLVE), STAGE("velocity", VL_STAGE_VELOCITY), STAGE("measure", VL_STAGE_MEASURE),
    STAGE("bodies", VL_STAGE_BODIES),        STAGE("motion", VL_STAGE_MOTION),     STAGE("transfer", VL_STAGE_TRANSFER),
    STAGE("level_set", VL_STAGE_LEVEL_SET),
};

static const Column body_columns[] = {
    COLUMN(vlBodyInfo, center, "m"),         COLUMN(vlBodyInfo, rotation, "rad"),
    COLUMN(vlBodyInfo, momentum, "kg m/s"),  COLUMN(vlBodyInfo, angular_momentum, "kg m2/s"),
    COLUMN(vlBodyInfo, load_force, "N"),     COLUMN(vlBodyInfo, load_torque, "N m"),
    COLUMN(vlBodyInfo, contact_force, "N"),  COLUMN(vlBodyInfo, reaction, "N"),
    COLUMN(vlBodyInfo, power, "W"),          COLUMN(vlBodyInfo, kinetic_energy, "J"),
    COLUMN(vlBodyInfo, elastic_energy, "J"), COLUMN(vlBodyInfo, potential_energy, "J"),
    COLUMN(vlBodyInfo, volume, "m3"),        COLUMN(vlBodyInfo, inverted, NULL),
    COLUMN(vlBodyInfo, velocity, "m/s"),     COLUMN(vlBodyInfo, angular_velocity, "rad/s"),
    COLUMN(vlBodyInfo, mass, "kg"),
};

#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))
_Static_assert(COUNT(timing_columns) == 1 + VL_STAGE_COUNT, "timing_columns lists every stage");

/* Tables by their numbers; the bodies' follow. */
enum { STEPS, TIMINGS, PROBES, WALLS, BODIES, LINE_ROOM = 2048 };
_Static_assert(3 * COUNT(body_columns) * VL_NUMBER_TEXT < LINE_ROOM, "a line has room");
_Static_assert((COUNT(step_columns) + 8) * VL_NUMBER_TEXT < LINE_ROOM, "a line has room, with four vectors");

struct vlSeries {
  const vlSim *sim;
  char *line; /* room for a line of any table [room] */
  size_t length, room;
  int count;
  vlTable table[]; /* probes, walls: closed where the scene has none, or no liquid [count] */
};

static void VL_PRINTF(2, 3) put(vlSeries *s, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  s->length += (size_t)vsnprintf(s->line + s->length, s->room - s->length, format, args);
  va_end(args);
}

static void put_comma(vlSeries *s)
{
  if (s->length > 0) put(s, ",");
}

/* "name [unit]", or of a vector's component `axis` "name_x [unit]"; axis -1: of a number. */
static void put_name(vlSeries *s, const char *name, int axis, const char *unit)
{
  const char part[3] = {'_', "xyz"[axis < 0 ? 0 : axis], '\0'};
  put_comma(s);
  put(s, "%s%s", name, axis < 0 ? "" : part);
  if (unit) put(s, " [%s]", unit);
}

static void put_number(vlSeries *s, double value)
{
  char text[VL_NUMBER_TEXT];
  put_comma(s);
  put(s, "%s", vl_number_text(value, text));
}

static void put_integer(vlSeries *s, int64_t value)
{
  put_comma(s);
  put(s, "%lld", (long long)value);
}

/* Values of the columns of what `from` points to; NULL: their names. */
static void put_columns(vlSeries *s, const Column *column, int count, const void *from)
{
  for (int i = 0; i < count; i++) {
    const void *member = from ? (const char *)from + column[i].offset : NULL;
    bool vector = column[i].kind == COLUMN_VECTOR;
    if (!from)
      for (int a = 0; a < (vector ? 3 : 1); a++) put_name(s, column[i].name, vector ? a : -1, column[i].unit);
    else if (column[i].kind == COLUMN_INT)
      put_integer(s, *(const int *)member);
    else if (column[i].kind == COLUMN_INT64)
      put_integer(s, *(const int64_t *)member);
    else
      for (int a = 0; a < (vector ? 3 : 1); a++) put_number(s, ((const double *)member)[a]);
  }
}

static void put_probe(vlSeries *s, const vlProbeDef *probe, bool names)
{
  double value[3];
  int count = names ? vl_probe_count(probe->kind) : vl_sim_probe(s->sim, probe, value);
  for (int a = 0; a < count; a++)
    if (names)
      put_name(s, probe->name, count > 1 ? a : -1, vl_probe_unit(probe->kind));
    else
      put_number(s, value[a]);
}

/* "NAME_force_x [N]", or the numbers. */
static void put_wall(vlSeries *s, const vlWallView *wall, bool names)
{
  const struct {
    const char *name, *unit;
    const double *value;
  } columns[] = {{"force", "N", wall->force.v}, {"torque", "N m", wall->torque.v}};
  for (int i = 0; i < 6; i++)
    if (names) {
      put_comma(s);
      put(s, "%.63s_%s_%c [%s]", wall->name, columns[i / 3].name, "xyz"[i % 3], columns[i / 3].unit);
    } else {
      put_number(s, columns[i / 3].value[i % 3]);
    }
}

/* The line of a table into s->line; info NULL: its header. */
static void make_line(vlSeries *s, int table, const vlStepInfo *info)
{
  const vlScene *scene = vl_sim_scene(s->sim);
  vlBodyView body;
  s->length = 0;
  if (table == STEPS) put_columns(s, step_columns, COUNT(step_columns), info);
  if (table == TIMINGS) put_columns(s, timing_columns, COUNT(timing_columns), info);
  if (table >= PROBES && !info) put(s, "step,time [s]");
  if (table >= PROBES && info) {
    put_integer(s, vl_sim_step_count(s->sim));
    put_number(s, vl_sim_time(s->sim));
  }
  for (int i = 0; table == PROBES && i < scene->probe_count; i++) put_probe(s, &scene->probes[i], !info);
  for (int i = 0; table == WALLS && i < vl_sim_wall_count(s->sim); i++) {
    vlWallView wall = vl_sim_wall(s->sim, i);
    put_wall(s, &wall, !info);
  }
  if (table >= BODIES) {
    if (info) body = vl_sim_body(s->sim, table - BODIES);
    put_columns(s, body_columns, COUNT(body_columns), info ? &body.info : NULL);
  }
  put(s, "\n");
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

static const char *table_name(const vlSim *sim, int table, char name[static VL_BODY_TABLE_ROOM])
{
  static const char *const names[BODIES] = {"series.csv", "timings.csv", "probes.csv", "walls.csv"};
  if (table < BODIES) return names[table];
  return vl_body_table_name(vl_sim_scene(sim)->bodies[table - BODIES].name, table - BODIES, name);
}

static vlCode open_table(vlSeries *s, int table, const char *folder, vlStatus *status)
{
  char name[VL_BODY_TABLE_ROOM];
  make_line(s, table, NULL);
  return vl_table_open(&s->table[table], folder, table_name(s->sim, table, name), s->line, status);
}

static bool is_dry(const vlScene *scene)
{
  return !scene->liquid.has_level && scene->liquid.shape_count == 0 && scene->liquid.source_count == 0;
}

vlCode vl_series_check(const vlSim *sim, const char *folder, int64_t step, vlStatus *status)
{
  vlCode code = VL_OK;
  for (int t = 0; t < BODIES + vl_sim_body_count(sim) && !code; t++) {
    char name[VL_BODY_TABLE_ROOM];
    if ((t == PROBES && vl_sim_scene(sim)->probe_count == 0) || (t == WALLS && is_dry(vl_sim_scene(sim)))) continue;
    char *path = vl_path_join(folder, table_name(sim, t, name));
    code = path ? vl_table_check(path, step, t < PROBES, status) : vl_fail_memory(status, strlen(folder), "a file's name");
    free(path);
  }
  return code;
}

static vlCode make_body_folder(const char *folder, vlStatus *status)
{
  char *below = vl_path_join(folder, "bodies");
  vlCode code = below ? vl_folder_create(below, status) : vl_fail_memory(status, strlen(folder), "a folder's name");
  free(below);
  return code;
}

vlCode vl_series_create(vlSeries **series, const vlSim *sim, const char *folder, vlStatus *status)
{
  const vlScene *scene = vl_sim_scene(sim);
  int bodies = vl_sim_body_count(sim);
  size_t bytes = sizeof(vlSeries) + (size_t)(BODIES + bodies) * sizeof(vlTable);
  vlSeries *s = *series = calloc(1, bytes);
  if (!s) return vl_fail_memory(status, bytes, "the time series");
  s->sim = sim;
  s->count = BODIES + bodies;
  for (int t = 0; t < s->count; t++) s->table[t] = VL_TABLE_CLOSED;
  /* three columns of a probe, each with a name and a unit or a number */
  s->room = LINE_ROOM + (size_t)scene->probe_count * 3 * (sizeof scene->probes->name + VL_NUMBER_TEXT);
  s->room += (size_t)vl_sim_wall_count(sim) * 6 * (sizeof scene->solids->name + 2 * VL_NUMBER_TEXT);
  s->line = malloc(s->room);
  vlCode code = s->line ? VL_OK : vl_fail_memory(status, s->room, "the time series");
  for (int t = 0; t < s->count && code == VL_OK; t++) {
    if ((t == PROBES && scene->probe_count == 0) || (t == WALLS && is_dry(scene))) continue;
    if (t == BODIES) code = make_body_folder(folder, status);
    if (code == VL_OK) code = open_table(s, t, folder, status);
  }
  if (code != VL_OK) vl_series_destroy(series);
  return code;
}

vlCode vl_series_keep(vlSeries *s, int64_t step, vlStatus *status)
{
  vlCode code = VL_OK;
  for (int t = 0; t < s->count && code == VL_OK; t++)
    if (s->table[t].path) code = vl_table_keep(&s->table[t], step, status);
  return code;
}

vlCode vl_series_add(vlSeries *s, const vlStepInfo *info, vlStatus *status)
{
  vlCode code = VL_OK;
  for (int t = 0; t < s->count && code == VL_OK; t++) {
    if (!s->table[t].path) continue;
    make_line(s, t, info);
    code = vl_table_append(&s->table[t], s->line, s->length, status);
  }
  return code;
}

vlCode vl_series_flush(vlSeries *s, vlStatus *status)
{
  vlCode code = VL_OK;
  for (int t = 0; t < s->count && code == VL_OK; t++)
    if (s->table[t].path) code = vl_table_flush(&s->table[t], status);
  return code;
}

void vl_series_destroy(vlSeries **series)
{
  if (!series || !*series) return;
  for (int t = 0; t < (*series)->count; t++) vl_table_close(&(*series)->table[t]);
  free((*series)->line);
  free(*series);
  *series = NULL;
}
