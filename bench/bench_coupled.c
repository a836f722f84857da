/* Iterations of the coupled solve where bodies weigh little against the water they move: a thin plate across a pool,
 * water sealed in an elastic box, a block in a tank without air. To 1e-10, from rest, steps of 1/120 s; the first solve of
 * the third step counts. Modes in which a body is lighter than its water are what multigrid on the liquid alone does not
 * know of, so CG has to find them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/timer.h"
#include "base/vec.h"
#include "engine/sharp/sharp.h"
#include "mesh/tetmesh.h"

static vlScene still_water(int cells)
{
  vlScene scene;
  vl_scene_default(&scene);
  scene.grid.size = vl_vec(1, 1, 1);
  scene.grid.cells = cells;
  scene.grid.dx = 0.0;
  scene.pressure.tolerance = 1e-10;
  scene.pressure.max_iterations = 1000;
  scene.time.dt_fixed = 1.0 / 120.0;
  scene.liquid.transfer = VL_TRANSFER_STILL;
  return scene;
}

/* The third step's first solve: what follows it, for the volume of sealed liquid, starts from its result. */
static void measure(const vlScene *scene, const char *name)
{
  vlStatus status = {0};
  vlSim *sim = NULL;
  vlStepInfo info = {0};
  vlPressureSolve result = {0};
  double seconds = 0.0;
  vlCode code = vl_sim_create(&sim, scene, (vlSimOptions){.threads = 1}, &status);
  for (int step = 0; step < 2 && !code; step++) code = vl_sim_step(sim, 1.0, &info, &status);
  if (!code) code = vl_sharp_prepare(vl_sharp(sim), scene->time.dt_fixed, &status);
  if (!code) {
    vlSolveOptions options = {.tolerance = scene->pressure.tolerance, .max_iterations = scene->pressure.max_iterations};
    vl_pressure_rhs_bodies(vl_sharp(sim)->work.pressure);
    double start = vl_seconds();
    code = vl_pressure_solve(vl_sharp(sim)->work.pressure, scene->pressure.solver, options, &result, &status);
    seconds = vl_seconds() - start;
  }
  if (code)
    printf("%-44s %s\n", name, status.message);
  else
    printf("%-44s %8lld %7d %10d %9.3f s\n", name, (long long)info.liquid_cells, vl_sim_body(sim, 0).node_count,
           result.info.iterations, seconds);
  vl_sim_destroy(&sim);
}

/* 34 x 34 cuboids of 0.7 m, 32 mm thick, held along its rim, 20 cm below the surface. */
static void plate(double density, double young)
{
  vlScene scene = still_water(64);
  scene.liquid.has_level = true;
  scene.liquid.level = 0.5;
  vlShape parts[2] = {vl_shape_default(VL_SHAPE_BOX), vl_shape_default(VL_SHAPE_BOX)};
  vlPinDef rim = vl_pin_default(VL_SHAPE_DIFFERENCE);
  parts[0].size = vl_vec(4, 4, 4);
  parts[1].center = vl_vec(0.5, 0.3, 0.5);
  parts[1].size = vl_vec(0.69, 1, 0.69);
  rim.region.parts = parts;
  rim.region.part_count = 2;
  vlBodyDef body = vl_body_default();
  body.center = vl_vec(0.5, 0.3, 0.5);
  body.size = vl_vec(0.7, 0.032, 0.7);
  body.cells[0] = body.cells[2] = 34;
  body.density = density;
  body.young = young;
  body.mass_damping = body.stiffness_damping = 0.0;
  body.pins = &rim;
  body.pin_count = 1;
  scene.bodies = &body;
  scene.body_count = 1;
  char name[96];
  snprintf(name, sizeof name, "thin plate, density %g, E %g", density, young);
  measure(&scene, name);
}

/* A box of 0.5 m of 10 x 10 x 10 cuboids without the inner 8 x 8 x 8, full of water, in air. */
static void sealed(double density, double young)
{
  vlStatus status = {0};
  vlScene scene = still_water(40);
  vlTetMesh mesh;
  vlShape water = vl_shape_default(VL_SHAPE_BOX);
  water.center = vl_vec(0.5, 0.5, 0.5);
  water.size = vl_vec(0.45, 0.45, 0.45);
  if (vl_tetmesh_box(&mesh, (vlBox3){vl_vec(0.25, 0.25, 0.25), vl_vec(0.75, 0.75, 0.75)}, (const int[]){10, 10, 10},
                     &status))
    return;
  vlBodyDef body = vl_body_default();
  body.shape = VL_BODY_MESH;
  body.nodes = malloc((size_t)mesh.node_count * sizeof *body.nodes);
  body.tets = malloc((size_t)mesh.tet_count * sizeof *body.tets);
  int *number = malloc((size_t)mesh.node_count * sizeof *number);
  if (!body.nodes || !body.tets || !number) return;
  for (int i = 0; i < mesh.node_count; i++) number[i] = -1;
  for (int t = 0; t < mesh.tet_count; t++) {
    vlVec3 middle = vl_vec(0, 0, 0);
    for (int k = 0; k < 4; k++) middle = vl_axpy(middle, 0.25, mesh.node[mesh.tet[t][k]]);
    bool inner = true;
    for (int a = 0; a < 3; a++) inner = inner && middle.v[a] > 0.3 && middle.v[a] < 0.7;
    if (inner) continue;
    for (int k = 0; k < 4; k++) {
      int *to = &number[mesh.tet[t][k]];
      if (*to < 0) {
        body.nodes[body.node_count] = mesh.node[mesh.tet[t][k]];
        *to = body.node_count++;
      }
      body.tets[body.tet_count][k] = *to;
    }
    body.tet_count++;
  }
  body.density = density;
  body.young = young;
  body.mass_damping = body.stiffness_damping = 0.0;
  scene.liquid.shapes = &water;
  scene.liquid.shape_count = 1;
  scene.bodies = &body;
  scene.body_count = 1;
  char name[96];
  snprintf(name, sizeof name, "water sealed in a box, density %g, E %g", density, young);
  measure(&scene, name);
  free(number);
  free(body.nodes);
  free(body.tets);
  vl_tetmesh_clear(&mesh);
}

/* A tank without air, full of water, and a soft block in the middle. */
static void tank(double density, double young)
{
  vlScene scene = still_water(40);
  scene.liquid.has_level = true;
  scene.liquid.level = 2.0;
  vlBodyDef body = vl_body_default();
  body.center = vl_vec(0.5, 0.5, 0.5);
  body.size = vl_vec(0.4, 0.3, 0.4);
  for (int a = 0; a < 3; a++) body.cells[a] = 8;
  body.density = density;
  body.young = young;
  body.mass_damping = body.stiffness_damping = 0.0;
  scene.bodies = &body;
  scene.body_count = 1;
  char name[96];
  snprintf(name, sizeof name, "block in a sealed tank, density %g, E %g", density, young);
  measure(&scene, name);
}

int main(void)
{
  printf("%-44s %8s %7s %10s %9s\n", "light bodies, one thread, to 1e-10", "cells", "nodes", "iterations", "solve");
  plate(1000, 1e4);
  plate(100, 1e4);
  plate(100, 5e4);
  sealed(1000, 1e5);
  sealed(300, 1e5);
  sealed(100, 1e6);
  sealed(100, 1e4); /* softer than the water's weight leaves any shape */
  tank(1000, 1e5);
  tank(100, 1e4);
  return 0;
}
