/* The part of a tetrahedron of the lattice that lies inside a surface, as tetrahedra. */
#ifndef VL_MESH_STUFF_STENCIL_H
#define VL_MESH_STUFF_STENCIL_H

#include "velella/types.h"

/* Share of an edge within which a cut point moves the edge's end onto itself: edges along an axis, and the shorter diagonal
 * ones. They are our own choice, by a search over stencils, cut points and moves for the largest least angle; the worst that
 * it met are 10.78 and 164.73 degrees. [labelle2007] proves 10.7 and 164.8 for its own stencils and numbers; for these there
 * is the search (tests/test_stuff_stencil.c repeats it), and no proof. */
#define VL_STUFF_ALPHA_LONG 0.2851
#define VL_STUFF_ALPHA_SHORT 0.3988

/* A tetrahedron of positive volume on the lattice. */
typedef struct vlStuffStencil {
  int sign[4];     /* 1 inside, 0 on the surface, -1 outside */
  int place[4][3]; /* of the lattice, in halves of its cubes, before anything was moved */
  int corner[4];   /* node of each corner */
  int cut[4][4];   /* node where the surface cuts the edge between two corners of opposite sign; symmetric */
  const vlVec3 *x; /* of all nodes */
} vlStuffStencil;

/* Nodes of the tetrahedra, of positive volume as long as the points lie as on the lattice; returns how many, 0 to 3. */
int vl_stuff_stencil_fill(const vlStuffStencil *stencil, int tets[3][4]);

#endif
