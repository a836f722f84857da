/* A dam break on a box, the experiment of [kleefsman2005]: a tank of 3.22 by 1 by 1 m, water 1.228 m long and 0.55 m deep at
 * one end, a box 0.161 m high that stands across two fifths of the tank's width. Measured are pressures on the box, P1 to P4
 * on the face that meets the water, P5 to P8 on its top, and four heights of the water.
 *
 * Half of the tank is simulated; the wall in its middle is the plane of symmetry (the box stood 3 mm beside it). Liquid may
 * part from walls. Heights are the wetted length of a line from the floor to the ceiling, as wires measure it.
 *
 * Asked of the experiment: impulses of P1, P2 and of P1 to P4 together up to 1 s within 15 %, heights within 6 % of the
 * largest, in the mean, up to 6 s but for FALL: from 1.1 to 2.5 s what the end wall and the box have thrown up falls back on
 * the water and breaks it up, with the air that it takes along, of which nothing is here; then the distance is told. Two
 * things it shows no liquid without friction can do: there two theories that share nothing with the program are asked, with
 * the same limits, and the distance from the experiment is told:
 *   - potential flow of a column let go at once (collapse_potential.h). The water of the experiment is at the box before
 *     it: its gate let water out, or its clock was started, earlier. So P1 is at most 10 ms later than potential flow;
 *   - a free streamline. A slab of the same tank is a jet of depth d that meets a plate of height h on a floor, and leaves
 *     at an angle. Without friction the water stands in the corner and is fastest at the edge. With p_0 in the corner,
 *     c = 1 - (p_0 - rho g y - p) / (p_0 - rho g h) falls from 1 there to 0 at the edge; without gravity it is known, see
 *     edge_share(). In the experiment it is beyond 1 at P3 and P4, so that their impulses are out of reach; asked for is c.
 */
#include "base/vec.h"
#include "collapse_potential.h"
#include "engine/sharp/sharp.h"
#include "report.h"

enum { ACROSS = 50, GAUGES = 8, HEIGHTS = 4, WINDOWS = 30, TIMES = 61, TOPS = 25, SAMPLES = 800, FACES = 4, LOWER = 2 };

static const double LENGTH = 3.22, DAM = 1.992, DEPTH = 0.55, FACE = 0.8245, BACK = 0.6635, TALL = 0.161, G = 9.81,
                    RHO = 1e3;
static const double FINE = 4e-3, COARSE = 2e-2, IMPACT = 1.0, END = 6.0; /* s: sampled finely up to IMPACT */
static const double FALL[2] = {1.05, 2.55};                              /* s */
static const double ARRIVED = 500.0;                                     /* Pa: there is water at a gauge */
static const double FACE_Y[FACES] = {0.021, 0.061, 0.101, 0.141}, TOP_X[GAUGES - FACES] = {0.8035, 0.7635, 0.7235, 0.6835};
static const double HEIGHT_X[HEIGHTS] = {0.496, 0.992, 1.488, 2.638}, ASIDE = 0.026; /* m: gauges from the box's middle */

/* Of the series measured, P1 to P4: Pa s up to 1 s, s at which they exceed ARRIVED, Pa in the mean of 20 ms, from 0.4 s. */
static const double IMPULSE[FACES] = {2874, 2505, 2334, 2007}, ARRIVAL[FACES] = {0.393, 0.410, 0.423, 0.429};
static const short FACE_MEANS[WINDOWS][FACES] = {
    {9420, 1869, -66, -35},   {9000, 7374, 3664, 841},  {8192, 7470, 6057, 5388}, {7421, 6926, 6127, 6444},
    {6606, 6213, 5424, 5175}, {6595, 5842, 5234, 4766}, {6261, 5698, 5296, 4639}, {5787, 5464, 4975, 4576},
    {5431, 5165, 4806, 4204}, {4970, 4671, 4306, 3721}, {4640, 4356, 4030, 3504}, {4276, 4034, 3778, 3264},
    {4038, 3862, 3623, 3034}, {4050, 3839, 3605, 3009}, {4046, 3791, 3625, 3029}, {3886, 3719, 3663, 3047},
    {3808, 3713, 3736, 3139}, {3773, 3671, 3798, 3205}, {3648, 3549, 3711, 3113}, {3581, 3567, 3709, 3136},
    {3587, 3346, 3602, 3071}, {3400, 3302, 3589, 3077}, {3419, 3282, 3636, 3089}, {3600, 3315, 3748, 3149},
    {3475, 3170, 3592, 3047}, {3520, 3268, 3547, 3028}, {3259, 2841, 3377, 2890}, {3066, 2764, 3341, 2827},
    {3137, 2863, 3278, 2794}, {2992, 2736, 3164, 2701}};
