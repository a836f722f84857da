/* The tree of a scene file into vlScene, driven by the table of keys.
 *
 * A mapping is read in the order of the file: each key is looked up among those that may stand there, its value is
 * checked by type and range and stored at the row's offset; afterwards keys that are needed and missing, and keys that
 * exclude each other, are reported. Shapes and probes first look at what kind they are, which decides what else they take.
 * In: tree and defaults. Out: the filled scene, or the first mistake with its place. */
#include "scene/read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scene/builtin.h"
#include "scene/keys.h"

typedef struct Reader {
  const vlTree *tree;
  const char *folder;
  bool builtin; /* the scene is built in */
  vlStatus *status;
} Reader;

/* Entries of a list. */
typedef struct Entries {
  size_t bytes;  /* of one */
  vlScope scope; /* of its keys, but for its kind */
  size_t base;   /* offset of what the keys of scope.group fill; those of scope.also fill the entry itself */
  size_t where;  /* offset of the vlSource from there */
  const char *example;
} Entries;

enum { TEXT_ROOM = 512, SHOWN = 60, SHOWN_ROOM = 4 * SHOWN + 4 };

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

static bool is_slab(const vlTree *tree)
{
  char why[VL_WHY];
  bool slab = false;
  const vlNode *node = vl_node_find(vl_node_find(tree->root, "grid"), "slab");
  const vlKey *key = vl_key_find((vlScope){.group = VL_GROUP_GRID}, "slab");
  return node && node->kind == VL_NODE_SCALAR && vl_key_store(key, node->text, node->length, &slab, why) && slab;
}

/* Examples are written for boxes; places in a slab have z = 0. */
static vlCode note_example(Reader *r, const vlKey *key)
{
  bool place = key->type == VL_KEY_VECTOR && key->dimension == VL_DIM_LENGTH && is_slab(r->tree);
  const char *end = place ? strrchr(key->example, ',') : NULL;
  if (!end) return vl_tree_note(r->status, "for example: %s: %s", key->name, key->example);
  int length = (int)(end - key->example);
  if (key->flat)
    return vl_tree_note(r->status, "for example: %s: %.*s], with two entries because the scene is a slab", key->name, length,
                        key->example);
  if (strcmp(key->name, "size") == 0) return vl_tree_note(r->status, "for example: %s: %s", key->name, key->example);
  return vl_tree_note(r->status, "for example: %s: %.*s, 0]; the scene is a slab, and z = 0 is its middle plane", key->name,
                      length, key->example);
}

