/* An engine: what computes a scene. A kind of it is a vlEngine, one line in the table of sim.c, and a struct of its own that
 * begins with a vlSim; programs and writers see neither, but the views of velella.h and the visitor of grid/visitor.h. */
#ifndef VL_ENGINE_ENGINE_H
#define VL_ENGINE_ENGINE_H

#include "grid/visitor.h"
#include "liquid/surface.h"
#include "solid/body_set.h"

typedef struct vlEngine vlEngine;

/* What every simulation has. */
struct vlSim {
  const vlEngine *engine;
  vlScene *scene; /* its own copy */
  vlLog log;
  int threads;
  vlCancel cancel;
  vlSurface surface; /* the last one asked for */
};

struct vlEngine {
  const char *name;
  size_t bytes; /* of a simulation's struct */
  /* The scene is complete; what is there when it fails is destroyed. */
  vlCode (*create)(vlSim *sim, vlStatus *status);
  void (*destroy)(vlSim *sim);
  /* One step of at most dt_limit, which is above 0. */
  vlCode (*step)(vlSim *sim, double dt_limit, vlStepInfo *info, vlStatus *status);
  vlCode (*visit)(vlSim *sim, vlVisitor *visitor, vlStatus *status);
  void (*moment)(const vlSim *sim, int64_t *step, double *time);

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
  int (*probe)(const vlSim *sim, const vlProbeDef *probe, double value[3]);
  vlCode (*export_system)(const vlSim *sim, const char *folder, vlStatus *status);
};

/* From enter to leave, parallel loops of the calling thread have the simulation's number of threads; enter returns what was
 * before and leave takes it. */
int vl_sim_enter(const vlSim *sim);
void vl_sim_leave(int before);

extern const vlEngine vl_engine_sharp;

#endif
