/* Water at rest in containers that fit no grid: a cube turned about two axes, a sphere, a cone, each half full.
 * Exact: u = 0, and the pressure on the walls carries the weight. The discrete weight W = rho g sum over y-faces of A_f d_f
 * must be carried to the solver's accuracy at every resolution, and W itself must tend to the exact weight at second order.
 */
#include <stdlib.h>

#include "base/vec.h"
#include "report.h"
#include "velella/velella.h"

enum { STEPS = 200, SIZES = 4, PLACES = 12 };

static const int cells[SIZES] = {16, 32, 64, 128};
static const vlVec3 middle = {.v = {0.507, 0.4913, 0.5031}};

typedef struct Case {
  const char *name;
  vlShape shape;
  double volume; /* m3 of water */
  double depth;  /* m */
} Case;

typedef struct Result {
  double speed, force_error, weight_error;
} Result;

/* The tank moved by a fraction of a cell, differently along each axis. */
static vlVec3 place(int index, int n)
{
  double t = (double)index / PLACES, dx = 1.0 / n;
  return vl_add(middle, vl_vec(dx * fmod(3 * t, 1.0), dx * t, dx * fmod(5 * t + 0.3, 1.0)));
}

static vlScene make_scene(const Case *c, vlSolidDef *tank, int n, vlVec3 center)
{
  vlScene scene;
  vl_scene_default(&scene);
  scene.size = vl_vec(1, 1, 1);
  scene.cells = n;
  scene.liquid.has_level = true;
  scene.liquid.level = center.y;
  scene.tolerance = 1e-10;
  scene.dt_fixed = 1.0 / 30.0;
  *tank = (vlSolidDef){.name = "tank", .shape = c->shape, .container = true};
  tank->shape.center = center;
  scene.solids = tank;
  scene.solid_count = 1;
  return scene;
}

/* `speed` is the largest over all steps. */
static Result run(const Case *c, int n, vlVec3 center, int steps)
{
  vlSolidDef tank;
  vlScene scene = make_scene(c, &tank, n, center);
  vlStatus status = {0};
  vlSim *sim = NULL;
  vlStepInfo info = {0};
  Result result = {0};
  vlCode code = vl_sim_create(&sim, &scene, (vlSimOptions){0}, &status);
  for (int step = 0; step < steps && !code; step++) {
    code = vl_sim_step(sim, 1.0, &info, &status);
    result.speed = fmax(result.speed, info.max_speed);
  }
  if (code) {
    fprintf(stderr, "%s at %d cells: %s\n", c->name, n, status.message);
    exit(1);
  }
  double exact = scene.liquid.density * 9.81 * c->volume;
  result.speed /= sqrt(9.81 * c->depth);
  result.force_error = vl_norm(vl_sub(info.wall_force, info.weight)) / exact;
  result.weight_error = fabs(fabs(info.weight.y) - exact) / exact;
  vl_sim_destroy(&sim);
  return result;
}

static Result run_all_places(const Case *c, int n)
{
  Result result = run(c, n, place(0, n), STEPS);
  double sum = result.weight_error * result.weight_error;
  for (int p = 1; p < PLACES; p++) sum += pow(run(c, n, place(p, n), 1).weight_error, 2);
  result.weight_error = sqrt(sum / PLACES);
  return result;
}

static void validate(Report *report, const Case *c)
{
  char line[80];
  Result result[SIZES];
  report_title(c->name, "hydrostatics: u = 0, wall force = weight");
  printf("  %8s %16s %16s %16s %8s\n", "cells", "speed/sqrt(gH)", "force error", "weight error", "order");
  for (int s = 0; s < SIZES; s++) {
    result[s] = run_all_places(c, cells[s]);
    printf("  %8d %16.3e %16.3e %16.3e", cells[s], result[s].speed, result[s].force_error, result[s].weight_error);
    if (s > 0)
      printf(" %8.2f\n", report_order(result[s - 1].weight_error, result[s].weight_error, 2.0));
    else
      printf("\n");
  }
  for (int s = 0; s < SIZES; s++) {
    snprintf(line, sizeof line, "%d cells: largest speed over sqrt(gH) in %d steps", cells[s], STEPS);
    report_at_most(report, line, result[s].speed, 1e-8);
    snprintf(line, sizeof line, "%d cells: |wall force - W| over the weight", cells[s]);
    report_at_most(report, line, result[s].force_error, 1e-6);
  }
  report_at_least(report, "order at which W tends to the weight, 16 to 128 cells",
                  report_order(result[0].weight_error, result[SIZES - 1].weight_error, 8.0), 1.8);
}

int main(void)
{
  Report report = {0};
  vlMat3 turn = vl_mat_multiply(vl_mat_rotation(VL_X, 31.0 * VL_PI / 180.0), vl_mat_rotation(VL_Z, 17.0 * VL_PI / 180.0)),
         upright = vl_mat_identity();
  const Case cases[] = {
      {"cube, side 0.6 m, turned 17 degrees about z then 31 about x",
       {.kind = VL_SHAPE_BOX, .center = middle, .rotation = turn, .size = vl_vec(0.6, 0.6, 0.6), .scale = 1.0},
       0.5 * 0.6 * 0.6 * 0.6,
       0.45},
      {"sphere, radius 0.37 m",
       {.kind = VL_SHAPE_SPHERE, .center = middle, .rotation = upright, .radius = 0.37, .scale = 1.0},
       2.0 / 3.0 * VL_PI * pow(0.37, 3),
       0.37},
      {"cone, tip down, radius 0.4 m, height 0.7 m",
       {.kind = VL_SHAPE_CONE,
        .center = middle,
        .rotation = upright,
        .radius = 0.0,
        .radius_top = 0.4,
        .height = 0.7,
        .scale = 1.0},
       VL_PI / 3.0 * 0.2 * 0.2 * 0.35,
       0.35},
  };
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) validate(&report, &cases[c]);
  return report_end(&report);
}
