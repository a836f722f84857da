/* Liquid finer than the grid as a tail of links: 4 x 4 x 4 small cells in each, liquid where a function says so, with plates
 * between them. What hangs together in a cell is a piece, the largest its main node; a link joins pieces across a face over
 * the small faces that they share, as far apart as their middles, within 0.2 to 1.25 cells; a link to the surface has the
 * area of small faces to the air, times 2/3 as they are stairs, at the mean depth of the piece. */
#ifndef VL_TESTS_VOXEL_TAIL_H
#define VL_TESTS_VOXEL_TAIL_H

#include "tank.h"

enum { FINE = 4, FINE3 = 64 };

/* Small cells are named by their place among FINE n along each axis. */
typedef struct VoxelScene {
  double (*phi)(const void *data, const double x[3]);                  /* in a box of one, negative in liquid */
  bool (*plate)(const void *data, const int fine[3], int axis, int n); /* closes the lower face of a small cell */
  const void *data;
  bool all; /* whole cells are the tail's too */
} VoxelScene;

typedef struct Piece {
  int node, size; /* small cells */
  double air, depth, x[3];
} Piece;

typedef struct Voxels {
  Tank tank;
  int n;
  float *phi;           /* [fine] */
  unsigned char *label; /* piece of each small cell, 255: none [cell][FINE3] */
  Piece *piece;         /* by cell [first[cell]] */
  int *first;           /* [cells + 1] */
  vlTailLink *link;
  unsigned short *cut, *main;
  int *cell;
  vlLinkTail tail;
} Voxels;

static inline int voxel_slot(const int f[3]) { return f[0] % FINE + FINE * (f[1] % FINE + FINE * (f[2] % FINE)); }

static inline int voxel_cell(const Voxels *v, const int f[3])
{
  return f[0] / FINE + v->n * (f[1] / FINE + v->n * (f[2] / FINE));
}

static inline float voxel_phi(const Voxels *v, const int f[3])
{
  size_t n = (size_t)v->n * FINE;
  return v->phi[(size_t)f[0] + n * ((size_t)f[1] + n * (size_t)f[2])];
}

static inline void voxel_place(const Voxels *v, int cell, int slot, int f[3])
{
  f[0] = cell % v->n * FINE + slot % FINE;
  f[1] = cell / v->n % v->n * FINE + slot / FINE % FINE;
  f[2] = cell / v->n / v->n * FINE + slot / FINE / FINE;
}

/* Pieces of a cell by flooding; returns how many. */
static inline int voxel_label(Voxels *v, const VoxelScene *s, int cell)
{
  unsigned char *label = v->label + (size_t)cell * FINE3;
  int count = 0;
  memset(label, 255, FINE3);
  for (int seed = 0; seed < FINE3; seed++) {
    int f[3], stack[FINE3], top = 0;
    voxel_place(v, cell, seed, f);
    if (label[seed] != 255 || voxel_phi(v, f) >= 0.0f) continue;
    label[seed] = (unsigned char)count;
    stack[top++] = seed;
    while (top > 0) {
      voxel_place(v, cell, stack[--top], f);
      for (int side = 0; side < 6; side++) {
        int a = side / 2, up = side % 2, g[3] = {f[0], f[1], f[2]};
        if (f[a] % FINE == (up ? FINE - 1 : 0)) continue;
        g[a] += up ? 1 : -1;
        if (voxel_phi(v, g) >= 0.0f || label[voxel_slot(g)] != 255 || s->plate(s->data, up ? g : f, a, v->n)) continue;
        label[voxel_slot(g)] = (unsigned char)count;
        stack[top++] = voxel_slot(g);
      }
    }
    count++;
  }
  return count;
}

