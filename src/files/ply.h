/* Triangle surfaces as PLY, for programs that do not read VTK's files. */
#ifndef VL_FILES_PLY_H
#define VL_FILES_PLY_H

#include "files/vtk.h"

/* Binary, little endian: double x, y, z, and with a velocity float vx, vy, vz; faces as a list of three ints.
 * `velocity`: m/s, [vertex_count][3], or NULL. `time`: s, goes into a comment; NaN: none. Read again by vl_trimesh_read, bit
 * by bit. A surface without triangles is fine. A NaN or infinity is refused before anything is written. */
vlCode vl_ply_write_mesh(const char *path, const vlTriMesh *mesh, const float *velocity, double time, vlStatus *status);
/* The same with arrays at the vertices: one of 3 components, the velocity, becomes vx, vy, vz; others have 1 and keep their
 * names, in which there are no blanks. */
vlCode vl_ply_write_arrays(const char *path, const vlTriMesh *mesh, double time, const vlVtkArray *arrays, int count,
                           vlStatus *status);

#endif
