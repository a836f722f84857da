/* Distance to bodies on the grid, and particles that bodies push along. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "carry_parts.h"
#include "cut/patches.h"
#include "elastic_bodies.h"
#include "grids.h"
#include "liquid/advect.h"
#include "liquid/particles.h"
#include "solid/body_distance.h"

/* m: to the box from lo to hi */
static double box_distance(vlVec3 lo, vlVec3 hi, vlVec3 x)
{
  double out = 0.0, in = -INFINITY;
  for (int a = 0; a < 3; a++) {
    double d = fmax(lo.v[a] - x.v[a], x.v[a] - hi.v[a]);
    in = fmax(in, d);
    out += d > 0.0 ? d * d : 0.0;
  }
  return in < 0.0 ? in : sqrt(out);
}

static void shift_body(vlBody *body, vlVec3 by)
{
  for (int i = 0; i < body->node_count; i++) body->x[i] = vl_add(body->x[i], by);
}

static void set_body_velocity(vlBody *body, vlVec3 v)
{
  for (int i = 0; i < body->node_count; i++) body->v[i] = v;
}

/* Around a box: the exact distance and the body's velocity, also after it has moved on, and nothing left where it was. */
static void test_distance(void **state)
{
  (void)state;
  vlStatus status = {0};
  vlGrid g = make_grid(40, 24, 20, 0.05, vl_vec(0, 0, 0));
  vlVec3 size = vl_vec(0.3, 0.25, 0.2), at = vl_vec(0.41, 0.33, 0.37), v = vl_vec(0.4, -0.2, 0.1);
  vlBody *body = &new_body(size, 3, 3, 3, rubber, VL_ELASTIC_LINEAR, VL_ELASTIC_BACKWARD_EULER)->body;
  vlBodyDistance d;
  vlBlocks shape = {.n = {g.n[0], g.n[1], g.n[2]}, .columns = g.blocks_x};
  assert_int_equal(vl_body_distance_create(&d, &g, 1, &status), VL_OK);
  shift_body(body, at);
  set_body_velocity(body, v);
  for (int move = 0; move < 2; move++) {
    assert_int_equal(vl_body_distance_update(&d, &g, &body, NULL, &status), VL_OK);
    int near = 0;
    for (int k = 0; k < g.n[2]; k++)
      for (int j = 0; j < g.n[1]; j++)
        for (int i = 0; i < g.n[0]; i++) {
          vlVec3 x = vl_scale(vl_vec(i, j, k), g.dx);
          double exact = box_distance(at, vl_add(at, size), x);
          bool valid = d.near[vl_blocks_place(&shape, i / VL_BLOCK, j, k)] == 2;
          if (fabs(exact) < 3.0 * g.dx && i < g.n[0] - 1) assert_true(valid);
          if (fabs(exact) > (3.0 + 18.0) * g.dx) assert_false(valid);
          if (!valid) continue;
          near++;
          ptrdiff_t c = vl_grid_at(&g, i, j, k);
          assert_true(fabs(d.distance[c] * g.dx - exact) <= 1e-9);
          assert_true(fabs(vl_body_distance_at(&d, x) - exact) <= 1e-9);
          for (int a = 0; a < 3; a++) assert_true(fabs(d.velocity[a][c] - v.v[a]) <= 1e-12);
        }
    assert_true(near > 500);
    shift_body(body, vl_vec(0.9, 0.1, 0.05));
    at = vl_add(at, vl_vec(0.9, 0.1, 0.05));
  }
  vl_body_distance_clear(&d, &g);
  vl_body_destroy(&body);
}

/* Bodies farther away than integers count cells, on either side: no distance, no patch in any cell. */
static void test_far_away(void **state)
{
  (void)state;
  vlStatus status = {0};
  vlGrid g = make_grid(20, 12, 12, 0.05, vl_vec(0, 0, 0));
  vlVec3 size = vl_vec(0.3, 0.25, 0.2), at = vl_vec(0.31, 0.13, 0.17);
  const double far[] = {1e3, 1e9, -1e9, 3e12, -3e12, 1e100, -1e100};
  vlBody *body = &new_body(size, 2, 2, 2, rubber, VL_ELASTIC_LINEAR, VL_ELASTIC_BACKWARD_EULER)->body;
  int first_node[] = {0, body->node_count};
  vlBodySet bodies = {.body = &body, .first_node = first_node, .count = 1};
  vlPatches patches = {0};
  vlBodyDistance d;
  shift_body(body, at);
  assert_int_equal(vl_body_distance_create(&d, &g, 1, &status), VL_OK);
  for (size_t f = 0; f < 3 * sizeof far / sizeof *far; f++) {
    vlVec3 kept[256], by = vl_vec(0, 0, 0);
    by.v[f % 3] = far[f / 3];
    memcpy(kept, body->x, (size_t)body->node_count * sizeof *kept);
    shift_body(body, by);
    assert_int_equal(vl_body_distance_update(&d, &g, &body, NULL, &status), VL_OK);
    assert_int_equal(d.block_count, 0);
    assert_int_equal(vl_patches_update(&patches, &bodies, 0, 1, &g, &status), VL_OK);
    for (int q = 0; q < patches.count; q++) assert_false(vl_grid_holds(&g, patches.patch[q].cell));
    memcpy(body->x, kept, (size_t)body->node_count * sizeof *kept);
    assert_int_equal(vl_body_distance_update(&d, &g, &body, NULL, &status), VL_OK);
    assert_true(d.block_count > 0);
  }
  vl_patches_clear(&patches);
  vl_body_distance_clear(&d, &g);
  vl_body_destroy(&body);
}

