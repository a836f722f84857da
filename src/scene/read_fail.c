/* Mistakes in scene files that concern a single key: a value of the wrong type, a value that is not allowed, a key that is
 * unknown where it stands. Each message gives the place, the value, what is allowed and what may have been meant. */
#include <string.h>

#include "scene/read_fail.h"

vlCode vl_note_allowed(vlStatus *status, const vlKey *key)
{
  char allowed[VL_READ_ROOM];
  if (*vl_key_allowed_text(key, allowed, sizeof allowed)) vl_tree_note(status, "allowed: %s", allowed);
  return VL_ERROR_SCENE;
}

static const char *node_text(const vlNode *node, char *out, size_t size)
{
  if (node->kind == VL_NODE_LIST) return "a list";
  if (node->kind == VL_NODE_MAP) return "a mapping";
  if (!node->length) return node->quoted ? "an empty text" : "nothing";
  return vl_shown(node->text, node->length, VL_READ_SHOWN, out, size);
}

bool vl_read_is_slab(const vlSceneReader *r)
{
  char why[VL_WHY];
  bool slab = false, found;
  const vlNode *node = vl_tree_find(r->tree, "grid.slab", &found);
  const vlKey *key = vl_key_find((vlScope){.group = VL_GROUP_GRID}, "slab");
  return found && node->kind == VL_NODE_SCALAR && vl_key_store(key, node->text, node->length, &slab, why) && slab;
}

/* Examples are written for boxes; in a slab two entries are enough. */
vlCode vl_read_note_example(const vlSceneReader *r, const vlKey *key)
{
  const char *end = key->flat && vl_read_is_slab(r) ? strrchr(key->example, ',') : NULL;
  if (!end) return vl_tree_note(r->status, "for example: %s: %s", key->name, key->example);
  return vl_tree_note(r->status, "for example: %s: %.*s], with two entries because the scene is a slab", key->name,
                      (int)(end - key->example), key->example);
}

vlCode vl_read_fail_type(const vlSceneReader *r, const vlKey *key, const vlNode *node)
{
  char shown[VL_READ_SHOWN_ROOM], list[VL_READ_ROOM], expected[64];
  vl_tree_fail(r->tree, r->status, node, VL_AT_VALUE, "%s is expected here, not %s",
               vl_key_kind_text(key, true, expected, sizeof expected), node_text(node, shown, sizeof shown));
  if (key->type == VL_KEY_SECTION)
    return vl_tree_note(r->status, "its keys: %s",
                        vl_scope_list((vlScope){.group = key->section}, false, list, sizeof list));
  vl_note_allowed(r->status, key);
  return vl_read_note_example(r, key);
}

vlCode vl_read_fail_value(const vlSceneReader *r, const vlKey *key, const vlNode *node, const char *why)
{
  char shown[VL_READ_SHOWN_ROOM];
  vl_tree_fail(r->tree, r->status, node, VL_AT_VALUE, "%s: %s", node_text(node, shown, sizeof shown), why);
  vl_note_allowed(r->status, key);
  int count = 0;
  while (key->words && key->words[count]) count++;
  const char *near = count ? vl_nearest(node->text, key->words, count) : NULL;
  if (near) vl_tree_note(r->status, "did you mean '%s'?", near);
  return VL_ERROR_SCENE;
}

/* Kinds of the group that take the key, as "capsule, cylinder"; empty: none. */
static void list_kinds(vlKeyGroup group, const char *name, char *out, size_t size)
{
  out[0] = 0;
  for (int kind = 0; kind < vl_groups[group].kind_count; kind++) {
    if (!vl_key_find((vlScope){.group = group, .kind = kind}, name)) continue;
    size_t used = strlen(out);
    snprintf(out + used, size - used, "%s%s", used ? ", " : "", vl_groups[group].kind_words[kind]);
  }
}

/* A section in which the key would be right; NULL: none. */
static const vlKey *find_elsewhere(vlScope scope, const char *name)
{
  for (int i = 0; i < vl_key_count && !vl_groups[scope.group].bytes; i++)
    if (!vl_groups[vl_keys[i].group].bytes && strcmp(vl_keys[i].name, name) == 0) return &vl_keys[i];
  return NULL;
}

/* The list whose shapes take the key; NULL: none. */
static const char *find_shapes_that_take(const char *name)
{
  for (int group = 0; group < VL_GROUP_COUNT; group++)
    if (vl_groups[group].is_shape && vl_key_find((vlScope){.group = (vlKeyGroup)group}, name)) return vl_groups[group].name;
  return NULL;
}

vlCode vl_read_fail_unknown(const vlSceneReader *r, const vlNode *node, vlScope scope)
{
  char list[VL_READ_ROOM], kinds[VL_READ_ROOM], path[64];
  const char *of = vl_groups[scope.group].kind_key, *kind = of ? vl_groups[scope.group].kind_words[scope.kind] : "";
  const char *others = scope.group == VL_GROUP_SHAPE ? find_shapes_that_take(node->key) : NULL;
  list_kinds(scope.group, node->key, kinds, sizeof kinds);
  if (*kinds)
    vl_tree_fail(r->tree, r->status, node, VL_AT_KEY, "%s %s does not take this key; it is for: %s", of, kind, kinds);
  else if (others)
    vl_tree_fail(r->tree, r->status, node, VL_AT_KEY, "only the entries of %s take this key", others);
  else
    vl_tree_fail(r->tree, r->status, node, VL_AT_KEY, "unknown key");
  vl_scope_list(scope, false, list, sizeof list);
  if (of)
    vl_tree_note(r->status, "keys of %s %s: %s", of, kind, list);
  else
    vl_tree_note(r->status, "keys allowed here: %s", list);
  const char *near = vl_scope_nearest(scope, node->key);
  const vlKey *elsewhere = near ? NULL : find_elsewhere(scope, node->key);
  const char *note = near ? vl_synonym_note(node->key, near) : NULL;
  if (near) vl_tree_note(r->status, "did you mean '%s'?%s%s", near, note ? " " : "", note ? note : "");
  if (elsewhere) vl_tree_note(r->status, "did you mean '%s'?", vl_key_path(elsewhere, path, sizeof path));
  return VL_ERROR_SCENE;
}
