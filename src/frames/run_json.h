/* run.json: what was run, where, how far it came and why it ended. */
#ifndef VL_FRAMES_RUN_JSON_H
#define VL_FRAMES_RUN_JSON_H

#include <time.h>

#include "frames/series.h"

typedef enum vlRunState { VL_RUN_RUNNING, VL_RUN_FINISHED, VL_RUN_INTERRUPTED, VL_RUN_FAILED } vlRunState;

typedef struct vlRunRecord {
  const vlScene *scene;
  const vlSim *sim;            /* whose bodies are told of; NULL: none */
  const char *const *settings; /* each --set as given [setting_count] */
  int setting_count;
  const char *const *arguments; /* the command line's words, to repeat the run with [argument_count] */
  int argument_count;
  char *const *files; /* names of what the run writes, a '*' for a frame's number [file_count] */
  int file_count;
  int threads;
  int64_t pid, pid_start;   /* the process, and its start in clock ticks: together they name it even when pids are reused */
  const char *host;         /* where it runs; NULL: unknown */
  time_t started, finished; /* finished: 0 while running */
  vlRunState state;
  vlCode exit_code;
  const char *exit_reason; /* a sentence; NULL while running */
  /* totals */
  int64_t steps;
  int frames;
  int64_t liquid_cells; /* at the last step */
  double time;          /* s, simulated */
  double wall_seconds;
  double stage_seconds[VL_STAGE_COUNT];
} vlRunRecord;

vlCode vl_run_json_write(const char *path, const vlRunRecord *record, vlStatus *status);

#endif
