/* Questions to the table of keys: what may stand where, what is allowed in words, and scalars into their fields. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/vec.h"
#include "scene/keys.h"
#include "scene/tree.h"

vlScope vl_group_scope(vlKeyGroup group)
{
  if (vl_groups[group].is_shape) return (vlScope){.group = VL_GROUP_SHAPE, .also = group};
  return (vlScope){.group = group};
}

void *vl_key_base(const vlKey *key, vlKeyGroup group, void *entry)
{
  return (char *)entry + (key->group == group ? 0 : vl_groups[group].shape);
}

bool vl_key_required(const vlKey *key, int kind) { return (key->required >> kind) & 1u; }

bool vl_key_in_scope(const vlKey *key, vlScope scope)
{
  if (scope.also && key->group == scope.also) return true;
  if (key->group != scope.group) return false;
  return !key->kinds || (key->kinds >> scope.kind) & 1u;
}

const vlKey *vl_key_find(vlScope scope, const char *name)
{
  for (int i = 0; i < vl_key_count; i++)
    if (vl_key_in_scope(&vl_keys[i], scope) && strcmp(vl_keys[i].name, name) == 0) return &vl_keys[i];
  return NULL;
}

/* Appends to a text of `size` bytes, cutting what does not fit. */
static void append(char *out, size_t size, const char *text) { strncat(out, text, size - strlen(out) - 1); }

const char *vl_scope_list(vlScope scope, bool required, char *out, size_t size)
{
  out[0] = 0;
  for (int i = 0; i < vl_key_count; i++) {
    const vlKey *key = &vl_keys[i];
    if (!vl_key_in_scope(key, scope) || (required && !vl_key_required(key, scope.kind))) continue;
    if (out[0]) append(out, size, ", ");
    append(out, size, key->name);
  }
  return out;
}

const char *vl_scope_nearest(vlScope scope, const char *name)
{
  const char *names[64];
  int count = 0;
  for (int i = 0; i < vl_key_count && count < 64; i++)
    if (vl_key_in_scope(&vl_keys[i], scope)) names[count++] = vl_keys[i].name;
  return vl_nearest(name, names, count);
}

const char *vl_key_path(const vlKey *key, char *out, size_t size)
{
  const char *group = vl_groups[key->group].name;
  snprintf(out, size, "%s%s%s", group, *group ? "." : "", key->name);
  return out;
}

const char *vl_key_kind_text(const vlKey *key, bool expected, char *out, size_t size)
{
  static const char turns[] = "turns, as in \"z 17, x 31\"", turns_text[] = "a text like \"z 17, x 31\"";
  static const char *const texts[][2] = {
      [VL_KEY_SECTION] = {"section", "a mapping of keys"},
      [VL_KEY_LIST] = {"list of ", "a list of "},
      [VL_KEY_NUMBER] = {"number", "a number"},
      [VL_KEY_INTEGER] = {"whole number", "a whole number"},
      [VL_KEY_SWITCH] = {"yes or no", "yes or no"},
      [VL_KEY_WORD] = {"word", "a word"},
      [VL_KEY_WORDS] = {"word or list of words", "a word or a list of words"},
      [VL_KEY_AXES] = {"letters of axes", "a word like xz"},
      [VL_KEY_COUNTS] = {"three whole numbers", "a list of three whole numbers"},
      [VL_KEY_VECTOR] = {"vector", "a list of three numbers"},
      [VL_KEY_ROTATION] = {turns, turns_text},
      [VL_KEY_TURNS] = {turns, turns_text},
      [VL_KEY_TEXT] = {"text", "a text"},
      [VL_KEY_NAME] = {"name", "a name"},
      [VL_KEY_BODY] = {"name of a body", "the name of a body"},
      [VL_KEY_FILE] = {"file", "a file name"},
  };
  bool list = key->type == VL_KEY_LIST, turned = key->type == VL_KEY_ROTATION || key->type == VL_KEY_TURNS;
  const char *unit = turned || expected ? "" : vl_dimension_unit(key->dimension);
  if (key->single) {
    snprintf(out, size, "%s", expected ? "a number or a list of three" : "number or vector");
    return out;
  }
  snprintf(out, size, "%s%s%s%s", texts[key->type][expected], list ? vl_groups[vl_group_scope(key->section).group].many : "",
           *unit ? ", " : "", unit);
  return out;
}

