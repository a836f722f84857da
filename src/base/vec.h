/* Vectors of three, 3x3 matrices, boxes, quaternions. */
#ifndef VL_BASE_VEC_H
#define VL_BASE_VEC_H

#include <math.h>

#include "velella/types.h"

#define VL_PI 3.14159265358979323846

static inline vlVec3 vl_vec(double x, double y, double z) { return (vlVec3){.v = {x, y, z}}; }
static inline vlVec3 vl_add(vlVec3 a, vlVec3 b) { return vl_vec(a.x + b.x, a.y + b.y, a.z + b.z); }
static inline vlVec3 vl_sub(vlVec3 a, vlVec3 b) { return vl_vec(a.x - b.x, a.y - b.y, a.z - b.z); }
static inline vlVec3 vl_scale(vlVec3 a, double s) { return vl_vec(a.x * s, a.y * s, a.z * s); }
/* a + s b */
static inline vlVec3 vl_axpy(vlVec3 a, double s, vlVec3 b) { return vl_vec(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z); }
static inline double vl_dot(vlVec3 a, vlVec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline vlVec3 vl_cross(vlVec3 a, vlVec3 b)
{
  return vl_vec(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
static inline double vl_norm(vlVec3 a) { return sqrt(vl_dot(a, a)); }
/* The zero vector stays zero. */
static inline vlVec3 vl_unit(vlVec3 a)
{
  double n = vl_norm(a);
  return n > 0.0 ? vl_scale(a, 1.0 / n) : a;
}
static inline vlVec3 vl_min(vlVec3 a, vlVec3 b) { return vl_vec(fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z)); }
static inline vlVec3 vl_max(vlVec3 a, vlVec3 b) { return vl_vec(fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z)); }
static inline bool vl_finite(vlVec3 a) { return isfinite(a.x) && isfinite(a.y) && isfinite(a.z); }

static inline vlMat3 vl_mat_identity(void) { return (vlMat3){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}; }
static inline vlVec3 vl_mat_apply(vlMat3 a, vlVec3 x)
{
  return vl_vec(a.m[0][0] * x.x + a.m[0][1] * x.y + a.m[0][2] * x.z, a.m[1][0] * x.x + a.m[1][1] * x.y + a.m[1][2] * x.z,
                a.m[2][0] * x.x + a.m[2][1] * x.y + a.m[2][2] * x.z);
}
static inline vlMat3 vl_mat_transpose(vlMat3 a)
{
  return (vlMat3){{{a.m[0][0], a.m[1][0], a.m[2][0]}, {a.m[0][1], a.m[1][1], a.m[2][1]}, {a.m[0][2], a.m[1][2], a.m[2][2]}}};
}
static inline vlMat3 vl_mat_multiply(vlMat3 a, vlMat3 b)
{
  vlMat3 c;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) c.m[i][j] = a.m[i][0] * b.m[0][j] + a.m[i][1] * b.m[1][j] + a.m[i][2] * b.m[2][j];
  return c;
}
/* Turn by `angle` radians about the coordinate axis 0..2. */
static inline vlMat3 vl_mat_rotation(int axis, double angle)
{
  int a = (axis + 1) % 3, b = (axis + 2) % 3;
  vlMat3 r = vl_mat_identity();
  r.m[a][a] = r.m[b][b] = cos(angle);
  r.m[b][a] = sin(angle);
  r.m[a][b] = -sin(angle);
  return r;
}

static inline vlBox3 vl_box_empty(void)
{
  return (vlBox3){{.v = {INFINITY, INFINITY, INFINITY}}, {.v = {-INFINITY, -INFINITY, -INFINITY}}};
}
static inline vlBox3 vl_box_everything(void)
{
  return (vlBox3){{.v = {-INFINITY, -INFINITY, -INFINITY}}, {.v = {INFINITY, INFINITY, INFINITY}}};
}
static inline vlBox3 vl_box_add(vlBox3 b, vlVec3 x) { return (vlBox3){vl_min(b.lo, x), vl_max(b.hi, x)}; }
static inline vlBox3 vl_box_unite(vlBox3 a, vlBox3 b) { return (vlBox3){vl_min(a.lo, b.lo), vl_max(a.hi, b.hi)}; }
static inline vlBox3 vl_box_intersect(vlBox3 a, vlBox3 b) { return (vlBox3){vl_max(a.lo, b.lo), vl_min(a.hi, b.hi)}; }
static inline vlBox3 vl_box_grow(vlBox3 b, double d)
{
  return (vlBox3){vl_sub(b.lo, vl_vec(d, d, d)), vl_add(b.hi, vl_vec(d, d, d))};
}
static inline bool vl_box_is_empty(vlBox3 b) { return b.lo.x > b.hi.x || b.lo.y > b.hi.y || b.lo.z > b.hi.z; }

/* Beyond products (mat3.c): determinant, inverse, singular values, nearest rotation. */

double vl_mat_determinant(vlMat3 a);
double vl_mat_norm(vlMat3 a); /* Frobenius */
/* false: singular to round-off or not finite; *inverse stays as it was. */
bool vl_mat_inverse(vlMat3 a, vlMat3 *inverse);
/* a = U diag(sigma) V^T with proper rotations U and V, sigma[0] >= sigma[1] >= |sigma[2]|; the sign of sigma[2] is that of
 * det a. False, and nothing written, when an entry is not finite. */
bool vl_mat_svd(vlMat3 a, vlMat3 *u, double sigma[3], vlMat3 *v);
/* The proper rotation R of a = R Y, Y symmetric with at most one negative stretch, its smallest. False, and *r stays as it
 * was, when an entry is not finite or the norm of a is below 1e-8. */
bool vl_mat_polar(vlMat3 a, vlMat3 *r);

/* Unit quaternions as orientations: w, x, y, z. */
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
