/* The check of a scene by the table of keys.
 *
 * The scene is walked key by key, with its sections and lists: numbers must be finite and in the range of their row, words
 * and axes among those there are, lists long enough, names told apart. A file's values have passed this when they were read;
 * a program's have not. Three exceptions: a key that may be left out may hold what is stored then (time.dt_max: infinite),
 * of two that exclude each other one may be 0 beside the other, and a row may say that 0 is fine. Then come the rules of
 * each group (rules.c), unless something in the group is mistaken already; of a mistaken grid nothing else can be judged.
 * In: the scene, and the tree of its file where there is one. Out: the completed scene, and mistakes. */
#include "scene/check.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "scene/scene.h"

enum { MANY_ENTRIES = 2000 }; /* their places in the file would take long to find */

/* at.key, or one of them alone; cut where it does not fit. */
static const char *join(const char *at, const char *key, char path[static VL_TREE_PATH])
{
  int n = snprintf(path, VL_TREE_PATH, "%s", at);
  if (n < VL_TREE_PATH) snprintf(path + n, (size_t)(VL_TREE_PATH - n), "%s%s", *at && *key ? "." : "", key);
  return path;
}

vlCode vl_check_fail(const vlCheck *c, const char *at, const char *key, vlPlace place, const char *format, ...)
{
  char what[1024], path[VL_TREE_PATH];
  bool found;
  va_list args;
  va_start(args, format);
  vsnprintf(what, sizeof what, format, args);
  va_end(args);
  join(at, key, path);
  if (c->tree) return vl_tree_fail(c->tree, c->status, vl_tree_find(c->tree, path, &found), place, "%s", what);
  return vl_fail(c->status, VL_ERROR_SCENE, "%s: %s", path, what);
}

vlCode vl_note_allowed(vlStatus *status, const vlKey *key)
{
  char allowed[512];
  if (*vl_key_allowed_text(key, allowed, sizeof allowed)) vl_tree_note(status, "allowed: %s", allowed);
  return VL_ERROR_SCENE;
}

bool vl_check_given(const vlCheck *c, const char *at, const char *key)
{
  char path[VL_TREE_PATH];
  bool found = false;
  if (c->tree) vl_tree_find(c->tree, join(at, key, path), &found);
  return found;
}

bool vl_check_mistaken(const vlCheck *c, const char *at, const char *key)
{
  char path[VL_TREE_PATH];
  bool found = false;
  if (!c->tree || c->mistakes->read == 0) return false;
  const vlNode *node = vl_tree_find(c->tree, join(at, key, path), &found);
  return found && vl_node_mistaken(node);
}

static vlCode keep(const vlCheck *c, vlCode code) { return vl_mistakes_keep(c->mistakes, NULL, code); }

/* The struct whose values are checked. */
typedef struct Place {
  const char *at; /* its path */
  vlScope scope;
  char *base; /* of the key's offsets */
} Place;

static double number_at(const vlKey *key, const char *base, int entry)
{
  const char *field = base + key->offset;
  double x;
  int n;
  if (key->type == VL_KEY_NUMBER || key->type == VL_KEY_VECTOR) {
    memcpy(&x, field + (size_t)entry * sizeof x, sizeof x);
    return x;
  }
  memcpy(&n, field + (size_t)entry * sizeof n, sizeof n);
  return n;
}

/* A number that is out of range, and fine in a program's scene. */
static bool is_excused(const vlKey *key, Place p, double x)
{
  const vlKey *other = key->excludes ? vl_key_find(p.scope, key->excludes) : NULL;
  if (x == 0.0 && (key->zero >> p.scope.kind) & 1u) return true;
  if (!key->value && !vl_key_required(key, p.scope.kind)) return x == key->unset;
  return other && x == 0.0 && number_at(other, p.base, 0) != other->unset;
}

static vlCode fail_number(const vlCheck *c, const vlKey *key, const char *path, double x)
{
  char text[32];
  vl_quantity_text(x, text);
  if (isfinite(x))
    vl_check_fail(c, path, "", VL_AT_VALUE, "%s: out of range", text);
  else
    vl_check_fail(c, path, "", VL_AT_VALUE, "%s: not a finite number; %s is expected", text,
                  vl_dimension_name(key->dimension));
  return vl_note_allowed(c->status, key);
}

