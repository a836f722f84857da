/* Liquid finer than the grid that comes and goes: sources thinner than a cell bring what they say, sinks and programs take
 * away surface and particles alike, the smallest drops are there, and results are the same for any number of threads and
 * after a restart. */
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

static vlSim *begin(const char *text, int threads)
{
  vlStatus status = {0};
  vlScene scene;
  if (vl_scene_parse(&scene, text, strlen(text), "flow.yaml", NULL, 0, &status)) fail_msg("%s", status.message);
  vlSim *sim = start(&scene, threads);
  vl_scene_clear(&scene);
  return sim;
}

static void assert_about(const char *what, double found, double wanted, double tolerance)
{
  if (!(fabs(found - wanted) <= tolerance)) fail_msg("%s: %.6g instead of %.6g", what, found, wanted);
}

/* A jet of 0.45 cells without gravity, at several places between the planes of the grid: what comes in, what the surface
 * encloses, and how thick the jet is where it has come. */
static void thin_source_brings_what_it_says(void **state)
{
  (void)state;
  static const double at[4][2] = {{0.5, 0.5}, {0.525, 0.525}, {0.51, 0.517}, {0.5, 0.525}};
  const double dx = 0.05, r = 0.45 * dx, speed = 1.0;
  for (int n = 0; n < 4; n++) {
    char text[512];
    snprintf(text, sizeof text,
             "{grid: {size: [1, 1.2, 1], dx: 0.05}, gravity: [0, 0, 0], liquid: {surface: subgrid, particles: 3, sources: "
             "[{shape: cylinder, center: [%g, 1.08, %g], radius: %g, height: 0.12, velocity: [0, -%g, 0]}]}, time: "
             "{dt_max: 0.02}}",
             at[n][0], at[n][1], r, speed);
    vlSim *sim = begin(text, 1);
    double first = vl_sim_particles(sim).volume * (double)vl_sim_particles(sim).count, volume = 0.0, brought = 0.0,
           most = 0.0;
    while (vl_sim_time(sim) < 0.8) {
      vlStepInfo info = one_step(sim, 0.8 - vl_sim_time(sim));
      volume = info.volume, brought = info.particle_volume - first;
      most = fmax(most, info.max_speed);
    }
    double wanted = VL_PI * r * r * speed * vl_sim_time(sim);
    printf("thin source at %.3f, %.3f: brings %.4f of what it says, surface holds %.4f of the particles, fastest %.3f m/s\n",
           at[n][0], at[n][1], brought / wanted, volume / (brought + first), most);
    assert_about("discharge", brought / wanted, 1.0, 0.03);
    /* linear in tetrahedra of h = dx/4: 0.168 h2/r2 of a cylinder lies beyond its chords */
    assert_about("volume of the surface", volume / (brought + first), 1.0, 0.168 / (4 * 0.45) / (4 * 0.45) + 0.03);
    assert_about("fastest", most, speed, 0.15);
    vl_sim_destroy(&sim);
  }
}

/* A jet into a pool: what is told of the volume after a second. */
static void volume_is_what_was_brought(void **state)
{
  (void)state;
  vlSim *sim = begin("{grid: {size: [0.48, 0.6, 0.48], dx: 0.04}, liquid: {surface: subgrid, level: 0.15, sources: [{shape: "
                     "cylinder, center: [0.25, 0.54, 0.24], radius: 0.05, height: 0.08, velocity: [0, -0.8, 0], start: "
                     "0.02 s}]}}",
                     1);
  double before = one_step(sim, 0.01).volume, particles = vl_sim_particles(sim).volume * (double)vl_sim_particles(sim).count;
  vlStepInfo info = advance_to(sim, 1.02);
  double brought = VL_PI * 0.05 * 0.05 * (0.8 * 1.0 + 0.08);
  printf("a second: particles of %.4f of what was brought, surface %.4f\n", (info.particle_volume - particles) / brought,
         (info.volume - before) / brought);
  assert_about("particles", (info.particle_volume - particles) / brought, 1.0, 0.02);
  assert_about("volume", (info.volume - before) / brought, 1.0, 0.02);
  vl_sim_destroy(&sim);
}

