/* What it costs that liquid may part from walls: in every step the pressure is solved twice from the same state, at the same
 * tolerance, as an equality and under p >= 0, and the two are put in proportion: iterations, and processor time with the
 * system's assembly in both. One thread.
 *
 *   thrown    a ball of water thrown at two walls and the ceiling, with a rigid ball and an elastic box in its way
 *   ceiling   a slab that hangs from the ceiling, wall to wall, round the same bodies
 *
 * Arguments: cells along a side, one or several; without any 32 64 128. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/vec.h"
#include "engine/sharp/sharp.h"

/* s of processor time */
static double processor_seconds(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct Cost {
  double seconds;
  long iterations;
} Cost;

/* The pressure of a step that is not taken; its first guess is put back. */
static vlCode solve(vlSim *sim, double dt, bool parting, double *guess, Cost *cost, vlStatus *status)
{
  const vlBlocks *wet = &vl_sharp(sim)->work.wet;
  vlPressureSolve result = {0};
  vlSolveOptions options = {.tolerance = sim->scene->pressure.tolerance,
                            .max_iterations = sim->scene->pressure.max_iterations};
  size_t bytes = VL_BLOCK * sizeof(double);
  for (int b = 0; b < wet->count; b++)
    memcpy(guess + (size_t)b * VL_BLOCK, vl_sharp(sim)->state.p + vl_blocks_field(&vl_sharp(sim)->grid, wet->at[b]), bytes);
  sim->scene->pressure.separation = parting ? VL_SEPARATION_YES : VL_SEPARATION_NO;
  int before = vl_sim_enter(sim);
  double start = processor_seconds();
  vlCode code = vl_sharp_prepare(vl_sharp(sim), dt, status);
  if (!code) code = (parting ? vl_separate_solve : vl_sharp_solve)(vl_sharp(sim), dt, options, &result, status);
  cost->seconds += processor_seconds() - start;
  vl_sim_leave(before);
  cost->iterations += result.info.iterations;
  sim->scene->pressure.separation = VL_SEPARATION_YES;
  for (int b = 0; b < wet->count; b++)
    memcpy(vl_sharp(sim)->state.p + vl_blocks_field(&vl_sharp(sim)->grid, wet->at[b]), guess + (size_t)b * VL_BLOCK, bytes);
  return code;
}

typedef struct Table {
  Cost equality, parting;
  double worst; /* largest ratio of processor time of a step */
  int steps, loops, most_loops, fallbacks;
  long cells, parted, most_parted;
} Table;

static vlCode one_step(vlSim *sim, double dt, double *guess, Table *table, vlStatus *status)
{
  Cost equality = {0}, parting = {0};
  vlStepInfo info = {0};
  vlCode code = solve(sim, dt, false, guess, &equality, status);
  if (!code) code = solve(sim, dt, true, guess, &parting, status);
  if (!code) code = vl_sim_step(sim, dt, &info, status);
  table->equality.seconds += equality.seconds;
  table->equality.iterations += equality.iterations;
  table->parting.seconds += parting.seconds;
  table->parting.iterations += parting.iterations;
  table->steps++;
  table->loops += info.separation_loops;
  if (info.separation_loops > table->most_loops) table->most_loops = info.separation_loops;
  if (parting.seconds > table->worst * equality.seconds) table->worst = parting.seconds / equality.seconds;
  table->fallbacks += info.separation_fallbacks;
  table->cells = (long)info.liquid_cells;
  table->parted += (long)info.parted;
  if (info.parted > table->most_parted) table->most_parted = (long)info.parted;
  return code;
}

static void measure(const vlScene *scene, const char *name, int steps)
{
  vlStatus status = {0};
  vlSim *sim = NULL;
  Table t = {0};
  vlCode code = vl_sim_create(&sim, scene, (vlSimOptions){.threads = 1}, &status);
  double *guess = code ? NULL
                       : malloc((size_t)vl_sharp(sim)->grid.n[0] * (size_t)vl_sharp(sim)->grid.n[1] *
                                (size_t)vl_sharp(sim)->grid.n[2] * 2 * sizeof *guess);
  for (int step = 0; step < steps && guess && !code; step++) code = one_step(sim, scene->time.dt_fixed, guess, &t, &status);
  if (code)
    printf("%-8s %4d  %s\n", name, scene->grid.cells, status.message);
  else if (t.steps > 0)
    printf("%-8s %4d %8ld %6d %8ld %8ld %6.2f %5d %5d %9.1f %9.1f %7.2f %7.2f %7.2f\n", name, scene->grid.cells, t.cells,
           t.steps, t.parted / t.steps, t.most_parted, (double)t.loops / t.steps, t.most_loops, t.fallbacks,
           (double)t.equality.iterations / t.steps, (double)t.parting.iterations / t.steps,
           (double)t.parting.iterations / (double)t.equality.iterations, t.parting.seconds / t.equality.seconds, t.worst);
  fflush(stdout);
  free(guess);
  vl_sim_destroy(&sim);
}

/* A rigid ball and an elastic box, lighter than water. */
static void make_bodies(vlBodyDef body[2], int cells)
{
  body[0] = vl_body_default();
  strcpy(body[0].name, "ball");
  body[0].shape = VL_BODY_SPHERE;
  body[0].center = vl_vec(0.22, 0.8, 0.3);
  body[0].solid.radius = 0.08;
  body[0].cell = 0.04;
  body[0].density = 500.0;
  body[0].kind = VL_BODY_RIGID;
  body[1] = vl_body_default();
  strcpy(body[1].name, "box");
  body[1].center = vl_vec(0.55, 0.82, 0.6);
  body[1].size = vl_vec(0.2, 0.15, 0.18);
  body[1].cells[0] = body[1].cells[1] = body[1].cells[2] = cells >= 64 ? 6 : 4;
  body[1].density = 700.0;
}

static vlScene tank(int cells, vlBodyDef body[2])
{
  vlScene scene;
  vl_scene_default(&scene);
  scene.grid.size = vl_vec(1, 1, 1);
  scene.grid.cells = cells;
  scene.grid.dx = 0.0;
  scene.pressure.separation = VL_SEPARATION_YES;
  make_bodies(body, cells);
  scene.bodies = body;
  scene.body_count = 2;
  return scene;
}

static void thrown(int cells, int steps)
{
  vlBodyDef body[2];
  vlScene scene = tank(cells, body);
  vlShape blob = vl_shape_default(VL_SHAPE_SPHERE);
  blob.center = vl_vec(0.3, 0.72, 0.35);
  blob.radius = 0.27;
  scene.liquid.shapes = &blob;
  scene.liquid.shape_count = 1;
  scene.liquid.velocity = vl_vec(-3, 1.5, -1);
  scene.time.dt_fixed = 0.5 / (3.0 * cells); /* half a cell at the speed of the throw */
  measure(&scene, "thrown", steps);
}

static void ceiling(int cells, int steps)
{
  vlBodyDef body[2];
  vlScene scene = tank(cells, body);
  vlShape slab = vl_shape_default(VL_SHAPE_BOX);
  slab.center = vl_vec(0.5, 1.0, 0.5);
  slab.size = vl_vec(2, 0.61, 2);
  scene.liquid.shapes = &slab;
  scene.liquid.shape_count = 1;
  scene.time.dt_fixed = vl_usual_step(1.0 / cells, 9.81);
  measure(&scene, "ceiling", steps);
}

int main(int argc, char **argv)
{
  static const int usual[] = {32, 64, 128};
  int count = argc > 1 ? argc - 1 : 3;
  printf(
      "                                   parted             loops  most  fall-  iterations              processor time\n");
  printf(
      "scene    cells   liquid  steps     mean     most   mean        backs  equality   parting   ratio   ratio   worst\n");
  for (int i = 0; i < count; i++) {
    int cells = argc > 1 ? atoi(argv[i + 1]) : usual[i];
    if (cells < 16) {
      fprintf(stderr, "bench_separation: %s is no number of cells from 16 up\n", argv[i + 1]);
      return 2;
    }
    int steps = cells > 64 ? 12 : 40;
    thrown(cells, steps);
    ceiling(cells, steps);
  }
  return 0;
}
