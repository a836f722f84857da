/* Rigid bodies in the pressure solve: iterations and multigrid cycles without and with them in the preconditioner
 * (pressure/woodbury.h), by density and number. Turned bricks in a box three quarters full, from rest, steps of 1/120 s; the
 * third step's solve from a zero guess, to 1e-6 and to 1e-10. Times are the processor's, one thread. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/vec.h"
#include "engine/sharp/sharp.h"

enum { TURNS = 3 };

static double noise = 1.0; /* largest ratio of times of one solve */

static double processor_seconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

typedef struct Cost {
  int iterations, cycles;
  double seconds;
  bool corrected;
} Cost;

/* The assembled system from a zero guess. */
static vlCode solve(vlSim *sim, vlWoodburyUse use, double tolerance, Cost *cost, vlStatus *status)
{
  vlPressure *pressure = vl_sharp(sim)->work.pressure;
  const vlScene *scene = sim->scene;
  vlPressureSolve result = {0};
  vl_woodbury_forget(&pressure->woodbury);
  pressure->woodbury.use = use;
  memset(pressure->p, 0, vl_stencil_length(&pressure->stencil) * sizeof *pressure->p);
  int before = vl_sim_enter(sim);
  double start = processor_seconds();
  vlCode code = vl_pressure_solve(pressure, scene->pressure.solver,
                                  (vlSolveOptions){tolerance, scene->pressure.max_iterations}, &result, status);
  cost->seconds = processor_seconds() - start;
  vl_sim_leave(before);
  cost->iterations = result.info.iterations;
  cost->cycles = result.info.iterations + pressure->woodbury.count;
  cost->corrected = pressure->woodbury.count > 0;
  return code;
}

/* Without, with, and as the rule has it, in turns; the least time of each counts. */
static vlCode compare(vlSim *sim, double tolerance, double density, int bodies, vlStatus *status)
{
  static const vlWoodburyUse use[3] = {VL_WOODBURY_NEVER, VL_WOODBURY_ALWAYS, VL_WOODBURY_AUTO};
  Cost best[3], now;
  vlCode code = solve(sim, VL_WOODBURY_ALWAYS, 0.1, &now, status); /* memory is touched for the first time */
  for (int turn = 0; turn < TURNS; turn++)
    for (int k = 0; k < 3 && !code; k++) {
      code = solve(sim, use[k], tolerance, &now, status);
      if (turn == 0 || now.seconds < best[k].seconds) best[k] = now;
    }
  if (code) return code;
  /* the rule's solve is one of the other two again: how far its time is off is the noise */
  const Cost *same = &best[best[2].corrected ? 1 : 0];
  double off = best[2].seconds / same->seconds;
  noise = fmax(noise, fmax(off, 1.0 / off));
  printf("%5d %6d %8g %8.0e %10d %10d %8d %8.2f  %s\n", vl_sharp(sim)->grid.n[0], bodies, density / 1000.0, tolerance,
         best[0].iterations, best[1].iterations, best[1].cycles, best[0].seconds / best[1].seconds,
         best[2].corrected ? "corrected" : "plain");
  return VL_OK;
}

/* Up to 27 bricks of a fifth of the box, turned each its own way, in three layers. */
static void measure(int cells, int count, double density)
{
  vlStatus status = {0};
  vlScene scene;
  vlBodyDef body[27];
  vl_scene_default(&scene);
  scene.grid.size = vl_vec(1, 1, 1);
  scene.grid.cells = cells;
  scene.grid.dx = 0.0;
  scene.pressure.max_iterations = 1000;
  scene.time.dt_fixed = 1.0 / 120.0;
  scene.liquid.transfer = VL_TRANSFER_STILL;
  scene.liquid.has_level = true;
  scene.liquid.level = 0.75;
  for (int b = 0; b < count; b++) {
    body[b] = vl_body_default();
    body[b].kind = VL_BODY_RIGID;
    body[b].density = density;
    body[b].overlap = true; /* corners of turned bricks may */
    body[b].size = count == 1 ? vl_vec(0.35, 0.25, 0.3) : vl_vec(0.16, 0.11, 0.13);
    body[b].center = count == 1 ? vl_vec(0.52, 0.4, 0.47)
                                : vl_vec(0.22 + 0.28 * (b % 3), 0.13 + 0.22 * (b / 9), 0.22 + 0.28 * (b / 3 % 3));
    body[b].rotation = vl_mat_multiply(vl_mat_rotation(1, 0.4 + b), vl_mat_rotation(2, 0.7 + 0.5 * b));
    snprintf(body[b].name, sizeof body[b].name, "brick %d", b);
  }
  scene.bodies = body;
  scene.body_count = count;
  vlSim *sim = NULL;
  vlStepInfo info = {0};
  vlCode code = vl_sim_create(&sim, &scene, (vlSimOptions){.threads = 1}, &status);
  for (int step = 0; step < 2 && !code; step++) code = vl_sim_step(sim, 1.0, &info, &status);
  if (!code) code = vl_sharp_prepare(vl_sharp(sim), scene.time.dt_fixed, &status);
  if (!code) vl_pressure_rhs_bodies(vl_sharp(sim)->work.pressure);
  if (!code) code = compare(sim, 1e-6, density, count, &status);
  if (!code) code = compare(sim, 1e-10, density, count, &status);
  if (code) printf("%d cells, %d bodies of density %g: %s\n", cells, count, density, status.message);
  vl_sim_destroy(&sim);
}

int main(void)
{
  static const double ratio[] = {1.0, 0.3, 0.1, 0.01, 0.001};
  static const int count[] = {1, 6, 20};
  printf("%5s %6s %8s %8s %10s %10s %8s %8s  %s\n", "cells", "bodies", "density", "to", "iterations", "corrected", "cycles",
         "gain", "by rule");
  for (int cells = 32; cells <= 64; cells *= 2) {
    noise = 1.0;
    for (int c = 0; c < 3; c++)
      for (int r = 0; r < 5; r++) measure(cells, count[c], 1000.0 * ratio[r]);
    printf("%d cells: times of one and the same solve differ by a factor of up to %.2f\n", cells, noise);
  }
  return 0;
}
