/* Contacts between nodes: crossed bars, a post and a ridge under a plate. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "contact_scene.h"

static double lowest(const vlBody *body)
{
  double y = INFINITY;
  for (int i = 0; i < body->node_count; i++) y = fmin(y, body->x[i].y);
  return y;
}

/* Runs to the end; the deepest overlap of all steps, cells: told or sampled. */
static double fall(vlSim *sim, double end)
{
  double most = 0.0;
  while (vl_sim_time(sim) < end) {
    vlStepInfo info = step(sim);
    most = fmax(most, fmax(sampled_overlap(sim), info.overlap / vl_sharp(sim)->grid.dx));
  }
  return most;
}

/* Two bars of long elements, one across the other, flat, turned and edge on edge: no node comes near the other bar. */
static void test_crossed_bars(void **state)
{
  (void)state;
  for (int kind = 0; kind < 3; kind++) {
    vlBodyDef bodies[2] = {bar("lower", vl_vec(0.5, 0.101, 0.5), vl_vec(0.8, 0.2, 0.2), 1, 1, 1),
                           bar("upper", vl_vec(0.5, 0.32, 0.48), vl_vec(0.2, 0.2, 0.8), 1, 1, 1)};
    bodies[1].stiffness_damping = 0.02;
    if (kind == 1) bodies[1].rotation = vl_mat_multiply(vl_mat_rotation(2, 0.6), vl_mat_rotation(1, 0.3));
    if (kind == 2) bodies[1].rotation = vl_mat_rotation(2, 0.25 * VL_PI), bodies[1].young = 2e4;
    bodies[1].center.y += kind ? 0.1 : 0.0;
    vlScene scene = dry(bodies, 2);
    scene.check_level = 0;
    vlSim *sim = start(&scene);
    assert_true(fall(sim, kind ? 0.4 : 0.8) < 0.1);
    assert_true(lowest(vl_sharp(sim)->state.bodies.body[1]) >
                (kind ? 0.05 : 0.18)); /* still above the other, which lies on the floor */
    if (kind == 0) assert_true(vl_bodies_fastest(&vl_sharp(sim)->state.bodies) < 0.01 * sqrt(9.81 * 0.4));
    vl_sim_destroy(&sim);
  }
}

/* A plate of few elements falls on a thin post with a flat and with a round head, on a wall and on a ridge of 90 degrees,
 * all of them far from its nodes. */
static void test_post(void **state)
{
  (void)state;
  for (int kind = 0; kind < 4; kind++) {
    vlSolidDef post = {.shape = vl_shape_default(kind == 1 ? VL_SHAPE_CAPSULE : VL_SHAPE_BOX)};
    strcpy(post.name, "post");
    post.shape.center = vl_vec(0.52, 0.15, 0.47);
    post.shape.size = kind < 2 ? vl_vec(0.07, 0.3, 0.07) : vl_vec(0.07, 0.3, 0.9);
    if (kind == 1) {
      post.shape.center = vl_vec(0.52, 0.1, 0.47);
      post.shape.height = 0.3;
      post.shape.radius = 0.05;
    } else if (kind == 3) {
      post.shape.size = vl_vec(0.2, 0.2, 0.9);
      post.shape.rotation = vl_mat_rotation(2, 0.25 * VL_PI);
    }
    vlBodyDef plate = bar("plate", vl_vec(0.5, 0.37, 0.5), vl_vec(0.6, 0.1, 0.6), 2, 1, 2);
    plate.young = 1e6;
    vlScene scene = dry(&plate, 1);
    scene.check_level = 0;
    scene.solids = &post;
    scene.solid_count = 1;
    vlSim *sim = start(&scene);
    assert_true(fall(sim, 0.25) < 0.1);
    assert_true(vl_body_measure(vl_sharp(sim)->state.bodies.body[0], scene.gravity).center.y >
                0.25); /* in free fall: 0.05 */
    vl_sim_destroy(&sim);
  }
}

/* Over a flat floor of a static solid nothing stands out between the nodes. */
static void test_flat(void **state)
{
  (void)state;
  vlSolidDef slope = {.shape = vl_shape_default(VL_SHAPE_HALFSPACE)};
  slope.shape.center = vl_vec(0.5, 0.3, 0.5);
  slope.shape.normal = vl_unit(vl_vec(0.1, 1, 0.05));
  vlBodyDef body = block("block", vl_vec(0.5, 0.42, 0.5), 0.2);
  vlScene scene = dry(&body, 1);
  scene.solids = &slope;
  scene.solid_count = 1;
  vlSim *sim = start(&scene);
  int most = 0;
  while (vl_sim_time(sim) < 0.2) {
    step(sim);
    const vlContacts *found = &vl_sharp(sim)->work.contact.contacts;
    for (int c = 0; c < found->count; c++) assert_int_equal(found->list[c].count, 1);
    most = found->count > most ? found->count : most;
  }
  assert_int_equal(most, 9); /* the nodes of a face of 2 x 2 cuboids */
  vl_sim_destroy(&sim);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_crossed_bars),
      cmocka_unit_test(test_post),
      cmocka_unit_test(test_flat),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
