/* Words by which kinds are told apart, each list in the order of its enum and ended by NULL. */
#ifndef VL_SCENE_KEYS_GROUPS_H
#define VL_SCENE_KEYS_GROUPS_H

extern const char *const vl_shape_words[];  /* vlShapeKind */
extern const char *const vl_body_words[];   /* vlBodyShape */
extern const char *const vl_motion_words[]; /* vlMotionKind */
extern const char *const vl_probe_words[];  /* vlProbeKind */

#endif
