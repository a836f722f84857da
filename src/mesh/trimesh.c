/* Triangle surfaces: memory, measures, welding, and the check for a closed surface.
 *
 * Volume by the divergence theorem, V = 1/6 sum a . (b x c), with the origin moved to the middle of the
 * bounds so that a small mesh far away keeps its digits. A surface is closed when each edge has exactly
 * two sides that run in opposite directions. Welding walks through the vertices in their order and joins
 * each with the first kept vertex in reach, found in a hash of cells as wide as the welding distance, so
 * the outcome depends on the mesh alone.
 *
 * mesh → measures, defects, or the same mesh with fewer vertices. */
#include "mesh/trimesh.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "base/vec.h"

vlTriMesh *vl_trimesh_create(int vertex_count, int triangle_count)
{
  assert(vertex_count >= 0 && triangle_count >= 0);
  vlTriMesh *mesh = calloc(1, sizeof *mesh);
  if (!mesh) return NULL;
  mesh->vertex_count = vertex_count;
  mesh->triangle_count = triangle_count;
  mesh->x = calloc(vertex_count ? (size_t)vertex_count : 1, sizeof *mesh->x);
  mesh->tri = calloc(triangle_count ? (size_t)triangle_count : 1, sizeof *mesh->tri);
  if (!mesh->x || !mesh->tri) vl_trimesh_destroy(&mesh);
  return mesh;
}

void vl_trimesh_destroy(vlTriMesh **mesh)
{
  if (!mesh || !*mesh) return;
  free((*mesh)->x);
  free((*mesh)->tri);
  free(*mesh);
  *mesh = NULL;
}

double vl_trimesh_bytes(const vlTriMesh *mesh)
{
  return sizeof *mesh + (double)mesh->vertex_count * sizeof *mesh->x + (double)mesh->triangle_count * sizeof *mesh->tri;
}

void vl_trimesh_flip(vlTriMesh *mesh)
{
  for (int t = 0; t < mesh->triangle_count; t++) {
    int b = mesh->tri[t][1];
    mesh->tri[t][1] = mesh->tri[t][2];
    mesh->tri[t][2] = b;
  }
}

vlBox3 vl_trimesh_bounds(const vlTriMesh *mesh)
{
  vlBox3 box = vl_box_empty();
  for (int i = 0; i < mesh->vertex_count; i++) box = vl_box_add(box, mesh->x[i]);
  return box;
}

double vl_trimesh_volume(const vlTriMesh *mesh)
{
  if (mesh->vertex_count == 0) return 0.0;
  vlBox3 box = vl_trimesh_bounds(mesh);
  vlVec3 o = vl_scale(vl_add(box.lo, box.hi), 0.5);
  double sum = 0.0;
  for (int t = 0; t < mesh->triangle_count; t++) {
    const int *tri = mesh->tri[t];
    vlVec3 a = vl_sub(mesh->x[tri[0]], o), b = vl_sub(mesh->x[tri[1]], o), c = vl_sub(mesh->x[tri[2]], o);
    sum += vl_dot(a, vl_cross(b, c));
  }
  return sum / 6.0;
}

/* Twice the area vector of a triangle. */
static vlVec3 triangle_cross(const vlTriMesh *mesh, int t)
{
  const int *tri = mesh->tri[t];
  vlVec3 a = mesh->x[tri[0]];
  return vl_cross(vl_sub(mesh->x[tri[1]], a), vl_sub(mesh->x[tri[2]], a));
}

/* Height below 1e-12 of the longest side: the rounding of coordinates alone makes that much. */
static bool is_flat(const vlTriMesh *mesh, int t)
{
  const int *tri = mesh->tri[t];
  if (tri[0] == tri[1] || tri[1] == tri[2] || tri[2] == tri[0]) return true;
  double longest = 0.0;
  for (int s = 0; s < 3; s++) {
    vlVec3 e = vl_sub(mesh->x[tri[(s + 1) % 3]], mesh->x[tri[s]]);
    longest = fmax(longest, vl_dot(e, e));
  }
  return vl_norm(triangle_cross(mesh, t)) <= 1e-12 * longest;
}

static vlCode check_arrays(const vlTriMesh *mesh, const char *name, vlStatus *status)
{
  for (int i = 0; i < mesh->vertex_count; i++)
    if (!vl_finite(mesh->x[i]))
      return vl_fail(status, VL_ERROR_MESH, "mesh '%s': vertex %d is (%g, %g, %g), it must be finite", name, i, mesh->x[i].x,
                     mesh->x[i].y, mesh->x[i].z);
  for (int t = 0; t < mesh->triangle_count; t++)
    for (int c = 0; c < 3; c++)
      if (mesh->tri[t][c] < 0 || mesh->tri[t][c] >= mesh->vertex_count)
        return vl_fail(status, VL_ERROR_MESH, "mesh '%s': triangle %d has the vertex %d; there are 0 to %d", name, t,
                       mesh->tri[t][c], mesh->vertex_count - 1);
  return VL_OK;
}

