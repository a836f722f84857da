/* Particles for cells inside the liquid that have become nearly empty. */
#ifndef VL_LIQUID_RESEED_H
#define VL_LIQUID_RESEED_H

#include "liquid/particles.h"

typedef struct vlReseed {
  int per_axis;        /* particles per cell along each axis, as seeded */
  const double *phi;   /* m: level set at cell centres, field */
  const double *open;  /* open part of each cell's volume, field; only whole cells are filled */
  double *const *u;    /* m/s: velocity the new particles take, u[axis] */
  double *const *less; /* m/s: subtracted from it, less[axis]; NULL: nothing */
  uint64_t salt;       /* changes the places */
} vlReseed;

/* Moves particles between neighbouring cells deep inside the liquid, from full ones to nearly empty ones; a moved particle
 * is a new one with a new id. The particles must be sorted for phi's step and are no longer after it. Returns how many
 * moved. */
int64_t vl_reseed(vlParticles *particles, const vlGrid *grid, const vlReseed *reseed);

#endif
