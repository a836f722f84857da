/* The liquid's level set from its particles. */
#ifndef VL_LIQUID_PARTICLE_LEVEL_H
#define VL_LIQUID_PARTICLE_LEVEL_H

#include "liquid/kernel.h"

/* How full the inside of the liquid is, for keeping its volume. */
typedef struct vlFilling {
  int64_t cells;     /* open cells deep inside the liquid */
  int64_t particles; /* in them */
} vlFilling;

/* What vl_particle_level writes. */
typedef struct vlLevelOutput {
  double *phi; /* m at cell centres, field */
  vlFilling filling;
} vlLevelOutput;

typedef struct vlLevelWork {
  unsigned short *held;   /* cells of each wet block that hold particles or are closed, a bit each [wet] */
  unsigned short *narrow; /* cells that are not wholly open [wet] */
  size_t capacity, narrow_capacity;
} vlLevelWork;

/* phi at the cell centres of the wet blocks. Cells with particles all around are deep and take the kernel's largest depth
 * without a sum. A cell too full of particles is liquid whatever the kernel says, so that pressure can hold what has been
 * pressed together. per_cell: particles in a full cell. */
vlCode vl_particle_level(const vlKernel *kernel, const vlGrid *grid, const vlParticles *particles, int per_cell,
                         const double *open, const vlBlocks *wet, vlLevelWork *work, vlLevelOutput *out, vlStatus *status);

/* Mends the level set (m at cell centres, field) of wet cells. open: part of each cell that is not solid, field; area: m2
 * that is open of lower faces, area[axis], fields. `work` as vl_particle_level left it on the same blocks. */
void vl_wall_level(const vlGrid *grid, const vlBlocks *wet, const vlParticles *particles, const double *open,
                   double *const area[3], vlLevelWork *work, double *phi);

#endif
