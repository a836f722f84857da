/* VTK's XML files, raw appended, little endian: VTI for fields on cells, VTP for surfaces, VTU for tetrahedra and surfaces
 * of bodies, PVD for series. Every file is written to a temporary name and renamed when it is whole. A NaN or infinity is
 * refused before anything is written. */
#ifndef VL_FILES_VTK_H
#define VL_FILES_VTK_H

#include "mesh/trimesh.h"

/* One array of a VTI, VTP or VTU file. */
typedef struct vlVtkArray {
  const char *name;
  int components;    /* 1, 3, or 6 of a symmetric tensor: xx yy zz xy yz xz */
  const float *data; /* [points, triangles or cells][components] */
} vlVtkArray;

/* Cells lo..hi-1 (lo < hi) of a grid whose cell (0,0,0) has its lower corner at `origin`, x fastest. Frames of one series
 * may have different lo and hi. */
vlCode vl_vti_write(const char *path, const int lo[3], const int hi[3], vlVec3 origin, double dx, double time,
                    const vlVtkArray *cell_arrays, int count, vlStatus *status);
/* A surface without triangles is fine. */
vlCode vl_vtp_write(const char *path, const vlTriMesh *mesh, double time, const vlVtkArray *point_arrays, int point_count,
                    const vlVtkArray *triangle_arrays, int triangle_count, vlStatus *status);

/* Tetrahedra of 4 or 10 nodes, and triangles. */
typedef struct vlVtuGrid {
  const vlVec3 *points;   /* m [point_count] */
  const int64_t *nodes;   /* of one cell after the other, corners, then edges 01 12 02 03 13 23 [ends[cell_count - 1]] */
  const int64_t *ends;    /* one past each cell's last node in `nodes` [cell_count] */
  const uint8_t *types;   /* VTK's: VL_VTU_TRIANGLE, VL_VTU_TET4 or VL_VTU_TET10 [cell_count] */
  const int32_t *label;   /* an array of whole numbers on cells [cell_count] */
  const char *label_name; /* its name */
  int point_count, cell_count;
} vlVtuGrid;
enum { VL_VTU_TRIANGLE = 5, VL_VTU_TET4 = 10, VL_VTU_TET10 = 24 };

vlCode vl_vtu_write(const char *path, const vlVtuGrid *grid, double time, const vlVtkArray *point_arrays, int point_count,
                    const vlVtkArray *cell_arrays, int cell_count, vlStatus *status);

/* The list of frames of a series; rewritten whole (small) after every frame. */
typedef struct vlPvd vlPvd;
vlCode vl_pvd_create(vlPvd **pvd, const char *path, vlStatus *status); /* nothing is written before the first frame */
/* `file` is relative to the PVD's folder. When it fails, the list and the file stay as they were. */
vlCode vl_pvd_add(vlPvd *pvd, double time, const char *file, vlStatus *status);
/* Takes over what the file at its path lists up to the time `until`, and drops the rest; no file is fine. For a run that
 * goes on. */
vlCode vl_pvd_continue(vlPvd *pvd, double until, vlStatus *status);
void vl_pvd_destroy(vlPvd **pvd);

#endif
