/* Bodies down to a millionth of the liquid's density: released under it they rise as potential flow has it, and afloat,
 * falling on it or on the floor, elastic or rigid, nothing makes them much faster than a fall through the box does. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/sharp/speed.h"
#include "moving.h"

static vlSim *begin(int cells, double level, const char *body, double density)
{
  vlStatus status = {0};
  vlScene scene;
  char text[1024];
  snprintf(text, sizeof text, "grid: {cells: %d}\nliquid: {level: %g}\nbodies: [{name: a, %s, density: %g}]\n", cells, level,
           body, density);
  if (vl_scene_parse(&scene, text, strlen(text), "light.yaml", NULL, 0, &status)) fail_msg("%s", status.message);
  vlSim *sim = start(&scene, 1);
  vl_scene_clear(&scene);
  return sim;
}

static double fastest(const vlSim *sim)
{
  const vlBody *body = vl_sharp(sim)->state.bodies.body[0];
  double v = 0.0;
  for (int i = 0; i < body->node_count; i++) v = fmax(v, vl_norm(body->v[i]));
  return v;
}

static vlVec3 mean_velocity(const vlSim *sim)
{
  const vlBody *body = vl_sharp(sim)->state.bodies.body[0];
  vlVec3 sum = vl_vec(0, 0, 0);
  for (int i = 0; i < body->node_count; i++) sum = vl_axpy(sum, 1.0 / body->node_count, body->v[i]);
  return sum;
}

/* The first acceleration of a ball of radius R: a = g (1 - s)/(s + C), C = 1/2 far from walls, for which 2 % stand here, and
 * the film: 0.03 dx/R in place of the mass of a lighter one. The liquid's grid is good to 4 % at R = 3.6 cells. It goes
 * straight up and does not turn: no node is faster than the ball by more than a tenth. */
static void test_released(void **state)
{
  (void)state;
  const double dt = 0.002, g = 9.81, R = 0.18, film = 0.03 * 0.05 / R;
  for (double s = 1e-2; s > 5e-7; s *= 0.01) {
    vlSim *sim = begin(20, 0.8, "rigid: yes, shape: sphere, radius: 0.18, center: [0.51,0.41,0.49]", 1000.0 * s);
    one_step(sim, dt);
    vlVec3 v = mean_velocity(sim);
    double theory = g * (1.0 - s) / (fmax(s, film) + 0.51), a = v.v[1] / dt;
    if (!(fabs(a / theory - 1.0) < 0.04)) fail_msg("density ratio %g: %g m/s2, theory %g", s, a, theory);
    double most = 1.1 * vl_norm(v);
    if (!(fastest(sim) < most))
      fail_msg("density ratio %g: a node at %g m/s, its middle at %g", s, fastest(sim), vl_norm(v));
    if (!(hypot(v.v[0], v.v[2]) < 0.03 * v.v[1])) fail_msg("density ratio %g: sideways %g %g", s, v.v[0], v.v[2]);
    vl_sim_destroy(&sim);
  }
}

/* A millionth of the liquid's density, for a while in a box of a cubic metre: never twice as fast as a fall through the box.
 */
static void assert_bounded(double level, const char *body, double until)
{
  vlSim *sim = begin(10, level, body, 1e-3);
  double most = 2.0 * sqrt(2.0 * 9.81 * sqrt(3.0));
  while (vl_sim_time(sim) < until - 1e-9) {
    one_step(sim, until - vl_sim_time(sim));
    vlVec3 v = mean_velocity(sim);
    if (!(vl_norm(v) < most)) fail_msg("%s: %g m/s at %g s", body, vl_norm(v), vl_sim_time(sim));
  }
  vl_sim_destroy(&sim);
}

static void test_under_water(void **state)
{
  (void)state;
  assert_bounded(0.4, "rigid: yes, shape: sphere, radius: 0.1, center: [0.5,0.2,0.5]", 0.3);
  assert_bounded(0.5, "rigid: yes, shape: box, size: [0.3,0.2,0.25], center: [0.5,0.25,0.5], rotate: 'z 20, x 31'", 0.2);
}
static void test_afloat(void **state)
{
  (void)state;
  assert_bounded(0.5, "rigid: yes, shape: capsule, radius: 0.1, height: 0.4, center: [0.5,0.58,0.5], rotate: 'z 80'", 0.3);
  assert_bounded(0.5, "rigid: yes, shape: box, size: [0.3,0.2,0.25], center: [0.5,0.62,0.5]", 0.3);
}
static void test_falling(void **state)
{
  (void)state;
  assert_bounded(0.3, "rigid: yes, shape: sphere, radius: 0.12, center: [0.47,0.6,0.52]", 0.4);
  assert_bounded(0.1, "rigid: yes, shape: sphere, radius: 0.12, center: [0.47,0.3,0.52], velocity: [1,0,0]", 0.3);
}
static void test_elastic(void **state)
{
  (void)state;
  assert_bounded(0.5, "shape: sphere, radius: 0.12, center: [0.5,0.25,0.5], young: 1e5", 0.2);
  assert_bounded(0.4, "shape: box, cells: [2,2,2], size: [0.24,0.2,0.24], center: [0.5,0.6,0.5], young: 1e5", 0.2);
}

/* What a body lacks of the film's mass clings, in the same share everywhere; nothing to one that is heavier. */
static void test_film(void **state)
{
  (void)state;
  vlLayerPiece piece[3] = {{.film = 1.0}, {.film = 2.0}, {.film = 5.0}};
  assert_true(vl_pieces_cling(piece, 3, 8.0) == 0.0);
  for (int q = 0; q < 3; q++) assert_true(piece[q].clings == 0.0);
  assert_true(fabs(vl_pieces_cling(piece, 3, 6.0) - 2.0) < 1e-15);
  for (int q = 0; q < 3; q++) assert_true(fabs(piece[q].clings - 0.25 * piece[q].film) < 1e-15);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_released), cmocka_unit_test(test_under_water),
                                     cmocka_unit_test(test_afloat),   cmocka_unit_test(test_falling),
                                     cmocka_unit_test(test_elastic),  cmocka_unit_test(test_film)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
