/* The tree of a scene file into vlScene, driven by the table of keys.
 *
 * A mapping is read in the order of the file: each key is looked up among those that may stand there, its value is
 * checked by type and range and stored at the row's offset; afterwards keys that are needed and missing, and keys that
 * exclude each other, are reported. Shapes, bodies and probes first look at what kind they are, which decides what else they
 * take. A mistake does not end the reading: its key keeps its default, and all are told together (mistakes.c). In: tree and
 * defaults. Out: the filled scene, and mistakes with their places. */
#include "scene/check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mesh/trimesh.h"
#include "scene/scene.h"

typedef struct Reader {
  const vlTree *tree;
  const char *folder;
  bool builtin; /* the scene is built in */
  vlMistakes *mistakes;
  vlStatus *status; /* of the mistake that is being told */
} Reader;

enum { ROOM = 512, SHOWN = 60, SHOWN_ROOM = 4 * SHOWN + 4 };

static const char *node_text(const vlNode *node, char *out, size_t size)
{
  if (node->kind == VL_NODE_LIST) return "a list";
  if (node->kind == VL_NODE_MAP) return "a mapping";
  if (!node->length) return node->quoted ? "an empty text" : "nothing";
  return vl_shown(node->text, node->length, SHOWN, out, size);
}

/* grid.slab: yes, wherever it stands in the file. */
static bool is_slab(const Reader *r)
{
  char why[VL_WHY];
  bool slab = false, found;
  const vlNode *node = vl_tree_find(r->tree, "grid.slab", &found);
  const vlKey *key = vl_key_find((vlScope){.group = VL_GROUP_GRID}, "slab");
  return found && node->kind == VL_NODE_SCALAR && vl_key_store(key, node->text, node->length, &slab, why) && slab;
}

/* Examples are written for boxes; in a slab two entries are enough, but not for what is along z alone, as turns are. */
static vlCode note_example(const Reader *r, const vlKey *key)
{
  bool along_z = strncmp(key->example, "[0, 0, ", 7) == 0;
  const char *end = key->flat && !along_z && is_slab(r) ? strrchr(key->example, ',') : NULL;
  if (!end) return vl_tree_note(r->status, "for example: %s: %s", key->name, key->example);
  return vl_tree_note(r->status, "for example: %s: %.*s], with two entries because the scene is a slab", key->name,
                      (int)(end - key->example), key->example);
}

static vlCode fail_type(const Reader *r, const vlKey *key, const vlNode *node)
{
  char shown[SHOWN_ROOM], list[ROOM], expected[64];
  vl_tree_fail(r->tree, r->status, node, VL_AT_VALUE, "%s is expected here, not %s",
               vl_key_kind_text(key, true, expected, sizeof expected), node_text(node, shown, sizeof shown));
  const char *slip = node->kind == VL_NODE_SCALAR               ? node->text
                     : node->kind == VL_NODE_MAP && node->first ? node->first->key
                                                                : "";
  if (!node->quoted && vl_slip_note_word(r->status, slip)) return VL_ERROR_SCENE;
  if (key->type == VL_KEY_SECTION)
    return vl_tree_note(r->status, "its keys: %s",
                        vl_scope_list((vlScope){.group = key->section}, false, list, sizeof list));
  if (strcmp(key->name, "center") == 0 && (strcasecmp(slip, "middle") == 0 || strcasecmp(slip, "center") == 0))
    return vl_tree_note(r->status, "center is where it goes; with origin: middle the middle of a mesh goes there");
  vl_note_allowed(r->status, key);
  return note_example(r, key);
}

