/* Liquid that lets go of walls [batty2007, section 5].
 *
 * Pressure at a wall may push and not pull. In liquid cells that touch something solid
 *     p >= 0,   net outflow >= 0,   one of the two is zero,
 * all others keep net outflow = 0. The least energy under p >= 0 is found by policy iteration: cells whose pressure pulls
 * are parted from their wall, p = 0, those that would then take in liquid from nowhere are joined to it again, and the
 * system is solved anew, from where it was, until no cell changes. Without bodies the matrix is an M-matrix and the sets
 * move one way; should they repeat nevertheless, parted cells stay parted for the rest of the step. */
#ifndef VL_PRESSURE_SEPARATION_H
#define VL_PRESSURE_SEPARATION_H

#include "pressure/pressure.h"

typedef struct vlPartedCell {
  int cell;       /* of a wet block: VL_BLOCK b + l */
  double outflow; /* m3/s */
} vlPartedCell;

typedef struct vlSeparation {
  unsigned short *parted; /* a bit for each cell [wet] */
  vlPartedCell *cell;     /* those of the last solve, ascending [count] */
  size_t capacity, cell_capacity;
  int turns;         /* solves of this step that changed the set */
  int64_t count;     /* parted cells */
  double worst_pull; /* Pa: most negative pressure at a wall that is left, as a positive number */
  double worst_gain; /* 1/s: largest net inflow of a parted cell that is left, over its volume */
} vlSeparation;

enum { VL_SEPARATION_TURNS = 30 };

void vl_separation_clear(vlSeparation *separation);
/* A new step: nothing is parted. */
vlCode vl_separation_begin(vlSeparation *separation, const vlBlocks *wet, vlStatus *status);
/* After a solve with the set as it is: which cells part, which join again. p: field of the solved pressure; u_star: as the
 * solve saw it; the bodies' velocities are those of the coupling. eps: of the largest pressure, and of the largest outflow
 * that the solve removed, what counts as zero. *again: the set changed and the system must be solved again. */
vlCode vl_separation_update(vlSeparation *separation, const vlPressure *pressure, const vlFluid *fluid,
                            double *const u_star[3], const double *p, double dt, double rho, double eps, bool *again,
                            vlStatus *status);

#endif
