/* Bodies that touch: each other, static solids, the box. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "contact/contact_rows.h"
#include "contact_scene.h"
#include "solid/rigid_body.h"

static double deepest(const vlSim *sim)
{
  double most = 0.0;
  for (int c = 0; c < vl_sharp(sim)->work.contact.contacts.count; c++)
    most = fmin(most, vl_sharp(sim)->work.contact.contacts.list[c].gap);
  return most / vl_sharp(sim)->grid.dx;
}

/* Two blocks in free space run into each other: what one loses the other gains, they part again, nothing is gained. */
static void test_collision(void **state)
{
  (void)state;
  vlBodyDef bodies[2] = {block("a", vl_vec(0.35, 0.5, 0.5), 0.2), block("b", vl_vec(0.62, 0.53, 0.48), 0.2)};
  bodies[0].velocity = vl_vec(1.0, 0.1, 0.0);
  bodies[1].velocity = vl_vec(-0.5, 0.0, 0.0);
  bodies[1].density = 1400.0;
  vlScene scene = dry(bodies, 2);
  scene.gravity = vl_vec(0, 0, 0);
  vlSim *sim = start(&scene);
  vlBody *const *b = vl_sharp(sim)->state.bodies.body;
  vlVec3 sum = vl_add(vl_body_measure(b[0], scene.gravity).momentum, vl_body_measure(b[1], scene.gravity).momentum);
  double energy = vl_body_measure(b[0], scene.gravity).kinetic + vl_body_measure(b[1], scene.gravity).kinetic;
  bool touched = false;
  while (vl_sim_time(sim) < 0.2) {
    step(sim);
    touched = touched || vl_sharp(sim)->work.contact.active_count > 0;
    assert_true(deepest(sim) > -0.1);
    vlBodyMeasure one = vl_body_measure(b[0], scene.gravity), two = vl_body_measure(b[1], scene.gravity);
    assert_true(vl_norm(vl_sub(vl_add(one.momentum, two.momentum), sum)) <= 1e-9 * vl_norm(sum));
    assert_true(one.kinetic + two.kinetic + one.elastic + two.elastic <= 1.01 * energy);
  }
  vlBodyMeasure one = vl_body_measure(b[0], scene.gravity), two = vl_body_measure(b[1], scene.gravity);
  assert_true(touched);
  assert_true(one.momentum.x / one.mass < two.momentum.x / two.mass); /* they part */
  vl_sim_destroy(&sim);
}

/* Three pairs of blocks that run into each other and rub, far apart: as many islands, and forces as of each pair alone, to
 * the bit. */
static void test_islands(void **state)
{
  (void)state;
  enum { PAIRS = 3, STEPS = 6 };
  vlBodyDef bodies[2 * PAIRS];
  vlVec3 together[STEPS][2 * PAIRS];
  for (int p = 0; p < PAIRS; p++) {
    bodies[2 * p] = block("left", vl_vec(0.43, 0.2 + 0.3 * p, 0.5), 0.12);
    bodies[2 * p + 1] = block("right", vl_vec(0.555, 0.21 + 0.31 * p, 0.49 - 0.01 * p), 0.12);
    for (int b = 2 * p; b < 2 * p + 2; b++) {
      bodies[b].velocity = vl_vec(b % 2 ? -0.5 : 0.5, b % 2 ? 0.1 * p : 0.0, 0.05);
      bodies[b].name[0] = (char)('a' + b);
    }
  }
  for (int p = -1; p < PAIRS; p++) { /* -1: all of them */
    vlScene scene = dry(p < 0 ? bodies : bodies + 2 * p, p < 0 ? 2 * PAIRS : 2);
    scene.gravity = vl_vec(0, 0, 0);
    scene.time.dt_fixed = 0.005;
    vlSim *sim = start(&scene);
    const vlContactSolve *s = &vl_sharp(sim)->work.contact;
    int closed = 0, slipping = 0;
    for (int i = 0; i < STEPS; i++) {
      step(sim);
      assert_int_equal(s->island_count, p < 0 ? PAIRS : 1);
      closed += vl_contact_solve_closed(s);
      for (int c = 0; c < s->contacts.count; c++) slipping += s->state[c] == VL_CONTACT_SLIP;
      for (int b = 0; b < scene.body_count; b++) {
        vlVec3 f = vl_sim_body(sim, b).info.contact_force, *all = &together[i][p < 0 ? b : 2 * p + b];
        if (p < 0) *all = f;
        assert_true(f.x == all->x && f.y == all->y && f.z == all->z);
      }
    }
    print_message("pair %d: %d closed contacts, %d of them slip\n", p, closed, slipping);
    assert_true(closed > 0 && (p != 1 || slipping > 0));
    vl_sim_destroy(&sim);
  }
}

