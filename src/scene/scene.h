/* Scene files: YAML or JSON into vlScene, through one table of keys (keys.c). */
#ifndef VL_SCENE_SCENE_H
#define VL_SCENE_SCENE_H

#include <stdio.h>

#include "velella/scene.h"

/* One `--set key=value` of the command line, as in "grid.cells=32" or "solids[0].radius=0.1". */
typedef struct vlSetting {
  const char *text;
} vlSetting;

/* `name` is a file, or a built-in scene's name where no such file exists. Every mistake is reported as
 * file:line:column, the line with a caret, key, value, what is allowed, and "did you mean". */
vlCode vl_scene_load(vlScene *scene, const char *name, const vlSetting *settings, int setting_count, vlStatus *status);
/* Same, from memory; `path` is used in messages and to resolve mesh files. */
vlCode vl_scene_parse(vlScene *scene, const char *text, size_t length, const char *path, const vlSetting *settings,
                      int setting_count, vlStatus *status);

int vl_scene_builtin_count(void);
const char *vl_scene_builtin_name(int index);
const char *vl_scene_builtin_text(int index);
const char *vl_scene_builtin_about(int index); /* its `about`, one line */

void vl_scene_help(FILE *out);                      /* all keys, a line each, by section */
bool vl_scene_help_key(FILE *out, const char *key); /* one key or section in full; false: unknown */
const char *vl_scene_nearest_key(const char *key);  /* for "did you mean"; NULL: nothing near */
void vl_scene_schema(FILE *out);                    /* JSON Schema, draft 2020-12 */
void vl_scene_docs(FILE *out);                      /* docs/scene.md */
void vl_scene_starter(FILE *out, const char *name); /* commented starter file */

#endif
