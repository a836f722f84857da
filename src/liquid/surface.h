/* The liquid's surface as a closed triangle mesh for frames, from particles or from a level set finer than the grid.
 *
 * The liquid ends at solids and at the domain's sides, so the mesh is watertight and has faces there too. It follows the
 * particles, or the level set, continuously: a drop that leaves or joins grows or shrinks from nothing. Same bytes for any
 * number of threads. */
#ifndef VL_LIQUID_SURFACE_H
#define VL_LIQUID_SURFACE_H

#include "liquid/fine.h"
#include "liquid/kernel.h"
#include "mesh/trimesh.h"

typedef struct vlSurfaceInput {
  const vlGrid *grid;
  const vlFine *fine; /* the surface finer than the grid; NULL: it follows from the particles. Given, kernel, particles,
                         per_cell and refine are not looked at */
  const vlKernel *kernel;
  const vlParticles *particles; /* sorted */
  const double *open; /* open part of each cell's volume, field, known within 5 cells of particles; with fine: in its liquid
                         and its near cells, and in the cells around them; NULL: see solid */
  double per_cell;    /* particles in a full cell; the surface is made to enclose as much as they stand for. 0: it is not */
  int refine;         /* nodes per cell along an axis: 1, or 2 (a single particle is then seen wherever it is) */
  /* m: distance to solids, negative inside, thread-safe; NULL: none. Asked only near cells that are not wholly open,
   * everywhere near liquid when open is NULL. */
  double (*solid)(const void *data, vlVec3 x);
  const void *solid_data;
  /* m/s, thread-safe; NULL: zero */
  vlVec3 (*velocity)(const void *data, vlVec3 x);
  const void *velocity_data;
} vlSurfaceInput;

typedef struct vlSurface {
  vlTriMesh *mesh;
  float *velocity; /* m/s: of the liquid at the vertices [vertex_count][3] */
} vlSurface;

/* No particles give a mesh of no triangles. */
vlCode vl_surface_create(vlSurface *out, const vlSurfaceInput *in, vlStatus *status);
void vl_surface_clear(vlSurface *surface); /* frees; accepts one that was zeroed */

#endif
