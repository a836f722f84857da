/* A body that folds onto itself does not pass through itself, and one at rest does not notice itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "contact_scene.h"

/* Contacts of bodies with themselves; closed ones if asked. */
static int count_self(const vlSim *sim, bool closed)
{
  const vlContactSolve *s = &vl_sharp(sim)->work.contact;
  int count = 0;
  for (int c = 0; c < s->contacts.count; c++) {
    const int *body = s->contacts.list[c].body;
    count += body[0] == body[1] && (!closed || s->state[c] != VL_CONTACT_OPEN);
  }
  return count;
}

/* A jaw: a block with a slot 6 cm high that is open to the right, filled with tetrahedra. */
static vlBodyDef jaw(vlShape parts[2])
{
  vlBodyDef body = bar("jaw", vl_vec(0.5, 0.16, 0.5), vl_vec(0.4, 0.3, 0.15), 1, 1, 1);
  for (int k = 0; k < 2; k++) parts[k] = vl_shape_default(VL_SHAPE_BOX);
  parts[0].size = vl_vec(0.5, 0.3, 0.12);
  parts[1].center = vl_vec(0.1, 0.0, 0.0);
  parts[1].size = vl_vec(0.5, 0.06, 0.5);
  body.shape = VL_BODY_DIFFERENCE;
  body.cell = 0.08;
  body.solid = vl_shape_default(VL_SHAPE_DIFFERENCE);
  body.solid.parts = parts;
  body.solid.part_count = 2;
  return body;
}

/* The upper lip is pushed down by pins on its back, by more than the slot, or sinks by its own weight: it comes to lie on
 * the lower one. */
static void test_jaw(void **state)
{
  (void)state;
  for (int kind = 0; kind < 2; kind++) {
    vlShape parts[2];
    vlBodyDef body = jaw(parts);
    vlPinDef pin = {.region = vl_shape_default(VL_SHAPE_BOX), .axes = 2, .velocity = vl_vec(0, -0.3, 0), .end = 0.3};
    pin.region.center = vl_vec(0.75, 0.31, 0.5);
    pin.region.size = vl_vec(0.2, 0.05, 0.5);
    body.young = 2e4;
    if (kind == 0) body.pins = &pin, body.pin_count = 1;
    if (kind == 1) body.young = 5e3; /* closes by its own weight */
    vlScene scene = dry(&body, 1);
    vlSim *sim = start(&scene);
    int most = 0;
    double deepest = 0.0;
    while (vl_sim_time(sim) < 0.4) {
      vlStepInfo info = step(sim);
      int closed = count_self(sim, true);
      most = closed > most ? closed : most;
      deepest = fmax(deepest, info.overlap / vl_sharp(sim)->grid.dx);
      assert_false(vl_bvh_crosses_itself(vl_sharp(sim)->work.body_distance.tree[0]));
    }
    assert_true(most > 3);
    assert_true(deepest < 0.05);
    vl_sim_destroy(&sim);
  }
}

/* Two sides of a plate half a cell thick, at rest, bent by its weight and pressed to 60 % of its thickness, see nothing of
 * each other. */
static void test_thin_plate(void **state)
{
  (void)state;
  vlBodyDef plate = bar("plate", vl_vec(0.5, 0.5, 0.5), vl_vec(0.6, 0.5 / 16.0, 0.2), 8, 1, 3);
  vlPinDef pin = {.region = vl_shape_default(VL_SHAPE_BOX), .axes = 7, .end = INFINITY};
  pin.region.center = vl_vec(0.2, 0.5, 0.5);
  pin.region.size = vl_vec(0.01, 1.0, 1.0);
  plate.pins = &pin;
  plate.pin_count = 1;
  plate.young = 2e5;
  for (int kind = 0; kind < 2; kind++) {
    if (kind) plate.stretch = vl_vec(1.0, 0.6, 1.0);
    vlScene scene = dry(&plate, 1);
    vlSim *sim = start(&scene);
    while (vl_sim_time(sim) < 0.2) {
      step(sim);
      assert_int_equal(count_self(sim, false), 0);
    }
    vl_sim_destroy(&sim);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_jaw),
      cmocka_unit_test(test_thin_plate),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
