/* The sharp engine's inside: liquid with a sharp surface, rigid and elastic bodies, one pressure solve [zarifi2017;
 * batty2007]. */
#ifndef VL_ENGINE_SHARP_SHARP_H
#define VL_ENGINE_SHARP_SHARP_H

#include "contact/contact_solve.h"
#include "cut/cuts.h"
#include "cut/patches.h"
#include "cut/wall_patches.h"
#include "cut/weights.h"
#include "engine/engine.h"
#include "liquid/advect.h"
#include "liquid/fine.h"
#include "liquid/kernel.h"
#include "liquid/level_set.h"
#include "liquid/particles.h"
#include "liquid/seed.h"
#include "liquid/transfer.h"
#include "mesh/sdf.h"
#include "pressure/layer.h"
#include "pressure/pressure.h"
#include "pressure/separation.h"
#include "solid/node_distance.h"

/* What was warned of, once and again when it is ten times as bad. */
typedef struct vlTold {
  int64_t inverted; /* elements inside out */
  int64_t leap;     /* 1: that a step is too long for a body's way */
  double squeezed;  /* m3/s: of enclosed liquid */
  double broken;    /* m/s: by which contacts were left broken */
  double crushed;   /* m: depth to which a body had pressed another */
} vlTold;

/* m3: liquid that was taken away because bodies left it no room, since the start, and when that was last warned of. */
typedef struct vlLost {
  double volume, told;
} vlLost;

/* Lower face of a cell of the grid at which a source says how fast it flows. */
typedef struct vlFeedFace {
  int cell[3], axis;
  bool below, above; /* its two cells are the source's: a face with one is on its skin */
  double velocity;   /* m/s */
} vlFeedFace;

/* A source on the grid: the faces of the cells whose middles lie in it. */
typedef struct vlFeed {
  vlFeedFace *face; /* [count] */
  int count;
  double rate;  /* m3/s: what it brings at its full speed where it is not blocked */
  double scale; /* its full speed over the scene's velocity */
  vlVec3 shift; /* m: of the source, for which this was found */
} vlFeed;

/* What came of sources. */
typedef struct vlFlows {
  double blocked; /* 1: that one had no room was told */
} vlFlows;

/* Air without a way out (subgrid_air.c): what each pocket is to have, by its number. */
typedef struct vlPocket {
  double volume, pressure; /* m3, Pa */
} vlPocket;
typedef struct vlPockets {
  vlPocket *pocket; /* [count] */
  int count;
  size_t capacity;
} vlPockets;

/* All that a restart needs besides the scene. A step that fails before it is taken leaves it as it was. */
typedef struct vlState {
  int64_t step;
  double time;            /* s */
  double last_dt;         /* s: length of the last step; 0: there was none */
  vlParticles *particles; /* NULL when the liquid is still */
  vlFine *fine;           /* its surface finer than the grid; NULL: it follows from the particles alone */
  vlPockets pockets;      /* of trapped air */
  double *u[3];           /* m/s: velocity through lower faces, continued a few cells beyond the liquid; field */
  double *u_old[3]; /* m/s: what the next step begins with: `u` after the liquid has moved, on its particles; still: not
                       used, field */
  double *p;        /* Pa at cell centres, field; first guess of the next solve */
  double max_speed; /* m/s, after the last step */
  vlBodySet bodies;
  vlPartedPlaces parted; /* cells of liquid that parted from walls in the last step: where the next begins to look */
  vlTold told;
  vlWallLoad *walls; /* of the last step [VL_SIDES + solids] */
  vlLost lost;
  vlFlows flows;
} vlState;

/* Rebuilt from scene and state (vl_sharp_rebuild); may be thrown away between any two steps. */
/* Of a cell with bodies' surface that liquid may part from (lift.c). */
typedef struct vlLift {
  int cell, order; /* of a wet block: VL_BLOCK b + l; its first piece */
  vlVec3 s;        /* m2: sum of the areas' vectors */
  vlVec3 weight;   /* N: of the liquid between them and the middle */
  double area;     /* m2 */
  double along;    /* kg: what goes along, below 0 where the middle lies in the body */
  double p, air;   /* Pa: P, what holds the weight; p_s beside it */
} vlLift;
typedef struct vlLifts {
  vlLift *lift; /* ascending by cell [count] */
  int count;
  size_t capacity;
  vlVec3 *force; /* N: J^T P [nodes] */
} vlLifts;

