/* The table of keys as a JSON Schema (draft 2020-12), for editors that check and complete while one writes.
 *
 * Unknown keys are refused everywhere. A number is a JSON number in its range or a text of a number and a unit of the
 * right kind; what lies behind the unit is left to the program. A shape is one of eleven objects told apart by `shape`,
 * each with its own keys; an entry of solids, sources or pins is such an object with their keys too. Bodies, motions and
 * probes are alike; keys and pushes are objects of one kind. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scene/keys.h"
#include "scene/scene.h"

#define DIGITS_PATTERN "([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]+)?"

static void write_string(FILE *out, const char *text)
{
  fputc('"', out);
  for (; *text; text++) {
    if (*text == '"' || *text == '\\') fputc('\\', out);
    fputc(*text, out);
  }
  fputc('"', out);
}

static void write_bounds(FILE *out, const vlKey *key)
{
  char text[32];
  if (isfinite(key->range.lo))
    fprintf(out, ", \"%s\": %s", key->range.open ? "exclusiveMinimum" : "minimum", vl_quantity_text(key->range.lo, text));
  if (isfinite(key->range.hi)) fprintf(out, ", \"maximum\": %s", vl_quantity_text(key->range.hi, text));
}

/* A number with a unit of the key's dimension. */
static void write_number(FILE *out, const vlKey *key)
{
  const char *units = vl_dimension_pattern(key->dimension);
  fprintf(out, "\"anyOf\": [{\"type\": \"number\"");
  write_bounds(out, key);
  fprintf(out, "}, {\"type\": \"string\", \"pattern\": \"^ *%s" DIGITS_PATTERN "(/" DIGITS_PATTERN ")?",
          key->range.lo >= 0.0 ? "[+]?" : "[-+]?");
  if (*units) fprintf(out, " *(%s)?", units);
  fprintf(out, " *$\"}]");
}

static void write_words(FILE *out, const vlKey *key)
{
  fprintf(out, "\"enum\": [");
  for (int i = 0; key->words[i]; i++) fprintf(out, "%s\"%s\"", i ? ", " : "", key->words[i]);
  fprintf(out, "]");
}

/* One entry of a vector or of counts. */
static void write_entry(FILE *out, const vlKey *key)
{
  if (key->type == VL_KEY_VECTOR) {
    write_number(out, key);
    return;
  }
  fprintf(out, "\"type\": \"integer\"");
  write_bounds(out, key);
}

static void write_type(FILE *out, const vlKey *key)
{
  switch (key->type) {
  case VL_KEY_NUMBER:
    write_number(out, key);
    break;
  case VL_KEY_INTEGER:
    fprintf(out, "\"type\": \"integer\"");
    write_bounds(out, key);
    break;
  case VL_KEY_SWITCH:
    fprintf(out, "\"enum\": [true, false, \"yes\", \"no\"]");
    break;
  case VL_KEY_WORD:
    write_words(out, key);
    break;
  case VL_KEY_WORDS:
    fprintf(out, "\"anyOf\": [{");
    write_words(out, key);
    fprintf(out, "}, {\"type\": \"array\", \"minItems\": %g, \"items\": {", key->range.lo);
    write_words(out, key);
    fprintf(out, "}}]");
    break;
  case VL_KEY_AXES:
    fprintf(out, "\"type\": \"string\", \"pattern\": \"^[xyzXYZ]{1,3}$\"");
    break;
  case VL_KEY_COUNTS:
  case VL_KEY_VECTOR:
    if (key->single) {
      fprintf(out, "\"anyOf\": [{");
      write_number(out, key);
      fprintf(out, "}, {");
    }
    fprintf(out, "\"type\": \"array\", \"minItems\": %d, \"maxItems\": 3, \"items\": {", key->flat ? 2 : 3);
    write_entry(out, key);
    fprintf(out, key->single ? "}}]" : "}");
    break;
  case VL_KEY_ROTATION:
  case VL_KEY_TURNS:
    fprintf(out,
            "\"type\": \"string\", \"pattern\": \"^( *[xyzXYZ] +[-+]?" DIGITS_PATTERN " *(deg|rad|turns?)? *(,|$))*$\"");
    break;
  case VL_KEY_NAME:
    fprintf(out, "\"type\": \"string\", \"pattern\": \"^[A-Za-z0-9_-]{1,%zu}$\"", key->bytes - 1);
    break;
  case VL_KEY_LIST:
    fprintf(out, "\"type\": \"array\", \"minItems\": %g, \"items\": {\"$ref\": \"#/$defs/%s\"}", key->range.lo,
            vl_groups[key->section].one);
    break;
  default:
    fprintf(out, "\"type\": \"string\"");
    break;
  }
}

