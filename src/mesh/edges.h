/* The edges of a triangle mesh as sides of triangles, sides of one edge next to each other. */
#ifndef VL_MESH_EDGES_H
#define VL_MESH_EDGES_H

#include "mesh/trimesh.h"

/* Side `side` of a triangle runs from its corner `side` to the next one; lo < hi are its vertices. */
typedef struct vlSide {
  int lo, hi;
  int triangle, side;
  bool forward; /* runs from lo to hi */
} vlSide;

/* All sides sorted by (lo, hi, triangle); free with free(). Triangles that name a vertex twice have none. */
vlCode vl_sides_sorted(vlSide **sides, size_t *count, const vlTriMesh *mesh, vlStatus *status);
/* One past the last side that lies on the same edge as sides[first]. */
size_t vl_sides_edge_end(const vlSide *sides, size_t count, size_t first);

#endif
