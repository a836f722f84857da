/* The liquid's level set: signed distance to the free surface at cell centres, negative in liquid. */
#ifndef VL_LIQUID_LEVEL_SET_H
#define VL_LIQUID_LEVEL_SET_H

#include "grid/blocks.h"
#include "mesh/sdf.h"

/* The scene's liquid shapes, its level among them, ready for evaluation. */
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

/* phi of the union of the scene's liquid shapes, exact at every cell centre (also inside solids), and the wet blocks: those
 * with a cell closer to the liquid than two cells, so that phi is known around every cell the surface crosses. Blocks for
 * which `skip` answers true (deep in solids) are left out; NULL keeps all. */
typedef bool vlSkipBlock(const void *data, vlVec3 center, double radius);
vlCode vl_level_set_from_shapes(const vlLiquidDef *liquid, const char *path, const vlGrid *grid, vlSkipBlock *skip,
                                const void *skip_data, double *phi, vlBlocks *wet, vlStatus *status);

/* Part of a cube of side dx below the plane with unit normal n at signed distance `phi` of its centre: 1 deep in liquid, 0
 * in air. */
double vl_level_set_fraction(double phi, vlVec3 n, double dx);
/* Same for the cell at field index `at`, normal by central differences, one-sided at the domain's sides. */
double vl_level_set_cell_fraction(const vlGrid *grid, const double *phi, ptrdiff_t at);

#endif
