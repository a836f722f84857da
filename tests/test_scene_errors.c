/* Scenes that must be refused, and how: tests/broken holds files with the whole expected message next to each; the rest is
 * written here. No input may hang, crash, or make a message that does not fit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "scene/scene.h"
#include "scene/tree.h"

static int go_to_source(void **state)
{
  (void)state;
  return chdir(VL_SOURCE_DIR);
}

static char *read_text(const char *path)
{
  FILE *file = fopen(path, "rb");
  if (!file) fail_msg("%s is missing", path);
  char *text = calloc(1, 8192);
  assert_true(fread(text, 1, 8191, file) > 0);
  fclose(file);
  size_t length = strlen(text);
  if (length && text[length - 1] == '\n') text[length - 1] = 0;
  return text;
}

static void test_broken_files(void **state)
{
  (void)state;
  static const char *const names[] = {"typo",      "unit",  "body",   "missing_mesh", "negative", "nan",
                                      "duplicate", "empty", "binary", "latin1",       "syntax"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    char path[128];
    vlScene scene;
    vlStatus status = {0};
    snprintf(path, sizeof path, "tests/broken/%s.yaml", names[i]);
    vlCode code = vl_scene_load(&scene, path, NULL, 0, &status);
    assert_int_equal(code, strcmp(names[i], "missing_mesh") == 0 ? VL_ERROR_FILE : VL_ERROR_SCENE);
    assert_int_equal(status.code, code);
    snprintf(path, sizeof path, "tests/broken/%s.expected", names[i]);
    char *expected = read_text(path);
    assert_string_equal(status.message, expected);
    free(expected);
  }
}

static void test_hole_is_found_later(void **state)
{
  (void)state;
  vlScene scene;
  vlStatus status = {0};
  assert_int_equal(vl_scene_load(&scene, "tests/broken/hole.yaml", NULL, 0, &status), VL_OK);
  assert_string_equal(scene.solids[0].shape.file, "tests/broken/hole.obj");
  assert_int_equal(scene.solids[0].shape.where.line, 5);
  vl_scene_clear(&scene);
}

/* Each text must be refused with a message that starts with `begin` and contains `inside`. */
typedef struct Case {
  const char *text, *begin, *inside;
} Case;

static vlStatus refuse(const char *text, size_t length, const char *setting)
{
  vlScene scene;
  vlStatus status = {0};
  vlSetting settings[] = {{setting}};
  if (vl_scene_parse(&scene, text, length, "x.yaml", settings, setting != NULL, &status) == VL_OK)
    fail_msg("accepted: %.200s %s", text, setting ? setting : "");
  assert_int_equal(status.code, VL_ERROR_SCENE);
  assert_true(strlen(status.message) < 3000);
  return status;
}

static void check_message(const vlStatus *status, const Case *c)
{
  if (strncmp(status->message, c->begin, strlen(c->begin)) != 0 || !strstr(status->message, c->inside))
    fail_msg("%.200s\ngave: %s\ninstead of: %s ... %s", c->text, status->message, c->begin, c->inside);
}

static void refuse_all(const Case *cases, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    vlStatus status = refuse(cases[i].text, strlen(cases[i].text), NULL);
    check_message(&status, &cases[i]);
  }
}

