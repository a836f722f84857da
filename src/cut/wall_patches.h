/* The surface of the static solids, cell by cell and solid by solid: whose wall the liquid of a cell pushes. */
#ifndef VL_CUT_WALL_PATCHES_H
#define VL_CUT_WALL_PATCHES_H

#include "grid/blocks.h"
#include "solid/statics.h"

/* All of one solid's surface in one cell. */
typedef struct vlWallPatch {
  int cell[3];
  int solid;         /* its place in the scene */
  double area;       /* m2: sum of areas */
  vlVec3 center;     /* m: middle of them */
  vlVec3 s;          /* m2: sum of area vectors INTO the solid */
  vlVec3 turn;       /* m3: sum of x x s, about the origin of coordinates */
  vlMat3 layer;      /* m3: sum of s r^T, r from the cell's middle to the surface */
  vlMat3 layer_turn; /* m4: sum of (x x s) r^T */
} vlWallPatch;

typedef struct vlWallPatches {
  vlWallPatch *patch; /* [count], sorted by k, j, i; those of a cell in the order of the triangles */
  int count;
} vlWallPatches;

/* Of the cells of the grid; beyond its sides there are none. */
vlCode vl_wall_patches_create(vlWallPatches *patches, const vlStatics *statics, const vlGrid *grid, vlStatus *status);
void vl_wall_patches_clear(vlWallPatches *patches);
/* Those of the cells of a block, [first, last); returns first. */
int vl_wall_patches_of_block(const vlWallPatches *patches, vlBlockPosition p, int *last);

#endif
