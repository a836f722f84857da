/* One cube of the contouring lattice: which of its crossed edges form a sheet of the surface.
 *
 * Corner c of a cube has the upper side along axis a where bit a of c is set; `inside` has bit c set where corner c is
 * inside. Edge 4a + s + 2t runs along axis a from the corner with sides s, t along the axes (a+1)%3, (a+2)%3. Side 2a + s is
 * the lower (s = 0) or upper (s = 1) side across axis a; it is ambiguous when its inside corners lie diagonally. */
#ifndef VL_MESH_CONTOUR_CUBE_H
#define VL_MESH_CONTOUR_CUBE_H

#include "velella/types.h"

typedef struct vlCube {
  unsigned char inside;
  unsigned char joined;  /* a bit for each ambiguous side whose inside corners are joined */
  unsigned char count;   /* sheets */
  signed char sheet[12]; /* sheet of every crossed edge, -1: not crossed */
} vlCube;

void vl_cube_build(vlCube *cube, int inside, int joined);
int vl_cube_ambiguous_sides(int inside); /* as bits */
int vl_cube_edge_corner(int edge);       /* the corner where the edge starts */
/* Crossed edges on a side, in pairs by the lines that the surface cuts into it; returns how many pairs, 0..2. Two cubes give
 * the same pairs in the same order for the side they share. */
int vl_cube_side_pairs(const vlCube *cube, int side, int pairs[2][2]);
/* Whether both pairs of the side between two cubes belong to one sheet in each: four faces would meet in the line
 * between the two vertices. */
bool vl_cube_side_pinched(const vlCube *below, const vlCube *above, int axis);

#endif