/* A hole in the floor takes the pool away; nothing of the surface stays above it, nor volume without particles. */
static void sink_empties(void **state)
{
  (void)state;
  vlSim *sim =
      begin("{grid: {size: [0.4, 0.32, 0.24], dx: 0.04}, liquid: {surface: subgrid, level: 0.11, sinks: [{shape: box, "
            "center: [0.2, 0.02, 0.12], size: [0.17, 0.05, 0.4]}]}}",
            1);
  double first = one_step(sim, 0.01).volume;
  vlStepInfo info = advance_to(sim, 1.5);
  printf("sink: volume %.4f, particles %.4f of what was there\n", info.volume / first, info.particle_volume / first);
  assert_true(info.particle_volume < 0.1 * first);
  assert_about("volume", info.volume, info.particle_volume, 0.03 * first);
  vl_sim_destroy(&sim);
}

static void pressed_sinks_are_refused(void **state)
{
  (void)state;
  vlStatus status = {0};
  vlScene scene;
  const char *text =
      "grid: {size: [1, 1, 1], cells: 10}\nliquid:\n  surface: subgrid\n  sinks: [{shape: sphere, center: [0.5, "
      "0.1, 0.5], radius: 0.1, level: 0.3}]\n";
  assert_int_not_equal(vl_scene_parse(&scene, text, strlen(text), "flow.yaml", NULL, 0, &status), VL_OK);
  assert_non_null(strstr(status.message, "flow.yaml:4:"));
  assert_non_null(strstr(status.message, "level"));
  assert_non_null(strstr(status.message, "subgrid"));
}

static vlShape ball(double x, double y, double z, double r)
{
  vlShape shape = vl_shape_default(VL_SHAPE_SPHERE);
  shape.center = vl_vec(x, y, z);
  shape.radius = r;
  return shape;
}
static int64_t add(vlSim *sim, vlShape shape, vlVec3 v)
{
  vlStatus status = {0};
  int64_t added = -1;
  if (vl_sim_add_liquid(sim, &shape, v, &added, &status)) fail_msg("%s", status.message);
  return added;
}
static int64_t take(vlSim *sim, vlShape shape)
{
  vlStatus status = {0};
  int64_t removed = -1;
  if (vl_sim_remove_liquid(sim, &shape, &removed, &status)) fail_msg("%s", status.message);
  return removed;
}

static void liquid_is_added_and_taken(void **state)
{
  (void)state;
  vlSim *sim = begin("{grid: {size: [1, 1, 1], dx: 0.05}, gravity: [0, 0, 0], liquid: {surface: subgrid, level: 0.2}}", 1);
  double volume = one_step(sim, 0.005).volume, r = 0.13, of_ball = 4.0 / 3.0 * VL_PI * r * r * r;
  int64_t added = add(sim, ball(0.5, 0.6, 0.5, r), vl_vec(0, 0, 0));
  assert_about("particles", (double)added * vl_sim_particles(sim).volume / of_ball, 1.0, 0.05);
  double now = one_step(sim, 0.005).volume;
  assert_about("volume with a ball", (now - volume) / of_ball, 1.0, 0.05);
  int64_t again = add(sim, ball(0.5, 0.6, 0.5, r), vl_vec(0, 0, 0));
  assert_true(again <= added / 20);
  assert_int_equal(take(sim, ball(0.5, 0.6, 0.5, 1.3 * r)), added + again);
  now = one_step(sim, 0.005).volume;
  assert_about("volume without it", (now - volume) / of_ball, 0.0, 0.01);
  /* too small for the lattice: a particle each, and liquid */
  for (int i = 0; i < 4; i++) assert_int_equal(add(sim, ball(0.21 + 0.2 * i, 0.61, 0.33, 0.004), vl_vec(0, 0.1, 0)), 1);
  size_t count = vl_sim_particles(sim).count;
  vlStepInfo info = advance_to(sim, vl_sim_time(sim) + 0.1);
  assert_int_equal(info.particles, count);
  assert_about("momentum", info.momentum.y / (0.1 * 4 * 1000 * vl_sim_particles(sim).volume), 1.0, 0.05);
  vl_sim_destroy(&sim);
}

