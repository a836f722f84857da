/* Inside a slice: what slice.c puts together. */
#ifndef VL_FIGURES_SLICE_PARTS_H
#define VL_FIGURES_SLICE_PARTS_H

#include "cut/patches.h"
#include "figures/slice.h"
#include "files/read_vtk.h"

/* Where the plane x_axis = position cuts the mesh; a vertex on the plane counts as above it. Closed lines for a closed
 * mesh. */
vlCode vl_slice_outline(vlSliceLines *lines, const vlTriMesh *mesh, int axis, double position, int u, int v,
                        vlStatus *status);
/* Zero lines of values at the centres of n cells, linear in between and constant from the outer centres to the sides. */
vlCode vl_slice_contour(vlSliceLines *lines, const float *phi, const int n[2], double dx, const double lo[2],
                        vlStatus *status);
void vl_slice_lines_clear(vlSliceLines *lines);

/* Marks cells of the slice whose middles lie in a rigid body of the frame, with the body's velocity there. */
vlCode vl_slice_rigid(vlSlice *slice, const vlVtuFrame *frame, vlStatus *status);

/* Elastic bodies of a frame. */
typedef struct vlSliceBodies {
  vlVtuFrame frame;
  int (*triangle)[3]; /* faces of tetrahedra, those of the surface first [triangle_count] */
  int triangle_count, surface_count;
  vlPatches patches;
  vlCuts *cuts; /* of solids and bodies together */
} vlSliceBodies;

/* Reads the bodies of the frame and cuts the grid with them. To be cleared, also when it fails. */
vlCode vl_slice_bodies_read(vlSliceBodies *bodies, const vlSliceRun *run, int frame, vlStatus *status);
void vl_slice_bodies_clear(vlSliceBodies *bodies);
/* Adds to a slice that has its plane and memory: outlines with their colours, patches (areas over dx2, centres in m times
 * size), velocities. */
vlCode vl_slice_bodies_show(vlSlice *slice, const vlSliceBodies *bodies, const vlLook *look, vlStatus *status);

#endif