static void test_texts(void **state)
{
  (void)state;
  static const Case cases[] = {
      /* wrong types */
      {"grid: 3", "x.yaml:1:7: grid: a mapping of keys is expected here, not 3", "origin, size, cells"},
      {"grid:", "x.yaml:1:1: grid: a mapping of keys is expected here, not nothing", "cells"},
      {"solids: {shape: box}", "x.yaml:1:9: solids: a list of shapes is expected here, not a mapping", "for example"},
      {"solids: [box]", "x.yaml:1:10: solids[0]: a shape is a mapping", "{shape: sphere"},
      {"gravity: 9.81", "x.yaml:1:10: gravity: a list of three numbers is expected here, not 9.81", "[0, -1.62, 0]"},
      {"gravity: [0, 1]", "x.yaml:1:10: gravity: three entries are expected; two are for slabs", "for example"},
      {"gravity: [0, 1, 2, 3]", "x.yaml:1:10: gravity: a vector has three entries, this one has 4", "for example"},
      {"{grid: {slab: yes, size: [1, 1]}, gravity: [1]}",
       "x.yaml:1:44: gravity: a vector has three entries, or two in a slab", "this one has 1"},
      {"gravity: [0, [1], 2]", "x.yaml:1:14: gravity[1]: ", "not a list"},
      {"about: [a]", "x.yaml:1:8: about: a text is expected here, not a list", "for example"},
      {"grid: {cells: 1.5}", "x.yaml:1:15: grid.cells: 1.5: not a whole number", "allowed: 1 to 4096"},
      {"grid: {cells: many}", "x.yaml:1:15: grid.cells: many: not a number", "allowed: 1 to 4096"},
      {"grid: {slab: 1}", "x.yaml:1:14: grid.slab: 1: neither yes nor no", "allowed: yes, no, true, false"},
      {"- 1", "x.yaml:1:1: a scene is a mapping", "^"},
      /* ranges and numbers */
      {"grid: {cells: 0}", "x.yaml:1:15: grid.cells: 0: out of range", "allowed: 1 to 4096"},
      {"grid: {cells: 1e99}", "x.yaml:1:15: grid.cells: 1e99: out of range", "allowed"},
      {"time: {end: .inf}", "x.yaml:1:13: time.end: .inf: not a finite number", "allowed: more than 0 s"},
      {"time: {end: NaN}", "x.yaml:1:13: time.end: NaN: not a finite number", "^"},
      {"time: {cfl: 0}", "x.yaml:1:13: time.cfl: 0: out of range", "allowed: more than 0 and at most 100"},
      {"time: {end: 3 cm}", "x.yaml:1:13: time.end: 3 cm: cm is a length; a time is expected: s, ms", "^"},
      {"time: {cfl: 3 cm}", "x.yaml:1:13: time.cfl: 3 cm: cm is a length; a plain number is expected", "^"},
      {"liquid: {level: 3 lightyears}", "x.yaml:1:17: liquid.level: 3 lightyears: lightyears is not a known unit",
       "m, cm, mm"},
      /* unknown words and keys */
      {"pressure: {solver: multgrid}", "x.yaml:1:20: pressure.solver: multgrid: not one of", "did you mean 'multigrid'?"},
      {"solids: [{shape: spere, radius: 1}]", "x.yaml:1:18: solids[0].shape: spere: not one of", "did you mean 'sphere'?"},
      {"solids: [{radius: 1}]", "x.yaml:1:10: solids[0]: shape is missing", "allowed: box, sphere"},
      {"solids: [{shape: sphere}]", "x.yaml:1:10: solids[0]: radius is missing", "shape sphere needs: shape, radius"},
      {"solids: [{shape: sphere, radius: 1, height: 2}]",
       "x.yaml:1:37: solids[0].height: shape sphere does not take this key", "it is for: capsule, cylinder, cone"},
      {"liquid: {shapes: [{shape: sphere, radius: 1, solid: outside}]}",
       "x.yaml:1:46: liquid.shapes[0].solid: only the entries of solids", "keys of shape sphere"},
      {"cells: 3", "x.yaml:1:1: cells: unknown key", "did you mean 'grid.cells'?"},
      {"Grid: {}", "x.yaml:1:1: Grid: unknown key", "did you mean 'grid'?"},
      {"\"\": 3", "x.yaml:1:1: unknown key", "keys allowed here"},
      /* shapes in themselves */
      {"solids: [{shape: union, parts: []}]", "x.yaml:1:32: solids[0].parts: this list has 0 entries", "1 or more"},
      {"solids: [{shape: union, parts: [{shape: box}]}]", "x.yaml:1:33: solids[0].parts[0]: size is missing", "^"},
      {"solids: [{shape: torus, radius: 1, tube_radius: 1}]", "x.yaml:1:49: solids[0].tube_radius: the tube must be thinner",
       "1 m"},
      {"solids: [{shape: halfspace, normal: [0, 0, 0]}]", "x.yaml:1:37: solids[0].normal: a direction", "zero"},
      {"solids: [{shape: box, size: [1, 1, 1], round: 0.6}]", "x.yaml:1:47: solids[0].round: at most half", "0.5 m"},
      {"solids: [{shape: box, size: [1, 1, 1], rotate: \"w 3\"}]", "x.yaml:1:48: solids[0].rotate: w 3: turns are written",
       "z 17"},
      {"solids: [{shape: box, size: [1, 1, 1], rotate: x}]", "x.yaml:1:48: solids[0].rotate: x: turns are written", "z 17"},
      {"solids: [{shape: sphere, radius: 1, name: a b}]", "x.yaml:1:43: solids[0].name: a b: a name is made of", "letters"},
      {"solids: [{shape: sphere, radius: 1, name: a}, {shape: sphere, radius: 1, name: a}]",
       "x.yaml:1:80: solids[1].name: a: solids[0] has this name too", "^"},
      {"solids: [{shape: mesh, file: /}]", "x.yaml:1:30: solids[0].file: / is a folder", "^"},
      /* sums */
      {"grid: {cells: 3, dx: 1}", "x.yaml:1:18: grid.dx: cells is given too; only one of cells and dx may be", "^"},
      {"grid: {dx: 0.1 mm}", "x.yaml:1:12: grid.dx: 10000 cells along x; at most 4096", "^"},
      {"grid: {cells: 2048}", "x.yaml:1:15: grid.cells: 2048 x 2048 x 2048 = 8589934592 cells; at most 2147483648", "^"},
      {"grid: {dx: 1e-320}", "x.yaml:1:12: grid.dx: ", "^"},
      {"grid: {size: [1, 1]}", "x.yaml:1:14: grid.size: three entries are expected", "slab"},
      {"grid: {size: [1, 1, 1], slab: yes}", "x.yaml:1:14: grid.size: two entries are expected", "slab"},
      {"{grid: {slab: yes}, gravity: [0, 0, 1]}", "x.yaml:1:30: gravity: the z entry must be 0", "slab"},
      {"time: {dt_fixed: 0.1}", "x.yaml:1:18: time.dt_fixed: 0.1 s is longer than a frame", "0.03333333333 s"},
      {"time: {dt_fixed: 0.02, dt_max: 0.01}", "x.yaml:1:18: time.dt_fixed: 0.02 s is longer than dt_max, 0.01 s", "^"},
      /* YAML itself */
      {"a: [1", "x.yaml:1:4: this '[' is not closed", "^"},
      {"a: b: c", "x.yaml:1:5: ", "^"},
      {"a: \"b", "x.yaml:1:5: ", "quote"},
      {"a: *b", "x.yaml:1:4: *b: there is no &b before it", "^"},
      {"a: 1\na: 2", "x.yaml:2:1: a: written twice; the first is on line 1", "    2 | a: 2"},
      {"grid: {cells: 3, \"cells\": 4}", "x.yaml:1:18: grid.cells: written twice; the first is on line 1", "^"},
      {"a: !!float 3", "x.yaml:1:4: scenes have no tags", "^"},
      {"a: 1\n---\nb: 2", "x.yaml:2:1: a second document", "^"},
      {"? [a]\n: 1", "x.yaml:1:3: a key must be a word", "^"},
      {"solids: &s [{shape: union, parts: *s}]", "x.yaml:1:35: *s stands inside of &s", "^"},
      {"# a comment only\n", "x.yaml: the file is empty", "liquid"},
      {"\xef\xbb\xbf"
       "a: 1",
       "x.yaml:1:1: a: unknown key", "    1 | a: 1"},
      {"h\xc3\xa9: 1\r\n", "x.yaml:1:1: h\xc3\xa9: unknown key", "    1 | h\xc3\xa9: 1\n      | ^"},
      {"{about: \"h\xc3\xa9\", grad: 1}", "x.yaml:1:15: grad: unknown key", "\n      |               ^"},
  };
  refuse_all(cases, sizeof cases / sizeof cases[0]);
}