static void write_range(const vlKey *key, char *out, size_t size)
{
  char lo[32], hi[32];
  const char *unit = vl_dimension_unit(key->dimension), *space = *unit ? " " : "";
  bool below = isfinite(key->range.lo), above = isfinite(key->range.hi);
  vl_quantity_text(key->range.lo, lo);
  vl_quantity_text(key->range.hi, hi);
  const char *each = key->type == VL_KEY_VECTOR || key->type == VL_KEY_COUNTS ? "each " : "";
  if (below && above && key->range.open)
    snprintf(out, size, "%smore than %s and at most %s%s%s", each, lo, hi, space, unit);
  else if (below && above)
    snprintf(out, size, "%s%s to %s%s%s", each, lo, hi, space, unit);
  else if (below && key->range.open)
    snprintf(out, size, "%smore than %s%s%s", each, lo, space, unit);
  else if (below)
    snprintf(out, size, "%s%s%s%s or more", each, lo, space, unit);
}

const char *vl_key_allowed_text(const vlKey *key, char *out, size_t size)
{
  out[0] = 0;
  switch (key->type) {
  case VL_KEY_WORD:
  case VL_KEY_WORDS:
    for (int i = 0; key->words[i]; i++) {
      if (i) append(out, size, ", ");
      append(out, size, key->words[i]);
    }
    break;
  case VL_KEY_SWITCH:
    snprintf(out, size, "yes, no, true, false");
    break;
  case VL_KEY_AXES:
    snprintf(out, size, "x, y, z, or several in one word, as in xy");
    break;
  case VL_KEY_NUMBER:
  case VL_KEY_INTEGER:
  case VL_KEY_COUNTS:
  case VL_KEY_VECTOR:
    write_range(key, out, size);
    break;
  case VL_KEY_LIST:
    if (key->range.lo > 0) snprintf(out, size, "%g or more entries", key->range.lo);
    break;
  default:
    break;
  }
  return out;
}

bool vl_key_allows(const vlKey *key, double x)
{
  return isfinite(x) && x <= key->range.hi && (key->range.open ? x > key->range.lo : x >= key->range.lo);
}

static bool store_number(const vlKey *key, const char *text, size_t length, double *x, char why[VL_WHY])
{
  if (!vl_quantity_read(text, length, key->dimension, x, why)) return false;
  if (vl_key_allows(key, *x)) return true;
  snprintf(why, VL_WHY, "out of range");
  return false;
}

static bool store_integer(const vlKey *key, const char *text, size_t length, int *n, char why[VL_WHY])
{
  double x;
  if (!vl_quantity_read(text, length, VL_DIM_NONE, &x, why)) return false;
  if (x != floor(x)) {
    snprintf(why, VL_WHY, "not a whole number");
    return false;
  }
  if (!store_number(key, text, length, &x, why)) return false;
  *n = (int)x;
  return true;
}

static bool equals(const char *word, const char *text, size_t length)
{
  return strlen(word) == length && strncmp(word, text, length) == 0;
}

static bool store_switch(const char *text, size_t length, bool *field, char why[VL_WHY])
{
  static const char *const words[] = {"no",    "yes",  "false", "true", "No",    "Yes",
                                      "False", "True", "NO",    "YES",  "FALSE", "TRUE"};
  for (int i = 0; i < 12; i++) {
    if (!equals(words[i], text, length)) continue;
    *field = i % 2;
    return true;
  }
  snprintf(why, VL_WHY, "neither yes nor no");
  return false;
}

/* Where yes and no are among the words, all ways to write them are fine. */
static bool store_word(const vlKey *key, const char *text, size_t length, void *field, char why[VL_WHY])
{
  bool on;
  for (int i = 0; key->words[i] && key->type == VL_KEY_WORD; i++)
    if (equals(key->words[i], "yes", 3) && store_switch(text, length, &on, why)) {
      text = on ? "yes" : "no";
      length = strlen(text);
    }
  for (int i = 0; key->words[i]; i++) {
    if (!equals(key->words[i], text, length)) continue;
    if (key->type == VL_KEY_WORDS)
      *(bool *)((char *)field + key->switches[i]) = true;
    else if (key->bytes == sizeof(bool))
      *(bool *)field = i == 1;
    else
      memcpy(field, &i, sizeof i);
    return true;
  }
  snprintf(why, VL_WHY, "not one of the words allowed here");
  return false;
}

/* "xz" into bits. */
static bool store_axes(const char *text, size_t length, unsigned *axes, char why[VL_WHY])
{
  unsigned bits = 0;
  for (size_t i = 0; i < length; i++) {
    int axis = tolower((unsigned char)text[i]) - 'x';
    if (axis < 0 || axis > 2 || bits & 1u << axis) {
      snprintf(why, VL_WHY, "axes are written as letters, each once, as in xz");
      return false;
    }
    bits |= 1u << axis;
  }
  *axes = bits;
  if (!bits) snprintf(why, VL_WHY, "one axis or more is expected");
  return bits != 0;
}

