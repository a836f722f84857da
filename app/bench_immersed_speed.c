/* bench immersed speed, table1: what a step costs at the sizes of [brandt2019, table 1], and where its time goes (fig. 7).
 *
 * speed: pools with figures in them, with as many particles, cells and tetrahedra as two rows of the paper's table, and a
 * toy in a bath. table1: the scenes that are built in for the rows of that table, where hands act and things fall. Each
 * makes some steps that do not count, in which all comes into motion, then those that are measured. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "bench_immersed.h"
#include "progress.h"

enum { WARM_UP = 15, STEPS = 30, SMALL_WARM_UP = 2, MOST = 8 };

static const char *const stage_heads[VL_STAGE_COUNT] = {
    [VL_STAGE_FORCES] = "forces",     [VL_STAGE_SETUP] = "set-up",      [VL_STAGE_SOLVE] = "solve",
    [VL_STAGE_VELOCITY] = "velocity", [VL_STAGE_MEASURE] = "measure",   [VL_STAGE_BODIES] = "bodies",
    [VL_STAGE_MOTION] = "motion",     [VL_STAGE_TRANSFER] = "transfer", [VL_STAGE_LEVEL_SET] = "level set",
};

/* A figure of capsules that melt into each other, 2.86 m tall, 137 000 tetrahedra. */
#define FIGURE(name, at, turn, density)                                                                                     \
  "  - name: " name "\n"                                                                                                    \
  "    center: " at "\n"                                                                                                    \
  "    rotate: " turn "\n"                                                                                                  \
  "    cell: 4.4 cm\n" VL_IMMERSED_FIGURE                                                                                   \
  "      - {shape: cone, radius: 0.22, radius_top: 0.08, height: 0.9, round: 0.05, center: [0, -0.6, -0.6], rotate: x "     \
  "-60}\n"                                                                                                                  \
  "    density: " density "\n"                                                                                              \
  "    young: 600 kPa\n"

typedef struct Case {
  const char *name, *paper;       /* paper: the row of its table, NULL: none */
  double fps;                     /* of it there; NaN: none is given */
  const char *text, *settings[3]; /* text: NULL: it is built in. settings: of a small version of one that is not */
} Case;

static const Case speeds[] = {
    {"two_in_pool",
     "armadillos (fig. 1)",
     98,
     "engine: immersed\n"
     "grid: {size: [5.856, 7.776, 6.24], cells: 81}\n"
     "liquid: {level: 1.965}\n"
     "bodies:\n" FIGURE("one", "[1.7, 1.7, 2.9]", "y 20", "660") FIGURE("other", "[4.1, 1.9, 3.4]", "x 90, y -30", "660"),
     {"grid.cells=16", "bodies.one.cell=0.3", "bodies.other.cell=0.3"}},
    {"one_in_tank",
     "buoyancy (fig. 8)",
     126,
     "engine: immersed\n"
     "grid: {size: [1.971, 7.227, 1.898], cells: 99}\n"
     "liquid: {level: 2.755}\n"
     "bodies:\n" FIGURE("one", "[0.98, 1.9, 0.95]", "y 50", "540"),
     {"grid.cells=28", "bodies.one.cell=0.3"}},
    {"toy_bath",
     NULL,
     NAN,
     "engine: immersed\n"
     "grid: {size: [0.64, 0.48, 0.4], cells: 32}\n"
     "liquid: {level: 0.164}\n"
     "bodies:\n"
     "  - name: toy\n"
     "    shape: union\n"
     "    center: [0.32, 0.18, 0.2]\n"
     "    cell: 8 mm\n"
     "    blend: 2 cm\n"
     "    parts:\n"
     "      - {shape: capsule, radius: 0.05, height: 0.08, rotate: z 90}\n"
     "      - {shape: sphere, radius: 0.036, center: [0.06, 0.065, 0]}\n"
     "      - {shape: cone, radius: 0.03, radius_top: 0.012, height: 0.06, round: 5 mm, center: [-0.09, 0.025, 0], rotate: "
     "z 65}\n"
     "    density: 300\n"
     "    young: 100 kPa\n",
     {"grid.cells=16", "bodies.toy.cell=0.03"}},
    {0}};

