/* The graded body-centred cubic lattice over an octree. */
#ifndef VL_MESH_STUFF_LATTICE_H
#define VL_MESH_STUFF_LATTICE_H

#include "mesh/stuff_tree.h"

/* A tetrahedron of positive volume. */
typedef struct vlStuffTet {
  int v[4];
  bool regular; /* of the lattice of edge h: the surface may cut it */
} vlStuffTet;

/* All zero: empty. */
typedef struct vlStuffLattice {
  vlKeyMap place;  /* corners and middles of octants: the lattice's points */
  double *phi;     /* m: distance at each [place.count] */
  vlStuffTet *tet; /* those with a point inside or more [tet_count] */
  size_t tet_count, tet_capacity;
} vlStuffLattice;

vlCode vl_stuff_lattice_create(vlStuffLattice *lattice, const vlStuffTree *tree, const vlSdf *sdf, vlStatus *status);
void vl_stuff_lattice_clear(vlStuffLattice *lattice);

#endif
