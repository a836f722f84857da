/* Multigrid levels: storage, coarse operators, smoothing, residual.
 *
 * Weights are area fractions: 1 on an open face of any level. A coarse face carries the mean of the fine faces it covers
 * (area adds, distance doubles, and the common factor goes into the restriction); the links to fixed values of the children
 * are added with the factor DIRICHLET. A coarse cell is an unknown if any child is, unless it is held by slivers only
 * (drop_weak). */
#include "linear/level.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"

/* Share of the children's links to fixed values that the coarse cell keeps. The distance to the surface does not double with
 * the cell, so this is twice the finite-volume value of 1/4. */
static const float DIRICHLET = 0.5f;

/* A coarse cell with a smaller diagonal takes no part; one in the open has 6. */
static const float WEAK = 0.1f;

enum { PARALLEL = 512 }; /* blocks: fewer are not worth waking threads for */

static float *padded(size_t blocks)
{
  float *memory = vl_aligned_alloc((blocks + 2) * VL_BLOCK * sizeof(float));
  return memory ? memory + VL_BLOCK : NULL;
}

static void padded_free(float **vector)
{
  if (*vector) vl_aligned_free(*vector - VL_BLOCK);
  *vector = NULL;
}

static void free_arrays(vlLevel *level)
{
  for (int a = 0; a < 3; a++) padded_free(&level->w[a]);
  padded_free(&level->inverse);
  padded_free(&level->diagonal);
  padded_free(&level->x);
  padded_free(&level->b);
  padded_free(&level->r);
  padded_free(&level->extra);
  free(level->side);
  free(level->finer);
  free(level->parent);
  free(level->beside);
  level->finer = NULL;
  level->parent = level->beside = NULL;
  free(level->regular);
  free(level->plain);
  level->side = NULL;
  level->regular = level->plain = NULL;
  level->capacity = 0;
}

void vl_level_clear(vlLevel *level)
{
  free_arrays(level);
  vl_blocks_clear(&level->own);
  free(level->seen);
  *level = (vlLevel){0};
}

static vlCode grow(vlLevel *level, size_t blocks, vlStatus *status)
{
  free_arrays(level);
  float **arrays[] = {&level->w[0], &level->w[1], &level->w[2], &level->inverse, &level->diagonal,
                      &level->x,    &level->b,    &level->r,    &level->extra};
  bool ok = true;
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) ok = (*arrays[i] = padded(blocks)) && ok;
  ok = (level->side = malloc((blocks + 1) * sizeof *level->side)) && ok;
  ok = (level->finer = malloc((blocks + 1) * sizeof *level->finer)) && ok;
  ok = (level->parent = malloc((blocks + 1) * sizeof *level->parent)) && ok;
  ok = (level->beside = malloc((blocks + 1) * sizeof *level->beside)) && ok;
  ok = (level->regular = malloc(blocks + 1)) && ok;
  ok = (level->plain = calloc(blocks + 1, 1)) && ok;
  if (!ok) {
    free_arrays(level);
    return vl_fail_memory(status, blocks * VL_BLOCK * 9 * sizeof(float), "the multigrid");
  }
  level->capacity = blocks;
  return VL_OK;
}

double vl_level_bytes(const vlLevel *l)
{
  if (!l->x) return 0.0;
  double block = sizeof *l->side + sizeof *l->finer + sizeof *l->parent + sizeof *l->beside + 2.0; /* regular, plain */
  return ((double)l->capacity + 2.0) * VL_BLOCK * 9 * sizeof(float) + ((double)l->capacity + 1.0) * block +
         (l->seen ? vl_blocks_bytes(&l->own) + (double)l->own.columns * l->own.n[1] : 0.0);
}

/* Room for the current blocks, zero padding behind them, neighbours. */
static vlCode resize(vlLevel *level, vlStatus *status)
{
  const vlBlocks *blocks = level->blocks;
  size_t count = (size_t)blocks->count;
  if (count > level->capacity || !level->x) {
    vlCode code = grow(level, count + count / 8, status);
    if (code) return code;
  }
  float *ends[] = {level->w[0], level->w[1], level->w[2], level->inverse, level->diagonal, level->x, level->b, level->r};
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) memset(ends[i] + count * VL_BLOCK, 0, VL_BLOCK * sizeof(float));
  level->axes = (blocks->n[0] > 1) + (blocks->n[1] > 1) + (blocks->n[2] > 1);
  vl_blocks_sides(blocks, level->side);
  return VL_OK;
}

