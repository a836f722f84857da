/* One cube of the contouring lattice: which of its crossed edges form a sheet of the surface.
 *
 * Corner c of a cube has the upper side along axis a where bit a of c is set; a configuration has bit c set where
 * corner c is inside. Edge 4a + s + 2t runs along axis a from the corner with sides s, t along the axes (a+1)%3, (a+2)%3. */
#ifndef VL_MESH_CONTOUR_CUBE_H
#define VL_MESH_CONTOUR_CUBE_H

#include "velella/types.h"

typedef struct vlCubeTable {
  signed char sheet[256][12]; /* sheet of every crossed edge, -1: not crossed */
  unsigned char count[256];   /* sheets */
} vlCubeTable;

void vl_cube_table_build(vlCubeTable *table);
int vl_cube_edge_corner(int edge); /* the corner where the edge starts */
/* Crossed edges on the side (0 lower, 1 upper) of a cube across `axis`, joined in pairs by the lines that the surface
 * cuts into that side; returns how many pairs, 0..2. Two cubes give the same pairs in the same order for the side they
 * share. */
int vl_cube_side_pairs(int configuration, int axis, int side, int pairs[2][2]);
/* Whether both pairs of a side belong to one sheet in the cube below and in the cube above it: four faces would meet
 * in the line between the two vertices. */
bool vl_cube_side_pinched(const vlCubeTable *table, int below, int above, int axis);

#endif
