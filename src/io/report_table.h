/* The tables of a run read back, and made short enough for a page. */
#ifndef VL_IO_REPORT_TABLE_H
#define VL_IO_REPORT_TABLE_H

#include "io/json.h"

typedef struct vlReportTable {
  char *header;      /* cut into names */
  const char **name; /* of each column, with its unit: "time [s]" [columns] */
  int columns;
  double *value; /* [rows * columns] */
  size_t rows, capacity;
  bool cut; /* the file ends within a line, which is left out */
} vlReportTable;

/* FOLDER/FILE as io/table.h writes it. On failure the table is still to be cleared. */
vlCode vl_report_table_read(vlReportTable *table, const char *folder, const char *file, vlStatus *status);
void vl_report_table_clear(vlReportTable *table);

/* What becomes of the rows of a table that is too long. */
typedef enum vlReportShort { VL_SHORT_EXTREMES, VL_SHORT_MEANS } vlReportShort;

/* Rows that the JSON of so many rows has. */
size_t vl_report_table_kept(size_t rows);
/* Adds an array of {"name", "unit", "values"}, a member for each column, from the first `rows` rows. */
void vl_report_table_json(vlJson *json, const char *key, const vlReportTable *table, size_t rows, vlReportShort how);

#endif