/* Defaults are written as in a scene; as JSON they are the same but for words and texts. */
static void write_default(FILE *out, const vlKey *key)
{
  if (!key->value) return;
  fprintf(out, ", \"default\": ");
  if (key->type == VL_KEY_SWITCH)
    fprintf(out, "%s", strcmp(key->value, "yes") == 0 ? "true" : "false");
  else if (key->type == VL_KEY_WORD || key->type == VL_KEY_WORDS || key->type == VL_KEY_AXES || key->type == VL_KEY_ROTATION)
    write_string(out, key->value);
  else
    fprintf(out, "%s", key->value);
}

static void write_key(FILE *out, const vlKey *key, bool first)
{
  fprintf(out, "%s\n    \"%s\": {\"description\": ", first ? "" : ",", key->name);
  write_string(out, key->about);
  fprintf(out, ", ");
  write_type(out, key);
  write_default(out, key);
  fprintf(out, "}");
}

static void write_section(FILE *out, const vlKey *section, bool first)
{
  bool first_inside = true;
  fprintf(out, "%s\n    \"%s\": {\"description\": ", first ? "" : ",", section->name);
  write_string(out, vl_groups[section->section].about);
  fprintf(out, ", \"type\": \"object\", \"additionalProperties\": false, \"properties\": {");
  for (int i = 0; i < vl_key_count; i++) {
    if (vl_keys[i].group != section->section) continue;
    write_key(out, &vl_keys[i], first_inside);
    first_inside = false;
  }
  const char *excluding = NULL, *excluded = NULL;
  for (int i = 0; i < vl_key_count; i++)
    if (vl_keys[i].group == section->section && vl_keys[i].excludes)
      excluding = vl_keys[i].name, excluded = vl_keys[i].excludes;
  fprintf(out, "}");
  if (excluding) fprintf(out, ", \"not\": {\"required\": [\"%s\", \"%s\"]}", excluded, excluding);
  fprintf(out, "}");
}

/* An object of the keys in scope; what kind it is, is a constant. */
static void write_object(FILE *out, vlScope scope)
{
  const vlGroup *of = &vl_groups[scope.group];
  bool first = true;
  fprintf(out, "\"type\": \"object\", \"additionalProperties\": false, \"required\": [");
  for (int i = 0; i < vl_key_count; i++) {
    if (vl_keys[i].group != scope.group || !vl_key_required(&vl_keys[i], scope.kind)) continue;
    fprintf(out, "%s\"%s\"", first ? "" : ", ", vl_keys[i].name);
    first = false;
  }
  fprintf(out, "], \"properties\": {");
  first = !of->kind_key;
  if (of->kind_key) fprintf(out, "\n    \"%s\": {\"const\": \"%s\"}", of->kind_key, of->kind_words[scope.kind]);
  for (int i = 0; i < vl_key_count; i++) {
    if (!vl_key_in_scope(&vl_keys[i], scope) || (of->kind_key && strcmp(vl_keys[i].name, of->kind_key) == 0)) continue;
    write_key(out, &vl_keys[i], first);
    first = false;
  }
  fprintf(out, "}}");
}

/* An entry of a list: one of several objects where it comes in kinds. */
static void write_entry_of(FILE *out, vlKeyGroup group)
{
  vlScope scope = vl_group_scope(group);
  const vlGroup *of = &vl_groups[scope.group];
  if (!of->kind_key) {
    fprintf(out, "  \"%s\": {\"description\": ", vl_groups[group].one);
    write_string(out, of->about);
    fprintf(out, ", ");
    write_object(out, scope);
    return;
  }
  fprintf(out, "  \"%s\": {\"oneOf\": [\n   ", vl_groups[group].one);
  for (; scope.kind < of->kind_count; scope.kind++) {
    fprintf(out, "%s{\"title\": \"%s\", \"description\": ", scope.kind ? ",\n   " : "", of->kind_words[scope.kind]);
    write_string(out, of->kind_abouts[scope.kind]);
    fprintf(out, ", ");
    write_object(out, scope);
  }
  fprintf(out, "]}");
}

void vl_scene_schema(FILE *out)
{
  bool first = true;
  fprintf(out, "{\n \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n \"title\": \"Velella scene\",\n"
               " \"type\": \"object\", \"additionalProperties\": false,\n \"properties\": {");
  for (int i = 0; i < vl_key_count; i++) {
    const vlKey *key = &vl_keys[i];
    if (key->group != VL_GROUP_SCENE) continue;
    if (key->type == VL_KEY_SECTION)
      write_section(out, key, first);
    else
      write_key(out, key, first);
    first = false;
  }
  fprintf(out, "},\n \"$defs\": {\n");
  first = true;
  for (int group = 0; group < VL_GROUP_COUNT; group++) {
    if (!vl_groups[group].bytes) continue;
    if (!first) fprintf(out, ",\n");
    write_entry_of(out, (vlKeyGroup)group);
    first = false;
  }
  fprintf(out, "}\n}\n");
}
