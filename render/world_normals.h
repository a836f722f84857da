/* Shading normals of a triangle mesh. */
#ifndef VL_RENDER_WORLD_NORMALS_H
#define VL_RENDER_WORLD_NORMALS_H

#include "f3.h"

/* A normal for each corner [triangles][3]: the mean over the triangles around the vertex that bend by less than `crease`
 * degrees. False without memory. */
bool vl_corner_normals(const float *x, size_t vertices, const unsigned *tri, size_t triangles, float crease, vlF3 *normals);

#endif
