/* Results that explain themselves, and the log. */
#ifndef VL_BASE_STATUS_H
#define VL_BASE_STATUS_H

#include "velella/types.h"

#define VL_PRINTF(text, first) __attribute__((format(printf, text, first)))

/* Records a failure and returns its code; a NULL status only loses the text. */
vlCode vl_fail(vlStatus *status, vlCode code, const char *format, ...) VL_PRINTF(3, 4);
vlCode vl_fail_memory(vlStatus *status, size_t bytes, const char *what);
/* Puts "file:line:column: " or any other context in front of the message that is there. */
void vl_status_prefix(vlStatus *status, const char *format, ...) VL_PRINTF(2, 3);

void vl_log(vlLog log, vlLogLevel level, const char *format, ...) VL_PRINTF(3, 4);

#endif
