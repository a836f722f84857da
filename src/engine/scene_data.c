/* Scenes as plain data: copying them with all they own, adding to them, freeing them, and a look at their numbers.
 *
 * A shape owns its file's name, its arrays of a mesh and its parts, a scene its lists and texts. A copy is made from the
 * outside in: a struct is copied with its pointers set to NULL, then what they pointed to, so that whatever is there when
 * memory runs out can be freed like a whole one. */
#include "engine/scene_data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "base/vec.h"

vlShape vl_shape_default(vlShapeKind kind) { return (vlShape){.kind = kind, .rotation = vl_mat_identity(), .scale = 1.0}; }

static void free_shape(vlShape *shape)
{
  for (int i = 0; i < shape->part_count; i++) free_shape(&shape->parts[i]);
  free(shape->parts);
  free(shape->file);
  free(shape->vertices);
  free(shape->triangles);
}

static void free_shapes(vlShape *shapes, int count)
{
  for (int i = 0; i < count; i++) free_shape(&shapes[i]);
  free(shapes);
}

void vl_scene_free(vlScene *scene)
{
  vlLiquidDef *liquid = &scene->liquid;
  free_shapes(liquid->shapes, liquid->shape_count);
  free_shapes(liquid->sinks, liquid->sink_count);
  for (int i = 0; i < liquid->source_count; i++) free_shape(&liquid->sources[i].shape);
  free(liquid->sources);
  for (int i = 0; i < scene->solid_count; i++) free_shape(&scene->solids[i].shape);
  free(scene->solids);
  free(scene->probes);
  free(scene->path);
  free(scene->text);
  free(scene->about);
}

/* *to = a copy of count elements; nothing gives NULL. false: no memory. */
static bool copy_array(void **to, const void *from, int count, size_t size)
{
  *to = NULL;
  if (!from || count <= 0) return true;
  *to = malloc((size_t)count * size);
  if (*to) memcpy(*to, from, (size_t)count * size);
  return *to != NULL;
}

static bool copy_text(char **to, const char *from)
{
  *to = from ? strdup(from) : NULL;
  return *to || !from;
}

static bool copy_shapes(vlShape **to, int *count, const vlShape *from, int from_count);

static bool copy_shape(vlShape *to, const vlShape *from)
{
  void *vertices, *triangles;
  *to = *from;
  bool whole = copy_array(&vertices, from->vertices, from->vertex_count, sizeof *from->vertices);
  whole = copy_array(&triangles, from->triangles, from->triangle_count, sizeof *from->triangles) && whole;
  to->vertices = vertices;
  to->triangles = triangles;
  whole = copy_text(&to->file, from->file) && whole;
  return copy_shapes(&to->parts, &to->part_count, from->parts, from->part_count) && whole;
}

/* The count grows with the copies, so that what is there can be freed. */
static bool copy_shapes(vlShape **to, int *count, const vlShape *from, int from_count)
{
  *to = from_count > 0 ? calloc((size_t)from_count, sizeof **to) : NULL;
  *count = 0;
  bool whole = *to || from_count <= 0;
  for (int i = 0; i < from_count && whole; i++) whole = copy_shape(&(*to)[(*count)++], &from[i]);
  return whole;
}

static bool copy_solids(vlScene *copy, const vlScene *scene)
{
  void *solids;
  copy->solid_count = 0;
  bool whole = copy_array(&solids, scene->solids, scene->solid_count, sizeof *scene->solids);
  copy->solids = solids;
  for (int i = 0; i < scene->solid_count && whole; i++)
    whole = copy_shape(&copy->solids[copy->solid_count++].shape, &scene->solids[i].shape);
  return whole;
}

static bool copy_sources(vlLiquidDef *copy, const vlLiquidDef *liquid)
{
  void *sources;
  copy->source_count = 0;
  bool whole = copy_array(&sources, liquid->sources, liquid->source_count, sizeof *liquid->sources);
  copy->sources = sources;
  for (int i = 0; i < liquid->source_count && whole; i++)
    whole = copy_shape(&copy->sources[copy->source_count++].shape, &liquid->sources[i].shape);
  return whole;
}

