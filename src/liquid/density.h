/* How densely the particles stand in the volume that the surface gives them. */
#ifndef VL_LIQUID_DENSITY_H
#define VL_LIQUID_DENSITY_H

#include "liquid/particles.h"

typedef struct vlDensity {
  double *filled;  /* part of each cell that is open and below the surface, 0..1, field */
  double *rate;    /* 1/s: the divergence that evens the density out, field */
  double rate_max; /* 1/s: largest |rate| */
} vlDensity;

/* Filled part and rate of the wet cells. per_cell: particles in a full cell. */
void vl_density_update(vlDensity *density, const vlGrid *grid, const vlParticles *particles, int per_cell,
                       const double *open, const double *phi, const vlBlocks *wet);

#endif
