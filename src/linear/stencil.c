/* The 7-point operator over blocks: storage, product, components, conversion to rows.
 *
 * In a compact array the cell to the left of a block's first is the last of the block listed before. If that block is not
 * its neighbour, the face between them has weight zero, so the product may read across without a test; only the neighbours
 * along y and z are looked up, once per block. */
#include "linear/stencil.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/groups.h"
#include "base/memory.h"
#include "base/status.h"

vlCode vl_stencil_create(vlStencil *stencil, const int n[3], vlStatus *status)
{
  *stencil = (vlStencil){0};
  for (int a = 0; a < 3; a++) stencil->axes += n[a] > 1;
  return vl_blocks_create(&stencil->blocks, n, status);
}

static void free_arrays(vlStencil *s)
{
  for (int a = 0; a < 3; a++) {
    vl_stencil_vector_free(s->w[a]);
    s->w[a] = NULL;
  }
  vl_stencil_vector_free(s->diagonal);
  free(s->side);
  free(s->regular);
  s->diagonal = NULL;
  s->side = NULL;
  s->regular = NULL;
  s->capacity = 0;
}

void vl_stencil_clear(vlStencil *stencil)
{
  free_arrays(stencil);
  free(stencil->pair);
  free(stencil->extra_cell);
  vl_blocks_clear(&stencil->blocks);
  *stencil = (vlStencil){0};
}

double *vl_stencil_vector_create(size_t blocks)
{
  double *memory = vl_aligned_alloc((blocks + 2) * VL_BLOCK * sizeof(double));
  return memory ? memory + VL_BLOCK : NULL;
}

void vl_stencil_vector_free(double *vector)
{
  if (vector) vl_aligned_free(vector - VL_BLOCK);
}

static vlCode grow(vlStencil *s, size_t blocks, vlStatus *status)
{
  free_arrays(s);
  bool ok = true;
  for (int a = 0; a < 3; a++) ok = (s->w[a] = vl_stencil_vector_create(blocks)) && ok;
  ok = (s->diagonal = vl_stencil_vector_create(blocks)) && ok;
  ok = (s->side = malloc((blocks + 1) * sizeof *s->side)) && ok;
  ok = (s->regular = malloc(blocks + 1)) && ok;
  if (!ok) {
    free_arrays(s);
    return vl_fail_memory(status, blocks * VL_BLOCK * 4 * sizeof(double), "the pressure matrix");
  }
  s->capacity = blocks;
  return VL_OK;
}

vlCode vl_stencil_resize(vlStencil *stencil, vlStatus *status)
{
  const vlBlocks *blocks = &stencil->blocks;
  size_t count = vl_stencil_blocks(stencil);
  /* compact cells, with the zero block behind them, are numbered by int */
  if (count > INT_MAX / VL_BLOCK - 1)
    return vl_fail(status, VL_ERROR_MEMORY, "the liquid fills %d blocks of %d cells: a pressure system has room for %d",
                   blocks->count, VL_BLOCK, INT_MAX / VL_BLOCK - 1);
  if (count > stencil->capacity || !stencil->w[0]) {
    vlCode code = grow(stencil, count + count / 8, status);
    if (code) return code;
  }
  for (int a = 0; a < 3; a++) memset(stencil->w[a], 0, (count + 1) * VL_BLOCK * sizeof(double));
  memset(stencil->diagonal, 0, (count + 1) * VL_BLOCK * sizeof(double));
  vl_blocks_sides(blocks, stencil->side);
  stencil->pair_count = 0;
  size_t extra = (size_t)stencil->extra;
  if (!vl_array_reserve((void **)&stencil->extra_cell, &stencil->extra_cell_capacity, extra, sizeof(int)))
    return vl_fail_memory(status, extra * sizeof(int), "the pressure matrix");
  for (size_t e = 0; e < extra; e++) stencil->extra_cell[e] = -1;
  return VL_OK;
}

static bool block_is_regular(const vlStencil *s, int b)
{
  for (int l = 0; l < VL_BLOCK; l++) {
    size_t i = (size_t)b * VL_BLOCK + (size_t)l;
    size_t yu = (size_t)s->side[b][1] * VL_BLOCK + (size_t)l, zu = (size_t)s->side[b][3] * VL_BLOCK + (size_t)l;
    const double face[6] = {s->w[0][i], s->w[0][i + 1], s->w[1][i], s->w[1][yu], s->w[2][i], s->w[2][zu]};
    if (!vl_stencil_cell_regular(s->axes, s->diagonal[i], face)) return false;
  }
  return true;
}

