/* The surface of an implicit region as a closed triangle mesh, sharp edges kept [ju2002]. */
#ifndef VL_MESH_CONTOUR_H
#define VL_MESH_CONTOUR_H

#include "mesh/trimesh.h"

/* A region of space: distance(x) < 0 inside; gradient points outwards. Must be thread-safe. */
typedef struct vlRegion {
  double (*distance)(const void *data, vlVec3 x);
  vlVec3 (*gradient)(const void *data, vlVec3 x);
  const void *data;
} vlRegion;

/* Contours the part of `region` inside `box` on cubes of side h. Where the region reaches the box's sides
 * the surface is closed by caps there. Same mesh for any number of threads. An empty region gives a mesh of
 * no triangles. Only cubes near the surface are sampled at full resolution. */
vlCode vl_contour(vlTriMesh **mesh, vlRegion region, vlBox3 box, double h, vlStatus *status);

#endif
