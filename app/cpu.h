/* Does this processor have what the library was compiled for? */
#ifndef VL_APP_CPU_H
#define VL_APP_CPU_H

#include "velella/types.h"

/* VL_ERROR_BACKEND naming what is missing. */
vlCode vl_cpu_check(vlStatus *status);

#endif