static vlCode fail_value(const Reader *r, const vlKey *key, const vlNode *node, const char *why)
{
  char shown[SHOWN_ROOM];
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

static vlCode fail_unknown(const Reader *r, const vlNode *node, vlScope scope)
{
  char list[ROOM], kinds[ROOM], path[64];
  const char *of = vl_groups[scope.group].kind_key, *kind = of ? vl_groups[scope.group].kind_words[scope.kind] : "";
  const char *others = scope.group == VL_GROUP_SHAPE ? find_shapes_that_take(node->key) : NULL;
  list_kinds(scope.group, node->key, kinds, sizeof kinds);
  if (*kinds)
    vl_tree_fail(r->tree, r->status, node, VL_AT_KEY, "%s %s does not take this key; it is for: %s", of, kind, kinds);
  else if (others)
    vl_tree_fail(r->tree, r->status, node, VL_AT_KEY, "only the entries of %s take this key", others);
  else
    vl_tree_fail(r->tree, r->status, node, VL_AT_KEY, "unknown key");
  if (vl_slip_note_word(r->status, node->key)) return VL_ERROR_SCENE;
  if (node->key[0] && strspn(node->key, "0123456789") == strlen(node->key))
    return vl_tree_note(r->status, "numbers have a decimal point, not a comma");
  const char *nearest, *absent = vl_scene_absent(node->key, &nearest);
  vl_scope_list(scope, false, list, sizeof list);
  if (of)
    vl_tree_note(r->status, "keys of %s %s: %s", of, kind, list);
  else
    vl_tree_note(r->status, "keys allowed here: %s", list);
  const char *near = vl_scope_nearest(scope, node->key);
  const vlKey *elsewhere = near || absent ? NULL : find_elsewhere(scope, node->key);
  const char *note = near ? vl_synonym_note(node->key, near) : NULL;
  if (near) vl_tree_note(r->status, "did you mean '%s'?%s%s", near, note ? " " : "", note ? note : "");
  if (elsewhere) vl_tree_note(r->status, "did you mean '%s'?", vl_key_path(elsewhere, path, sizeof path));
  if (absent && !near) vl_tree_note(r->status, "%s Nearest: %s", absent, nearest);
  return VL_ERROR_SCENE;
}

static vlCode read_scalar(const Reader *r, const vlKey *key, const vlNode *node, void *field)
{
  char why[VL_WHY];
  bool nothing = node->kind == VL_NODE_SCALAR && !node->length && !node->quoted;
  if (node->kind != VL_NODE_SCALAR || nothing) return fail_type(r, key, node);
  return vl_key_store(key, node->text, node->length, field, why) ? VL_OK : fail_value(r, key, node, why);
}

static vlCode read_vector(const Reader *r, const vlKey *key, const vlNode *node, char *field)
{
  size_t bytes = vl_key_entry_bytes(key);
  if (key->single && node->kind == VL_NODE_SCALAR) {
    vlCode code = read_scalar(r, key, node, field);
    for (size_t a = 1; a < 3 && code == VL_OK; a++) memcpy(field + a * bytes, field, bytes);
    return code;
  }
  if (node->kind != VL_NODE_LIST) return fail_type(r, key, node);
  bool slab = key->flat && is_slab(r);
  if (slab && key->flat == VL_FLAT_MUST && node->count != 2)
    return vl_tree_fail(r->tree, r->status, node, VL_AT_VALUE,
                        "two entries are expected: the scene is a slab, one cell thick along z");
  if (node->count != 3 && !(slab && node->count == 2)) {
    if (key->flat && node->count == 2)
      vl_tree_fail(r->tree, r->status, node, VL_AT_VALUE, "three entries are expected; two are for slabs (grid.slab: yes)");
    else
      vl_tree_fail(r->tree, r->status, node, VL_AT_VALUE, "a vector has three entries%s, this one has %d",
                   slab ? ", or two in a slab" : "", node->count);
    return note_example(r, key);
  }
  vlCode code = VL_OK;
  for (vlNode *item = node->first; item && code == VL_OK; item = item->next)
    code = vl_mistakes_keep(r->mistakes, item, read_scalar(r, key, item, field + (size_t)item->index * bytes));
  return code;
}

static vlCode keep_text(const Reader *r, const char *text, char **field)
{
  free(*field);
  *field = strdup(text);
  return *field ? VL_OK : vl_fail_memory(r->status, strlen(text), "the scene");
}

static vlCode read_name(const Reader *r, const vlKey *key, const vlNode *node, char *field)
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

/* Whether there is such a body is found when all are known. */
static vlCode read_body_name(const Reader *r, const vlKey *key, const vlNode *node, char *field)
{
  if (!node->length) return fail_type(r, key, node);
  if (node->length >= key->bytes) return fail_value(r, key, node, "there is no body of this name");
  memcpy(field, node->text, node->length + 1);
  return VL_OK;
}

static const vlBuiltinMesh *find_builtin_mesh(const char *name)
{
  for (int i = 0; i < vl_builtin_mesh_count; i++)
    if (strcmp(vl_builtin_meshes[i].name, name) == 0) return &vl_builtin_meshes[i];
  return NULL;
}

static vlCode check_readable(const Reader *r, const vlNode *node, const char *path, bool as_given)
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
  if (!vl_mesh_is_named(path)) vl_tree_note(r->status, VL_MESH_KINDS);
  if (r->status) r->status->code = VL_ERROR_FILE;
  return VL_ERROR_FILE;
}

/* The name of a mesh file and, where it is built in, what it holds: of a shape or of a body. */
typedef struct FileField {
  char **file;
  const char **data;
  size_t *data_length;
} FileField;

static FileField file_of(const vlKey *key, void *base)
{
  vlBodyDef *body = base;
  vlShape *shape = base;
  if (key->group == VL_GROUP_BODY) return (FileField){&body->file, &body->data, &body->data_length};
  return (FileField){&shape->file, &shape->data, &shape->data_length};
}

