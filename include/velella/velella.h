/* Velella: liquids and bodies that push each other.
 *
 *   vlScene scene;                                             velella/scene.h
 *   vlSim *sim = NULL;
 *   vlStatus status;
 *   vlCode code = vl_scene_load(&scene, "dam_break", NULL, 0, &status);
 *   if (!code) code = vl_sim_create(&sim, &scene, (vlSimOptions){0}, &status);
 *   while (!code && vl_sim_time(sim) < 1.0) code = vl_sim_step(sim, 0.01, NULL, &status);
 *   if (code) fprintf(stderr, "%s\n", status.message);
 *   vl_sim_destroy(&sim);
 *   vl_scene_clear(&scene);
 * Errors: a function that can fail returns a vlCode, VL_OK being 0, and explains itself in the vlStatus. Nothing is printed,
 * no environment is read, the process is never ended.
 * Threads: there are no globals. Any number of simulations may live in one process and run at the same time, each used by
 * one thread at a time; reading one from several threads is fine while none steps it. Each spreads its own work over
 * `threads` threads; results are the same bits for any number of them.
 * Units are SI, y is up. Pages: docs/api.md, docs/scene.md. */
#ifndef VELELLA_VELELLA_H
#define VELELLA_VELELLA_H

#include "velella/scene.h"
#include "velella/types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define VELELLA_VERSION "0.1.0"

const char *vl_version(void); /* of the library that is linked */

/* Making and stepping */

typedef struct vlSim vlSim;

/* Asked between the stages of a step until it is taken: true gives the step up, which then returns VL_INTERRUPTED and leaves
 * the simulation as it was. Called by the thread that steps. */
typedef struct vlCancel {
  bool (*asked)(void *user); /* NULL: nobody is asked */
  void *user;                /* handed on */
} vlCancel;

typedef struct vlSimOptions {
  vlLog log;
  int threads; /* 0: all cores; never more than 1024 */
  vlCancel cancel;
} vlSimOptions;

/* What a step's time goes to. */
typedef enum vlStageKind {
  VL_STAGE_FORCES,   /* forces on the liquid, bodies begun, contacts found */
  VL_STAGE_SETUP,    /* the pressure system */
  VL_STAGE_SOLVE,    /* its solution */
  VL_STAGE_VELOCITY, /* the new velocity, continued beyond the liquid */
  VL_STAGE_MEASURE,  /* what is told of the step, and checked */
  VL_STAGE_BODIES,   /* bodies moved */
  VL_STAGE_MOTION,   /* liquid moved, and the geometry that follows */
  VL_STAGE_TRANSFER, /* velocities between liquid and grid */
  VL_STAGE_LEVEL_SET,
  VL_STAGE_COUNT
} vlStageKind;
const char *vl_stage_name(vlStageKind stage); /* "forces", "pressure_setup" */

