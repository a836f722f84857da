/* Poisson problems with irregular boundaries (poisson_problems.h): errors over five grids against the reference ones, and
 * their rates. */
#include "poisson_problems.h"
#include "report.h"

enum { ERRORS = 4 }; /* largest and mean error of p, then of u */

static const char *const names[ERRORS] = {"largest error of p", "mean error of p", "largest error of u", "mean error of u"};

/* Errors of one problem on all grids, and what is plotted of them. */
typedef struct Convergence {
  double n[POISSON_SIZES], error[ERRORS][POISSON_SIZES], slope[POISSON_SIZES];
} Convergence;

static void resolution(Report *report, int n)
{
  char text[48];
  snprintf(text, sizeof text, "%d cells", n);
  report_resolution(report, text, 0.0);
}

/* Prints a line and checks it against the reference. */
static void check_grid(Report *report, Convergence *c, const char *problem, int s, int errors, const double *reference)
{
  char line[80];
  c->n[s] = poisson_cells[s];
  printf("  N %4d", poisson_cells[s]);
  for (int e = 0; e < errors; e++)
    printf("   %9.3e (%5.2f)", c->error[e][s], s ? report_order(c->error[e][s - 1], c->error[e][s], 2) : 0.0);
  printf("\n");
  resolution(report, poisson_cells[s]);
  for (int e = 0; e < errors; e++) {
    snprintf(line, sizeof line, "%s: %s over the reference", problem, names[e]);
    report_at_most(report, line, c->error[e][s] / reference[e], 2.0);
  }
}

/* Only the pressure is second-order: velocities next to the boundary are not. */
static void check_rates(Report *report, const Convergence *c, const char *problem)
{
  char line[80];
  report_resolution(report, "32 to 512 cells", 0.0);
  for (int e = 0; e < 2; e++) {
    snprintf(line, sizeof line, "%s: order of the %s", problem, names[e]);
    report_at_least(report, line, report_order(c->error[e][0], c->error[e][POISSON_SIZES - 1], 16), 1.8);
  }
}

static void dirichlet(Report *report, const char *problem, double (*phi)(double, double),
                      const double reference[POISSON_SIZES][2], Convergence *c)
{
  vlStatus status = {0};
  char title[64];
  snprintf(title, sizeof title, "Dirichlet: %s", problem);
  report_title(title, "poisson_irregular_reference_errors, dirichlet_gibou2002");
  for (int s = 0; s < POISSON_SIZES; s++) {
    PoissonNorms norms = {0};
    if (poisson_dirichlet(phi, poisson_cells[s], &norms, &status)) report_stop(report, problem, status.message);
    c->error[0][s] = norms.p_max;
    c->error[1][s] = norms.p_sum / norms.cells;
    check_grid(report, c, problem, s, 2, reference[s]);
  }
  check_rates(report, c, problem);
}

static void neumann(Report *report, Convergence *c)
{
  vlStatus status = {0};
  report_title("Neumann: circle as a container, exact face areas",
               "poisson_irregular_reference_errors, neumann_ng2009_area_fraction");
  for (int s = 0; s < POISSON_SIZES; s++) {
    PoissonNorms norms = {0};
    if (poisson_neumann(poisson_cells[s], &norms, &status)) report_stop(report, "container", status.message);
    const double error[ERRORS] = {norms.p_max, norms.p_sum / norms.cells, norms.u_max, norms.u_sum / norms.faces};
    for (int e = 0; e < ERRORS; e++) c->error[e][s] = error[e];
    check_grid(report, c, "container", s, ERRORS, poisson_neumann_reference[s]);
  }
  check_rates(report, c, "container");
}

static Plot panel(Convergence *c, const char *title, int errors)
{
  static const int colors[ERRORS] = {0, 2, 1, 4};
  Plot plot = {.title = title, .x_label = "cells along a side", .y_label = "error", .log_x = true, .log_y = true};
  plot.legend_low = true;
  for (int s = 0; s < POISSON_SIZES; s++) c->slope[s] = 0.4 * c->error[1][0] * pow(c->n[0] / c->n[s], 2);
  for (int e = 0; e < errors; e++)
    plot_add(&plot, (PlotSeries){c->n, c->error[e], POISSON_SIZES, names[e], .color = colors[e], .dots = true});
  plot_add(&plot, (PlotSeries){c->n, c->slope, POISSON_SIZES, "second order", .color = 6, .dashed = true});
  return plot;
}

int main(int argc, char **argv)
{
  static Convergence circle, star, container;
  Report report = report_begin("poisson", argc, argv);
  dirichlet(&report, "circle", poisson_circle, poisson_circle_reference, &circle);
  dirichlet(&report, "star", poisson_star, poisson_star_reference, &star);
  neumann(&report, &container);
  const Plot panels[] = {panel(&circle, "Poisson, p given on a circle", 2), panel(&star, "Poisson, p given on a star", 2),
                         panel(&container, "Flow in a round container", ERRORS)};
  report_plot(&report, panels, 3);
  return report_end(&report);
}
