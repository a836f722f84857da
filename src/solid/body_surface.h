/* The surface of a rigid body. */
#ifndef VL_SOLID_BODY_SURFACE_H
#define VL_SOLID_BODY_SURFACE_H

#include "mesh/trimesh.h"
#include "velella/scene.h"

/* Where the body begins, in the scene's coordinates; in a slab a prism across its thickness. */
vlCode vl_body_surface(vlTriMesh **surface, const vlScene *scene, const vlBodyDef *def, vlStatus *status);
/* kg/m3: the body's density, or what its mass makes of it. In a slab the mass is that of a metre across. */
double vl_body_surface_density(const vlTriMesh *surface, const vlScene *scene, const vlBodyDef *def);

#endif
