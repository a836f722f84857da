/* Liquid without air that a body closes off: water in a shell, in a bag, below a piston.
 *
 * On such a region L does not see the constant: only the body's yielding, J S^-1 J^T, sets the level of the pressure.
 * Multigrid knows L alone, so CG would have to find that level step by step. Here it is solved for exactly, beside any
 * preconditioner M of L [tang2009, balancing]: with Z the constants on the regions, A = L + J S^-1 J^T and E = Z^T A Z,
 *   z = Q r + P M^-1 P^T r,      Q = Z E^-1 Z^T,      P = 1 - Q A.
 * L Z = 0, so A Z is zero but on the cells that hold patches of bodies. */
#ifndef VL_PRESSURE_SEALED_H
#define VL_PRESSURE_SEALED_H

#include "linear/solve.h"
#include "pressure/coupling.h"

enum {
  VL_SEALED_MOST = 16 /* regions that are solved for; a solve with S each. Further ones are left to CG. */
};

typedef struct vlSealed {
  const vlCoupling *coupling;
  const int *region; /* of each compact cell, VL_REGION_ of pressure.h */
  vlOperator inner;  /* M^-1 */
  int count;         /* regions that are solved for */
  double *image;     /* A Z on the rows of the coupling, one region after the other [count][rows] */
  double *reduced;   /* P^T r, between two blocks of zeros */
  size_t image_capacity, reduced_capacity;
  double factor[VL_SEALED_MOST * VL_SEALED_MOST]; /* of E */
} vlSealed;

/* z = M^-1 r with the levels of the `count` sealed regions put right; `inner` itself where there is none. Stays valid until
 * the next call. A region whose level nothing moves, to round-off, ends the list. */
vlCode vl_sealed_prepare(vlSealed *sealed, const vlCoupling *coupling, const int *region, int count, vlOperator inner,
                         vlOperator *corrected, vlStatus *status);
void vl_sealed_clear(vlSealed *sealed);

#endif
