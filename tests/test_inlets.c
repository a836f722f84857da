/* Liquid that comes in and goes out: sources push at their rate wherever they lie, stand still where there is no room, and
 * say so; sides of the box that are open. */
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

typedef struct Heard {
  int warnings;
  char text[512]; /* the last one */
} Heard;

static void hear(void *user, vlLogLevel level, const char *message)
{
  Heard *heard = user;
  if (level != VL_LOG_WARNING) return;
  heard->warnings++;
  snprintf(heard->text, sizeof heard->text, "%s", message);
}

static vlSim *start_text(const char *text, int threads, Heard *heard)
{
  vlStatus status = {0};
  vlScene scene;
  vlSim *sim = NULL;
  if (vl_scene_parse(&scene, text, strlen(text), "inlets.yaml", NULL, 0, &status)) fail_msg("%s", status.message);
  vlSimOptions options = {.threads = threads};
  if (heard) options.log = (vlLog){hear, heard};
  if (vl_sim_create(&sim, &scene, options, &status)) fail_msg("%s", status.message);
  vl_scene_clear(&scene);
  return sim;
}

static void assert_about(const char *what, double found, double wanted, double tolerance)
{
  if (!(fabs(found - wanted) <= tolerance)) fail_msg("%s: %.9g instead of %.9g", what, found, wanted);
}

/* m3/s through a plane across x. */
static double flow_at(const vlSim *sim, double x)
{
  double value[3];
  vlProbeDef probe = {.kind = VL_PROBE_FLUX, .position = vl_vec(x, 0.5, 0.5), .axis = 0, .size = vl_vec(0, 9, 9)};
  assert_int_equal(vl_sim_probe(sim, &probe, value), 1);
  return value[0];
}

static double added_volume(const vlSim *sim, int64_t particles)
{
  const vlSharp *sharp = vl_sharp(sim);
  return (double)particles * pow(sharp->grid.dx, 3) / sharp->per_cell;
}

/* In the middle of a duct that is full and ends in a sink: what comes out of the source goes through the duct in the very
 * first step, to the solver's tolerance, and goes on so, wherever the source's sides lie between the grid's planes. 0.16 m2
 * at 0.5 m/s. */
static void test_pushes(void **state)
{
  (void)state;
  static const double shift[] = {0.0, 0.013, 0.027};
  for (int n = 0; n < 3; n++) {
    char text[512];
    double y = 0.2 + shift[n];
    snprintf(text, sizeof text,
             "{grid: {size: [1.2, 0.4, 0.4], cells: 24}, gravity: [0, 0, 0], liquid: {shapes: [{shape: box, center: [0.55, "
             "0.2, 0.2], size: [1.1, 0.4, 0.4]}], sources: [{shape: box, "
             "center: [0.1, %g, 0.2], size: [0.2, %g, 0.4], velocity: [0.5, 0, 0]}], sinks: [{shape: box, center: [1.15, "
             "0.2, 0.2], size: [0.1, 0.4, 0.4]}]}, time: {dt_fixed: 0.02}, pressure: {tolerance: 1e-10, separation: no}, "
             "checks: 3}",
             y, n == 0 ? 0.4 : 0.31);
    vlSim *sim = start_text(text, 1, NULL);
    double height = fmin(y + (n == 0 ? 0.2 : 0.155), 0.4) - (y - (n == 0 ? 0.2 : 0.155)), rate = 0.5 * 0.4 * height;
    one_step(sim, 1.0);
    assert_about("the first flow", flow_at(sim, 0.6), rate, n == 0 ? 1e-8 : 0.01 * rate);
    int64_t added = 0;
    double mean = 0.0;
    for (int s = 0; s < 40; s++) {
      added += one_step(sim, 1.0).added;
      mean += flow_at(sim, 0.6) / 40;
    }
    assert_about("what is brought", added_volume(sim, added) / (40 * 0.02), rate, 0.02 * rate);
    assert_about("the flow", mean, rate, 0.03 * rate);
    vl_sim_destroy(&sim);
  }
}

