/* Bodies in the medium that meet themselves, and bodies that pins hold in a flood. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "immersed_scene.h"

static double rest_height(const vlBody *body, int e)
{
  double y = 0.0;
  for (int c = 0; c < 4; c++) y += 0.25 * body->rest[body->node[4 * e + c]].y;
  return y;
}

/* Grains of one prong that lie in elements of the other, by height at rest: of those within a spacing of its surface, and of
 * those deeper inside. */
static void count_across(const vlBody *body, double middle, double apart, int count[2])
{
  const vlGrains *g = &((const vlReduced *)body)->grains;
  count[0] = count[1] = 0;
  for (int i = 0; i < g->count; i++) {
    double own = g->rest[i].y - middle;
    bool in = false;
    for (int e = 0; e < body->element_count && fabs(own) > apart && !in; e++) {
      double other = rest_height(body, e) - middle;
      in = own * other < 0.0 && fabs(other) > apart && in_element(body, e, g->x[i]);
    }
    count[!vl_grain_is_outer(g, i)] += in;
  }
}

/* A fork of two prongs 10 cm apart on the floor. */
static vlSim *fork_with(double gravity, const char *more)
{
  char text[1400];
  snprintf(
      text, sizeof text,
      "{engine: immersed, grid: {size: [1, 0.7, 0.7], cells: 20}, gravity: [0, %g, 0], bodies: [{name: fork, shape: "
      "union, center: [0.5, 0.21, 0.35], cell: 0.05, blend: 0.01, young: 1e5, handles: 40, parts: [{shape: box, center: "
      "[0.05, -0.125, 0], size: [0.6, 0.15, 0.4]}, {shape: box, center: [0.05, 0.125, 0], size: [0.6, 0.15, 0.4]}, "
      "{shape: box, center: [-0.25, 0, 0], size: [0.12, 0.4, 0.4]}]}]%s}",
      gravity, more);
  return immersed(text, 1);
}

/* m: between the skins of the prongs at their tips, by the means of their grains. */
static double gap_of(const vlBody *body)
{
  const vlGrains *g = &((const vlReduced *)body)->grains;
  double sum[2] = {0.0, 0.0};
  int count[2] = {0, 0};
  for (int i = 0; i < g->count; i++) {
    double y = g->rest[i].y - 0.21;
    if (g->rest[i].x < 0.7 || fabs(y) > 0.05 + g->spacing) continue;
    sum[y > 0.0] += g->x[i].y;
    count[y > 0.0]++;
  }
  return sum[1] / count[1] - sum[0] / count[0];
}

/* The upper prong's weight folds it down onto the lower one, where it lies: none of its grains goes into the other. */
static void test_self(void **state)
{
  (void)state;
  vlSim *sim = fork_with(-9.81, "");
  int most = 0, count[2];
  for (int s = 0; s < 300; s++) {
    one_step(sim, 1.0 / 60.0);
    if (s % 30 != 29) continue;
    count_across(body_at(sim, 0), 0.21, 0.05, count);
    most = count[0] + count[1] > most ? count[0] + count[1] : most;
  }
  double spacing = ((const vlReduced *)body_at(sim, 0))->grains.spacing, gap = gap_of(body_at(sim, 0)) / spacing;
  print_message(
      "a prong on the other for 5 s: at most %d grains of one in the other, %d at the end; %.2f spacings between\n", most,
      count[0] + count[1], gap);
  assert_true(most <= 5);
  assert_int_equal(count[0] + count[1], 0);
  assert_true(gap > 0.8 && gap < 1.5); /* they meet; grains have room for themselves */
  assert_int_equal(body_at(sim, 0)->inverted, 0);
  vl_sim_destroy(&sim);
}

