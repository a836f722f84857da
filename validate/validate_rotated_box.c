/* Flow in a turned square container (rotated_box.h): whether walls at any angle are as good as aligned ones, with each kind
 * of weights.
 *
 * Why angles differ: a cut face stands for the flow through its open part, whose middle lies up to dx/2 beside the face's,
 * so its flux is wrong by what u_x changes along y (or u_y along x) over that way. Liquid that flows along a wall and is
 * stretched there at the rate e has du_x/dy = du_y/dx = e sin(2 angle) in the grid's axes: none at 0 degrees, where the
 * solution is of second order everywhere, and most at 45. So the largest error is first order, C dx e sin(2 angle), and C is
 * what must not depend on the angle. */
#include "base/words.h"
#include "report.h"
#include "rotated_box.h"

enum { ANGLES = 5, SIZES = 4, ALIGNED = 0, FIRST = 1 };

static const double angles[ANGLES] = {0.0, 5.0, 22.5, 31.0, 45.0};
static const int sizes[SIZES] = {32, 64, 128, 256};

typedef struct Convergence {
  double n[SIZES], largest[ANGLES][SIZES], mean[ANGLES][SIZES], first[SIZES], second[SIZES];
  int sizes;
} Convergence;

static double radians(double degrees) { return degrees * VL_PI / 180.0; }

static void measure(Report *report, Convergence *c, vlWeightsKind kind, bool squared, int count, int positions)
{
  vlStatus status = {0};
  c->sizes = count;
  for (int t = 0; t < ANGLES; t++) {
    printf("  %4.1f degrees\n", angles[t]);
    for (int s = 0; s < count; s++) {
      RotatedNorms worst;
      RotatedBox box = {.cells = sizes[s], .angle = radians(angles[t]), .weights = kind, .squared = squared};
      if (rotated_worst(box, positions, &worst, &status))
        report_stop(report, vl_word(vl_weights_words, kind), status.message);
      c->n[s] = sizes[s];
      c->largest[t][s] = worst.largest;
      c->mean[t][s] = worst.mean;
      printf(
          "    N %4d  largest %9.3e (%5.2f)  mean %9.3e (%5.2f)   worst face %3.0f %% open, its centre %.2f cells from the "
          "wall\n",
          sizes[s], worst.largest, s ? report_order(c->largest[t][s - 1], worst.largest, 2) : 0.0, worst.mean,
          s ? report_order(c->mean[t][s - 1], worst.mean, 2) : 0.0, 100.0 * worst.worst_area, worst.worst_distance);
    }
  }
}

/* Largest over smallest among the angles that are none of the grid's own, by what the law says of them if asked to. */
static double spread(const Convergence *c, bool mean, int s, bool by_law)
{
  double lo = INFINITY, hi = 0.0;
  for (int t = FIRST; t < ANGLES; t++) {
    double value = (mean ? c->mean : c->largest)[t][s] / (by_law ? sin(2.0 * radians(angles[t])) : 1.0);
    lo = fmin(lo, value);
    hi = fmax(hi, value);
  }
  return hi / lo;
}

static double least_order(const Convergence *c, bool mean)
{
  double order = INFINITY;
  for (int t = FIRST; t < ANGLES; t++) {
    const double *error = mean ? c->mean[t] : c->largest[t];
    order = fmin(order, report_order(error[0], error[c->sizes - 1], (double)sizes[c->sizes - 1] / sizes[0]));
  }
  return order;
}

static void check_area(Report *report, const Convergence *c)
{
  char text[48];
  for (int s = 0; s < SIZES; s++) {
    double most = 0.0;
    for (int t = FIRST; t < ANGLES; t++) most = fmax(most, c->largest[t][s] / c->largest[2][s]);
    snprintf(text, sizeof text, "%d cells", sizes[s]);
    report_resolution(report, text, 0.0);
    report_at_most(report, "area: largest error over sin(2 angle); 5 to 45 degrees differ by", spread(c, false, s, true),
                   2.5);
    report_at_most(report, "area: largest error; worst angle over 22.5 degrees", most, 2.5);
    report_at_most(report, "area: mean error; 5 to 45 degrees differ by", spread(c, true, s, false), 4.0);
    printf("  %-66s %10.4g   (small angles are better, by the law)\n", "area: largest error; 5 to 45 degrees differ by",
           spread(c, false, s, false));
  }
  report_resolution(report, "32 to 256 cells", 0.0);
  report_at_least(report, "area: order of the largest error; worst angle", least_order(c, false), 0.9);
  report_at_least(report, "area: order of the mean error; worst angle", least_order(c, true), 1.8);
  report_at_least(report, "area; 0 degrees: order of the largest error",
                  report_order(c->largest[ALIGNED][0], c->largest[ALIGNED][SIZES - 1], 8), 1.8);
}

