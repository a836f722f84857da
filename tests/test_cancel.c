/* A step that is given up: the simulation is as it was, and goes on with the same bits as one that was never asked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
/* cmocka needs what stands above */
#include <cmocka.h>

#include "velella/velella.h"

typedef struct Asker {
  int asked, at; /* how often it was asked; which time it says yes, -1: never */
} Asker;

static bool ask(void *user)
{
  Asker *asker = user;
  return asker->asked++ == asker->at;
}

static const char text[] =
    "grid: {cells: 12}\n"
    "liquid: {level: 0.4, velocity: [0.3, 0, 0]}\n"
    "bodies:\n"
    "  - {name: ball, shape: sphere, rigid: yes, radius: 0.12, center: [0.4, 0.45, 0.5], density: 600}\n"
    "  - {name: soft, shape: box, size: [0.2, 0.2, 0.2], cells: [2, 2, 2], center: [0.7, 0.3, 0.5]}\n";

static const char medium[] =
    "engine: immersed\n"
    "grid: {cells: 8}\n"
    "liquid: {level: 0.4}\n"
    "bodies:\n"
    "  - {name: soft, shape: box, size: [0.3, 0.3, 0.3], cell: 0.1, center: [0.6, 0.4, 0.5], density: 600}\n";

static vlSim *make(const char *yaml, Asker *asker)
{
  vlScene scene;
  vlSim *sim;
  vlStatus status;
  vlSimOptions options = {.threads = 2};
  if (asker) options.cancel = (vlCancel){ask, asker};
  if (vl_scene_parse(&scene, yaml, strlen(yaml), "x.yaml", NULL, 0, &status)) fail_msg("%s", status.message);
  if (vl_sim_create(&sim, &scene, options, &status)) fail_msg("%s", status.message);
  vl_scene_clear(&scene);
  return sim;
}

static char *state_of(vlSim *sim, size_t *length)
{
  char path[64];
  vlStatus status;
  snprintf(path, sizeof path, "/tmp/velella_test_cancel_%d.vl", (int)getpid());
  if (vl_sim_save(sim, path, &status)) fail_msg("%s", status.message);
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  char *bytes = malloc(1 << 24);
  assert_non_null(bytes);
  *length = fread(bytes, 1, 1 << 24, file);
  assert_true(*length > 1000 && *length < 1 << 24);
  fclose(file);
  remove(path);
  return bytes;
}

static void assert_same(vlSim *a, vlSim *b)
{
  size_t n, m;
  char *first = state_of(a, &n), *second = state_of(b, &m);
  assert_int_equal(n, m);
  assert_memory_equal(first, second, n);
  free(first);
  free(second);
}

static void give_up(const char *scene, vlVec3 held)
{
  Asker asker = {0, -1};
  vlSim *plain = make(scene, NULL), *asked = make(scene, &asker), *both[] = {plain, asked};
  vlStatus status;
  for (int k = 0, hand; k < 2; k++) {
    int body = vl_sim_body_count(both[k]) - 1;
    assert_int_equal(vl_sim_grab(both[k], body, held, 0.1, &hand, &status), VL_OK);
    held.x += 0.05;
    assert_int_equal(vl_sim_move_grab(both[k], hand, held, 0.02, &status), VL_OK);
    held.x -= 0.05;
  }
  for (int step = 0; step < 3; step++) {
    /* once at every place it can be given up, then for good */
    int64_t before = vl_sim_step_count(asked);
    vlCode code;
    for (int at = 0;; at++) {
      asker = (Asker){0, at};
      code = vl_sim_step(asked, 0.01, NULL, &status);
      if (code != VL_INTERRUPTED) break;
      assert_int_equal(vl_sim_step_count(asked), before);
      assert_true(vl_sim_time(asked) == vl_sim_time(plain));
      if (step == 1 && at % 4 == 3) assert_same(asked, plain); /* the first step finds the order of unknowns, too */
      assert_true(at < 200);
    }
    assert_int_equal(code, VL_OK);
    assert_true(asker.asked >= 10); /* four stages before the solve, six after it, and in it */
    assert_int_equal(vl_sim_step(plain, 0.01, NULL, &status), VL_OK);
    assert_same(asked, plain);
  }
  vl_sim_destroy(&plain);
  vl_sim_destroy(&asked);
}

static void test_given_up(void **state)
{
  (void)state;
  give_up(text, (vlVec3){{0.8, 0.4, 0.5}});
}

/* Of one medium, too, in which what bodies would do alone is tried first. */
static void test_medium(void **state)
{
  (void)state;
  give_up(medium, (vlVec3){{0.6, 0.55, 0.5}});
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_given_up), cmocka_unit_test(test_medium)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
