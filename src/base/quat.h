/* Unit quaternions as orientations: w, x, y, z. */
#ifndef VL_BASE_QUAT_H
#define VL_BASE_QUAT_H

#include "base/vec.h"

typedef struct vlQuat {
  double w, x, y, z;
} vlQuat;

static inline vlQuat vl_quat_identity(void) { return (vlQuat){1.0, 0.0, 0.0, 0.0}; }
static inline vlQuat vl_quat_multiply(vlQuat a, vlQuat b)
{
  return (vlQuat){a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                  a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}
static inline vlQuat vl_quat_unit(vlQuat a)
{
  double norm = sqrt(a.w * a.w + a.x * a.x + a.y * a.y + a.z * a.z);
  return norm > 0.0 ? (vlQuat){a.w / norm, a.x / norm, a.y / norm, a.z / norm} : vl_quat_identity();
}
/* The turn about `turn` by its length, radians. */
static inline vlQuat vl_quat_turn(vlVec3 turn)
{
  double angle = vl_norm(turn), s = angle > 1e-6 ? sin(0.5 * angle) / angle : 0.5 - angle * angle / 48.0;
  return (vlQuat){cos(0.5 * angle), s * turn.x, s * turn.y, s * turn.z};
}
static inline vlQuat vl_quat_inverse(vlQuat a) { return (vlQuat){a.w, -a.x, -a.y, -a.z}; }
/* The turn as axis times angle, the short way: its length is at most pi. */
static inline vlVec3 vl_quat_vector(vlQuat a)
{
  double sign = a.w < 0.0 ? -1.0 : 1.0, s = sqrt(a.x * a.x + a.y * a.y + a.z * a.z), w = sign * a.w;
  double scale = s > 1e-7 * w ? 2.0 * atan2(s, w) / s : 2.0 / w; /* a series where the sine is nothing */
  return vl_vec(sign * scale * a.x, sign * scale * a.y, sign * scale * a.z);
}
static inline vlMat3 vl_quat_matrix(vlQuat a)
{
  double xx = a.x * a.x, yy = a.y * a.y, zz = a.z * a.z, xy = a.x * a.y, yz = a.y * a.z, zx = a.z * a.x, wx = a.w * a.x,
         wy = a.w * a.y, wz = a.w * a.z;
  return (vlMat3){{{1.0 - 2.0 * (yy + zz), 2.0 * (xy - wz), 2.0 * (zx + wy)},
                   {2.0 * (xy + wz), 1.0 - 2.0 * (zz + xx), 2.0 * (yz - wx)},
                   {2.0 * (zx - wy), 2.0 * (yz + wx), 1.0 - 2.0 * (xx + yy)}}};
}

#endif
