/* Saving and resuming: a run goes on with the same bits, whatever the number of threads; other scenes are refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "files/checkpoint.h"
#include "frames/frames.h"
#include "moving.h"

typedef struct Files {
  char folder[64], path[96], other[96];
} Files;

static int make_files(void **state)
{
  Files *files = calloc(1, sizeof *files);
  if (!files) return -1;
  strcpy(files->folder, "/tmp/vl_restart_XXXXXX");
  if (!mkdtemp(files->folder)) return -1;
  snprintf(files->path, sizeof files->path, "%s/one", files->folder);
  snprintf(files->other, sizeof files->other, "%s/two", files->folder);
  *state = files;
  return 0;
}

static int remove_files(void **state)
{
  Files *files = *state;
  unlink(files->path);
  unlink(files->other);
  int code = rmdir(files->folder);
  free(files);
  return code;
}

/* A scene with everything that moves liquid: a column beside a ball, a source and a sink. */
typedef struct Everything {
  vlScene scene;
  vlShape column;
  vlSinkDef sink;
  vlSolidDef ball;
  vlSourceDef source;
} Everything;

static void make_everything(Everything *all, int cells, vlTransferKind transfer)
{
  *all = (Everything){.scene = moving_scene(cells),
                      .column = make_shape(VL_SHAPE_BOX, vl_vec(0.2, 0.3, 0.5)),
                      .sink = {.shape = make_shape(VL_SHAPE_BOX, vl_vec(0.95, 0.0, 0.5))},
                      .ball = {.name = "ball", .shape = make_shape(VL_SHAPE_SPHERE, vl_vec(0.55, 0.15, 0.45))},
                      .source = {.shape = make_shape(VL_SHAPE_BOX, vl_vec(0.15, 0.85, 0.5)), .velocity = vl_vec(1, 0, 0)}};
  all->column.size = vl_vec(0.4, 0.6, 1.0);
  all->sink.shape.size = vl_vec(0.1, 0.4, 1.0);
  all->ball.shape.radius = 0.12;
  all->source.shape.size = vl_vec(0.15, 0.15, 0.15);
  all->source.end = 1.0;
  all->scene.liquid.shapes = &all->column;
  all->scene.liquid.shape_count = 1;
  all->scene.liquid.sinks = &all->sink;
  all->scene.liquid.sink_count = transfer != VL_TRANSFER_STILL;
  all->scene.liquid.sources = &all->source;
  all->scene.liquid.source_count = transfer != VL_TRANSFER_STILL;
  all->scene.liquid.transfer = transfer;
  all->scene.solids = &all->ball;
  all->scene.solid_count = 1;
}

static void steps(vlSim *sim, int count)
{
  for (int s = 0; s < count; s++) one_step(sim, 1.0 / 60.0);
}

static void save(const vlSim *sim, const char *path)
{
  vlStatus status = {0};
  if (vl_sim_save(sim, path, &status)) fail_msg("%s", status.message);
}

static void resume(vlSim *sim, const char *path)
{
  vlStatus status = {0};
  if (vl_sim_resume(sim, path, &status)) fail_msg("%s", status.message);
}

/* Both states as bytes of a checkpoint: particles, velocities, pressure, counters. */
static void assert_same_state(const Files *files, const vlSim *a, const vlSim *b)
{
  save(a, files->path);
  save(b, files->other);
  FILE *one = fopen(files->path, "rb"), *two = fopen(files->other, "rb");
  assert_true(one && two);
  long bytes = 0, different = 0;
  for (int c, d; c = getc(one), d = getc(two), c != EOF || d != EOF; bytes++) different += c != d;
  fclose(one);
  fclose(two);
  if (different) fail_msg("%ld of %ld bytes differ", different, bytes);
  assert_true(bytes > 100000);
}

