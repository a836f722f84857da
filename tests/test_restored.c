/* Checkpoints with right checksums and wrong values, as a hand or a bug may write them: each is refused with the file, the
 * array, the index and the value, or it is a state that could be; nothing is read or written beyond its place. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "files/checkpoint.h"
#include "frames/frames.h"
#include "grid/visitor.h"
#include "moving.h"
#include "place.h"

static const char *const text =
    "grid: {size: [1,1,1], cells: 5}\n"
    "liquid: {level: 0.4, transfer: apic}\n"
    "solids: [{name: rock, shape: box, center: [0.2,0.1,0.2], size: [0.15,0.2,0.2]}]\n"
    "bodies:\n"
    "  - {name: jelly, shape: box, center: [0.5,0.55,0.5], size: [0.2,0.2,0.2], cells: [1,1,1], density: 500, young: 1e4,\n"
    "     pins: [{shape: box, center: [0.5,0.65,0.5], size: [0.3,0.02,0.3], velocity: [0,0.1,0]}]}\n"
    "  - {name: ball, shape: box, rigid: yes, center: [0.8,0.4,0.8], size: [0.1,0.1,0.1], density: 300}\n"
    "  - {name: pad, shape: box, size: [0.1,0.2,0.1], center: [0.2,0.4,0.7],\n"
    "     motion: [{move: sway, amplitude: [0.1,0,0], frequency: 1}]}\n"
    "pressure: {separation: yes}\n";

static vlSim *begin(void)
{
  vlStatus status = {0};
  vlScene scene;
  if (vl_scene_parse(&scene, text, strlen(text), "nano.yaml", NULL, 0, &status)) fail_msg("%s", status.message);
  vlSim *sim = start(&scene, 1);
  vl_scene_clear(&scene);
  return sim;
}

/* Writes a checkpoint as vl_sim_save does, but for some bytes of one piece. */
typedef struct Spoil {
  vlCheckpointWriter *writer;
  const char *name; /* of the piece; NULL: the one numbered `piece` */
  int piece, pieces;
  size_t at, bytes; /* where in it, cut to what there is */
  unsigned char with[8];
  char found[40]; /* its name */
} Spoil;

static bool is_meant(Spoil *spoil, const char *name)
{
  bool meant = spoil->name ? strcmp(name, spoil->name) == 0 : spoil->pieces == spoil->piece;
  spoil->pieces++;
  if (meant) snprintf(spoil->found, sizeof spoil->found, "%s", name);
  return meant;
}

/* The bytes as they were, to put them back. */
static void exchange(Spoil *spoil, void *memory, size_t length)
{
  size_t bytes = spoil->bytes < length ? spoil->bytes : length, at = spoil->at;
  if (at + bytes > length) at = (length - bytes) / 8 * 8;
  for (size_t i = 0; i < bytes; i++) {
    unsigned char *byte = (unsigned char *)memory + at + i, kept = *byte;
    *byte = spoil->with[i];
    spoil->with[i] = kept;
  }
}

static vlCode write_array(void *data, const char *name, void *memory, size_t size, size_t count, vlStatus *status)
{
  (void)status;
  Spoil *spoil = data;
  bool meant = is_meant(spoil, name);
  if (meant) exchange(spoil, memory, size * count);
  vl_checkpoint_add(spoil->writer, name, memory, size, count);
  if (meant) exchange(spoil, memory, size * count);
  return VL_OK;
}

static vlCode write_field(void *data, const char *name, double *field, const vlGrid *grid, const vlBlocks *blocks,
                          vlStatus *status)
{
  (void)status;
  Spoil *spoil = data;
  bool meant = is_meant(spoil, name);
  double *block = field + vl_blocks_field(grid, blocks->at[blocks->count / 2]);
  size_t length = (size_t)vl_blocks_width(blocks, blocks->at[blocks->count / 2]) * sizeof *block;
  if (meant) exchange(spoil, block, length);
  vl_checkpoint_add_field(spoil->writer, name, field, grid, blocks);
  if (meant) exchange(spoil, block, length);
  return VL_OK;
}

static void save_spoiled(vlSim *sim, Spoil *spoil, const char *path)
{
  vlStatus status = {0};
  vlVisitor visitor = {.data = spoil, .array = write_array, .field = write_field};
  assert_int_equal(vl_checkpoint_create(&spoil->writer, path, &status), VL_OK);
  assert_int_equal(vl_sim_visit(sim, &visitor, &status), VL_OK);
  if (vl_checkpoint_commit(&spoil->writer, &status)) fail_msg("%s", status.message);
}

/* Whatever is in a piece: refused in words, or resumed and stepped. Returns whether it was refused. */
static bool try_it(const Spoil *spoil, const char *path)
{
  vlSim *sim = begin();
  vlStatus status = {0};
  vlStepInfo info = {0};
  vlCode code = vl_sim_resume(sim, path, &status);
  if (code == VL_ERROR_FILE) {
    if (!strstr(status.message, path)) fail_msg("'%s' spoiled: '%s' names no file", spoil->found, status.message);
  } else if (code != VL_OK) {
    fail_msg("'%s' spoiled: code %d, '%s'", spoil->found, code, status.message);
  } else {
    for (int s = 0; s < 2 && !code; s++) code = vl_sim_step(sim, 0.01, &info, &status);
    if (code && code != VL_ERROR_SOLVER) fail_msg("'%s' spoiled: code %d, '%s'", spoil->found, code, status.message);
    code = VL_OK;
  }
  vl_sim_destroy(&sim);
  return code != VL_OK;
}

