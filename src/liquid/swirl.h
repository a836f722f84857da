/* A vortex that liquid may start with. */
#ifndef VL_LIQUID_SWIRL_H
#define VL_LIQUID_SWIRL_H

#include "liquid/particles.h"

/* Adds the scene's swirl to the velocities of all particles, and how it varies where they keep that. */
void vl_swirl_add(vlParticles *particles, const vlGrid *grid, const vlLiquidDef *liquid);
/* m/s at a place. */
vlVec3 vl_swirl_velocity(const vlLiquidDef *liquid, vlVec3 x);

#endif
