/* A scene: plain data that says what to simulate.
 *
 *   vl_scene_load(&scene, "dam_break", NULL, 0, &status)      a file, or a scene that is built in
 *   vl_scene_default(&scene), then fill in                    or made by the program itself
 *   vl_scene_clear(&scene)                                    at the end
 * A scene owns what its pointers point to when it was loaded, copied, or put together with vl_scene_add_...; a program that
 * sets the pointers to arrays of its own frees them itself and does not clear the scene. A simulation takes a copy.
 * What every member means, with its default and range, is told at length in docs/scene.md. */
#ifndef VELELLA_SCENE_H
#define VELELLA_SCENE_H

#include "velella/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where in the scene file a thing was written, for messages; line 0: not from a file. */
typedef struct vlSource {
  int line, column;
} vlSource;

typedef enum vlShapeKind {
  VL_SHAPE_BOX,
  VL_SHAPE_SPHERE,
  VL_SHAPE_CAPSULE,
  VL_SHAPE_CYLINDER,
  VL_SHAPE_CONE,
  VL_SHAPE_TORUS,
  VL_SHAPE_HALFSPACE,
  VL_SHAPE_MESH,
  VL_SHAPE_UNION,
  VL_SHAPE_INTERSECTION,
  VL_SHAPE_DIFFERENCE, /* first part minus all others */
  VL_SHAPE_KIND_COUNT
} vlShapeKind;

/* Which point of a mesh is its origin. */
typedef enum vlOriginKind {
  VL_ORIGIN_FILE,   /* that of the file's coordinates */
  VL_ORIGIN_MIDDLE, /* the middle of its extents */
  VL_ORIGIN_KIND_COUNT
} vlOriginKind;

/* A closed region of space. Local axes: every shape is described about its own origin with its axis
 * along local y, then scaled (mesh only), turned by `rotation` and moved to `center`. */
typedef struct vlShape vlShape;
struct vlShape {
  vlShapeKind kind;
  vlSource where;
  vlVec3 center;       /* m: middle of the shape; half-space: a point of its plane; mesh: where its origin goes;
                          combinations: the origin of their parts' coordinates */
  vlMat3 rotation;     /* local to world */
  vlVec3 size;         /* m: box, full edge lengths */
  double radius;       /* m: sphere, capsule, cylinder, cone (lower end); torus: middle of the ring */
  double radius_top;   /* m: cone, upper end; 0 makes a tip */
  double tube_radius;  /* m: torus */
  double height;       /* m: cylinder, cone: end to end; capsule: between the centres of its caps */
  vlVec3 normal;       /* half-space: points out of it */
  vlVec3 scale;        /* mesh: factors on the file's coordinates */
  double fit;          /* m: mesh, length of its longest side; scale then only says how its sides compare; 0: as scaled */
  vlOriginKind origin; /* mesh */
  char *file;          /* mesh: path, already resolved against the scene file's folder */
  const char *data;    /* mesh: what `file` holds where it is built in, never owned; NULL: the file is read */
  size_t data_length;  /* mesh: bytes in `data` */
  vlVec3 *vertices;    /* mesh in memory instead of a file: its points [vertex_count], */
  int (*triangles)[3]; /* and their indices, counter-clockwise seen from outside [triangle_count] */
  int vertex_count, triangle_count;
  bool repair;    /* mesh: close holes and bad edges by the generalised winding number */
  double round;   /* m: edges are rounded by this radius, the outside faces stay where they are */
  double blend;   /* m: combinations, radius over which parts melt into each other */
  vlShape *parts; /* combinations: shape [part_count] */
  int part_count;
};

/* What a solid looks like in pictures. */
typedef enum vlMaterialKind {
  VL_MATERIAL_AUTO, /* containers glass, all else satin: a coat between glossy and rubber */
  VL_MATERIAL_MATTE,
  VL_MATERIAL_GLOSSY,
  VL_MATERIAL_RUBBER,
  VL_MATERIAL_GLASS, /* faint, so that the liquid behind it is seen */
  VL_MATERIAL_KIND_COUNT
} vlMaterialKind;