vlCode vl_trimesh_from_arrays(vlTriMesh **mesh, const vlVec3 *vertices, int vertex_count, const int (*triangles)[3],
                              int triangle_count, const char *name, vlStatus *status)
{
  *mesh = NULL;
  if (vertex_count < 3 || triangle_count < 1 || !vertices || !triangles)
    return vl_fail(status, VL_ERROR_MESH, "mesh '%s' has %d vertices and %d triangles, expected at least one triangle", name,
                   vertex_count, triangle_count);
  *mesh = vl_trimesh_create(vertex_count, triangle_count);
  if (!*mesh) return vl_fail_memory(status, (size_t)vertex_count * sizeof *vertices, name);
  memcpy((*mesh)->x, vertices, (size_t)vertex_count * sizeof *vertices);
  memcpy((*mesh)->tri, triangles, (size_t)triangle_count * sizeof *triangles);
  vlCode code = check_arrays(*mesh, name, status);
  if (code) vl_trimesh_destroy(mesh);
  return code;
}

static void note_edge(int *count, int first[2], const vlSide *side)
{
  if ((*count)++ > 0) return;
  first[0] = side->lo;
  first[1] = side->hi;
}

static void check_edges(const vlSide *sides, size_t count, vlTriMeshDefects *defects)
{
  for (size_t i = 0, end; i < count; i = end) {
    end = vl_sides_edge_end(sides, count, i);
    if (end - i == 1)
      note_edge(&defects->open_edges, defects->first_open, &sides[i]);
    else if (end - i > 2 || sides[i].forward == sides[i + 1].forward)
      note_edge(&defects->bad_edges, defects->first_bad, &sides[i]);
  }
}

vlCode vl_trimesh_check(const vlTriMesh *mesh, vlTriMeshDefects *defects, vlStatus *status)
{
  *defects = (vlTriMeshDefects){.first_open = {-1, -1}, .first_bad = {-1, -1}};
  vlSide *sides = NULL;
  size_t side_count = 0;
  char *used = calloc((size_t)mesh->vertex_count + 1, 1);
  vlCode code = used ? VL_OK : vl_fail_memory(status, (size_t)mesh->vertex_count + 1, "checking a mesh");
  if (code == VL_OK) code = vl_sides_sorted(&sides, &side_count, mesh, status);
  if (code == VL_OK) {
    check_edges(sides, side_count, defects);
    for (int t = 0; t < mesh->triangle_count; t++) {
      defects->flat_triangles += is_flat(mesh, t);
      for (int k = 0; k < 3; k++) used[mesh->tri[t][k]] = 1;
    }
    for (int i = 0; i < mesh->vertex_count; i++) defects->unused_vertices += !used[i];
    bool closed = defects->open_edges == 0 && defects->bad_edges == 0;
    defects->inside_out = closed && vl_trimesh_volume(mesh) < 0.0;
  }
  free(used);
  free(sides);
  return code;
}

/* Kept vertices, chained by the hash of their cell. */
typedef struct Weld {
  double distance;
  size_t mask;  /* bucket count - 1, a power of two less one */
  int *bucket;  /* newest kept vertex of a hash, -1: none [mask + 1] */
  int *older;   /* kept vertex of the same hash before this one, -1: none [vertex_count] */
  vlVec3 *kept; /* m: positions [kept_count] */
  int kept_count;
} Weld;

/* Whole numbers as doubles: no range to leave. For distance 0 a cell is one point; -0 and 0 are equal. */
static vlVec3 cell_of(const Weld *weld, vlVec3 x)
{
  double d = weld->distance;
  if (d > 0.0) return vl_vec(floor(x.x / d), floor(x.y / d), floor(x.z / d));
  return vl_vec(x.x + 0.0, x.y + 0.0, x.z + 0.0);
}

static size_t hash_cell(vlVec3 cell, size_t mask)
{
  uint64_t h = 0x9e3779b97f4a7c15u;
  for (int a = 0; a < 3; a++) {
    double whole = cell.v[a] + 0.0;
    uint64_t bits;
    memcpy(&bits, &whole, sizeof bits);
    h = (h ^ bits) * 0xff51afd7ed558ccdu;
    h ^= h >> 32;
  }
  return (size_t)h & mask;
}

/* The first kept vertex within reach of x, or -1. */
static int find_kept(const Weld *weld, vlVec3 x)
{
  vlVec3 cell = cell_of(weld, x);
  int reach = weld->distance > 0.0 ? 1 : 0, found = -1;
  for (int k = -reach; k <= reach; k++)
    for (int j = -reach; j <= reach; j++)
      for (int i = -reach; i <= reach; i++) {
        vlVec3 near = vl_add(cell, vl_vec(i, j, k));
        for (int v = weld->bucket[hash_cell(near, weld->mask)]; v >= 0; v = weld->older[v])
          if (vl_norm(vl_sub(weld->kept[v], x)) <= weld->distance && (found < 0 || v < found)) found = v;
      }
  return found;
}

