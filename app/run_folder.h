/* A run's folder: never overwritten unless told, and then only what a run writes. */
#ifndef VL_APP_RUN_FOLDER_H
#define VL_APP_RUN_FOLDER_H

#include "run_files.h"

enum { VL_LARGEST_RUN_JSON = 64 << 20 }; /* bytes that are read of one */

/* What is to become of a run that is in the folder. */
typedef enum vlFolderUse { VL_FOLDER_NEW, VL_FOLDER_OVERWRITE, VL_FOLDER_RESUME } vlFolderUse;

/* VL_OK when a run may be written here or, to resume, goes on here; touches nothing. A folder whose run goes on is refused
 * in any case. */
vlCode vl_run_folder_check(const char *folder, vlFolderUse use, vlStatus *status);
/* Adds the names of the files that the run in the folder has written. */
vlCode vl_run_folder_files(const char *folder, vlRunFiles *files, vlStatus *status);
/* Makes the folder. Removes of an old run all files that it lists; to resume, those of the frames `frame` and later. */
vlCode vl_run_folder_prepare(const char *folder, vlFolderUse use, int frame, vlStatus *status);

#endif
