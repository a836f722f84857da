/* VTU files of frames, read back: bodies as they lay. */
#ifndef VL_FILES_READ_VTU_H
#define VL_FILES_READ_VTU_H

#include "mesh/tetmesh.h"

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
