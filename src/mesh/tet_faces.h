/* The faces of a tetrahedral mesh, equal ones next to each other. */
#ifndef VL_MESH_TET_FACES_H
#define VL_MESH_TET_FACES_H

#include "mesh/tetmesh.h"

typedef struct vlTetFace {
  int key[4]; /* its nodes in ascending order, then the tetrahedron's node that is not on it */
  int tet;
  int corner; /* which of the tetrahedron's nodes that is, 0..3 */
  bool even;  /* key[0..2] is an even permutation of the nodes as seen from outside */
} vlTetFace;

/* Corners of the face opposite to corner k, counter-clockwise seen from outside a tetrahedron of positive volume. */
extern const int vl_tet_face_corner[4][3];

/* All 4 tet_count faces sorted by key, then by tetrahedron; free with free(). Indices must be in range. */
vlCode vl_tet_faces_sorted(vlTetFace **faces, size_t *count, const vlTetMesh *mesh, vlStatus *status);
/* One past the last face on the same three nodes as faces[first]. */
size_t vl_tet_faces_end(const vlTetFace *faces, size_t count, size_t first);

#endif
