/* Mass properties by the divergence theorem: a closed surface is the sum of the tetrahedra between its triangles and one
 * point, counted with their sign; each has exact moments [tonon2004].
 *
 * Time: L' = L + dt (torque), X' = X + dt v', and the orientation turns by dt omega_m about the axis of the middle of
 * the step, omega_m = I(q_m)^-1 L', q_m = turn(dt/2 omega') q: momentum exactly, energy to second order. The liquid sees
 * omega' = I(q)^-1 L' with the body as it lay at the step's start, as it sees all geometry. */
#include "solid/rigid.h"

#include <math.h>

#include "base/vec.h"
#include "linear/solve.h"

/* Sum over triangles of the moments of tetrahedra (o, a, b, c): volume, first, and second moments x x^T. */
typedef struct Moments {
  double volume;
  vlVec3 first;
  vlMat3 second;
} Moments;

static void add_tetrahedron(Moments *m, vlVec3 a, vlVec3 b, vlVec3 c)
{
  double v = vl_dot(a, vl_cross(b, c)) / 6.0;
  vlVec3 sum = vl_add(a, vl_add(b, c));
  m->volume += v;
  m->first = vl_axpy(m->first, 0.25 * v, sum);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      m->second.m[i][j] += v / 20.0 * (sum.v[i] * sum.v[j] + a.v[i] * a.v[j] + b.v[i] * b.v[j] + c.v[i] * c.v[j]);
}

vlMassProperties vl_rigid_mass(const vlVec3 *x, const int (*triangle)[3], int count, double density)
{
  Moments m = {0};
  vlVec3 o = count > 0 ? x[triangle[0][0]] : vl_vec(0, 0, 0); /* near the body, lest far ones lose digits */
  for (int t = 0; t < count; t++)
    add_tetrahedron(&m, vl_sub(x[triangle[t][0]], o), vl_sub(x[triangle[t][1]], o), vl_sub(x[triangle[t][2]], o));
  vlMassProperties p = {.mass = density * m.volume, .center = o};
  if (!(m.volume > 0.0)) return p;
  vlVec3 c = vl_scale(m.first, 1.0 / m.volume);
  double trace = 0.0;
  for (int i = 0; i < 3; i++) trace += m.second.m[i][i] - m.volume * c.v[i] * c.v[i];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      p.inertia.m[i][j] = density * ((i == j ? trace : 0.0) - (m.second.m[i][j] - m.volume * c.v[i] * c.v[j]));
  p.center = vl_add(o, c);
  return p;
}

/* R I R^T */
static vlMat3 turned_inertia(const vlRigid *r, vlQuat turn)
{
  vlMat3 R = vl_quat_matrix(turn);
  return vl_mat_multiply(vl_mat_multiply(R, r->inertia), vl_mat_transpose(R));
}

vlMat3 vl_rigid_inertia(const vlRigid *r) { return turned_inertia(r, r->pose.turn); }

/* I^-1 on the axes that may turn: the block of the others is left out. */
static vlMat3 free_mobility(const vlRigid *r, vlQuat turn)
{
  vlMat3 inertia = turned_inertia(r, turn), inverse = {{{0}}};
  for (int a = 0; a < 3; a++) {
    if (!(r->locked >> (3 + a) & 1u)) continue;
    for (int b = 0; b < 3; b++) inertia.m[a][b] = inertia.m[b][a] = 0.0;
    inertia.m[a][a] = 1.0;
  }
  if (!vl_mat_inverse(inertia, &inverse)) return inverse;
  for (int a = 0; a < 3; a++)
    if (r->locked >> (3 + a) & 1u)
      for (int b = 0; b < 3; b++) inverse.m[a][b] = inverse.m[b][a] = 0.0;
  return inverse;
}

static vlVec3 free_axes(const vlRigid *r, vlVec3 v)
{
  for (int a = 0; a < 3; a++)
    if (r->locked >> a & 1u) v.v[a] = 0.0;
  return v;
}

vlVec3 vl_rigid_velocity(const vlRigid *r) { return vl_scale(free_axes(r, r->momentum), 1.0 / r->mass); }

vlVec3 vl_rigid_omega(const vlRigid *r) { return vl_mat_apply(free_mobility(r, r->pose.turn), r->spin); }

void vl_rigid_set_motion(vlRigid *r, vlVec3 velocity, vlVec3 omega)
{
  r->momentum = vl_scale(velocity, r->mass);
  r->spin = vl_mat_apply(vl_rigid_inertia(r), omega);
}

