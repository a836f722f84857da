/* Pieces of liquid within cells: they close, planes are exact, volumes add up, what hangs together is what tetrahedra say,
 * and the same bits for any number of threads. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/timer.h"
#include "cut/pieces.h"
#include "solids.h"
#include "tet_pieces.h"

static const double DX = 0.125;
static const vlVec3 ORIGIN = {.v = {-0.25, 0.5, 0.125}};

/* A liquid, set by hand. */
typedef struct Liquid {
  vlGrid grid;
  vlFine fine;
  vlBlocks wet;
  vlPieces pieces;
} Liquid;

typedef double Phi(vlVec3 x, const void *data);

static double phi_at(const Liquid *q, const int cell[3], int l, int m, int n)
{
  return q->fine.phi[vl_fine_node(&q->fine, cell, l, m, n)];
}

static vlVec3 place_of(const Liquid *q, const int node[3])
{
  double h = q->fine.nodes.dx;
  return vl_add(q->grid.origin, vl_vec(node[0] * h, node[1] * h, node[2] * h));
}

/* Cells within `band` cells of the surface are near; elsewhere the nodes hold nothing of use. */
static void set_fine_cell(Liquid *q, int i, int j, int k, Phi *phi, const void *data, double band, unsigned *near)
{
  int r = q->fine.refine, cell[3] = {i, j, k};
  double middle = phi(vl_grid_center(&q->grid, i, j, k), data);
  if (fabs(middle) > band * DX) {
    q->fine.side[vl_grid_at(&q->grid, i, j, k)] = middle < 0.0 ? -1.0 : 0.0;
    return;
  }
  *near |= 1u << i % VL_BLOCK;
  for (int n = 0; n <= r; n++)
    for (int m = 0; m <= r; m++)
      for (int l = 0; l <= r; l++)
        q->fine.phi[vl_fine_node(&q->fine, cell, l, m, n)] =
            phi(place_of(q, (const int[3]){r * i + l, r * j + m, r * k + n}), data);
}

static void make_liquid(Liquid *q, const int n[3], int refine, Phi *phi, const void *data, double band)
{
  vlStatus status = {0};
  *q = (Liquid){.grid = make_grid(n[0], n[1], n[2], DX, ORIGIN)};
  q->fine = (vlFine){.grid = &q->grid, .refine = refine};
  q->fine.nodes = make_grid(n[0] * refine + 1, n[1] * refine + 1, n[2] * refine + 1, DX / refine, ORIGIN);
  q->fine.phi = vl_field_create(&q->fine.nodes);
  q->fine.side = vl_field_create(&q->grid);
  assert_int_equal(vl_blocks_create(&q->fine.band, n, &status), VL_OK);
  assert_int_equal(vl_blocks_create(&q->wet, n, &status), VL_OK);
  q->fine.near = calloc((size_t)(q->wet.columns * n[1]) * (size_t)n[2], sizeof *q->fine.near);
  for (int k = 0; k < n[2]; k++)
    for (int j = 0; j < n[1]; j++)
      for (int bx = 0; bx < q->wet.columns; bx++) {
        unsigned near = 0;
        for (int i = bx * VL_BLOCK; i < (bx + 1) * VL_BLOCK && i < n[0]; i++)
          set_fine_cell(q, i, j, k, phi, data, band, &near);
        assert_true(vl_blocks_append(&q->wet, bx, j, k));
        if (!near) continue;
        q->fine.near[q->fine.band.count] = (unsigned short)near;
        assert_true(vl_blocks_append(&q->fine.band, bx, j, k));
      }
  vl_blocks_end(&q->fine.band);
  vl_blocks_end(&q->wet);
}

static void clear_liquid(Liquid *q)
{
  vl_pieces_clear(&q->pieces);
  vl_blocks_clear(&q->wet);
  vl_blocks_clear(&q->fine.band);
  free(q->fine.near);
  vl_field_destroy(&q->fine.nodes, &q->fine.phi);
  vl_field_destroy(&q->grid, &q->fine.side);
}

static void build(Liquid *q, const vlCuts *open)
{
  vlStatus status = {0};
  if (vl_pieces_build(&q->pieces, &q->fine, open, &q->wet, &status) != VL_OK) fail_msg("%s", status.message);
}

static vlGrid fine_cells(const Liquid *q)
{
  const int *n = q->grid.n, r = q->fine.refine;
  return make_grid(n[0] * r, n[1] * r, n[2] * r, DX / r, ORIGIN);
}

static vlVec3 middle_of(const Liquid *q)
{
  vlBox3 box = vl_grid_box(&q->grid);
  return vl_scale(vl_add(box.lo, box.hi), 0.5);
}

static void position_of(const Liquid *q, int cell, int at[3])
{
  vlBlockPosition p = q->wet.at[cell / VL_BLOCK];
  at[0] = p.bx * VL_BLOCK + cell % VL_BLOCK;
  at[1] = p.j;
  at[2] = p.k;
}

