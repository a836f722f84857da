/* A simulation's inside, for the engine and for the writers of frames. */
#ifndef VL_ENGINE_SIM_H
#define VL_ENGINE_SIM_H

#include "cut/cuts.h"
#include "pressure/pressure.h"
#include "solid/statics.h"
#include "velella/velella.h"

/* All that a restart needs besides the scene. */
typedef struct vlState {
  int64_t step;
  double time;  /* s */
  double *u[3]; /* m/s: velocity through lower faces, field */
  double *p;    /* Pa at cell centres, field; first guess of the next solve */
  double *phi;  /* m: liquid level set at cell centres, field */
} vlState;

/* Rebuilt when the liquid moves. */
typedef struct vlWork {
  vlBlocks wet;      /* blocks with liquid cells and their neighbours */
  double *area[3];   /* m2: open area of lower faces, field */
  double *u_star[3]; /* m/s: velocity after forces, before pressure, field */
  vlPressure *pressure;
} vlWork;

struct vlSim {
  const vlScene *scene;
  vlLog log;
  int threads;
  vlGrid grid;
  vlStatics *statics;
  vlCuts *cuts;
  vlState state;
  vlWork work;
  double max_speed; /* m/s, after the last step */
};

vlFluid vl_sim_fluid(const vlSim *sim);

/* What series.csv tells of the current state. */
void vl_measure(const vlSim *sim, vlStepInfo *info);
/* The invariants of check level 1..3; a violated one is VL_ERROR_SOLVER naming it and the cell. */
vlCode vl_check_invariants(const vlSim *sim, const vlStepInfo *info, vlStatus *status);

#endif
