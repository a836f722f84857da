/* The tetrahedra of an elastic body. */
#ifndef VL_SOLID_BODY_FILL_H
#define VL_SOLID_BODY_FILL_H

#include "mesh/stuff.h"
#include "mesh/tetmesh.h"
#include "velella/scene.h"

/* About the body's own origin, not turned, in metres. *stuffed is all zero for tetrahedra that were given. */
vlCode vl_body_fill(vlTetMesh *mesh, vlStuffInfo *stuffed, const vlScene *scene, const vlBodyDef *def, vlStatus *status);
/* The body as a shape about its own origin, not turned; it borrows what the body points to. */
vlShape vl_body_shape(const vlBodyDef *def);

#endif
