/* Distance to elastic bodies around them, made anew in every step.
 *
 * Blocks within REACH of a surface get the exact signed distance at all corners of their cells, from a tree over the surface
 * triangles. Each corner remembers its nearest surface point, so that the wall velocity there can follow the nodes. */
#include "solid/body_distance.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"

static const double REACH = 3.0; /* cells around the surface: as far as slip and particles look in a step */

enum { ROW = VL_BLOCK + 1, NEAR = 2 };

static vlBlocks block_shape(const vlGrid *g) { return (vlBlocks){.n = {g->n[0], g->n[1], g->n[2]}, .columns = g->blocks_x}; }

vlCode vl_body_distance_create(vlBodyDistance *d, const vlGrid *g, int body_count, vlStatus *status)
{
  *d = (vlBodyDistance){.body_count = body_count};
  if (body_count == 0) return VL_OK;
  vlBlocks shape = block_shape(g);
  d->near_length = vl_blocks_place(&shape, g->blocks_x, g->n[1], g->n[2]) + 1;
  d->near = vl_pages_alloc(d->near_length);
  d->stamp = vl_pages_alloc(g->length * sizeof *d->stamp);
  d->distance = vl_field_create(g);
  bool ok = d->near && d->stamp && d->distance;
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
  if (d->stamp) vl_pages_free(d->stamp, g->length * sizeof *d->stamp);
  if (d->distance) vl_field_destroy(g, &d->distance);
  for (int a = 0; a < 3; a++)
    if (d->velocity[a]) vl_field_destroy(g, &d->velocity[a]);
  for (int b = 0; d->tree && b < d->body_count; b++) vl_bvh_destroy(&d->tree[b]);
  free(d->tree);
  for (int b = 0; d->own && d->surface && b < d->body_count; b++) {
    free(d->own[b]);
    free(d->surface[b].tri);
  }
  free(d->own);
  free(d->surface);
  free(d->bounds);
  free(d->corner);
  free(d->block);
  *d = (vlBodyDistance){0};
}

/* The triangles that count, once: of a slab's bodies not those that lie across its thickness, at z as the others begin and
 * end, or everything would be near them. */
static vlCode choose_triangles(vlBodyDistance *d, const vlGrid *g, const vlElastic *body, int b, vlStatus *status)
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
static vlCode plant_trees(vlBodyDistance *d, const vlGrid *g, vlElastic *const *body, vlStatus *status)
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
    }
    d->surface[b].x = body[b]->x;
    d->bounds[b] = vl_trimesh_bounds(&d->surface[b]);
    vl_bvh_refit(d->tree[b]);
  }
  return code;
}

/* Lists a block and those of its corners that are not listed yet. */
static bool list_block(vlBodyDistance *d, const vlGrid *g, const vlBlocks *shape, vlBlockPosition p)
{
  size_t place = vl_blocks_place(shape, p.bx, p.j, p.k);
  if (d->near[place] == NEAR) return true;
  void *block = d->block, *corner = d->corner;
  bool room = vl_array_reserve(&block, &d->block_capacity, d->block_count + 1, sizeof *d->block);
  d->block = block;
  room = vl_array_reserve(&corner, &d->corner_capacity, d->corner_count + 4 * ROW, sizeof *d->corner) && room;
  d->corner = corner;
  if (!room) return false;
  d->near[place] = NEAR;
  d->block[d->block_count++] = p;
  for (int c = 0; c < 4 * ROW; c++) {
    int i = p.bx * VL_BLOCK + c % ROW, j = p.j + c / ROW % 2, k = p.k + c / (2 * ROW);
    ptrdiff_t at = vl_grid_at(g, i, j, k);
    if (i > g->n[0] || d->stamp[at] == d->update) continue;
    d->stamp[at] = d->update;
    d->corner[d->corner_count++].at = at;
  }
  return true;
}

/* Blocks near the surface of one body: those of its bounds that are not too far from it. */
static bool list_blocks(vlBodyDistance *d, const vlGrid *g, int b)
{
  vlBlocks shape = block_shape(g);
  vlBox3 box = vl_box_grow(d->bounds[b], REACH * g->dx);
  int lo[3], hi[3];
  for (int a = 0; a < 3; a++) {
    lo[a] = (int)fmax(floor((box.lo.v[a] - g->origin.v[a]) / g->dx), 0.0);
    hi[a] = (int)fmin(floor((box.hi.v[a] - g->origin.v[a]) / g->dx), g->n[a] - 1.0);
  }
  double reach = (0.5 * sqrt(VL_BLOCK * VL_BLOCK + 2.0) + REACH) * g->dx;
  bool ok = true;
  for (int k = lo[2]; k <= hi[2] && ok; k++)
    for (int j = lo[1]; j <= hi[1] && ok; j++)
      for (int bx = lo[0] / VL_BLOCK; bx <= hi[0] / VL_BLOCK && ok; bx++) {
        vlVec3 middle = vl_grid_center(g, bx * VL_BLOCK, j, k);
        middle.x += 0.5 * (VL_BLOCK - 1) * g->dx;
        if (vl_bvh_closest(d->tree[b], middle).distance < reach) ok = list_block(d, g, &shape, (vlBlockPosition){bx, j, k});
      }
  return ok;
}

