/* Water at rest in containers that fit no grid (rest_cases.h): at rest over many steps, and the order of the weight, on four
 * grids. */
#include <stdlib.h>

#include "report.h"
#include "rest_cases.h"

enum { STEPS = 200, SIZES = 4 };

static const int cells[SIZES] = {16, 32, 64, 128};

static void fail(const RestCase *c, int n, const vlStatus *status)
{
  fprintf(stderr, "%s at %d cells: %s\n", c->name, n, status->message);
  exit(1);
}

static void validate(Report *report, const RestCase *c)
{
  char line[80];
  vlStatus status = {0};
  RestResult result[SIZES];
  report_title(c->name, "hydrostatics: u = 0, wall force = weight");
  printf("  %8s %16s %16s %16s %8s\n", "cells", "speed/sqrt(gH)", "force error", "weight error", "order");
  for (int s = 0; s < SIZES; s++) {
    double weight_error = 0.0;
    vlCode code = rest_run(c, cells[s], rest_place(0, cells[s]), STEPS, &result[s], &status);
    if (!code) code = rest_weight_error(c, cells[s], &weight_error, &status);
    if (code) fail(c, cells[s], &status);
    result[s].weight_error = weight_error;
    printf("  %8d %16.3e %16.3e %16.3e", cells[s], result[s].speed, result[s].force_error, result[s].weight_error);
    if (s > 0)
      printf(" %8.2f\n", report_order(result[s - 1].weight_error, result[s].weight_error, 2.0));
    else
      printf("\n");
  }
  for (int s = 0; s < SIZES; s++) {
    snprintf(line, sizeof line, "%d cells: largest speed over sqrt(gH) in %d steps", cells[s], STEPS);
    report_at_most(report, line, result[s].speed, 1e-8);
    snprintf(line, sizeof line, "%d cells: |wall force - W| over the weight", cells[s]);
    report_at_most(report, line, result[s].force_error, 1e-6);
  }
  report_at_least(report, "order at which W tends to the weight, 16 to 128 cells",
                  report_order(result[0].weight_error, result[SIZES - 1].weight_error, 8.0), 1.8);
}

int main(void)
{
  Report report = {0};
  for (int i = 0; i < REST_CASES; i++) {
    RestCase c = rest_case(i);
    validate(&report, &c);
  }
  return report_end(&report);
}
