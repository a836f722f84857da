/* What a program tells a simulation while it runs: against mechanics, and a resumed simulation repeats it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "moving.h"

static vlSim *start_text(const char *text, int threads)
{
  vlStatus status = {0};
  vlScene scene;
  if (vl_scene_parse(&scene, text, strlen(text), "control.yaml", NULL, 0, &status)) fail_msg("%s", status.message);
  vlSim *sim = start(&scene, threads);
  vl_scene_clear(&scene);
  return sim;
}

static void assert_vector(const char *what, vlVec3 found, vlVec3 wanted, double tolerance)
{
  if (!(vl_norm(vl_sub(found, wanted)) <= tolerance))
    fail_msg("%s: (%.12g, %.12g, %.12g) instead of (%.12g, %.12g, %.12g)", what, found.x, found.y, found.z, wanted.x,
             wanted.y, wanted.z);
}

static void ok(vlCode code, const vlStatus *status)
{
  if (code) fail_msg("%s", status->message);
}

static const char *const BODIES =
    "{grid: {size: [2, 2, 2], cells: 8}, gravity: [0, 0, 0], time: {dt_fixed: 0.01}, bodies: [{name: crate, rigid: yes, "
    "shape: "
    "box, center: [0.5, 1, 1], size: [0.2, 0.3, 0.4], density: 500}, {name: jelly, shape: box, center: [1.5, 1, 1], size: "
    "[0.3, 0.2, 0.2], cells: [3, 2, 2], young: 1e6, mass_damping: 0}, {name: wheel, shape: box, center: [1, 0.4, 1], size: "
    "[0.2, 0.2, 0.2], "
    "motion: [{move: slide, velocity: [0.1, 0, 0]}]}]}";

/* F t and T t, whatever kind of body; then neither. */
static void test_push(void **state)
{
  (void)state;
  vlStatus status = {0};
  vlSim *sim = start_text(BODIES, 1);
  vlVec3 force = vl_vec(0.3, -0.2, 0.1), torque = vl_vec(0.01, 0.02, -0.015);
  for (int b = 0; b < 2; b++) ok(vl_sim_push(sim, b, force, torque, &status), &status);
  for (int s = 0; s < 20; s++) one_step(sim, 1.0);
  for (int b = 0; b < 2; b++) {
    vlBodyInfo info = vl_sim_body(sim, b).info;
    assert_vector("momentum", info.momentum, vl_scale(force, 0.2), 1e-9);
    assert_vector("spin", info.angular_momentum, vl_scale(torque, 0.2), b ? 1e-5 : 1e-12); /* elastic: the shape turns */
    ok(vl_sim_push(sim, b, vl_vec(0, 0, 0), vl_vec(0, 0, 0), &status), &status);
  }
  for (int s = 0; s < 10; s++) one_step(sim, 1.0);
  for (int b = 0; b < 2; b++) assert_vector("momentum kept", vl_sim_body(sim, b).info.momentum, vl_scale(force, 0.2), 1e-9);
  vl_sim_destroy(&sim);
}

/* Its path, then the way it was told, from where it was. */
static void test_steer(void **state)
{
  (void)state;
  vlStatus status = {0};
  vlSim *sim = start_text(BODIES, 1);
  vlVec3 center = vl_sim_body(sim, 2).info.center;
  for (int s = 0; s < 10; s++) one_step(sim, 1.0);
  ok(vl_sim_steer(sim, 2, vl_vec(0, 0.5, 0), vl_vec(0, 0, 2), &status), &status);
  for (int s = 0; s < 20; s++) one_step(sim, 1.0);
  vlBodyInfo info = vl_sim_body(sim, 2).info;
  assert_vector("place", info.center, vl_add(center, vl_vec(0.01, 0.1, 0)), 1e-12);
  assert_vector("turn", info.rotation, vl_vec(0, 0, 0.4), 1e-12);
  assert_vector("velocity", info.velocity, vl_vec(0, 0.5, 0), 1e-12);
  assert_vector("angular velocity", info.angular_velocity, vl_vec(0, 0, 2), 1e-10);
  vl_sim_destroy(&sim);
}

