/* Water seeded with jittered particles, level with the grid at none of ten heights inside a cell: a cube of 1 m, 20 cells
 * along a side, water 0.45 m deep and more by 0, 0.1 ... 0.9 cells.
 *
 * Before the first step the reconstructed surface is compared with the drawn level: over all columns of cells, mean and root
 * mean square. Then the water is left alone for 10 s and must stay: speed, kinetic energy, mean level. What little energy
 * there is (0.1 mJ in 0.5 t of water) is chance; it must fall over all heights, and at none exceed what the seeding let
 * loose. Last a ball of 10 cells radius, at eight places in the grid: the volume inside its surface. */
#include "base/vec.h"
#include "engine/sharp/sharp.h"
#include "liquid/level_set.h"
#include "report.h"

enum { CELLS = 20, HEIGHTS = 10, SAMPLES = 4096, BALLS = 8, BALL_CELLS = 32 };

static const double DEPTH = 0.45, END = 10.0, GRAVITY = 9.81;

typedef struct Still {
  double depth, fraction;                            /* m; of a cell */
  double mean, rms;                                  /* cells: error of the level before the first step */
  double t[SAMPLES], speed[SAMPLES], level[SAMPLES]; /* s; over sqrt(gH); cells from the drawn level */
  double fastest, drift;                             /* largest speed and |level| */
  double first, early, late;                         /* J: mean kinetic energy 0..1 s, 1..2 s, 9..10 s */
  int count;
} Still;

/* Height of the highest surface in a column of cells. */
static double column(const vlSim *sim, int i, int k)
{
  const vlGrid *g = &vl_sharp(sim)->grid;
  const double *phi = vl_sharp(sim)->work.level.phi;
  for (int j = g->n[1] - 2; j >= 0; j--) {
    ptrdiff_t at = vl_grid_at(g, i, j, k);
    double below = phi[at], above = phi[at + g->stride[1]];
    if (below < 0.0 && above >= 0.0) return (j + 0.5 + below / (below - above)) * g->dx;
  }
  return 0.0;
}

/* Mean and root mean square over all columns of the level's distance from the drawn one, in cells. */
static void measure_level(const vlSim *sim, double depth, double *mean, double *rms)
{
  const vlGrid *g = &vl_sharp(sim)->grid;
  double sum = 0.0, square = 0.0;
  for (int k = 0; k < g->n[2]; k++)
    for (int i = 0; i < g->n[0]; i++) {
      double error = (column(sim, i, k) - depth) / g->dx;
      sum += error;
      square += error * error;
    }
  *mean = sum / (g->n[0] * g->n[2]);
  *rms = sqrt(square / (g->n[0] * g->n[2]));
}

static vlCode run(vlSim *sim, Still *s, vlStatus *status)
{
  double first = 0.0, early = 0.0, late = 0.0, rms;
  vlStepInfo info;
  vlCode code = VL_OK;
  measure_level(sim, s->depth, &s->mean, &s->rms);
  while (!code && vl_sim_time(sim) < END && s->count < SAMPLES) {
    code = vl_sim_step(sim, 1.0 / 30.0, &info, status);
    int i = s->count++;
    s->t[i] = info.time;
    s->speed[i] = info.max_speed / sqrt(GRAVITY * s->depth);
    measure_level(sim, s->depth, &s->level[i], &rms);
    s->fastest = fmax(s->fastest, s->speed[i]);
    s->drift = fmax(s->drift, fabs(s->level[i]));
    if (info.time <= 1.0) s->first += info.kinetic_energy, first++;
    if (info.time > 1.0 && info.time <= 2.0) s->early += info.kinetic_energy, early++;
    if (info.time > END - 1.0) s->late += info.kinetic_energy, late++;
  }
  s->first /= first;
  s->early /= early;
  s->late /= late;
  return code;
}

static vlCode simulate(int cells, Still *s, vlStatus *status)
{
  vlScene scene;
  vlSim *sim = NULL;
  vl_scene_default(&scene);
  scene.grid.size = vl_vec(1, 1, 1);
  scene.grid.cells = cells;
  scene.liquid.has_level = true;
  scene.liquid.level = s->depth;
  vlCode code = vl_sim_create(&sim, &scene, (vlSimOptions){0}, status);
  if (!code) code = run(sim, s, status);
  vl_sim_destroy(&sim);
  return code;
}

