/* Tables of the elastic bodies: what each does, a line of FOLDER/bodies/NAME.csv after every step. */
#ifndef VL_IO_BODY_SERIES_H
#define VL_IO_BODY_SERIES_H

#include "velella/velella.h"

typedef struct vlBodySeries vlBodySeries;

/* Opens the files for appending as io/table.h says, and makes their folder; `sim` must outlive the tables. A scene without
 * bodies makes none: *series is NULL, which all functions below take. */
vlCode vl_body_series_create(vlBodySeries **series, const vlSim *sim, const char *folder, vlStatus *status);
/* Drops the lines of later steps, for a run that goes on from a checkpoint. */
vlCode vl_body_series_keep(vlBodySeries *series, int64_t step, vlStatus *status);
vlCode vl_body_series_add(vlBodySeries *series, vlStatus *status);
void vl_body_series_destroy(vlBodySeries **series);

#endif
