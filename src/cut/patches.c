/* Patches of bodies and their part in the cut cells (docs/theory/coupling.md).
 *
 * Every surface triangle is clipped into its cells like those of static solids (clip.c), but each piece keeps its triangle
 * and the means b of the nodes' shape functions over it: the liquid's flux through a moving patch is s_q . (sum of b_i v_i),
 * and pressure pushes the nodes with the same weights [zarifi2017, sec. 3.3]. Of linear functions the mean is the value at
 * the centre; of quadratic ones, where a triangle is a quarter of a face of six nodes (solid/face.c), that over a triangle
 * is the mean of the values in the middles of its sides, and a piece is a fan of triangles. Since the same pieces make the
 * open areas of the faces, a body and the liquid around it that move together leave every cell's flux exactly zero. */
#include "cut/patches.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "cut/cuts.h"
#include "solid/face.h"

/* What is being clipped. */
typedef struct Clip {
  vlPatchPart *part;
  vlPatchKeep *keep;
  const void *keep_data;
  double dx;
  int triangle, first_node;    /* of the body; of its node 0 */
  vlFace face;                 /* that the triangle is of */
  vlVec3 node[VL_PIECE_NODES]; /* of the face, cells */
  vlVec3 x[3];                 /* the triangle, cells */
  vlVec3 area;                 /* of the whole, twice, cells2 */
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

/* Adds the integral over a triangle, whose corners have the coordinates l, of the face's shape functions. */
static void add_integral(const vlFace *face, const double *const l[3], double area, double *sum)
{
  for (int side = 0; side < 3; side++) {
    const double *from = l[side], *to = l[(side + 1) % 3];
    double weight[VL_PIECE_NODES], middle[3] = {0.5 * (from[0] + to[0]), 0.5 * (from[1] + to[1]), 0.5 * (from[2] + to[2])};
    vl_face_weights(face, middle, weight);
    for (int i = 0; i < face->nodes; i++) sum[i] += area / 3.0 * weight[i];
  }
}

/* Means over the piece of the face's shape functions, which are quadratic in the triangle's coordinates. */
static void find_means(const Clip *clip, const vlClipPiece *piece, const double center[3], double *b)
{
  double first[3], last[3], next[3], sum[VL_PIECE_NODES] = {0}, total = 0.0;
  find_barycentric(clip, piece->corner[0], first);
  find_barycentric(clip, piece->corner[1], last);
  for (int i = 2; i < piece->corners; i++) {
    find_barycentric(clip, piece->corner[i], next);
    vlVec3 from = piece->corner[0];
    double area = vl_norm(vl_cross(vl_sub(piece->corner[i - 1], from), vl_sub(piece->corner[i], from)));
    add_integral(&clip->face, (const double *const[]){first, last, next}, area, sum);
    total += area;
    memcpy(last, next, sizeof last);
  }
  for (int i = 0; i < clip->face.nodes; i++) b[i] = sum[i] / total; /* pieces without area are not handed on */
  vl_face_level(&clip->face, clip->node, center, b);
}

/* What is left of a piece when what does not count is cut off; false: nothing. */
static bool keep_piece(const Clip *clip, vlClipPiece *piece, vlVec3 corner[VL_PATCH_CORNERS])
{
  vlVec3 moment = vl_vec(0, 0, 0);
  double total = 0.0;
  memcpy(corner, piece->corner, (size_t)piece->corners * sizeof *corner);
  piece->corners = clip->keep(clip->keep_data, piece->cell, corner, piece->corners);
  piece->corner = corner;
  piece->area = vl_vec(0, 0, 0);
  for (int i = 1; i + 1 < piece->corners; i++) {
    vlVec3 part = vl_scale(vl_cross(vl_sub(corner[i], corner[0]), vl_sub(corner[i + 1], corner[0])), 0.5);
    double weight = vl_norm(part);
    piece->area = vl_add(piece->area, part);
    moment = vl_axpy(moment, weight / 3.0, vl_add(corner[0], vl_add(corner[i], corner[i + 1])));
    total += weight;
  }
  if (total > 0.0) piece->center = vl_scale(moment, 1.0 / total);
  return total > 0.0;
}

static void add_patch(void *user, const vlClipPiece *whole)
{
  Clip *clip = user;
  vlPatchPart *part = clip->part;
  vlClipPiece kept = *whole, *piece = &kept;
  vlVec3 corner[VL_PATCH_CORNERS];
  if (clip->keep && !keep_piece(clip, piece, corner)) return;
  bool room = vl_array_reserve(&part->patch, &part->capacity, part->count + 1, sizeof *part->patch);
  clip->failed = clip->failed || !room;
  if (!room) return;
  vlPatch *new = &part->patch[part->count++];
  *new = (vlPatch){.triangle = clip->triangle, .nodes = clip->face.nodes};
  for (int i = 0; i < new->nodes; i++) new->node[i] = clip->first_node + clip->face.node[i];
  for (int a = 0; a < 3; a++) {
    new->cell[a] = piece->cell[a];
    new->s.v[a] = -piece->area.v[a] * clip->dx * clip->dx;
    new->moment.v[a] = new->s.v[a] * (piece->center.v[a] - piece->cell[a]) * clip->dx;
  }
  double center[3];
  find_barycentric(clip, piece->center, center);
  if (new->nodes == 3)
    memcpy(new->b, center, sizeof center);
  else
    find_means(clip, piece, center, new->b);
}

static double cells(const vlBody *body, const vlGrid *grid, int node, int axis)
{
  return (body->x[node].v[axis] - grid->origin.v[axis]) / grid->dx;
}

static double flat_within(const vlPatches *patches)
{
  return patches->flat_within > 0.0 ? patches->flat_within : VL_CLIP_BODY;
}

/* A triangle lies in a grid plane if all its nodes are closer to it than VL_CLIP_BODY. They are pulled onto it, for all
 * other triangles too: the surface stays closed. */
static bool find_flat(vlPatches *patches, const vlBodySet *bodies, int first, int last, const vlGrid *grid)
{
  size_t nodes = (size_t)bodies->first_node[last];
  if (!vl_array_reserve(&patches->flat, &patches->flat_capacity, nodes + 1, 1)) return false;
  memset(patches->flat, 0, nodes);
  for (int b = first; b < last; b++)
    for (int t = 0; t < bodies->body[b]->triangle_count; t++) {
      const vlBody *body = bodies->body[b];
      const int *node = body->triangle[t];
      for (int a = 0; a < 3; a++) {
        double plane = nearbyint(cells(body, grid, node[0], a));
        bool flat = true;
        for (int v = 0; v < 3 && flat; v++) flat = fabs(cells(body, grid, node[v], a) - plane) < flat_within(patches);
        for (int v = 0; v < 3 && flat; v++) patches->flat[bodies->first_node[b] + node[v]] |= (unsigned char)(1 << a);
      }
    }
  return true;
}

/* Where a node counts as lying, cells. */
static vlVec3 place_node(const vlPatches *patches, const vlBody *body, int node, int number, const vlGrid *grid)
{
  vlVec3 x;
  for (int a = 0; a < 3; a++)
    x.v[a] = vl_clip_snap(cells(body, grid, node, a), patches->flat[number] >> a & 1 ? flat_within(patches) : VL_CLIP_STILL);
  return x;
}

/* Triangles [first, last) of a body, whose node 0 has the number first_node. */
static bool clip_surface(const vlPatches *patches, vlPatchPart *part, const vlBody *body, int first_node, const vlGrid *grid,
                         int first, int last)
{
  Clip clip = {
      .part = part, .keep = patches->keep, .keep_data = patches->keep_data, .dx = grid->dx, .first_node = first_node};
  for (int t = first; t < last; t++) {
    clip.triangle = t;
    clip.face = vl_face_of(body, t);
    for (int i = 0; i < clip.face.nodes; i++)
      clip.node[i] = place_node(patches, body, clip.face.node[i], first_node + clip.face.node[i], grid);
    for (int v = 0; v < 3; v++) clip.x[v] = clip.node[clip.face.own[v]];
    clip.area = vl_cross(vl_sub(clip.x[1], clip.x[0]), vl_sub(clip.x[2], clip.x[0]));
    vl_clip_triangle(clip.x, grid->n, add_patch, &clip);
  }
  return !clip.failed;
}

/* Part p of the triangles of all surfaces. */
static bool clip_part(vlPatches *patches, const vlBodySet *bodies, int from_body, int to_body, const vlGrid *grid, int p)
{
  int64_t total = 0, before = 0;
  for (int b = from_body; b < to_body; b++) total += bodies->body[b]->triangle_count;
  int64_t first = total * p / VL_PATCH_PARTS, last = total * (p + 1) / VL_PATCH_PARTS;
  bool ok = true;
  patches->part[p].count = 0;
  for (int b = from_body; b < to_body && ok; before += bodies->body[b++]->triangle_count) {
    int64_t own = bodies->body[b]->triangle_count, from = first - before, to = last - before;
    from = from > 0 ? from : 0;
    to = to < own ? to : own;
    ok = clip_surface(patches, &patches->part[p], bodies->body[b], bodies->first_node[b], grid, (int)from, (int)to);
  }
  return ok;
}

/* The parts one after the other, which is the order of the triangles. */
static bool join_parts(vlPatches *patches)
{
  size_t total = 0;
  for (int p = 0; p < VL_PATCH_PARTS; p++) total += patches->part[p].count;
  bool room = vl_array_reserve(&patches->patch, &patches->capacity, total + 1, sizeof *patches->patch);
  patches->count = 0;
  for (int p = 0; p < VL_PATCH_PARTS && room; p++) {
    const vlPatchPart *part = &patches->part[p];
    if (part->count > 0) memcpy(patches->patch + patches->count, part->patch, part->count * sizeof *part->patch);
    patches->count += (int)part->count;
  }
  return room;
}

vlCode vl_patches_sort(vlPatches *patches, const vlGrid *g, vlStatus *status)
{
  size_t n = (size_t)patches->count, side = 3;
  for (int a = 0; a < 3; a++) side = (size_t)g->n[a] + 3 > side ? (size_t)g->n[a] + 3 : side;
  bool room = vl_array_reserve(&patches->scratch, &patches->scratch_capacity, n + 1, sizeof *patches->scratch);
  room = vl_array_reserve(&patches->order, &patches->order_capacity, 2 * n + side, sizeof *patches->order) && room;
  if (!room) return vl_fail_memory(status, n * sizeof *patches->patch, "the patches of bodies");
  int *from = patches->order, *to = from + n, *bucket = to + n;
  for (int q = 0; q < patches->count; q++) from[q] = q;
  for (int a = 0; a < 3; a++) {
    vl_order_along(patches->patch, sizeof *patches->patch, a, g->n[a], patches->count, from, to, bucket);
    int *swap = from;
    from = to;
    to = swap;
  }
#pragma omp parallel for schedule(static)
  for (int q = 0; q < patches->count; q++) patches->scratch[q] = patches->patch[from[q]];
  vlPatch *sorted = patches->scratch;
  size_t capacity = patches->scratch_capacity;
  patches->scratch = patches->patch;
  patches->scratch_capacity = patches->capacity;
  patches->patch = sorted;
  patches->capacity = capacity;
  return VL_OK;
}

vlCode vl_patches_update(vlPatches *patches, const vlBodySet *bodies, int first, int last, const vlGrid *grid,
                         vlStatus *status)
{
  bool ok = find_flat(patches, bodies, first, last, grid);
  for (int p = 0; p < VL_PATCH_PARTS && !ok; p++) patches->part[p].count = 0;
#pragma omp parallel for schedule(dynamic) reduction(&& : ok) if (ok)
  for (int p = 0; p < VL_PATCH_PARTS; p++) ok = ok && clip_part(patches, bodies, first, last, grid, p);
  return ok && join_parts(patches)
             ? vl_patches_sort(patches, grid, status)
             : vl_fail_memory(status, (size_t)patches->count * sizeof *patches->patch, "the patches of bodies");
}

void vl_patches_clear(vlPatches *patches)
{
  free(patches->patch);
  free(patches->scratch);
  free(patches->order);
  free(patches->flat);
  for (int p = 0; p < VL_PATCH_PARTS; p++) free(patches->part[p].patch);
  *patches = (vlPatches){0};
}

int vl_patches_of_cell(const vlPatches *patches, int first)
{
  int last = first + 1;
  while (last < patches->count && vl_cuts_compare(patches->patch[first].cell, patches->patch[last].cell) == 0) last++;
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
  cuts->grid = statics->grid;
  vlCode code = vl_cuts_reserve(cuts, (size_t)statics->count + (size_t)patches->count, status);
  if (code) return code;
  cuts->open_outside = statics->open_outside;
  cuts->thin = statics->thin;
  memcpy(cuts->thin_cell, statics->thin_cell, sizeof cuts->thin_cell);
  cuts->count = 0;
  int own = 0, q = 0;
  while (own < statics->count || q < patches->count) {
    int order = own == statics->count ? 1
                : q == patches->count ? -1
                                      : vl_cuts_compare(statics->cut[own].cell, patches->patch[q].cell);
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