vlCode vl_level_from_stencil(vlLevel *level, const vlStencil *stencil, vlStatus *status)
{
  level->blocks = &stencil->blocks;
  vlCode code = resize(level, status);
  if (code) return code;
  size_t n = (size_t)stencil->blocks.count * VL_BLOCK;
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < n; i++) {
    for (int a = 0; a < 3; a++) level->w[a][i] = (float)stencil->w[a][i];
    level->diagonal[i] = (float)stencil->diagonal[i];
    level->inverse[i] = stencil->diagonal[i] > 0.0 ? (float)(1.0 / stencil->diagonal[i]) : 0.0f;
  }
  memcpy(level->regular, stencil->regular, (size_t)stencil->blocks.count);
  level->unknowns = stencil->unknowns; /* less those of a tail */
  for (size_t i = n; i < vl_stencil_length(stencil); i++) level->unknowns -= stencil->diagonal[i] > 0.0;
  return VL_OK;
}

/* The coarse blocks that cover the fine ones, in order. `seen` marks a plane of coarse blocks; left cleared. */
static bool coarse_blocks(vlBlocks *coarse, unsigned char *seen, const vlBlocks *fine, const int shift[3])
{
  bool ok = true;
  vl_blocks_begin(coarse);
  for (int k = 0; k < coarse->n[2] && ok; k++) {
    int k0 = k << shift[2], k1 = (k + 1) << shift[2];
    if (k1 > fine->n[2]) k1 = fine->n[2];
    int first = fine->plane_start[k0], last = fine->plane_start[k1];
    if (first == last) continue;
    for (int b = first; b < last; b++)
      seen[(size_t)(fine->at[b].bx >> shift[0]) + (size_t)coarse->columns * (size_t)(fine->at[b].j >> shift[1])] = 1;
    for (int j = 0; j < coarse->n[1]; j++) {
      for (int bx = 0; bx < coarse->columns; bx++) {
        unsigned char *mark = &seen[(size_t)bx + (size_t)coarse->columns * (size_t)j];
        if (*mark) ok = vl_blocks_append(coarse, bx, j, k) && ok;
        *mark = 0;
      }
    }
  }
  vl_blocks_end(coarse);
  return ok;
}

/* What a coarse cell takes from its children, summed: face weights on its lower sides, links to fixed values, being an
 * unknown. */
typedef struct Children {
  float w[3][VL_BLOCK], fixed[VL_BLOCK];
  bool any[VL_BLOCK];
} Children;

static void add_child_row(Children *sum, const vlLevel *fine, int block, int first, const int shift[3], const int odd[3])
{
  const int *side = fine->side[block];
  for (int l = 0; l < VL_BLOCK; l++) {
    size_t i = (size_t)block * VL_BLOCK + (size_t)l;
    if (fine->diagonal[i] <= 0.0f) continue;
    int c = first + (l >> shift[0]);
    size_t yu = (size_t)side[1] * VL_BLOCK + (size_t)l, zu = (size_t)side[3] * VL_BLOCK + (size_t)l;
    float faces = fine->w[0][i] + fine->w[0][i + 1] + fine->w[1][i] + fine->w[1][yu] + fine->w[2][i] + fine->w[2][zu];
    float fixed = fine->diagonal[i] - faces;
    sum->any[c] = true;
    sum->fixed[c] += fixed > 1e-6f * fine->diagonal[i] ? fixed : 0.0f;
    if (!shift[0] || !(l & 1)) sum->w[0][c] += fine->w[0][i];
    if (!odd[1]) sum->w[1][c] += fine->w[1][i];
    if (!odd[2]) sum->w[2][c] += fine->w[2][i];
  }
}

static void gather_children(Children *sum, const vlLevel *fine, vlBlockPosition p, const int shift[3])
{
  *sum = (Children){0};
  for (int dk = 0; dk <= shift[2]; dk++)
    for (int dj = 0; dj <= shift[1]; dj++)
      for (int di = 0; di <= shift[0]; di++) {
        int j = (p.j << shift[1]) + dj, k = (p.k << shift[2]) + dk, bx = (p.bx << shift[0]) + di;
        if (j >= fine->blocks->n[1] || k >= fine->blocks->n[2] || bx >= fine->blocks->columns) continue;
        int block = vl_blocks_find(fine->blocks, bx, j, k);
        if (block >= 0) add_child_row(sum, fine, block, di * VL_BLOCK / 2, shift, (const int[3]){0, dj, dk});
      }
}

