/* Liquid that a program adds to a simulation and takes from it between two steps (velella.h): the shape as the program has
 * it, completed and checked like one of a scene; then it is the engine's. Nothing is written down of it: what is there
 * afterwards is the simulation's state. */
#include <string.h>

#include "base/status.h"
#include "engine/engine.h"
#include "scene/scene.h"

/* A shape of the program's in the simulation's box, ready to be asked. */
static vlCode make_shape(vlSdf **sdf, const vlSim *sim, const char *call, const vlShape *shape, vlStatus *status)
{
  vlScene scene;
  vl_scene_default(&scene);
  scene.grid = sim->scene->grid;
  *sdf = NULL;
  vlCode code = vl_scene_add_liquid(&scene, shape, status);
  if (!code) code = vl_scene_complete(&scene, status);
  if (!code) code = vl_sdf_create(sdf, &scene.liquid.shapes[0], status);
  vl_scene_clear(&scene);
  code = vl_control_tell(code, "liquid.shapes[0].", status);
  if (code) vl_status_prefix(status, "%s: shape: ", call);
  return code;
}

static vlCode check_moves(const vlSim *sim, const char *call, vlStatus *status)
{
  if (sim->scene->liquid.transfer != VL_TRANSFER_STILL) return VL_OK;
  return vl_fail(status, VL_ERROR_USAGE, "%s: the liquid of this scene does not move (liquid.transfer: still)", call);
}

vlCode vl_sim_add_liquid(vlSim *sim, const vlShape *shape, vlVec3 velocity, int64_t *added, vlStatus *status)
{
  vlSdf *sdf = NULL;
  int64_t count = 0;
  vlCode code = vl_control_check_finite("vl_sim_add_liquid", velocity, status);
  if (!code) code = check_moves(sim, "vl_sim_add_liquid", status);
  int before = vl_sim_enter(sim);
  if (!code) code = make_shape(&sdf, sim, "vl_sim_add_liquid", shape, status);
  if (!code) code = sim->engine->add_liquid(sim, sdf, velocity, &count, status);
  vl_sim_leave(before);
  vl_sdf_destroy(&sdf);
  if (added) *added = count;
  return code;
}

vlCode vl_sim_remove_liquid(vlSim *sim, const vlShape *shape, int64_t *removed, vlStatus *status)
{
  vlSdf *sdf = NULL;
  int64_t count = 0;
  vlCode code = check_moves(sim, "vl_sim_remove_liquid", status);
  int before = vl_sim_enter(sim);
  if (!code) code = make_shape(&sdf, sim, "vl_sim_remove_liquid", shape, status);
  if (!code) code = sim->engine->remove_liquid(sim, sdf, &count, status);
  vl_sim_leave(before);
  vl_sdf_destroy(&sdf);
  if (removed) *removed = count;
  return code;
}