static void test_threads_give_the_same_bytes(void **state)
{
  for (int kind = 0; kind < 2; kind++) {
    Everything all;
    make_everything(&all, 20, kind ? VL_TRANSFER_APIC : VL_TRANSFER_FLIP);
    vlSim *sims[3];
    for (int t = 0; t < 3; t++) {
      sims[t] = start(&all.scene, 1 << t);
      steps(sims[t], 12);
      if (t > 0) assert_same_state(*state, sims[0], sims[t]);
    }
    assert_true(vl_sharp(sims[0])->state.max_speed > 0.5);
    for (int t = 0; t < 3; t++) vl_sim_destroy(&sims[t]);
  }
}

/* Saved after some steps, resumed in a new simulation with other threads: both go on alike. */
static void test_resume_goes_on_alike(void **state)
{
  const Files *files = *state;
  for (int kind = 0; kind < VL_TRANSFER_KIND_COUNT; kind++) {
    Everything all;
    make_everything(&all, 20, (vlTransferKind)kind);
    vlSim *through = start(&all.scene, 1);
    steps(through, 8);
    save(through, files->path);
    vlSim *resumed = start(&all.scene, 2);
    resume(resumed, files->path);
    assert_true(vl_sim_time(resumed) == vl_sim_time(through));
    assert_int_equal(vl_sim_step_count(resumed), vl_sim_step_count(through));
    assert_same_state(files, through, resumed);
    steps(through, 8);
    steps(resumed, 8);
    assert_same_state(files, through, resumed);
    vl_sim_destroy(&resumed);
    vl_sim_destroy(&through);
  }
}

static void assert_chunk(const vlCheckpointReader *reader, const char *name, const void *expected, size_t size, size_t count)
{
  size_t found = 0;
  const void *data = vl_checkpoint_find(reader, name, size, &found, NULL);
  if (!data || found != count || memcmp(data, expected, size * count) != 0) fail_msg("'%s' is not what was saved", name);
}

/* The names and types that files of all versions have, each with what the simulation holds; resumed, it holds the same. */
static void test_particles_by_name(void **state)
{
  const Files *files = *state;
  for (int kind = 0; kind < 2; kind++) {
    Everything all;
    make_everything(&all, 16, kind ? VL_TRANSFER_APIC : VL_TRANSFER_FLIP);
    vlSim *sim = start(&all.scene, 1), *resumed = start(&all.scene, 1);
    steps(sim, 5);
    save(sim, files->path);
    resume(resumed, files->path);
    for (int s = 0; s < 2; s++) {
      const vlParticles *p = vl_sharp(s ? resumed : sim)->state.particles;
      vlCheckpointReader *reader = NULL;
      assert_int_equal(vl_checkpoint_open(&reader, files->path, NULL), VL_OK);
      for (int a = 0; a < 3; a++) {
        const char axis = (char)('x' + a), place[] = {axis, 0}, speed[] = {'v', axis, 0};
        assert_chunk(reader, place, p->x[a], sizeof(float), p->count);
        assert_chunk(reader, speed, p->v[a], sizeof(float), p->count);
        for (int b = 0; b < 3; b++) {
          const char slope[] = {'c', axis, (char)('x' + b), 0};
          assert_int_equal(vl_checkpoint_has(reader, slope), kind);
          if (kind) assert_chunk(reader, slope, p->c[a][b], sizeof(float), p->count);
        }
      }
      assert_chunk(reader, "id", p->id, sizeof *p->id, p->count);
      vl_checkpoint_close(&reader);
    }
    assert_int_equal(vl_sharp(resumed)->state.particles->next_id, vl_sharp(sim)->state.particles->next_id);
    struct stat file;
    assert_int_equal(stat(files->path, &file), 0);
    assert_true(fabs(vl_sim_checkpoint_bytes(sim) / (double)file.st_size - 1.0) < 0.05); /* heads and lists of blocks */
    vl_sim_destroy(&sim);
    vl_sim_destroy(&resumed);
  }
}

