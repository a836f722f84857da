/* The table of keys as help on the command line and as a starter file. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/words.h"
#include "scene/keys.h"
#include "scene/scene.h"
#include "scene/tree.h"

enum { ROOM = 512 };

const char *vl_key_meaning(const vlKey *key)
{
  return key->type == VL_KEY_SECTION ? vl_groups[key->section].about : key->about;
}

const char *vl_key_takers(const vlKey *key, char *out, size_t size)
{
  out[0] = 0;
  int count = vl_groups[key->group].kind_count;
  if (key->kinds == (1u << count) - 1) {
    snprintf(out, size, "all");
    return out;
  }
  for (int kind = 0; kind < count; kind++) {
    if (!((key->kinds >> kind) & 1u)) continue;
    size_t used = strlen(out);
    snprintf(out + used, size - used, "%s%s", used ? ", " : "", vl_groups[key->group].kind_words[kind]);
  }
  return out;
}

const char *vl_key_default_text(const vlKey *key, char *out, size_t size)
{
  if (key->type == VL_KEY_SECTION)
    snprintf(out, size, "all defaults");
  else if (key->value)
    snprintf(out, size, "%s", *key->value ? key->value : "no turn");
  else if (key->required && key->absent)
    snprintf(out, size, "%s; all others: required", key->absent);
  else if (key->required)
    snprintf(out, size, "required");
  else
    snprintf(out, size, "none: %s", key->absent);
  return out;
}

static void help_line(FILE *out, const vlKey *key)
{
  char value[ROOM], path[64];
  vl_key_path(key, path, sizeof path);
  const char *name = key->group == VL_GROUP_SHAPE ? key->name : path;
  fprintf(out, "  %-26s %s", name, vl_key_meaning(key));
  if (key->type != VL_KEY_SECTION) fprintf(out, " (%s)", vl_key_default_text(key, value, sizeof value));
  fputc('\n', out);
}

static void help_group(FILE *out, vlKeyGroup group)
{
  if (*vl_groups[group].name) fprintf(out, "%s: %s\n", vl_groups[group].name, vl_groups[group].about);
  for (int i = 0; i < vl_key_count; i++)
    if (vl_keys[i].group == group) help_line(out, &vl_keys[i]);
}

void vl_scene_help(FILE *out)
{
  for (int group = 0; group < VL_GROUP_COUNT; group++) {
    if (group) fputc('\n', out);
    help_group(out, (vlKeyGroup)group);
  }
  fprintf(out, "\nDefaults stand in parentheses. Numbers are SI; a text may carry a unit, as in 30 cm or 1/60 s.\n");
}

static void help_one(FILE *out, const vlKey *key)
{
  char text[ROOM], path[64];
  fprintf(out, "%s\n  %s\n", vl_key_path(key, path, sizeof path), vl_key_meaning(key));
  fprintf(out, "  type     %s\n", vl_key_kind_text(key, false, text, sizeof text));
  if (*vl_dimension_units(key->dimension)) fprintf(out, "  units    %s\n", vl_dimension_units(key->dimension));
  fprintf(out, "  default  %s\n", vl_key_default_text(key, text, sizeof text));
  if (*vl_key_allowed_text(key, text, sizeof text)) fprintf(out, "  allowed  %s\n", text);
  if (key->kinds) fprintf(out, "  %-8s %s\n", vl_groups[key->group].kinds, vl_key_takers(key, text, sizeof text));
  if (key->example) fprintf(out, "  example  %s: %s\n", key->name, key->example);
}

static void help_kind(FILE *out, int kind)
{
  char list[ROOM];
  vlScope scope = {.group = VL_GROUP_SHAPE, .kind = kind, .also = VL_GROUP_SOLID};
  fprintf(out, "shape: %s\n  %s\n  needs: %s\n", vl_shape_words[kind], vl_groups[scope.group].kind_abouts[kind],
          vl_scope_list(scope, true, list, sizeof list));
  for (int i = 0; i < vl_key_count; i++)
    if (vl_key_in_scope(&vl_keys[i], scope) && strcmp(vl_keys[i].name, "shape") != 0) help_line(out, &vl_keys[i]);
}

/* Which shape takes which keys. */
static void help_kinds(FILE *out)
{
  char list[ROOM];
  fprintf(out, "\nkeys of each shape, besides shape, center and rotate\n");
  for (int kind = 0; kind < VL_SHAPE_KIND_COUNT; kind++) {
    vlScope scope = {.group = VL_GROUP_SHAPE, .kind = kind};
    vl_scope_list(scope, false, list, sizeof list);
    static const char common[] = "shape, center, rotate, ";
    bool led = strncmp(list, common, sizeof common - 1) == 0;
    fprintf(out, "  %-14s %s\n", vl_shape_words[kind], led ? list + sizeof common - 1 : list);
  }
}

/* "solids[0].radius" → parent "solids", name "radius"; a path without a point has an empty parent. */
static void split_path(const char *path, char parent[64], char name[64])
{
  char plain[128];
  size_t n = 0;
  bool bracket = false;
  for (const char *c = path; *c && n + 1 < sizeof plain; c++) {
    if (*c == '[') bracket = true;
    if (!bracket) plain[n++] = *c;
    if (*c == ']') bracket = false;
  }
  plain[n] = 0;
  char *last = strrchr(plain, '.');
  snprintf(name, 64, "%.63s", last ? last + 1 : plain);
  if (last) *last = 0;
  char *before = last ? strrchr(plain, '.') : NULL;
  snprintf(parent, 64, "%.63s", !last ? "" : before ? before + 1 : plain);
}