/* Of two pairs one gets a matrix that has no factor: its contacts open, those of the other pair are solved as before. */
static void test_degenerate_island(void **state)
{
  (void)state;
  vlBodyDef bodies[4];
  for (int b = 0; b < 4; b++) {
    bodies[b] = block(&"abcd"[b], vl_vec(b % 2 ? 0.555 : 0.43, b < 2 ? 0.3 : 0.7, 0.5), 0.12);
    bodies[b].velocity = vl_vec(b % 2 ? -0.5 : 0.5, 0, 0);
  }
  vlScene scene = dry(bodies, 4);
  scene.gravity = vl_vec(0, 0, 0);
  vlSim *sim = start(&scene);
  vlContactSolve *s = &vl_sharp(sim)->work.contact;
  while (s->island_count < 2 || s->island[0].active < 2 || s->island[1].active < 2) step(sim);
  double before[64], x[128];
  int count = s->island[1].active;
  assert_true(s->active_count <= 128 && count <= 64);
  for (int i = 0; i < s->active_count; i++) x[i] = 1.0;
  vl_contact_solve_unknowns(s, x);
  for (int i = 0; i < count; i++) before[i] = x[s->unknown[s->island[1].first + i]];
  int one = s->active[s->unknown[s->island[0].first]], two = s->active[s->unknown[s->island[0].first + 1]];
  vl_contact_g(s, one)[s->place[two]] = vl_contact_g(s, two)[s->place[one]] = 10.0 * vl_contact_diagonal(s, one);
  vl_contact_g(s, two)[s->place[two]] = vl_contact_diagonal(s, one);
  vl_contact_solve_factor(s);
  assert_int_equal(s->island[0].active, 0);
  assert_int_equal(s->island[1].active, count);
  assert_int_equal(s->active_count, count);
  for (int r = 0; r < s->rows; r++)
    if (s->island_of[r] == 0) assert_int_equal(s->state[s->contact_of[r]], VL_CONTACT_OPEN);
  for (int i = 0; i < count; i++) x[i] = 1.0;
  vl_contact_solve_unknowns(s, x);
  for (int i = 0; i < count; i++) assert_true(x[s->unknown[s->island[1].first + i]] == before[i]);
  vl_sim_destroy(&sim);
}

/* A block on a block on the floor: at rest within two seconds, apart, and none has slid off. */
static void test_stack(void **state)
{
  (void)state;
  vlBodyDef bodies[2] = {block("lower", vl_vec(0.5, 0.12, 0.5), 0.2), block("upper", vl_vec(0.53, 0.36, 0.48), 0.2)};
  vlScene scene = dry(bodies, 2);
  vlSim *sim = start(&scene);
  while (vl_sim_time(sim) < 2.0) {
    step(sim);
    assert_true(deepest(sim) > -0.05);
  }
  assert_true(vl_bodies_fastest(&vl_sharp(sim)->state.bodies) < 0.01);
  vlBodyMeasure lower = vl_body_measure(vl_sharp(sim)->state.bodies.body[0], scene.gravity);
  vlBodyMeasure upper = vl_body_measure(vl_sharp(sim)->state.bodies.body[1], scene.gravity);
  assert_true(fabs(lower.center.y - 0.1) < 0.005 && fabs(upper.center.y - 0.3) < 0.01);
  assert_true(fabs(upper.center.x - 0.53) < 0.05);
  vl_sim_destroy(&sim);
}

