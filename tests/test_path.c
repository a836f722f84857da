/* Paths of scripted bodies: where each motion leads, sums of them, keys, whole turns, velocities, mistakes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "solid/path.h"

static const double LITTLE = 1e-14;

static void assert_near(vlVec3 a, vlVec3 b, double tolerance)
{
  if (vl_norm(vl_sub(a, b)) <= tolerance) return;
  fail_msg("(%.17g, %.17g, %.17g) is not (%.17g, %.17g, %.17g)", a.x, a.y, a.z, b.x, b.y, b.z);
}

static vlPath path_of(const vlMotionDef *motion, int count) { return (vlPath){motion, count, vl_vec(0.5, 0.4, 0.3)}; }

/* Where a point of the body is. */
static vlVec3 place(const vlPath *path, vlVec3 rest, double time)
{
  return vl_path_place(vl_path_pose(path, vl_vec(0, 0, 0), time), rest);
}

static vlMotionDef slide(vlVec3 velocity)
{
  vlMotionDef m = vl_motion_default(VL_MOTION_SLIDE);
  m.velocity = velocity;
  return m;
}

static vlMotionDef spin(vlVec3 axis, double rate)
{
  vlMotionDef m = vl_motion_default(VL_MOTION_SPIN);
  m.axis = axis;
  m.rate = rate;
  return m;
}

/* Each motion by itself, with its start and end. */
static void test_each(void **state)
{
  (void)state;
  vlVec3 at = vl_vec(0.7, 0.4, 0.3);
  vlMotionDef m = slide(vl_vec(1, -2, 0.5));
  m.start = 1.0;
  m.end = 3.0;
  vlPath path = path_of(&m, 1);
  assert_near(place(&path, at, 0.5), at, 0.0);
  assert_near(place(&path, at, 2.0), vl_vec(1.7, -1.6, 0.8), LITTLE);
  assert_near(place(&path, at, 9.0), vl_vec(2.7, -3.6, 1.3), LITTLE);

  m = vl_motion_default(VL_MOTION_SWAY);
  m.amplitude = vl_vec(0, 0.1, 0);
  m.frequency = 2.0;
  assert_near(place(&path, at, 0.125), vl_vec(0.7, 0.5, 0.3), LITTLE);
  assert_near(place(&path, at, 1.0), at, LITTLE);
  m.phase = 0.5 * VL_PI; /* begins at rest at the upper end, which is where it was placed */
  assert_near(place(&path, at, 0.0), at, 0.0);
  assert_near(place(&path, at, 0.25), vl_vec(0.7, 0.2, 0.3), LITTLE);

  m = spin(vl_vec(0, 0, 3), VL_PI);
  assert_near(place(&path, at, 0.5), vl_vec(0.5, 0.6, 0.3), LITTLE);
  assert_near(place(&path, at, 2.0), at, LITTLE);
  m.has_about = true;
  m.about = vl_vec(0.7, 0.0, 0.0);
  assert_near(place(&path, at, 0.5), vl_vec(0.3, 0.0, 0.3), LITTLE);

  m = vl_motion_default(VL_MOTION_SWING);
  m.angle = 0.5 * VL_PI;
  m.frequency = 1.0;
  assert_near(place(&path, at, 0.25), vl_vec(0.5, 0.6, 0.3), LITTLE);
  assert_near(place(&path, at, 0.75), vl_vec(0.5, 0.2, 0.3), LITTLE);
}

/* What turns about its own center may slide before or after; what turns about a point of space may not. */
static void test_sums(void **state)
{
  (void)state;
  vlMotionDef a[2] = {slide(vl_vec(0.3, 0.1, -0.2)), spin(vl_vec(1, 2, -1), 1.7)}, b[2] = {a[1], a[0]};
  vlPath one = path_of(a, 2), two = path_of(b, 2);
  vlVec3 at = vl_vec(0.9, 0.1, 0.6);
  assert_near(place(&one, at, 1.3), place(&two, at, 1.3), LITTLE);
  a[1].has_about = b[0].has_about = true;
  a[1].about = b[0].about = vl_vec(0, 0, 0);
  assert_true(vl_norm(vl_sub(place(&one, at, 1.3), place(&two, at, 1.3))) > 0.1);
  /* slid first, then carried around the origin as a whole */
  vlVec3 slid = vl_axpy(at, 1.3, a[0].velocity);
  vlMat3 R = vl_quat_matrix(vl_quat_turn(vl_scale(vl_unit(a[1].axis), 1.7 * 1.3)));
  assert_near(place(&one, at, 1.3), vl_mat_apply(R, slid), LITTLE);
}