static void join_vertices(Weld *weld, vlTriMesh *mesh, int *to)
{
  for (size_t b = 0; b <= weld->mask; b++) weld->bucket[b] = -1;
  for (int i = 0; i < mesh->vertex_count; i++) {
    to[i] = find_kept(weld, mesh->x[i]);
    if (to[i] >= 0) continue;
    int v = to[i] = weld->kept_count++;
    size_t hash = hash_cell(cell_of(weld, mesh->x[i]), weld->mask);
    weld->kept[v] = mesh->x[i];
    weld->older[v] = weld->bucket[hash];
    weld->bucket[hash] = v;
  }
  mesh->vertex_count = weld->kept_count;
}

static void renumber_triangles(vlTriMesh *mesh, const int *to)
{
  int n = 0;
  for (int t = 0; t < mesh->triangle_count; t++) {
    int a = to[mesh->tri[t][0]], b = to[mesh->tri[t][1]], c = to[mesh->tri[t][2]];
    if (a == b || b == c || c == a) continue;
    mesh->tri[n][0] = a;
    mesh->tri[n][1] = b;
    mesh->tri[n++][2] = c;
  }
  mesh->triangle_count = n;
}

vlCode vl_trimesh_weld(vlTriMesh *mesh, double distance, vlStatus *status)
{
  assert(distance >= 0.0 && isfinite(distance));
  size_t n = (size_t)mesh->vertex_count + 1, buckets = 16;
  while (buckets < n) buckets *= 2;
  vlCode code = VL_OK;
  int *to = malloc(n * sizeof *to); /* old vertex → kept vertex */
  Weld weld = {.distance = distance, .mask = buckets - 1};
  weld.bucket = malloc(buckets * sizeof *weld.bucket);
  weld.older = malloc(n * sizeof *weld.older);
  weld.kept = mesh->x; /* a vertex is kept at or before its old place, so the array shrinks in place */
  if (!to || !weld.bucket || !weld.older) {
    code = vl_fail_memory(status, (2 * n + buckets) * sizeof *to, "welding a mesh");
  } else {
    join_vertices(&weld, mesh, to);
    renumber_triangles(mesh, to);
  }
  free(to);
  free(weld.bucket);
  free(weld.older);
  return code;
}

/* The edges of a triangle mesh, found by sorting.
 *
 * Each triangle gives three sides; sides on the same two vertices are one edge. Two stable counting sorts,
 * first by the higher and then by the lower vertex, bring them together in O(triangles + vertices) with
 * the order (lo, hi, triangle), whatever the valence of a vertex.
 *
 * mesh → sides sorted by edge. */

static size_t collect_sides(const vlTriMesh *mesh, vlSide *sides)
{
  size_t n = 0;
  for (int t = 0; t < mesh->triangle_count; t++) {
    const int *tri = mesh->tri[t];
    if (tri[0] == tri[1] || tri[1] == tri[2] || tri[2] == tri[0]) continue;
    for (int s = 0; s < 3; s++) {
      int from = tri[s], to = tri[(s + 1) % 3];
      assert(from >= 0 && from < mesh->vertex_count);
      bool forward = from < to;
      sides[n++] = (vlSide){forward ? from : to, forward ? to : from, t, s, forward};
    }
  }
  return n;
}

static int sort_key(const vlSide *side, bool by_hi) { return by_hi ? side->hi : side->lo; }

/* Stable; start: scratch [vertex_count + 1]. */
static void counting_sort(vlSide *to, const vlSide *from, size_t n, bool by_hi, size_t *start, int vertex_count)
{
  for (int v = 0; v <= vertex_count; v++) start[v] = 0;
  for (size_t i = 0; i < n; i++) start[sort_key(&from[i], by_hi) + 1]++;
  for (int v = 0; v < vertex_count; v++) start[v + 1] += start[v];
  for (size_t i = 0; i < n; i++) to[start[sort_key(&from[i], by_hi)]++] = from[i];
}

vlCode vl_sides_sorted(vlSide **sides, size_t *count, const vlTriMesh *mesh, vlStatus *status)
{
  size_t most = 3 * (size_t)mesh->triangle_count + 1, buckets = (size_t)mesh->vertex_count + 1;
  vlSide *sorted = malloc(most * sizeof *sorted), *scratch = malloc(most * sizeof *scratch);
  size_t *start = malloc(buckets * sizeof *start);
  vlCode code = VL_OK;
  *sides = NULL;
  *count = 0;
  if (!sorted || !scratch || !start) {
    code = vl_fail_memory(status, 2 * most * sizeof *sorted + buckets * sizeof *start, "the edges of a mesh");
  } else {
    *count = collect_sides(mesh, sorted);
    counting_sort(scratch, sorted, *count, true, start, mesh->vertex_count);
    counting_sort(sorted, scratch, *count, false, start, mesh->vertex_count);
    *sides = sorted;
    sorted = NULL;
  }
  free(sorted);
  free(scratch);
  free(start);
  return code;
}

size_t vl_sides_edge_end(const vlSide *sides, size_t count, size_t first)
{
  size_t end = first + 1;
  while (end < count && sides[end].lo == sides[first].lo && sides[end].hi == sides[first].hi) end++;
  return end;
}
