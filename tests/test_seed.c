/* Seeding: as many particles as the volume asks for, in the liquid, out of the solid, always the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "liquid/seed.h"
#include "pond.h"

typedef struct Ball {
  vlVec3 center;
  double radius;
} Ball;

static double ball_distance(const void *data, vlVec3 x)
{
  const Ball *ball = data;
  return vl_norm(vl_sub(x, ball->center)) - ball->radius;
}

static vlSeed ball_seed(const Pond *pond, const Ball *ball, int per_axis)
{
  return (vlSeed){.per_axis = per_axis,
                  .velocity = vl_vec(1, 2, 3),
                  .liquid = ball_distance,
                  .liquid_data = ball,
                  .bounds = vl_grid_box(&pond->grid)};
}

static size_t seed_into(Pond *pond, const vlSeed *seed)
{
  vlStatus status = {0};
  size_t added = 0;
  if (vl_seed(pond->particles, &pond->grid, seed, &added, &status)) fail_msg("%s", status.message);
  return added;
}

static vlVec3 world(const Pond *pond, size_t i)
{
  const vlParticles *p = pond->particles;
  return vl_axpy(pond->grid.origin, pond->grid.dx, vl_vec((double)p->x[0][i], (double)p->x[1][i], (double)p->x[2][i]));
}

static void test_count_and_place(void **state)
{
  (void)state;
  for (int m = 1; m <= 4; m++) {
    Pond pond;
    double dx = m == 1 ? 0.02 : 0.04;
    int n = m == 1 ? 50 : 25;
    pond_create(&pond, n, n, n, dx, false);
    Ball ball = {vl_vec(0.21, 0.69, 1.62), 0.4}, solid = {vl_vec(0.21, 0.4, 1.62), 0.0};
    vlSeed seed = ball_seed(&pond, &ball, m);
    size_t count = seed_into(&pond, &seed);
    assert_int_equal(count, pond.particles->count);
    double wanted = 4.0 / 3.0 * VL_PI * 0.064 * m * m * m / (dx * dx * dx);
    assert_true(fabs((double)count / wanted - 1.0) < 0.01);
    /* positions are rounded to single precision */
    for (size_t i = 0; i < count; i++) {
      assert_true(ball_distance(&ball, world(&pond, i)) < 1e-6);
      assert_true(pond.particles->v[0][i] == 1.0f && pond.particles->v[1][i] == 2.0f && pond.particles->v[2][i] == 3.0f);
    }
    pond_destroy(&pond);
    /* a solid takes its part away, and a tenth of a cell around it */
    pond_create(&pond, n, n, n, dx, false);
    solid.radius = 0.3;
    seed.solid = ball_distance;
    seed.solid_data = &solid;
    size_t left = seed_into(&pond, &seed);
    assert_true(left < count);
    for (size_t i = 0; i < left; i++) assert_true(ball_distance(&solid, world(&pond, i)) >= 0.02 * dx - 1e-6);
    pond_destroy(&pond);
  }
}

static void test_slab(void **state)
{
  (void)state;
  Pond pond;
  pond_create(&pond, 100, 100, 1, 0.01, false);
  Ball ball = {vl_vec(0.2, 0.7, 1.105), 0.4};
  vlSeed seed = ball_seed(&pond, &ball, 2);
  size_t count = seed_into(&pond, &seed);
  assert_true(fabs((double)count / (VL_PI * 0.16 * 4 / 1e-4) - 1.0) < 0.01);
  for (size_t i = 0; i < count; i++) assert_true(pond.particles->x[2][i] == 0.5f && pond.particles->v[2][i] == 0.0f);
  pond_destroy(&pond);
}

/* Liquid all over the grid fills every cell and leaves none. */
static void test_full_grid(void **state)
{
  (void)state;
  Pond pond;
  pond_create(&pond, 19, 6, 5, 0.1, false);
  Ball ball = {vl_vec(0, 0, 0), 100};
  vlSeed seed = ball_seed(&pond, &ball, 2);
  assert_int_equal(seed_into(&pond, &seed), 19 * 6 * 5 * 8);
  for (size_t i = 0; i < pond.particles->count; i++)
    for (int a = 0; a < 3; a++)
      assert_true(pond.particles->x[a][i] >= 0.0f && pond.particles->x[a][i] < (float)pond.grid.n[a]);
  pond_destroy(&pond);
}

/* What comes into a source in steps of any length is its velocity times its section, and never more than a cell holds. */
static void test_stream(void **state)
{
  (void)state;
  for (int steps = 4; steps <= 64; steps *= 4) {
    Pond pond;
    pond_create(&pond, 40, 20, 20, 0.05, false);
    Ball ball = {vl_add(pond.grid.origin, vl_vec(0.5, 0.5, 0.5)), 0.25};
    vlSeed seed = ball_seed(&pond, &ball, 2);
    size_t come = 0, start = seed_into(&pond, &seed);
    double time = 0.4, speed = 1.5;
    seed.only_new = true;
    for (int n = 1; n <= steps; n++) {
      seed.shift[0] = speed * time * n / steps / 0.05;
      seed.way[0] = speed * time / steps / 0.05;
      for (size_t i = 0; i < pond.particles->count; i++) pond.particles->x[0][i] += (float)seed.way[0];
      unsigned char *keep = malloc(pond.particles->count + 1);
      assert_non_null(keep);
      for (size_t i = 0; i < pond.particles->count; i++) keep[i] = pond.particles->x[0][i] < 39.9f;
      vl_particles_filter(pond.particles, keep);
      free(keep);
      pond_sort(&pond);
      come += seed_into(&pond, &seed);
    }
    double cell = 8.0 / (0.05 * 0.05 * 0.05), expected = VL_PI * 0.0625 * speed * time * cell;
    assert_true(fabs((double)start / (4.0 / 3.0 * VL_PI * 0.015625 * cell) - 1.0) < 0.02);
    if (fabs((double)come / expected - 1.0) > 0.03) fail_msg("%d steps: %zu of %.0f", steps, come, expected);
    pond_destroy(&pond);
  }
}

static void test_deterministic(void **state)
{
  (void)state;
  Pond pond[3];
  Ball ball = {vl_vec(0.2, 0.7, 1.6), 0.4};
  for (int n = 0; n < 3; n++) {
    pond_create(&pond[n], 25, 25, 25, 0.04, false);
    vlSeed seed = ball_seed(&pond[n], &ball, 2);
    seed.salt = n == 2;
    seed_into(&pond[n], &seed);
  }
  const vlParticles *p = pond[0].particles, *q = pond[1].particles, *r = pond[2].particles;
  assert_int_equal(p->count, q->count);
  for (int a = 0; a < 3; a++) assert_memory_equal(p->x[a], q->x[a], p->count * sizeof(float));
  /* another salt, another jitter */
  assert_memory_not_equal(p->x[0], r->x[0], 100 * sizeof(float));
  for (int n = 0; n < 3; n++) pond_destroy(&pond[n]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_count_and_place), cmocka_unit_test(test_slab),          cmocka_unit_test(test_full_grid),
      cmocka_unit_test(test_stream),          cmocka_unit_test(test_deterministic),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
