/* Sets of cells or nodes as bits in sorted blocks: unions, neighbourhoods, the nodes of cells.
 *
 * A set that follows from another one is built row by row: all rows of the other one that reach into it are laid over each
 * other, so both lists are walked in order. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "liquid/fine_parts.h"

vlCode vl_fine_set_create(vlFineSet *set, const int n[3], vlStatus *status)
{
  *set = (vlFineSet){.capacity = 0};
  vlCode code = vl_blocks_create(&set->blocks, n, status);
  if (!code) vl_blocks_begin(&set->blocks);
  return code;
}

void vl_fine_set_clear(vlFineSet *set)
{
  vl_blocks_clear(&set->blocks);
  free(set->bits);
  *set = (vlFineSet){.capacity = 0};
}

double vl_fine_set_bytes(const vlFineSet *set)
{
  return vl_blocks_bytes(&set->blocks) + (double)set->capacity * sizeof *set->bits;
}

bool vl_fine_set_append(vlFineSet *set, int bx, int j, int k, unsigned bits)
{
  if (!vl_array_reserve(&set->bits, &set->capacity, (size_t)set->blocks.count + 1, sizeof *set->bits)) return false;
  if (!vl_blocks_append(&set->blocks, bx, j, k)) return false;
  set->bits[set->blocks.count - 1] = (unsigned short)bits;
  return true;
}

bool vl_fine_set_covers(const vlFineSet *set, const vlFineSet *part)
{
  for (int b = 0; b < part->blocks.count; b++)
    if (part->bits[b] & ~vl_fine_set_bits(set, part->blocks.at[b])) return false;
  return true;
}

static int order(vlBlockPosition p, vlBlockPosition q)
{
  return p.k != q.k ? p.k - q.k : p.j != q.j ? p.j - q.j : p.bx - q.bx;
}

bool vl_fine_set_unite(const vlFineSet *a, const vlFineSet *b, vlFineSet *both)
{
  bool ok = true;
  int i = 0, j = 0;
  vl_blocks_begin(&both->blocks);
  while (i < a->blocks.count || j < b->blocks.count) {
    int way = i == a->blocks.count ? 1 : j == b->blocks.count ? -1 : order(a->blocks.at[i], b->blocks.at[j]);
    vlBlockPosition p = way <= 0 ? a->blocks.at[i] : b->blocks.at[j];
    unsigned bits = 0;
    if (way <= 0) bits |= a->bits[i++];
    if (way >= 0) bits |= b->bits[j++];
    ok = ok && vl_fine_set_append(both, p.bx, p.j, p.k, bits);
  }
  vl_blocks_end(&both->blocks);
  return ok;
}

/* Neighbouring planes of a set, walked by rows together. */
enum { PLANES = 2 * VL_FINE_BAND + 1 };
typedef struct Rows {
  const vlFineSet *set;
  int planes, first[PLANES], end[PLANES]; /* blocks of each plane that are still to come */
  unsigned short *row;                    /* bits of all of them over each other [1 + columns + 1] */
  int lo, hi;                             /* columns of `row` with bits */
} Rows;

static bool rows_create(Rows *rows, const vlFineSet *set)
{
  *rows = (Rows){.set = set, .row = calloc((size_t)set->blocks.columns + 2, sizeof *rows->row)};
  return rows->row != NULL;
}

static void rows_begin(Rows *rows, int k0, int k1)
{
  const vlBlocks *blocks = &rows->set->blocks;
  rows->planes = 0;
  for (int k = k0 < 0 ? 0 : k0; k <= k1 && k < blocks->n[2]; k++) {
    rows->first[rows->planes] = blocks->plane_start[k];
    rows->end[rows->planes++] = blocks->plane_start[k + 1];
  }
}

/* The next row with bits, or INT_MAX. */
static int rows_next(const Rows *rows)
{
  int next = INT_MAX;
  for (int p = 0; p < rows->planes; p++) {
    int first = rows->first[p];
    if (first < rows->end[p] && rows->set->blocks.at[first].j < next) next = rows->set->blocks.at[first].j;
  }
  return next;
}

/* Lays rows j0 to j1 over each other; those below j0 are done with. */
static void rows_lay(Rows *rows, int j0, int j1)
{
  const vlBlockPosition *at = rows->set->blocks.at;
  memset(rows->row, 0, ((size_t)rows->set->blocks.columns + 2) * sizeof *rows->row);
  rows->lo = INT_MAX, rows->hi = -1;
  for (int p = 0; p < rows->planes; p++) {
    while (rows->first[p] < rows->end[p] && at[rows->first[p]].j < j0) rows->first[p]++;
    for (int b = rows->first[p]; b < rows->end[p] && at[b].j <= j1; b++) {
      rows->row[1 + at[b].bx] |= rows->set->bits[b];
      rows->lo = at[b].bx < rows->lo ? at[b].bx : rows->lo;
      rows->hi = at[b].bx > rows->hi ? at[b].bx : rows->hi;
    }
  }
}

/* Bits of those cells of a block that the row has. */
static unsigned lanes(const vlBlocks *blocks, int bx)
{
  return (1u << vl_blocks_width(blocks, (vlBlockPosition){.bx = bx})) - 1u;
}

