/* Distances to the free surface and to solids at the nodes of a lattice, stored only near the liquid's surface. */
#ifndef VL_LIQUID_SURFACE_LATTICE_H
#define VL_LIQUID_SURFACE_LATTICE_H

#include "grid/blocks.h"
#include "liquid/surface.h"
#include "mesh/contour.h"

/* Node (i,j,k) lies at ((i,j,k) - 1)/refine cells. Nodes 0 and n - 1 along an axis lie beyond the domain. */
typedef struct vlSurfaceLattice {
  const vlSurfaceInput *in;
  vlBlocks nodes;   /* n: nodes along the axes */
  float *liquid;    /* cells: distance to the free surface, negative in liquid, compact */
  float *solid;     /* cells: minus the distance to solids, so negative in open space, compact */
  uint16_t *inside; /* a bit for each node in liquid, open space and domain [nodes.count] */
} vlSurfaceLattice;

/* Clear the lattice also after a failure. */
vlCode vl_surface_lattice_create(vlSurfaceLattice *lattice, const vlSurfaceInput *in, vlStatus *status);
void vl_surface_lattice_clear(vlSurfaceLattice *lattice);

/* Inside bits of any block; one that is not listed lies wholly in liquid or wholly out of it. */
uint16_t vl_surface_lattice_inside(const vlSurfaceLattice *lattice, int bx, int j, int k);
static inline bool vl_surface_lattice_beyond(const vlSurfaceLattice *l, const int node[3])
{
  for (int a = 0; a < 3; a++)
    if (node[a] <= 0 || node[a] >= l->nodes.n[a] - 1) return true;
  return false;
}
/* Distance to the free surface, in cells, at a node moved by whole cells and kept within the domain. */
double vl_surface_lattice_liquid(const vlSurfaceLattice *lattice, const int node[3], const int cells[3]);
/* Steps of vl_surface_lattice_create. Nodes and distances from in->fine (surface_fine.c): */
vlCode vl_surface_lattice_sample_fine(vlSurfaceLattice *lattice, vlStatus *status);
uint16_t vl_surface_fine_inside(const vlSurfaceLattice *lattice, int bx, int j, int k); /* of a block that is not listed */
vlCode vl_surface_lattice_reserve(vlSurfaceLattice *lattice, vlStatus *status); /* the arrays, for the listed nodes */
double vl_surface_lattice_solid(const vlSurfaceInput *in, const double x[3]);   /* cells: minus the distance to solids */
/* A step of it with particles: distances corrected over curved surfaces and smoothed (surface_bend.c). */
vlCode vl_surface_lattice_unbend(vlSurfaceLattice *lattice, vlStatus *status);
/* Index into the compact arrays, -1 when the node is not listed. */
static inline ptrdiff_t vl_surface_lattice_find(const vlSurfaceLattice *l, const int node[3])
{
  int block = vl_blocks_find(&l->nodes, node[0] / VL_BLOCK, node[1], node[2]);
  return block < 0 ? -1 : (ptrdiff_t)block * VL_BLOCK + node[0] % VL_BLOCK;
}

/* The cubes of the surface lattice: sheets, and where a sheet's vertex goes. */

/* Distances at the corners of the cube at a node; corner c as in mesh/contour.h. */
typedef struct vlSurfaceCube {
  int node[3];
  double liquid[8], solid[8]; /* cells */
  bool beyond[8];
} vlSurfaceCube;

void vl_surface_cube_load(const vlSurfaceLattice *lattice, const int node[3], vlSurfaceCube *cube);
/* Sides whose inside corners are joined, as bits. */
int vl_surface_cube_joined(const vlSurfaceCube *cube, int inside);
/* Where the liquid ends on an edge, in cells. */
vlVec3 vl_surface_cube_crossing(const vlSurfaceLattice *lattice, const vlSurfaceCube *cube, int inside, int edge);
/* The vertex of a sheet, in cells. */
vlVec3 vl_surface_cube_vertex(const vlSurfaceLattice *lattice, const vlSurfaceCube *cube, const vlCube *sheets, int sheet);

#endif
