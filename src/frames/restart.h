/* Checkpoints of a simulation; vl_sim_save and vl_sim_resume are in velella.h. */
#ifndef VL_FRAMES_RESTART_H
#define VL_FRAMES_RESTART_H

#include "velella/velella.h"

/* About how many bytes vl_sim_save would write now. */
double vl_sim_checkpoint_bytes(const vlSim *sim);

#endif