/* Pa: mean of P5 to P8 and of 0.2 s, from 1 s on */
static const short TOP_MEANS[TOPS] = {48,  344, 1161, 1694, 1692, 1651, 1533, 1336, 1036, 634, 442, 358, 324,
                                      247, 72,  -12,  -30,  -18,  -23,  137,  488,  491,  324, 415, 780};
/* mm: heights at HEIGHT_X every 0.1 s, and the largest of the whole series up to 6 s */
static const double LARGEST[HEIGHTS] = {402.1, 340.5, 301.3, 551.1};
static const short LEVELS[TIMES][HEIGHTS] = {
    {0, 0, 0, 547},       {0, 1, 0, 534},       {1, 1, 14, 511},      {1, 1, 70, 486},      {1, 46, 99, 459},
    {1, 99, 95, 427},     {1, 120, 115, 395},   {1, 132, 124, 363},   {1, 147, 136, 332},   {2, 166, 148, 303},
    {147, 179, 155, 279}, {196, 186, 158, 254}, {193, 195, 157, 233}, {319, 208, 157, 214}, {318, 202, 150, 197},
    {346, 236, 145, 182}, {395, 256, 139, 170}, {359, 318, 132, 159}, {296, 333, 122, 147}, {293, 288, 144, 138},
    {288, 287, 142, 130}, {296, 297, 251, 125}, {290, 292, 293, 118}, {292, 292, 291, 113}, {320, 308, 245, 108},
    {324, 281, 270, 104}, {304, 261, 251, 108}, {269, 242, 236, 128}, {241, 227, 239, 210}, {234, 213, 242, 199},
    {229, 203, 238, 202}, {223, 198, 227, 212}, {223, 196, 212, 207}, {217, 201, 203, 205}, {209, 204, 194, 204},
    {209, 202, 186, 197}, {202, 198, 179, 225}, {185, 186, 166, 296}, {170, 169, 169, 392}, {159, 154, 171, 383},
    {162, 136, 174, 331}, {165, 148, 169, 292}, {156, 157, 168, 265}, {154, 159, 165, 252}, {157, 151, 206, 252},
    {153, 145, 270, 260}, {142, 148, 261, 268}, {134, 208, 257, 268}, {134, 251, 238, 266}, {135, 253, 218, 251},
    {171, 252, 205, 233}, {175, 230, 204, 218}, {181, 225, 211, 216}, {182, 219, 215, 221}, {178, 212, 216, 222},
    {188, 218, 219, 218}, {219, 219, 223, 211}, {262, 225, 218, 199}, {286, 225, 205, 190}, {301, 218, 190, 183},
    {308, 214, 185, 186}};

/* What the gauges show at samples; all of a sample's quantities side by side for the plots. */
typedef struct Trace {
  double t[SAMPLES], front[SAMPLES]; /* s; m that the front on the floor has run, at t + dt/2 (validate_dam_break.c) */
  double p[GAUGES][SAMPLES], h[HEIGHTS][SAMPLES]; /* Pa; m */
  double depth[SAMPLES];                          /* m: least of the stream within 0.5 m of the box */
  double dt;                                      /* s: mean */
  int count;
} Trace;

