/* Results that explain themselves, and the log: formatted text into the caller's buffer or function. */
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

vlCode vl_fail(vlStatus *status, vlCode code, const char *format, ...)
{
  if (!status) return code;
  status->code = code;
  va_list args;
  va_start(args, format);
  vsnprintf(status->message, sizeof status->message, format, args);
  va_end(args);
  return code;
}

vlCode vl_fail_memory(vlStatus *status, size_t bytes, const char *what)
{
  return vl_fail(status, VL_ERROR_MEMORY, "not enough memory for %s: %.1f MiB could not be had", what,
                 (double)bytes / 1048576.0);
}

void vl_status_prefix(vlStatus *status, const char *format, ...)
{
  if (!status) return;
  char text[sizeof status->message];
  va_list args;
  va_start(args, format);
  int n = vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (n < 0 || (size_t)n >= sizeof text) return;
  snprintf(text + n, sizeof text - (size_t)n, "%s", status->message);
  memcpy(status->message, text, sizeof text);
}

void vl_log(vlLog log, vlLogLevel level, const char *format, ...)
{
  if (!log.write) return;
  char line[1024];
  va_list args;
  va_start(args, format);
  vsnprintf(line, sizeof line, format, args);
  va_end(args);
  log.write(log.user, level, line);
}
