/* Several simulations in one process: step by step in turns, and at the same time from two threads. Each must give the bits
 * that it gives alone, for one simulation must not know of the other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <omp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <velella/velella.h>

enum { SIMS = 2, STEPS = 12 };

/* As different as they can be: transfer, solver, grid, solids, threads. */
static const char *const scenes[SIMS] = {
    "grid: {size: [1, 1, 1], cells: 20}\n"
    "liquid: {level: 0.2, shapes: [{shape: sphere, center: [0.5, 0.6, 0.5], radius: 0.15}], velocity: [0.5, -1, 0]}\n"
    "solids: [{shape: torus, center: [0.5, 0.2, 0.5], radius: 0.2, tube_radius: 0.06}]\n",
    "grid: {size: [0.6, 0.4, 0.3], dx: 2 cm, origin: [-1, 0, 0]}\n"
    "liquid: {transfer: apic, shapes: [{shape: box, center: [-1, 0, 0], size: [0.4, 0.5, 2]}], "
    "sources: [{shape: sphere, center: [-0.5, 0.3, 0.15], radius: 5 cm, velocity: [0, -1, 0]}]}\n"
    "pressure: {solver: mic}\ngravity: [0, -3, 0]\n",
};

static vlSim *start(int which, int threads)
{
  vlScene scene;
  vlStatus status;
  vlSim *sim = NULL;
  vlCode code = vl_scene_parse(&scene, scenes[which], strlen(scenes[which]), "test.yaml", NULL, 0, &status);
  if (!code) code = vl_sim_create(&sim, &scene, (vlSimOptions){.threads = threads}, &status);
  vl_scene_clear(&scene);
  if (code) print_error("%s\n", status.message);
  return sim;
}

static vlCode one_step(vlSim *sim)
{
  vlStatus status;
  vlCode code = vl_sim_step(sim, 0.01, NULL, &status);
  if (code) print_error("%s\n", status.message);
  return code;
}

static vlSim *run_alone(int which, int steps)
{
  vlSim *sim = start(which, 1);
  assert_non_null(sim);
  for (int i = 0; i < steps; i++) assert_int_equal(one_step(sim), VL_OK);
  return sim;
}

static void assert_same_field(const vlSim *a, const vlSim *b, vlFieldKind kind)
{
  vlFieldView f = vl_sim_field(a, kind), g = vl_sim_field(b, kind);
  assert_memory_equal(f.n, g.n, sizeof f.n);
  for (int k = 0; k < f.n[2]; k++)
    for (int j = 0; j < f.n[1]; j++)
      assert_memory_equal(f.data + j * f.stride[1] + k * f.stride[2], g.data + j * g.stride[1] + k * g.stride[2],
                          (size_t)f.n[0] * sizeof(double));
}

/* What is known of the solids stays where liquid has been, so after a resume it is known in fewer places. */
static bool about_solids(vlFieldKind kind)
{
  return kind == VL_FIELD_OPEN || kind == VL_FIELD_AREA_X || kind == VL_FIELD_AREA_Y || kind == VL_FIELD_AREA_Z;
}

static void assert_same(const vlSim *a, const vlSim *b, bool resumed)
{
  vlParticleView p = vl_sim_particles(a), q = vl_sim_particles(b);
  assert_true(vl_sim_time(a) == vl_sim_time(b) && vl_sim_step_count(a) == vl_sim_step_count(b));
  assert_true(p.count == q.count && p.count > 1000);
  assert_memory_equal(p.id, q.id, p.count * sizeof *p.id);
  for (int axis = 0; axis < 3; axis++) {
    assert_memory_equal(p.x[axis], q.x[axis], p.count * sizeof(float));
    assert_memory_equal(p.v[axis], q.v[axis], p.count * sizeof(float));
  }
  for (int kind = 0; kind < VL_FIELD_KIND_COUNT; kind++)
    if (!resumed || !about_solids((vlFieldKind)kind)) assert_same_field(a, b, (vlFieldKind)kind);
}

static void test_in_turns(void **state)
{
  (void)state;
  vlSim *sims[SIMS];
  int threads = omp_get_max_threads();
  for (int i = 0; i < SIMS; i++) assert_non_null(sims[i] = start(i, 1 + i));
  for (int s = 0; s < STEPS; s++)
    for (int i = 0; i < SIMS; i++) assert_int_equal(one_step(sims[i]), VL_OK);
  assert_int_equal(omp_get_max_threads(), threads); /* the caller's own loops are left alone */
  for (int i = 0; i < SIMS; i++) {
    vlSim *alone = run_alone(i, STEPS);
    assert_same(sims[i], alone, false);
    vl_sim_destroy(&alone);
    vl_sim_destroy(&sims[i]);
  }
}

typedef struct Driver {
  pthread_t thread;
  int which;
  vlCode code;
  vlSim *sim;
} Driver;

/* From the scene's text on, so that loading and building are at the same time, too. */
static void *drive(void *data)
{
  Driver *driver = data;
  driver->sim = start(driver->which, 2);
  driver->code = driver->sim ? VL_OK : VL_ERROR_INTERNAL;
  for (int s = 0; s < STEPS && !driver->code; s++) driver->code = one_step(driver->sim);
  return NULL;
}

static void test_at_once(void **state)
{
  (void)state;
  Driver drivers[SIMS] = {{.which = 0}, {.which = 1}};
  for (int i = 0; i < SIMS; i++) assert_int_equal(pthread_create(&drivers[i].thread, NULL, drive, &drivers[i]), 0);
  for (int i = 0; i < SIMS; i++) assert_int_equal(pthread_join(drivers[i].thread, NULL), 0);
  for (int i = 0; i < SIMS; i++) {
    assert_int_equal(drivers[i].code, VL_OK);
    vlSim *alone = run_alone(i, STEPS);
    assert_same(drivers[i].sim, alone, false);
    vl_sim_destroy(&alone);
    vl_sim_destroy(&drivers[i].sim);
  }
}

/* Resuming uses the simulation's threads, leaves the caller's, and goes on with the same bits. */
static void test_resume(void **state)
{
  (void)state;
  char path[] = "/tmp/vl_api_XXXXXX";
  vlStatus status;
  int file = mkstemp(path), threads = omp_get_max_threads();
  assert_true(file >= 0);
  close(file);
  vlSim *sim = run_alone(0, STEPS / 2), *again = start(0, 3);
  assert_int_equal(vl_sim_save(sim, path, &status), VL_OK);
  assert_int_equal(vl_sim_resume(again, path, &status), VL_OK);
  assert_int_equal(omp_get_max_threads(), threads);
  for (int s = 0; s < 3; s++) {
    assert_int_equal(one_step(sim), VL_OK);
    assert_int_equal(one_step(again), VL_OK);
  }
  assert_same(sim, again, true);
  vl_sim_destroy(&sim);
  vl_sim_destroy(&again);
  unlink(path);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_in_turns), cmocka_unit_test(test_at_once),
                                     cmocka_unit_test(test_resume)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
