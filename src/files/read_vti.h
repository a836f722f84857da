/* VTI files of frames, read back. */
#ifndef VL_FILES_READ_VTI_H
#define VL_FILES_READ_VTI_H

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

#endif
