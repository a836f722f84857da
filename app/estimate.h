/* What a scene needs, from its numbers alone: for grids that are too large to be tried. */
#ifndef VL_APP_ESTIMATE_H
#define VL_APP_ESTIMATE_H

#include "grid/grid.h"

typedef struct vlEstimate {
  vlGrid grid;
  double cells;        /* of the whole box */
  double liquid_cells; /* about, at the start; NaN: not estimated, since the grid is not large */
  double bytes;        /* about, of memory */
} vlEstimate;

/* Estimates a grid that is large; one that cannot fit in the machine's memory is VL_ERROR_MEMORY, which names the key and
 * what would fit. */
vlCode vl_estimate_make(vlEstimate *estimate, const vlScene *scene, vlStatus *status);
bool vl_estimate_is_large(const vlEstimate *estimate);
/* "velella: WHAT 256 x 256 x 256 cells ..." to standard error for grids that take a while. */
void vl_estimate_tell(const vlEstimate *estimate, const char *what);

#endif
