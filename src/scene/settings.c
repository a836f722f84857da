/* Settings of the command line, "grid.cells=32" or "solids.rock.scale=2": each changes one place of the tree.
 *
 * A path is keys separated by points; [i] picks an entry of a list, and in a list of named things a name does too.
 * Mappings on the way that are not there yet are made, so that a setting works for every key of the table. The value is
 * parsed as YAML. Whether the key exists and the value fits is found later, with all other keys; those messages start
 * with the setting instead of file and line.
 * In: the tree of the file, the settings. Out: the changed tree, or a message. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene/tree.h"

typedef struct Step {
  char name[80]; /* a key or a name; empty: an index */
  long index;
} Step;

/* Reads the next step of the path up to `end`; NULL: malformed. */
static const char *read_step(const char *c, const char *end, bool first, Step *step)
{
  *step = (Step){.index = -1};
  if (*c == '[' && !first) {
    char *after;
    if (!isdigit((unsigned char)c[1])) return NULL;
    step->index = strtol(c + 1, &after, 10);
    return *after == ']' && after < end ? after + 1 : NULL;
  }
  if (!first && *c++ != '.') return NULL;
  size_t n = 0;
  while (c + n < end && c[n] != '.' && c[n] != '[') n++;
  if (n == 0 || n >= sizeof step->name) return NULL;
  memcpy(step->name, c, n);
  return c + n;
}

const vlNode *vl_tree_find(const vlTree *tree, const char *path, bool *found)
{
  const vlNode *node = tree->root;
  const char *c = path, *end = path + strlen(path);
  while (c < end) {
    Step step;
    const char *after = read_step(c, end, c == path, &step);
    const vlNode *next = NULL;
    if (after && *step.name) next = vl_node_find(node, step.name);
    if (after && !*step.name && node->kind == VL_NODE_LIST) next = vl_node_item(node, (int)step.index);
    if (!next) break;
    node = next;
    c = after;
  }
  *found = c == end;
  return node;
}

static vlNode *find_named(const vlNode *list, const char *name)
{
  for (vlNode *item = list->first; item; item = item->next) {
    const vlNode *own = vl_node_find(item, "name");
    if (own && own->kind == VL_NODE_SCALAR && strcmp(own->text, name) == 0) return item;
  }
  return NULL;
}

/* What the entries of a list are called. */
static vlCode note_names(const vlNode *list, const char *where, const char *name, vlStatus *status)
{
  enum { MOST = 16 };
  const char *names[MOST];
  char all[400] = "";
  int count = 0;
  for (const vlNode *item = list->first; item && count < MOST; item = item->next) {
    const vlNode *own = vl_node_find(item, "name");
    if (!own || own->kind != VL_NODE_SCALAR) continue;
    size_t used = strlen(all);
    snprintf(all + used, sizeof all - used, "%s%.40s", count ? ", " : "", own->text);
    names[count++] = own->text;
  }
  if (!count) return vl_tree_note(status, "its %d entries have no names; write %s[0] for the first", list->count, where);
  vl_tree_note(status, "its names: %s", all);
  const char *near = vl_nearest(name, names, count);
  return near ? vl_tree_note(status, "did you mean '%.40s'?", near) : VL_ERROR_SCENE;
}

static vlCode fail_step(const vlTree *tree, int setting, const vlNode *at, const Step *step, vlStatus *status)
{
  char path[VL_TREE_PATH];
  const char *where = at->parent ? vl_node_path(at, path) : "the scene";
  if (at->kind == VL_NODE_LIST && !*step->name)
    return vl_tree_fail_at(tree, status, setting, 0, "%s has %d entries, counted from 0; there is no [%ld]", where,
                           at->count, step->index);
  if (at->kind == VL_NODE_LIST) {
    vl_tree_fail_at(tree, status, setting, 0, "%s has no entry named '%s'", where, step->name);
    return note_names(at, where, step->name, status);
  }
  if (at->kind == VL_NODE_MAP) return vl_tree_fail_at(tree, status, setting, 0, "%s is not a list", where);
  return vl_tree_fail_at(tree, status, setting, 0, "%s is a single value and has nothing below it", where);
}

/* The child that a step leads to, made when it is a key that is not there. */
static vlCode follow(vlTree *tree, int setting, vlNode *at, const Step *step, vlNode **child, vlStatus *status)
{
  *child = NULL;
  if (at->kind == VL_NODE_LIST)
    *child = *step->name ? find_named(at, step->name)
                         : vl_node_item(at, (int)(step->index < at->count ? step->index : at->count));
  else if (at->kind == VL_NODE_MAP && *step->name)
    *child = vl_node_find(at, step->name);
  if (*child) return VL_OK;
  if (at->kind != VL_NODE_MAP || !*step->name) return fail_step(tree, setting, at, step, status);

  vlNode *made = vl_tree_node(tree, VL_NODE_MAP, setting, 0);
  char *key = vl_arena_alloc(tree->arena, sizeof step->name);
  if (!made || !key) return vl_fail_memory(status, sizeof *made, "the settings");
  memcpy(key, step->name, sizeof step->name);
  made->key = key;
  vl_node_append(at, made);
  *child = made;
  return VL_OK;
}

/* Gives `node` the value of `from`; its place in the tree stays. */
static void replace(vlNode *node, const vlNode *from)
{
  node->kind = from->kind;
  node->setting = from->setting;
  node->at = node->key_at = from->at;
  node->text = from->text;
  node->length = from->length;
  node->quoted = from->quoted;
  node->first = from->first;
  node->last = from->last;
  node->count = from->count;
  for (vlNode *child = node->first; child; child = child->next) child->parent = node;
}

static vlCode apply_setting(vlTree *tree, int setting, vlStatus *status)
{
  const char *text = tree->settings[setting].text;
  const char *equal = strchr(text, '=');
  if (!equal || equal == text)
    return vl_tree_fail_at(tree, status, setting, 0, "a setting is written key=value, as in grid.cells=32");
  vlNode *node = tree->root;
  vlCode code = VL_OK;
  for (const char *c = text; code == VL_OK && c < equal;) {
    Step step;
    c = read_step(c, equal, c == text, &step);
    if (!c) return vl_tree_fail_at(tree, status, setting, 0, "a key is written as in grid.cells or solids[0].radius");
    code = follow(tree, setting, node, &step, &node, status);
  }
  if (code != VL_OK) return code;

  vlNode *value = NULL;
  size_t length = strlen(equal + 1);
  for (size_t at = 0; at < length; at += vl_utf8_length(equal + 1 + at, length - at))
    if (!vl_utf8_length(equal + 1 + at, length - at))
      return vl_tree_fail_at(tree, status, setting, 0, "the value is not UTF-8 text");
  if (length > VL_TREE_BYTES) return vl_tree_fail_at(tree, status, setting, 0, "the value is too long");
  code = vl_tree_parse(tree, equal + 1, length, setting, &value, status);
  if (code != VL_OK) return code;
  if (!value) return vl_tree_fail_at(tree, status, setting, 0, "the value is missing");
  replace(node, value);
  return VL_OK;
}

vlCode vl_tree_apply_settings(vlTree *tree, vlStatus *status)
{
  vlCode code = VL_OK;
  for (int i = 0; i < tree->setting_count && code == VL_OK; i++) code = apply_setting(tree, i, status);
  return code;
}