/* Hands draw the prongs' tips against each other by twice the gap between them. */
static void test_pressed(void **state)
{
  (void)state;
  vlSim *sim = fork_with(0.0, ", drags: [{body: fork, point: [0.84, 0.41, 0.35], radius: 0.1, end: 9 s, path: [{time: 1 s, "
                              "position: [0.84, 0.31, 0.35]}]}, {body: fork, point: [0.84, 0.01, 0.35], radius: 0.1, end: "
                              "9 s, path: [{time: 1 s, position: [0.84, 0.11, 0.35]}]}]");
  int most = 0, count[2];
  for (int s = 0; s < 180; s++) {
    one_step(sim, 1.0 / 60.0);
    if (s % 30 != 29) continue;
    count_across(body_at(sim, 0), 0.21, 0.05, count);
    most = count[0] + count[1] > most ? count[0] + count[1] : most;
  }
  print_message("prongs pressed together by hands: at most %d grains of one in the other\n", most);
  assert_int_equal(most, 0);
  assert_int_equal(body_at(sim, 0)->inverted, 0);
  vl_sim_destroy(&sim);
}

/* m: what a post in a flood does. */
typedef struct Post {
  double foot, most, last; /* ways: of pinned nodes, at most; of its top, at most and in the mean of the last second */
  double strain;
  int inverted;
} Post;

static double way_of(const vlBody *body, double above)
{
  double sum = 0.0;
  int count = 0;
  for (int i = 0; i < body->node_count; i++) {
    if (body->rest[i].y < above) continue;
    sum += body->x[i].x - body->rest[i].x;
    count++;
  }
  return sum / count;
}

static Post flood(double young)
{
  char text[900];
  snprintf(
      text, sizeof text,
      "{engine: immersed, grid: {size: [2, 1, 0.5], cells: 32}, liquid: {shapes: [{shape: box, center: [0.3, 0.4, 0.25], "
      "size: [0.6, 0.8, 1]}]}, bodies: [{name: post, shape: box, center: [1.2, 0.31, 0.25], size: [0.15, 0.6, 0.15], "
      "cell: 0.06, density: 500, young: %g, pins: [{shape: halfspace, center: [0, 0.1, 0]}]}]}",
      young);
  vlSim *sim = immersed(text, 1);
  const vlBody *body = body_at(sim, 0);
  Post post = {0};
  const int steps = 300, second = 60;
  for (int s = 0; s < steps; s++) {
    one_step(sim, 1.0 / 60.0);
    double way = way_of(body, 0.59);
    post.most = fmax(post.most, fabs(way));
    if (s >= steps - second) post.last += way / second;
    post.strain = fmax(post.strain, strain_of(body));
    post.inverted = body->inverted > post.inverted ? body->inverted : post.inverted;
    for (int i = 0; i < body->node_count; i++)
      if (body->rest[i].y < 0.1) post.foot = fmax(post.foot, vl_norm(vl_sub(body->x[i], body->rest[i])));
  }
  vl_sim_destroy(&sim);
  return post;
}

/* A flood bends a post whose foot is held, the more the softer it is; the foot stays, and the post comes up again. Most of
 * the bend is that of the first blow, in which the medium moves what stands in its way before elasticity hears of it: a
 * tenth of the stiffness means but 0.7 of it. */
static void test_flood(void **state)
{
  (void)state;
  static const double young[] = {2e5, 5e5, 2e6};
  double before = INFINITY, first = 0.0;
  for (int k = 0; k < 3; k++) {
    Post post = flood(young[k]);
    print_message("young %g: bent by %.4f m, then %.4f m; foot %.2e m, strain %.3f, %d inside out\n", young[k], post.most,
                  post.last, post.foot, post.strain, post.inverted);
    assert_true(post.foot < 1e-3);
    assert_true(post.most < before && post.most > 0.005);
    assert_true(fabs(post.last) < 0.2 * post.most);
    assert_int_equal(post.inverted, 0);
    before = post.most;
    first = fmax(first, before);
  }
  assert_true(before < 0.8 * first);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_self), cmocka_unit_test(test_pressed),
                                     cmocka_unit_test(test_flood)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
