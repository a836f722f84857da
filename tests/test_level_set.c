/* The level set: how full a cell is below a plane, and the liquid drawn from shapes. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include <stdlib.h>

#include "grids.h"
#include "liquid/level_set.h"
#include "mesh_shapes.h"

/* Midpoint rule over columns: exact along the steepest axis, so the error falls with the square of the spacing. */
static double sampled_fraction(double phi, vlVec3 n)
{
  enum { SAMPLES = 200 };
  int a = 0;
  for (int b = 1; b < 3; b++)
    if (fabs(n.v[b]) > fabs(n.v[a])) a = b;
  int b = (a + 1) % 3, c = (a + 2) % 3;
  double sum = 0.0;
  for (int i = 0; i < SAMPLES; i++)
    for (int j = 0; j < SAMPLES; j++) {
      double x = (i + 0.5) / SAMPLES - 0.5, y = (j + 0.5) / SAMPLES - 0.5;
      double height = 0.5 - (phi + n.v[b] * x + n.v[c] * y) / fabs(n.v[a]);
      sum += fmin(1.0, fmax(0.0, height));
    }
  return sum / (SAMPLES * SAMPLES);
}

static vlVec3 random_unit(uint64_t *seed)
{
  vlVec3 n;
  do n = random_vec(seed, -1, 1);
  while (vl_norm(n) < 0.1 || vl_norm(n) > 1.0);
  return vl_unit(n);
}

static void fraction_against_sampling(void **state)
{
  (void)state;
  uint64_t seed = 1;
  for (int t = 0; t < 300; t++) {
    vlVec3 n = random_unit(&seed);
    if (t % 5 == 1) n = vl_unit(vl_vec(n.x, n.y, 1e-3 * n.z));
    if (t % 5 == 2) n = vl_unit(vl_vec(n.x, 1e-5 * n.y, 2e-5 * n.z));
    if (t % 5 == 3) n = vl_unit(vl_vec(1e-5 * n.x, n.y, n.z));
    double phi = random_between(&seed, -0.9, 0.9);
    assert_true(fabs(vl_level_set_fraction(phi, n, 1.0) - sampled_fraction(phi, n)) <=
                1e-4); /* 1/200 squared, times a few */
    double scaled = vl_level_set_fraction(0.03 * phi, n, 0.03);
    assert_true(fabs(scaled - vl_level_set_fraction(phi, n, 1.0)) <= 1e-12);
  }
}

static void fraction_in_closed_form(void **state)
{
  (void)state;
  for (int a = 0; a < 3; a++)
    for (int side = -1; side <= 1; side += 2)
      for (double phi = -0.7; phi <= 0.7; phi += 0.05) {
        vlVec3 n = vl_vec(0, 0, 0);
        n.v[a] = side;
        assert_true(fabs(vl_level_set_fraction(phi, n, 1.0) - fmin(1.0, fmax(0.0, 0.5 - phi))) <= 1e-15);
      }
  for (double alpha = 0.01; alpha < 1.0; alpha += 0.01) {
    /* x + y = 2 alpha over the square: a triangle, or the square without one */
    double area = alpha < 0.5 ? 2 * alpha * alpha : 1 - 2 * (1 - alpha) * (1 - alpha);
    assert_true(fabs(vl_level_set_fraction((0.5 - alpha) * sqrt(2.0), vl_vec(-sqrt(0.5), 0, sqrt(0.5)), 1.0) - area) <=
                1e-13);
    /* x + y + z = t over the cube: t^3/6 less three corners once t > 1 */
    double t = 3 * fmin(alpha, 1 - alpha), corner = t > 1 ? t - 1 : 0.0,
           volume = (t * t * t - 3 * corner * corner * corner) / 6;
    if (alpha > 0.5) volume = 1 - volume;
    double third = sqrt(1.0 / 3.0);
    assert_true(fabs(vl_level_set_fraction((0.5 - alpha) * sqrt(3.0), vl_vec(third, -third, third), 1.0) - volume) <= 1e-13);
  }
  assert_true(vl_level_set_fraction(-1e-9, vl_vec(0, 0, 0), 1.0) == 1.0 &&
              vl_level_set_fraction(1e-9, vl_vec(0, 0, 0), 1.0) == 0.0);
}

/* Both sides of the plane together fill the cell; lowering the surface never fills it; signs of the normal do not matter.
 * Cubes of order one cancel down to six times the product of the slopes, of which two may be 1e-4: 1e-16 becomes 2e-9. */