/* The six face weights of a cell: lower and upper along each axis. */
static void cell_faces(const vlLevel *level, int b, int l, float face[6])
{
  size_t i = (size_t)b * VL_BLOCK + (size_t)l;
  size_t yu = (size_t)level->side[b][1] * VL_BLOCK + (size_t)l, zu = (size_t)level->side[b][3] * VL_BLOCK + (size_t)l;
  const size_t at[6] = {i, i + 1, i, yu, i, zu};
  for (int f = 0; f < 6; f++) face[f] = level->w[f / 2][at[f]];
}

static float face_sum(const vlLevel *level, int b, int l)
{
  float w[6];
  cell_faces(level, b, l, w);
  return (w[0] + w[1]) + (w[2] + w[3]) + (w[4] + w[5]);
}

static bool block_is_regular(const vlLevel *level, int b)
{
  for (int l = 0; l < VL_BLOCK; l++) {
    float w[6];
    cell_faces(level, b, l, w);
    const double face[6] = {w[0], w[1], w[2], w[3], w[4], w[5]};
    if (!vl_stencil_cell_regular(level->axes, level->diagonal[b * VL_BLOCK + l], face)) return false;
  }
  return true;
}

/* What the children give, as it is: weights, links to fixed values (into r), unknowns (into inverse, 1 or 0). */
static void inherit(vlLevel *coarse, const vlLevel *fine, const int shift[3])
{
  float share[3];
  for (int a = 0; a < 3; a++) share[a] = 1.0f / (float)(1 << (shift[(a + 1) % 3] + shift[(a + 2) % 3]));
#pragma omp parallel for schedule(static)
  for (int b = 0; b < coarse->blocks->count; b++) {
    Children sum;
    gather_children(&sum, fine, coarse->blocks->at[b], shift);
    for (int l = 0; l < VL_BLOCK; l++) {
      size_t i = (size_t)b * VL_BLOCK + (size_t)l;
      for (int a = 0; a < 3; a++) coarse->w[a][i] = sum.w[a][l] * share[a];
      coarse->r[i] = DIRICHLET * sum.fixed[l];
      coarse->inverse[i] = sum.any[l] ? 1.0f : 0.0f;
    }
  }
}

/* Leaves out the coarse cells that only slivers hold up. Interpolation would hand them residual of the open cells beside
 * them, and divided by their small diagonal it would come back as a large false correction. The smoother takes care of the
 * slivers. */
static void drop_weak(vlLevel *coarse)
{
  const vlBlocks *blocks = coarse->blocks;
#pragma omp parallel for schedule(static)
  for (int b = 0; b < blocks->count; b++)
    for (int l = 0; l < VL_BLOCK; l++) {
      size_t i = (size_t)b * VL_BLOCK + (size_t)l;
      coarse->diagonal[i] = coarse->inverse[i] > 0.0f && face_sum(coarse, b, l) + coarse->r[i] >= WEAK ? 1.0f : 0.0f;
    }
#pragma omp parallel for schedule(static)
  for (int b = 0; b < blocks->count; b++)
    for (int l = 0; l < VL_BLOCK; l++) {
      size_t i = (size_t)b * VL_BLOCK + (size_t)l;
      size_t below[3] = {i - 1, (size_t)coarse->side[b][0] * VL_BLOCK + (size_t)l,
                         (size_t)coarse->side[b][2] * VL_BLOCK + (size_t)l};
      coarse->inverse[i] = coarse->diagonal[i];
      for (int a = 0; a < 3; a++)
        if (coarse->w[a][i] > 0.0f) coarse->w[a][i] *= coarse->diagonal[i] * coarse->diagonal[below[a]];
    }
}

/* Face weights first, then diagonals, which read the weights of the blocks around. */
static void coarse_coefficients(vlLevel *coarse, const vlLevel *fine, const int shift[3])
{
  int count = coarse->blocks->count;
  int64_t unknowns = 0;
  inherit(coarse, fine, shift);
  drop_weak(coarse);
#pragma omp parallel for schedule(static) reduction(+ : unknowns)
  for (int b = 0; b < count; b++) {
    for (int l = 0; l < VL_BLOCK; l++) {
      size_t i = (size_t)b * VL_BLOCK + (size_t)l;
      float diagonal = coarse->inverse[i] > 0.0f ? face_sum(coarse, b, l) + coarse->r[i] : 0.0f;
      coarse->diagonal[i] = diagonal;
      coarse->inverse[i] = diagonal > 0.0f ? 1.0f / diagonal : 0.0f;
      unknowns += diagonal > 0.0f;
    }
  }
  coarse->unknowns = unknowns;
#pragma omp parallel for schedule(static)
  for (int b = 0; b < count; b++) coarse->regular[b] = block_is_regular(coarse, b);
}

