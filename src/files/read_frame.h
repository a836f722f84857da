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

/* Which frames a folder holds, by the names of its files. */
/* The number in "frame_00012.png" for the stem "frame" and the ending "png", written with five digits or more; -1: another
 * name. */
int vl_frame_number(const char *name, const char *stem, const char *ending);
/* All of them in a folder, ascending, in new memory; no such folder: none. */
vlCode vl_frame_numbers(const char *folder, const char *stem, const char *ending, int **numbers, int *count,
                        vlStatus *status);

/* Parts of vl_frame_mesh_read: text[length] with a 0 byte behind it. */
vlCode vl_frame_read_vtp(vlFrameMesh *frame, const char *path, const char *text, size_t length, vlStatus *status);
vlCode vl_frame_read_ply(vlFrameMesh *frame, const char *path, const char *text, size_t length, vlStatus *status);
/* How numbers are stored in files of either format. */
typedef enum vlNumberType {
  VL_NUMBER_FLOAT32,
  VL_NUMBER_FLOAT64,
  VL_NUMBER_INT32,
  VL_NUMBER_UINT32,
  VL_NUMBER_INT64,
  VL_NUMBER_UINT8,
  VL_NUMBER_INT8,
  VL_NUMBER_TYPES
} vlNumberType;
extern const struct vlNumberNames {
  const char *vtk, *ply[2]; /* PLY has two names for a type; NULL: it is not read from PLY */
  size_t size;              /* bytes */
} vl_number_types[VL_NUMBER_TYPES];
double vl_number_at(vlNumberType type, const char *at);
/* A new zeroed array, NULL without memory. */
vlFrameArray *vl_frame_mesh_add(vlFrameMesh *frame, const char *name, bool of_points, int components);

#endif
