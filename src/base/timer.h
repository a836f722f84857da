/* Wall-clock seconds. */
#ifndef VL_BASE_TIMER_H
#define VL_BASE_TIMER_H

#include <time.h>

static inline double vl_seconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif
