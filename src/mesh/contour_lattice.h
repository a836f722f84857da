/* The signs of a region at the nodes of a lattice, in blocks of 8^3 nodes that are stored only near the surface. */
#ifndef VL_MESH_CONTOUR_LATTICE_H
#define VL_MESH_CONTOUR_LATTICE_H

#include "mesh/contour_cube.h"
#include "mesh/contour_vertex.h"

enum { VL_LATTICE_SIDE = 8, VL_LATTICE_NODES = 512, VL_LATTICE_WINDOW = 10 };
enum { VL_LATTICE_INSIDE = -1, VL_LATTICE_OUTSIDE = -2 }; /* blocks whose nodes are all alike */

typedef struct vlLattice {
  vlClipped clipped; /* region, box, cube side, place of node (0,0,0) */
  size_t blocks[3], block_count;
  int *signs_of;                            /* VL_LATTICE_INSIDE, VL_LATTICE_OUTSIDE or index into signs [block_count] */
  unsigned char (*signs)[VL_LATTICE_NODES]; /* 1: node is inside [sampled_count] */
  int sampled_count;
  vlCube cubes[256]; /* the cubes without ambiguous sides, by their inside corners */
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
/* The cube at local node n. */
vlCube vl_block_cube(const vlBlockView *view, const int n[3]);

#endif