static const Case scenes[] = {{.name = "immersed_buoyancy", .paper = "buoyancy (fig. 8)", .fps = 126},
                              {.name = "immersed_pair", .paper = "armadillos (fig. 1)", .fps = 98},
                              {.name = "immersed_squeeze", .paper = "elephant, lion (fig. 2)", .fps = 94},
                              {.name = "immersed_cup", .paper = "cup (fig. 4)", .fps = 129},
                              {.name = "plate_ball", .paper = "plate, ball (fig. 6b)", .fps = 80},
                              {.name = "four_bodies", .paper = "four bodies (fig. 6a)", .fps = 31},
                              {.name = "flood_stiff", .paper = "flood (fig. 5)", .fps = NAN},
                              {0}};

typedef struct Row {
  const Case *of;
  char name[64];
  int cells[3], bodies;
  int64_t tets, particles;
  double preparation, dt; /* s */
  double paper;           /* steps a second there; NaN: none, or another size */
  vlImmersedCost cost;
} Row;

typedef struct Table {
  Row row[MOST];
  int count;
} Table;

/* As long as the scene has them, all alike. */
static vlCode make_step(vlSim *sim, bool counts, Row *row, vlStatus *status)
{
  vlStepInfo info;
  vlCode code = vl_immersed_step(sim, INFINITY, &info, counts ? &row->cost : NULL, status);
  if (code) return code;
  if (row->dt > 0.0 && !(info.dt > 0.999 * row->dt))
    return vl_fail(status, VL_ERROR_SOLVER, "%s: a step of %g s instead of %g s", row->name, info.dt, row->dt);
  row->dt = info.dt;
  return VL_OK;
}

static vlCode measure(const vlOptions *options, Row *row, vlStatus *status)
{
  const char *settings[4] = {0};
  vlSim *sim = NULL;
  int steps = options->steps > 0 ? options->steps : STEPS, warm_up = options->small ? SMALL_WARM_UP : WARM_UP;
  if (options->small) memcpy(settings, row->of->settings, sizeof row->of->settings);
  vl_immersed_tell("%s", row->name);
  double begun = vl_wall_seconds();
  vlCode code = vl_immersed_begin(&sim, row->name, row->of->text, settings, options->threads, status);
  row->preparation = vl_wall_seconds() - begun;
  for (int i = 0; i < warm_up + steps && !code; i++) code = make_step(sim, i >= warm_up, row, status);
  if (!code) {
    vlSimFacts facts = vl_sim_facts(sim);
    memcpy(row->cells, facts.n, sizeof row->cells);
    row->bodies = facts.bodies;
    row->tets = facts.body_elements;
    row->particles = (int64_t)vl_sim_particles(sim).count;
  }
  vl_sim_destroy(&sim);
  return code;
}

static bool built_in(const char *name)
{
  for (int i = 0; i < vl_scene_builtin_count(); i++)
    if (strcmp(vl_scene_builtin_name(i), name) == 0) return true;
  return false;
}

static vlCode run(const vlOptions *options, const Case *cases, Table *table, vlStatus *status)
{
  vlCode code = VL_OK;
  for (const Case *c = cases; c->name && table->count < MOST && !code; c++) {
    Row *row = &table->row[table->count];
    row->of = c;
    row->paper = options->small ? NAN : c->fps;
    snprintf(row->name, sizeof row->name, "%s%s", c->name, options->small && !c->text ? "_small" : "");
    if (!c->text && !built_in(row->name)) continue;
    code = measure(options, row, status);
    table->count++;
  }
  return code;
}

static vlCode run_speed(const vlOptions *options, void *results, vlStatus *status)
{
  return run(options, speeds, results, status);
}

static vlCode run_scenes(const vlOptions *options, void *results, vlStatus *status)
{
  return run(options, scenes, results, status);
}

