/* Light from far away: the sky all around and the sun in it. */
#ifndef VL_RENDER_SKY_H
#define VL_RENDER_SKY_H

#include "f3.h"
#include "velella/scene.h"

typedef struct vlSky {
  vlF3 horizon, zenith, below; /* radiance */
  vlF3 glow;                   /* radiance added around the sun */
  vlF3 sun_direction, sun;     /* unit; irradiance across the beam */
  float sun_cosine;            /* of the sun's angular radius */
} vlSky;

vlSky vl_sky(vlSkyKind kind, vlVec3 sun);
vlSky vl_sky_uniform(float radiance); /* without a sun, for tests */
/* Radiance from direction d, without the sun's disc. */
vlF3 vl_sky_radiance(const vlSky *sky, vlF3 d);
vlF3 vl_sky_disc(const vlSky *sky, vlF3 d); /* the sun's own radiance; zero beside its disc */

#endif
