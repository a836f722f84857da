/* Distance to bodies around them, made anew in every step where liquid may come.
 *
 * Blocks within REACH of a surface get the exact signed distance at all corners of their cells, from a tree over the surface
 * triangles. Each corner remembers its nearest surface point, so that the wall velocity there can follow the nodes. Corners
 * are looked up in rows of a block: each begins the search at the nearest point of the one before. What a corner gets does
 * not depend on which other rows are listed. */
#include "solid/body_distance.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"
#include "grid/blocks.h"

static const double REACH = 3.0; /* cells around the surface: as far as slip and particles look in a step */

static vlBlocks block_shape(const vlGrid *g) { return (vlBlocks){.n = {g->n[0], g->n[1], g->n[2]}, .columns = g->blocks_x}; }

vlCode vl_body_distance_create(vlBodyDistance *d, const vlGrid *g, int body_count, vlStatus *status)
{
  *d = (vlBodyDistance){.body_count = body_count};
  if (body_count == 0) return VL_OK;
  vlBlocks shape = block_shape(g);
  d->near_length = vl_blocks_place(&shape, g->blocks_x, g->n[1], g->n[2]) + 1;
  d->near = vl_pages_alloc(d->near_length);
  d->stamp = vl_pages_alloc(d->near_length * sizeof *d->stamp);
  d->distance = vl_field_create(g);
  bool ok = d->near && d->stamp && d->distance;
  ok = vl_field_pages_create(&d->pages, g) && ok;
  ok = vl_page_use_create(&d->near_pages, d->near_length) && ok;
  ok = vl_page_use_create(&d->stamp_pages, d->near_length * sizeof *d->stamp) && ok;
  for (int a = 0; a < 3; a++) ok = (d->velocity[a] = vl_field_create(g)) && ok;
  d->tree = calloc((size_t)body_count, sizeof *d->tree);
  d->surface = calloc((size_t)body_count, sizeof *d->surface);
  d->bounds = calloc((size_t)body_count, sizeof *d->bounds);
  d->own = calloc((size_t)body_count, sizeof *d->own);
  if (ok && d->tree && d->surface && d->bounds && d->own) return VL_OK;
  vl_body_distance_clear(d, g);
  return vl_fail_memory(status, g->length * sizeof(double), "the address space of a field");
}

void vl_body_distance_clear(vlBodyDistance *d, const vlGrid *g)
{
  if (d->near) vl_pages_free(d->near, d->near_length);
  if (d->stamp) vl_pages_free(d->stamp, d->near_length * sizeof *d->stamp);
  if (d->distance) vl_field_destroy(g, &d->distance);
  for (int a = 0; a < 3; a++)
    if (d->velocity[a]) vl_field_destroy(g, &d->velocity[a]);
  vl_page_use_clear(&d->pages);
  vl_page_use_clear(&d->near_pages);
  vl_page_use_clear(&d->stamp_pages);
  for (int b = 0; d->tree && b < d->body_count; b++) vl_bvh_destroy(&d->tree[b]);
  free(d->tree);
  for (int b = 0; d->own && d->surface && b < d->body_count; b++) {
    free(d->own[b]);
    free(d->surface[b].tri);
  }
  free(d->own);
  free(d->surface);
  free(d->bounds);
  free(d->row);
  free(d->corner);
  free(d->block);
  *d = (vlBodyDistance){0};
}

/* The triangles that count, once: of a slab's bodies not those that lie across its thickness, at z as the others begin and
 * end, or everything would be near them. */
static vlCode choose_triangles(vlBodyDistance *d, const vlGrid *g, const vlBody *body, int b, vlStatus *status)
{
  vlTriMesh *surface = &d->surface[b];
  size_t most = (size_t)body->triangle_count + 1;
  d->own[b] = malloc(most * sizeof *d->own[b]);
  surface->tri = malloc(most * sizeof *surface->tri);
  if (!d->own[b] || !surface->tri) return vl_fail_memory(status, most * sizeof *surface->tri, "distances to bodies");
  for (int t = 0; t < body->triangle_count; t++) {
    const int *n = body->triangle[t];
    double lo = fmin(fmin(body->rest[n[0]].z, body->rest[n[1]].z), body->rest[n[2]].z),
           hi = fmax(fmax(body->rest[n[0]].z, body->rest[n[1]].z), body->rest[n[2]].z);
    if (g->n[2] == 1 && hi - lo < 1e-6 * g->dx) continue;
    d->own[b][surface->triangle_count] = t;
    for (int k = 0; k < 3; k++) surface->tri[surface->triangle_count][k] = n[k];
    surface->triangle_count++;
  }
  return VL_OK;
}

