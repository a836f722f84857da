/* The cubes of the surface lattice: sheets, and where a sheet's vertex goes. */
#ifndef VL_LIQUID_SURFACE_CUBE_H
#define VL_LIQUID_SURFACE_CUBE_H

#include "liquid/surface_lattice.h"
#include "mesh/contour.h"

/* Distances at the corners of the cube at a node; corner c as in mesh/contour_mesh.h. */
typedef struct vlSurfaceCube {
  int node[3];
  double liquid[8], solid[8]; /* cells */
  bool beyond[8];
} vlSurfaceCube;

void vl_surface_cube_load(const vlSurfaceLattice *lattice, const int node[3], vlSurfaceCube *cube);
/* Sides whose inside corners are joined, as bits. */
int vl_surface_cube_joined(const vlSurfaceCube *cube, int inside);
/* Where the liquid ends on an edge, in cells. */
vlVec3 vl_surface_cube_crossing(const vlSurfaceLattice *lattice, const vlSurfaceCube *cube, int inside, int edge);
/* The vertex of a sheet, in cells. */
vlVec3 vl_surface_cube_vertex(const vlSurfaceLattice *lattice, const vlSurfaceCube *cube, const vlCube *sheets, int sheet);

#endif
