/* Shapes of scenes, and files of meshes, filled with tetrahedra. */
#ifndef VL_MESH_STUFF_SHAPE_H
#define VL_MESH_STUFF_SHAPE_H

#include "mesh/stuff.h"

/* Fills a shape. A mesh whose file holds tetrahedra is filled anew, from its surface inwards. *volume (NULL: not wanted) is
 * the shape's own: exact for triangles that need no repair, NaN for those that do, close to it for all others. cell = 0: a
 * thirtieth of the longest side of the shape's bounds; the one that was used is in *options. */
vlCode vl_stuff_shape(vlTetMesh *mesh, const vlShape *shape, vlStuffOptions *options, vlStuffInfo *info, double *volume,
                      vlStatus *status);
/* Do files of this name hold surfaces of triangles (OBJ, PLY, STL)? By its ending. */
bool vl_mesh_file_is_surface(const char *path);
/* The surface of the tetrahedra in the shape's file, in the file's coordinates; *surface = NULL where the shape is no such
 * mesh. */
vlCode vl_shape_tet_surface(vlTriMesh **surface, const vlShape *shape, vlStatus *status);

#endif
