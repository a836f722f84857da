/* Triangles against the grid: pieces add up to the triangle, lie in their cells, and agree with sampling. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "cut/cuts.h"
#include "mesh_shapes.h"

enum { MAX_PIECES = 40000 };

typedef struct Pieces {
  vlClipPiece piece[MAX_PIECES];
  int count;
} Pieces;

static Pieces pieces; /* too large for the stack */

static void collect(void *user, const vlClipPiece *piece)
{
  Pieces *list = user;
  assert_true(list->count < MAX_PIECES);
  list->piece[list->count++] = *piece;
}

static void clip(const vlVec3 x[3], const int n[3])
{
  pieces.count = 0;
  vl_clip_triangle(x, n, collect, &pieces);
}

static vlVec3 area_vector(const vlVec3 x[3]) { return vl_scale(vl_cross(vl_sub(x[1], x[0]), vl_sub(x[2], x[0])), 0.5); }

static vlVec3 sum_of_areas(void)
{
  vlVec3 sum = vl_vec(0, 0, 0);
  for (int p = 0; p < pieces.count; p++) sum = vl_add(sum, pieces.piece[p].area);
  return sum;
}

/* Centre inside the closed cell (cells beyond the sides are half-infinite), no cell twice, normal that of the triangle. */
static void check_places(const vlVec3 x[3], const int n[3], double slack)
{
  vlVec3 normal = vl_unit(area_vector(x));
  for (int p = 0; p < pieces.count; p++) {
    const vlClipPiece *piece = &pieces.piece[p];
    int outside = 0;
    for (int a = 0; a < 3; a++) {
      int cell = piece->cell[a];
      double c = piece->center.v[a];
      assert_true(cell >= -1 && cell <= n[a]);
      outside += cell < 0 || cell == n[a];
      if (cell >= 0) assert_true(c >= cell - slack);
      if (cell < n[a]) assert_true(c <= cell + 1 + slack);
    }
    assert_true(outside <= 1);
    double area = vl_norm(piece->area);
    assert_true(area > 0.0);
    if (area > 1e-6) assert_true(vl_norm(vl_sub(vl_scale(piece->area, 1.0 / area), normal)) < 1e-8);
    for (int q = 0; q < p && pieces.count < 200; q++)
      assert_false(memcmp(piece->cell, pieces.piece[q].cell, sizeof piece->cell) == 0);
  }
}

static void check_inside(const vlVec3 x[3], const int n[3])
{
  clip(x, n);
  check_places(x, n, 1e-12);
  vlVec3 area = area_vector(x), gap = vl_sub(sum_of_areas(), area);
  assert_true(vl_norm(gap) <= 1e-14 * fmax(1.0, pieces.count)); /* a rounding or two for each piece */
}

static void pieces_add_up(void **state)
{
  (void)state;
  uint64_t seed = 1;
  const int n[3] = {9, 7, 5};
  for (int t = 0; t < 20000; t++) {
    vlVec3 x[3];
    double size = t % 4 == 0 ? 0.3 : 5.0;
    vlVec3 base = vl_vec(random_between(&seed, 0, 9 - size), random_between(&seed, 0, 7 - size),
                         random_between(&seed, 0, fmax(0.0, 5 - size)));
    for (int v = 0; v < 3; v++) x[v] = vl_add(base, random_vec(&seed, 0, size));
    check_inside(x, n);
    vlVec3 moment = vl_vec(0, 0, 0); /* centres, weighted by area, add up to the triangle's */
    double total = vl_norm(area_vector(x));
    for (int p = 0; p < pieces.count; p++) moment = vl_axpy(moment, vl_norm(pieces.piece[p].area), pieces.piece[p].center);
    vlVec3 middle = vl_scale(vl_add(x[0], vl_add(x[1], x[2])), total / 3.0);
    assert_true(vl_norm(vl_sub(moment, middle)) <= 1e-12);
  }
}

