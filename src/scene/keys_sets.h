/* Short names for what the rows of the table of keys are made of: fields, ranges, and sets of kinds. For keys.c alone. */
#ifndef VL_SCENE_KEYS_SETS_H
#define VL_SCENE_KEYS_SETS_H

// clang-format off
#define FIELD(type, member) .offset = offsetof(type, member), .bytes = sizeof(((type *)0)->member)
#define LIST(type, member, number) FIELD(type, member), .count = offsetof(type, number)

/* Ranges */
#define ANY {-INFINITY, INFINITY, false}
#define POSITIVE {0, INFINITY, true}
#define NOT_NEGATIVE {0, INFINITY, false}
#define BETWEEN(a, b) {a, b, false}
#define ABOVE_UP_TO(a, b) {a, b, true}
/* What is more is a mistake of typing, and its squares need not be numbers any more. */
#define PLACES BETWEEN(-1e12, 1e12)
#define SPEEDS BETWEEN(-1e6, 1e6)
#define SPINS BETWEEN(-1e5, 1e5)
#define FREQUENCIES ABOVE_UP_TO(0, 1e6)

/* Sets of shapes */
#define K(kind) (1u << VL_SHAPE_##kind)
#define ALL_SHAPES ((1u << VL_SHAPE_KIND_COUNT) - 1)
#define COMBINATIONS (K(UNION) | K(INTERSECTION) | K(DIFFERENCE))
#define ROUND_ONES (K(SPHERE) | K(CAPSULE) | K(CYLINDER) | K(CONE) | K(TORUS))
#define TALL_ONES (K(CAPSULE) | K(CYLINDER) | K(CONE))

/* Sets of bodies */
#define BODY(kind) (1u << VL_BODY_##kind)
#define ALL_BODIES ((1u << VL_BODY_SHAPE_COUNT) - 1)
#define COMBINED_BODIES (BODY(UNION) | BODY(INTERSECTION) | BODY(DIFFERENCE))
#define ROUND_BODIES (BODY(SPHERE) | BODY(CAPSULE) | BODY(CYLINDER) | BODY(CONE) | BODY(TORUS))
#define TALL_BODIES (BODY(CAPSULE) | BODY(CYLINDER) | BODY(CONE))

/* Sets of probes */
#define FLUX (1u << VL_PROBE_FLUX)
#define NODE (1u << VL_PROBE_NODE)
#define ALL_PROBES ((1u << VL_PROBE_KIND_COUNT) - 1)

/* Sets of motions */
#define MOVE(kind) (1u << VL_MOTION_##kind)
#define ALL_MOVES ((1u << VL_MOTION_KIND_COUNT) - 1)
#define TURNING (MOVE(SPIN) | MOVE(SWING))
#define TO_AND_FRO (MOVE(SWAY) | MOVE(SWING))
// clang-format on

#endif
