/* One timed run of a dam break: a block of water in a corner of a cube, 8 particles in a cell, everything as a scene has it
 * by default, nothing written. The first steps are not counted; of those that follow, means. */
#ifndef VL_BENCH_STEP_RUN_H
#define VL_BENCH_STEP_RUN_H

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/timer.h"
#include "base/vec.h"
#include "engine/sharp/sharp.h"
#include "own_process.h"
#include "step_model.h"

enum { WARM_UP = 2 };

typedef struct StepTask {
  int cells;    /* along each side of the box */
  double box;   /* m: its side */
  vlVec3 water; /* m: of the block in the corner of the lower coordinates */
  int threads, steps;
  bool kernels;   /* the operator and the cycle are timed by themselves, too */
  bool processor; /* times are processor times, for a busy machine and one thread: see add_step */
} StepTask;

typedef struct StepResult {
  char error[256];                     /* empty: it went well */
  double create;                       /* s: of vl_sim_create */
  double step;                         /* s of a whole call of vl_sim_step */
  double cpu;                          /* s of processor time of it, all threads together */
  double stage[STAGES], bytes[STAGES]; /* s and bytes of a step (step_model.h) */
  double liquid_cells, reseeded, dt;
  StepCounts counts;
  double operator_seconds, cycle_seconds; /* of one application; 0: not timed */
  double peak;                            /* bytes of the process, from own_process */
} StepResult;

static inline StepCounts step_counts(const vlSim *sim, const vlStepInfo *info)
{
  const vlStencil *s = &vl_sharp(sim)->work.pressure->stencil;
  int irregular = 0;
  for (int b = 0; b < s->blocks.count; b++) irregular += !s->regular[b];
  return (StepCounts){.wet_cells = (double)vl_sharp(sim)->work.wet.count * VL_BLOCK,
                      .system_cells = (double)s->blocks.count * VL_BLOCK,
                      .irregular_cells = (double)irregular * VL_BLOCK,
                      .particles = (double)info->particles,
                      .iterations = info->iterations};
}

/* Stages are timed by the clock. For processor times all are shortened alike, as if other processes had interrupted each as
 * much as the others. */
static inline void add_step(StepResult *r, const vlSim *sim, const vlStepInfo *info, double wall, double cpu, double share,
                            double part)
{
  StepCounts c = step_counts(sim, info);
  double rest = wall;
  r->step += part * share * wall;
  r->cpu += part * cpu;
  for (int k = 0; k < STAGES; k++) {
    double seconds = k < REST ? info->seconds[k] : rest;
    rest -= seconds;
    r->stage[k] += part * share * seconds;
    r->bytes[k] += part * stage_bytes(k, &c);
  }
  r->liquid_cells += part * (double)info->liquid_cells;
  r->reseeded += part * (double)info->reseeded;
  r->dt += part * info->dt;
  r->counts.wet_cells += part * c.wet_cells;
  r->counts.system_cells += part * c.system_cells;
  r->counts.irregular_cells += part * c.irregular_cells;
  r->counts.particles += part * c.particles;
  r->counts.iterations += part * c.iterations;
}

/* s of one application, over about half a second of them. */
static inline double time_operator(vlOperator a, bool processor, const double *x, double *y)
{
  a.apply(a.data, x, y);
  double start = processor ? processor_seconds() : vl_seconds(), spent = 0.0;
  int count = 0;
  for (; spent < 0.5; count++) {
    a.apply(a.data, x, y);
    spent = (processor ? processor_seconds() : vl_seconds()) - start;
  }
  return spent / count;
}

/* The system of the last step still stands. */
static inline void time_kernels(const vlSim *sim, bool processor, StepResult *r)
{
  const vlPressure *pressure = vl_sharp(sim)->work.pressure;
  double *y = vl_stencil_vector_create((size_t)pressure->stencil.blocks.count);
  if (!y) return;
  int before = vl_sim_enter(sim);
  r->operator_seconds = time_operator(vl_stencil_operator(&pressure->stencil), processor, pressure->p, y);
  r->cycle_seconds = time_operator(vl_multigrid_operator(pressure->multigrid), processor, pressure->b, y);
  vl_sim_leave(before);
  vl_stencil_vector_free(y);
}

/* OwnWork: StepTask to StepResult. */
static inline void step_run(const void *data, void *result)
{
  const StepTask *task = data;
  StepResult *r = result;
  *r = (StepResult){0};
  vlStatus status = {0};
  vlScene scene;
  vlSim *sim = NULL;
  vlShape water = vl_shape_default(VL_SHAPE_BOX);
  vl_scene_default(&scene);
  scene.grid.size = vl_vec(task->box, task->box, task->box);
  scene.grid.cells = task->cells;
  water.size = task->water;
  water.center = vl_scale(task->water, 0.5);
  scene.liquid.shapes = &water;
  scene.liquid.shape_count = 1;
  double start = vl_seconds(), cpu_start = processor_seconds();
  vlCode code = vl_sim_create(&sim, &scene, (vlSimOptions){.threads = task->threads}, &status);
  r->create = task->processor ? processor_seconds() - cpu_start : vl_seconds() - start;
  for (int i = 0; i < WARM_UP + task->steps && !code; i++) {
    vlStepInfo info;
    cpu_start = processor_seconds();
    start = vl_seconds();
    code = vl_sim_step(sim, INFINITY, &info, &status);
    double wall = vl_seconds() - start, cpu = processor_seconds() - cpu_start;
    if (code || i < WARM_UP) continue;
    add_step(r, sim, &info, wall, cpu, task->processor ? cpu / wall : 1.0, 1.0 / task->steps);
  }
  if (!code && task->kernels) time_kernels(sim, task->processor, r);
  if (code) snprintf(r->error, sizeof r->error, "%.250s", status.message);
  vl_sim_destroy(&sim);
}

static inline StepResult step_in_own_process(const StepTask *task)
{
  StepResult r = {0};
  r.peak = own_process(step_run, task, &r, sizeof r);
  if (r.peak < 0.0 && !r.error[0])
    snprintf(r.error, sizeof r.error, "the run was ended from outside, perhaps for its memory");
  return r;
}

#endif
