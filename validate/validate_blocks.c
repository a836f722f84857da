/* Two experiments with rigid blocks in water, [qiu2017], digitised from its figures; the tank is 150 mm wide and 140 mm
 * deep.
 *
 * Floating box: 49 by 24 mm, 48 mm deep, density 800.52, let go at the floor of a tank with 52 mm of water. Asked for: the
 * height at which it comes to rest, 43.2 mm, within 1 %, and the period of its bobbing within 5 %. The rise that was
 * measured is faster than one without any loss: its distance from ours from y = 20 mm on, where the clocks are set, is told
 * beside that bound. It begins a gap above the floor; the time this costs is lost before 20 mm. Falling cube: 20 mm, density
 * 2120, let go at the surface of 131 mm of water. Its height until 0.3 s is told against the experiment and asked for,
 * within 10 % of the depth, against the handbook's cube, and as a slab its square bar, since the experiment's cube was
 * slowed by more than a cube's drag. The cube of the data lies at 14.54 mm in the end, though a cube on the floor has its
 * centre at 10 mm. So the data are taken to be 4.54 mm too high, which puts the cube's start at 127 mm; how far off they are
 * as they stand is told.
 *
 * Both are run as slabs, as the case asks, and with all three dimensions. Beside the data stand two yardsticks that know
 * nothing of wakes:
 *   - the box without losses. Of all motions of the liquid in which the body moves at v, potential flow has the least
 * kinetic energy (Kelvin). So a body let go at y_0 is never faster than v(y) = sqrt(2 (rho - rho_b) V g (y - y_0) / (m +
 * m_a(y))). m_a(y) is found by one step from rest, as validate_rigid.c does, with the surface flat;
 *   - the cube by the handbook: (m + 0.67 rho a^3) dv/dt = (rho_b - rho) a^3 g - c rho v^2 a^2 / 2 with c = 1.05, from under
 * the surface. The liquid is without viscosity. It does separate from the blocks' edges, on every grid. */
#include "base/vec.h"
#include "engine/sharp/sharp.h"
#include "report.h"
#include "solid/rigid_body.h"

enum { SAMPLES = 241, DATA = 83, CUBE_DATA = 11, HEIGHTS = 10, FINE = 24 }; /* FINE: cells along the box's height */

static const double G = 9.81, WIDTH = 0.15, DEPTH = 0.14;
static const double BOX_DENSITY = 800.52, BOX_REST = 43.2, CUBE_SHIFT = 4.54; /* kg/m3; mm; mm */

typedef struct Block {
  vlVec3 size;           /* m */
  double density, level; /* kg/m3; m: of the water */
  double start, end;     /* m: of the centre; s */
  double round;          /* m: radius of its edges; only with three dimensions */
} Block;

typedef struct Trace {
  double t[SAMPLES], y[SAMPLES]; /* s; mm */
  double dt;                     /* s: mean */
} Trace;

/* s, mm */
static const double BOX[DATA][2] = {
    {0.0073, 12.01}, {0.0582, 12.61}, {0.0855, 13.11}, {0.1018, 13.81}, {0.1109, 14.30}, {0.1382, 16.49}, {0.1509, 17.98},
    {0.1691, 20.17}, {0.1818, 22.05}, {0.1927, 23.94}, {0.2036, 25.83}, {0.2145, 28.01}, {0.2218, 30.10}, {0.2291, 31.59},
    {0.2400, 33.37}, {0.2509, 35.06}, {0.2564, 36.15}, {0.2600, 37.45}, {0.2673, 39.23}, {0.2745, 40.82}, {0.2836, 42.11},
    {0.2945, 44.40}, {0.3036, 45.79}, {0.3127, 47.38}, {0.3182, 47.97}, {0.3291, 48.97}, {0.3345, 49.86}, {0.3491, 50.66},
    {0.3600, 51.15}, {0.3764, 51.15}, {0.3964, 50.76}, {0.4073, 49.77}, {0.4164, 48.97}, {0.4255, 48.18}, {0.4364, 47.09},
    {0.4436, 45.70}, {0.4527, 44.61}, {0.4582, 43.42}, {0.4673, 42.33}, {0.4818, 40.05}, {0.5000, 38.26}, {0.5145, 36.97},
    {0.5418, 35.79}, {0.5582, 35.19}, {0.5855, 36.39}, {0.6582, 43.04}, {0.7000, 47.22}, {0.7164, 48.81}, {0.7327, 49.30},
    {0.7582, 49.21}, {0.7800, 48.12}, {0.8073, 45.74}, {0.8291, 43.95}, {0.8527, 41.38}, {0.8709, 39.99}, {0.8927, 38.30},
    {0.9091, 37.81}, {0.9309, 37.31}, {0.9745, 39.20}, {1.0000, 41.29}, {1.0109, 42.28}, {1.0218, 44.07}, {1.0436, 46.16},
    {1.0546, 47.25}, {1.0818, 48.15}, {1.1109, 48.35}, {1.1273, 48.15}, {1.1491, 47.36}, {1.1709, 46.17}, {1.1964, 44.29},
    {1.2200, 42.50}, {1.2291, 41.71}, {1.2454, 39.93}, {1.2564, 38.83}, {1.2836, 37.94}, {1.3218, 38.64}, {1.3436, 40.63},
    {1.3673, 42.42}, {1.3927, 44.70}, {1.4091, 46.00}, {1.4345, 47.39}, {1.4509, 48.08}, {1.4982, 48.09}};

