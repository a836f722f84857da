/* Random numbers that depend on pixel, sample and dimension and on nothing else: pictures are the same bits for any number
 * of threads and any order of tiles.
 *
 * Each pair of dimensions is a lattice of low discrepancy in the unit square (the plastic number's, [roberts2018]) moved by
 * a random offset of the pixel, and the samples of a pixel take its points in an order of their own, a hashed permutation
 * [kensler2013], so that dimensions do not follow each other. 16 samples are then spread far better than dice would. */
#include "sampling.h"

vlSampler vl_sampler(uint32_t x, uint32_t y, uint32_t frame, uint32_t index, uint32_t count)
{
  return (vlSampler){.seed = vl_hash(x + vl_hash(y + vl_hash(frame))), .index = index, .count = count};
}

/* Where i of 0..n-1 goes in the permutation with number p: rounds of steps that can be undone, repeated while the result
 * lies beyond n. */
static uint32_t permute(uint32_t i, uint32_t n, uint32_t p)
{
  uint32_t w = n - 1;
  if (!w) return 0;
  w |= w >> 1;
  w |= w >> 2;
  w |= w >> 4;
  w |= w >> 8;
  w |= w >> 16;
  do {
    i ^= p;
    i *= 0xe170893du;
    i ^= p >> 16;
    i ^= (i & w) >> 4;
    i ^= p >> 8;
    i *= 0x0929eb3fu;
    i ^= p >> 23;
    i ^= (i & w) >> 1;
    i *= 1u | p >> 27;
    i *= 0x6935fa69u;
    i ^= (i & w) >> 11;
    i *= 0x74dcb303u;
    i ^= (i & w) >> 2;
    i *= 0x9e501cc3u;
    i ^= (i & w) >> 2;
    i *= 0xc860a3dfu;
    i &= w;
  } while (i >= n);
  return (i + p) % n;
}

static float to_unit(uint32_t x) { return (float)(x >> 8) * 0x1p-24f; }

void vl_draw_pair(vlSampler *s, float u[static 2])
{
  /* fractions of 1/g and 1/g^2 with g^3 = g + 1, in 32 bits */
  static const uint32_t step[2] = {3242174889u, 2447445414u};
  uint32_t key = vl_hash(s->seed + 0x9e3779b9u * ++s->dimension), at = permute(s->index % s->count, s->count, key);
  u[0] = to_unit(vl_hash(key ^ 0x68bc21ebu) + at * step[0]);
  u[1] = to_unit(vl_hash(key ^ 0x02e5be93u) + at * step[1]);
}

float vl_draw(vlSampler *s)
{
  uint32_t key = vl_hash(s->seed + 0x9e3779b9u * ++s->dimension), at = permute(s->index % s->count, s->count, key);
  return to_unit(vl_hash(key ^ 0x68bc21ebu) + at * 2654435769u); /* the golden ratio's fraction */
}

vlF3 vl_sample_cosine(vlF3 n, const float u[static 2])
{
  vlF3 s, t;
  f3_frame(n, &s, &t);
  float r = sqrtf(u[0]), angle = 2.0f * (float)VL_PI * u[1];
  vlF3 d = f3_scale(n, sqrtf(larger(0.0f, 1.0f - u[0])));
  return f3_unit(f3_axpy(f3_axpy(d, r * cosf(angle), s), r * sinf(angle), t));
}

vlF3 vl_sample_cone(vlF3 axis, float cosine, const float u[static 2])
{
  vlF3 s, t;
  f3_frame(axis, &s, &t);
  float c = 1.0f - u[0] * (1.0f - cosine), r = sqrtf(larger(0.0f, 1.0f - c * c)), angle = 2.0f * (float)VL_PI * u[1];
  return f3_unit(f3_axpy(f3_axpy(f3_scale(axis, c), r * cosf(angle), s), r * sinf(angle), t));
}
