/* Tables of the elastic bodies: what each does, a line of FOLDER/bodies/NAME.csv after every step. */
#ifndef VL_IO_BODY_SERIES_H
#define VL_IO_BODY_SERIES_H

#include "velella/velella.h"

typedef struct vlBodySeries vlBodySeries;

enum { VL_BODY_TABLE_ROOM = 80 };
/* The table's file below the run's folder: "bodies/NAME.csv". A name that is no good name of a file, as only a program can
 * give it, makes it bodies/body_N.csv, N the body's number in the scene. Returns `table`. */
const char *vl_body_table_name(const char *body, int number, char table[static VL_BODY_TABLE_ROOM]);

/* Opens the files for appending as io/table.h says, and makes their folder; `sim` must outlive the tables. A scene without
 * bodies makes none: *series is NULL, which all functions below take. */
vlCode vl_body_series_create(vlBodySeries **series, const vlSim *sim, const char *folder, vlStatus *status);
/* Drops the lines of later steps, for a run that goes on from a checkpoint. */
vlCode vl_body_series_keep(vlBodySeries *series, int64_t step, vlStatus *status);
vlCode vl_body_series_add(vlBodySeries *series, vlStatus *status);
void vl_body_series_destroy(vlBodySeries **series);

#endif
