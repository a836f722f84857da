/* bench immersed fit: a reduced body beside the elastic one that it stands for.
 *
 * A figure of rubber without liquid, held by its feet, pushed for half a second and let go, sways for 5 s. The same
 * tetrahedra, the same material (no damping, and a Poisson's ratio of 0, with which a reduced body's energy is that of an
 * elastic one), the same steps by backward Euler; all in the sharp engine. Told is how far nodes of the reduced body lie
 * from those of the elastic one, root of the mean square over nodes and times, in the first second and in all, beside how
 * far those move; and the time of a sway, which says where the difference comes from: it adds up with every turn. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "base/vec.h"
#include "bench_immersed.h"

enum { FITS = 4, FIRST = 60, STEPS = 300, SMALL_STEPS = 6 };

static const struct {
  const char *name, *handles, *clusters;
} fits[FITS] = {{"20 handles", "bodies.figure.handles=20", NULL},
                {"50 handles", "bodies.figure.handles=50", NULL},
                {"99 handles", "bodies.figure.handles=99", NULL},
                {"99 handles, 100 clusters", "bodies.figure.handles=99", "bodies.figure.clusters=100"}};

static const char text[] = "grid: {size: [4, 4, 4], cells: 60}\n"
                           "time: {dt_fixed: 1/60 s}\n"
                           "bodies:\n"
                           "  - name: figure\n"
                           "    center: [2, 1.5, 2]\n"
                           "    cell: 13 cm\n" VL_IMMERSED_FIGURE "    density: 1000\n"
                           "    young: 3 MPa\n"
                           "    poisson: 0\n"
                           "    mass_damping: 0\n"
                           "    stiffness_damping: 0\n"
                           "    pins: [{shape: halfspace, center: [0, 0.3, 0]}]\n"
                           "    pushes: [{force: [5000, 0, 2000], end: 0.5}]\n";

/* One of the bodies. */
typedef struct Run {
  double first, all,
      most;    /* m: of nodes' ways (the elastic one) or gaps (others), in the first second, in all; the largest */
  double turn; /* s: of a sway; NaN: there is none yet */
  vlImmersedCost cost;
} Run;

typedef struct Results {
  int frames, nodes;
  int64_t tets;
  double size; /* m: longest side */
  Run elastic, fit[FITS];
} Results;

/* Places of all nodes after each frame of 1/60 s [frames][nodes]. */
static vlCode follow(vlSim *sim, int frames, vlVec3 *x, vlImmersedCost *cost, vlStatus *status)
{
  vlCode code = VL_OK;
  for (int f = 0; f < frames && !code; f++) {
    vlStepInfo info;
    double until = (f + 1) * VL_IMMERSED_DT;
    while (!code && until - vl_sim_time(sim) > 1e-9)
      code = vl_immersed_step(sim, until - vl_sim_time(sim), &info, cost, status);
    vlBodyView body = vl_sim_body(sim, 0);
    memcpy(x + (size_t)f * (size_t)body.node_count, body.x, (size_t)body.node_count * sizeof *x);
  }
  return code;
}

/* Gaps between x and `from`: places of the nodes at the same time, or at rest. */
static void compare(const Results *r, const vlVec3 *x, const vlVec3 *from, bool rest, Run *run)
{
  size_t nodes = (size_t)r->nodes, count = nodes * (size_t)r->frames,
         first = nodes * (size_t)(r->frames < FIRST ? r->frames : FIRST);
  double sum = 0.0;
  for (size_t i = 0; i < count; i++) {
    double d = vl_norm(vl_sub(x[i], from[rest ? i % nodes : i]));
    run->most = fmax(run->most, d);
    sum += d * d;
    if (i + 1 == first) run->first = sqrt(sum / (double)first);
  }
  run->all = sqrt(sum / (double)count);
}

/* s: mean time between the middle's ways back through its mean place along x, once it is let go. */
static double find_turn(const Results *r, const vlVec3 *x)
{
  double mean = 0.0, before = 0.0, first = NAN, last = NAN;
  int turns = -1, from = FIRST / 2;
  for (size_t i = (size_t)from * (size_t)r->nodes; i < (size_t)r->frames * (size_t)r->nodes; i++)
    mean += x[i].x / (double)r->nodes / (r->frames - from);
  for (int f = from; f < r->frames; f++) {
    double now = -mean;
    for (int i = 0; i < r->nodes; i++) now += x[(size_t)f * (size_t)r->nodes + (size_t)i].x / r->nodes;
    if (f > from && before > 0.0 && now <= 0.0) {
      last = (f - now / (now - before)) * VL_IMMERSED_DT;
      if (turns++ < 0) first = last;
    }
    before = now;
  }
  return turns > 0 ? (last - first) / turns : NAN;
}

