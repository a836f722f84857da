/* The two halves of vl_carry_particles, for tests of one of them. */
#ifndef VL_TESTS_CARRY_PARTS_H
#define VL_TESTS_CARRY_PARTS_H

#include "liquid/advect.h"

/* Moves the particles and leaves them their velocities. */
static inline size_t move_only(vlParticles *p, const vlGrid *g, double *const u[3], double dt, vlIntegratorKind integrator,
                               vlObstacles obstacles, const vlFlight *flight)
{
  vlFlight kept = {.phi = flight->phi};
  vlCarry carry = {.u = u, .flip = 1.0, .dt = dt, .integrator = integrator, .obstacles = obstacles, .flight = &kept};
  return vl_carry_particles(p, g, &carry, &(double){0});
}

/* Gives the particles their velocities and leaves them where they are. */
static inline void give_velocities(vlParticles *p, const vlGrid *g, double *const u[3], double *const change[3], double flip,
                                   const vlFlight *flight)
{
  vlCarry carry = {.u = u, .change = change, .flip = flip, .flight = flight};
  (void)vl_carry_particles(p, g, &carry, &(double){0});
}

#endif
