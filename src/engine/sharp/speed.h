/* Speeds that cannot be: when a step has gone wrong. */
#ifndef VL_ENGINE_SHARP_SPEED_H
#define VL_ENGINE_SHARP_SPEED_H

#include "engine/sharp/sharp.h"

/* m/s: far beyond what gravity, the scene's own speeds, its pushes and its materials could bring about. */
double vl_speed_limit(const vlSharp *sim);
/* m/s: the fastest of liquid and bodies in a step that was solved and measured; NAN: some number in it is none. */
double vl_speed_of_step(const vlSharp *sim, const vlStepInfo *info);

#endif