/* In a slab all corners lie in its middle, where the particles are. */
static vlVec3 corner_place(const vlGrid *g, ptrdiff_t at)
{
  ptrdiff_t rest = at - g->offset;
  double k = (double)(rest / g->stride[2]);
  rest %= g->stride[2];
  double j = (double)(rest / g->stride[1]), i = (double)(rest % g->stride[1]);
  return vl_axpy(g->origin, g->dx, vl_vec(i, j, g->n[2] == 1 ? 0.5 : k));
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
 * others are ruled out by theirs. */
static double nearest_body(const vlBodyDistance *d, vlVec3 x, int *body, vlClosest *closest)
{
  int first = 0;
  double least = INFINITY, nearest = INFINITY;
  for (int b = 0; b < d->body_count && d->body_count > 1; b++) {
    double bound = box_distance(&d->bounds[b], x);
    if (bound < least) first = b;
    least = fmin(least, bound);
  }
  for (int k = 0; k < d->body_count; k++) {
    int b = k == 0 ? first : k <= first ? k - 1 : k;
    if (k > 0 && box_distance(&d->bounds[b], x) >= fmax(nearest, 1e-300)) continue;
    vlClosest c = vl_bvh_closest(d->tree[b], x);
    double distance = vl_dot(vl_sub(x, c.point), c.normal) < 0.0 ? -c.distance : c.distance;
    if (k > 0 && distance >= nearest) continue;
    nearest = distance;
    *body = b;
    *closest = c;
  }
  return nearest;
}

static void evaluate(vlBodyDistance *d, const vlGrid *g, vlBodyCorner *corner)
{
  vlClosest c = {0};
  d->distance[corner->at] = nearest_body(d, corner_place(g, corner->at), &corner->body, &c) / g->dx;
  corner->triangle = d->own[corner->body][c.triangle];
  corner->barycentric = c.barycentric;
}

vlCode vl_body_distance_update(vlBodyDistance *d, const vlGrid *g, vlElastic *const *body, vlStatus *status)
{
  if (d->body_count == 0) return VL_OK;
  vlBlocks shape = block_shape(g);
  for (size_t b = 0; b < d->block_count; b++)
    d->near[vl_blocks_place(&shape, d->block[b].bx, d->block[b].j, d->block[b].k)] = 0;
  d->block_count = d->corner_count = 0;
  d->update++;
  vlCode code = plant_trees(d, g, body, status);
  for (int b = 0; b < d->body_count && !code; b++)
    if (!list_blocks(d, g, b)) code = vl_fail_memory(status, d->corner_count * sizeof *d->corner, "distances to bodies");
  if (code) return code;
#pragma omp parallel for schedule(dynamic, 256)
  for (size_t c = 0; c < d->corner_count; c++) evaluate(d, g, &d->corner[c]);
  vl_body_distance_velocity(d, body);
  return VL_OK;
}

void vl_body_distance_velocity(vlBodyDistance *d, vlElastic *const *body)
{
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < d->corner_count; i++) {
    const vlBodyCorner *c = &d->corner[i];
    const vlElastic *b = body[c->body];
    vlVec3 v = vl_vec(0, 0, 0);
    for (int n = 0; n < 3; n++) v = vl_axpy(v, c->barycentric.v[n], b->v[b->triangle[c->triangle][n]]);
    for (int a = 0; a < 3; a++) d->velocity[a][c->at] = v.v[a];
  }
}

double vl_body_distance_at(const vlBodyDistance *d, vlVec3 x)
{
  int body;
  vlClosest closest;
  return nearest_body(d, x, &body, &closest);
}

vlVec3 vl_body_distance_out(const vlBodyDistance *d, vlElastic *const *body, vlVec3 x, double clearance, vlVec3 *velocity)
{
  int b = 0;
  vlClosest c = {0};
  nearest_body(d, x, &b, &c);
  const int *corner = body[b]->triangle[d->own[b][c.triangle]];
  *velocity = vl_vec(0, 0, 0);
  for (int k = 0; k < 3; k++) *velocity = vl_axpy(*velocity, c.barycentric.v[k], body[b]->v[corner[k]]);
  return vl_axpy(c.point, clearance, c.normal);
}
