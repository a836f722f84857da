/* What a program makes bodies of while a simulation runs (velella.h). It is checked by the keys of the scene, and written
 * down once a body is made of something else than the scene has it; restoring without that, or with other bodies, leaves all
 * as the scene has it. */
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "engine/engine.h"
#include "scene/scene.h"

static const char *const MATERIALS = "control_materials";

vlBodyMaterial vl_sim_material(const vlSim *sim, int index)
{
  const vlBodySet *bodies = sim->engine->bodies(sim);
  return index >= 0 && index < bodies->count ? bodies->body[index]->material : (vlBodyMaterial){0};
}

static bool differ(vlBodyMaterial a, vlBodyMaterial b)
{
  return a.density != b.density || a.young != b.young || a.poisson != b.poisson || a.mass_damping != b.mass_damping ||
         a.stiffness_damping != b.stiffness_damping;
}

/* As that of a body of a scene. */
static vlCode check_numbers(vlBodyMaterial m, vlStatus *status)
{
  vlScene scene;
  vlBodyDef def = vl_body_default();
  vl_scene_default(&scene);
  def.size = (vlVec3){{1, 1, 1}};
  def.density = m.density;
  def.young = m.young;
  def.poisson = m.poisson;
  def.mass_damping = m.mass_damping;
  def.stiffness_damping = m.stiffness_damping;
  vlCode code = vl_scene_add_body(&scene, &def, status);
  if (!code) code = vl_scene_complete(&scene, status);
  vl_scene_clear(&scene);
  return vl_control_tell(code, "bodies[0].", status);
}

vlCode vl_sim_set_material(vlSim *sim, int index, vlBodyMaterial material, vlStatus *status)
{
  vlCode code = vl_control_check_body(sim, "vl_sim_set_material", index, status);
  if (code) return code;
  vlBody *body = sim->engine->bodies(sim)->body[index];
  if (!body->type->make)
    return vl_fail(status, VL_ERROR_USAGE, "vl_sim_set_material: body '%.63s' is %s: what it is made of moves nothing",
                   body->def->name, body->type->name);
  code = check_numbers(material, status);
  if (code) vl_status_prefix(status, "vl_sim_set_material: body '%.63s': ", body->def->name);
  if (!code) vl_body_make(body, material);
  return code;
}

static vlCode restore(const vlBodySet *bodies, vlVisitor *v, vlStatus *status)
{
  size_t count = 0;
  const vlBodyMaterial *found = v->find(v->data, MATERIALS, sizeof *found, &count);
  if (count != (size_t)bodies->count) found = NULL;
  for (int b = 0; b < bodies->count; b++) {
    vlBody *body = bodies->body[b];
    vlBodyMaterial wanted = found && body->type->make ? found[b] : body->first_material;
    if (!differ(wanted, body->material)) continue;
    vlCode code = check_numbers(wanted, status);
    if (code) vl_status_prefix(status, "'%s': body '%.63s': ", MATERIALS, body->def->name);
    if (code && status) status->code = VL_ERROR_FILE;
    if (code) return VL_ERROR_FILE;
    vl_body_make(body, wanted);
  }
  return VL_OK;
}

vlCode vl_material_visit(vlSim *sim, vlVisitor *v, vlStatus *status)
{
  const vlBodySet *bodies = sim->engine->bodies(sim);
  bool made = false;
  if (v->restoring) return restore(bodies, v, status);
  for (int b = 0; b < bodies->count; b++) made = made || differ(bodies->body[b]->material, bodies->body[b]->first_material);
  if (!made) return VL_OK;
  vlBodyMaterial *all = calloc((size_t)bodies->count, sizeof *all);
  if (!all) return vl_fail_memory(status, (size_t)bodies->count * sizeof *all, "what bodies are made of");
  for (int b = 0; b < bodies->count; b++) all[b] = bodies->body[b]->material;
  vlCode code = v->array(v->data, MATERIALS, all, sizeof *all, (size_t)bodies->count, status);
  free(all);
  return code;
}