/* What one step did; a line of series.csv. */
typedef struct vlStepInfo {
  int64_t step;
  double time, dt;       /* s, at the end of the step */
  int64_t liquid_cells;  /* pressure unknowns */
  int null_components;   /* closed regions of liquid without air */
  double discarded_flux; /* m3/s: flux into closed regions that no pressure can balance */
  int iterations;
  double residual;         /* relative, 2-norm */
  double max_speed;        /* m/s, over faces next to liquid; of moving liquid only where a face is open to more than 5 % */
  double max_divergence;   /* 1/s, largest net outflow of a cell over dx^3 */
  double mean_divergence;  /* 1/s, mean of its size over all cells of liquid: what the pressure solve has left */
  double kinetic_energy;   /* J */
  double potential_energy; /* J: of the particles in gravity, zero at the box's lower corner */
  vlVec3 momentum;         /* kg m/s: of the particles; still: sum over faces of rho A_f d_f u_f */
  double volume;           /* m3 of liquid inside its surface */
  double particle_volume;  /* m3: number of particles times the volume each was seeded for */
  double filling;          /* particles per cell inside the liquid over the seeded number; 1 without particles */
  int64_t particles;
  int64_t added, removed;   /* particles from sources, into sinks, in this step */
  int64_t reseeded;         /* particles moved into nearly empty cells inside the liquid, in this step */
  int64_t stuck;            /* particles that could not be moved without entering a solid, in this step */
  int64_t rescued;          /* particles put back before a body after they had ended deep in it, in this step */
  int64_t lost;             /* particles taken away because they ended deep in a body, in this step */
  double outflow;           /* m3/s: that went out through outlets, by particles; below 0: it came in */
  vlVec3 wall_force;        /* N: pressure on static solids and domain sides */
  vlVec3 body_force;        /* N: pressure on bodies */
  vlVec3 weight;            /* N: W_a = rho g_a sum over faces along a of A_f d_f: the wall force of liquid at rest */
  int bodies, inverted;     /* bodies; their elements that are inside out */
  int contacts;             /* closed, of bodies */
  double overlap;           /* m: how deep bodies lay in each other, themselves or solids when the step began; 0: nowhere */
  int contact_turns;        /* pressure solves until the contacts were those it was solved with */
  double contact_error;     /* m/s: by which contacts are broken after that: closing too far, pulling, too much friction */
  int separation_loops;     /* solves until no liquid at a wall was held there by a pull; 0: liquid does not part */
  int separation_fallbacks; /* of these, those by MPRGP because the sets returned */
  int64_t parted;           /* cells that part from walls, bodies and solids: their pressure is zero */
  double seconds[VL_STAGE_COUNT]; /* s: of each stage */
} vlStepInfo;

/* Keeps a copy of the scene, which may be changed or cleared at once. When it fails, *sim is NULL. */
vlCode vl_sim_create(vlSim **sim, const vlScene *scene, vlSimOptions options, vlStatus *status);
void vl_sim_destroy(vlSim **sim); /* accepts NULL and a pointer to NULL; sets it to NULL */
/* One time step, no longer than dt_limit in s, above 0, INFINITY for none; info may be NULL. When it fails and the step
 * count is what it was, so is the rest; when it failed later, in the motion, the simulation can only be destroyed. */
vlCode vl_sim_step(vlSim *sim, double dt_limit, vlStepInfo *info, vlStatus *status);
/* Steps until `time`, s, the last of which ends there; info, which may be NULL, tells of that one. */
vlCode vl_sim_advance(vlSim *sim, double time, vlStepInfo *info, vlStatus *status);
double vl_sim_time(const vlSim *sim);
int64_t vl_sim_step_count(const vlSim *sim);
/* Everything a restart needs, in one file; resuming goes on with the same bits. The simulation must have been made from the
 * same scene; when resuming fails, it can only be destroyed. */
vlCode vl_sim_save(const vlSim *sim, const char *path, vlStatus *status);
vlCode vl_sim_resume(vlSim *sim, const char *path, vlStatus *status);

/* Control: what a program tells a simulation between two steps holds from the next step on until it is told otherwise. It is
 * part of what is saved, so that a resumed simulation goes on with it; only the field of forces is not, which is set again
 * after resuming. VL_ERROR_USAGE: there is no such body or source, or a number is not finite. */

/* m/s2: in the place of the scene's. */
vlCode vl_sim_set_gravity(vlSim *sim, vlVec3 gravity, vlStatus *status);
vlVec3 vl_sim_gravity(const vlSim *sim); /* that holds now */
/* N, N m: on a body, besides the scene's pushes; in a slab of a metre across, along z and about x and y zero. The force acts
 * at the centre of mass, on elastic bodies spread as the mass is. Scripted bodies do not feel it. */
vlCode vl_sim_push(vlSim *sim, int body, vlVec3 force, vlVec3 torque, vlStatus *status);
/* m/s, rad/s: a scripted body leaves its path and goes on from where it is: its centre of mass at the velocity, turning. */
vlCode vl_sim_steer(vlSim *sim, int body, vlVec3 velocity, vlVec3 angular_velocity, vlStatus *status);
/* m/s: the nodes that a pin of the scene holds go on at the velocity from where they are, along the axes that it holds, and
 * are not let go. */
