/* What velella settle tells of the bodies. */
#ifndef VL_APP_SETTLE_TELL_H
#define VL_APP_SETTLE_TELL_H

#include "velella/velella.h"

typedef struct vlSettled {
  const vlSim *sim;
  const vlVec3 *begun; /* m: centres of mass at the start [bodies] */
  const vlSettleInfo *info;
  const vlSettleBody *body; /* [bodies] */
} vlSettled;

void vl_settled_print(const vlSettled *settled);
/* One JSON object; out: the file that was written, NULL: none. */
vlCode vl_settled_json(const vlSettled *settled, bool has_settled, const char *out, vlStatus *status);

#endif
