/* Pieces of liquid within cells: they close, planes are exact, sheets and walls part cells, and the same bits for any number
 * of threads. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include <omp.h>
#include <stdlib.h>

#include "fine_liquid.h"

/* Order of the lists, first pieces, ranks, and that vl_pieces_at finds them. */
static void check_lists(const Liquid *q)
{
  const vlPieces *p = &q->pieces;
  int cells = p->refine * p->refine * p->refine;
  for (int b = 0, c = 0; b < q->wet.count; b++)
    for (int l = 0; l < VL_BLOCK; l++) {
      int cell = b * VL_BLOCK + l, cut = vl_pieces_cut(p, cell), at[3];
      if (cut < 0) continue;
      assert_int_equal(cut, c++);
      position_of(q, cell, at);
      for (int i = p->first_piece[cut]; i < p->first_piece[cut + 1]; i++) {
        assert_int_equal(p->piece[i].cell, cell);
        assert_int_equal(p->piece[i].rank, i - p->first_piece[cut]);
        assert_true(i == p->first_piece[cut] || p->piece[i].volume <= p->piece[i - 1].volume);
      }
      for (int f = 0; f < cells; f++) {
        int rank = p->rank_of[(size_t)cut * (size_t)cells + (size_t)f];
        double x[3];
        for (int a = 0; a < 3; a++)
          x[a] = at[a] + (f / (a == 0 ? 1 : a == 1 ? p->refine : p->refine * p->refine) % p->refine + 0.3) / p->refine;
        int found = vl_pieces_at(p, cell, x);
        if (rank != VL_PIECES_NONE) assert_int_equal(found, p->first_piece[cut] + rank);
        assert_true((found >= 0) == (p->first_piece[cut + 1] > p->first_piece[cut]));
      }
    }
  assert_int_equal(p->first_piece[p->cuts], p->count);
  for (int l = 1; l < p->link_count; l++) {
    const vlPieceLink *a = &p->link[l - 1], *b = &p->link[l];
    assert_true(a->axis <= b->axis);
    int ca = a->above < 0 ? vl_pieces_whole(a->above) : p->piece[a->above].cell,
        cb = b->above < 0 ? vl_pieces_whole(b->above) : p->piece[b->above].cell;
    if (a->axis == b->axis)
      assert_true(ca < cb || (ca == cb && (a->below < b->below || (a->below == b->below && a->above < b->above))));
  }
}

static void pieces_close(void **state)
{
  (void)state;
  uint64_t seed = 3;
  const int n[3] = {19, 6, 7};
  for (int t = 0; t < 12; t++) {
    double f[7];
    for (int i = 0; i < 7; i++) f[i] = random_between(&seed, i < 6 ? 5.0 : -1.0, i < 6 ? 40.0 : 1.0);
    Liquid q;
    make_liquid(&q, n, REFINE[t % 3], t < 9 ? phi_smooth : phi_rough, f, INFINITY);
    build(&q, NULL);
    assert_true(q.pieces.count > 50 && q.pieces.link_count > 50);
    check_closure(&q);
    check_lists(&q);
    for (int i = 0; i < q.pieces.count; i++) assert_true(vl_norm(q.pieces.piece[i].solid) == 0.0);
    clear_liquid(&q);
  }
}

static vlTriMesh *some_solid(const Liquid *q, int kind, uint64_t *seed)
{
  vlVec3 at = vl_add(middle_of(q), random_vec(seed, -0.3 * DX, 0.3 * DX));
  if (kind == 0) return make_ball(1.7 * DX, at, 3);
  vlVec3 size = kind == 1 ? vl_vec(4.0 * DX, 0.31 * DX, 3.2 * DX) : random_vec(seed, 0.4 * DX, 4.0 * DX);
  return make_box(size, random_rotation(seed), at);
}