vlCode vl_sim_move_pin(vlSim *sim, int body, int pin, vlVec3 velocity, vlStatus *status);
/* A hand takes a body at a point, m, of its surface: of an elastic one the nodes of the surface within the radius, m, at
 * most the 30 nearest; of a rigid one, or where there are none, the nearest point of the surface. It holds it there by a
 * spring so stiff that what it holds stays within a centimetre or so of the target, whatever the body weighs and wherever it
 * floats. `grab` gets a number for the calls below, which is not given twice. VL_ERROR_USAGE, too: a scripted body. */
vlCode vl_sim_grab(vlSim *sim, int body, vlVec3 point, double radius, int *grab, vlStatus *status);
/* m: the target, where the point is to be, goes from where it is straight to a place, to be there in `within` s; 0: at once.
 * A far target pulls with no more than some ten times the weight of the body, or of the liquid that it displaces. */
vlCode vl_sim_move_grab(vlSim *sim, int grab, vlVec3 target, double within, vlStatus *status);
/* Opens the hand. A drag of the scene that is moved or opened by a program is over: it goes no further on its path. */
vlCode vl_sim_release(vlSim *sim, int grab, vlStatus *status);
typedef struct vlGrabView {
  int grab, body;      /* its number; whose; -1: there is no such hand */
  int drag;            /* of the scene, while it goes its path; -1: a program's */
  vlVec3 held, target; /* m: where the point is, and where it is to be */
  vlVec3 force;        /* N: on the body, in the last step */
  int node_count;      /* that are held */
} vlGrabView;
int vl_sim_grab_count(const vlSim *sim);
vlGrabView vl_sim_grab_at(const vlSim *sim, int index); /* 0 .. count-1, body by body, each in the order they closed */
/* What a body is made of. Of one that keeps its form density alone counts. */
typedef struct vlBodyMaterial {
  double density, young, poisson;         /* kg/m3; Pa; 0 .. 0.45 */
  double mass_damping, stiffness_damping; /* 1/s; s */
} vlBodyMaterial;
vlBodyMaterial vl_sim_material(const vlSim *sim, int body); /* that holds now; all 0: there is no such body */
/* Velocities and places stay, momenta and energies follow. A mass that the scene gives is a density from then on.
 * VL_ERROR_USAGE, too: a number that the scene's keys would not take, or a scripted body, which nothing moves. */
vlCode vl_sim_set_material(vlSim *sim, int body, vlBodyMaterial material, vlStatus *status);
/* Whether a source of the scene runs, whatever its start and end say. One that is switched on is not filled at once, as one
 * that starts by itself is: liquid comes in on its upstream side. */
vlCode vl_sim_switch_source(vlSim *sim, int source, bool on, vlStatus *status);
/* m/s: the shape of a source goes on at the velocity from where it is, whether it runs or not. What it brings has the
 * velocity that the scene gives it all the same; liquid comes in on the side that is upstream of the shape as it moves. */
vlCode vl_sim_move_source(vlSim *sim, int source, vlVec3 velocity, vlStatus *status);
/* Fills what the shape has of air with liquid at the velocity, m/s, at once; solids, bodies and liquid that is there stay as
 * they are. Counts the particles, unless `added` is NULL. VL_ERROR_USAGE, and nothing is changed: the shape is none, or the
 * scene's liquid does not move (transfer: still). */
vlCode vl_sim_add_liquid(vlSim *sim, const vlShape *shape, vlVec3 velocity, int64_t *added, vlStatus *status);
/* Takes all liquid in the shape away, at once, in the same way. */
vlCode vl_sim_remove_liquid(vlSim *sim, const vlShape *shape, int64_t *removed, vlStatus *status);
/* m/s2: acceleration of the liquid at x m at the time s, besides gravity; of bodies not. Called by several threads at once,
 * in any order: what it returns must depend on its arguments and on what does not change during a step. */
typedef vlVec3 vlForceField(void *data, vlVec3 x, double time);
void vl_sim_set_field(vlSim *sim, vlForceField *field, void *data); /* NULL: none */

/* Rest */

/* Liquid and bodies stand still where they are, until forces move them. Scripted bodies and moved pins go on. */
void vl_sim_halt(vlSim *sim);