/* Sizes, depths, air; the wet cell of each cell is the same number in blocks. */
static inline void voxel_measure(Voxels *v, const VoxelScene *s, int cell)
{
  double h = 1.0 / (v->n * FINE);
  Piece *piece = v->piece + v->first[cell];
  for (int slot = 0; slot < FINE3; slot++) {
    int f[3], own = v->label[(size_t)cell * FINE3 + (size_t)slot];
    if (own == 255) continue;
    voxel_place(v, cell, slot, f);
    piece[own].size++;
    piece[own].depth -= voxel_phi(v, f);
    for (int a = 0; a < 3; a++) piece[own].x[a] += (f[a] + 0.5) * h;
    for (int side = 0; side < 6; side++) {
      int a = side / 2, up = side % 2, g[3] = {f[0], f[1], f[2]};
      g[a] += up ? 1 : -1;
      if (g[a] < 0 || g[a] >= v->n * FINE || voxel_phi(v, g) < 0.0f) continue;
      if (!s->plate(s->data, up ? g : f, a, v->n)) piece[own].air += h * h * 2.0 / 3.0;
    }
  }
  for (int q = 0; q < v->first[cell + 1] - v->first[cell]; q++) {
    piece[q].depth /= piece[q].size;
    for (int a = 0; a < 3; a++) piece[q].x[a] /= piece[q].size;
  }
}

static inline int voxel_wet(const Voxels *v, int cell)
{
  int c[3] = {cell % v->n, cell / v->n % v->n, cell / v->n / v->n};
  return vl_blocks_find(&v->tank.wet, c[0] / VL_BLOCK, c[1], c[2]) * VL_BLOCK + c[0] % VL_BLOCK;
}

static inline bool voxel_is_cut(const Voxels *v, int cell)
{
  int wet = voxel_wet(v, cell);
  return v->cut[wet / VL_BLOCK] >> wet % VL_BLOCK & 1u;
}

static inline void voxel_add(Voxels *v, int below, int above, int axis, double area, double distance)
{
  double dx = v->tank.grid.dx;
  distance = fmin(1.25 * dx, fmax(0.2 * dx, distance));
  v->link[v->tail.count++] = (vlTailLink){.below = below, .above = above, .axis = axis, .area = area, .distance = distance};
}

/* Links through the lower face of a cell along an axis, in the order of the pieces. */
static inline void voxel_link_face(Voxels *v, const VoxelScene *s, int cell, int axis)
{
  int stride = axis == 0 ? 1 : axis == 1 ? v->n : v->n * v->n, lower = cell - stride, f[3];
  double area[16][16] = {{0}}, h = 1.0 / (v->n * FINE);
  voxel_place(v, cell, 0, f);
  if (f[axis] == 0 || !(voxel_is_cut(v, cell) || voxel_is_cut(v, lower))) return;
  for (int slot = 0; slot < FINE3; slot++) {
    voxel_place(v, cell, slot, f);
    if (f[axis] % FINE > 0 || s->plate(s->data, f, axis, v->n)) continue;
    int g[3] = {f[0], f[1], f[2]};
    g[axis]--;
    int up = v->label[(size_t)cell * FINE3 + (size_t)slot], down = v->label[(size_t)lower * FINE3 + (size_t)voxel_slot(g)];
    if (up < 16 && down < 16) area[down][up] += h * h;
  }
  for (int down = 0; down < v->first[lower + 1] - v->first[lower] && down < 16; down++)
    for (int up = 0; up < v->first[cell + 1] - v->first[cell] && up < 16; up++) {
      const Piece *p = &v->piece[v->first[lower] + down], *q = &v->piece[v->first[cell] + up];
      if (area[down][up] > 0.0) voxel_add(v, p->node, q->node, axis, area[down][up], q->x[axis] - p->x[axis]);
    }
}

static inline void voxels_free(Voxels *v)
{
  void *all[] = {v->phi,  v->label, v->piece,  v->first,  v->link,     v->cut,
                 v->main, v->cell,  v->tail.u, v->tail.p, v->tail.path};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
  tank_drain(&v->tank);
}