static void describe(Results *r, const vlSim *sim, const vlVec3 *x)
{
  vlBodyView body = vl_sim_body(sim, 0);
  vlVec3 lo = body.rest[0], hi = lo;
  for (int i = 0; i < r->nodes; i++)
    for (int a = 0; a < 3; a++) {
      lo.v[a] = fmin(lo.v[a], body.rest[i].v[a]);
      hi.v[a] = fmax(hi.v[a], body.rest[i].v[a]);
    }
  r->tets = body.element_count;
  r->size = fmax(hi.x - lo.x, fmax(hi.y - lo.y, hi.z - lo.z));
  compare(r, x, body.rest, true, &r->elastic);
}

/* which -1: the elastic body. */
static vlCode move(const vlOptions *options, int which, Results *r, vlVec3 **x, vlStatus *status)
{
  const char *settings[5] = {0};
  vlSim *sim = NULL;
  Run *run = which < 0 ? &r->elastic : &r->fit[which];
  int count = 0;
  if (options->small) settings[count++] = "bodies.figure.cell=0.25";
  if (which >= 0) settings[count++] = "bodies.figure.reduced=yes";
  if (which >= 0) settings[count++] = fits[which].handles;
  if (which >= 0) settings[count] = fits[which].clusters;
  vl_immersed_tell("fit: %s", which < 0 ? "elastic" : fits[which].name);
  vlCode code = vl_immersed_begin(&sim, "fit", text, settings, options->threads, status);
  if (!code) {
    r->nodes = vl_sim_body(sim, 0).node_count;
    size_t room = (size_t)r->nodes * (size_t)r->frames;
    *x = malloc(room * sizeof **x);
    if (!*x) code = vl_fail_memory(status, room * sizeof **x, "the places of nodes");
  }
  if (!code) code = follow(sim, r->frames, *x, &run->cost, status);
  if (!code && which < 0) describe(r, sim, *x);
  if (!code) run->turn = find_turn(r, *x);
  vl_sim_destroy(&sim);
  return code;
}

static vlCode run(const vlOptions *options, void *results, vlStatus *status)
{
  Results *r = results;
  vlVec3 *exact = NULL;
  r->frames = options->small ? SMALL_STEPS : STEPS;
  vlCode code = move(options, -1, r, &exact, status);
  for (int f = 0; f < FITS && !code; f++) {
    vlVec3 *x = NULL;
    code = move(options, f, r, &x, status);
    if (!code) compare(r, x, exact, false, &r->fit[f]);
    free(x);
  }
  free(exact);
  return code;
}

static void print_run(const char *name, const Run *run, const Run *elastic)
{
  char turn[16] = "-";
  if (isfinite(run->turn)) snprintf(turn, sizeof turn, "%.3f s", run->turn);
  printf("%-26s %8.4f m %6.1f %% %8.4f m %6.1f %% %8.4f m %8s %13.2f\n", name, run->first,
         100.0 * run->first / elastic->first, run->all, 100.0 * run->all / elastic->all, run->most, turn,
         vl_immersed_ms(&run->cost, run->cost.cpu));
}

static void print(const void *results)
{
  const Results *r = results;
  printf("%d nodes, %lld tetrahedra, %.2f m; ways of the nodes, then how far others are from them\n", r->nodes,
         (long long)r->tets, r->size);
  printf("%-26s %10s %8s %10s %8s %10s %8s %13s\n", "body", "first s", "of way", "in all", "of way", "at most", "sway",
         "processor ms");
  print_run("elastic", &r->elastic, &r->elastic);
  for (int f = 0; f < FITS; f++) print_run(fits[f].name, &r->fit[f], &r->elastic);
}

static void json_run(vlJson *out, const char *name, const Run *run)
{
  vl_json_object(out, NULL);
  vl_json_string(out, "body", name);
  vl_json_number(out, "first", run->first);
  vl_json_number(out, "all", run->all);
  vl_json_number(out, "most", run->most);
  if (isfinite(run->turn)) vl_json_number(out, "sway", run->turn);
  vl_json_number(out, "cpu", run->cost.cpu / run->cost.steps);
  vl_json_end(out);
}

static void json(vlJson *out, const void *results)
{
  const Results *r = results;
  vl_json_integer(out, "frames", r->frames);
  vl_json_integer(out, "nodes", r->nodes);
  vl_json_integer(out, "tets", r->tets);
  vl_json_number(out, "size", r->size);
  vl_json_array(out, "bodies");
  json_run(out, "elastic", &r->elastic);
  for (int f = 0; f < FITS; f++) json_run(out, fits[f].name, &r->fit[f]);
  vl_json_end(out);
}

const vlImmersedPart vl_immersed_fit = {.name = "fit",
                                        .about = "a reduced figure beside the elastic one, 5 s without liquid",
                                        .bytes = sizeof(Results),
                                        .run = run,
                                        .print = print,
                                        .json = json};