/* A block on a slope of 20 degrees, tan = 0.364: with less friction it slides at g (sin - mu cos), with more it stays. */
static void test_friction(void **state)
{
  (void)state;
  static const double friction[] = {0.0, 0.15, 0.6};
  const double tilt = VL_PI / 9.0;
  vlVec3 along = vl_vec(-cos(tilt), -sin(tilt), 0), up = vl_vec(-sin(tilt), cos(tilt), 0);
  for (int k = 0; k < 3; k++) {
    vlSolidDef slope = {.shape = vl_shape_default(VL_SHAPE_HALFSPACE)};
    slope.shape.center = vl_vec(0.5, 0.3, 0.5);
    slope.shape.normal = up;
    vlBodyDef body = block("block", vl_axpy(vl_vec(0.7, 0.3 + 0.2 * tan(tilt), 0.5), 0.1 + 0.0013, up), 0.2);
    body.rotation = vl_mat_rotation(2, tilt);
    body.young = 1e6;
    vlScene scene = dry(&body, 1);
    scene.solids = &slope;
    scene.solid_count = 1;
    vlSim *sim = start(&scene);
    vl_sharp(sim)->state.bodies.body[0]->friction = friction[k];
    while (vl_sim_time(sim) < 0.1) step(sim); /* settles */
    vlBodyMeasure before = vl_body_measure(vl_sharp(sim)->state.bodies.body[0], scene.gravity);
    double t = vl_sim_time(sim);
    while (vl_sim_time(sim) < 0.3) step(sim);
    vlBodyMeasure after = vl_body_measure(vl_sharp(sim)->state.bodies.body[0], scene.gravity);
    double speed = vl_dot(vl_sub(after.momentum, before.momentum), along) / after.mass / (vl_sim_time(sim) - t);
    double wanted = fmax(0.0, 9.81 * (sin(tilt) - friction[k] * cos(tilt)));
    assert_true(fabs(speed - wanted) < 0.03 * 9.81 * sin(tilt));
    assert_true(fabs(vl_dot(after.momentum, up)) < 0.02 * after.mass);
    if (k == 2) assert_true(fabs(vl_dot(after.momentum, along)) < 1e-3 * after.mass);
    vl_sim_destroy(&sim);
  }
}

/* A body a little heavier than water sinks to the floor of a pool and lies there without a tremble. */
static void test_floor_under_water(void **state)
{
  (void)state;
  vlBodyDef body = block("stone", vl_vec(0.5, 0.15, 0.5), 0.2);
  body.density = 1050.0;
  vlScene scene = dry(&body, 1);
  scene.liquid.has_level = true;
  scene.liquid.level = 0.5;
  scene.pressure.tolerance = 1e-8;
  vlSim *sim = start(&scene);
  double fastest = 0.0;
  while (vl_sim_time(sim) < 1.6) {
    step(sim);
    if (vl_sim_time(sim) > 1.4) fastest = fmax(fastest, vl_bodies_fastest(&vl_sharp(sim)->state.bodies));
  }
  assert_true(fastest < 2e-3);
  assert_true(vl_sharp(sim)->work.contact.active_count > 0);
  assert_true(deepest(sim) > -0.02);
  vl_sim_destroy(&sim);
}

/* In a slab, where every node is held across it, and with a pin along one tangent: contact works as ever. */
static void test_held_tangents(void **state)
{
  (void)state;
  for (int kind = 0; kind < 2; kind++) {
    vlBodyDef body = block("block", vl_vec(0.5, 0.2, kind ? 0.0 : 0.5), 0.2);
    vlPinDef pin = {.region = ball(vl_vec(0.5, 0.2, kind ? 0.0 : 0.5), 5.0), .axes = 4, .end = INFINITY};
    body.velocity = vl_vec(0, -1, 0);
    if (!kind) body.pins = &pin;
    if (!kind) body.pin_count = 1;
    vlScene scene = dry(&body, 1);
    scene.grid.slab = kind;
    vlSim *sim = start(&scene);
    double lowest = 1.0;
    while (vl_sim_time(sim) < 0.5) {
      step(sim);
      const vlBody *e = vl_sharp(sim)->state.bodies.body[0];
      for (int i = 0; i < e->node_count; i++) lowest = fmin(lowest, e->x[i].y);
    }
    assert_true(lowest > -0.05 * vl_sharp(sim)->grid.dx);
    vl_sim_destroy(&sim);
  }
}