static const double CUBE[CUBE_DATA][2] = {{-0.0007, 131.55}, {0.0367, 128.16}, {0.0781, 121.40}, {0.1195, 112.27},
                                          {0.1585, 100.10},  {0.1991, 84.54},  {0.2406, 68.31},  {0.2804, 50.05},
                                          {0.3211, 29.76},   {0.3617, 14.54},  {0.4023, 14.54}};

/* dx; deep: all three dimensions instead of a slab. */
static vlScene tank(const Block *block, double dx, bool deep, vlBodyDef *body)
{
  vlScene scene;
  vl_scene_default(&scene);
  *body = vl_body_default();
  body->kind = VL_BODY_RIGID;
  body->size = block->size;
  body->center = vl_vec(0.5 * WIDTH, block->start, deep ? 0.5 * DEPTH : 0.0);
  body->density = block->density;
  body->solid.round = block->round;
  body->cell = block->round > 0.0 ? 0.004 : 0.0; /* tetrahedra in place of one cuboid */
  scene.grid.size = vl_vec(WIDTH, block->level + 0.03, deep ? DEPTH : dx);
  scene.grid.cells = 0;
  scene.grid.dx = dx;
  scene.grid.slab = !deep;
  scene.liquid.has_level = true;
  scene.liquid.level = block->level;
  scene.bodies = body;
  scene.body_count = 1;
  return scene;
}

static void simulate(const Report *report, const Block *block, double dx, bool deep, Trace *trace)
{
  vlStatus status = {0};
  vlSim *sim = NULL;
  vlBodyDef body;
  vlScene scene = tank(block, dx, deep, &body);
  vlCode code = vl_sim_create(&sim, &scene, (vlSimOptions){0}, &status);
  for (int i = 0; !code && i < SAMPLES; i++) {
    if (i > 0) code = vl_sim_advance(sim, block->end * i / (SAMPLES - 1), NULL, &status);
    trace->t[i] = vl_sim_time(sim);
    trace->y[i] = 1e3 * vl_rigid_of(vl_sharp(sim)->state.bodies.body[0])->pose.center.y;
  }
  if (code) report_stop(report, deep ? "block" : "block in a slab", status.message);
  trace->dt = block->end / (double)vl_sim_step_count(sim);
  vl_sim_destroy(&sim);
}

/* Linear between points; NAN outside. */
static double value_at(const double *t, const double *y, int count, int stride, double at)
{
  for (int i = 1; i < count; i++) {
    double a = t[(i - 1) * stride], b = t[i * stride];
    if (at >= a && at <= b) return y[(i - 1) * stride] + (y[i * stride] - y[(i - 1) * stride]) * (at - a) / (b - a);
  }
  return NAN;
}

/* When a height is passed on the way up for the nth time. */
static double nth_pass(const double *t, const double *y, int count, int stride, double level, int n)
{
  for (int i = 1; i < count; i++) {
    double a = y[(i - 1) * stride], b = y[i * stride];
    if (a < level && b >= level && --n == 0)
      return t[(i - 1) * stride] + (t[i * stride] - t[(i - 1) * stride]) * (level - a) / (b - a);
  }
  return NAN;
}

static double passes(const double *t, const double *y, int count, int stride, double level)
{
  return nth_pass(t, y, count, stride, level, 1);
}

/* Time between two passes of the height at rest, as it bobs. */
static double period(const double *t, const double *y, int count, int stride, double rest)
{
  return nth_pass(t, y, count, stride, rest, 3) - nth_pass(t, y, count, stride, rest, 2);
}

/* Time from 20 to 38 mm. */
static double climb(const double *t, const double *y, int count, int stride)
{
  return passes(t, y, count, stride, 38.0) - passes(t, y, count, stride, 20.0);
}

