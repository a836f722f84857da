/* Modes of elastic bodies: against beam theory, as eigenvectors, and against the time step. */
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
#include "solid/elastic.h"

enum { MODES = 10 };
static const double YOUNG = 1e6, DENSITY = 1000.0, LENGTH = 0.8, HEIGHT = 0.04, WIDTH = 0.06;

static vlSim *start_beam(const char *more)
{
  char text[900];
  vlStatus status = {0};
  vlScene scene;
  snprintf(
      text, sizeof text,
      "{grid: {size: [1, 1, 1], cells: 8}, bodies: [{name: beam, shape: box, center: [0.5, 0.5, 0.5], size: [0.8, 0.04, "
      "0.06], cells: [16, 1, 1], element: quadratic, young: 1e6, poisson: 0, density: 1000%s}]}",
      more);
  if (vl_scene_parse(&scene, text, strlen(text), "modes.yaml", NULL, 0, &status)) fail_msg("%s", status.message);
  vlSim *sim = start(&scene, 2);
  vl_scene_clear(&scene);
  return sim;
}

static vlVec3 *modes_of(const vlSim *sim, int count, vlBodyMode *mode)
{
  vlStatus status = {0};
  vlVec3 *shape = malloc((size_t)count * (size_t)vl_sim_body(sim, 0).node_count * sizeof *shape);
  assert_non_null(shape);
  if (vl_sim_body_modes(sim, 0, count, mode, shape, &status)) fail_msg("%s", status.message);
  return shape;
}

static void assert_near(const char *what, double found, double wanted, double relative)
{
  if (!(fabs(found - wanted) <= relative * fabs(wanted)))
    fail_msg("%s: %.9g instead of %.9g, off by %.2e", what, found, wanted, found / wanted - 1.0);
}

/* Hz: of Euler and Bernoulli's beam, with k L. */
static double beam(double kL, double thickness)
{
  return kL * kL / (2.0 * VL_PI * LENGTH * LENGTH) * sqrt(YOUNG * thickness * thickness / 12.0 / DENSITY);
}

/* Held at one end: bending both ways, each with 61 % and 19 % of the mass across, and stretching. Shear and turning inertia
 * lower the frequencies by a share of (h/L)2 (kL)2; the mesh and lumped masses change them by about as much. */
static void test_cantilever(void **state)
{
  (void)state;
  vlSim *sim = start_beam(", pins: [{shape: box, center: [0.1, 0.5, 0.5], size: [0.001, 1, 1]}]");
  vlBodyMode mode[MODES];
  free(modes_of(sim, MODES, mode));
  assert_near("first, flat", mode[0].frequency, beam(1.8751, HEIGHT), 0.01);
  assert_near("first, upright", mode[1].frequency, beam(1.8751, WIDTH), 0.01);
  assert_near("second, flat", mode[2].frequency, beam(4.6941, HEIGHT), 0.03);
  assert_near("second, upright", mode[3].frequency, beam(4.6941, WIDTH), 0.04);
  assert_near("share of the first", mode[0].share.y, 0.6131, 0.03);
  assert_near("share of the second", mode[2].share.y, 0.1883, 0.05);
  double stretch = sqrt(YOUNG / DENSITY) / (4.0 * LENGTH);
  int along = 0;
  while (along < MODES - 1 && mode[along].share.x < 0.5) along++;
  assert_near("stretching", mode[along].frequency, stretch, 0.01);
  assert_near("share of stretching", mode[along].share.x, 8.0 / VL_PI / VL_PI, 0.03);
  vl_sim_destroy(&sim);
}

