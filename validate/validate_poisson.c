/* Poisson problems with irregular boundaries (poisson_problems.h): errors over five grids against the reference ones, and
 * their rates. */
#include <stdlib.h>

#include "poisson_problems.h"
#include "report.h"

static void fail(const vlStatus *status)
{
  fprintf(stderr, "validate_poisson: %s\n", status->message);
  exit(1);
}

static void dirichlet(Report *report, const char *title, double (*phi)(double, double),
                      const double reference[POISSON_SIZES][2])
{
  char line[80];
  vlStatus status = {0};
  double last[2] = {0}, first[2] = {0};
  report_title(title, "poisson_irregular_reference_errors, dirichlet_gibou2002");
  for (int s = 0; s < POISSON_SIZES; s++) {
    PoissonNorms norms = {0};
    if (poisson_dirichlet(phi, poisson_cells[s], &norms, &status)) fail(&status);
    double error[2] = {norms.p_max, norms.p_sum / norms.cells};
    printf("  N %4d   p max %9.3e (%5.2f)   p mean %9.3e (%5.2f)\n", poisson_cells[s], error[0],
           s ? report_order(last[0], error[0], 2) : 0.0, error[1], s ? report_order(last[1], error[1], 2) : 0.0);
    for (int e = 0; e < 2; e++) {
      snprintf(line, sizeof line, "N %d: %s error of p over the reference", poisson_cells[s], e ? "mean" : "largest");
      report_at_most(report, line, error[e] / reference[s][e], 2.0);
      last[e] = error[e];
      if (s == 0) first[e] = error[e];
    }
  }
  for (int e = 0; e < 2; e++)
    report_at_least(report, e ? "rate of the mean error, N 32 to 512" : "rate of the largest error, N 32 to 512",
                    report_order(first[e], last[e], 16), 1.8);
}

static void neumann(Report *report)
{
  static const char *const name[4] = {"largest error of p", "mean error of p", "largest error of u", "mean error of u"};
  char line[80];
  vlStatus status = {0};
  double first[4] = {0}, last[4] = {0};
  report_title("Neumann: circle as a container, exact face areas",
               "poisson_irregular_reference_errors, neumann_ng2009_area_fraction");
  for (int s = 0; s < POISSON_SIZES; s++) {
    PoissonNorms norms = {0};
    if (poisson_neumann(poisson_cells[s], &norms, &status)) fail(&status);
    double error[4] = {norms.p_max, norms.p_sum / norms.cells, norms.u_max, norms.u_sum / norms.faces};
    printf("  N %4d", poisson_cells[s]);
    for (int e = 0; e < 4; e++) printf("   %9.3e (%5.2f)", error[e], s ? report_order(last[e], error[e], 2) : 0.0);
    printf("\n");
    for (int e = 0; e < 4; e++) {
      snprintf(line, sizeof line, "N %d: %s over the reference", poisson_cells[s], name[e]);
      report_at_most(report, line, error[e] / poisson_neumann_reference[s][e], 2.0);
      last[e] = error[e];
      if (s == 0) first[e] = error[e];
    }
  }
  for (int e = 0; e < 2; e++) {
    snprintf(line, sizeof line, "rate of the %s, N 32 to 512", name[e]);
    report_at_least(report, line, report_order(first[e], last[e], 16), 1.8);
  }
}

int main(void)
{
  Report report = {0};
  dirichlet(&report, "Dirichlet: circle", poisson_circle, poisson_circle_reference);
  dirichlet(&report, "Dirichlet: star", poisson_star, poisson_star_reference);
  neumann(&report);
  return report_end(&report);
}