typedef struct vlSolidDef {
  char name[64]; /* without one in the file: its place, "solids[0]" */
  vlShape shape;
  bool container; /* solid: outside. The liquid may be inside any container; everything else is solid */
  bool has_color;
  vlVec3 color; /* red, green, blue, 0..1 as on a screen; without one a colour of the solid's place in the list */
  vlMaterialKind material;
  bool has_separation, separation; /* liquid may part from it; not given: as the scene has it */
} vlSolidDef;

/* The mesh of an elastic body. */
typedef enum vlBodyShape {
  VL_BODY_BOX,    /* "box": equal cuboids of six tetrahedra each, or filled like the shapes below */
  VL_BODY_MESH,   /* "mesh": tetrahedra, or a surface that is filled with them, from a file or from memory */
  VL_BODY_SPHERE, /* this and all below are filled with tetrahedra */
  VL_BODY_CAPSULE,
  VL_BODY_CYLINDER,
  VL_BODY_CONE,
  VL_BODY_TORUS,
  VL_BODY_UNION,
  VL_BODY_INTERSECTION,
  VL_BODY_DIFFERENCE,
  VL_BODY_SHAPE_COUNT
} vlBodyShape;

typedef enum vlElementKind {
  VL_ELEMENT_LINEAR,    /* tetrahedra of 4 nodes: bends too stiffly where few lie across a thickness */
  VL_ELEMENT_QUADRATIC, /* of 10 nodes: bends freely with one across */
  VL_ELEMENT_KIND_COUNT
} vlElementKind;

typedef enum vlSchemeKind {
  VL_SCHEME_BACKWARD_EULER, /* damps what the step does not resolve, and some of what it does */
  VL_SCHEME_BDF2,           /* second order */
  VL_SCHEME_KIND_COUNT
} vlSchemeKind;

typedef enum vlModelKind {
  VL_MODEL_COROTATIONAL, /* stress in proportion to the stretches */
  VL_MODEL_NEO_HOOKEAN,  /* as rubber: pulled long it keeps its volume, pressed short it stiffens */
  VL_MODEL_KIND_COUNT
} vlModelKind;

/* Nodes of a body that are held, or moved as the scene says: those whose first place lies in the region. Along each axis of
 * `axes` such a node is at  first place + velocity (t - start) + amplitude sin(2 pi frequency (t - start))  from start to
 * end, and stays where it is before and after. */
typedef struct vlPinDef {
  vlShape region;    /* in the scene's coordinates */
  unsigned axes;     /* bit a: along axis a; 7 for all */
  vlVec3 velocity;   /* m/s */
  vlVec3 amplitude;  /* m */
  double frequency;  /* 1/s */
  double start, end; /* s; end may be infinite */
  bool release;      /* after `end` the nodes are free */
} vlPinDef;

/* How a body answers to what pushes it. */
typedef enum vlBodyKind {
  VL_BODY_ELASTIC,  /* it yields: tetrahedra of a material */
  VL_BODY_RIGID,    /* it moves and turns as a whole: it is its surface, and of the material only density counts */
  VL_BODY_SCRIPTED, /* it is rigid and goes its own way, `motion` */
  VL_BODY_REDUCED,  /* it yields in few unknowns, and can be one medium with liquid */
  VL_BODY_KIND_COUNT
} vlBodyKind;

/* What a rigid body's mass is counted from. */
typedef enum vlRigidMassKind {
  VL_RIGID_MASS_EXACT, /* what its surface encloses */
  VL_RIGID_MASS_SLICE, /* what it takes from the faces of the grid, anew in every step, as pressure lifts it */
  VL_RIGID_MASS_KIND_COUNT
} vlRigidMassKind;

/* How a scripted body moves, one thing of several. */
typedef enum vlMotionKind {
  VL_MOTION_SLIDE, /* along `velocity` */
  VL_MOTION_SWAY,  /* to and fro along `amplitude` */
  VL_MOTION_SPIN,  /* round and round about `axis` through `about` */
  VL_MOTION_SWING, /* to and fro about it */
  VL_MOTION_KEYS,  /* through places and turns at given times */
  VL_MOTION_KIND_COUNT
} vlMotionKind;

/* Turns about the fixed axes, one after the other. */
enum { VL_TURNS = 6 };
typedef struct vlTurns {
  int count;
  int axis[VL_TURNS];
  double angle[VL_TURNS]; /* rad; of any size */
} vlTurns;

