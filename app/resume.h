/* A run that goes on from its checkpoint. */
#ifndef VL_APP_RESUME_H
#define VL_APP_RESUME_H

#include "io/run_json.h"

/* Brings a new simulation to the state in `checkpoint`, and the record to what the run had done by then: steps, time and
 * frames from the simulation; the start and the seconds spent from the former run.json. Writes nothing. */
vlCode vl_resume(vlSim *sim, const char *checkpoint, const char *run_json, vlRunRecord *record, vlStatus *status);
/* What is left to a time is rounding, far below any step, when it is not more than this, in s. */
double vl_frame_rounding(const vlScene *scene);

#endif
