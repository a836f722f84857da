/* Particles as files that other programs open: VTP (ParaView) and PLY (renderers, scripts).
 *
 * Particle i lies at offset + scale x[.][i] m, so particles kept in cells are written with the grid's dx and origin. They
 * stand in the file in the order given; the ids tell them apart from frame to frame. No particles are fine. A NaN or
 * infinity is refused before anything is written, naming the particle. */
#ifndef VL_IO_POINTS_H
#define VL_IO_POINTS_H

#include <stdbool.h>

#include "velella/types.h"

enum { VL_POINTS_DATA = 16 }; /* most arrays of data */

/* What the particles carry besides their place. */
typedef struct vlPointData {
  const char *name;        /* of the array in VTP */
  const char *const *part; /* names of its components in PLY [components] */
  bool whole;              /* numbers are uint32_t, otherwise float */
  int components;
  const void *const *value; /* [components][count] */
} vlPointData;

typedef struct vlPoints {
  size_t count;
  const float *const *x; /* places [3][count] */
  const uint32_t *id;    /* [count], for messages */
  vlPointData data[VL_POINTS_DATA];
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
