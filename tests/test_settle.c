/* Bodies settle where statics has them: drafts, tilts, bent beams; what was settled stays, also when it was saved; what
 * cannot settle is told. */
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

static vlSim *start_text(const char *text)
{
  vlStatus status = {0};
  vlScene scene;
  if (vl_scene_parse(&scene, text, strlen(text), "settle.yaml", NULL, 0, &status)) fail_msg("%s", status.message);
  vlSim *sim = start(&scene, 1);
  vl_scene_clear(&scene);
  return sim;
}

static vlSettleInfo settle(vlSim *sim)
{
  vlStatus status = {0};
  vlSettleInfo info;
  if (vl_sim_settle(sim, (vlSettleOptions){.most_steps = 2000}, &info, NULL, &status)) fail_msg("%s", status.message);
  assert_true(vl_sim_time(sim) == 0.0 && vl_sim_step_count(sim) == 0);
  return info;
}

static double lowest(vlBodyView body)
{
  double y = INFINITY;
  for (int i = 0; i < body.node_count; i++) y = fmin(y, body.x[i].y);
  return y;
}

/* m: of a pool with vertical walls of 1 m2, in which bodies displace so much. */
static double level(const vlSim *sim, double displaced)
{
  vlParticleView p = vl_sim_particles(sim);
  return (double)p.count * p.volume + displaced;
}

/* From starts too high and too low: Archimedes, in a pool that rises by what is displaced. */
static void test_draft(void **state)
{
  (void)state;
  for (int i = 0; i < 2; i++) {
    char text[512];
    snprintf(text, sizeof text,
             "{grid: {size: [1, 1, 1], cells: 16}, liquid: {level: 0.4, sinks: [{shape: box, center: [0.1, 0.1, 0.1], size: "
             "[0.2, 0.2, 0.2]}]}, bodies: [{name: box, rigid: yes, shape: box, center: [0.5, %g, 0.5], size: [0.4, 0.2, "
             "0.4], density: 600}]}",
             i ? 0.36 : 0.47);
    vlSim *sim = start_text(text);
    vlSettleInfo info = settle(sim);
    double wanted = 0.12, draft = level(sim, 0.16 * wanted) - lowest(vl_sim_body(sim, 0));
    if (!(fabs(draft - wanted) < 0.02 / 16)) fail_msg("draft %g m instead of %g m", draft, wanted);
    assert_true(info.residual <= 1e-3 && info.cuts > 0);
    assert_true(vl_norm(vl_sim_body(sim, 0).info.momentum) == 0.0);
    vl_sim_destroy(&sim);
  }
}

/* A box in a slab that begins tilted rights itself. */
static void test_tilt(void **state)
{
  (void)state;
  vlSim *sim =
      start_text("{grid: {size: [1, 0.75], cells: 32, slab: yes}, liquid: {level: 0.4}, bodies: [{name: box, rigid: "
                 "yes, shape: box, center: [0.5, 0.45], size: [0.4, 0.2], rotate: z 20, density: 500}]}");
  settle(sim);
  double tilt = vl_sim_body(sim, 0).info.rotation.z * 180.0 / VL_PI + 20.0;
  if (!(fabs(tilt) < 0.2)) fail_msg("it leans by %g degrees", tilt);
  vl_sim_destroy(&sim);
}

/* Two bodies at once, one upon the floor; an elastic one that floats, as deep as if it were stiff. */
static void test_several(void **state)
{
  (void)state;
  vlSim *sim = start_text(
      "{grid: {size: [1, 1, 1], cells: 16}, liquid: {level: 0.4}, bodies: [{name: stone, rigid: yes, shape: box, center: "
      "[0.25, 0.3, 0.5], size: [0.2, 0.1, 0.2], density: 2500}, {name: raft, shape: box, center: [0.65, 0.44, 0.5], size: "
      "[0.4, 0.15, 0.4], cells: [3, 1, 3], density: 400, young: 5e6}]}");
  settle(sim);
  double wanted = 0.06, draft = level(sim, 0.16 * wanted + 0.004) - lowest(vl_sim_body(sim, 1));
  if (!(fabs(draft - wanted) < 0.03 / 16)) fail_msg("draft %g m instead of %g m", draft, wanted);
  assert_true(fabs(lowest(vl_sim_body(sim, 0))) < 0.03 / 16);
  vl_sim_destroy(&sim);
}

