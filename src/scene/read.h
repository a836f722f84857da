/* From the tree of a scene file to vlScene; internal to src/scene. */
#ifndef VL_SCENE_READ_H
#define VL_SCENE_READ_H

#include "scene/tree.h"

/* Fills `scene`, which holds the defaults, by the table of keys. `folder` is put before relative mesh files; NULL: none. A
 * scene that is built in finds its meshes among those that are too. */
vlCode vl_scene_read(vlScene *scene, const vlTree *tree, const char *folder, bool builtin, vlStatus *status);

#endif