/* A file before a mesh that is built in, except for the scenes that are built in themselves. */
static vlCode read_file(const Reader *r, const vlKey *key, const vlNode *node, FileField to)
{
  if (!node->length) return fail_type(r, key, node);
  bool as_given = !r->folder || node->setting >= 0 || node->text[0] == '/';
  size_t room = node->length + 1 + (as_given ? 0 : strlen(r->folder) + 1);
  char *path = malloc(room);
  if (!path) return vl_fail_memory(r->status, room, "the scene");
  snprintf(path, room, "%s%s%s", as_given ? "" : r->folder, as_given ? "" : "/", node->text);
  free(*to.file);
  *to.file = path;

  const vlBuiltinMesh *own = find_builtin_mesh(node->text);
  bool own_first = r->builtin && node->setting < 0;
  if (!own || (!own_first && access(path, F_OK) == 0)) return check_readable(r, node, path, as_given);
  *to.data = (const char *)own->data;
  *to.data_length = own->length;
  return keep_text(r, node->text, to.file);
}

static vlCode check_count(const Reader *r, const vlKey *key, const vlNode *node)
{
  if (node->kind != VL_NODE_LIST) return fail_type(r, key, node);
  if (node->count >= key->range.lo) return VL_OK;
  vl_tree_fail(r->tree, r->status, node, VL_AT_VALUE, "this list has %d entries", node->count);
  return vl_note_allowed(r->status, key);
}

static vlCode read_words(const Reader *r, const vlKey *key, const vlNode *node, void *base)
{
  for (int i = 0; key->words[i]; i++) *(bool *)((char *)base + key->switches[i]) = false;
  if (node->kind != VL_NODE_LIST) return read_scalar(r, key, node, base);
  vlCode code = check_count(r, key, node);
  for (vlNode *item = node->first; item && code == VL_OK; item = item->next)
    code = vl_mistakes_keep(r->mistakes, item, read_scalar(r, key, item, base));
  return code;
}

static vlCode read_entry(const Reader *r, vlNode *node, vlKeyGroup group, char *entry);

/* The count grows with each entry read, so that a failure leaves nothing that vl_scene_clear would miss. */
static vlCode read_list(const Reader *r, const vlKey *key, const vlNode *node, void *field, int *count)
{
  size_t bytes = vl_groups[key->section].bytes;
  vlCode code = check_count(r, key, node);
  if (code != VL_OK || !node->count) return code;
  char *list = calloc((size_t)node->count, bytes);
  if (!list) return vl_fail_memory(r->status, (size_t)node->count * bytes, key->name);
  memcpy(field, &list, sizeof list);
  for (vlNode *item = node->first; item && code == VL_OK; item = item->next)
    code = vl_mistakes_keep(r->mistakes, item, read_entry(r, item, key->section, list + bytes * (size_t)(*count)++));
  return code;
}

static vlCode read_mapping(const Reader *r, vlNode *node, vlScope scope, vlKeyGroup group, void *entry);

static vlCode read_value(const Reader *r, const vlKey *key, vlNode *node, void *base)
{
  void *field = (char *)base + key->offset;
  bool text = key->type == VL_KEY_TEXT || key->type == VL_KEY_NAME || key->type == VL_KEY_BODY || key->type == VL_KEY_FILE;
  if (text && node->kind != VL_NODE_SCALAR) return fail_type(r, key, node);
  if (key->given) *(bool *)((char *)base + key->given) = true;
  switch (key->type) {
  case VL_KEY_SECTION:
    if (node->kind != VL_NODE_MAP) return fail_type(r, key, node);
    return read_mapping(r, node, vl_group_scope(key->section), key->section, base);
  case VL_KEY_LIST:
    return read_list(r, key, node, field, (int *)((char *)base + key->count));
  case VL_KEY_WORDS:
    return read_words(r, key, node, base);
  case VL_KEY_COUNTS:
  case VL_KEY_VECTOR:
    return read_vector(r, key, node, field);
  case VL_KEY_TEXT:
    return keep_text(r, node->text, field);
  case VL_KEY_NAME:
    return read_name(r, key, node, field);
  case VL_KEY_BODY:
    return read_body_name(r, key, node, field);
  case VL_KEY_FILE:
    if (key->group == VL_GROUP_BODY) ((vlBodyDef *)base)->solid.where = vl_tree_source(r->tree, node);
    return read_file(r, key, node, file_of(key, base));
  default:
    return read_scalar(r, key, node, field);
  }
}

