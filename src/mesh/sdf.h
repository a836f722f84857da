/* A shape made ready for evaluation: signed distance (negative inside), gradient, bounds.
 * Immutable after creation; evaluation is thread-safe. */
#ifndef VL_MESH_SDF_H
#define VL_MESH_SDF_H

#include "mesh/trimesh.h"
#include "velella/scene.h"

typedef struct vlSdf vlSdf;

/* Loads the meshes the shape names. A mesh that is not closed is refused with its file, the place of the
 * first bad edge and the counts, unless shape->repair: then the sign comes from the winding number, as it does for
 * closed meshes that overlap themselves. Pieces of a closed mesh that are inside out are turned over. */
vlCode vl_sdf_create(vlSdf **sdf, const vlShape *shape, vlStatus *status);
void vl_sdf_destroy(vlSdf **sdf);
double vl_sdf_bytes(const vlSdf *sdf);              /* memory it holds */
double vl_sdf_distance(const vlSdf *sdf, vlVec3 x); /* 1-Lipschitz; exact for primitives and meshes */
vlVec3 vl_sdf_gradient(const vlSdf *sdf, vlVec3 x); /* unit where it is defined */
vlBox3 vl_sdf_bounds(const vlSdf *sdf);             /* may be infinite */
/* The surface as triangles when the shape is one exactly (an unrounded box, a closed mesh that does not overlap itself);
 * *mesh = NULL otherwise. The caller owns it. */
vlCode vl_sdf_exact_surface(vlTriMesh **mesh, const vlSdf *sdf, vlStatus *status);

#endif
