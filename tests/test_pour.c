/* Liquid that a program adds to a simulation and takes from it: its volume, its motion, and a resumed simulation goes on
 * with the same bits. */
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
  if (vl_scene_parse(&scene, text, strlen(text), "pour.yaml", NULL, 0, &status)) fail_msg("%s", status.message);
  vlSim *sim = start(&scene, threads);
  vl_scene_clear(&scene);
  return sim;
}

static vlShape box(vlVec3 center, vlVec3 size)
{
  vlShape shape = vl_shape_default(VL_SHAPE_BOX);
  shape.center = center;
  shape.size = size;
  return shape;
}

static int64_t add(vlSim *sim, vlShape shape, vlVec3 velocity)
{
  vlStatus status = {0};
  int64_t added = -1;
  if (vl_sim_add_liquid(sim, &shape, velocity, &added, &status)) fail_msg("%s", status.message);
  return added;
}

static int64_t take(vlSim *sim, vlShape shape)
{
  vlStatus status = {0};
  int64_t removed = -1;
  if (vl_sim_remove_liquid(sim, &shape, &removed, &status)) fail_msg("%s", status.message);
  return removed;
}

/* Particles that liquid of this volume has, of 8 in a cell of 1/24 m. */
static double particles_of(double volume) { return volume * 8.0 * 24.0 * 24.0 * 24.0; }

static const char *const TANK =
    "{grid: {size: [1, 1, 1], cells: 24}, gravity: [0, %s, 0], time: {dt_fixed: 0.004}, liquid: {level: %s}, "
    "solids: [{shape: box, center: [0.9, 0.5, 0.5], size: [0.2, 2, 2]}]}";

static vlSim *start_tank(const char *gravity, const char *level)
{
  char text[512];
  snprintf(text, sizeof text, TANK, gravity, level);
  return start_text(text, 1);
}

/* A ball takes what it has of air: of what the solid leaves of a box all; then nothing any more; and all goes again. */
static void test_volume(void **state)
{
  (void)state;
  vlSim *sim = start_tank("0", "-1");
  vlVec3 none = vl_vec(0, 0, 0);
  vlShape half = box(vl_vec(0.75, 0.4, 0.5), vl_vec(0.5, 0.3, 0.4)), ball = vl_shape_default(VL_SHAPE_SPHERE);
  ball.center = vl_vec(0.3, 0.4, 0.5);
  ball.radius = 0.25;
  assert_int_equal(vl_sim_facts(sim).liquid_cells, 0);
  int64_t first = add(sim, half, none), second = add(sim, ball, none);
  assert_true(fabs((double)first - particles_of(0.3 * 0.3 * 0.4)) < 0.02 * particles_of(0.036));
  double lens = 4.0 / 3.0 * VL_PI * pow(0.25, 3) - VL_PI * 0.05 * 0.05 * (0.25 - 0.05 / 3.0); /* less its cap in the box */
  assert_true(fabs((double)second - particles_of(lens)) < 0.03 * particles_of(lens));
  assert_true(vl_sim_facts(sim).liquid_cells > 0.9 * particles_of(lens + 0.036) / 8.0);
  int64_t again = add(sim, ball, none) + add(sim, half, none); /* what chance has left open of the surface */
  if (again > (first + second) / 25) fail_msg("%lld of %lld again", (long long)again, (long long)(first + second));
  vlStepInfo info = one_step(sim, 1.0);
  assert_true(fabs(info.volume - (lens + 0.036)) < 0.05 * (lens + 0.036));
  int64_t removed = take(sim, box(vl_vec(0.5, 0.5, 0.5), vl_vec(2, 2, 2)));
  assert_int_equal(removed, (int64_t)info.particles);
  assert_int_equal(vl_sim_facts(sim).liquid_cells, 0);
  info = one_step(sim, 1.0);
  assert_true(info.volume == 0.0);
  vl_sim_destroy(&sim);
}