/* "z 17, x 31" */
static bool store_turns(const char *text, size_t length, vlTurns *turns, char why[VL_WHY])
{
  vlTurns read = {0};
  const char *c = text, *end = text + length;
  while (c < end && isspace((unsigned char)*c)) c++;
  while (c < end) {
    int axis = tolower((unsigned char)*c) - 'x';
    const char *comma = memchr(c, ',', (size_t)(end - c));
    const char *stop = comma ? comma : end;
    if (axis < 0 || axis > 2 || c + 1 == stop || !strchr(" \t", c[1])) {
      snprintf(why, VL_WHY, "turns are written as axis and degrees, separated by commas, as in \"z 17, x 31\"");
      return false;
    }
    if (read.count == VL_TURNS) {
      snprintf(why, VL_WHY, "at most %d turns are possible", VL_TURNS);
      return false;
    }
    if (!vl_quantity_read(c + 1, (size_t)(stop - c - 1), VL_DIM_ANGLE, &read.angle[read.count], why)) return false;
    read.axis[read.count++] = axis;
    c = comma ? comma + 1 : end;
    while (c < end && isspace((unsigned char)*c)) c++;
  }
  *turns = read;
  return true;
}

/* Every turn is about a fixed axis, so later ones multiply from the left. */
static bool store_rotation(const char *text, size_t length, vlMat3 *rotation, char why[VL_WHY])
{
  vlTurns turns;
  if (!store_turns(text, length, &turns, why)) return false;
  *rotation = vl_mat_identity();
  for (int i = 0; i < turns.count; i++)
    *rotation = vl_mat_multiply(vl_mat_rotation(turns.axis[i], turns.angle[i]), *rotation);
  return true;
}

size_t vl_key_entry_bytes(const vlKey *key)
{
  if (key->type == VL_KEY_VECTOR) return sizeof(double);
  return key->type == VL_KEY_COUNTS ? sizeof(int) : 0;
}

bool vl_key_store(const vlKey *key, const char *text, size_t length, void *field, char why[VL_WHY])
{
  bool on;
  switch (key->type) {
  case VL_KEY_NUMBER:
    return store_number(key, text, length, field, why);
  case VL_KEY_INTEGER:
  case VL_KEY_COUNTS: /* one entry */
    return store_integer(key, text, length, field, why);
  case VL_KEY_AXES:
    return store_axes(text, length, field, why);
  case VL_KEY_SWITCH:
    if (key->bytes == sizeof(bool)) return store_switch(text, length, field, why);
    return store_switch(text, length, &on, why) && memcpy(field, &(int){on}, sizeof(int));
  case VL_KEY_WORD:
  case VL_KEY_WORDS:
    return store_word(key, text, length, field, why);
  case VL_KEY_ROTATION:
    return store_rotation(text, length, field, why);
  case VL_KEY_TURNS:
    return store_turns(text, length, field, why);
  case VL_KEY_VECTOR:
    return store_number(key, text, length, field, why); /* one entry */
  default:
    snprintf(why, VL_WHY, "a single value is not expected here");
    return false;
  }
}

/* "[0, -9.81, 0]" of the table. */
static void store_default_entries(const vlKey *key, char *field)
{
  char why[VL_WHY];
  const char *c = key->single ? key->value : key->value + 1;
  for (size_t a = 0; a < 3; a++) {
    size_t n = strcspn(c, ",]");
    vl_key_store(key, c, n, field + a * vl_key_entry_bytes(key), why);
    if (!key->single) c += n + 1;
  }
}

void vl_group_defaults(vlKeyGroup group, void *entry)
{
  char why[VL_WHY];
  vlScope scope = vl_group_scope(group);
  for (int i = 0; i < vl_key_count; i++) {
    const vlKey *key = &vl_keys[i];
    if (key->group != scope.group && (!scope.also || key->group != scope.also)) continue;
    char *field = (char *)vl_key_base(key, group, entry) + key->offset;
    if (key->type == VL_KEY_SECTION)
      vl_group_defaults(key->section, entry);
    else if (key->value && vl_key_entry_bytes(key))
      store_default_entries(key, field);
    else if (key->value)
      vl_key_store(key, key->value, strlen(key->value), field, why);
    else if (key->type == VL_KEY_NUMBER)
      *(double *)(void *)field = key->unset;
  }
}
