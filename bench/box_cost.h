/* What a pool costs in a box of a given size, at the same cell size: the same liquid and the same walls around it whatever
 * the box. Each case runs in a process of its own (own_process.h); no frames are written. Used by bench_box.c and
 * tests/test_box.c. */
#ifndef VL_BENCH_BOX_COST_H
#define VL_BENCH_BOX_COST_H

#include <stdio.h>
#include <stdlib.h>

#include "base/timer.h"
#include "base/vec.h"
#include "own_process.h"
#include "velella/velella.h"

typedef struct BoxCost {
  double create, step; /* s */
  double bytes;        /* peak, less that of an empty process */
  int64_t cells;
} BoxCost;

static inline vlScene box_pool(vlSolidDef solids[2], double box, double dx)
{
  vlScene scene;
  vl_scene_default(&scene);
  scene.liquid.transfer = VL_TRANSFER_STILL;
  scene.grid.size = vl_vec(box, box, box);
  scene.grid.cells = 0;
  scene.grid.dx = dx;
  static vlShape water = {
      .kind = VL_SHAPE_BOX, .center = {.v = {0.5, 0.2, 0.5}}, .size = {.v = {1.0, 0.4, 1.0}}, .scale = {{1, 1, 1}}};
  water.rotation = vl_mat_identity();
  scene.liquid.shapes = &water;
  scene.liquid.shape_count = 1;
  /* a basin just the size of the pool, so that the liquid has the same walls in both boxes */
  solids[0] = (vlSolidDef){.name = "basin",
                           .container = true,
                           .shape = {.kind = VL_SHAPE_BOX,
                                     .center = vl_vec(0.5, 0.5, 0.5),
                                     .size = vl_vec(1, 1, 1),
                                     .rotation = vl_mat_identity(),
                                     .scale = {{1, 1, 1}}}};
  solids[1] = (vlSolidDef){.name = "ball",
                           .shape = {.kind = VL_SHAPE_SPHERE,
                                     .center = vl_vec(0.4, 0.2, 0.6),
                                     .radius = 0.12,
                                     .rotation = vl_mat_identity(),
                                     .scale = {{1, 1, 1}}}};
  scene.solids = solids;
  scene.solid_count = 2;
  scene.time.dt_fixed = 1.0 / 60;
  return scene;
}

static inline void box_fail(const vlStatus *status)
{
  fprintf(stderr, "%s\n", status->message);
  exit(1);
}

/* Gravity is turned a little in each step, so that no step finds its answer in the last one. */
static inline BoxCost box_run(double box, double dx, int steps)
{
  BoxCost cost = {0};
  vlStatus status = {0};
  vlSolidDef solids[2];
  vlScene scene = box_pool(solids, box, dx);
  vlSim *sim = NULL;
  vlStepInfo info;
  double start = vl_seconds();
  if (vl_sim_create(&sim, &scene, (vlSimOptions){0}, &status)) box_fail(&status);
  cost.create = vl_seconds() - start;
  start = vl_seconds();
  for (int step = 0; step < steps; step++) {
    scene.gravity.x = 0.5 * sin(0.7 * step);
    if (vl_sim_step(sim, 1.0, &info, &status)) box_fail(&status);
  }
  cost.step = (vl_seconds() - start) / steps;
  cost.cells = info.liquid_cells;
  vl_sim_destroy(&sim);
  return cost;
}

typedef struct BoxTask {
  double box, dx;
  int steps;
} BoxTask;

static inline void box_work(const void *task, void *result)
{
  const BoxTask *t = task;
  *(BoxCost *)result = box_run(t->box, t->dx, t->steps);
}

/* box 0: a process that does nothing. */
static inline BoxCost box_in_own_process(double box, double dx, int steps)
{
  BoxTask task = {box, dx, steps};
  BoxCost cost = {0};
  double bytes = own_process(box > 0.0 ? box_work : NULL, &task, &cost, sizeof cost);
  if (bytes < 0.0) exit(1);
  cost.bytes = bytes;
  return cost;
}

#endif
