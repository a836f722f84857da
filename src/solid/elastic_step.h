/* Time steps of an elastic body, as its kind has them (body.h). */
#ifndef VL_SOLID_ELASTIC_STEP_H
#define VL_SOLID_ELASTIC_STEP_H

#include "solid/elastic.h"

vlCode vl_elastic_begin(vlBody *body, double dt, vlVec3 gravity, vlStatus *status);
vlCode vl_elastic_finish(vlBody *body, const vlVec3 *load, vlStatus *status);

#endif