static void fraction_is_a_measure(void **state)
{
  (void)state;
  uint64_t seed = 2;
  for (int t = 0; t < 2000; t++) {
    vlVec3 n = random_unit(&seed);
    if (t % 4 == 1) n = vl_unit(vl_vec(n.x, pow(10, random_between(&seed, -8, 0)), pow(10, random_between(&seed, -8, 0))));
    double last = 1.0;
    for (double phi = -1.0; phi <= 1.0; phi += 0.02) {
      double f = vl_level_set_fraction(phi, n, 1.0);
      assert_true(f >= 0.0 && f <= 1.0 && f <= last + 1e-8);
      double other = vl_level_set_fraction(-phi, n, 1.0);
      if (!(fabs(f + other - 1.0) <= 1e-8))
        fail_msg("phi %g, normal (%g, %g, %g): %.17g and %.17g", phi, n.x, n.y, n.z, f, other);
      assert_true(fabs(f - vl_level_set_fraction(phi, vl_vec(-n.z, n.x, -n.y), 1.0)) <= 1e-8);
      last = f;
    }
    assert_true(vl_level_set_fraction(-0.87, n, 1.0) == 1.0 && vl_level_set_fraction(0.87, n, 1.0) == 0.0);
  }
  /* nearly along an axis, just full */
  vlVec3 n = vl_unit(vl_vec(1, 2e-4, 0.9e-4));
  double last = 1.0;
  for (double phi = -0.501; phi <= -0.499; phi += 1e-6) {
    double f = vl_level_set_fraction(phi, n, 1.0);
    assert_true(f <= last + 1e-8 && fabs(f + vl_level_set_fraction(-phi, n, 1.0) - 1.0) <= 1e-8);
    last = f;
  }
}

typedef struct Liquid {
  vlGrid grid;
  double *phi;
  vlBlocks wet;
} Liquid;

static Liquid draw(const vlLiquidDef *def, vlGrid grid, vlSkipBlock *skip)
{
  Liquid liquid = {.grid = grid, .phi = vl_field_create(&grid)};
  vlStatus status = {0};
  assert_non_null(liquid.phi);
  assert_int_equal(vl_blocks_create(&liquid.wet, grid.n, &status), VL_OK);
  if (vl_level_set_from_shapes(def, NULL, &grid, skip, NULL, liquid.phi, &liquid.wet, &status) != VL_OK)
    fail_msg("%s", status.message);
  return liquid;
}

static void drain(Liquid *liquid)
{
  vl_field_destroy(&liquid->grid, &liquid->phi);
  vl_blocks_clear(&liquid->wet);
}

static double volume_of(const Liquid *liquid)
{
  double sum = 0.0;
  for (int b = 0; b < liquid->wet.count; b++)
    for (int l = 0; l < vl_blocks_width(&liquid->wet, liquid->wet.at[b]); l++)
      sum += vl_level_set_cell_fraction(&liquid->grid, liquid->phi, vl_blocks_field(&liquid->grid, liquid->wet.at[b]) + l);
  return sum * pow(liquid->grid.dx, 3);
}

/* Every cell: phi is the given distance in wet blocks; liquid cells, their neighbours, and the neighbours of every cell the
 * surface may cross are in wet blocks. */
static void check_drawn(const Liquid *liquid, double (*distance)(vlVec3))
{
  const vlGrid *g = &liquid->grid;
  int64_t cells = 0;
  for (int k = 0; k < g->n[2]; k++)
    for (int j = 0; j < g->n[1]; j++)
      for (int i = 0; i < g->n[0]; i++) {
        double d = distance(vl_grid_center(g, i, j, k));
        bool wet = vl_blocks_find(&liquid->wet, i / VL_BLOCK, j, k) >= 0;
        if (wet) assert_true(fabs(liquid->phi[vl_grid_at(g, i, j, k)] - d) <= 1e-13);
        cells += d < 0.0;
        if (!(d < 0.866 * g->dx)) continue;
        for (int s = 0; s < 7; s++) {
          int c[3] = {i, j, k};
          if (s < 6) c[s / 2] += s % 2 ? 1 : -1;
          bool inside = true;
          for (int a = 0; a < 3; a++) inside = inside && c[a] >= 0 && c[a] < g->n[a];
          if (inside) assert_true(vl_blocks_find(&liquid->wet, c[0] / VL_BLOCK, c[1], c[2]) >= 0);
        }
      }
  assert_true(cells > 0);
}

static const double LEVEL = 0.433;
static double below_level(vlVec3 x) { return x.y - LEVEL; }

static void flat_levels(void **state)
{
  (void)state;
  vlLiquidDef def = {.has_level = true, .level = LEVEL};
  const int sizes[][3] = {{20, 20, 20}, {33, 20, 1}, {16, 9, 17}, {1, 20, 5}};
  for (int c = 0; c < 4; c++) {
    double dx = 1.0 / sizes[c][1];
    Liquid liquid = draw(&def, make_grid(sizes[c][0], sizes[c][1], sizes[c][2], dx, vl_vec(-0.2, 0, 5)), NULL);
    check_drawn(&liquid, below_level);
    double volume = LEVEL * sizes[c][0] * sizes[c][2] * dx * dx;
    assert_true(fabs(volume_of(&liquid) - volume) <= 1e-12 * volume); /* a plane is cut exactly, also along the sides */
    drain(&liquid);
  }
}

static const vlVec3 CENTER = {.v = {0.47, 0.53, 0.51}};
static const double RADIUS = 0.31;
static double in_ball(vlVec3 x) { return vl_norm(vl_sub(x, CENTER)) - RADIUS; }