/* Free: six ways to move as a whole, then bending with 22.37 and 61.67. */
static void test_free_beam(void **state)
{
  (void)state;
  vlSim *sim = start_beam("");
  vlBodyMode mode[MODES];
  free(modes_of(sim, MODES, mode));
  vlVec3 share = vl_vec(0, 0, 0);
  for (int k = 0; k < 6; k++) {
    assert_true(mode[k].frequency == 0.0);
    share = vl_add(share, mode[k].share);
  }
  for (int a = 0; a < 3; a++) assert_near("all of the mass", share.v[a], 1.0, 1e-6);
  assert_near("first, flat", mode[6].frequency, beam(4.7300, HEIGHT), 0.02);
  assert_near("first, upright", mode[7].frequency, beam(4.7300, WIDTH), 0.03);
  vl_sim_destroy(&sim);
}

/* K u = omega^2 M u, u_i.M u_j = 0, and the largest displacement is 1. */
static void test_eigenvectors(void **state)
{
  (void)state;
  vlSim *sim = start_beam(", model: neo_hookean, pins: [{shape: box, center: [0.1, 0.5, 0.5], size: [0.001, 1, 1]}, {shape: "
                          "box, center: [0.9, 0.5, 0.5], size: [0.001, 1, 1], axes: y}]");
  vlStatus status = {0};
  vlBodyMode mode[MODES];
  vlVec3 *shape = modes_of(sim, MODES, mode);
  vlBody *body = vl_sharp(sim)->state.bodies.body[0];
  vlElastic *elastic = (vlElastic *)body;
  int nodes = body->node_count;
  vlVec3 *force = calloc((size_t)nodes, sizeof *force);
  if (vl_body_begin(body, 1e-3, vl_vec(0, 0, 0), &status)) fail_msg("%s", status.message); /* K at rest */
  for (int k = 0; k < MODES; k++) {
    const vlVec3 *u = shape + k * nodes;
    double omega = 2.0 * VL_PI * mode[k].frequency, off = 0.0, size = 0.0, largest = 0.0;
    vl_elastic_stiffness_apply(elastic, u, force);
    for (int i = 0; i < 3 * nodes; i++) {
      if (body->held[i]) assert_true(u[i / 3].v[i % 3] == 0.0);
      if (body->held[i]) continue;
      double inertia = omega * omega * elastic->mass[i / 3] * u[i / 3].v[i % 3];
      off += pow(force[i / 3].v[i % 3] - inertia, 2);
      size += inertia * inertia;
      largest = fmax(largest, vl_norm(u[i / 3]));
    }
    assert_true(off < 1e-8 * size); /* 1e-12 in the eigenvalue is 1e-6 in the vector */
    assert_near("largest displacement", largest, 1.0, 1e-12);
    for (int j = 0; j < k; j++) {
      double both = 0.0, own = 0.0;
      for (int i = 0; i < nodes; i++) {
        both += elastic->mass[i] * vl_dot(u[i], shape[j * nodes + i]);
        own += elastic->mass[i] * vl_dot(u[i], u[i]);
      }
      assert_true(fabs(both) < 1e-9 * own + 1e-9 * body->density * LENGTH * HEIGHT * WIDTH);
    }
  }
  free(force);
  free(shape);
  vl_sim_destroy(&sim);
}

/* Let go in its first shape it swings with its frequency: backward Euler turns omega dt into atan(omega dt). */
static void test_swings(void **state)
{
  (void)state;
  vlSim *sim = start_beam(", pins: [{shape: box, center: [0.1, 0.5, 0.5], size: [0.001, 1, 1]}]");
  vlStatus status = {0};
  vlBodyMode mode[1];
  vlVec3 *shape = modes_of(sim, 1, mode);
  vlBody *body = vl_sharp(sim)->state.bodies.body[0];
  int tip = 0, steps = 0;
  for (int i = 0; i < body->node_count; i++) {
    body->x[i] = vl_axpy(body->rest[i], 1e-5, shape[i]);
    if (vl_norm(shape[i]) > vl_norm(shape[tip])) tip = i;
  }
  double dt = 1.0 / mode[0].frequency / 400.0, sign = shape[tip].y, before = 1.0, now = 1.0;
  for (; now > 0.0 && steps < 400; steps++) {
    if (vl_body_begin(body, dt, vl_vec(0, 0, 0), &status) || vl_body_finish(body, NULL, &status))
      fail_msg("%s", status.message);
    before = now;
    now = (body->x[tip].y - body->rest[tip].y) / (1e-5 * sign);
  }
  double quarter = (steps - now / (now - before)) * dt;
  assert_near("a quarter of the period", quarter, 0.25 / mode[0].frequency, 0.02); /* and a phase of dt at the start */
  free(shape);
  vl_sim_destroy(&sim);
}

