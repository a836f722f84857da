/* What a simulation is between two steps: its work may be thrown away, its state restored from a file or from memory, and a
 * step that fails leaves it as it was; all to the last bit. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "frames/frames.h"
#include "moving.h"
#include "place.h"
#include "visit_memory.h"

/* Everything in one box: a rock, bodies of each kind that touch it, the floor and each other, a source and a sink. */
static const char *const moving_water =
    "liquid:\n"
    "  shapes: [{shape: box, center: [0.5, 0.25, 0.25], size: [1, 0.5, 0.5]}]\n"
    "  velocity: [-0.5, 0.6, 0]\n"
    "  sources: [{shape: box, center: [0.15, 0.85, 0.25], size: [0.15, 0.15, 0.15], velocity: [1, 0, 0]}]\n"
    "  sinks: [{shape: box, center: [0.95, 0.1, 0.25], size: [0.1, 0.2, 0.5]}]\n";
static const char *const still_water = "liquid: {level: 0.5}\n";
static const char *const bath =
    "grid: {size: [1, 1, 0.5], cells: 16}\n"
    "solids: [{name: rock, shape: sphere, center: [0.3, 0.1, 0.25], radius: 0.13}]\n"
    "bodies:\n"
    "  - {name: crate, rigid: yes, shape: box, center: [0.56, 0.3, 0.25], size: [0.22, 0.16, 0.22], rotate: z 20,\n"
    "     density: 300, velocity: [0, -1, 0]}\n"
    "  - {name: heavy, rigid: yes, shape: sphere, center: [0.3, 0.335, 0.25], radius: 0.1, density: 2500,\n"
    "     velocity: [0, -1, 0]}\n"
    "  - {name: soft, shape: box, center: [0.6, 0.102, 0.3], size: [0.2, 0.2, 0.2], cells: [2, 2, 2], density: 1200, "
    "overlap: yes,\n"
    "     young: 100 kPa}\n"
    "  - {name: paddle, shape: box, center: [0.8, 0.5, 0.25], size: [0.1, 0.3, 0.3],\n"
    "     motion: [{move: spin, axis: [0, 0, 1], rate: 3}, {move: slide, velocity: [-0.3, -0.2, 0]}]}\n"
    "checks: 1\n";

static const char *const transfers[] = {"flip", "apic", "pic", "semi-lagrangian", "still"};
enum { TRANSFERS = sizeof transfers / sizeof *transfers };

static vlScene bath_scene(const char *transfer, const char *separation)
{
  vlStatus status = {0};
  vlScene scene;
  char text[4096], moved[64], parts[64];
  snprintf(text, sizeof text, "%s%s", strcmp(transfer, "still") == 0 ? still_water : moving_water, bath);
  snprintf(moved, sizeof moved, "liquid.transfer=%s", transfer);
  snprintf(parts, sizeof parts, "pressure.separation=%s", separation);
  const vlSetting settings[] = {{moved}, {parts}};
  if (vl_scene_parse(&scene, text, strlen(text), "bath.yaml", settings, 2, &status)) fail_msg("%s", status.message);
  return scene;
}

static vlSim *bath_start(const char *transfer, const char *separation)
{
  vlScene scene = bath_scene(transfer, separation);
  vlSim *sim = start(&scene, 1);
  vl_scene_clear(&scene);
  return sim;
}

static void throw_work_away(vlSim *sim)
{
  vlStatus status = {0};
  int before = vl_sim_enter(sim);
  for (int b = 0; b < vl_sharp(sim)->state.bodies.count; b++) { /* of a step alone */
    vlBody *body = vl_sharp(sim)->state.bodies.body[b];
    for (int i = 0; i < body->node_count; i++) body->base[i] = body->w[i] = body->given[i] = (vlVec3){{NAN, NAN, NAN}};
  }
  vlCode code = vl_sharp_rebuild(vl_sharp(sim), &status);
  vl_sim_leave(before);
  if (code) fail_msg("%s", status.message);
}

/* The pieces are those that a step changes. */
static void assert_all_told(vlSim *sim)
{
  static const char *const names[] = {"counters", "p",      "u",       "v",       "w",       "u_new",   "v_new",
                                      "w_new",    "bodies", "body0.x", "body1.v", "body2.x", "body3.x", "told"};
  Memory memory;
  remember(sim, &memory);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!find_piece(&memory, names[i])) fail_msg("'%s' is not shown", names[i]);
  assert_int_equal(find_piece(&memory, "x") != NULL, vl_sharp(sim)->state.particles != NULL);
  forget(&memory);
}