static vlKeyDef key(double time, vlVec3 position, int axis, double degrees)
{
  vlKeyDef k = {.time = time, .has_position = true, .position = position, .has_rotate = true};
  k.rotate = (vlTurns){.count = 1, .axis = {axis}, .angle = {degrees * VL_PI / 180.0}};
  return k;
}

static vlMotionDef keys_motion(vlKeyDef *keys, int count)
{
  vlMotionDef m = vl_motion_default(VL_MOTION_KEYS);
  m.keys = keys;
  m.key_count = count;
  return m;
}

/* Angular velocity and velocity of a point from a difference of h on one side of a time. */
static void rates(const vlPath *path, vlVec3 at, double time, double h, vlVec3 *v, vlVec3 *omega)
{
  vlRigid r = {.pose = vl_path_pose(path, at, time)};
  vl_rigid_velocity_to(&r, vl_path_pose(path, at, time + h), h, v, omega);
}

/* 720 degrees between two keys are two whole turns, on either side of rest. */
static void test_whole_turns(void **state)
{
  (void)state;
  vlVec3 c = vl_vec(0.5, 0.4, 0.3), v, omega, turned = vl_vec(0, 0, 0);
  vlKeyDef keys[2] = {key(1.0, c, 2, 0.0), key(3.0, c, 2, 720.0)};
  vlMotionDef m = keys_motion(keys, 2);
  vlPath path = path_of(&m, 1);
  enum { PIECES = 400 };
  for (int i = 0; i < PIECES; i++) {
    double h = 4.0 / PIECES;
    rates(&path, c, i * h, h, &v, &omega);
    turned = vl_axpy(turned, h, omega);
    assert_near(v, vl_vec(0, 0, 0), 1e-12);
    assert_true(omega.z >= -1e-9);
  }
  assert_near(turned, vl_vec(0, 0, 4.0 * VL_PI), 1e-9);
  /* the fastest is in the middle: 1.5 of the mean of a cubic that begins and ends at rest */
  rates(&path, c, 2.0 - 5e-5, 1e-4, &v, &omega);
  assert_near(omega, vl_vec(0, 0, 1.5 * 2.0 * VL_PI), 1e-6);
}

/* Keys are met, velocities are continuous there, and no value lies beyond its neighbours' */
static void test_keys(void **state)
{
  (void)state;
  for (int quaternions = 0; quaternions < 2; quaternions++) {
    vlKeyDef keys[5] = {key(0.5, vl_vec(0.1, 0.2, 0.3), 0, 0.0), key(1.0, vl_vec(0.4, 0.2, 0.1), 0, 80.0),
                        key(2.5, vl_vec(0.4, 0.9, 0.0), 0, 100.0), key(2.8, vl_vec(0.8, 1.0, -0.1), 0, -20.0),
                        key(4.0, vl_vec(0.5, 1.1, -0.4), 0, 30.0)};
    if (quaternions) keys[2].rotate.axis[0] = 1; /* not the same axes: orientations, the short way */
    vlMotionDef m = keys_motion(keys, 5);
    vlPath path = path_of(&m, 1);
    vlVec3 c = path.center, v[2], omega[2];
    for (int k = 0; k < 5; k++) {
      vlPose pose = vl_path_pose(&path, c, keys[k].time);
      vlVec3 turn = vl_vec(0, 0, 0);
      turn.v[keys[k].rotate.axis[0]] = keys[k].rotate.angle[0];
      assert_near(pose.center, keys[k].position, LITTLE);
      vlQuat off = vl_quat_multiply(pose.turn, vl_quat_inverse(vl_quat_turn(turn)));
      assert_near(vl_quat_vector(off), vl_vec(0, 0, 0), 1e-13);
      double h = 1e-5; /* a jump would not go away with it */
      for (int side = 0; side < 2; side++) rates(&path, c, keys[k].time - (side ? h : 0.0), h, &v[side], &omega[side]);
      assert_near(v[0], v[1], 2e-3);
      assert_near(omega[0], omega[1], 5e-3);
    }
    for (int i = 0; i <= 700; i++) {
      double t = 4.5 * i / 700;
      int k = 0;
      while (k < 3 && t > keys[k + 1].time) k++;
      vlVec3 x = vl_path_pose(&path, c, t).center;
      for (int a = 0; a < 3; a++) {
        double p = keys[k].position.v[a], q = keys[k + 1].position.v[a];
        assert_true(x.v[a] >= fmin(p, q) - LITTLE && x.v[a] <= fmax(p, q) + LITTLE);
      }
    }
    rates(&path, c, 5.0, 0.1, &v[0], &omega[0]);
    assert_near(v[0], vl_vec(0, 0, 0), 0.0);
  }
}