static void test_moving_liquid(void **state)
{
  (void)state;
  static const Case cases[] = {
      {"liquid: {transfer: flop}", "x.yaml:1:20: liquid.transfer: flop: not one of", "did you mean 'flip'?"},
      {"liquid: {flip: 1.5}", "x.yaml:1:16: liquid.flip: 1.5: out of range", "allowed: 0 to 1"},
      {"liquid: {integrator: rk4}", "x.yaml:1:22: liquid.integrator: rk4: not one of", "allowed: rk2, rk3"},
      {"liquid: {particles: 5}", "x.yaml:1:21: liquid.particles: 5: out of range", "allowed: 1 to 4"},
      {"liquid: {keep_volume: 3}", "x.yaml:1:23: liquid.keep_volume: 3: neither yes nor no", "allowed"},
      {"liquid: {velocity: [0, .inf, 0]}", "x.yaml:1:24: liquid.velocity[1]: .inf: not a finite number", "^"},
      {"liquid: {velocity: [0, 1 cm, 0]}", "x.yaml:1:24: liquid.velocity[1]: 1 cm: cm is a length; a speed is expected",
       "m/s"},
      {"{grid: {slab: yes, size: [1, 1]}, liquid: {velocity: [0, 0, 1]}}", "x.yaml:1:54: liquid.velocity: the z entry",
       "slab"},
      {"liquid: {sources: {shape: box}}", "x.yaml:1:19: liquid.sources: a list of shapes is expected here", "velocity"},
      {"liquid: {sources: [{velocity: [0, 1, 0]}]}", "x.yaml:1:20: liquid.sources[0]: shape is missing", "sphere"},
      {"liquid: {sources: [{shape: sphere}]}", "x.yaml:1:20: liquid.sources[0]: radius is missing", "needs: shape, radius"},
      {"liquid: {sources: [{shape: sphere, radius: 1, velocity: [0, nan, 0]}]}",
       "x.yaml:1:61: liquid.sources[0].velocity[1]: nan: not a finite number", "^"},
      {"liquid: {sources: [{shape: sphere, radius: 1, velocty: [0, 1, 0]}]}",
       "x.yaml:1:47: liquid.sources[0].velocty: unknown key", "did you mean 'velocity'?"},
      {"liquid: {sources: [{shape: sphere, radius: 1, name: jet}]}",
       "x.yaml:1:47: liquid.sources[0].name: only the entries of solids take this key", "velocity, flow, ramp, start"},
      {"liquid: {sinks: [{shape: sphere, radius: 1, velocity: [0, 1, 0]}]}",
       "x.yaml:1:45: liquid.sinks[0].velocity: only the entries of sources take this key", "keys of shape sphere"},
      {"solids: [{shape: sphere, radius: 1, start: 1}]",
       "x.yaml:1:37: solids[0].start: only the entries of sources take this key", "keys of shape sphere"},
      {"liquid: {sources: [{shape: sphere, radius: 1, start: 2, end: 1}]}",
       "x.yaml:1:62: liquid.sources[0].end: 1 s is not after its start, 2 s", "^"},
      {"liquid: {sources: [{shape: sphere, radius: 1, start: -1}]}",
       "x.yaml:1:54: liquid.sources[0].start: -1: out of range", "0 s or more"},
      {"liquid: {sources: [{shape: union, parts: [{shape: torus, radius: 1, tube_radius: 2}]}]}",
       "x.yaml:1:82: liquid.sources[0].parts[0].tube_radius: the tube must be thinner", "1 m"},
      {"liquid: {sinks: [{shape: halfspace, normal: [0, 0, 0]}]}", "x.yaml:1:45: liquid.sinks[0].normal: a direction",
       "zero"},
      {"{grid: {slab: yes, size: [1, 1]}, liquid: {sources: [{shape: sphere, radius: 1, velocity: [0, 0, 1]}]}}",
       "x.yaml:1:91: liquid.sources[0].velocity: the z entry must be 0", "slab"},
      {"liquid: {transfer: still, sources: [{shape: sphere, radius: 1}]}",
       "x.yaml:1:27: liquid.sources: nothing moves with liquid.transfer: still", "no sources"},
      {"liquid: {transfer: still, sinks: [{shape: sphere, radius: 1}]}",
       "x.yaml:1:27: liquid.sinks: nothing moves with liquid.transfer: still", "no sinks"},
      {"liquid: {transfer: still, swirl_speed: 1}",
       "x.yaml:1:27: liquid.swirl_speed: nothing moves with liquid.transfer: still", "leave out swirl_speed"},
      /* probes */
      {"probes: 3", "x.yaml:1:9: probes: a list of probes is expected here, not 3", "probe: height"},
      {"probes: [height]", "x.yaml:1:10: probes[0]: a probe is a mapping, as in {probe: height", "position"},
      {"probes: [{position: [0, 0, 0]}]", "x.yaml:1:10: probes[0]: probe is missing",
       "height, pressure, velocity, node, flux"},
      {"probes: [{probe: presure, position: [0, 0, 0]}]", "x.yaml:1:18: probes[0].probe: presure: not one of",
       "did you mean 'pressure'?"},
      {"probes: [{probe: height}]", "x.yaml:1:10: probes[0]: position is missing", "probe height needs: probe, position"},
      {"probes: [{probe: flux, position: [0, 0, 0], size: [0, 1, 1]}]", "x.yaml:1:10: probes[0]: axis is missing",
       "probe flux needs: probe, position, axis, size"},
      {"probes: [{probe: flux, position: [0, 0, 0], axis: x}]", "x.yaml:1:10: probes[0]: size is missing", "[0, 0.4, 1]"},
      {"probes: [{probe: flux, position: [0, 0, 0], axis: w, size: [0, 1, 1]}]",
       "x.yaml:1:51: probes[0].axis: w: not one of", "allowed: x, y, z"},
      {"probes: [{probe: flux, position: [0, 0, 0], axis: x, size: [1, 0, 1]}]",
       "x.yaml:1:60: probes[0].size: the y entry must be more than 0", "only that along axis, x, may be 0"},
      {"probes: [{probe: flux, position: [0, 0, 0], axis: x, size: [1, 1]}]",
       "x.yaml:1:60: probes[0].size: three entries are expected; two are for slabs", "[0, 0.4, 1]"},
      {"probes: [{probe: height, position: [0, 0, 0], axis: x}]",
       "x.yaml:1:47: probes[0].axis: probe height does not take this key; it is for: flux",
       "keys of probe height: name, probe, position"},
      {"probes: [{probe: height, position: [0, 0, 0], radius: 1}]", "x.yaml:1:47: probes[0].radius: unknown key",
       "keys of probe height"},
      {"probes: [{probe: height, position: [0.5, 0, -2 cm]}]", "x.yaml:1:36: probes[0].position: z = -0.02 m is outside",
       "allowed: 0 to 1 m"},
      {"{grid: {origin: [2, 0, 0]}, probes: [{probe: velocity, position: [1, 0, 0]}]}",
       "x.yaml:1:66: probes[0].position: x = 1 m is outside of the box", "allowed: 2 to 3 m"},
      {"{grid: {slab: yes, size: [1, 1], cells: 10}, probes: [{probe: height, position: [0, 0, 0.5]}]}",
       "x.yaml:1:81: probes[0].position: z = 0.5 m is outside of the box", "allowed: -0.05 to 0.05 m"},
      {"{grid: {slab: yes, size: [1, 1]}, probes: [{probe: flux, position: [0, 0, 0], axis: z, size: [1, 1, 0]}]}",
       "x.yaml:1:85: probes[0].axis: nothing flows along z in a slab", "^"},
      {"probes: [{probe: height, position: [0, 0, 0], name: a}, {probe: height, position: [0, 0, 0], name: a}]",
       "x.yaml:1:100: probes[1].name: a: probes[0] has this name too", "^"},
      /* output */
      {"output: {format: vdb}", "x.yaml:1:18: output.format: vdb: not one of", "allowed: vtk, ply"},
      {"output: {format: [vtk, plly]}", "x.yaml:1:24: output.format[1]: plly: not one of", "did you mean 'ply'?"},
      {"output: {format: []}", "x.yaml:1:18: output.format: this list has 0 entries", "allowed: vtk, ply"},
      {"output: {format: {vtk: yes}}", "x.yaml:1:18: output.format: a word or a list of words is expected", "[vtk, ply]"},
      {"output: {checkpoint: -1}", "x.yaml:1:22: output.checkpoint: -1: out of range", "allowed: 0 to 1000000"},
      {"output: {particles: many}", "x.yaml:1:21: output.particles: many: neither yes nor no", "allowed"},
      {"output: {surface: 2}", "x.yaml:1:19: output.surface: 2: neither yes nor no", "allowed"},
  };
  refuse_all(cases, sizeof cases / sizeof cases[0]);
}