typedef struct vlKeyDef {
  vlSource where;
  double time; /* s */
  bool has_position, has_rotate;
  vlVec3 position; /* m: of the body's center */
  vlTurns rotate;  /* against the body as the scene places it */
} vlKeyDef;

/* Between start and end; before and after the body stays as it is then. With s = t - start it is moved by velocity s or by
 * amplitude (sin(2 pi frequency s + phase) - sin(phase)), or turned by rate s or by the angle times the same sines. */
typedef struct vlMotionDef {
  vlMotionKind kind;
  vlSource where;
  double start, end;       /* s; end may be infinite */
  vlVec3 velocity;         /* m/s: slide */
  vlVec3 amplitude;        /* m: sway */
  vlVec3 axis;             /* spin, swing: direction of any length */
  double rate;             /* rad/s: spin */
  double angle;            /* rad: swing */
  double frequency, phase; /* 1/s, rad: sway, swing */
  bool has_about;          /* else about the body's center as it lies then */
  vlVec3 about;            /* m: spin, swing, keys */
  vlKeyDef *keys;          /* [key_count], times ascending */
  int key_count;
} vlMotionDef;

/* A force on all of a body, spread as its mass is. */
typedef struct vlPushDef {
  vlVec3 force;      /* N; in a slab on a metre across */
  double start, end; /* s; end may be infinite */
  vlSource where;
} vlPushDef;

/* A small free motion of an elastic body that it starts with: the mode of that number, counted from 1 on as
 * vl_sim_body_modes has them. The shape's largest displacement is 1, and the largest entry of that is positive. */
typedef struct vlModeDef {
  int mode;
  double amplitude; /* m: it is bent by so much of the shape when it is let go */
  double speed;     /* m/s: and moves with so much of it */
  vlSource where;
} vlModeDef;

/* An elastic or rigid body. It is meshed about its own origin, scaled (mesh), turned and moved like a shape; that is its
 * form at rest. It starts stretched by `stretch` about its centre of mass along its own axes, bent into its modes, moving.
 */
typedef struct vlBodyDef {
  char name[64];
  vlSource where;
  vlBodyShape shape;
  vlVec3 center;    /* m: box: its middle; mesh: where its origin goes */
  vlMat3 rotation;  /* local to world */
  vlVec3 size;      /* m: box */
  int cells[3];     /* box: cuboids along each axis, where `cell` is 0 */
  double cell;      /* m: longest edge of the tetrahedra at the surface of what is filled; 0: not filled. rigid: size of
                       the surface's triangles; 0: its own, or as fine as the shape needs */
  vlShape solid;    /* of what is filled: radius, radius_top, tube_radius, height, round, blend, parts, repair; mesh: its
                       vertices and triangles instead of a file, fit and origin; where: of the file's name. All else in it is
                       not looked at */
  vlVec3 scale;     /* mesh */
  char *file;       /* mesh: path, already resolved against the scene file's folder */
  const char *data; /* mesh: what `file` holds where it is built in, never owned; NULL: the file is read */
  size_t data_length;
  vlVec3 *nodes;  /* mesh in memory instead of a file [node_count] */
  int (*tets)[4]; /* [tet_count] */
  int node_count, tet_count;

  double density, young, poisson; /* kg/m3; Pa; 0 .. 0.45 */
  vlBodyKind kind;                /* a body with a motion is scripted, whatever stands here */
  double mass;                    /* kg: rigid, instead of the density; in a slab of a metre across; 0: by density */
  vlRigidMassKind rigid_mass;
  bool overlap;                           /* it may begin inside other bodies, and they in it */
  double friction;                        /* Coulomb's coefficient */
  double mass_damping, stiffness_damping; /* 1/s; s: Rayleigh's tau_m, tau_k */
  vlElementKind element;
  vlSchemeKind scheme;
  vlModelKind model;
  bool reduced;          /* it is VL_BODY_REDUCED, whatever stands in kind */
  int handles, clusters; /* reduced: at most so many, that move it and that turn */

  vlVec3 velocity; /* m/s at the start */
  vlVec3 spin;     /* 1/s at the start: angular velocity about the centre of mass */
  vlVec3 stretch;  /* at the start, along each local axis */
  vlPinDef *pins;  /* [pin_count] */
  int pin_count;
  vlMotionDef *motion; /* scripted: it moves so whatever pushes it, the first applied first [motion_count] */
  int motion_count;
  vlPushDef *pushes; /* [push_count] */
  int push_count;
  vlModeDef *modes; /* [mode_count] */
  int mode_count;

  bool has_color;
  vlVec3 color;
  vlMaterialKind material;         /* VL_MATERIAL_AUTO: rubber */
  bool has_separation, separation; /* liquid may part from it; not given: as the scene has it */
} vlBodyDef;

