/* Weights of faces near static solids, found once. Away from surfaces every kind agrees with the open area, all or nothing,
 * so only faces of cut cells are kept, or those whose cube is cut: half a cell aside the same surface cuts a grid whose
 * cells are the cubes, and their volumes are exact (cuts.c). */
#include "cut/weights.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "mesh/bvh.h"
#include "solid/face.h"

static const double WEIGHT_SNAP = 1e-12; /* in dx2: less is rounding, as in areas.c */

/* The cubes around the faces along an axis as cells of a grid: cell (i, j, k) is the cube around the lower face of that
 * cell. */
static vlGrid cubes_around_faces(const vlGrid *grid, int axis)
{
  vlGrid cubes = {.n = {grid->n[0], grid->n[1], grid->n[2]}, .dx = grid->dx, .origin = grid->origin};
  cubes.n[axis]++;
  cubes.origin.v[axis] -= 0.5 * grid->dx;
  return cubes;
}

/* m2: liquid in such a cube over dx, by the cuts of that grid. */
static double open_of_cube(const vlCuts *cuts, int axis, const int cell[3])
{
  double full = cuts->grid.dx * cuts->grid.dx, lower = vl_cuts_open_area(cuts, axis, cell[0], cell[1], cell[2]),
         open = vl_cuts_cell_volume(cuts, axis, cell[0], cell[1], cell[2], lower) / cuts->grid.dx;
  return open < WEIGHT_SNAP * full ? 0.0 : open > (1.0 - WEIGHT_SNAP) * full ? full : open;
}

/* Part of a segment that is solid, by the signed distances at its ends. */
static double solid_part(vlWeightsKind kind, double below, double above)
{
  if (below >= 0.0 && above >= 0.0) return 0.0;
  if (kind == VL_WEIGHTS_VOXEL || (below < 0.0 && above < 0.0)) return 1.0;
  return fmin(below, above) / (fmin(below, above) - fmax(below, above));
}

/* Whether the face lies on a side of the domain. */
static bool on_side(const vlGrid *grid, int axis, const int cell[3])
{
  return cell[axis] <= 0 || cell[axis] >= grid->n[axis];
}

static vlCode add_face(vlWeightFaces *faces, int axis, const int cell[3], vlStatus *status)
{
  if (!vl_array_reserve(&faces->face, &faces->capacity, (size_t)faces->count + 1, sizeof *faces->face))
    return vl_fail_memory(status, (size_t)faces->count * sizeof *faces->face, "the weights of faces");
  faces->face[faces->count++] = (vlWeightFace){.axis = axis, .cell = {cell[0], cell[1], cell[2]}};
  return VL_OK;
}

static vlCode add_cubes(vlWeights *w, int axis, const vlStatics *statics, const vlGrid *grid, vlStatus *status)
{
  vlGrid cubes = cubes_around_faces(grid, axis);
  vlCuts *cuts = NULL;
  vlCode code = vl_cuts_create(&cuts, vl_statics_surface(statics), vl_statics_solid_at_infinity(statics), &cubes, status);
  for (int c = 0; !code && c < cuts->count; c++) {
    const int *cell = cuts->cut[c].cell;
    if (!vl_grid_holds(grid, cell) || on_side(grid, axis, cell)) continue;
    code = add_face(&w->statics, axis, cell, status);
    if (!code) w->statics.face[w->statics.count - 1].open = open_of_cube(cuts, axis, cell);
  }
  vl_cuts_destroy(&cuts);
  return code;
}

