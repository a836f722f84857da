/* A region on a lattice of cubes: its signs at the nodes, in blocks of 8^3 nodes that are stored only near the surface;
 * where the surface crosses lattice edges, and where a sheet's vertex goes. */
#ifndef VL_MESH_CONTOUR_LATTICE_H
#define VL_MESH_CONTOUR_LATTICE_H

#include "mesh/contour.h"

/* A region cut by a box, on a lattice of cubes. */
typedef struct vlClipped {
  vlRegion region;
  vlBox3 box;
  double h;      /* m: side of a cube */
  vlVec3 origin; /* m: node (0,0,0) */
} vlClipped;

typedef struct vlCrossing {
  vlVec3 x;      /* m */
  vlVec3 normal; /* out of the region, unit */
  bool smooth;   /* the distance vanishes there, so the normal can be trusted */
} vlCrossing;

double vl_clipped_distance(const vlClipped *clipped, vlVec3 x);
/* The crossing on the lattice edge along `axis` from `node`, whose ends lie on different sides. */
vlCrossing vl_clipped_crossing(const vlClipped *clipped, const int node[3], int axis);
/* The vertex of a sheet through `count` crossings of the edges of the cube at `node`. */
vlVec3 vl_clipped_vertex(const vlClipped *clipped, const int node[3], const vlCrossing crossing[], int count);

enum { VL_LATTICE_SIDE = 8, VL_LATTICE_NODES = 512, VL_LATTICE_WINDOW = 10 };
enum { VL_LATTICE_INSIDE = -1, VL_LATTICE_OUTSIDE = -2 }; /* blocks whose nodes are all alike */

typedef struct vlLattice {
  vlClipped clipped; /* region, box, cube side, place of node (0,0,0) */
  size_t blocks[3], block_count;
  int *signs_of;                            /* VL_LATTICE_INSIDE, VL_LATTICE_OUTSIDE or index into signs [block_count] */
  unsigned char (*signs)[VL_LATTICE_NODES]; /* 1: node is inside [sampled_count] */
  int sampled_count;
} vlLattice;

/* A block with a layer of nodes around it. Local nodes run from -1 to 8, cubes (named by their lower node) from -1 to 7. */
typedef struct vlBlockView {
  const vlLattice *lattice;
  size_t block;
  int corner[3]; /* lattice index of local node (0,0,0) */
  unsigned char inside[VL_LATTICE_WINDOW * VL_LATTICE_WINDOW * VL_LATTICE_WINDOW];
} vlBlockView;

/* Samples clipped.region; clipped.origin is chosen here. Clear the lattice also after a failure. */
vlCode vl_lattice_create(vlLattice *lattice, vlClipped clipped, vlStatus *status);
void vl_lattice_clear(vlLattice *lattice);
/* False when all nodes of the view are alike; then the view must not be used. */
bool vl_block_view(vlBlockView *view, const vlLattice *lattice, size_t block);
static inline int vl_block_node(const int n[3])
{
  return n[0] + 1 + VL_LATTICE_WINDOW * (n[1] + 1 + VL_LATTICE_WINDOW * (n[2] + 1));
}
/* Which of the ambiguous sides of the cube at local node n are joined, as bits. */
int vl_block_joined(const vlBlockView *view, const int n[3], int ambiguous);

#endif
