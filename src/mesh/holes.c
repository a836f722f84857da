/* Where a surface is open.
 *
 * Edges of one triangle only are joined where they share a vertex, by a forest over the vertices; each tree is a hole, or
 * the rim of a sheet. In: a mesh whose equal vertices are joined. Out: the largest holes, by number of edges. */
#include <stdlib.h>

#include "base/status.h"
#include "base/vec.h"
#include "mesh/trimesh.h"

static int root_of(int *parent, int i)
{
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

/* Calls for every open edge: joins its ends, or adds it to its hole. */
static void join_ends(const vlSide *sides, size_t count, int *parent)
{
  for (size_t i = 0, end; i < count; i = end) {
    end = vl_sides_edge_end(sides, count, i);
    int a = root_of(parent, sides[i].lo), b = root_of(parent, sides[i].hi);
    if (end - i == 1) parent[a > b ? a : b] = a < b ? a : b;
  }
}

static void measure(const vlTriMesh *mesh, const vlSide *sides, size_t count, int *parent, vlHole *all)
{
  for (size_t i = 0, end; i < count; i = end) {
    end = vl_sides_edge_end(sides, count, i);
    if (end - i != 1) continue;
    vlHole *hole = &all[root_of(parent, sides[i].lo)];
    if (hole->edges++ == 0) hole->box = vl_box_empty();
    hole->box = vl_box_add(vl_box_add(hole->box, mesh->x[sides[i].lo]), mesh->x[sides[i].hi]);
  }
}

/* Of equal ones that of the lower vertex comes first. */
static void pick_largest(const vlHole *all, int vertices, vlHole *holes, int most, int *count)
{
  *count = 0;
  for (int v = 0; v < vertices; v++) {
    if (all[v].edges == 0) continue;
    int at = *count < most ? *count : most;
    for (; at > 0 && holes[at - 1].edges < all[v].edges; at--)
      if (at < most) holes[at] = holes[at - 1];
    if (at < most) holes[at] = all[v];
    ++*count;
  }
}

vlCode vl_trimesh_holes(const vlTriMesh *mesh, vlHole *holes, int most, int *count, vlStatus *status)
{
  vlSide *sides = NULL;
  size_t side_count = 0, n = (size_t)mesh->vertex_count + 1;
  int *parent = malloc(n * sizeof *parent);
  vlHole *all = calloc(n, sizeof *all);
  vlCode code = parent && all ? VL_OK : vl_fail_memory(status, n * sizeof *all, "the holes of a mesh");
  *count = 0;
  if (!code) code = vl_sides_sorted(&sides, &side_count, mesh, status);
  if (!code) {
    for (size_t i = 0; i < n; i++) parent[i] = (int)i;
    join_ends(sides, side_count, parent);
    measure(mesh, sides, side_count, parent, all);
    pick_largest(all, mesh->vertex_count, holes, most, count);
  }
  free(sides);
  free(parent);
  free(all);
  return code;
}
