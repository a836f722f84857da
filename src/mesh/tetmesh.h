/* Tetrahedral meshes, elastic bodies at rest: data, checks, faces, how good they are. */
#ifndef VL_MESH_TETMESH_H
#define VL_MESH_TETMESH_H

#include "base/vec.h"
#include "mesh/trimesh.h"
#include "velella/types.h"

typedef struct vlTetMesh {
  vlVec3 *node;  /* m [node_count] */
  int (*tet)[4]; /* nodes of each tetrahedron: the fourth lies on the side to which (b - a) x (c - a) points [tet_count] */
  int node_count, tet_count;
} vlTetMesh;

/* The numbers that messages give to nodes and tetrahedra; NULL: their index from 0. */
typedef struct vlTetLabels {
  const int64_t *node; /* [node_count] */
  const int64_t *tet;  /* [tet_count] */
} vlTetLabels;

/* All that fill a mesh take one without memory of its own, and leave it empty when they fail. */
vlCode vl_tetmesh_create(vlTetMesh *mesh, int node_count, int tet_count, vlStatus *status); /* zeroed */
void vl_tetmesh_clear(vlTetMesh *mesh); /* frees the arrays, leaves it empty; accepts NULL */
/* A copy of arrays, oriented and checked as below. */
vlCode vl_tetmesh_from_arrays(vlTetMesh *mesh, const vlVec3 *nodes, int node_count, const int (*tets)[4], int tet_count,
                              const char *name, vlStatus *status);
/* Equal boxes, cells[a] along axis a, each split into six tetrahedra about its diagonal from lowest to highest corner. Nodes
 * run along x first, then y, then z. */
vlCode vl_tetmesh_box(vlTetMesh *mesh, vlBox3 box, const int cells[3], vlStatus *status);

/* Reads Gmsh (2.2 and 4.1, text and bytes), MEDIT (text), VTU (not compressed) or TetGen (either of NAME.node and NAME.ele,
 * the other is found beside it), chosen by content where it is clear and by the name's ending otherwise. The mesh is
 * oriented and checked. Elements other than tetrahedra of 4 nodes are passed over when they are points, lines or surfaces,
 * and refused otherwise. Errors: VL_ERROR_FILE (cannot be read), VL_ERROR_MESH with file, line or byte or element, and what
 * was expected. */
vlCode vl_tetmesh_read(vlTetMesh *mesh, const char *path, vlStatus *status);
/* Same, from text[length] in memory; `name` stands for the path. Not for TetGen's pairs of files. */
vlCode vl_tetmesh_read_memory(vlTetMesh *mesh, const char *text, size_t length, const char *name, vlStatus *status);

/* x <- a x + shift. A mirroring `a` swaps nodes, so that volumes stay positive. */
void vl_tetmesh_transform(vlTetMesh *mesh, vlMat3 a, vlVec3 shift);
double vl_tetmesh_tet_volume(const vlTetMesh *mesh, int tet); /* m3, negative when inverted */
double vl_tetmesh_volume(const vlTetMesh *mesh);              /* m3 */
vlBox3 vl_tetmesh_bounds(const vlTetMesh *mesh);

/* Where every tetrahedron has a negative volume, swaps two nodes of each. Indices must be in range. */
void vl_tetmesh_orient(vlTetMesh *mesh);
/* Refuses what cannot be an elastic body at rest: no tetrahedra, indices out of range, nodes that are not finite or without
 * tetrahedron (no mass), flat, inverted or repeated tetrahedra, more than two at a face or two on one side of it. The
 * message names the first offender, by `labels` (NULL: indices), and counts the others. */
vlCode vl_tetmesh_check(const vlTetMesh *mesh, const char *name, const vlTetLabels *labels, vlStatus *status);

/* The faces that belong to one tetrahedron only, seen from outside counter-clockwise, in the order of their tetrahedra;
 * (*node)[i] is the node at the surface's vertex i, ascending. The mesh must have passed the check. The surface is closed;
 * where parts of the body meet in an edge or point alone it is no manifold. Free *node with free(). */
vlCode vl_tetmesh_surface(vlTriMesh **surface, int **node, const vlTetMesh *mesh, vlStatus *status);

/* The faces of a tetrahedral mesh, equal ones next to each other. */
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

/* How good the tetrahedra of a mesh are. */
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