#define BOX "shape: box, size: [0.1, 0.1, 0.1]"

/* Bodies that are filled with tetrahedra. */
static void test_filled_bodies(void **state)
{
  (void)state;
  static const Case cases[] = {
      {"bodies: [{shape: sphere, radius: 1, cell: 0}]", "x.yaml:1:43: bodies[0].cell: 0: out of range", "more than 0 m"},
      {"bodies: [{" BOX ", cells: [1, 1, 1], cell: 1}]", "x.yaml:1:64: bodies[0].cell: cells is given too", "^"},
      {"bodies: [{" BOX ", round: 1 cm}]", "x.yaml:1:46: bodies[0].round: cuboids have no round edges", "^"},
      {"bodies: [{" BOX ", cell: 1 cm, round: 1}]", "x.yaml:1:65: bodies[0].round: at most half of the thinnest side",
       "0.05 m"},
      {"bodies: [{shape: torus, radius: 1, tube_radius: 2, cell: 1}]",
       "x.yaml:1:49: bodies[0].tube_radius: the tube must be thinner", "^"},
      {"bodies: [{shape: union, cell: 1, parts: [{shape: torus, radius: 1, tube_radius: 2}]}]",
       "x.yaml:1:81: bodies[0].parts[0].tube_radius: the tube must be thinner", "^"},
      {"bodies: [{shape: union, cell: 1, parts: []}]", "x.yaml:1:41: bodies[0].parts: this list has 0 entries", "1 or more"},
      {"grid: {slab: yes}\nbodies: [{" BOX ", rotate: y 30}]",
       "x.yaml:2:54: bodies[0].rotate: in a slab boxes made of cells turn about z only", "give cell instead of cells"},
  };
  refuse_all(cases, sizeof cases / sizeof cases[0]);
}

