/* The level set beside walls: no liquid behind them, no air in their corners. */
#ifndef VL_LIQUID_WALL_LEVEL_H
#define VL_LIQUID_WALL_LEVEL_H

#include "liquid/particle_level.h"

/* Mends the level set (m at cell centres, field) of wet cells. open: part of each cell that is not solid, field; area: m2
 * that is open of lower faces, area[axis], fields. `work` as vl_particle_level left it on the same blocks. */
void vl_wall_level(const vlGrid *grid, const vlBlocks *wet, const vlParticles *particles, const double *open,
                   double *const area[3], vlLevelWork *work, double *phi);

#endif