static void test_work_may_be_thrown_away(void **state)
{
  (void)state;
  static const char *const separations[] = {"no", "yes"};
  for (int t = 0; t < TRANSFERS; t++)
    for (int s = 0; s < 2; s++) {
      vlSim *kept = bath_start(transfers[t], separations[s]), *thrown = bath_start(transfers[t], separations[s]);
      int contacts = 0;
      int64_t parted = 0, added = 0, removed = 0;
      assert_all_told(kept);
      for (int k = 0; k < 8; k++) {
        char when[64];
        snprintf(when, sizeof when, "%s, separation %s, step %d", transfers[t], separations[s], k + 1);
        throw_work_away(thrown);
        assert_same_bits(kept, thrown, when);
        vlStepInfo info = one_step(kept, 0.01);
        one_step(thrown, 0.01);
        assert_same_bits(kept, thrown, when);
        contacts += info.contacts;
        parted += info.parted;
        added += info.added;
        removed += info.removed;
      }
      bool moves = vl_sharp(kept)->state.particles != NULL; /* all that is meant to happen has happened */
      assert_true(contacts > 0 && (parted > 0) == (s == 1) && (added > 0) == moves && (removed > 0) == moves);
      vl_sim_destroy(&kept);
      vl_sim_destroy(&thrown);
    }
}

static void assert_same_views(vlSim *a, vlSim *b)
{
  vlBlockView blocks = vl_sim_blocks(a), other = vl_sim_blocks(b);
  assert_int_equal(blocks.count, other.count);
  assert_true(blocks.count > 10);
  assert_memory_equal(blocks.at, other.at, (size_t)blocks.count * sizeof *blocks.at);
  for (int kind = 0; kind < VL_FIELD_KIND_COUNT; kind++) {
    vlFieldView f = vl_sim_field(a, (vlFieldKind)kind), g = vl_sim_field(b, (vlFieldKind)kind);
    double largest = 0.0;
    for (int k = 0; k < blocks.count; k++)
      for (int l = 0; l < blocks.width && blocks.width * blocks.at[k][0] + l < f.n[0]; l++) {
        ptrdiff_t at = (blocks.width * blocks.at[k][0] + l) * f.stride[0] + blocks.at[k][1] * f.stride[1] +
                       blocks.at[k][2] * f.stride[2];
        if (memcmp(&f.data[at], &g.data[at], sizeof *f.data) != 0)
          fail_msg("field %d, block %d: %.17g and %.17g", kind, k, f.data[at], g.data[at]);
        largest = fmax(largest, fabs(f.data[at]));
      }
    assert_true(largest > 0.0);
  }
  for (int i = 0; i < vl_sim_body_count(a); i++) {
    vlBodyInfo one = vl_sim_body(a, i).info, two = vl_sim_body(b, i).info;
    assert_memory_equal(&one, &two, offsetof(vlBodyInfo, inverted));
    assert_int_equal(one.inverted, two.inverted);
  }
  vlParticleView p = vl_sim_particles(a), q = vl_sim_particles(b);
  assert_int_equal(p.count, q.count);
  assert_true(p.volume == q.volume);
  for (int c = 0; p.count > 0 && c < 3; c++) {
    assert_memory_equal(p.x[c], q.x[c], p.count * sizeof(float));
    assert_memory_equal(p.v[c], q.v[c], p.count * sizeof(float));
  }
  if (p.count > 0) assert_memory_equal(p.id, q.id, p.count * sizeof *p.id);
}

static void test_views_after_resuming(void **state)
{
  const Place *place = *state;
  for (int t = 0; t < TRANSFERS; t++) {
    vlSim *saved = bath_start(transfers[t], "yes"), *resumed = bath_start(transfers[t], "yes");
    vlStatus status = {0};
    while (one_step(saved, 0.01).contacts == 0) assert_true(vl_sim_step_count(saved) < 8);
    if (vl_sim_save(saved, place->path, &status) || vl_sim_resume(resumed, place->path, &status))
      fail_msg("%s", status.message);
    assert_same_views(saved, resumed);
    double loads = 0.0, contacts = 0.0, reactions = 0.0; /* there is something to read */
    for (int i = 0; i < vl_sim_body_count(resumed); i++) {
      vlBodyInfo info = vl_sim_body(resumed, i).info;
      loads += vl_norm(info.load_force) * vl_norm(info.load_torque);
      contacts += vl_norm(info.contact_force);
      reactions += vl_norm(info.reaction);
    }
    assert_true(loads > 0.0 && contacts > 0.0 && reactions > 0.0);
    vl_sim_destroy(&saved);
    vl_sim_destroy(&resumed);
  }
}

