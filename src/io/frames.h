/* Frames: the simulation's fields and solids as files that ParaView opens. */
#ifndef VL_IO_FRAMES_H
#define VL_IO_FRAMES_H

#include "velella/velella.h"

/* FOLDER/fields_00012.vti for frame 12. */
vlCode vl_frame_write(const vlSim *sim, const char *folder, int frame, vlStatus *status);
/* Bytes of a frame with the liquid where it is now, and with liquid all over the box. */
double vl_frame_bytes(const vlSim *sim, double *most);
/* FOLDER/solids.vtp: the surface of the static solids. */
vlCode vl_frame_solids_write(const vlSim *sim, const char *folder, vlStatus *status);

#endif
