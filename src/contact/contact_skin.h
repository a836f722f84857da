/* What of a body can touch: nodes and edges of its surface. */
#ifndef VL_CONTACT_CONTACT_SKIN_H
#define VL_CONTACT_CONTACT_SKIN_H

#include "mesh/trimesh.h"

typedef struct vlSkin {
  int *node; /* of the surface, ascending [node_count] */
  int node_count;
  int (*edge)[2]; /* their nodes, lower one first [edge_count] */
  int (*side)[2]; /* triangles of the surface on both sides, -1: none [edge_count] */
  int edge_count;
} vlSkin;

/* The mesh's vertices are nodes of the body, not all of them on the surface. */
vlCode vl_skin_create(vlSkin *skin, const vlTriMesh *surface, vlStatus *status);
void vl_skin_clear(vlSkin *skin);
/* Outward, unit: of an edge with the surface as it lies. */
vlVec3 vl_skin_edge_normal(const vlSkin *skin, const vlTriMesh *surface, int edge);
vlVec3 vl_skin_face_normal(const vlTriMesh *surface, int triangle);

#endif
