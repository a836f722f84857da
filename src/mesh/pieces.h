/* The pieces of a closed mesh: what is joined by edges. */
#ifndef VL_MESH_PIECES_H
#define VL_MESH_PIECES_H

#include "mesh/trimesh.h"

/* Turns pieces over until none is inside out. A piece in the open faces outwards; one inside a solid keeps its sense
 * relative to that solid: opposite to it a cavity, alike an overlap. The mesh must be closed. */
vlCode vl_trimesh_orient_pieces(vlTriMesh *mesh, vlStatus *status);

#endif
