/* The mass that liquid adds to a rigid body. A body of mass m that starts in a liquid at rest has to set the liquid in
 * motion too, as if it were heavier by m_a; without friction that is potential flow, and three cases are known exactly or
 * nearly so:
 *
 *     sphere a in the middle of a sphere b       m_a = rho V (1 + 2 q) / (2 (1 - q)),                q = (a/b)^3
 *     square s in the middle of a circle b       m_a = rho (2 pi c^2 - s^2 + 2 pi c^4 / (b^2 - c^2)) for a unit of depth,
 *                                                c = s Gamma(1/4)^2 / (4 pi^(3/2)), up to order (s/b)^8
 *     cube in a wide box                         no closed form: the literature has 0.64 to 0.70 rho V for no walls at all
 *
 * Edges have the flow around them grow without bound, as r^(-1/3): energies converge with the power 4/3 of dx there, not 2.
 * c is the conformal radius of the square's outside; far away it looks like a disc of that radius (four-fold symmetry leaves
 * out all other terms below the fifth power), and the circle around it answers as it would to a disc.
 * A blow: no gravity, the body begins with v_0, and one solve leaves it v = v_0 m / (m + m_a): nothing but the added mass is
 * in it. A release: under gravity the body begins at rest, and one step gives it (rho - rho_b) V g / (m + m_a): lift
 * besides. The lift of still water is rho g times the volume counted in slices of a cell (docs/theory/coupling.md), to
 * second order for a round body; for flat faces along the grid it is off by up to a cell, which is why squares are not asked
 * for it.
 *
 * A ball that has risen by its radius: the same in motion. Round bodies shed nothing at first, so its speed is that of a
 * loss-free one, v^2 = 2 (rho - rho_b) V g s / (m + m_a). */
#include "base/vec.h"
#include "engine/sharp/sharp.h"
#include "report.h"
#include "solid/rigid_body.h"

enum { CELLS = 16, SIZES = 3, SAMPLES = 41 }; /* cells per radius or half side on the finest grid */

static const double INNER = 0.25, OUTER = 0.5, SIDE = 0.5, ROUND = 1.5; /* m: ball in ball; square in circle */
static const double DENSITY = 500.0, G = 9.81;

/* What a body does in its first step, and how large it is. */
typedef struct First {
  double speed, volume; /* m/s along y; m3 */
} First;

/* A body's own off-centre place in the grid: faces along the grid's planes are a case of their own. */
static vlVec3 middle(vlVec3 size, double dx, bool slab)
{
  return vl_vec(0.5 * size.x + 0.31 * dx, 0.5 * size.y + 0.23 * dx, slab ? 0.0 : 0.5 * size.z + 0.17 * dx);
}

static vlScene still_scene(vlVec3 size, double dx, bool slab)
{
  vlScene scene;
  vl_scene_default(&scene);
  scene.grid.size = size;
  scene.grid.cells = 0;
  scene.grid.dx = dx;
  scene.grid.slab = slab;
  scene.liquid.has_level = true;
  scene.liquid.level = size.y;
  scene.liquid.transfer = VL_TRANSFER_STILL;
  scene.time.dt_fixed = 1e-3;
  scene.pressure.tolerance = 1e-9;
  return scene;
}

static First first_step(const Report *report, const vlScene *scene)
{
  vlStatus status = {0};
  vlSim *sim = NULL;
  First first = {0};
  vlCode code = vl_sim_create(&sim, scene, (vlSimOptions){0}, &status);
  if (!code) {
    first.volume = vl_body_measure(vl_sharp(sim)->state.bodies.body[0], scene->gravity).volume;
    code = vl_sim_step(sim, scene->time.dt_fixed, NULL, &status);
  }
  if (code) report_stop(report, "first step", status.message);
  first.speed = vl_rigid_velocity(vl_rigid_of(vl_sharp(sim)->state.bodies.body[0])).y;
  vl_sim_destroy(&sim);
  return first;
}

static vlBodyDef rigid_body(vlBodyShape shape, vlVec3 center)
{
  vlBodyDef body = vl_body_default();
  body.kind = VL_BODY_RIGID;
  body.shape = shape;
  body.center = center;
  body.density = DENSITY;
  return body;
}

