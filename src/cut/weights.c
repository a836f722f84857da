/* Weights of faces near static solids, found once. Away from surfaces every kind agrees with the open area, all or nothing,
 * so only faces of cut cells are kept, or those whose cube is cut: half a cell aside the same surface cuts a grid whose
 * cells are the cubes, and their volumes are exact (cuts.c). */
#include "cut/weights.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"

vlGrid vl_weights_cubes(const vlGrid *grid, int axis)
{
  vlGrid cubes = {.n = {grid->n[0], grid->n[1], grid->n[2]}, .dx = grid->dx, .origin = grid->origin};
  cubes.n[axis]++;
  cubes.origin.v[axis] -= 0.5 * grid->dx;
  return cubes;
}

double vl_weights_cube(const vlCuts *cuts, int axis, const int cell[3])
{
  double full = cuts->grid.dx * cuts->grid.dx, lower = vl_cuts_open_area(cuts, axis, cell[0], cell[1], cell[2]),
         open = vl_cuts_cell_volume(cuts, axis, cell[0], cell[1], cell[2], lower) / cuts->grid.dx;
  return open < VL_WEIGHTS_SNAP * full ? 0.0 : open > (1.0 - VL_WEIGHTS_SNAP) * full ? full : open;
}

double vl_weights_segment(vlWeightsKind kind, double below, double above)
{
  if (below >= 0.0 && above >= 0.0) return 0.0;
  if (kind == VL_WEIGHTS_VOXEL || (below < 0.0 && above < 0.0)) return 1.0;
  return fmin(below, above) / (fmin(below, above) - fmax(below, above));
}

vlCode vl_weights_add(vlWeightFaces *faces, int axis, const int cell[3], vlStatus *status)
{
  if (!vl_array_reserve(&faces->face, &faces->capacity, (size_t)faces->count + 1, sizeof *faces->face))
    return vl_fail_memory(status, (size_t)faces->count * sizeof *faces->face, "the weights of faces");
  faces->face[faces->count++] = (vlWeightFace){.axis = axis, .cell = {cell[0], cell[1], cell[2]}};
  return VL_OK;
}

static vlCode add_cubes(vlWeights *w, int axis, const vlStatics *statics, const vlGrid *grid, vlStatus *status)
{
  vlGrid cubes = vl_weights_cubes(grid, axis);
  vlCuts *cuts = NULL;
  vlCode code = vl_cuts_create(&cuts, vl_statics_surface(statics), vl_statics_solid_at_infinity(statics), &cubes, status);
  for (int c = 0; !code && c < cuts->count; c++) {
    const int *cell = cuts->cut[c].cell;
    if (!vl_grid_holds(grid, cell) || vl_weights_side(grid, axis, cell)) continue;
    code = vl_weights_add(&w->statics, axis, cell, status);
    if (!code) w->statics.face[w->statics.count - 1].open = vl_weights_cube(cuts, axis, cell);
  }
  vl_cuts_destroy(&cuts);
  return code;
}

static vlCode add_segment(vlWeights *w, int axis, const int cell[3], const vlStatics *statics, const vlGrid *grid,
                          vlStatus *status)
{
  if (!vl_grid_holds(grid, cell) || vl_weights_side(grid, axis, cell)) return VL_OK;
  vlVec3 above = vl_grid_center(grid, cell[0], cell[1], cell[2]), below = above;
  below.v[axis] -= grid->dx;
  double solid = vl_weights_segment(w->kind, vl_statics_distance(statics, below), vl_statics_distance(statics, above));
  vlCode code = vl_weights_add(&w->statics, axis, cell, status);
  if (!code) w->statics.face[w->statics.count - 1].open = (1.0 - solid) * grid->dx * grid->dx;
  return code;
}

/* Faces of cut cells, those between two of them once. */
static vlCode add_segments(vlWeights *w, int axis, const vlStatics *statics, const vlCuts *cuts, vlStatus *status)
{
  vlCode code = VL_OK;
  for (int c = 0; c < cuts->count && !code; c++) {
    const int *cell = cuts->cut[c].cell;
    int next[3] = {cell[0], cell[1], cell[2]};
    next[axis]++;
    code = add_segment(w, axis, cell, statics, &cuts->grid, status);
    if (!code && !vl_cuts_find(cuts, next[0], next[1], next[2]))
      code = add_segment(w, axis, next, statics, &cuts->grid, status);
  }
  return code;
}

static int compare_faces(const void *x, const void *y)
{
  const vlWeightFace *a = x, *b = y;
  return a->axis != b->axis ? (a->axis < b->axis ? -1 : 1) : vl_cuts_compare(a->cell, b->cell, (const int[3]){2, 1, 0});
}

vlCode vl_weights_create(vlWeights *w, vlWeightsKind kind, const vlStatics *statics, const vlCuts *cuts, vlStatus *status)
{
  *w = (vlWeights){.kind = kind, .patches = {.of_faces = true}};
  vlCode code = VL_OK;
  for (int axis = 0; axis < 3 && !code && kind != VL_WEIGHTS_AREA && cuts->count > 0; axis++)
    code = kind == VL_WEIGHTS_VOLUME ? add_cubes(w, axis, statics, &cuts->grid, status)
                                     : add_segments(w, axis, statics, cuts, status);
  if (w->statics.count > 0) qsort(w->statics.face, (size_t)w->statics.count, sizeof *w->statics.face, compare_faces);
  return code;
}

void vl_weights_clear(vlWeights *w)
{
  free(w->statics.face);
  free(w->near.face);
  free(w->cell);
  vl_patches_clear(&w->patches);
  vl_patches_clear(&w->scratch);
  for (int c = 0; c < w->own_count; c++) vl_cuts_release(&w->own[c]);
  free(w->own);
  *w = (vlWeights){0};
}

double vl_weights_static(const vlWeights *w, const vlCuts *cuts, int axis, const int cell[3])
{
  vlWeightFace key = {.axis = axis, .cell = {cell[0], cell[1], cell[2]}};
  const vlWeightFace *found =
      w->statics.count > 0 ? bsearch(&key, w->statics.face, (size_t)w->statics.count, sizeof *w->statics.face, compare_faces)
                           : NULL;
  return found ? found->open : vl_cuts_open_area(cuts, axis, cell[0], cell[1], cell[2]);
}

/* Whether the blocks hold a cell that has the face. */
static bool is_filled(const vlBlocks *blocks, int axis, const int cell[3])
{
  const int below[3] = {cell[0] - (axis == 0), cell[1] - (axis == 1), cell[2] - (axis == 2)};
  return vl_blocks_find(blocks, cell[0] / VL_BLOCK, cell[1], cell[2]) >= 0 ||
         (below[axis] >= 0 && vl_blocks_find(blocks, below[0] / VL_BLOCK, below[1], below[2]) >= 0);
}

void vl_weights_apply(const vlWeights *w, const vlBlocks *blocks, const vlGrid *g, double *const area[3])
{
  const vlWeightFaces *faces = w->near.count > 0 ? &w->near : &w->statics;
  for (int f = 0; f < faces->count; f++) {
    const vlWeightFace *face = &faces->face[f];
    const int *c = face->cell;
    if (is_filled(blocks, face->axis, c)) area[face->axis][vl_grid_at(g, c[0], c[1], c[2])] = face->open;
  }
}
