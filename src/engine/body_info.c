/* Measures of a body as a whole.
 *
 * How far a soft body has turned is the rotation R that carries its form at rest nearest to its present one, in the sense of
 * least squares weighted with mass: the polar part of
 *
 *     A = sum_i m_i (x_i - c) (X_i - C)^T        c, C: centres of mass now and at rest
 *
 * scaled by sum_i m_i |X_i - C|^2, so that its size is 1 whatever the body's. R is told by the vector along its axis whose
 * length is the angle. A rigid body knows its own. Where sines are small, near a half turn, the axis comes from the
 * symmetric part of R. In: a body and the liquid's forces on its nodes. Out: momentum, energy, forces, all of the body. */
#include "engine/body_info.h"

#include "base/mat3.h"
#include "solid/elastic_stress.h"
#include "solid/rigid.h"

vlVec3 vl_rotation_vector(vlMat3 R)
{
  double(*m)[3] = R.m;
  vlVec3 sine = vl_scale(vl_vec(m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]), 0.5);
  double s = vl_norm(sine), c = 0.5 * (m[0][0] + m[1][1] + m[2][2] - 1.0), angle = atan2(s, c);
  if (c > 0.0) return vl_scale(sine, s > 0.0 ? angle / s : 1.0);
  /* sym R = c I + (1 - c) n n^T: the column with the largest entry of n */
  int k = m[0][0] >= m[1][1] ? (m[0][0] >= m[2][2] ? 0 : 2) : (m[1][1] >= m[2][2] ? 1 : 2);
  vlVec3 n;
  for (int i = 0; i < 3; i++) n.v[i] = 0.5 * (m[i][k] + m[k][i]) - (i == k ? c : 0.0);
  return vl_scale(vl_unit(n), vl_dot(n, sine) < 0.0 ? -angle : angle);
}

static vlVec3 mass_center(const vlElastic *b, const vlVec3 *x)
{
  vlVec3 sum = vl_vec(0, 0, 0);
  double mass = 0.0;
  for (int i = 0; i < b->node_count; i++) {
    sum = vl_axpy(sum, b->mass[i], x[i]);
    mass += b->mass[i];
  }
  return vl_scale(sum, 1.0 / mass);
}

static vlVec3 best_rotation(const vlElastic *b, vlVec3 now)
{
  vlVec3 rest = mass_center(b, b->rest);
  vlMat3 A = {0}, R = vl_mat_identity();
  double size = 0.0;
  for (int i = 0; i < b->node_count; i++) {
    vlVec3 x = vl_sub(b->x[i], now), X = vl_sub(b->rest[i], rest);
    size += b->mass[i] * vl_dot(X, X);
    for (int r = 0; r < 3; r++)
      for (int c = 0; c < 3; c++) A.m[r][c] += b->mass[i] * x.v[r] * X.v[c];
  }
  for (int i = 0; i < 9; i++) A.m[i / 3][i % 3] /= size;
  vl_mat_polar(A, &R); /* a body shrunk to a point has not turned */
  return vl_rotation_vector(R);
}

/* About the centre. */
static vlVec3 angular_momentum(const vlElastic *b, vlVec3 center)
{
  if (b->rigid) return b->rigid->spin;
  vlVec3 sum = vl_vec(0, 0, 0);
  for (int i = 0; i < b->node_count; i++) sum = vl_axpy(sum, b->mass[i], vl_cross(vl_sub(b->x[i], center), b->v[i]));
  return sum;
}

vlBodyInfo vl_body_info(const vlElastic *b, vlVec3 gravity, vlVec3 zero, const vlVec3 *load)
{
  vlElasticMeasure m = vl_elastic_measure(b, gravity);
  vlBodyInfo info = {.mass = m.mass,
                     .volume = m.volume,
                     .center = m.center,
                     .rotation =
                         b->rigid ? vl_rotation_vector(vl_quat_matrix(b->rigid->pose.turn)) : best_rotation(b, m.center),
                     .momentum = m.momentum,
                     .angular_momentum = angular_momentum(b, m.center),
                     .reaction = m.reaction,
                     .kinetic_energy = m.kinetic,
                     .elastic_energy = m.elastic,
                     .potential_energy = m.potential + m.mass * vl_dot(gravity, zero),
                     .inverted = vl_elastic_inverted(b)};
  for (int i = 0; i < b->node_count; i++) {
    info.power += vl_dot(b->reaction[i], b->v[i]);
    if (!load) continue;
    info.load_force = vl_add(info.load_force, load[i]);
    info.load_torque = vl_add(info.load_torque, vl_cross(vl_sub(b->x[i], m.center), load[i]));
  }
  return info;
}
