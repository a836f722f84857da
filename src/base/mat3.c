/* 3x3 matrices beyond products.
 *
 * Singular values by one-sided Jacobi rotations [golub2013, sec. 8.6]: the columns of A V are made orthogonal pair by pair.
 * Without forming A^T A even the small singular values of a nearly flat matrix keep their digits. U and V are proper
 * rotations, and the smallest singular value takes the sign of the determinant: so the rotation R = U V^T of an inside-out
 * element is the one from which it is pushed back along its thinnest direction [irving2004]. */
#include "base/vec.h"

#include <float.h>

double vl_mat_determinant(vlMat3 a)
{
  double(*m)[3] = a.m;
  return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
         m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

double vl_mat_norm(vlMat3 a)
{
  double sum = 0.0;
  for (int i = 0; i < 9; i++) sum += a.m[i / 3][i % 3] * a.m[i / 3][i % 3];
  return sqrt(sum);
}

bool vl_mat_inverse(vlMat3 a, vlMat3 *inverse)
{
  double det = vl_mat_determinant(a), n = vl_mat_norm(a);
  if (!isfinite(det) || !(fabs(det) > 8.0 * DBL_EPSILON * n * n * n)) return false;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) { /* cofactor of (j, i); cyclic indices carry its sign */
      int r = (j + 1) % 3, s = (j + 2) % 3, c = (i + 1) % 3, d = (i + 2) % 3;
      inverse->m[i][j] = (a.m[r][c] * a.m[s][d] - a.m[r][d] * a.m[s][c]) / det;
    }
  return true;
}

/* Turns columns p and q of `a` in their plane until they are orthogonal, and those of v with them. */
static bool turn_columns(vlVec3 a[3], vlVec3 v[3], int p, int q)
{
  double alpha = vl_dot(a[p], a[p]), beta = vl_dot(a[q], a[q]), gamma = vl_dot(a[p], a[q]);
  if (fabs(gamma) <= 0.5 * DBL_EPSILON * sqrt(alpha * beta)) return false;
  double zeta = (beta - alpha) / (2.0 * gamma), t = copysign(1.0, zeta) / (fabs(zeta) + sqrt(1.0 + zeta * zeta));
  double c = 1.0 / sqrt(1.0 + t * t), s = c * t;
  vlVec3 ap = a[p], vp = v[p];
  a[p] = vl_axpy(vl_scale(ap, c), -s, a[q]);
  a[q] = vl_axpy(vl_scale(a[q], c), s, ap);
  v[p] = vl_axpy(vl_scale(vp, c), -s, v[q]);
  v[q] = vl_axpy(vl_scale(v[q], c), s, vp);
  return true;
}

static void swap_columns(vlVec3 a[3], vlVec3 v[3], int p, int q)
{
  vlVec3 t = a[p];
  a[p] = a[q];
  a[q] = t;
  t = v[p];
  v[p] = v[q];
  v[q] = t;
}

/* Some unit vector at right angles to the unit vector u. */
static vlVec3 perpendicular(vlVec3 u)
{
  int least = fabs(u.x) <= fabs(u.y) ? (fabs(u.x) <= fabs(u.z) ? 0 : 2) : (fabs(u.y) <= fabs(u.z) ? 1 : 2);
  vlVec3 e = {.v = {least == 0, least == 1, least == 2}};
  return vl_unit(vl_cross(u, e));
}

/* `a` with the part along the unit vector u taken out, to unit length; twice, since the first may leave mostly round-off. */
static vlVec3 unit_across(vlVec3 a, vlVec3 u)
{
  a = vl_unit(vl_axpy(a, -vl_dot(a, u), u));
  return vl_unit(vl_axpy(a, -vl_dot(a, u), u));
}

static vlMat3 from_columns(const vlVec3 c[3])
{
  vlMat3 a;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) a.m[i][j] = c[j].v[i];
  return a;
}

bool vl_mat_svd(vlMat3 m, vlMat3 *u_out, double sigma[3], vlMat3 *v_out)
{
  vlVec3 a[3], u[3], v[3] = {vl_vec(1, 0, 0), vl_vec(0, 1, 0), vl_vec(0, 0, 1)};
  double scale = 0.0;
  for (int i = 0; i < 9; i++) {
    if (!isfinite(m.m[i / 3][i % 3])) return false;
    scale = fmax(scale, fabs(m.m[i / 3][i % 3]));
  }
  int exponent = 0;
  if (scale > 0.0) frexp(scale, &exponent); /* largest entry to 0.5 .. 1, exactly: squares stay in range */
  for (int j = 0; j < 3; j++)
    a[j] = vl_vec(ldexp(m.m[0][j], -exponent), ldexp(m.m[1][j], -exponent), ldexp(m.m[2][j], -exponent));
  for (int sweep = 0, turned = 1; turned && sweep < 20; sweep++) {
    turned = turn_columns(a, v, 0, 1);
    turned |= turn_columns(a, v, 0, 2);
    turned |= turn_columns(a, v, 1, 2);
  }
  if (vl_dot(a[0], a[0]) < vl_dot(a[1], a[1])) swap_columns(a, v, 0, 1);
  if (vl_dot(a[1], a[1]) < vl_dot(a[2], a[2])) swap_columns(a, v, 1, 2);
  if (vl_dot(a[0], a[0]) < vl_dot(a[1], a[1])) swap_columns(a, v, 0, 1);
  double s0 = vl_norm(a[0]), s1 = vl_norm(a[1]);
  vlVec3 third = vl_cross(v[0], v[1]);
  if (vl_dot(third, v[2]) < 0.0) a[2] = vl_scale(a[2], -1.0);
  v[2] = third;
  u[0] = s0 > 0.0 ? vl_scale(a[0], 1.0 / s0) : v[0];
  u[1] = s1 > DBL_EPSILON * s0 ? unit_across(a[1], u[0]) : s0 > 0.0 ? perpendicular(u[0]) : v[1];
  u[2] = vl_cross(u[0], u[1]);
  sigma[0] = ldexp(s0, exponent);
  sigma[1] = ldexp(s1, exponent);
  sigma[2] = ldexp(vl_dot(u[2], a[2]), exponent);
  *u_out = from_columns(u);
  *v_out = from_columns(v);
  return true;
}

bool vl_mat_polar(vlMat3 a, vlMat3 *r)
{
  vlMat3 u, v;
  double sigma[3];
  if (!vl_mat_svd(a, &u, sigma, &v) || !(sigma[0] > 1e-8)) return false;
  *r = vl_mat_multiply(u, vl_mat_transpose(v));
  return true;
}