static vlCode create_blocks(vlLevel *coarse, const int n[3], vlStatus *status)
{
  vlCode code = vl_blocks_create(&coarse->own, n, status);
  if (code) return code;
  size_t plane = (size_t)coarse->own.columns * (size_t)n[1];
  coarse->seen = calloc(plane, 1);
  if (coarse->seen) return VL_OK;
  vl_blocks_clear(&coarse->own);
  return vl_fail_memory(status, plane, "the multigrid");
}

vlCode vl_level_coarsen(vlLevel *coarse, const vlLevel *fine, vlStatus *status)
{
  int n[3], shift[3];
  for (int a = 0; a < 3; a++) {
    shift[a] = fine->blocks->n[a] > 1;
    n[a] = shift[a] ? (fine->blocks->n[a] + 1) / 2 : 1;
  }
  if (!coarse->seen) {
    vlCode code = create_blocks(coarse, n, status);
    if (code) return code;
  }
  coarse->blocks = &coarse->own;
  if (!coarse_blocks(&coarse->own, coarse->seen, fine->blocks, shift))
    return vl_fail_memory(status, (size_t)fine->blocks->count * sizeof *coarse->own.at, "the multigrid");
  vlCode code = resize(coarse, status);
  if (!code) coarse_coefficients(coarse, fine, shift);
  return code;
}

/* New values of both colours of a block; the caller keeps one. Those of the other colour come out of cells that other
 * threads may be writing: whatever was read there ends in lanes that are thrown away, and the lanes that are kept read only
 * cells that no one writes in this sweep. Whole vectors are what makes the smoother fast, so ThreadSanitizer is told not to
 * look at these loads. */
__attribute__((no_sanitize("thread"))) static inline void relax_block(const vlLevel *level, int block, float next[VL_BLOCK])
{
  const float sixth = 1.0f / (2.0f * (float)level->axes);
  size_t at = (size_t)block * VL_BLOCK, to[4];
  for (int s = 0; s < 4; s++) to[s] = (size_t)level->side[block][s] * VL_BLOCK;
  const float *x = level->x + at, *b = level->b + at;
  const float *yd = level->x + to[0], *yu = level->x + to[1], *zd = level->x + to[2], *zu = level->x + to[3];
  if (level->regular[block]) {
#pragma omp simd
    for (int l = 0; l < VL_BLOCK; l++)
      next[l] = sixth * (b[l] + ((x[l - 1] + x[l + 1]) + (yd[l] + yu[l]) + (zd[l] + zu[l])));
    return;
  }
  const float *wx = level->w[0] + at, *wy = level->w[1] + at, *wz = level->w[2] + at, *inverse = level->inverse + at;
  const float *wyu = level->w[1] + to[1], *wzu = level->w[2] + to[3];
#pragma omp simd
  for (int l = 0; l < VL_BLOCK; l++)
    next[l] = inverse[l] * (b[l] + ((wx[l] * x[l - 1] + wx[l + 1] * x[l + 1]) + (wy[l] * yd[l] + wyu[l] * yu[l]) +
                                    (wz[l] * zd[l] + wzu[l] * zu[l])));
}

/* x = 0, then Gauss-Seidel on one colour. */
static inline void begin_block(const vlLevel *level, int block, int own)
{
  const float *inverse = level->inverse + (size_t)block * VL_BLOCK, *b = level->b + (size_t)block * VL_BLOCK;
  float *x = level->x + (size_t)block * VL_BLOCK;
  for (int l = 0; l < VL_BLOCK; l++) x[l] = (l & 1) == own ? inverse[l] * b[l] : 0.0f;
}

static inline void smooth_block(const vlLevel *level, int block, int own)
{
  float *x = level->x + (size_t)block * VL_BLOCK, next[VL_BLOCK];
  relax_block(level, block, next);
  for (int l = own; l < VL_BLOCK; l += 2) x[l] = next[l];
}

/* r = b - A x */
static inline void residual_block(const vlLevel *level, int block)
{
  const float twice = 2.0f * (float)level->axes;
  size_t at = (size_t)block * VL_BLOCK, to[4];
  for (int s = 0; s < 4; s++) to[s] = (size_t)level->side[block][s] * VL_BLOCK;
  const float *x = level->x + at, *b = level->b + at, *d = level->diagonal + at;
  const float *yd = level->x + to[0], *yu = level->x + to[1], *zd = level->x + to[2], *zu = level->x + to[3];
  float *r = level->r + at;
  if (level->regular[block]) {
#pragma omp simd
    for (int l = 0; l < VL_BLOCK; l++)
      r[l] = b[l] - (twice * x[l] - ((x[l - 1] + x[l + 1]) + (yd[l] + yu[l]) + (zd[l] + zu[l])));
    return;
  }
  const float *wx = level->w[0] + at, *wy = level->w[1] + at, *wz = level->w[2] + at;
  const float *wyu = level->w[1] + to[1], *wzu = level->w[2] + to[3];
#pragma omp simd
  for (int l = 0; l < VL_BLOCK; l++)
    r[l] = b[l] - (d[l] * x[l] - ((wx[l] * x[l - 1] + wx[l + 1] * x[l + 1]) + (wy[l] * yd[l] + wyu[l] * yu[l]) +
                                  (wz[l] * zd[l] + wzu[l] * zu[l])));
}

