/* The scene's liquid shapes, its level among them, ready for evaluation. */
#ifndef VL_LIQUID_SHAPES_H
#define VL_LIQUID_SHAPES_H

#include "mesh/sdf.h"

typedef struct vlLiquidShapes {
  vlSdf **sdf; /* [count] */
  int count;
} vlLiquidShapes;

/* path: the scene's file, for messages; may be NULL. */
vlCode vl_liquid_shapes_create(vlLiquidShapes *shapes, const vlLiquidDef *liquid, const char *path, vlStatus *status);
void vl_liquid_shapes_clear(vlLiquidShapes *shapes);
/* Distance to the union, negative inside; infinite without shapes. `shapes` is a vlLiquidShapes, for use as a callback. */
double vl_liquid_shapes_distance(const void *shapes, vlVec3 x);
vlBox3 vl_liquid_shapes_bounds(const vlLiquidShapes *shapes);

#endif
