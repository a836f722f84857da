/* Scenes with moving liquid, and steps that must succeed. */
#ifndef VL_TESTS_MOVING_H
#define VL_TESTS_MOVING_H

#include "base/vec.h"
#include "engine/sharp/sharp.h"

static inline vlShape make_shape(vlShapeKind kind, vlVec3 center)
{
  return (vlShape){.kind = kind, .center = center, .rotation = vl_mat_identity(), .scale = {{1, 1, 1}}};
}

/* A box of a cubic metre, checked in every step; z = 0 lies in the middle of a slab. */
static inline vlScene moving_scene(int cells)
{
  vlScene scene;
  vl_scene_default(&scene);
  scene.grid.size = vl_vec(1, 1, 1);
  scene.grid.cells = cells;
  scene.grid.dx = 0.0;
  scene.check_level = 1;
  return scene;
}

static inline vlSim *start(vlScene *scene, int threads)
{
  vlStatus status = {0};
  vlSim *sim = NULL;
  if (scene->grid.slab) {
    scene->grid.size.z = scene->grid.size.x / scene->grid.cells;
    scene->grid.origin.z = -0.5 * scene->grid.size.z;
  }
  if (vl_sim_create(&sim, scene, (vlSimOptions){.threads = threads}, &status)) fail_msg("%s", status.message);
  return sim;
}

static inline vlStepInfo one_step(vlSim *sim, double limit)
{
  vlStatus status = {0};
  vlStepInfo info = {0};
  if (vl_sim_step(sim, limit, &info, &status)) fail_msg("%s", status.message);
  return info;
}

/* Steps that end at the time given; the last one's report. */
static inline vlStepInfo advance_to(vlSim *sim, double time)
{
  vlStepInfo info = {0};
  while (vl_sim_time(sim) < time - 1e-9) info = one_step(sim, time - vl_sim_time(sim));
  return info;
}

#endif