vlCode vl_scene_copy(vlScene *copy, const vlScene *scene, vlStatus *status)
{
  const vlLiquidDef *liquid = &scene->liquid;
  void *probes;
  *copy = *scene;
  bool whole = copy_text(&copy->path, scene->path);
  whole = copy_text(&copy->text, scene->text) && whole;
  whole = copy_text(&copy->about, scene->about) && whole;
  whole = copy_array(&probes, scene->probes, scene->probe_count, sizeof *scene->probes) && whole;
  copy->probes = probes;
  whole = copy_shapes(&copy->liquid.shapes, &copy->liquid.shape_count, liquid->shapes, liquid->shape_count) && whole;
  whole = copy_shapes(&copy->liquid.sinks, &copy->liquid.sink_count, liquid->sinks, liquid->sink_count) && whole;
  whole = copy_sources(&copy->liquid, liquid) && whole;
  whole = copy_solids(copy, scene) && whole;
  if (whole) return VL_OK;
  vl_scene_free(copy);
  *copy = (vlScene){0};
  return vl_fail_memory(status, sizeof *copy, "a copy of the scene");
}

/* Room for one more at the end of a list, zeroed; NULL: no memory. What is to be put there is copied before, since it may
 * lie in the list itself, which moves. */
static void *grow(void **list, int count, size_t size)
{
  void *grown = realloc(*list, ((size_t)count + 1) * size);
  if (!grown) return NULL;
  *list = grown;
  return memset((char *)grown + (size_t)count * size, 0, size);
}

/* The shape's own memory, which the list's new entry takes over. */
static vlCode own_shape(vlShape *own, const vlShape *shape, vlStatus *status)
{
  if (copy_shape(own, shape)) return VL_OK;
  free_shape(own);
  return vl_fail_memory(status, sizeof *own, "a shape of the scene");
}

static vlCode add_shape(vlShape **shapes, int *count, const vlShape *shape, vlStatus *status)
{
  vlShape own;
  vlCode code = own_shape(&own, shape, status);
  if (code) return code;
  void *list = *shapes;
  vlShape *entry = grow(&list, *count, sizeof own);
  *shapes = list;
  if (!entry) {
    free_shape(&own);
    return vl_fail_memory(status, sizeof own, "a shape of the scene");
  }
  *entry = own;
  ++*count;
  return VL_OK;
}

vlCode vl_scene_add_liquid(vlScene *scene, const vlShape *shape, vlStatus *status)
{
  return add_shape(&scene->liquid.shapes, &scene->liquid.shape_count, shape, status);
}

vlCode vl_scene_add_sink(vlScene *scene, const vlShape *shape, vlStatus *status)
{
  return add_shape(&scene->liquid.sinks, &scene->liquid.sink_count, shape, status);
}

vlCode vl_scene_add_solid(vlScene *scene, const vlSolidDef *solid, vlStatus *status)
{
  vlSolidDef own = *solid;
  vlCode code = own_shape(&own.shape, &solid->shape, status);
  if (code) return code;
  void *list = scene->solids;
  vlSolidDef *entry = grow(&list, scene->solid_count, sizeof own);
  scene->solids = list;
  if (!entry) {
    free_shape(&own.shape);
    return vl_fail_memory(status, sizeof own, "a solid of the scene");
  }
  *entry = own;
  scene->solid_count++;
  return VL_OK;
}

vlCode vl_scene_add_source(vlScene *scene, const vlSourceDef *source, vlStatus *status)
{
  vlSourceDef own = *source;
  vlCode code = own_shape(&own.shape, &source->shape, status);
  if (code) return code;
  void *list = scene->liquid.sources;
  vlSourceDef *entry = grow(&list, scene->liquid.source_count, sizeof own);
  scene->liquid.sources = list;
  if (!entry) {
    free_shape(&own.shape);
    return vl_fail_memory(status, sizeof own, "a source of the scene");
  }
  *entry = own;
  scene->liquid.source_count++;
  return VL_OK;
}

vlCode vl_scene_add_probe(vlScene *scene, const vlProbeDef *probe, vlStatus *status)
{
  vlProbeDef own = *probe;
  void *list = scene->probes;
  vlProbeDef *entry = grow(&list, scene->probe_count, sizeof own);
  scene->probes = list;
  if (!entry) return vl_fail_memory(status, sizeof own, "a probe of the scene");
  *entry = own;
  scene->probe_count++;
  return VL_OK;
}

/* A number of the scene and what it may be: lo <= value <= hi, above lo when open. */
typedef struct Limit {
  const char *key;
  double value, lo, hi;
  bool open;
} Limit;