/* A flow is given in place of a speed, and comes up evenly: the duct carries what the step brings on the mean from the first
 * step on, and all of it is Q (t - ramp/2). In a slab it is that of a metre across. */
static void test_flow_and_ramp(void **state)
{
  (void)state;
  for (int slab = 0; slab < 2; slab++) {
    char text[512];
    snprintf(
        text, sizeof text,
        "{grid: {size: [1.2, 0.4%s], slab: %s, cells: 24}, gravity: [0, 0, 0], liquid: {shapes: [{shape: box, center: "
        "[0.55, 0.2%s], size: [1.1, 0.4%s]}], sources: [{shape: box, center: [0.1, 0.2%s], size: [0.2, 0.4%s], velocity: "
        "[3, 0, 0], flow: 80 l/s, ramp: 0.4 s}], sinks: [{shape: box, center: [1.15, 0.2%s], size: [0.1, 0.4%s]}]}, time: "
        "{dt_fixed: 0.02}, pressure: {tolerance: 1e-10, separation: no}, checks: 3}",
        slab ? "" : ", 0.4", slab ? "yes" : "no", slab ? "" : ", 0.2", slab ? "" : ", 0.4", slab ? "" : ", 0.2",
        slab ? "" : ", 0.4", slab ? "" : ", 0.2", slab ? "" : ", 0.4");
    vlSim *sim = start_text(text, 1, NULL);
    double rate = slab ? 0.08 * 0.05 : 0.08;
    int64_t added = one_step(sim, 1.0).added;
    assert_about("the first flow", flow_at(sim, 0.6), rate * 0.025, 1e-8);
    added += one_step(sim, 1.0).added;
    assert_about("the second flow", flow_at(sim, 0.6), rate * 0.075, 1e-3 * rate);
    for (int s = 2; s < 50; s++) added += one_step(sim, 1.0).added;
    assert_about("what was brought", added_volume(sim, added), rate * 0.8, 0.03 * rate);
    assert_about("the last flow", flow_at(sim, 0.6), rate, 0.05 * rate);
    vl_sim_destroy(&sim);
  }
}

/* A closed box of 0.064 m3 that a jet fills: liquid comes until there is no room, that is said once with its numbers, and
 * what is there then is not pressed together. A sink that opens lets it run on. */
static void test_no_room(void **state)
{
  (void)state;
  Heard heard = {0};
  vlSim *sim = start_text("{grid: {size: [0.4, 0.4, 0.4], cells: 12}, liquid: {level: 0.32, sources: [{shape: box, center: "
                          "[0.0, 0.2, 0.2], size: [0.1, 0.2, 0.2], velocity: [2, 0, 0]}]}, checks: 1}",
                          1, &heard);
  vlStepInfo info = advance_to(sim, 0.3);
  double room = 0.064, fastest = 0.0;
  assert_int_equal(heard.warnings, 1);
  assert_non_null(strstr(heard.text, "liquid.sources[0] would bring 0.08 m3/s to where there is no room for it: 0.06"));
  assert_about("what is there", info.particle_volume, 0.97 * room, 0.03 * room); /* the last bubbles may stay */
  for (int s = 0; s < 10; s++) {
    info = one_step(sim, 0.01);
    fastest = fmax(fastest, info.max_speed);
    assert_true(info.added < 100);
  }
  assert_int_equal(heard.warnings, 1);
  assert_true(info.particle_volume < 1.005 * room && fastest < 5.0);
  vl_sim_destroy(&sim);
}

