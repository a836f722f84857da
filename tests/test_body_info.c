/* Measures of an elastic body: rotation of a body that was turned, momentum of one that spins, force and torque of a load.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "elastic_bodies.h"
#include "solid/body.h"

static const vlVec3 none = {{0, 0, 0}};

static vlBody *new_block(double size, vlElasticElement element)
{
  return &new_body(vl_vec(size, 0.7 * size, 0.5 * size), 2, 2, 2, rubber, element, VL_ELASTIC_BACKWARD_EULER)->body;
}

/* exp: the rotation about `axis`, a unit vector. */
static vlMat3 turn_about(vlVec3 axis, double angle)
{
  vlMat3 R;
  for (int i = 0; i < 3; i++) {
    vlVec3 e = {.v = {i == 0, i == 1, i == 2}};
    vlVec3 column = vl_add(vl_add(vl_scale(e, cos(angle)), vl_scale(vl_cross(axis, e), sin(angle))),
                           vl_scale(axis, (1.0 - cos(angle)) * vl_dot(axis, e)));
    for (int r = 0; r < 3; r++) R.m[r][i] = column.v[r];
  }
  return R;
}

static void assert_vector(vlVec3 found, vlVec3 wanted, double tolerance)
{
  if (!(vl_norm(vl_sub(found, wanted)) <= tolerance))
    fail_msg("(%.17g, %.17g, %.17g) instead of (%.17g, %.17g, %.17g)", found.x, found.y, found.z, wanted.x, wanted.y,
             wanted.z);
}

static void test_rotation_vector(void **state)
{
  (void)state;
  static const double angles[] = {0.0, 1e-300, 1e-12, 1e-3, 0.5, 1.5707, 1.5709, 3.0, 3.14159, 3.1415926535};
  const vlVec3 axes[] = {vl_vec(1, 0, 0), vl_vec(0, -1, 0), vl_unit(vl_vec(1, -2, 3)), vl_unit(vl_vec(-1, -1, 1e-9))};
  for (size_t i = 0; i < sizeof angles / sizeof *angles; i++)
    for (size_t k = 0; k < sizeof axes / sizeof *axes; k++)
      assert_vector(vl_rotation_vector(turn_about(axes[k], angles[i])), vl_scale(axes[k], angles[i]), 1e-14);
  vlVec3 half = vl_rotation_vector(turn_about(axes[2], VL_PI)); /* either way round */
  assert_true(fabs(fabs(vl_dot(half, axes[2])) - VL_PI) < 1e-14);
}

/* Bodies of a millimetre and of a hundred metres, turned, moved and blown up. */
static void test_rotation_of_a_body(void **state)
{
  (void)state;
  static const double sizes[] = {1e-3, 1.0, 100.0};
  vlVec3 turn = vl_vec(0.4, -1.1, 0.8);
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    vlBody *body = new_block(sizes[k], VL_ELASTIC_QUADRATIC);
    assert_vector(vl_body_info(body, none, none).rotation, none, 1e-13);
    vlMat3 R = turn_about(vl_unit(turn), vl_norm(turn));
    for (int i = 0; i < body->node_count; i++)
      body->x[i] = vl_add(vl_scale(vl_mat_apply(R, body->rest[i]), 1.3), vl_vec(1, 2, 3));
    assert_vector(vl_body_info(body, none, none).rotation, turn, 1e-16 * 10.0 / fmin(sizes[k], 0.1)); /* round-off */
    vl_body_destroy(&body);
  }
}

/* L = J w about the centre, wherever the body is and however fast it flies. */
static void test_momentum(void **state)
{
  (void)state;
  vlBody *body = new_block(0.4, VL_ELASTIC_LINEAR);
  vlVec3 spin = vl_vec(1, 2, 3), speed = vl_vec(-4, 5, 6), center = vl_body_info(body, none, none).center;
  vlVec3 wanted = none;
  const double *mass = ((vlElastic *)body)->mass;
  for (int i = 0; i < body->node_count; i++) {
    vlVec3 r = vl_sub(body->rest[i], center);
    body->v[i] = vl_add(speed, vl_cross(spin, r));
    body->x[i] = vl_add(body->rest[i], vl_vec(10, -20, 30));
    wanted = vl_axpy(wanted, mass[i] * vl_dot(r, r), spin);
    wanted = vl_axpy(wanted, -mass[i] * vl_dot(r, spin), r);
  }
  vlVec3 gravity = vl_vec(0, -10, 0), zero = vl_vec(0, -21, 0);
  vlBodyInfo info = vl_body_info(body, gravity, zero);
  double whole = rubber.density * 0.4 * 0.28 * 0.2;
  assert_true(fabs(info.mass - whole) < 1e-12 * whole);
  assert_vector(info.momentum, vl_scale(speed, whole), 1e-12 * whole * vl_norm(speed));
  assert_vector(info.angular_momentum, wanted, 1e-11 * vl_norm(wanted)); /* 30 m / 0.2 m times round-off */
  assert_vector(info.velocity, speed, 1e-12 * vl_norm(speed));
  assert_vector(info.angular_velocity, spin, 1e-11 * vl_norm(spin));
  assert_true(fabs(info.potential_energy - whole * 10.0 * (center.y + 1.0)) < 1e-11 * whole);
  assert_true(fabs(info.volume - 0.4 * 0.28 * 0.2) < 1e-12);
  assert_vector(info.load_force, none, 0.0);
  assert_int_equal(info.inverted, 0);
  vl_body_destroy(&body);
}

/* Forces m w x r have no sum and the torque J w; a common force has no torque when it is spread like the mass. */
static void test_load(void **state)
{
  (void)state;
  vlBody *body = new_block(1.0, VL_ELASTIC_QUADRATIC);
  vlVec3 push = vl_vec(3, -1, 2), twist = vl_vec(0.2, 0.5, -0.3), torque = none;
  const double *mass = ((vlElastic *)body)->mass;
  vlVec3 center = vl_body_info(body, none, none).center;
  for (int i = 0; i < body->node_count; i++) {
    vlVec3 r = vl_sub(body->x[i], center), f = vl_scale(vl_cross(twist, r), mass[i]);
    body->load[i] = vl_axpy(f, mass[i], push);
    torque = vl_add(torque, vl_cross(r, f));
  }
  vlBodyInfo info = vl_body_info(body, none, none);
  assert_vector(info.load_force, vl_scale(push, info.mass), 1e-12 * info.mass);
  assert_vector(info.load_torque, torque, 1e-12 * info.mass);
  assert_true(vl_norm(torque) > 1.0);
  vl_body_destroy(&body);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rotation_vector),
      cmocka_unit_test(test_rotation_of_a_body),
      cmocka_unit_test(test_momentum),
      cmocka_unit_test(test_load),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
