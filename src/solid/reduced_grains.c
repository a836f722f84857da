/* Grains of a reduced body: the points of a cubic lattice that lie in its tetrahedra, and where they are there,
 *
 *     x_p = sum_a b_pa x_a        b: barycentric coordinates, a: the corners                    [brandt2019, sec. 4.3]
 *
 * A point on the side of two belongs to the tetrahedron of the lower number. Their order is that of the lattice, x first.
 * A body too small for any point has one grain, in the middle of the tetrahedron nearest to its own.
 *
 * Grains within a spacing of the surface have a normal: at rest that of the surface's nearest triangle, its corners'
 * normals weighted by the inverse of their distance. In: tetrahedra, spacing. Out: grains, B and B^T. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"
#include "mesh/bvh.h"
#include "solid/reduced_parts.h"

typedef struct Point {
  int64_t at; /* number in the lattice */
  int tet;
} Point;

typedef struct Points {
  Point *point;
  size_t count, capacity;
} Points;

typedef struct Lattice {
  vlVec3 first; /* m: the lowest point that can lie in the body */
  double spacing;
  int64_t n[3];
} Lattice;

static Lattice make_lattice(const vlReduced *b, double spacing, vlVec3 origin)
{
  Lattice l = {.spacing = spacing};
  vlBox3 box = vl_box_empty();
  for (int i = 0; i < b->body.node_count; i++) box = vl_box_add(box, b->body.rest[i]);
  for (int a = 0; a < 3; a++) {
    double lo = floor((box.lo.v[a] - origin.v[a]) / spacing), hi = ceil((box.hi.v[a] - origin.v[a]) / spacing);
    l.first.v[a] = origin.v[a] + (lo + 0.5) * spacing;
    l.n[a] = (int64_t)(hi - lo) + 1;
  }
  return l;
}

static vlVec3 place(const Lattice *l, int64_t at)
{
  double s = l->spacing;
  int64_t i = at % l->n[0], j = at / l->n[0] % l->n[1], k = at / l->n[0] / l->n[1];
  return vl_add(l->first, vl_vec((double)i * s, (double)j * s, (double)k * s));
}

static void barycentric(const vlReduced *b, int tet, vlVec3 x, double share[4])
{
  vlVec3 g[4], from = vl_sub(x, b->body.rest[b->body.node[4 * (size_t)tet]]);
  vl_reduced_gradients(b, tet, g);
  share[0] = 1.0;
  for (int a = 1; a < 4; a++) {
    share[a] = vl_dot(g[a], from);
    share[0] -= share[a];
  }
}

static bool add_points(const vlReduced *b, const Lattice *l, int tet, Points *list)
{
  const double ON_SIDE = -1e-10;
  const int *node = b->body.node + 4 * (size_t)tet;
  vlBox3 box = vl_box_empty();
  int64_t lo[3], hi[3];
  for (int c = 0; c < 4; c++) box = vl_box_add(box, b->body.rest[node[c]]);
  for (int a = 0; a < 3; a++) {
    lo[a] = (int64_t)ceil((box.lo.v[a] - l->first.v[a]) / l->spacing - 1e-9);
    hi[a] = (int64_t)floor((box.hi.v[a] - l->first.v[a]) / l->spacing + 1e-9);
    if (lo[a] < 0) lo[a] = 0;
    if (hi[a] >= l->n[a]) hi[a] = l->n[a] - 1;
  }
  for (int64_t k = lo[2]; k <= hi[2]; k++)
    for (int64_t j = lo[1]; j <= hi[1]; j++)
      for (int64_t i = lo[0]; i <= hi[0]; i++) {
        double share[4];
        int64_t at = (k * l->n[1] + j) * l->n[0] + i;
        barycentric(b, tet, place(l, at), share);
        if (fmin(fmin(share[0], share[1]), fmin(share[2], share[3])) < ON_SIDE) continue;
        if (!vl_array_reserve(&list->point, &list->capacity, list->count + 1, sizeof *list->point)) return false;
        list->point[list->count++] = (Point){at, tet};
      }
  return true;
}

static int compare(const void *a, const void *b)
{
  const Point *p = a, *q = b;
  if (p->at != q->at) return p->at < q->at ? -1 : 1;
  return (p->tet > q->tet) - (p->tet < q->tet);
}

static vlVec3 middle(const vlReduced *b, int tet)
{
  const int *n = b->body.node + 4 * (size_t)tet;
  const vlVec3 *x = b->body.rest;
  return vl_scale(vl_add(vl_add(x[n[0]], x[n[1]]), vl_add(x[n[2]], x[n[3]])), 0.25);
}

static int middle_tet(const vlReduced *b)
{
  int best = 0;
  for (int e = 1; e < b->body.element_count; e++)
    if (vl_norm(vl_sub(middle(b, e), b->center)) < vl_norm(vl_sub(middle(b, best), b->center))) best = e;
  return best;
}