/* Level sets. */

typedef struct Plane {
  vlVec3 normal, point;
} Plane;
static double phi_plane(vlVec3 x, const void *data)
{
  const Plane *p = data;
  return vl_dot(p->normal, vl_sub(x, p->point));
}

typedef struct Ball {
  vlVec3 center;
  double radius;
} Ball;
static double phi_ball(vlVec3 x, const void *data)
{
  const Ball *b = data;
  return vl_norm(vl_sub(x, b->center)) - b->radius;
}

typedef struct Balls {
  int count;
  Ball ball[400];
} Balls;
static double phi_balls(vlVec3 x, const void *data)
{
  const Balls *b = data;
  double least = INFINITY;
  for (int i = 0; i < b->count; i++) least = fmin(least, phi_ball(x, &b->ball[i]));
  return least;
}

static double phi_everywhere(vlVec3 x, const void *data) { return (void)x, (void)data, -2.0 * DX; }
static double phi_smooth(vlVec3 x, const void *data)
{
  const double *f = data;
  return 0.4 * DX * (sin(f[0] * x.x + f[1] * x.y) + cos(f[2] * x.y + f[3] * x.z) + sin(f[4] * x.z - f[5] * x.x) + f[6]);
}
/* Anything, the same at the same node. */
static double phi_rough(vlVec3 x, const void *data)
{
  const double *seed = data;
  double s = sin(vl_dot(x, vl_vec(1271.7, 3117.3, 2741.9)) + *seed) * 43758.5453;
  return DX * (s - floor(s) - 0.6);
}

/* All areas of each piece, links outwards, surface, solids and sides, add up to nothing; `open` is what links have. */
static void check_closure(const Liquid *q)
{
  const vlPieces *p = &q->pieces;
  vlVec3 *sum = calloc((size_t)p->count + 1, sizeof *sum);
  double *open = calloc((size_t)p->count + 1, sizeof *open), worst = 0.0, full = DX * DX;
  for (int l = 0; l < p->link_count; l++) {
    const vlPieceLink *link = &p->link[l];
    assert_true(link->area > 0.0 && link->area <= full * (1 + 1e-14));
    assert_true(link->below >= 0 || link->above >= 0);
    for (int end = 0; end < 2; end++) {
      int piece = end ? link->above : link->below;
      if (piece < 0) continue;
      assert_true(piece < p->count);
      sum[piece].v[link->axis] += end ? -link->area : link->area;
      open[piece] += link->area;
    }
  }
  for (int i = 0; i < p->count; i++) {
    const vlPiece *x = &p->piece[i];
    vlVec3 rest = vl_add(vl_add(sum[i], x->air), vl_add(x->solid, x->side));
    for (int a = 0; a < 3; a++) worst = fmax(worst, fabs(rest.v[a]));
    assert_true(fabs(open[i] - x->open) <= 1e-14 * full);
    assert_true(x->volume > 0.0 && x->phi < 0.0 && x->deepest < 0.0 && x->air_area >= 0.0);
  }
  if (!(worst <= 1e-14 * full)) fail_msg("a piece is open by %.3g dx2", worst / full);
  free(sum);
  free(open);
}

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

static const int REFINE[3] = {2, 4, 8};

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

static double liquid_volume(const Liquid *q)
{
  const vlPieces *p = &q->pieces;
  double sum = 0.0;
  for (int i = 0; i < p->count; i++) sum += p->piece[i].volume;
  for (int b = 0; b < q->wet.count; b++)
    for (int l = 0; l < vl_blocks_width(&q->wet, q->wet.at[b]); l++) {
      int at[3], cell = b * VL_BLOCK + l;
      position_of(q, cell, at);
      if (vl_pieces_cut(p, cell) >= 0) continue;
      bool near = vl_fine_is_near(&q->fine, at[0], at[1], at[2]);
      bool liquid = near ? phi_at(q, at, 0, 0, 0) < 0.0 : q->fine.side[vl_grid_at(&q->grid, at[0], at[1], at[2])] < 0.0;
      if (liquid) sum += DX * DX * DX;
    }
  return sum;
}