static const char *const HELD = ", pins: [{shape: box, center: [0.1, 0.5, 0.5], size: [0.001, 1, 1]}], integrator: bdf2, "
                                "mass_damping: 0, stiffness_damping: 0, modes: ";

/* A held beam that starts as `modes` says, without gravity. */
static vlSim *start_swinging(const char *modes)
{
  char more[400];
  vlStatus status = {0};
  snprintf(more, sizeof more, "%s%s", HELD, modes);
  vlSim *sim = start_beam(more);
  if (vl_sim_set_gravity(sim, vl_vec(0, 0, 0), &status)) fail_msg("%s", status.message);
  return sim;
}

/* m: how much of a shape is in the body's displacement, and how much else, as the root of the squares with masses. */
static double part_of(const vlSim *sim, const vlVec3 *u, double *rest)
{
  const vlBody *body = vl_sharp(sim)->state.bodies.body[0];
  const double *mass = ((const vlElastic *)body)->mass;
  double both = 0.0, own = 0.0, off = 0.0;
  for (int i = 0; i < body->node_count; i++) {
    both += mass[i] * vl_dot(u[i], vl_sub(body->x[i], body->rest[i]));
    own += mass[i] * vl_dot(u[i], u[i]);
  }
  for (int i = 0; i < body->node_count; i++) {
    vlVec3 other = vl_axpy(vl_sub(body->x[i], body->rest[i]), -both / own, u[i]);
    off += mass[i] * vl_dot(other, other);
  }
  *rest = sqrt(off / own);
  return both / own;
}

/* Bent into a shape and let go, or pushed off with it, a body swings with the mode's frequency and in no other. BDF2's phase
 * is late by (omega dt)^2/3, 2e-3 with 80 steps in a period. */
static void test_starts_in_mode(void **state)
{
  (void)state;
  enum { STEPS = 80 };
  static const char *const starts[] = {"[{mode: 3, amplitude: 0.2 mm}]", "[{mode: 1, amplitude: -1 mm}]",
                                       "[{mode: 2, speed: 2 mm/s}]"};
  static const int number[] = {3, 1, 2};
  for (int s = 0; s < 3; s++) {
    vlSim *sim = start_swinging(starts[s]);
    vlBodyMode mode[3];
    vlVec3 *shape = modes_of(sim, 3, mode);
    int nodes = vl_sim_body(sim, 0).node_count;
    const vlVec3 *u = shape + (number[s] - 1) * nodes;
    double omega = 2.0 * VL_PI * mode[number[s] - 1].frequency, dt = 2.0 * VL_PI / omega / STEPS, rest;
    double begin = s == 0 ? 2e-4 : s == 1 ? -1e-3 : 0.0, speed = s == 2 ? 2e-3 : 0.0, size = fabs(begin) + speed / omega;
    assert_true(fabs(part_of(sim, u, &rest) - begin) < 1e-12);
    double turned = 0.0, before = 0.0;
    for (int i = 1; turned == 0.0 && i < 2 * STEPS;
         i++) { /* the second time it passes the middle: three quarters of a period, or a whole */
      one_step(sim, dt);
      double now = part_of(sim, u, &rest);
      assert_true(rest < 0.02 * size);
      if (i > STEPS * 5 / 8 && now * before < 0.0) turned = (i - now / (now - before)) * dt;
      before = now;
    }
    assert_near("period", turned * (s == 2 ? 1.0 : 4.0 / 3.0), 2.0 * VL_PI / omega, 0.004);
    free(shape);
    vl_sim_destroy(&sim);
  }
}