void vl_stencil_finish(vlStencil *stencil)
{
  int64_t unknowns = 0;
#pragma omp parallel for schedule(static) reduction(+ : unknowns)
  for (int b = 0; b < stencil->blocks.count; b++) {
    stencil->regular[b] = block_is_regular(stencil, b);
    for (int l = 0; l < VL_BLOCK; l++) unknowns += stencil->diagonal[(size_t)b * VL_BLOCK + (size_t)l] > 0.0;
  }
  for (size_t i = vl_stencil_tail(stencil); i < vl_stencil_length(stencil); i++) unknowns += stencil->diagonal[i] > 0.0;
  stencil->unknowns = unknowns;
}

static void apply_regular(double full, const double *x, const double *yd, const double *yu, const double *zd,
                          const double *zu, double *out)
{
#pragma omp simd
  for (int l = 0; l < VL_BLOCK; l++) out[l] = full * x[l] - ((x[l - 1] + x[l + 1]) + (yd[l] + yu[l]) + (zd[l] + zu[l]));
}

/* In the order of the pairs, which are few. */
static void apply_tail(const vlStencil *s, const double *x, double *y)
{
  size_t first = vl_stencil_tail(s), n = vl_stencil_length(s);
  for (size_t i = first - VL_BLOCK; i < n; i++) y[i] = s->diagonal[i] * x[i];
  for (int q = 0; q < s->pair_count; q++) {
    vlStencilPair pair = s->pair[q];
    y[pair.i] -= pair.w * x[pair.j];
    y[pair.j] -= pair.w * x[pair.i];
  }
}

void vl_stencil_apply(const vlStencil *stencil, const double *x, double *y)
{
  double full = 2.0 * stencil->axes;
#pragma omp parallel for schedule(static)
  for (int b = 0; b < stencil->blocks.count; b++) {
    size_t at = (size_t)b * VL_BLOCK;
    const int *side = stencil->side[b];
    size_t to[4];
    for (int s = 0; s < 4; s++) to[s] = (size_t)side[s] * VL_BLOCK;
    const double *c = x + at, *yd = x + to[0], *yu = x + to[1], *zd = x + to[2], *zu = x + to[3];
    double *out = y + at;
    if (stencil->regular[b]) {
      apply_regular(full, c, yd, yu, zd, zu, out);
      continue;
    }
    const double *wx = stencil->w[0] + at, *wy = stencil->w[1] + at, *wz = stencil->w[2] + at;
    const double *wyu = stencil->w[1] + to[1], *wzu = stencil->w[2] + to[3], *d = stencil->diagonal + at;
#pragma omp simd
    for (int l = 0; l < VL_BLOCK; l++)
      out[l] = d[l] * c[l] - ((wx[l] * c[l - 1] + wx[l + 1] * c[l + 1]) + (wy[l] * yd[l] + wyu[l] * yu[l]) +
                              (wz[l] * zd[l] + wzu[l] * zu[l]));
  }
  if (stencil->extra > 0 || stencil->pair_count > 0) apply_tail(stencil, x, y);
}

static void apply_operator(void *data, const double *x, double *y) { vl_stencil_apply(data, x, y); }

vlOperator vl_stencil_operator(const vlStencil *stencil)
{
  return (vlOperator){.n = vl_stencil_length(stencil), .pad = VL_BLOCK, .apply = apply_operator, .data = (void *)stencil};
}

void vl_stencil_components(const vlStencil *stencil, int *label)
{
  size_t n = vl_stencil_length(stencil);
  for (size_t i = 0; i < n; i++) label[i] = stencil->diagonal[i] > 0.0 ? (int)i : -1;
  for (int b = 0; b < stencil->blocks.count; b++) {
    const int *side = stencil->side[b];
    for (int l = 0; l < VL_BLOCK; l++) {
      int i = b * VL_BLOCK + l;
      if (label[i] < 0) continue;
      if (stencil->w[0][i] > 0.0) vl_group_join(label, i, i - 1);
      if (stencil->w[1][i] > 0.0) vl_group_join(label, i, side[0] * VL_BLOCK + l);
      if (stencil->w[2][i] > 0.0) vl_group_join(label, i, side[2] * VL_BLOCK + l);
    }
  }
  for (int q = 0; q < stencil->pair_count; q++) vl_group_join(label, stencil->pair[q].i, stencil->pair[q].j);
  for (size_t i = 0; i < n; i++)
    if (label[i] >= 0) label[i] = vl_group_root(label, (int)i);
}