static vlShape ball_at(vlVec3 center)
{
  return (vlShape){
      .kind = VL_SHAPE_SPHERE, .center = center, .rotation = vl_mat_identity(), .radius = RADIUS, .scale = {{1, 1, 1}}};
}

static void balls_and_larger_boxes(void **state)
{
  (void)state;
  vlShape ball = ball_at(CENTER);
  vlLiquidDef def = {.shapes = &ball, .shape_count = 1};
  double volume = 4.0 / 3.0 * VL_PI * pow(RADIUS, 3), errors[2];
  for (int r = 0; r < 2; r++) {
    int n = 25 << r;
    Liquid liquid = draw(&def, make_grid(n, n, n, 1.0 / n, vl_vec(0, 0, 0)), NULL);
    check_drawn(&liquid, in_ball);
    errors[r] = fabs(volume_of(&liquid) / volume - 1.0);
    Liquid wide = draw(&def, make_grid(2 * n, 2 * n, 2 * n, 1.0 / n, vl_vec(0, 0, 0)), NULL);
    check_drawn(&wide, in_ball);
    assert_true(fabs(volume_of(&wide) / volume_of(&liquid) - 1.0) <= 1e-12);
    drain(&liquid);
    drain(&wide);
  }
  assert_true(errors[0] < 0.01 && errors[1] < 0.5 * errors[0]);
}

static double in_both(vlVec3 x) { return fmin(below_level(x), in_ball(x)); }

static void shapes_are_united(void **state)
{
  (void)state;
  vlShape ball = ball_at(CENTER);
  vlLiquidDef def = {.has_level = true, .level = LEVEL, .shapes = &ball, .shape_count = 1}, none = {0};
  Liquid liquid = draw(&def, make_grid(30, 30, 30, 1.0 / 30, vl_vec(0, 0, 0)), NULL);
  check_drawn(&liquid, in_both);
  drain(&liquid);
  liquid = draw(&none, make_grid(30, 30, 30, 1.0 / 30, vl_vec(0, 0, 0)), NULL);
  assert_int_equal(liquid.wet.count, 0);
  drain(&liquid);
  /* wholly outside the box */
  ball = ball_at(vl_vec(-3, 0.5, 9));
  def.has_level = false;
  liquid = draw(&def, make_grid(30, 30, 30, 1.0 / 30, vl_vec(0, 0, 0)), NULL);
  assert_int_equal(liquid.wet.count, 0);
  drain(&liquid);
}

/* Half of a ball on the floor: cells along the side see the right slope. */
static void liquid_at_the_sides(void **state)
{
  (void)state;
  vlShape ball = ball_at(vl_vec(0.5, 0.0, 0.5));
  vlLiquidDef def = {.shapes = &ball, .shape_count = 1};
  Liquid liquid = draw(&def, make_grid(50, 50, 50, 0.02, vl_vec(0, 0, 0)), NULL);
  double volume = 2.0 / 3.0 * VL_PI * pow(RADIUS, 3);
  assert_true(fabs(volume_of(&liquid) / volume - 1.0) < 5e-3);
  drain(&liquid);
}

/* A box a thousand times larger costs nothing: 2e10 cells around a ball. */
static void cost_follows_the_liquid(void **state)
{
  (void)state;
  vlShape ball = ball_at(CENTER);
  vlLiquidDef def = {.shapes = &ball, .shape_count = 1};
  Liquid liquid = draw(&def, make_grid(2700, 2700, 2700, 0.04, vl_vec(0, 0, 0)), NULL);
  assert_true(liquid.wet.count < 2000);
  double volume = 4.0 / 3.0 * VL_PI * pow(RADIUS, 3);
  assert_true(fabs(volume_of(&liquid) / volume - 1.0) < 0.01);
  drain(&liquid);
}

static bool skip_right(const void *data, vlVec3 center, double radius)
{
  (void)data;
  return center.x - radius > 0.5;
}

static void skipped_blocks_are_left_out(void **state)
{
  (void)state;
  vlLiquidDef def = {.has_level = true, .level = LEVEL};
  Liquid liquid = draw(&def, make_grid(80, 20, 4, 0.05, vl_vec(0, 0, 0)), skip_right);
  bool right = false;
  for (int b = 0; b < liquid.wet.count; b++) {
    right = right || liquid.wet.at[b].bx > 1;
    assert_true(liquid.wet.at[b].bx * VL_BLOCK * 0.05 < 0.5 + 0.05 + 1e-9 + 0.05);
  }
  assert_false(right);
  assert_true(vl_blocks_find(&liquid.wet, 0, 0, 0) >= 0);
  drain(&liquid);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fraction_against_sampling),   cmocka_unit_test(fraction_in_closed_form),
      cmocka_unit_test(fraction_is_a_measure),       cmocka_unit_test(flat_levels),
      cmocka_unit_test(balls_and_larger_boxes),      cmocka_unit_test(shapes_are_united),
      cmocka_unit_test(liquid_at_the_sides),         cmocka_unit_test(cost_follows_the_liquid),
      cmocka_unit_test(skipped_blocks_are_left_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