/* The trees stand on the surfaces at rest; each step they are fitted to them as they lie. */
static vlCode plant_trees(vlBodyDistance *d, const vlGrid *g, vlBody *const *body, vlStatus *status)
{
  vlCode code = VL_OK;
  for (int b = 0; b < d->body_count && !code; b++) {
    if (!d->own[b]) code = choose_triangles(d, g, body[b], b, status);
    if (code) break;
    if (!d->tree[b]) { /* at rest, so that the tree does not depend on where a run was resumed */
      d->surface[b].x = body[b]->rest;
      d->surface[b].vertex_count = body[b]->node_count;
      code = vl_bvh_create(&d->tree[b], &d->surface[b], status);
      if (code) break;
      if (g->n[2] > 1) vl_bvh_mind_folds(d->tree[b]); /* a slab's are open across it */
    }
    d->surface[b].x = body[b]->x;
    d->bounds[b] = vl_trimesh_bounds(&d->surface[b]);
    vl_bvh_refit(d->tree[b]);
  }
  return code;
}

static bool append_block(vlBodyDistance *d, const vlBlocks *shape, vlBlockPosition p)
{
  size_t place = vl_blocks_place(shape, p.bx, p.j, p.k);
  vl_page_use_mark(&d->near_pages, place, place + 1);
  void *block = d->block;
  bool room = vl_array_reserve(&block, &d->block_capacity, d->block_count + 1, sizeof *d->block);
  d->block = block;
  if (room) d->block[d->block_count++] = p;
  return room;
}

/* Lists a row of corners, or its first one, unless it is listed already. */
static bool list_row(vlBodyDistance *d, const vlGrid *g, const vlBlocks *shape, vlBlockPosition p, bool whole)
{
  int left = g->n[0] + 1 - p.bx * VL_BLOCK, count = !whole ? 1 : left < VL_BLOCK ? left : VL_BLOCK;
  if (left < 1) return true; /* beyond the domain */
  size_t place = vl_blocks_place(shape, p.bx, p.j, p.k), at = (size_t)vl_blocks_field(g, p);
  unsigned *stamp = &d->stamp[place], listed = 2 * d->update + whole;
  if (*stamp == listed || *stamp == 2 * d->update + 1) return true;
  void *row = d->row;
  bool room = vl_array_reserve(&row, &d->row_capacity, d->row_count + 1, sizeof *d->row);
  d->row = row;
  if (!room) return false;
  *stamp = listed;
  vl_page_use_mark(&d->stamp_pages, place * sizeof *stamp, (place + 1) * sizeof *stamp);
  vl_page_use_mark(&d->pages, at * sizeof(double), (at + (size_t)count) * sizeof(double));
  d->row[d->row_count++] = (vlBodyRow){p, d->corner_count, count};
  d->corner_count += (size_t)count;
  return true;
}

/* Lists a block and the rows of its corners. */
static bool list_block(vlBodyDistance *d, const vlGrid *g, const vlBlocks *shape, vlBlockPosition p)
{
  bool ok = append_block(d, shape, p);
  for (int c = 0; c < 4; c++) {
    vlBlockPosition row = {p.bx, p.j + c % 2, p.k + c / 2}, next = {p.bx + 1, row.j, row.k};
    ok = ok && list_row(d, g, shape, row, true) && list_row(d, g, shape, next, false);
  }
  return ok;
}

/* What a block is to a body that lies not farther than REACH from it, or around it. */
static unsigned char judge_block(const vlBodyDistance *d, const vlGrid *g, int b, vlBlockPosition p)
{
  double reach = (0.5 * sqrt(VL_BLOCK * VL_BLOCK + 2.0) + REACH) * g->dx;
  vlVec3 middle = vl_grid_center(g, p.bx * VL_BLOCK, p.j, p.k);
  middle.x += 0.5 * (VL_BLOCK - 1) * g->dx;
  if (vl_bvh_within(d->tree[b], middle, reach)) return VL_BODY_TO_LIST;
  for (int a = 0; a < 3; a++)
    if (middle.v[a] < d->bounds[b].lo.v[a] || middle.v[a] > d->bounds[b].hi.v[a]) return VL_BODY_FAR;
  return vl_bvh_signed_distance(d->tree[b], middle) < 0.0 ? VL_BODY_TO_SINK : VL_BODY_FAR;
}

