/* Patches of elastic bodies and their part in the cut cells (docs/theory/coupling.md).
 *
 * Every surface triangle is clipped into its cells like those of static solids (clip.h), but each piece keeps its triangle
 * and the place of its centre in it: the liquid's flux through a moving patch is s_q . (b_1 v_1 + b_2 v_2 + b_3 v_3), and
 * pressure pushes the three nodes with the same weights [zarifi2017, sec. 3.3]. Since the same pieces make the open areas of
 * the faces, a body and the liquid around it that move together leave every cell's flux exactly zero. */
#include "cut/patches.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "cut/clip.h"

static const int BY_CELL[3] = {2, 1, 0};

/* What is being clipped. */
typedef struct Clip {
  vlPatches *patches;
  double dx;
  vlVec3 x[3]; /* the triangle, cells */
  vlVec3 area; /* of the whole, twice, cells2 */
  int node[3];
  bool failed;
} Clip;

/* Coordinates of a point of the triangle's plane; of a flat triangle, which has no plane: its middle. */
static void find_barycentric(const Clip *clip, vlVec3 c, double b[3])
{
  double square = vl_dot(clip->area, clip->area);
  for (int v = 0; v < 3; v++) {
    vlVec3 next = vl_sub(clip->x[(v + 1) % 3], c), last = vl_sub(clip->x[(v + 2) % 3], c);
    b[v] = square > 0.0 ? vl_dot(vl_cross(next, last), clip->area) / square : 1.0 / 3.0;
    b[v] = b[v] > 0.0 ? b[v] : 0.0;
  }
  double sum = b[0] + b[1] + b[2];
  for (int v = 0; v < 3; v++) b[v] /= sum;
}

static void add_patch(void *user, const vlClipPiece *piece)
{
  Clip *clip = user;
  vlPatches *patches = clip->patches;
  void *array = patches->patch;
  bool room = vl_array_reserve(&array, &patches->capacity, (size_t)patches->count + 1, sizeof *patches->patch);
  patches->patch = array;
  clip->failed = clip->failed || !room;
  if (!room) return;
  vlPatch *new = &patches->patch[patches->count++];
  new->nodes = 3;
  new->node[3] = 0;
  new->b[3] = 0.0;
  for (int a = 0; a < 3; a++) {
    new->cell[a] = piece->cell[a];
    new->node[a] = clip->node[a];
    new->s.v[a] = -piece->area.v[a] * clip->dx * clip->dx;
    new->moment.v[a] = new->s.v[a] * (piece->center.v[a] - piece->cell[a]) * clip->dx;
  }
  find_barycentric(clip, piece->center, new->b);
}

static bool clip_surface(vlPatches *patches, const vlPatchSurface *surface, const vlGrid *grid)
{
  Clip clip = {.patches = patches, .dx = grid->dx};
  for (int t = 0; t < surface->triangle_count; t++) {
    for (int v = 0; v < 3; v++) {
      int node = surface->triangle[t][v];
      clip.node[v] = surface->first_node + node;
      for (int a = 0; a < 3; a++) clip.x[v].v[a] = vl_clip_snap((surface->x[node].v[a] - grid->origin.v[a]) / grid->dx);
    }
    clip.area = vl_cross(vl_sub(clip.x[1], clip.x[0]), vl_sub(clip.x[2], clip.x[0]));
    vl_clip_triangle(clip.x, grid->n, add_patch, &clip);
  }
  return !clip.failed;
}

/* Stable merge sort. */
vlCode vl_patches_sort(vlPatches *patches, vlStatus *status)
{
  size_t n = (size_t)patches->count;
  void *array = patches->scratch;
  bool room = vl_array_reserve(&array, &patches->scratch_capacity, n + 1, sizeof *patches->scratch);
  patches->scratch = array;
  if (!room) return vl_fail_memory(status, n * sizeof *patches->patch, "the patches of elastic bodies");
  vlPatch *from = patches->patch, *to = patches->scratch;
  for (size_t width = 1; width < n; width *= 2) {
    for (size_t lo = 0; lo < n; lo += 2 * width) {
      size_t mid = lo + width < n ? lo + width : n, hi = lo + 2 * width < n ? lo + 2 * width : n, a = lo, b = mid;
      for (size_t out = lo; out < hi; out++) {
        bool take_a = a < mid && (b >= hi || vl_cuts_compare(from[a].cell, from[b].cell, BY_CELL) <= 0);
        to[out] = take_a ? from[a++] : from[b++];
      }
    }
    vlPatch *swap = from;
    from = to;
    to = swap;
  }
  if (from != patches->patch) memcpy(patches->patch, from, n * sizeof *from);
  return VL_OK;
}

vlCode vl_patches_update(vlPatches *patches, const vlPatchSurface *surface, int surface_count, const vlGrid *grid,
                         vlStatus *status)
{
  patches->count = 0;
  bool ok = true;
  for (int s = 0; s < surface_count && ok; s++) ok = clip_surface(patches, &surface[s], grid);
  return ok ? vl_patches_sort(patches, status)
            : vl_fail_memory(status, (size_t)patches->count * sizeof *patches->patch, "the patches of elastic bodies");
}

void vl_patches_clear(vlPatches *patches)
{
  free(patches->patch);
  free(patches->scratch);
  *patches = (vlPatches){0};
}

int vl_patches_of_cell(const vlPatches *patches, int first)
{
  int last = first + 1;
  while (last < patches->count && vl_cuts_compare(patches->patch[first].cell, patches->patch[last].cell, BY_CELL) == 0)
    last++;
  return last;
}

/* The patches of one cell as a cut cell. */
static vlCutCell add_up(const vlPatches *patches, int first, int last)
{
  const vlPatch *one = &patches->patch[first];
  vlCutCell cut = {.cell = {one->cell[0], one->cell[1], one->cell[2]}};
  for (int q = first; q < last; q++) {
    cut.s = vl_add(cut.s, patches->patch[q].s);
    cut.moment = vl_add(cut.moment, patches->patch[q].moment);
  }
  return cut;
}

vlCode vl_cuts_merge(vlCuts *cuts, const vlCuts *statics, const vlPatches *patches, vlStatus *status)
{
  vlCode code = vl_cuts_reserve(cuts, (size_t)statics->count + (size_t)patches->count, status);
  if (code) return code;
  cuts->grid = statics->grid;
  cuts->open_outside = statics->open_outside;
  cuts->thin = statics->thin;
  memcpy(cuts->thin_cell, statics->thin_cell, sizeof cuts->thin_cell);
  cuts->count = 0;
  int own = 0, q = 0;
  while (own < statics->count || q < patches->count) {
    int order = own == statics->count ? 1
                : q == patches->count ? -1
                                      : vl_cuts_compare(statics->cut[own].cell, patches->patch[q].cell, BY_CELL);
    vlCutCell cut = {0};
    if (order >= 0) {
      int last = vl_patches_of_cell(patches, q);
      cut = add_up(patches, q, last);
      q = last;
    }
    if (order < 0)
      cut = statics->cut[own++];
    else if (order == 0) {
      cut.s = vl_add(cut.s, statics->cut[own].s);
      cut.moment = vl_add(cut.moment, statics->cut[own++].moment);
    }
    cuts->cut[cuts->count++] = cut;
  }
  return vl_cuts_close(cuts, status);
}
