/* docs/scene.md: the table of keys of scene files as a page. scene_docs.c prints it, a test compares. */
#ifndef VL_SCENE_DOCS_H
#define VL_SCENE_DOCS_H

#include "scene/keys.h"
#include "scene/scene.h"

enum { DOCS_ROOM = 512 };

static void docs_table(FILE *out, vlKeyGroup group)
{
  char kind[DOCS_ROOM], value[DOCS_ROOM], allowed[DOCS_ROOM], takers[DOCS_ROOM];
  const char *kinds = vl_groups[group].kinds;
  fprintf(out, "| key | %s%stype, unit | default | allowed | meaning |\n", kinds ? kinds : "", kinds ? " | " : "");
  fprintf(out, "|---|%s---|---|---|---|\n", kinds ? "---|" : "");
  for (int i = 0; i < vl_key_count; i++) {
    const vlKey *key = &vl_keys[i];
    if (key->group != group) continue;
    fprintf(out, "| `%s` | ", key->name);
    if (kinds) fprintf(out, "%s | ", vl_key_takers(key, takers, sizeof takers));
    fprintf(out, "%s | %s | %s | %s |\n", vl_key_kind_text(key, false, kind, sizeof kind),
            vl_key_default_text(key, value, sizeof value), vl_key_allowed_text(key, allowed, sizeof allowed),
            vl_key_meaning(key));
  }
}

static void docs_kinds(FILE *out, vlKeyGroup group)
{
  const vlGroup *of = &vl_groups[group];
  fprintf(out, "What each %s is, and the keys that it needs and that it takes:\n\n", of->kind);
  fprintf(out, "| %s | | needs | takes |\n|---|---|---|---|\n", of->kind);
  for (int kind = 0; kind < of->kind_count; kind++) {
    char needs[DOCS_ROOM], takes[DOCS_ROOM];
    vlScope scope = {.group = group, .kind = kind};
    fprintf(out, "| `%s` | %s | %s | %s |\n", of->kind_words[kind], of->kind_abouts[kind],
            vl_scope_list(scope, true, needs, sizeof needs), vl_scope_list(scope, false, takes, sizeof takes));
  }
  fputc('\n', out);
}

static void docs_units(FILE *out)
{
  fprintf(out, "## Units\n\n| quantity | plain number | also |\n|---|---|---|\n");
  for (int i = VL_DIM_LENGTH; i < VL_DIM_COUNT; i++)
    fprintf(out, "| %s | %s | %s |\n", vl_dimension_name((vlDimension)i), vl_dimension_unit((vlDimension)i),
            vl_dimension_units((vlDimension)i));
}

static void write_scene_docs(FILE *out)
{
  fprintf(out,
          "# Scene files\n\n"
          "<!-- Written by scripts/scene_docs.h from the table in src/scene/keys.c; a test compares them. -->\n\n"
          "A scene is a YAML or JSON file. Every key has a default unless it says required; an unknown key is an error.\n"
          "Numbers are SI and y is up. A number may be a fraction and carry a unit: `30 cm`, `1/60 s`, `1 g/cm^3`; in a\n"
          "vector every entry may have its own. The scene's name is the file's name.\n\n"
          "On the command line `--set key=value` replaces one value: `--set grid.cells=32`,\n"
          "`--set 'solids[0].radius=10 cm'`, `--set solids.rock.scale=2` for the solid named rock.\n\n"
          "A scene to start from:\n\n```yaml\n");
  vl_scene_starter(out, "pool");
  fprintf(out, "```\n\n");
  for (int group = 0; group < VL_GROUP_COUNT; group++) {
    const vlGroup *of = &vl_groups[group];
    fprintf(out, "## %s\n\n%s\n\n", *of->name ? of->name : "The scene", of->about);
    docs_table(out, (vlKeyGroup)group);
    fputc('\n', out);
    if (of->kinds) docs_kinds(out, (vlKeyGroup)group);
  }
  docs_units(out);
}

#endif