static void pieces_close_at_solids(void **state)
{
  (void)state;
  uint64_t seed = 4;
  const int n[3] = {18, 6, 7};
  for (int t = 0; t < 18; t++) {
    double f[7];
    for (int i = 0; i < 7; i++) f[i] = random_between(&seed, i < 6 ? 5.0 : -1.0, i < 6 ? 40.0 : 1.0);
    Liquid q;
    make_liquid(&q, n, REFINE[t % 3], t < 12 ? phi_smooth : t < 15 ? phi_rough : phi_everywhere, f, t < 16 ? INFINITY : DX);
    vlGrid g = fine_cells(&q);
    vlTriMesh *solid = some_solid(&q, t % 4, &seed);
    vlCuts *cuts = make_cuts(solid, false, &g);
    build(&q, cuts);
    check_closure(&q);
    check_lists(&q);
    double touched = 0.0;
    for (int i = 0; i < q.pieces.count; i++) touched += vl_norm(q.pieces.piece[i].solid);
    assert_true(t >= 15 || touched > DX * DX);
    vl_cuts_destroy(&cuts);
    vl_trimesh_destroy(&solid);
    clear_liquid(&q);
  }
}

/* Area of the plane in a cell: a large square in it, cut by the cell's six sides; and its middle. */
static double plane_in_cell(const Plane *p, vlVec3 lo, vlVec3 *middle)
{
  vlVec3 u = vl_unit(vl_cross(p->normal, fabs(p->normal.x) < 0.6 ? vl_vec(1, 0, 0) : vl_vec(0, 1, 0))),
         w = vl_cross(p->normal, u);
  vlVec3 from = vl_axpy(lo, -vl_dot(p->normal, vl_sub(lo, p->point)), p->normal), x[16];
  int count = 4;
  for (int i = 0; i < 4; i++)
    x[i] = vl_axpy(vl_axpy(from, i == 0 || i == 3 ? 9 * DX : -9 * DX, u), i < 2 ? 9 * DX : -9 * DX, w);
  for (int side = 0; side < 6; side++) {
    vlVec3 y[16];
    int a = side / 2, kept = 0;
    double at = lo.v[a] + (side % 2 ? DX : 0.0), sign = side % 2 ? 1.0 : -1.0;
    for (int i = 0; i < count; i++) {
      vlVec3 here = x[i], next = x[(i + 1) % count];
      double d = sign * (here.v[a] - at), e = sign * (next.v[a] - at);
      if (d <= 0.0) y[kept++] = here;
      if ((d <= 0.0) != (e <= 0.0)) y[kept++] = vl_axpy(here, d / (d - e), vl_sub(next, here));
    }
    memcpy(x, y, sizeof x);
    count = kept;
  }
  double area = 0.0;
  *middle = vl_vec(0, 0, 0);
  for (int i = 2; i < count; i++) {
    double part = 0.5 * vl_norm(vl_cross(vl_sub(x[i - 1], x[0]), vl_sub(x[i], x[0])));
    *middle = vl_axpy(*middle, part / 3.0, vl_add(x[0], vl_add(x[i - 1], x[i])));
    area += part;
  }
  if (area > 0.0) *middle = vl_scale(*middle, 1.0 / area);
  return area;
}

/* With the middles of links and of a flat surface, x_b n_a over all that encloses a piece is its volume for a = b, or
 * nothing. */
static void check_moments(const Liquid *q)
{
  const vlPieces *p = &q->pieces;
  vlMat3 *sum = calloc((size_t)p->count + 1, sizeof *sum);
  for (int i = 0; i < p->count; i++)
    for (int a = 0; a < 9; a++)
      sum[i].m[a / 3][a % 3] =
          p->piece[i].air.v[a / 3] * p->piece[i].air_center.v[a % 3] - (a % 4 ? 0.0 : p->piece[i].volume);
  for (int l = 0; l < p->link_count; l++)
    for (int b = 0; b < 3; b++) {
      const vlPieceLink *k = &p->link[l];
      if (k->below >= 0) sum[k->below].m[k->axis][b] += k->area * k->center.v[b];
      if (k->above >= 0) sum[k->above].m[k->axis][b] -= k->area * k->center.v[b];
    }
  int checked = 0;
  for (int i = 0; i < p->count; i++) {
    if (vl_norm(p->piece[i].side) > 0.0) continue;
    assert_true(vl_mat_norm(sum[i]) <= 1e-12 * DX * DX);
    checked++;
  }
  assert_true(checked >= 5);
  free(sum);
}