/* Nodes of the pieces and what the level set says in cells that are whole. */
static inline void voxel_name(Voxels *v, const VoxelScene *s, int cells)
{
  for (int cell = 0; cell < cells; cell++) {
    int count = v->first[cell + 1] - v->first[cell], wet = voxel_wet(v, cell), largest = 0;
    Piece *piece = v->piece + v->first[cell];
    voxel_measure(v, s, cell);
    bool cut = (s->all && count > 0) || count > 1 || (count == 1 && piece->size < FINE3);
    v->tank.phi[vl_blocks_field(&v->tank.grid, v->tank.wet.at[wet / VL_BLOCK]) + wet % VL_BLOCK] =
        (count == 0 ? 0.5 : -0.5) * v->tank.grid.dx;
    for (int q = 1; q < count; q++) largest = piece[q].size > piece[largest].size ? q : largest;
    for (int q = 0; q < count; q++) piece[q].node = q == largest ? wet : vl_tail_extra(v->tail.extras + q - (q > largest));
    for (int q = 1; q < count; q++) v->cell[v->tail.extras++] = wet;
    v->cut[wet / VL_BLOCK] |= (unsigned short)(cut << wet % VL_BLOCK);
    v->main[wet / VL_BLOCK] |= (unsigned short)(cut << wet % VL_BLOCK);
  }
}

/* Grid of n^3 cells in a box of one metre. */
static inline void voxels_fill(Voxels *v, const VoxelScene *s, int n, uint64_t seed)
{
  int cells = n * n * n, fine = n * FINE, pieces = 0;
  *v = (Voxels){.n = n, .phi = malloc((size_t)cells * FINE3 * sizeof(float)), .label = malloc((size_t)cells * FINE3)};
  tank_fill(&v->tank, make_grid(n, n, n, 1.0 / n, vl_vec(0, 0, 0)), NULL, phi_below, NULL);
  for (int k = 0; k < fine; k++)
    for (int j = 0; j < fine; j++)
      for (int i = 0; i < fine; i++)
        v->phi[(size_t)i + (size_t)fine * ((size_t)j + (size_t)fine * (size_t)k)] =
            (float)s->phi(s->data, (const double[3]){(i + 0.5) / fine, (j + 0.5) / fine, (k + 0.5) / fine});
  v->first = calloc((size_t)cells + 1, sizeof *v->first);
  for (int cell = 0; cell < cells; cell++) v->first[cell + 1] = pieces += voxel_label(v, s, cell);
  v->piece = calloc((size_t)pieces + 1, sizeof *v->piece);
  size_t blocks = (size_t)v->tank.wet.count;
  v->cut = calloc(blocks, sizeof *v->cut);
  v->main = calloc(blocks, sizeof *v->main);
  v->cell = calloc((size_t)pieces + 1, sizeof *v->cell);
  v->link = calloc(8 * (size_t)pieces + 1, sizeof *v->link);
  voxel_name(v, s, cells);
  for (int cell = 0; cell < cells; cell++) {
    for (int a = 0; a < 3; a++) voxel_link_face(v, s, cell, a);
    for (int q = v->first[cell]; q < v->first[cell + 1]; q++)
      if (v->piece[q].air > 0.0 && v->tail.count < 8 * pieces)
        v->link[v->tail.count++] = (vlTailLink){.below = v->piece[q].node,
                                                .above = VL_TAIL_SURFACE,
                                                .axis = -1,
                                                .area = v->piece[q].air,
                                                .distance = fmax(v->piece[q].depth, 0.01 / n)};
  }
  assert_true(v->tail.count < 8 * pieces);
  tank_random_flow(&v->tank, seed);
  v->tail.u = calloc((size_t)v->tail.count + 1, sizeof(double));
  v->tail.p = calloc((size_t)v->tail.extras + 1, sizeof(double));
  v->tail.path = calloc((size_t)v->tail.count + 1, sizeof(double));
  for (int q = 0; q < v->tail.count; q++) v->tail.u[q] = random_between(&seed, -1, 1);
  v->tail.link = v->link;
  v->tail.cell = v->cell;
  v->tail.cut = v->cut;
  v->tail.main = v->main;
}

static inline vlFluid voxels_fluid(const Voxels *v)
{
  vlFluid fluid = tank_fluid(&v->tank);
  fluid.tail = &v->tail;
  return fluid;
}

#endif