/* Added mass over rho V, by a blow; *release: acceleration over g of the same body let go. */
static double ball_in_ball(const Report *report, int cells, double *theory, double *release, double *release_theory)
{
  double dx = INNER / cells;
  vlVec3 size = vl_vec(2 * OUTER + 4 * dx, 2 * OUTER + 4 * dx, 2 * OUTER + 4 * dx);
  vlScene scene = still_scene(size, dx, false);
  vlSolidDef tank = {.shape = vl_shape_default(VL_SHAPE_SPHERE), .container = true};
  tank.shape.radius = OUTER;
  tank.shape.center = middle(size, dx, false);
  vlBodyDef ball = rigid_body(VL_BODY_SPHERE, tank.shape.center);
  ball.solid.radius = INNER;
  scene.solids = &tank;
  scene.solid_count = 1;
  scene.bodies = &ball;
  scene.body_count = 1;
  First fall = first_step(report, &scene);
  ball.velocity = vl_vec(0, 1, 0);
  scene.gravity = vl_vec(0, 0, 0);
  First blow = first_step(report, &scene);
  double q = blow.volume / (4.0 / 3.0 * VL_PI * OUTER * OUTER * OUTER), r = DENSITY / scene.liquid.density;
  *theory = 0.5 * (1.0 + 2.0 * q) / (1.0 - q);
  *release = fall.speed / (scene.time.dt_fixed * G);
  *release_theory = (1.0 - r) / (r + *theory);
  return r * (1.0 / blow.speed - 1.0);
}

static double square_in_circle(const Report *report, int cells, double *theory)
{
  double dx = 0.5 * SIDE / cells, c = SIDE * pow(tgamma(0.25), 2) / (4.0 * pow(VL_PI, 1.5)), c2 = c * c;
  vlVec3 size = vl_vec(2 * ROUND + 4 * dx, 2 * ROUND + 4 * dx, dx);
  vlScene scene = still_scene(size, dx, true);
  vlSolidDef tank = {.shape = vl_shape_default(VL_SHAPE_CYLINDER), .container = true};
  tank.shape.radius = ROUND;
  tank.shape.height = 1.0;
  tank.shape.rotation = (vlMat3){{{1, 0, 0}, {0, 0, -1}, {0, 1, 0}}}; /* its axis along z */
  tank.shape.center = middle(size, dx, true);
  vlBodyDef block = rigid_body(VL_BODY_BOX, tank.shape.center);
  block.size = vl_vec(SIDE, SIDE, 1);
  block.velocity = vl_vec(0, 1, 0);
  scene.gravity = vl_vec(0, 0, 0);
  scene.solids = &tank;
  scene.solid_count = 1;
  scene.bodies = &block;
  scene.body_count = 1;
  First blow = first_step(report, &scene);
  *theory = 2.0 * VL_PI * (c2 + c2 * c2 / (ROUND * ROUND - c2)) / (SIDE * SIDE) - 1.0;
  return DENSITY / scene.liquid.density * (1.0 / blow.speed - 1.0);
}

/* Cube in a box six times as wide. */
static double cube_in_box(const Report *report, int cells)
{
  double dx = 0.5 * SIDE / cells, width = 6 * SIDE;
  vlVec3 size = vl_vec(width, width, width);
  vlScene scene = still_scene(size, dx, false);
  vlBodyDef block = rigid_body(VL_BODY_BOX, middle(size, dx, false));
  block.size = vl_vec(SIDE, SIDE, SIDE);
  block.velocity = vl_vec(0, 1, 0);
  scene.gravity = vl_vec(0, 0, 0);
  scene.bodies = &block;
  scene.body_count = 1;
  return DENSITY / scene.liquid.density * (1.0 / first_step(report, &scene).speed - 1.0);
}

typedef struct Rise {
  double s[SAMPLES], v[SAMPLES], theory[SAMPLES]; /* m; m/s */
  double dt;
} Rise;

/* A ball let go in a closed box six radii wide, full of water, until it has risen by its radius; mass: added, over rho V. */
static void rise(const Report *report, int cells, Rise *r)
{
  double dx = INNER / cells, width = 6 * INNER;
  vlVec3 size = vl_vec(width, width, width);
  vlStatus status = {0};
  vlSim *sim = NULL;
  vlScene scene = still_scene(size, dx, false);
  vlBodyDef ball = rigid_body(VL_BODY_SPHERE, vl_sub(middle(size, dx, false), vl_vec(0, 0.5 * INNER, 0)));
  ball.solid.radius = INNER;
  scene.bodies = &ball;
  scene.body_count = 1;
  double ratio = DENSITY / scene.liquid.density, begin = ball.center.y;
  ball.velocity = vl_vec(0, 1, 0); /* the mass it has on its way: by a blow, in the middle of it */
  ball.center.y = begin + 0.5 * INNER;
  scene.gravity = vl_vec(0, 0, 0);
  double mass = ratio / first_step(report, &scene).speed; /* own and added, over rho V */
  ball.velocity = vl_vec(0, 0, 0);
  ball.center.y = begin;
  scene.gravity = vl_vec(0, -G, 0);
  scene.liquid.transfer = VL_TRANSFER_FLIP;
  scene.time.dt_fixed = 0.0;
  scene.pressure.tolerance = 1e-6;
  double a = (1.0 - ratio) * G / mass, end = sqrt(2.0 * INNER / a);
  vlCode code = vl_sim_create(&sim, &scene, (vlSimOptions){0}, &status);
  for (int i = 0; !code && i < SAMPLES; i++) {
    if (i > 0) code = vl_sim_advance(sim, end * i / (SAMPLES - 1), NULL, &status);
    const vlRigid *body = vl_rigid_of(vl_sharp(sim)->state.bodies.body[0]);
    r->s[i] = body->pose.center.y - begin;
    r->v[i] = vl_rigid_velocity(body).y;
    r->theory[i] = sqrt(fmax(0.0, 2.0 * a * r->s[i]));
  }
  if (code) report_stop(report, "rise", status.message);
  r->dt = end / (double)vl_sim_step_count(sim);
  vl_sim_destroy(&sim);
}