/* The box without losses, from y = 20 mm at t = 0. */
static void loss_free(const Report *report, const Block *box, double dx, bool deep, double start, Trace *trace)
{
  double y[HEIGHTS], mass[HEIGHTS]; /* m; own and added, over rho V */
  for (int i = 0; i < HEIGHTS; i++) {
    vlStatus status = {0};
    vlSim *sim = NULL;
    vlBodyDef body;
    Block at = *box;
    /* off the grid's planes, where the lift is that of its volume if dx divides its height */
    at.start = y[i] = 0.0182 + 0.00221 * i;
    vlScene scene = tank(&at, dx, deep, &body);
    scene.liquid.transfer = VL_TRANSFER_STILL;
    scene.time.dt_fixed = 1e-4;
    scene.pressure.tolerance = 1e-9;
    vlCode code = vl_sim_create(&sim, &scene, (vlSimOptions){0}, &status);
    if (!code) code = vl_sim_step(sim, scene.time.dt_fixed, NULL, &status);
    if (code) report_stop(report, "added mass", status.message);
    double v = vl_rigid_velocity(vl_rigid_of(vl_sharp(sim)->state.bodies.body[0])).y;
    mass[i] = (1.0 - box->density / scene.liquid.density) * G * scene.time.dt_fixed / v;
    vl_sim_destroy(&sim);
  }
  double place = 0.02, t = 0.0;
  for (int i = 0; i < SAMPLES; i++) {
    trace->t[i] = t;
    trace->y[i] = 1e3 * place;
    double step = 0.018 / (SAMPLES - 1), middle = place + 0.5 * step;
    t += step / sqrt(2.0 * G * (1.0 - box->density / 1000.0) * (middle - start) / value_at(y, mass, HEIGHTS, 1, middle));
    place += step;
  }
}

/* Largest distance from the data from 20 mm on until the data's first peak, with clocks set at 20 mm; over the travel. */
static double rise_error(const Trace *trace)
{
  double ours = passes(trace->t, trace->y, SAMPLES, 1, 20.0), theirs = passes(BOX[0], BOX[0] + 1, DATA, 2, 20.0);
  double worst = 0.0, peak = 0.0;
  for (int i = 0; i < DATA && BOX[i][0] < 0.38; i++) peak = fmax(peak, BOX[i][1]);
  for (int i = 0; i < DATA && BOX[i][0] < 0.38; i++)
    if (BOX[i][0] >= theirs)
      worst = fmax(worst, fabs(value_at(trace->t, trace->y, SAMPLES, 1, BOX[i][0] - theirs + ours) - BOX[i][1]));
  return worst / (peak - 20.0);
}

/* Over the second half of the run. */
static double rest_height(const Trace *trace)
{
  double sum = 0.0;
  for (int i = SAMPLES / 2; i < SAMPLES; i++) sum += trace->y[i] / (SAMPLES - SAMPLES / 2);
  return sum;
}

static void shift_clock(Trace *trace)
{
  double at = passes(trace->t, trace->y, SAMPLES, 1, 20.0) - passes(BOX[0], BOX[0] + 1, DATA, 2, 20.0);
  for (int i = 0; i < SAMPLES; i++) trace->t[i] -= at;
}

/* The box in all the ways it is run, and its loss-free bounds: from the floor, and from where ours begin. */
typedef struct Rises {
  Trace flat, deep, smooth; /* smooth: with round edges */
  Trace flat_bound, deep_bound, deep_own, smooth_own;
} Rises;

static void run_boxes(const Report *report, int fine, Rises *r)
{
  double dx = 0.024 / fine, floor = 0.012, gap = 0.002;
  Block box = {
      .size = vl_vec(0.049, 0.024, 0.048), .density = BOX_DENSITY, .level = 0.052, .start = floor + gap, .end = 4.0};
  simulate(report, &box, dx, false, &r->flat);
  loss_free(report, &box, dx, false, floor, &r->flat_bound);
  box.end = 1.2;
  simulate(report, &box, 3.0 * dx, true, &r->deep);
  loss_free(report, &box, 2.0 * dx, true, floor, &r->deep_bound);
  loss_free(report, &box, 2.0 * dx, true, box.start, &r->deep_own);
  box.round = 0.01;
  box.end = 0.4;
  simulate(report, &box, 3.0 * dx, true, &r->smooth);
  loss_free(report, &box, 2.0 * dx, true, box.start, &r->smooth_own);
}

static double trace_climb(const Trace *trace) { return 1e3 * climb(trace->t, trace->y, SAMPLES, 1); }