static bool is_list_of_shapes(const vlKey *key)
{
  return key->type == VL_KEY_LIST && vl_group_scope(key->section).group == VL_GROUP_SHAPE;
}

static bool matches(const vlKey *key, const char *parent, const char *name)
{
  if (strcmp(key->name, name) != 0) return false;
  if (!*parent) return true;
  int kind = vl_word_find(vl_shape_words, parent);
  if (kind >= 0) return key->group == VL_GROUP_SHAPE && (key->kinds >> kind) & 1u;
  for (int i = 0; i < vl_key_count && key->group == VL_GROUP_SHAPE; i++)
    if (is_list_of_shapes(&vl_keys[i]) && strcmp(vl_keys[i].name, parent) == 0) return true;
  return strcmp(vl_groups[key->group].name, parent) == 0;
}

bool vl_scene_help_key(FILE *out, const char *path)
{
  char parent[64], name[64];
  split_path(path, parent, name);
  int kind = vl_word_find(vl_shape_words, name);
  if (kind >= 0 && !*parent) {
    help_kind(out, kind);
    return true;
  }
  bool found = false;
  for (int group = 0; group < VL_GROUP_COUNT && !*parent; group++) {
    if (!*name || strcmp(vl_groups[group].name, name) != 0) continue;
    help_group(out, (vlKeyGroup)group);
    if (vl_groups[group].is_shape) {
      fputc('\n', out);
      help_group(out, VL_GROUP_SHAPE);
    }
    if (vl_groups[group].is_shape || group == VL_GROUP_SHAPE) help_kinds(out);
    for (int i = 0; i < vl_key_count && group != VL_GROUP_SHAPE; i++) /* several lists are of nothing but shapes */
      if (vl_keys[i].type == VL_KEY_LIST && vl_keys[i].section == (vlKeyGroup)group)
        fprintf(out, "\nexample\n  %s: %s\n", vl_keys[i].name, vl_keys[i].example);
    return true;
  }
  for (int i = 0; i < vl_key_count; i++) {
    if (!matches(&vl_keys[i], parent, name)) continue;
    if (found) fputc('\n', out);
    help_one(out, &vl_keys[i]);
    found = true;
  }
  return found;
}

const char *vl_scene_nearest_key(const char *path)
{
  const char *names[256];
  char parent[64], name[64];
  int count = 0;
  split_path(path, parent, name);
  for (int i = 0; i < vl_key_count && count < 200; i++) names[count++] = vl_keys[i].name;
  for (int kind = 0; kind < VL_SHAPE_KIND_COUNT; kind++) names[count++] = vl_shape_words[kind];
  return vl_nearest(name, names, count);
}

/* One key of the starter file: as it is when it has a value to give, else as a comment with its example. */
static void starter_key(FILE *out, const vlKey *key, const char *indent)
{
  char line[ROOM];
  const char *off = key->value || key->starter ? "" : "# ";
  snprintf(line, sizeof line, "%s%s%s: %s", indent, off, key->name, key->value ? key->value : key->example);
  if (strlen(line) < 34 && strlen(vl_key_meaning(key)) < 100)
    fprintf(out, "%-34s # %s\n", line, vl_key_meaning(key));
  else
    fprintf(out, "%s# %s\n%s\n", indent, vl_key_meaning(key), line);
}

static void starter_solids(FILE *out, const vlKey *solids)
{
  vlScope scope = {.group = VL_GROUP_SHAPE, .kind = VL_SHAPE_SPHERE, .also = VL_GROUP_SOLID};
  fprintf(out, "\nsolids: # %s\n", solids->about);
  const char *lead = "  - ";
  for (int i = 0; i < vl_key_count; i++) {
    if (!vl_key_in_scope(&vl_keys[i], scope) || strcmp(vl_keys[i].name, "rotate") == 0) continue;
    const vlKey *key = &vl_keys[i];
    bool of_solid = key->group == VL_GROUP_SOLID, off = of_solid && !key->value && !key->starter;
    fprintf(out, "%s%s%s: %s\n", lead, off ? "# " : "", key->name, of_solid && key->value ? key->value : key->example);
    lead = "    ";
  }
}

void vl_scene_starter(FILE *out, const char *name)
{
  fprintf(out, "# %s: a scene for Velella. Values that only repeat a default may be left out.\n", name);
  for (int i = 0; i < vl_key_count; i++) {
    const vlKey *key = &vl_keys[i];
    if (key->group != VL_GROUP_SCENE) continue;
    if (key->section == VL_GROUP_SOLID) {
      starter_solids(out, key);
      continue;
    }
    if (key->type != VL_KEY_SECTION) {
      if (i) fputc('\n', out);
      starter_key(out, key, "");
      continue;
    }
    fprintf(out, "\n%s:\n", key->name);
    for (int j = 0; j < vl_key_count; j++)
      if (vl_keys[j].group == key->section) starter_key(out, &vl_keys[j], "  ");
  }
}
