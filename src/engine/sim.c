/* Simulations, whatever computes them: the engines' table, and the calls of velella.h handed on to the one that a scene
 * names. Calls with loops of their own run with the simulation's own number of threads. */
#include <math.h>
#include <omp.h>
#include <stdlib.h>

#include "base/status.h"
#include "base/vec.h"
#include "engine/engine.h"
#include "scene/scene.h"

enum { MOST_THREADS = 1024 }; /* OpenMP ends the process when it is asked for more than the machine can start */

static const vlEngine *const engines[VL_ENGINE_KIND_COUNT] = {
    [VL_ENGINE_SHARP] = &vl_engine_sharp,
    [VL_ENGINE_IMMERSED] = &vl_engine_immersed,
};

const char *vl_version(void) { return VELELLA_VERSION; }

const char *vl_stage_name(vlStageKind stage)
{
  static const char *const names[VL_STAGE_COUNT] = {
      [VL_STAGE_FORCES] = "forces",     [VL_STAGE_SETUP] = "pressure_setup", [VL_STAGE_SOLVE] = "pressure_solve",
      [VL_STAGE_VELOCITY] = "velocity", [VL_STAGE_MEASURE] = "measure",      [VL_STAGE_BODIES] = "bodies",
      [VL_STAGE_MOTION] = "motion",     [VL_STAGE_TRANSFER] = "transfer",    [VL_STAGE_LEVEL_SET] = "level_set",
  };
  return names[stage];
}

int vl_sim_enter(const vlSim *sim)
{
  int before = omp_get_max_threads();
  omp_set_num_threads(sim->threads);
  return before;
}

void vl_sim_leave(int before) { omp_set_num_threads(before); }

static vlCode build(vlSim *sim, vlStatus *status)
{
  vlCode code = vl_scene_complete(sim->scene, status);
  if (!code) code = vl_control_create(sim, status);
  return code ? code : sim->engine->create(sim, status);
}

vlCode vl_sim_create(vlSim **sim, const vlScene *scene, vlSimOptions options, vlStatus *status)
{
  *sim = NULL;
  if ((int)scene->engine < 0 || scene->engine >= VL_ENGINE_KIND_COUNT)
    return vl_fail(status, VL_ERROR_SCENE, "engine: %d; allowed: 0 to %d", (int)scene->engine, VL_ENGINE_KIND_COUNT - 1);
  const vlEngine *engine = engines[scene->engine];
  vlSim *s = calloc(1, engine->bytes);
  if (s) s->scene = calloc(1, sizeof *s->scene);
  if (!s || !s->scene) {
    free(s);
    return vl_fail_memory(status, engine->bytes, "the simulation");
  }
  s->engine = engine;
  s->log = options.log;
  s->cancel = options.cancel;
  s->threads = options.threads > 0 ? options.threads : omp_get_num_procs();
  if (s->threads > MOST_THREADS) s->threads = MOST_THREADS;
  *sim = s;
  int before = vl_sim_enter(s);
  vlCode code = vl_scene_copy(s->scene, scene, status);
  if (!code) code = build(s, status);
  vl_sim_leave(before);
  if (code) vl_sim_destroy(sim);
  return code;
}

void vl_sim_destroy(vlSim **sim)
{
  if (!sim || !*sim) return;
  (*sim)->engine->destroy(*sim);
  vl_surface_clear(&(*sim)->surface);
  vl_control_clear(*sim);
  vl_scene_free((*sim)->scene);
  free((*sim)->scene);
  free(*sim);
  *sim = NULL;
}

vlCode vl_sim_step(vlSim *sim, double dt_limit, vlStepInfo *info, vlStatus *status)
{
  vlStepInfo own;
  if (!info) info = &own;
  *info = (vlStepInfo){0};
  if (!(dt_limit > 0.0))
    return vl_fail(status, VL_ERROR_USAGE, "vl_sim_step: dt_limit is %g s, it must be more than 0", dt_limit);
  int before = vl_sim_enter(sim);
  vlCode code = vl_drags_turn(sim, status);
  if (!code) code = sim->engine->step(sim, dt_limit, info, status);
  vl_sim_leave(before);
  return code;
}

