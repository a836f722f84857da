/* A shape made ready for evaluation: signed distance (negative inside), gradient, bounds.
 * Immutable after creation, but for where it is; evaluation is thread-safe. */
#ifndef VL_MESH_SDF_H
#define VL_MESH_SDF_H

#include "mesh/trimesh.h"
#include "velella/scene.h"

typedef struct vlSdf vlSdf;

/* Loads the meshes the shape names. A mesh that is not closed is refused with its file, the place of the
 * first bad edge and the counts, unless shape->repair: then the sign comes from the winding number, as it does for
 * closed meshes that overlap themselves. Pieces of a closed mesh that are inside out are turned over. */
vlCode vl_sdf_create(vlSdf **sdf, const vlShape *shape, vlStatus *status);
void vl_sdf_destroy(vlSdf **sdf);
double vl_sdf_bytes(const vlSdf *sdf);              /* memory it holds */
double vl_sdf_distance(const vlSdf *sdf, vlVec3 x); /* 1-Lipschitz; exact for primitives and meshes */
vlVec3 vl_sdf_gradient(const vlSdf *sdf, vlVec3 x); /* unit where it is defined */
vlBox3 vl_sdf_bounds(const vlSdf *sdf);             /* may be infinite */
/* m: away from where it was made; distance, gradient and bounds go along. */
void vl_sdf_shift(vlSdf *sdf, vlVec3 shift);
/* The surface as triangles, where it was made, when the shape is one exactly (an unrounded box, a closed mesh that does not
 * overlap itself); *mesh = NULL otherwise. The caller owns it. */
vlCode vl_sdf_exact_surface(vlTriMesh **mesh, const vlSdf *sdf, vlStatus *status);

/* The mesh that a shape names, in the coordinates of its file; of tetrahedra their surface. */
vlCode vl_shape_mesh(vlTriMesh **mesh, const vlShape *shape, vlStatus *status);
const char *vl_mesh_name(const vlShape *shape); /* the file, or "in memory" */
/* Do files of this name hold surfaces of triangles (OBJ, PLY, STL), or tetrahedra? By its ending. */
bool vl_mesh_file_is_surface(const char *path);
bool vl_mesh_file_is_tets(const char *path);

/* Where its points go, before it is turned and moved: x to scale (x - origin). */
typedef struct vlMeshPlace {
  vlVec3 scale, origin;
} vlMeshPlace;
vlMeshPlace vl_mesh_place(const vlShape *shape, vlBox3 extents);
vlVec3 vl_mesh_placed(vlMeshPlace place, vlVec3 x);
/* Words on a mesh of that size, m, in a box of that size: is it in millimetres? False: nothing is to be said. */
bool vl_mesh_doubt(vlVec3 size, vlVec3 box, char *out, size_t room);

/* Exact signed distances of the primitive shapes in their own axes (axis along y, middle at the origin). */

/* A primitive shrunk by `round`; its distance is that of the shrunk shape less `round`. */
typedef struct vlPrimitive {
  vlShapeKind kind;
  double round;       /* m */
  vlVec3 half;        /* m: box, half edge lengths */
  double radius;      /* m: sphere, capsule, torus ring */
  double tube_radius; /* m: torus */
  double half_height; /* m: capsule, centre of the upper cap */
  double y[2], r[2];  /* m: cylinder and cone, heights of the lower and upper end and the radii there */
  vlVec3 normal;      /* half-space: unit, out of it */
} vlPrimitive;

/* Checks the numbers of a shape that is no mesh and no combination, `round` included. */
vlCode vl_primitive_create(vlPrimitive *primitive, const vlShape *shape, vlStatus *status);
/* Signed distance at x in the primitive's axes; gradient (unit) unless NULL. */
double vl_primitive_distance(const vlPrimitive *primitive, vlVec3 x, vlVec3 *gradient);
/* Bounds once turned and moved; infinite along a half-space. */
vlBox3 vl_primitive_bounds(const vlPrimitive *primitive, vlMat3 rotation, vlVec3 center);

/* The closed surface of a shape: of rigid bodies, which need no inside. */
typedef struct vlSurfaceOptions {
  double cell;      /* m: side of the cubes on which it is contoured, which triangles follow; 0: it is found */
  double dx;        /* m: cells of the grid it will lie in */
  double thickness; /* m: 0; else that of a slab: what the plane z = 0 cuts of the shape is taken across it */
} vlSurfaceOptions;

/* Of a bounded shape. One that is made of triangles keeps them unless `cell` is given; all others are contoured. The surface
 * is closed, its normals lead out of it. Errors: what vl_sdf_create refuses; VL_ERROR_SCENE for a shape without bounds or
 * without an inside. */
vlCode vl_shape_surface(vlTriMesh **mesh, const vlShape *shape, vlSurfaceOptions options, vlStatus *status);

#endif