/* A pinned node goes where it is told, along the axes that the pin holds, though the scene would let it go. */
static void test_pin(void **state)
{
  (void)state;
  vlStatus status = {0};
  vlSim *sim =
      start_text("{grid: {size: [1, 1, 1], cells: 8}, gravity: [0, 0, 0], time: {dt_fixed: 0.01}, bodies: [{name: bar, "
                 "shape: box, center: [0.5, 0.5, 0.5], size: [0.4, 0.1, 0.1], cells: [4, 1, 1], young: 1e5, pins: "
                 "[{shape: box, center: [0.3, 0.5, 0.5], size: [0.01, 1, 1], velocity: [0.1, 0, 0], end: 0.2, release: "
                 "yes}, {shape: box, center: [0.7, 0.5, 0.5], size: [0.01, 1, 1], axes: x}]}]}",
                 1);
  for (int s = 0; s < 10; s++) one_step(sim, 1.0);
  ok(vl_sim_move_pin(sim, 0, 0, vl_vec(0, 0.2, 0), &status), &status);
  ok(vl_sim_move_pin(sim, 0, 1, vl_vec(-0.1, 9, 9), &status), &status);
  for (int s = 0; s < 20; s++) one_step(sim, 1.0);
  vlBodyView bar = vl_sim_body(sim, 0);
  for (int i = 0; i < bar.node_count; i++) {
    if (fabs(bar.rest[i].x - 0.3) < 1e-9)
      assert_vector("first end", bar.x[i], vl_add(bar.rest[i], vl_vec(0.01, 0.04, 0)), 1e-12);
    if (fabs(bar.rest[i].x - 0.7) < 1e-9) assert_true(fabs(bar.x[i].x - 0.68) < 1e-12 && bar.x[i].y < 1.0);
  }
  vl_sim_destroy(&sim);
}

/* The walls of a box that is full carry the weight of its liquid in whatever direction that pulls. */
static void test_gravity(void **state)
{
  (void)state;
  vlStatus status = {0};
  vlSim *sim =
      start_text("{grid: {size: [1, 1, 1], cells: 12}, liquid: {transfer: still, level: 1}, solids: [{shape: sphere, "
                 "center: [0.5, 0.5, 0.5], radius: 0.2}], pressure: {tolerance: 1e-10}}",
                 1);
  one_step(sim, 0.001);
  vlVec3 g = vl_vec(3, 0, -1);
  ok(vl_sim_set_gravity(sim, g, &status), &status);
  assert_vector("gravity", vl_sim_gravity(sim), g, 0.0);
  vlStepInfo info = one_step(sim, 0.001);
  assert_vector("carried", info.wall_force, info.weight, 1e-6 * vl_norm(info.weight));
  assert_true(fabs(info.weight.x / info.weight.z + 3.0) < 1e-3 && fabs(info.weight.y) < 1e-3 * vl_norm(info.weight)); /* the ball is not quite round */
  vl_sim_destroy(&sim);
}

static vlVec3 along(void *data, vlVec3 x, double time)
{
  (void)x, (void)time;
  return *(const vlVec3 *)data;
}

/* A field that is the same everywhere is gravity, for liquid: the same pool, the same drops, but for rounding. */
static void test_field_is_gravity(void **state)
{
  (void)state;
  static const char *const text =
      "{grid: {size: [1, 1, 1], cells: 16}, time: {dt_fixed: 0.004}, gravity: [0, %s, 0], liquid: {shapes: [{shape: box, "
      "center: "
      "[0.3, 0.2, 0.5], size: [0.6, 0.4, 1]}, {shape: sphere, center: [0.7, 0.8, 0.5], radius: 0.08}]}}";
  char with[512], without[512];
  snprintf(with, sizeof with, text, "-9.81");
  snprintf(without, sizeof without, text, "0");
  vlVec3 g = vl_vec(0, -9.81, 0);
  vlSim *a = start_text(with, 1), *b = start_text(without, 2);
  vl_sim_set_field(b, along, &g);
  for (int s = 0; s < 10; s++) {
    vlStepInfo first = one_step(a, 1.0), second = one_step(b, 1.0);
    assert_int_equal(first.particles, second.particles);
    assert_vector("momentum", second.momentum, first.momentum, 2e-3 * vl_norm(first.momentum));
    assert_true(fabs(second.kinetic_energy - first.kinetic_energy) < 5e-3 * first.kinetic_energy);
  }
  vl_sim_set_field(b, NULL, NULL);
  vlStepInfo before = one_step(b, 1.0);
  assert_true(before.momentum.y < 0.0);
  vl_sim_destroy(&a);
  vl_sim_destroy(&b);
}

/* A drop that flies in a field of its place alone. */
static vlVec3 towards_middle(void *data, vlVec3 x, double time)
{
  (void)data, (void)time;
  return vl_scale(vl_sub(x, vl_vec(0.5, 0.5, 0.5)), -4.0);
}

