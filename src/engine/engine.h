/* An engine: what computes a scene. A kind of it is a vlEngine, one line in the table of sim.c, and a struct of its own that
 * begins with a vlSim; programs and writers see neither, but the views of velella.h and the visitor of grid/visitor.h. */
#ifndef VL_ENGINE_ENGINE_H
#define VL_ENGINE_ENGINE_H

#include "grid/visitor.h"
#include "liquid/surface.h"
#include "mesh/sdf.h"
#include "solid/body_set.h"

typedef struct vlEngine vlEngine;

/* What a program has told a simulation while it runs; of bodies they have it themselves (vlBodyControl). */
typedef enum vlSwitch { VL_AS_SCENE, VL_ON, VL_OFF } vlSwitch;
typedef struct vlSourceControl {
  int64_t told;  /* vlSwitch */
  double origin; /* s: since when it runs, of one that was switched on */
} vlSourceControl;
typedef struct vlSourceWay {
  vlVec3 shift, velocity; /* m, m/s: at `since` away from where the scene has it, and from then on */
  double since;           /* s */
} vlSourceWay;
typedef enum vlDragState { VL_DRAG_WAITS, VL_DRAG_HOLDS, VL_DRAG_OVER } vlDragState;
typedef struct vlControl {
  bool has_gravity;
  vlVec3 gravity;          /* m/s2 */
  vlSourceControl *source; /* [source_count] */
  vlSourceWay *way;        /* [source_count] */
  vlForceField *field;     /* NULL: none; no state, as its data */
  void *field_data;
  int64_t grabs; /* ever closed: number of the next */
  int64_t *drag; /* vlDragState [drag_count] */
} vlControl;

/* What every simulation has. */
struct vlSim {
  const vlEngine *engine;
  vlScene *scene; /* its own copy */
  vlLog log;
  int threads;
  vlCancel cancel;
  vlSurface surface; /* the last one asked for */
  vlControl control;
  bool settling; /* in vl_sim_settle: sources and sinks rest */
};

/* control.c */
vlCode vl_control_create(vlSim *sim, vlStatus *status);
void vl_control_clear(vlSim *sim);
vlCode vl_control_visit(vlSim *sim, vlVisitor *visitor, vlStatus *status);
double vl_control_bytes(const vlSim *sim);
/* VL_ERROR_USAGE in the name of a call. */
vlCode vl_control_check_body(const vlSim *sim, const char *call, int body, vlStatus *status);
/* What a scene's check says of a thing of the program's own, without the path that it has in the scene of the check; what
 * no file is to blame for is a wrong call. */
vlCode vl_control_tell(vlCode code, const char *path, vlStatus *status);
vlCode vl_control_check_finite(const char *call, vlVec3 x, vlStatus *status);
/* material.c: what bodies were made of by the program, as it is saved. */
vlCode vl_material_visit(vlSim *sim, vlVisitor *visitor, vlStatus *status);
/* grabs.c: before a step, hands of the scene close and open; then all hands as they are saved. */
vlCode vl_drags_turn(vlSim *sim, vlStatus *status);
vlCode vl_grabs_visit(vlSim *sim, vlVisitor *visitor, vlStatus *status);
double vl_grabs_bytes(const vlSim *sim);
/* In a slab nothing moves along z nor turns out of the plane. */
vlVec3 vl_control_in_plane(const vlSim *sim, vlVec3 x, bool turn);
/* Whether a source runs at `time`, and s: since when. */
bool vl_control_source_runs(const vlSim *sim, int source, double time);
double vl_control_source_origin(const vlSim *sim, int source);
/* m: away from where the scene has it, at `time`. */
vlVec3 vl_control_source_shift(const vlSim *sim, int source, double time);

/* What the liquid's pressure does to a wall: a side of the box x-, x+, y-, y+, z-, z+, then a static solid of the scene. */
enum { VL_SIDES = 6 };
typedef struct vlWallLoad {
  vlVec3 force, torque; /* N, N m: about the origin of coordinates */
} vlWallLoad;

struct vlEngine {
  const char *name;
  size_t bytes;          /* of a simulation's struct */
  const char *unsettled; /* why bodies do not settle in it (settle.c); NULL: they do */
  /* The scene is complete; what is there when it fails is destroyed. */
  vlCode (*create)(vlSim *sim, vlStatus *status);
  void (*destroy)(vlSim *sim);
  /* One step of at most dt_limit, which is above 0. */
  vlCode (*step)(vlSim *sim, double dt_limit, vlStepInfo *info, vlStatus *status);
  vlCode (*visit)(vlSim *sim, vlVisitor *visitor, vlStatus *status);
  void (*moment)(const vlSim *sim, int64_t *step, double *time);
  void (*set_moment)(vlSim *sim, int64_t step, double time);
  void (*halt)(vlSim *sim); /* between two steps: liquid and bodies stand still */
  /* Between two steps; of scenes whose liquid moves. Counts particles. */
  vlCode (*add_liquid)(vlSim *sim, const vlSdf *shape, vlVec3 velocity, int64_t *added, vlStatus *status);
  vlCode (*remove_liquid)(vlSim *sim, const vlSdf *shape, int64_t *removed, vlStatus *status);

  /* Views; see velella.h. */
  vlGridView (*grid)(const vlSim *sim);
  vlSimFacts (*facts)(const vlSim *sim);
  vlParticleView (*particles)(const vlSim *sim);
  vlColumnView (*column)(const vlSim *sim, int index);
  vlFieldView (*field)(const vlSim *sim, vlFieldKind kind);
  vlBlockView (*blocks)(const vlSim *sim);
  void (*open)(const vlSim *sim, const int lo[3], const int hi[3], float *open);
  vlCode (*surface)(const vlSim *sim, vlSurface *surface, vlStatus *status);
  vlMeshView (*solids)(const vlSim *sim);
  const vlBodySet *(*bodies)(const vlSim *sim);
  const vlWallLoad *(*walls)(const vlSim *sim); /* in the last step [VL_SIDES + solids] */
  int (*probe)(const vlSim *sim, const vlProbeDef *probe, double value[3]);
  vlCode (*export_system)(const vlSim *sim, const char *folder, vlStatus *status);
};

/* From enter to leave, parallel loops of the calling thread have the simulation's number of threads; enter returns what was
 * before and leave takes it. */
int vl_sim_enter(const vlSim *sim);
void vl_sim_leave(int before);

extern const vlEngine vl_engine_sharp, vl_engine_immersed;

#endif
