/* Containers that fit no grid, each half full of water: a cube turned about two axes, a sphere, a cone.
 * Exact: u = 0, and the pressure on the walls carries the weight. The discrete weight W = rho g sum over y-faces of A_f d_f
 * must be carried to the solver's accuracy at every resolution, and W itself must tend to the exact weight at second order;
 * where the container lies in its cells changes W, so errors are taken over several places. Used by validate_rest.c and
 * tests/test_rest_order.c. */
#ifndef VL_VALIDATE_REST_CASES_H
#define VL_VALIDATE_REST_CASES_H

#include "base/vec.h"
#include "velella/velella.h"

enum { REST_CASES = 3, REST_PLACES = 12 };

static const vlVec3 rest_middle = {.v = {0.507, 0.4913, 0.5031}};

typedef struct RestCase {
  const char *name;
  vlShape shape;
  double volume; /* m3 of water */
  double depth;  /* m */
} RestCase;

typedef struct RestResult {
  double speed, force_error, weight_error;
} RestResult;

/* The tank moved by a fraction of a cell, differently along each axis. */
static inline vlVec3 rest_place(int index, int n)
{
  double t = (double)index / REST_PLACES, dx = 1.0 / n;
  return vl_add(rest_middle, vl_vec(dx * fmod(3 * t, 1.0), dx * t, dx * fmod(5 * t + 0.3, 1.0)));
}

static inline vlScene rest_scene(const RestCase *c, vlSolidDef *tank, int n, vlVec3 center)
{
  vlScene scene;
  vl_scene_default(&scene);
  scene.liquid.transfer = VL_TRANSFER_STILL;
  scene.grid.size = vl_vec(1, 1, 1);
  scene.grid.cells = n;
  scene.liquid.has_level = true;
  scene.liquid.level = center.y;
  scene.pressure.tolerance = 1e-10;
  scene.time.dt_fixed = 1.0 / 30.0;
  *tank = (vlSolidDef){.name = "tank", .shape = c->shape, .container = true};
  tank->shape.center = center;
  scene.solids = tank;
  scene.solid_count = 1;
  return scene;
}

/* `speed` is the largest over all steps. */
static inline vlCode rest_run(const RestCase *c, int n, vlVec3 center, int steps, RestResult *result, vlStatus *status)
{
  vlSolidDef tank;
  vlScene scene = rest_scene(c, &tank, n, center);
  vlSim *sim = NULL;
  vlStepInfo info = {0};
  *result = (RestResult){0};
  vlCode code = vl_sim_create(&sim, &scene, (vlSimOptions){0}, status);
  for (int step = 0; step < steps && !code; step++) {
    code = vl_sim_step(sim, 1.0, &info, status);
    result->speed = fmax(result->speed, info.max_speed);
  }
  double exact = scene.liquid.density * 9.81 * c->volume;
  result->speed /= sqrt(9.81 * c->depth);
  result->force_error = vl_norm(vl_sub(info.wall_force, info.weight)) / exact;
  result->weight_error = fabs(fabs(info.weight.y) - exact) / exact;
  vl_sim_destroy(&sim);
  return code;
}

/* Root mean square over all places of the error of W, after one step each. */
static inline vlCode rest_weight_error(const RestCase *c, int n, double *error, vlStatus *status)
{
  double sum = 0.0;
  for (int p = 0; p < REST_PLACES; p++) {
    RestResult result;
    vlCode code = rest_run(c, n, rest_place(p, n), 1, &result, status);
    if (code) return code;
    sum += result.weight_error * result.weight_error;
  }
  *error = sqrt(sum / REST_PLACES);
  return VL_OK;
}

static inline RestCase rest_case(int index)
{
  vlMat3 turn = vl_mat_multiply(vl_mat_rotation(VL_X, 31.0 * VL_PI / 180.0), vl_mat_rotation(VL_Z, 17.0 * VL_PI / 180.0)),
         upright = vl_mat_identity();
  const RestCase cases[REST_CASES] = {
      {"cube, side 0.6 m, turned 17 degrees about z then 31 about x",
       {.kind = VL_SHAPE_BOX, .center = rest_middle, .rotation = turn, .size = vl_vec(0.6, 0.6, 0.6), .scale = {{1, 1, 1}}},
       0.5 * 0.6 * 0.6 * 0.6,
       0.45},
      {"sphere, radius 0.37 m",
       {.kind = VL_SHAPE_SPHERE, .center = rest_middle, .rotation = upright, .radius = 0.37, .scale = {{1, 1, 1}}},
       2.0 / 3.0 * VL_PI * pow(0.37, 3),
       0.37},
      {"cone, tip down, radius 0.4 m, height 0.7 m",
       {.kind = VL_SHAPE_CONE,
        .center = rest_middle,
        .rotation = upright,
        .radius = 0.0,
        .radius_top = 0.4,
        .height = 0.7,
        .scale = {{1, 1, 1}}},
       VL_PI / 3.0 * 0.2 * 0.2 * 0.35,
       0.35},
  };
  return cases[index];
}

#endif
