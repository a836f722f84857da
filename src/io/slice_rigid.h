/* The inside of rigid bodies on a slice. */
#ifndef VL_IO_SLICE_RIGID_H
#define VL_IO_SLICE_RIGID_H

#include "io/read_vtu.h"
#include "io/slice.h"

/* Marks cells of the slice whose middles lie in a rigid body of the frame, with the body's velocity there. */
vlCode vl_slice_rigid(vlSlice *slice, const vlVtuFrame *frame, vlStatus *status);

#endif
