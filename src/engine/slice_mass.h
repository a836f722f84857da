/* Mass and weight of rigid bodies as the grid sees them. */
#ifndef VL_ENGINE_SLICE_MASS_H
#define VL_ENGINE_SLICE_MASS_H

#include "cut/patches.h"
#include "solid/elastic.h"

/* What a body takes from the grid, from the patches of its surface as it lies. */
typedef struct vlSlices {
  vlVec3 volume; /* m3: sum over the faces along each axis of closed area times dx */
  vlVec3 push;   /* m3 times the unit of `slope`: sum (slope . x) s over cells, x their middles: -volume_a slope_a */
  vlVec3 turn;   /* m4 times it: the same of (c - X) x s, about the body's centre */
  bool whole;    /* all of the body lies in the grid */
} vlSlices;

/* Of the body whose nodes are first_node .. first_node + node_count - 1. */
vlSlices vl_slices_of(const vlPatches *patches, const vlGrid *grid, const vlElastic *body, int first_node, vlVec3 slope);
/* Mass, inertia and weight for the coming step, of a body that takes them from slices; velocities stay. */
void vl_slice_mass_update(vlElastic *body, const vlPatches *patches, const vlGrid *grid, int first_node, vlVec3 gravity);

#endif
