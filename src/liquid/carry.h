/* Velocities back to the particles, and the particles along the field: one pass over all of them. */
#ifndef VL_LIQUID_CARRY_H
#define VL_LIQUID_CARRY_H

#include "liquid/advect.h"

typedef struct vlCarry {
  double *const *u;      /* m/s: velocity of the step, u[axis], fields */
  double *const *change; /* u - u_old, which FLIP gives to particles; NULL: zero */
  double flip;           /* share of FLIP: v = flip (v + change) + (1 - flip) u; affine particles take v = u, c = grad u */
  double dt;             /* s */
  vlIntegratorKind integrator;
  vlObstacles obstacles; /* where they are at the end of the step */
  const vlFlight *flight;
  /* Velocity of particles at x (cells) that something holds, after the grid gave theirs; NULL: nothing holds any. */
  bool (*held)(const void *data, const double x[3], double v[3]);
  const void *held_data;
} vlCarry;

/* Gives every particle its new velocity and moves it by u for dt, flying ones by their own velocity. They end inside the
 * domain and outside solids and bodies. Returns how many could only be left where they were. */
size_t vl_carry_particles(vlParticles *particles, const vlGrid *grid, const vlCarry *carry);

#endif
