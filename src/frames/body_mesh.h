/* The bodies of a simulation as one mesh, for files: of elements, and of the surface alone. */
#ifndef VL_FRAMES_BODY_MESH_H
#define VL_FRAMES_BODY_MESH_H

#include "files/vtk.h"
#include "velella/velella.h"

/* Nodes of all bodies, one body after the other, and their elements. */
typedef struct vlBodyGrid {
  vlVtuGrid grid;      /* its pointers are to the memory below; label: number of the body in the scene */
  float *displacement; /* m: from rest [point][3] */
  float *velocity;     /* m/s [point][3] */
  float *stress;       /* Pa: Cauchy's, xx yy zz xy yz xz [cell][6] */
  float *von_mises;    /* Pa [cell] */
  vlVec3 *points;      /* what vlVtuGrid says */
  int64_t *nodes, *ends;
  uint8_t *types;
  int32_t *label;
} vlBodyGrid;

/* The surface: nodes on it, and its triangles. */
typedef struct vlBodySurface {
  vlTriMesh *mesh;
  float *velocity;  /* m/s [vertex][3] */
  float *von_mises; /* Pa: mean over the elements at the vertex, weighted with their volumes at rest [vertex] */
  float *body;      /* number of the body in the scene [vertex] */
  float *owner;     /* the same of triangles [triangle] */
} vlBodySurface;

/* Both are to be cleared, also when they fail. */
vlCode vl_body_grid_create(vlBodyGrid *grid, const vlSim *sim, vlStatus *status);
void vl_body_grid_clear(vlBodyGrid *grid);
vlCode vl_body_surface_create(vlBodySurface *surface, const vlSim *sim, vlStatus *status);
void vl_body_surface_clear(vlBodySurface *surface);

#endif