typedef struct vlSettleInfo {
  int64_t steps, cuts; /* that were made; how often all was made to stand still */
  double residual;     /* largest of any body, and */
  int worst;           /* whose it is */
  double speed;        /* m/s: largest of any node of a body */
  double liquid_speed; /* m/s: mean of the liquid's */
} vlSettleInfo;
typedef struct vlSettleBody {
  double residual; /* mean acceleration of its nodes over gravity: the force on it over its weight */
  double speed;    /* m/s: largest of any node */
} vlSettleBody;
typedef struct vlSettleOptions {
  double tolerance;                                     /* of the residuals; 0: 1e-3 */
  double speed;                                         /* m/s, of the bodies; 0: 3 tolerance sqrt(gravity dx) */
  int64_t most_steps;                                   /* 0: 10000 */
  void (*told)(void *user, const vlSettleInfo *so_far); /* after each step; may be NULL */
  void *user;
} vlSettleOptions;
/* Moves bodies and liquid to where they rest, in steps in which time stands, with pins and scripted bodies where they are
 * and without sources and sinks; in the end all stands still. info and bodies [count] may be NULL. VL_ERROR_SOLVER:
 * something moves still, and is left as it is then. */
vlCode vl_sim_settle(vlSim *sim, vlSettleOptions options, vlSettleInfo *info, vlSettleBody *bodies, vlStatus *status);

/* Reading: pointers into the simulation's own memory, valid until it is stepped, resumed or destroyed */

const vlScene *vl_sim_scene(const vlSim *sim); /* its own copy, completed */
int vl_sim_threads(const vlSim *sim);

typedef struct vlGridView {
  int n[3];      /* cells */
  double dx;     /* m: edge of a cell */
  vlVec3 origin; /* m: lower corner of the box */
} vlGridView;

vlGridView vl_sim_grid(const vlSim *sim);

/* The static picture: what `velella check` prints. */
typedef struct vlSimFacts {
  int n[3];
  double dx;
  int64_t liquid_cells;
  int solid_triangles;
  double solid_volume; /* m3 inside the domain */
  int bodies;
  int64_t body_nodes, body_elements;
  double body_volume, body_mass; /* m3, kg */
  double body_bytes;             /* memory of the bodies alone, estimated */
  double bytes;                  /* memory that the simulation holds now: its arrays and pages, and body_bytes */
} vlSimFacts;

vlSimFacts vl_sim_facts(const vlSim *sim);

/* Particle i lies at origin + dx (x[0][i], x[1][i], x[2][i]) m: positions are kept in cells from the grid's lower corner.
 * The order changes from step to step, the id of a particle never does. */
typedef struct vlParticleView {
  size_t count;       /* 0 when the scene's liquid does not move */
  const float *x[3];  /* cells [count] */
  const float *v[3];  /* m/s [count] */
  const uint32_t *id; /* [count] */
  vlVec3 origin;      /* m */
  double dx;          /* m */
  double volume;      /* m3 of liquid that each stands for */
} vlParticleView;

vlParticleView vl_sim_particles(const vlSim *sim);

/* What particles carry besides their place, for files: velocity, id and whatever else there is, by number from 0 on. */
typedef struct vlColumnView {
  const char *name, *unit; /* name NULL: there is no such column */
  const char *const *part; /* names of its components [components] */
  bool whole;              /* numbers are uint32_t, otherwise float */
  int components;
  const void *const *value; /* [components][count] */
} vlColumnView;

vlColumnView vl_sim_column(const vlSim *sim, int index);

typedef enum vlFieldKind {
  VL_FIELD_PRESSURE,   /* Pa at cell centres, of the last step's solve */
  VL_FIELD_LEVEL_SET,  /* m at cell centres: distance to the surface, negative in liquid; right within a cell or two of it */
  VL_FIELD_OPEN,       /* part of each cell's volume that is not solid, 0 to 1 */
  VL_FIELD_VELOCITY_X, /* m/s through the faces along each axis, continued a few cells beyond the liquid */
  VL_FIELD_VELOCITY_Y,
  VL_FIELD_VELOCITY_Z,
  VL_FIELD_AREA_X, /* m2: open area of those faces */
  VL_FIELD_AREA_Y,
  VL_FIELD_AREA_Z,
  VL_FIELD_KIND_COUNT
} vlFieldKind;