double vl_sim_time(const vlSim *sim)
{
  int64_t step;
  double time;
  sim->engine->moment(sim, &step, &time);
  return time;
}

int64_t vl_sim_step_count(const vlSim *sim)
{
  int64_t step;
  double time;
  sim->engine->moment(sim, &step, &time);
  return step;
}

vlCode vl_sim_advance(vlSim *sim, double time, vlStepInfo *info, vlStatus *status)
{
  double start = vl_sim_time(sim), rounding = 1e-9 * (time - start); /* nothing to make a step of */
  vlCode code = VL_OK;
  if (!isfinite(time)) return vl_fail(status, VL_ERROR_USAGE, "vl_sim_advance: the time is %g s, it must be finite", time);
  if (info) *info = (vlStepInfo){.step = vl_sim_step_count(sim), .time = start};
  for (double left; !code && (left = time - vl_sim_time(sim)) > rounding;) code = vl_sim_step(sim, left, info, status);
  return code;
}

vlCode vl_sim_visit(vlSim *sim, vlVisitor *visitor, vlStatus *status)
{
  int before = vl_sim_enter(sim);
  vlCode code = vl_control_visit(sim, visitor, status); /* first: bodies look at where they were told to go */
  if (!code) code = sim->engine->visit(sim, visitor, status);
  vl_sim_leave(before);
  return code;
}

const vlScene *vl_sim_scene(const vlSim *sim) { return sim->scene; }
int vl_sim_threads(const vlSim *sim) { return sim->threads; }
vlGridView vl_sim_grid(const vlSim *sim) { return sim->engine->grid(sim); }
vlSimFacts vl_sim_facts(const vlSim *sim)
{
  int before = vl_sim_enter(sim);
  vlSimFacts facts = sim->engine->facts(sim);
  vl_sim_leave(before);
  return facts;
}

vlParticleView vl_sim_particles(const vlSim *sim) { return sim->engine->particles(sim); }
vlColumnView vl_sim_column(const vlSim *sim, int index) { return sim->engine->column(sim, index); }
vlFieldView vl_sim_field(const vlSim *sim, vlFieldKind kind) { return sim->engine->field(sim, kind); }
vlBlockView vl_sim_blocks(const vlSim *sim) { return sim->engine->blocks(sim); }
vlMeshView vl_sim_solids(const vlSim *sim) { return sim->engine->solids(sim); }
int vl_sim_probe(const vlSim *sim, const vlProbeDef *probe, double value[3])
{
  return sim->engine->probe(sim, probe, value);
}

void vl_sim_open(const vlSim *sim, const int lo[3], const int hi[3], float *open)
{
  int before = vl_sim_enter(sim);
  sim->engine->open(sim, lo, hi, open);
  vl_sim_leave(before);
}

vlCode vl_sim_export_system(const vlSim *sim, const char *folder, vlStatus *status)
{
  return sim->engine->export_system(sim, folder, status);
}

vlCode vl_sim_surface(vlSim *sim, vlMeshView *view, vlStatus *status)
{
  *view = (vlMeshView){0};
  vl_surface_clear(&sim->surface);
  int before = vl_sim_enter(sim);
  vlCode code = sim->engine->surface(sim, &sim->surface, status);
  vl_sim_leave(before);
  if (code) return code;
  const vlTriMesh *mesh = sim->surface.mesh;
  *view = (vlMeshView){.vertex_count = mesh->vertex_count,
                       .triangle_count = mesh->triangle_count,
                       .vertices = mesh->x,
                       .triangles = (const int(*)[3])mesh->tri,
                       .velocity = (const float(*)[3])sim->surface.velocity};
  return VL_OK;
}

