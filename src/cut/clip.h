/* Triangle against grid: the pieces of a triangle in each cell. */
#ifndef VL_CUT_CLIP_H
#define VL_CUT_CLIP_H

#include "base/vec.h"

/* One piece, in cell units (a cell is the unit cube at its integer index). */
typedef struct vlClipPiece {
  int cell[3]; /* -1 and n[a]: the half-infinite cells beyond the domain's sides */
  vlVec3 area; /* area times the triangle's unit normal */
  vlVec3 center;
} vlClipPiece;

typedef void vlClipEmit(void *user, const vlClipPiece *piece);

/* Coordinate in cell units, pulled onto a grid plane from closer than 1e-10: equal vertices stay equal. */
double vl_clip_snap(double coordinate);

/* Cuts the triangle x (cell units, snapped) into its pieces. The grid is n cells, plus one half-infinite cell beyond each
 * side; pieces beyond two or three sides at once are dropped. A triangle that lies in a grid plane goes to the cell its
 * normal points into, which is the fluid's when normals point out of the solid. */
void vl_clip_triangle(const vlVec3 x[3], const int n[3], vlClipEmit *emit, void *user);

#endif
