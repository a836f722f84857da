/* velella bench subgrid: what liquid finer than the grid costs [chen2020].
 *
 * A dam breaks in a box of n x n x n/2 cells, once with plain cells and once with `liquid.surface: subgrid`: time of a step,
 * by stage, once all moves, and the ratio of both. Beside it the surface by itself, a ball in n^3 cells: how long a node of
 * the fine level set takes to be carried and to become a distance again, and a cut cell to be divided into pieces.
 *
 * Stages are by the clock, which a busy machine makes longer; all else is processor time of all threads together. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/status.h"
#include "bench.h"
#include "bench_immersed.h"
#include "cut/pieces.h"
#include "files/machine.h"
#include "liquid/fine_parts.h"

enum { WARM_UP = 10, STEPS = 30, REPEATS = 5, MOST_SIZES = 16, PLAIN = 0, SUBGRID = 1 };
static const char *const surfaces[2] = {"cells", "subgrid"};
static const char scene_format[] =
    "grid: {size: [1, 1, 0.5], cells: %d}\n"
    "liquid: {surface: %s, shapes: [{shape: box, center: [0.2, 0.3, 0.25], size: [0.4, 0.6, 0.5]}]}\n";

typedef struct Row {
  int n;
  vlImmersedCost cost[2];
  int64_t nodes;
  int cuts;
  double carry, distance, pieces; /* s, the fastest of REPEATS: of all nodes, of all cut cells */
} Row;

static double ball_distance(const void *data, vlVec3 x)
{
  (void)data;
  return vl_norm(vl_sub(x, vl_vec(0.5, 0.5, 0.5))) - 0.3;
}

static vlCode run_dam(const vlOptions *options, int n, const char *surface, vlImmersedCost *cost, vlStatus *status)
{
  char text[512];
  vlSim *sim = NULL;
  int steps = options->steps > 0 ? options->steps : STEPS;
  snprintf(text, sizeof text, scene_format, n, surface);
  vl_immersed_tell("n = %d, surface: %s", n, surface);
  vlCode code = vl_immersed_begin(&sim, "dam", text, NULL, options->threads, status);
  for (int i = 0; i < WARM_UP + steps && !code; i++) {
    vlStepInfo info;
    code = vl_immersed_step(sim, INFINITY, &info, i < WARM_UP ? NULL : cost, status);
  }
  vl_sim_destroy(&sim);
  return code;
}

/* The surface by itself, and fields that carry it there and back. */
typedef struct Ball {
  vlGrid grid;
  vlFine fine;
  vlBlocks all; /* of the grid */
  vlPieces pieces;
  double *u[3], *push, *weight;
} Ball;

static vlCode create_ball(Ball *ball, int n, vlStatus *status)
{
  *ball = (Ball){.grid = {.n = {n, n, n}, .dx = 1.0 / n}};
  vlGrid *g = &ball->grid;
  vl_grid_lay_out(g);
  vlCode code = vl_fine_create(&ball->fine, g, 4, status);
  if (!code) code = vl_fine_from_distance(&ball->fine, ball_distance, NULL, vl_grid_box(g), status);
  if (!code) code = vl_blocks_create(&ball->all, g->n, status);
  if (code) return code;
  bool ok = true;
  vl_blocks_begin(&ball->all);
  for (int k = 0; k < n; k++)
    for (int j = 0; j < n; j++)
      for (int bx = 0; bx < g->blocks_x; bx++) ok = ok && vl_blocks_append(&ball->all, bx, j, k);
  vl_blocks_end(&ball->all);
  double **field[5] = {&ball->u[0], &ball->u[1], &ball->u[2], &ball->push, &ball->weight};
  const double value[5] = {0.31, 0.17, -0.23, 0.01, 1.0};
  for (int f = 0; f < 5; f++) {
    if (!(*field[f] = vl_field_create(g))) return vl_fail_memory(status, g->length * sizeof(double), "a field");
    for (size_t at = 0; at < g->length; at++) (*field[f])[at] = value[f];
  }
  return ok ? VL_OK : vl_fail_memory(status, g->length, "blocks");
}

static void clear_ball(Ball *ball)
{
  vl_fine_clear(&ball->fine);
  vl_blocks_clear(&ball->all);
  vl_pieces_clear(&ball->pieces);
  for (int a = 0; a < 3; a++) vl_field_destroy(&ball->grid, &ball->u[a]);
  vl_field_destroy(&ball->grid, &ball->push);
  vl_field_destroy(&ball->grid, &ball->weight);
}

/* s of processor time since *from, which becomes now. */
static double since(clock_t *from)
{
  clock_t before = *from;
  *from = clock();
  return (double)(*from - before) / CLOCKS_PER_SEC;
}

