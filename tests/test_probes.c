/* Probes: what they measure in liquid whose height, pressure and flow are known, and the table they write. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/vec.h"
#include "engine/sharp/sharp.h"
#include "files/file.h"
#include "frames/series.h"
#include "scene/scene.h"

enum { STEPS = 3 };

static void assert_near(double found, double wanted, double tolerance)
{
  if (!(fabs(found - wanted) <= tolerance))
    fail_msg("%.17g instead of %.17g, off by more than %g", found, wanted, tolerance);
}

typedef struct Pool {
  vlScene scene;
  vlSim *sim;
} Pool;

static void pool_fill(Pool *pool, const char *text)
{
  vlStatus status = {0};
  if (vl_scene_parse(&pool->scene, text, strlen(text), "test.yaml", NULL, 0, &status) != VL_OK)
    fail_msg("%s", status.message);
  if (vl_sim_create(&pool->sim, &pool->scene, (vlSimOptions){.threads = 1}, &status) != VL_OK)
    fail_msg("%s", status.message);
}

static void pool_step(Pool *pool, int steps)
{
  vlStatus status = {0};
  vlStepInfo info;
  for (int i = 0; i < steps; i++)
    if (vl_sim_step(pool->sim, 0.01, &info, &status) != VL_OK) fail_msg("%s", status.message);
}

static void pool_drain(Pool *pool)
{
  vl_sim_destroy(&pool->sim);
  vl_scene_clear(&pool->scene);
}

static double value_of(const Pool *pool, vlProbeDef probe)
{
  double value[3];
  assert_int_equal(vl_sim_probe(pool->sim, &probe, value), 1);
  return value[0];
}

static double height_at(const Pool *pool, vlVec3 position)
{
  return value_of(pool, (vlProbeDef){.kind = VL_PROBE_HEIGHT, .position = position});
}

static double pressure_at(const Pool *pool, vlVec3 position)
{
  return value_of(pool, (vlProbeDef){.kind = VL_PROBE_PRESSURE, .position = position});
}

static double flux_through(const Pool *pool, int axis, vlVec3 position, vlVec3 size)
{
  return value_of(pool, (vlProbeDef){.kind = VL_PROBE_FLUX, .axis = axis, .position = position, .size = size});
}

#define STILL                                                                                                               \
  "grid: {size: [1, 1, 1], cells: 20}\n"                                                                                    \
  "liquid: {level: 0.437, density: 900, transfer: still}\n"                                                                 \
  "solids: [{shape: box, center: [0.2, 0.1, 0.5], size: [0.23, 0.37, 2]}]\n"                                                \
  "pressure: {tolerance: 1e-12}\n"

/* The level of a still pool is drawn exactly, so only rounding is left; at rest the pressure is linear in the depth, next to
 * the floor, to a solid and to the surface, too. */
static void test_still_pool(void **state)
{
  (void)state;
  Pool pool = {0};
  pool_fill(&pool, STILL);
  pool_step(&pool, 1);
  assert_near(height_at(&pool, vl_vec(0.71, 0.0, 0.33)), 0.437, 1e-12);
  assert_near(height_at(&pool, vl_vec(0.71, 0.4, 0.33)), 0.037, 1e-12);
  assert_true(height_at(&pool, vl_vec(0.71, 0.6, 0.33)) == 0.0);
  assert_near(height_at(&pool, vl_vec(1.0, 0.0, 0.0)), 0.437, 1e-12);
  static const double heights[] = {0.0, 0.013, 0.2, 0.31, 0.38, 0.42, 0.43};
  double weight = 900.0 * vl_norm(pool.scene.gravity);
  for (size_t i = 0; i < sizeof heights / sizeof *heights; i++) {
    double wanted = weight * (0.437 - heights[i]);
    /* the solve's tolerance over the largest pressure */
    assert_near(pressure_at(&pool, vl_vec(0.71, heights[i], 0.33)), wanted, 1e-8 * weight);
    assert_near(pressure_at(&pool, vl_vec(0.32, heights[i], 0.0)), wanted, 1e-8 * weight);
  }
  assert_true(pressure_at(&pool, vl_vec(0.71, 0.45, 0.33)) == 0.0);
  assert_true(pressure_at(&pool, vl_vec(0.71, 0.99, 0.33)) == 0.0);
  assert_true(fabs(flux_through(&pool, 0, vl_vec(0.6, 0.5, 0.5), vl_vec(0, 2, 2))) < 1e-9);
  pool_drain(&pool);
}

