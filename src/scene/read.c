/* The tree of a scene file into vlScene, driven by the table of keys.
 *
 * A mapping is read in the order of the file: each key is looked up among those that may stand there, its value is
 * checked by type and range and stored at the row's offset; afterwards keys that are needed and missing, and keys that
 * exclude each other, are reported. Shapes first look at their `shape`, which decides what else they take.
 * In: tree and defaults. Out: the filled scene, or the first mistake with its place. */
#include "scene/read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/vec.h"
#include "scene/keys.h"

typedef struct Reader {
  const vlTree *tree;
  const char *folder;
  vlStatus *status;
} Reader;

enum { TEXT_ROOM = 512, SHOWN = 60, SHOWN_ROOM = 4 * SHOWN + 4 };

static vlCode read_shape(Reader *r, const vlNode *node, vlShape *shape, vlSolidDef *solid);

static void note_allowed(Reader *r, const vlKey *key)
{
  char allowed[TEXT_ROOM];
  if (*vl_key_allowed_text(key, allowed, sizeof allowed)) vl_tree_note(r->status, "allowed: %s", allowed);
}

static const char *node_text(const vlNode *node, char *out, size_t size)
{
  if (node->kind == VL_NODE_LIST) return "a list";
  if (node->kind == VL_NODE_MAP) return "a mapping";
  if (!node->length) return node->quoted ? "an empty text" : "nothing";
  return vl_shown(node->text, node->length, SHOWN, out, size);
}

static vlCode fail_type(Reader *r, const vlKey *key, const vlNode *node)
{
  static const char *const wanted[] = {
      [VL_KEY_SECTION] = "a mapping of keys",
      [VL_KEY_SOLIDS] = "a list of shapes",
      [VL_KEY_SHAPES] = "a list of shapes",
      [VL_KEY_NUMBER] = "a number",
      [VL_KEY_INTEGER] = "a whole number",
      [VL_KEY_SWITCH] = "yes or no",
      [VL_KEY_WORD] = "a word",
      [VL_KEY_VECTOR] = "a list of three numbers",
      [VL_KEY_ROTATION] = "a text like \"z 17, x 31\"",
      [VL_KEY_TEXT] = "a text",
      [VL_KEY_NAME] = "a name",
      [VL_KEY_FILE] = "a file name",
  };
  char shown[SHOWN_ROOM], list[TEXT_ROOM];
  vl_tree_fail(r->tree, r->status, node, VL_AT_VALUE, "%s is expected here, not %s", wanted[key->type],
               node_text(node, shown, sizeof shown));
  if (key->type == VL_KEY_SECTION)
    return vl_tree_note(r->status, "its keys: %s",
                        vl_scope_list((vlScope){.group = key->section}, false, list, sizeof list));
  note_allowed(r, key);
  return vl_tree_note(r->status, "for example: %s: %s", key->name, key->example);
}

static vlCode fail_value(Reader *r, const vlKey *key, const vlNode *node, const char *why)
{
  char shown[SHOWN_ROOM];
  vl_tree_fail(r->tree, r->status, node, VL_AT_VALUE, "%s: %s", node_text(node, shown, sizeof shown), why);
  note_allowed(r, key);
  int count = 0;
  while (key->words && key->words[count]) count++;
  const char *near = count ? vl_nearest(node->text, key->words, count) : NULL;
  if (near) vl_tree_note(r->status, "did you mean '%s'?", near);
  return VL_ERROR_SCENE;
}

static vlCode read_scalar(Reader *r, const vlKey *key, const vlNode *node, void *field)
{
  char why[VL_WHY];
  bool nothing = node->kind == VL_NODE_SCALAR && !node->length && !node->quoted;
  if (node->kind != VL_NODE_SCALAR || nothing) return fail_type(r, key, node);
  return vl_key_store(key, node->text, node->length, field, why) ? VL_OK : fail_value(r, key, node, why);
}

