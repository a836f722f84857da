/* What files a run has written: a list in its run.json, by which they are found again. */
#ifndef VL_APP_RUN_FILES_H
#define VL_APP_RUN_FILES_H

#include "velella/velella.h"

/* Below the run's folder, as "series.csv"; a '*' stands for the number of a frame, as in "fields/fields_*.vti". */
typedef struct vlRunFiles {
  char **name;
  int count;
} vlRunFiles;

/* Those that a run of this simulation writes, besides run.json; `exports`: the last pressure system too. */
vlCode vl_run_files_make(vlRunFiles *files, const vlSim *sim, bool exports, vlStatus *status);
/* Adds those that the text of a run.json lists. A run.json of a version that listed none gives all that it could write. */
vlCode vl_run_files_read(vlRunFiles *files, const char *run_json, vlStatus *status);
void vl_run_files_clear(vlRunFiles *files);
/* The part of a listed name before '/', "" without one; and whether a file there is meant: the same name, or one with the
 * number of a frame from `frame` on. */
void vl_run_file_folder(const char *listed, char folder[static 64]);
bool vl_run_file_meant(const char *listed, const char *name, int frame);
/* Is the name made of a frame's number? */
bool vl_run_file_is_frame(const char *listed);

#endif
