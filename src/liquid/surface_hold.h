/* The drawn surface encloses what the particles stand for: how much is missing or too much where, and the move of the
 * vertices that makes up for it. */
#ifndef VL_LIQUID_SURFACE_HOLD_H
#define VL_LIQUID_SURFACE_HOLD_H

#include "liquid/surface_lattice.h"

/* Moves the vertices of the lattice's surface. */
vlCode vl_surface_hold(const vlSurfaceLattice *lattice, vlTriMesh *mesh, vlStatus *status);

/* Volumes cell by cell near the surface (surface_bins.c). Volumes are in cells^3, places in cells. */
typedef struct vlSurfaceBins {
  const vlSurfaceLattice *lattice;
  vlBlocks near;  /* cell blocks near the surface */
  double *excess; /* drawn less that of the particles, field */
  double *gain;   /* what the vertices could take away, field */
  double *share;  /* of their pull that vertices should follow, field */
  double *around, *each, *spare;
} vlSurfaceBins;

/* With nodes of the lattice as cubes around them: the surface between inside and outside is then one of cubes. */
vlCode vl_surface_bins_create(vlSurfaceBins *bins, const vlSurfaceLattice *lattice, vlStatus *status);
void vl_surface_bins_clear(vlSurfaceBins *bins);
void vl_surface_bins_zero(const vlSurfaceBins *bins, double *field);
/* Spreads a volume over the cells around x. */
void vl_surface_bins_add(const vlSurfaceBins *bins, double *field, vlVec3 x, double volume);
/* The excess of every cell is shared out among the vertices around it, in proportion to what they could take away. Where
 * they could take away less than `least` there is no surface. */
void vl_surface_bins_share(vlSurfaceBins *bins, double least);
double vl_surface_bins_at(const vlSurfaceBins *bins, vlVec3 x); /* the share at a place */

/* The same in bins of many cells, the inside of the liquid with them (surface_scale.c). */
typedef struct vlSurfaceScale {
  int n[3], size; /* size: cells in a bin along each axis */
  size_t length;
  double *deep;  /* cells^3: excess of cells that are not near the surface [length], as the others */
  double *share; /* of their pull that vertices should follow */
  double *excess, *spare;
} vlSurfaceScale;

vlCode vl_surface_scale_create(vlSurfaceScale *scale, const vlSurfaceBins *bins, int size, vlStatus *status);
void vl_surface_scale_clear(vlSurfaceScale *scale);
void vl_surface_scale_share(vlSurfaceScale *scale, const vlSurfaceBins *bins, double least);
double vl_surface_scale_at(const vlSurfaceScale *scale, vlVec3 x); /* the share at a place */

#endif
