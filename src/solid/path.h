/* Where a scripted body is at a time: a function of the scene and the time alone, so that nothing adds up from step to step
 * and a run that goes on from a checkpoint finds it where it was. */
#ifndef VL_SOLID_PATH_H
#define VL_SOLID_PATH_H

#include "solid/rigid.h"
#include "velella/scene.h"

typedef struct vlPath {
  const vlMotionDef *motion; /* [count]; the scene's */
  int count;                 /* 0: it is not scripted */
  vlVec3 center; /* m: the body's center as the scene places it, about which it turns if no other point is named */
} vlPath;

/* Of a body of the scene. */
vlPath vl_path_of(const vlScene *scene, const vlBodyDef *def);
/* Of a body whose centre of mass lies at rest_center in its form at rest. */
vlPose vl_path_pose(const vlPath *path, vlVec3 rest_center, double time);
/* Where a pose with rest_center = 0 puts a point of the form at rest. */
vlVec3 vl_path_place(vlPose pose, vlVec3 rest);
/* m: none of the points of the form at rest goes a longer way from `time` to time + dt. Sampled: what turns back within a
 * sixteenth of dt is not seen. */
double vl_path_way(const vlPath *path, const vlVec3 *rest, int count, double time, double dt);

#define VL_FASTEST_TURN 1e5 /* rad/s: of what is scripted; no step could follow faster ones */

/* What is wrong with a motion in itself, or in a slab. */
typedef struct vlMotionProblem {
  const char *text; /* NULL: nothing */
  const char *key;  /* of the entry, or of its key number `index` */
  int index;        /* -1: of the entry */
} vlMotionProblem;
vlMotionProblem vl_motion_problem(const vlMotionDef *motion, bool slab);

#endif