/* Entries of one row but for pairs, in ascending column order: z-, y-, x-, diagonal, x+, y+, z+. */
static int entries_of(const vlStencil *s, size_t place, const int *row_of, int column[7], double value[7])
{
  int b = (int)(place / VL_BLOCK), l = (int)(place % VL_BLOCK);
  if (b >= s->blocks.count) {
    column[0] = row_of[place];
    value[0] = s->diagonal[place];
    return 1;
  }
  const int *side = s->side[b];
  int i = b * VL_BLOCK + l, yu = side[1] * VL_BLOCK + l, zu = side[3] * VL_BLOCK + l;
  const int cell[7] = {side[2] * VL_BLOCK + l, side[0] * VL_BLOCK + l, i - 1, i, i + 1, yu, zu};
  const double entry[7] = {-s->w[2][i],     -s->w[1][i],  -s->w[0][i], s->diagonal[i],
                           -s->w[0][i + 1], -s->w[1][yu], -s->w[2][zu]};
  int count = 0;
  for (int e = 0; e < 7; e++) {
    if (entry[e] == 0.0) continue;
    column[count] = row_of[cell[e]];
    value[count++] = entry[e];
  }
  return count;
}

/* Both entries of every pair, by rows. */
typedef struct Entry {
  int row, column;
  double value;
} Entry;

static int by_row(const void *a, const void *b)
{
  const Entry *x = a, *y = b;
  return x->row != y->row ? (x->row < y->row ? -1 : 1) : (x->column > y->column) - (x->column < y->column);
}

static Entry *list_pairs(const vlStencil *s, const int *row_of)
{
  Entry *list = malloc((2 * (size_t)s->pair_count + 1) * sizeof *list);
  for (int q = 0; q < 2 * s->pair_count && list; q++) {
    vlStencilPair pair = s->pair[q / 2];
    list[q] = q % 2 ? (Entry){row_of[pair.j], row_of[pair.i], -pair.w} : (Entry){row_of[pair.i], row_of[pair.j], -pair.w};
  }
  if (list) qsort(list, 2 * (size_t)s->pair_count, sizeof *list, by_row);
  return list;
}

/* Adds to the last row of a matrix, which begins at `first`; returns its end. */
static int64_t add_entry(vlCsr *csr, int64_t first, int64_t end, int column, double value)
{
  int64_t at = end;
  while (at > first && csr->column[at - 1] > column) at--;
  if (at > first && csr->column[at - 1] == column) {
    csr->value[at - 1] += value;
    return end;
  }
  memmove(csr->column + at + 1, csr->column + at, (size_t)(end - at) * sizeof(int));
  memmove(csr->value + at + 1, csr->value + at, (size_t)(end - at) * sizeof(double));
  csr->column[at] = column;
  csr->value[at] = value;
  return end + 1;
}

vlCode vl_stencil_to_csr(vlCsr **csr, const vlStencil *stencil, int *row_of, vlStatus *status)
{
  int rows = 0, column[7];
  double value[7];
  int64_t entries = 2 * (int64_t)stencil->pair_count;
  for (size_t i = 0; i < vl_stencil_length(stencil); i++) row_of[i] = stencil->diagonal[i] > 0.0 ? rows++ : -1;
  for (size_t i = 0; i < vl_stencil_length(stencil); i++)
    if (row_of[i] >= 0) entries += entries_of(stencil, i, row_of, column, value);
  vlCode code = vl_csr_create(csr, rows, entries, status);
  if (code) return code;
  Entry *pair = list_pairs(stencil, row_of);
  if (!pair) {
    vl_csr_destroy(csr);
    return vl_fail_memory(status, 2 * (size_t)stencil->pair_count * sizeof *pair, "the matrix in rows");
  }
  int64_t at = 0;
  int row = 0;
  const Entry *next = pair, *last = pair + 2 * stencil->pair_count;
  for (size_t i = 0; i < vl_stencil_length(stencil); i++) {
    if (row_of[i] < 0) continue;
    int64_t first = at;
    int count = entries_of(stencil, i, row_of, column, value);
    memcpy((*csr)->column + at, column, (size_t)count * sizeof(int));
    memcpy((*csr)->value + at, value, (size_t)count * sizeof(double));
    at += count;
    for (; next < last && next->row == row; next++) at = add_entry(*csr, first, at, next->column, next->value);
    (*csr)->start[++row] = at;
  }
  free(pair);
  return VL_OK;
}
