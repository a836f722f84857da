/* Time series as CSV.
 *
 * One table for each file says which member of vlStepInfo a column shows, its name and its unit; the header line is
 * "step,time [s],dt [s],...". Numbers carry as many digits as read back to the same bits, so two runs can be compared
 * with cmp. Wall-clock seconds differ from run to run and therefore stand in a file of their own. How lines get into the
 * files: files/table.h. */
#include "frames/series.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/status.h"
#include "files/file.h"
#include "files/table.h"

typedef enum ColumnKind { COLUMN_INT, COLUMN_INT64, COLUMN_DOUBLE } ColumnKind;

typedef struct Column {
  const char *header; /* name and unit */
  ColumnKind kind;
  size_t offset; /* in vlStepInfo */
} Column;

/* The kind follows from the member's type; any other type does not compile. */
#define KIND_OF(x) _Generic((x), int : COLUMN_INT, int64_t : COLUMN_INT64, double : COLUMN_DOUBLE)
#define COLUMN(header, member)                                                                                              \
  {                                                                                                                         \
    header, KIND_OF(((vlStepInfo *)0)->member), offsetof(vlStepInfo, member)                                                \
  }

static const Column series_columns[] = {
    COLUMN("step", step),
    COLUMN("time [s]", time),
    COLUMN("dt [s]", dt),
    COLUMN("liquid_cells", liquid_cells),
    COLUMN("null_components", null_components),
    COLUMN("discarded_flux [m3/s]", discarded_flux),
    COLUMN("iterations", iterations),
    COLUMN("residual", residual),
    COLUMN("separation_loops", separation_loops),
    COLUMN("separation_fallbacks", separation_fallbacks),
    COLUMN("parted", parted),
    COLUMN("max_speed [m/s]", max_speed),
    COLUMN("max_divergence [1/s]", max_divergence),
    COLUMN("kinetic_energy [J]", kinetic_energy),
    COLUMN("potential_energy [J]", potential_energy),
    COLUMN("momentum_x [kg m/s]", momentum.x),
    COLUMN("momentum_y [kg m/s]", momentum.y),
    COLUMN("momentum_z [kg m/s]", momentum.z),
    COLUMN("volume [m3]", volume),
    COLUMN("particle_volume [m3]", particle_volume),
    COLUMN("filling", filling),
    COLUMN("particles", particles),
    COLUMN("added", added),
    COLUMN("removed", removed),
    COLUMN("reseeded", reseeded),
    COLUMN("stuck", stuck),
    COLUMN("rescued", rescued),
    COLUMN("lost", lost),
    COLUMN("wall_force_x [N]", wall_force.x),
    COLUMN("wall_force_y [N]", wall_force.y),
    COLUMN("wall_force_z [N]", wall_force.z),
    COLUMN("body_force_x [N]", body_force.x),
    COLUMN("body_force_y [N]", body_force.y),
    COLUMN("body_force_z [N]", body_force.z),
    COLUMN("weight_x [N]", weight.x),
    COLUMN("weight_y [N]", weight.y),
    COLUMN("weight_z [N]", weight.z),
    COLUMN("bodies", bodies),
    COLUMN("inverted", inverted),
    COLUMN("contacts", contacts),
    COLUMN("overlap [m]", overlap),
    COLUMN("contact_turns", contact_turns),
    COLUMN("contact_error [m/s]", contact_error),
};

static const Column timing_columns[] = {
    COLUMN("step", step),
    COLUMN("forces [s]", seconds[VL_STAGE_FORCES]),
    COLUMN("pressure_setup [s]", seconds[VL_STAGE_SETUP]),
    COLUMN("pressure_solve [s]", seconds[VL_STAGE_SOLVE]),
    COLUMN("velocity [s]", seconds[VL_STAGE_VELOCITY]),
    COLUMN("measure [s]", seconds[VL_STAGE_MEASURE]),
    COLUMN("bodies [s]", seconds[VL_STAGE_BODIES]),
    COLUMN("motion [s]", seconds[VL_STAGE_MOTION]),
    COLUMN("transfer [s]", seconds[VL_STAGE_TRANSFER]),
    COLUMN("level_set [s]", seconds[VL_STAGE_LEVEL_SET]),
};

