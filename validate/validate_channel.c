/* Open channels in a slab, a unit wide:
 *
 * steady   0.3 m of water at 0.5 m/s between a source and an outlet that holds its level, for 20 s, on grids of 30, 60 and
 * 120 cells. There is no friction, so nothing may change: discharge within 1 %, level within half a cell of the coarsest.
 * weir     0.1 m2/s over a broad weir of 0.2 m with a round upstream edge into a free fall. Over its crest the flow is
 * critical,
 *
 *              q = (2/3)^(3/2) sqrt(g) H^(3/2),        H = h + v^2/2g,        v = q/(P + h),
 *
 *          h the height of the surface above the crest 0.5 m before the weir, where v is the velocity of
 *          approach. The q that h tells agrees within 3 % with what the source brings, on cells of 20 and 10 mm.
 *
 * Means over the whole run, of the weir over the last 6 s. A second argument makes all cells so many times larger. */
#include "base/vec.h"
#include "engine/sharp/sharp.h"
#include "report.h"

enum { MOST = 4096 };
static const double GRAVITY = 9.81;

typedef struct Gauge {
  double time[MOST], value[MOST];
  int count;
} Gauge;

static vlSim *start(const Report *report, const char *text)
{
  vlStatus status = {0};
  vlScene scene;
  vlSim *sim = NULL;
  if (vl_scene_parse(&scene, text, strlen(text), "channel", NULL, 0, &status)) report_stop(report, "scene", status.message);
  if (vl_sim_create(&sim, &scene, (vlSimOptions){.threads = 0}, &status)) report_stop(report, "start", status.message);
  vl_scene_clear(&scene);
  return sim;
}

static double probe(const vlSim *sim, vlProbeKind kind, vlVec3 position)
{
  double value[3];
  vlProbeDef def = {.kind = kind, .position = position, .axis = 0, .size = vl_vec(0, 9, 9)};
  vl_sim_probe(sim, &def, value);
  return value[0];
}

/* A run of one case. */
typedef struct Run {
  double dx, end, from;        /* m; s: until when, from when means are taken */
  double flow_at, level_at;    /* m: along the channel */
  double flow, level, out;     /* m2/s, m, m2/s: means */
  double least, most, dt;      /* of the level; s: mean */
  double lowest_flow, highest; /* m2/s: of means over a second */
} Run;

static void run(const Report *report, const char *text, Run *r, Gauge *level)
{
  vlSim *sim = start(report, text);
  double flow = 0.0, height = 0.0, out = 0.0, span = 0.0, second = 0.0, in_second = 0.0;
  vlStatus status = {0};
  vlStepInfo info;
  r->least = r->lowest_flow = INFINITY;
  r->most = r->highest = -INFINITY;
  while (vl_sim_time(sim) < r->end - 1e-9) {
    if (vl_sim_step(sim, fmin(0.02, r->end - vl_sim_time(sim)), &info, &status)) report_stop(report, "step", status.message);
    double h = probe(sim, VL_PROBE_DEPTH, vl_vec(r->level_at, 0, 0)),
           q = probe(sim, VL_PROBE_FLUX, vl_vec(r->flow_at, 0.2, 0)) / r->dx;
    if (level->count < MOST && info.time >= level->count * r->end / 400) {
      level->time[level->count] = info.time;
      level->value[level->count++] = h;
    }
    if (info.time < r->from) continue;
    flow += q * info.dt;
    height += h * info.dt;
    out += info.outflow / r->dx * info.dt;
    span += info.dt;
    r->least = fmin(r->least, h);
    r->most = fmax(r->most, h);
    second += info.dt;
    in_second += q * info.dt;
    if (second < 1.0) continue;
    r->lowest_flow = fmin(r->lowest_flow, in_second / second);
    r->highest = fmax(r->highest, in_second / second);
    second = in_second = 0.0;
  }
  r->flow = flow / span;
  r->level = height / span;
  r->out = out / span;
  r->dt = info.time / (double)info.step;
  vl_sim_destroy(&sim);
}