int main(int argc, char **argv)
{
  static Rise path;
  Report report = report_begin("rigid", argc, argv);
  int finest = report_cells(argc, argv, CELLS);
  double n[SIZES], ball[SIZES], square[SIZES], release[SIZES], theory, fall_theory;
  char resolution[48];
  report_title("The mass that liquid adds to rigid bodies", "potential flow");
  for (int i = 0; i < SIZES; i++) {
    int cells = finest >> (SIZES - 1 - i);
    double fall, m = ball_in_ball(&report, cells, &theory, &fall, &fall_theory);
    n[i] = cells;
    ball[i] = fabs(m / theory - 1.0);
    release[i] = fabs(fall / fall_theory - 1.0);
    printf("  %2d cells: ball in ball %.4f rho V (%.4f), let go %.4f g (%.4f);", cells, m, theory, fall, fall_theory);
    m = square_in_circle(&report, cells, &theory);
    square[i] = fabs(m / theory - 1.0);
    printf(" square %.4f (%.4f)\n", m, theory);
  }
  snprintf(resolution, sizeof resolution, "%d cells per radius", finest);
  report_resolution(&report, resolution, 0);
  report_at_most(&report, "ball in a ball: added mass, relative error", ball[SIZES - 1], 0.01);
  report_at_least(&report, "order", report_order(ball[0], ball[SIZES - 1], n[SIZES - 1] / n[0]), 1.7);
  report_at_most(&report, "ball in a ball, let go: acceleration, relative error", release[SIZES - 1], 0.01);
  report_at_most(&report, "square in a circle: added mass, relative error", square[SIZES - 1], 0.01);
  report_at_least(&report, "order", report_order(square[0], square[SIZES - 1], n[SIZES - 1] / n[0]), 1.2);
  snprintf(resolution, sizeof resolution, "%d cells per radius", finest / 2);
  report_resolution(&report, resolution, 0);
  double coarse = cube_in_box(&report, finest / 4), fine = cube_in_box(&report, finest / 2),
         limit = fine + (fine - coarse) / (pow(2.0, 4.0 / 3.0) - 1.0);
  printf("  cube in a wide box %.4f and %.4f rho V, at order 4/3 on the way to %.4f\n", coarse, fine, limit);
  report_at_least(&report, "cube: added mass over rho V, extrapolated", limit, 0.64);
  report_at_most(&report, "cube: added mass over rho V, extrapolated", limit, 0.70);
  rise(&report, finest / 2, &path);
  report_resolution(&report, resolution, path.dt);
  report_at_most(&report, "ball risen by its radius: speed against a loss-free one, relative",
                 fabs(path.v[SAMPLES - 1] / path.theory[SAMPLES - 1] - 1.0), 0.05);
  Plot panels[2] = {{.title = "Added mass",
                     .x_label = "cells per radius or half side",
                     .y_label = "relative error",
                     .log_x = true,
                     .log_y = true},
                    {.title = "A ball let go in a full box", .x_label = "risen, m", .y_label = "speed, m/s"}};
  plot_add(&panels[0], (PlotSeries){n, ball, SIZES, "ball in a ball: by a blow", .color = 0, .dots = true});
  plot_add(&panels[0], (PlotSeries){n, release, SIZES, "ball in a ball: let go", .color = 1, .dots = true});
  plot_add(&panels[0], (PlotSeries){n, square, SIZES, "square in a circle", .color = 2, .dots = true});
  plot_add(&panels[1], (PlotSeries){path.s, path.v, SAMPLES, "simulated", .color = 0});
  plot_add(&panels[1], (PlotSeries){path.s, path.theory, SAMPLES, "potential flow", .color = 6, .dashed = true});
  report_plot(&report, panels, 2);
  return report_end(&report);
}
