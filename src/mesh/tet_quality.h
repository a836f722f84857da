/* How good the tetrahedra of a mesh are. */
#ifndef VL_MESH_TET_QUALITY_H
#define VL_MESH_TET_QUALITY_H

#include "mesh/tetmesh.h"

enum { VL_QUALITY_BINS = 18 };

typedef struct vlTetQuality {
  double volume;                           /* m3 */
  double dihedral_least, dihedral_most;    /* degrees */
  double ratio_least, ratio_mean;          /* 3 inradius / circumradius: 1 for a regular tetrahedron, 0 for a flat one */
  double edge_least, edge_most;            /* m */
  int64_t dihedral_count[VL_QUALITY_BINS]; /* angles, six of each tetrahedron, in steps of 10 degrees from 0 to 180 */
  int64_t ratio_count[VL_QUALITY_BINS];    /* tetrahedra, in equal steps of the ratio from 0 to 1 */
} vlTetQuality;

/* The mesh must have passed vl_tetmesh_check. */
vlTetQuality vl_tet_quality(const vlTetMesh *mesh);
/* Dihedral angles at the edges 01 02 03 12 13 23, degrees. */
void vl_tet_dihedrals(const vlVec3 x[4], double angle[6]);
double vl_tet_ratio(const vlVec3 x[4]); /* 3 inradius / circumradius */

#endif