/* A pool of particles that is left alone: the level set finds a flat surface to a tenth of a cell. */
static void test_pool_of_particles(void **state)
{
  (void)state;
  Pool pool = {0};
  pool_fill(&pool, "grid: {size: [1, 1, 1], cells: 20}\nliquid: {level: 0.45}\n");
  pool_step(&pool, STEPS);
  double dx = 0.05, weight = 1000.0 * vl_norm(pool.scene.gravity);
  for (int i = 0; i < 5; i++) {
    double x = 0.1 + 0.2 * i;
    assert_near(height_at(&pool, vl_vec(x, 0.0, 0.5)), 0.45, 0.1 * dx);
    assert_near(pressure_at(&pool, vl_vec(x, 0.1, 0.5)), weight * 0.35, weight * 0.1 * dx);
  }
  pool_drain(&pool);
}

/* Liquid that moves as one, without weight. Any rectangle sees the stream through its own area, also one that cuts through
 * cells. */
static void test_stream(void **state)
{
  (void)state;
  Pool pool = {0};
  pool_fill(&pool, "grid: {size: [1, 2, 1], cells: 40}\n"
                   "liquid: {shapes: [{shape: box, center: [0.5, 1.2, 0.5], size: [0.6, 1, 0.6]}], velocity: [0, -1, 0],\n"
                   "         keep_volume: no}\n" /* at sharp edges it would stir a little */
                   "gravity: [0, 0, 0]\n");
  pool_step(&pool, STEPS);
  vlProbeDef probe = {.kind = VL_PROBE_VELOCITY, .position = vl_vec(0.47, 1.21, 0.52)};
  double v[3];
  assert_int_equal(vl_sim_probe(pool.sim, &probe, v), 3);
  /* velocities of particles are floats */
  assert_true(fabs(v[0]) < 1e-6 && fabs(v[1] + 1.0) < 1e-6 && fabs(v[2]) < 1e-6);
  assert_near(flux_through(&pool, 1, vl_vec(0.5, 1.2, 0.5), vl_vec(0.2, 0, 0.33)), -0.2 * 0.33, 1e-6);
  assert_near(flux_through(&pool, 1, vl_vec(0.5, 1.21, 0.5), vl_vec(0.123, 0, 0.01)), -0.123 * 0.01, 1e-6);
  /* the whole stream: its edges, 2.4 m long, are known to a tenth of a cell */
  assert_near(flux_through(&pool, 1, vl_vec(0.5, 1.2, 0.5), vl_vec(1, 0, 1)), -0.36, 2.4 * 0.1 * 0.05);
  assert_true(fabs(flux_through(&pool, 0, vl_vec(0.5, 1.2, 0.5), vl_vec(0, 1, 1))) < 1e-6);
  assert_true(flux_through(&pool, 1, vl_vec(0.5, 1.9, 0.5), vl_vec(1, 0, 1)) == 0.0);
  pool_drain(&pool);
}

/* One cell thick: a flux counts the slab's own thickness, whatever the rectangle's. */
static void test_slab(void **state)
{
  (void)state;
  Pool pool = {0};
  pool_fill(&pool, "grid: {size: [1, 1], cells: 20, slab: yes}\nliquid: {level: 0.45, velocity: [2, 0, 0]}\n"
                   "gravity: [0, 0, 0]\n");
  assert_near(height_at(&pool, vl_vec(0.5, 0.0, 0.0)), 0.45, 0.1 * 0.05);
  assert_near(flux_through(&pool, 0, vl_vec(0.5, 0.2, 0.0), vl_vec(0, 0.21, 7)), 2.0 * 0.21 * 0.05, 1e-6);
  pool_drain(&pool);
}

static double depth_at(const Pool *pool, vlVec3 position)
{
  return value_of(pool, (vlProbeDef){.kind = VL_PROBE_DEPTH, .position = position});
}

/* Over the floor, a step and a ball, under a drop, and where a drop is over dry ground: exact, for a still surface is. */
static void test_depth(void **state)
{
  (void)state;
  Pool pool = {0};
  pool_fill(&pool, "grid: {size: [1, 1, 1], cells: 20}\n"
                   "liquid: {transfer: still, shapes: [{shape: box, center: [0.3, 0.2, 0.5], size: [0.6, 0.47, 1]},\n"
                   "  {shape: sphere, center: [0.2, 0.7, 0.5], radius: 0.12}, {shape: sphere, center: [0.85, 0.6, 0.5], "
                   "radius: 0.12}]}\n"
                   "solids: [{shape: box, center: [0.48, 0, 0.5], size: [0.2, 0.23, 2]}]\n");
  pool_step(&pool, 1);
  assert_near(depth_at(&pool, vl_vec(0.21, 0.0, 0.5)), 0.435, 1e-12);
  assert_near(depth_at(&pool, vl_vec(0.21, 0.21, 0.5)), 0.225, 1e-12);
  assert_true(height_at(&pool, vl_vec(0.21, 0.0, 0.5)) > 0.78);
  assert_near(depth_at(&pool, vl_vec(0.48, 0.0, 0.5)), 0.435 - 0.115, 1e-9);
  assert_near(depth_at(&pool, vl_vec(0.48, 0.3, 0.5)), 0.135, 1e-12);
  assert_true(depth_at(&pool, vl_vec(0.85, 0.0, 0.5)) == 0.0); /* a drop over dry ground */
  assert_true(height_at(&pool, vl_vec(0.85, 0.0, 0.5)) > 0.68);
  assert_near(depth_at(&pool, vl_vec(0.85, 0.6, 0.5)), 0.12, 0.02); /* within it: up to its top */
  assert_true(depth_at(&pool, vl_vec(0.21, 0.9, 0.5)) == 0.0);
  pool_drain(&pool);
}