/* m: length of the column of cells at x, z that is under water. */
static double wetted(const vlSim *sim, double x, double z)
{
  const vlGrid *g = &vl_sharp(sim)->grid;
  int i = (int)((x - g->origin.x) / g->dx), k = (int)fmin((z - g->origin.z) / g->dx, g->n[2] - 1);
  const double *phi = vl_sharp(sim)->work.level.phi + vl_grid_at(g, i, 0, k);
  double cells = phi[0] < 0.0 ? 0.5 : 0.0;
  for (int j = 0; j + 1 < g->n[1]; j++) {
    double a = phi[j * g->stride[1]], b = phi[(j + 1) * g->stride[1]];
    if (a < 0.0 && b < 0.0)
      cells += 1.0;
    else if (a < 0.0 || b < 0.0)
      cells += fmin(a, b) / (fmin(a, b) - fmax(a, b));
  }
  return cells * g->dx;
}

/* m: how far the water on the floor in the middle of the tank has run from the dam. */
static double front(const vlSim *sim)
{
  const vlGrid *g = &vl_sharp(sim)->grid;
  const double *phi = vl_sharp(sim)->work.level.phi + vl_grid_at(g, 0, 0, g->n[2] - 1);
  for (int i = (int)(FACE / g->dx) + 1; i + 1 < g->n[0]; i++)
    if (phi[i] < 0.0) return DAM - (i + 0.5 - phi[i] / (phi[i] - phi[i - 1])) * g->dx;
  return 0.0;
}

static void sample(const vlSim *sim, double middle, Trace *trace)
{
  int i = trace->count++;
  trace->t[i] = vl_sim_time(sim);
  trace->front[i] = front(sim);
  trace->depth[i] = INFINITY;
  for (int k = 0; k < GAUGES; k++) {
    vlProbeDef probe = {.kind = VL_PROBE_PRESSURE};
    double value[3] = {0.0, 0.0, 0.0};
    probe.position = k < FACES ? vl_vec(FACE, FACE_Y[k], middle) : vl_vec(TOP_X[k - FACES], TALL, middle);
    vl_sim_probe(sim, &probe, value);
    trace->p[k][i] = value[0];
  }
  for (int k = 0; k < HEIGHTS; k++) trace->h[k][i] = wetted(sim, HEIGHT_X[k], middle);
  for (double x = FACE + 0.05; x < FACE + 0.5; x += 0.01) trace->depth[i] = fmin(trace->depth[i], wetted(sim, x, middle));
}

static void simulate(const Report *report, double dx, bool slab, double end, Trace *trace)
{
  vlScene scene;
  vlStatus status = {0};
  vlSim *sim = NULL;
  double half = slab ? 0.0 : 0.5; /* the box's and the tank's middle */
  vlShape water = vl_shape_default(VL_SHAPE_BOX);
  water.center = vl_vec(DAM + LENGTH, 0, half); /* what lies beyond the walls has no room */
  water.size = vl_vec(2 * LENGTH, 2 * DEPTH, 4);
  vlSolidDef box = {.name = "box", .shape = vl_shape_default(VL_SHAPE_BOX)};
  box.shape.center = vl_vec(0.5 * (FACE + BACK), 0, half);
  box.shape.size = vl_vec(FACE - BACK, 2 * TALL, slab ? 4 : 0.403);
  vl_scene_default(&scene);
  scene.grid.size = vl_vec(LENGTH, 1, slab ? dx : half);
  scene.grid.cells = 0;
  scene.grid.dx = dx;
  scene.grid.slab = slab;
  scene.pressure.separation = true; /* the jet leaves the box's edge, which would suck at it */
  scene.liquid.shapes = &water;
  scene.liquid.shape_count = 1;
  scene.solids = &box;
  scene.solid_count = 1;
  vlCode code = vl_sim_create(&sim, &scene, (vlSimOptions){0}, &status);
  while (!code && vl_sim_time(sim) < end - 1e-9 && trace->count < SAMPLES) {
    double before = vl_sim_time(sim), every = slab ? 2e-3 : before < IMPACT - 1e-9 ? FINE : COARSE;
    code = vl_sim_advance(sim, fmin(end, before + every), NULL, &status);
    if (!code) sample(sim, slab ? 0.0 : half - ASIDE, trace);
  }
  if (code) report_stop(report, slab ? "slab" : "tank", status.message);
  trace->dt = end / (double)vl_sim_step_count(sim);
  vl_sim_destroy(&sim);
}

