/* Nodes and edges of a body's surface, found once: the body changes its shape but not its triangles.
 *
 * triangles -> nodes that they name, in order; edges with the triangles that share them. An edge of more than two triangles
 * keeps the first two. */
#include "contact/contact_parts.h"

#include <stdlib.h>

#include "base/status.h"
#include "base/vec.h"
#include "mesh/trimesh.h"

void vl_skin_clear(vlSkin *skin)
{
  free(skin->node);
  free(skin->edge);
  free(skin->side);
  *skin = (vlSkin){0};
}

static void list_nodes(vlSkin *skin, const vlTriMesh *surface)
{
  for (int v = 0; v < surface->vertex_count; v++) skin->node[v] = 0;
  for (int t = 0; t < surface->triangle_count; t++)
    for (int k = 0; k < 3; k++) skin->node[surface->tri[t][k]] = 1;
  for (int v = 0; v < surface->vertex_count; v++)
    if (skin->node[v]) skin->node[skin->node_count++] = v;
}

static void list_edges(vlSkin *skin, const vlSide *sides, size_t count)
{
  for (size_t first = 0, end; first < count; first = end) {
    end = vl_sides_edge_end(sides, count, first);
    int e = skin->edge_count++;
    skin->edge[e][0] = sides[first].lo;
    skin->edge[e][1] = sides[first].hi;
    skin->side[e][0] = sides[first].triangle;
    skin->side[e][1] = end > first + 1 ? sides[first + 1].triangle : -1;
  }
}

vlCode vl_skin_create(vlSkin *skin, const vlTriMesh *surface, vlStatus *status)
{
  vlSide *sides = NULL;
  size_t count = 0;
  *skin = (vlSkin){0};
  vlCode code = vl_sides_sorted(&sides, &count, surface, status);
  if (code) return code;
  skin->node = malloc(((size_t)surface->vertex_count + 1) * sizeof *skin->node);
  skin->edge = malloc((count + 1) * sizeof *skin->edge);
  skin->side = malloc((count + 1) * sizeof *skin->side);
  if (skin->node && skin->edge && skin->side) {
    list_nodes(skin, surface);
    list_edges(skin, sides, count);
  } else {
    vl_skin_clear(skin);
    code = vl_fail_memory(status, count * (sizeof *skin->edge + sizeof *skin->side), "the surface of a body");
  }
  free(sides);
  return code;
}

vlVec3 vl_skin_face_normal(const vlTriMesh *surface, int triangle)
{
  const int *t = surface->tri[triangle];
  vlVec3 a = surface->x[t[0]];
  return vl_unit(vl_cross(vl_sub(surface->x[t[1]], a), vl_sub(surface->x[t[2]], a)));
}

vlVec3 vl_skin_edge_normal(const vlSkin *skin, const vlTriMesh *surface, int edge)
{
  vlVec3 sum = vl_vec(0, 0, 0);
  for (int k = 0; k < 2; k++)
    if (skin->side[edge][k] >= 0) sum = vl_add(sum, vl_skin_face_normal(surface, skin->side[edge][k]));
  return vl_unit(sum);
}