/* Of drops a tenth of a cell wide each has a particle, from the first step on, and falls. */
static void smallest_drops_are_seeded(void **state)
{
  (void)state;
  vlSim *sim =
      begin("{grid: {size: [1, 1, 1], dx: 0.1}, liquid: {surface: subgrid, shapes: [{shape: sphere, center: [0.32, "
            "0.83, 0.41], radius: 0.01}, {shape: sphere, center: [0.62, 0.87, 0.44], radius: 0.02}, {shape: sphere, "
            "center: [0.5, 0.5, 0.7], radius: 0.005}]}}",
            1);
  assert_int_equal(vl_sim_particles(sim).count, 3);
  vlStepInfo info = advance_to(sim, 0.1);
  assert_int_equal(info.particles, 3);
  assert_about("momentum", info.momentum.y / (-9.81 * 0.1 * 3 * 1000 * vl_sim_particles(sim).volume), 1.0, 0.1);
  vl_sim_destroy(&sim);
}

/* A drop that reaches an open side goes on as it was while most of it is there; crumbs of its end are slowed, as with cells,
 * and may stay. */
static void drops_leave_through_outlets(void **state)
{
  (void)state;
  vlSim *sim =
      begin("{grid: {size: [0.6, 0.3, 0.3], dx: 0.05}, gravity: [0, 0, 0], liquid: {surface: subgrid, particles: 3, "
            "shapes: [{shape: sphere, center: [0.33, 0.17, 0.14], radius: 0.06}], velocity: [1, 0, 0], outlets: "
            "[{side: x+}]}}",
            1);
  double volume = vl_sim_particles(sim).volume;
  size_t first = vl_sim_particles(sim).count;
  vlStepInfo info = {0};
  while (vl_sim_time(sim) < 0.4) {
    info = one_step(sim, 0.01);
    if (info.particles > (int64_t)first / 3)
      assert_about("velocity", info.momentum.x / (1000 * volume * (double)info.particles), 1.0, 0.06);
  }
  printf("outlet: %lld of %zu particles stay\n", (long long)info.particles, first);
  assert_true(info.particles <= (int64_t)first / 40);
  assert_true(info.volume <= 0.03 * volume * (double)first);
  vl_sim_destroy(&sim);
}

static void same_bits(void **state)
{
  (void)state;
  static const char *const text =
      "{grid: {size: [0.6, 0.6, 0.6], dx: 0.04}, liquid: {surface: subgrid, level: 0.11, sources: [{shape: cylinder, "
      "center: "
      "[0.31, 0.54, 0.3], radius: 0.018, height: 0.08, velocity: [0, -0.8, 0]}], sinks: [{shape: sphere, center: [0.1, 0.1, "
      "0.1], radius: 0.07}]}}";
  vlStatus status = {0};
  vlSim *run[3] = {begin(text, 1), begin(text, 2), begin(text, 2)};
  for (int r = 0; r < 2; r++) {
    for (int s = 0; s < 6; s++) one_step(run[r], 1.0);
    add(run[r], ball(0.2, 0.4, 0.4, 0.06), vl_vec(0.3, 0, 0));
    take(run[r], ball(0.5, 0.1, 0.5, 0.08));
  }
  char path[] = "/tmp/vl_test_flow_XXXXXX";
  close(mkstemp(path));
  if (vl_sim_save(run[0], path, &status) || vl_sim_resume(run[2], path, &status)) fail_msg("%s", status.message);
  unlink(path);
  for (int s = 0; s < 6; s++) {
    vlStepInfo info[3];
    for (int r = 0; r < 3; r++) info[r] = one_step(run[r], 1.0);
    for (int r = 1; r < 3; r++) {
      assert_int_equal(info[0].particles, info[r].particles);
      assert_memory_equal(&info[0].dt, &info[r].dt, sizeof info[0].dt);
      assert_memory_equal(&info[0].momentum, &info[r].momentum, sizeof info[0].momentum);
      assert_memory_equal(&info[0].volume, &info[r].volume, sizeof info[0].volume);
      assert_memory_equal(&info[0].wall_force, &info[r].wall_force, sizeof info[0].wall_force);
    }
  }
  for (int r = 0; r < 3; r++) vl_sim_destroy(&run[r]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(thin_source_brings_what_it_says),
      cmocka_unit_test(volume_is_what_was_brought),
      cmocka_unit_test(sink_empties),
      cmocka_unit_test(pressed_sinks_are_refused),
      cmocka_unit_test(liquid_is_added_and_taken),
      cmocka_unit_test(smallest_drops_are_seeded),
      cmocka_unit_test(drops_leave_through_outlets),
      cmocka_unit_test(same_bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
