/* A step of the sharp engine: where its time goes, how long it is, and what its forces and its pressure are. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/timer.h"
#include "moving.h"

static vlScene scene_of(const char *text)
{
  vlStatus status = {0};
  vlScene scene;
  if (vl_scene_parse(&scene, text, strlen(text), "step.yaml", NULL, 0, &status)) fail_msg("%s", status.message);
  return scene;
}

static vlSim *start_text(const char *text, vlLog log)
{
  vlStatus status = {0};
  vlScene scene = scene_of(text);
  vlSim *sim = NULL;
  if (vl_sim_create(&sim, &scene, (vlSimOptions){.threads = 1, .log = log}, &status)) fail_msg("%s", status.message);
  vl_scene_clear(&scene);
  return sim;
}

/* Of liquid that is still, nothing is transferred and no level set made. */
static void test_stage_timers(void **state)
{
  (void)state;
  static const char *const texts[] = {
      "{grid: {size: [1, 1, 1], cells: 12}, liquid: {level: 0.5}, bodies: [{rigid: yes, shape: sphere, radius: 0.15, "
      "center: [0.4, 0.5, 0.5], density: 500}]}",
      "{grid: {size: [1, 1, 1], cells: 12}, liquid: {level: 0.5, transfer: still}, bodies: [{rigid: yes, shape: sphere, "
      "radius: 0.15, center: [0.4, 0.5, 0.5], density: 500}]}"};
  for (int t = 0; t < 2; t++) {
    vlSim *sim = start_text(texts[t], (vlLog){0});
    for (int s = 0; s < 3; s++) {
      double begin = vl_seconds(), sum = 0.0;
      vlStepInfo info = one_step(sim, 0.01);
      double wall = vl_seconds() - begin;
      for (int k = 0; k < VL_STAGE_COUNT; k++) {
        bool ran = t == 0 || (k != VL_STAGE_TRANSFER && k != VL_STAGE_LEVEL_SET);
        if (ran ? !(info.seconds[k] > 0.0) : info.seconds[k] != 0.0)
          fail_msg("%s: %g s", vl_stage_name((vlStageKind)k), info.seconds[k]);
        sum += info.seconds[k];
      }
      assert_true(sum <= wall);
      assert_true(sum > 0.5 * wall); /* there is little else in a step */
    }
    vl_sim_destroy(&sim);
  }
}

/* Without gravity as long as it takes to cross cfl cells; with it also no longer than waves allow; never above a limit. */
static void test_length(void **state)
{
  (void)state;
  static const char *const text =
      "{grid: {size: [1, 1, 1], cells: 16}, gravity: [0, 0, 0], liquid: {velocity: [2, 0, 0], shapes: [{shape: sphere, "
      "center: [0.4, 0.5, 0.5], radius: 0.2}]}, time: {dt_max: 10}}";
  vlSim *sim = start_text(text, (vlLog){0});
  double longest = sim->scene->time.cfl / 16.0 / 2.0;
  vlStepInfo info = one_step(sim, INFINITY);
  assert_true(fabs(info.dt / longest - 1.0) < 1e-12);
  assert_true(info.time == info.dt && vl_sim_time(sim) == info.time);
  assert_true(one_step(sim, 0.3 * longest).dt == 0.3 * longest);
  double bound = sim->scene->time.cfl / 16.0 / vl_sharp(sim)->state.max_speed; /* equal steps up to the limit */
  info = one_step(sim, 1.5 * bound);
  assert_true(fabs(info.dt / (0.75 * bound) - 1.0) < 1e-12);
  sim->scene->time.dt_max = 0.25 * longest;
  assert_true(one_step(sim, INFINITY).dt == 0.25 * longest);
  sim->scene->gravity.y = -1e4;
  sim->scene->time.dt_max = 10.0;
  double v = vl_sharp(sim)->state.max_speed;
  info = one_step(sim, INFINITY);
  assert_true(info.dt <= vl_usual_step(1.0 / 16.0, 1e4) * (1.0 + 1e-12));
  assert_true((v + 1e4 * info.dt) * info.dt <= sim->scene->time.cfl / 16.0 * (1.0 + 1e-12));
  vl_sim_destroy(&sim);
}

