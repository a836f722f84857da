/* Small sloshing in a slab, L = 1 m, depths 0.25, 0.5 and 1 m, released from the first cosine mode with an amplitude of 1 %
 * of L, 128 cells along L. Linear theory: omega^2 = g k tanh(k h), k = pi / L.
 *
 * The mode's amplitude is found by projecting the particles on cos(k x). Its zero crossings over five whole periods give the
 * period. Its extrema e_i (parabolas through three samples) give the loss: swings |e_i - e_{i+1}|, in which the constant
 * part that comes from uneven seeding drops out, follow A exp(-t/tau), and a straight line through their logarithms gives
 * tau. */
#include "base/vec.h"
#include "engine/sharp/sharp.h"
#include "report.h"

enum { CELLS = 128, SAMPLES = 4096, EXTREMA = 32, CROSSINGS = 11 };

static const double GRAVITY = 9.81, AMPLITUDE = 0.01;

typedef struct Trace {
  double t[SAMPLES], mode[SAMPLES], theory[SAMPLES]; /* in periods of the theory, in amplitudes */
  int count;
} Trace;

/* The first cosine mode of the surface: (2/L) times the integral of eta cos(k x). Each particle stands for an equal volume,
 * so the integral over the liquid of cos(k x) is the same to first order. */
static double mode(const vlSim *sim)
{
  const vlParticles *p = vl_sharp(sim)->state.particles;
  double sum = 0.0, dx = vl_sharp(sim)->grid.dx;
  for (size_t i = 0; i < p->count; i++) sum += cos(VL_PI * (double)p->x[0][i] * dx);
  return 2.0 * sum * dx * dx / vl_sharp(sim)->per_cell;
}

/* The free surface drawn as a row of thin boxes: no shape is a cosine. */
static vlShape *draw(double depth, int cells)
{
  vlShape *boxes = calloc((size_t)cells, sizeof *boxes);
  for (int i = 0; boxes && i < cells; i++) {
    double x = (i + 0.5) / cells, height = depth + AMPLITUDE * cos(VL_PI * x);
    boxes[i] = (vlShape){.kind = VL_SHAPE_BOX,
                         .center = vl_vec(x, 0.5 * height, 0),
                         .size = vl_vec(1.0 / cells, height, 1),
                         .rotation = vl_mat_identity(),
                         .scale = {{1, 1, 1}}};
  }
  return boxes;
}

static double theory_period(double depth) { return 2 * VL_PI / sqrt(GRAVITY * VL_PI * tanh(VL_PI * depth)); }

static void simulate(const Report *report, double depth, int cells, Trace *trace)
{
  double theory = theory_period(depth);
  vlScene scene;
  vlStatus status = {0};
  vlSim *sim = NULL;
  vlStepInfo info;
  vl_scene_default(&scene);
  scene.grid.size = vl_vec(1.0, depth + 0.1, 1.0 / cells);
  scene.grid.cells = 0;
  scene.grid.dx = 1.0 / cells;
  scene.grid.slab = true;
  scene.liquid.shapes = draw(depth, cells);
  scene.liquid.shape_count = cells;
  scene.pressure.tolerance = 1e-8;
  vlCode code = scene.liquid.shapes ? vl_sim_create(&sim, &scene, (vlSimOptions){0}, &status) : VL_ERROR_MEMORY;
  trace->count = 0;
  while (!code && vl_sim_time(sim) < 5.6 * theory && trace->count < SAMPLES) {
    int i = trace->count++;
    trace->t[i] = vl_sim_time(sim) / theory;
    trace->mode[i] = mode(sim) / AMPLITUDE;
    trace->theory[i] = cos(2 * VL_PI * trace->t[i]);
    code = vl_sim_step(sim, theory / 150, &info, &status);
  }
  if (code) report_stop(report, "sloshing", status.message);
  vl_sim_destroy(&sim);
  free(scene.liquid.shapes);
}