/* Vertices and edges on planes, lines and nodes of the grid: coordinates are small multiples of a half. */
static void vertices_on_planes(void **state)
{
  (void)state;
  uint64_t seed = 2;
  const int n[3] = {5, 5, 5};
  for (int t = 0; t < 20000; t++) {
    vlVec3 x[3];
    for (int v = 0; v < 3; v++)
      for (int a = 0; a < 3; a++)
        x[v].v[a] = t % 2 ? floor(random_between(&seed, 0, 5)) : floor(random_between(&seed, 1, 9)) / 2.0;
    check_inside(x, n);
    if (t % 2) continue;
    for (int p = 0; p < pieces.count; p++)
      for (int a = 0; a < 3; a++) assert_in_range(pieces.piece[p].cell[a], 0, 4);
  }
}

/* An edge on a plane, seen from below: all of the triangle stays below, no sliver appears above. */
static void edges_on_planes_leave_no_slivers(void **state)
{
  (void)state;
  uint64_t seed = 3;
  const int n[3] = {6, 6, 6};
  for (int t = 0; t < 5000; t++)
    for (int axis = 0; axis < 3; axis++) {
      vlVec3 x[3];
      for (int v = 0; v < 3; v++) x[v] = random_vec(&seed, 0.1, 5.9);
      x[0].v[axis] = x[1].v[axis] = 3.0;
      x[2].v[axis] = random_between(&seed, 0.1, 2.9);
      clip(x, n);
      for (int p = 0; p < pieces.count; p++) assert_true(pieces.piece[p].cell[axis] < 3);
    }
}

static void flat_triangles_go_where_the_normal_points(void **state)
{
  (void)state;
  const int n[3] = {4, 4, 4};
  for (int axis = 0; axis < 3; axis++)
    for (int plane = 0; plane <= 4; plane++)
      for (int side = 0; side < 2; side++) {
        int b = (axis + 1) % 3, c = (axis + 2) % 3;
        vlVec3 x[3];
        for (int v = 0; v < 3; v++) x[v].v[axis] = plane;
        x[0].v[b] = 0.3, x[0].v[c] = 0.2;
        x[1].v[b] = side ? 0.4 : 3.7, x[1].v[c] = side ? 3.5 : 0.6;
        x[2].v[b] = side ? 3.7 : 0.4, x[2].v[c] = side ? 0.6 : 3.5;
        check_inside(x, n);
        assert_true(pieces.count > 3);
        for (int p = 0; p < pieces.count; p++) {
          assert_true((pieces.piece[p].area.v[axis] > 0.0) == (side == 0));
          assert_int_equal(pieces.piece[p].cell[axis], side == 0 ? plane : plane - 1);
        }
      }
}

/* Beyond the domain a triangle is cut at the sides only; pieces beyond two sides are left out. */
static void huge_triangles(void **state)
{
  (void)state;
  const int n[3] = {20, 10, 15};
  uint64_t seed = 4;
  for (int t = 0; t < 300; t++) {
    vlVec3 x[3];
    double size = t % 3 == 0 ? 1e6 : t % 3 == 1 ? 100 : 40;
    for (int v = 0; v < 3; v++) x[v] = random_vec(&seed, -size, size);
    clip(x, n);
    check_places(x, n, 1e-9 * size);
  }
  /* a horizontal one that covers everything: one piece in each column, and one strip beyond each side of it */
  const vlVec3 cover[3] = {vl_vec(-1000, 3.5, -1000), vl_vec(0, 3.5, 3000), vl_vec(3000, 3.5, -1000)};
  clip(cover, n);
  assert_int_equal(pieces.count, 20 * 15 + 2 * 20 + 2 * 15);
  double inside = 0.0;
  for (int p = 0; p < pieces.count; p++) {
    const int *cell = pieces.piece[p].cell;
    assert_int_equal(cell[1], 3);
    if (cell[0] < 0 || cell[0] == 20 || cell[2] < 0 || cell[2] == 15) continue;
    assert_true(fabs(pieces.piece[p].area.y - 1.0) < 1e-9);
    inside += pieces.piece[p].area.y;
  }
  assert_true(fabs(inside - 300.0) < 1e-8);
  /* beyond a corner: nothing */
  const vlVec3 corner[3] = {vl_vec(-5, -5, 2), vl_vec(-1, -3, 4), vl_vec(-2, -1, 8)};
  clip(corner, n);
  assert_int_equal(pieces.count, 0);
}