/* It goes on from a checkpoint as if it had not been interrupted. */
static void test_mode_resumes(void **state)
{
  (void)state;
  static const char *const modes = "[{mode: 1, amplitude: 3 mm}, {mode: 4, speed: 0.01}]";
  vlSim *sim = start_swinging(modes), *again = start_swinging(modes);
  vlStatus status = {0};
  char path[] = "/tmp/vl_test_modes_XXXXXX";
  close(mkstemp(path));
  for (int i = 0; i < 3; i++) one_step(sim, 1e-3);
  if (vl_sim_save(sim, path, &status) || vl_sim_resume(again, path, &status)) fail_msg("%s", status.message);
  unlink(path);
  for (int i = 0; i < 3; i++) one_step(sim, 1e-3), one_step(again, 1e-3);
  vlBodyView a = vl_sim_body(sim, 0), b = vl_sim_body(again, 0);
  assert_memory_equal(a.x, b.x, (size_t)a.node_count * sizeof *a.x);
  vl_sim_destroy(&sim);
  vl_sim_destroy(&again);
}

/* What is wrong with a start in modes is told where the scene says it. */
static void test_start_refused(void **state)
{
  (void)state;
  static const char *const wrong[][2] = {
      {"rigid: yes, modes: [{mode: 1, amplitude: 0.01}]", "keeps its form"},
      {"modes: [{mode: 1}]", "give one of them"},
      {"modes: [{mode: 0, amplitude: 0.01}]", "1 to 200"},
      {"modes: [{amplitude: 0.01}]", "mode"},
      {"young: 1e5, modes: [{mode: 150, amplitude: 0.01}]", "the body has 24"},
      {"modes: [{mode: 9, amplitude: 0.5}]", "inside out"},
      {"modes: [{mode: 1, amplitude: 5}]", "the box is from 0 to 1 m"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    char text[400];
    vlStatus status = {0};
    vlScene scene;
    vlSim *sim = NULL;
    snprintf(text, sizeof text,
             "grid: {size: [1, 1, 1], cells: 8}\nbodies:\n  - {name: cube, shape: box, center: [0.5, 0.5, 0.5], size: [0.2, "
             "0.2, 0.2], %s}\n",
             wrong[i][0]);
    vlCode code = vl_scene_parse(&scene, text, strlen(text), "wrong.yaml", NULL, 0, &status);
    if (!code) code = vl_sim_create(&sim, &scene, (vlSimOptions){.threads = 1}, &status);
    vl_scene_clear(&scene);
    assert_null(sim);
    assert_int_equal(code, VL_ERROR_SCENE);
    if (!strstr(status.message, wrong[i][1]) || !strstr(status.message, "wrong.yaml:3:")) fail_msg("%s", status.message);
  }
}

static void test_refused(void **state)
{
  (void)state;
  vlStatus status = {0};
  vlBodyMode mode[4];
  vlVec3 shape[4];
  vlSim *rigid = start_beam(", rigid: yes");
  assert_int_equal(vl_sim_body_modes(rigid, 0, 1, mode, shape, &status), VL_ERROR_SCENE);
  assert_non_null(strstr(status.message, "body 'beam' is rigid"));
  assert_int_equal(vl_sim_body_modes(rigid, 1, 1, mode, shape, &status), VL_ERROR_USAGE);
  vl_sim_destroy(&rigid);
  vlSim *sim = start_beam("");
  assert_int_equal(vl_sim_body_modes(sim, 0, 1000000, mode, shape, &status), VL_ERROR_SCENE);
  vl_sim_destroy(&sim);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cantilever),   cmocka_unit_test(test_free_beam),     cmocka_unit_test(test_eigenvectors),
      cmocka_unit_test(test_swings),       cmocka_unit_test(test_refused),       cmocka_unit_test(test_starts_in_mode),
      cmocka_unit_test(test_mode_resumes), cmocka_unit_test(test_start_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