/* Of two keys that exclude each other the one from a setting wins; two of the same rank are a mistake. */
static vlCode read_unless_excluded(const Reader *r, const vlKey *key, vlNode *node, void *base)
{
  const vlNode *other = key->excludes ? vl_node_find(node->parent, key->excludes) : NULL;
  if (!other) return read_value(r, key, node, base);
  if (node->setting < 0 && other->setting >= 0) return VL_OK;
  if (node->setting >= 0 && other->setting < 0) return read_value(r, key, node, base);
  const vlNode *later = node->index > other->index ? node : other;
  return vl_tree_fail(r->tree, r->status, later, VL_AT_KEY, "%s is given too; only one of %s and %s may be",
                      later == node ? key->excludes : key->name, key->name, key->excludes);
}

static vlCode fail_required(const Reader *r, const vlNode *node, vlScope scope, const vlKey *key)
{
  char list[ROOM];
  const vlGroup *group = &vl_groups[scope.group];
  vl_tree_fail(r->tree, r->status, node, VL_AT_VALUE, "%s is missing", key->name);
  if (group->kind_key)
    vl_tree_note(r->status, "%s %s needs: %s", group->kind_key, group->kind_words[scope.kind],
                 vl_scope_list(scope, true, list, sizeof list));
  return vl_tree_note(r->status, "for example: %s: %s", key->name, key->example);
}

/* Is a key there that has been told of already, and may be this one with a slip? */
static bool is_mistyped(const vlNode *node, vlScope scope, const vlKey *key)
{
  for (const vlNode *child = node->first; child; child = child->next) {
    const char *near = vl_key_find(scope, child->key) ? NULL : vl_scope_nearest(scope, child->key);
    if (near && strcmp(near, key->name) == 0) return true;
  }
  return false;
}

static vlCode check_required(const Reader *r, vlNode *node, vlScope scope)
{
  vlCode code = VL_OK;
  for (int i = 0; i < vl_key_count && code == VL_OK; i++) {
    const vlKey *key = &vl_keys[i];
    if (key->group != scope.group || !vl_key_required(key, scope.kind) || vl_node_find(node, key->name)) continue;
    if (is_mistyped(node, scope, key))
      node->mistaken = true;
    else
      code = vl_mistakes_keep(r->mistakes, node, fail_required(r, node, scope, key));
  }
  return code;
}

static vlCode read_mapping(const Reader *r, vlNode *node, vlScope scope, vlKeyGroup group, void *entry)
{
  vlCode code = VL_OK;
  for (vlNode *child = node->first; child && code == VL_OK; child = child->next) {
    const vlKey *key = vl_key_find(scope, child->key);
    if (key)
      code = read_unless_excluded(r, key, child, vl_key_base(key, group, entry));
    else
      code = fail_unknown(r, child, scope);
    code = vl_mistakes_keep(r->mistakes, child, code);
  }
  return code == VL_OK ? check_required(r, node, scope) : code;
}

static vlCode fail_kind(const Reader *r, const vlKey *key, const vlNode *node)
{
  vl_tree_fail(r->tree, r->status, node, VL_AT_VALUE, "%s is missing", key->name);
  for (const vlNode *child = node->first; child; child = child->next)
    if (vl_nearest(child->key, &key->name, 1)) vl_tree_note(r->status, "'%s' is called '%s' here", child->key, key->name);
  return vl_note_allowed(r->status, key);
}

static vlCode read_entry(const Reader *r, vlNode *node, vlKeyGroup group, char *entry)
{
  vlScope scope = vl_group_scope(group);
  const vlGroup *as = &vl_groups[scope.group];
  vl_group_defaults(group, entry);
  vlSource where = vl_tree_source(r->tree, node);
  memcpy(entry + vl_groups[group].where, &where, sizeof where);

  if (node->kind != VL_NODE_MAP)
    return vl_tree_fail(r->tree, r->status, node, VL_AT_VALUE, "a %s is a mapping, as in %s", as->one, as->example);
  if (as->kind_key) {
    const vlKey *key = vl_key_find(scope, as->kind_key);
    vlNode *word = vl_node_find(node, key->name);
    char *base = vl_key_base(key, group, entry);
    vlCode code = word ? read_value(r, key, word, base) : fail_kind(r, key, node);
    if (code != VL_OK) return code;
    memcpy(&scope.kind, base + key->offset, sizeof scope.kind);
  }
  return read_mapping(r, node, scope, group, entry);
}

vlCode vl_scene_read(vlScene *scene, const vlTree *tree, const char *folder, bool builtin, vlMistakes *mistakes)
{
  const Reader reader = {tree, folder, builtin, mistakes, &mistakes->one};
  vlCode code = read_mapping(&reader, tree->root, (vlScope){.group = VL_GROUP_SCENE}, VL_GROUP_SCENE, scene);
  return vl_mistakes_keep(mistakes, tree->root, code);
}
