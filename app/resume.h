/* A run that goes on from its checkpoint. */
#ifndef VL_APP_RESUME_H
#define VL_APP_RESUME_H

#include "frames/run_json.h"

/* The settings that a run goes on with, in new memory: those in its run.json, and behind them those given now, unless these
 * are the last ones there anyway. */
vlCode vl_resume_settings(const char *run_json, const char *const *given, int given_count, char ***settings, int *count,
                          vlStatus *status);
void vl_resume_settings_clear(char ***settings, int *count);

/* Brings a new simulation to the state in `checkpoint`, and the record to what the run had done by then: steps, time and
 * frames from the simulation; the start and the seconds spent from the former run.json. Writes nothing. */
vlCode vl_resume(vlSim *sim, const char *checkpoint, const char *run_json, vlRunRecord *record, vlStatus *status);
/* What is left to a time is rounding, far below any step, when it is not more than this, in s. */
double vl_frame_rounding(const vlScene *scene);

#endif