/* Marks the blocks of one plane, columns lo[0] to hi[0] and rows lo[1] to hi[1], that are near a body or deep in it. */
static void judge_plane(vlBodyDistance *d, const vlGrid *g, int b, const int lo[3], const int hi[3], int k,
                        const vlBlocks *known, const vlBlocks *within)
{
  vlBlocks shape = block_shape(g);
  for (int j = lo[1]; j <= hi[1]; j++)
    for (int bx = lo[0]; bx <= hi[0]; bx++) {
      unsigned char *near = &d->near[vl_blocks_place(&shape, bx, j, k)];
      if (*near == VL_BODY_NEAR || (within && vl_blocks_find(within, bx, j, k) < 0)) continue;
      if (known && vl_blocks_find(known, bx, j, k) >= 0) continue;
      unsigned char is = judge_block(d, g, b, (vlBlockPosition){bx, j, k});
      if (is != VL_BODY_FAR) *near = is;
    }
}

/* Blocks near the surface of one body: those of its bounds that are not too far from it. */
static bool list_blocks(vlBodyDistance *d, const vlGrid *g, int b, const vlBlocks *known, const vlBlocks *within)
{
  vlBlocks shape = block_shape(g);
  vlBox3 box = vl_box_grow(d->bounds[b], REACH * g->dx);
  int lo[3], hi[3];
  if (!vl_grid_cells_in(g, box, lo, hi)) return true;
  lo[0] /= VL_BLOCK;
  hi[0] /= VL_BLOCK;
#pragma omp parallel for schedule(dynamic)
  for (int k = lo[2]; k <= hi[2]; k++) judge_plane(d, g, b, lo, hi, k, known, within);
  bool ok = true;
  for (int k = lo[2]; k <= hi[2] && ok; k++)
    for (int j = lo[1]; j <= hi[1] && ok; j++)
      for (int bx = lo[0]; bx <= hi[0] && ok; bx++) {
        unsigned char *near = &d->near[vl_blocks_place(&shape, bx, j, k)];
        if (*near < VL_BODY_TO_LIST) continue;
        bool list = *near == VL_BODY_TO_LIST;
        vlBlockPosition p = {bx, j, k};
        ok = list ? list_block(d, g, &shape, p) : append_block(d, &shape, p);
        *near = list ? VL_BODY_NEAR : VL_BODY_DEEP;
      }
  return ok;
}

/* Distance to a box; 0 inside. */
static double box_distance(const vlBox3 *box, vlVec3 x)
{
  double sum = 0.0;
  for (int a = 0; a < 3; a++) {
    double out = fmax(fmax(box->lo.v[a] - x.v[a], x.v[a] - box->hi.v[a]), 0.0);
    sum += out * out;
  }
  return sqrt(sum);
}

/* The nearest body, m; *closest is the place on its surface. The one with the nearest bounds comes first, so that most
 * others are ruled out by theirs. `hint`: *body and *closest are those of a place beside x. */
static double nearest_body(const vlBodyDistance *d, vlVec3 x, bool hint, int *body, vlClosest *closest)
{
  int first = 0, beside = hint ? *body : -1;
  vlVec3 point = closest->point;
  double least = INFINITY, nearest = INFINITY;
  for (int b = 0; b < d->body_count && d->body_count > 1; b++) {
    double bound = box_distance(&d->bounds[b], x);
    if (bound < least) first = b;
    least = fmin(least, bound);
  }
  for (int k = 0; k < d->body_count; k++) {
    int b = k == 0 ? first : k <= first ? k - 1 : k;
    if (k > 0 && box_distance(&d->bounds[b], x) >= fmax(nearest, 1e-300)) continue;
    vlClosest c = b == beside ? vl_bvh_closest_near(d->tree[b], x, point) : vl_bvh_closest(d->tree[b], x);
    double distance = vl_dot(vl_sub(x, c.point), c.normal) < 0.0 ? -c.distance : c.distance;
    if (k > 0 && distance >= nearest) continue;
    nearest = distance;
    *body = b;
    *closest = c;
  }
  return nearest;
}

/* In a slab all corners lie in its middle, where the particles are. */
static void evaluate_row(vlBodyDistance *d, const vlGrid *g, const vlBodyRow *row)
{
  vlClosest c = {0};
  int body = 0;
  for (int l = 0; l < row->count; l++) {
    int i = row->at.bx * VL_BLOCK + l;
    vlVec3 x = vl_axpy(g->origin, g->dx, vl_vec(i, row->at.j, g->n[2] == 1 ? 0.5 : row->at.k));
    ptrdiff_t at = vl_grid_at(g, i, row->at.j, row->at.k);
    d->distance[at] = nearest_body(d, x, l > 0, &body, &c) / g->dx;
    d->corner[row->first + (size_t)l] = (vlBodyCorner){at, body, d->own[body][c.triangle], c.barycentric};
  }
}

static void set_velocities(vlBodyDistance *d, vlBody *const *body, size_t first)
{
#pragma omp parallel for schedule(static)
  for (size_t i = first; i < d->corner_count; i++) {
    const vlBodyCorner *c = &d->corner[i];
    const vlBody *b = body[c->body];
    vlVec3 v = vl_vec(0, 0, 0);
    for (int n = 0; n < 3; n++) v = vl_axpy(v, c->barycentric.v[n], b->v[b->triangle[c->triangle][n]]);
    for (int a = 0; a < 3; a++) d->velocity[a][c->at] = v.v[a];
  }
}

