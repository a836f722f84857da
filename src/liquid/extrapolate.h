/* Velocities beyond the liquid. */
#ifndef VL_LIQUID_EXTRAPOLATE_H
#define VL_LIQUID_EXTRAPOLATE_H

#include "liquid/transfer.h"

/* Fills unknown faces of the wet blocks from known neighbours, layer by layer. `known` grows with it; `scratch` is of the
 * same size. */
void vl_extrapolate(const vlGrid *grid, const vlBlocks *wet, double *const u[3], vlFaceMask *known, vlFaceMask *scratch,
                    int layers);

/* Faces on the domain's sides: walls, at rest, where the cell inside is liquid (phi < 0); elsewhere they carry the velocity
 * of the face before them, so that spray does not stick to a ceiling. */
void vl_free_sides(const vlGrid *grid, const vlBlocks *wet, const double *phi, double *const u[3]);

#endif