/* A body that flies through a long box: distances where it is, and pages of fields no more than half as many again as where
 * it began. */
static void test_flight(void **state)
{
  (void)state;
  vlStatus status = {0};
  vlGrid g = make_grid(24, 24, 400, 0.05, vl_vec(0, 0, 0));
  vlVec3 at = vl_vec(0.41, 0.33, 0.37), size = vl_vec(0.3, 0.25, 0.6);
  vlBody *body = &new_body(size, 3, 3, 3, rubber, VL_ELASTIC_LINEAR, VL_ELASTIC_BACKWARD_EULER)->body;
  vlBodyDistance d;
  size_t first = 0, most = 0;
  assert_int_equal(vl_body_distance_create(&d, &g, 1, &status), VL_OK);
  shift_body(body, at);
  for (; at.z < 19.0; at.z += 0.09) {
    assert_int_equal(vl_body_distance_update(&d, &g, &body, NULL, &status), VL_OK);
    for (size_t i = 0; i < d.corner_count; i += 5) {
      ptrdiff_t from = d.corner[i].at - g.offset,
                c[3] = {from % g.stride[1], from % g.stride[2] / g.stride[1], from / g.stride[2]};
      double exact = box_distance(at, vl_add(at, size), vl_scale(vl_vec((double)c[0], (double)c[1], (double)c[2]), g.dx));
      assert_true(fabs(d.distance[d.corner[i].at] * g.dx - exact) <= 1e-9);
    }
    most = d.pages.held > most ? d.pages.held : most;
    if (first == 0) first = most;
    assert_true(vl_body_distance_bytes(&d) >= 4.0 * (double)(d.pages.used << d.pages.shift));
    shift_body(body, vl_vec(0, 0, 0.09));
  }
  print_message("%zu pages, most %zu\n", first, most);
  assert_true(first > 0 && 2 * most < 3 * first); /* all: 12 times as many */
  vl_body_distance_clear(&d, &g);
  vl_body_destroy(&body);
}

static void set_blocks(vlBlocks *blocks, int lo, int hi)
{
  vl_blocks_begin(blocks);
  for (int k = lo; k < hi; k++)
    for (int j = lo; j < 34; j++)
      for (int bx = 0; bx < 5; bx++)
        if ((bx + j + k) % 5) assert_true(vl_blocks_append(blocks, bx, j, k));
  vl_blocks_end(blocks);
}

/* On some blocks, then on some more: on these, all that an update everywhere gives, bit for bit, and nothing outside them.
 * Two bodies, one of them so large that blocks lie deep in it. */
