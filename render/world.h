/* Everything that light can meet, ready for rays. Lengths are those of the scene, moved and scaled so that the box has its
 * middle at the origin and its longest side is 1: floats are then fine for a scene of any size and place. */
#ifndef VL_RENDER_WORLD_H
#define VL_RENDER_WORLD_H

#include "material.h"
#include "mesh/trimesh.h"
#include "sky.h"

typedef struct vlWorld vlWorld;

/* What holds for the world as a whole; set before vl_world_create. */
typedef struct vlWorldPlan {
  vlBox3 box;   /* m: opaque solids are cut off at its sides */
  double floor; /* m: height of the ground */
  vlSky sky;
  bool ground; /* is there one? */
  vlF3 ground_albedo;
  vlF3 absorption; /* 1/m, of water */
  double gap;      /* m: water that ends this close to an opaque solid touches it */
  double fade;     /* distance, in longest sides of the box, at which the floor melts into the sky */
  bool quick;      /* few rays will come: the tree of triangles is built for speed of building */
} vlWorldPlan;

/* A surface that is added. */
typedef struct vlWorldPart {
  const vlTriMesh *mesh;
  const vlMaterial *materials; /* [material_count]; those in use are all of one kind */
  int material_count;
  const int *material_of; /* [triangle_count]; -1: left out. NULL: the first material for all */
  const vlF3 *colors;     /* albedo at vertices [vertex_count]; NULL: the materials' own */
  float crease;           /* degrees: edges that bend more stay sharp */
  bool drop_floor;        /* leave out triangles that lie on the floor: the liquid wets it */
} vlWorldPart;

typedef struct vlRay {
  vlF3 origin, direction;
} vlRay;

typedef struct vlHit {
  float t;
  vlF3 point;
  vlF3 ng, n; /* unit: the triangle's normal and the smoothed one, both out of the mesh */
  vlMaterial material;
  float rim; /* panes: distance to the nearest edge */
} vlHit;

vlCode vl_world_create(vlWorld **world, const vlWorldPlan *plan, vlStatus *status);
vlCode vl_world_add(vlWorld *world, const vlWorldPart *part, vlStatus *status);
/* The four sides of a box (m) as thin panes, up to its upper edge. */
vlCode vl_world_add_panes(vlWorld *world, vlBox3 box, vlStatus *status);
vlCode vl_world_commit(vlWorld *world, vlStatus *status); /* after the last part */
void vl_world_destroy(vlWorld **world);

const vlWorldPlan *vl_world_plan(const vlWorld *world); /* absorption, gap: in the world's lengths */
vlF3 vl_world_place(const vlWorld *world, vlVec3 x);    /* a point of the scene */
float vl_world_step(const vlWorld *world);              /* how far a new ray starts from its surface */

bool vl_world_hit(const vlWorld *world, vlRay ray, float far, vlHit *hit);
/* The first opaque surface within `far`. */
bool vl_world_solid_near(const vlWorld *world, vlRay ray, float far, vlHit *hit);
/* Part of the light that comes straight from far away along the ray: 0 behind opaque things, less through water and glass.
 */
vlF3 vl_world_visible(const vlWorld *world, vlRay ray);
bool vl_world_in_water(const vlWorld *world, vlF3 point);

#endif
