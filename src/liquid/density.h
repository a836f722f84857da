/* How densely the particles stand in the volume that the surface gives them. */
#ifndef VL_LIQUID_DENSITY_H
#define VL_LIQUID_DENSITY_H

#include "liquid/particles.h"

typedef struct vlDensity {
  double *filled;  /* part of each cell that is open and below the surface, 0..1, field */
  double *gain;    /* part of its volume that a cell is to gain in the next step to even the density out, field */
  double gain_max; /* largest |gain| */
} vlDensity;

/* Filled part and gain of the wet cells. per_cell: particles in a full cell; steps: of the usual length that the next one is
 * worth, 1 or more. */
void vl_density_update(vlDensity *density, const vlGrid *grid, const vlParticles *particles, int per_cell,
                       const double *open, const double *phi, const vlBlocks *wet, double steps);

#endif
