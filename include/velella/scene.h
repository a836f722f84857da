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

typedef struct vlLiquidDef {
  double density; /* kg/m3 */
  bool has_level;
  double level;    /* m: everything below y = level is liquid */
  vlShape *shapes; /* further regions of liquid, shape [shape_count]; all are united */
  int shape_count;
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

  double end_time;          /* s */
  double frames_per_second; /* 1/s */
  double cfl;               /* cells the fastest liquid may cross in a step */
  double dt_max;            /* s; infinite: only the frame limits */
  double dt_fixed;          /* s; 0: off */

  vlSolverKind solver;
  double tolerance; /* residual over right-hand side, 2-norm */
  int max_iterations;
  double theta_min; /* smallest distance to the free surface in cells */

  bool write_fields; /* VTI frames */
  bool write_solids; /* VTP surface of the static solids, once */
  int check_level;   /* 0..3: how many invariants are checked in each step */
} vlScene;

void vl_scene_default(vlScene *scene);
void vl_scene_clear(vlScene *scene); /* frees what it owns and returns it to the default */

#endif
