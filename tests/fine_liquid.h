/* Liquids by hand: the fine level set of a function, for the tests of pieces. */
#ifndef VL_TESTS_FINE_LIQUID_H
#define VL_TESTS_FINE_LIQUID_H

#include <stdlib.h>

#include "cut/pieces.h"
#include "solids.h"

static const int REFINE[3] = {2, 4, 8};

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

static inline double phi_at(const Liquid *q, const int cell[3], int l, int m, int n)
{
  return q->fine.phi[vl_fine_node(&q->fine, cell, l, m, n)];
}

static inline vlVec3 place_of(const Liquid *q, const int node[3])
{
  double h = q->fine.nodes.dx;
  return vl_add(q->grid.origin, vl_vec(node[0] * h, node[1] * h, node[2] * h));
}

/* Cells within `band` cells of the surface are near; elsewhere the nodes hold nothing of use. */
static inline void set_fine_cell(Liquid *q, int i, int j, int k, Phi *phi, const void *data, double band, unsigned *near)
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

static inline void make_liquid(Liquid *q, const int n[3], int refine, Phi *phi, const void *data, double band)
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

static inline void clear_liquid(Liquid *q)
{
  vl_pieces_clear(&q->pieces);
  vl_blocks_clear(&q->wet);
  vl_blocks_clear(&q->fine.band);
  free(q->fine.near);
  vl_field_destroy(&q->fine.nodes, &q->fine.phi);
  vl_field_destroy(&q->grid, &q->fine.side);
}

static inline void build(Liquid *q, const vlCuts *open)
{
  vlStatus status = {0};
  if (vl_pieces_build(&q->pieces, &q->fine, open, &q->wet, &status) != VL_OK) fail_msg("%s", status.message);
}

static inline vlGrid fine_cells(const Liquid *q)
{
  const int *n = q->grid.n, r = q->fine.refine;
  return make_grid(n[0] * r, n[1] * r, n[2] * r, DX / r, ORIGIN);
}

static inline vlVec3 middle_of(const Liquid *q)
{
  vlBox3 box = vl_grid_box(&q->grid);
  return vl_scale(vl_add(box.lo, box.hi), 0.5);
}

static inline void position_of(const Liquid *q, int cell, int at[3])
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
static inline double phi_plane(vlVec3 x, const void *data)
{
  const Plane *p = data;
  return vl_dot(p->normal, vl_sub(x, p->point));
}

typedef struct Ball {
  vlVec3 center;
  double radius;
} Ball;
static inline double phi_ball(vlVec3 x, const void *data)
{
  const Ball *b = data;
  return vl_norm(vl_sub(x, b->center)) - b->radius;
}

typedef struct Balls {
  int count;
  Ball ball[400];
} Balls;
static inline double phi_balls(vlVec3 x, const void *data)
{
  const Balls *b = data;
  double least = INFINITY;
  for (int i = 0; i < b->count; i++) least = fmin(least, phi_ball(x, &b->ball[i]));
  return least;
}

static inline double phi_everywhere(vlVec3 x, const void *data) { return (void)x, (void)data, -2.0 * DX; }
static inline double phi_smooth(vlVec3 x, const void *data)
{
  const double *f = data;
  return 0.4 * DX * (sin(f[0] * x.x + f[1] * x.y) + cos(f[2] * x.y + f[3] * x.z) + sin(f[4] * x.z - f[5] * x.x) + f[6]);
}
/* Anything, the same at the same node. */
static inline double phi_rough(vlVec3 x, const void *data)
{
  const double *seed = data;
  double s = sin(vl_dot(x, vl_vec(1271.7, 3117.3, 2741.9)) + *seed) * 43758.5453;
  return DX * (s - floor(s) - 0.6);
}

/* All areas of each piece, links outwards, surface, solids and sides, add up to nothing; `open` is what links have. */
static inline void check_closure(const Liquid *q)
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

/* Layers of liquid across an axis. */
typedef struct Layers {
  int axis;
  double lo, thickness, gap, hole; /* hole: radius of one in the gap that is filled, about `middle` */
  vlVec3 middle;
} Layers;
static inline double phi_layers(vlVec3 x, const void *data)
{
  const Layers *l = data;
  double y = x.v[l->axis] - l->lo, one = fabs(y - 0.5 * l->thickness) - 0.5 * l->thickness,
         two = fabs(y - 1.5 * l->thickness - l->gap) - 0.5 * l->thickness, layers = fmin(one, two);
  vlVec3 off = vl_sub(x, l->middle);
  off.v[l->axis] = 0.0;
  double column = fmax(fabs(y - l->thickness - 0.5 * l->gap) - l->thickness, vl_norm(off) - l->hole);
  return l->hole > 0.0 ? fmin(layers, column) : layers;
}

#endif