/* Lanes of the colour of a pass in a block: first, first + 2, ... */
static inline int first_lane(const vlLevel *level, vlPass pass, int block)
{
  vlBlockPosition p = level->blocks->at[block];
  return (p.j + p.k + (pass == VL_PASS_BLACK)) & 1;
}

static void pass_blocks(const vlLevel *level, vlPass pass, int first, int last)
{
  switch (pass) {
  case VL_PASS_BEGIN:
    for (int block = first; block < last; block++) begin_block(level, block, first_lane(level, pass, block));
    break;
  case VL_PASS_RED:
  case VL_PASS_BLACK:
    for (int block = first; block < last; block++) smooth_block(level, block, first_lane(level, pass, block));
    break;
  case VL_PASS_RESIDUAL:
    for (int block = first; block < last; block++) residual_block(level, block);
    break;
  }
}

static void pass_plane(const vlLevel *level, vlPass pass, int k)
{
  pass_blocks(level, pass, level->blocks->plane_start[k], level->blocks->plane_start[k + 1]);
}

/* One pass after the other over all blocks: what vl_level_passes is to do. */
void vl_level_passes_plain(vlLevel *level, const vlPass *pass, int count)
{
  for (int s = 0; s < count; s++) {
#pragma omp parallel for schedule(static)
    for (int block = 0; block < level->blocks->count; block++) pass_blocks(level, pass[s], block, block + 1);
  }
}

/* First plane of each of `parts` parts with about as many blocks. */
static int part_start(const vlBlocks *blocks, int part, int parts)
{
  int64_t wanted = (int64_t)blocks->count * part / parts;
  int lo = 0, hi = blocks->n[2];
  while (lo < hi) {
    int middle = lo + (hi - lo) / 2;
    if (blocks->plane_start[middle] < wanted)
      lo = middle + 1;
    else
      hi = middle;
  }
  return lo;
}

/* Pass s on a plane needs pass s - 1 on the planes beside it, and no later one. So a thread leads all passes over its planes
 * together, each a plane behind the one before, while the planes are in the cache. At planes that border on another thread's
 * it leaves a wedge, one plane more with each pass, which is filled when both are done. */
static void lead_passes(const vlLevel *level, const vlPass *pass, int count, int first, int last, bool open_below,
                        bool open_above)
{
  for (int t = first; t < last + count - 1; t++)
    for (int s = 0; s < count; s++) {
      int k = t - s;
      if (k >= first + (open_below ? s : 0) && k < last - (open_above ? s : 0)) pass_plane(level, pass[s], k);
    }
}

static void fill_wedge(const vlLevel *level, const vlPass *pass, int count, int border)
{
  for (int s = 1; s < count; s++)
    for (int k = border - s; k < border + s; k++) pass_plane(level, pass[s], k);
}

void vl_level_passes(vlLevel *level, const vlPass *pass, int count)
{
  const vlBlocks *blocks = level->blocks;
  int parts = blocks->count >= PARALLEL ? omp_get_max_threads() : 1;
  bool wide = true; /* a part leaves room for the wedges on both its sides */
  for (int q = 0; q < parts && wide && parts > 1; q++)
    wide = part_start(blocks, q + 1, parts) - part_start(blocks, q, parts) >= 2 * count;
  if (!wide) {
    vl_level_passes_plain(level, pass, count);
    return;
  }
#pragma omp parallel for schedule(static, 1) if (parts > 1)
  for (int q = 0; q < parts; q++)
    lead_passes(level, pass, count, q > 0 ? part_start(blocks, q, parts) : 0,
                q < parts - 1 ? part_start(blocks, q + 1, parts) : blocks->n[2], q > 0, q < parts - 1);
#pragma omp parallel for schedule(static, 1) if (parts > 1)
  for (int q = 1; q < parts; q++) fill_wedge(level, pass, count, part_start(blocks, q, parts));
}