/* Linear between samples. */
static double at_time(const Trace *trace, const double *values, double t)
{
  for (int i = 1; i < trace->count; i++) {
    double a = trace->t[i - 1], b = trace->t[i];
    if (t <= b + 1e-9) return values[i - 1] + (values[i] - values[i - 1]) * (t - a) / (b - a);
  }
  return NAN;
}

/* Pa s: a step's pressure acts during the step. */
static double impulse(const Trace *trace, const double *p, double from, double to)
{
  double sum = 0.0;
  for (int i = 1; i < trace->count; i++)
    if (trace->t[i - 1] >= from - 1e-9 && trace->t[i] <= to + 1e-9) sum += p[i] * (trace->t[i] - trace->t[i - 1]);
  return sum;
}

static double mean(const Trace *trace, const double *p, double from, double to)
{
  return impulse(trace, p, from, to) / (to - from);
}

/* s: when values first exceed a level. */
static double first(const double *t, const double *values, int count, double level)
{
  for (int i = 1; i < count; i++)
    if (values[i] > level) return t[i - 1] + (t[i] - t[i - 1]) * (level - values[i - 1]) / (values[i] - values[i - 1]);
  return NAN;
}

static double measured_mean(int k, double from, double to)
{
  double sum = 0.0;
  int rows = 0;
  for (int i = 0; i < WINDOWS; i++) {
    double t = 0.41 + 0.02 * i;
    if (t < from || t > to) continue;
    sum += FACE_MEANS[i][k];
    rows++;
  }
  return sum / rows;
}

/* The free streamline without gravity. Mirrored about the floor, a jet of width 2d and speed 1 meets a plate of height 2h
 * and leaves at +-a. Its velocities u - iv fill a half disc; in the whole disc the potential is that of a source at 1, sinks
 * at exp(+-ia), and their images, so on the plate, where u = 0 and v = q, dy/dq = (4d/pi) (1/(1 + q^2) - (q^2 + cos 2a)/(q^4
 * + 2 q^2 cos 2a + 1)),   y(0) = 0, y(1) = h,   c = 1 - q^2. Returns y(1) = h in units of d, and c at the place y. */
static double edge_share_at(double angle, double y, double *share)
{
  enum { PARTS = 4000 };
  double sum = 0.0, k = cos(2 * angle);
  for (int i = 0; i < PARTS; i++) {
    double q = (i + 0.5) / PARTS, r = q * q;
    if (sum <= y) *share = 1.0 - r;
    sum += 4.0 / acos(-1.0) * (1.0 / (1.0 + r) - (r + k) / (r * r + 2.0 * r * k + 1.0)) / PARTS;
  }
  return sum;
}

/* c at y for a jet of depth d on a plate of height h; the angle is found by halving. */
static double edge_share(double d, double h, double y)
{
  double low = 0.01, high = 1.56, share = 1.0;
  for (int i = 0; i < 40; i++) {
    double angle = 0.5 * (low + high);
    *(edge_share_at(angle, y / d, &share) < h / d ? &low : &high) = angle;
  }
  return share;
}

/* c of a pressure p at y where the one at P1 is p_1, whose own share is c_1. */
static double share_of(double p, double y, double p_1, double c_1)
{
  double edge = RHO * G * TALL, corner = (p_1 + RHO * G * FACE_Y[0] - (1.0 - c_1) * edge) / c_1;
  return 1.0 - (corner - RHO * G * y - p) / (corner - edge);
}

