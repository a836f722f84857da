/* OpenMP's threads spin for milliseconds at the end of every parallel loop before they sleep. On a machine with anything
 * else to do that stalls them behind each other: a run of small loops took thirty times as long beside a compiler. The wait
 * can only be set in the environment, before the OpenMP library is loaded, so the program sets it and starts itself again; a
 * user's own setting is left alone. */
#include "patience.h"

#include <stdlib.h>
#include <unistd.h>

void vl_patience_set(char **argv)
{
  static const char *const waits[] = {"GOMP_SPINCOUNT", "KMP_BLOCKTIME", "OMP_WAIT_POLICY"};
  for (size_t i = 0; i < sizeof waits / sizeof *waits; i++)
    if (getenv(waits[i])) return;
  if (setenv("GOMP_SPINCOUNT", "2000", 1) == 0 && setenv("KMP_BLOCKTIME", "1", 1) == 0)
    execv("/proc/self/exe", argv); /* on failure: go on as we are */
}
