/* The particles' velocities on the grid, and beyond the liquid. */
#ifndef VL_LIQUID_TRANSFER_H
#define VL_LIQUID_TRANSFER_H

#include "liquid/particles.h"

/* Faces of each block that hold a value, a bit per lower face and axis; compact over a set of blocks. */
typedef struct vlFaceMask {
  unsigned short *bits[3]; /* [blocks] */
  size_t capacity[3];
} vlFaceMask;
bool vl_face_mask_reserve(vlFaceMask *mask, int blocks);
void vl_face_mask_clear(vlFaceMask *mask);

/* u = weighted mean of the particles' velocities on the lower faces of the wet blocks, zero and unknown where no particle is
 * near. Faces on the domain's sides are walls: known and zero. weight: scratch, fields. */
void vl_transfer_to_grid(const vlParticles *particles, const vlGrid *grid, const vlBlocks *wet, double *const u[3],
                         double *const weight[3], vlFaceMask *known);
/* Its parts, for particles of several kinds: sums of weights and of momenta, each particle counting `scale` times; then means
 * of these. */
void vl_transfer_clear(const vlGrid *grid, const vlBlocks *wet, double *const u[3], double *const weight[3]);
void vl_transfer_add(const vlParticles *particles, const vlGrid *grid, double scale, double *const u[3],
                     double *const weight[3]);
void vl_transfer_divide(const vlGrid *grid, const vlBlocks *wet, double *const u[3], double *const weight[3],
                        vlFaceMask *known);

/* Fills unknown faces of the wet blocks from known neighbours, layer by layer. `known` grows with it; `scratch` is of the
 * same size. */
void vl_extrapolate(const vlGrid *grid, const vlBlocks *wet, double *const u[3], vlFaceMask *known, vlFaceMask *scratch,
                    int layers);

/* Faces on the domain's sides: walls, at rest, where the cell inside is liquid (phi < 0); elsewhere they carry the velocity
 * of the face before them, so that spray does not stick to a ceiling. */
typedef struct vlOpenSides {
  bool side[6]; /* by 2 axis, + 1 for the upper one: no wall, which carries that velocity even at liquid */
  bool keep;    /* or keeps its own there */
} vlOpenSides;
void vl_free_sides(const vlGrid *grid, const vlBlocks *wet, const double *phi, const vlOpenSides *open, double *const u[3]);

#endif
