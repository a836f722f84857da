/* The coupled system of a step as plain sparse matrices. */
#ifndef VL_PRESSURE_SYSTEM_H
#define VL_PRESSURE_SYSTEM_H

#include "pressure/forms.h"
#include "pressure/pressure.h"

/* Where the rows of a system come from. */
typedef struct vlSystemMap {
  int *row_of;           /* row of each compact cell, -1: no unknown [cells] */
  int *unknown_of;       /* number of each unknown 3 node + axis of all bodies, -1: held, or of one with modes [3 nodes] */
  int *mode_first;       /* first unknown of each body; of one with modes they are these [bodies + 1] */
  double discarded_flux; /* m3/s: taken out of b, see vlPressureSolve */
} vlSystemMap;

void vl_system_map_clear(vlSystemMap *map);

/* L, J, S, b and w of [zarifi2017, eq. 19] in SI units, from a pressure system that has been assembled, with its right-hand
 * side (vl_pressure_rhs) and bodies that have begun the step. Without bodies J, S and w are empty. */
vlCode vl_system_create(vlCoupledSystem *system, vlSystemMap *map, const vlPressure *pressure, vlStatus *status);
/* p of the pressure solve by the named form; the bodies' velocities are found from it as ever (vl_coupling_velocity). */
vlCode vl_system_solve(vlPressure *pressure, vlCouplingKind kind, double sigma, double alpha, vlSolveOptions options,
                       vlPressureSolve *result, vlStatus *status);

#endif