/* Right at the walls of a solid, and within half a cell behind them, the pressure is that of the liquid before them. */
static void test_pressure_at_walls(void **state)
{
  (void)state;
  Pool pool = {0};
  pool_fill(&pool, "grid: {size: [1, 1, 1], cells: 20}\nliquid: {transfer: still, level: 0.71}\n"
                   "solids: [{shape: box, center: [0.5, 0.3, 0.5], size: [0.33, 0.4, 0.33]}]\n"
                   "pressure: {tolerance: 1e-11}\n");
  pool_step(&pool, 1);
  double weight = 1000.0 * vl_norm(pool.scene.gravity);
  for (int in = 0; in < 3; in++) {
    double side = 0.335 + 0.006 * in, top = 0.5 - 0.006 * in;
    assert_near(pressure_at(&pool, vl_vec(side, 0.3, 0.5)), weight * 0.41, 1e-7 * weight);
    assert_near(pressure_at(&pool, vl_vec(0.5, 0.37, 1.0 - side)), weight * 0.34, 1e-7 * weight);
    assert_near(pressure_at(&pool, vl_vec(0.5, top, 0.5)), weight * (0.71 - top), 1e-7 * weight);
    assert_near(pressure_at(&pool, vl_vec(side, top, side)), weight * (0.71 - top), 1e-7 * weight);
  }
  /* whatever stands in the solid's cells, and in a cell of liquid that the solve did not know */
  vlSharp *sim = vl_sharp(pool.sim);
  ptrdiff_t closed = vl_grid_at(&sim->grid, 7, 6, 10), unknown = vl_grid_at(&sim->grid, 5, 6, 10);
  assert_true(sim->work.open[closed] == 0.0 && sim->work.open[unknown] > 0.0);
  sim->work.level.phi[closed] = 1.0;
  sim->state.p[unknown] = 0.0;
  assert_near(pressure_at(&pool, vl_vec(0.345, 0.325, 0.525)), weight * (0.71 - 0.325), 1e-7 * weight);
  assert_near(pressure_at(&pool, vl_vec(0.3, 0.325, 0.525)), weight * (0.71 - 0.325), 1e-7 * weight);
  pool_drain(&pool);
}

/* The node that rests nearest is meant, wherever it is now. */
static void test_node(void **state)
{
  (void)state;
  Pool pool = {0};
  pool_fill(&pool, "grid: {size: [1, 1, 1], cells: 8}\nliquid: {level: 0.1}\n"
                   "bodies:\n"
                   "  - {name: beam, shape: box, center: [0.3, 0.6, 0.5], size: [0.1, 0.4, 0.1], cells: [1, 4, 1]}\n"
                   "  - {name: cube, shape: box, center: [0.7, 0.6, 0.5], size: [0.1, 0.1, 0.1], element: quadratic}\n"
                   "probes:\n  - {name: tip, probe: node, body: beam, position: [0.24, 0.41, 0.46]}\n");
  vlBody *beam = vl_sharp(pool.sim)->state.bodies.body[0];
  const vlProbeDef *tip = &pool.sim->scene->probes[0];
  int node = 0;
  for (int i = 0; i < beam->node_count; i++)
    if (vl_norm(vl_sub(beam->rest[i], vl_vec(0.25, 0.4, 0.45))) < 1e-12) node = i;
  double value[3];
  assert_int_equal(vl_sim_probe(pool.sim, tip, value), 3);
  assert_true(value[0] == 0.0 && value[1] == 0.0 && value[2] == 0.0);
  beam->x[node] = vl_add(beam->rest[node], vl_vec(0.5, -0.25, 0.125));
  assert_int_equal(vl_sim_probe(pool.sim, tip, value), 3);
  assert_near(value[0], 0.5, 1e-15); /* rounding of the place */
  assert_near(value[1], -0.25, 1e-15);
  assert_near(value[2], 0.125, 1e-15);
  vlProbeDef other = *tip;
  strcpy(other.body, "cube");
  assert_int_equal(vl_sim_probe(pool.sim, &other, value), 3);
  assert_true(value[0] == 0.0);
  strcpy(other.body, "bean");
  assert_int_equal(vl_sim_probe(pool.sim, &other, value), 0);
  pool_drain(&pool);
}