static void against_streamline(Report *report, const Trace *slab)
{
  const double from = 0.6, to = 0.74;
  double d = mean(slab, slab->depth, from, to), c_1 = edge_share(d, TALL, FACE_Y[0]);
  char text[96];
  printf("  slab, %g to %g s: the stream is %.0f mm deep; shares of the head, free streamline, experiment\n", from, to,
         1e3 * d);
  for (int k = 1; k < FACES; k++) {
    double y = FACE_Y[k], theory = edge_share(d, TALL, y),
           here = share_of(mean(slab, slab->p[k], from, to), y, mean(slab, slab->p[0], from, to), c_1),
           experiment = share_of(measured_mean(k, from, to), y, measured_mean(0, from, to), c_1);
    printf("  P%d: %.3f %.3f %.3f; in the experiment from 0.75 to 1 s %.3f\n", k + 1, here, theory, experiment,
           share_of(measured_mean(k, 0.75, 1.0), y, measured_mean(0, 0.75, 1.0), c_1));
    snprintf(text, sizeof text, "slab: share of the head at P%d, distance from the free streamline", k + 1);
    report_at_most(report, text, fabs(here - theory), 0.05);
  }
}

/* s: when potential flow has run so far from the dam. */
static double ideal_time(const CollapsePath *ideal, double run)
{
  const double unit = LENGTH - DAM;
  return sqrt(unit / G) * first(ideal->t, ideal->front, ideal->count, 1.0 + run / unit);
}

/* How much later than potential flow the front has run 1.1 m, s. */
static void against_potential(Report *report, const char *name, const Trace *trace, double dt, const CollapsePath *ideal)
{
  const double run = 1.1;
  char text[96];
  double here = first(trace->t, trace->front, trace->count, run) + 0.5 * dt, theory = ideal_time(ideal, run);
  printf("  %s: the front has run %g m at %.4f s; potential flow at %.4f s\n", name, run, here, theory);
  snprintf(text, sizeof text, "%s: front at %g m, distance from potential flow (%%)", name, run);
  report_at_most(report, text, 100 * fabs(here / theory - 1.0), 2.0);
}

static void against_pressures(Report *report, const Trace *trace, const CollapsePath *ideal)
{
  double sum = 0.0, measured = 0.0, at_box = ideal_time(ideal, DAM - FACE);
  char text[96];
  for (int k = 0; k < FACES; k++) {
    double here = impulse(trace, trace->p[k], 0.0, IMPACT), arrival = first(trace->t, trace->p[k], trace->count, ARRIVED);
    printf("  P%d: impulse to 1 s %.0f Pa s, measured %.0f: %+.1f %%; %.1f ms, measured %.0f: %+.1f ms\n", k + 1, here,
           IMPULSE[k], 100 * (here / IMPULSE[k] - 1.0), 1e3 * arrival, 1e3 * ARRIVAL[k], 1e3 * (arrival - ARRIVAL[k]));
    snprintf(text, sizeof text, "P%d: impulse up to 1 s, distance from the experiment (%%)", k + 1);
    if (k < LOWER) report_at_most(report, text, 100 * fabs(here / IMPULSE[k] - 1.0), 15.0);
    sum += here;
    measured += IMPULSE[k];
  }
  report_at_most(report, "mean of P1 to P4: impulse up to 1 s, distance (%)", 100 * fabs(sum / measured - 1.0), 15.0);
  printf("  potential flow is at the box at %.1f ms\n", 1e3 * at_box);
  report_at_most(report, "P1: arrival, distance from potential flow (ms)",
                 1e3 * fabs(first(trace->t, trace->p[0], trace->count, ARRIVED) - at_box), 10.0);
}

static void against_heights(Report *report, const Trace *trace)
{
  char text[96];
  for (int k = 0; k < HEIGHTS; k++) {
    double all = 0.0, sum = 0.0, largest = 0.0, at = 0.0;
    int count = 0;
    for (int i = 1; i < TIMES; i++) {
      double t = 0.1 * i, error = fabs(1e3 * at_time(trace, trace->h[k], t) - LEVELS[i][k]);
      all += error / (TIMES - 1);
      if (error > largest) largest = error, at = t;
      if (t > FALL[0] && t < FALL[1]) continue;
      sum += error;
      count++;
    }
    printf("  height at x = %.3f m: %.1f mm off in the mean of all times, %.1f %% of the largest; %.0f mm at %.1f s\n",
           HEIGHT_X[k], all, 100 * all / LARGEST[k], largest, at);
    snprintf(text, sizeof text, "height at x = %.3f m up to 1 and from 2.6 to 6 s, mean distance over the largest (%%)",
             HEIGHT_X[k]);
    report_at_most(report, text, 100 * sum / count / LARGEST[k], 6.0);
  }
}