/* Volume inside the surface of a resting ball over 4/3 pi R^3. */
static vlCode measure_ball(int place, double *volume, vlStatus *status)
{
  double dx = 1.0 / BALL_CELLS, radius = 10.0 * dx, part = (double)place / BALLS;
  vlScene scene;
  vlSim *sim = NULL;
  vlShape ball = {.kind = VL_SHAPE_SPHERE,
                  .center = vl_vec(0.5 + dx * part, 0.5 + dx * fmod(3 * part, 1.0), 0.5 + dx * fmod(5 * part, 1.0)),
                  .rotation = vl_mat_identity(),
                  .radius = radius,
                  .scale = {{1, 1, 1}}};
  vl_scene_default(&scene);
  scene.grid.size = vl_vec(1, 1, 1);
  scene.grid.cells = BALL_CELLS;
  scene.liquid.shapes = &ball;
  scene.liquid.shape_count = 1;
  vlCode code = vl_sim_create(&sim, &scene, (vlSimOptions){0}, status);
  *volume = 0.0;
  for (int k = 0; !code && k < BALL_CELLS; k++)
    for (int j = 0; j < BALL_CELLS; j++)
      for (int i = 0; i < BALL_CELLS; i++) {
        double r = vl_norm(vl_sub(vl_grid_center(&vl_sharp(sim)->grid, i, j, k), ball.center));
        if (r < radius + 2 * dx) /* farther away the level set is not kept */
          *volume += vl_level_set_cell_fraction(&vl_sharp(sim)->grid, vl_sharp(sim)->work.level.phi,
                                                vl_grid_at(&vl_sharp(sim)->grid, i, j, k));
      }
  *volume *= dx * dx * dx / (4.0 / 3.0 * VL_PI * pow(radius, 3));
  vl_sim_destroy(&sim);
  return code;
}

static void check_balls(Report *report)
{
  vlStatus status = {0};
  double mean = 0.0, worst = 0.0;
  report_title("Ball of 10 cells radius at eight places", "4/3 pi R^3");
  for (int b = 0; b < BALLS; b++) {
    double volume;
    if (measure_ball(b, &volume, &status)) report_stop(report, "ball", status.message);
    printf("  place %d: %.4f\n", b, volume);
    mean += volume / BALLS;
    worst = fmax(worst, fabs(volume - 1.0));
  }
  report_resolution(report, "10 cells per radius", 0.0);
  report_at_most(report, "ball: |volume - exact| (%), mean over places", 100 * fabs(mean - 1.0), 1.0);
  report_at_most(report, "ball: |volume - exact| (%), worst place", 100 * worst, 1.0);
}

/* The larger one; a value that is none stays and fails its check. */
static double worse(double a, double b) { return b > a || isnan(b) ? b : a; }

static void check_levels(Report *report, const Still *still)
{
  double fastest = 0.0, growth = 0.0, early = 0.0, late = 0.0, drift = 0.0, mean = 0.0, rms = 0.0;
  for (int h = 0; h < HEIGHTS; h++) {
    const Still *s = &still[h];
    printf("  %.1f cells: start: mean %+.3f rms %.3f cells; 10 s: speed %.4f, kinetic energy %.2e, %.2e, %.2e J, level %.3f "
           "cells\n",
           s->fraction, s->mean, s->rms, s->fastest, s->first, s->early, s->late, s->drift);
    fastest = worse(fastest, s->fastest);
    growth = worse(growth, s->late / s->first);
    early += s->early;
    late += s->late;
    drift = worse(drift, s->drift);
    mean = worse(mean, fabs(s->mean));
    rms = worse(rms, s->rms);
  }
  report_at_most(report, "start: |mean error of the level| (cells), worst height", mean, 0.1);
  report_at_most(report, "start: rms error of the level (cells), worst height", rms, 0.1);
  report_at_most(report, "10 s: largest speed over sqrt(gH)", fastest, 0.05);
  report_at_most(report, "10 s: kinetic energy, last second over the second one, all heights", late / early, 1.0);
  report_at_most(report, "10 s: kinetic energy, last second over the first one, worst height", growth, 1.0);
  report_at_most(report, "10 s: |mean level - drawn| (cells), largest", drift, 0.05);
}

