/* What probes measure; vl_sim_probe, which measures, is in velella.h. */
#ifndef VL_ENGINE_PROBE_H
#define VL_ENGINE_PROBE_H

#include "velella/velella.h"

int vl_probe_count(vlProbeKind kind);        /* values: 1, or 3 for a velocity or a node */
const char *vl_probe_unit(vlProbeKind kind); /* "m", "Pa", "m/s", "m3/s" */

#endif