typedef struct vlWork {
  vlPageUse pages; /* of the simulation's fields, where the wet blocks are */
  vlBlocks wet;    /* blocks with liquid cells and their neighbours, as far as particles may travel in a step */
  vlBlocks wet_before;
  vlCuts *cuts;               /* what the liquid sees; with bodies its own, else the static ones */
  vlWeights weights;          /* of faces, where they are not their open areas */
  vlNodeDistance solid_nodes; /* distance to static solids, where liquid has been */
  double *p;                  /* field: Pa: pressure of the step that is tried; once it is the state's, scratch */
  double *u[3]; /* field: velocity of the step that is tried, m/s: after forces, then after pressure. Once it is the state's,
                   scratch: FLIP's change of velocity, then weights of the transfer */
  double *path[3];   /* field: velocity that carries places where they are to even out (pressure/volume.c); immersed: grains,
                        m/s */
  bool paths;        /* it is there in this step; else places go with the state's u */
  double path_speed; /* m/s: the largest */
  /* immersed: rho over the density of faces, mass on them in particles of liquid, scratch; how
   * full cells are; the level set as it is shown */
  double *light[3], *mass[3], *spare[3], *full, *shown;
  bool shows;        /* it is that of the particles as they are */
  double *beyond[3]; /* field: Pa: in sinks that have a pressure, at their cells' faces (sinks.c) */
  bool pressed;      /* there are such faces in this step */
  /* subgrid: what the surface moves by beside u, m3/s, over its area, m2; fields */
  double *push, *push_area;
  double *swell;    /* field: divergence of u that leapfrog asks for, 1/s (pressure/middle.c) */
  double swells;    /* 1/s: the largest in the step that is tried */
  double *area[3];  /* m2: what the pressure takes for the open area of lower faces (weights), field */
  double *open;     /* open part of each cell's volume, 0..1, field */
  vlFaceMask given; /* faces whose velocity sources give [wet]; only where given_now says so */
  bool given_now;
  double *pace;        /* of sources: mean speed in this step over the scene's velocity [source_count] */
  bool *blocked;       /* sources that stand still in this step for want of room [source_count] */
  unsigned char *gone; /* particles that went out through outlets in this step [particles] */
  size_t gone_capacity;
  vlFaceMask touched;        /* faces that particles give a velocity [wet] */
  vlFaceMask known, scratch; /* faces whose velocity is known, while extrapolating [wet] */
  vlSlipWork slip;
  vlCalm calm; /* while particles move [wet] */
  vlLevelWork level_work;
  vlLevelOutput level; /* liquid level set and what else the particles tell */
  vlDensity density;   /* of the particles */
  vlPressure *pressure;
  vlSeparation separation; /* from walls */
  /* Of the bodies as they lie. */
  vlPatches patches;
  vlBodyDistance body_distance;
  vlWallLoad *walls;   /* scratch: what parts of the blocks add to each wall */
  vlVec3 *total;       /* scratch: loads and contact forces, velocities [nodes] */
  vlLayer layer;       /* liquid that bodies carry along in the step that is tried */
  vlVec3 *layer_force; /* N: of it on the bodies [nodes] */
  vlLayerSums layer_sums;
  vlLifts lifts;   /* of the step that is tried */
  vlBodyMark mark; /* what the step that is tried changes of their state before it is taken */
  vlContactSolve contact;
} vlWork;

typedef struct vlSharp vlSharp;
typedef struct vlSubgrid vlSubgrid; /* subgrid.h */

/* A step on its way through the stages. */
typedef struct vlStep {
  double dt;   /* s */
  double kick; /* s: over which forces change velocities; dt, or with time.scheme: leapfrog from the middle of the last step
                  to that of this one */
  vlPressureSolve result;
  vlStepInfo *info;
} vlStep;
typedef vlCode vlStageRun(vlSharp *sim, vlStep *step, vlStatus *status);
typedef struct vlStage {
  vlStageKind timer;
  vlStageRun *run;
} vlStage;

