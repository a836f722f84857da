/* Patches of static solids.
 *
 * The surface's triangles are clipped into the cells as they are for the cut cells (cuts.c), but each piece goes to the
 * solid whose surface it is of at its centre (vl_statics_owner). The pressure p of a cell pushes the solid with p s, about
 * the origin with p (x x s), x the pieces' centres. Pieces are added up in the order of the triangles: the same sums for any
 * number of threads. */
#include "cut/wall_patches.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "cut/cuts.h"

enum { CHUNK = 1024 }; /* triangles clipped into one list */

typedef struct PatchList {
  vlWallPatch *patch;
  size_t count, capacity;
  const vlStatics *statics;
  const vlGrid *grid;
  int triangle;
  bool failed;
} PatchList;

static vlMat3 outer(vlVec3 a, vlVec3 b)
{
  vlMat3 m;
  for (int i = 0; i < 9; i++) m.m[i / 3][i % 3] = a.v[i / 3] * b.v[i % 3];
  return m;
}

static void add_piece(void *user, const vlClipPiece *piece)
{
  PatchList *list = user;
  const vlGrid *g = list->grid;
  for (int a = 0; a < 3; a++)
    if (piece->cell[a] < 0 || piece->cell[a] >= g->n[a]) return;
  bool room = vl_array_reserve(&list->patch, &list->capacity, list->count + 1, sizeof *list->patch);
  list->failed = list->failed || !room;
  if (!room) return;
  vlVec3 x = vl_axpy(g->origin, g->dx, piece->center), s = vl_scale(piece->area, -g->dx * g->dx);
  vlVec3 r = vl_sub(x, vl_grid_center(g, piece->cell[0], piece->cell[1], piece->cell[2]));
  list->patch[list->count++] = (vlWallPatch){.cell = {piece->cell[0], piece->cell[1], piece->cell[2]},
                                             .solid = vl_statics_owner(list->statics, list->triangle, x),
                                             .area = vl_norm(s),
                                             .center = x,
                                             .s = s,
                                             .turn = vl_cross(x, s),
                                             .layer = outer(s, r),
                                             .layer_turn = outer(vl_cross(x, s), r)};
}

/* Whether the triangle lies beyond a side of the grid, as most of a slab's solids do: the ends of their prisms. */
static bool is_beyond(const vlVec3 x[3], const int n[3])
{
  for (int a = 0; a < 3; a++)
    if (fmax(x[0].v[a], fmax(x[1].v[a], x[2].v[a])) < 0.0 || fmin(x[0].v[a], fmin(x[1].v[a], x[2].v[a])) > n[a]) return true;
  return false;
}

static void clip_chunk(PatchList *list, const vlTriMesh *surface, int first, int last)
{
  const vlGrid *g = list->grid;
  for (int t = first; t < last; t++) {
    vlVec3 x[3];
    list->triangle = t;
    for (int v = 0; v < 3; v++)
      for (int a = 0; a < 3; a++)
        x[v].v[a] = vl_clip_snap((surface->x[surface->tri[t][v]].v[a] - g->origin.v[a]) / g->dx, VL_CLIP_STILL);
    if (!is_beyond(x, g->n)) vl_clip_triangle(x, g->n, add_piece, list);
  }
}

/* The lists one after the other, which is the order of the triangles. */
static bool join(vlWallPatches *patches, const PatchList *lists, int chunks)
{
  size_t total = 0;
  for (int c = 0; c < chunks; c++) {
    if (lists[c].failed) return false;
    total += lists[c].count;
  }
  patches->patch = malloc((total + 1) * sizeof *patches->patch);
  if (!patches->patch) return false;
  for (int c = 0; c < chunks; c++) {
    if (lists[c].count > 0) memcpy(patches->patch + patches->count, lists[c].patch, lists[c].count * sizeof *lists[c].patch);
    patches->count += (int)lists[c].count;
  }
  return true;
}

