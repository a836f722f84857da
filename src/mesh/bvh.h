/* A bounding-volume tree over a triangle mesh: closest point, signed distance, winding number.
 * Only a refit changes it; every query may run in many threads at once. */
#ifndef VL_MESH_BVH_H
#define VL_MESH_BVH_H

#include "mesh/trimesh.h"

typedef struct vlBvh vlBvh;

typedef struct vlClosest {
  double distance; /* m, unsigned */
  vlVec3 point;    /* m */
  vlVec3 normal;   /* angle-weighted pseudo-normal of the feature (face, edge, vertex) the point lies on, unit; of a
                      surface with folds the way from the surface, outwards */
  int triangle;
  vlVec3 barycentric;
} vlClosest;

/* Keeps a reference to the mesh, which must outlive it. */
vlCode vl_bvh_create(vlBvh **bvh, const vlTriMesh *mesh, vlStatus *status);
void vl_bvh_destroy(vlBvh **bvh);
double vl_bvh_bytes(const vlBvh *bvh); /* memory it holds, without the mesh */
/* After the mesh's vertices have moved: boxes and normals anew, the tree as it was. Takes no memory. */
void vl_bvh_refit(vlBvh *bvh);
vlClosest vl_bvh_closest(const vlBvh *bvh, vlVec3 x);
/* The same, found sooner from a point of the surface that is not far from the nearest one. */
vlClosest vl_bvh_closest_near(const vlBvh *bvh, vlVec3 x, vlVec3 hint);
/* Whether the surface passes nearer than this to x. */
bool vl_bvh_within(const vlBvh *bvh, vlVec3 x, double distance);
/* The nearest point of one triangle, by the weights of its corners. */
vlVec3 vl_triangle_closest(const vlVec3 corner[3], vlVec3 x);
/* Calls `visit` for every triangle whose box may meet the given one, in a fixed order. */
typedef void vlBvhVisit(void *data, int triangle);
void vl_bvh_visit(const vlBvh *bvh, vlBox3 box, vlBvhVisit *visit, void *data);
/* Angle-weighted pseudo-normal, unit; zero for a vertex of no triangle. */
vlVec3 vl_bvh_vertex_normal(const vlBvh *bvh, int vertex);
/* Negative inside. Sign by pseudo-normals: exact for closed meshes without folds [baerentzen2005]. */
double vl_bvh_signed_distance(const vlBvh *bvh, vlVec3 x);
/* Generalised winding number [jacobson2013], far clusters by their dipole and first moment [barill2018]:
 * 1 inside, 0 outside, in between near holes; within 0.05. */
double vl_bvh_winding(const vlBvh *bvh, vlVec3 x);
/* Looks at a closed surface once: where it has folds or needles, signs and normals of closest points come from the winding
 * number from now on. Returns whether it has. */
bool vl_bvh_mind_folds(vlBvh *bvh);
/* Whether triangles that share no vertex pass through each other. */
bool vl_bvh_crosses_itself(const vlBvh *bvh);

#endif
