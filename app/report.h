/* A run's results as JSON lines on standard output. */
#ifndef VL_APP_REPORT_H
#define VL_APP_REPORT_H

#include "frames/run_json.h"

void vl_report_frame(const vlRunRecord *record, const vlStepInfo *info, int frame);
/* folder: NULL when none was made */
void vl_report_end(const vlRunRecord *record, const vlStepInfo *info, const char *folder);

#endif