/* How the liquid's motion is carried. */
typedef enum vlTransferKind {
  VL_TRANSFER_FLIP,            /* particles; velocity changes interpolated, a share of the grid's velocity mixed in */
  VL_TRANSFER_APIC,            /* particles with an affine velocity */
  VL_TRANSFER_PIC,             /* particles; velocity interpolated: very smooth */
  VL_TRANSFER_SEMI_LAGRANGIAN, /* particles carry the surface, velocity is traced back on the grid */
  VL_TRANSFER_STILL,           /* nothing moves: the surface stays as drawn, for studies of pressure */
  VL_TRANSFER_KIND_COUNT
} vlTransferKind;

/* How liquid and bodies step in time together. */
typedef enum vlTimeSchemeKind {
  VL_TIME_EULER,    /* new velocities from new forces, places from new velocities */
  VL_TIME_LEAPFROG, /* velocities in the middles of steps, places at their ends: second order */
  VL_TIME_SCHEME_KIND_COUNT
} vlTimeSchemeKind;

typedef enum vlIntegratorKind { VL_INTEGRATOR_RK2, VL_INTEGRATOR_RK3, VL_INTEGRATOR_KIND_COUNT } vlIntegratorKind;

/* A region that is kept full of liquid moving at a given velocity. */
typedef struct vlSourceDef {
  vlShape shape;
  vlVec3 velocity; /* m/s */
  double flow;     /* m3/s, in a slab of a metre across: what it brings; velocity then says which way. 0: velocity decides */
  double ramp;     /* s: from its start until it has its velocity */
  double start, end; /* s: from when until when it runs; end may be infinite */
} vlSourceDef;

/* A side of the box. */
typedef enum vlBoxSide {
  VL_BOX_X_MINUS,
  VL_BOX_X_PLUS,
  VL_BOX_Y_MINUS,
  VL_BOX_Y_PLUS,
  VL_BOX_Z_MINUS,
  VL_BOX_Z_PLUS,
  VL_BOX_SIDE_COUNT
} vlBoxSide;

/* A side of the box that is no wall: beyond it stands liquid up to a level, or there is a pressure. */
typedef struct vlSinkDef {
  vlShape shape;
  bool has_level;
  double level;    /* m: y of the liquid at rest in it */
  double pressure; /* Pa: in it, where there is no level */
} vlSinkDef;
typedef struct vlOutletDef {
  vlSource where;
  vlBoxSide side;
  bool has_level;
  double level;    /* m: y of the liquid at rest beyond it */
  double pressure; /* Pa: beyond it, where there is no level */
} vlOutletDef;

typedef enum vlProbeKind {
  VL_PROBE_HEIGHT,   /* m: surface height above `position` along y, in the column of cells at its x, z */
  VL_PROBE_PRESSURE, /* Pa at a point */
  VL_PROBE_VELOCITY, /* m/s at a point */
  VL_PROBE_NODE,     /* m: displacement of the node of `body` nearest to `position` at rest */
  VL_PROBE_FLUX,  /* m3/s through an axis-aligned rectangle: middle `position`, normal along `axis`, edge lengths `size` */
  VL_PROBE_DEPTH, /* m: of the liquid that stands on the ground in that column, above `position`; no spray */
  VL_PROBE_KIND_COUNT
} vlProbeKind;

typedef struct vlProbeDef {
  char name[64];
  vlProbeKind kind;
  vlSource where;
  char body[64];   /* node: name of the body */
  vlVec3 position; /* m */
  int axis;        /* flux: 0..2 */
  vlVec3 size;     /* m: flux; the entry along `axis` is ignored */
} vlProbeDef;

