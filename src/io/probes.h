/* Probes: what the scene's probes measure after every step, a line of FOLDER/probes.csv each. */
#ifndef VL_IO_PROBES_H
#define VL_IO_PROBES_H

#include "velella/velella.h"

typedef struct vlProbes vlProbes;

/* Opens the file for appending as io/table.h says; `sim` must outlive the probes. A scene without probes makes none: *probes
 * is NULL, which all functions below take. */
vlCode vl_probes_create(vlProbes **probes, const vlSim *sim, const char *folder, vlStatus *status);
/* Drops the lines of later steps, for a run that goes on from a checkpoint. */
vlCode vl_probes_keep(vlProbes *probes, int64_t step, vlStatus *status);
vlCode vl_probes_add(vlProbes *probes, vlStatus *status);
void vl_probes_destroy(vlProbes **probes);

#endif