static bool sort(vlWallPatches *patches, const vlGrid *g)
{
  size_t n = (size_t)patches->count, side = 3;
  for (int a = 0; a < 3; a++) side = (size_t)g->n[a] + 3 > side ? (size_t)g->n[a] + 3 : side;
  int *order = malloc((2 * n + side) * sizeof *order);
  vlWallPatch *sorted = malloc((n + 1) * sizeof *sorted);
  bool room = order && sorted;
  if (room) {
    int *from = order, *to = order + n, *bucket = order + 2 * n;
    for (int q = 0; q < patches->count; q++) from[q] = q;
    for (int a = 0; a < 3; a++) {
      vl_order_along(patches->patch, sizeof *patches->patch, a, g->n[a], patches->count, from, to, bucket);
      int *swap = from;
      from = to;
      to = swap;
    }
    for (int q = 0; q < patches->count; q++) sorted[q] = patches->patch[from[q]];
    vlWallPatch *unsorted = patches->patch;
    patches->patch = sorted;
    sorted = unsorted;
  }
  free(sorted);
  free(order);
  return room;
}

static void add_matrix(vlMat3 *sum, const vlMat3 *a)
{
  for (int i = 0; i < 9; i++) sum->m[i / 3][i % 3] += a->m[i / 3][i % 3];
}

/* Patches of one solid in one cell become one. */
static void add_up(vlWallPatches *patches)
{
  int out = 0, of_cell = 0; /* the first kept one of the cell */
  for (int q = 0; q < patches->count; q++) {
    const vlWallPatch patch = patches->patch[q];
    if (out > 0 && vl_cuts_compare(patches->patch[of_cell].cell, patch.cell) != 0) of_cell = out;
    int at = of_cell;
    while (at < out && patches->patch[at].solid != patch.solid) at++;
    if (at == out) {
      patches->patch[out++] = patch;
    } else {
      double area = patches->patch[at].area + patch.area, part = area > 0.0 ? patch.area / area : 0.0;
      patches->patch[at].center = vl_axpy(patches->patch[at].center, part, vl_sub(patch.center, patches->patch[at].center));
      patches->patch[at].area = area;
      patches->patch[at].s = vl_add(patches->patch[at].s, patch.s);
      patches->patch[at].turn = vl_add(patches->patch[at].turn, patch.turn);
      add_matrix(&patches->patch[at].layer, &patch.layer);
      add_matrix(&patches->patch[at].layer_turn, &patch.layer_turn);
    }
  }
  patches->count = out;
}

vlCode vl_wall_patches_create(vlWallPatches *patches, const vlStatics *statics, const vlGrid *grid, vlStatus *status)
{
  const vlTriMesh *surface = vl_statics_surface(statics);
  int count = surface->triangle_count, chunks = (count + CHUNK - 1) / CHUNK;
  *patches = (vlWallPatches){0};
  PatchList *lists = calloc((size_t)chunks + 1, sizeof *lists);
  bool room = lists != NULL;
#pragma omp parallel for schedule(dynamic)
  for (int c = 0; c < (room ? chunks : 0); c++) {
    lists[c] = (PatchList){.statics = statics, .grid = grid};
    clip_chunk(&lists[c], surface, c * CHUNK, (c + 1) * CHUNK < count ? (c + 1) * CHUNK : count);
  }
  room = room && join(patches, lists, chunks) && sort(patches, grid);
  for (int c = 0; lists && c < chunks; c++) free(lists[c].patch);
  free(lists);
  if (!room) return vl_fail_memory(status, (size_t)count * sizeof *patches->patch, "the patches of solids");
  add_up(patches);
  vlWallPatch *fitting = realloc(patches->patch, ((size_t)patches->count + 1) * sizeof *fitting);
  if (fitting) patches->patch = fitting;
  return VL_OK;
}

void vl_wall_patches_clear(vlWallPatches *patches)
{
  free(patches->patch);
  *patches = (vlWallPatches){0};
}

static int lower_bound(const vlWallPatches *patches, const int cell[3])
{
  int lo = 0, hi = patches->count;
  while (lo < hi) {
    int mid = lo + (hi - lo) / 2;
    if (vl_cuts_compare(patches->patch[mid].cell, cell) < 0)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

int vl_wall_patches_of_block(const vlWallPatches *patches, vlBlockPosition p, int *last)
{
  *last = lower_bound(patches, (const int[3]){(p.bx + 1) * VL_BLOCK, p.j, p.k});
  return lower_bound(patches, (const int[3]){p.bx * VL_BLOCK, p.j, p.k});
}
