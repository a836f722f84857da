/* Cost follows the liquid, not the box: the same pool, at the same cell size, in its own box and in one eight times larger.
 * Each case runs in a process of its own, so that its peak memory can be told; no frames are written. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/timer.h"
#include "base/vec.h"
#include "velella/velella.h"

enum { STEPS = 20, REPEATS = 3 };

typedef struct Cost {
  double create, step; /* s */
  double bytes;        /* peak, less that of an empty process */
  int64_t cells;
} Cost;

static vlScene pool(vlSolidDef solids[2], double box)
{
  vlScene scene;
  vl_scene_default(&scene);
  scene.size = vl_vec(box, box, box);
  scene.cells = 0;
  scene.dx = 1.0 / 128;
  static vlShape water = {
      .kind = VL_SHAPE_BOX, .center = {.v = {0.5, 0.2, 0.5}}, .size = {.v = {1.0, 0.4, 1.0}}, .scale = 1.0};
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
                                     .scale = 1.0}};
  solids[1] = (vlSolidDef){.name = "ball",
                           .shape = {.kind = VL_SHAPE_SPHERE,
                                     .center = vl_vec(0.4, 0.2, 0.6),
                                     .radius = 0.12,
                                     .rotation = vl_mat_identity(),
                                     .scale = 1.0}};
  scene.solids = solids;
  scene.solid_count = 2;
  scene.dt_fixed = 1.0 / 60;
  return scene;
}

static void fail(const vlStatus *status)
{
  fprintf(stderr, "bench_box: %s\n", status->message);
  exit(1);
}

/* Gravity is turned a little in each step, so that no step finds its answer in the last one. */
static Cost run(double box)
{
  Cost cost = {0};
  vlStatus status = {0};
  vlSolidDef solids[2];
  vlScene scene = pool(solids, box);
  vlSim *sim = NULL;
  vlStepInfo info;
  double start = vl_seconds();
  if (vl_sim_create(&sim, &scene, (vlSimOptions){0}, &status)) fail(&status);
  cost.create = vl_seconds() - start;
  start = vl_seconds();
  for (int step = 0; step < STEPS; step++) {
    scene.gravity.x = 0.5 * sin(0.7 * step);
    if (vl_sim_step(sim, 1.0, &info, &status)) fail(&status);
  }
  cost.step = (vl_seconds() - start) / STEPS;
  cost.cells = info.liquid_cells;
  vl_sim_destroy(&sim);
  return cost;
}

static Cost in_own_process(double box)
{
  int ends[2];
  Cost cost = {0};
  struct rusage usage = {0};
  if (pipe(ends)) exit(1);
  pid_t child = fork();
  if (child == 0) {
    if (box > 0.0) cost = run(box);
    _exit(write(ends[1], &cost, sizeof cost) != sizeof cost);
  }
  if (read(ends[0], &cost, sizeof cost) != sizeof cost) exit(1);
  wait4(child, NULL, 0, &usage);
  close(ends[0]);
  close(ends[1]);
  cost.bytes = 1024.0 * (double)usage.ru_maxrss;
  return cost;
}

static Cost best_of(double box, double empty)
{
  Cost best = {0};
  for (int r = 0; r < REPEATS; r++) {
    Cost cost = in_own_process(box);
    if (r == 0 || cost.step < best.step) best = cost;
  }
  best.bytes -= empty;
  return best;
}

int main(void)
{
  double empty = in_own_process(0.0).bytes;
  Cost small = best_of(1.0, empty), large = best_of(2.0, empty);
  printf("%-28s %12s %12s %12s %12s\n", "same pool, dx = 1/128 m", "liquid cells", "set-up [s]", "step [s]", "peak [MiB]");
  printf("%-28s %12lld %12.3f %12.4f %12.1f\n", "box of 1 m", (long long)small.cells, small.create, small.step,
         small.bytes / 1048576);
  printf("%-28s %12lld %12.3f %12.4f %12.1f\n", "box of 2 m", (long long)large.cells, large.create, large.step,
         large.bytes / 1048576);
  double time = large.step / small.step, memory = large.bytes / small.bytes;
  printf("ratio: time %.2f (at most 1.3), memory %.2f (at most 2.5)\n", time, memory);
  return time > 1.3 || memory > 2.5;
}
