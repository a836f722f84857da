/* Scene files: YAML or JSON into vlScene, through one table of keys (keys.c). Loading is declared in velella/scene.h; here
 * is what the table tells of itself. */
#ifndef VL_SCENE_SCENE_H
#define VL_SCENE_SCENE_H

#include <stdio.h>

#include "velella/scene.h"

void vl_scene_help(FILE *out);                      /* all keys, a line each, by section */
bool vl_scene_help_key(FILE *out, const char *key); /* one key or section in full; false: unknown */
const char *vl_scene_nearest_key(const char *key);  /* for "did you mean"; NULL: nothing near */
void vl_scene_schema(FILE *out);                    /* JSON Schema, draft 2020-12 */
void vl_scene_docs(FILE *out);                      /* docs/scene.md */
void vl_scene_starter(FILE *out, const char *name); /* commented starter file */

#endif
