/* Scenes as plain data: copying them with all they own, adding to them, freeing them.
 *
 * A shape owns its file's name, its arrays of a mesh and its parts, a body those, its pins, motion and pushes, a scene its
 * lists and texts. A copy is made from the outside in: a struct is copied with its pointers set to NULL, then what they
 * pointed to, so that whatever is there when memory runs out can be freed like a whole one. */
#include "engine/scene_data.h"

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

static void free_body(vlBodyDef *body)
{
  for (int i = 0; i < body->pin_count; i++) free_shape(&body->pins[i].region);
  free(body->pins);
  for (int i = 0; i < body->motion_count; i++) free(body->motion[i].keys);
  free(body->motion);
  free(body->pushes);
  free_shape(&body->solid);
  free(body->file);
  free(body->nodes);
  free(body->tets);
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
  for (int i = 0; i < scene->body_count; i++) free_body(&scene->bodies[i]);
  free(scene->bodies);
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

static bool copy_pins(vlBodyDef *copy, const vlBodyDef *body)
{
  void *pins;
  copy->pin_count = 0;
  bool whole = copy_array(&pins, body->pins, body->pin_count, sizeof *body->pins);
  copy->pins = pins;
  for (int i = 0; i < body->pin_count && whole; i++)
    whole = copy_shape(&copy->pins[copy->pin_count++].region, &body->pins[i].region);
  return whole;
}

static bool copy_motion(vlBodyDef *copy, const vlBodyDef *body)
{
  void *motion, *keys;
  copy->motion_count = 0;
  bool whole = copy_array(&motion, body->motion, body->motion_count, sizeof *body->motion);
  copy->motion = motion;
  for (int i = 0; i < body->motion_count && whole; i++) {
    const vlMotionDef *from = &body->motion[i];
    whole = copy_array(&keys, from->keys, from->key_count, sizeof *from->keys);
    copy->motion[copy->motion_count++].keys = keys;
  }
  return whole;
}

static bool copy_body(vlBodyDef *to, const vlBodyDef *from)
{
  void *nodes, *tets, *pushes;
  *to = *from;
  bool whole = copy_array(&nodes, from->nodes, from->node_count, sizeof *from->nodes);
  whole = copy_array(&tets, from->tets, from->tet_count, sizeof *from->tets) && whole;
  to->nodes = nodes;
  to->tets = tets;
  whole = copy_text(&to->file, from->file) && whole;
  whole = copy_shape(&to->solid, &from->solid) && whole;
  whole = copy_array(&pushes, from->pushes, from->push_count, sizeof *from->pushes) && whole;
  to->pushes = pushes;
  whole = copy_motion(to, from) && whole;
  return copy_pins(to, from) && whole;
}

static bool copy_bodies(vlScene *copy, const vlScene *scene)
{
  void *bodies;
  copy->body_count = 0;
  bool whole = copy_array(&bodies, scene->bodies, scene->body_count, sizeof *scene->bodies);
  copy->bodies = bodies;
  for (int i = 0; i < scene->body_count && whole; i++)
    whole = copy_body(&copy->bodies[copy->body_count++], &scene->bodies[i]);
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
  whole = copy_bodies(copy, scene) && whole;
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

vlCode vl_scene_add_body(vlScene *scene, const vlBodyDef *body, vlStatus *status)
{
  vlBodyDef own;
  bool whole = copy_body(&own, body);
  void *list = scene->bodies;
  vlBodyDef *entry = whole ? grow(&list, scene->body_count, sizeof own) : NULL;
  scene->bodies = list;
  if (!entry) {
    free_body(&own);
    return vl_fail_memory(status, sizeof own, "a body of the scene");
  }
  *entry = own;
  scene->body_count++;
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