/* Keys of rigid bodies. */
static void test_rigid_bodies(void **state)
{
  (void)state;
  static const Case cases[] = {
      {"bodies: [{" BOX ", mass: 1}]", "x.yaml:1:46: bodies[0].mass: only rigid bodies take this key",
       "give density instead"},
      {"bodies: [{" BOX ", rigid_mass: slice}]", "x.yaml:1:46: bodies[0].rigid_mass: only rigid bodies take this key",
       "rigid: yes"},
      {"bodies: [{" BOX ", rigid: yes, mass: 1 m}]", "x.yaml:1:64: bodies[0].mass: 1 m: m is a length; a mass is expected",
       "kg, g, t, lb"},
      {"bodies: [{" BOX ", rigid: yes, mass: 1, density: 2}]", "x.yaml:1:67: bodies[0].density: mass is given too", "^"},
      {"bodies: [{" BOX ", rigid: yes, pins: [{" BOX "}]}]",
       "x.yaml:1:58: bodies[0].pins: pins hold nodes of elastic bodies", "^"},
  };
  refuse_all(cases, sizeof cases / sizeof cases[0]);
}

static void test_bodies(void **state)
{
  (void)state;
  static const Case cases[] = {
      {"bodies: {shape: box}", "x.yaml:1:9: bodies: a list of bodies is expected here, not a mapping", "jelly"},
      {"bodies: [box]", "x.yaml:1:10: bodies[0]: a body is a mapping, as in {shape: box", "size"},
      {"body: [{" BOX "}]", "x.yaml:1:1: body: unknown key", "did you mean 'bodies'?"},
      {"bodies: [{size: [1, 1, 1]}]", "x.yaml:1:10: bodies[0]: shape is missing", "allowed: box, mesh"},
      {"bodies: [{shape: cube}]", "x.yaml:1:18: bodies[0].shape: cube: not one of", "did you mean 'box'?"},
      {"bodies: [{shape: halfspace}]", "x.yaml:1:18: bodies[0].shape: halfspace: not one of", "allowed: box, mesh, sphere"},
      {"bodies: [{shape: box}]", "x.yaml:1:10: bodies[0]: size is missing", "shape box needs: shape, size"},
      {"bodies: [{shape: mesh}]", "x.yaml:1:10: bodies[0]: file is missing", "duck.msh"},
      {"bodies: [{shape: mesh, file: /}]", "x.yaml:1:30: bodies[0].file: / is a folder", "^"},
      {"bodies: [{" BOX ", file: a.msh}]", "x.yaml:1:46: bodies[0].file: shape box does not take this key", "for: mesh"},
      {"bodies: [{" BOX ", frequency: 1}]", "x.yaml:1:46: bodies[0].frequency: unknown key", "keys of shape box"},
      {"bodies: [{" BOX ", stiffness: 1}]", "x.yaml:1:46: bodies[0].stiffness: unknown key", "did you mean 'young'?"},
      {"bodies: [{" BOX ", cells: 4}]", "x.yaml:1:53: bodies[0].cells: a list of three whole numbers is expected",
       "allowed: each 1 to 1000"},
      {"bodies: [{" BOX ", cells: [4, 0, 1]}]", "x.yaml:1:57: bodies[0].cells[1]: 0: out of range", "each 1 to 1000"},
      {"bodies: [{" BOX ", cells: [4, 1.5, 1]}]", "x.yaml:1:57: bodies[0].cells[1]: 1.5: not a whole number", "^"},
      {"bodies: [{" BOX ", cells: [4, 1]}]", "x.yaml:1:53: bodies[0].cells: three entries are expected", "slab"},
      {"bodies: [{shape: box, size: [1, 1]}]", "x.yaml:1:29: bodies[0].size: three entries are expected", "slab"},
      {"bodies: [{" BOX ", density: 0}]", "x.yaml:1:55: bodies[0].density: 0: out of range", "0.001 to 1e+12 kg/m^3"},
      {"bodies: [{" BOX ", young: 2 kg}]", "x.yaml:1:53: bodies[0].young: 2 kg: kg is a mass; a pressure is expected",
       "Pa, kPa, MPa"},
      {"bodies: [{" BOX ", poisson: 0.5}]", "x.yaml:1:55: bodies[0].poisson: 0.5: out of range", "0 to 0.45"},
      {"bodies: [{" BOX ", spin: [0, 0, 1 1/s]}]", "x.yaml:1:59: bodies[0].spin[2]: 1 1/s: 1/s is a rate", "rad/s, deg/s"},
      {"bodies: [{" BOX ", stretch: [0, 1, 1]}]", "x.yaml:1:56: bodies[0].stretch[0]: 0: out of range", "each more than 0"},
      {"bodies: [{" BOX ", integrator: bdf3}]", "x.yaml:1:58: bodies[0].integrator: bdf3: not one of",
       "did you mean 'bdf2'?"},
      {"bodies: [{" BOX ", element: cubic}]", "x.yaml:1:55: bodies[0].element: cubic: not one of", "linear, quadratic"},
      {"bodies: [{" BOX ", name: a}, {" BOX ", name: a}]", "x.yaml:1:98: bodies[1].name: a: bodies[0] has this name too",
       "^"},
      /* pins */
      {"bodies: [{" BOX ", pins: {shape: box}}]", "x.yaml:1:52: bodies[0].pins: a list of shapes is expected",
       "for example"},
      {"bodies: [{" BOX ", pins: [{axes: x}]}]", "x.yaml:1:53: bodies[0].pins[0]: shape is missing", "allowed: box, sphere"},
      {"bodies: [{" BOX ", pins: [{" BOX ", axes: xx}]}]", "x.yaml:1:95: bodies[0].pins[0].axes: xx: axes are written",
       "xy"},
      {"bodies: [{" BOX ", pins: [{" BOX ", axes: \"\"}]}]", "x.yaml:1:95: bodies[0].pins[0].axes: an empty text: one axis",
       "xy"},
      {"bodies: [{" BOX ", pins: [{" BOX ", density: 1}]}]", "x.yaml:1:89: bodies[0].pins[0].density: unknown key",
       "axes, velocity, amplitude"},
      {"bodies: [{" BOX ", pins: [{" BOX ", color: [1, 1, 1]}]}]",
       "x.yaml:1:89: bodies[0].pins[0].color: only the entries of solids take this key", "keys of shape box"},
      {"bodies: [{" BOX ", pins: [{" BOX ", axes: y, velocity: [1, 0, 0]}]}]",
       "x.yaml:1:108: bodies[0].pins[0].velocity: the x entry must be 0: the nodes are free along x", "^"},
      {"bodies: [{" BOX ", pins: [{" BOX ", amplitude: [1, 0, 0]}]}]",
       "x.yaml:1:100: bodies[0].pins[0].amplitude: nothing sways without a frequency", "^"},
      {"bodies: [{" BOX ", pins: [{" BOX ", start: 2, end: 1}]}]",
       "x.yaml:1:104: bodies[0].pins[0].end: 1 s is not after its start, 2 s", "^"},
      {"bodies: [{" BOX ", pins: [{" BOX ", release: yes}]}]",
       "x.yaml:1:98: bodies[0].pins[0].release: the nodes are never released without an end", "^"},
      {"bodies: [{" BOX ", pins: [{shape: torus, radius: 1, tube_radius: 1}]}]",
       "x.yaml:1:92: bodies[0].pins[0].tube_radius: the tube must be thinner", "1 m"},
      /* slabs */
      {"{grid: {slab: yes, size: [1, 1]}, bodies: [{shape: cylinder, radius: 1, height: 1, rotate: x 90, stretch: [1, 2, "
       "1]}]}",
       "x.yaml:1:107: bodies[0].stretch: the body is turned, and its own axes that lead across", "^"},
      {"{grid: {slab: yes, size: [1, 1]}, bodies: [{" BOX ", rotate: x 10}]}", "x.yaml:1:88: bodies[0].rotate: in a slab",
       "about z only"},
      {"{grid: {slab: yes, size: [1, 1]}, bodies: [{" BOX ", center: [0, 0, 1]}]}",
       "x.yaml:1:88: bodies[0].center: the z entry must be 0", "slab"},
      {"{grid: {slab: yes, size: [1, 1]}, bodies: [{" BOX ", spin: [1, 0, 0]}]}",
       "x.yaml:1:86: bodies[0].spin: the x and y entries must be 0", "slab"},
      {"{grid: {slab: yes, size: [1, 1]}, bodies: [{" BOX ", stretch: [1, 1, 2]}]}",
       "x.yaml:1:89: bodies[0].stretch: the z entry must be 1", "slab"},
      {"{grid: {slab: yes, size: [1, 1]}, bodies: [{" BOX ", pins: [{" BOX ", velocity: [0, 0, 1]}]}]}",
       "x.yaml:1:133: bodies[0].pins[0].velocity: the z entry must be 0", "slab"},
      /* probes and solver */
      {"probes: [{probe: node, position: [0, 0, 0]}]", "x.yaml:1:10: probes[0]: body is missing",
       "probe node needs: probe, body, position"},
      {"probes: [{probe: node, position: [0, 0, 0], body: jelly}]",
       "x.yaml:1:51: probes[0].body: jelly: there is no body of this name", "the scene has no bodies"},
      {"{bodies: [{" BOX ", name: jelly}, {" BOX "}], probes: [{probe: node, position: [0, 0, 0], body: jely}]}",
       "x.yaml:1:149: probes[0].body: jely: there is no body of this name",
       "bodies: jelly, bodies[1]\n  did you mean 'jelly'?"},
      {"probes: [{probe: height, position: [0, 0, 0], body: jelly}]",
       "x.yaml:1:47: probes[0].body: probe height does not take this key; it is for: node", "^"},
      {"solver: mic", "x.yaml:1:9: solver: a mapping of keys is expected here, not mic", "coupling, sigma, alpha"},
      {"solver: {coupling: strong}", "x.yaml:1:20: solver.coupling: strong: not one of", "schur, spd, indefinite"},
      {"solver: {sigma: 1}", "x.yaml:1:17: solver.sigma: 1: out of range", "0.01 to 0.99"},
      {"solver: {alpha: -1}", "x.yaml:1:17: solver.alpha: -1: out of range", "0 or more"},
      {"pressure: {coupling: spd}", "x.yaml:1:12: pressure.coupling: unknown key", "did you mean 'solver.coupling'?"},
      {"output: {bodies: 2}", "x.yaml:1:18: output.bodies: 2: neither yes nor no", "allowed"},
  };
  refuse_all(cases, sizeof cases / sizeof cases[0]);
}

