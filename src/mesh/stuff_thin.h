/* Parts of a shape that a lattice is too coarse for. */
#ifndef VL_MESH_STUFF_THIN_H
#define VL_MESH_STUFF_THIN_H

#include "mesh/stuff.h"
#include "mesh/stuff_warp.h"

/* Counts info->samples, thin and narrow. */
vlCode vl_stuff_find_thin(vlStuffInfo *info, const vlStuffTree *tree, const vlStuffLattice *lattice, const vlWarp *warp,
                          const vlSdf *sdf, vlStatus *status);

#endif
