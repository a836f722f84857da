/* Which process makes a run, and whether it is still there. */
#ifndef VL_APP_PROCESS_H
#define VL_APP_PROCESS_H

#include "velella/types.h"

typedef enum vlPresence { VL_PRESENCE_GONE, VL_PRESENCE_HERE, VL_PRESENCE_ELSEWHERE } vlPresence;

typedef struct vlProcess {
  int64_t pid, start; /* start: clock ticks after boot; 0: the system does not say */
  char host[256];
} vlProcess;

vlProcess vl_process_self(void);
/* From the text of a run.json; false when it does not say. */
bool vl_process_of_run(const char *run_json, vlProcess *process);
/* ELSEWHERE: it ran on another machine, so nothing is known. */
vlPresence vl_process_presence(const vlProcess *process);

#endif
