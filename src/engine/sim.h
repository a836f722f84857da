/* A simulation's inside, for the engine and for the writers of frames. */
#ifndef VL_ENGINE_SIM_H
#define VL_ENGINE_SIM_H

#include "cut/cuts.h"
#include "cut/patches.h"
#include "cut/weights.h"
#include "engine/bodies.h"
#include "liquid/advect.h"
#include "liquid/calm.h"
#include "liquid/density.h"
#include "liquid/kernel.h"
#include "liquid/particle_level.h"
#include "liquid/particles.h"
#include "liquid/slip.h"
#include "liquid/surface.h"
#include "liquid/transfer.h"
#include "mesh/sdf.h"
#include "pressure/pressure.h"
#include "pressure/separation.h"
#include "solid/body_distance.h"
#include "solid/contact_solve.h"
#include "solid/node_distance.h"
#include "solid/statics.h"
#include "velella/velella.h"

/* All that a restart needs besides the scene. */
typedef struct vlState {
  int64_t step;
  double time;            /* s */
  vlParticles *particles; /* NULL when the liquid is still */
  double *u_old[3];       /* m/s: velocity through lower faces before the next step's forces, field */
  double *p;              /* Pa at cell centres, field; first guess of the next solve */
  double max_speed;       /* m/s, after the last step */
  vlBodies bodies;        /* elastic bodies */
  vlPartedPlaces parted;  /* cells of liquid that parted from walls in the last step: where the next begins to look */
} vlState;

/* Rebuilt when the liquid moves. */
typedef struct vlWork {
  vlPageUse pages; /* of the simulation's fields, where the wet blocks are */
  vlBlocks wet;    /* blocks with liquid cells and their neighbours, as far as particles may travel in a step */
  vlBlocks wet_before;
  double *u[3];       /* m/s: velocity through lower faces: after forces, then after pressure, then extrapolated; field */
  double *weight[3];  /* scratch of the transfer, field */
  double *area[3];    /* m2: what the pressure takes for the open area of lower faces (weights), field */
  double *open;       /* open part of each cell's volume, 0..1, field */
  vlFaceMask touched; /* faces that particles give a velocity [wet] */
  vlFaceMask known, scratch; /* faces whose velocity is known, while extrapolating [wet] */
  vlSlipWork slip;
  vlCalm calm; /* while particles move [wet] */
  vlLevelWork level_work;
  vlLevelOutput level; /* liquid level set and what else the particles tell */
  vlDensity density;   /* of the particles, and the divergence that keeps the volume */
  vlPressure *pressure;
  vlSeparation separation; /* from walls */
  /* Of the elastic bodies as they lie. */
  vlPatches patches;
  int *first_node;            /* number of each body's node 0 among all nodes [bodies + 1] */
  vlPatchSurface *surface_of; /* [bodies] */
  vlBodyDistance body_distance;
  vlVec3 *free_velocity; /* scratch [nodes] */
  vlContactSolve contact;
  double *friction;     /* of each body [bodies] */
  int inverted_told;    /* elements inside out that were warned of */
  double squeezed_told; /* m3/s: of enclosed liquid, that was warned of */
  double broken_told;   /* m/s: by which contacts were left broken, that was warned of */
  bool leap_told;       /* that a step is too long for a scripted body's way */
  double crushed_told;  /* m: depth to which a scripted body had pressed another that was warned of */
} vlWork;

struct vlSim {
  vlScene *scene; /* its own copy */
  vlLog log;
  int threads;
  vlGrid grid;
  vlStatics *statics;
  vlCuts *static_cuts; /* of the static solids alone */
  vlCuts *cuts;        /* what the liquid sees; with bodies its own, else the static ones */
  vlWeights weights;   /* of faces, where they are not their open areas */
  vlNodeDistance solid_nodes;
  vlKernel kernel;
  vlSdf **sources; /* shapes of the scene's sources [source_count] */
  vlSdf **sinks;   /* [sink_count] */
  int per_cell;    /* particles a full cell is seeded with */
  vlState state;
  vlWork work;
  vlSurface surface; /* the last one asked for */
};

vlFluid vl_sim_fluid(const vlSim *sim);
vlObstacles vl_sim_obstacles(const vlSim *sim);
/* m: to the nearest static solid or body; the simulation is passed as plain data. */
double vl_sim_solid_distance(const void *sim, vlVec3 x);
/* Open areas and volumes on the wet blocks, with the bodies where they lie now. */
vlCode vl_sim_recut(vlSim *sim, vlStatus *status);
/* From enter to leave, parallel loops of the calling thread have the simulation's number of threads; enter returns what was
 * before and leave takes it. */
int vl_sim_enter(const vlSim *sim);
void vl_sim_leave(int before);

/* s: surface waves as short as the grid turn over in about sqrt(dx/g); a step longer than this part of it feeds them (the
 * surface moves explicitly). */
double vl_usual_step(double dx, double g);

/* Velocity through lower faces at the simulation's time: what the last step left, at the start what the liquid begins
 * with. */
double *const *vl_sim_velocity(const vlSim *sim);
/* sim_surface.c: the liquid's surface with its velocity; only for liquid that moves. Needs nothing of former steps but the
 * velocity. */
vlCode vl_sim_surface_create(vlSurface *surface, const vlSim *sim, vlStatus *status);

/* sharp.c: forces, bodies begun, the pressure system of a step of dt and its right-hand side without the bodies' part. The
 * state is not changed. */
vlCode vl_sharp_prepare(vlSim *sim, double dt, vlStepInfo *info, vlStatus *status);

/* One solve of the assembled system with its bodies and their contacts; more where the contacts ask for it. */
vlCode vl_sharp_solve(vlSim *sim, double dt, vlSolveOptions options, vlPressureSolve *result, vlStatus *status);
/* parting.c: may liquid part from anything? Then this solves the system prepared, and leaves the pressure in the state. */
bool vl_parting_on(const vlScene *scene);
/* parting_walls.c: may liquid in the cell part from anything that it touches? The simulation is passed as plain data. */
bool vl_parting_may(const void *sim, const int cell[3]);
bool vl_parting_mixed(const vlScene *scene); /* from some things it may and from others not */
vlCode vl_parting_solve(vlSim *sim, double dt, vlSolveOptions options, vlPressureSolve *result, vlStatus *status);

/* motion.c: after particles moved (or were seeded): order, wet blocks, geometry, velocities on the grid, level set. */
vlCode vl_motion_settle(vlSim *sim, double dt, vlStepInfo *info, vlStatus *status);
/* Moves the particles for dt through the new velocity, lets sources and sinks act, then settles. */
vlCode vl_motion_step(vlSim *sim, double dt, vlStepInfo *info, vlStatus *status);
vlCode vl_motion_seed(vlSim *sim, vlStatus *status);
/* The grid around restored particles; then, with u_old and p restored on its blocks, velocities and level set as they were.
 */
vlCode vl_motion_restore(vlSim *sim, vlStatus *status);
vlCode vl_motion_restore_velocity(vlSim *sim, vlStatus *status);

/* sim_bytes.c: memory that its arrays hold, without the fields and the bodies. */
double vl_sim_array_bytes(const vlSim *sim);

/* measure.c: what series.csv tells of the new velocity, and of the particles once they have moved. */
void vl_measure(const vlSim *sim, vlStepInfo *info);
void vl_measure_particles(const vlSim *sim, vlStepInfo *info);
/* check.c: the invariants of check level 1..3; a violated one is VL_ERROR_SOLVER naming it and the cell. */
vlCode vl_check_invariants(const vlSim *sim, const vlStepInfo *info, vlStatus *status);

#endif
