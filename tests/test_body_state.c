/* Elastic bodies in checkpoints: bodies go on with the same bits, also where what is held has changed since the start; other
 * bodies are refused and nothing is touched. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "frames/frames.h"
#include "place.h"
#include "solid/elastic.h"
#include "two_bodies.h"

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

/* All of a body's state, whatever its kind. */
static void assert_same_bodies(const vlSim *a, const vlSim *b)
{
  for (int i = 0; i < vl_sharp(a)->state.bodies.count; i++) {
    vlBody *p = vl_sharp(a)->state.bodies.body[i], *q = vl_sharp(b)->state.bodies.body[i];
    vlBodyArray own[VL_BODY_ARRAYS], other[VL_BODY_ARRAYS];
    assert_int_equal(p->node_count, q->node_count);
    assert_memory_equal(p->held, q->held, 3 * (size_t)p->node_count * sizeof *p->held);
    int count = p->type->state(p, own);
    assert_int_equal(q->type->state(q, other), count);
    for (int k = 0; k < count; k++) {
      assert_string_equal(own[k].name, other[k].name);
      assert_int_equal(own[k].count, other[k].count);
      assert_memory_equal(own[k].memory, other[k].memory, own[k].count * own[k].size);
    }
  }
}

/* Steps before the checkpoint: none, so that there is no history; some. */
static void test_goes_on_alike(void **state)
{
  const Place *place = *state;
  for (int before = 0; before < 8; before += 7) {
    vlScene scene;
    two_bodies_scene(&scene);
    vlSim *through = two_bodies(&scene, 1);
    move_bodies(through, before);
    save(through, place->path);
    struct stat info;
    assert_int_equal(stat(place->path, &info), 0);
    double estimate = vl_sim_checkpoint_bytes(through);
    assert_true(estimate > 0.7 * (double)info.st_size && estimate < 1.3 * (double)info.st_size);
    vlSim *resumed = two_bodies(&scene, 2);
    resume(resumed, place->path);
    assert_same_bodies(through, resumed);
    move_bodies(through, 6);
    move_bodies(resumed, 6);
    assert_same_bodies(through, resumed);
    /* into one that has gone elsewhere */
    resume(resumed, place->path);
    vlSim *fresh = two_bodies(&scene, 1);
    resume(fresh, place->path);
    move_bodies(resumed, 4);
    move_bodies(fresh, 4);
    assert_same_bodies(resumed, fresh);
    vl_sim_destroy(&fresh);
    vl_sim_destroy(&resumed);
    vl_sim_destroy(&through);
    vl_scene_clear(&scene);
  }
}

/* Rigid bodies too, in water: mass from slices is a part of the state. */
static void test_rigid_goes_on_alike(void **state)
{
  const Place *place = *state;
  static const char text[] =
      "{grid: {size: [1, 1, 1], cells: 12}, liquid: {level: 0.5}, bodies: [{name: ball, rigid: yes, shape: sphere, radius: "
      "0.15, center: [0.4, 0.5, 0.5], spin: [1, 2, 3], rigid_mass: slice}, {name: brick, rigid: yes, shape: box, size: "
      "[0.3, "
      "0.2, 0.2], center: [0.7, 0.7, 0.5], mass: 5}]}";
  vlScene scene;
  vlStatus status = {0};
  vlSim *through = NULL, *resumed = NULL;
  if (vl_scene_parse(&scene, text, sizeof text - 1, "x.yaml", NULL, 0, &status) ||
      vl_sim_create(&through, &scene, (vlSimOptions){.threads = 1}, &status) ||
      vl_sim_create(&resumed, &scene, (vlSimOptions){.threads = 1}, &status))
    fail_msg("%s", status.message);
  for (int s = 0; s < 8; s++) {
    if (s == 4) {
      save(through, place->path);
      resume(resumed, place->path);
    }
    assert_int_equal(vl_sim_step(through, INFINITY, NULL, &status), VL_OK);
    if (s >= 4) assert_int_equal(vl_sim_step(resumed, INFINITY, NULL, &status), VL_OK);
    if (s >= 4) assert_same_bodies(through, resumed);
  }
  vl_sim_destroy(&resumed);
  vl_sim_destroy(&through);
  vl_scene_clear(&scene);
}

/* What is held later stays in the pattern of the matrix, what is released makes a new one: both decide about the order in
 * which it is factored, so bits tell whether the checkpoint knows. */
