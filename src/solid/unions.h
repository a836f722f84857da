/* Whether two regions of space come close to each other. */
#ifndef VL_SOLID_UNIONS_H
#define VL_SOLID_UNIONS_H

#include "mesh/sdf.h"

/* A union of shapes, or everything outside it. */
typedef struct vlUnion {
  const vlSdf *const *sdfs;
  int count;
  bool outside;
} vlUnion;

double vl_union_distance(const vlUnion *u, vlVec3 x); /* negative in the region; +-infinite for no shapes */
vlVec3 vl_union_gradient(const vlUnion *u, vlVec3 x);
/* True when some point of the box is within `reach` of both a and b; may also be true up to 1.5 reach. */
bool vl_unions_meet(const vlUnion *a, const vlUnion *b, vlBox3 box, double reach);

#endif