static void test_some_blocks(void **state)
{
  (void)state;
  vlStatus status = {0};
  vlGrid g = make_grid(65, 34, 34, 0.05, vl_vec(0, 0, 0));
  vlBody *body[2] = {&new_body(vl_vec(3.0, 1.6, 1.6), 3, 2, 2, rubber, VL_ELASTIC_LINEAR, VL_ELASTIC_BACKWARD_EULER)->body,
                     &new_body(vl_vec(0.1, 0.3, 0.12), 2, 5, 2, rubber, VL_ELASTIC_LINEAR, VL_ELASTIC_BACKWARD_EULER)->body};
  shift_body(body[0], vl_vec(0.07, 0.02, 0.03));
  shift_body(body[1], vl_vec(3.12, 0.61, 0.42)); /* beside it, and at a side of the box */
  set_body_velocity(body[0], vl_vec(1, 2, 3));
  set_body_velocity(body[1], vl_vec(-1, 0.5, 0));
  vlBodyDistance all, some;
  vlBlocks first, more;
  assert_int_equal(vl_body_distance_create(&all, &g, 2, &status), VL_OK);
  assert_int_equal(vl_body_distance_create(&some, &g, 2, &status), VL_OK);
  assert_int_equal(vl_blocks_create(&first, g.n, &status), VL_OK);
  assert_int_equal(vl_blocks_create(&more, g.n, &status), VL_OK);
  set_blocks(&first, 4, 18);
  set_blocks(&more, 2, 34);
  assert_int_equal(vl_body_distance_update(&all, &g, body, NULL, &status), VL_OK);
  assert_int_equal(vl_body_distance_update(&some, &g, body, &first, &status), VL_OK);
  assert_int_equal(vl_body_distance_extend(&some, &g, body, &first, &more, &status), VL_OK);
  int near = 0, deep = 0;
  for (int k = 0; k < g.n[2]; k++)
    for (int j = 0; j < g.n[1]; j++)
      for (int i = 0; i < g.n[0]; i++) {
        size_t place = vl_blocks_place(&more, i / VL_BLOCK, j, k);
        bool listed = vl_blocks_find(&more, i / VL_BLOCK, j, k) >= 0 || vl_blocks_find(&first, i / VL_BLOCK, j, k) >= 0;
        assert_int_equal(some.near[place], listed ? all.near[place] : VL_BODY_FAR);
        if (some.near[place] == VL_BODY_DEEP) assert_true(vl_body_distance_at(&all, vl_grid_center(&g, i, j, k)) < 0.0);
        deep += some.near[place] == VL_BODY_DEEP;
        if (some.near[place] != VL_BODY_NEAR) continue;
        near++;
        for (int c = 0; c < 8; c++) {
          ptrdiff_t at = vl_grid_at(&g, i + c % 2, j + c / 2 % 2, k + c / 4);
          vlVec3 x = vl_scale(vl_vec(i + c % 2, j + c / 2 % 2, k + c / 4), g.dx);
          assert_true(some.distance[at] == all.distance[at]);
          assert_true(some.distance[at] == vl_body_distance_at(&all, x) / g.dx); /* without hints */
          for (int a = 0; a < 3; a++) assert_true(some.velocity[a][at] == all.velocity[a][at]);
        }
      }
  assert_true(near > 1000 && deep > 100);
  vl_blocks_clear(&first);
  vl_blocks_clear(&more);
  for (int b = 0; b < 2; b++) vl_body_destroy(&body[b]);
  vl_body_distance_clear(&all, &g);
  vl_body_distance_clear(&some, &g);
}

/* A plate a little over two cells thick sweeps through particles at rest, by 1.6 cells a step: all that it met are in front
 * of it in the end, and none behind. */
static void test_sweep(void **state)
{
  (void)state;
  vlStatus status = {0};
  vlGrid g = make_grid(48, 16, 16, 0.1, vl_vec(0, 0, 0));
  vlBody *plate = &new_body(vl_vec(0.21, 1.0, 1.0), 1, 4, 4, rubber, VL_ELASTIC_LINEAR, VL_ELASTIC_BACKWARD_EULER)->body;
  vlBodyDistance d;
  vlParticles *p = NULL;
  vlBlocks wet;
  double *u[3], dt = 0.01, way = 0.16;
  vlFlight still = {0};
  assert_int_equal(vl_body_distance_create(&d, &g, 1, &status), VL_OK);
  assert_int_equal(vl_particles_create(&p, &g, 0, &status), VL_OK);
  assert_int_equal(vl_blocks_create(&wet, g.n, &status), VL_OK);
  for (int a = 0; a < 3; a++) assert_non_null(u[a] = vl_field_create(&g));
  assert_int_equal(vl_particles_reserve(p, 1000, &status), VL_OK);
  for (int i = 0; i < 1000; i++) { /* in front of the middle of the plate */
    const float x[3] = {10.0f + 0.02f * (float)i, 5.0f + 0.06f * (float)(i * 37 % 100),
                        5.0f + 0.06f * (float)(i * 61 % 100)};
    vl_particles_add(p, x, (const float[3]){0.0f, 0.0f, 0.0f});
  }
  shift_body(plate, vl_vec(0.5, 0.3, 0.3));
  set_body_velocity(plate, vl_vec(way / dt, 0, 0));
  double back = 0.5;
  for (int step = 0; step < 15; step++) {
    shift_body(plate, vl_vec(way, 0, 0));
    back += way;
    assert_int_equal(vl_body_distance_update(&d, &g, &plate, NULL, &status), VL_OK);
    vlObstacles o = {.shape = &wet, .body_distance = d.distance, .body_near = d.near, .body_velocity = d.velocity};
    size_t stuck = move_only(p, &g, u, dt, VL_INTEGRATOR_RK2, o, &still);
    assert_int_equal(stuck, 0);
    for (size_t i = 0; i < p->count; i++) assert_true((double)p->x[0][i] * g.dx >= back + 0.21);
  }
  for (int a = 0; a < 3; a++) vl_field_destroy(&g, &u[a]);
  vl_blocks_clear(&wet);
  vl_particles_destroy(&p);
  vl_body_distance_clear(&d, &g);
  vl_body_destroy(&plate);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_distance),    cmocka_unit_test(test_far_away), cmocka_unit_test(test_flight),
      cmocka_unit_test(test_some_blocks), cmocka_unit_test(test_sweep),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