static void degenerate_triangles_give_nothing(void **state)
{
  (void)state;
  const int n[3] = {5, 5, 5};
  const vlVec3 point[3] = {vl_vec(1.5, 1.5, 1.5), vl_vec(1.5, 1.5, 1.5), vl_vec(1.5, 1.5, 1.5)};
  const vlVec3 node[3] = {vl_vec(2, 2, 2), vl_vec(2, 2, 2), vl_vec(2, 2, 2)};
  const vlVec3 line[3] = {vl_vec(0.5, 0.5, 0.5), vl_vec(4.5, 4.5, 4.5), vl_vec(2.5, 2.5, 2.5)};
  const vlVec3 doubled[3] = {vl_vec(0.2, 0.7, 0.1), vl_vec(4.1, 3.3, 2.2), vl_vec(4.1, 3.3, 2.2)};
  const vlVec3 *all[] = {point, node, line, doubled};
  for (int c = 0; c < 4; c++) {
    clip(all[c], n);
    assert_true(vl_norm(sum_of_areas()) <= 1e-14);
    for (int p = 0; p < pieces.count; p++) assert_true(vl_norm(pieces.piece[p].area) <= 1e-14);
  }
}

/* Points spread evenly over the triangle, counted in the cell they fall into. */
static void areas_agree_with_sampling(void **state)
{
  (void)state;
  enum { N = 6, SAMPLES = 400 };
  const int n[3] = {N, N, N};
  uint64_t seed = 5;
  for (int t = 0; t < 40; t++) {
    vlVec3 x[3];
    for (int v = 0; v < 3; v++) x[v] = random_vec(&seed, 0, N);
    static int hits[N][N][N];
    memset(hits, 0, sizeof hits);
    int total = 0;
    for (int i = 0; i < SAMPLES; i++)
      for (int j = 0; j < SAMPLES - i; j++, total++) {
        double u = (i + 1.0 / 3) / SAMPLES, v = (j + 1.0 / 3) / SAMPLES;
        vlVec3 y = vl_add(vl_scale(x[0], 1 - u - v), vl_add(vl_scale(x[1], u), vl_scale(x[2], v)));
        hits[(int)y.x][(int)y.y][(int)y.z]++;
      }
    clip(x, n);
    double area = vl_norm(area_vector(x));
    for (int p = 0; p < pieces.count; p++) {
      int *cell = pieces.piece[p].cell, *hit = &hits[cell[0]][cell[1]][cell[2]];
      /* of a cell's share only samples along its outline, a few times SAMPLES of them, can be wrong */
      assert_true(fabs((double)*hit / total - vl_norm(pieces.piece[p].area) / area) <= 4.0 / SAMPLES);
      *hit = 0;
    }
    for (int c = 0; c < N * N * N; c++) assert_true((&hits[0][0][0])[c] <= 2);
  }
}

static void snapping(void **state)
{
  (void)state;
  assert_true(vl_clip_snap(3.0 + 5e-11, VL_CLIP_STILL) == 3.0 && vl_clip_snap(3.0 - 5e-11, VL_CLIP_STILL) == 3.0);
  assert_true(vl_clip_snap(3.0 + 2e-10, VL_CLIP_STILL) == 3.0 + 2e-10 && vl_clip_snap(-7.5, VL_CLIP_STILL) == -7.5 &&
              vl_clip_snap(-1e-11, VL_CLIP_STILL) == 0.0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pieces_add_up),
      cmocka_unit_test(vertices_on_planes),
      cmocka_unit_test(edges_on_planes_leave_no_slivers),
      cmocka_unit_test(flat_triangles_go_where_the_normal_points),
      cmocka_unit_test(huge_triangles),
      cmocka_unit_test(degenerate_triangles_give_nothing),
      cmocka_unit_test(areas_agree_with_sampling),
      cmocka_unit_test(snapping),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
