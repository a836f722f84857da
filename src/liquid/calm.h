/* Blocks whose particles meet no solid: most of them, and there nothing needs to be looked up on a particle's way. */
#ifndef VL_LIQUID_CALM_H
#define VL_LIQUID_CALM_H

#include "liquid/advect.h"

enum { VL_CALM_WAY = 2 }; /* cells along each axis that a particle may go from a calm block */

typedef struct vlCalm {
  unsigned char *block; /* of each block of the obstacles' `shape`: whether it is calm [count] */
  unsigned char *row;   /* scratch, the same for its plane alone */
  size_t capacity, row_capacity;
} vlCalm;

vlCode vl_calm_update(vlCalm *calm, const vlObstacles *obstacles, vlStatus *status);
void vl_calm_clear(vlCalm *calm); /* frees */

#endif