_Static_assert(sizeof timing_columns / sizeof *timing_columns == 1 + VL_STAGE_COUNT, "timing_columns lists every stage");

enum { TABLE_COUNT = 2, LINE_ROOM = 2048 };

static const struct {
  const char *file;
  const Column *columns;
  int count;
} tables[TABLE_COUNT] = {
    {"series.csv", series_columns, sizeof series_columns / sizeof *series_columns},
    {"timings.csv", timing_columns, sizeof timing_columns / sizeof *timing_columns},
};

struct vlSeries {
  vlTable table[TABLE_COUNT];
};

_Static_assert(sizeof series_columns / sizeof *series_columns * VL_NUMBER_TEXT < LINE_ROOM, "a line has room");

static void header_line(int table, char line[static LINE_ROOM])
{
  int n = 0;
  for (int i = 0; i < tables[table].count; i++)
    n += snprintf(line + n, (size_t)(LINE_ROOM - n), "%s%s", i ? "," : "", tables[table].columns[i].header);
  snprintf(line + n, (size_t)(LINE_ROOM - n), "\n");
}

static int value_line(int table, const vlStepInfo *info, char line[static LINE_ROOM])
{
  int n = 0;
  for (int i = 0; i < tables[table].count; i++) {
    const Column *column = &tables[table].columns[i];
    const char *member = (const char *)info + column->offset;
    char text[VL_NUMBER_TEXT];
    switch (column->kind) {
    case COLUMN_INT:
      snprintf(text, sizeof text, "%d", *(const int *)member);
      break;
    case COLUMN_INT64:
      snprintf(text, sizeof text, "%lld", (long long)*(const int64_t *)member);
      break;
    case COLUMN_DOUBLE:
      vl_number_text(*(const double *)member, text);
      break;
    }
    n += snprintf(line + n, (size_t)(LINE_ROOM - n), "%s%s", i ? "," : "", text);
  }
  return n + snprintf(line + n, (size_t)(LINE_ROOM - n), "\n");
}

vlCode vl_series_create(vlSeries **series, const char *folder, vlStatus *status)
{
  vlSeries *s = *series = calloc(1, sizeof *s);
  if (!s) return vl_fail_memory(status, sizeof *s, "the time series");
  for (int t = 0; t < TABLE_COUNT; t++) s->table[t] = VL_TABLE_CLOSED;
  vlCode code = VL_OK;
  for (int t = 0; t < TABLE_COUNT && code == VL_OK; t++) {
    char header[LINE_ROOM];
    header_line(t, header);
    code = vl_table_open(&s->table[t], folder, tables[t].file, header, status);
  }
  if (code != VL_OK) vl_series_destroy(series);
  return code;
}

vlCode vl_series_keep(vlSeries *series, int64_t step, vlStatus *status)
{
  vlCode code = VL_OK;
  for (int t = 0; t < TABLE_COUNT && code == VL_OK; t++) code = vl_table_keep(&series->table[t], step, status);
  return code;
}

vlCode vl_series_add(vlSeries *series, const vlStepInfo *info, vlStatus *status)
{
  vlCode code = VL_OK;
  for (int t = 0; t < TABLE_COUNT && code == VL_OK; t++) {
    char line[LINE_ROOM];
    int length = value_line(t, info, line);
    code = vl_table_append(&series->table[t], line, (size_t)length, status);
  }
  return code;
}

void vl_series_destroy(vlSeries **series)
{
  if (!series || !*series) return;
  for (int t = 0; t < TABLE_COUNT; t++) vl_table_close(&(*series)->table[t]);
  free(*series);
  *series = NULL;
}
