/* A table of numbers that grows by whole lines: CSV, appended and handed to the system line by line. */
#ifndef VL_FILES_TABLE_H
#define VL_FILES_TABLE_H

#include "velella/types.h"

typedef struct vlTable {
  int descriptor; /* -1: closed */
  char *path;
} vlTable;

#define VL_TABLE_CLOSED ((vlTable){.descriptor = -1})

/* Opens FOLDER/FILE for appending; a new or empty file gets the header line (with its '\n'), any other must begin with it.
 * On failure the table is still to be closed. */
vlCode vl_table_open(vlTable *table, const char *folder, const char *file, const char *header, vlStatus *status);
/* With the system when it returns; a line that cannot be written whole is taken back. */
vlCode vl_table_append(vlTable *table, const char *line, size_t length, vlStatus *status);
/* Drops the lines of later steps than `step`, their first column, and a line that is not whole. */
vlCode vl_table_keep(vlTable *table, int64_t step, vlStatus *status);
/* Are the lines of the steps up to `step` all there, one after the other, from the first on where `whole` says so? Otherwise
 * VL_ERROR_FILE with file and line. One without any line passes unless `whole` says otherwise. */
vlCode vl_table_check(const char *path, int64_t step, bool whole, vlStatus *status);
/* What was appended is on the disk when it returns. */
vlCode vl_table_flush(const vlTable *table, vlStatus *status);
void vl_table_close(vlTable *table);

#endif
