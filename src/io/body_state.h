/* The bodies' part of a checkpoint. */
#ifndef VL_IO_BODY_STATE_H
#define VL_IO_BODY_STATE_H

#include "engine/sim.h"
#include "io/checkpoint.h"

/* Adds nothing for a scene without bodies. */
void vl_body_state_add(vlCheckpointWriter *writer, const vlSim *sim);
double vl_body_state_bytes(const vlSim *sim); /* about how many it adds */
/* Refuses a checkpoint of other bodies than the simulation has: their number, kinds, meshes, places at rest. Names,
 * materials and pins may differ, motions from the checkpoint's time on. Nothing is changed. */
vlCode vl_body_state_check(const vlCheckpointReader *reader, const vlSim *sim, const char *path, vlStatus *status);
/* After that check: bodies as they were at `time`, so that steps go on with the same bits. */
vlCode vl_body_state_read(const vlCheckpointReader *reader, vlSim *sim, double time, const char *path, vlStatus *status);

#endif
