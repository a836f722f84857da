/* New particles in shapes, and a vortex that they may start with. */
#ifndef VL_LIQUID_SEED_H
#define VL_LIQUID_SEED_H

#include "liquid/kernel.h"
#include "liquid/particles.h"

/* A signed distance in metres, negative inside; thread-safe. */
typedef double vlDistance(const void *data, vlVec3 x);

typedef struct vlSeed {
  int per_axis;       /* particles per cell along each axis */
  vlVec3 velocity;    /* m/s */
  vlDistance *liquid; /* where to put them */
  const void *liquid_data;
  vlDistance *solid; /* where not to; may be NULL */
  const void *solid_data;
  vlBox3 bounds;   /* m: outside this box there is no liquid */
  uint64_t salt;   /* changes the jitter */
  double shift[3]; /* cells by which the lattice has moved; zero along an axis of one cell */
  bool only_new;   /* only where the shape was not one step before, and never into a crowded cell (sources) */
  bool even;       /* without jitter but where the shape's surface cuts a sub-cell */
  bool sparing;    /* not in cells that are half full already */
  double way[3];   /* cells that the lattice moves in a step, against the shape */
} vlSeed;

/* One particle in each sub-cell, jittered all over it, kept where it lies in liquid and not in a solid: then on average the
 * level is right wherever it passes through a cell. The particles must be sorted when only_new. Returns the number added
 * in *added. */
vlCode vl_seed(vlParticles *particles, const vlGrid *grid, const vlSeed *seed, size_t *added, vlStatus *status);

/* At most `count` more where one is wanted, at random places that `key` tells; fewer where places are hard to find. */
vlCode vl_seed_more(vlParticles *particles, const vlGrid *grid, const vlSeed *seed, size_t count, uint64_t key,
                    size_t *added, vlStatus *status);

/* Moves the particles near the surface of seed->liquid; they must be sorted and are sorted after it. open: open part of the
 * cells' volume, valid around them. */
vlCode vl_seed_fit(vlParticles *particles, const vlGrid *grid, const vlKernel *kernel, const double *open,
                   const vlSeed *seed, vlStatus *status);

/* Adds the scene's swirl to the velocities of all particles, and how it varies where they keep that. */
void vl_swirl_add(vlParticles *particles, const vlGrid *grid, const vlLiquidDef *liquid);
/* m/s at a place. */
vlVec3 vl_swirl_velocity(const vlLiquidDef *liquid, vlVec3 x);

/* Particles for cells inside the liquid that have become nearly empty. */
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
