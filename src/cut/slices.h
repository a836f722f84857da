/* What a body takes from the grid: slices [batty2007, sec. 3]. */
#ifndef VL_CUT_SLICES_H
#define VL_CUT_SLICES_H

#include "cut/patches.h"

/* Of body number b as it lies, whose centre of mass is at X, by the patches of its surface. */
vlSlices vl_slices_of(const vlPatches *patches, const vlBodySet *bodies, int b, vlVec3 X, vlVec3 slope);
/* Tells all bodies that take it from there mass and weight of the coming step. */
void vl_slices_weigh(vlBodySet *bodies, const vlPatches *patches, vlVec3 gravity);

#endif
