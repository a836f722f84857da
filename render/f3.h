/* Vectors of three floats: points, directions and colours of light. */
#ifndef VL_RENDER_F3_H
#define VL_RENDER_F3_H

#include <math.h>

#include "base/vec.h"

typedef struct vlF3 {
  float x, y, z;
} vlF3;

/* As fminf and fmaxf, but a single instruction each; none of them is a NaN. */
static inline float smaller(float a, float b) { return a < b ? a : b; }
static inline float larger(float a, float b) { return a > b ? a : b; }

static inline vlF3 f3(float x, float y, float z) { return (vlF3){x, y, z}; }
static inline vlF3 f3_all(float a) { return (vlF3){a, a, a}; }
static inline vlF3 f3_from(vlVec3 v) { return (vlF3){(float)v.x, (float)v.y, (float)v.z}; }
static inline vlF3 f3_add(vlF3 a, vlF3 b) { return f3(a.x + b.x, a.y + b.y, a.z + b.z); }
static inline vlF3 f3_sub(vlF3 a, vlF3 b) { return f3(a.x - b.x, a.y - b.y, a.z - b.z); }
static inline vlF3 f3_mul(vlF3 a, vlF3 b) { return f3(a.x * b.x, a.y * b.y, a.z * b.z); }
static inline vlF3 f3_scale(vlF3 a, float s) { return f3(a.x * s, a.y * s, a.z * s); }
/* a + s b */
static inline vlF3 f3_axpy(vlF3 a, float s, vlF3 b) { return f3(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z); }
static inline vlF3 f3_mix(vlF3 a, vlF3 b, float s) { return f3_axpy(f3_scale(a, 1.0f - s), s, b); }
static inline float f3_dot(vlF3 a, vlF3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline vlF3 f3_cross(vlF3 a, vlF3 b)
{
  return f3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
/* The zero vector stays zero. */
static inline vlF3 f3_unit(vlF3 a)
{
  float n = sqrtf(f3_dot(a, a));
  return n > 0.0f ? f3_scale(a, 1.0f / n) : a;
}
static inline float f3_largest(vlF3 a) { return larger(a.x, larger(a.y, a.z)); }
/* How bright a colour is to the eye (Rec. 709). */
static inline float f3_luminance(vlF3 a) { return 0.2126f * a.x + 0.7152f * a.y + 0.0722f * a.z; }
static inline float clamp01(float x) { return smaller(larger(x, 0.0f), 1.0f); }
static inline float smooth_step(float lo, float hi, float x)
{
  float t = clamp01((x - lo) / (hi - lo));
  return t * t * (3.0f - 2.0f * t);
}

/* Two unit vectors that make a right-handed frame with the unit vector n. */
static inline void f3_frame(vlF3 n, vlF3 *s, vlF3 *t)
{
  float sign = copysignf(1.0f, n.z), a = -1.0f / (sign + n.z), b = n.x * n.y * a;
  *s = f3(1.0f + sign * n.x * n.x * a, sign * b, -sign * n.x);
  *t = f3(b, sign + n.y * n.y * a, -n.y);
}

#endif