static void set_double(Spoil *spoil, double x)
{
  memcpy(spoil->with, &x, sizeof x);
  spoil->bytes = sizeof x;
}

static void set_float(Spoil *spoil, float x)
{
  memcpy(spoil->with, &x, sizeof x);
  spoil->bytes = sizeof x;
}

static void set_bytes(Spoil *spoil, int byte)
{
  memset(spoil->with, byte, 8);
  spoil->bytes = 8;
}

/* Every piece, at its beginning, middle or end, with numbers that no state has and some that it could have. */
static void test_anything_anywhere(void **state)
{
  const Place *place = *state;
  static const double numbers[] = {NAN, INFINITY, -1e300, 1e30, -1e9, 0.0};
  enum { NUMBERS = sizeof numbers / sizeof *numbers, KINDS = 2 * NUMBERS + 2 };
  vlSim *sim = begin();
  Spoil whole = {.piece = -1};
  int refused = 0;
  for (int s = 0; s < 3; s++) one_step(sim, 0.01);
  save_spoiled(sim, &whole, place->path);
  assert_false(try_it(&whole, place->path));
  for (int piece = 0; piece < whole.pieces; piece++)
    for (int kind = 0; kind < KINDS; kind++) {
      Spoil spoil = {.piece = piece, .at = (size_t)((piece + kind) % 3) * 64};
      if (spoil.at == 128) spoil.at = SIZE_MAX / 2;
      if (kind < NUMBERS)
        set_double(&spoil, numbers[kind]);
      else if (kind < 2 * NUMBERS)
        set_float(&spoil, (float)fmin(fmax(numbers[kind - NUMBERS], -1e38), 1e38));
      else
        set_bytes(&spoil, kind == 2 * NUMBERS ? 0xff : 0x7f);
      save_spoiled(sim, &spoil, place->path);
      refused += try_it(&spoil, place->path);
    }
  assert_true(refused > whole.pieces * KINDS / 3);
  vl_sim_destroy(&sim);
}

static void assert_refused(vlSim *sim, Spoil *spoil, const char *path, const char *reason)
{
  vlStatus status = {0};
  vlSim *other = begin();
  save_spoiled(sim, spoil, path);
  assert_int_equal(vl_sim_resume(other, path, &status), VL_ERROR_FILE);
  if (!strstr(status.message, path) || !strstr(status.message, reason)) fail_msg("'%s' lacks '%s'", status.message, reason);
  vl_sim_destroy(&other);
}

/* What is wrong is told by file, array, index and value. */
static void test_words(void **state)
{
  const Place *place = *state;
  static const struct {
    const char *name;
    size_t index;
    char type; /* d, f, i: int64, b: bool */
    double value;
    const char *reason;
  } cases[] = {
      {"counters", 1, 'i', -1, "'counters: particles' holds -1 at index 0; 0 to 2.14748365e+09 is possible"},
      {"counters", 1, 'i', 4e18, "'counters: particles' holds 4e+18"},
      {"counters", 1, 'i', 2e9, "'counters' tells of 2000000000 particles; 'x' has "},
      {"counters", 0, 'i', -7, "'counters: step' holds -7"},
      {"counters", 8, 'd', NAN, "'counters: time' holds nan"},
      {"counters", 9, 'd', -1, "'counters: max_speed' holds -1"},
      {"x", 3, 'f', 1e9, "'x' holds 1e+09 at index 3; 0 to 4.99"},
      {"y", 3, 'f', -0.5, "'y' holds -0.5 at index 3"},
      {"z", 5, 'f', NAN, "'z' holds nan at index 5"},
      {"vx", 0, 'f', INFINITY, "'vx' holds inf at index 0"},
      {"cxy", 2, 'f', NAN, "'cxy' holds nan at index 2"},
      {"body0.x", 4, 'd', NAN, "'body0.x' holds nan at index 4"},
      {"body0.v", 1, 'd', 1e300, "'body0.v' holds 1e+300 at index 1"},
      {"body0.held", 2, 'b', 127, "'body0.held' holds 127 at index 2; 0 to 1 is possible"},
      {"body1.rigid", 3, 'd', 2, "its body 'ball' is turned by a quaternion of length"},
      {"body1.mass", 0, 'd', 0, "its body 'ball' has a mass of 0 kg"},
      {"body2.rigid", 0, 'd', 1e50, "'rigid: center' holds 1e+50 at index 0"},
      {"p", 0, 'd', NAN, "'p' holds nan at index 0"},
      {"w_new", 1, 'd', 1e300, "'w_new' holds 1e+300 at index 1"},
      {"told", 2, 'd', NAN, "'told' holds nan at index 0"},
  };
  vlSim *sim = begin();
  for (int s = 0; s < 3; s++) one_step(sim, 0.01);
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    Spoil spoil = {.name = cases[c].name};
    int64_t whole = (int64_t)(cases[c].type == 'i' ? cases[c].value : 0);
    if (cases[c].type == 'd') set_double(&spoil, cases[c].value);
    if (cases[c].type == 'f') set_float(&spoil, (float)cases[c].value);
    if (cases[c].type == 'b') spoil.with[0] = (unsigned char)cases[c].value, spoil.bytes = 1;
    if (cases[c].type == 'i') memcpy(spoil.with, &whole, spoil.bytes = sizeof whole);
    spoil.at = cases[c].index * spoil.bytes;
    assert_refused(sim, &spoil, place->path, cases[c].reason);
  }
  vl_sim_destroy(&sim);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_anything_anywhere, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_words, make_place, remove_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
