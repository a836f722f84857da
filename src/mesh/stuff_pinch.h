/* Edges and nodes at which a closed surface is no manifold. */
#ifndef VL_MESH_STUFF_PINCH_H
#define VL_MESH_STUFF_PINCH_H

#include "mesh/stuff_map.h"
#include "mesh/trimesh.h"

/* All zero: none. */
typedef struct vlPinches {
  vlKeyMap edge; /* lower node in the upper half of the key, higher node in the lower: more than two triangles */
  vlKeyMap node; /* more than one fan of triangles around it */
} vlPinches;

/* node[i]: the number of the surface's vertex i in the result. */
vlCode vl_pinches_find(vlPinches *pinches, const vlTriMesh *surface, const int *node, vlStatus *status);
void vl_pinches_clear(vlPinches *pinches);
/* Does a tetrahedron have a pinched edge? Without any pinched edges: has it a pinched node? */
bool vl_pinches_touch(const vlPinches *pinches, const int tet[4]);

#endif