static vlCode measure_ball(Row *row, vlStatus *status)
{
  Ball ball;
  row->carry = row->distance = row->pieces = INFINITY;
  vl_immersed_tell("n = %d, the surface by itself", row->n);
  vlCode code = create_ball(&ball, row->n, status);
  for (int i = 0; i < REPEATS && !code; i++) {
    vlFineFlow flow = {.dt = (i % 2 ? -0.5 : 0.5) / row->n, .u = ball.u, .push = ball.push, .weight = ball.weight};
    clock_t from = clock();
    code = vl_fine_advect(&ball.fine, &flow, status);
    row->carry = fmin(row->carry, since(&from));
    if (!code) code = vl_fine_redistance(&ball.fine, status);
    row->distance = fmin(row->distance, since(&from));
    if (!code) code = vl_pieces_build(&ball.pieces, &ball.fine, NULL, &ball.all, status);
    row->pieces = fmin(row->pieces, since(&from));
  }
  if (!code) {
    const vlFineSet *nodes = &ball.fine.work->nodes;
    for (int b = 0; b < nodes->blocks.count; b++) row->nodes += __builtin_popcount(nodes->bits[b]);
    row->cuts = ball.pieces.cuts;
  }
  clear_ball(&ball);
  return code;
}

static double ratio(const Row *row) { return row->cost[SUBGRID].cpu / row->cost[PLAIN].cpu; }

static void print(const Row *rows, int count)
{
  vlMachine machine = vl_machine_describe();
  printf("processor  %s, %d cores\n\ndam break, ms of a step; stages by the clock\n%5s %-8s %10s %7s", machine.cpu,
         machine.cores, "n", "surface", "processor", "clock");
  for (int k = 0; k < VL_STAGE_COUNT; k++) printf(" %14s", vl_stage_name((vlStageKind)k));
  printf(" %6s\n", "ratio");
  for (int i = 0; i < count; i++)
    for (int s = 0; s < 2; s++) {
      const vlImmersedCost *c = &rows[i].cost[s];
      printf("%5d %-8s %10.2f %7.2f", rows[i].n, surfaces[s], vl_immersed_ms(c, c->cpu), vl_immersed_ms(c, c->seconds));
      for (int k = 0; k < VL_STAGE_COUNT; k++) printf(" %14.2f", vl_immersed_ms(c, c->stage[k]));
      printf(" %6.2f\n", s == PLAIN ? 1.0 : ratio(&rows[i]));
    }
  printf("\na ball: processor time\n%5s %9s %12s %17s %9s %13s\n", "n", "nodes", "carry, ns", "to a distance, ns",
         "cut cells", "pieces, us");
  for (int i = 0; i < count; i++)
    printf("%5d %9lld %12.1f %17.1f %9d %13.2f\n", rows[i].n, (long long)rows[i].nodes,
           1e9 * rows[i].carry / (double)rows[i].nodes, 1e9 * rows[i].distance / (double)rows[i].nodes, rows[i].cuts,
           1e6 * rows[i].pieces / rows[i].cuts);
}

static void json_row(vlJson *json, const Row *row)
{
  vl_json_object(json, NULL);
  vl_json_integer(json, "n", row->n);
  for (int s = 0; s < 2; s++) {
    const vlImmersedCost *c = &row->cost[s];
    vl_json_object(json, surfaces[s]);
    vl_json_integer(json, "steps", c->steps);
    vl_json_number(json, "cpu", c->cpu / c->steps);
    vl_json_number(json, "step", c->seconds / c->steps);
    vl_json_object(json, "seconds");
    for (int k = 0; k < VL_STAGE_COUNT; k++) vl_json_number(json, vl_stage_name((vlStageKind)k), c->stage[k] / c->steps);
    vl_json_end(json);
    vl_json_end(json);
  }
  vl_json_number(json, "ratio", ratio(row));
  vl_json_integer(json, "nodes", row->nodes);
  vl_json_integer(json, "cut_cells", row->cuts);
  vl_json_number(json, "carry", row->carry / (double)row->nodes);
  vl_json_number(json, "distance", row->distance / (double)row->nodes);
  vl_json_number(json, "pieces", row->pieces / row->cuts);
  vl_json_end(json);
}

static vlCode print_json(const vlOptions *options, const Row *rows, int count, vlStatus *status)
{
  vlMachine machine = vl_machine_describe();
  vlJson json;
  vl_json_begin(&json, true);
  vl_json_object(&json, NULL);
  vl_json_string(&json, "bench", "subgrid");
  vl_json_string(&json, "version", VELELLA_VERSION);
  vl_json_string(&json, "cpu", machine.cpu);
  vl_json_integer(&json, "threads", options->threads ? options->threads : machine.cores);
  vl_json_array(&json, "sizes");
  for (int i = 0; i < count; i++) json_row(&json, &rows[i]);
  vl_json_end(&json);
  vl_json_end(&json);
  vlCode code = vl_json_finish(&json, status);
  if (code == VL_OK) fputs(json.text, stdout);
  vl_json_clear(&json);
  return code;
}

vlCode vl_bench_subgrid(const vlOptions *options, vlStatus *status)
{
  int sizes[MOST_SIZES], count = 0;
  Row rows[MOST_SIZES] = {0};
  vlCode code = vl_bench_sizes(options->sizes ? options->sizes : "32,64", sizes, MOST_SIZES, &count, status);
  for (int i = 0; i < count && !code; i++) {
    rows[i].n = sizes[i];
    for (int s = 0; s < 2 && !code; s++) code = run_dam(options, sizes[i], surfaces[s], &rows[i].cost[s], status);
    if (!code) code = measure_ball(&rows[i], status);
  }
  if (!code && options->json) return print_json(options, rows, count, status);
  if (!code) print(rows, count);
  return code;
}