static void draw_boxes(Rises *r, Plot *plot)
{
  static double t[DATA], y[DATA];
  for (int i = 0; i < DATA; i++) t[i] = BOX[i][0], y[i] = BOX[i][1];
  double zero = passes(t, y, DATA, 1, 20.0);
  for (int i = 0; i < SAMPLES; i++) r->deep_bound.t[i] += zero;
  shift_clock(&r->flat);
  shift_clock(&r->deep);
  plot_add(plot, (PlotSeries){t, y, DATA, "experiment", .color = 6, .dots = true, .no_line = true});
  plot_add(plot, (PlotSeries){r->flat.t, r->flat.y, SAMPLES / 2, "slab", .color = 0});
  plot_add(plot, (PlotSeries){r->deep.t, r->deep.y, SAMPLES, "three dimensions", .color = 1});
  plot_add(plot, (PlotSeries){r->deep_bound.t, r->deep_bound.y, SAMPLES, "no losses", .color = 1, .dashed = true});
}

static void floating_box(Report *report, int fine, Plot *plot)
{
  static Rises r;
  char resolution[48];
  run_boxes(report, fine, &r);
  double bound = 1e3 * r.deep_bound.t[SAMPLES - 1], own = 1e3 * r.deep_own.t[SAMPLES - 1],
         smooth = 1e3 * r.smooth_own.t[SAMPLES - 1];
  printf("  box from 20 to 38 mm: measured %.1f ms; slab %.1f ms, without losses at least %.1f ms;\n"
         "    three dimensions %.1f ms, without losses at least %.1f ms, begun as ours %.1f ms;\n"
         "    edges rounded by 10 mm %.1f ms, without losses %.1f ms\n",
         1e3 * climb(BOX[0], BOX[0] + 1, DATA, 2), trace_climb(&r.flat), 1e3 * r.flat_bound.t[SAMPLES - 1],
         trace_climb(&r.deep), bound, own, trace_climb(&r.smooth), smooth);
  printf("  largest distance from the rise that was measured, over its travel: slab %.1f %%, three dimensions %.1f %%\n",
         100.0 * rise_error(&r.flat), 100.0 * rise_error(&r.deep));
  snprintf(resolution, sizeof resolution, "slab; %d cells along the height", fine);
  report_resolution(report, resolution, r.flat.dt);
  report_at_most(report, "floating box: height at rest; relative", fabs(rest_height(&r.flat) / BOX_REST - 1.0), 0.01);
  snprintf(resolution, sizeof resolution, "%d cells along the height", fine / 3);
  report_resolution(report, resolution, r.deep.dt);
  report_at_least(report, "floating box: climb over that without losses", trace_climb(&r.deep) / own, 1.0);
  report_at_least(report, "floating box; round edges: the same", trace_climb(&r.smooth) / smooth, 1.0);
  report_at_most(report, "floating box; round edges: the same", trace_climb(&r.smooth) / smooth, 1.2);
  /* at rest the level has fallen by what the box no longer displaces */
  double part = BOX_DENSITY / 1000.0,
         rest = 52.0 - 24.0 * (part - 0.5) - (1.0 - part) * 24.0 * 49.0 * 48.0 / (150.0 * 140.0);
  double ours = period(r.deep.t, r.deep.y, SAMPLES, 1, rest), theirs = period(BOX[0], BOX[0] + 1, DATA, 2, BOX_REST);
  printf("  box bobs with a period of %.3f s, measured %.3f s\n", ours, theirs);
  report_at_most(report, "floating box: period of bobbing; relative error", fabs(ours / theirs - 1.0), 0.05);
  draw_boxes(&r, plot);
}

/* Largest distance from the data until 0.3 s, over the depth; shift: mm that the data are too high. */
static double fall_error(const Trace *trace, double shift)
{
  double worst = 0.0;
  for (int i = 1; i < CUBE_DATA && CUBE[i][0] < 0.3; i++)
    worst = fmax(worst, fabs(value_at(trace->t, trace->y, SAMPLES, 1, CUBE[i][0]) - CUBE[i][1] + shift));
  return worst / 131.0;
}

/* Added mass over that of the liquid in its place, and drag. */
typedef struct Form {
  double added, drag;
} Form;

/* A cube or square bar by its handbook values, from rest under the surface. */
static void handbook(Form form, double start, double end, Trace *trace)
{
  double r = 2.12, mass = r + form.added, a = 0.02, y = start, v = 0.0, h = end / (SAMPLES - 1);
  for (int i = 0; i < SAMPLES; i++) {
    trace->t[i] = i * h;
    trace->y[i] = 1e3 * y;
    double half = v + 0.5 * h * ((r - 1.0) * G - 0.5 * form.drag * v * v / a) / mass;
    v += h * ((r - 1.0) * G - 0.5 * form.drag * half * half / a) / mass;
    y = fmax(0.5 * a, y - h * half);
  }
}

