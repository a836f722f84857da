/* Water at rest in containers that fit no grid (rest_cases.h): at rest over many steps, and the order of the weight, on four
 * grids. */
#include "report.h"
#include "rest_cases.h"

enum { STEPS = 200, SIZES = 4 };

static const int cells[SIZES] = {16, 32, 64, 128};

/* What is plotted of a case, over the number of cells. */
typedef struct Convergence {
  double n[SIZES], speed[SIZES], force_error[SIZES], weight_error[SIZES], slope[SIZES];
} Convergence;

static void stop(const Report *report, const RestCase *c, int n, const vlStatus *status)
{
  char where[96];
  snprintf(where, sizeof where, "%s at %d cells", c->name, n);
  report_stop(report, where, status->message);
}

static void measure(Report *report, const RestCase *c, Convergence *to)
{
  vlStatus status = {0};
  printf("  %8s %16s %16s %16s %8s\n", "cells", "speed/sqrt(gH)", "force error", "weight error", "order");
  for (int s = 0; s < SIZES; s++) {
    RestResult result;
    vlCode code = rest_run(c, cells[s], rest_place(0, cells[s]), STEPS, &result, &status);
    if (!code) code = rest_weight_error(c, cells[s], &to->weight_error[s], &status);
    if (code) stop(report, c, cells[s], &status);
    to->n[s] = cells[s];
    to->speed[s] = result.speed;
    to->force_error[s] = result.force_error;
    printf("  %8d %16.3e %16.3e %16.3e", cells[s], result.speed, result.force_error, to->weight_error[s]);
    if (s > 0) printf(" %8.2f", report_order(to->weight_error[s - 1], to->weight_error[s], 2.0));
    printf("\n");
  }
}

static void validate(Report *report, const RestCase *c, Convergence *to)
{
  char line[96];
  report_title(c->name, "hydrostatics: u = 0, wall force = weight");
  measure(report, c, to);
  int word = (int)strcspn(c->name, ",");
  for (int s = 0; s < SIZES; s++) {
    char text[48];
    snprintf(text, sizeof text, "%d cells", cells[s]);
    report_resolution(report, text, 1.0 / 30.0);
    snprintf(line, sizeof line, "%.*s: largest speed over sqrt(gH) in %d steps", word, c->name, STEPS);
    report_at_most(report, line, to->speed[s], 1e-8);
    snprintf(line, sizeof line, "%.*s: |wall force - W| over the weight", word, c->name);
    report_at_most(report, line, to->force_error[s], 1e-6);
  }
  report_resolution(report, "16 to 128 cells", 1.0 / 30.0);
  snprintf(line, sizeof line, "%.*s: order at which W tends to the weight", word, c->name);
  report_at_least(report, line, report_order(to->weight_error[0], to->weight_error[SIZES - 1], 8.0), 1.8);
}

static Plot panel(Convergence *c, const char *title)
{
  Plot plot = {.title = title, .x_label = "cells along a side", .y_label = "relative error", .log_x = true, .log_y = true};
  for (int s = 0; s < SIZES; s++) c->slope[s] = 0.4 * c->weight_error[0] * pow(c->n[0] / c->n[s], 2);
  plot_add(&plot, (PlotSeries){c->n, c->weight_error, SIZES, "weight of the water", .color = 0, .dots = true});
  plot_add(&plot, (PlotSeries){c->n, c->slope, SIZES, "second order", .color = 6, .dashed = true});
  plot_add(&plot, (PlotSeries){c->n, c->force_error, SIZES, "wall force against W", .color = 2, .dots = true});
  plot_add(&plot, (PlotSeries){c->n, c->speed, SIZES, "speed / sqrt(gH)", .color = 1, .dots = true});
  return plot;
}

int main(int argc, char **argv)
{
  static const char *const titles[REST_CASES] = {"At rest: cube turned 17 and 31 degrees", "At rest: sphere",
                                                 "At rest: cone, tip down"};
  static Convergence convergence[REST_CASES];
  Plot panels[REST_CASES];
  Report report = report_begin("rest", argc, argv);
  for (int i = 0; i < REST_CASES; i++) {
    RestCase c = rest_case(i);
    validate(&report, &c, &convergence[i]);
    panels[i] = panel(&convergence[i], titles[i]);
  }
  report_plot(&report, panels, REST_CASES);
  return report_end(&report);
}
