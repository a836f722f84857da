/* Bodies in a step of the engine. */
#ifndef VL_ENGINE_BODY_STEP_H
#define VL_ENGINE_BODY_STEP_H

#include "engine/sim.h"

/* The scene's bodies and all that the liquid needs of them; after the static solids. */
vlCode vl_body_step_create(vlSim *sim, vlStatus *status);
void vl_body_step_clear(vlSim *sim);
/* Patches and cut cells of the bodies as they lie now, merged with those of the static solids. */
vlCode vl_body_step_cut(vlSim *sim, vlStatus *status);
/* Distances to the bodies as they lie now, on the blocks of `within`; NULL: everywhere. */
vlCode vl_body_step_distance(vlSim *sim, const vlBlocks *within, vlStatus *status);
/* S and w of every body for a step of dt. May be repeated with another dt. */
vlCode vl_body_step_begin(vlSim *sim, double dt, vlStatus *status);
/* After a pressure solve: whether the contacts that were taken for closed are, or it was tried often enough; else it must be
 * repeated with the new ones. */
bool vl_body_step_contacts_hold(vlSim *sim);
/* The liquid has changed its mind about walls: contacts are looked for anew from the present pressure. */
void vl_body_step_contacts_again(vlSim *sim);
/* Moves the bodies under the pressure that was solved for. */
vlCode vl_body_step_finish(vlSim *sim, vlStatus *status);
/* Puts particles that ended deep in a body back before its surface, or takes them away where there is no room. */
vlCode vl_body_step_rescue(vlSim *sim, vlStepInfo *info, vlStatus *status);

#endif
