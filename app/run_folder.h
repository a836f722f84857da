/* A run's folder: never overwritten unless told, and then only what a run writes. */
#ifndef VL_APP_RUN_FOLDER_H
#define VL_APP_RUN_FOLDER_H

#include "velella/types.h"

enum { VL_LARGEST_RUN_JSON = 64 << 20 }; /* bytes that are read of one */

/* VL_OK when a run may be written here; touches nothing. A folder whose run goes on is refused in any case. */
vlCode vl_run_folder_check(const char *folder, bool overwrite, vlStatus *status);
/* Removes the old run's files, if any, and makes FOLDER (and FOLDER/fields when `fields`). */
vlCode vl_run_folder_prepare(const char *folder, bool overwrite, bool fields, vlStatus *status);

#endif
