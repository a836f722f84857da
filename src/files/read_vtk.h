/* Velella's own VTK files of frames, read back: VTI of fields, VTU of bodies as they lay. */
#ifndef VL_FILES_READ_VTK_H
#define VL_FILES_READ_VTK_H

#include "velella/types.h"

/* Cells lo..hi-1 of a grid whose cell (0,0,0) has its lower corner at `origin`, x fastest. */
typedef struct vlVti {
  int lo[3], hi[3];
  vlVec3 origin; /* m */
  double dx;     /* m */
  double time;   /* s */
} vlVti;

/* One array that is wanted of a file. */
typedef struct vlVtiArray {
  const char *name;
  int components;
  float *data; /* out, in new memory [cells][components] */
} vlVtiArray;

/* The box and the wanted arrays; they must all be there, with finite numbers. After a failure every `data` is NULL. */
vlCode vl_vti_read(const char *path, vlVti *vti, vlVtiArray *arrays, int count, vlStatus *status);
void vl_vti_clear(vlVtiArray *arrays, int count); /* frees the data */
static inline size_t vl_vti_at(const vlVti *vti, int i, int j, int k)
{
  size_t nx = (size_t)(vti->hi[0] - vti->lo[0]), ny = (size_t)(vti->hi[1] - vti->lo[1]);
  return (size_t)(i - vti->lo[0]) + nx * ((size_t)(j - vti->lo[1]) + ny * (size_t)(k - vti->lo[2]));
}

/* A frame of bodies. */
typedef struct vlVtuFrame {
  double time; /* s */
  int point_count, cell_count;
  vlVec3 *points;  /* m [point_count] */
  float *velocity; /* m/s [point_count][3] */
  int *nodes; /* corners of each tetrahedron, then the middles of its edges 01 12 02 03 13 23 or six -1; of a triangle its
                 corners and seven -1 [cell_count][10] */
  int *body;  /* that each cell belongs to [cell_count] */
} vlVtuFrame;

/* A file that vl_vtu_write made of bodies. Numbers are finite, nodes are there. A failure names the file and leaves *frame
 * empty. */
vlCode vl_vtu_frame_read(vlVtuFrame *frame, const char *path, vlStatus *status);
void vl_vtu_frame_clear(vlVtuFrame *frame);
/* The triangles of all faces, each face once, those of the surface first and counter-clockwise seen from outside: one for
 * each face of a tetrahedron of 4 nodes, four flat ones of one of 10 nodes; triangles are on the surface themselves. In new
 * memory, to be freed with free(). */
vlCode vl_vtu_frame_faces(const vlVtuFrame *frame, int (**triangles)[3], int *count, int *outer, vlStatus *status);

#endif
