/* Velocities inside solids that let liquid slide along them and not through them. */
#ifndef VL_LIQUID_SLIP_H
#define VL_LIQUID_SLIP_H

#include "liquid/advect.h"

typedef struct vlSlipWork {
  double *value; /* m/s: new velocities of the lower faces of a block, [wet][axis][cell] */
  size_t capacity;
} vlSlipWork;

/* Faces in solids and just before them take the velocity of the liquid a cell before the wall, without its part through the
 * wall. */
vlCode vl_slip(const vlGrid *grid, const vlBlocks *wet, vlObstacles obstacles, double *const u[3], vlSlipWork *work,
               vlStatus *status);

#endif
