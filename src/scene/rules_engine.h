/* Rules of the scene's key `engine`, internal to src/scene. */
#ifndef VL_SCENE_RULES_ENGINE_H
#define VL_SCENE_RULES_ENGINE_H

#include "scene/check.h"

void vl_complete_engine(const vlCheck *check, void *scene);
vlCode vl_check_engine(const vlCheck *check, const char *at, void *scene);

#endif
