/* Frames read back: the VTP and PLY files that a run writes, and files of others that keep to the same rules. */
#ifndef VL_FILES_READ_FRAME_H
#define VL_FILES_READ_FRAME_H

#include "mesh/trimesh.h"

typedef struct vlFrameArray {
  char name[64];
  int components;
  bool of_points; /* else of triangles */
  float *data;    /* [points or triangles][components] */
} vlFrameArray;

/* A surface with arrays on it; particles are one without triangles. */
typedef struct vlFrameMesh {
  double time; /* s; NaN: the file does not say */
  vlTriMesh *mesh;
  vlFrameArray *arrays; /* [array_count] */
  int array_count;
} vlFrameMesh;

/* VTP (raw appended) or PLY (binary little endian), told apart by content. Indices and sizes are checked, and a NaN or an
 * infinity is an error. Errors: VL_ERROR_FILE (cannot be read, empty), VL_ERROR_MESH (not whole, not understood, bad
 * values); both name the file and what is wrong. On failure *frame is empty. */
vlCode vl_frame_mesh_read(vlFrameMesh *frame, const char *path, vlStatus *status);
void vl_frame_mesh_clear(vlFrameMesh *frame);
/* The array of this name, kind and width; NULL: none. */
const float *vl_frame_mesh_array(const vlFrameMesh *frame, const char *name, bool of_points, int components);

/* Parts of vl_frame_mesh_read: text[length] with a 0 byte behind it. */
vlCode vl_frame_read_vtp(vlFrameMesh *frame, const char *path, const char *text, size_t length, vlStatus *status);
vlCode vl_frame_read_ply(vlFrameMesh *frame, const char *path, const char *text, size_t length, vlStatus *status);
/* A new zeroed array, NULL without memory. */
vlFrameArray *vl_frame_mesh_add(vlFrameMesh *frame, const char *name, bool of_points, int components);

#endif
