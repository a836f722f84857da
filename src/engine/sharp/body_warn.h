/* Warnings of bodies that go their own way. */
#ifndef VL_ENGINE_SHARP_BODY_WARN_H
#define VL_ENGINE_SHARP_BODY_WARN_H

#include "engine/sharp/sharp.h"

/* Warns of what no solve can mend, once and again when it is ten times as bad: enclosed liquid that scripted bodies squeeze,
 * and bodies that they press into something. After a solve, before the bodies move. */
vlStageRun vl_body_warn;

#endif