/* Lists what is near among the blocks of `within` that are not in `known`, and finds the distances there. */
static vlCode add_blocks(vlBodyDistance *d, const vlGrid *g, vlBody *const *body, const vlBlocks *known,
                         const vlBlocks *within, vlStatus *status)
{
  size_t row = d->row_count, first = d->corner_count;
  bool ok = true;
  for (int b = 0; b < d->body_count && ok; b++) ok = list_blocks(d, g, b, known, within);
  void *corner = d->corner;
  ok = ok && vl_array_reserve(&corner, &d->corner_capacity, d->corner_count + 1, sizeof *d->corner);
  d->corner = corner;
  if (!ok) return vl_fail_memory(status, d->corner_count * sizeof *d->corner, "distances to bodies");
#pragma omp parallel for schedule(dynamic, 16)
  for (size_t r = row; r < d->row_count; r++) evaluate_row(d, g, &d->row[r]);
  set_velocities(d, body, first);
  return VL_OK;
}

/* Nothing is valid any more; pages are kept where the last update needed them. */
static void begin_pages(vlBodyDistance *d)
{
  vl_page_use_trim_loose(&d->pages, (void *[]){d->distance, d->velocity[0], d->velocity[1], d->velocity[2]}, 4);
  vl_page_use_trim_loose(&d->near_pages, (void *[]){d->near}, 1);
  vl_page_use_trim_loose(&d->stamp_pages, (void *[]){d->stamp}, 1);
  vl_page_use_begin(&d->pages);
  vl_page_use_begin(&d->near_pages);
  vl_page_use_begin(&d->stamp_pages);
}

vlCode vl_body_distance_update(vlBodyDistance *d, const vlGrid *g, vlBody *const *body, const vlBlocks *within,
                               vlStatus *status)
{
  if (d->body_count == 0) return VL_OK;
  vlBlocks shape = block_shape(g);
  for (size_t b = 0; b < d->block_count; b++)
    d->near[vl_blocks_place(&shape, d->block[b].bx, d->block[b].j, d->block[b].k)] = VL_BODY_FAR;
  d->block_count = d->row_count = d->corner_count = 0;
  begin_pages(d);
  d->update++;
  d->partial = within != NULL;
  vlCode code = plant_trees(d, g, body, status);
  return code ? code : add_blocks(d, g, body, NULL, within, status);
}

vlCode vl_body_distance_extend(vlBodyDistance *d, const vlGrid *g, vlBody *const *body, const vlBlocks *known,
                               const vlBlocks *within, vlStatus *status)
{
  return d->partial ? add_blocks(d, g, body, known, within, status) : VL_OK;
}

double vl_body_distance_bytes(const vlBodyDistance *d)
{
  if (d->body_count == 0) return 0.0;
  double bytes = vl_page_use_bytes(&d->pages, (void *[]){d->distance, d->velocity[0], d->velocity[1], d->velocity[2]}, 4) +
                 vl_page_use_bytes(&d->near_pages, (void *[]){d->near}, 1) +
                 vl_page_use_bytes(&d->stamp_pages, (void *[]){d->stamp}, 1);
  for (int b = 0; b < d->body_count; b++)
    bytes +=
        vl_bvh_bytes(d->tree[b]) + (double)d->surface[b].triangle_count * (sizeof *d->own[b] + sizeof *d->surface[b].tri);
  return bytes + (double)d->corner_capacity * sizeof *d->corner + (double)d->row_capacity * sizeof *d->row +
         (double)d->block_capacity * sizeof *d->block;
}

void vl_body_distance_velocity(vlBodyDistance *d, vlBody *const *body) { set_velocities(d, body, 0); }

double vl_body_distance_at(const vlBodyDistance *d, vlVec3 x)
{
  int body = 0;
  vlClosest closest = {0};
  return nearest_body(d, x, false, &body, &closest);
}

vlVec3 vl_body_distance_out(const vlBodyDistance *d, vlBody *const *body, vlVec3 x, double clearance, vlVec3 *velocity)
{
  int b = 0;
  vlClosest c = {0};
  nearest_body(d, x, false, &b, &c);
  const int *corner = body[b]->triangle[d->own[b][c.triangle]];
  *velocity = vl_vec(0, 0, 0);
  for (int k = 0; k < 3; k++) *velocity = vl_axpy(*velocity, c.barycentric.v[k], body[b]->v[corner[k]]);
  return vl_axpy(c.point, clearance, c.normal);
}