/* w = rho g A L^4/(8 E I) + rho g L^2/(2 k G), k = 5/6, G = E/2 (Timoshenko). */
static void test_cantilever(void **state)
{
  (void)state;
  vlSim *sim = start_text(
      "{grid: {size: [2, 1, 1], cells: 8}, bodies: [{name: beam, shape: box, center: [1, 0.5, 0.5], size: [1, 0.1, 0.1], "
      "cells: [16, 1, 1], element: quadratic, poisson: 0, young: 1e8, density: 1000, pins: [{shape: box, center: [0.5, 0.5, "
      "0.5], size: [0.01, 1, 1]}]}]}");
  settle(sim);
  vlBodyView beam = vl_sim_body(sim, 0);
  double theory = 1000.0 * 9.81 * (12.0 / (8.0 * 1e8 * 0.01) + 1.0 / (2.0 * 5.0 / 6.0 * 0.5e8)), tip = 0.0;
  for (int i = 0; i < beam.node_count; i++) tip = fmax(tip, vl_norm(vl_sub(beam.x[i], beam.rest[i])));
  if (!(fabs(tip / theory - 1.0) < 0.01)) fail_msg("%g m instead of %g m", tip, theory);
  vl_sim_destroy(&sim);
}

static const char *const BOAT =
    "{grid: {size: [1, 1, 1], cells: 16}, liquid: {level: 0.4}, time: {dt_fixed: 0.004}, bodies: [{name: boat, rigid: yes, "
    "shape: box, center: [0.4, 0.5, 0.5], size: [0.4, 0.2, 0.4], density: 400}, {name: paddle, shape: box, center: [0.85, "
    "0.4, 0.5], size: [0.1, 0.3, 0.3], motion: [{move: sway, amplitude: [0.05, 0, 0], frequency: 1, phase: 90}]}, {name: "
    "reed, shape: box, "
    "center: [0.1, 0.2, 0.5], size: [0.06, 0.3, 0.2], cells: [1, 3, 2], young: 1e6, pins: [{shape: box, center: [0.1, 0.05, "
    "0.5], size: [1, 0.01, 1], velocity: [0.1, 0, 0]}]}]}";

/* A run that begins from it begins at its start, stays calm, and is the same to the bit from a file; what goes its own way
 * has not gone yet, and goes. */
static void test_start(void **state)
{
  (void)state;
  vlStatus status = {0};
  vlSim *sim = start_text(BOAT), *again = start_text(BOAT);
  vlVec3 paddle = vl_sim_body(sim, 1).info.center, foot = vl_sim_body(sim, 2).x[0];
  settle(sim);
  char path[] = "/tmp/vl_test_settle_XXXXXX";
  close(mkstemp(path));
  if (vl_sim_save(sim, path, &status) || vl_sim_resume(again, path, &status)) fail_msg("%s", status.message);
  unlink(path);
  vlVec3 boat = vl_sim_body(sim, 0).info.center;
  assert_memory_equal(&paddle, &(vlVec3[]){vl_sim_body(again, 1).info.center}[0], sizeof paddle);
  assert_true(foot.y < 0.1 && vl_norm(vl_sub(vl_sim_body(again, 2).x[0], foot)) == 0.0);
  for (int s = 0; s < 10; s++) {
    vlStepInfo a = one_step(sim, 1.0), b = one_step(again, 1.0);
    assert_memory_equal(&a.momentum, &b.momentum, sizeof a.momentum);
    vlBodyInfo info = vl_sim_body(sim, 0).info;
    assert_true(fabs(info.velocity.y) < 0.01 && fabs(info.center.y - boat.y) < 0.02 / 16);
  }
  assert_true(vl_norm(vl_sub(vl_sim_body(sim, 1).info.center, paddle)) > 1e-4);
  assert_true(fabs(vl_sim_body(sim, 2).x[0].x - foot.x - 0.004) < 1e-9);
  vl_sim_destroy(&sim);
  vl_sim_destroy(&again);
}

