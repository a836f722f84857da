/* Time series: a line for each step in FOLDER/series.csv (what the step did, bitwise reproducible) and in
 * FOLDER/timings.csv (how long its stages took); tables of probes and of bodies. */
#ifndef VL_FRAMES_SERIES_H
#define VL_FRAMES_SERIES_H

#include "velella/velella.h"

typedef struct vlSeries vlSeries;

/* Opens both files for appending; a new or empty file gets its header line first. A file that is there must begin with
 * the same header, anything else is refused. */
vlCode vl_series_create(vlSeries **series, const char *folder, vlStatus *status);
/* Both lines are with the system when it returns. A line that cannot be written whole is taken back. */
vlCode vl_series_add(vlSeries *series, const vlStepInfo *info, vlStatus *status);
/* Drops the lines of later steps, for a run that goes on from a checkpoint. */
vlCode vl_series_keep(vlSeries *series, int64_t step, vlStatus *status);
void vl_series_destroy(vlSeries **series);

/* What the scene's probes measure after every step, a line of FOLDER/probes.csv each. */
typedef struct vlProbes vlProbes;

/* Opens the file for appending as files/table.h says; `sim` must outlive the probes. A scene without probes makes none: *probes
 * is NULL, which all functions below take. */
vlCode vl_probes_create(vlProbes **probes, const vlSim *sim, const char *folder, vlStatus *status);
/* Drops the lines of later steps, for a run that goes on from a checkpoint. */
vlCode vl_probes_keep(vlProbes *probes, int64_t step, vlStatus *status);
vlCode vl_probes_add(vlProbes *probes, vlStatus *status);
void vl_probes_destroy(vlProbes **probes);

/* What each body does, a line of FOLDER/bodies/NAME.csv after every step. */
typedef struct vlBodySeries vlBodySeries;

enum { VL_BODY_TABLE_ROOM = 80 };
/* The table's file below the run's folder: "bodies/NAME.csv". A name that is no good name of a file, as only a program can
 * give it, makes it bodies/body_N.csv, N the body's number in the scene. Returns `table`. */
const char *vl_body_table_name(const char *body, int number, char table[static VL_BODY_TABLE_ROOM]);

/* Opens the files for appending as files/table.h says, and makes their folder; `sim` must outlive the tables. A scene without
 * bodies makes none: *series is NULL, which all functions below take. */
vlCode vl_body_series_create(vlBodySeries **series, const vlSim *sim, const char *folder, vlStatus *status);
/* Drops the lines of later steps, for a run that goes on from a checkpoint. */
vlCode vl_body_series_keep(vlBodySeries *series, int64_t step, vlStatus *status);
vlCode vl_body_series_add(vlBodySeries *series, vlStatus *status);
void vl_body_series_destroy(vlBodySeries **series);

#endif
