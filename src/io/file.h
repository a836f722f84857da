/* Files that are whole or not there: written to NAME.part, flushed, renamed. */
#ifndef VL_IO_FILE_H
#define VL_IO_FILE_H

#include <stdio.h>

#include "velella/types.h"

typedef struct vlFile {
  FILE *stream;
  char *path, *part;
} vlFile;

vlCode vl_file_open(vlFile *file, const char *path, vlStatus *status);
/* Flush, sync, rename; or remove the partial file when anything failed before (disk full). */
vlCode vl_file_commit(vlFile *file, vlStatus *status);
void vl_file_abandon(vlFile *file);
vlCode vl_folder_create(const char *path, vlStatus *status); /* with parents; an existing one is fine */

#endif
