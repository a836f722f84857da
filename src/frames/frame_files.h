/* The single files of a frame, for frames.c. */
#ifndef VL_FRAMES_FRAME_FILES_H
#define VL_FRAMES_FRAME_FILES_H

#include "mesh/trimesh.h"
#include "velella/velella.h"

/* A writer of one file; `surface` is that of the liquid, for the files that show it. */
typedef vlCode vlFrameWriter(const char *path, const vlSim *sim, const vlMeshView *surface, vlStatus *status);
vlFrameWriter vl_frame_fields_vti, vl_frame_particles_vtp, vl_frame_particles_ply, vl_frame_surface_vtp,
    vl_frame_surface_ply, vl_frame_bodies_vtu, vl_frame_bodies_vtp, vl_frame_bodies_ply;

/* Bytes of that file now, and with liquid all over the box. */
typedef struct vlFrameSize {
  double now, most;
} vlFrameSize;
typedef vlFrameSize vlFrameSizer(const vlSim *sim, const vlMeshView *surface);
vlFrameSizer vl_frame_fields_vti_size, vl_frame_particles_vtp_size, vl_frame_particles_ply_size, vl_frame_surface_vtp_size,
    vl_frame_surface_ply_size, vl_frame_bodies_vtu_size, vl_frame_bodies_vtp_size, vl_frame_bodies_ply_size;

/* What is viewed as a mesh, which only borrows it. */
static inline vlTriMesh vl_frame_mesh(const vlMeshView *view)
{
  return (vlTriMesh){.x = (vlVec3 *)view->vertices,
                     .tri = (int(*)[3])view->triangles,
                     .vertex_count = view->vertex_count,
                     .triangle_count = view->triangle_count};
}

#endif
