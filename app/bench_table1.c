/* velella bench table1: what a step of each scene of [zarifi2017] costs, stage by stage, beside the paper's 18 to 59 s.
 *
 * Each scene is loaded as it is built in, at the paper's resolution or in its small version, and stepped from its start. The
 * mean over the steps of vlStepInfo.seconds is told, with the sizes of liquid and bodies. Where a scene makes sense without
 * its body, the same steps are run without it, of the lengths that they had with it: the difference is what the body adds.
 * Stages are by the clock, so that a busy machine makes them longer; the load before and after is told. Processor time of
 * all threads together, which it hardly changes, is told of whole steps. */
#include <math.h>
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

static const double PAPER_LEAST = 18.0, PAPER_MOST = 59.0; /* s for a step, over all scenes of the paper */
enum { STEPS = 20, SCENES = 7, NAME = 32 };

static const char *const stage_heads[VL_STAGE_COUNT] = {
    [VL_STAGE_FORCES] = "forces",     [VL_STAGE_SETUP] = "set-up",      [VL_STAGE_SOLVE] = "solve",
    [VL_STAGE_VELOCITY] = "velocity", [VL_STAGE_MEASURE] = "measure",   [VL_STAGE_BODIES] = "bodies",
    [VL_STAGE_MOTION] = "motion",     [VL_STAGE_TRANSFER] = "transfer", [VL_STAGE_LEVEL_SET] = "level set",
};

/* Names of the paper in the order of its table. */
static const struct {
  const char *name, *paper;
  bool without; /* it is also run without its body */
} scenes[SCENES] = {{"toy", "dinosaur", false},      {"beam", "dam break", true},     {"shell", "liquid in sphere", false},
                    {"buoyancy", "buoyancy", false}, {"compress", "compress", false}, {"panel", "thin 1", false},
                    {"platform", "thin 2", true}};

/* Means over the steps of one run. */
typedef struct Cost {
  double stage[VL_STAGE_COUNT], step; /* s by the clock; step: of all of it, also of what no stage counts */
  double cpu;                         /* s of processor time of a step, all threads together */
  double liquid_cells, iterations, dt;
} Cost;

typedef struct Row {
  char name[NAME];
  int cells[3], bodies;
  int64_t nodes, elements;
  Cost with, without;      /* without: of scenes that have it */
  double added, added_cpu; /* part of the step's time by the clock, of processor time; NaN: not measured */
} Row;

typedef struct Job {
  const vlOptions *options;
  int steps;
  double *dt; /* s: of the steps with bodies [steps] */
  double begun;
  double load[2]; /* runnable processes, mean of a minute, before and after */
  Row row[SCENES];
  int count; /* rows that are done */
} Job;

static void add_step(Cost *cost, const vlStepInfo *info, int steps)
{
  for (int k = 0; k < VL_STAGE_COUNT; k++) cost->stage[k] += info->seconds[k] / steps;
  cost->liquid_cells += (double)info->liquid_cells / steps;
  cost->iterations += (double)info->iterations / steps;
  cost->dt += info->dt / steps;
}

/* Steps a scene; the first run of it chooses the lengths of the steps, the second one keeps to them. */
static vlCode measure(Job *job, const vlScene *scene, Row *row, bool first, Cost *cost, vlStatus *status)
{
  vlSim *sim = NULL;
  vlCode code = vl_sim_create(&sim, scene, (vlSimOptions){.threads = job->options->threads}, status);
  for (int i = 0; i < job->steps && !code; i++) {
    vlStepInfo info;
    clock_t before = clock();
    double begun = vl_wall_seconds();
    code = vl_sim_step(sim, first ? INFINITY : job->dt[i], &info, status);
    if (code) break;
    cost->step += (vl_wall_seconds() - begun) / job->steps;
    cost->cpu += (double)(clock() - before) / CLOCKS_PER_SEC / job->steps;
    add_step(cost, &info, job->steps);
    if (first) job->dt[i] = info.dt;
    if (vl_interrupt_signal()) code = vl_fail(status, VL_INTERRUPTED, "the benchmark was stopped");
  }
  if (!code && first) {
    vlSimFacts facts = vl_sim_facts(sim);
    memcpy(row->cells, facts.n, sizeof row->cells);
    row->bodies = facts.bodies;
    row->nodes = facts.body_nodes;
    row->elements = facts.body_elements;
  }
  vl_sim_destroy(&sim);
  return code;
}

static vlCode load(vlScene *scene, const char *name, bool bodies, vlStatus *status)
{
  static const vlSetting none[] = {{"bodies=[]"}, {"probes=[]"}};
  return vl_scene_load(scene, name, none, bodies ? 0 : 2, status);
}

static vlCode run(Job *job, int which, vlStatus *status)
{
  Row *row = &job->row[which];
  *row = (Row){.added = NAN, .added_cpu = NAN};
  snprintf(row->name, sizeof row->name, "%s%s", scenes[which].name, job->options->small ? "_small" : "");
  vlCode code = VL_OK;
  for (int pass = 0; pass <= (scenes[which].without ? 1 : 0) && !code; pass++) {
    vlScene scene;
    fprintf(stderr, "%6.1f s  %s%s\n", vl_wall_seconds() - job->begun, row->name, pass ? " without its body" : "");
    code = load(&scene, row->name, pass == 0, status);
    if (!code) code = measure(job, &scene, row, pass == 0, pass == 0 ? &row->with : &row->without, status);
    vl_scene_clear(&scene);
  }
  if (!code && scenes[which].without) {
    row->added = row->with.step / row->without.step - 1.0;
    row->added_cpu = row->with.cpu / row->without.cpu - 1.0;
  }
  return code;
}