/* Full from the first step on: nothing comes, nothing moves. */
static void test_full_at_once(void **state)
{
  (void)state;
  Heard heard = {0};
  vlSim *sim = start_text("{grid: {size: [0.4, 0.4], slab: yes, cells: 16}, liquid: {level: 0.4, sources: [{shape: box, "
                          "center: [0.1, 0.2], size: [0.1, 0.2], velocity: [1, 0]}]}, checks: 1}",
                          1, &heard);
  int64_t added = 0;
  vlStepInfo info = {0};
  for (int s = 0; s < 20; s++) {
    info = one_step(sim, 0.01);
    added += info.added;
  }
  assert_int_equal(added, 0);
  assert_int_equal(heard.warnings, 1);
  assert_true(info.max_speed < 1e-6);
  vl_sim_destroy(&sim);
}

/* A channel with everything: bits do not depend on threads, and a resumed one goes on with them. */
static void assert_same_bits(const char *scene)
{
  vlStatus status = {0};
  vlSim *one = start_text(scene, 1, NULL), *three = start_text(scene, 3, NULL), *again = start_text(scene, 2, NULL);
  for (int s = 0; s < 12; s++) {
    one_step(one, 0.01);
    one_step(three, 0.01);
  }
  char path[] = "/tmp/vl_test_inlets_XXXXXX";
  close(mkstemp(path));
  if (vl_sim_save(one, path, &status) || vl_sim_resume(again, path, &status)) fail_msg("%s", status.message);
  unlink(path);
  for (int s = 0; s < 8; s++) {
    vlStepInfo a = one_step(one, 0.01), b = one_step(three, 0.01), c = one_step(again, 0.01);
    assert_true(a.added == b.added && a.added == c.added && a.removed == c.removed);
    assert_memory_equal(&a.momentum, &b.momentum, sizeof a.momentum);
    assert_memory_equal(&a.momentum, &c.momentum, sizeof a.momentum);
    assert_memory_equal(&a.wall_force, &b.wall_force, sizeof a.wall_force);
    assert_memory_equal(&a.wall_force, &c.wall_force, sizeof a.wall_force);
  }
  vl_sim_destroy(&one);
  vl_sim_destroy(&three);
  vl_sim_destroy(&again);
}

static void test_same_bits(void **state)
{
  (void)state;
  assert_same_bits(
      "{grid: {slab: yes, size: [1.2, 0.4], cells: 60}, liquid: {level: 0.3, velocity: [1, 0], sources: [{shape: "
      "box, center: [0.03, 0.15], size: [0.06, 0.3], velocity: [1, 0]}, {shape: sphere, center: [0.5, 0.1], "
      "radius: 0.06, velocity: [0, 1]}], sinks: [{shape: box, center: [1.17, 0.2], size: [0.06, 0.4], level: 0.1}]}, "
      "pressure: {separation: yes}, checks: 3}");
  assert_same_bits(
      "{grid: {size: [1.2, 0.4, 0.2], cells: 40}, liquid: {level: 0.2, sources: [{shape: box, center: [0.3, 0.1, "
      "0.1], size: [0.1, 0.1, 0.1], velocity: [1, 0, 0]}], outlets: [{side: x+, level: 0.25}, {side: z-}, {side: "
      "x-, pressure: 500}]}, solids: [{shape: sphere, center: [1.2, 0, 0.1], radius: 0.07}], checks: 3}");
}

/* Liquid at rest up to the level that is held beyond an outlet, wherever in a cell that is: nothing moves, nothing leaves,
 * and the walls' force is that on the other side. */
