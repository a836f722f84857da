/* A scene as plain data: what a simulation does with the one it is given. Copying and adding are in velella/scene.h. */
#ifndef VL_ENGINE_SCENE_DATA_H
#define VL_ENGINE_SCENE_DATA_H

#include "velella/scene.h"

/* Frees all that the scene owns; its members are not to be used afterwards. */
void vl_scene_free(vlScene *scene);
/* Refuses numbers with which nothing can be computed, naming the key of the scene file; a loaded scene has none. Also gives
 * a slab its thickness, puts z = 0 in its middle, and calls bodies without a name by their place ("bodies[0]"). What is
 * wrong with a shape or a mesh is found when it is built. */
vlCode vl_scene_complete(vlScene *scene, vlStatus *status);

#endif
