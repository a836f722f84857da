/* Where the walls of a solid region are thin. */
#ifndef VL_SOLID_WALLS_H
#define VL_SOLID_WALLS_H

#include "mesh/contour.h"

typedef struct vlWall {
  vlVec3 middle;    /* m: half way through the wall */
  double thickness; /* m */
} vlWall;

typedef struct vlWalls {
  vlWall *wall; /* places with walls thinner than the limit [count] */
  int count;
  double thinnest;  /* m: infinite without such places */
  int64_t surfaced; /* places looked at, one or two for each side^2 of surface */
} vlWalls;

/* Looks at the surface of `solid` in the box about once in every cube of `side` for walls, solid between two faces that
 * face away from each other, thinner than `limit`. Same result for any number of threads. */
vlCode vl_walls_find(vlWalls *walls, vlRegion solid, vlBox3 box, double side, double limit, vlStatus *status);
void vl_walls_clear(vlWalls *walls);

#endif
