/* Numbers that look like chance and depend on their key alone: the same for any order and any number of threads. */
#ifndef VL_BASE_RANDOM_H
#define VL_BASE_RANDOM_H

#include <stdint.h>

/* 0 <= x < 1. */
static inline double vl_random(uint64_t key)
{
  key += 0x9e3779b97f4a7c15u; /* the mixing below leaves zero where it is */
  key ^= key >> 33;
  key *= 0xff51afd7ed558ccdu;
  key ^= key >> 33;
  key *= 0xc4ceb9fe1a85ec53u;
  key ^= key >> 33;
  return (double)(key >> 11) * 0x1p-53;
}

#endif