static void print_top(const Trace *trace)
{
  double measured = 0.0;
  for (int i = 0; i < TOPS; i++) measured += 0.2 * TOP_MEANS[i];
  printf("  impulses from 1 to 6 s of P5 to P8:");
  for (int k = FACES; k < GAUGES; k++) printf(" %.0f", impulse(trace, trace->p[k], IMPACT, END));
  printf(" Pa s; measured in the mean %.0f\n", measured);
}

static void plot(const Report *report, const Trace *tank)
{
  static double t[WINDOWS], p[FACES][WINDOWS], ours[FACES][WINDOWS], times[TIMES], levels[HEIGHTS][TIMES],
      h[HEIGHTS][SAMPLES];
  static const char *const names[FACES] = {"P1", "P2", "P3", "P4"}, *const places[HEIGHTS] = {"0.496", "0.992", "1.488",
                                                                                              "2.638"};
  Plot panels[3] = {
      {.title = "Pressure on the box, 20 ms means", .x_label = "t (s); lines: here, dots: experiment", .y_label = "Pa"},
      {.title = "Height of the water",
       .x_label = "t (s); lines: here, dots: experiment",
       .y_label = "m, at x = 0.496 and 0.992 m"},
      {.title = "Height of the water",
       .x_label = "t (s); lines: here, dots: experiment",
       .y_label = "m, at x = 1.488 and 2.638 m"}};
  for (int i = 0; i < WINDOWS; i++) {
    t[i] = 0.41 + 0.02 * i;
    for (int k = 0; k < FACES; k++) {
      p[k][i] = FACE_MEANS[i][k];
      ours[k][i] = mean(tank, tank->p[k], t[i] - 0.01, t[i] + 0.01);
    }
  }
  for (int i = 0; i < TIMES; i++) {
    times[i] = 0.1 * i;
    for (int k = 0; k < HEIGHTS; k++) levels[k][i] = 1e-3 * LEVELS[i][k];
  }
  for (int k = 0; k < FACES; k++) {
    plot_add(&panels[0], (PlotSeries){t, ours[k], WINDOWS, names[k], .color = k});
    plot_add(&panels[0], (PlotSeries){t, p[k], WINDOWS, NULL, .color = k, .dots = true, .no_line = true});
  }
  for (int k = 0; k < HEIGHTS; k++) {
    for (int i = 0; i < tank->count; i++) h[k][i] = tank->h[k][i];
    plot_add(&panels[1 + k / 2], (PlotSeries){tank->t, h[k], tank->count, places[k], .color = k});
    plot_add(&panels[1 + k / 2], (PlotSeries){times, levels[k], TIMES, NULL, .color = k, .dots = true, .no_line = true});
  }
  report_plot(report, panels, 3);
}

int main(int argc, char **argv)
{
  static Trace tank, slab;
  static CollapsePath ideal;
  Report report = report_begin("dam_box", argc, argv);
  int across = report_cells(argc, argv, ACROSS);
  char resolution[48];
  report_title("A dam break on a box", "experiment [kleefsman2005]; potential flow; a free streamline");
  collapse_potential(DEPTH / (LENGTH - DAM), 0.45 / sqrt((LENGTH - DAM) / G), &ideal);
  simulate(&report, 0.5 / across, true, 0.75, &slab);
  snprintf(resolution, sizeof resolution, "slab: %d cells per m", 2 * across);
  report_resolution(&report, resolution, slab.dt);
  against_potential(&report, "slab", &slab, slab.dt, &ideal);
  against_streamline(&report, &slab);
  simulate(&report, 1.0 / across, false, END, &tank);
  snprintf(resolution, sizeof resolution, "%d cells per m", across);
  report_resolution(&report, resolution, tank.dt);
  against_potential(&report, "tank", &tank, FINE, &ideal);
  against_pressures(&report, &tank, &ideal);
  print_top(&tank);
  against_heights(&report, &tank);
  plot(&report, &tank);
  return report_end(&report);
}