/* What a step is made of: lists that end with a NULL. step.c runs them in this order. */
typedef struct vlMethod {
  const vlStage *tried, *measured; /* nothing of the state changes; again with half the step where it went wrong */
  const vlStage *judged;           /* is it to be taken? */
  const vlStage *taken, *moved;    /* the state changes; moved: of liquid that moves */
  double (*natural_step)(const vlSharp *sim); /* s: of a step that nothing else shortens */
  /* what of a cell's open room liquid takes, for the volume that is told; NULL: what the level set cuts off */
  double (*filled)(const vlSharp *sim, ptrdiff_t at);
  vlCode (*place)(vlSharp *sim, vlStatus *status); /* what particles' places say */
  vlCode (*seed)(vlSharp *sim, const vlLiquidShapes *shapes,
                 vlStatus *status); /* what liquid begins with beside them; NULL */
  /* vlCarry.held and vlFlight.flies; NULL: there is none */
  bool (*held)(const void *sim, const double x[3], const double own[3], double v[3], double way[3]);
  bool (*flies)(const void *sim, const double x[3]);
  /* vlCarry.deflect and deflects; NULL: there is none */
  void (*deflect)(const void *sim, const double x[3], double v[3], double w[3]);
  bool (*deflects)(const void *sim, vlBlockPosition block);
  vlStageRun *settle;                             /* the same once they have moved */
  vlCode (*fill)(vlSharp *sim, vlStatus *status); /* then fields, from what they carry */
} vlMethod;
extern const vlMethod vl_method_sharp;

struct vlSharp {
  vlSim sim;
  const vlMethod *method;
  const vlScene *scene; /* the simulation's */
  vlLog log;
  vlGrid grid;
  vlStatics *statics;
  vlCuts *static_cuts;        /* of the static solids alone */
  vlWallPatches wall_patches; /* of each of them */
  vlKernel kernel;
  vlSdf **sources;    /* shapes of the scene's sources [source_count] */
  vlOutlet outlet[6]; /* sides of the box, as the scene's outlets have them */
  bool outlets;       /* there are some */
  vlFeed *feeds;      /* what they push with [source_count] */
  vlSdf **sinks;      /* [sink_count] */
  int per_cell;       /* particles a full cell is seeded with */
  vlBodySet apart; /* of the state's bodies those whose surface is one to the liquid: all, or not those that are one medium
                      with it; their arrays */
  vlParticles **guests; /* grains of those that are; NULL: there are none [guest_count] */
  int guest_count;
  vlSubgrid *subgrid; /* of vl_method_subgrid */
  vlState state;
  vlWork work;
};

/* The simulation as one of this engine, which it must be. */
static inline vlSharp *vl_sharp(const vlSim *sim) { return (vlSharp *)sim; }

vlFluid vl_sharp_fluid(const vlSharp *sim);
vlObstacles vl_sharp_obstacles(const vlSharp *sim);
/* m: to the nearest static solid or body; the simulation is passed as plain data. */
double vl_sharp_solid_distance(const void *sim, vlVec3 x);
/* Open areas and volumes on the wet blocks, with the bodies where they lie now. */
vlCode vl_sharp_recut(vlSharp *sim, vlStatus *status);
/* All of `work` anew from scene and state, whatever it holds. */
vlCode vl_sharp_rebuild(vlSharp *sim, vlStatus *status);
/* m/s2: what accelerates free liquid at x, m, in the coming step. */
vlVec3 vl_sharp_pull(const vlSharp *sim, vlVec3 x);
/* m/s2: what accelerates all liquid and all bodies alike. */
vlVec3 vl_sharp_acceleration(const vlSharp *sim);
/* Whether forces act that differ from place to place, and m/s2: what they accelerate the liquid with at x, m, and time, s.
 */
bool vl_sharp_uneven(const vlSharp *sim);
vlVec3 vl_sharp_uneven_at(const vlSharp *sim, vlVec3 x, double time);
/* m/s: velocity through lower faces before the next step's forces. */
double *const *vl_sharp_before(const vlSharp *sim);

/* s: surface waves as short as the grid turn over in about sqrt(dx/g); a step longer than this part of it feeds them (the
 * surface moves explicitly). */
double vl_usual_step(double dx, double g);
/* s: of a step that nothing shortens or prescribes; INFINITY: nothing gives a bound. */
double vl_natural_step(const vlSharp *sim);

/* view.c: the liquid's surface with its velocity; only for liquid that moves. Needs nothing but the state. */
vlCode vl_sharp_surface(const vlSim *sim, vlSurface *surface, vlStatus *status);