/* A ball of liquid about the middle of a field -k x stays, one beside it swings with the frequency sqrt(k). */
static void test_field_of_place(void **state)
{
  (void)state;
  vlSim *sim =
      start_text("{grid: {size: [1, 1, 1], cells: 32}, time: {dt_fixed: 0.005}, gravity: [0, 0, 0], liquid: {shapes: "
                 "[{shape: sphere, center: [0.7, 0.5, 0.5], radius: 0.15}]}}",
                 2);
  vl_sim_set_field(sim, towards_middle, NULL);
  double mass = 0.0;
  for (int s = 0; s < 60; s++) {
    vlStepInfo info = one_step(sim, 1.0);
    mass = info.particle_volume * 1000.0;
    double wanted = -mass * 0.2 * 2.0 * sin(2.0 * info.time); /* -m A omega sin omega t */
    assert_true(fabs(info.momentum.x - wanted) < 0.03 * mass * 0.4);
  }
  vl_sim_destroy(&sim);
}

static int64_t added_in(vlSim *sim, int steps)
{
  int64_t added = 0;
  for (int s = 0; s < steps; s++) added += one_step(sim, 1.0).added;
  return added;
}

static const char *const SOURCE =
    "{grid: {size: [1, 1, 1], cells: 16}, time: {dt_fixed: 0.005}, liquid: {level: 0.2, sources: "
    "[{shape: box, center: [0.5, 0.8, 0.5], size: [0.2, 0.1, 0.2], velocity: [0, -2, 0], start: "
    "100}]}}";

static void test_source(void **state)
{
  (void)state;
  vlStatus status = {0};
  vlSim *sim = start_text(SOURCE, 1);
  assert_int_equal(added_in(sim, 3), 0);
  ok(vl_sim_switch_source(sim, 0, true, &status), &status);
  int64_t on = added_in(sim, 20);
  double wanted = 0.04 * 2.0 * 20 * 0.005 * 8.0 * 4096.0; /* area, speed, time, particles in a cubic metre */
  assert_true(fabs((double)on - wanted) < 0.15 * wanted);
  ok(vl_sim_switch_source(sim, 0, false, &status), &status);
  assert_int_equal(added_in(sim, 3), 0);
  vl_sim_destroy(&sim);
}

/* A source of liquid at rest leaves a bar of it on its way; one that flows takes in what comes towards it as it moves. */
static void test_moving_source(void **state)
{
  (void)state;
  static const char *const text =
      "{grid: {size: [1, 1, 1], cells: 20}, gravity: [0, 0, 0], time: {dt_fixed: 0.005}, liquid: {sources: "
      "[{shape: box, center: [0.2, 0.5, 0.5], size: [0.2, 0.2, 0.2], velocity: [0, %s, 0]}]}}";
  static const char *const speed[] = {"0", "-0.5"};
  vlStatus status = {0};
  for (int i = 0; i < 2; i++) {
    char scene[512];
    snprintf(scene, sizeof scene, text, speed[i]);
    vlSim *sim = start_text(scene, 1);
    double each = vl_sim_particles(sim).volume, before = (double)vl_sim_particles(sim).count * each;
    added_in(sim, 4);
    double flown = 0.2 * 0.2 * 0.5 * i * 4 * 0.005;
    ok(vl_sim_move_source(sim, 0, vl_vec(1, 0, 0), &status), &status);
    added_in(sim, 40);
    ok(vl_sim_move_source(sim, 0, vl_vec(0, 0, 0), &status), &status);
    flown += 0.2 * 0.2 * (1.0 + 0.5 * i) * 40 * 0.005;
    vlParticleView p = vl_sim_particles(sim);
    double volume = (double)p.count * each, farthest = 0.0;
    for (size_t k = 0; k < p.count; k++) farthest = fmax(farthest, (double)p.x[0][k] * p.dx);
    assert_true(fabs(before - 0.008) < 0.0002);
    if (!(fabs(volume - 0.008 - flown) < 0.03 * flown)) fail_msg("%g m3 instead of %g", volume - 0.008, flown);
    assert_true(farthest < 0.5 + 0.01 && farthest > 0.49);
    assert_true(i > 0 || added_in(sim, 3) == 0);
    vl_sim_destroy(&sim);
  }
}