void vl_rigid_velocity_to(const vlRigid *r, vlPose target, double dt, vlVec3 *velocity, vlVec3 *omega)
{
  *velocity = vl_scale(vl_sub(target.center, r->pose.center), 1.0 / dt);
  *omega = vl_scale(vl_quat_vector(vl_quat_multiply(target.turn, vl_quat_inverse(r->pose.turn))), 1.0 / dt);
}

void vl_rigid_set_mass(vlRigid *r, double mass)
{
  double part = mass / r->whole.mass, change = mass / r->mass;
  r->mass = mass;
  for (int i = 0; i < 9; i++) r->inertia.m[i / 3][i % 3] = part * r->whole.inertia.m[i / 3][i % 3];
  r->momentum = vl_scale(r->momentum, change);
  r->spin = vl_scale(r->spin, change);
}

int vl_rigid_free(const vlRigid *r, int coordinate[6])
{
  int count = 0;
  for (int a = 0; a < 6; a++)
    if (!(r->locked >> a & 1u)) coordinate[count++] = a;
  return count;
}

vlMat6 vl_rigid_matrix(const vlRigid *r)
{
  vlMat6 M = {{{0}}};
  vlMat3 inertia = vl_rigid_inertia(r);
  for (int a = 0; a < 3; a++) {
    M.m[a][a] = r->mass;
    for (int b = 0; b < 3; b++) M.m[3 + a][3 + b] = inertia.m[a][b];
  }
  return M;
}

/* y = A x */
static vlRigidMode apply6(const vlMat6 *A, vlRigidMode x)
{
  vlRigidMode y = {0};
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++) {
      y.v.v[a] += A->m[a][b] * x.v.v[b] + A->m[a][3 + b] * x.omega.v[b];
      y.omega.v[a] += A->m[3 + a][b] * x.v.v[b] + A->m[3 + a][3 + b] * x.omega.v[b];
    }
  return y;
}

/* (M + M_c + dt D)^-1 on the coordinates that are free; false where that is not positive, of a body without extent to turn. */
static bool invert_free(const vlRigid *r, const int *free_of, int n, vlMat6 *inverse)
{
  double factor[36];
  vlMat6 M = vl_rigid_matrix(r);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      factor[i * n + j] = M.m[free_of[i]][free_of[j]] + r->carried.m[free_of[i]][free_of[j]] +
                          r->dt * r->resistance.m[free_of[i]][free_of[j]];
  *inverse = (vlMat6){{{0}}};
  if (!vl_dense_factor(factor, n)) return false;
  for (int j = 0; j < n; j++) {
    double x[6] = {0};
    x[j] = 1.0;
    vl_dense_solve(factor, n, x);
    for (int i = 0; i <= j; i++) inverse->m[free_of[i]][free_of[j]] = inverse->m[free_of[j]][free_of[i]] = x[i];
  }
  return true;
}

void vl_rigid_begin(vlRigid *r, double dt, vlVec3 force, vlVec3 torque)
{
  int free_of[6], n = vl_rigid_free(r, free_of), straight = 0;
  while (straight < n && free_of[straight] < 3) straight++;
  r->dt = r->way = dt;
  if (!invert_free(r, free_of, n, &r->mobility)) invert_free(r, free_of, straight, &r->mobility);
  r->torque = vl_add(torque, r->weight_torque);
  vlRigidMode now = {vl_rigid_velocity(r), vl_rigid_omega(r)}, kept = apply6(&r->carried, now);
  vlVec3 push = vl_add(vl_add(vl_add(vl_add(force, r->push), r->weight), r->carried_weight.v), r->pull.v);
  vlVec3 turn = vl_add(vl_add(r->torque, r->carried_weight.omega), r->pull.omega);
  vlRigidMode V = apply6(&r->mobility, (vlRigidMode){vl_axpy(vl_add(r->momentum, kept.v), dt, push),
                                                     vl_axpy(vl_add(r->spin, kept.omega), dt, turn)});
  r->free_v = V.v;
  r->free_omega = V.omega;
}

/* Force and torque about the centre of loads on nodes. */
static void gather_loads(const vlRigid *r, const vlVec3 *x, int count, const vlVec3 *load, vlVec3 *force, vlVec3 *torque)
{
  *force = *torque = vl_vec(0, 0, 0);
  for (int i = 0; i < count; i++) {
    *force = vl_add(*force, load[i]);
    *torque = vl_add(*torque, vl_cross(vl_sub(x[i], r->pose.center), load[i]));
  }
}

