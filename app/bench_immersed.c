/* velella bench immersed: what a step of the immersed engine costs at the sizes of [brandt2019, table 1], stage by stage.
 *
 * Pools with bodies of our own shapes: as many particles, cells and tetrahedra as there. Each makes some steps of 1/60 s
 * that do not count, in which all comes into motion, then those that are measured. Times are by the clock, so that a busy
 * machine makes them longer; processor time of all threads together, which it hardly changes, stands beside them. */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/status.h"
#include "bench.h"
#include "files/json.h"
#include "files/machine.h"
#include "interrupt.h"
#include "progress.h"

static const double DT = 1.0 / 60.0; /* s: of each step */
enum { WARM_UP = 15, STEPS = 30, CASES = 3 };

static const char *const stage_heads[VL_STAGE_COUNT] = {
    [VL_STAGE_FORCES] = "forces",     [VL_STAGE_SETUP] = "set-up",      [VL_STAGE_SOLVE] = "solve",
    [VL_STAGE_VELOCITY] = "velocity", [VL_STAGE_MEASURE] = "measure",   [VL_STAGE_BODIES] = "bodies",
    [VL_STAGE_MOTION] = "motion",     [VL_STAGE_TRANSFER] = "transfer", [VL_STAGE_LEVEL_SET] = "level set",
};

/* A figure of capsules that melt into each other, 2.86 m tall, 137 000 tetrahedra. */
#define FIGURE(name, at, turn, density)                                                                                     \
  "  - name: " name "\n"                                                                                                    \
  "    shape: union\n"                                                                                                      \
  "    center: " at "\n"                                                                                                    \
  "    rotate: " turn "\n"                                                                                                  \
  "    cell: 4.4 cm\n"                                                                                                      \
  "    blend: 15 cm\n"                                                                                                      \
  "    parts:\n"                                                                                                            \
  "      - {shape: capsule, radius: 0.42, height: 0.6}\n"                                                                   \
  "      - {shape: capsule, radius: 0.3, height: 0.1, center: [0, 0.95, 0.1]}\n"                                            \
  "      - {shape: capsule, radius: 0.17, height: 0.6, center: [0.6, 0.4, 0.15], rotate: z -50}\n"                          \
  "      - {shape: capsule, radius: 0.17, height: 0.6, center: [-0.6, 0.4, 0.15], rotate: z 50}\n"                          \
  "      - {shape: capsule, radius: 0.2, height: 0.55, center: [0.26, -0.95, 0.05]}\n"                                      \
  "      - {shape: capsule, radius: 0.2, height: 0.55, center: [-0.26, -0.95, 0.05]}\n"                                     \
  "      - {shape: cone, radius: 0.22, radius_top: 0.08, height: 0.9, round: 0.05, center: [0, -0.6, -0.6], rotate: x "     \
  "-60}\n"                                                                                                                  \
  "    density: " density "\n"                                                                                              \
  "    young: 600 kPa\n"

static const struct {
  const char *name, *paper; /* paper: the row of its table, NULL: none */
  double paper_fps;         /* of its simulation alone */
  const char *text;
} cases[CASES] = {{"two_in_pool", "armadillos", 98,
                   "engine: immersed\n"
                   "grid: {size: [5.856, 7.776, 6.24], cells: 81}\n"
                   "liquid: {shapes: [{shape: box, center: [0, 0, 0], size: [100, 3.93, 100]}]}\n"
                   "bodies:\n" FIGURE("one", "[1.7, 1.7, 2.9]", "y 20", "660")
                       FIGURE("other", "[4.1, 1.9, 3.4]", "x 90, y -30", "660")},
                  {"one_in_tank", "buoyancy", 126,
                   "engine: immersed\n"
                   "grid: {size: [1.971, 7.227, 1.898], cells: 99}\n"
                   "liquid: {shapes: [{shape: box, center: [0, 0, 0], size: [100, 5.51, 100]}]}\n"
                   "bodies:\n" FIGURE("one", "[0.98, 1.9, 0.95]", "y 50", "540")},
                  {"toy_bath", NULL, NAN,
                   "engine: immersed\n"
                   "grid: {size: [0.64, 0.48, 0.4], cells: 32}\n"
                   "liquid: {shapes: [{shape: box, center: [0, 0, 0], size: [10, 0.328, 10]}]}\n"
                   "bodies:\n"
                   "  - name: toy\n"
                   "    shape: union\n"
                   "    center: [0.32, 0.18, 0.2]\n"
                   "    cell: 8 mm\n"
                   "    blend: 2 cm\n"
                   "    parts:\n"
                   "      - {shape: capsule, radius: 0.05, height: 0.08, rotate: z 90}\n"
                   "      - {shape: sphere, radius: 0.036, center: [0.06, 0.065, 0]}\n"
                   "      - {shape: cone, radius: 0.03, radius_top: 0.012, height: 0.06, round: 5 mm, center: [-0.09, "
                   "0.025, 0], rotate: z 65}\n"
                   "    density: 300\n"
                   "    young: 100 kPa\n"}};

