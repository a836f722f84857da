/* Exact signed distances of the primitive shapes in their own axes (axis along y, middle at the origin). */
#ifndef VL_MESH_PRIMITIVES_H
#define VL_MESH_PRIMITIVES_H

#include "velella/scene.h"

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

#endif