/* Gives the solver its iterations back as soon as a step is tried again. */
typedef struct Repair {
  vlSim *sim;
  int iterations, warnings;
} Repair;

static void repair(void *data, vlLogLevel level, const char *message)
{
  Repair *r = data;
  if (level != VL_LOG_WARNING || !strstr(message, "trying again with half the time step")) return;
  if (++r->warnings == 2) r->sim->scene->pressure.max_iterations = r->iterations;
}

static void test_retry_halves_the_step(void **state)
{
  (void)state;
  Repair r = {0};
  r.sim = start_text("{grid: {size: [1, 1, 1], cells: 12}, liquid: {velocity: [1, 0, 0], shapes: [{shape: box, center: "
                     "[0.3, 0.3, 0.5], size: [0.6, 0.6, 1]}]}, pressure: {solver: jacobi}}",
                     (vlLog){.write = repair, .user = &r});
  r.iterations = r.sim->scene->pressure.max_iterations;
  r.sim->scene->pressure.max_iterations = 1;
  vlStepInfo info = one_step(r.sim, 1e-3);
  assert_int_equal(r.warnings, 2);
  assert_true(info.dt == 0.25e-3 && info.time == info.dt);
  assert_int_equal(vl_sim_step_count(r.sim), 1);
  vl_sim_destroy(&r.sim);
}

/* A drop far from everything: nothing acts on it but gravity. */
static void test_free_fall(void **state)
{
  (void)state;
  static const char *const transfers[] = {"flip", "apic", "pic"};
  for (int t = 0; t < 3; t++) {
    char text[512];
    snprintf(text, sizeof text,
             "{grid: {size: [1, 1, 1], cells: 20}, gravity: [1, -9.81, 2], liquid: {transfer: %s, keep_volume: no, shapes: "
             "[{shape: sphere, center: [0.5, 0.5, 0.5], radius: 0.2}]}}",
             transfers[t]);
    vlSim *sim = start_text(text, (vlLog){0});
    vlVec3 g = sim->scene->gravity;
    double time = 0.0;
    for (int s = 0; s < 3; s++) {
      time += one_step(sim, 5e-3).dt;
      vlParticleView p = vl_sim_particles(sim);
      assert_true(p.count > 1000);
      for (size_t i = 0; i < p.count; i++)
        for (int a = 0; a < 3; a++) {
          double wanted = time * g.v[a];
          if (!(fabs((double)p.v[a][i] - wanted) <= 4e-7 * fabs(wanted)))
            fail_msg("%s, step %d: %.9g instead of %.9g", transfers[t], s, (double)p.v[a][i], wanted);
        }
    }
    vl_sim_destroy(&sim);
  }
}

/* p = rho g h at the middles of cells, wherever the surface cuts them. */
static void test_hydrostatic(void **state)
{
  (void)state;
  static const double levels[] = {0.5, 0.53, 0.61};
  for (int t = 0; t < 3; t++) {
    char text[256];
    snprintf(text, sizeof text,
             "{grid: {size: [1, 1, 1], cells: 16}, liquid: {transfer: still, level: %g}, pressure: {tolerance: 1e-10}}",
             levels[t]);
    vlSim *sim = start_text(text, (vlLog){0});
    one_step(sim, 0.01);
    vlFieldView p = vl_sim_field(sim, VL_FIELD_PRESSURE);
    double gravity = vl_norm(sim->scene->gravity), rho = sim->scene->liquid.density;
    for (int k = 0; k < p.n[2]; k++)
      for (int j = 0; j < p.n[1]; j++)
        for (int i = 0; i < p.n[0]; i++) {
          double depth = fmax(levels[t] - (p.origin.y + p.dx * j), 0.0), wanted = rho * gravity * depth;
          double found = p.data[i * p.stride[0] + j * p.stride[1] + k * p.stride[2]];
          if (!(fabs(found - wanted) <= 1e-8 * rho * gravity * levels[t]))
            fail_msg("cell (%d, %d, %d): %.12g Pa instead of %.12g", i, j, k, found, wanted);
        }
    vl_sim_destroy(&sim);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_stage_timers), cmocka_unit_test(test_length),      cmocka_unit_test(test_retry_halves_the_step),
      cmocka_unit_test(test_free_fall),    cmocka_unit_test(test_hydrostatic),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
