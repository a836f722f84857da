/* What every validation program leaves: on standard output a table of measured values beside what is expected of them, with
 * verdicts; in the folder of its first argument (`validation` without one) the same checks as NAME.csv and its plots as
 * NAME.svg. A second argument asks for another resolution, for a quick try. */
#ifndef VL_VALIDATE_REPORT_H
#define VL_VALIDATE_REPORT_H

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "plot.h"

typedef struct Report {
  const char *name, *folder;
  char resolution[48]; /* of the checks that follow */
  double dt;           /* s: mean time step of the checks that follow; 0: there is none */
  int failed, checked;
  FILE *table;
} Report;

static inline void report_stop(const Report *report, const char *what, const char *why)
{
  fprintf(stderr, "validate_%s: %s: %s\n", report->name, what, why);
  exit(1);
}

static inline FILE *report_open(const Report *report, const char *ending, char path[512])
{
  snprintf(path, 512, "%s/%s.%s", report->folder, report->name, ending);
  FILE *f = fopen(path, "w");
  if (!f) report_stop(report, path, strerror(errno));
  return f;
}

static inline Report report_begin(const char *name, int argc, char **argv)
{
  Report report = {.name = name, .folder = argc > 1 ? argv[1] : "validation"};
  char path[512];
  if (mkdir(report.folder, 0777) && errno != EEXIST) report_stop(&report, report.folder, strerror(errno));
  report.table = report_open(&report, "csv", path);
  fprintf(report.table, "case,quantity,measured,limit,resolution,dt,verdict\n");
  return report;
}

/* Cells to use: the second argument, or `usual`. */
static inline int report_cells(int argc, char **argv, int usual)
{
  int asked = argc > 2 ? atoi(argv[2]) : 0;
  return asked > 0 ? asked : usual;
}

static inline void report_title(const char *title, const char *source) { printf("\n%s\n  reference: %s\n", title, source); }

static inline void report_resolution(Report *report, const char *resolution, double dt)
{
  snprintf(report->resolution, sizeof report->resolution, "%s", resolution);
  report->dt = dt;
}

/* Both tables; commas would end a column. */
static inline void report_check(Report *report, const char *what, double value, const char *sign, double limit, bool ok)
{
  char quantity[128], dt[24] = "-";
  snprintf(quantity, sizeof quantity, "%s", what);
  for (char *c = quantity; *c; c++)
    if (*c == ',') *c = ';';
  if (report->dt > 0.0) snprintf(dt, sizeof dt, "%.3g ms", 1e3 * report->dt);
  report->checked++;
  report->failed += !ok;
  printf("  %-66s %10.4g   %s %-8.4g  %s\n", what, value, sign, limit, ok ? "ok" : "FAILED");
  fprintf(report->table, "%s,%s,%.4g,%s %.4g,%s,%s,%s\n", report->name, quantity, value, sign, limit, report->resolution, dt,
          ok ? "ok" : "FAILED");
}

static inline void report_at_most(Report *report, const char *what, double value, double limit)
{
  report_check(report, what, value, "<=", limit, value <= limit);
}

static inline void report_at_least(Report *report, const char *what, double value, double limit)
{
  report_check(report, what, value, ">=", limit, value >= limit);
}

/* Order of convergence between two resolutions that differ by `ratio`. */
static inline double report_order(double coarse, double fine, double ratio) { return log(coarse / fine) / log(ratio); }

static inline void report_plot(const Report *report, const Plot *panels, int count)
{
  char path[512];
  snprintf(path, sizeof path, "%s/%s.svg", report->folder, report->name);
  if (!plot_write(path, panels, count)) report_stop(report, path, strerror(errno));
}

static inline int report_end(Report *report)
{
  printf("\n%d of %d checks hold\n", report->checked - report->failed, report->checked);
  if (fclose(report->table)) report_stop(report, "writing the table of checks", strerror(errno));
  return report->failed > 0;
}

#endif
