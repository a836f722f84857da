/* What the reader of scene files knows, and its messages. */
#ifndef VL_SCENE_READ_FAIL_H
#define VL_SCENE_READ_FAIL_H

#include "scene/keys.h"
#include "scene/tree.h"

typedef struct vlSceneReader {
  const vlTree *tree;
  const char *folder;
  bool builtin; /* the scene is built in */
  vlStatus *status;
} vlSceneReader;

enum { VL_READ_ROOM = 512, VL_READ_SHOWN = 60, VL_READ_SHOWN_ROOM = 4 * VL_READ_SHOWN + 4 };

vlCode vl_note_allowed(vlStatus *status, const vlKey *key);            /* "allowed: 1 to 3" */
vlCode vl_read_note_example(const vlSceneReader *r, const vlKey *key); /* "for example: ..." */
bool vl_read_is_slab(const vlSceneReader *r);                          /* grid.slab: yes, wherever it stands in the file */
vlCode vl_read_fail_type(const vlSceneReader *r, const vlKey *key, const vlNode *node);
vlCode vl_read_fail_value(const vlSceneReader *r, const vlKey *key, const vlNode *node, const char *why);
vlCode vl_read_fail_unknown(const vlSceneReader *r, const vlNode *node, vlScope scope);

#endif