/* A step's velocities bring every point where the path has it, to what a turn makes of a straight line: second order. */
static void test_velocities(void **state)
{
  (void)state;
  vlMotionDef m[3] = {spin(vl_vec(0.2, 1, 0.4), 2.0), slide(vl_vec(0.3, 0, 0.1)), vl_motion_default(VL_MOTION_SWING)};
  m[2].angle = 0.6;
  m[2].frequency = 0.7;
  m[2].axis = vl_vec(1, 0, 0);
  m[2].has_about = true;
  m[2].about = vl_vec(0, 1, 0);
  vlPath path = path_of(m, 3);
  vlVec3 mass_center = vl_vec(0.55, 0.35, 0.3), at = vl_vec(0.8, 0.6, 0.1);
  double error[2];
  for (int fine = 0; fine < 2; fine++) {
    double t = 0.9, dt = fine ? 1e-3 : 2e-3;
    vlRigid r = {.rest_center = mass_center, .pose = vl_path_pose(&path, mass_center, t)};
    vlVec3 v, omega, before = vl_rigid_place(&r, at);
    vlPose target = vl_path_pose(&path, mass_center, t + dt);
    vl_rigid_velocity_to(&r, target, dt, &v, &omega);
    vlVec3 straight = vl_axpy(before, dt, vl_rigid_velocity_at(v, omega, r.pose.center, before));
    assert_near(before, place(&path, at, t), LITTLE);
    r.pose = target;
    assert_near(vl_rigid_place(&r, at), place(&path, at, t + dt), LITTLE);
    error[fine] = vl_norm(vl_sub(straight, place(&path, at, t + dt)));
  }
  assert_true(error[0] > 1e-9 && error[0] / error[1] > 3.9 && error[0] / error[1] < 4.1);
}

/* The way of the farthest point: rate times radius times time on a circle, within the chords of sixteenths. */
static void test_way(void **state)
{
  (void)state;
  vlMotionDef m = spin(vl_vec(0, 0, 1), 3.0);
  m.start = 1.0;
  vlPath path = path_of(&m, 1);
  vlVec3 at[3] = {vl_vec(0.5, 0.4, 0.3), vl_vec(0.6, 0.4, 0.9), vl_vec(0.5, 0.0, 0.0)};
  double way = vl_path_way(&path, at, 3, 1.5, 0.2);
  assert_true(fabs(way - 3.0 * 0.4 * 0.2) <= 0.24 * 0.6 * 0.6 / 24.0 / 256.0 * 1.01);
  assert_true(vl_path_way(&path, at, 3, 0.0, 1.0) == 0.0);
  assert_true(vl_path_way(&path, at, 3, 0.5, 1.0) > 0.5); /* what it will do */
}

static void assert_problem(vlMotionDef m, bool slab, const char *key)
{
  vlMotionProblem found = vl_motion_problem(&m, slab);
  if (!found.text) fail_msg("%s: nothing was found", key);
  assert_string_equal(found.key, key);
}

static void test_problems(void **state)
{
  (void)state;
  vlMotionDef m = slide(vl_vec(1, 0, 0));
  assert_null(vl_motion_problem(&m, true).text);
  m.end = 0.0;
  assert_problem(m, false, "end");
  assert_problem(slide(vl_vec(0, 0, 1)), true, "velocity");
  assert_problem(slide(vl_vec(NAN, 0, 0)), false, "velocity");
  assert_problem(spin(vl_vec(0, 0, 0), 1.0), false, "axis");
  assert_problem(spin(vl_vec(0, 1, 1), 1.0), true, "axis");
  assert_problem(keys_motion(NULL, 0), false, "keys");
  vlKeyDef keys[3] = {key(0.0, vl_vec(0, 0, 0), 2, 0.0), key(1.0, vl_vec(1, 0, 0), 2, 10.0),
                      key(1.0, vl_vec(1, 0, 0), 2, 10.0)};
  m = keys_motion(keys, 3);
  assert_problem(m, false, "time");
  assert_int_equal(vl_motion_problem(&m, false).index, 2);
  keys[2].time = 2.0;
  assert_null(vl_motion_problem(&m, true).text);
  keys[1].rotate.axis[0] = 0;
  assert_problem(m, true, "rotate");
  keys[1].rotate.axis[0] = 2;
  keys[1].rotate.angle[0] = 1.1e5;
  assert_problem(m, false, "rotate"); /* too fast */
  keys[1].has_rotate = false;
  assert_problem(m, false, "rotate");
  assert_problem(spin(vl_vec(0, 0, 1), 1.1e5), false, "rate");
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_each),        cmocka_unit_test(test_sums),
                                     cmocka_unit_test(test_whole_turns), cmocka_unit_test(test_keys),
                                     cmocka_unit_test(test_velocities),  cmocka_unit_test(test_way),
                                     cmocka_unit_test(test_problems)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
