/* Force and torque on the sides of the box and on static solids: against hydrostatics, and against their sum. */
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

#include "files/file.h"
#include "frames/series.h"
#include "moving.h"

enum { SIDES = 6 };
static const double WEIGHT = 9810.0; /* N/m3 */

static vlSim *start_text(const char *text, int threads)
{
  vlStatus status = {0};
  vlScene scene;
  if (vl_scene_parse(&scene, text, strlen(text), "walls.yaml", NULL, 0, &status)) fail_msg("%s", status.message);
  vlSim *sim = start(&scene, threads);
  vl_scene_clear(&scene);
  return sim;
}

static void assert_near(const char *what, double found, double wanted, double tolerance)
{
  if (!(fabs(found - wanted) <= tolerance)) fail_msg("%s: %.12g instead of %.12g", what, found, wanted);
}

static vlWallView wall_of(const vlSim *sim, const char *name)
{
  for (int i = 0; i < vl_sim_wall_count(sim); i++)
    if (strcmp(vl_sim_wall(sim, i).name, name) == 0) return vl_sim_wall(sim, i);
  fail_msg("there is no wall '%s'", name);
  return (vlWallView){0};
}

/* The sum is wall_force to rounding: of forces as large as the largest. */
static void assert_sum(const vlSim *sim, const vlStepInfo *info)
{
  vlVec3 sum = vl_vec(0, 0, 0);
  double largest = 0.0;
  for (int i = 0; i < vl_sim_wall_count(sim); i++) {
    sum = vl_add(sum, vl_sim_wall(sim, i).force);
    largest = fmax(largest, vl_norm(vl_sim_wall(sim, i).force));
  }
  assert_true(largest > 0.0);
  for (int a = 0; a < 3; a++) assert_near("sum of all walls", sum.v[a], info->wall_force.v[a], 1e-12 * largest);
}

/* m3: inside the triangles of the static solids. */
static double solid_volume(const vlSim *sim)
{
  vlMeshView mesh = vl_sim_solids(sim);
  double six = 0.0;
  for (int t = 0; t < mesh.triangle_count; t++) {
    const int *c = mesh.triangles[t];
    six += vl_dot(mesh.vertices[c[0]], vl_cross(mesh.vertices[c[1]], mesh.vertices[c[2]]));
  }
  return six / 6.0;
}

/* A pool of depth h with a sphere in it. Sides are pushed with rho g h2/2 per metre, whose moment about the floor is
 * rho g h3/6 per metre; the floor, half a cell below the lowest pressures, with rho g h. */
static void test_pool(void **state)
{
  (void)state;
  vlSim *sim =
      start_text("{grid: {size: [1, 1, 1], cells: 40}, liquid: {transfer: still, level: 0.7}, solids: [{name: ball, "
                 "shape: sphere, center: [0.4, 0.31, 0.53], radius: 0.15}], pressure: {tolerance: 1e-11}}",
                 1);
  vlStepInfo info = one_step(sim, 0.01);
  double h = 0.7, side = 0.5 * WEIGHT * h * h, moment = WEIGHT * h * h * h / 6.0;
  assert_int_equal(vl_sim_wall_count(sim), SIDES + 1);
  assert_null(vl_sim_wall(sim, SIDES + 1).name);
  assert_null(vl_sim_wall(sim, -1).name);
  assert_near("x-", wall_of(sim, "x-").force.x, -side, 1e-3 * side); /* sums of middles: (dx/h)2 */
  assert_near("x+", wall_of(sim, "x+").force.x, side, 1e-3 * side);
  assert_near("z-", wall_of(sim, "z-").force.z, -side, 1e-3 * side);
  assert_near("z+", wall_of(sim, "z+").force.z, side, 1e-3 * side);
  assert_near("turning x-", wall_of(sim, "x-").torque.z, moment, 5e-3 * moment);
  assert_near("turning z-", wall_of(sim, "z-").torque.x, -moment, 5e-3 * moment);
  assert_near("floor", wall_of(sim, "y-").force.y, -WEIGHT * h, 1e-5 * WEIGHT);
  assert_near("floor's torque", wall_of(sim, "y-").torque.z, -0.5 * WEIGHT * h, 1e-5 * WEIGHT);
  assert_true(vl_norm(wall_of(sim, "y+").force) == 0.0);
  vlWallView ball = wall_of(sim, "ball");
  double volume = solid_volume(sim), sphere = 4.0 / 3.0 * VL_PI * 0.15 * 0.15 * 0.15, lift = WEIGHT * volume;
  assert_near("volume", volume, sphere, 2e-3 * sphere);
  assert_near("lift", ball.force.y, lift, 1e-8 * lift);
  assert_near("sideways", hypot(ball.force.x, ball.force.z), 0.0, 1e-5 * WEIGHT);
  vlVec3 torque = vl_cross(vl_vec(0.4, 0.31, 0.53), ball.force);
  assert_near("lift's torque", vl_norm(vl_sub(ball.torque, torque)), 0.0, 1e-3 * lift);
  assert_sum(sim, &info);
  vl_sim_destroy(&sim);
}

/* Two boxes that stand against each other are one surface, and each has its own part of it. */
static void test_overlapping(void **state)
{
  (void)state;
  vlSim *sim =
      start_text("{grid: {size: [1, 1, 1], cells: 40}, liquid: {transfer: still, level: 0.9}, solids: [{name: left, "
                 "shape: box, center: [0.36, 0.41, 0.5], size: [0.3, 0.23, 0.31]}, {name: right, shape: box, "
                 "center: [0.66, 0.41, 0.5], size: [0.32, 0.23, 0.31]}], pressure: {tolerance: 1e-11}}",
                 1);
  vlStepInfo info = one_step(sim, 0.01);
  vlWallView left = wall_of(sim, "left"), right = wall_of(sim, "right");
  double end = WEIGHT * (0.9 - 0.41) * 0.23 * 0.31;
  assert_near("left end", left.force.x, end, 0.02 * end);
  assert_near("right end", right.force.x, -end, 0.02 * end);
  assert_near("both lifts", right.force.y / left.force.y, 0.31 / 0.29, 0.05);
  assert_sum(sim, &info);
  vl_sim_destroy(&sim);
}