double vl_mesh_volume(const vlMeshView *mesh)
{
  double volume = 0.0;
  for (int t = 0; t < mesh->triangle_count; t++) {
    const int *v = mesh->triangles[t];
    volume += vl_dot(mesh->vertices[v[0]], vl_cross(mesh->vertices[v[1]], mesh->vertices[v[2]])) / 6.0;
  }
  return volume;
}

int vl_sim_wall_count(const vlSim *sim) { return VL_SIDES + sim->scene->solid_count; }

vlWallView vl_sim_wall(const vlSim *sim, int index)
{
  static const char *const sides[VL_SIDES] = {"x-", "x+", "y-", "y+", "z-", "z+"};
  if (index < 0 || index >= vl_sim_wall_count(sim)) return (vlWallView){0};
  const vlWallLoad *load = &sim->engine->walls(sim)[index];
  return (vlWallView){.name = index < VL_SIDES ? sides[index] : sim->scene->solids[index - VL_SIDES].name,
                      .force = load->force,
                      .torque = load->torque};
}

int vl_sim_body_count(const vlSim *sim) { return sim->engine->bodies(sim)->count; }

vlBodyView vl_sim_body(const vlSim *sim, int index)
{
  const vlBodySet *bodies = sim->engine->bodies(sim);
  if (index < 0 || index >= bodies->count) return (vlBodyView){0};
  const vlBody *b = bodies->body[index];
  return (vlBodyView){.name = b->def->name,
                      .kind = b->def->kind,
                      .kind_name = b->type->name,
                      .node_count = b->node_count,
                      .element_count = b->element_count,
                      .element_nodes = b->element_nodes,
                      .triangle_count = b->triangle_count,
                      .pinned_nodes = b->type->pinned ? b->type->pinned(b) : 0,
                      .missing_volume = b->missing,
                      .rest = b->rest,
                      .x = b->x,
                      .first = b->first,
                      .v = b->v,
                      .elements = b->node,
                      .triangles = (const int(*)[3])b->triangle,
                      .info = vl_body_info(b, vl_sim_gravity(sim), sim->engine->grid(sim).origin)};
}

int vl_sim_body_facts(const vlSim *sim, int index, vlBodyFact facts[VL_BODY_FACTS])
{
  const vlBody *b = sim->engine->bodies(sim)->body[index];
  if (b->type->describe) return b->type->describe(b, facts);
  facts[0] = (vlBodyFact){.name = "model", .word = b->type->name};
  return 1;
}

vlCode vl_sim_body_modes(const vlSim *sim, int index, int count, vlBodyMode *mode, vlVec3 *shape, vlStatus *status)
{
  if (index < 0 || index >= sim->scene->body_count)
    return vl_fail(status, VL_ERROR_USAGE, "vl_sim_body_modes: body %d; there are %d", index, sim->scene->body_count);
  int before = vl_sim_enter(sim);
  vlBodySet own = {0}; /* of the scene, for the simulation's are on their way */
  vlCode code = vl_bodies_create(&own, sim->scene, (vlLog){0}, status);
  vlBody *body = code ? NULL : own.body[index];
  if (body && body->type->modes) vl_body_make(body, sim->engine->bodies(sim)->body[index]->material);
  if (body && !body->type->modes)
    code = vl_fail(status, VL_ERROR_SCENE, "body '%.63s' is %s: only elastic ones have modes", body->def->name,
                   body->type->name);
  if (body && body->type->modes) {
    code = body->type->modes(body, count, mode, shape, status);
    if (code) vl_status_prefix(status, "body '%.63s': ", body->def->name);
  }
  vl_bodies_clear(&own);
  vl_sim_leave(before);
  return code;
}

vlElementView vl_sim_element(const vlSim *sim, int body, int element)
{
  const vlBody *b = sim->engine->bodies(sim)->body[body];
  vlElementView view = {.volume = b->type->element_volume ? b->type->element_volume(b, element) : 0.0};
  if (b->type->stress) b->type->stress(b, element, view.stress);
  view.von_mises = vl_von_mises(view.stress);
  return view;
}