static bool append_grown_row(const Rows *rows, int by, vlFineSet *grown, int j, int k)
{
  bool ok = true;
  for (int bx = rows->lo > 0 ? rows->lo - 1 : 0; bx <= rows->hi + 1 && bx < grown->blocks.columns; bx++) {
    uint64_t three = rows->row[bx] | (uint64_t)rows->row[bx + 1] << 16 | (uint64_t)rows->row[bx + 2] << 32, all = three;
    for (int s = 1; s <= by; s++) all |= three << s | three >> s;
    unsigned bits = (unsigned)(all >> 16) & lanes(&grown->blocks, bx);
    if (bits) ok = ok && vl_fine_set_append(grown, bx, j, k, bits);
  }
  return ok;
}

bool vl_fine_set_grow(const vlFineSet *set, int by, vlFineSet *grown)
{
  Rows rows;
  bool ok = rows_create(&rows, set);
  vl_blocks_begin(&grown->blocks);
  for (int k = 0; k < grown->blocks.n[2] && ok; k++) {
    rows_begin(&rows, k - by, k + by);
    for (int j = 0; j < grown->blocks.n[1] && ok; j++) {
      int next = rows_next(&rows);
      if (next == INT_MAX) break;
      if (next - by > j) j = next - by;
      rows_lay(&rows, j - by, j + by);
      if (rows.hi >= 0) ok = append_grown_row(&rows, by, grown, j, k);
    }
  }
  vl_blocks_end(&grown->blocks);
  free(rows.row);
  return ok;
}

/* Nodes r c to r c + r of each cell c of a row. */
static bool append_nodes_row(const Rows *rows, int r, vlFineSet *nodes, int j, int k)
{
  bool ok = true;
  int per = VL_BLOCK / r; /* cells by block of nodes */
  for (int bx = rows->lo * r; bx <= (rows->hi + 1) * r && bx < nodes->blocks.columns; bx++) {
    unsigned cells = rows->row[1 + bx / r] >> bx % r * per & ((1u << per) - 1u), bits = 0;
    int before = bx * per - 1; /* the cell that ends with the block's first node */
    if (before >= 0) bits |= rows->row[1 + before / VL_BLOCK] >> before % VL_BLOCK & 1u;
    for (int c = 0; c < per; c++)
      if (cells >> c & 1u) bits |= ((1u << (r + 1)) - 1u) << c * r;
    bits &= lanes(&nodes->blocks, bx);
    if (bits) ok = ok && vl_fine_set_append(nodes, bx, j, k, bits);
  }
  return ok;
}

bool vl_fine_set_nodes(const vlFineSet *cells, int r, vlFineSet *nodes)
{
  Rows rows;
  bool ok = rows_create(&rows, cells);
  int planes = cells->blocks.n[2] == 1 ? 1 : nodes->blocks.n[2];
  vl_blocks_begin(&nodes->blocks);
  for (int k = 0; k < planes && ok; k++) {
    rows_begin(&rows, k % r ? k / r : k / r - 1, k / r);
    for (int j = 0; j < nodes->blocks.n[1] && ok; j++) {
      int next = rows_next(&rows);
      if (next == INT_MAX) break;
      if (next * r > j) j = next * r;
      rows_lay(&rows, j % r ? j / r : j / r - 1, j / r);
      if (rows.hi >= 0) ok = append_nodes_row(&rows, r, nodes, j, k);
    }
  }
  vl_blocks_end(&nodes->blocks);
  free(rows.row);
  return ok;
}

static bool is_crossed(const vlFine *f, const double *phi, const int cell[3])
{
  int top = vl_fine_slab(f) ? 0 : f->refine;
  bool wet = false, dry = false;
  for (int n = 0; n <= top; n++)
    for (int m = 0; m <= f->refine; m++) {
      const double *row = phi + vl_fine_node(f, cell, 0, m, n);
      for (int l = 0; l <= f->refine; l++) {
        wet |= row[l] < 0.0;
        dry |= !(row[l] < 0.0);
      }
      if (wet && dry) return true;
    }
  return false;
}

bool vl_fine_set_crossed(const vlFine *f, const vlFineSet *cells, const double *phi, vlFineSet *crossed)
{
  const vlBlocks *blocks = &cells->blocks;
  struct vlFineWork *w = f->work;
  if (!vl_array_reserve(&w->edge, &w->edge_capacity, (size_t)blocks->count, sizeof *w->edge)) return false;
#pragma omp parallel for schedule(static)
  for (int b = 0; b < blocks->count; b++) {
    vlBlockPosition p = blocks->at[b];
    unsigned bits = 0;
    for (int l = 0; l < VL_BLOCK; l++)
      if (cells->bits[b] >> l & 1 && is_crossed(f, phi, (int[]){p.bx * VL_BLOCK + l, p.j, p.k})) bits |= 1u << l;
    w->edge[b] = (unsigned short)bits;
  }
  bool ok = true;
  vl_blocks_begin(&crossed->blocks);
  for (int b = 0; b < blocks->count && ok; b++)
    if (w->edge[b]) ok = vl_fine_set_append(crossed, blocks->at[b].bx, blocks->at[b].j, blocks->at[b].k, w->edge[b]);
  vl_blocks_end(&crossed->blocks);
  return ok;
}
