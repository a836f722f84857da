/* Keeping particles out of solids on their way; velocities traced back. */
#ifndef VL_LIQUID_ADVECT_H
#define VL_LIQUID_ADVECT_H

#include "liquid/flight.h"
#include "liquid/particles.h"

/* Solids as advection sees them: distances in cells at the cells' corners. */
typedef struct vlObstacles {
  const double *distance;      /* to static solids, field; NULL: none */
  const unsigned char *near;   /* by block place: 2 where `distance` is valid */
  const vlBlocks *shape;       /* any set of blocks of the grid, for places */
  const double *body_distance; /* to bodies that move; NULL: none */
  const unsigned char *body_near;
  double *const *body_velocity; /* m/s of their surface, at the corners, body_velocity[axis] */
  const unsigned char *calm;    /* of each block of `shape`: 1 where nothing is near (calm.h); NULL: not known */
} vlObstacles;

/* What stands in the way from x to `to` (cells), h = dt/dx: `to` becomes a place inside the domain and outside solids and
 * bodies, which lie where they are at the end of that time, and v (m/s) loses what ran into them. False: there is no such
 * place near; it then stays with the body it is at, or where it was, at the wall's velocity. */
bool vl_advect_keep_out(const vlGrid *grid, const vlObstacles *obstacles, double h, const double x[3], double to[3],
                        double v[3]);
/* u_old = u traced back along itself for dt, on the lower faces of the wet blocks [stam1999]; faces on the domain's sides
 * stay zero. */
void vl_advect_faces(const vlGrid *grid, const vlBlocks *wet, double *const u[3], double dt, double *const u_old[3]);
/* Distance to solids and bodies in cells at x (cells), a large value where none is near; gradient along the way out, not
 * unit. Velocity of the nearest: zero but for a body; NULL: not asked. */
double vl_obstacle_distance(const vlGrid *grid, vlObstacles obstacles, const double x[3], double gradient[3],
                            double velocity[3]);

#endif