static vlCode check_numbers(const vlCheck *c, const vlKey *key, Place p)
{
  char path[VL_TREE_PATH], name[64];
  int count = vl_key_entry_bytes(key) ? 3 : 1;
  for (int i = 0; i < count; i++) {
    double x = number_at(key, p.base, i);
    bool flat = i == 2 && c->scene->grid.slab;
    if (flat && key->flat == VL_FLAT_ZERO && x != 0.0)
      return vl_check_fail(c, p.at, key->name, VL_AT_VALUE, "the z entry must be 0 in a slab");
    if (vl_key_allows(key, x) || (flat && key->flat && x == 0.0) || is_excused(key, p, x)) continue;
    snprintf(name, sizeof name, count > 1 ? "%s[%d]" : "%s", key->name, i);
    return fail_number(c, key, join(p.at, name, path), x);
  }
  return VL_OK;
}

static vlCode check_word(const vlCheck *c, const vlKey *key, Place p)
{
  if (key->bytes == sizeof(bool)) return VL_OK;
  int value = (int)number_at(key, p.base, 0), count = 0;
  while (key->words[count]) count++;
  if (value >= 0 && value < count) return VL_OK;
  vl_check_fail(c, p.at, key->name, VL_AT_VALUE, "%d: not one of the words allowed here", value);
  return vl_note_allowed(c->status, key);
}

static vlCode check_axes(const vlCheck *c, const vlKey *key, Place p)
{
  int axes = (int)number_at(key, p.base, 0);
  if (axes >= 1 && axes <= 7) return VL_OK;
  return vl_check_fail(c, p.at, key->name, VL_AT_VALUE, "%d: a sum of 1 (x), 2 (y) and 4 (z) is expected", axes);
}

/* Names tell the entries of a list apart, in messages, settings, probes and files. */
static vlCode check_name(const vlCheck *c, const vlKey *list, const char *at, const vlKey *key, const char *first, int index)
{
  size_t bytes = vl_groups[list->section].bytes;
  const char *name = first + key->offset + bytes * (size_t)index;
  for (int i = 0; i < index; i++)
    if (strncmp(first + key->offset + bytes * (size_t)i, name, key->bytes) == 0)
      return vl_check_fail(c, at, key->name, VL_AT_VALUE, "%.63s: %s[%d] has this name too", name, list->name, i);
  return VL_OK;
}

static vlCode check_group(const vlCheck *c, const char *at, vlKeyGroup group, void *entry);

static vlCode check_list(const vlCheck *c, const vlKey *key, Place p)
{
  const vlKey *name = vl_key_find(vl_group_scope(key->section), "name");
  int count;
  char *list, path[VL_TREE_PATH], index[96];
  memcpy(&count, p.base + key->count, sizeof count);
  memcpy(&list, p.base + key->offset, sizeof list);
  if (count < key->range.lo && (count != 0 || vl_key_required(key, p.scope.kind))) {
    vl_check_fail(c, p.at, key->name, VL_AT_VALUE, "this list has %d entries", count);
    return vl_note_allowed(c->status, key);
  }
  vlCode code = VL_OK;
  if (c->mistakes->read > 0 && count > MANY_ENTRIES) return VL_OK; /* once those are mended */
  for (int i = 0; i < count && code == VL_OK; i++) {
    char *entry = list + vl_groups[key->section].bytes * (size_t)i;
    snprintf(index, sizeof index, "%s[%d]", key->name, i);
    join(p.at, index, path);
    if (name && !entry[name->offset]) snprintf(entry + name->offset, name->bytes, "%s", index);
    if (name) code = keep(c, check_name(c, key, path, name, list, i));
    if (code == VL_OK) code = check_group(c, path, key->section, entry);
  }
  return code;
}

