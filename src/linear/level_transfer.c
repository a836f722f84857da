/* Between two multigrid levels: trilinear interpolation of cell values and its transpose.
 *
 * Along an axis that coarsens, a fine cell takes 3/4 of its parent and 1/4 of the parent's neighbour on its side; beyond the
 * domain the parent stands in for the neighbour, and air counts as zero. Solids take no value: a fine cell whose parent has
 * no link to the free surface gives the share of missing neighbours to the parent (`extra`). Along an axis of one cell both
 * levels are the same. Restriction is the transpose times 2^(2 - axes), which carries the scaling of the coarse weights
 * (level.c). */
#include "linear/level.h"

/* The fine rows along one axis that touch coarse row c, and their weights in the transpose. */
static int restricting_rows(int c, int n_coarse, int n_fine, int row[4], float weight[4])
{
  if (n_fine == 1) {
    row[0] = 0;
    weight[0] = 1.0f;
    return 1;
  }
  const int candidate[4] = {2 * c - 1, 2 * c, 2 * c + 1, 2 * c + 2};
  const float share[4] = {0.25f, c == 0 ? 1.0f : 0.75f, c == n_coarse - 1 ? 1.0f : 0.75f, 0.25f};
  int count = 0;
  for (int s = 0; s < 4; s++) {
    if (candidate[s] < 0 || candidate[s] >= n_fine) continue;
    row[count] = candidate[s];
    weight[count++] = share[s];
  }
  return count;
}

static int block_or_zeros(const vlBlocks *blocks, int bx, int j, int k)
{
  int b = bx < blocks->columns ? vl_blocks_find(blocks, bx, j, k) : -1;
  return b >= 0 ? b : blocks->count;
}

/* The rows of the fine level that a coarse block restricts from: how many, their weights, and where to find their blocks. */
typedef struct Rows {
  int j[4], k[4], count_j, count_k;
  float weight_j[4], weight_k[4];
} Rows;

static Rows rows_of(const vlLevel *fine, const vlLevel *coarse, vlBlockPosition p)
{
  Rows rows;
  rows.count_j = restricting_rows(p.j, coarse->blocks->n[1], fine->blocks->n[1], rows.j, rows.weight_j);
  rows.count_k = restricting_rows(p.k, coarse->blocks->n[2], fine->blocks->n[2], rows.k, rows.weight_k);
  return rows;
}

static void find_finer(const vlLevel *fine, vlLevel *coarse, int block)
{
  vlBlockPosition p = coarse->blocks->at[block];
  Rows rows = rows_of(fine, coarse, p);
  int bx = fine->blocks->n[0] > 1 ? 2 * p.bx : 0;
  for (int k = 0; k < rows.count_k; k++)
    for (int j = 0; j < rows.count_j; j++)
      for (int b = 0; b < 4; b++)
        coarse->finer[block][4 * k + j][b] = block_or_zeros(fine->blocks, bx + b - 1, rows.j[j], rows.k[k]);
}

/* Adds weight times a fine row over the 34 fine cells that touch a coarse block: one to the left, 32 children, one to the
 * right. */
static void add_fine_row(float *sum, const float *r, const int block[4], float weight)
{
  const float *first = r + (size_t)block[1] * VL_BLOCK, *second = r + (size_t)block[2] * VL_BLOCK;
  sum[0] += weight * r[(size_t)block[0] * VL_BLOCK + VL_BLOCK - 1];
  for (int l = 0; l < VL_BLOCK; l++) sum[1 + l] += weight * first[l];
  for (int l = 0; l < VL_BLOCK; l++) sum[1 + VL_BLOCK + l] += weight * second[l];
  sum[1 + 2 * VL_BLOCK] += weight * r[(size_t)block[3] * VL_BLOCK];
}

/* What the children in fine row (j, k) hand to their parents beside the trilinear share. */
static void add_extra(float own[VL_BLOCK], const vlLevel *fine, int bx, int j, int k)
{
  int shift = fine->blocks->n[0] > 1;
  if (j >= fine->blocks->n[1] || k >= fine->blocks->n[2]) return;
  for (int half = 0; half <= shift; half++) {
    int block = bx + half < fine->blocks->columns ? vl_blocks_find(fine->blocks, bx + half, j, k) : -1;
    if (block < 0 || fine->plain[block]) continue;
    const float *extra = fine->extra + (size_t)block * VL_BLOCK, *r = fine->r + (size_t)block * VL_BLOCK;
    for (int l = 0; l < VL_BLOCK; l++) own[half * VL_BLOCK / 2 + (l >> shift)] += extra[l] * r[l];
  }
}

