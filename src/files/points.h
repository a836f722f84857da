/* Particles as files that other programs open: VTP (ParaView) and PLY (renderers, scripts).
 *
 * Particle i lies at offset + scale x[.][i] m, so particles kept in cells are written with the grid's dx and origin. They
 * stand in the file in the order given; the ids tell them apart from frame to frame. No particles are fine. A NaN or
 * infinity is refused before anything is written, naming the particle. */
#ifndef VL_FILES_POINTS_H
#define VL_FILES_POINTS_H

#include "velella/velella.h"

enum { VL_POINTS_DATA = 16 }; /* most arrays of data */

typedef struct vlPoints {
  size_t count;
  const float *x[3];                 /* places [count] */
  const uint32_t *id;                /* [count], for messages */
  vlColumnView data[VL_POINTS_DATA]; /* what the particles carry besides their place [data_count] */
  int data_count;
  double scale;
  vlVec3 offset; /* m */
  double time;   /* s */
} vlPoints;

/* Points with a vertex cell each, and an array for each of the data. */
vlCode vl_points_write_vtp(const char *path, const vlPoints *points, vlStatus *status);
/* Binary, little endian: float x, y, z and the data's components; the time stands in a comment. */
vlCode vl_points_write_ply(const char *path, const vlPoints *points, vlStatus *status);

#endif
