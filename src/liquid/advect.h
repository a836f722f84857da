/* Keeping particles out of solids on their way; which of them fly; velocities traced back. */
#ifndef VL_LIQUID_ADVECT_H
#define VL_LIQUID_ADVECT_H

#include "grid/sample.h"
#include "liquid/particles.h"

/* Particles in free flight. A particle that lies well above the surface found from all of them belongs to no liquid cell.
 * Velocities there are the flow's, continued into the air; carried by these it would hover over water at rest for ever. It
 * keeps its own velocity instead, with what gravity adds. */
typedef struct vlFlight {
  const double *phi; /* m: level set of the liquid before it moves, field; NULL: nothing flies */
  double gain[3];    /* m/s: change of a flying particle's velocity in the step */
} vlFlight;

/* Cells over the surface from which on a particle flies: particles on a flat surface lie up to a quarter of a cell above it.
 */
#define VL_FLIGHT_HEIGHT 0.3

static inline bool vl_flies(const vlFlight *flight, const vlGrid *g, const double x[3])
{
  if (!flight->phi) return false;
  double height = VL_FLIGHT_HEIGHT * g->dx;
  /* deep inside its cell's own value tells */
  if (flight->phi[vl_grid_at(g, (int)x[0], (int)x[1], (int)x[2])] < -height) return false;
  vlStencil8 s = vl_sample_at(g, VL_CELLS, x);
  return vl_sample_value(&s, flight->phi) > height;
}

/* Solids as advection sees them: distances in cells at the cells' corners. */
typedef struct vlObstacles {
  const double *distance;      /* to static solids, field; NULL: none */
  const unsigned char *near;   /* by block place: 2 where `distance` is valid */
  const vlBlocks *shape;       /* any set of blocks of the grid, for places */
  const double *body_distance; /* to bodies that move; NULL: none */
  const unsigned char *body_near;
  double *const *body_velocity; /* m/s of their surface, at the corners, body_velocity[axis] */
  const unsigned char *calm;    /* of each block of `shape`: 1 where nothing is near (vlCalm); NULL: not known */
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

/* Blocks whose particles meet no solid: most of them, and there nothing needs to be looked up on a particle's way. */
enum { VL_CALM_WAY = 2 }; /* cells along each axis that a particle may go from a calm block */

typedef struct vlCalm {
  unsigned char *block; /* of each block of the obstacles' `shape`: whether it is calm [count] */
  unsigned char *row;   /* scratch, the same for its plane alone */
  size_t capacity, row_capacity;
} vlCalm;

vlCode vl_calm_update(vlCalm *calm, const vlObstacles *obstacles, vlStatus *status);
void vl_calm_clear(vlCalm *calm); /* frees */

#endif
