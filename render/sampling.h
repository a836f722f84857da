/* Well spread random numbers for each pixel, and directions made of them. */
#ifndef VL_RENDER_SAMPLING_H
#define VL_RENDER_SAMPLING_H

#include <stdint.h>

#include "f3.h"

/* Sample `index` of `count` in a pixel; every draw moves on to the next dimension. */
typedef struct vlSampler {
  uint32_t seed; /* of the pixel */
  uint32_t index, count;
  uint32_t dimension;
} vlSampler;

vlSampler vl_sampler(uint32_t x, uint32_t y, uint32_t frame, uint32_t index, uint32_t count);
float vl_draw(vlSampler *s); /* in [0, 1) */
void vl_draw_pair(vlSampler *s, float u[static 2]);

/* About the unit vector n, with density cos / pi. */
vlF3 vl_sample_cosine(vlF3 n, const float u[static 2]);
/* Uniform in the cone about `axis` whose half angle has this cosine. */
vlF3 vl_sample_cone(vlF3 axis, float cosine, const float u[static 2]);

static inline uint32_t vl_hash(uint32_t x)
{
  x ^= x >> 16;
  x *= 0x21f0aaadu;
  x ^= x >> 15;
  x *= 0xd35a2d97u;
  return x ^ x >> 15;
}

#endif