static void check_plane(const Plane *plane, int refine)
{
  const int n[3] = {6, 5, 5};
  Liquid q;
  make_liquid(&q, n, refine, phi_plane, plane, INFINITY);
  build(&q, NULL);
  check_closure(&q);
  check_moments(&q);
  assert_true(q.pieces.count >= 20);
  for (int i = 0; i < q.pieces.count; i++) {
    const vlPiece *p = &q.pieces.piece[i];
    vlVec3 middle;
    int at[3];
    position_of(&q, p->cell, at);
    double area = plane_in_cell(
        plane, vl_sub(vl_grid_center(&q.grid, at[0], at[1], at[2]), vl_vec(0.5 * DX, 0.5 * DX, 0.5 * DX)), &middle);
    assert_true(fabs(p->phi - phi_plane(p->center, plane)) <= 1e-12 * DX);
    assert_true(vl_norm(vl_axpy(p->air, -p->air_area, plane->normal)) <= 1e-12 * DX * DX);
    assert_true(fabs(p->air_area - area) <= 1e-12 * DX * DX);
    if (area > 1e-3 * DX * DX) assert_true(vl_norm(vl_sub(p->air_center, middle)) <= 1e-6 * DX / refine + 1e-12 * DX);
  }
  clear_liquid(&q);
}

/* A plane through nodes is moved by 1e-6 of a fine cell there, and its area with it only where it is tilted: those meet
 * none. */
static void planes_are_exact(void **state)
{
  (void)state;
  uint64_t seed = 5;
  for (int t = 0; t < 60; t++) {
    vlVec3 normal = vl_unit(random_vec(&seed, -1, 1)), middle = vl_add(ORIGIN, vl_vec(3 * DX, 2.5 * DX, 2.5 * DX));
    check_plane(&(Plane){normal, vl_add(middle, random_vec(&seed, -DX, DX))}, REFINE[t % 3]);
  }
  for (int t = 0; t < 18; t++) {
    vlVec3 normal = {0};
    normal.v[t % 3] = t % 2 ? 1.0 : -1.0;
    double shift = t < 6 ? 2.0 : t < 12 ? 2.375 : 2.71;
    check_plane(&(Plane){normal, vl_add(ORIGIN, vl_vec(shift * DX, shift * DX, shift * DX))}, REFINE[t / 2 % 3]);
  }
}

static int pieces_in_cell(const Liquid *q, int i, int j, int k)
{
  int cut = vl_pieces_cut(&q->pieces, vl_blocks_find(&q->wet, i / VL_BLOCK, j, k) * VL_BLOCK + i % VL_BLOCK);
  return cut < 0 ? 0 : q->pieces.first_piece[cut + 1] - q->pieces.first_piece[cut];
}

static void layers_and_holes(void **state)
{
  (void)state;
  const int n[3] = {5, 5, 5};
  for (int t = 0; t < 24; t++) {
    int axis = t % 3, refine = t % 2 ? 4 : 8;
    Layers layers = {.axis = axis, .thickness = 0.3 * DX, .gap = DX / 3.0, .lo = ORIGIN.v[axis] + (2.0 + 0.003 * t) * DX};
    layers.middle = vl_add(ORIGIN, vl_vec(2.5 * DX, 2.5 * DX, 2.5 * DX));
    for (int hole = 0; hole < 2; hole++) {
      layers.hole = hole ? 0.3 * DX : 0.0;
      Liquid q;
      make_liquid(&q, n, refine, phi_layers, &layers, INFINITY);
      build(&q, NULL);
      check_closure(&q);
      assert_int_equal(pieces_in_cell(&q, 2, 2, 2), hole ? 1 : 2);
      clear_liquid(&q);
    }
  }
}

