/* Where a closed surface touches itself.
 *
 * Spokes are the edges of triangles seen from one of their ends; sorted, those of a node lie together, and in them those of
 * an edge. A good edge has two triangles, which are joined; a good node is left with one set of triangles. In a closed
 * surface every triangle has two spokes at each of its nodes, so each set's root is met twice.
 * In: closed surface. Out: pinched edges and nodes. */
#include "mesh/stuff_parts.h"

#include <stdlib.h>

#include "base/status.h"

typedef struct Spoke {
  int node, other, triangle;
} Spoke;

static int compare_spokes(const void *p, const void *q)
{
  const Spoke *a = p, *b = q;
  if (a->node != b->node) return a->node < b->node ? -1 : 1;
  if (a->other != b->other) return a->other < b->other ? -1 : 1;
  return a->triangle < b->triangle ? -1 : a->triangle > b->triangle;
}

static int root_of(int *up, int i)
{
  while (up[i] != i) i = up[i] = up[up[i]];
  return i;
}

static uint64_t edge_key(int a, int b) { return a < b ? (uint64_t)a << 32 | (uint64_t)b : (uint64_t)b << 32 | (uint64_t)a; }

static bool same_edge(const Spoke *a, const Spoke *b) { return a->node == b->node && a->other == b->other; }

/* The spokes of one node. false: no memory. */
static bool look_at_node(vlPinches *pinches, const Spoke *spoke, size_t count, const int *node, int *up)
{
  bool room = true;
  int roots = 0;
  for (size_t i = 0; i < count; i++) up[spoke[i].triangle] = spoke[i].triangle;
  for (size_t i = 0, end; i < count && room; i = end) {
    for (end = i + 1; end < count && same_edge(&spoke[i], &spoke[end]); end++)
      up[root_of(up, spoke[end].triangle)] = root_of(up, spoke[i].triangle);
    if (end - i > 2) room = vl_keymap_add(&pinches->edge, edge_key(node[spoke[i].node], node[spoke[i].other])) >= 0;
  }
  for (size_t i = 0; i < count; i++) roots += up[spoke[i].triangle] == spoke[i].triangle;
  if (roots > 2 && room) room = vl_keymap_add(&pinches->node, (uint64_t)node[spoke[0].node]) >= 0;
  return room;
}

vlCode vl_pinches_find(vlPinches *pinches, const vlTriMesh *surface, const int *node, vlStatus *status)
{
  size_t triangles = (size_t)surface->triangle_count, count = 6 * triangles;
  Spoke *spoke = malloc((count + 1) * sizeof *spoke);
  int *up = malloc((triangles + 1) * sizeof *up);
  bool room = spoke && up;
  *pinches = (vlPinches){0};
  for (size_t i = 0; i < count && room; i++) {
    const int *corner = surface->tri[i / 6];
    int k = (int)(i % 3), next = i % 6 < 3 ? 1 : 2;
    spoke[i] = (Spoke){corner[k], corner[(k + next) % 3], (int)(i / 6)};
  }
  if (room) qsort(spoke, count, sizeof *spoke, compare_spokes);
  for (size_t i = 0, end; i < count && room; i = end) {
    for (end = i; end < count && spoke[end].node == spoke[i].node;) end++;
    room = look_at_node(pinches, spoke + i, end - i, node, up);
  }
  free(spoke);
  free(up);
  if (room) return VL_OK;
  vl_pinches_clear(pinches);
  return vl_fail_memory(status, count * sizeof *spoke, "the surface of a mesh");
}

void vl_pinches_clear(vlPinches *pinches)
{
  vl_keymap_clear(&pinches->edge);
  vl_keymap_clear(&pinches->node);
}

bool vl_pinches_touch(const vlPinches *pinches, const int tet[4])
{
  for (int i = 0; i < 4; i++) {
    if (!pinches->edge.count && vl_keymap_find(&pinches->node, (uint64_t)tet[i]) >= 0) return true;
    for (int j = 0; j < i; j++)
      if (vl_keymap_find(&pinches->edge, edge_key(tet[i], tet[j])) >= 0) return true;
  }
  return false;
}