/* Water thrown off a floor and a wall: which cells did is part of the state, for any number of threads. */
static void test_parting_goes_on_alike(void **state)
{
  const Files *files = *state;
  for (int kind = VL_SEPARATION_YES; kind < VL_SEPARATION_KIND_COUNT; kind++) {
    Everything all;
    make_everything(&all, 20, VL_TRANSFER_FLIP);
    all.scene.pressure.separation = (vlSeparationKind)kind;
    all.scene.liquid.velocity = vl_vec(2, 2, 0);
    vlSim *through = start(&all.scene, 1);
    steps(through, 6);
    assert_true(vl_sharp(through)->state.parted.count > 10);
    save(through, files->path);
    vlSim *resumed = start(&all.scene, 2);
    resume(resumed, files->path);
    assert_int_equal(vl_sharp(resumed)->state.parted.count, vl_sharp(through)->state.parted.count);
    steps(through, 6);
    steps(resumed, 6);
    assert_same_state(files, through, resumed);
    vl_sim_destroy(&resumed);
    vl_sim_destroy(&through);
  }
}

/* Before the first step, and into a simulation that has gone elsewhere since. */
static void test_resume_from_the_start(void **state)
{
  const Files *files = *state;
  for (int kind = 0; kind < VL_TRANSFER_STILL; kind++) {
    Everything all;
    make_everything(&all, 16, (vlTransferKind)kind);
    vlSim *sim = start(&all.scene, 1), *fresh = start(&all.scene, 1);
    save(sim, files->path);
    steps(sim, 10);
    resume(sim, files->path);
    assert_int_equal(vl_sim_step_count(sim), 0);
    assert_same_state(files, sim, fresh);
    steps(sim, 4);
    steps(fresh, 4);
    assert_same_state(files, sim, fresh);
    vl_sim_destroy(&sim);
    vl_sim_destroy(&fresh);
  }
}

static void assert_refused(const vlScene *scene, const char *path, const char *word)
{
  vlScene copy = *scene;
  vlStatus status = {0};
  vlSim *sim = start(&copy, 1);
  assert_int_equal(vl_sim_resume(sim, path, &status), VL_ERROR_FILE);
  assert_non_null(strstr(status.message, path));
  if (!strstr(status.message, word)) fail_msg("%s: does not say %s", status.message, word);
  /* nothing has changed: the simulation runs as if it had not been asked */
  assert_int_equal(vl_sim_step_count(sim), 0);
  steps(sim, 1);
  vl_sim_destroy(&sim);
}

static void test_refuses_other_scenes(void **state)
{
  const Files *files = *state;
  Everything all, finer, affine;
  make_everything(&all, 16, VL_TRANSFER_FLIP);
  make_everything(&finer, 18, VL_TRANSFER_FLIP);
  make_everything(&affine, 16, VL_TRANSFER_APIC);
  vlSim *sim = start(&all.scene, 1);
  steps(sim, 2);
  save(sim, files->path);
  vl_sim_destroy(&sim);
  assert_refused(&finer.scene, files->path, "16 x 16 x 16");
  assert_refused(&affine.scene, files->path, "transfer");
  assert_refused(&all.scene, files->other, ""); /* not there */
  /* half a file */
  assert_int_equal(truncate(files->path, 20000), 0);
  assert_refused(&all.scene, files->path, "");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_threads_give_the_same_bytes, make_files, remove_files),
      cmocka_unit_test_setup_teardown(test_resume_goes_on_alike, make_files, remove_files),
      cmocka_unit_test_setup_teardown(test_particles_by_name, make_files, remove_files),
      cmocka_unit_test_setup_teardown(test_parting_goes_on_alike, make_files, remove_files),
      cmocka_unit_test_setup_teardown(test_resume_from_the_start, make_files, remove_files),
      cmocka_unit_test_setup_teardown(test_refuses_other_scenes, make_files, remove_files),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
