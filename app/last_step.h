/* The last step of a run, from its series.csv. */
#ifndef VL_APP_LAST_STEP_H
#define VL_APP_LAST_STEP_H

#include "velella/velella.h"

/* Reads the last whole line of FOLDER/series.csv. False: no file, no step yet, or not a series; what a column of another
 * version does not tell is 0. */
bool vl_last_step_read(const char *folder, vlStepInfo *info);
/* Force on walls and bodies along the weight, over the weight: 1 for liquid at rest. NaN without weight. */
double vl_last_step_force(const vlStepInfo *info);

#endif
