/* The one check of a scene, whether it comes from a file or from a program, internal to src/scene.
 *
 * Completing: a slab gets its thickness, with z = 0 in its middle, and boxes of two entries one that is larger; things
 * without a name are called by their place ("bodies[0]"); normals get length 1; a body with a motion is scripted.
 * Checking: every value against the table of keys, then what no single key can know (rules.c). A mistake is told with the
 * path of its key. With a tree the message shows the place in the file, without one it starts with the path. What is wrong
 * with a mesh is found when it is built. */
#ifndef VL_SCENE_CHECK_H
#define VL_SCENE_CHECK_H

#include "scene/keys.h"
#include "scene/tree.h"

typedef struct vlCheck {
  vlScene *scene;
  const vlTree *tree; /* of the file; NULL: a program has put the scene together */
  vlMistakes *mistakes;
  vlStatus *status; /* of the mistake that is being told */
} vlCheck;

/* read.c: fills `scene`, which holds the defaults, by the table of keys. `folder` is put before relative mesh files; NULL:
 * none. A scene that is built in finds its meshes among those that are too. */
vlCode vl_scene_read(vlScene *scene, const vlTree *tree, const char *folder, bool builtin, vlMistakes *mistakes);
/* Both return VL_OK also where mistakes were found, which are kept. What was mistaken in the file is not checked again, and
 * no rule is asked about it. */
vlCode vl_scene_check(vlScene *scene, const vlTree *tree, vlMistakes *mistakes);

/* Says what is wrong with a key: "pins[0].velocity" at "bodies[2]"; an empty key: with what is there. Notes may follow. */
vlCode vl_check_fail(const vlCheck *check, const char *at, const char *key, vlPlace place, const char *format, ...)
    VL_PRINTF(5, 6);
vlCode vl_note_allowed(vlStatus *status, const vlKey *key); /* "allowed: 1 to 3" */
/* Does the file have the key? A program gives all or none; false. */
bool vl_check_given(const vlCheck *check, const char *at, const char *key);
/* Was a mistake told in or below the key of the file? */
bool vl_check_mistaken(const vlCheck *check, const char *at, const char *key);

/* What the table cannot say of a group: `complete` comes before its values are checked, `check` after that. Both get the
 * struct of the group's keys, `check` its path too; either may be NULL. */
typedef struct vlRule {
  void (*complete)(const vlCheck *check, void *base);
  vlCode (*check)(const vlCheck *check, const char *at, void *base);
} vlRule;
extern const vlRule vl_rules[VL_GROUP_COUNT];

#endif