/* At 22.5 degrees, where no symmetry helps. */
static void check_other(Report *report, const Convergence *c, const Convergence *area, vlWeightsKind kind)
{
  char line[96];
  int last = c->sizes - 1;
  snprintf(line, sizeof line, "%s; 22.5 degrees: order of the largest error", vl_word(vl_weights_words, kind));
  report_at_most(report, line, report_order(c->largest[2][0], c->largest[2][last], 4), 0.3);
  snprintf(line, sizeof line, "%s; 22.5 degrees: largest error over that of area", vl_word(vl_weights_words, kind));
  report_at_least(report, line, c->largest[2][last] / area->largest[2][last], 3.0);
  snprintf(line, sizeof line, "%s; 22.5 degrees: order of the mean error", vl_word(vl_weights_words, kind));
  report_at_most(report, line, report_order(c->mean[2][0], c->mean[2][last], 4), 1.4);
}

static Plot angle_panel(Convergence *c)
{
  static const char *const names[ANGLES] = {"0 degrees", "5", "22.5", "31", "45 degrees"};
  Plot plot = {
      .title = "Turned square, area: largest error of u", .x_label = "cells along the box", .y_label = "error, m/s"};
  plot.log_x = plot.log_y = plot.legend_low = true;
  for (int t = 0; t < ANGLES; t++)
    plot_add(&plot, (PlotSeries){c->n, c->largest[t], c->sizes, names[t], .color = t, .dots = true});
  for (int s = 0; s < c->sizes; s++) c->first[s] = 1.4 * c->largest[4][0] * c->n[0] / c->n[s];
  plot_add(&plot, (PlotSeries){c->n, c->first, c->sizes, "first order", .color = 6, .dashed = true});
  return plot;
}

static Plot mean_panel(Convergence *c)
{
  static const char *const names[ANGLES] = {"0 degrees", "5", "22.5", "31", "45 degrees"};
  Plot plot = {.title = "Turned square, area: mean error of u", .x_label = "cells along the box", .y_label = "error, m/s"};
  plot.log_x = plot.log_y = plot.legend_low = true;
  for (int t = 0; t < ANGLES; t++)
    plot_add(&plot, (PlotSeries){c->n, c->mean[t], c->sizes, names[t], .color = t, .dots = true});
  for (int s = 0; s < c->sizes; s++) c->second[s] = 1.6 * c->mean[3][0] * pow(c->n[0] / c->n[s], 2);
  plot_add(&plot, (PlotSeries){c->n, c->second, c->sizes, "second order", .color = 6, .dashed = true});
  return plot;
}

static Plot kind_panel(Convergence *c)
{
  static const int colors[] = {0, 2, 4, 1};
  Plot plot = {.title = "Turned square, 22.5 degrees", .x_label = "cells along the box", .y_label = "largest error, m/s"};
  plot.log_x = plot.log_y = plot.legend_low = true;
  for (int k = 0; k < VL_WEIGHTS_KIND_COUNT; k++)
    plot_add(&plot, (PlotSeries){c[k].n, c[k].largest[2], c[k].sizes, vl_word(vl_weights_words, k), .color = colors[k],
                                 .dots = true});
  return plot;
}

int main(int argc, char **argv)
{
  static Convergence by_kind[VL_WEIGHTS_KIND_COUNT], squared;
  Report report = report_begin("rotated_box", argc, argv);
  report_title("area, psi = sin sin", "exact projection of an analytic field; worst and mean of 8 positions");
  measure(&report, &by_kind[VL_WEIGHTS_AREA], VL_WEIGHTS_AREA, false, SIZES, 8);
  check_area(&report, &by_kind[VL_WEIGHTS_AREA]);
  report_title("area, psi = sin2 sin2: no flow along the walls, where the law has nothing to act on", "the same");
  measure(&report, &squared, VL_WEIGHTS_AREA, true, SIZES - 1, 8);
  report_resolution(&report, "32 to 128 cells", 0.0);
  report_at_least(&report, "area; sin2 sin2: order of the largest error; worst angle", least_order(&squared, false), 0.9);
  report_at_least(&report, "area; sin2 sin2: order of the mean error; worst angle", least_order(&squared, true), 1.8);
  for (int kind = VL_WEIGHTS_VOLUME; kind < VL_WEIGHTS_KIND_COUNT; kind++) {
    report_title(vl_word(vl_weights_words, kind), "the same, 4 positions");
    measure(&report, &by_kind[kind], (vlWeightsKind)kind, false, SIZES - 1, 4);
    check_other(&report, &by_kind[kind], &by_kind[VL_WEIGHTS_AREA], (vlWeightsKind)kind);
  }
  const Plot panels[] = {angle_panel(&by_kind[0]), mean_panel(&by_kind[0]), kind_panel(by_kind)};
  report_plot(&report, panels, 3);
  return report_end(&report);
}
