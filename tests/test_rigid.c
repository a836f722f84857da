/* Rigid bodies alone: mass from meshes, free rotation, what loads do, locked ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/vec.h"
#include "solid/rigid.h"

static const int BOX[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                               {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};

/* Corners of a box, turned and moved. */
static void make_box(vlVec3 size, vlMat3 turn, vlVec3 center, vlVec3 x[8])
{
  for (int i = 0; i < 8; i++) {
    vlVec3 r = vl_vec(((i & 1) - 0.5) * size.x, ((i >> 1 & 1) - 0.5) * size.y, ((i >> 2 & 1) - 0.5) * size.z);
    x[i] = vl_add(center, vl_mat_apply(turn, r));
  }
}

/* A box has mass abc rho and moments m (b^2 + c^2)/12 along its own axes, wherever it lies. */
static void test_mass_of_box(void **state)
{
  (void)state;
  vlVec3 x[8], size = vl_vec(0.3, 0.5, 0.2), center = vl_vec(100.0, -40.0, 7.0);
  vlMat3 turn = vl_mat_multiply(vl_mat_rotation(0, 0.4), vl_mat_rotation(1, 1.1));
  make_box(size, turn, center, x);
  vlMassProperties p = vl_rigid_mass(x, BOX, 12, 700.0);
  double mass = 700.0 * 0.3 * 0.5 * 0.2;
  assert_true(fabs(p.mass - mass) <= 1e-12 * mass);
  assert_true(vl_norm(vl_sub(p.center, center)) <= 1e-13 * vl_norm(center));
  vlMat3 own = vl_mat_multiply(vl_mat_multiply(vl_mat_transpose(turn), p.inertia), turn);
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++) {
      double squares = vl_dot(size, size) - size.v[a] * size.v[a], exact = a == b ? mass * squares / 12.0 : 0.0;
      assert_true(fabs(own.m[a][b] - exact) <= 1e-12 * mass);
    }
}

static vlRigid box_body(vlVec3 size, vlVec3 x[8])
{
  make_box(size, vl_mat_identity(), vl_vec(0.2, 0.1, -0.3), x);
  vlMassProperties p = vl_rigid_mass(x, BOX, 12, 500.0);
  return (vlRigid){.mass = p.mass,
                   .inertia = p.inertia,
                   .rest_center = p.center,
                   .pose = {.center = p.center, .turn = vl_quat_identity()}};
}

static double turning_energy(const vlRigid *r) { return 0.5 * vl_dot(r->spin, vl_rigid_omega(r)); }

/* A brick thrown about its middle axis tumbles: angular momentum stays to the last bit, energy to second order in dt. */
static void test_tumbling(void **state)
{
  (void)state;
  double drift[2];
  for (int fine = 0; fine < 2; fine++) {
    vlVec3 x[8];
    vlRigid r = box_body(vl_vec(0.3, 0.2, 0.1), x);
    vl_rigid_set_motion(&r, vl_vec(1, 2, 3), vl_vec(0.01, 4.0, 0.02));
    vlVec3 spin = r.spin;
    double before = turning_energy(&r), most = 0.0, leaned = 1.0, dt = fine ? 0.005 : 0.01;
    for (int s = 0; s < (fine ? 2000 : 1000); s++) {
      vl_rigid_begin(&r, dt, vl_vec(0, 0, 0), vl_vec(0, 0, 0));
      vl_rigid_finish(&r, x, 8, NULL);
      most = fmax(most, fabs(turning_energy(&r) - before) / before);
      leaned = fmin(leaned, vl_quat_matrix(r.pose.turn).m[1][1]);
    }
    drift[fine] = most;
    assert_memory_equal(&spin, &r.spin, sizeof spin);
    assert_true(leaned < -0.5); /* it has turned over */
    assert_true(fabs(r.pose.center.x - 0.2 - 10.0) <= 1e-9);
  }
  assert_true(drift[0] < 5e-3);
  assert_true(drift[1] < 0.3 * drift[0]);
}

/* S^-1 is symmetric and not negative; a push on a corner moves the corner along. */
static void test_answers(void **state)
{
  (void)state;
  vlVec3 x[8], f[8] = {0}, g[8] = {0}, yf[8], yg[8];
  vlRigid r = box_body(vl_vec(0.3, 0.2, 0.1), x);
  r.weight = vl_vec(0, -9.81 * r.mass, 0);
  vl_rigid_begin(&r, 0.01, vl_vec(0, 0, 0), vl_vec(0, 0, 0));
  for (int i = 0; i < 8; i++) {
    f[i] = vl_vec(sin(i), cos(2.0 * i), sin(3.0 * i));
    g[i] = vl_vec(cos(i), sin(5.0 * i), 1.0);
  }
  vl_rigid_solve(&r, x, 8, f, yf);
  vl_rigid_solve(&r, x, 8, g, yg);
  double fg = 0.0, gf = 0.0, ff = 0.0;
  for (int i = 0; i < 8; i++) fg += vl_dot(g[i], yf[i]), gf += vl_dot(f[i], yg[i]), ff += vl_dot(f[i], yf[i]);
  assert_true(ff > 0.0);
  assert_true(fabs(fg - gf) <= 1e-13 * ff);
  /* with the loads the nodes move at V_free plus that */
  vlVec3 center = r.pose.center;
  vl_rigid_finish(&r, x, 8, f);
  vlVec3 v = vl_rigid_velocity(&r);
  vlVec3 sum = vl_vec(0, 0, 0);
  for (int i = 0; i < 8; i++) sum = vl_add(sum, f[i]);
  vlVec3 exact = vl_add(vl_vec(0, -0.0981, 0), vl_scale(sum, 0.01 / r.mass));
  assert_true(vl_norm(vl_sub(v, exact)) <= 1e-14);
  assert_true(vl_norm(vl_sub(r.pose.center, vl_axpy(center, 0.01, v))) <= 1e-15);
}

/* Locked axes stay, the others answer as if hinged. */
static void test_locked(void **state)
{
  (void)state;
  vlVec3 x[8], f[8] = {0};
  vlRigid r = box_body(vl_vec(0.3, 0.2, 0.1), x);
  r.locked = 1u << 0 | 1u << 2 | 1u << 3 | 1u << 4; /* up and down, and about z */
  f[7] = vl_vec(5.0, 3.0, -2.0);
  r.weight = vl_scale(vl_vec(1, -1, 1), r.mass);
  vl_rigid_begin(&r, 0.01, vl_vec(0, 0, 0), vl_vec(0, 0, 0));
  vl_rigid_finish(&r, x, 8, f);
  vlVec3 v = vl_rigid_velocity(&r), omega = vl_rigid_omega(&r), arm = vl_sub(x[7], r.rest_center);
  assert_true(v.x == 0.0 && v.z == 0.0 && fabs(v.y - 0.01 * (3.0 / r.mass - 1.0)) <= 1e-15);
  double torque = arm.x * 3.0 - arm.y * 5.0;
  assert_true(omega.x == 0.0 && omega.y == 0.0 && fabs(omega.z - 0.01 * torque / r.inertia.m[2][2]) <= 1e-13);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_mass_of_box), cmocka_unit_test(test_tumbling),
                                     cmocka_unit_test(test_answers), cmocka_unit_test(test_locked)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