/* A wall across the middle cell; hole: with one in that cell. */
static vlTriMesh *make_wall(const Liquid *q, int axis, double shift, bool hole)
{
  int b = (axis + 1) % 3, d = (axis + 2) % 3;
  vlVec3 m = middle_of(q), lo = vl_sub(m, vl_vec(2.3 * DX, 2.3 * DX, 2.3 * DX)),
         hi = vl_add(m, vl_vec(2.3 * DX, 2.3 * DX, 2.3 * DX));
  lo.v[axis] = m.v[axis] + (shift - 1.0 / 6.0) * DX;
  hi.v[axis] = lo.v[axis] + DX / 3.0;
  if (!hole) return make_exact_box(lo, hi);
  vlTriMesh *all = NULL;
  for (int side = 0; side < 4; side++) { /* left, right, and between them below and above */
    vlVec3 from = lo, to = hi;
    int a = side < 2 ? b : d;
    if (side >= 2) from.v[b] = m.v[b] - 0.3 * DX;
    if (side >= 2) to.v[b] = m.v[b] + 0.3 * DX;
    if (side % 2 == 0)
      to.v[a] = m.v[a] - 0.3 * DX;
    else
      from.v[a] = m.v[a] + 0.3 * DX;
    vlTriMesh *box = make_exact_box(from, to);
    all = all ? join_meshes(all, box) : box;
  }
  return all;
}

static void walls_part_the_liquid(void **state)
{
  (void)state;
  const int n[3] = {5, 5, 5};
  for (int t = 0; t < 24; t++)
    for (int hole = 0; hole < 2; hole++) {
      Liquid q;
      make_liquid(&q, n, t % 2 ? 4 : 8, phi_everywhere, NULL, t < 12 ? INFINITY : DX);
      vlGrid g = fine_cells(&q);
      vlTriMesh *wall = make_wall(&q, t % 3, 0.013 * (t - 12), hole);
      vlCuts *cuts = make_cuts(wall, false, &g);
      build(&q, cuts);
      check_closure(&q);
      assert_int_equal(pieces_in_cell(&q, 2, 2, 2), hole ? 0 : 2); /* in one piece: whole */
      int cut = 0;
      for (int i = 0; i < q.pieces.count; i++) {
        cut += q.pieces.piece[i].air_area == 0.0 && vl_norm(q.pieces.piece[i].air) == 0.0;
        assert_true(fabs(vl_norm(q.pieces.piece[i].solid) - DX * DX) <= 0.5 * DX * DX);
      }
      assert_int_equal(cut, q.pieces.count);
      assert_true(q.pieces.count >= 16);
      vl_cuts_destroy(&cuts);
      vl_trimesh_destroy(&wall);
      clear_liquid(&q);
    }
}

/* A box that stands upright through a flat surface: areas and volumes of fine cells with both are products, and exact. */
static void wall_through_the_surface(void **state)
{
  (void)state;
  const int n[3] = {7, 5, 6};
  for (int t = 0; t < 9; t++) {
    int up = t % 3, b = (up + 1) % 3, d = (up + 2) % 3;
    Plane plane = {.point = vl_add(ORIGIN, vl_vec(2.44 * DX, 2.44 * DX, 2.44 * DX))};
    plane.normal.v[up] = 1.0;
    Liquid q;
    make_liquid(&q, n, REFINE[t / 3], phi_plane, &plane, INFINITY);
    vlVec3 lo = ORIGIN, hi;
    for (int a = 0; a < 3; a++) {
      lo.v[a] += a == up ? -DX : 1.37 * DX;
      hi.v[a] = ORIGIN.v[a] + (a == up ? n[a] + 1.0 : 3.61) * DX;
    }
    vlGrid g = fine_cells(&q);
    vlTriMesh *box = make_exact_box(lo, hi);
    vlCuts *cuts = make_cuts(box, false, &g);
    build(&q, cuts);
    check_closure(&q);
    double air = 0.0, volume = 0.0, solid = 0.0, inside = (3.61 - 1.37) * DX, open = n[b] * n[d] * DX * DX - inside * inside;
    for (int i = 0; i < q.pieces.count; i++) {
      const vlPiece *p = &q.pieces.piece[i];
      int at[3];
      position_of(&q, p->cell, at);
      assert_int_equal(at[up], 2);
      assert_true(fabs(p->air.v[up] - p->air_area) <= 1e-12 * DX * DX && fabs(p->solid.v[up]) <= 1e-12 * DX * DX);
      air += p->air_area;
      volume += p->volume;
      solid += fabs(p->solid.v[b]) + fabs(p->solid.v[d]);
    }
    assert_true(fabs(air - open) <= 1e-10 * DX * DX);
    assert_true(fabs(volume - 0.44 * DX * open) <= 1e-10 * DX * DX * DX);
    assert_true(fabs(solid - 4.0 * 0.44 * DX * inside) <= 1e-10 * DX * DX);
    vl_cuts_destroy(&cuts);
    vl_trimesh_destroy(&box);
    clear_liquid(&q);
  }
}

