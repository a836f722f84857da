/* Where a surface meets the lattice, and the lattice points that move onto it. */
#ifndef VL_MESH_STUFF_WARP_H
#define VL_MESH_STUFF_WARP_H

#include "mesh/stuff_lattice.h"

/* All zero: empty. */
typedef struct vlWarp {
  vlVec3 *x;         /* m: lattice points, moved where sign is 0, then cut points [points + cut.count] */
  signed char *sign; /* of lattice points: 1 inside, 0 on the surface, -1 outside [points] */
  vlKeyMap cut;      /* edges with ends of opposite sign before the moves: vl_edge_key */
  size_t points;
} vlWarp;

static inline uint64_t vl_edge_key(int a, int b)
{
  return a < b ? (uint64_t)a << 32 | (uint64_t)b : (uint64_t)b << 32 | (uint64_t)a;
}

vlCode vl_warp_create(vlWarp *warp, const vlStuffLattice *lattice, const vlStuffTree *tree, const vlSdf *sdf,
                      vlStatus *status);
void vl_warp_clear(vlWarp *warp);

#endif
