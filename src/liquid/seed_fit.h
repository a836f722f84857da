/* New particles shifted so that the surface found from them is the shape's. */
#ifndef VL_LIQUID_SEED_FIT_H
#define VL_LIQUID_SEED_FIT_H

#include "liquid/kernel.h"
#include "liquid/seed.h"

/* Moves the particles near the surface of seed->liquid; they must be sorted and are sorted after it. open: open part of the
 * cells' volume, valid around them. */
vlCode vl_seed_fit(vlParticles *particles, const vlGrid *grid, const vlKernel *kernel, const double *open,
                   const vlSeed *seed, vlStatus *status);

#endif
