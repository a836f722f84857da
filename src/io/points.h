/* Particles as files that other programs open: VTP (ParaView) and PLY (renderers, scripts).
 *
 * Particle i lies at offset + scale x[.][i] m, so particles kept in cells are written with the grid's dx and origin. They
 * stand in the file in the order given; the ids tell them apart from frame to frame. No particles are fine. A NaN or
 * infinity is refused before anything is written, naming the particle. */
#ifndef VL_IO_POINTS_H
#define VL_IO_POINTS_H

#include "velella/types.h"

/* Points with a vertex cell each, and the arrays velocity (3 floats, m/s) and id (32 bits). */
vlCode vl_points_write_vtp(const char *path, size_t count, const float *const x[3], const float *const v[3],
                           const uint32_t *id, double scale, vlVec3 offset, double time, vlStatus *status);
/* Binary, little endian: float x, y, z, vx, vy, vz, uint id; the time stands in a comment. */
vlCode vl_points_write_ply(const char *path, size_t count, const float *const x[3], const float *const v[3],
                           const uint32_t *id, double scale, vlVec3 offset, double time, vlStatus *status);

#endif
