/* Cut cells of the static solids.
 *
 * The fluid part of a cell is closed: the open areas of its faces and its share of the surface add up to zero,
 *   A_a(upper) - A_a(lower) + s_a = 0,      s = sum of area vectors into the solid.
 * So the open areas of a row follow from one known value by adding up the cuts along it. The known value lies at infinity:
 * the half-infinite cells beyond the domain's sides take part like any other, a row begins with `open_outside`, and it must
 * end with it. That end is the check that the surface is closed. Fluid volume of a cell, for any axis a, coordinates from
 * its lower face: V = A_a(upper) dx + sum s_a c_a. */
#include "cut/cuts.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"

/* Area vectors in a cell cancel when their sum is this part of their sizes: below 1/sqrt(3), what a corner of a box has. */
static const double CANCEL = 0.25;

enum { CHUNK = 2048 }; /* triangles clipped into one list */

/* What the surface is in one cell, while it is added up. */
typedef struct Piece {
  vlCutCell cut;
  double area;  /* m2: sum of the areas */
  vlVec3 place; /* m3: sum of area times place, from the cell's lower corner */
} Piece;

typedef struct PieceList {
  Piece *piece;
  size_t count, capacity;
  double dx;
  bool failed;
} PieceList;

static void add_piece(void *user, const vlClipPiece *piece)
{
  PieceList *list = user;
  double dx = list->dx;
  vlVec3 s = vl_scale(piece->area, -dx * dx), moment;
  for (int a = 0; a < 3; a++) moment.v[a] = s.v[a] * (piece->center.v[a] - piece->cell[a]) * dx;
  bool room = vl_array_reserve(&list->piece, &list->capacity, list->count + 1, sizeof *list->piece);
  list->failed = list->failed || !room;
  if (!room) return;
  Piece *new = &list->piece[list->count++];
  *new = (Piece){.cut = {.cell = {piece->cell[0], piece->cell[1], piece->cell[2]}, .s = s, .moment = moment}};
  new->area = vl_norm(s);
  for (int a = 0; a < 3; a++) new->place.v[a] = new->area *(piece->center.v[a] - piece->cell[a]) * dx;
}

/* The numbers of pieces by cell, pieces of a cell in their order: pieces are much larger than their numbers. */
static int *order_by_cell(const PieceList *list, const int n[3], int *scratch, int *bucket)
{
  int count = (int)list->count, *from = scratch, *to = scratch + count;
  for (int c = 0; c < count; c++) from[c] = c;
  for (int a = 0; a < 3; a++) {
    vl_order_along(list->piece, sizeof *list->piece, a, n[a], count, from, to, bucket);
    int *swap = from;
    from = to;
    to = swap;
  }
  return from;
}

/* out: the pieces of each cell added up in their order, the same sums for any number of threads. */
static void add_up(PieceList *out, const PieceList *list, const int *order)
{
  for (size_t c = 0; c < list->count; c++) {
    const Piece *piece = &list->piece[order[c]];
    Piece *last = out->count > 0 ? &out->piece[out->count - 1] : NULL;
    if (last && vl_cuts_compare(last->cut.cell, piece->cut.cell) == 0) {
      last->cut.s = vl_add(last->cut.s, piece->cut.s);
      last->cut.moment = vl_add(last->cut.moment, piece->cut.moment);
      last->area += piece->area;
      last->place = vl_add(last->place, piece->place);
    } else {
      out->piece[out->count++] = *piece;
    }
  }
}

static bool compact(PieceList *list, const int n[3])
{
  if (list->count < 2) return true;
  if (list->count > INT_MAX) return false;
  size_t longest = (size_t)(n[0] > n[1] ? n[0] : n[1]);
  if ((size_t)n[2] > longest) longest = (size_t)n[2];
  PieceList sum = {.piece = malloc(list->count * sizeof *sum.piece), .capacity = list->count, .dx = list->dx};
  int *scratch = malloc((2 * list->count + longest + 3) * sizeof *scratch);
  bool ready = sum.piece && scratch;
  if (ready) {
    add_up(&sum, list, order_by_cell(list, n, scratch, scratch + 2 * list->count));
    free(list->piece);
    *list = sum;
  } else {
    free(sum.piece);
  }
  free(scratch);
  return ready;
}

static void clip_chunk(PieceList *list, const vlTriMesh *surface, const vlGrid *grid, int first, int last)
{
  list->dx = grid->dx;
  for (int t = first; t < last; t++) {
    vlVec3 x[3];
    for (int v = 0; v < 3; v++)
      for (int a = 0; a < 3; a++)
        x[v].v[a] = vl_clip_snap((surface->x[surface->tri[t][v]].v[a] - grid->origin.v[a]) / grid->dx, VL_CLIP_STILL);
    vl_clip_triangle(x, grid->n, add_piece, list);
  }
  list->failed = list->failed || !compact(list, grid->n);
}

