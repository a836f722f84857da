/* Scenes as plain data: their defaults, copying them with all they own, adding to them, freeing them.
 *
 * What a struct owns follows from the table of keys: its texts, its files' names and its lists, and what the entries of
 * those own in turn; the few things that no key fills are in `besides`. A struct is copied with its pointers, which then get
 * copies of what they point to; from where memory runs out everything is empty, so that what is there can be freed like a
 * whole. */
#include "scene/scene.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "scene/keys.h"

/* A pointer in a struct that owns what it points to. */
typedef struct Owned {
  size_t offset;
  size_t bytes;       /* of an element; 0: it is a text */
  size_t count;       /* offset of the int that counts the elements */
  vlKeyGroup entries; /* what an element is, which may own things too; 0: plain numbers */
} Owned;
enum { MOST_OWNED = 32 }; /* of one struct; a body owns 10 things */

#define TEXT(type, member) .owned.offset = offsetof(type, member)
#define ARRAY(type, member, number)                                                                                         \
  TEXT(type, member), .owned.bytes = sizeof *((type *)0)->member, .owned.count = offsetof(type, number)

static const struct {
  vlKeyGroup group;
  Owned owned;
} besides[] = {
    {VL_GROUP_SCENE, TEXT(vlScene, path)},
    {VL_GROUP_SCENE, TEXT(vlScene, text)},
    {VL_GROUP_SHAPE, ARRAY(vlShape, vertices, vertex_count)},
    {VL_GROUP_SHAPE, ARRAY(vlShape, triangles, triangle_count)},
    {VL_GROUP_BODY, ARRAY(vlBodyDef, nodes, node_count)},
    {VL_GROUP_BODY, ARRAY(vlBodyDef, tets, tet_count)},
    {VL_GROUP_BODY, TEXT(vlBodyDef, solid.file)},
    {VL_GROUP_BODY, ARRAY(vlBodyDef, solid.vertices, solid.vertex_count)},
    {VL_GROUP_BODY, ARRAY(vlBodyDef, solid.triangles, solid.triangle_count)},
};

/* Adds what the keys of the group own to owned[count], and returns the new count. */
static int list_owned(vlKeyGroup group, size_t base, Owned owned[MOST_OWNED], int count)
{
  for (int i = 0; i < vl_key_count; i++) {
    const vlKey *key = &vl_keys[i];
    if (key->group != group) continue;
    if (key->type == VL_KEY_SECTION) count = list_owned(key->section, base, owned, count);
    if (key->type == VL_KEY_TEXT || key->type == VL_KEY_FILE) owned[count++] = (Owned){.offset = base + key->offset};
    if (key->type == VL_KEY_LIST)
      owned[count++] = (Owned){base + key->offset, vl_groups[key->section].bytes, base + key->count, key->section};
  }
  for (size_t i = 0; i < sizeof besides / sizeof *besides; i++) {
    if (besides[i].group != group) continue;
    Owned *o = &owned[count++];
    *o = besides[i].owned;
    o->offset += base;
    o->count += base;
  }
  assert(count < MOST_OWNED);
  return vl_groups[group].is_shape ? list_owned(VL_GROUP_SHAPE, base + vl_groups[group].shape, owned, count) : count;
}

static char *pointer_at(const void *base, Owned owned)
{
  char *pointer;
  memcpy(&pointer, (const char *)base + owned.offset, sizeof pointer);
  return pointer;
}

static int *count_at(void *base, Owned owned) { return (int *)(void *)((char *)base + owned.count); }

static void free_owned(vlKeyGroup group, void *base)
{
  Owned owned[MOST_OWNED];
  int n = list_owned(group, 0, owned, 0);
  for (int i = 0; i < n; i++) {
    char *list = pointer_at(base, owned[i]);
    for (int k = 0; list && owned[i].entries && k < *count_at(base, owned[i]); k++)
      free_owned(owned[i].entries, list + (size_t)k * owned[i].bytes);
    free(list);
  }
}

/* Gives the struct copies of all it points to; false: no memory. What is copied once that happened is empty. */
static bool copy_owned(vlKeyGroup group, void *base, bool whole)
{
  Owned owned[MOST_OWNED];
  int n = list_owned(group, 0, owned, 0);
  for (int i = 0; i < n; i++) {
    const char *from = pointer_at(base, owned[i]);
    int count = from && owned[i].bytes ? *count_at(base, owned[i]) : 0;
    size_t bytes = count > 0 ? (size_t)count * owned[i].bytes : from && !owned[i].bytes ? strlen(from) + 1 : 0;
    char *own = bytes && whole ? malloc(bytes) : NULL;
    if (own) memcpy(own, from, bytes);
    whole = whole && (own || !bytes);
    memcpy((char *)base + owned[i].offset, &own, sizeof own);
    if (owned[i].bytes && !own) *count_at(base, owned[i]) = 0;
    for (int k = 0; own && owned[i].entries && k < count; k++)
      whole = copy_owned(owned[i].entries, own + (size_t)k * owned[i].bytes, whole);
  }
  return whole;
}

