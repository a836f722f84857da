/* The world's inside, for the files that build it and that send rays through it. */
#ifndef VL_RENDER_WORLD_PARTS_H
#define VL_RENDER_WORLD_PARTS_H

#include <embree3/rtcore.h>

#include "world.h"

enum { VL_MOST_PARTS = 16 };

typedef struct vlPart {
  vlSurfaceKind kind;
  float *x;              /* vertices, in Embree's memory [vertex][3] */
  unsigned *tri;         /* in Embree's memory [triangle][3] */
  vlF3 *normals;         /* at corners [triangle][3] */
  vlMaterial *materials; /* [material_count] */
  int *material_of;      /* [triangle]; NULL: the first */
  vlF3 *colors;          /* [vertex]; NULL: the materials' own */
} vlPart;

struct vlWorld {
  vlWorldPlan plan; /* in the world's lengths */
  vlVec3 middle;    /* m */
  double scale;     /* world over scene lengths */
  float floor, step;
  RTCDevice device;
  RTCScene scene, solid; /* everything; only what is opaque */
  vlPart parts[VL_MOST_PARTS];
  int part_of_solid[VL_MOST_PARTS]; /* geometry of `solid` to part */
  int part_count, solid_count;
  vlF3 pane_lo, pane_hi;
  vlF3 clip_lo, clip_hi; /* opaque solids end here */
  bool clips;            /* one of them goes beyond */
};

#endif
