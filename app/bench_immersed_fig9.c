/* bench immersed fig9: a mat that water falls on, in both engines [brandt2019, fig. 9].
 *
 * As in the paper 100^3 cells, 59 000 particles, a mat of some 3000 nodes held at its rim, 3 m/s2 of gravity and frames of
 * 1/240 s, which the sharp engine may cut. The liquid and the mat are the same; the immersed engine has the mat in 600
 * unknowns. Told are milliseconds of a frame once the water lies on the mat, beside the paper's 17 (reduced, graphics card)
 * and 7480 (an implementation of [zarifi2017] of its time), and how far the mat sags. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "base/vec.h"
#include "bench_immersed.h"
#include "progress.h"

enum { ENGINES = 2, WARM_UP = 60, FRAMES = 30, SMALL_WARM_UP = 1, SMALL_FRAMES = 2 };
static const double DT = 1.0 / 240.0; /* s: of a frame */

static const struct {
  const char *name, *settings[2];
  double paper; /* ms of a frame */
} engines[ENGINES] = {{"immersed", {"engine=immersed", "bodies.mat.handles=50"}, 17.0}, {"sharp", {"engine=sharp"}, 7480.0}};

static const char text[] = "grid: {size: [1, 1, 1], cells: 100}\n"
                           "gravity: [0, -3, 0]\n"
                           "liquid: {shapes: [{shape: box, center: [0.5, 0.58, 0.5], size: [0.27, 0.1, 0.27]}]}\n"
                           "pressure: {separation: no}\n"
                           "bodies:\n"
                           "  - name: mat\n"
                           "    shape: box\n"
                           "    center: [0.5, 0.5, 0.5]\n"
                           "    size: [0.7, 0.02, 0.7]\n"
                           "    cells: [38, 1, 38]\n"
                           "    density: 300\n"
                           "    young: 60 kPa\n"
                           "    poisson: 0\n"
                           "    pins:\n"
                           "      - {shape: box, center: [0.15, 0.5, 0.5], size: [0.01, 0.1, 0.8]}\n"
                           "      - {shape: box, center: [0.85, 0.5, 0.5], size: [0.01, 0.1, 0.8]}\n"
                           "      - {shape: box, center: [0.5, 0.5, 0.15], size: [0.8, 0.1, 0.01]}\n"
                           "      - {shape: box, center: [0.5, 0.5, 0.85], size: [0.8, 0.1, 0.01]}\n";
static const char *const small[] = {"grid.cells=30", "bodies.mat.cells=[10, 1, 10]", "bodies.mat.size=[0.7, 0.06, 0.7]"};

typedef struct Side {
  double preparation; /* s */
  double frame, cpu;  /* s */
  double steps;       /* of a frame */
  double sag, water;  /* m: of the mat's middle; how far the middle of the water has come down */
  int nodes;
  int64_t particles;
} Side;

typedef struct Figure {
  Side side[ENGINES];
} Figure;

/* Largest way down of a node. */
static double sag_of(const vlSim *sim)
{
  vlBodyView mat = vl_sim_body(sim, 0);
  double most = 0.0;
  for (int i = 0; i < mat.node_count; i++) most = fmax(most, mat.rest[i].y - mat.x[i].y);
  return most;
}

static double height_of(const vlSim *sim)
{
  vlParticleView p = vl_sim_particles(sim);
  double sum = 0.0;
  for (size_t i = 0; i < p.count; i++) sum += (double)p.x[1][i];
  return p.count > 0 ? p.origin.y + p.dx * sum / (double)p.count : 0.0;
}

static vlCode make_frame(vlSim *sim, double until, vlImmersedCost *cost, vlStatus *status)
{
  vlStepInfo info;
  vlCode code = VL_OK;
  while (!code && until - vl_sim_time(sim) > 1e-9)
    code = vl_immersed_step(sim, until - vl_sim_time(sim), &info, cost, status);
  return code;
}

static vlCode measure(const vlOptions *options, int which, Side *side, vlStatus *status)
{
  const char *settings[6] = {0};
  vlSim *sim = NULL;
  vlImmersedCost cost = {0};
  int warm_up = options->small ? SMALL_WARM_UP : WARM_UP, frames = options->small ? SMALL_FRAMES : FRAMES;
  int count = 0;
  for (int i = 0; i < 3 && options->small; i++) settings[count++] = small[i];
  for (int i = 0; i < 2 && engines[which].settings[i]; i++) settings[count++] = engines[which].settings[i];
  vl_immersed_tell("fig9: engine %s", engines[which].name);
  double begun = vl_wall_seconds(), before = 0.0;
  vlCode code = vl_immersed_begin(&sim, "fig9", text, settings, options->threads, status);
  side->preparation = vl_wall_seconds() - begun;
  if (!code) before = height_of(sim);
  for (int f = 0; f < warm_up + frames && !code; f++)
    code = make_frame(sim, (f + 1) * DT, f < warm_up ? NULL : &cost, status);
  if (!code) {
    side->frame = cost.seconds / frames;
    side->cpu = cost.cpu / frames;
    side->steps = (double)cost.steps / frames;
    side->sag = sag_of(sim);
    side->water = before - height_of(sim);
    side->nodes = (int)vl_sim_facts(sim).body_nodes;
    side->particles = (int64_t)vl_sim_particles(sim).count;
  }
  vl_sim_destroy(&sim);
  return code;
}

static vlCode run(const vlOptions *options, void *results, vlStatus *status)
{
  vlCode code = VL_OK;
  for (int e = 0; e < ENGINES && !code; e++) code = measure(options, e, &((Figure *)results)->side[e], status);
  return code;
}

static void print(const void *results)
{
  const Figure *figure = results;
  printf("%-10s %6s %9s %7s %9s %11s %9s %9s %9s %9s\n", "engine", "nodes", "particles", "prep.", "frame ms", "processor",
         "paper ms", "steps", "sag", "water");
  for (int e = 0; e < ENGINES; e++) {
    const Side *s = &figure->side[e];
    printf("%-10s %6d %9lld %5.1f s %9.2f %11.2f %9.0f %9.2f %7.1f mm %6.1f mm\n", engines[e].name, s->nodes,
           (long long)s->particles, s->preparation, 1e3 * s->frame, 1e3 * s->cpu, engines[e].paper, s->steps, 1e3 * s->sag,
           1e3 * s->water);
  }
}

static void json(vlJson *out, const void *results)
{
  for (int e = 0; e < ENGINES; e++) {
    const Side *s = &((const Figure *)results)->side[e];
    vl_json_object(out, engines[e].name);
    vl_json_integer(out, "nodes", s->nodes);
    vl_json_integer(out, "particles", s->particles);
    vl_json_number(out, "preparation", s->preparation);
    vl_json_number(out, "frame", s->frame);
    vl_json_number(out, "cpu", s->cpu);
    vl_json_number(out, "paper_frame", 1e-3 * engines[e].paper);
    vl_json_number(out, "steps", s->steps);
    vl_json_number(out, "sag", s->sag);
    vl_json_number(out, "water", s->water);
    vl_json_end(out);
  }
}

const vlImmersedPart vl_immersed_fig9 = {.name = "fig9",
                                         .about = "water on a mat, a frame of 1/240 s in both engines",
                                         .bytes = sizeof(Figure),
                                         .run = run,
                                         .print = print,
                                         .json = json};