static vlCode fail_type(Reader *r, const vlKey *key, const vlNode *node)
{
  static const char *const wanted[] = {
      [VL_KEY_SECTION] = "a mapping of keys",
      [VL_KEY_SOLIDS] = "a list of shapes",
      [VL_KEY_SOURCES] = "a list of shapes",
      [VL_KEY_PROBES] = "a list of probes",
      [VL_KEY_SHAPES] = "a list of shapes",
      [VL_KEY_NUMBER] = "a number",
      [VL_KEY_INTEGER] = "a whole number",
      [VL_KEY_SWITCH] = "yes or no",
      [VL_KEY_WORD] = "a word",
      [VL_KEY_WORDS] = "a word or a list of words",
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
  return note_example(r, key);
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
    return note_example(r, key);
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

static const vlBuiltinMesh *find_builtin_mesh(const char *name)
{
  for (int i = 0; i < vl_builtin_mesh_count; i++)
    if (strcmp(vl_builtin_meshes[i].name, name) == 0) return &vl_builtin_meshes[i];
  return NULL;
}

static vlCode check_readable(Reader *r, const vlNode *node, const char *path, bool as_given)
{
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

/* A file before a mesh that is built in, except for the scenes that are built in themselves. */
static vlCode read_file(Reader *r, const vlKey *key, const vlNode *node, vlShape *shape)
{
  if (!node->length) return fail_type(r, key, node);
  bool as_given = !r->folder || node->setting >= 0 || node->text[0] == '/';
  size_t room = node->length + 1 + (as_given ? 0 : strlen(r->folder) + 1);
  char *path = malloc(room);
  if (!path) return vl_fail_memory(r->status, room, "the scene");
  snprintf(path, room, "%s%s%s", as_given ? "" : r->folder, as_given ? "" : "/", node->text);
  free(shape->file);
  shape->file = path;

  const vlBuiltinMesh *own = find_builtin_mesh(node->text);
  bool own_first = r->builtin && node->setting < 0;
  if (!own || (!own_first && access(path, F_OK) == 0)) return check_readable(r, node, path, as_given);
  shape->data = (const char *)own->data;
  shape->data_length = own->length;
  return keep_text(r, node->text, &shape->file);
}

static vlCode check_count(Reader *r, const vlKey *key, const vlNode *node)
{
  if (node->kind != VL_NODE_LIST) return fail_type(r, key, node);
  if (node->count >= key->range.lo) return VL_OK;
  vl_tree_fail(r->tree, r->status, node, VL_AT_VALUE, "this list has %d entries", node->count);
  note_allowed(r, key);
  return VL_ERROR_SCENE;
}

static vlCode read_words(Reader *r, const vlKey *key, const vlNode *node, void *base)
{
  for (int i = 0; key->words[i]; i++) *(bool *)((char *)base + key->switches[i]) = false;
  if (node->kind != VL_NODE_LIST) return read_scalar(r, key, node, base);
  vlCode code = check_count(r, key, node);
  for (const vlNode *item = node->first; item && code == VL_OK; item = item->next) code = read_scalar(r, key, item, base);
  return code;
}

static vlCode check_unique_name(Reader *r, const vlNode *list, const vlNode *item)
{
  char path[VL_TREE_PATH];
  const vlNode *name = vl_node_find(item, "name");
  for (const vlNode *other = list->first; other != item && name; other = other->next) {
    const vlNode *taken = vl_node_find(other, "name");
    if (taken && strcmp(taken->text, name->text) == 0)
      return vl_tree_fail(r->tree, r->status, name, VL_AT_VALUE, "%s: %s has this name too", name->text,
                          vl_node_path(other, path));
  }
  return VL_OK;
}

static Entries entries_of(vlKeyType list)
{
  static const char shape[] = "{shape: sphere, radius: 0.1}";
  switch (list) {
  case VL_KEY_SOLIDS:
    return (Entries){sizeof(vlSolidDef),
                     {.group = VL_GROUP_SHAPE, .also = VL_GROUP_SOLID},
                     offsetof(vlSolidDef, shape),
                     offsetof(vlShape, where),
                     shape};
  case VL_KEY_SOURCES:
    return (Entries){sizeof(vlSourceDef),
                     {.group = VL_GROUP_SHAPE, .also = VL_GROUP_SOURCE},
                     offsetof(vlSourceDef, shape),
                     offsetof(vlShape, where),
                     shape};
  case VL_KEY_PROBES:
    return (Entries){sizeof(vlProbeDef),
                     {.group = VL_GROUP_PROBE},
                     0,
                     offsetof(vlProbeDef, where),
                     "{probe: height, position: [0.5, 0, 0.5]}"};
  default:
    return (Entries){sizeof(vlShape), {.group = VL_GROUP_SHAPE}, 0, offsetof(vlShape, where), shape};
  }
}

static vlCode read_entry(Reader *r, const vlNode *node, const Entries *of, char *entry);

/* The count grows with each entry read, so that a failure leaves nothing that vl_scene_clear would miss. */
static vlCode read_list(Reader *r, const vlKey *key, const vlNode *node, void *field, int *count)
{
  const Entries of = entries_of(key->type);
  vlCode code = check_count(r, key, node);
  if (code != VL_OK || !node->count) return code;
  char *list = calloc((size_t)node->count, of.bytes);
  if (!list) return vl_fail_memory(r->status, (size_t)node->count * of.bytes, key->name);
  memcpy(field, &list, sizeof list);
  for (const vlNode *item = node->first; item && code == VL_OK; item = item->next) {
    char *entry = list + of.bytes * (size_t)(*count)++;
    const vlKey *name = vl_key_find(of.scope, "name");
    if (name) snprintf(entry + name->offset, name->bytes, "%s[%d]", key->name, item->index);
    code = read_entry(r, item, &of, entry);
    if (code == VL_OK) code = check_unique_name(r, node, item);
  }
  return code;
}

static vlCode read_mapping(Reader *r, const vlNode *node, vlScope scope, void *base, void *also);

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
  case VL_KEY_SOURCES:
  case VL_KEY_PROBES:
  case VL_KEY_SHAPES:
    return read_list(r, key, node, field, (int *)((char *)base + key->count));
  case VL_KEY_WORDS:
    return read_words(r, key, node, base);
  case VL_KEY_VECTOR:
    return read_vector(r, key, node, field);
  case VL_KEY_TEXT:
    return keep_text(r, node->text, field);
  case VL_KEY_NAME:
    return read_name(r, key, node, field);
  case VL_KEY_FILE:
    return read_file(r, key, node, base);
  default:
    return read_scalar(r, key, node, field);
  }
}

/* Kinds of the group that take the key, as "capsule, cylinder"; empty: none. */
static void list_kinds(vlKeyGroup group, const char *name, char *out, size_t size)
{
  out[0] = 0;
  for (int kind = 0; kind < vl_group_kind_count(group); kind++) {
    if (!vl_key_find((vlScope){.group = group, .kind = kind}, name)) continue;
    size_t used = strlen(out);
    snprintf(out + used, size - used, "%s%s", used ? ", " : "", vl_kind_word(group, kind));
  }
}

/* A section in which the key would be right; NULL: none. */
static const vlKey *find_elsewhere(vlScope scope, const char *name)
{
  for (int i = 0; i < vl_key_count && !vl_group_of_entries(scope.group); i++)
    if (!vl_group_of_entries(vl_keys[i].group) && strcmp(vl_keys[i].name, name) == 0) return &vl_keys[i];
  return NULL;
}

/* The list whose shapes take the key; NULL: none. */
static const char *find_shapes_that_take(const char *name)
{
  static const vlKeyGroup lists[] = {VL_GROUP_SOLID, VL_GROUP_SOURCE};
  for (int i = 0; i < 2; i++)
    if (vl_key_find((vlScope){.group = lists[i]}, name)) return vl_group_name(lists[i]);
  return NULL;
}

static vlCode fail_unknown(Reader *r, const vlNode *node, vlScope scope)
{
  char list[TEXT_ROOM], kinds[TEXT_ROOM], path[64];
  const char *of = vl_group_kind_key(scope.group), *kind = of ? vl_kind_word(scope.group, scope.kind) : "";
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
  for (int i = 0; i < vl_key_count; i++) {
    const vlKey *key = &vl_keys[i];
    bool needed = key->group == scope.group && (key->required >> scope.kind) & 1u;
    if (!needed || vl_node_find(node, key->name)) continue;
    char list[TEXT_ROOM];
    vl_tree_fail(r->tree, r->status, node, VL_AT_VALUE, "%s is missing", key->name);
    vl_tree_note(r->status, "%s %s needs: %s", vl_group_kind_key(scope.group), vl_kind_word(scope.group, scope.kind),
                 vl_scope_list(scope, true, list, sizeof list));
    return vl_tree_note(r->status, "for example: %s: %s", key->name, key->example);
  }
  return VL_OK;
}

/* Keys of scope.group go to `base`, those of scope.also to `also`. */
static vlCode read_mapping(Reader *r, const vlNode *node, vlScope scope, void *base, void *also)
{
  vlCode code = VL_OK;
  for (const vlNode *child = node->first; child && code == VL_OK; child = child->next) {
    const vlKey *key = vl_key_find(scope, child->key);
    if (key)
      code = read_unless_excluded(r, key, child, key->group == scope.group ? base : also);
    else
      code = fail_unknown(r, child, scope);
  }
  return code == VL_OK ? check_required(r, node, scope) : code;
}

static vlCode read_entry(Reader *r, const vlNode *node, const Entries *of, char *entry)
{
  char list[TEXT_ROOM], *base = entry + of->base;
  vlScope scope = of->scope;
  vl_group_defaults(scope.group, base);
  if (scope.also) vl_group_defaults(scope.also, entry);
  vlSource where = vl_tree_source(r->tree, node);
  memcpy(base + of->where, &where, sizeof where);

  const vlKey *key = vl_key_find(scope, vl_group_kind_key(scope.group));
  const vlNode *word = vl_node_find(node, key->name);
  if (node->kind != VL_NODE_MAP)
    return vl_tree_fail(r->tree, r->status, node, VL_AT_VALUE, "a %s is a mapping, as in %s", key->name, of->example);
  if (!word) {
    vl_tree_fail(r->tree, r->status, node, VL_AT_VALUE, "%s is missing", key->name);
    for (const vlNode *child = node->first; child; child = child->next)
      if (vl_nearest(child->key, &key->name, 1)) vl_tree_note(r->status, "'%s' is called '%s' here", child->key, key->name);
    return vl_tree_note(r->status, "allowed: %s", vl_key_allowed_text(key, list, sizeof list));
  }
  vlCode code = read_value(r, key, word, base);
  if (code != VL_OK) return code;
  memcpy(&scope.kind, base + key->offset, sizeof scope.kind);
  return read_mapping(r, node, scope, base, entry);
}

vlCode vl_scene_read(vlScene *scene, const vlTree *tree, const char *folder, bool builtin, vlStatus *status)
{
  Reader reader = {tree, folder, builtin, status};
  return read_mapping(&reader, tree->root, (vlScope){.group = VL_GROUP_SCENE}, scene, NULL);
}