static void test_outlet_at_rest(void **state)
{
  (void)state;
  static const double levels[] = {0.3, 0.285, 0.307};
  for (int n = 0; n < 3; n++) {
    char text[512];
    snprintf(text, sizeof text,
             "{grid: {size: [0.6, 0.4], slab: yes, cells: 30}, liquid: {level: %g, outlets: [{side: x+, level: %g}]}, "
             "pressure: {tolerance: 1e-10}, checks: 3}",
             levels[n], levels[n]);
    vlSim *sim = start_text(text, 1, NULL);
    vlStepInfo info = one_step(sim, 0.005);
    double push = 0.5 * 9810 * levels[n] * levels[n] * 0.02; /* found from particles the level is rough */
    assert_about("wall force", info.wall_force.x, -push, 0.02 * push);
    assert_true(vl_sim_wall(sim, VL_BOX_X_PLUS).force.x == 0.0);
    assert_about("the sum of the walls", vl_sim_wall(sim, VL_BOX_X_MINUS).force.x, info.wall_force.x, 1e-9 * push);
    double volume = info.particle_volume;
    for (int s = 0; s < 200; s++) info = one_step(sim, 0.005);
    assert_about("volume", info.particle_volume, volume, 0.005 * volume);
    assert_true(info.max_speed < 0.03);
    vl_sim_destroy(&sim);
  }
}

/* Without a floor all of it falls with g from the first step on, and is gone once it has fallen its height. */
static void test_open_bottom(void **state)
{
  (void)state;
  vlSim *sim = start_text("{grid: {size: [0.4, 0.8], slab: yes, cells: 40}, liquid: {level: 0.3, outlets: [{side: y-}]}, "
                          "time: {dt_fixed: 0.005}, pressure: {tolerance: 1e-10}, checks: 3}",
                          1, NULL);
  vlStepInfo info = {0};
  double full = 0.3 * 0.4 * 0.02;
  for (int s = 0; s < 20; s++) info = one_step(sim, 0.01);
  assert_about("speed", info.max_speed, 0.981, 2e-3);
  assert_about("what is left", info.particle_volume, full - 0.5 * 9.81 * 0.01 * 0.4 * 0.02, 0.02 * full);
  info = advance_to(sim, 0.27);
  assert_int_equal(info.particles, 0);
  vl_sim_destroy(&sim);
}

/* A box that is full to the ceiling, with a pressure on one side: it is that, and its weight more below. */
static void test_given_pressure(void **state)
{
  (void)state;
  double value[3];
  vlSim *sim = start_text("{grid: {size: [0.4, 0.4, 0.4], cells: 10}, liquid: {level: 0.4, outlets: [{side: y+, pressure: 2 "
                          "kPa}]}, pressure: {tolerance: 1e-10}, checks: 3}",
                          1, NULL);
  vlStepInfo info = one_step(sim, 0.005);
  vlProbeDef probe = {.kind = VL_PROBE_PRESSURE, .position = vl_vec(0.2, 0.1, 0.2)};
  vl_sim_probe(sim, &probe, value);
  assert_about("pressure", value[0], 2000 + 9810 * 0.3, 1e-3);
  assert_about("speed", info.max_speed, 0.0, 1e-8);
  assert_about("force on the floor", vl_sim_wall(sim, VL_BOX_Y_MINUS).force.y, -(2000 + 9810 * 0.4) * 0.16, 1e-3);
  vl_sim_destroy(&sim);
}

/* A level beyond the outlet that stands higher: liquid comes in until it swings about that, and each of it is counted. */
static void test_comes_in(void **state)
{
  (void)state;
  vlSim *sim =
      start_text("{grid: {size: [0.4, 0.4], slab: yes, cells: 20}, liquid: {level: 0.1, outlets: [{side: x-, level: "
                 "0.2}]}, checks: 3}",
                 1, NULL);
  double came = 0.0, mean = 0.0, span = 0.0, first = added_volume(sim, (int64_t)vl_sim_particles(sim).count);
  vlStepInfo info = {0};
  while (vl_sim_time(sim) < 9.0) {
    info = one_step(sim, 0.01);
    came -= info.outflow * info.dt;
    if (vl_sim_time(sim) < 5.0) continue;
    mean += info.particle_volume / (0.4 * 0.02) * info.dt;
    span += info.dt;
  }
  assert_about("what came", came, info.particle_volume - first, 1e-9);
  assert_about("level", mean / span, 0.2, 0.01);
  vl_sim_destroy(&sim);
}

