/* Floating bodies: balls, elastic and rigid, and rigid boxes of a quarter, half and three quarters of the water's density
 * are put into water at the draft that Archimedes' law asks for, and left alone for 5 s. At a density of r times the water's
 *
 *     ball of radius R:    r = (d/R)^2 (3 - d/R) / 4:    d/R = 0.652704, 1, 1.347296 for r = 0.25, 0.5, 0.75
 *     box of height H:     d = r H.
 *
 * Balls also begin 0.2 R too high and swing, on a grid half as fine: the depth they swing about is not given to them.
 * Asked for: means over the 5 s within 3 % of d. The draft is the water's level less the height of the body's lowest point.
 * The level is the mean over the columns of cells away from the body. The ball of tetrahedra has flat faces: R is the radius
 * of the sphere of its volume, and its lowest point R below its centre of mass; its weight is that of its tetrahedra, so r
 * needs no correction. Elastic balls are stiff (water presses them by less than 1/1000), nothing but the water and the
 * backward Euler method damps them, and R is the only length of the case besides the tank's width of 3.25 R.
 *
 * Boxes are 2.25 R wide and 1.5 R high, so that they float upright at every density. A box on a grid half as fine floats at
 * its draft wherever in a cell its bottom lies: ten levels, a tenth of a cell apart, within 0.02 cells.
 *
 * A third argument runs one case alone, from 0 on, into draft_N.csv: cases can be run side by side. */
#include "base/vec.h"
#include "engine/sharp/sharp.h"
#include "report.h"

enum {
  CELLS = 12,
  NAMED = 11,
  HEIGHTS = 10,
  RUNS = NAMED + HEIGHTS,
  SAMPLES = 129
}; /* 4 steps from one sample to the next */

static const double RADIUS = 0.5, END = 5.0;            /* m; s */
static const double BOX_WIDTH = 2.25, BOX_HEIGHT = 1.5; /* over R */

typedef enum Kind { ELASTIC_BALL, RIGID_BALL, RIGID_BOX } Kind;

typedef struct Case {
  const char *name;
  Kind kind;
  double ratio, draft, lift; /* of the densities; over R: where it floats; how much higher it begins */
  double shift;              /* cells: of the water's level, up */
  int coarser;               /* cells per radius are divided by this */
} Case;

static const Case CASES[NAMED] = {{"elastic ball r = 0.25", ELASTIC_BALL, 0.25, 0.652704, 0.0, 0.0, 1},
                                  {"elastic ball r = 0.5", ELASTIC_BALL, 0.5, 1.0, 0.0, 0.0, 1},
                                  {"elastic ball r = 0.75", ELASTIC_BALL, 0.75, 1.347296, 0.0, 0.0, 1},
                                  {"elastic ball r = 0.5; 0.2 R too high", ELASTIC_BALL, 0.5, 1.0, 0.2, 0.0, 2},
                                  {"rigid ball r = 0.25", RIGID_BALL, 0.25, 0.652704, 0.0, 0.0, 1},
                                  {"rigid ball r = 0.5", RIGID_BALL, 0.5, 1.0, 0.0, 0.0, 1},
                                  {"rigid ball r = 0.75", RIGID_BALL, 0.75, 1.347296, 0.0, 0.0, 1},
                                  {"rigid ball r = 0.5; 0.2 R too high", RIGID_BALL, 0.5, 1.0, 0.2, 0.0, 2},
                                  {"rigid box r = 0.25", RIGID_BOX, 0.25, 0.375, 0.0, 0.0, 1},
                                  {"rigid box r = 0.5", RIGID_BOX, 0.5, 0.75, 0.0, 0.0, 1},
                                  {"rigid box r = 0.75", RIGID_BOX, 0.75, 1.125, 0.0, 0.0, 1}};

static Case case_at(int r)
{
  if (r < NAMED) return CASES[r];
  return (Case){"rigid box r = 0.5", RIGID_BOX, 0.5, 0.75, 0.0, (double)(r - NAMED) / HEIGHTS, 2};
}

/* m: of the tank */
static double tank_width(Kind kind) { return (kind == RIGID_BOX ? 4.5 : 3.25) * RADIUS; }

typedef struct Float {
  double t[SAMPLES], draft[SAMPLES], theory[SAMPLES]; /* s; over R */
  double mean, least, most;                           /* draft over R, all samples after the first */
  double radius, level_rise;                          /* m: of the sphere of the same volume; last level less the first */
  int steps, nodes;
} Float;

/* Height of the surface in a column of cells. */
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

/* Mean surface height over the columns farther than two cells from the body, seen from above. */
static double water_level(const vlSim *sim, Kind kind, vlVec3 center)
{
  const vlGrid *g = &vl_sharp(sim)->grid;
  double sum = 0.0;
  int count = 0;
  for (int k = 0; k < g->n[2]; k++)
    for (int i = 0; i < g->n[0]; i++) {
      vlVec3 at = vl_grid_center(g, i, 0, k);
      double x = fabs(at.x - center.x), z = fabs(at.z - center.z);
      if (kind == RIGID_BOX ? fmax(x, z) < 0.5 * BOX_WIDTH * RADIUS + 2 * g->dx : hypot(x, z) < RADIUS + 2 * g->dx) continue;
      sum += column(sim, i, k);
      count++;
    }
  return sum / count;
}