void vl_scene_default(vlScene *scene)
{
  *scene = (vlScene){0};
  vl_group_defaults(VL_GROUP_SCENE, scene);
  strcpy(scene->name, "scene");
}

vlShape vl_shape_default(vlShapeKind kind)
{
  vlShape shape = {0};
  vl_group_defaults(VL_GROUP_SHAPE, &shape);
  shape.kind = kind;
  return shape;
}

vlBodyDef vl_body_default(void)
{
  vlBodyDef body = {0};
  vl_group_defaults(VL_GROUP_BODY, &body);
  return body;
}

vlPinDef vl_pin_default(vlShapeKind region)
{
  vlPinDef pin = {0};
  vl_group_defaults(VL_GROUP_PIN, &pin);
  pin.region.kind = region;
  return pin;
}

vlMotionDef vl_motion_default(vlMotionKind kind)
{
  vlMotionDef motion = {0};
  vl_group_defaults(VL_GROUP_MOTION, &motion);
  motion.kind = kind;
  return motion;
}

vlDragDef vl_drag_default(void)
{
  vlDragDef drag = {0};
  vl_group_defaults(VL_GROUP_DRAG, &drag);
  return drag;
}

void vl_scene_free(vlScene *scene) { free_owned(VL_GROUP_SCENE, scene); }

void vl_scene_clear(vlScene *scene)
{
  vl_scene_free(scene);
  vl_scene_default(scene);
}

vlCode vl_scene_copy(vlScene *copy, const vlScene *scene, vlStatus *status)
{
  *copy = *scene;
  if (copy_owned(VL_GROUP_SCENE, copy, true)) return VL_OK;
  vl_scene_free(copy);
  *copy = (vlScene){0};
  return vl_fail_memory(status, sizeof *copy, "a copy of the scene");
}

/* Puts a copy of the entry at the end of the list of that name. It is copied before the list moves, in which it may lie. */
static vlCode add(vlScene *scene, vlKeyGroup group, const char *name, const void *entry, vlStatus *status)
{
  const vlKey *key = vl_key_find((vlScope){.group = group}, name);
  const Owned list = {key->offset, vl_groups[key->section].bytes, key->count, key->section};
  size_t used = (size_t)*count_at(scene, list) * list.bytes;
  char *own = malloc(list.bytes), *grown = NULL;
  if (own) {
    memcpy(own, entry, list.bytes);
    if (copy_owned(list.entries, own, true)) grown = realloc(pointer_at(scene, list), used + list.bytes);
  }
  if (grown) {
    memcpy(grown + used, own, list.bytes);
    memcpy((char *)scene + list.offset, &grown, sizeof grown);
    ++*count_at(scene, list);
  } else if (own) {
    free_owned(list.entries, own);
  }
  free(own);
  return grown ? VL_OK : vl_fail_memory(status, used + list.bytes, name);
}

vlCode vl_scene_add_liquid(vlScene *scene, const vlShape *shape, vlStatus *status)
{
  return add(scene, VL_GROUP_LIQUID, "shapes", shape, status);
}

vlCode vl_scene_add_outlet(vlScene *scene, const vlOutletDef *outlet, vlStatus *status)
{
  return add(scene, VL_GROUP_LIQUID, "outlets", outlet, status);
}

vlCode vl_scene_add_sink(vlScene *scene, const vlSinkDef *sink, vlStatus *status)
{
  return add(scene, VL_GROUP_LIQUID, "sinks", sink, status);
}

vlCode vl_scene_add_source(vlScene *scene, const vlSourceDef *source, vlStatus *status)
{
  return add(scene, VL_GROUP_LIQUID, "sources", source, status);
}

vlCode vl_scene_add_solid(vlScene *scene, const vlSolidDef *solid, vlStatus *status)
{
  return add(scene, VL_GROUP_SCENE, "solids", solid, status);
}

vlCode vl_scene_add_body(vlScene *scene, const vlBodyDef *body, vlStatus *status)
{
  return add(scene, VL_GROUP_SCENE, "bodies", body, status);
}

vlCode vl_scene_add_drag(vlScene *scene, const vlDragDef *drag, vlStatus *status)
{
  return add(scene, VL_GROUP_SCENE, "drags", drag, status);
}

vlCode vl_scene_add_probe(vlScene *scene, const vlProbeDef *probe, vlStatus *status)
{
  return add(scene, VL_GROUP_SCENE, "probes", probe, status);
}
