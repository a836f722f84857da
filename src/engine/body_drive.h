/* Warnings of bodies that go their own way. */
#ifndef VL_ENGINE_BODY_DRIVE_H
#define VL_ENGINE_BODY_DRIVE_H

#include "engine/sim.h"

/* Warns of what no solve can mend, once and again when it is ten times as bad: enclosed liquid that scripted bodies squeeze,
 * and bodies that they press into something. After a solve, before the bodies move. */
void vl_body_drive_warn(vlSim *sim, const vlStepInfo *info);

#endif
