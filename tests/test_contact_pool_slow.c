/* Bodies that touch, in water: a pile, a stack, a light body held down. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "contact_scene.h"

/* Of a run: the deepest overlap, told and sampled (cells); of its last tenth how fast nodes were (m/s), how far they went in
 * a step (cells), and how fast bodies were in the mean of their mass (m/s); steps, those with broken contacts, most closed
 * contacts. */
typedef struct Story {
  double overlap, sampled, fastest, twitch, mean;
  int steps, broken, contacts;
} Story;

/* m/s: root of the mean square over its mass. */
static double mean_speed(const vlBody *body)
{
  vlBodyMeasure m = vl_body_measure(body, vl_vec(0, 0, 0));
  return sqrt(2.0 * m.kinetic / m.mass);
}

static void look_at_end(const vlSharp *sim, const vlStepInfo *info, Story *s)
{
  const vlBodySet *bodies = &sim->state.bodies;
  double fastest = vl_bodies_fastest(bodies);
  s->fastest = fmax(s->fastest, fastest);
  s->twitch = fmax(s->twitch, fastest * info->dt / sim->grid.dx);
  for (int b = 0; b < bodies->count; b++) s->mean = fmax(s->mean, mean_speed(bodies->body[b]));
}

static Story run(vlSim *sim, double end)
{
  Story s = {0};
  while (vl_sim_time(sim) < end) {
    vlStepInfo info = step(sim);
    s.overlap = fmax(s.overlap, info.overlap / vl_sharp(sim)->grid.dx);
    s.steps++;
    s.broken += info.contact_error > vl_sharp(sim)->work.contact.still;
    s.contacts = info.contacts > s.contacts ? info.contacts : s.contacts;
    if (info.time > 0.9 * end) look_at_end(vl_sharp(sim), &info, &s);
    if (s.steps % 10 == 0) s.sampled = fmax(s.sampled, sampled_overlap(sim));
  }
  return s;
}

static void fill(vlScene *scene, double level)
{
  scene->liquid.has_level = true;
  scene->liquid.level = level;
  scene->pressure.tolerance = 1e-6;
  scene->check_level = 1;
}

/* Ten soft blocks of different weight are dropped into a pool at up to 3 m/s: they pile up, stay apart, and after four
 * seconds they lie still. Where an edge lies on an edge a corner may still twitch: by no more than a fiftieth of a cell in a
 * step, and no block as a whole is faster than 0.05 m/s. */
static void test_pile(void **state)
{
  (void)state;
  vlBodyDef bodies[10];
  for (int b = 0; b < 10; b++) {
    char name[16];
    snprintf(name, sizeof name, "block %d", b);
    int layer = b / 4, place = b % 4;
    bodies[b] =
        block(name, vl_vec(0.3 + 0.36 * (place % 2) + 0.03 * layer, 0.42 + 0.33 * layer, 0.32 + 0.35 * (place / 2)), 0.19);
    bodies[b].rotation = vl_mat_multiply(vl_mat_rotation(1, 0.4 * b), vl_mat_rotation(2, 0.7 * b));
    bodies[b].density = 1100.0 + 60.0 * b;
    bodies[b].young = 1e5;
    bodies[b].stiffness_damping = 5e-3;
  }
  vlScene scene = dry(bodies, 10);
  scene.grid.size.y = 1.5;
  scene.grid.cells = 16;
  fill(&scene, 0.3);
  vlSim *sim = start(&scene);
  Story s = run(sim, 4.5);
  print_message("pile: %.3f m/s, blocks %.3f m/s, %.4f cells a step at the end, %d of %d steps with broken contacts\n",
                s.fastest, s.mean, s.twitch, s.broken, s.steps);
  assert_true(s.overlap < 0.1 && s.sampled < 0.1);
  assert_true(s.twitch < 0.02 && s.mean < 0.05);
  assert_true(s.broken <= s.steps / 30); /* impacts, where most contacts change at once */
  vl_sim_destroy(&sim);
}

/* A block on a block on the floor, in air and under shallow water: speed below 1 % of sqrt(g h) after two seconds. */
static void test_stack(void **state)
{
  (void)state;
  for (int wet = 0; wet < 2; wet++) {
    vlBodyDef bodies[2] = {block("lower", vl_vec(0.5, 0.12, 0.5), 0.2), block("upper", vl_vec(0.53, 0.36, 0.48), 0.2)};
    for (int b = 0; b < 2; b++) bodies[b].density = 1500.0, bodies[b].stiffness_damping = 0.01;
    vlScene scene = dry(bodies, 2);
    if (wet) fill(&scene, 0.5);
    vlSim *sim = start(&scene);
    Story s = run(sim, 2.0);
    assert_true(s.overlap < 0.1);
    assert_true(s.fastest < 0.01 * sqrt(9.81 * 0.4));
    vl_sim_destroy(&sim);
  }
}

/* A block of 0.3 times the water's density on the floor of a pool, held down by a heavy one or by pins on its back that
 * press it by 2 mm. */
static void test_light(void **state)
{
  (void)state;
  for (int pinned = 0; pinned < 2; pinned++) {
    vlBodyDef bodies[2] = {block("light", vl_vec(0.5, 0.1015, 0.5), 0.2), block("heavy", vl_vec(0.5, 0.31, 0.5), 0.2)};
    vlPinDef pin = {.region = vl_shape_default(VL_SHAPE_BOX), .axes = 2, .velocity = vl_vec(0, -0.05, 0), .end = 0.1};
    pin.region.center = vl_vec(0.5, 0.2, 0.5);
    pin.region.size = vl_vec(0.3, 0.05, 0.3);
    bodies[0].density = 300.0;
    bodies[1].density = 4000.0;
    bodies[0].stiffness_damping = bodies[1].stiffness_damping = 0.01;
    if (pinned) bodies[0].pins = &pin, bodies[0].pin_count = 1;
    vlScene scene = dry(bodies, pinned ? 1 : 2);
    fill(&scene, 0.6);
    vlSim *sim = start(&scene);
    Story s = run(sim, 1.0);
    assert_true(s.contacts >= 8);
    assert_true(s.overlap < 0.02 && s.sampled < 0.02);
    assert_true(s.fastest < 0.01 * sqrt(9.81 * 0.4));
    vl_sim_destroy(&sim);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_stack),
      cmocka_unit_test(test_light),
      cmocka_unit_test(test_pile),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