vlRigidMode vl_rigid_answer(const vlRigid *r, vlVec3 force, vlVec3 torque)
{
  return apply6(&r->mobility, (vlRigidMode){vl_scale(force, r->dt), vl_scale(torque, r->dt)});
}

/* Cholesky of the mobility, whose rows and columns of locked axes are zero. */
int vl_rigid_modes(const vlRigid *r, vlRigidMode mode[6])
{
  vlMat6 rest = r->mobility;
  double least[6];
  int count = 0;
  for (int a = 0; a < 6; a++) {
    int block = a < 3 ? 0 : 3;
    least[a] = 1e-14 * fmax(rest.m[block][block], fmax(rest.m[block + 1][block + 1], rest.m[block + 2][block + 2]));
  }
  for (int a = 0; a < 6; a++) {
    double pivot = rest.m[a][a];
    if (!(pivot > least[a])) continue;
    mode[count] = (vlRigidMode){0};
    for (int b = a; b < 6; b++) {
      double *entry = b < 3 ? &mode[count].v.v[b] : &mode[count].omega.v[b - 3];
      *entry = sqrt(r->dt / pivot) * rest.m[b][a];
    }
    for (int b = a + 1; b < 6; b++)
      for (int c = a + 1; c < 6; c++) rest.m[b][c] -= rest.m[b][a] * rest.m[a][c] / pivot;
    count++;
  }
  return count;
}

void vl_rigid_solve(const vlRigid *r, const vlVec3 *x, int count, const vlVec3 *load, vlVec3 *y)
{
  vlVec3 force, torque;
  gather_loads(r, x, count, load, &force, &torque);
  vlRigidMode V = vl_rigid_answer(r, force, torque);
  for (int i = 0; i < count; i++) y[i] = vl_rigid_velocity_at(V.v, V.omega, r->pose.center, x[i]);
}

/* N m: F_c - M_c dV/dt of the step that ends with V. */
static vlVec3 carried_torque(const vlRigid *r, vlVec3 v, vlVec3 omega)
{
  vlRigidMode change = {vl_sub(v, vl_rigid_velocity(r)), vl_sub(omega, vl_rigid_omega(r))};
  return vl_axpy(r->carried_weight.omega, -1.0 / r->dt, apply6(&r->carried, change).omega);
}

/* N m: F_g - D V */
static vlVec3 grabbed_torque(const vlRigid *r) { return vl_sub(r->pull.omega, apply6(&r->resistance, r->end).omega); }

void vl_rigid_finish(vlRigid *r, const vlVec3 *x, int count, const vlVec3 *load)
{
  vlVec3 force = vl_vec(0, 0, 0), torque = vl_vec(0, 0, 0);
  if (load) gather_loads(r, x, count, load, &force, &torque);
  vlRigidMode V = vl_rigid_answer(r, force, torque);
  vlVec3 v = vl_add(r->free_v, V.v), omega = vl_add(r->free_omega, V.omega);
  r->end = (vlRigidMode){v, omega};
  vlVec3 turn = vl_add(vl_add(vl_add(r->torque, torque), carried_torque(r, v, omega)), grabbed_torque(r));
  /* angular momentum by torque alone; of locked axes what their turning has, none */
  vlMat3 inertia = vl_rigid_inertia(r);
  r->momentum = vl_scale(v, r->mass);
  r->spin = r->locked >> 3 ? vl_mat_apply(inertia, omega) : vl_axpy(r->spin, r->dt, turn);
  vlQuat middle = vl_quat_multiply(vl_quat_turn(vl_scale(omega, 0.5 * r->way)), r->pose.turn);
  vlVec3 axis = vl_mat_apply(free_mobility(r, middle), r->spin);
  r->pose.center = vl_axpy(r->pose.center, r->way, v);
  r->pose.turn = vl_quat_unit(vl_quat_multiply(vl_quat_turn(vl_scale(axis, r->way)), r->pose.turn));
}

vlVec3 vl_rigid_place(const vlRigid *r, vlVec3 rest)
{
  return vl_add(r->pose.center, vl_mat_apply(vl_quat_matrix(r->pose.turn), vl_sub(rest, r->rest_center)));
}

vlVec3 vl_rigid_velocity_at(vlVec3 v, vlVec3 omega, vlVec3 center, vlVec3 x)
{
  return vl_add(v, vl_cross(omega, vl_sub(x, center)));
}