/* From the first to the eleventh zero crossing: five periods, both ends going the same way. */
static double fit_period(const Trace *trace)
{
  double first = 0.0;
  int crossings = 0;
  for (int i = 1; i < trace->count; i++) {
    double a = trace->mode[i - 1], b = trace->mode[i];
    if (a * b >= 0.0) continue;
    double t = trace->t[i - 1] + (trace->t[i] - trace->t[i - 1]) * a / (a - b);
    if (crossings++ == 0) first = t;
    if (crossings == CROSSINGS) return 2.0 * (t - first) / (CROSSINGS - 1);
  }
  return NAN;
}

/* Extrema between zero crossings, the release itself left out. */
static int find_extrema(const Trace *trace, double t[EXTREMA], double value[EXTREMA])
{
  int count = 0;
  for (int i = 3; i + 3 < trace->count && count < EXTREMA; i++) {
    const double *m = &trace->mode[i];
    bool best = true;
    for (int d = -3; d <= 3; d++) best &= d == 0 || fabs(m[0]) > fabs(m[d]);
    if (!best || fabs(m[0]) < 0.2 || (count > 0 && m[0] * value[count - 1] > 0.0)) continue;
    double slope = 0.5 * (m[1] - m[-1]), bend = m[1] - 2 * m[0] + m[-1];
    t[count] = trace->t[i] - slope / bend * (trace->t[i + 1] - trace->t[i]);
    value[count++] = m[0] - 0.5 * slope * slope / bend;
  }
  return count;
}

/* Part of the amplitude lost in a period, from the line through the logarithms of the swings. */
static double fit_loss(const Trace *trace)
{
  double t[EXTREMA], value[EXTREMA], n = 0, st = 0, sy = 0, stt = 0, sty = 0;
  int count = find_extrema(trace, t, value);
  for (int i = 1; i < count; i++) {
    double x = 0.5 * (t[i - 1] + t[i]), y = log(fabs(value[i] - value[i - 1]));
    n++, st += x, sy += y, stt += x * x, sty += x * y;
  }
  return n < 3 ? NAN : 1.0 - exp((n * sty - st * sy) / (n * stt - st * st));
}

static Plot panel(const Trace *trace, const char *title)
{
  Plot plot = {.title = title, .x_label = "time / period of linear theory", .y_label = "first mode / drawn amplitude"};
  plot_add(&plot, (PlotSeries){trace->t, trace->theory, trace->count, "linear theory", .color = 6, .dashed = true});
  plot_add(&plot, (PlotSeries){trace->t, trace->mode, trace->count, "simulated", .color = 0});
  return plot;
}

int main(int argc, char **argv)
{
  static const double depths[] = {0.25, 0.5, 1.0};
  static const char *const titles[] = {"Sloshing, depth 0.25 m", "Sloshing, depth 0.5 m", "Sloshing, depth 1 m"};
  static Trace trace[3];
  Report report = report_begin("sloshing", argc, argv);
  int cells = report_cells(argc, argv, CELLS);
  Plot panels[3];
  report_title("Sloshing, first mode, L = 1 m", "linear theory, omega^2 = g k tanh(k h)");
  for (int d = 0; d < 3; d++) {
    char line[80], text[48];
    double theory = theory_period(depths[d]);
    simulate(&report, depths[d], cells, &trace[d]);
    double dt = theory * trace[d].t[trace[d].count - 1] / (trace[d].count - 1), period = fit_period(&trace[d]) * theory;
    double loss = fit_loss(&trace[d]);
    printf("  depth %.2f m: period %.5f s, theory %.5f s; of the amplitude %.2f %% lost per period\n", depths[d], period,
           theory, 100 * loss);
    snprintf(text, sizeof text, "%d cells per L", cells);
    report_resolution(&report, text, dt);
    snprintf(line, sizeof line, "depth %.2f m: error of the period over 5 periods", depths[d]);
    report_at_most(&report, line, fabs(period / theory - 1.0), 0.01);
    snprintf(line, sizeof line, "depth %.2f m: amplitude lost or gained per period (%%)", depths[d]);
    report_at_most(&report, line, 100 * fabs(loss), 2.0);
    panels[d] = panel(&trace[d], titles[d]);
  }
  report_plot(&report, panels, 3);
  return report_end(&report);
}