static vlCode add_segment(vlWeights *w, int axis, const int cell[3], const vlStatics *statics, const vlGrid *grid,
                          vlStatus *status)
{
  if (!vl_grid_holds(grid, cell) || on_side(grid, axis, cell)) return VL_OK;
  vlVec3 above = vl_grid_center(grid, cell[0], cell[1], cell[2]), below = above;
  below.v[axis] -= grid->dx;
  double solid = solid_part(w->kind, vl_statics_distance(statics, below), vl_statics_distance(statics, above));
  vlCode code = add_face(&w->statics, axis, cell, status);
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
  return a->axis != b->axis ? (a->axis < b->axis ? -1 : 1) : vl_cuts_compare(a->cell, b->cell);
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

/* What bodies take of the faces around them, and the coupling made of it: the volume form of J [batty2007].
 *
 * Solids and liquid share every face: open + static + sum of the bodies' shares = dx2. A share a of a face along axis e
 * moves with the body's velocity at the face's centre x_f, so the cell below it loses a e.v(x_f) and the cell above it gains
 * as much: two patches, s = a e and s = -a e. Summed by parts, the force on the body is -sum over faces of a dx grad p, the
 * paper's volume integral of the pressure's gradient; its torque has the arm x_f - X. Around a body and liquid that move at
 * one velocity every cell has faces of dx2 on both sides, whatever the weights: no divergence.
 *
 * A stiff body's velocity at x_f, inside it or not, is that of four of its nodes with x_f's affine coordinates in them,
 * exactly; another body's that of the nearest point of its surface. Where solids overlap, the static ones keep what they
 * have and the bodies share the rest.
 * Faces looked at: those of cut cells and of their neighbours, which may have an open face though a body has all of them;
 * all others are open or closed, as their area is. */

static int compare_cells(const void *a, const void *b) { return vl_cuts_compare(a, b); }

static bool has_cell(const vlWeights *w, const int cell[3])
{
  return w->cell_count > 0 && bsearch(cell, w->cell, (size_t)w->cell_count, sizeof *w->cell, compare_cells);
}

/* Cut cells and their neighbours; by areas without them. Sorted, each once. */
static vlCode list_cells(vlWeights *w, const vlCuts *cuts, vlStatus *status)
{
  int around = w->kind == VL_WEIGHTS_AREA ? 1 : 7, kept = 0;
  size_t most = (size_t)cuts->count * (size_t)around + 1;
  if (!vl_array_reserve(&w->cell, &w->cell_capacity, most, sizeof *w->cell))
    return vl_fail_memory(status, most * sizeof *w->cell, "the weights of faces");
  w->cell_count = 0;
  for (int c = 0; c < cuts->count; c++)
    for (int n = 0; n < around; n++) {
      int cell[3] = {cuts->cut[c].cell[0], cuts->cut[c].cell[1], cuts->cut[c].cell[2]};
      if (n > 0) cell[(n - 1) / 2] += n % 2 ? 1 : -1;
      if (vl_grid_holds(&cuts->grid, cell)) memcpy(w->cell[w->cell_count++], cell, sizeof cell);
    }
  if (around > 1) qsort(w->cell, (size_t)w->cell_count, sizeof *w->cell, compare_cells);
  for (int c = 0; c < w->cell_count; c++)
    if (kept == 0 || compare_cells(w->cell[kept - 1], w->cell[c]) != 0)
      memmove(w->cell[kept++], w->cell[c], sizeof *w->cell);
  w->cell_count = kept;
  return VL_OK;
}

/* Their faces, each once; across a slab nothing moves. */
static vlCode list_faces(vlWeights *w, const vlGrid *g, vlStatus *status)
{
  vlCode code = VL_OK;
  w->near.count = 0;
  for (int axis = 0; axis < 3; axis++)
    for (int c = 0; c < w->cell_count && g->n[axis] > 1 && !code; c++) {
      int next[3] = {w->cell[c][0], w->cell[c][1], w->cell[c][2]};
      next[axis]++;
      code = add_face(&w->near, axis, w->cell[c], status);
      if (!code && !has_cell(w, next)) code = add_face(&w->near, axis, next, status);
    }
  return code;
}

/* How each body alone cuts the cubes. */
static vlCode cut_cubes(vlWeights *w, const vlBodySet *bodies, vlStatus *status)
{
  if (!w->own) {
    w->own = calloc((size_t)bodies->count * 3, sizeof *w->own);
    if (!w->own) return vl_fail_memory(status, (size_t)bodies->count * 3 * sizeof *w->own, "the weights of faces");
    w->own_count = 3 * bodies->count;
  }
  vlCode code = VL_OK;
  for (int b = 0; b < bodies->count; b++)
    for (int axis = 0; axis < 3 && !code; axis++) {
      vlGrid cubes = cubes_around_faces(bodies->grid, axis);
      vlCuts nothing = {.grid = cubes, .open_outside = cubes.dx * cubes.dx};
      if (bodies->grid->n[axis] == 1) continue;
      code = vl_patches_update(&w->scratch, bodies, b, b + 1, &cubes, status);
      if (!code) code = vl_cuts_merge(&w->own[3 * b + axis], &nothing, &w->scratch, status);
    }
  return code;
}

static vlVec3 face_center(const vlGrid *g, int axis, const int cell[3])
{
  vlVec3 x = vl_grid_center(g, cell[0], cell[1], cell[2]);
  x.v[axis] -= 0.5 * g->dx;
  return x;
}

/* m2: what a body would take of a face if it were alone. */
static double body_share(const vlWeights *w, const vlBodySet *bodies, int b, const vlWeightFace *face)
{
  const vlGrid *g = bodies->grid;
  double full = g->dx * g->dx;
  if (w->kind == VL_WEIGHTS_VOLUME) return full - open_of_cube(&w->own[3 * b + face->axis], face->axis, face->cell);
  vlVec3 below = face_center(g, face->axis, face->cell), above = below;
  below.v[face->axis] -= 0.5 * g->dx;
  above.v[face->axis] += 0.5 * g->dx;
  const vlBvh *tree = bodies->distance->tree[b];
  return full * solid_part(w->kind, vl_bvh_signed_distance(tree, below), vl_bvh_signed_distance(tree, above));
}

static bool within(vlBox3 box, vlVec3 x, double margin)
{
  for (int a = 0; a < 3; a++)
    if (x.v[a] < box.lo.v[a] - margin || x.v[a] > box.hi.v[a] + margin) return false;
  return true;
}

static void add_share(vlWeightFace *face, int body, double share)
{
  if (!(share > 0.0) || face->count == VL_WEIGHT_BODIES) return;
  face->body[face->count] = body;
  face->share[face->count++] = share;
}

/* By areas, on the domain's sides too: all that is not static is the nearest body's. */
static void share_area(const vlBodySet *bodies, const vlCuts *together, vlWeightFace *face, vlVec3 x)
{
  const int *c = face->cell;
  double nearest = INFINITY;
  int body = 0;
  for (int b = 0; b < bodies->count; b++) {
    double distance = vl_bvh_signed_distance(bodies->distance->tree[b], x);
    if (distance < nearest) body = b;
    nearest = fmin(nearest, distance);
  }
  add_share(face, body, face->open - vl_cuts_open_area(together, face->axis, c[0], c[1], c[2]));
}

static void share_face(const vlWeights *w, const vlBodySet *bodies, const vlCuts *statics, const vlCuts *together,
                       vlWeightFace *face)
{
  const vlGrid *g = bodies->grid;
  vlVec3 x = face_center(g, face->axis, face->cell);
  double full = g->dx * g->dx, taken = 0.0;
  face->count = 0;
  face->open = vl_weights_static(w, statics, face->axis, face->cell);
  if (w->kind == VL_WEIGHTS_AREA || on_side(g, face->axis, face->cell))
    share_area(bodies, together, face, x);
  else
    for (int b = 0; b < bodies->count; b++)
      if (within(bodies->distance->bounds[b], x, g->dx)) add_share(face, b, body_share(w, bodies, b, face));
  for (int s = 0; s < face->count; s++) taken += face->share[s];
  for (int s = 0; s < face->count && taken > face->open; s++) face->share[s] *= face->open / taken;
  face->open = fmax(face->open - taken, 0.0);
  if (face->open >= WEIGHT_SNAP * full) return;
  if (face->count > 0) face->share[0] += face->open;
  face->open = 0.0;
}

/* Four nodes of a stiff body that span space: each as far as can be from the others before it. */
static void choose_nodes(const vlBody *body, int node[4])
{
  const vlVec3 *x = body->x;
  double most[3] = {-1.0, -1.0, -1.0};
  node[0] = node[1] = node[2] = node[3] = 0;
  for (int i = 0; i < body->node_count; i++) {
    double size = vl_norm(vl_sub(x[i], x[0]));
    if (size > most[0]) most[0] = size, node[1] = i;
  }
  vlVec3 e = vl_sub(x[node[1]], x[0]);
  for (int i = 0; i < body->node_count; i++) {
    double size = vl_norm(vl_cross(e, vl_sub(x[i], x[0])));
    if (size > most[1]) most[1] = size, node[2] = i;
  }
  vlVec3 normal = vl_cross(e, vl_sub(x[node[2]], x[0]));
  for (int i = 0; i < body->node_count; i++) {
    double size = fabs(vl_dot(normal, vl_sub(x[i], x[0])));
    if (size > most[2]) most[2] = size, node[3] = i;
  }
}

/* x = sum of b_i x_i, sum of b_i = 1, by Cramer's rule */
static void find_affine(const vlBody *body, const int node[4], vlVec3 x, double b[4])
{
  vlVec3 e[3], r = vl_sub(x, body->x[node[0]]);
  for (int n = 0; n < 3; n++) e[n] = vl_sub(body->x[node[n + 1]], body->x[node[0]]);
  double volume = vl_dot(e[0], vl_cross(e[1], e[2]));
  for (int n = 0; n < 3; n++) b[n + 1] = vl_dot(r, vl_cross(e[(n + 1) % 3], e[(n + 2) % 3])) / volume;
  b[0] = 1.0 - b[1] - b[2] - b[3];
}

/* The nodes that carry a share, and how. */
static vlPatch place_share(const vlBodySet *bodies, int b, const int span[4], vlVec3 x)
{
  const vlBody *body = bodies->body[b];
  vlPatch patch = {.triangle = -1, .nodes = 4};
  if (body->stiff) {
    find_affine(body, span, x, patch.b);
    for (int n = 0; n < 4; n++) patch.node[n] = bodies->first_node[b] + span[n];
    return patch;
  }
  vlClosest c = vl_bvh_closest(bodies->distance->tree[b], x);
  patch.triangle = vl_body_distance_triangle(bodies->distance, b, c.triangle);
  vlFace face = vl_face_of(body, patch.triangle);
  patch.nodes = face.nodes;
  for (int n = 0; n < face.nodes; n++) patch.node[n] = bodies->first_node[b] + face.node[n];
  vl_face_weights(&face, c.barycentric.v, patch.b);
  return patch;
}

/* Both patches of every share, in order of faces. */
static vlCode make_patches(vlWeights *w, const vlBodySet *bodies, vlStatus *status)
{
  const vlGrid *g = bodies->grid;
  size_t count = 0, nodes = (size_t)bodies->count * 4;
  for (int f = 0; f < w->near.count; f++) count += 2 * (size_t)w->near.face[f].count;
  int(*span)[4] = malloc((nodes + 1) * sizeof(int));
  if (!span || !vl_array_reserve(&w->patches.patch, &w->patches.capacity, count + 1, sizeof *w->patches.patch)) {
    free(span);
    return vl_fail_memory(status, count * sizeof *w->patches.patch, "the coupling of liquid and bodies");
  }
  for (int b = 0; b < bodies->count; b++)
    if (bodies->body[b]->stiff) choose_nodes(bodies->body[b], span[b]);
  w->patches.count = 0;
  for (int f = 0; f < w->near.count; f++) {
    const vlWeightFace *face = &w->near.face[f];
    for (int s = 0; s < face->count; s++) {
      vlPatch patch = place_share(bodies, face->body[s], span[face->body[s]], face_center(g, face->axis, face->cell));
      for (int above = 0; above < 2; above++) {
        memcpy(patch.cell, face->cell, sizeof patch.cell);
        patch.cell[face->axis] -= !above;
        patch.s.v[face->axis] = above ? -face->share[s] : face->share[s];
        w->patches.patch[w->patches.count++] = patch;
      }
    }
  }
  free(span);
  return vl_patches_sort(&w->patches, g, status);
}

vlCode vl_weights_update(vlWeights *w, const vlBodySet *bodies, const vlCuts *statics, const vlCuts *together,
                         vlStatus *status)
{
  vlCode code = list_cells(w, together, status);
  if (!code) code = list_faces(w, bodies->grid, status);
  if (!code && w->kind == VL_WEIGHTS_VOLUME) code = cut_cubes(w, bodies, status);
  if (code) return code;
#pragma omp parallel for schedule(dynamic, 256)
  for (int f = 0; f < w->near.count; f++) share_face(w, bodies, statics, together, &w->near.face[f]);
  return make_patches(w, bodies, status);
}