/* Largest distance of two ways until 0.3 s, over the depth. */
static double apart(const Trace *a, const Trace *b)
{
  double worst = 0.0;
  for (int i = 0; i < SAMPLES && a->t[i] < 0.3; i++) worst = fmax(worst, fabs(a->y[i] - b->y[i]) / 131.0);
  return worst;
}

static void falling_cube(Report *report, int fine, Plot *plot)
{
  static Trace flat, high, deep, book, bar;
  static double t[CUBE_DATA], y[CUBE_DATA];
  double dx = 0.024 / fine;
  Block cube = {.size = vl_vec(0.02, 0.02, 0.02), .density = 2120, .level = 0.131, .start = 0.127, .end = 0.4};
  char resolution[48];
  simulate(report, &cube, dx, false, &flat);
  simulate(report, &cube, 2.5 * dx, true, &deep);
  cube.start = 0.1315;
  simulate(report, &cube, dx, false, &high);
  handbook((Form){0.67, 1.05}, 0.127, cube.end, &book);
  handbook((Form){1.19, 2.05}, 0.127, cube.end, &bar);
  printf("  cube at 0.28 s: measured %.1f mm, less %.2f mm; slab %.1f mm, begun at 131.5 mm %.1f mm;\n"
         "    three dimensions %.1f mm; handbook: cube %.1f mm, square bar %.1f mm\n",
         CUBE[7][1], CUBE_SHIFT, value_at(flat.t, flat.y, SAMPLES, 1, CUBE[7][0]),
         value_at(high.t, high.y, SAMPLES, 1, CUBE[7][0]), value_at(deep.t, deep.y, SAMPLES, 1, CUBE[7][0]),
         value_at(book.t, book.y, SAMPLES, 1, CUBE[7][0]), value_at(bar.t, bar.y, SAMPLES, 1, CUBE[7][0]));
  printf("  off the experiment by, of the depth: slab %.1f %%, three dimensions %.1f %%; handbook: cube %.1f %%, square bar "
         "%.1f %%\n",
         100.0 * fall_error(&flat, CUBE_SHIFT), 100.0 * fall_error(&deep, CUBE_SHIFT), 100.0 * fall_error(&book, CUBE_SHIFT),
         100.0 * fall_error(&bar, CUBE_SHIFT));
  snprintf(resolution, sizeof resolution, "slab; %d cells along an edge", fine * 20 / 24);
  report_resolution(report, resolution, flat.dt);
  report_at_most(report, "falling cube; slab; against the handbook's square bar; over the depth", apart(&flat, &bar), 0.1);
  printf("  data as they are: off by %.1f %% of the depth\n", 100.0 * fall_error(&high, 0.0));
  snprintf(resolution, sizeof resolution, "%d cells along an edge", fine / 3);
  report_resolution(report, resolution, deep.dt);
  report_at_most(report, "falling cube; three dimensions; against the handbook; over the depth", apart(&deep, &book), 0.1);
  for (int i = 0; i < CUBE_DATA; i++) t[i] = CUBE[i][0], y[i] = CUBE[i][1] - CUBE_SHIFT;
  plot_add(plot, (PlotSeries){t, y, CUBE_DATA, "experiment, 4.5 mm lower", .color = 6, .dots = true, .no_line = true});
  plot_add(plot, (PlotSeries){flat.t, flat.y, SAMPLES, "slab", .color = 0});
  plot_add(plot, (PlotSeries){deep.t, deep.y, SAMPLES, "three dimensions", .color = 1});
  plot_add(plot, (PlotSeries){book.t, book.y, SAMPLES, "cube: added mass 0.67, drag 1.05", .color = 1, .dashed = true});
  plot_add(plot, (PlotSeries){bar.t, bar.y, SAMPLES, "bar: added mass 1.19, drag 2.05", .color = 0, .dashed = true});
}

int main(int argc, char **argv)
{
  Report report = report_begin("blocks", argc, argv);
  int fine = report_cells(argc, argv, FINE);
  Plot panels[2] = {{.title = "Floating box", .x_label = "t, s", .y_label = "height of its centre, mm"},
                    {.title = "Falling cube", .x_label = "t, s", .y_label = "height of its centre, mm"}};
  report_title("Blocks in water", "two experiments; potential flow; handbook (cases: floating box, falling cube)");
  floating_box(&report, fine, &panels[0]);
  falling_cube(&report, fine, &panels[1]);
  report_plot(&report, panels, 2);
  return report_end(&report);
}
