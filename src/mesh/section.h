/* What a plane cuts of a shape, as a closed prism: bodies of slabs. */
#ifndef VL_MESH_SECTION_H
#define VL_MESH_SECTION_H

#include "mesh/sdf.h"

/* The section of the shape with the plane z = 0, from z = -thickness/2 to thickness/2, contoured on squares of side h that
 * fill the x and y of `box`, which must hold the section and a square more on every side. Corners are kept. Sides are
 * quads that span the thickness. A section without area gives a mesh of no triangles. */
vlCode vl_section_prism(vlTriMesh **mesh, const vlSdf *sdf, vlBox3 box, double h, double thickness, vlStatus *status);

#endif
