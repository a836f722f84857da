/* Keeping particles out of solids on their way; which of them fly; velocities traced back. */
#ifndef VL_LIQUID_ADVECT_H
#define VL_LIQUID_ADVECT_H

#include "grid/sample.h"
#include "liquid/particles.h"

/* Particles in free flight. A particle that lies well above the surface found from all of them belongs to no liquid cell.
 * Velocities there are the flow's, continued into the air; carried by these it would hover over water at rest for ever. It
 * keeps its own velocity instead, with what gravity adds. */
typedef struct vlFlight {
  const double *phi;                          /* m: level set of the liquid before it moves, field; NULL: nothing flies */
  double gain[3];                             /* m/s: change of a flying particle's velocity in the step */
  vlVec3 (*more)(const void *data, vlVec3 x); /* m/s: and that at x, cells; NULL: none */
  const void *data;
  bool (*flies)(const void *data, const double x[3]); /* who knows the surface better than phi; NULL: nobody */
  const void *flies_data;
} vlFlight;

/* Cells over the surface from which on a particle flies: particles on a flat surface lie up to a quarter of a cell above it.
 */
#define VL_FLIGHT_HEIGHT 0.3

static inline bool vl_flies(const vlFlight *flight, const vlGrid *g, const double x[3])
{
  if (!flight->phi) return false;
  if (flight->flies) return flight->flies(flight->flies_data, x);
  double height = VL_FLIGHT_HEIGHT * g->dx;
  /* deep inside its cell's own value tells */
  if (flight->phi[vl_grid_at(g, (int)x[0], (int)x[1], (int)x[2])] < -height) return false;
  vlStencil8 s = vl_sample_at(g, VL_CELLS, x);
  return vl_sample_value(&s, flight->phi) > height;
}

/* Distances to static solids on a lattice finer than the grid, for gaps narrower than a cell. */
typedef struct vlFineObstacles {
  const vlGrid *grid;        /* of fine cells */
  int refine;                /* of them along each axis in a cell of the grid */
  const double *distance;    /* fine cells: at their corners, field */
  const unsigned char *near; /* by block place: 0 not known, 1 none within CLOSE fine cells, 2 `distance` is valid */
  const vlBlocks *shape;     /* any set of blocks of the fine grid, for places */
} vlFineObstacles;
#define VL_FINE_OBSTACLES_CLOSE 3.0

/* Solids as advection sees them: distances in cells at the cells' corners. */
typedef struct vlObstacles {
  const double *distance;      /* to static solids, field; NULL: none */
  const unsigned char *near;   /* by block place: 2 where `distance` is valid */
  const vlBlocks *shape;       /* any set of blocks of the grid, for places */
  const vlFineObstacles *fine; /* known better near them; NULL: not */
  const double *body_distance; /* to bodies that move; NULL: none */
  const unsigned char *body_near;
  double *const *body_velocity; /* m/s of their surface, at the corners, body_velocity[axis] */
  const unsigned char *calm;    /* of each block of `shape`: 1 where nothing is near (vlCalm); NULL: not known */
} vlObstacles;

/* Whether distances are known in the block at that place. */
static inline bool vl_obstacles_near(const vlObstacles *o, size_t place)
{
  return (o->distance && o->near[place] == 2) || (o->body_distance && o->body_near[place] == 2);
}

enum { VL_CALM_WAY = 2 };   /* cells along each axis that a particle may go from a calm block (vlCalm) */
#define VL_SIDE_MARGIN 0.02 /* cells it keeps from the domain's sides */

/* Whether no solid or body can be met on the way from x to `to`. */
static inline bool vl_meets_nothing(const vlObstacles *o, const double x[3], const double to[3])
{
  if (!o->distance && !o->body_distance) return true;
  for (int a = 0; a < 3; a++)
    if (!o->calm || !(fabs(to[a] - x[a]) <= VL_CALM_WAY)) return false;
  int b = vl_blocks_find(o->shape, (int)x[0] / VL_BLOCK, (int)x[1], (int)x[2]);
  return b >= 0 && o->calm[b];
}

/* Whether nothing stands in that way, sides of the domain neither: most ways, of which vl_advect_keep_out changes nothing.
 */
static inline bool vl_way_is_clear(const vlGrid *g, const vlObstacles *o, const double x[3], const double to[3])
{
  for (int a = 0; a < 3; a++)
    if (g->n[a] == 1 || !(to[a] >= VL_SIDE_MARGIN && to[a] <= g->n[a] - VL_SIDE_MARGIN)) return false;
  return vl_meets_nothing(o, x, to);
}

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
typedef struct vlCalm {
  unsigned char *block; /* of each block of the obstacles' `shape`: whether it is calm [count] */
  unsigned char *row;   /* scratch, the same for its plane alone */
  size_t capacity, row_capacity;
} vlCalm;

vlCode vl_calm_update(vlCalm *calm, const vlObstacles *obstacles, vlStatus *status);
void vl_calm_clear(vlCalm *calm); /* frees */

/* Velocities inside solids that let liquid slide along them and not through them. */
typedef struct vlSlipWork {
  double *value; /* m/s: new velocities of the lower faces of a block, [wet][axis][cell] */
  size_t capacity;
} vlSlipWork;

/* Faces in solids and just before them take the velocity of the liquid a cell before the wall, without its part through the
 * wall. keep: faces that keep theirs, a bit each [wet]; NULL: none does. */
vlCode vl_slip(const vlGrid *grid, const vlBlocks *wet, vlObstacles obstacles, unsigned short *const *keep,
               double *const u[3], vlSlipWork *work, vlStatus *status);

/* Velocities back to the particles, and the particles along the field: one pass over all of them. */
typedef struct vlCarry {
  double *const *u;      /* m/s: velocity of the step, u[axis], fields */
  double *const *path;   /* m/s: velocity that carries places; NULL: u */
  double *const *change; /* u - u_old, which FLIP gives to particles, less (1 - flip)/flip (path - u); NULL: zero */
  double flip; /* share of FLIP: v = flip (v + change) + (1 - flip) path; affine particles take v = u, c = grad u */
  double dt;   /* s */
  vlIntegratorKind integrator;
  vlObstacles obstacles; /* where they are at the end of the step */
  const vlFlight *flight;
  /* Velocity v of particles at x (cells) that something holds, after the grid gave theirs, and the one by which they go
   * straight on, way; own: the one they had. NULL: nothing holds any. */
  bool (*held)(const void *data, const double x[3], const double own[3], double v[3], double way[3]);
  const void *held_data;
  /* Changes the velocity v of a particle at x (cells) and that of its place, w, which is NULL half way; NULL: nothing
   * does. */
  void (*deflect)(const void *data, const double x[3], double v[3], double w[3]);
  bool (*deflects)(const void *data, vlBlockPosition block); /* whether it does so within a cell of the block */
  const void *deflect_data;
  unsigned char *gone; /* 1 for particles whose way leads out through a side in `open`, else 0; NULL: none does */
  bool open[6];        /* by 2 axis, + 1 for the upper one */
} vlCarry;

/* Gives every particle its new velocity and moves it by the path for dt, flying ones by their own velocity. They end inside
 * the domain and outside solids and bodies. Returns how many could only be left where they were. moving, m2/s2: gets the sum
 * of half the squares of the velocities that the grid has at them, or flying ones of their own. */
size_t vl_carry_particles(vlParticles *particles, const vlGrid *grid, const vlCarry *carry, double *moving);

#endif