static void restrict_block(const vlLevel *fine, vlLevel *coarse, int block, float scale)
{
  const int *nf = fine->blocks->n, *nc = coarse->blocks->n;
  vlBlockPosition p = coarse->blocks->at[block];
  float sum[2 * VL_BLOCK + 2] = {0};
  Rows rows = rows_of(fine, coarse, p);
  int bx = nf[0] > 1 ? 2 * p.bx : 0;
  for (int k = 0; k < rows.count_k; k++)
    for (int j = 0; j < rows.count_j; j++)
      add_fine_row(sum, fine->r, coarse->finer[block][4 * k + j], rows.weight_j[j] * rows.weight_k[k]);

  float own[VL_BLOCK] = {0};
  int children_j = nf[1] > 1 ? 2 : 1, children_k = nf[2] > 1 ? 2 : 1;
  for (int dk = 0; dk < children_k; dk++)
    for (int dj = 0; dj < children_j; dj++)
      add_extra(own, fine, bx, nf[1] > 1 ? 2 * p.j + dj : 0, nf[2] > 1 ? 2 * p.k + dk : 0);

  size_t at = (size_t)block * VL_BLOCK;
  for (int l = 0; l < VL_BLOCK; l++) {
    int c = p.bx * VL_BLOCK + l;
    float value = sum[1];
    if (nf[0] > 1) {
      const float *s = sum + 1 + 2 * l;
      value = 0.25f * s[-1] + (c == 0 ? 1.0f : 0.75f) * s[0] + (c == nc[0] - 1 ? 1.0f : 0.75f) * s[1] + 0.25f * s[2];
    }
    coarse->b[at + (size_t)l] = coarse->inverse[at + (size_t)l] > 0.0f ? scale * (value + own[l]) : 0.0f;
  }
}

void vl_level_restrict(const vlLevel *fine, vlLevel *coarse)
{
  static const float scale[4] = {1.0f, 2.0f, 1.0f, 0.5f};
#pragma omp parallel for schedule(static)
  for (int b = 0; b < coarse->blocks->count; b++) restrict_block(fine, coarse, b, scale[fine->axes]);
}

/* The two coarse rows a fine row interpolates between along one axis. */
static void parents(int f, int n_coarse, int n_fine, int row[2], float weight[2])
{
  row[0] = row[1] = n_fine > 1 ? f >> 1 : 0;
  weight[0] = 0.75f;
  weight[1] = 0.25f;
  if (n_fine == 1) return;
  int other = f & 1 ? row[0] + 1 : row[0] - 1;
  if (other >= 0 && other < n_coarse) row[1] = other;
}

static void find_parents(const vlLevel *coarse, vlLevel *fine, int block)
{
  vlBlockPosition p = fine->blocks->at[block];
  const int *nf = fine->blocks->n, *nc = coarse->blocks->n;
  int rows_j[2], rows_k[2], half = p.bx & 1, bx = p.bx >> 1;
  float ignored[2];
  parents(p.j, nc[1], nf[1], rows_j, ignored);
  parents(p.k, nc[2], nf[2], rows_k, ignored);
  for (int row = 0; row < 4; row++) {
    fine->parent[block][row] = block_or_zeros(coarse->blocks, bx, rows_j[row % 2], rows_k[row / 2]);
    fine->beside[block][row] = block_or_zeros(coarse->blocks, half ? bx + 1 : bx - 1, rows_j[row % 2], rows_k[row / 2]);
  }
}

/* The ten coarse values around the parents of a fine block, interpolated along y and z; beyond the domain's sides the parent
 * stands in. */