/* Value (i, j, k), each 0 .. n-1, is data[i stride[0] + j stride[1] + k stride[2]] and lies at origin + dx (i, j, k) m.
 * Fields are sparse: they are filled in around the liquid alone (open areas perhaps also where it has been), everywhere else
 * they read as 0 and take no memory. */
typedef struct vlFieldView {
  const double *data;
  int n[3];            /* cells, or faces: one more along their own axis */
  ptrdiff_t stride[3]; /* elements */
  vlVec3 origin;       /* m */
  double dx;           /* m */
} vlFieldView;

vlFieldView vl_sim_field(const vlSim *sim, vlFieldKind kind); /* data is NULL for a kind that there is not */

/* Where fields are known: rows of up to `width` cells along x, row b from cell (width at[b][0], at[b][1], at[b][2]) on. */
typedef struct vlBlockView {
  int width, count;
  const int (*at)[3]; /* ascending: z, y, x */
} vlBlockView;

vlBlockView vl_sim_blocks(const vlSim *sim);
/* Part of each cell's volume that is not solid, 0 to 1, of the box of cells lo to hi - 1, x fastest; everywhere, unlike the
 * field. */
void vl_sim_open(const vlSim *sim, const int lo[3], const int hi[3], float *open);

/* Closed triangle meshes, counter-clockwise seen from outside. */
typedef struct vlMeshView {
  int vertex_count, triangle_count;
  const vlVec3 *vertices; /* m */
  const int (*triangles)[3];
  const float (*velocity)[3]; /* m/s at the vertices; NULL for solids, which stand still */
} vlMeshView;

double vl_mesh_volume(const vlMeshView *mesh); /* m3 that it encloses */

/* The liquid's surface is made by the call and lives until the next one, too. Only for liquid that moves. It encloses the
 * volume that the particles stand for; with pressure.solver: sweeps as much as they fill, so that what is lost is seen. */
vlCode vl_sim_surface(vlSim *sim, vlMeshView *view, vlStatus *status);
/* All static solids as one surface, which reaches a little beyond the box. */
vlMeshView vl_sim_solids(const vlSim *sim);

/* What the liquid's pressure did to a wall in the last step: 0 .. 5 are the sides of the box, "x-", "x+", "y-", "y+", "z-",
 * "z+", then come the static solids in the scene's order. Together they are vlStepInfo's wall_force. */
typedef struct vlWallView {
  const char *name; /* NULL: there is no such wall */
  vlVec3 force;     /* N */
  vlVec3 torque;    /* N m: about the origin of coordinates */
} vlWallView;

int vl_sim_wall_count(const vlSim *sim);
vlWallView vl_sim_wall(const vlSim *sim, int index); /* 0 .. count-1 */

/* What a body does; a line of bodies/NAME.csv. The angular momentum and the torque are about the centre of mass. */
typedef struct vlBodyInfo {
  double mass, volume;     /* kg; m3 inside its surface */
  vlVec3 center;           /* m: of mass */
  vlVec3 rotation;         /* rad: turn of the body as a whole against its form at rest: axis times angle, 0 .. pi */
  vlVec3 momentum;         /* kg m/s */
  vlVec3 angular_momentum; /* kg m2/s */
  vlVec3 load_force;       /* N: of the liquid, in the last step */
  vlVec3 load_torque;      /* N m: of the liquid, in the last step */
  vlVec3 contact_force;    /* N: of all that it touches, in the last step */
  vlVec3 reaction;         /* N: what its pins push it with, in the last step; scripted: against liquid and contacts */
  double power;            /* W: what its pins, or what drives it, deliver, in the last step */
  double kinetic_energy, elastic_energy; /* J */
  double potential_energy;               /* J: in gravity, zero at the box's lower corner */
  int inverted;                          /* elements that are inside out */
  vlVec3 velocity;                       /* m/s: of the centre of mass */
  vlVec3 angular_velocity;               /* rad/s: as a rigid body of its mass, place and angular momentum has it */
} vlBodyInfo;

