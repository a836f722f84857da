/* Particles that look nothing up far from solids, against particles that always look. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "carry_parts.h"
#include "elastic_bodies.h"
#include "liquid/advect.h"
#include "pond.h"
#include "solid/body_distance.h"

enum { COUNT = 20000 };

/* Random winds of up to `way` cells a step around a body that moves and turns: same bits. */
static size_t compare(double way, int *calm_blocks)
{
  static float kept[6][COUNT];
  Pond pond;
  pond_create(&pond, 70, 24, 26, 0.05, false);
  const vlGrid *g = &pond.grid;
  vlStatus status = {0};
  uint64_t seed = 5;
  double dt = 0.01, speed = way * g->dx / dt;
  for (int a = 0; a < 3; a++)
    for (size_t i = 0; i < g->length; i++) pond.u[a][i] = speed * (2.0 * pond_random(&seed) - 1.0);
  vlBody *body = &new_body(vl_vec(0.3, 0.3, 0.2), 2, 2, 2, rubber, VL_ELASTIC_LINEAR, VL_ELASTIC_BACKWARD_EULER)->body;
  for (int i = 0; i < body->node_count; i++) {
    body->x[i] = vl_add(body->x[i], vl_add(g->origin, vl_vec(0.5, 0.4, 0.6)));
    body->v[i] = vl_vec(4.0 * body->rest[i].y, 3.0 - 9.0 * body->rest[i].x, 2.0);
  }
  vlBodyDistance d;
  assert_int_equal(vl_body_distance_create(&d, g, 1, &status), VL_OK);
  assert_int_equal(vl_body_distance_update(&d, g, &body, NULL, &status), VL_OK);
  vlObstacles o = {.shape = &pond.wet, .body_distance = d.distance, .body_near = d.near, .body_velocity = d.velocity};
  vlCalm calm = {0};
  assert_int_equal(vl_calm_update(&calm, &o, &status), VL_OK);
  vlParticles *p = pond.particles;
  vlFlight ground = {0};
  size_t stuck[3], pushed = 0;
  for (int quick = 0; quick < 3; quick++) { /* the third without obstacles: to know whom they concern */
    const double lo[3] = {0, 0, 0}, hi[3] = {70, 24, 26};
    p->count = 0;
    pond_scatter(&pond, COUNT, lo, hi, 3);
    o.calm = quick ? calm.block : NULL;
    stuck[quick] = move_only(p, g, pond.u, dt, VL_INTEGRATOR_RK3, quick < 2 ? o : (vlObstacles){0}, &ground);
    for (size_t i = 0; i < COUNT && quick == 2; i++) pushed += p->x[0][i] != kept[0][i];
    for (int c = 0; c < 6 && quick < 2; c++) {
      const float *now = c < 3 ? p->x[c] : p->v[c - 3];
      if (quick) assert_memory_equal(now, kept[c], COUNT * sizeof *now);
      memcpy(kept[c], now, COUNT * sizeof *now);
    }
  }
  assert_int_equal(stuck[0], stuck[1]);
  *calm_blocks = 0;
  for (int b = 0; b < pond.wet.count; b++) *calm_blocks += calm.block[b];
  vl_calm_clear(&calm);
  vl_body_distance_clear(&d, g);
  vl_body_destroy(&body);
  pond_destroy(&pond);
  return pushed;
}

static void test_same_ways(void **state)
{
  (void)state;
  const double ways[] = {0.4, 2.0, 6.0};
  for (int w = 0; w < 3; w++) {
    int calm;
    size_t pushed = compare(ways[w], &calm);
    assert_true(calm > 500 && calm < 5 * 24 * 26 - 300); /* of 3120 blocks: both kinds are many */
    assert_true(pushed > 50);
  }
}

/* A block whose neighbours are not all in the set is not called calm; one beside a side of the box may be. */
static void test_border(void **state)
{
  (void)state;
  vlStatus status = {0};
  vlGrid g = make_grid(64, 12, 12, 0.1, vl_vec(0, 0, 0));
  vlBlocks set;
  assert_int_equal(vl_blocks_create(&set, g.n, &status), VL_OK);
  vl_blocks_begin(&set);
  for (int k = 0; k < 8; k++)
    for (int j = 0; j < 12; j++)
      for (int bx = 0; bx < 4; bx++) assert_true(vl_blocks_append(&set, bx, j, k));
  vl_blocks_end(&set);
  unsigned char *near = calloc(set.map_length, 1);
  double nothing = 0.0;
  near[vl_blocks_place(&set, 1, 6, 3)] = 2;
  vlObstacles o = {.shape = &set, .distance = &nothing, .near = near};
  vlCalm calm = {0};
  assert_int_equal(vl_calm_update(&calm, &o, &status), VL_OK);
  for (int b = 0; b < set.count; b++) {
    vlBlockPosition p = set.at[b];
    bool beside = p.bx <= 2 && abs(p.j - 6) <= VL_CALM_WAY && abs(p.k - 3) <= VL_CALM_WAY, border = p.k > 5;
    assert_int_equal(calm.block[b], !beside && !border);
  }
  vl_calm_clear(&calm);
  free(near);
  vl_blocks_clear(&set);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_ways), cmocka_unit_test(test_border)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