static void check_same(const vlPieces *a, const vlPieces *b)
{
  assert_int_equal(a->count, b->count);
  assert_int_equal(a->link_count, b->link_count);
  assert_memory_equal(a->piece, b->piece, (size_t)a->count * sizeof *a->piece);
  assert_memory_equal(a->rank_of, b->rank_of, (size_t)(a->cuts * a->refine * a->refine * a->refine));
  for (int l = 0; l < a->link_count; l++) {
    const vlPieceLink *x = &a->link[l], *y = &b->link[l];
    assert_true(x->below == y->below && x->above == y->above && x->axis == y->axis && x->area == y->area);
    assert_memory_equal(&x->center, &y->center, sizeof x->center);
  }
}

static void same_bits_for_any_threads(void **state)
{
  (void)state;
  const int n[3] = {37, 12, 11};
  const double f[7] = {9, 14, 21, 8, 17, 11, 0.2};
  Liquid q, other;
  make_liquid(&q, n, 4, phi_smooth, f, INFINITY);
  make_liquid(&other, n, 4, phi_smooth, f, INFINITY);
  vlGrid g = fine_cells(&q);
  uint64_t seed = 6;
  vlTriMesh *solid = some_solid(&q, 1, &seed);
  vlCuts *cuts = make_cuts(solid, false, &g);
  for (int solids = 0; solids < 2; solids++) {
    omp_set_num_threads(1);
    build(&q, solids ? cuts : NULL);
    omp_set_num_threads(2);
    build(&other, solids ? cuts : NULL);
    check_same(&q.pieces, &other.pieces);
    double bytes = vl_pieces_bytes(&q.pieces);
    build(&q, solids ? cuts : NULL); /* again: takes no more */
    assert_true(vl_pieces_bytes(&q.pieces) == bytes);
    check_same(&q.pieces, &other.pieces);
  }
  omp_set_num_threads(1);
  vl_cuts_destroy(&cuts);
  vl_trimesh_destroy(&solid);
  clear_liquid(&q);
  clear_liquid(&other);
}

static double phi_tilted(vlVec3 x, const void *data) { return x.y - *(const double *)data - 0.3 * x.x; }

/* One cell along z: nothing depends on z, and the sides across it are sides. */
static void slab(void **state)
{
  (void)state;
  const int n[3] = {18, 9, 1};
  double level = 0.5 + 4.3 * DX;
  Liquid q;
  make_liquid(&q, n, 4, phi_tilted, &level, INFINITY);
  build(&q, NULL);
  check_closure(&q);
  check_lists(&q);
  assert_true(q.pieces.cuts >= 18);
  for (int i = 0; i < q.pieces.count; i++) {
    const vlPiece *p = &q.pieces.piece[i];
    assert_true(fabs(p->air.z) <= 1e-14 * DX * DX && fabs(p->side.z) <= 1e-14 * DX * DX);
    assert_true(fabs(p->center.z - ORIGIN.z - 0.5 * DX) <= 0.1 * DX);
  }
  for (int l = 0; l < q.pieces.link_count; l++) assert_true(q.pieces.link[l].axis < 2);
  clear_liquid(&q);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pieces_close),
      cmocka_unit_test(pieces_close_at_solids),
      cmocka_unit_test(planes_are_exact),
      cmocka_unit_test(layers_and_holes),
      cmocka_unit_test(walls_part_the_liquid),
      cmocka_unit_test(wall_through_the_surface),
      cmocka_unit_test(same_bits_for_any_threads),
      cmocka_unit_test(slab),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