static vlCode run(vlSim *sim, const Case *c, Float *f, vlStatus *status)
{
  vlBody *body = vl_sharp(sim)->state.bodies.body[0];
  vlCode code = VL_OK;
  double first = 0.0, level = 0.0;
  bool box = c->kind == RIGID_BOX;
  f->radius = box ? RADIUS : cbrt(0.75 / VL_PI * vl_body_measure(body, sim->scene->gravity).volume);
  f->nodes = body->node_count;
  f->least = INFINITY, f->most = -INFINITY, f->mean = 0.0;
  for (int i = 0; !code && i < SAMPLES; i++) {
    if (i > 0) code = vl_sim_advance(sim, END * i / (SAMPLES - 1), NULL, status);
    vlVec3 center = vl_body_measure(body, sim->scene->gravity).center;
    level = water_level(sim, c->kind, center);
    if (i == 0) first = level;
    f->t[i] = vl_sim_time(sim);
    f->theory[i] = c->draft;
    f->draft[i] = (level - center.y) / f->radius + (box ? 0.5 * BOX_HEIGHT : 1.0);
    if (i == 0) continue;
    f->mean += f->draft[i] / (SAMPLES - 1);
    f->least = fmin(f->least, f->draft[i]);
    f->most = fmax(f->most, f->draft[i]);
  }
  f->level_rise = level - first;
  f->steps = (int)vl_sim_step_count(sim);
  return code;
}

static vlBodyDef floating_body(const Case *c, double level)
{
  bool box = c->kind == RIGID_BOX;
  vlBodyDef body = vl_body_default();
  body.shape = box ? VL_BODY_BOX : VL_BODY_SPHERE;
  body.kind = c->kind != ELASTIC_BALL ? VL_BODY_RIGID : VL_BODY_ELASTIC;
  body.size = vl_vec(BOX_WIDTH * RADIUS, BOX_HEIGHT * RADIUS, BOX_WIDTH * RADIUS);
  body.solid.radius = RADIUS;
  body.cell = box ? 0.0 : RADIUS / 4;
  double width = tank_width(c->kind), bottom = level + (c->lift - c->draft) * RADIUS;
  body.center = vl_vec(0.5 * width, bottom + (box ? 0.5 * BOX_HEIGHT : 1.0) * RADIUS, 0.5 * width);
  body.density = 1000.0 * c->ratio;
  body.young = 1e7;
  body.mass_damping = body.stiffness_damping = 0.0;
  return body;
}

static vlCode simulate(int cells, const Case *c, Float *f, vlStatus *status)
{
  vlScene scene;
  vlSim *sim = NULL;
  double dx = RADIUS / cells, level = 2.0 * RADIUS + c->shift * dx;
  vlBodyDef body = floating_body(c, level);
  vl_scene_default(&scene);
  scene.grid.size = vl_vec(tank_width(c->kind), 3.75 * RADIUS, tank_width(c->kind));
  scene.grid.cells = 0;
  scene.grid.dx = dx;
  scene.liquid.has_level = true;
  scene.liquid.level = level;
  scene.bodies = &body;
  scene.body_count = 1;
  vlCode code = vl_sim_create(&sim, &scene, (vlSimOptions){0}, status);
  if (!code) code = run(sim, c, f, status);
  vl_sim_destroy(&sim);
  return code;
}

int main(int argc, char **argv)
{
  static Float floats[RUNS];
  static const char *const titles[] = {"Elastic balls", "Rigid balls", "Rigid boxes"};
  char resolution[48], text[96], name[24] = "draft";
  int only = argc > 3 ? atoi(argv[3]) : -1;
  if (only >= 0) snprintf(name, sizeof name, "draft_%d", only);
  Report report = report_begin(name, argc, argv);
  if (only >= RUNS) report_stop(&report, argv[3], "there is no such case; they are 0 to 20");
  int asked = report_cells(argc, argv, CELLS);
  report_title("Floating bodies", "Archimedes (cases: draft)");
  Plot plots[3] = {{.x_label = "t, s", .y_label = "draft over radius"},
                   {.x_label = "t, s", .y_label = "draft over radius"},
                   {.x_label = "t, s", .y_label = "draft over R"}};
  for (int r = 0; r < RUNS; r++) {
    const Case found = case_at(r), *c = &found;
    Float *f = &floats[r];
    Plot *plot = &plots[c->kind];
    vlStatus status = {0};
    int cells = asked / c->coarser;
    plot->title = titles[c->kind];
    if (only >= 0 && r != only) continue;
    if (simulate(cells, c, f, &status)) report_stop(&report, c->name, status.message);
    snprintf(resolution, sizeof resolution, "%d cells per radius; %d nodes", cells, f->nodes);
    report_resolution(&report, resolution, END / f->steps);
    printf("  %s: draft/R %.4f (%.4f .. %.4f), theory %.4f; R %.4f of %.4f m; level %+.3f cells\n", c->name, f->mean,
           f->least, f->most, c->draft, f->radius, RADIUS, f->level_rise / RADIUS * cells);
    bool named = r < NAMED;
    if (named) {
      snprintf(text, sizeof text, "%s: mean draft over 5 s, relative error", c->name);
      report_at_most(&report, text, fabs(f->mean / c->draft - 1.0), 0.03);
    } else {
      snprintf(text, sizeof text, "%s, level up %.1f cells: mean draft, cells off", c->name, c->shift);
      report_at_most(&report, text, fabs(f->mean - c->draft) * cells, 0.02);
    }
    plot_add(plot, (PlotSeries){f->t, f->draft, SAMPLES, c->name, .color = r % 4});
    if (c->lift == 0.0 && named)
      plot_add(plot,
               (PlotSeries){f->t, f->theory, SAMPLES, c->ratio == 0.25 ? "Archimedes" : NULL, .color = 6, .dashed = true});
  }
  report_plot(&report, only >= 0 ? &plots[case_at(only).kind] : plots, only >= 0 ? 1 : 3);
  return report_end(&report);
}