static void assert_refused(const char *liquid, const char *words)
{
  vlStatus status = {0};
  vlScene scene;
  char text[256];
  snprintf(text, sizeof text, "{grid: {slab: yes, size: [1, 1]}, liquid: {%s}}", liquid);
  assert_int_not_equal(vl_scene_parse(&scene, text, strlen(text), "outlets.yaml", NULL, 0, &status), VL_OK);
  if (!strstr(status.message, words)) fail_msg("'%s' is not said in: %s", words, status.message);
  vl_scene_clear(&scene);
}

static void test_refused(void **state)
{
  (void)state;
  assert_refused("outlets: [{side: x+}, {side: y+}, {side: x+, level: 1}]", "another outlet has side x+ already");
  assert_refused("outlets: [{side: z-}]", "a slab has no liquid flowing along z");
  assert_refused("outlets: [{side: x+, level: 1, pressure: 2}]", "pressure");
  assert_refused("sources: [{shape: sphere, radius: 0.1, flow: 1}]", "it is not known which way it flows");
  assert_refused("outlets: [{level: 1}]", "side");
  assert_refused("sinks: [{shape: sphere, radius: 1, level: 1, pressure: 2}]", "pressure");
}

/* Counts of faces stay below 2^31: also of a source as large as the largest grid. */
static void test_too_many_faces(void **state)
{
  (void)state;
  vlStatus status = {0};
  const int lo[3] = {0, 0, 0}, fits[3] = {4095, 4095, 40}, large[3] = {4095, 4095, 127}, single[3] = {0, 0, 0};
  assert_int_equal(vl_sources_fit(0, lo, fits, &status), VL_OK);
  assert_int_equal(vl_sources_fit(0, lo, single, &status), VL_OK);
  assert_int_equal(vl_sources_fit(1, lo, large, &status), VL_ERROR_SCENE);
  if (!strstr(status.message, "liquid.sources[1] reaches into 4096 x 4096 x 128 = 2.15e+09 cells"))
    fail_msg("%s", status.message);
}

/* The trial: an inlet of 0.3 m by 1 m/s at the end of a channel in which the level falls. It delivers that at once and as
 * the level falls, and nothing piles up in it. */
static void test_channel(void **state)
{
  (void)state;
  vlSim *sim = start_text("{grid: {slab: yes, size: [1.2, 0.4], cells: 60}, liquid: {level: 0.3, velocity: [1, 0], sources: "
                          "[{shape: box, center: [0.03, 0.15], size: [0.06, 0.3], velocity: [1, 0]}], sinks: [{shape: box, "
                          "center: [1.17, 0.2], size: [0.06, 0.4]}]}, checks: 1}",
                          1, NULL);
  double mean = 0.0, densest = 0.0, dx = 1.2 / 60;
  int64_t added = 0;
  int count = 0;
  while (vl_sim_time(sim) < 1.0) {
    vlStepInfo info = one_step(sim, 0.02);
    added += info.added;
    if (vl_sim_time(sim) < 0.3) continue;
    mean += flow_at(sim, 0.08);
    densest = fmax(densest, info.filling);
    count++;
  }
  assert_about("what is brought", added_volume(sim, added), 0.3 * dx, 0.005 * 0.3 * dx);
  assert_about("the flow", mean / count, 0.3 * dx, 0.02 * 0.3 * dx);
  assert_true(densest < 1.03);
  vl_sim_destroy(&sim);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pushes),         cmocka_unit_test(test_flow_and_ramp), cmocka_unit_test(test_no_room),
      cmocka_unit_test(test_full_at_once),   cmocka_unit_test(test_same_bits),     cmocka_unit_test(test_channel),
      cmocka_unit_test(test_outlet_at_rest), cmocka_unit_test(test_open_bottom),   cmocka_unit_test(test_given_pressure),
      cmocka_unit_test(test_comes_in),       cmocka_unit_test(test_refused),       cmocka_unit_test(test_too_many_faces),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
