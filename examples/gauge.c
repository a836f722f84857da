/* A wave that sloshes in a tank: a scene made by the program alone, and a gauge at the wall as a table.
 *
 *   gauge                            prints time and height of the water at the left wall
 * Water of depth h in a tank of length L swings with the period 2 pi / sqrt(g k tanh(k h)), k = pi / L: 1.40 s here. */
#include <stdio.h>
#include <velella/velella.h>

static const double LENGTH = 1.0, DEPTH = 0.25, SLOPE = 0.08; /* m, m, and of the surface at the start */

/* A slab of 48 by 24 cells; the water begins with a surface that is inclined. */
static vlCode make_scene(vlScene *scene, vlStatus *status)
{
  vl_scene_default(scene);
  scene->grid.size = (vlVec3){{LENGTH, 0.5, 0}};
  scene->grid.slab = true;
  scene->grid.cells = 48;

  vlShape water = vl_shape_default(VL_SHAPE_HALFSPACE);
  water.center = (vlVec3){{0.5 * LENGTH, DEPTH, 0}};
  water.normal = (vlVec3){{SLOPE, 1, 0}};
  vlCode code = vl_scene_add_liquid(scene, &water, status);

  /* a sill on the floor, too low to change much */
  vlSolidDef sill = {.name = "sill", .shape = vl_shape_default(VL_SHAPE_CYLINDER)};
  sill.shape.center = (vlVec3){{0.5 * LENGTH, 0, 0}};
  sill.shape.rotation = (vlMat3){{{1, 0, 0}, {0, 0, -1}, {0, 1, 0}}}; /* its axis along z */
  sill.shape.radius = 0.03;
  sill.shape.height = 1.0;
  return code ? code : vl_scene_add_solid(scene, &sill, status);
}

int main(void)
{
  vlScene scene;
  vlStatus status;
  vlSim *sim = NULL;
  vlCode code = make_scene(&scene, &status);
  if (!code) code = vl_sim_create(&sim, &scene, (vlSimOptions){.threads = 1}, &status);

  const vlProbeDef gauge = {.kind = VL_PROBE_HEIGHT, .position = {{0.01, 0, 0}}};
  printf("time [s],height [m]\n");
  for (int i = 0; !code && i <= 64; i++) {
    double height[3];
    code = vl_sim_advance(sim, 0.025 * i, NULL, &status);
    if (!code && vl_sim_probe(sim, &gauge, height) == 1) printf("%.3f,%.5f\n", vl_sim_time(sim), height[0]);
  }
  if (code) fprintf(stderr, "gauge: %s\n", status.message);
  vl_sim_destroy(&sim);
  vl_scene_clear(&scene);
  return code;
}
