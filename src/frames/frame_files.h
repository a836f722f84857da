/* The single files of a frame, for frames.c. */
#ifndef VL_FRAMES_FRAME_FILES_H
#define VL_FRAMES_FRAME_FILES_H

#include "mesh/trimesh.h"
#include "velella/velella.h"

typedef enum vlFrameFormat { VL_FRAME_VTI, VL_FRAME_VTU, VL_FRAME_VTP, VL_FRAME_PLY } vlFrameFormat;

/* Writes one file, in a format that its kind of things has; `surface` is that of the liquid, for the files that show it. */
typedef vlCode vlFrameWriter(const char *path, vlFrameFormat format, const vlSim *sim, const vlMeshView *surface,
                             vlStatus *status);
vlFrameWriter vl_frame_fields, vl_frame_particles, vl_frame_surface, vl_frame_solids, vl_frame_bodies;

/* Bytes of that file now, and with liquid all over the box. */
typedef struct vlFrameSize {
  double now, most;
} vlFrameSize;
typedef vlFrameSize vlFrameSizer(vlFrameFormat format, const vlSim *sim, const vlMeshView *surface);
vlFrameSizer vl_frame_fields_size, vl_frame_particles_size, vl_frame_surface_size, vl_frame_bodies_size;

/* What is viewed as a mesh, which only borrows it. */
static inline vlTriMesh vl_frame_mesh(const vlMeshView *view)
{
  return (vlTriMesh){.x = (vlVec3 *)view->vertices,
                     .tri = (int(*)[3])view->triangles,
                     .vertex_count = view->vertex_count,
                     .triangle_count = view->triangle_count};
}

#endif
