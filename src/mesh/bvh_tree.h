/* Inside the bounding-volume tree: what bvh.c builds and bvh_closest.c, bvh_crossing.c and winding.c
 * walk through. Only those include this. */
#ifndef VL_MESH_BVH_TREE_H
#define VL_MESH_BVH_TREE_H

#include "mesh/bvh.h"

/* Depth is at most 40 levels of free splits and 31 of halving; a walk keeps one node per level. */
enum { VL_BVH_FREE_DEPTH = 40, VL_BVH_STACK = 80, VL_BVH_LEAF_SIZE = 4 };

typedef struct vlBvhNode {
  vlBox3 box;
  int first; /* leaf: first slot; inner: left child, the right one follows it */
  int count; /* leaf: slots; inner: 0 */
} vlBvhNode;

/* The triangles below a node, seen from far away. */
typedef struct vlBvhFar {
  vlVec3 center; /* m: centre of area */
  vlVec3 dipole; /* m2: sum of area vectors */
  vlMat3 moment; /* m3: sum of (centroid - centre) (area vector)^T */
  double area;   /* m2 */
  double radius; /* m: all triangles lie this close to the centre */
} vlBvhFar;

struct vlBvh {
  const vlTriMesh *mesh;
  vlBvhNode *node; /* node 0 is the root; children come after their parent [node_count] */
  vlBvhFar *far;   /* [node_count], by vl_bvh_build_far */
  int node_count;
  int *triangle;       /* slot → triangle; slots of a leaf follow each other [triangle_count] */
  vlVec3 (*corner)[3]; /* m: corners of the triangle in a slot [triangle_count] */
  vlVec3 *face_normal; /* unit, zero for flat triangles [triangle_count] */
  vlVec3 *edge_normal; /* unit pseudo-normals [edge_count] */
  int edge_count;
  vlVec3 *vertex_normal; /* unit pseudo-normals [vertex_count] */
  int (*edge_of)[3];     /* edge of a triangle's side; -1: the triangle names a vertex twice [triangle_count] */
  bool folded;           /* signs and normals by the winding number */
};

/* winding.c */
void vl_bvh_build_far(vlBvh *bvh);
/* bvh_closest.c */
vlCode vl_bvh_build_normals(vlBvh *bvh, vlStatus *status);
void vl_bvh_update_normals(vlBvh *bvh);

#endif
