/* VTK's XML files, raw appended, little endian: VTI for fields on cells, VTP for surfaces, PVD for series.
 * Every file is written to a temporary name and renamed when it is whole. A NaN or infinity is refused before anything
 * is written. */
#ifndef VL_IO_VTK_H
#define VL_IO_VTK_H

#include "mesh/trimesh.h"

/* One array of a VTI or VTP file. */
typedef struct vlVtkArray {
  const char *name;
  int components;    /* 1 or 3 */
  const float *data; /* [points, triangles or cells][components] */
} vlVtkArray;

/* Cells lo..hi-1 of a grid with the given origin and spacing, x fastest. */
vlCode vl_vti_write(const char *path, const int lo[3], const int hi[3], vlVec3 origin, double dx, double time,
                    const vlVtkArray *cell_arrays, int count, vlStatus *status);
vlCode vl_vtp_write(const char *path, const vlTriMesh *mesh, double time, const vlVtkArray *point_arrays, int point_count,
                    const vlVtkArray *triangle_arrays, int triangle_count, vlStatus *status);

/* The list of frames of a series; rewritten whole (small) after every frame. */
typedef struct vlPvd vlPvd;
vlCode vl_pvd_create(vlPvd **pvd, const char *path, vlStatus *status);
vlCode vl_pvd_add(vlPvd *pvd, double time, const char *file, vlStatus *status);
void vl_pvd_destroy(vlPvd **pvd);

#endif
