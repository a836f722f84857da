/* Time series: a line for each step in FOLDER/series.csv (what the step did, bitwise reproducible) and in
 * FOLDER/timings.csv (how long its stages took). */
#ifndef VL_IO_SERIES_H
#define VL_IO_SERIES_H

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

#endif
