/* A scene as plain data: what is not in velella/scene.h, where defaults, copying and adding are. */
#ifndef VL_SCENE_DATA_H
#define VL_SCENE_DATA_H

#include "velella/scene.h"

/* Completes a scene that a program has put together and refuses what nothing can be computed with, naming the key of the
 * scene file; a loaded scene has been through it (check.h). */
vlCode vl_scene_complete(vlScene *scene, vlStatus *status);
/* Frees all that the scene owns; its members are not to be used afterwards. */
void vl_scene_free(vlScene *scene);

#endif