static vlCode read_vector(Reader *r, const vlKey *key, const vlNode *node, vlVec3 *field)
{
  if (node->kind != VL_NODE_LIST) return fail_type(r, key, node);
  bool flat = key->flat && node->count == 2;
  if (node->count != 3 && !flat) {
    vl_tree_fail(r->tree, r->status, node, VL_AT_VALUE, "a vector has three entries, this one has %d", node->count);
    return vl_tree_note(r->status, "for example: %s: %s", key->name, key->example);
  }
  vlCode code = VL_OK;
  for (const vlNode *item = node->first; item && code == VL_OK; item = item->next)
    code = read_scalar(r, key, item, &field->v[item->index]);
  return code;
}

static vlCode keep_text(Reader *r, const char *text, char **field)
{
  free(*field);
  *field = strdup(text);
  return *field ? VL_OK : vl_fail_memory(r->status, strlen(text), "the scene");
}

static vlCode read_name(Reader *r, const vlKey *key, const vlNode *node, char *field)
{
  static const char good[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  if (node->length >= key->bytes) {
    char shown[SHOWN_ROOM];
    return vl_tree_fail(r->tree, r->status, node, VL_AT_VALUE, "%s: %zu characters long; a name has at most %zu",
                        vl_shown(node->text, node->length, 20, shown, sizeof shown), node->length, key->bytes - 1);
  }
  if (strspn(node->text, good) != node->length || !node->length)
    return fail_value(r, key, node, "a name is made of letters, digits, '-' and '_'");
  memcpy(field, node->text, node->length + 1);
  return VL_OK;
}

static vlCode read_file(Reader *r, const vlKey *key, const vlNode *node, char **field)
{
  if (!node->length) return fail_type(r, key, node);
  bool as_given = !r->folder || node->setting >= 0 || node->text[0] == '/';
  size_t room = node->length + 1 + (as_given ? 0 : strlen(r->folder) + 1);
  char *path = malloc(room);
  if (!path) return vl_fail_memory(r->status, room, "the scene");
  snprintf(path, room, "%s%s%s", as_given ? "" : r->folder, as_given ? "" : "/", node->text);
  free(*field);
  *field = path;

  struct stat about;
  char shown[SHOWN_ROOM];
  vl_shown(path, strlen(path), SHOWN, shown, sizeof shown);
  if (stat(path, &about) == 0 && S_ISDIR(about.st_mode))
    return vl_tree_fail(r->tree, r->status, node, VL_AT_VALUE, "%s is a folder; a mesh file is expected", shown);
  if (access(path, R_OK) == 0) return VL_OK;
  const char *reason = errno == EACCES ? "may not be read" : "does not exist";
  vl_tree_fail(r->tree, r->status, node, VL_AT_VALUE, "the file %s %s", shown, reason);
  if (!as_given) vl_tree_note(r->status, "mesh files are looked for in the scene file's folder");
  if (r->status) r->status->code = VL_ERROR_FILE;
  return VL_ERROR_FILE;
}

static vlCode check_count(Reader *r, const vlKey *key, const vlNode *node)
{
  if (node->kind != VL_NODE_LIST) return fail_type(r, key, node);
  if (node->count >= key->range.lo) return VL_OK;
  vl_tree_fail(r->tree, r->status, node, VL_AT_VALUE, "this list has %d entries", node->count);
  note_allowed(r, key);
  return VL_ERROR_SCENE;
}

/* The count grows with each entry read, so that a failure leaves nothing that vl_scene_clear would miss. */
static vlCode read_shapes(Reader *r, const vlKey *key, const vlNode *node, vlShape **shapes, int *count)
{
  vlCode code = check_count(r, key, node);
  if (code != VL_OK || !node->count) return code;
  *shapes = calloc((size_t)node->count, sizeof **shapes);
  if (!*shapes) return vl_fail_memory(r->status, (size_t)node->count * sizeof **shapes, key->name);
  for (const vlNode *item = node->first; item && code == VL_OK; item = item->next)
    code = read_shape(r, item, &(*shapes)[(*count)++], NULL);
  return code;
}

static vlCode check_unique_name(Reader *r, const vlNode *node, const vlSolidDef *solids, int count)
{
  const vlNode *name = vl_node_find(node, "name");
  for (int i = 0; i < count && name; i++)
    if (strcmp(solids[i].name, name->text) == 0)
      return vl_tree_fail(r->tree, r->status, name, VL_AT_VALUE, "%s: solids[%d] has this name too", name->text, i);
  return VL_OK;
}

static vlCode read_solids(Reader *r, const vlKey *key, const vlNode *node, vlSolidDef **solids, int *count)
{
  vlCode code = check_count(r, key, node);
  if (code != VL_OK || !node->count) return code;
  *solids = calloc((size_t)node->count, sizeof **solids);
  if (!*solids) return vl_fail_memory(r->status, (size_t)node->count * sizeof **solids, key->name);
  for (const vlNode *item = node->first; item && code == VL_OK; item = item->next) {
    vlSolidDef *solid = &(*solids)[(*count)++];
    vl_group_defaults(VL_GROUP_SOLID, solid);
    snprintf(solid->name, sizeof solid->name, "solids[%d]", item->index);
    code = read_shape(r, item, &solid->shape, solid);
    if (code == VL_OK) code = check_unique_name(r, item, *solids, *count - 1);
  }
  return code;
}

static vlCode read_mapping(Reader *r, const vlNode *node, vlScope scope, void *base, vlSolidDef *solid);

static vlCode read_value(Reader *r, const vlKey *key, const vlNode *node, void *base)
{
  void *field = (char *)base + key->offset;
  bool text = key->type == VL_KEY_TEXT || key->type == VL_KEY_NAME || key->type == VL_KEY_FILE;
  if (text && node->kind != VL_NODE_SCALAR) return fail_type(r, key, node);
  if (key->given) *(bool *)((char *)base + key->given) = true;
  switch (key->type) {
  case VL_KEY_SECTION:
    if (node->kind != VL_NODE_MAP) return fail_type(r, key, node);
    return read_mapping(r, node, (vlScope){.group = key->section}, base, NULL);
  case VL_KEY_SOLIDS:
    return read_solids(r, key, node, field, (int *)((char *)base + key->count));
  case VL_KEY_SHAPES:
    return read_shapes(r, key, node, field, (int *)((char *)base + key->count));
  case VL_KEY_VECTOR:
    return read_vector(r, key, node, field);
  case VL_KEY_TEXT:
    return keep_text(r, node->text, field);
  case VL_KEY_NAME:
    return read_name(r, key, node, field);
  case VL_KEY_FILE:
    return read_file(r, key, node, field);
  default:
    return read_scalar(r, key, node, field);
  }
}

/* Shapes other than this one that take the key, as "capsule, cylinder"; empty: none. */
static void list_kinds(const char *name, char *out, size_t size)
{
  out[0] = 0;
  for (int kind = 0; kind < VL_SHAPE_KIND_COUNT; kind++) {
    if (!vl_key_find((vlScope){.group = VL_GROUP_SHAPE, .kind = kind}, name)) continue;
    size_t used = strlen(out);
    snprintf(out + used, size - used, "%s%s", used ? ", " : "", vl_shape_words[kind]);
  }
}

/* A section in which the key would be right; NULL: none. */
static const vlKey *find_elsewhere(vlScope scope, const char *name)
{
  for (int i = 0; i < vl_key_count && scope.group != VL_GROUP_SHAPE; i++)
    if (vl_keys[i].group != VL_GROUP_SHAPE && vl_keys[i].group != VL_GROUP_SOLID && strcmp(vl_keys[i].name, name) == 0)
      return &vl_keys[i];
  return NULL;
}

static vlCode fail_unknown(Reader *r, const vlNode *node, vlScope scope)
{
  char list[TEXT_ROOM], kinds[TEXT_ROOM];
  bool shape = scope.group == VL_GROUP_SHAPE;
  list_kinds(node->key, kinds, sizeof kinds);
  if (shape && *kinds)
    vl_tree_fail(r->tree, r->status, node, VL_AT_KEY, "shape %s does not take this key; it is for: %s",
                 vl_shape_words[scope.kind], kinds);
  else if (shape && vl_key_find((vlScope){.group = VL_GROUP_SOLID}, node->key))
    vl_tree_fail(r->tree, r->status, node, VL_AT_KEY, "only the entries of solids take this key");
  else
    vl_tree_fail(r->tree, r->status, node, VL_AT_KEY, "unknown key");
  vl_scope_list(scope, false, list, sizeof list);
  if (shape)
    vl_tree_note(r->status, "keys of shape %s: %s", vl_shape_words[scope.kind], list);
  else
    vl_tree_note(r->status, "keys allowed here: %s", list);
  const char *near = vl_scope_nearest(scope, node->key);
  const vlKey *elsewhere = near ? NULL : find_elsewhere(scope, node->key);
  char path[64];
  if (near) vl_tree_note(r->status, "did you mean '%s'?", near);
  if (elsewhere) vl_tree_note(r->status, "did you mean '%s'?", vl_key_path(elsewhere, path, sizeof path));
  return VL_ERROR_SCENE;
}

/* Of two keys that exclude each other the one from a setting wins; two of the same rank are a mistake. */
static vlCode read_unless_excluded(Reader *r, const vlKey *key, const vlNode *node, void *base)
{
  const vlNode *other = key->excludes ? vl_node_find(node->parent, key->excludes) : NULL;
  if (!other) return read_value(r, key, node, base);
  if (node->setting < 0 && other->setting >= 0) return VL_OK;
  if (node->setting >= 0 && other->setting < 0) return read_value(r, key, node, base);
  const vlNode *later = node->index > other->index ? node : other;
  return vl_tree_fail(r->tree, r->status, later, VL_AT_KEY, "%s is given too; only one of %s and %s may be",
                      later == node ? key->excludes : key->name, key->name, key->excludes);
}

static vlCode check_required(Reader *r, const vlNode *node, vlScope scope)
{
  if (scope.group != VL_GROUP_SHAPE) return VL_OK;
  for (int i = 0; i < vl_key_count; i++) {
    const vlKey *key = &vl_keys[i];
    bool needed = key->group == VL_GROUP_SHAPE && (key->required >> scope.kind) & 1u;
    if (!needed || vl_node_find(node, key->name)) continue;
    char list[TEXT_ROOM];
    vl_tree_fail(r->tree, r->status, node, VL_AT_VALUE, "%s is missing", key->name);
    vl_tree_note(r->status, "shape %s needs: %s", vl_shape_words[scope.kind], vl_scope_list(scope, true, list, sizeof list));
    return vl_tree_note(r->status, "for example: %s: %s", key->name, key->example);
  }
  return VL_OK;
}

static vlCode read_mapping(Reader *r, const vlNode *node, vlScope scope, void *base, vlSolidDef *solid)
{
  vlCode code = VL_OK;
  for (const vlNode *child = node->first; child && code == VL_OK; child = child->next) {
    const vlKey *key = vl_key_find(scope, child->key);
    if (key)
      code = read_unless_excluded(r, key, child, key->group == VL_GROUP_SOLID ? (void *)solid : base);
    else
      code = fail_unknown(r, child, scope);
  }
  return code == VL_OK ? check_required(r, node, scope) : code;
}

static vlCode read_shape(Reader *r, const vlNode *node, vlShape *shape, vlSolidDef *solid)
{
  char list[TEXT_ROOM];
  vl_group_defaults(VL_GROUP_SHAPE, shape);
  shape->where = vl_tree_source(r->tree, node);
  const vlKey *key = vl_key_find((vlScope){.group = VL_GROUP_SHAPE}, "shape");
  const vlNode *word = vl_node_find(node, key->name);
  vl_key_allowed_text(key, list, sizeof list);
  if (node->kind != VL_NODE_MAP)
    return vl_tree_fail(r->tree, r->status, node, VL_AT_VALUE, "a shape is a mapping, as in {shape: sphere, radius: 0.1}");
  if (!word) {
    vl_tree_fail(r->tree, r->status, node, VL_AT_VALUE, "shape is missing");
    return vl_tree_note(r->status, "allowed: %s", list);
  }
  vlCode code = read_value(r, key, word, shape);
  if (code != VL_OK) return code;
  vlScope scope = {.group = VL_GROUP_SHAPE, .kind = (int)shape->kind, .solid = solid != NULL};
  return read_mapping(r, node, scope, shape, solid);
}

vlCode vl_scene_read(vlScene *scene, const vlTree *tree, const char *folder, vlStatus *status)
{
  Reader reader = {tree, folder, status};
  return read_mapping(&reader, tree->root, (vlScope){.group = VL_GROUP_SCENE}, scene, NULL);
}
