/* Geometry of contouring: where the surface crosses lattice edges, and where a sheet's vertex goes. */
#ifndef VL_MESH_CONTOUR_VERTEX_H
#define VL_MESH_CONTOUR_VERTEX_H

#include "mesh/contour.h"

/* A region cut by a box, on a lattice of cubes. */
typedef struct vlClipped {
  vlRegion region;
  vlBox3 box;
  double h;      /* m: side of a cube */
  vlVec3 origin; /* m: node (0,0,0) */
} vlClipped;

typedef struct vlCrossing {
  vlVec3 x;      /* m */
  vlVec3 normal; /* out of the region, unit */
  bool smooth;   /* the distance vanishes there, so the normal can be trusted */
} vlCrossing;

double vl_clipped_distance(const vlClipped *clipped, vlVec3 x);
/* The crossing on the lattice edge along `axis` from `node`, whose ends lie on different sides. */
vlCrossing vl_clipped_crossing(const vlClipped *clipped, const int node[3], int axis);
/* The vertex of a sheet through `count` crossings of the edges of the cube at `node`. */
vlVec3 vl_clipped_vertex(const vlClipped *clipped, const int node[3], const vlCrossing crossing[], int count);

#endif