static vlCode check_limits(const Limit *limits, size_t count, vlStatus *status)
{
  for (size_t i = 0; i < count; i++) {
    const Limit *l = &limits[i];
    bool good = l->value <= l->hi && (l->open ? l->value > l->lo : l->value >= l->lo); /* false for NaN */
    if (!good)
      return vl_fail(status, VL_ERROR_SCENE, "%s: %g; allowed: %s %g up to %g", l->key, l->value, l->open ? "above" : "from",
                     l->lo, l->hi);
  }
  return VL_OK;
}

static vlCode check_vector(const char *key, vlVec3 v, vlStatus *status)
{
  if (vl_finite(v)) return VL_OK;
  return vl_fail(status, VL_ERROR_SCENE, "%s: (%g, %g, %g); every entry must be finite", key, v.x, v.y, v.z);
}

static vlCode check_sources(const vlLiquidDef *liquid, vlStatus *status)
{
  vlCode code = VL_OK;
  for (int i = 0; i < liquid->source_count && !code; i++) {
    const vlSourceDef *source = &liquid->sources[i];
    char key[64];
    snprintf(key, sizeof key, "liquid.sources[%d].velocity", i);
    code = check_vector(key, source->velocity, status);
    if (!code && (isnan(source->start) || isnan(source->end)))
      code = vl_fail(status, VL_ERROR_SCENE, "liquid.sources[%d]: runs from %g s to %g s; both must be numbers", i,
                     source->start, source->end);
  }
  return code;
}

static vlCode check_probes(const vlScene *scene, vlStatus *status)
{
  vlCode code = VL_OK;
  for (int i = 0; i < scene->probe_count && !code; i++) {
    const vlProbeDef *probe = &scene->probes[i];
    char key[3][64];
    snprintf(key[0], sizeof key[0], "probes[%d].kind", i);
    snprintf(key[1], sizeof key[1], "probes[%d].axis", i);
    snprintf(key[2], sizeof key[2], "probes[%d].position", i);
    const Limit limits[] = {{key[0], probe->kind, 0, VL_PROBE_KIND_COUNT - 1, false}, {key[1], probe->axis, 0, 2, false}};
    code = check_limits(limits, probe->kind == VL_PROBE_FLUX ? 2 : 1, status);
    if (!code) code = check_vector(key[2], probe->position, status);
  }
  return code;
}

vlCode vl_scene_complete(vlScene *scene, vlStatus *status)
{
  const vlLiquidDef *liquid = &scene->liquid;
  double longest = fmax(scene->size.x, scene->size.y), most = 1e300;
  if (!scene->slab) longest = fmax(longest, scene->size.z);
  double dx = scene->dx > 0.0 ? scene->dx : longest / scene->cells;
  if (scene->slab && dx > 0.0 && isfinite(dx)) {
    scene->size.z = dx;
    scene->origin.z = -0.5 * dx;
  }
  const Limit limits[] = {
      {"grid.size, x", scene->size.x, 0, most, true},
      {"grid.size, y", scene->size.y, 0, most, true},
      {"grid.size, z", scene->size.z, 0, most, true},
      {"liquid.density", liquid->density, 0, most, true},
      {"liquid.transfer", liquid->transfer, 0, VL_TRANSFER_KIND_COUNT - 1, false},
      {"liquid.integrator", liquid->integrator, 0, VL_INTEGRATOR_KIND_COUNT - 1, false},
      {"liquid.flip", liquid->flip, 0, 1, false},
      {"liquid.particles", liquid->particles, 1, 4, false},
      {"time.cfl", scene->cfl, 0, 100, true},
      {"time.dt_max", scene->dt_max, 0, INFINITY, true},
      {"time.dt_fixed", scene->dt_fixed, 0, most, false},
      {"pressure.solver", scene->solver, 0, VL_SOLVER_KIND_COUNT - 1, false},
      {"pressure.tolerance", scene->tolerance, 0, 1, true},
      {"pressure.max_iterations", scene->max_iterations, 1, 1e9, false},
      {"pressure.theta_min", scene->theta_min, 0, 0.5, true},
  };
  vlCode code = check_limits(limits, sizeof limits / sizeof *limits, status);
  if (!code) code = check_vector("grid.origin", scene->origin, status);
  if (!code) code = check_vector("gravity", scene->gravity, status);
  if (!code) code = check_vector("liquid.velocity", liquid->velocity, status);
  if (!code) code = check_sources(liquid, status);
  if (!code) code = check_probes(scene, status);
  return code;
}