static void test_settings(void **state)
{
  (void)state;
  static const char text[] = "grid: {size: [1, 1, 1]}\nsolids: [{name: ball, shape: sphere, radius: 1}]";
  static const Case cases[] = {
      {"grid.cells=abc", "--set grid.cells=abc: grid.cells: abc: not a number", "allowed: 1 to 4096"},
      {"grid.cels=3", "--set grid.cels=3: grid.cels: unknown key", "did you mean 'cells'?"},
      {"gird.cells=3", "--set gird.cells=3: gird: unknown key", "did you mean 'grid'?"},
      {"grid.cells", "--set grid.cells: a setting is written key=value", "grid.cells=32"},
      {"=3", "--set =3: a setting is written key=value", "grid.cells=32"},
      {"grid..cells=3", "--set grid..cells=3: a key is written as", "solids[0].radius"},
      {"solids[0=3", "--set solids[0=3: a key is written as", "solids[0].radius"},
      {"solids[-1].radius=3", "--set solids[-1].radius=3: a key is written as", "solids[0].radius"},
      {"solids[1].radius=3", "--set solids[1].radius=3: solids has 1 entries", "there is no [1]"},
      {"solids[99999999999999999999].radius=3", "--set solids[99999999999999999999].radius=3: solids has 1 entries",
       "there is no"},
      {"solids.bal.radius=3", "--set solids.bal.radius=3: solids has no entry named 'bal'", ""},
      {"solids.ball.radius=30 kg", "--set solids.ball.radius=30 kg: solids[0].radius: 30 kg: kg is a mass",
       "a length is expected"},
      {"solids.ball.height=1", "--set solids.ball.height=1: solids[0].height: shape sphere does not take", "capsule"},
      {"grid.size.x=3", "--set grid.size.x=3: grid.size has no entry named 'x'", ""},
      {"grid[0]=3", "--set grid[0]=3: grid is not a list", ""},
      {"solids.ball.radius.x=3", "--set solids.ball.radius.x=3: solids[0].radius is a single value", ""},
      {"grid.cells=", "--set grid.cells=: the value is missing", ""},
      {"gravity=[0, 1", "--set gravity=[0, 1: this '[' is not closed", ""},
      {"gravity={a: 1, a: 2}", "--set gravity={a: 1, a: 2}: ", "written twice"},
      {"about=\xff", "--set about=?: the value is not UTF-8", ""},
      {"grid.dx=0.1 mm", "--set grid.dx=0.1 mm: grid.dx: 10000 cells along x", ""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    vlStatus status = refuse(text, strlen(text), cases[i].text);
    check_message(&status, &cases[i]);
  }
}

static void test_missing_scene(void **state)
{
  (void)state;
  static const Case cases[] = {
      {"poool", "poool: there is no scene file and no built-in scene", "did you mean 'pool'?"},
      {"cube", "cube: there is no scene file", "did you mean 'rest/cube'?"},
      {"tests/broken", "tests/broken: a folder, not a scene file", ""},
      {"tests/nothing.yaml", "tests/nothing.yaml: there is no scene file", ""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    vlScene scene;
    vlStatus status = {0};
    assert_int_equal(vl_scene_load(&scene, cases[i].text, NULL, 0, &status), VL_ERROR_FILE);
    assert_int_equal(status.code, VL_ERROR_FILE);
    check_message(&status, &cases[i]);
  }
}

/* begin + fill repeated + end; the caller frees it. */
static char *make_text(const char *begin, const char *fill, size_t times, const char *end)
{
  size_t a = strlen(begin), b = strlen(fill), c = strlen(end);
  char *text = malloc(a + b * times + c + 1);
  assert_non_null(text);
  memcpy(text, begin, a);
  for (size_t i = 0; i < times; i++) memcpy(text + a + i * b, fill, b);
  memcpy(text + a + b * times, end, c + 1);
  return text;
}

/* Longest line of a message in bytes. */
static size_t longest_line(const char *text)
{
  size_t longest = 0;
  while (*text) {
    size_t n = strcspn(text, "\n");
    if (n > longest) longest = n;
    text += n + (text[n] == '\n');
  }
  return longest;
}

static void test_huge_inputs(void **state)
{
  (void)state;
  enum { MB = 1 << 20 };
  const struct {
    const char *begin, *fill, *end, *message;
    size_t times;
  } cases[] = {
      {"grid: {cells: ", "x", "}\n", "x.yaml:1:15: grid.cells: xxxxx", MB},
      {"{about: \"", "x", "\", grd: 1}\n", "x.yaml:1:1048589: grd: unknown key", MB},
      {"", "k", ": 1\n", "x.yaml:1:1: kkkkk", MB},
      {"a: ", ":", "\n", "x.yaml:1:", MB},
      {"a: \"", "\t", "", "x.yaml:1:", MB},
      {"a: ", "[", "", "x.yaml:1:35: more than 32 lists and mappings", MB},
      {"", "- ", "", "x.yaml:1:65: more than 32 lists and mappings", MB},
      {"a: [", "1, ", "]", "x.yaml:1:599999: the scene has more than 200000 values", MB},
      {"a: [", "&a 1, ", "]", "x.yaml:1:", MB},
      {"", "k: 1\n", "", "x.yaml:2:1: k: written twice", MB},
      {"about: ", "x", "\n", "x.yaml: larger than 16 MiB", 17 * (size_t)MB},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char *text = make_text(cases[i].begin, cases[i].fill, cases[i].times, cases[i].end);
    vlStatus status = refuse(text, strlen(text), NULL);
    if (strncmp(status.message, cases[i].message, strlen(cases[i].message)) != 0)
      fail_msg("case %zu gave: %.300s", i, status.message);
    assert_true(longest_line(status.message) < 250);
    free(text);
  }
}

static void test_one_long_line_is_fine(void **state)
{
  (void)state;
  char *text = make_text("about: ", "x", 1 << 20, "\n");
  vlScene scene;
  vlStatus status = {0};
  assert_int_equal(vl_scene_parse(&scene, text, strlen(text), "x.yaml", NULL, 0, &status), VL_OK);
  assert_int_equal(strlen(scene.about), 1 << 20);
  vl_scene_clear(&scene);
  free(text);
}

static void test_billion_laughs(void **state)
{
  (void)state;
  char text[1024] = "a: &a [x, x, x, x, x, x, x, x, x, x]\n";
  for (char c = 'b'; c <= 'j'; c++) {
    char line[96], p = (char)(c - 1);
    snprintf(line, sizeof line, "%c: &%c [*%c,*%c,*%c,*%c,*%c,*%c,*%c,*%c,*%c,*%c]\n", c, c, p, p, p, p, p, p, p, p, p, p);
    strcat(text, line);
  }
  clock_t begin = clock();
  vlStatus status = refuse(text, strlen(text), NULL);
  assert_non_null(strstr(status.message, "more than 200000 values"));
  assert_true((double)(clock() - begin) / CLOCKS_PER_SEC < 5.0); /* written out it would be 10^10 values */
}

/* Depth by aliases, one level each line. */
static void test_deep_aliases(void **state)
{
  (void)state;
  char text[4096] = "a0: &a0 1\n";
  for (int i = 1; i < 60; i++) {
    char line[48];
    snprintf(line, sizeof line, "a%d: &a%d [*a%d]\n", i, i, i - 1);
    strcat(text, line);
  }
  vlStatus status = refuse(text, strlen(text), NULL);
  assert_non_null(strstr(status.message, "more than 32 lists"));
}

/* Every truncation and many single-byte changes of a good scene: any answer but a crash or a message that is no text. */
static void test_mutations(void **state)
{
  (void)state;
  static const char good[] =
      "about: x\ngrid: {size: [1, 1 m, 1], cells: 16}\nliquid: {level: 0.4, shapes: [{shape: box, size: [1,1,1]}],\n"
      "  sources: [{shape: sphere, radius: 1, velocity: [0, 1, 0]}], sinks: [{shape: sphere, radius: 1}]}\n"
      "solids:\n  - &a {shape: union, parts: [{shape: sphere, radius: \"2 cm\"}]}\n  - *a\ntime: {end: 1/3 s}\n"
      "bodies: [{name: b, shape: box, size: [1, 1, 1], cells: [1, 2, 3], pins: [{shape: sphere, radius: 1, axes: xy}]}]\n"
      "probes: [{name: p, probe: flux, position: [0, 0, 0], axis: x, size: [0, 1, 1]}]\noutput: {format: [vtk, ply]}\n";
  static const char bytes[] = "{}[]:,&*!|>'\"%@#-? \n\t\x01\xff\xc3"
                              "0z";
  char text[sizeof good];
  for (size_t at = 0; at < sizeof good - 1; at++) {
    for (size_t i = 0; i < sizeof bytes; i++) {
      vlScene scene;
      vlStatus status = {0};
      memcpy(text, good, sizeof good);
      text[at] = bytes[i];
      size_t length = i + 1 == sizeof bytes ? at : sizeof good - 1;
      vlCode code = vl_scene_parse(&scene, text, length, "x.yaml", NULL, 0, &status);
      assert_true((code == VL_OK) == (status.message[0] == 0));
      size_t n = strlen(status.message);
      for (size_t j = 0; j < n; j += vl_utf8_length(status.message + j, n - j))
        assert_true(vl_utf8_length(status.message + j, n - j) > 0);
      vl_scene_clear(&scene);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_broken_files),
      cmocka_unit_test(test_hole_is_found_later),
      cmocka_unit_test(test_texts),
      cmocka_unit_test(test_moving_liquid),
      cmocka_unit_test(test_filled_bodies),
      cmocka_unit_test(test_rigid_bodies),
      cmocka_unit_test(test_bodies),
      cmocka_unit_test(test_settings),
      cmocka_unit_test(test_missing_scene),
      cmocka_unit_test(test_huge_inputs),
      cmocka_unit_test(test_one_long_line_is_fine),
      cmocka_unit_test(test_billion_laughs),
      cmocka_unit_test(test_deep_aliases),
      cmocka_unit_test(test_mutations),
  };
  return cmocka_run_group_tests(tests, go_to_source, NULL);
}