/* Bodies all of whose nodes are held do not yield: side by side they have no contacts, until one is let go. */
static void test_held_bodies(void **state)
{
  (void)state;
  vlBodyDef bodies[2] = {block("a", vl_vec(0.44, 0.5, 0.5), 0.12), block("b", vl_vec(0.5615, 0.5, 0.5), 0.12)};
  vlPinDef pins[2];
  for (int b = 0; b < 2; b++) {
    pins[b] = (vlPinDef){.region = ball(vl_vec(0.5, 0.5, 0.5), 5.0), .axes = 7, .end = b ? 0.02 : INFINITY, .release = b};
    bodies[b].pins = &pins[b];
    bodies[b].pin_count = 1;
  }
  vlScene scene = dry(bodies, 2);
  vlSim *sim = start(&scene);
  while (vl_sim_time(sim) < 0.06) {
    bool held = vl_sim_time(sim) < 0.02 - 1e-9;
    step(sim);
    assert_false(vl_sharp(sim)->state.bodies.body[0]->yields);
    assert_int_equal(vl_sharp(sim)->state.bodies.body[1]->yields, !held);
    assert_int_equal(vl_sharp(sim)->work.contact.contacts.count > 0, !held);
    assert_int_equal(vl_sharp(sim)->work.contact.island_count, !held);
  }
  vl_sim_destroy(&sim);
}

/* Two slab bodies run into each other and do not pass, in moving and in still scenes, by either scheme. */
static void test_slab_collision(void **state)
{
  (void)state;
  for (int kind = 0; kind < 4; kind++) {
    vlBodyDef bodies[2] = {block("a", vl_vec(0.3, 0.5, 0), 0.2), block("b", vl_vec(0.7, 0.52, 0), 0.2)};
    for (int b = 0; b < 2; b++) {
      bodies[b].velocity = vl_vec(b ? -1.0 : 1.0, 0, 0);
      bodies[b].scheme = kind & 1 ? VL_SCHEME_BDF2 : VL_SCHEME_BACKWARD_EULER;
    }
    vlScene scene = dry(bodies, 2);
    scene.grid.slab = true;
    scene.gravity = vl_vec(0, 0, 0);
    if (kind & 2) scene.liquid.transfer = VL_TRANSFER_STILL;
    vlSim *sim = start(&scene);
    while (vl_sim_time(sim) < 0.3) {
      step(sim);
      assert_true(deepest(sim) > -0.1);
    }
    double a = vl_body_measure(vl_sharp(sim)->state.bodies.body[0], scene.gravity).momentum.x,
           b = vl_body_measure(vl_sharp(sim)->state.bodies.body[1], scene.gravity).momentum.x;
    assert_true(a < 0.0 && b > 0.0);
    vl_sim_destroy(&sim);
  }
}

/* Contacts of slabs push and rub in the plane: nothing across it, and so all of Coulomb's cone is left for the plane. A
 * stack of turned boxes, rigid and elastic, with friction. */
static void test_slab_forces(void **state)
{
  (void)state;
  vlBodyDef bodies[3] = {block("a", vl_vec(0.5, 0.13, 0), 0.2), block("b", vl_vec(0.45, 0.4, 0), 0.2),
                         block("c", vl_vec(0.55, 0.67, 0), 0.2)};
  for (int b = 0; b < 3; b++) {
    bodies[b].kind = b < 2 ? VL_BODY_RIGID : VL_BODY_ELASTIC;
    bodies[b].rotation = vl_mat_rotation(2, b == 1 ? 0.5 : -0.15);
  }
  vlScene scene = dry(bodies, 3);
  scene.grid.slab = true;
  vlSim *sim = start(&scene);
  double most = 0.0;
  while (vl_sim_time(sim) < 0.5) {
    step(sim);
    for (int b = 0; b < 3; b++) {
      vlVec3 f = vl_sim_body(sim, b).info.contact_force;
      assert_true(f.z == 0.0);
      most = fmax(most, vl_norm(f));
    }
    const vlContactSolve *s = &vl_sharp(sim)->work.contact;
    for (int c = 0; c < s->contacts.count; c++) {
      const vlContact *contact = &s->contacts.list[c];
      assert_true(contact->frame[0].z == 0.0 && fabs(vl_norm(contact->frame[0]) - 1.0) < 1e-12);
      assert_true(vl_norm(vl_sub(contact->frame[1], vl_vec(-contact->frame[0].y, contact->frame[0].x, 0))) < 1e-12);
    }
  }
  assert_true(most > 0.0);
  vl_sim_destroy(&sim);
}