/* What the pressure knows of the liquid's surface: where it is between middles of cells, or every piece of it in a cell. */
typedef enum vlLiquidSurfaceKind {
  VL_LIQUID_SURFACE_CELLS,
  VL_LIQUID_SURFACE_SUBGRID,
  VL_LIQUID_SURFACE_KIND_COUNT
} vlLiquidSurfaceKind;
/* What presses on it: nothing; or what air without a way out has, which keeps its volume. */
typedef enum vlLiquidAirKind { VL_LIQUID_AIR_FREE, VL_LIQUID_AIR_TRAPPED, VL_LIQUID_AIR_KIND_COUNT } vlLiquidAirKind;

typedef struct vlLiquidDef {
  double density; /* kg/m3 */
  bool has_level;
  double level;    /* m: everything below y = level is liquid */
  vlShape *shapes; /* further regions of liquid, shape [shape_count]; all are united */
  int shape_count;
  vlVec3 velocity;                 /* m/s at the start, of all liquid */
  double swirl_speed;              /* m/s: largest of a vortex that the liquid starts with as well; 0: none */
  vlVec3 swirl_center, swirl_size; /* m: of the rectangle that it fills in its own x and y; size.z is not looked at */
  vlMat3 swirl_rotation;
  vlTransferKind transfer;
  double flip; /* share of FLIP; the rest is PIC */
  vlIntegratorKind integrator;
  int particles;    /* per cell along each axis: 2 makes 8 in a cell, 4 in a slab */
  bool keep_volume; /* correct the slow drift of the volume */
  vlLiquidSurfaceKind surface;
  int refine;           /* subgrid: nodes of the surface per cell along each axis: 2, 4 or 8 */
  vlLiquidAirKind air;  /* trapped: with subgrid alone */
  vlSourceDef *sources; /* [source_count] */
  int source_count;
  vlSinkDef *sinks; /* liquid that enters is taken away [sink_count] */
  int sink_count;
  vlOutletDef *outlets; /* [outlet_count] */
  int outlet_count;
} vlLiquidDef;

typedef enum vlSolverKind {
  VL_SOLVER_MULTIGRID, /* CG, float V-cycle */
  VL_SOLVER_MIC,       /* CG, modified incomplete Cholesky */
  VL_SOLVER_IC,        /* CG, incomplete Cholesky */
  VL_SOLVER_JACOBI,    /* CG, diagonal */
  VL_SOLVER_CHOLMOD,   /* sparse direct, for reference */
  VL_SOLVER_SWEEPS,    /* Jacobi's own iteration, for comparison; immersed */
  VL_SOLVER_KIND_COUNT
} vlSolverKind;

/* What the solver begins with. */
typedef enum vlGuessKind {
  VL_GUESS_LAST, /* the pressure of the last step */
  VL_GUESS_ZERO, /* nothing, for comparison; immersed */
  VL_GUESS_KIND_COUNT
} vlGuessKind;

/* Where the density of liquid and bodies in one medium enters the pressure solve. */
typedef enum vlDensityKind {
  VL_DENSITY_FACES, /* in the matrix, at each face */
  VL_DENSITY_CELLS, /* in the right side, of each cell, for comparison; immersed */
  VL_DENSITY_KIND_COUNT
} vlDensityKind;

/* Which part of a face is open to the pressure solve, near solids (docs/theory/weights.md). */
typedef enum vlWeightsKind {
  VL_WEIGHTS_AREA,   /* its own open area */
  VL_WEIGHTS_VOLUME, /* the open part of the cube around it */
  VL_WEIGHTS_LINE,   /* of the line between the cells' middles */
  VL_WEIGHTS_VOXEL,  /* all or nothing: whether both middles are */
  VL_WEIGHTS_KIND_COUNT
} vlWeightsKind;

/* How liquid and bodies are solved together. */
typedef enum vlCouplingKind {
  VL_COUPLING_SCHUR,        /* pressure alone, bodies eliminated: the fast way */
  VL_COUPLING_SPD,          /* pressure and velocities, positive definite [zarifi2017, eq. 33] */
  VL_COUPLING_INDEFINITE,   /* pressure and velocities as they stand [zarifi2017, eq. 19], BiCGSTAB */
  VL_COUPLING_MINRES,       /* the same by MINRES */
  VL_COUPLING_WEAK,         /* bodies under the last pressure, then liquid between them: unstable for light bodies */
  VL_COUPLING_DAMPING_ONLY, /* elastic forces explicit, damping coupled: for comparison */
  VL_COUPLING_KIND_COUNT
} vlCouplingKind;