/* step.c: the pressure system of a step and its right-hand side without the bodies' part, ready to be solved. The state is
 * not changed. */
vlCode vl_sharp_prepare(vlSharp *sim, double dt, vlStatus *status);
vlCode vl_sharp_step(vlSim *sim, double dt_limit, vlStepInfo *info, vlStatus *status);
/* Stages: L, J and b; p; u = u* - (dt/rho) grad p; counters of the step; the new velocity and pressure are the state's. */
vlStageRun vl_step_assemble, vl_step_solve, vl_step_velocity, vl_step_describe, vl_step_accept, vl_step_keep_parted;

/* One solve of the assembled system with its bodies and their contacts; more where the contacts ask for it. */
vlCode vl_sharp_solve(vlSharp *sim, double dt, vlSolveOptions options, vlPressureSolve *result, vlStatus *status);
/* bytes.c: memory that its arrays hold, without the fields and the bodies. */
double vl_sharp_array_bytes(const vlSharp *sim);

/* forces.c: the first stage of a step. */
vlStageRun vl_forces_add;

/* separate.c: may liquid part from anything? */
bool vl_separate_on(const vlScene *scene);
/* Solves the system prepared, and leaves the pressure in the state. */
vlCode vl_separate_solve(vlSharp *sim, double dt, vlSolveOptions options, vlPressureSolve *result, vlStatus *status);

/* motion.c: particles of the scene, and what they bring along. */
vlCode vl_motion_seed(vlSharp *sim, vlStatus *status);
/* What the particles' places say: their order, blocks, geometry around them; then, with fields on those blocks, velocities
 * on the grid and the level set. */
vlCode vl_motion_place(vlSharp *sim, vlStatus *status);
vlCode vl_motion_fill(vlSharp *sim, vlStatus *status);
/* m/s: full speed of a source. */
double vl_sources_speed(const vlSharp *sim, int source);
/* Sources where a program has moved them by now. */
void vl_sources_place(vlSharp *sim);
/* Stages of a step: sources that a program moves; volume that the particles stand for; the new velocity beyond the liquid;
 * new particles for old; the particles' ways; those that ended in a body or a sink and those that sources bring; geometry;
 * velocities on the grid; level set. */
/* free_sides: faces on the domain's sides; keep: at outlets, what the solve has found. begin: velocities before the first
 * step. reach: cells beyond the particles in which velocities are known. */
void vl_motion_free_sides(const vlSharp *sim, bool keep, double *const u[3]);
void vl_motion_begin(vlSharp *sim);
int vl_motion_reach(const vlSharp *sim);
/* Beyond where they are known: a change of velocity by pressure, known at faces of liquid cells; a velocity, known at all
 * faces that particles touch. */
void vl_motion_extend_kick(vlSharp *sim, double *const kick[3]);
vlCode vl_motion_extend_touched(vlSharp *sim, double *const u[3], vlStatus *status);
vlStageRun vl_sources_move, vl_motion_grow, vl_motion_extend, vl_motion_reseed, vl_motion_carry, vl_motion_exchange,
    vl_motion_settle, vl_motion_to_grid, vl_motion_level;

/* halt.c */
void vl_sharp_halt(vlSim *sim);
/* pour.c: liquid that a program adds and takes away between two steps. */
vlCode vl_sharp_add_liquid(vlSim *sim, const vlSdf *shape, vlVec3 velocity, int64_t *added, vlStatus *status);
vlCode vl_sharp_remove_liquid(vlSim *sim, const vlSdf *shape, int64_t *removed, vlStatus *status);
/* motion.c: a way to seed liquid at the velocity, without solids. */
vlSeed vl_motion_seed_in(const vlSharp *sim, vlDistance *liquid, const void *data, vlBox3 bounds, vlVec3 velocity);
/* Takes the particles in any of the shapes away; returns how many in *removed. */
vlCode vl_motion_remove(vlSharp *sim, vlSdf *const *shapes, int count, int64_t *removed, vlStatus *status);

/* outlets.c: sides of the box that are open, with the pressure beyond them as gravity has it now; u* there, which is that of
 * the face before it; particles that went out taken away, others that come in. */
void vl_outlets_find(vlSharp *sim);
vlCode vl_outlets_prepare(vlSharp *sim, vlCarry *carry, vlStatus *status);
vlCode vl_outlets_exchange(vlSharp *sim, double dt, vlStepInfo *info, vlStatus *status);

