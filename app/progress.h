/* What a run shows while it goes: a bar on a terminal, some twenty lines elsewhere, or nothing; and its warnings. */
#ifndef VL_APP_PROGRESS_H
#define VL_APP_PROGRESS_H

#include "frames/run_json.h"

typedef struct vlProgress {
  bool bar, lines;     /* at most one of them */
  bool drawn;          /* the bar stands on the current line */
  double begun, shown; /* s, vl_wall_seconds() at the start and when the bar was last drawn */
  double end_time;     /* s, simulated */
  int last_frame;
  int64_t lined; /* the step of the last line; -1: none yet */
} vlProgress;

double vl_wall_seconds(void); /* of a clock that only runs forward */

void vl_progress_begin(vlProgress *progress, bool quiet, double end_time, int last_frame);
/* After each step, and once before the first; info: of the step. */
void vl_progress_step(vlProgress *progress, const vlRunRecord *record, const vlStepInfo *info);
void vl_progress_frame(vlProgress *progress, const vlRunRecord *record);
void vl_progress_end(vlProgress *progress, const vlRunRecord *record, const vlStepInfo *info);
void vl_progress_clear(vlProgress *progress); /* takes the bar away */
/* A vlLog's function; user: the vlProgress, whose bar is moved out of the way. */
void vl_progress_log(void *user, vlLogLevel level, const char *line);

#endif
