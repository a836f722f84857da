/* Distance to bodies at the cells' corners around them, and how their surface moves there: what keeps particles out
 * and lets liquid slide along. */
#ifndef VL_SOLID_BODY_DISTANCE_H
#define VL_SOLID_BODY_DISTANCE_H

#include "base/memory.h"
#include "grid/blocks.h"
#include "mesh/bvh.h"
#include "solid/body.h"

/* The surface point nearest to a corner. */
typedef struct vlBodyCorner {
  ptrdiff_t at; /* of the corner in a field */
  int body, triangle;
  vlVec3 barycentric;
} vlBodyCorner;

/* Corners of a block along x: all VL_BLOCK, or the first, which ends the block before. */
typedef struct vlBodyRow {
  vlBlockPosition at;
  size_t first; /* in the list of corners */
  int count;
} vlBodyRow;

typedef enum vlBodyNear {
  VL_BODY_FAR,     /* or not looked at */
  VL_BODY_DEEP,    /* all of the block lies in a body, farther from its surface than corners are listed */
  VL_BODY_NEAR,    /* the corners of its cells are valid */
  VL_BODY_TO_LIST, /* while listing: will be near, will be deep */
  VL_BODY_TO_SINK
} vlBodyNear;

typedef struct vlBodyDistance {
  double *distance;    /* cells: at lower corners, field; negative in bodies; only valid where `near` says so */
  double *velocity[3]; /* m/s of the nearest surface point, at the same corners, fields */
  unsigned char *near; /* of each block place: a vlBodyNear; sparse pages */
  size_t near_length;
  bool partial;    /* only some blocks were looked at */
  unsigned *stamp; /* of each row of corners, by place: twice the update that listed its first, and 1 if all; sparse pages */
  unsigned update;
  vlPageUse pages, near_pages, stamp_pages; /* of the fields, of `near` and of `stamp`, since the last update */
  vlBodyRow *row;                           /* [row_count] */
  size_t row_count, row_capacity;
  vlBodyCorner *corner; /* [corner_count] */
  size_t corner_count, corner_capacity;
  vlBlockPosition *block; /* blocks marked in `near`, some twice [block_count] */
  size_t block_count, block_capacity;
  vlBvh **tree; /* of each body's surface as it was at the last update [body_count] */
  vlTriMesh *surface;
  int **own; /* number in the body of each triangle of its tree: all, in a slab without the ends across it [body_count] */
  vlBox3 *bounds; /* of each surface [body_count] */
  int body_count;
} vlBodyDistance;

vlCode vl_body_distance_create(vlBodyDistance *d, const vlGrid *grid, int body_count, vlStatus *status);
void vl_body_distance_clear(vlBodyDistance *d, const vlGrid *grid);
/* Distances to the bodies as they lie now, and velocities: on blocks of `within`, NULL: everywhere. */
vlCode vl_body_distance_update(vlBodyDistance *d, const vlGrid *grid, vlBody *const *body, const vlBlocks *within,
                               vlStatus *status);
/* After an update on the blocks of `known`: on those of `within` as well. The bodies lie where they were then. */
vlCode vl_body_distance_extend(vlBodyDistance *d, const vlGrid *grid, vlBody *const *body, const vlBlocks *known,
                               const vlBlocks *within, vlStatus *status);
double vl_body_distance_bytes(const vlBodyDistance *d); /* memory it holds */
/* Velocities as they are now, at the places of the last update. */
void vl_body_distance_velocity(vlBodyDistance *d, vlBody *const *body);
/* m: exact, to the bodies as they lay at the last update; infinite without bodies. */
double vl_body_distance_at(const vlBodyDistance *d, vlVec3 x);
/* The place `clearance` before the surface point nearest to x, and the body's velocity there. */
vlVec3 vl_body_distance_out(const vlBodyDistance *d, vlBody *const *body, vlVec3 x, double clearance, vlVec3 *velocity);
/* A triangle of a body's tree as one of its surface. */
static inline int vl_body_distance_triangle(const vlBodyDistance *d, int body, int triangle)
{
  return d->own[body][triangle];
}

#endif
