/* The liquid between the surface of a body and the middles of the cells it passes through.
 *
 * Pressure lives at the middles of cells, x_c; the surface that it pushes is elsewhere. A piece q of it with centre c_q,
 * area A and normal n into the body stands r = c_q - x_c from there, d = n . r along the normal. Liquid at rest has
 * grad p = rho f, f what pulls free liquid; liquid that moves along n with the piece has rho (f - a) along n, a = n . dv/dt:
 *
 *     F = A n ( p_c + rho f . r - rho d a )
 *
 * So the body carries a mass rho A d n n^T and a weight (vlBodyType.carry). S stays symmetric, and no more liquid is there
 * than there is: links weigh rho A_f d_f from middle to middle and leave this out, or, where the middle lies in the body and
 * d is negative, count it too much. Over a closed surface sum A n f . r is what slices of a cell's thickness lack of the
 * volume: lift is rho g V exactly. Without it a face on a plane
 * of the grid, where d = dx/2 everywhere, feels half a cell too little, and lift steps as faces pass from one layer of cells
 * to the next. With weights of faces that are no areas (cut/weights.h) faces carry the mass of their whole cubes: no layer.
 *
 * Bodies without mass would go wherever a rounding error sends them: a ball that touches one cell is held by one pressure,
 * and nothing but inertia by facets turns one that is wet all over. So of a film of liquid on the wet surface, a hundredth
 * of a cell thick, as much goes along in all directions as a body lacks that is lighter than it (vl_pieces_cling): first
 * order, and nothing at all for bodies heavier than that, for a ball of radius R those above 0.03 dx/R of the liquid's
 * density. patches, level set -> pieces, by bodies. */
#ifndef VL_PRESSURE_LAYER_H
#define VL_PRESSURE_LAYER_H

#include "pressure/separation.h"

typedef struct vlLayer {
  vlLayerPieces surface; /* those of a body in the order of its patches */
  vlLayerPieces deeper;  /* what bodies carry behind them */
  int *first;            /* first piece of each body on the surface, then behind it [2][bodies + 2] */
  int *first_deeper;     /* in first */
  size_t first_capacity;
} vlLayer;

/* m/s2: what accelerates free liquid at x, m. */
typedef struct vlPull {
  vlVec3 (*at)(const void *data, vlVec3 x);
  const void *data;
} vlPull;

/* Finds the pieces in cells that are nodes of the pressure, of all bodies, and has the bodies carry them. What lies in cells
 * that parted from their walls in the last step, NULL: none, does not go along. */
vlCode vl_layer_find(vlLayer *layer, const vlFluid *fluid, const vlPartedPlaces *parted, double rho, vlPull pull,
                     vlStatus *status);
void vl_layer_clear(vlLayer *layer);
/* Pa: the most that a cell's pressure may differ from the air's while pull, m/s2, is all that drives it: liquid as near to
 * the surface as its middle takes no more before it falls. */
double vl_layer_hold(const vlFluid *fluid, const int cell[3], double rho, vlVec3 pull);

/* The layer's part of what measures say of the liquid. */
typedef struct vlLayerSums {
  vlVec3 force;    /* N: on bodies */
  vlVec3 weight;   /* N */
  vlVec3 momentum; /* kg m/s */
  double energy;   /* J: kinetic */
} vlLayerSums;
/* Force on the nodes, as they go from the bodies' v to v1 in dt: into force [nodes of all bodies]. */
vlLayerSums vl_layer_push(const vlLayer *layer, const vlBodySet *bodies, const vlVec3 *v1, double dt, vlVec3 gravity,
                          vlVec3 *force);

#endif
