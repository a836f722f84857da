/* What every validation program prints: a table of measured values beside what is expected of them, and a verdict. */
#ifndef VL_VALIDATE_REPORT_H
#define VL_VALIDATE_REPORT_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

typedef struct Report {
  int failed, checked;
} Report;

static inline void report_title(const char *title, const char *source) { printf("\n%s\n  reference: %s\n", title, source); }

/* value must not exceed limit */
static inline void report_at_most(Report *report, const char *what, double value, double limit)
{
  bool ok = value <= limit;
  report->checked++;
  report->failed += !ok;
  printf("  %-62s %11.3e   at most %9.2e   %s\n", what, value, limit, ok ? "ok" : "FAILED");
}

static inline void report_at_least(Report *report, const char *what, double value, double limit)
{
  bool ok = value >= limit;
  report->checked++;
  report->failed += !ok;
  printf("  %-62s %11.4g   at least %8.4g   %s\n", what, value, limit, ok ? "ok" : "FAILED");
}

/* Order of convergence between two resolutions that differ by `ratio`. */
static inline double report_order(double coarse, double fine, double ratio) { return log(coarse / fine) / log(ratio); }

static inline int report_end(const Report *report)
{
  printf("\n%d of %d checks hold\n", report->checked - report->failed, report->checked);
  return report->failed > 0;
}

#endif
