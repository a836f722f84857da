/* Floating balls: elastic balls of a quarter, half and three quarters of the water's density are put into water at the draft
 * that Archimedes' law asks for, and left alone for 5 s. A ball of radius R and density r rho floats at the depth d with
 *
 *     r = (d/R)^2 (3 - d/R) / 4:        d/R = 0.652704, 1, 1.347296 for r = 0.25, 0.5, 0.75.
 *
 * A fourth ball begins 0.2 R too high and swings, on a grid half as fine: the depth it swings about is not given to it.
 * Asked for: means over the 5 s within 3 % of d. The draft is the water's level less the height of the ball's lowest point.
 * The level is the mean over the columns of cells away from the ball. The ball of tetrahedra has flat faces: R is the radius
 * of the sphere of its volume, and its lowest point R below its centre of mass; its weight is that of its tetrahedra, so r
 * needs no correction. The balls are stiff (water presses them by less than 1/1000), nothing but the water and the backward
 * Euler method damps them, and R is the only length of the case besides the tank's width of 3.25 R. */
#include "base/vec.h"
#include "engine/sim.h"
#include "report.h"

enum { CELLS = 12, RUNS = 4, SAMPLES = 129 }; /* 4 steps from one sample to the next */

static const double RADIUS = 0.5, WIDTH = 3.25 * 0.5, END = 5.0; /* m; m: of the tank; s */

typedef struct Case {
  const char *name;
  double ratio, draft, lift; /* of the densities; over R: where it floats; how much higher it begins */
  int coarser;               /* cells per radius are divided by this */
} Case;

static const Case CASES[RUNS] = {{"r = 0.25", 0.25, 0.652704, 0.0, 1},
                                 {"r = 0.5", 0.5, 1.0, 0.0, 1},
                                 {"r = 0.75", 0.75, 1.347296, 0.0, 1},
                                 {"r = 0.5; 0.2 R too high", 0.5, 1.0, 0.2, 2}};

typedef struct Float {
  double t[SAMPLES], draft[SAMPLES], theory[SAMPLES]; /* s; over R */
  double mean, least, most;                           /* draft over R, all samples after the first */
  double radius, level_rise;                          /* m: of the sphere of the same volume; last level less the first */
  int steps, nodes;
} Float;

/* Height of the surface in a column of cells. */
static double column(const vlSim *sim, int i, int k)
{
  const vlGrid *g = &sim->grid;
  const double *phi = sim->work.level.phi;
  for (int j = g->n[1] - 2; j >= 0; j--) {
    ptrdiff_t at = vl_grid_at(g, i, j, k);
    double below = phi[at], above = phi[at + g->stride[1]];
    if (below < 0.0 && above >= 0.0) return (j + 0.5 + below / (below - above)) * g->dx;
  }
  return 0.0;
}

/* Mean surface height over the columns farther than two cells from the ball, seen from above. */
static double water_level(const vlSim *sim, vlVec3 center)
{
  const vlGrid *g = &sim->grid;
  double sum = 0.0;
  int count = 0;
  for (int k = 0; k < g->n[2]; k++)
    for (int i = 0; i < g->n[0]; i++) {
      vlVec3 at = vl_grid_center(g, i, 0, k);
      if (hypot(at.x - center.x, at.z - center.z) < RADIUS + 2 * g->dx) continue;
      sum += column(sim, i, k);
      count++;
    }
  return sum / count;
}

static vlCode run(vlSim *sim, double theory, Float *f, vlStatus *status)
{
  vlElastic *body = sim->state.bodies.body[0];
  vlCode code = VL_OK;
  double first = 0.0, level = 0.0;
  f->radius = cbrt(0.75 / VL_PI * vl_elastic_measure(body, sim->scene->gravity).volume);
  f->nodes = body->node_count;
  f->least = INFINITY, f->most = -INFINITY, f->mean = 0.0;
  for (int i = 0; !code && i < SAMPLES; i++) {
    if (i > 0) code = vl_sim_advance(sim, END * i / (SAMPLES - 1), NULL, status);
    vlVec3 center = vl_elastic_measure(body, sim->scene->gravity).center;
    level = water_level(sim, center);
    if (i == 0) first = level;
    f->t[i] = vl_sim_time(sim);
    f->theory[i] = theory;
    f->draft[i] = (level - center.y) / f->radius + 1.0;
    if (i == 0) continue;
    f->mean += f->draft[i] / (SAMPLES - 1);
    f->least = fmin(f->least, f->draft[i]);
    f->most = fmax(f->most, f->draft[i]);
  }
  f->level_rise = level - first;
  f->steps = (int)vl_sim_step_count(sim);
  return code;
}

static vlCode simulate(int cells, const Case *c, Float *f, vlStatus *status)
{
  vlScene scene;
  vlSim *sim = NULL;
  double level = 2.0 * RADIUS;
  vlBodyDef ball = vl_body_default();
  ball.shape = VL_BODY_SPHERE;
  ball.solid.radius = RADIUS;
  ball.cell = RADIUS / 4;
  ball.center = vl_vec(0.5 * WIDTH, level + (1.0 - c->draft + c->lift) * RADIUS, 0.5 * WIDTH);
  ball.density = 1000.0 * c->ratio;
  ball.young = 1e7;
  ball.mass_damping = ball.stiffness_damping = 0.0;
  vl_scene_default(&scene);
  scene.size = vl_vec(WIDTH, 3.75 * RADIUS, WIDTH);
  scene.cells = 0;
  scene.dx = RADIUS / cells;
  scene.liquid.has_level = true;
  scene.liquid.level = level;
  scene.bodies = &ball;
  scene.body_count = 1;
  vlCode code = vl_sim_create(&sim, &scene, (vlSimOptions){0}, status);
  if (!code) code = run(sim, c->draft, f, status);
  vl_sim_destroy(&sim);
  return code;
}

int main(int argc, char **argv)
{
  static Float floats[RUNS];
  Report report = report_begin("draft", argc, argv);
  int asked = report_cells(argc, argv, CELLS);
  char resolution[48], text[80];
  report_title("Floating balls", "Archimedes (cases: draft)");
  Plot plot = {.title = "Floating balls", .x_label = "t, s", .y_label = "draft over radius"};
  for (int r = 0; r < RUNS; r++) {
    const Case *c = &CASES[r];
    Float *f = &floats[r];
    vlStatus status = {0};
    int cells = asked / c->coarser;
    if (simulate(cells, c, f, &status)) report_stop(&report, c->name, status.message);
    snprintf(resolution, sizeof resolution, "%d cells per radius; %d nodes", cells, f->nodes);
    report_resolution(&report, resolution, END / f->steps);
    printf("  %s: draft/R %.4f (%.4f .. %.4f), theory %.4f; R %.4f of %.4f m; level %+.3f cells\n", c->name, f->mean,
           f->least, f->most, c->draft, f->radius, RADIUS, f->level_rise / RADIUS * cells);
    snprintf(text, sizeof text, "%s: mean draft over 5 s, relative error", c->name);
    report_at_most(&report, text, fabs(f->mean / c->draft - 1.0), 0.03);
    plot_add(&plot, (PlotSeries){f->t, f->draft, SAMPLES, c->name, .color = r});
    if (c->lift == 0.0)
      plot_add(&plot, (PlotSeries){f->t, f->theory, SAMPLES, r == 0 ? "Archimedes" : NULL, .color = 6, .dashed = true});
  }
  report_plot(&report, &plot, 1);
  return report_end(&report);
}