/* Nodes keep their numbers; those of the scene's mesh come first, for quadratic elements the middles of edges follow. */
typedef struct vlBodyView {
  const char *name; /* NULL: there is no such body */
  int node_count, element_count, element_nodes, triangle_count;
  vlBodyKind kind;
  const char *kind_name;     /* "elastic", "rigid", "scripted", "reduced" */
  int pinned_nodes;          /* nodes that the scene's pins hold or move, along one axis or more */
  double missing_volume;     /* share of its shape's volume that its tetrahedra lack; 0: none, or not known */
  const vlVec3 *rest, *x;    /* m: nodes at rest and now [node_count] */
  const vlVec3 *first;       /* m: and where they began [node_count] */
  const vlVec3 *v;           /* m/s [node_count] */
  const int *elements;       /* nodes: corners, then edges 01 02 03 12 13 23 [element_count][element_nodes: 4 or 10] */
  const int (*triangles)[3]; /* nodes of the surface, counter-clockwise seen from outside [triangle_count] */
  vlBodyInfo info;
} vlBodyView;

int vl_sim_body_count(const vlSim *sim);
vlBodyView vl_sim_body(const vlSim *sim, int index); /* 0 .. count-1, in the scene's order */

/* What a body is made of, as its kind tells it: a word or a number. */
typedef struct vlBodyFact {
  const char *name, *word; /* word NULL: it is a number */
  double number;
} vlBodyFact;
enum { VL_BODY_FACTS = 12 };
/* Returns how many there are. */
int vl_sim_body_facts(const vlSim *sim, int index, vlBodyFact facts[VL_BODY_FACTS]);

/* What an element of a body feels. */
typedef struct vlElementView {
  double stress[6]; /* Pa: Cauchy's, xx yy zz xy yz xz, tension positive */
  double von_mises; /* Pa */
  double volume;    /* m3: of one of its integration points at rest */
} vlElementView;

vlElementView vl_sim_element(const vlSim *sim, int body, int element); /* both from 0 on, less than their counts */

/* A small free motion of a body about its form at rest, with the unknowns held that its pins hold; dry. */
typedef struct vlBodyMode {
  double frequency; /* Hz; 0: it moves as a whole */
  vlVec3 share;     /* of the mass, that takes part when the body is shaken along each axis; of all modes together 1 for a
                     * free body */
} vlBodyMode;

/* The `count` modes of the lowest frequencies, ascending; shape k is shape[k node_count .. ), its largest displacement 1.
 * VL_ERROR_SCENE: the body has none (rigid, scripted), or not so many. The simulation is not changed. */
vlCode vl_sim_body_modes(const vlSim *sim, int index, int count, vlBodyMode *mode, vlVec3 *shape, vlStatus *status);

/* Measuring and writing */

/* What a probe shows now; it need not be one of the scene's, and needs no name. Returns how many values it has: 1, 3 for a
 * velocity or a node, 0 for a probe of no known kind, axis or body, or at no finite place. */
int vl_sim_probe(const vlSim *sim, const vlProbeDef *probe, double value[3]);

int vl_probe_count(vlProbeKind kind);        /* values: 1, or 3 for a velocity or a node */
const char *vl_probe_unit(vlProbeKind kind); /* "m", "Pa", "m/s", "m3/s" */

typedef enum vlOutputKind {
  VL_OUTPUT_SURFACE,
  VL_OUTPUT_PARTICLES,
  VL_OUTPUT_FIELDS,
  VL_OUTPUT_SOLIDS,
  VL_OUTPUT_BODIES
} vlOutputKind;

/* One file for other programs, by its ending: .ply or .vtp, .vti for the fields, .vtu for the bodies' elements. It appears
 * whole or not at all. */
vlCode vl_sim_write(const vlSim *sim, vlOutputKind kind, const char *path, vlStatus *status);
/* The pressure system of the last step as Matrix Market: FOLDER/system_A.mtx, system_b.mtx and system_p.mtx. */
vlCode vl_sim_export_system(const vlSim *sim, const char *folder, vlStatus *status);

#ifdef __cplusplus
}
#endif

#endif