/* A file and memory hold the same; what they restore goes on alike. */
static void test_memory_restores_as_a_file(void **state)
{
  const Place *place = *state;
  for (int t = 0; t < TRANSFERS; t++) {
    vlSim *sim = bath_start(transfers[t], "yes"), *filed = bath_start(transfers[t], "yes"),
          *recalled = bath_start(transfers[t], "yes");
    vlStatus status = {0};
    Memory memory;
    for (int k = 0; k < 4; k++) one_step(sim, 0.01);
    if (vl_sim_save(sim, place->path, &status) || vl_sim_resume(filed, place->path, &status)) fail_msg("%s", status.message);
    remember(sim, &memory);
    one_step(recalled, 0.005); /* it has gone elsewhere */
    recall(recalled, &memory);
    forget(&memory);
    for (int k = 0; k < 4; k++) {
      assert_same_bits(sim, filed, transfers[t]);
      assert_same_bits(sim, recalled, transfers[t]);
      one_step(sim, 0.01);
      one_step(filed, 0.01);
      one_step(recalled, 0.01);
    }
    vl_sim_destroy(&sim);
    vl_sim_destroy(&filed);
    vl_sim_destroy(&recalled);
  }
}

/* A solve that cannot come near its tolerance in one iteration: the step is tried with less and less, and given up. */
static void test_failure_changes_nothing(void **state)
{
  (void)state;
  static const char *const separations[] = {"no", "yes"};
  for (int t = 0; t < TRANSFERS; t++)
    for (int s = 0; s < 2; s++) {
      vlSim *sim = bath_start(transfers[t], separations[s]);
      Memory before, after;
      for (int k = 0; k < 4; k++) one_step(sim, 0.01);
      remember(sim, &before);
      vlPressureDef usual = sim->scene->pressure, *pressure = &sim->scene->pressure;
      pressure->solver = VL_SOLVER_JACOBI;
      pressure->max_iterations = 1;
      pressure->tolerance = 1e-14;
      vlStatus status = {0};
      assert_int_equal(vl_sim_step(sim, 0.01, NULL, &status), VL_ERROR_SOLVER);
      assert_non_null(strstr(status.message, "failed 4 times"));
      remember(sim, &after);
      assert_same_memory(&before, &after, NULL, transfers[t]);
      forget(&before);
      forget(&after);
      *pressure = usual; /* and it can go on */
      one_step(sim, 0.01);
      assert_int_equal(vl_sim_step_count(sim), 5);
      vl_sim_destroy(&sim);
    }
}

/* A step that was solved but breaks an invariant is not taken either. */
static void test_refusal_changes_nothing(void **state)
{
  (void)state;
  for (int t = 0; t < TRANSFERS; t++) {
    vlSim *sim = bath_start(transfers[t], "no");
    Memory before, after;
    for (int k = 0; k < 4; k++) one_step(sim, 0.01);
    remember(sim, &before);
    vlCuts *cuts = vl_sharp(sim)->work.cuts;
    sim->scene->check_level = 3;
    cuts->clamped = 0;
    for (int c = 0; c < cuts->count; c++) cuts->cut[c].s.x += 1.0; /* m2: no cell is closed */
    vlStatus status = {0};
    assert_int_equal(vl_sim_step(sim, 0.01, NULL, &status), VL_ERROR_SOLVER);
    assert_non_null(strstr(status.message, "is not closed"));
    remember(sim, &after);
    assert_same_memory(&before, &after, NULL, transfers[t]);
    forget(&before);
    forget(&after);
    throw_work_away(sim);
    one_step(sim, 0.01); /* and it can go on */
    vl_sim_destroy(&sim);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_work_may_be_thrown_away),
      cmocka_unit_test_setup_teardown(test_views_after_resuming, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_memory_restores_as_a_file, make_place, remove_place),
      cmocka_unit_test(test_failure_changes_nothing),
      cmocka_unit_test(test_refusal_changes_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