static void coarse_window(const vlLevel *coarse, const vlLevel *fine, int block, float sum[10])
{
  static const float weight[4] = {0.75f * 0.75f, 0.25f * 0.75f, 0.75f * 0.25f, 0.25f * 0.25f};
  vlBlockPosition p = fine->blocks->at[block];
  int half = p.bx & 1, first = (p.bx >> 1) * VL_BLOCK + 8 * half, last = coarse->blocks->n[0] - first;
  for (int m = 0; m < 10; m++) sum[m] = 0.0f;
  for (int row = 0; row < 4; row++) {
    const float *own = coarse->x + (size_t)fine->parent[block][row] * VL_BLOCK + (size_t)(8 * half);
    const float *next = coarse->x + (size_t)fine->beside[block][row] * VL_BLOCK;
    sum[0] += weight[row] * (half ? own[-1] : next[VL_BLOCK - 1]);
    for (int m = 1; m < 9; m++) sum[m] += weight[row] * own[m - 1];
    sum[9] += weight[row] * (half ? next[0] : own[8]);
  }
  if (first == 0) sum[0] = sum[1];
  if (last >= 1 && last <= 8) sum[last + 1] = sum[last];
}

static float interpolated(const vlLevel *fine, const float sum[10], int l)
{
  int m = 1 + l / 2;
  return fine->blocks->n[0] > 1 ? 0.75f * sum[m] + 0.25f * sum[l & 1 ? m + 1 : m - 1] : sum[1];
}

/* The compact coarse index of the parent of the first cell of a fine block. */
static size_t first_parent(const vlLevel *coarse, const vlLevel *fine, vlBlockPosition p)
{
  const int *nf = fine->blocks->n;
  int shift = nf[0] > 1,
      block = vl_blocks_find(coarse->blocks, p.bx >> shift, nf[1] > 1 ? p.j >> 1 : 0, nf[2] > 1 ? p.k >> 1 : 0);
  return (size_t)block * VL_BLOCK + (size_t)(shift ? 8 * (p.bx & 1) : 0);
}

static void prolong_block(const vlLevel *coarse, vlLevel *fine, int block)
{
  vlBlockPosition p = fine->blocks->at[block];
  float sum[10];
  coarse_window(coarse, fine, block, sum);
  size_t at = (size_t)block * VL_BLOCK;
  for (int l = 0; l < VL_BLOCK; l++)
    fine->x[at + (size_t)l] += fine->inverse[at + (size_t)l] > 0.0f ? interpolated(fine, sum, l) : 0.0f;
  if (fine->plain[block]) return;
  size_t parent = first_parent(coarse, fine, p);
  int shift = fine->blocks->n[0] > 1;
  for (int l = 0; l < VL_BLOCK; l++)
    fine->x[at + (size_t)l] += fine->extra[at + (size_t)l] * coarse->x[parent + (size_t)(l >> shift)];
}

void vl_level_prolong(const vlLevel *coarse, vlLevel *fine)
{
#pragma omp parallel for schedule(static)
  for (int b = 0; b < fine->blocks->count; b++) prolong_block(coarse, fine, b);
}

/* Interpolates the indicator of coarse unknowns: what is missing to one goes to parents without a link to the free surface.
 */
void vl_level_prepare_transfer(vlLevel *coarse, vlLevel *fine)
{
  size_t n = (size_t)coarse->blocks->count * VL_BLOCK;
  for (size_t i = 0; i < n; i++) coarse->x[i] = coarse->inverse[i] > 0.0f ? 1.0f : 0.0f;
  int shift = fine->blocks->n[0] > 1;
#pragma omp parallel for schedule(static)
  for (int b = 0; b < coarse->blocks->count; b++) find_finer(fine, coarse, b);
#pragma omp parallel for schedule(static)
  for (int b = 0; b < fine->blocks->count; b++) {
    vlBlockPosition p = fine->blocks->at[b];
    float sum[10];
    find_parents(coarse, fine, b);
    coarse_window(coarse, fine, b, sum);
    size_t at = (size_t)b * VL_BLOCK, parent = first_parent(coarse, fine, p);
    bool plain = true;
    for (int l = 0; l < VL_BLOCK; l++) {
      size_t up = parent + (size_t)(l >> shift);
      bool closed = coarse->inverse[up] > 0.0f && coarse->r[up] == 0.0f; /* r still holds the links to fixed values */
      float missing = 1.0f - interpolated(fine, sum, l);
      bool takes = fine->inverse[at + (size_t)l] > 0.0f && closed && missing > 1e-6f;
      fine->extra[at + (size_t)l] = takes ? missing : 0.0f;
      plain = plain && !takes;
    }
    fine->plain[b] = plain;
  }
}