static void read_table(const char *folder, char *text, size_t room)
{
  char *path = vl_path_join(folder, "probes.csv");
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  text[fread(text, 1, room - 1, file)] = '\0';
  fclose(file);
  free(path);
}

static int lines_in(const char *text)
{
  int lines = 0;
  for (; *text; text++) lines += *text == '\n';
  return lines;
}

/* Fails where there are other tables. */
static void remove_tables(const char *folder, bool probes)
{
  static const char *const names[] = {"series.csv", "timings.csv", "walls.csv", "probes.csv"};
  for (int i = 0; i < (probes ? 4 : 3); i++) {
    char *path = vl_path_join(folder, names[i]);
    assert_int_equal(unlink(path), 0);
    free(path);
  }
  assert_int_equal(rmdir(folder), 0);
}

/* A header, a line after each step, and lines behind a checkpoint are dropped. */
static void test_table(void **state)
{
  (void)state;
  Pool pool = {0};
  pool_fill(&pool, STILL "probes:\n"
                         "  - {name: gauge, probe: height, position: [0.7, 0, 0.5]}\n"
                         "  - {name: jet, probe: velocity, position: [0.7, 0.2, 0.5]}\n"
                         "  - {probe: pressure, position: [0.7, 0.2, 0.5]}\n"
                         "  - {name: gate, probe: flux, position: [0.7, 0.2, 0.5], axis: x, size: [0, 1, 1]}\n");
  char folder[] = "/tmp/vl_probes_XXXXXX", text[4096];
  vlStatus status = {0};
  vlSeries *series = NULL;
  const vlStepInfo info = {0};
  assert_non_null(mkdtemp(folder));
  assert_int_equal(vl_series_create(&series, pool.sim, folder, &status), VL_OK);
  for (int i = 0; i < STEPS; i++) {
    pool_step(&pool, 1);
    assert_int_equal(vl_series_add(series, &info, &status), VL_OK);
  }
  vl_series_destroy(&series);
  read_table(folder, text, sizeof text);
  static const char header[] = "step,time [s],gauge [m],jet_x [m/s],jet_y [m/s],jet_z [m/s],probes[2] [Pa],gate [m3/s]\n";
  assert_true(strncmp(text, header, strlen(header)) == 0);
  assert_int_equal(lines_in(text), 1 + STEPS);
  long long step;
  double time, height;
  assert_int_equal(sscanf(text + strlen(header), "%lld,%lf,%lf", &step, &time, &height), 3);
  assert_true(step == 1 && time == 0.01 && fabs(height - 0.437) < 1e-12);

  assert_int_equal(vl_series_create(&series, pool.sim, folder, &status), VL_OK);
  assert_int_equal(vl_series_keep(series, 2, &status), VL_OK);
  read_table(folder, text, sizeof text);
  assert_int_equal(lines_in(text), 3);
  assert_int_equal(vl_series_add(series, &info, &status), VL_OK);
  read_table(folder, text, sizeof text);
  assert_int_equal(lines_in(text), 4);
  vl_series_destroy(&series);

  remove_tables(folder, true);
  pool_drain(&pool);
}

static void test_no_probes(void **state)
{
  (void)state;
  Pool pool = {0};
  char folder[] = "/tmp/vl_probes_XXXXXX";
  vlStatus status = {0};
  vlSeries *series = NULL;
  const vlStepInfo info = {0};
  pool_fill(&pool, STILL);
  assert_non_null(mkdtemp(folder));
  assert_int_equal(vl_series_create(&series, pool.sim, folder, &status), VL_OK);
  assert_int_equal(vl_series_add(series, &info, &status), VL_OK);
  assert_int_equal(vl_series_keep(series, 1, &status), VL_OK);
  vl_series_destroy(&series);
  remove_tables(folder, false);
  pool_drain(&pool);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_still_pool), cmocka_unit_test(test_pool_of_particles),
      cmocka_unit_test(test_stream),     cmocka_unit_test(test_slab),
      cmocka_unit_test(test_depth),      cmocka_unit_test(test_pressure_at_walls),
      cmocka_unit_test(test_node),       cmocka_unit_test(test_table),
      cmocka_unit_test(test_no_probes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