/* All heights in one colour, the worst in another. */
static void add_heights(Plot *speed, Plot *level, const Still *still)
{
  static char label[2][48];
  int worst[2] = {0, 0};
  for (int h = 0; h < HEIGHTS; h++) {
    const Still *s = &still[h];
    plot_add(speed, (PlotSeries){s->t, s->speed, s->count, h ? NULL : "ten levels", .color = 0});
    plot_add(level, (PlotSeries){s->t, s->level, s->count, h ? NULL : "ten levels", .color = 0});
    if (s->fastest > still[worst[0]].fastest) worst[0] = h;
    if (s->drift > still[worst[1]].drift) worst[1] = h;
  }
  for (int w = 0; w < 2; w++) {
    const Still *s = &still[worst[w]];
    snprintf(label[w], sizeof label[w], "the worst: %.1f cells above a face", s->fraction);
    plot_add(w ? level : speed, (PlotSeries){s->t, w ? s->level : s->speed, s->count, label[w], .color = 1});
  }
}

static void draw(const Report *report, const Still *still)
{
  double fraction[HEIGHTS], mean[HEIGHTS], rms[HEIGHTS];
  const double ends[2] = {0.0, END}, cell[2] = {0.0, 0.9}, fast[2] = {0.05, 0.05}, zero[2] = {0.0, 0.0},
               tenth[2] = {0.1, 0.1}, minus[2] = {-0.1, -0.1}, low[2] = {-0.05, -0.05};
  Plot start = {.title = "Level at the start", .x_label = "level's height above a face (cells)", .y_label = "error (cells)"},
       speed = {.title = "Water at rest: speed",
                .x_label = "time (s)",
                .y_label = "largest speed / sqrt(gH)",
                .log_y = true},
       level = {.title = "Water at rest: mean level", .x_label = "time (s)", .y_label = "from the drawn level (cells)"};
  for (int h = 0; h < HEIGHTS; h++) {
    fraction[h] = still[h].fraction;
    mean[h] = still[h].mean;
    rms[h] = still[h].rms;
  }
  plot_add(&start, (PlotSeries){fraction, mean, HEIGHTS, "mean over columns", .color = 0, .dots = true});
  plot_add(&start, (PlotSeries){fraction, rms, HEIGHTS, "root mean square", .color = 1, .dots = true});
  plot_add(&start, (PlotSeries){cell, zero, 2, NULL, .color = 6});
  plot_add(&start, (PlotSeries){cell, tenth, 2, "limits", .color = 6, .dashed = true});
  plot_add(&start, (PlotSeries){cell, minus, 2, NULL, .color = 6, .dashed = true});
  add_heights(&speed, &level, still);
  plot_add(&speed, (PlotSeries){ends, fast, 2, "limit", .color = 6, .dashed = true});
  plot_add(&level, (PlotSeries){ends, fast, 2, "limits", .color = 6, .dashed = true});
  plot_add(&level, (PlotSeries){ends, low, 2, NULL, .color = 6, .dashed = true});
  const Plot panels[] = {start, speed, level};
  report_plot(report, panels, 3);
}

int main(int argc, char **argv)
{
  static Still still[HEIGHTS];
  vlStatus status = {0};
  char text[48];
  Report report = report_begin("level", argc, argv);
  int cells = report_cells(argc, argv, CELLS), steps = 0;
  report_title("Water at rest, ten levels inside a cell, jittered particles", "it stays as it was drawn");
  for (int h = 0; h < HEIGHTS; h++) {
    still[h].fraction = 0.1 * h;
    still[h].depth = (round(DEPTH * cells) + still[h].fraction) / cells;
    if (simulate(cells, &still[h], &status)) report_stop(&report, "level", status.message);
    steps += still[h].count;
  }
  snprintf(text, sizeof text, "%d^3 cells", cells);
  report_resolution(&report, text, HEIGHTS * END / steps);
  check_levels(&report, still);
  check_balls(&report);
  draw(&report, still);
  return report_end(&report);
}
