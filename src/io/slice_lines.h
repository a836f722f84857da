/* Lines on a plane: the outline of a mesh, and where a level set is zero. */
#ifndef VL_IO_SLICE_LINES_H
#define VL_IO_SLICE_LINES_H

#include "io/slice.h"

/* Where the plane x_axis = position cuts the mesh; a vertex on the plane counts as above it. Closed lines for a closed
 * mesh. */
vlCode vl_slice_outline(vlSliceLines *lines, const vlTriMesh *mesh, int axis, double position, int u, int v,
                        vlStatus *status);
/* Zero lines of values at the centres of n cells, linear in between and constant from the outer centres to the sides. */
vlCode vl_slice_contour(vlSliceLines *lines, const float *phi, const int n[2], double dx, const double lo[2],
                        vlStatus *status);
void vl_slice_lines_clear(vlSliceLines *lines);

#endif