/* A lump that is thrown: it has its momentum at once and in the next steps, and falls. */
static void throw_lump(const char *transfer)
{
  char text[512];
  snprintf(text, sizeof text,
           "{grid: {size: [1, 1, 1], cells: 24}, time: {dt_fixed: 0.004}, liquid: {transfer: %s, level: 0.1}}", transfer);
  vlSim *sim = start_text(text, 1);
  for (int s = 0; s < 3; s++) one_step(sim, 1.0);
  double pool = (double)vl_sim_particles(sim).count, volume = vl_sim_particles(sim).volume;
  vlVec3 v = vl_vec(1.5, 0.5, -1.0);
  double mass = 1000.0 * volume * (double)add(sim, box(vl_vec(0.5, 0.6, 0.5), vl_vec(0.25, 0.25, 0.25)), v);
  vlFieldView u = vl_sim_field(sim, VL_FIELD_VELOCITY_X);
  assert_true(u.data[12 * u.stride[0] + 14 * u.stride[1] + 12 * u.stride[2]] == v.x);
  vlStepInfo info = {0};
  for (int s = 0; s < 5; s++) info = one_step(sim, 1.0);
  vlVec3 wanted = vl_scale(vl_vec(v.x, v.y - 9.81 * 5 * 0.004, v.z), mass);
  if (!(vl_norm(vl_sub(info.momentum, wanted)) < 0.02 * vl_norm(wanted) + 9.81 * 0.004 * 0.01 * pool * volume * 1000.0))
    fail_msg("%s: (%g, %g, %g) instead of (%g, %g, %g)", transfer, info.momentum.x, info.momentum.y, info.momentum.z,
             wanted.x, wanted.y, wanted.z);
  vl_sim_destroy(&sim);
}

static void test_velocity(void **state)
{
  (void)state;
  throw_lump("flip");
  throw_lump("apic");
  throw_lump("semi-lagrangian");
}

/* A pool that is topped up stays a pool: it rests after that as one that was seeded so, on the floor its weight. */
static void test_pool(void **state)
{
  (void)state;
  vlSim *sim = start_tank("-9.81", "0.27");
  for (int s = 0; s < 5; s++) one_step(sim, 1.0);
  int64_t added = add(sim, box(vl_vec(0.5, 0.25, 0.5), vl_vec(2, 0.5, 2)), vl_vec(0, 0, 0));
  assert_true(fabs((double)added - particles_of(0.8 * 0.23)) < 0.02 * particles_of(0.8 * 0.23));
  vlStepInfo info = {0};
  for (int s = 0; s < 20; s++) info = one_step(sim, 1.0);
  assert_true(fabs(info.wall_force.y / info.weight.y - 1.0) < 0.02 && info.max_speed < 0.1);
  assert_true(fabs(info.volume - 0.4) < 0.006);
  int64_t removed = take(sim, box(vl_vec(0.5, 0.5, 0.5), vl_vec(2, 0.5, 2)));
  assert_true(fabs((double)removed - particles_of(0.8 * 0.25)) < 0.02 * particles_of(0.8 * 0.25));
  for (int s = 0; s < 20; s++) info = one_step(sim, 1.0);
  assert_true(fabs(info.wall_force.y / info.weight.y - 1.0) < 0.02 && info.max_speed < 0.1);
  vl_sim_destroy(&sim);
}

