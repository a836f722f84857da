/* A body's definition in the scene to its tetrahedra or its surface. */
#ifndef VL_SOLID_BODY_SHAPE_H
#define VL_SOLID_BODY_SHAPE_H

#include "mesh/stuff.h"
#include "mesh/tetmesh.h"
#include "solid/body.h"

/* The tetrahedra of an elastic body at rest where it begins, in the scene's coordinates; in a slab across its thickness.
 * *stuffed is all zero for tetrahedra that were given. */
vlCode vl_body_fill(vlTetMesh *mesh, vlStuffInfo *stuffed, const vlScene *scene, const vlBodyDef *def, vlStatus *status);
/* The surface of a rigid body where it begins, in the scene's coordinates; in a slab a prism across its thickness. */
vlCode vl_body_surface(vlTriMesh **surface, const vlScene *scene, const vlBodyDef *def, vlStatus *status);
/* kg/m3: the body's density, or what its mass makes of it. In a slab the mass is that of a metre across. */
double vl_body_surface_density(const vlTriMesh *surface, const vlScene *scene, const vlBodyDef *def);
/* Nodes and triangles of a body that is its surface, and room for all that every body has. */
vlCode vl_body_take_surface(vlBody *body, const vlTriMesh *surface, vlStatus *status);
/* Is a body that begins within these bounds in the scene's box? */
vlCode vl_body_check_inside(vlBox3 own, const vlScene *scene, const vlBodyDef *def, vlStatus *status);

#endif
