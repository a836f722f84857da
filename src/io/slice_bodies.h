/* Elastic bodies of a frame, for slices: how they cut the grid, and what they look like on the plane. */
#ifndef VL_IO_SLICE_BODIES_H
#define VL_IO_SLICE_BODIES_H

#include "cut/patches.h"
#include "io/read_vtu.h"
#include "io/slice.h"

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
/* Adds to a slice that has its plane and memory: outlines, patches (areas over dx2, centres in m times size), velocities. */
vlCode vl_slice_bodies_show(vlSlice *slice, const vlSliceBodies *bodies, vlStatus *status);

#endif
