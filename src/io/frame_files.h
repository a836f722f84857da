/* The single files of a frame, for frames.c. */
#ifndef VL_IO_FRAME_FILES_H
#define VL_IO_FRAME_FILES_H

#include "engine/sim.h"
#include "liquid/surface.h"

/* A writer of one file; `surface` is there for the files that show it. */
typedef vlCode vlFrameWriter(const char *path, const vlSim *sim, const vlSurface *surface, vlStatus *status);
vlFrameWriter vl_frame_fields_vti, vl_frame_particles_vtp, vl_frame_particles_ply, vl_frame_surface_vtp,
    vl_frame_surface_ply, vl_frame_bodies_vtu, vl_frame_bodies_vtp, vl_frame_bodies_ply;

/* Bytes of that file now, and with liquid all over the box. */
typedef struct vlFrameSize {
  double now, most;
} vlFrameSize;
typedef vlFrameSize vlFrameSizer(const vlSim *sim, const vlSurface *surface);
vlFrameSizer vl_frame_fields_vti_size, vl_frame_particles_vtp_size, vl_frame_particles_ply_size, vl_frame_surface_vtp_size,
    vl_frame_surface_ply_size, vl_frame_bodies_vtu_size, vl_frame_bodies_vtp_size, vl_frame_bodies_ply_size;

#endif