static void test_pattern_of_the_matrix(void **state)
{
  const Place *place = *state;
  for (int kind = 0; kind < 2; kind++) {
    vlScene scene;
    two_bodies_scene(&scene);
    if (kind == 0) { /* a pin that lets go before the checkpoint */
      scene.bodies[0].pins[0].end = 0.025;
      scene.bodies[0].pins[0].release = true;
    }
    vlSim *through = two_bodies(&scene, 1);
    move_bodies(through, 2);
    for (int i = 0; i < 6 && kind == 1; i++)
      vl_elastic_hold((vlElastic *)vl_sharp(through)->state.bodies.body[1], 3 * i, i % 3, 0.0);
    move_bodies(through, 3);
    save(through, place->path);
    vlSim *resumed = two_bodies(&scene, 1);
    resume(resumed, place->path);
    assert_same_bodies(through, resumed);
    move_bodies(through, 5);
    move_bodies(resumed, 5);
    assert_same_bodies(through, resumed);
    vl_sim_destroy(&resumed);
    vl_sim_destroy(&through);
    vl_scene_clear(&scene);
  }
}

/* Pins may change, and then count as they are. */
static void test_other_pins(void **state)
{
  const Place *place = *state;
  vlScene scene;
  two_bodies_scene(&scene);
  vlSim *pinned = two_bodies(&scene, 1);
  move_bodies(pinned, 3);
  save(pinned, place->path);
  vlScene freed;
  assert_int_equal(vl_scene_copy(&freed, &scene, NULL), VL_OK);
  free(freed.bodies[0].pins); /* its region owns nothing */
  freed.bodies[0].pins = NULL;
  freed.bodies[0].pin_count = 0;
  vlSim *sim = two_bodies(&freed, 1);
  resume(sim, place->path);
  const vlBody *beam = vl_sharp(sim)->state.bodies.body[0];
  for (int i = 0; i < 3 * beam->node_count; i++) assert_false(beam->held[i]);
  double height = vl_sim_body(sim, 0).info.center.y;
  move_bodies(sim, 10);
  assert_true(vl_sim_body(sim, 0).info.center.y < height - 0.02); /* 0.1 s of falling: 0.05 m */
  vl_sim_destroy(&sim);
  vl_sim_destroy(&pinned);
  vl_scene_clear(&freed);
  vl_scene_clear(&scene);
}

static void assert_refused(const vlScene *scene, const char *path, const char *words)
{
  vlStatus status = {0};
  vlSim *sim = two_bodies(scene, 1), *untouched = two_bodies(scene, 1);
  assert_int_equal(vl_sim_resume(sim, path, &status), VL_ERROR_FILE);
  if (!strstr(status.message, words) || !strstr(status.message, path))
    fail_msg("'%s' is not said in: %s", words, status.message);
  assert_same_bodies(sim, untouched);
  vl_sim_destroy(&sim);
  vl_sim_destroy(&untouched);
}

static void test_refuses_other_bodies(void **state)
{
  const Place *place = *state;
  vlScene scene, other;
  two_bodies_scene(&scene);
  vlSim *sim = two_bodies(&scene, 1);
  move_bodies(sim, 1);
  save(sim, place->path);
  vl_sim_destroy(&sim);

  two_bodies_scene(&other);
  other.bodies[1].cells[0] = 3;
  assert_refused(&other, place->path, "its body 'block' has");
  other.bodies[1].cells[0] = 2;
  other.bodies[1].element = VL_ELEMENT_LINEAR;
  assert_refused(&other, place->path, "of 10 nodes; body 'block' of this scene");
  other.bodies[1].element = VL_ELEMENT_QUADRATIC;
  other.bodies[1].center.x += 0.01;
  assert_refused(&other, place->path, "its body 'block' rests in another place");
  other.bodies[1].center.x = scene.bodies[1].center.x;
  int count = other.body_count;
  other.body_count = 1;
  assert_refused(&other, place->path, "written with 2 bodies; this scene has 1");
  other.body_count = 0;
  assert_refused(&other, place->path, "written with 2 bodies; this scene has 0");
  sim = two_bodies(&other, 1); /* and the other way round */
  save(sim, place->path);
  vl_sim_destroy(&sim);
  other.body_count = count;
  assert_refused(&other, place->path, "written with 0 bodies; this scene has 2");
  vl_scene_clear(&other);
  vl_scene_clear(&scene);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_goes_on_alike, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_rigid_goes_on_alike, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_pattern_of_the_matrix, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_other_pins, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_refuses_other_bodies, make_place, remove_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