/* Whether liquid lets go of walls, where their pressure pushes and does not pull, and how that is solved. */
typedef enum vlSeparationKind {
  VL_SEPARATION_NO,
  VL_SEPARATION_YES,    /* policy iteration, and MPRGP where its sets return */
  VL_SEPARATION_POLICY, /* policy iteration alone */
  VL_SEPARATION_MPRGP,  /* bound-constrained conjugate gradients alone */
  VL_SEPARATION_KIND_COUNT
} vlSeparationKind;

typedef enum vlSkyKind { VL_SKY_STUDIO, VL_SKY_DAY, VL_SKY_EVENING, VL_SKY_KIND_COUNT } vlSkyKind;
typedef enum vlColoringKind {
  VL_COLORING_NATURAL,
  VL_COLORING_SPEED,
  VL_COLORING_STRESS,
  VL_COLORING_KIND_COUNT
} vlColoringKind;

/* How pictures of a run are made; the simulation does not look at it. */
typedef struct vlLookDef {
  bool has_camera, has_target;
  vlVec3 camera, target; /* m: where the camera is and where it looks; without them it finds its place itself */
  double fov;            /* degrees: vertical angle of view */
  vlVec3 sun;            /* towards it, of any length */
  vlSkyKind sky;
  double exposure;    /* stops: each doubles the light */
  vlVec3 water_color; /* red, green, blue, 0..1: white light behind water_depth of water */
  double water_depth; /* m; 0: by the size of the box */
  bool ground, walls;
  vlColoringKind coloring;
} vlLookDef;

/* What computes the scene. */
typedef enum vlEngineKind {
  VL_ENGINE_SHARP,    /* "sharp": liquid with a sharp surface and bodies that keep theirs, in one pressure solve */
  VL_ENGINE_IMMERSED, /* "immersed": liquid and reduced elastic bodies as one medium on the grid, at an even cost a step */
  VL_ENGINE_KIND_COUNT
} vlEngineKind;

/* Where a drag's target is at a time. */
typedef struct vlDragKeyDef {
  double time; /* s */
  vlVec3 position;
  vlSource where;
} vlDragKeyDef;

/* A hand that takes a body at a point and drags it along a path. */
typedef struct vlDragDef {
  char body[64];      /* name */
  vlVec3 point;       /* m: where it takes hold of what lies there at the start */
  double radius;      /* m: of what it takes of a body that is not rigid */
  double start, end;  /* s; end may be infinite */
  vlDragKeyDef *path; /* times ascending; straight from the point at the start to each, then it rests [path_count] */
  int path_count;
  vlSource where;
} vlDragDef;

/* The simulated box. */
typedef struct vlGridDef {
  vlVec3 origin; /* m: lower corner */
  vlVec3 size;   /* m: edge lengths; rounded to whole cells by the grid */
  int cells;     /* along the longest side; 0 when dx is given */
  double dx;     /* m: cell size; 0 when cells is given */
  bool slab;     /* 2-D: one cell thick along z, with z = 0 in its middle, whatever origin.z and size.z */
} vlGridDef;

typedef struct vlTimeDef {
  vlTimeSchemeKind scheme;
  double end;               /* s */
  double frames_per_second; /* 1/s */
  double cfl;               /* cells the fastest liquid may cross in a step */
  double dt_max;            /* s; infinite: only the frame limits */
  double dt_fixed;          /* s; 0: off */
} vlTimeDef;

typedef struct vlPressureDef {
  vlSolverKind solver;
  double tolerance; /* residual over right-hand side, 2-norm */
  int max_iterations;
  vlWeightsKind weights;
  vlSeparationKind separation;
  vlGuessKind guess;
  vlDensityKind density;
  double theta_min; /* smallest distance to the free surface in cells */
} vlPressureDef;

/* How liquid and bodies are solved together; `solver` in scene files. */
typedef struct vlCouplingDef {
  vlCouplingKind kind;
  double sigma; /* spd: share of the mass in Z1, 0 .. 1 */
  double alpha; /* spd: scale of the velocities; 0: by the norms of the right-hand sides */
  bool skins;   /* engine immersed: those of bodies stop particles of liquid */
} vlCouplingDef;

