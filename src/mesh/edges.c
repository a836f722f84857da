/* The edges of a triangle mesh, found by sorting.
 *
 * Each triangle gives three sides; sides on the same two vertices are one edge. Two stable counting sorts,
 * first by the higher and then by the lower vertex, bring them together in O(triangles + vertices) with
 * the order (lo, hi, triangle), whatever the valence of a vertex.
 *
 * mesh → sides sorted by edge. */
#include "mesh/edges.h"

#include <assert.h>
#include <stdlib.h>

#include "base/status.h"

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
