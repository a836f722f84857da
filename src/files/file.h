/* Files that are whole or not there: written to NAME.part, flushed, renamed; one writer at a time. Numbers as their text. */
#ifndef VL_FILES_FILE_H
#define VL_FILES_FILE_H

#include <stdio.h>

#include "base/status.h"

typedef struct vlFile {
  FILE *stream; /* NULL: not open */
  char *path, *part;
  int error; /* errno of the first write that failed; everything after it is dropped */
} vlFile;

vlCode vl_file_open(vlFile *file, const char *path, vlStatus *status);
/* A failure is remembered and reported by vl_file_commit, so a writer need not test every call. */
void vl_file_write(vlFile *file, const void *data, size_t bytes);
void vl_file_print(vlFile *file, const char *format, ...) VL_PRINTF(2, 3);
/* Flush, sync, rename; or remove the partial file when anything failed before (disk full). Closes in any case. */
vlCode vl_file_commit(vlFile *file, vlStatus *status);
void vl_file_abandon(vlFile *file); /* closes and removes the partial file; fine on a closed one */

vlCode vl_folder_create(const char *path, vlStatus *status); /* with parents; an existing one is fine */
/* Keeps a folder for this process until vl_folder_unlock or its end, by whatever cause: a second one that asks for it is
 * refused. Writers that do not ask are not kept out. *lock < 0: not locked. */
vlCode vl_folder_lock(const char *path, int *lock, vlStatus *status);
void vl_folder_unlock(int *lock);
/* "folder/name" in new memory, NULL without memory. */
char *vl_path_join(const char *folder, const char *name);
/* A whole file as text with a NUL behind it; `limit`: the largest size taken, in bytes. */
vlCode vl_file_read(const char *path, size_t limit, char **text, size_t *length, vlStatus *status);

enum { VL_NUMBER_TEXT = 32 }; /* bytes that any number's text needs, with its NUL */

/* The shortest decimal that reads back as the same double (15 to 17 digits), with a point whatever the locale says.
 * Non-finite ones become "nan", "inf" and "-inf". Returns `text`. */
const char *vl_number_text(double value, char text[static VL_NUMBER_TEXT]);

#endif