/* phi of a ball, linear between nodes, lies too high by about h2 kappa / 8: the volume lacks some h2 R. */
static void volume_of_a_ball(void **state)
{
  (void)state;
  const int n[3] = {20, 20, 20};
  double error[3];
  for (int t = 0; t < 3; t++) {
    Ball ball = {vl_add(vl_vec(0.013, -0.021, 0.034), vl_vec(-0.25 + 10 * DX, 0.5 + 10 * DX, 0.125 + 10 * DX)), 7.3 * DX};
    Liquid q;
    make_liquid(&q, n, REFINE[t], phi_ball, &ball, 3.5);
    build(&q, NULL);
    check_closure(&q);
    double exact = 4.0 / 3.0 * VL_PI * ball.radius * ball.radius * ball.radius, h = DX / REFINE[t];
    error[t] = fabs(liquid_volume(&q) - exact);
    assert_true(error[t] <= 2.0 * VL_PI * ball.radius * h * h);
    clear_liquid(&q);
  }
  print_message("volume of a ball: error falls %.2f, %.2f times\n", error[0] / error[1], error[1] / error[2]);
  assert_true(error[0] / error[1] > 3.5 && error[1] / error[2] > 3.5);
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

/* Layers of liquid across an axis. */
typedef struct Layers {
  int axis;
  double lo, thickness, gap, hole; /* hole: radius of one in the gap that is filled, about `middle` */
  vlVec3 middle;
} Layers;
static double phi_layers(vlVec3 x, const void *data)
{
  const Layers *l = data;
  double y = x.v[l->axis] - l->lo, one = fabs(y - 0.5 * l->thickness) - 0.5 * l->thickness,
         two = fabs(y - 1.5 * l->thickness - l->gap) - 0.5 * l->thickness, layers = fmin(one, two);
  vlVec3 off = vl_sub(x, l->middle);
  off.v[l->axis] = 0.0;
  double column = fmax(fabs(y - l->thickness - 0.5 * l->gap) - l->thickness, vl_norm(off) - l->hole);
  return l->hole > 0.0 ? fmin(layers, column) : layers;
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

/* A cell against tetrahedra; false: other pieces. */
static bool check_cell(const Liquid *q, int cell)
{
  const vlPieces *p = &q->pieces;
  int r = p->refine, cut = vl_pieces_cut(p, cell), at[3], cells = r * r * r;
  double h = DX / r, phi[729];
  position_of(q, cell, at);
  for (int n = 0, to = 0; n <= r; n++)
    for (int m = 0; m <= r; m++)
      for (int l = 0; l <= r; l++) {
        double value = phi_at(q, at, l, m, n) / h;
        phi[to++] = fabs(value) < 1e-6 ? (value < 0.0 ? -1e-6 : 1e-6) : value;
      }
  TetPieces *tets = tet_pieces(r, phi);
  bool meet = false; /* two pieces, in a fine cell */
  for (int f = 0; f < cells; f++) meet = meet || tets->of_fine[f] == -2;
  int first = p->first_piece[cut], to[VL_PIECES_NONE];
  bool same = tets->count == p->first_piece[cut + 1] - first;
  memset(to, -1, sizeof to);
  for (int f = 0; f < cells && same; f++) {
    int rank = p->rank_of[(size_t)cut * (size_t)cells + (size_t)f], ref = tets->of_fine[f];
    same = (rank == VL_PIECES_NONE) == (ref == -1) && ref != -2;
    if (!same || ref < 0) continue;
    if (to[rank] < 0) to[rank] = ref;
    same = to[rank] == ref;
  }
  assert_true(same != meet); /* nothing else goes wrong */
  vlVec3 corner = vl_sub(vl_grid_center(&q->grid, at[0], at[1], at[2]), vl_vec(0.5 * DX, 0.5 * DX, 0.5 * DX));
  for (int i = 0; same && i < tets->count; i++) {
    const vlPiece *x = &p->piece[first + i];
    const TetPiece *y = &tets->piece[to[i]];
    double small = 1e-12 * DX * DX;
    assert_true(fabs(x->volume - y->volume * h * h * h) <= small * DX);
    assert_true(vl_norm(vl_axpy(x->air, -h * h, y->air)) <= small);
    double part = x->volume / (DX * DX * DX); /* means are as exact as sums */
    assert_true(fabs(x->phi - y->phi * h) * part <= 1e-12 * DX + 1e-6 * h * part);
    assert_true(vl_norm(vl_sub(x->center, vl_axpy(corner, h, y->center))) * part <= 1e-12 * DX);
    double face[6] = {0};
    for (int l = 0; l < p->link_count; l++) {
      if (p->link[l].above == first + i) face[2 * p->link[l].axis] += p->link[l].area;
      if (p->link[l].below == first + i) face[2 * p->link[l].axis + 1] += p->link[l].area;
    }
    for (int f = 0; f < 6; f++)
      assert_true(fabs(face[f] - y->face[f] * h * h) <= small ||
                  (at[f / 2] == (f % 2 ? q->grid.n[f / 2] - 1 : 0) && face[f] == 0.0));
  }
  free(tets);
  return same;
}

typedef struct Agreement {
  int cells, same;
} Agreement;

/* Cut cells with the pieces that tetrahedra have. */
static void compare(Liquid *q, Agreement *sum)
{
  build(q, NULL);
  sum->cells += q->pieces.cuts;
  for (int b = 0; b < q->wet.count; b++)
    for (int l = 0; l < VL_BLOCK; l++)
      if (q->pieces.cut[b] >> l & 1u) sum->same += check_cell(q, b * VL_BLOCK + l);
}

static void make_drops(Balls *drops, uint64_t *seed, const int n[3])
{
  for (int i = 0; i < drops->count; i++) {
    Ball *b = &drops->ball[i];
    for (int a = 0; a < 3; a++) b->center.v[a] = ORIGIN.v[a] + random_between(seed, 1.0, n[a] - 1.0) * DX;
    b->radius = random_between(seed, 0.2, 1.0) * DX;
  }
}

/* Drops of 0.2 to 1 cell: two that are closer than a fine cell are one piece. */
static double drops_as_tetrahedra(int count, uint64_t seed)
{
  const int n[3] = {16, 14, 14};
  Agreement sum = {0};
  for (int t = 0; t < 4; t++) {
    Liquid q;
    Balls drops = {.count = count};
    make_drops(&drops, &seed, n);
    make_liquid(&q, n, 4, phi_balls, &drops, INFINITY);
    compare(&q, &sum);
    clear_liquid(&q);
  }
  double part = 100.0 * sum.same / sum.cells;
  print_message("%d drops in 3136 cells: of %d cut cells %.2f %% as tetrahedra have them\n", count, sum.cells, part);
  return part;
}

static void as_tetrahedra_have_it(void **state)
{
  (void)state;
  const int n[3] = {14, 12, 12}, few[3] = {5, 5, 5};
  Agreement sum = {0};
  Liquid q;
  Ball ball = {vl_add(ORIGIN, vl_vec(7.1 * DX, 5.9 * DX, 6.2 * DX)), 4.7 * DX};
  for (int t = 0; t < 2; t++) {
    make_liquid(&q, n, REFINE[t], phi_ball, &ball, 3.5);
    compare(&q, &sum);
    clear_liquid(&q);
  }
  for (int t = 0; t < 12; t++) { /* two sheets, and two with a bridge */
    int axis = t % 3;
    Layers layers = {.axis = axis, .thickness = 0.3 * DX, .gap = DX / 3.0, .lo = ORIGIN.v[axis] + (2.03 + 0.02 * t) * DX};
    layers.hole = t % 2 ? 0.3 * DX : 0.0;
    layers.middle = vl_add(ORIGIN, vl_vec(2.5 * DX, 2.5 * DX, 2.5 * DX));
    make_liquid(&q, few, t < 9 ? 4 : 8, phi_layers, &layers, INFINITY);
    compare(&q, &sum);
    clear_liquid(&q);
  }
  assert_true(sum.cells > 1000);
  assert_int_equal(sum.same, sum.cells);
  assert_true(drops_as_tetrahedra(48, 9) >= 99.5);
  assert_true(drops_as_tetrahedra(96, 9) >= 99.0);
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

static double best_time(Liquid *q, const vlCuts *open)
{
  double best = INFINITY;
  for (int i = 0; i < 4; i++) {
    double start = vl_seconds();
    build(q, open);
    best = fmin(best, vl_seconds() - start);
  }
  return 1e6 * best / q->pieces.cuts;
}

/* Printed, not judged; once more with a solid so close below the surface that it is in most cut cells. */
static void cost(void **state)
{
  (void)state;
  const int n[3] = {64, 64, 64};
  Ball ball = {vl_add(ORIGIN, vl_vec(32.1 * DX, 31.9 * DX, 32.2 * DX)), 25.0 * DX};
  omp_set_num_threads(1);
  for (int t = 0; t < 3; t++) {
    Liquid q;
    make_liquid(&q, n, REFINE[t], phi_ball, &ball, 3.0);
    double alone = best_time(&q, NULL);
    print_message("refine %d: %d cut cells, %.2f us each\n", REFINE[t], q.pieces.cuts, alone);
    if (REFINE[t] == 4) {
      vlGrid g = fine_cells(&q);
      vlTriMesh *solid = make_ball(24.6 * DX, ball.center, 5);
      vlCuts *cuts = make_cuts(solid, false, &g);
      print_message("refine 4 with solids: %.2f us each\n", best_time(&q, cuts));
      check_closure(&q);
      vl_cuts_destroy(&cuts);
      vl_trimesh_destroy(&solid);
    }
    clear_liquid(&q);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pieces_close),
      cmocka_unit_test(pieces_close_at_solids),
      cmocka_unit_test(volume_of_a_ball),
      cmocka_unit_test(planes_are_exact),
      cmocka_unit_test(layers_and_holes),
      cmocka_unit_test(walls_part_the_liquid),
      cmocka_unit_test(as_tetrahedra_have_it),
      cmocka_unit_test(same_bits_for_any_threads),
      cmocka_unit_test(slab),
      cmocka_unit_test(cost),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
