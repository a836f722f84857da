/* The closed surface of a shape: of rigid bodies, which need no inside. */
#ifndef VL_MESH_SHAPE_SURFACE_H
#define VL_MESH_SHAPE_SURFACE_H

#include "mesh/sdf.h"

typedef struct vlSurfaceOptions {
  double cell;      /* m: side of the cubes on which it is contoured, which triangles follow; 0: it is found */
  double dx;        /* m: cells of the grid it will lie in */
  double thickness; /* m: 0; else that of a slab: what the plane z = 0 cuts of the shape is taken across it */
} vlSurfaceOptions;

/* Of a bounded shape. One that is made of triangles keeps them unless `cell` is given; all others are contoured. The surface
 * is closed, its normals lead out of it. Errors: what vl_sdf_create refuses; VL_ERROR_SCENE for a shape without bounds or
 * without an inside. */
vlCode vl_shape_surface(vlTriMesh **mesh, const vlShape *shape, vlSurfaceOptions options, vlStatus *status);

/* The section of the shape with the plane z = 0, from z = -thickness/2 to thickness/2, contoured on squares of side h that
 * fill the x and y of `box`, which must hold the section and a square more on every side. Corners are kept. Sides are
 * quads that span the thickness. A section without area gives a mesh of no triangles. */
vlCode vl_section_prism(vlTriMesh **mesh, const vlSdf *sdf, vlBox3 box, double h, double thickness, vlStatus *status);

#endif
