/* Scenes that are valid and surely not meant. */
#ifndef VL_APP_DOUBTS_H
#define VL_APP_DOUBTS_H

#include "progress.h"

/* Warns of a scene without liquid, and of a box that the cells changed by more than 2 %. */
void vl_doubts_say(const vlScene *scene, const vlSimFacts *facts, vlProgress *progress);
/* Edge lengths of the box after rounding to cells, m. */
vlVec3 vl_facts_size(const vlSimFacts *facts);

#endif