typedef struct Row {
  int cells[3], bodies, steps; /* steps: fewer than asked for where some were shorter than DT */
  int64_t tets, particles;
  double preparation;           /* s */
  double mean, worst, cpu;      /* s: of a step */
  double stage[VL_STAGE_COUNT]; /* s */
  double iterations;
} Row;

typedef struct Job {
  const vlOptions *options;
  int steps;
  double load[2]; /* runnable processes, mean of a minute, before and after */
  Row row[CASES];
} Job;

static vlCode stop(vlStatus *status)
{
  return vl_interrupt_signal() ? vl_fail(status, VL_INTERRUPTED, "the benchmark was stopped") : VL_OK;
}

static vlCode step(const Job *job, vlSim *sim, bool counts, Row *row, vlStatus *status)
{
  vlStepInfo info;
  clock_t before = clock();
  double begun = vl_wall_seconds();
  vlCode code = vl_sim_step(sim, DT, &info, status);
  double seconds = vl_wall_seconds() - begun, n = job->steps;
  if (code) return code;
  if (!(info.dt > 0.999 * DT)) return vl_fail(status, VL_ERROR_SOLVER, "a step of %g s instead of %g s", info.dt, DT);
  if (!counts) return stop(status);
  row->mean += seconds / n;
  row->worst = fmax(row->worst, seconds);
  row->cpu += (double)(clock() - before) / CLOCKS_PER_SEC / n;
  row->iterations += info.iterations / n;
  for (int k = 0; k < VL_STAGE_COUNT; k++) row->stage[k] += info.seconds[k] / n;
  return stop(status);
}

static vlCode measure(Job *job, int which, vlStatus *status)
{
  Row *row = &job->row[which];
  vlScene scene;
  vlSim *sim = NULL;
  vlCode code = vl_scene_parse(&scene, cases[which].text, strlen(cases[which].text), cases[which].name, NULL, 0, status);
  double begun = vl_wall_seconds();
  if (!code) code = vl_sim_create(&sim, &scene, (vlSimOptions){.threads = job->options->threads}, status);
  row->preparation = vl_wall_seconds() - begun;
  for (int i = 0; i < WARM_UP + job->steps && !code; i++) code = step(job, sim, i >= WARM_UP, row, status);
  if (!code) {
    vlSimFacts facts = vl_sim_facts(sim);
    memcpy(row->cells, facts.n, sizeof row->cells);
    row->bodies = facts.bodies;
    row->tets = facts.body_elements;
    row->particles = (int64_t)vl_sim_particles(sim).count;
  }
  vl_sim_destroy(&sim);
  vl_scene_clear(&scene);
  return code;
}

