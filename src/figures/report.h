/* A run as one HTML page that needs nothing else: what was simulated, pictures, video and charts. */
#ifndef VL_FIGURES_REPORT_H
#define VL_FIGURES_REPORT_H

#include "velella/types.h"

typedef enum vlReportVideo { VL_VIDEO_NONE, VL_VIDEO_INSIDE, VL_VIDEO_LINKED } vlReportVideo;

typedef struct vlReport {
  int64_t steps;
  int probes;             /* columns of probes.csv; 0: the run has none */
  int bodies;             /* how many */
  int pictures, rendered; /* in the contact sheet, and in the folder */
  bool preview;           /* the pictures are those of RUN/preview */
  vlReportVideo video;    /* LINKED: too large, the page needs the run's folder for it */
  size_t bytes;           /* of the page */
} vlReport;

/* Writes FOLDER/report.html from the files of the run in FOLDER; `gone`: its run.json says "running", but its process is not
 * there any more. A file that is missing, damaged or cut short is an error that names it; pictures, video and probes may be
 * missing, and then the page says so; pictures and a video that are damaged are left out, with a warning to `log` that names
 * them. VL_ERROR_BACKEND when the program was built without the library of charts. */
vlCode vl_report_write(const char *folder, bool gone, vlLog log, vlReport *report, vlStatus *status);

#endif
