/* Liquid finer than the grid beside walls and bodies: what it does to them, at rest and in motion. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "moving.h"

static const double G = 9.81;
static const double WATER = 1000.0;

static vlSim *start_text(const char *text)
{
  vlStatus status = {0};
  vlScene scene;
  if (vl_scene_parse(&scene, text, strlen(text), "subgrid.yaml", NULL, 0, &status)) fail_msg("%s", status.message);
  vlSim *sim = start(&scene, 1);
  vl_scene_clear(&scene);
  return sim;
}

/* A pool with what the text says of solids or bodies. */
static vlSim *start_pool(int cells, int refine, double level, const char *more)
{
  char text[2048];
  snprintf(text, sizeof text,
           "{grid: {size: [1, 1, 1], cells: %d}, liquid: {surface: subgrid, refine: %d, level: %.17g}, checks: 1, pressure: "
           "{tolerance: 1e-11}%s%s}",
           cells, refine, level, *more ? ", " : "", more);
  return start_text(text);
}

static double largest_wall(const vlSim *sim, vlVec3 *sum)
{
  double largest = 0.0;
  *sum = vl_vec(0, 0, 0);
  for (int i = 0; i < vl_sim_wall_count(sim); i++) {
    *sum = vl_add(*sum, vl_sim_wall(sim, i).force);
    largest = fmax(largest, vl_norm(vl_sim_wall(sim, i).force));
  }
  return largest;
}

static void print_walls(const vlSim *sim, vlStepInfo info)
{
  vlVec3 sum;
  double largest = largest_wall(sim, &sum);
  print_message("weight %.12g, walls %.12g, rho g V %.12g, sum off %.1e of %.3g, speed %.1e\n", info.weight.y, info.wall_force.y, -WATER * G * info.volume,
                vl_norm(vl_sub(sum, info.wall_force)) / largest, largest, info.max_speed);
}

/* Walls of the pool carry its weight, all of them together what is told, wherever the level is. */
static void check_rest(const vlSim *sim, vlStepInfo info, double weight_error)
{
  vlVec3 sum;
  double largest = largest_wall(sim, &sum), weight = vl_norm(info.weight);
  print_walls(sim, info);
  assert_true(vl_norm(vl_sub(sum, info.wall_force)) <= 1e-12 * largest);
  assert_true(vl_norm(vl_sub(info.weight, info.wall_force)) <= 1e-9 * weight);
  assert_true(fabs(info.weight.y + WATER * G * info.volume) <= weight_error * weight);
}

static const char *const SOLIDS[] = {
    "", "solids: [{name: ball, shape: sphere, center: [0.4, 0.52, 0.53], radius: 0.2}]",
    "solids: [{name: ramp, shape: box, center: [0.2, 0.3, 0.5], size: [0.3, 0.9, 2], rotate: z 31}]"};

static void test_walls_at_rest(void **state)
{
  (void)state;
  const double level[] = {0.5, 0.53, 0.584};
  for (int s = 0; s < 3; s++)
    for (int l = 0; l < 3; l++) {
      vlSim *sim = start_pool(12, 4, level[l], SOLIDS[s]);
      vlStepInfo info = one_step(sim, 0.005);
      check_rest(sim, info, s == 0 ? 1e-7 : 2e-3);
      vl_sim_destroy(&sim);
    }
}

/* A body at the depth where it floats. */
typedef struct Afloat {
  const char *what;
  char text[256];
  double level;
} Afloat;

static void test_afloat(void **state)
{
  (void)state;
  Afloat body[] = {{"box on planes", "shape: box, center: [0.5, 0.5, 0.5], size: [0.5, 0.5, 0.5]", 0.5},
                   {"box off planes", "shape: box, center: [0.5, 0.53, 0.5], size: [0.44, 0.3, 0.41]", 0.53},
                   {"turned box", "shape: box, center: [0.5, 0.53, 0.5], size: [0.44, 0.3, 0.41], rotate: y 33", 0.53},
                   {"tilted box", "shape: box, center: [0.5, 0.53, 0.5], size: [0.4, 0.4, 0.4], rotate: z 45", 0.53},
                   {"ball", "shape: sphere, center: [0.5, 0.54, 0.5], radius: 0.23", 0.54}};
  for (int i = 0; i < 5; i++) {
    char text[512];
    snprintf(text, sizeof text, "bodies: [{rigid: yes, density: 500, %s}]", body[i].text);
    vlSim *sim = start_pool(12, 4, body[i].level, text);
    vlStepInfo info = one_step(sim, 0.005);
    vlBodyView v = vl_sim_body(sim, 0);
    vlVec3 sum;
    double largest = largest_wall(sim, &sum), weight = v.info.mass * G;
    print_message("%-15s: lift/weight - 1 = %.2e, speed %.2e, spin %.2e %.2e %.2e; ", body[i].what,
                  (v.info.load_force.y) / weight - 1.0, vl_norm(v.info.velocity), v.info.angular_velocity.x,v.info.angular_velocity.y,v.info.angular_velocity.z);
    print_walls(sim, info);(void)largest;
    vl_sim_destroy(&sim);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_walls_at_rest), cmocka_unit_test(test_afloat)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
