/* The wet blocks around particles, and what each step needs to know of the space there. */
#ifndef VL_LIQUID_WET_H
#define VL_LIQUID_WET_H

#include "liquid/particles.h"

/* Lists every block with a cell within `reach` cells of a cell that holds particles. */
vlCode vl_wet_around(const vlParticles *particles, const vlGrid *grid, int reach, vlBlocks *wet, vlStatus *status);
/* Zeroes fields on the blocks of `before` that are not in `now`. */
void vl_wet_forget(const vlGrid *grid, const vlBlocks *before, const vlBlocks *now, double *const *fields, int count);

#endif