/* Whether every node moves as the pressure solve has it, to round-off. */
static void assert_agreement(const vlSim *sim)
{
  for (int b = 0; b < vl_sharp(sim)->state.bodies.count; b++) {
    const vlBody *body = vl_sharp(sim)->state.bodies.body[b];
    const vlVec3 *solved = vl_sharp(sim)->work.pressure->coupling.velocity + vl_sharp(sim)->state.bodies.first_node[b];
    for (int i = 0; i < body->node_count; i++) assert_true(vl_norm(vl_sub(body->v[i], solved[i])) < 1e-9);
  }
}

/* A light block and a heavy one fall into shallow water: which contacts close depends on the pressure, and most steps find
 * out. Settled or not, bodies move as the liquid was told, and contact forces on both come from floor and each other. */
static void test_turns(void **state)
{
  (void)state;
  vlBodyDef bodies[2] = {block("light", vl_vec(0.5, 0.2, 0.5), 0.2), block("heavy", vl_vec(0.55, 0.45, 0.47), 0.2)};
  bodies[0].density = 300.0;
  bodies[0].rotation = vl_mat_rotation(2, 0.2);
  bodies[1].density = 3000.0;
  vlScene scene = dry(bodies, 2);
  scene.liquid.has_level = true;
  scene.liquid.level = 0.25;
  scene.pressure.tolerance = 1e-8;
  vlSim *sim = start(&scene);
  int steps = 0, again = 0, open = 0;
  while (vl_sim_time(sim) < 0.5) {
    vlStepInfo info = step(sim);
    assert_agreement(sim);
    steps++;
    again += info.contact_turns > 1;
    open += info.contact_error > vl_sharp(sim)->work.contact.still;
    vlVec3 push = vl_vec(0, 0, 0), floor = vl_vec(0, 0, 0);
    for (int b = 0; b < 2; b++) push = vl_add(push, vl_sim_body(sim, b).info.contact_force);
    for (int c = 0; c < vl_sharp(sim)->work.contact.contacts.count; c++) { /* what bodies do to each other cancels */
      const vlContactSolve *s = &vl_sharp(sim)->work.contact;
      for (int r = s->first_row[c]; r < s->first_row[c + 1] && s->contacts.list[c].body[1] < 0; r++)
        floor = vl_axpy(floor, s->force[r], s->contacts.list[c].frame[r - s->first_row[c]]);
    }
    assert_true(vl_norm(vl_sub(push, floor)) <= 1e-9 * (1.0 + vl_norm(floor)));
  }
  assert_true(again > 0);
  assert_true(open <= steps / 20);
  vl_sim_destroy(&sim);
}

/* Two corks of a thousandth of the water's density rise under a lid and against each other. Nothing can be faster than the
 * lift of 1000 g over the added mass of half the displaced water makes it on the way up, and overlaps stay small. */
static void test_corks(void **state)
{
  (void)state;
  vlBodyDef bodies[2] = {block("upper", vl_vec(0.5, 0.58, 0.5), 0.3), block("lower", vl_vec(0.53, 0.23, 0.5), 0.3)};
  for (int b = 0; b < 2; b++) {
    bodies[b].shape = VL_BODY_SPHERE;
    bodies[b].solid.radius = 0.16;
    bodies[b].kind = VL_BODY_RIGID;
    bodies[b].density = 1.0;
  }
  vlScene scene = dry(bodies, 2);
  scene.grid.cells = 16;
  scene.liquid.has_level = true;
  scene.liquid.level = 1.0;
  scene.pressure.tolerance = 1e-6;
  vlSim *sim = start(&scene);
  double most = sqrt(2.0 * 2.0 * 9.81 * 0.6); /* 2 g over the way of the lower one */
  while (vl_sim_time(sim) < 0.6) {
    vlStepInfo info = step(sim);
    for (int b = 0; b < 2; b++)
      assert_true(vl_norm(vl_rigid_velocity(vl_rigid_of(vl_sharp(sim)->state.bodies.body[b]))) < most);
    assert_true(info.overlap < 0.1 * vl_sharp(sim)->grid.dx);
  }
  vl_sim_destroy(&sim);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_islands),        cmocka_unit_test(test_degenerate_island), cmocka_unit_test(test_held_bodies),
      cmocka_unit_test(test_corks),          cmocka_unit_test(test_collision),         cmocka_unit_test(test_stack),
      cmocka_unit_test(test_friction),       cmocka_unit_test(test_floor_under_water), cmocka_unit_test(test_held_tangents),
      cmocka_unit_test(test_slab_collision), cmocka_unit_test(test_slab_forces),       cmocka_unit_test(test_turns),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