/* All of it at once, saved in the middle. */
static const char *const ALL =
    "{grid: {size: [1, 1, 1], cells: 16}, time: {dt_fixed: 0.005}, liquid: {level: 0.3, sources: [{shape: box, center: "
    "[0.5, 0.8, 0.5], size: [0.2, 0.1, 0.2], velocity: [0, -2, 0], start: 100}]}, bodies: [{name: crate, rigid: yes, shape: "
    "box, center: [0.2, 0.5, 0.5], size: [0.2, 0.2, 0.2], density: 500}, {name: jelly, shape: box, center: [0.8, 0.5, 0.5], "
    "size: [0.2, 0.2, 0.2], young: 1e5, pins: [{shape: box, center: [0.9, 0.5, 0.5], size: [0.01, 1, 1], axes: y}]}, {name: "
    "bar, shape: box, center: [0.5, 0.15, 0.5], size: [0.1, 0.1, 0.1], motion: [{move: slide, velocity: [0, 0, 0]}]}]}";

static void test_resume(void **state)
{
  (void)state;
  vlStatus status = {0};
  vlVec3 wind = vl_vec(1, 0, 0.5);
  vlSim *sim = start_text(ALL, 1), *again = start_text(ALL, 2);
  added_in(sim, 3);
  ok(vl_sim_set_gravity(sim, vl_vec(1, -8, 0), &status), &status);
  ok(vl_sim_switch_source(sim, 0, true, &status), &status);
  ok(vl_sim_move_source(sim, 0, vl_vec(0.5, 0, -0.7), &status), &status);
  ok(vl_sim_push(sim, 0, vl_vec(5, 10, 0), vl_vec(0, 0.5, 0), &status), &status);
  ok(vl_sim_push(sim, 1, vl_vec(0, 0, 9), vl_vec(0.5, 0, 0), &status), &status);
  ok(vl_sim_steer(sim, 2, vl_vec(0, 0.4, 0), vl_vec(0, 3, 0), &status), &status);
  ok(vl_sim_move_pin(sim, 1, 0, vl_vec(0, -0.3, 0), &status), &status);
  vl_sim_set_field(sim, along, &wind);
  added_in(sim, 4);
  char path[] = "/tmp/vl_test_control_XXXXXX";
  close(mkstemp(path));
  ok(vl_sim_save(sim, path, &status), &status);
  ok(vl_sim_resume(again, path, &status), &status);
  unlink(path);
  vl_sim_set_field(again, along, &wind);
  for (int s = 0; s < 6; s++) {
    vlStepInfo a = one_step(sim, 1.0), b = one_step(again, 1.0);
    assert_int_equal(a.added, b.added);
    assert_memory_equal(&a.momentum, &b.momentum, sizeof a.momentum);
    assert_memory_equal(&a.wall_force, &b.wall_force, sizeof a.wall_force);
  }
  for (int b = 0; b < 3; b++) {
    vlBodyInfo first = vl_sim_body(sim, b).info, second = vl_sim_body(again, b).info;
    assert_memory_equal(&first.center, &second.center, sizeof first.center);
    assert_memory_equal(&first.angular_momentum, &second.angular_momentum, sizeof first.angular_momentum);
  }
  vl_sim_destroy(&sim);
  vl_sim_destroy(&again);
}

static void test_refused(void **state)
{
  (void)state;
  vlStatus status = {0};
  vlVec3 none = vl_vec(0, 0, 0), bad = vl_vec(0, NAN, 0);
  vlSim *sim = start_text(BODIES, 1);
  assert_int_equal(vl_sim_move_pin(sim, 1, 0, none, &status), VL_ERROR_USAGE);
  assert_non_null(strstr(status.message, "pin 0; there are 0"));
  assert_int_equal(vl_sim_push(sim, 3, none, none, &status), VL_ERROR_USAGE);
  assert_non_null(strstr(status.message, "body 3; there are 3"));
  assert_int_equal(vl_sim_push(sim, 0, none, bad, &status), VL_ERROR_USAGE);
  assert_int_equal(vl_sim_steer(sim, 0, none, none, &status), VL_ERROR_USAGE);
  assert_non_null(strstr(status.message, "body 'crate' is rigid"));
  assert_int_equal(vl_sim_switch_source(sim, 0, true, &status), VL_ERROR_USAGE);
  assert_int_equal(vl_sim_move_source(sim, 0, none, &status), VL_ERROR_USAGE);
  assert_int_equal(vl_sim_set_gravity(sim, bad, NULL), VL_ERROR_USAGE);
  vl_sim_destroy(&sim);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_push),
      cmocka_unit_test(test_steer),
      cmocka_unit_test(test_pin),
      cmocka_unit_test(test_gravity),
      cmocka_unit_test(test_field_is_gravity),
      cmocka_unit_test(test_field_of_place),
      cmocka_unit_test(test_source),
      cmocka_unit_test(test_moving_source),
      cmocka_unit_test(test_resume),
      cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