static vlCode check_key(const vlCheck *c, const vlKey *key, Place p)
{
  char path[VL_TREE_PATH];
  if (key->given && !*(const bool *)(p.base + key->given)) return VL_OK;
  switch (key->type) {
  case VL_KEY_SECTION:
    return check_group(c, join(p.at, key->name, path), key->section, p.base);
  case VL_KEY_LIST:
    return check_list(c, key, p);
  case VL_KEY_NUMBER:
  case VL_KEY_INTEGER:
  case VL_KEY_COUNTS:
  case VL_KEY_VECTOR:
    return check_numbers(c, key, p);
  case VL_KEY_WORD:
    return check_word(c, key, p);
  case VL_KEY_AXES:
    return check_axes(c, key, p);
  default:
    return VL_OK;
  }
}

/* Which keys an entry has depends on its kind, so that is looked at first. */
static vlCode check_kind(const vlCheck *c, Place *p)
{
  const char *kind_key = vl_groups[p->scope.group].kind_key;
  const vlKey *key = kind_key ? vl_key_find(p->scope, kind_key) : NULL;
  if (!key) return VL_OK;
  vlCode code = check_word(c, key, *p);
  if (code == VL_OK) p->scope.kind = (int)number_at(key, p->base, 0);
  return code;
}

static bool is_nested(const vlKey *key) { return key->type == VL_KEY_SECTION || key->type == VL_KEY_LIST; }

/* What the table says of the keys of one group, and of all below them. */
static vlCode check_keys(const vlCheck *c, Place p, bool *sound)
{
  vlCode code = check_kind(c, &p);
  if (code != VL_OK) {
    *sound = false;
    return keep(c, code);
  }
  for (int i = 0; i < vl_key_count && code == VL_OK && !c->mistakes->stop; i++) {
    const vlKey *key = &vl_keys[i];
    if (!vl_key_in_scope(key, p.scope)) continue;
    bool mistaken = vl_check_mistaken(c, p.at, key->name);
    if (mistaken) *sound = false;
    if (!mistaken || is_nested(key)) code = keep(c, check_key(c, key, p));
  }
  return code;
}

/* The keys of one group, or of a shape that is part of an entry. */
static vlCode check_part(const vlCheck *c, const char *at, vlKeyGroup group, void *base)
{
  int before = c->mistakes->count;
  bool sound = true;
  if (vl_rules[group].complete) vl_rules[group].complete(c, base);
  vlCode code = check_keys(c, (Place){at, {.group = group}, base}, &sound);
  sound = sound && c->mistakes->count == before;
  if (code == VL_OK && sound && vl_rules[group].check) code = keep(c, vl_rules[group].check(c, at, base));
  if (group == VL_GROUP_GRID && !sound) c->mistakes->stop = true;
  return code;
}

/* Is the entry itself mistaken: no mapping, of no kind, or without a key that it needs? */
static bool is_lost(const vlCheck *c, const char *at)
{
  bool found = false;
  if (!c->tree || c->mistakes->read == 0) return false;
  const vlNode *node = vl_tree_find(c->tree, at, &found);
  return found && node->mistaken;
}

static vlCode check_group(const vlCheck *c, const char *at, vlKeyGroup group, void *entry)
{
  vlCode code = VL_OK;
  if (*at && is_lost(c, at)) return VL_OK;
  if (vl_groups[group].is_shape) code = check_part(c, at, VL_GROUP_SHAPE, (char *)entry + vl_groups[group].shape);
  return code == VL_OK ? check_part(c, at, group, entry) : code;
}

vlCode vl_scene_check(vlScene *scene, const vlTree *tree, vlMistakes *mistakes)
{
  const vlCheck check = {scene, tree, mistakes, &mistakes->one};
  mistakes->read = mistakes->count;
  if (vl_check_mistaken(&check, "grid", "")) return VL_OK;
  return check_group(&check, "", VL_GROUP_SCENE, scene);
}

vlCode vl_scene_complete(vlScene *scene, vlStatus *status)
{
  vlMistakes mistakes = {.all = status};
  vlCode code = vl_scene_check(scene, NULL, &mistakes);
  return code == VL_OK ? vl_mistakes_finish(&mistakes) : code;
}
