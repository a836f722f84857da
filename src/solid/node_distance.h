/* Distance to the static solids at the cells' corners, made only where liquid comes. */
#ifndef VL_SOLID_NODE_DISTANCE_H
#define VL_SOLID_NODE_DISTANCE_H

#include "base/memory.h"
#include "grid/blocks.h"
#include "solid/statics.h"

typedef struct vlNodeDistance {
  double *distance;    /* cells: at lower corners, field; negative in solids; only valid where `near` says so */
  unsigned char *near; /* of each block place: 0 not asked yet, 1 no solid within reach, 2 distance is there; sparse pages */
  size_t near_length;
  vlPageUse pages, near_pages; /* of both, where they are known */
  int64_t known;               /* block places with a `near`, now or since they were forgotten */
  bool any;                    /* there are solids at all */
} vlNodeDistance;

vlCode vl_node_distance_create(vlNodeDistance *nodes, const vlGrid *grid, const vlStatics *statics, vlStatus *status);
void vl_node_distance_clear(vlNodeDistance *nodes, const vlGrid *grid);
/* Makes the distance known on all blocks of the set; of others it may be forgotten. */
vlCode vl_node_distance_update(vlNodeDistance *nodes, const vlGrid *grid, const vlStatics *statics, const vlBlocks *blocks,
                               vlStatus *status);
double vl_node_distance_bytes(const vlNodeDistance *nodes); /* memory it holds */

#endif