/* s of a step that no stage counts: the choice of its length. */
static double rest_of(const Cost *cost)
{
  double rest = cost->step;
  for (int k = 0; k < VL_STAGE_COUNT; k++) rest -= cost->stage[k];
  return rest;
}

static void print_cost(const Cost *cost)
{
  printf(" %9.0f %5.1f |", cost->liquid_cells, cost->iterations);
  for (int k = 0; k < VL_STAGE_COUNT; k++) printf(" %9.4f", cost->stage[k]);
  printf(" %9.4f | %8.4f %9.4f", rest_of(cost), cost->step, cost->cpu);
}

static void print_text(const Job *job)
{
  vlMachine machine = vl_machine_describe();
  printf("Seconds of a step by the clock, mean of the first %d; the paper: %.0f to %.0f s (AMD FX-8370E, 3.3 GHz)\n",
         job->steps, PAPER_LEAST, PAPER_MOST);
  printf("processor  %s, %d cores; load %.2f before, %.2f after\n\n", machine.cpu, machine.cores, job->load[0],
         job->load[1]);
  printf("%-15s %-16s %-11s %6s %6s %9s %5s |", "scene", "in the paper", "cells", "nodes", "tets", "liquid", "iter.");
  for (int k = 0; k < VL_STAGE_COUNT; k++) printf(" %9s", stage_heads[k]);
  printf(" %9s | %8s %9s\n", "rest", "step", "processor");
  for (int i = 0; i < job->count; i++) {
    const Row *row = &job->row[i];
    char cells[NAME];
    snprintf(cells, sizeof cells, "%dx%dx%d", row->cells[0], row->cells[1], row->cells[2]);
    printf("%-15s %-16s %-11s %6lld %6lld", row->name, scenes[i].paper, cells, (long long)row->nodes,
           (long long)row->elements);
    print_cost(&row->with);
    printf("\n");
    if (isnan(row->added)) continue;
    printf("%-15s %-16s %-11s %6s %6s", "  without body", "", "", "", "");
    print_cost(&row->without);
    printf("  the body adds %.0f %%, %.0f %% of processor time\n", 100.0 * row->added, 100.0 * row->added_cpu);
  }
}

static void add_cost(vlJson *json, const char *key, const Cost *cost)
{
  vl_json_object(json, key);
  vl_json_number(json, "liquid_cells", cost->liquid_cells);
  vl_json_number(json, "iterations", cost->iterations);
  vl_json_number(json, "dt", cost->dt);
  vl_json_number(json, "step", cost->step);
  vl_json_number(json, "cpu", cost->cpu);
  for (int k = 0; k < VL_STAGE_COUNT; k++) vl_json_number(json, vl_stage_name((vlStageKind)k), cost->stage[k]);
  vl_json_number(json, "rest", rest_of(cost));
  vl_json_end(json);
}

static void add_row(vlJson *json, const Row *row, const char *paper)
{
  vl_json_object(json, NULL);
  vl_json_string(json, "scene", row->name);
  vl_json_string(json, "paper_scene", paper);
  vl_json_array(json, "cells");
  for (int a = 0; a < 3; a++) vl_json_integer(json, NULL, row->cells[a]);
  vl_json_end(json);
  vl_json_integer(json, "bodies", row->bodies);
  vl_json_integer(json, "nodes", row->nodes);
  vl_json_integer(json, "elements", row->elements);
  add_cost(json, "seconds", &row->with);
  if (!isnan(row->added)) {
    add_cost(json, "seconds_without_body", &row->without);
    vl_json_number(json, "body_adds", row->added);
    vl_json_number(json, "body_adds_cpu", row->added_cpu);
  }
  vl_json_end(json);
}

static vlCode print_json(const Job *job, vlStatus *status)
{
  vlJson json;
  vl_bench_json_begin(&json, "table1", job->options->threads, job->load);
  vl_json_integer(&json, "steps", job->steps);
  vl_json_array(&json, "paper_seconds");
  vl_json_number(&json, NULL, PAPER_LEAST);
  vl_json_number(&json, NULL, PAPER_MOST);
  vl_json_end(&json);
  vl_json_array(&json, "scenes");
  for (int i = 0; i < job->count; i++) add_row(&json, &job->row[i], scenes[i].paper);
  vl_json_end(&json);
  vl_json_end(&json);
  vlCode code = vl_json_finish(&json, status);
  if (code == VL_OK) fputs(json.text, stdout);
  vl_json_clear(&json);
  return code;
}

vlCode vl_bench_table1(const vlOptions *options, vlStatus *status)
{
  Job job = {.options = options, .steps = options->steps > 0 ? options->steps : STEPS, .begun = vl_wall_seconds()};
  job.dt = calloc((size_t)job.steps, sizeof *job.dt);
  if (!job.dt) return vl_fail_memory(status, (size_t)job.steps * sizeof *job.dt, "the lengths of the steps");
  if (getloadavg(&job.load[0], 1) != 1) job.load[0] = 0.0;
  vlCode code = VL_OK;
  for (; job.count < SCENES && !code; job.count += !code) code = run(&job, job.count, status);
  if (getloadavg(&job.load[1], 1) != 1) job.load[1] = 0.0;
  if (!code && options->json)
    code = print_json(&job, status);
  else if (!code)
    print_text(&job);
  free(job.dt);
  return code;
}