static void print_text(const Job *job)
{
  vlMachine machine = vl_machine_describe();
  printf("A step of 1/60 s of engine immersed, mean of %d; ms by the clock, but 'processor'\n", job->steps);
  printf("processor  %s, %d cores, %d threads; load %.2f before, %.2f after\n\n", machine.cpu, machine.cores,
         job->options->threads ? job->options->threads : omp_get_max_threads(), job->load[0], job->load[1]);
  printf("%-12s %-10s %6s %9s %10s %7s | %7s %7s %9s %7s %6s |", "scene", "cells", "bodies", "tets", "particles", "prep.",
         "step", "worst", "processor", "steps/s", "paper");
  for (int k = 0; k < VL_STAGE_COUNT; k++) printf(" %9s", stage_heads[k]);
  printf("\n");
  for (int i = 0; i < CASES; i++) {
    const Row *row = &job->row[i];
    char cells[32], paper[16] = "-";
    snprintf(cells, sizeof cells, "%dx%dx%d", row->cells[0], row->cells[1], row->cells[2]);
    if (cases[i].paper) snprintf(paper, sizeof paper, "%.0f", cases[i].paper_fps);
    printf("%-12s %-10s %6d %9lld %10lld %5.1f s | %7.2f %7.2f %9.2f %7.1f %6s |", cases[i].name, cells, row->bodies,
           (long long)row->tets, (long long)row->particles, row->preparation, 1e3 * row->mean, 1e3 * row->worst,
           1e3 * row->cpu, 1.0 / row->mean, paper);
    for (int k = 0; k < VL_STAGE_COUNT; k++) printf(" %9.2f", 1e3 * row->stage[k]);
    printf("\n");
  }
}

static void add_row(vlJson *json, int which, const Row *row)
{
  vl_json_object(json, NULL);
  vl_json_string(json, "scene", cases[which].name);
  vl_json_string(json, "paper_scene", cases[which].paper);
  vl_json_array(json, "cells");
  for (int a = 0; a < 3; a++) vl_json_integer(json, NULL, row->cells[a]);
  vl_json_end(json);
  vl_json_integer(json, "bodies", row->bodies);
  vl_json_integer(json, "tets", row->tets);
  vl_json_integer(json, "particles", row->particles);
  vl_json_number(json, "preparation", row->preparation);
  vl_json_number(json, "step", row->mean);
  vl_json_number(json, "worst", row->worst);
  vl_json_number(json, "cpu", row->cpu);
  vl_json_number(json, "fps", 1.0 / row->mean);
  if (cases[which].paper) vl_json_number(json, "paper_fps", cases[which].paper_fps);
  vl_json_number(json, "iterations", row->iterations);
  vl_json_object(json, "seconds");
  for (int k = 0; k < VL_STAGE_COUNT; k++) vl_json_number(json, vl_stage_name((vlStageKind)k), row->stage[k]);
  vl_json_end(json);
  vl_json_end(json);
}

static vlCode print_json(const Job *job, vlStatus *status)
{
  vlMachine machine = vl_machine_describe();
  vlJson json;
  vl_json_begin(&json, true);
  vl_json_object(&json, NULL);
  vl_json_string(&json, "bench", "immersed");
  vl_json_string(&json, "version", VELELLA_VERSION);
  vl_json_string(&json, "compiler", vl_compiler_text());
  vl_json_string(&json, "cpu", machine.cpu);
  vl_json_integer(&json, "cores", machine.cores);
  vl_json_integer(&json, "threads", job->options->threads ? job->options->threads : omp_get_max_threads());
  vl_json_number(&json, "load_before", job->load[0]);
  vl_json_number(&json, "load_after", job->load[1]);
  vl_json_integer(&json, "steps", job->steps);
  vl_json_array(&json, "table1");
  for (int i = 0; i < CASES; i++) add_row(&json, i, &job->row[i]);
  vl_json_end(&json);
  vl_json_end(&json);
  vlCode code = vl_json_finish(&json, status);
  if (code == VL_OK) fputs(json.text, stdout);
  vl_json_clear(&json);
  return code;
}

vlCode vl_bench_immersed(const vlOptions *options, vlStatus *status)
{
  Job job = {.options = options, .steps = options->steps > 0 ? options->steps : STEPS};
  double begun = vl_wall_seconds();
  vlCode code = VL_OK;
  if (getloadavg(&job.load[0], 1) != 1) job.load[0] = 0.0;
  for (int i = 0; i < CASES && !code; i++) {
    fprintf(stderr, "%6.1f s  %s\n", vl_wall_seconds() - begun, cases[i].name);
    code = measure(&job, i, status);
  }
  if (getloadavg(&job.load[1], 1) != 1) job.load[1] = 0.0;
  if (code) return code;
  if (options->json) return print_json(&job, status);
  print_text(&job);
  return VL_OK;
}