static const char *const MOVING[] = {
    "{grid: {size: [1, 0.8, 0.6], cells: 20}, liquid: {shapes: [{shape: box, center: [0.2, 0.3, 0.3], size: [0.4, 0.6, "
    "0.6]}]}, solids: [{name: column, shape: cylinder, center: [0.62, 0.3, 0.2], radius: 0.09, height: 0.5}, {name: step, "
    "shape: box, center: [0.75, 0.05, 0.3], size: [0.3, 0.1, 0.6]}], bodies: [{name: crate, rigid: yes, shape: box, center: "
    "[0.5, 0.15, 0.42], size: [0.12, 0.12, 0.13], density: 600}], pressure: {tolerance: 1e-8}}",
    "{grid: {size: [1, 0.8, 0.6], cells: 20}, liquid: {shapes: [{shape: box, center: [0.2, 0.3, 0.3], size: [0.4, 0.6, "
    "0.6]}]}, solids: [{name: room, solid: outside, shape: sphere, center: [0.5, 0.4, 0.3], radius: 0.47}], pressure: "
    "{weights: volume}}",
    ("{grid: {size: [1, 0.8], slab: yes, cells: 40}, liquid: {level: 0.3, velocity: [1, 0, 0]}, solids: [{name: disc, "
     "shape: "
     "sphere, center: [0.62, 0.25, 0], radius: 0.09}], pressure: {separation: yes}}")};

/* In splashing liquid, beside bodies, with weights that are not areas and in a slab: the sum holds in every step, bits do
 * not depend on threads, and a resumed simulation shows what was saved. */
static void test_sum_while_it_moves(void **state)
{
  (void)state;
  for (size_t m = 0; m < sizeof MOVING / sizeof *MOVING; m++) {
    vlStatus status = {0};
    vlSim *one = start_text(MOVING[m], 1), *three = start_text(MOVING[m], 3), *again = start_text(MOVING[m], 2);
    for (int s = 0; s < 12; s++) {
      vlStepInfo info = one_step(one, 0.01);
      one_step(three, 0.01);
      assert_sum(one, &info);
    }
    char path[] = "/tmp/vl_test_walls_XXXXXX";
    close(mkstemp(path));
    if (vl_sim_save(one, path, &status) || vl_sim_resume(again, path, &status)) fail_msg("%s", status.message);
    unlink(path);
    for (int i = 0; i < vl_sim_wall_count(one); i++) {
      vlWallView a = vl_sim_wall(one, i), b = vl_sim_wall(three, i), c = vl_sim_wall(again, i);
      assert_memory_equal(&a.force, &b.force, 2 * sizeof a.force);
      assert_memory_equal(&a.force, &c.force, 2 * sizeof a.force);
    }
    vl_sim_destroy(&one);
    vl_sim_destroy(&three);
    vl_sim_destroy(&again);
  }
}

/* The number in the second line of a table under a name of the first. */
static double value_under(const char *table, const char *name)
{
  const char *value = strchr(table, '\n') + 1, *header = table;
  while (strncmp(header, name, strlen(name)) != 0) {
    header = strchr(header, ',');
    assert_non_null(header);
    header++;
    value = strchr(value, ',') + 1;
  }
  return strtod(value, NULL);
}

/* Its columns are the views'; without liquid there is no table. */
static void test_table(void **state)
{
  (void)state;
  vlStatus status = {0};
  static const char *const files[] = {"series.csv", "timings.csv", "walls.csv"};
  for (int wet = 0; wet < 2; wet++) {
    char folder[] = "/tmp/vl_test_walls_XXXXXX";
    assert_non_null(mkdtemp(folder));
    vlSim *sim = start_text(wet ? "{grid: {size: [1, 1, 1], cells: 8}, liquid: {transfer: still, level: 0.7}, solids: "
                                  "[{name: a_b, shape: box, center: [0.3, 0.1, 0.4], size: [0.4, 0.5, 0.4]}]}"
                                : "{grid: {size: [1, 1, 1], cells: 8}, liquid: {transfer: still}}",
                            1);
    vlSeries *series = NULL;
    if (vl_series_create(&series, sim, folder, &status)) fail_msg("%s", status.message);
    vlStepInfo info = wet ? one_step(sim, 0.01) : (vlStepInfo){0};
    if (vl_series_add(series, &info, &status)) fail_msg("%s", status.message);
    vl_series_destroy(&series);
    for (int f = 0; f < (wet ? 3 : 2); f++) {
      char *path = vl_path_join(folder, files[f]), *text;
      size_t length;
      if (vl_file_read(path, 1 << 16, &text, &length, &status)) fail_msg("%s", status.message);
      if (f == 2) assert_true(value_under(text, "y-_force_y [N]") == vl_sim_wall(sim, 2).force.y);
      if (f == 2) assert_true(value_under(text, "a_b_torque_z [N m]") == vl_sim_wall(sim, SIDES).torque.z);
      assert_int_equal(unlink(path), 0);
      free(text);
      free(path);
    }
    assert_int_equal(rmdir(folder), 0);
    vl_sim_destroy(&sim);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pool),
      cmocka_unit_test(test_overlapping),
      cmocka_unit_test(test_sum_while_it_moves),
      cmocka_unit_test(test_table),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