static void print(const void *results)
{
  const Table *table = results;
  printf("%-24s %-24s %-10s %6s %7s %9s %7s | %7s %7s %9s | %7s %6s\n", "scene", "in the paper", "cells", "bodies", "tets",
         "particles", "prep.", "step ms", "worst", "processor", "steps/s", "paper");
  for (int i = 0; i < table->count; i++) {
    const Row *row = &table->row[i];
    const char *name = row->of->paper;
    char cells[32], paper[16] = "-";
    snprintf(cells, sizeof cells, "%dx%dx%d", row->cells[0], row->cells[1], row->cells[2]);
    if (row->paper > 0.0) snprintf(paper, sizeof paper, "%.0f", row->paper);
    printf("%-24s %-24s %-10s %6d %7lld %9lld %5.1f s | %7.2f %7.2f %9.2f | %7.1f %6s\n", row->name, name ? name : "-",
           cells, row->bodies, (long long)row->tets, (long long)row->particles, row->preparation,
           vl_immersed_ms(&row->cost, row->cost.seconds), 1e3 * row->cost.worst, vl_immersed_ms(&row->cost, row->cost.cpu),
           row->cost.steps / row->cost.seconds, paper);
  }
  printf("\nms of a step, by stage\n%-24s", "scene");
  for (int k = 0; k < VL_STAGE_COUNT; k++) printf(" %9s", stage_heads[k]);
  printf("\n");
  for (int i = 0; i < table->count; i++) {
    const vlImmersedCost *cost = &table->row[i].cost;
    printf("%-24s", table->row[i].name);
    for (int k = 0; k < VL_STAGE_COUNT; k++) printf(" %9.2f", vl_immersed_ms(cost, cost->stage[k]));
    printf("\n");
  }
}

static void json_row(vlJson *json, const Row *row)
{
  const vlImmersedCost *cost = &row->cost;
  vl_json_object(json, NULL);
  vl_json_string(json, "scene", row->name);
  vl_json_string(json, "paper_scene", row->of->paper);
  vl_json_array(json, "cells");
  for (int a = 0; a < 3; a++) vl_json_integer(json, NULL, row->cells[a]);
  vl_json_end(json);
  vl_json_integer(json, "bodies", row->bodies);
  vl_json_integer(json, "tets", row->tets);
  vl_json_integer(json, "particles", row->particles);
  vl_json_number(json, "preparation", row->preparation);
  vl_json_number(json, "dt", row->dt);
  vl_json_integer(json, "steps", cost->steps);
  vl_json_number(json, "step", cost->seconds / cost->steps);
  vl_json_number(json, "worst", cost->worst);
  vl_json_number(json, "cpu", cost->cpu / cost->steps);
  vl_json_number(json, "fps", cost->steps / cost->seconds);
  if (row->paper > 0.0) vl_json_number(json, "paper_fps", row->paper);
  vl_json_number(json, "iterations", cost->iterations / cost->steps);
  vl_json_object(json, "seconds");
  for (int k = 0; k < VL_STAGE_COUNT; k++) vl_json_number(json, vl_stage_name((vlStageKind)k), cost->stage[k] / cost->steps);
  vl_json_end(json);
  vl_json_end(json);
}

static void json(vlJson *out, const void *results)
{
  const Table *table = results;
  vl_json_array(out, "scenes");
  for (int i = 0; i < table->count; i++) json_row(out, &table->row[i]);
  vl_json_end(out);
}

const vlImmersedPart vl_immersed_speed = {.name = "speed",
                                          .about = "a step of 1/60 s, by the clock, but 'processor'",
                                          .bytes = sizeof(Table),
                                          .run = run_speed,
                                          .print = print,
                                          .json = json};
const vlImmersedPart vl_immersed_table1 = {.name = "table1",
                                           .about =
                                               "a step of the scenes of the paper's table, by the clock, but 'processor'",
                                           .bytes = sizeof(Table),
                                           .asked = true,
                                           .run = run_scenes,
                                           .print = print,
                                           .json = json};