/* Whether a wall, or a whole solid, passes within the cell with liquid on both sides. Then the area vectors of the two sides
 * nearly cancel, and about the centre c of all area in the cell
 *   sum of s.(x - c) = -thickness times area;
 * between two solids that face each other across a gap it is positive. */
static bool holds_wall(const Piece *piece, double dx)
{
  double small = 1e-6 * dx * dx, moment = 0.0;
  if (piece->area < small || vl_norm(piece->cut.s) > CANCEL * piece->area) return false;
  for (int a = 0; a < 3; a++) moment += piece->cut.moment.v[a] - piece->cut.s.v[a] * piece->place.v[a] / piece->area;
  return moment < -1e-9 * piece->area * dx;
}

static void note_wall(vlCuts *cuts, const Piece *piece)
{
  const int *cell = piece->cut.cell;
  for (int a = 0; a < 3; a++)
    if (cell[a] < 0 || cell[a] >= cuts->grid.n[a]) return;
  if (!holds_wall(piece, cuts->grid.dx)) return;
  for (int a = 0; a < 3 && cuts->thin == 0; a++) cuts->thin_cell[a] = cell[a];
  cuts->thin++;
}

/* The sums of all cells, in their order. */
static vlCode keep_cuts(vlCuts *cuts, const PieceList *all, vlStatus *status)
{
  vlCode code = vl_cuts_reserve(cuts, all->count, status);
  if (code) return code;
  cuts->count = (int)all->count;
  for (int c = 0; c < cuts->count; c++) {
    cuts->cut[c] = all->piece[c].cut;
    note_wall(cuts, &all->piece[c]);
  }
  return VL_OK;
}

/* Clips chunks of triangles in parallel and joins their lists in order. */
static vlCode clip_surface(vlCuts *cuts, const vlTriMesh *surface, vlStatus *status)
{
  int chunks = (surface->triangle_count + CHUNK - 1) / CHUNK;
  PieceList *lists = calloc((size_t)chunks + 1, sizeof *lists), all = {0};
  if (!lists) return vl_fail_memory(status, (size_t)chunks * sizeof *lists, "the cut cells");
#pragma omp parallel for schedule(dynamic)
  for (int c = 0; c < chunks; c++) {
    int last = (c + 1) * CHUNK;
    clip_chunk(&lists[c], surface, &cuts->grid, c * CHUNK, last < surface->triangle_count ? last : surface->triangle_count);
  }
  size_t total = 0;
  for (int c = 0; c < chunks; c++) {
    total += lists[c].count;
    all.failed = all.failed || lists[c].failed;
  }
  all.piece = malloc((total + 1) * sizeof *all.piece);
  all.failed = all.failed || !all.piece;
  for (int c = 0; c < chunks; c++) {
    if (!all.failed && lists[c].count) memcpy(all.piece + all.count, lists[c].piece, lists[c].count * sizeof *all.piece);
    all.count += lists[c].count;
    free(lists[c].piece);
  }
  free(lists);
  bool ready = !all.failed && compact(&all, cuts->grid.n);
  vlCode code = ready ? keep_cuts(cuts, &all, status) : vl_fail_memory(status, total * sizeof *all.piece, "the cut cells");
  free(all.piece);
  return code;
}

vlCode vl_cuts_create(vlCuts **out, const vlTriMesh *surface, bool solid_outside, const vlGrid *grid, vlStatus *status)
{
  vlCuts *cuts = calloc(1, sizeof *cuts);
  *out = cuts;
  if (!cuts) return vl_fail_memory(status, sizeof *cuts, "the cut cells");
  cuts->grid = *grid;
  cuts->open_outside = solid_outside ? 0.0 : grid->dx * grid->dx;
  vlCode code = clip_surface(cuts, surface, status);
  if (!code) code = vl_cuts_close(cuts, status);
  if (code) vl_cuts_destroy(out);
  return code;
}

void vl_cuts_release(vlCuts *cuts)
{
  free(cuts->cut);
  for (int a = 0; a < 3; a++) free(cuts->along[a]);
  free(cuts->scratch);
  *cuts = (vlCuts){0};
}

void vl_cuts_destroy(vlCuts **cuts)
{
  if (!cuts || !*cuts) return;
  vl_cuts_release(*cuts);
  free(*cuts);
  *cuts = NULL;
}
