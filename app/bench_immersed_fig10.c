/* bench immersed fig10: the divergence that the pressure solve leaves over its iterations [brandt2019, fig. 10].
 *
 * A figure drops into a pool, once for each way to solve: Jacobi's sweeps from nothing, as in the paper; from the last
 * pressure; with densities in the right side, as its program has them; and conjugate gradients with multigrid, ours. Told
 * are the mean over the frames of the mean size of divergence over all cells of liquid, and what becomes of the volume: how
 * much lower the liquid's middle is at the end than with the most iterations of ours. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/status.h"
#include "bench_immersed.h"

enum { WAYS = 10, FRAMES = 100, SMALL_FRAMES = 3, OWN = 3, REFERENCE = WAYS - 1 };

static const struct {
  const char *name, *key, *settings[OWN];
} ways[WAYS] = {
    {"10 sweeps", "jacobi_10", {"pressure.solver=sweeps", "pressure.max_iterations=10", "pressure.guess=zero"}},
    {"50 sweeps", "jacobi_50", {"pressure.solver=sweeps", "pressure.max_iterations=50", "pressure.guess=zero"}},
    {"200 sweeps", "jacobi_200", {"pressure.solver=sweeps", "pressure.max_iterations=200", "pressure.guess=zero"}},
    {"1000 sweeps", "jacobi_1000", {"pressure.solver=sweeps", "pressure.max_iterations=1000", "pressure.guess=zero"}},
    {"10000 sweeps", "jacobi_10000", {"pressure.solver=sweeps", "pressure.max_iterations=10000", "pressure.guess=zero"}},
    {"200 sweeps, density of cells",
     "jacobi_200_cells",
     {"pressure.solver=sweeps", "pressure.guess=zero", "pressure.density=cells"}},
    {"200 sweeps, from the last pressure", "jacobi_200_last", {"pressure.solver=sweeps"}},
    {"2 iterations with multigrid", "multigrid_2", {"pressure.max_iterations=2"}},
    {"4 iterations with multigrid", "multigrid_4", {"pressure.max_iterations=4"}},
    {"8 iterations with multigrid", "multigrid_8", {"pressure.max_iterations=8"}},
};

static const char text[] = "engine: immersed\n"
                           "grid: {size: [1.97, 7.092, 1.8715], cells: 72}\n"
                           "liquid: {level: 2.7}\n"
                           "pressure: {tolerance: 1e-12}\n"
                           "bodies:\n"
                           "  - name: figure\n"
                           "    center: [0.98, 4.6, 0.94]\n"
                           "    rotate: y 45\n"
                           "    cell: 13 cm\n" VL_IMMERSED_FIGURE "    density: 660\n"
                           "    young: 600 kPa\n";
static const char *const small[] = {"grid.cells=24", "bodies.figure.cell=0.35"};

typedef struct Way {
  double left[FRAMES]; /* 1/s: mean divergence of each frame */
  double mean;         /* 1/s: of them */
  double height;       /* m: of the middle of the liquid, at the end */
  double sunk;         /* of it, against the reference */
  vlImmersedCost cost;
} Way;

typedef struct Figure {
  int frames, cells[3];
  int64_t particles;
  Way way[WAYS];
} Figure;

static double height_of(const vlSim *sim)
{
  vlParticleView p = vl_sim_particles(sim);
  double sum = 0.0;
  for (size_t i = 0; i < p.count; i++) sum += (double)p.x[1][i];
  return p.count > 0 ? p.origin.y + p.dx * sum / (double)p.count : 0.0;
}

static vlCode measure(const vlOptions *options, int which, Figure *figure, vlStatus *status)
{
  Way *way = &figure->way[which];
  const char *settings[OWN + 3] = {0};
  vlSim *sim = NULL;
  vlStepInfo info;
  int count = 0;
  for (int i = 0; i < 2 && options->small; i++) settings[count++] = small[i];
  for (int i = 0; i < OWN && ways[which].settings[i]; i++) settings[count++] = ways[which].settings[i];
  vl_immersed_tell("fig10: %s", ways[which].name);
  vlCode code = vl_immersed_begin(&sim, "fig10", text, settings, options->threads, status);
  for (int f = 0; f < figure->frames && !code; f++) {
    code = vl_immersed_step(sim, VL_IMMERSED_DT, &info, &way->cost, status);
    if (code) break;
    way->left[f] = info.mean_divergence;
    way->mean += info.mean_divergence / figure->frames;
  }
  if (!code) {
    vlSimFacts facts = vl_sim_facts(sim);
    for (int a = 0; a < 3; a++) figure->cells[a] = facts.n[a];
    figure->particles = (int64_t)vl_sim_particles(sim).count;
    way->height = height_of(sim);
  }
  vl_sim_destroy(&sim);
  return code;
}

static vlCode run(const vlOptions *options, void *results, vlStatus *status)
{
  Figure *figure = results;
  vlCode code = VL_OK;
  figure->frames = options->small ? SMALL_FRAMES : FRAMES;
  for (int w = 0; w < WAYS && !code; w++) code = measure(options, w, figure, status);
  for (int w = 0; w < WAYS && !code; w++) figure->way[w].sunk = 1.0 - figure->way[w].height / figure->way[REFERENCE].height;
  return code;
}

static void print(const void *results)
{
  const Figure *figure = results;
  printf("%dx%dx%d cells, %lld particles, %d frames\n", figure->cells[0], figure->cells[1], figure->cells[2],
         (long long)figure->particles, figure->frames);
  printf("%-36s %14s %14s %9s %9s %9s\n", "solved by", "divergence 1/s", "in the last", "lower", "solve ms", "step ms");
  for (int w = 0; w < WAYS; w++) {
    const Way *way = &figure->way[w];
    printf("%-36s %14.2e %14.2e %7.2f %% %9.2f %9.2f\n", ways[w].name, way->mean, way->left[figure->frames - 1],
           100.0 * way->sunk, vl_immersed_ms(&way->cost, way->cost.stage[VL_STAGE_SOLVE]),
           vl_immersed_ms(&way->cost, way->cost.seconds));
  }
}

static void json(vlJson *out, const void *results)
{
  const Figure *figure = results;
  vl_json_array(out, "cells");
  for (int a = 0; a < 3; a++) vl_json_integer(out, NULL, figure->cells[a]);
  vl_json_end(out);
  vl_json_integer(out, "particles", figure->particles);
  vl_json_object(out, "ways");
  for (int w = 0; w < WAYS; w++) {
    const Way *way = &figure->way[w];
    vl_json_object(out, ways[w].key);
    vl_json_number(out, "iterations", way->cost.iterations / way->cost.steps);
    vl_json_number(out, "mean_divergence", way->mean);
    vl_json_number(out, "height", way->height);
    vl_json_number(out, "lower", way->sunk);
    vl_json_number(out, "solve", way->cost.stage[VL_STAGE_SOLVE] / way->cost.steps);
    vl_json_number(out, "step", way->cost.seconds / way->cost.steps);
    vl_json_array(out, "frames");
    for (int f = 0; f < figure->frames; f++) vl_json_number(out, NULL, way->left[f]);
    vl_json_end(out);
    vl_json_end(out);
  }
  vl_json_end(out);
}

const vlImmersedPart vl_immersed_fig10 = {.name = "fig10",
                                          .about = "divergence that is left, a figure dropped into a pool",
                                          .bytes = sizeof(Figure),
                                          .run = run,
                                          .print = print,
                                          .json = json};
