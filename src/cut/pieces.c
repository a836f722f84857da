/* Pieces of liquid within cells: which cells are cut, their pieces part by part, and the links between them.
 *
 * Wet blocks are divided into parts of about as many cut cells; each part is written to lists of its own, and the lists are
 * joined in their order: the same for any number of threads. */
#include "cut/pieces.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "cut/pieces_parts.h"

static size_t fine_cells(const vlPieces *p) { return (size_t)(p->refine * p->refine * p->refine); }

/* First cut at or behind the fine cells of plane k of cells. */
static int cuts_before_plane(const vlCuts *open, int plane)
{
  int lo = 0, hi = open->count;
  while (lo < hi) {
    int mid = lo + (hi - lo) / 2;
    if (open->cut[mid].cell[2] < plane)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

/* Cells of a plane with solids' surface in them. */
static void mark_walled(const vlPieceView *v, unsigned short *walled, int k)
{
  int r = v->fine->refine, end = cuts_before_plane(v->open, (k + 1) * r);
  for (int c = cuts_before_plane(v->open, k * r); c < end; c++) {
    const int *cell = v->open->cut[c].cell;
    if (!vl_grid_holds(&v->open->grid, cell)) continue;
    int i = cell[0] / r, b = vl_blocks_find(v->wet, i / VL_BLOCK, cell[1] / r, k);
    if (b >= 0) walled[b] = (unsigned short)(walled[b] | 1u << i % VL_BLOCK);
  }
}

/* Cells of the block, a bit each, with liquid nodes and with air nodes: meant for near cells, whose nodes are known. */
static void classify(const vlFine *fine, vlBlockPosition p, int width, unsigned *liquid, unsigned *air)
{
  enum { LONGEST = VL_BLOCK * VL_PIECES_FINEST + 1 };
  double lo[LONGEST], hi[LONGEST];
  int r = fine->refine, length = width * r + 1, cell[3] = {p.bx * VL_BLOCK, p.j, p.k};
  for (int x = 0; x < length; x++) lo[x] = hi[x] = fine->phi[vl_fine_node(fine, cell, 0, 0, 0) + x];
  for (int n = 0; n <= r; n++)
    for (int m = 0; m <= r; m++) {
      const double *row = fine->phi + vl_fine_node(fine, cell, 0, m, n);
      for (int x = 0; x < length; x++) {
        lo[x] = row[x] < lo[x] ? row[x] : lo[x];
        hi[x] = row[x] > hi[x] ? row[x] : hi[x];
      }
    }
  *liquid = *air = 0;
  for (unsigned l = 0; l < (unsigned)width; l++)
    for (int x = (int)l * r; x <= (int)(l + 1) * r; x++) {
      *liquid |= (unsigned)(lo[x] < 0.0) << l;
      *air |= (unsigned)(hi[x] >= 0.0) << l;
    }
}

/* Whether solids part the liquid of a cell that the free surface does not pass. */
static bool is_parted(vlPieceCell *c, const vlPieceView *v, int cell, bool near)
{
  vl_piece_gather(c, v, cell, near);
  return vl_piece_flood(c) > 1;
}

/* Cut cells of a block; c: scratch. */
static unsigned cut_of_block(const vlPieceView *v, vlPieceCell *c, int b)
{
  const vlFine *fine = v->fine;
  vlBlockPosition p = v->wet->at[b];
  int width = vl_blocks_width(v->wet, p), band = vl_blocks_find(&fine->band, p.bx, p.j, p.k);
  unsigned near = band < 0 ? 0 : fine->near[band], liquid = 0, air = 0;
  if (near) classify(fine, p, width, &liquid, &air);
  unsigned cut = near & liquid & air;
  if (!v->walled || !v->walled[b]) return cut;
  unsigned full = near & liquid & ~air;
  for (unsigned l = 0; l < (unsigned)width; l++)
    if (!(near >> l & 1u) && fine->side[vl_blocks_field(fine->grid, p) + l] < 0.0) full |= 1u << l;
  for (unsigned left = full & v->walled[b]; left; left &= left - 1) {
    int l = __builtin_ctz(left);
    if (is_parted(c, v, b * VL_BLOCK + l, near >> l & 1u)) cut |= 1u << l;
  }
  return cut;
}

static vlCode mark_cut(vlPieces *p, vlPieceView *v, vlStatus *status)
{
  struct vlPiecesWork *work = p->work;
  size_t blocks = (size_t)v->wet->count;
  bool ok = vl_array_reserve(&p->cut, &work->cut_capacity, blocks + 1, sizeof *p->cut) &&
            vl_array_reserve(&p->first_cut, &work->block_capacity, blocks + 1, sizeof *p->first_cut);
  if (ok && v->open) ok = vl_array_reserve(&work->walled, &work->walled_capacity, blocks + 1, sizeof *work->walled);
  if (!ok) return vl_fail_memory(status, blocks * 8, "the cells that the surface cuts");
  if (v->open) {
    memset(work->walled, 0, blocks * sizeof *work->walled);
#pragma omp parallel for schedule(dynamic)
    for (int k = 0; k < v->wet->n[2]; k++) mark_walled(v, work->walled, k);
    v->walled = work->walled;
  }
#pragma omp parallel
  {
    vlPieceCell c = {0};
    vl_piece_shape(&c, p->refine);
#pragma omp for schedule(dynamic, 16)
    for (int b = 0; b < v->wet->count; b++) p->cut[b] = (unsigned short)cut_of_block(v, &c, b);
  }
  p->first_cut[0] = 0;
  for (int b = 0; b < v->wet->count; b++) p->first_cut[b + 1] = p->first_cut[b] + __builtin_popcount(p->cut[b]);
  p->cuts = p->first_cut[v->wet->count];
  return VL_OK;
}

/* First block of a part: that behind its share of the cut cells. */
static int part_start(const vlPieces *p, int blocks, int part)
{
  if (part == 0 || part == VL_PIECES_PARTS) return part == 0 ? 0 : blocks;
  int lo = 0, hi = blocks, before = (int)((int64_t)p->cuts * part / VL_PIECES_PARTS);
  while (lo < hi) {
    int mid = lo + (hi - lo) / 2;
    if (p->first_cut[mid] < before)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

/* first_piece gets the number of pieces of each cut cell. */
static void measure_block(vlPieces *p, const vlPieceView *v, vlPieceCell *c, vlPiecePart *part, int b)
{
  int cut = p->first_cut[b];
  for (unsigned left = p->cut[b]; left; left &= left - 1, cut++) {
    int cell = b * VL_BLOCK + __builtin_ctz(left), at[3];
    vl_piece_position(v, cell, at);
    vl_piece_gather(c, v, cell, vl_fine_is_near(v->fine, at[0], at[1], at[2]));
    bool room = vl_array_reserve(&part->piece, &part->capacity, part->count + VL_PIECES_NONE, sizeof *part->piece);
    part->failed = part->failed || !room;
    if (!room) return;
    unsigned char *rank = p->rank_of + (size_t)cut * fine_cells(p);
    int count = vl_piece_measure(c, v, cell, part->piece + part->count, rank);
    p->first_piece[cut] = count;
    if (p->air.wanted)
      p->air.first[cut] =
          vl_piece_air(c, v, cell, part, (int)part->count, count, rank, p->air.part_of + (size_t)cut * fine_cells(p));
    part->count += (size_t)count;
  }
}

static void measure_parts(vlPieces *p, const vlPieceView *v)
{
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < VL_PIECES_PARTS; i++) {
    vlPiecePart *part = &p->work->part[i];
    vlPieceCell c = {0};
    vl_piece_shape(&c, p->refine);
    part->count = part->facets = part->airs = 0;
    part->failed = false;
    int end = part_start(p, v->wet->count, i + 1);
    for (int b = part_start(p, v->wet->count, i); b < end; b++)
      if (p->cut[b]) measure_block(p, v, &c, part, b);
  }
}

/* Counts to first ones. */
static void begin_at(int *first, int cuts)
{
  for (int c = 0, sum = 0; c <= cuts; c++) {
    int count = c < cuts ? first[c] : 0;
    first[c] = sum;
    sum += count;
  }
}

static vlCode join_air(vlPieces *p, vlStatus *status)
{
  struct vlPiecesWork *work = p->work;
  vlPieceAir *air = &p->air;
  size_t parts = 0, facets = 0;
  for (int i = 0; i < VL_PIECES_PARTS; i++) {
    parts += work->part[i].airs;
    facets += work->part[i].facets;
  }
  if (!vl_array_reserve(&air->volume, &work->volume_capacity, parts + 1, sizeof *air->volume) ||
      !vl_array_reserve(&air->facet, &work->facet_capacity, facets + 1, sizeof *air->facet))
    return vl_fail_memory(status, facets * sizeof *air->facet, "the air beside pieces of liquid");
  air->parts = air->facets = 0;
  for (int i = 0, pieces = 0; i < VL_PIECES_PARTS; i++) {
    const vlPiecePart *part = &work->part[i];
    for (size_t f = 0; f < part->facets; f++) {
      vlPieceFacet *to = &air->facet[air->facets++];
      *to = part->facet[f];
      to->piece += pieces;
      to->part += air->parts;
    }
    for (size_t a = 0; a < part->airs; a++) air->volume[air->parts++] = part->air[a];
    pieces += (int)part->count;
  }
  begin_at(air->first, p->cuts);
  return VL_OK;
}

static vlCode find_pieces(vlPieces *p, const vlPieceView *v, vlStatus *status)
{
  struct vlPiecesWork *work = p->work;
  size_t cuts = (size_t)p->cuts, total = 0;
  bool ok = vl_array_reserve(&p->first_piece, &work->first_piece_capacity, cuts + 1, sizeof *p->first_piece) &&
            vl_array_reserve(&p->rank_of, &work->rank_capacity, cuts * fine_cells(p) + 1, 1);
  if (ok && p->air.wanted)
    ok = vl_array_reserve(&p->air.first, &work->first_air_capacity, cuts + 1, sizeof *p->air.first) &&
         vl_array_reserve(&p->air.part_of, &work->part_of_capacity, cuts * fine_cells(p) + 1, 1);
  if (ok) measure_parts(p, v);
  for (int i = 0; ok && i < VL_PIECES_PARTS; i++) {
    total += work->part[i].count;
    ok = !work->part[i].failed;
  }
  ok = ok && total < INT_MAX && vl_array_reserve(&p->piece, &work->piece_capacity, total + 1, sizeof *p->piece);
  if (!ok) return vl_fail_memory(status, cuts * (sizeof *p->piece + fine_cells(p)), "the pieces of liquid");
  p->count = 0;
  for (int i = 0; i < VL_PIECES_PARTS; i++) {
    if (work->part[i].count > 0) memcpy(p->piece + p->count, work->part[i].piece, work->part[i].count * sizeof *p->piece);
    p->count += (int)work->part[i].count;
  }
  begin_at(p->first_piece, p->cuts);
  return p->air.wanted ? join_air(p, status) : VL_OK;
}

static void link_parts(vlPieces *p, const vlPieceView *v)
{
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < VL_PIECES_PARTS; i++) {
    vlPiecePart *part = &p->work->part[i];
    for (int a = 0; a < 3; a++) part->link_count[a] = 0;
    int end = part_start(p, v->wet->count, i + 1);
    for (int b = part_start(p, v->wet->count, i); b < end; b++) vl_piece_links(part, v, p, b);
  }
}

static vlCode find_links(vlPieces *p, const vlPieceView *v, vlStatus *status)
{
  struct vlPiecesWork *work = p->work;
  size_t total = 0;
  bool ok = true;
  link_parts(p, v);
  for (int i = 0; i < VL_PIECES_PARTS; i++) {
    for (int a = 0; a < 3; a++) total += work->part[i].link_count[a];
    ok = ok && !work->part[i].failed;
  }
  ok = ok && total < INT_MAX && vl_array_reserve(&p->link, &work->link_capacity, total + 1, sizeof *p->link);
  if (!ok) return vl_fail_memory(status, total * sizeof *p->link, "the links between pieces of liquid");
  p->link_count = 0;
  for (int a = 0; a < 3; a++)
    for (int i = 0; i < VL_PIECES_PARTS; i++) {
      size_t count = work->part[i].link_count[a];
      if (count > 0) memcpy(p->link + p->link_count, work->part[i].link[a], count * sizeof *p->link);
      p->link_count += (int)count;
    }
  return VL_OK;
}

vlCode vl_pieces_build(vlPieces *p, const vlFine *fine, const vlCuts *open, const vlBlocks *wet, vlStatus *status)
{
  assert(fine->refine <= VL_PIECES_FINEST);
  assert(!open || open->grid.n[0] == fine->refine * fine->grid->n[0]);
  if (!p->work) p->work = calloc(1, sizeof *p->work);
  if (!p->work) return vl_fail_memory(status, sizeof *p->work, "the pieces of liquid");
  p->refine = fine->refine;
  vlPieceView view = {.fine = fine, .open = open, .wet = wet};
  vlCode code = mark_cut(p, &view, status);
  if (!code) code = find_pieces(p, &view, status);
  if (!code) code = find_links(p, &view, status);
  return code;
}

void vl_pieces_clear(vlPieces *p)
{
  if (p->work) {
    for (int i = 0; i < VL_PIECES_PARTS; i++) {
      free(p->work->part[i].piece);
      free(p->work->part[i].facet);
      free(p->work->part[i].air);
      for (int a = 0; a < 3; a++) free(p->work->part[i].link[a]);
    }
    free(p->work->walled);
  }
  free(p->work);
  free(p->piece);
  free(p->link);
  free(p->cut);
  free(p->first_cut);
  free(p->first_piece);
  free(p->rank_of);
  free(p->air.part_of);
  free(p->air.first);
  free(p->air.volume);
  free(p->air.facet);
  *p = (vlPieces){0};
}

double vl_pieces_bytes(const vlPieces *p)
{
  const struct vlPiecesWork *w = p->work;
  if (!w) return 0.0;
  double bytes = (double)sizeof *w + (double)(w->cut_capacity + w->walled_capacity) * sizeof *p->cut;
  bytes += (double)(w->block_capacity + w->first_piece_capacity) * sizeof(int) + (double)w->rank_capacity;
  bytes += (double)w->piece_capacity * sizeof *p->piece + (double)w->link_capacity * sizeof *p->link;
  bytes += (double)w->part_of_capacity + (double)w->first_air_capacity * sizeof(int);
  bytes += (double)w->volume_capacity * sizeof(double) + (double)w->facet_capacity * sizeof *p->air.facet;
  for (int i = 0; i < VL_PIECES_PARTS; i++) {
    bytes += (double)w->part[i].facet_capacity * sizeof *p->air.facet + (double)w->part[i].air_capacity * sizeof(double);
    bytes += (double)w->part[i].capacity * sizeof *p->piece;
    for (int a = 0; a < 3; a++) bytes += (double)w->part[i].link_capacity[a] * sizeof *p->link;
  }
  return bytes;
}

int vl_pieces_at(const vlPieces *p, int cell, const double x[3])
{
  int cut = vl_pieces_cut(p, cell), r = p->refine, best = -1;
  if (cut < 0) return -1;
  const unsigned char *rank = p->rank_of + (size_t)cut * fine_cells(p);
  double y[3], nearest = INFINITY; /* in fine cells of this cell */
  int in[3];
  for (int a = 0; a < 3; a++) {
    y[a] = (x[a] - floor(x[a])) * r;
    in[a] = (int)y[a] < r ? (int)y[a] : r - 1;
  }
  int here = rank[in[0] + r * (in[1] + r * in[2])];
  if (here != VL_PIECES_NONE) return p->first_piece[cut] + here;
  for (int n = 0, l = 0; n < r; n++)
    for (int m = 0; m < r; m++)
      for (int i = 0; i < r; i++, l++) {
        double u = i + 0.5 - y[0], v = m + 0.5 - y[1], w = n + 0.5 - y[2], away = u * u + v * v + w * w;
        if (rank[l] == VL_PIECES_NONE || away >= nearest) continue;
        nearest = away;
        best = rank[l];
      }
  return best < 0 ? -1 : p->first_piece[cut] + best;
}
