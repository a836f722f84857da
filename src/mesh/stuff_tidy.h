/* A stuffed mesh made fit to be a body. */
#ifndef VL_MESH_STUFF_TIDY_H
#define VL_MESH_STUFF_TIDY_H

#include "mesh/stuff.h"

/* Sets apart what hangs together by points or edges alone, leaves crumbs out, makes the surface a manifold; counts
 * info->pieces, crumbs and torn. Nodes and tetrahedra keep their order. */
vlCode vl_stuff_tidy(vlTetMesh *mesh, double cell, vlStuffInfo *info, vlStatus *status);

#endif