/* What is written of each frame. */
typedef struct vlOutputDef {
  bool fields;               /* VTI frames */
  bool solids;               /* surface of the static solids, once */
  bool particles;            /* particles of each frame */
  bool surface;              /* surface of the liquid in each frame */
  bool bodies;               /* bodies of each frame */
  bool vtk, ply;             /* formats of particles and surfaces */
  int checkpoint_every;      /* frames between checkpoints; 0: none */
  double checkpoint_seconds; /* s of wall-clock time between checkpoints; 0: none for that reason */
} vlOutputDef;

typedef struct vlScene {
  char *path;    /* scene file as given, or the built-in scene's name; for messages */
  char *text;    /* the file's own text, kept for run.json */
  char name[64]; /* short name, used for output folders */
  char *about;   /* one or two sentences */

  vlEngineKind engine;
  vlGridDef grid;
  vlVec3 gravity; /* m/s2 */
  vlLiquidDef liquid;
  vlSolidDef *solids; /* [solid_count] */
  int solid_count;
  vlBodyDef *bodies; /* [body_count] */
  int body_count;
  vlDragDef *drags; /* [drag_count] */
  int drag_count;
  vlProbeDef *probes; /* points at which the run is measured [probe_count] */
  int probe_count;

  vlTimeDef time;
  vlPressureDef pressure;
  vlCouplingDef coupling;
  vlOutputDef output;
  int check_level; /* 0..3: how many invariants are checked in each step */
  vlLookDef look;
} vlScene;

/* A change to a loaded scene: key and value as in a file, "grid.cells=32" or "solids[0].radius=10 cm". */
typedef struct vlSetting {
  const char *text;
} vlSetting;

/* `name` is a file, or a built-in scene's name where no such file exists. Every mistake is reported as
 * file:line:column, the line with a caret, key, value, what is allowed, and "did you mean". */
vlCode vl_scene_load(vlScene *scene, const char *name, const vlSetting *settings, int setting_count, vlStatus *status);
/* Same, from the text of a file in memory; `path` is used in messages and to resolve mesh files. */
vlCode vl_scene_parse(vlScene *scene, const char *text, size_t length, const char *path, const vlSetting *settings,
                      int setting_count, vlStatus *status);
/* Both write over *scene without freeing what it held; when they fail, it is the default scene. */

int vl_scene_builtin_count(void);
const char *vl_scene_builtin_name(int index);
const char *vl_scene_builtin_text(int index);
const char *vl_scene_builtin_about(int index); /* its `about`, one line */

void vl_scene_default(vlScene *scene); /* a box of a cubic metre, empty, all keys as in docs/scene.md */
void vl_scene_clear(vlScene *scene);   /* frees what it owns and returns it to the default */
/* A copy that owns everything; when it fails, *copy is all zero. */
vlCode vl_scene_copy(vlScene *copy, const vlScene *scene, vlStatus *status);

vlBodyDef vl_body_default(void);                  /* a box without size, of one cuboid, of a soft rubber, free */
vlPinDef vl_pin_default(vlShapeKind region);      /* holds along all axes and for ever what lies in a region without size */
vlMotionDef vl_motion_default(vlMotionKind kind); /* for ever, about z through the body's center, by nothing */
vlDragDef vl_drag_default(void);                  /* from the start on and for ever, at the origin, of no body */
vlShape vl_shape_default(vlShapeKind kind);       /* at the origin, not turned, not scaled; lengths are 0, normals up */
/* Each puts a copy of what it is given, with all that it points to, into the scene. */
vlCode vl_scene_add_solid(vlScene *scene, const vlSolidDef *solid, vlStatus *status);
vlCode vl_scene_add_liquid(vlScene *scene, const vlShape *shape, vlStatus *status);
vlCode vl_scene_add_source(vlScene *scene, const vlSourceDef *source, vlStatus *status);
vlCode vl_scene_add_outlet(vlScene *scene, const vlOutletDef *outlet, vlStatus *status);
vlCode vl_scene_add_sink(vlScene *scene, const vlSinkDef *sink, vlStatus *status);
vlCode vl_scene_add_body(vlScene *scene, const vlBodyDef *body, vlStatus *status);
vlCode vl_scene_add_drag(vlScene *scene, const vlDragDef *drag, vlStatus *status);
vlCode vl_scene_add_probe(vlScene *scene, const vlProbeDef *probe, vlStatus *status);

#ifdef __cplusplus
}
#endif

#endif
