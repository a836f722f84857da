/* Triangles that fill a section, between the files that make them. */
#ifndef VL_MESH_SECTION_PARTS_H
#define VL_MESH_SECTION_PARTS_H

#include "mesh/contour.h"

typedef struct vlTriangles {
  double h;      /* m: side of the squares that they come from */
  vlVec3 *x;     /* m, z = 0: [point_count] */
  bool *edge;    /* the point lies on the boundary [point_count] */
  int (*tri)[3]; /* counter-clockwise [tri_count] */
  int point_count, tri_count;
} vlTriangles;

static inline double vl_twice_area(vlVec3 a, vlVec3 b, vlVec3 c)
{
  return (b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y);
}

/* The sine of the smallest angle; negative: turned over. */
double vl_least_sine(vlVec3 a, vlVec3 b, vlVec3 c);
/* Makes small angles larger; points that are left without triangles stay in the list. */
vlCode vl_triangles_tidy(vlTriangles *t, vlStatus *status);

#endif
