/* Light along one ray. */
#ifndef VL_RENDER_TRACE_H
#define VL_RENDER_TRACE_H

#include "world.h"

typedef struct vlTraceOptions {
  int bounces;     /* diffuse reflections that are followed */
  int splits;      /* times that a path from the camera is followed both through and off water or glass */
  float brightest; /* luminance at which a sample is cut off; infinite: never */
} vlTraceOptions;

/* What the denoiser is told: the first surface's normal, and the albedo of the first thing that is not seen through. */
typedef struct vlFeatures {
  vlF3 normal, albedo;
} vlFeatures;

/* Radiance that comes back along the ray. */
vlF3 vl_trace(const vlWorld *world, vlRay ray, bool in_water, const vlTraceOptions *options, vlSampler *sampler,
              vlFeatures *features);

#endif
