/* All static solids of a scene as one closed surface, whatever overlaps.
 *
 * Fluid may be where no solid is and, if the scene has containers (solid: outside), inside one of them:
 *   solid distance  = min( solids, -min(containers) ).
 * Solids that stay clear of all others keep their exact triangles (boxes, closed meshes); everything else is contoured from
 * the distance of the union on cubes of side dx/2, down to dx/8 where walls are thin. In a slab they are what the plane z = 0
 * cuts of them, three cells beyond it on either side. */
#ifndef VL_SOLID_STATICS_H
#define VL_SOLID_STATICS_H

#include "grid/grid.h"
#include "mesh/trimesh.h"

typedef struct vlStatics vlStatics;

vlCode vl_statics_create(vlStatics **statics, const vlScene *scene, const vlGrid *grid, vlLog log, vlStatus *status);
void vl_statics_destroy(vlStatics **statics);
/* Triangles counter-clockwise seen from the fluid: normals point out of the solid. */
double vl_statics_bytes(const vlStatics *statics); /* memory they hold */
const vlTriMesh *vl_statics_surface(const vlStatics *statics);
/* Far outside the domain everything is solid (there are containers) or everything is open. */
bool vl_statics_solid_at_infinity(const vlStatics *statics);
double vl_statics_distance(const vlStatics *statics, vlVec3 x); /* negative in solids */
/* The solid, by its place in the scene, that a triangle of the surface is of at a point of it: where several are one
 * surface, the one whose own surface is nearest there, of equally near ones the first obstacle. */
int vl_statics_owner(const vlStatics *statics, int triangle, vlVec3 x);
int vl_statics_nearest(const vlStatics *statics, vlVec3 x); /* whose surface is nearest anywhere; -1: there are no solids */
/* Does the surface of the scene's solid pass through a cell, or along a side of it? As if it were flat there. */
bool vl_statics_touch(const vlStatics *statics, int solid, vlVec3 center, double dx);

#endif
