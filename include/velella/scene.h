/* A scene: plain data that says what to simulate. It does not change after loading.
 * src/scene parses YAML or JSON into it (one table of keys gives parser, defaults, ranges, units and
 * documentation); a program may also fill it in by itself, starting from vl_scene_default(). */
#ifndef VELELLA_SCENE_H
#define VELELLA_SCENE_H

#include "velella/types.h"

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

/* A closed region of space. Local axes: every shape is described about its own origin with its axis
 * along local y, then scaled (mesh only), turned by `rotation` and moved to `center`. */
typedef struct vlShape vlShape;
struct vlShape {
  vlShapeKind kind;
  vlSource where;
  vlVec3 center;      /* m: middle of the shape; half-space: a point of its plane; mesh: where its origin goes;
                         combinations: the origin of their parts' coordinates */
  vlMat3 rotation;    /* local to world */
  vlVec3 size;        /* m: box, full edge lengths */
  double radius;      /* m: sphere, capsule, cylinder, cone (lower end); torus: middle of the ring */
  double radius_top;  /* m: cone, upper end; 0 makes a tip */
  double tube_radius; /* m: torus */
  double height;      /* m: cylinder, cone: end to end; capsule: between the centres of its caps */
  vlVec3 normal;      /* half-space: points out of it */
  double scale;       /* mesh: factor on the file's coordinates */
  char *file;         /* mesh: path, already resolved against the scene file's folder */
  const char *data;   /* mesh: what `file` holds where it is built in, not owned; NULL: the file is read */
  size_t data_length; /* mesh: bytes in `data` */
  bool repair;        /* mesh: close holes and bad edges by the generalised winding number */
  double round;       /* m: edges are rounded by this radius, the outside faces stay where they are */
  double blend;       /* m: combinations, radius over which parts melt into each other */
  vlShape *parts;     /* combinations: shape [part_count] */
  int part_count;
};

typedef struct vlSolidDef {
  char name[64]; /* without one in the file: its place, "solids[0]" */
  vlShape shape;
  bool container; /* solid: outside. The liquid may be inside any container; everything else is solid */
} vlSolidDef;

/* How the liquid's motion is carried. */
typedef enum vlTransferKind {
  VL_TRANSFER_FLIP,            /* particles; velocity changes interpolated, a share of the grid's velocity mixed in */
  VL_TRANSFER_APIC,            /* particles with an affine velocity */
  VL_TRANSFER_PIC,             /* particles; velocity interpolated: very smooth */
  VL_TRANSFER_SEMI_LAGRANGIAN, /* particles carry the surface, velocity is traced back on the grid */
  VL_TRANSFER_STILL,           /* nothing moves: the surface stays as drawn, for studies of pressure */
  VL_TRANSFER_KIND_COUNT
} vlTransferKind;

typedef enum vlIntegratorKind { VL_INTEGRATOR_RK2, VL_INTEGRATOR_RK3, VL_INTEGRATOR_KIND_COUNT } vlIntegratorKind;

/* A region that is kept full of liquid moving at a given velocity. */
typedef struct vlSourceDef {
  vlShape shape;
  vlVec3 velocity;   /* m/s */
  double start, end; /* s: from when until when it runs */
} vlSourceDef;

typedef enum vlProbeKind {
  VL_PROBE_HEIGHT,   /* m: surface height above `position` along y, in the column of cells at its x, z */
  VL_PROBE_PRESSURE, /* Pa at a point */
  VL_PROBE_VELOCITY, /* m/s at a point */
  VL_PROBE_FLUX, /* m3/s through an axis-aligned rectangle: middle `position`, normal along `axis`, edge lengths `size` */
  VL_PROBE_KIND_COUNT
} vlProbeKind;

typedef struct vlProbeDef {
  char name[64];
  vlProbeKind kind;
  vlSource where;
  vlVec3 position; /* m */
  int axis;        /* flux: 0..2 */
  vlVec3 size;     /* m: flux; the entry along `axis` is ignored */
} vlProbeDef;

typedef struct vlLiquidDef {
  double density; /* kg/m3 */
  bool has_level;
  double level;    /* m: everything below y = level is liquid */
  vlShape *shapes; /* further regions of liquid, shape [shape_count]; all are united */
  int shape_count;
  vlVec3 velocity; /* m/s at the start, of all liquid */
  vlTransferKind transfer;
  double flip; /* share of FLIP; the rest is PIC */
  vlIntegratorKind integrator;
  int particles;        /* per cell along each axis: 2 makes 8 in a cell, 4 in a slab */
  bool keep_volume;     /* correct the slow drift of the volume */
  vlSourceDef *sources; /* [source_count] */
  int source_count;
  vlShape *sinks; /* liquid that enters is taken away [sink_count] */
  int sink_count;
} vlLiquidDef;

typedef enum vlSolverKind {
  VL_SOLVER_MULTIGRID, /* CG, float V-cycle */
  VL_SOLVER_MIC,       /* CG, modified incomplete Cholesky */
  VL_SOLVER_IC,        /* CG, incomplete Cholesky */
  VL_SOLVER_JACOBI,    /* CG, diagonal */
  VL_SOLVER_CHOLMOD,   /* sparse direct, for reference */
  VL_SOLVER_KIND_COUNT
} vlSolverKind;

typedef struct vlScene {
  char *path;    /* scene file as given, or the built-in scene's name; for messages */
  char *text;    /* the file's own text, kept for run.json */
  char name[64]; /* short name, used for output folders */
  char *about;   /* one or two sentences */

  vlVec3 origin; /* m: lower corner of the simulated box */
  vlVec3 size;   /* m: its edge lengths; rounded to whole cells by the grid */
  int cells;     /* along the longest side; 0 when dx is given */
  double dx;     /* m: cell size; 0 when cells is given */
  bool slab;     /* 2-D: one cell thick along z; a loaded scene has size.z = a cell and z = 0 in its middle */

  vlVec3 gravity; /* m/s2 */
  vlLiquidDef liquid;
  vlSolidDef *solids; /* solid [solid_count] */
  int solid_count;
  vlProbeDef *probes; /* points at which the run is measured [probe_count] */
  int probe_count;

  double end_time;          /* s */
  double frames_per_second; /* 1/s */
  double cfl;               /* cells the fastest liquid may cross in a step */
  double dt_max;            /* s; infinite: only the frame limits */
  double dt_fixed;          /* s; 0: off */

  vlSolverKind solver;
  double tolerance; /* residual over right-hand side, 2-norm */
  int max_iterations;
  double theta_min; /* smallest distance to the free surface in cells */

  bool write_fields;         /* VTI frames */
  bool write_solids;         /* surface of the static solids, once */
  bool write_particles;      /* particles of each frame */
  bool write_surface;        /* surface of the liquid in each frame */
  bool write_vtk, write_ply; /* formats of particles and surfaces */
  int checkpoint_every;      /* frames between checkpoints; 0: none */
  int check_level;           /* 0..3: how many invariants are checked in each step */
} vlScene;

void vl_scene_default(vlScene *scene);
void vl_scene_clear(vlScene *scene); /* frees what it owns and returns it to the default */

#endif