static void same_after(const char *scene)
{
  vlStatus status = {0};
  vlSim *sim = start_text(scene, 1), *again = start_text(scene, 2);
  bool slab = vl_sim_grid(sim).n[2] == 1;
  vlVec3 middle = slab ? vl_vec(0, 0, 0) : vl_vec(0, 0, 0.5);
  add(sim, box(vl_add(middle, vl_vec(0.15, 0.5, 0)), vl_vec(0.1, 0.1, 0.1)), vl_vec(0, 0, 0));
  for (int s = 0; s < 3; s++) one_step(sim, 1.0);
  add(sim, box(vl_add(middle, vl_vec(0.6, 0.4, 0)), vl_vec(0.3, 0.4, 0.5)), vl_vec(1, -1, 0));
  take(sim, box(vl_add(middle, vl_vec(0.1, 0.1, 0)), vl_vec(0.25, 0.5, 0.5)));
  char path[] = "/tmp/vl_test_pour_XXXXXX";
  close(mkstemp(path));
  if (vl_sim_save(sim, path, &status) || vl_sim_resume(again, path, &status)) fail_msg("%s", status.message);
  unlink(path);
  for (int s = 0; s < 4; s++) {
    vlStepInfo a = one_step(sim, 1.0), b = one_step(again, 1.0);
    assert_int_equal(a.particles, b.particles);
    assert_memory_equal(&a.dt, &b.dt, sizeof a.dt);
    assert_memory_equal(&a.momentum, &b.momentum, sizeof a.momentum);
    assert_memory_equal(&a.wall_force, &b.wall_force, sizeof a.wall_force);
    assert_memory_equal(&a.volume, &b.volume, sizeof a.volume);
  }
  vl_sim_destroy(&sim);
  vl_sim_destroy(&again);
}

static void test_resume(void **state)
{
  (void)state;
  static const char *const grid[] = {"size: [1, 1, 1], cells: 16", "size: [1, 1], cells: 32, slab: yes"};
  static const char *const transfer[] = {"flip", "apic", "semi-lagrangian"};
  for (int i = 0; i < 4; i++) {
    char text[1024];
    snprintf(text, sizeof text,
             "{grid: {%s}, checks: 1, pressure: {separation: %s}, liquid: {transfer: %s, level: 0.2}, solids: [{shape: box, "
             "center: [0.9, 0.2%s], size: [0.1, 0.1%s]}], bodies: [{name: crate, rigid: yes, shape: box, "
             "center: [0.5, 0.3%s], size: [0.2, 0.2%s], density: 500}]}",
             grid[i / 3], i % 2 ? "yes" : "no", transfer[i % 3], i < 3 ? ", 0.5" : "", i < 3 ? ", 0.1" : "",
             i < 3 ? ", 0.5" : "", i < 3 ? ", 0.2" : "");
    same_after(text);
  }
}

static void test_refused(void **state)
{
  (void)state;
  vlStatus status = {0};
  vlVec3 none = vl_vec(0, 0, 0);
  vlSim *sim = start_tank("0", "0.3");
  vlShape bad = vl_shape_default(VL_SHAPE_SPHERE), good = box(vl_vec(0.5, 0.5, 0.5), vl_vec(0.1, 0.1, 0.1)),
          away = box(vl_vec(5, 5, 5), vl_vec(1, 1, 1));
  bad.radius = -1.0;
  size_t count = vl_sim_particles(sim).count;
  assert_int_equal(vl_sim_add_liquid(sim, &bad, none, NULL, &status), VL_ERROR_USAGE);
  assert_memory_equal(status.message, "vl_sim_add_liquid: shape: radius: -1", 36);
  assert_int_equal(vl_sim_remove_liquid(sim, &bad, NULL, NULL), VL_ERROR_USAGE);
  assert_int_equal(vl_sim_add_liquid(sim, &good, vl_vec(0, NAN, 0), NULL, &status), VL_ERROR_USAGE);
  assert_int_equal(add(sim, away, none) + take(sim, away), 0);
  assert_int_equal(vl_sim_particles(sim).count, count);
  vl_sim_destroy(&sim);
  sim = start_text("{grid: {size: [1, 1, 1], cells: 8}, liquid: {transfer: still, level: 0.5}}", 1);
  assert_int_equal(vl_sim_add_liquid(sim, &good, none, NULL, &status), VL_ERROR_USAGE);
  assert_non_null(strstr(status.message, "transfer: still"));
  assert_int_equal(vl_sim_remove_liquid(sim, &good, NULL, &status), VL_ERROR_USAGE);
  vl_sim_destroy(&sim);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_volume), cmocka_unit_test(test_velocity), cmocka_unit_test(test_pool),
      cmocka_unit_test(test_resume), cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