static vlCode reserve(vlReduced *b, size_t count, vlStatus *status)
{
  vlGrains *g = &b->grains;
  vlVec3 **vectors[] = {&g->rest, &g->x,     &g->v,      &g->push,   &g->touch,       &g->stop,
                        &g->drag, &g->borne, &g->wanted, &g->normal, &b->grain_normal};
  bool good = true;
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    good = (*vectors[i] = calloc(count, sizeof **vectors[i])) && good;
  b->grains.dilation = calloc(count, sizeof *b->grains.dilation);
  b->grains.depth = calloc(count, sizeof *b->grains.depth);
  b->grains.room = calloc(count, sizeof *b->grains.room);
  b->grains.against = calloc(count, sizeof *b->grains.against);
  b->grain_node = malloc(count * sizeof *b->grain_node);
  b->grain_share = malloc(count * sizeof *b->grain_share);
  b->node_grain = malloc(4 * count * sizeof *b->node_grain);
  b->node_start = calloc((size_t)b->body.node_count + 2, sizeof *b->node_start);
  if (!good || !b->grains.dilation || !b->grains.depth || !b->grains.room || !b->grains.against || !b->grain_node ||
      !b->grain_share || !b->node_grain || !b->node_start)
    return vl_fail_memory(status, count * 8 * sizeof(vlVec3), "the grains of a body");
  g->count = (int)count;
  return VL_OK;
}

static void set_grain(vlReduced *b, int p, int tet, vlVec3 x)
{
  b->grains.rest[p] = x;
  for (int c = 0; c < 4; c++) b->grain_node[p][c] = b->body.node[4 * (size_t)tet + (size_t)c];
  barycentric(b, tet, x, b->grain_share[p]);
}

/* B^T: the grains of each node. */
static void list_by_node(vlReduced *b)
{
  int64_t *start = b->node_start;
  for (int i = 0; i < 4 * b->grains.count; i++) start[b->grain_node[i / 4][i % 4] + 2]++;
  for (int v = 0; v < b->body.node_count; v++) start[v + 2] += start[v + 1];
  for (int i = 0; i < 4 * b->grains.count; i++) b->node_grain[start[b->grain_node[i / 4][i % 4] + 1]++] = i;
}

static vlVec3 normal_at(const vlReduced *b, const vlBvh *bvh, vlVec3 x, double *depth)
{
  vlClosest near = vl_bvh_closest(bvh, x);
  vlVec3 sum = vl_vec(0, 0, 0);
  *depth = near.distance;
  if (!(near.distance <= b->grains.spacing)) return sum;
  for (int c = 0; c < 3; c++) {
    int node = b->body.triangle[near.triangle][c];
    double away = fmax(vl_norm(vl_sub(x, b->body.rest[node])), 1e-6 * b->grains.spacing);
    sum = vl_axpy(sum, 1.0 / away, vl_bvh_vertex_normal(bvh, node));
  }
  return vl_norm(sum) > 0.0 ? vl_unit(sum) : near.normal;
}

static vlCode find_normals(vlReduced *b, vlStatus *status)
{
  vlTriMesh surface = {b->body.rest, b->body.triangle, b->body.node_count, b->body.triangle_count};
  vlBvh *bvh = NULL;
  vlCode code = vl_bvh_create(&bvh, &surface, status);
  if (code) return code;
#pragma omp parallel for schedule(dynamic, 256)
  for (int p = 0; p < b->grains.count; p++) b->grain_normal[p] = normal_at(b, bvh, b->grains.rest[p], &b->grains.depth[p]);
  vl_bvh_destroy(&bvh);
  return VL_OK;
}

vlCode vl_reduced_find_grains(vlReduced *b, double spacing, vlVec3 origin, vlStatus *status)
{
  Lattice lattice = make_lattice(b, spacing, origin);
  Points list = {0};
  vlCode code = VL_OK;
  for (int e = 0; e < b->body.element_count && !code; e++)
    if (!add_points(b, &lattice, e, &list))
      code = vl_fail_memory(status, list.count * sizeof(Point), "the grains of a body");
  if (list.count > 1) qsort(list.point, list.count, sizeof *list.point, compare);
  size_t count = 0;
  for (size_t i = 0; i < list.count; i++)
    if (i == 0 || list.point[i].at != list.point[i - 1].at) list.point[count++] = list.point[i];
  if (!code && count > INT_MAX / 8)
    code = vl_fail(status, VL_ERROR_SCENE, "it would have %zu grains; at most %d are possible", count, INT_MAX / 8);
  if (!code) code = reserve(b, count > 0 ? count : 1, status);
  for (size_t i = 0; i < count && !code; i++) set_grain(b, (int)i, list.point[i].tet, place(&lattice, list.point[i].at));
  if (!code && count == 0) set_grain(b, 0, middle_tet(b), middle(b, middle_tet(b)));
  free(list.point);
  if (code) return code;
  b->grains.spacing = spacing;
  list_by_node(b);
  return find_normals(b, status);
}
