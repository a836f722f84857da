/* Time series as CSV.
 *
 * One table for each file says which member of vlStepInfo a column shows, its name and its unit; the header line is
 * "step,time [s],dt [s],...". Numbers carry as many digits as read back to the same bits, so two runs can be compared
 * with cmp. Wall-clock seconds differ from run to run and therefore stand in a file of their own.
 * Every line goes out with one write to a file opened for appending: a run that dies leaves whole lines, and `tail -f`
 * sees each step at once. After a failed write the file is cut back to its last whole line. */
#include "io/series.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/file.h"
#include "io/number.h"

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
    COLUMN("stuck", stuck),
    COLUMN("wall_force_x [N]", wall_force.x),
    COLUMN("wall_force_y [N]", wall_force.y),
    COLUMN("wall_force_z [N]", wall_force.z),
    COLUMN("weight_x [N]", weight.x),
    COLUMN("weight_y [N]", weight.y),
    COLUMN("weight_z [N]", weight.z),
};

static const Column timing_columns[] = {
    COLUMN("step", step),
    COLUMN("forces [s]", seconds[0]),
    COLUMN("pressure_setup [s]", seconds[1]),
    COLUMN("pressure_solve [s]", seconds[2]),
    COLUMN("velocity [s]", seconds[3]),
    COLUMN("motion [s]", seconds[4]),
    COLUMN("transfer [s]", seconds[5]),
    COLUMN("level_set [s]", seconds[6]),
};

const char *const vl_stage_names[VL_STAGE_COUNT] = {"forces", "pressure_setup", "pressure_solve", "velocity",
                                                    "motion", "transfer",       "level_set"};

_Static_assert(sizeof timing_columns / sizeof *timing_columns == 1 + VL_STAGE_COUNT, "timing_columns lists every stage");

enum { TABLE_COUNT = 2, LINE_ROOM = 1024 };

static const struct {
  const char *file;
  const Column *columns;
  int count;
} tables[TABLE_COUNT] = {
    {"series.csv", series_columns, sizeof series_columns / sizeof *series_columns},
    {"timings.csv", timing_columns, sizeof timing_columns / sizeof *timing_columns},
};

struct vlSeries {
  int descriptor[TABLE_COUNT]; /* -1: closed */
  char *path[TABLE_COUNT];
};

_Static_assert(sizeof series_columns / sizeof *series_columns * VL_NUMBER_TEXT < LINE_ROOM, "a line has room");

static int header_line(int table, char line[static LINE_ROOM])
{
  int n = 0;
  for (int i = 0; i < tables[table].count; i++)
    n += snprintf(line + n, (size_t)(LINE_ROOM - n), "%s%s", i ? "," : "", tables[table].columns[i].header);
  return n + snprintf(line + n, (size_t)(LINE_ROOM - n), "\n");
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

static vlCode append(vlSeries *series, int table, const char *line, int length, vlStatus *status)
{
  int descriptor = series->descriptor[table];
  off_t before = lseek(descriptor, 0, SEEK_END);
  int done = 0, error = 0;
  while (done < length && !error) {
    ssize_t n = write(descriptor, line + done, (size_t)(length - done));
    if (n > 0)
      done += (int)n;
    else if (n == 0 || errno != EINTR)
      error = n == 0 ? ENOSPC : errno;
  }
  if (!error) return VL_OK;
  if (before >= 0 && ftruncate(descriptor, before) != 0) error = errno == EINVAL ? error : errno;
  return vl_fail(status, VL_ERROR_FILE, "cannot write %s: %s", series->path[table], strerror(error));
}

/* A file that is there must continue what we are about to write. */
static vlCode check_header(const vlSeries *series, int table, const char *header, int length, vlStatus *status)
{
  char found[LINE_ROOM];
  ssize_t n = pread(series->descriptor[table], found, (size_t)length, 0);
  if (n == length && memcmp(found, header, (size_t)length) == 0) return VL_OK;
  return vl_fail(status, VL_ERROR_FILE,
                 "%s does not begin with the line \"%.*s\"; it was not made by this version of Velella", series->path[table],
                 length - 1, header);
}

static vlCode open_table(vlSeries *series, int table, const char *folder, vlStatus *status)
{
  series->path[table] = vl_path_join(folder, tables[table].file);
  if (!series->path[table]) return vl_fail_memory(status, strlen(folder), tables[table].file);
  series->descriptor[table] = open(series->path[table], O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (series->descriptor[table] < 0)
    return vl_fail(status, VL_ERROR_FILE, "cannot open %s: %s", series->path[table], strerror(errno));
  struct stat info;
  char header[LINE_ROOM];
  int length = header_line(table, header);
  if (fstat(series->descriptor[table], &info) == 0 && info.st_size > 0)
    return check_header(series, table, header, length, status);
  return append(series, table, header, length, status);
}

vlCode vl_series_create(vlSeries **series, const char *folder, vlStatus *status)
{
  vlSeries *s = *series = calloc(1, sizeof *s);
  if (!s) return vl_fail_memory(status, sizeof *s, "the time series");
  for (int t = 0; t < TABLE_COUNT; t++) s->descriptor[t] = -1;
  vlCode code = VL_OK;
  for (int t = 0; t < TABLE_COUNT && code == VL_OK; t++) code = open_table(s, t, folder, status);
  if (code != VL_OK) vl_series_destroy(series);
  return code;
}

vlCode vl_series_add(vlSeries *series, const vlStepInfo *info, vlStatus *status)
{
  vlCode code = VL_OK;
  for (int t = 0; t < TABLE_COUNT && code == VL_OK; t++) {
    char line[LINE_ROOM];
    code = append(series, t, line, value_line(t, info, line), status);
  }
  return code;
}

void vl_series_destroy(vlSeries **series)
{
  if (!series || !*series) return;
  for (int t = 0; t < TABLE_COUNT; t++) {
    if ((*series)->descriptor[t] >= 0) close((*series)->descriptor[t]);
    free((*series)->path[t]);
  }
  free(*series);
  *series = NULL;
}
