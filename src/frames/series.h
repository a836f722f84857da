/* Time series: tables with a line for each step in FOLDER/series.csv (what the step did, bitwise reproducible),
 * FOLDER/timings.csv (how long its stages took), FOLDER/probes.csv (what the scene's probes measure),
 * FOLDER/walls.csv (what the pressure does to each wall) and FOLDER/bodies/NAME.csv (what each body does). */
#ifndef VL_FRAMES_SERIES_H
#define VL_FRAMES_SERIES_H

#include "velella/velella.h"

typedef struct vlSeries vlSeries;

/* Opens the files for appending, those of probes, walls and bodies where the scene has any or has liquid; a new or empty
 * file gets its header line first. A file that is there must begin with the same header, anything else is refused. `sim`
 * must outlive the series.
 */
vlCode vl_series_create(vlSeries **series, const vlSim *sim, const char *folder, vlStatus *status);
/* All lines are with the system when it returns. A line that cannot be written whole is taken back. */
vlCode vl_series_add(vlSeries *series, const vlStepInfo *info, vlStatus *status);
/* Drops the lines of later steps, for a run that goes on from a checkpoint. */
vlCode vl_series_keep(vlSeries *series, int64_t step, vlStatus *status);
/* Before a run goes on from a checkpoint of `step`: do the tables in the folder have a line for each step up to there? Those
 * of probes and bodies may have begun later, where the scene has been changed. */
vlCode vl_series_check(const vlSim *sim, const char *folder, int64_t step, vlStatus *status);
/* All lines are on the disk when it returns. */
vlCode vl_series_flush(vlSeries *series, vlStatus *status);
void vl_series_destroy(vlSeries **series);

enum { VL_BODY_TABLE_ROOM = 80 };
/* The table's file below the run's folder: "bodies/NAME.csv". A name that is no good name of a file, as only a program can
 * give it, makes it bodies/body_N.csv, N the body's number in the scene. Returns `table`. */
const char *vl_body_table_name(const char *body, int number, char table[static VL_BODY_TABLE_ROOM]);

#endif