static void test_refused(void **state)
{
  (void)state;
  vlStatus status = {0};
  vlSettleBody bodies[3];
  vlSettleInfo info;
  vlSim *sim = start_text(BOAT);
  assert_int_equal(vl_sim_settle(sim, (vlSettleOptions){.most_steps = 8}, &info, bodies, &status), VL_ERROR_SOLVER);
  assert_non_null(strstr(status.message, "after 8 steps it has not settled: body 'boat' is still pushed"));
  assert_true(info.steps == 8 && bodies[0].residual > 1e-3 && bodies[1].residual == 0.0);
  assert_true(vl_sim_time(sim) == 0.0 && vl_sim_step_count(sim) == 0);
  assert_int_equal(vl_sim_settle(sim, (vlSettleOptions){.tolerance = -1}, NULL, NULL, &status), VL_ERROR_USAGE);
  assert_int_equal(vl_sim_set_gravity(sim, vl_vec(0, 0, 0), &status), VL_OK);
  assert_int_equal(vl_sim_settle(sim, (vlSettleOptions){0}, NULL, NULL, &status), VL_ERROR_SCENE);
  assert_non_null(strstr(status.message, "gravity"));
  vl_sim_destroy(&sim);
  sim = start_text("{liquid: {level: 0.5}, grid: {size: [1, 1, 1], cells: 8}}");
  assert_int_equal(vl_sim_settle(sim, (vlSettleOptions){0}, NULL, NULL, &status), VL_ERROR_SCENE);
  vl_sim_destroy(&sim);
}

/* All stands still at once, and moves again as forces have it. */
static void test_halt(void **state)
{
  (void)state;
  vlSim *sim =
      start_text("{grid: {size: [1, 1, 1], cells: 16}, time: {dt_fixed: 0.005}, liquid: {transfer: apic, shapes: "
                 "[{shape: box, center: [0.3, 0.6, 0.5], size: [0.2, 0.2, 0.2]}]}, bodies: [{name: box, rigid: yes, "
                 "shape: box, center: [0.7, 0.6, 0.5], size: [0.2, 0.2, 0.2], spin: [0, 0, 3]}]}");
  for (int s = 0; s < 4; s++) one_step(sim, 1.0);
  vl_sim_halt(sim);
  vlVec3 none = vl_vec(0, 0, 0);
  vlBodyInfo still = vl_sim_body(sim, 0).info;
  assert_memory_equal(&still.momentum, &none, sizeof none);
  assert_true(vl_norm(still.angular_momentum) == 0.0);
  vlStepInfo info = one_step(sim, 1.0);
  vlVec3 fallen = vl_scale(vl_vec(0, -9.81, 0), 0.005);
  assert_true(vl_norm(vl_sub(vl_scale(info.momentum, 1.0 / (1000.0 * info.particle_volume)), fallen)) < 1e-6);
  assert_true(vl_norm(vl_sub(vl_sim_body(sim, 0).info.velocity, fallen)) < 1e-9);
  vl_sim_destroy(&sim);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_draft),      cmocka_unit_test(test_tilt),  cmocka_unit_test(test_several),
      cmocka_unit_test(test_cantilever), cmocka_unit_test(test_start), cmocka_unit_test(test_refused),
      cmocka_unit_test(test_halt),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