/* Particles that come in through a face of a liquid cell: at the lower (0) or upper side of an axis, 2 axis + upper. */
vlCode vl_outlets_let_in(vlSharp *sim, const int cell[3], int side, double dt, int64_t *added, vlStatus *status);
/* sinks.c: their pressures, for the step; particles that are in them taken away, others that come out of them. */
void vl_sinks_press(vlSharp *sim);
vlCode vl_sinks_exchange(vlSharp *sim, double dt, vlStepInfo *info, vlStatus *status);

/* sources.c: the faces that sources push through, found once; then in each step those that have liquid, as its first stage,
 * and their velocity in u*, once the system is assembled. */
vlCode vl_sources_create(vlSharp *sim, vlStatus *status);
void vl_sources_destroy(vlSharp *sim);
vlCode vl_sources_fit(int source, const int lo[3], const int hi[3], vlStatus *status); /* refuses one of too many cells */
vlStageRun vl_sources_find, vl_sources_give;
/* What their faces have, they keep, and so do the particles in them (vlCarry.held). */
void vl_sources_hold(const vlSharp *sim, double *const u[3]);
/* Whether a source that runs has the place x, m, and m/s: its velocity in this step. */
bool vl_sources_have(const vlSharp *sim, vlVec3 x, vlVec3 *velocity);
bool vl_sources_hold_particle(const void *sim, const double x[3], const double own[3], double v[3], double way[3]);
/* New particles; dt = 0: before the first step. */
vlCode vl_sources_run(vlSharp *sim, double dt, vlStepInfo *info, vlStatus *status);

/* motion_warn.c: of liquid that is lost. */
vlStageRun vl_motion_warn;

/* measure.c: what series.csv tells of the new velocity, and of the particles once they have moved. */
vlStageRun vl_measure, vl_measure_particles;
/* walls.c: liquid between walls at rest and the middles of a wet block's cells that they close: what it adds to the force on
 * all walls, N, and its weight, N. */
typedef struct vlWallsLayer {
  vlVec3 force, weight;
} vlWallsLayer;
vlWallsLayer vl_walls_layer(const vlSharp *sim, const vlFluid *fluid, int wet);
/* walls.c: what the new pressure does to each wall, kept in the state. */
vlStageRun vl_walls_measure;
vlCode vl_walls_create(vlSharp *sim, vlStatus *status);
vlCode vl_walls_scratch(vlSharp *sim, vlStatus *status);
vlCode vl_walls_visit(vlSharp *sim, vlVisitor *visitor, vlStatus *status);
static inline size_t vl_walls_count(const vlSharp *sim) { return VL_SIDES + (size_t)sim->scene->solid_count; }
double vl_walls_bytes(const vlSharp *sim);
/* invariants.c: those of check level 1..3; a violated one is VL_ERROR_SOLVER naming it and the cell. */
vlStageRun vl_check_invariants;

/* sharp.c, view.c, probe.c, state.c: what others see of it, for the tables of engines (engine.h). */
vlCode vl_sharp_create(vlSim *sim, vlStatus *status);
void vl_sharp_destroy(vlSim *sim);
void vl_sharp_moment(const vlSim *sim, int64_t *step, double *time);
void vl_sharp_set_moment(vlSim *sim, int64_t step, double time);
const vlBodySet *vl_sharp_bodies(const vlSim *sim);
const vlWallLoad *vl_sharp_walls(const vlSim *sim);
vlCode vl_sharp_export_system(const vlSim *sim, const char *folder, vlStatus *status);
vlGridView vl_sharp_grid(const vlSim *sim);
vlSimFacts vl_sharp_facts(const vlSim *sim);
vlParticleView vl_sharp_particles(const vlSim *sim);
vlColumnView vl_sharp_column(const vlSim *sim, int index);
vlFieldView vl_sharp_field(const vlSim *sim, vlFieldKind kind);
vlBlockView vl_sharp_blocks(const vlSim *sim);
void vl_sharp_open(const vlSim *sim, const int lo[3], const int hi[3], float *open);
vlMeshView vl_sharp_solids(const vlSim *sim);
int vl_sharp_probe(const vlSim *sim, const vlProbeDef *probe, double value[3]);
vlCode vl_sharp_visit(vlSim *sim, vlVisitor *visitor, vlStatus *status);

#endif
