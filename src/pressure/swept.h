/* What bodies that seal liquid off take from it over a whole step. */
#ifndef VL_PRESSURE_SWEPT_H
#define VL_PRESSURE_SWEPT_H

#include "pressure/pressure.h"

/* After a solve and vl_coupling_velocity: puts what the bodies sweep over beyond dt J v, in cells of sealed regions, into b
 * in place of what was there. True when no region of more than a few cells changes its volume by more than 1e-8 on that
 * account, and always without sealed regions; else the system is to be solved again. */
bool vl_swept_holds(vlPressure *pressure, double dt, double dx);

#endif
