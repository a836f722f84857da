/* Particles in free flight.
 *
 * A particle that lies well above the surface found from all of them belongs to no liquid cell. Velocities there are the
 * flow's, continued into the air; carried by these it would hover over water at rest for ever. It keeps its own velocity
 * instead, with what gravity adds. */
#ifndef VL_LIQUID_FLIGHT_H
#define VL_LIQUID_FLIGHT_H

#include "grid/sample.h"

typedef struct vlFlight {
  const double *phi; /* m: level set of the liquid before it moves, field; NULL: nothing flies */
  double gain[3];    /* m/s: change of a flying particle's velocity in the step */
} vlFlight;

/* Cells over the surface from which on a particle flies: particles on a flat surface lie up to a quarter of a cell above it.
 */
#define VL_FLIGHT_HEIGHT 0.3

static inline bool vl_flies(const vlFlight *flight, const vlGrid *g, const double x[3])
{
  if (!flight->phi) return false;
  double height = VL_FLIGHT_HEIGHT * g->dx;
  /* deep inside its cell's own value tells */
  if (flight->phi[vl_grid_at(g, (int)x[0], (int)x[1], (int)x[2])] < -height) return false;
  vlStencil8 s = vl_sample_at(g, VL_CELLS, x);
  return vl_sample_value(&s, flight->phi) > height;
}

#endif