static void check_steady(Report *report, int cells, Gauge *level)
{
  char text[512], resolution[48];
  snprintf(
      text, sizeof text,
      "{grid: {slab: yes, size: [1.2, 0.4], cells: %d}, liquid: {level: 0.3, velocity: [0.5, 0], sources: [{shape: box, "
      "center: [0.04, 0.15], size: [0.08, 0.3], velocity: [0.5, 0]}], outlets: [{side: x+, level: 0.3}]}, checks: 1}",
      cells);
  Run r = {.dx = 1.2 / cells, .end = 20.0, .from = 0.0, .flow_at = 0.6, .level_at = 0.6};
  run(report, text, &r, level);
  snprintf(resolution, sizeof resolution, "%.0f mm", 1e3 * r.dx);
  printf("  %s: discharge %.5f m2/s, %.5f to %.5f over a second; out %.5f; level %.4f m, %.4f to %.4f\n", resolution, r.flow,
         r.lowest_flow, r.highest, r.out, r.level, r.least, r.most);
  report_resolution(report, resolution, r.dt);
  report_at_most(report, "steady: discharge off what the source brings", fabs(r.flow / 0.15 - 1.0), 0.01);
  report_at_most(report, "steady: what goes out off it", fabs(r.out / 0.15 - 1.0), 0.01);
  report_at_most(report, "steady: mean level off 0.3 m", fabs(r.level / 0.3 - 1.0), 0.01);
  report_at_most(report, "steady: level at any time off 0.3 m, m", fmax(r.most - 0.3, 0.3 - r.least), 0.02);
}

static void check_weir(Report *report, double dx, Gauge *level)
{
  char text[768], resolution[48];
  snprintf(
      text, sizeof text,
      "{grid: {slab: yes, size: [2.4, 0.5], dx: %g}, liquid: {shapes: [{shape: box, center: [0.5, 0.175], size: [1.0, "
      "0.35]}], velocity: [0.2, 0], sources: [{shape: box, center: [0.03, 0.125], size: [0.06, 0.25], velocity: [0.4, "
      "0]}], outlets: [{side: x+}]}, solids: [{shape: box, center: [1.3, 0], size: [0.8, 0.4], round: 0.1}], checks: 1}",
      dx);
  Run r = {.dx = dx, .end = 16.0, .from = 10.0, .flow_at = 1.3, .level_at = 0.4};
  run(report, text, &r, level);
  double h = r.level - 0.2, v = 0.1 / r.level, H = h + v * v / (2.0 * GRAVITY),
         q = pow(2.0 / 3.0, 1.5) * sqrt(GRAVITY) * pow(H, 1.5);
  snprintf(resolution, sizeof resolution, "%.0f mm", 1e3 * dx);
  printf("  %s: discharge over the crest %.5f m2/s, h %.4f m, H %.4f m: q %.5f m2/s\n", resolution, r.flow, h, H, q);
  report_resolution(report, resolution, r.dt);
  report_at_most(report, "weir: critical flow of its head off what the source brings", fabs(q / 0.1 - 1.0), 0.03);
  report_at_most(report, "weir: discharge over the crest off it", fabs(r.flow / 0.1 - 1.0), 0.01);
}

/* m: h of critical flow of 0.1 m2/s, found by turns. */
static double head_of_weir(void)
{
  double H = 1.5 * cbrt(0.1 * 0.1 / GRAVITY), h = H;
  for (int turn = 0; turn < 50; turn++) h = H - 0.1 * 0.1 / ((0.2 + h) * (0.2 + h) * 2.0 * GRAVITY);
  return h;
}

int main(int argc, char **argv)
{
  static Gauge steady[3], weir[2];
  Report report = report_begin("channel", argc, argv);
  int coarser = report_cells(argc, argv, 1);
  report_title("Steady channel between a source and a level", "no friction: 0.15 m2/s, 0.3 m");
  for (int n = 0; n < 3; n++) check_steady(&report, (30 << n) / coarser, &steady[n]);
  report_title("Broad-crested weir", "critical flow with the velocity of approach");
  for (int n = 0; n < 2; n++) check_weir(&report, 0.02 / (1 << n) * coarser, &weir[n]);
  const double theory[2] = {0.2 + head_of_weir(), 0.2 + head_of_weir()}, span[2] = {0.0, 16.0};
  Plot panels[2] = {
      {.title = "steady channel: level", .x_label = "t (s)", .y_label = "m", .y_lo = 0.28, .y_hi = 0.32},
      {.title = "broad-crested weir: level upstream", .x_label = "t (s)", .y_label = "m", .y_lo = 0.3, .y_hi = 0.38}};
  static const char *const cells[] = {"40 mm", "20 mm", "10 mm"};
  for (int n = 0; n < 3; n++)
    plot_add(&panels[0], (PlotSeries){steady[n].time, steady[n].value, steady[n].count, cells[n], .color = n});
  for (int n = 0; n < 2; n++)
    plot_add(&panels[1], (PlotSeries){weir[n].time, weir[n].value, weir[n].count, cells[n + 1], .color = n + 1});
  plot_add(&panels[1], (PlotSeries){span, theory, 2, "critical flow", .color = 6, .dashed = true});
  report_plot(&report, panels, 2);
  return report_end(&report);
}
