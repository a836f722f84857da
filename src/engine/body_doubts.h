/* What a scene's elastic bodies surely do not mean. */
#ifndef VL_ENGINE_BODY_DOUBTS_H
#define VL_ENGINE_BODY_DOUBTS_H

#include "engine/sim.h"

/* Warnings, to the log, of bodies as they were made. */
void vl_body_doubts_say(const vlSim *sim);

#endif
