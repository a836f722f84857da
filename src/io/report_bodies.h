/* Elastic bodies in the report of a run: what run.json says of them, and their tables. */
#ifndef VL_IO_REPORT_BODIES_H
#define VL_IO_REPORT_BODIES_H

#include "io/report_table.h"

typedef struct vlReportBody {
  char *file; /* of the table, below the run's folder */
  vlReportTable table;
} vlReportBody;

typedef struct vlReportBodies {
  vlReportBody *body; /* [count] */
  int count;
} vlReportBodies;

/* The tables of all bodies that `run`, the text of run.json, lists. To be cleared, also when it fails. */
vlCode vl_report_bodies_read(vlReportBodies *bodies, const char *folder, const char *run, vlStatus *status);
void vl_report_bodies_clear(vlReportBodies *bodies);
/* Adds "bodies": an array with an object for each, of what it is, its probes and the first `rows` rows of its table. */
void vl_report_bodies_json(vlJson *json, const vlReportBodies *bodies, const char *run, size_t rows);

#endif
