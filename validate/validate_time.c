/* What the schemes in time take from things that swing, and what they make of their periods, by the number of steps in a
 * period: a bar under a column of water, a box that floats, water that sways, a vortex in a closed box (swings.h). The
 * period is compared with that of the smallest step.
 *
 * Reference: without damping a swing keeps its amplitude. */
#include "report.h"
#include "swings.h"

enum { ROWS = 5, FINEST = 350, PERIODS = 3 };
static const int steps_of[ROWS] = {20, 50, 100, 200, FINEST};

static SwingFit measure(const Report *report, const Swing *swing, const SwingScheme *scheme, int steps)
{
  static double y[PERIODS * FINEST];
  vlStatus status = {0};
  double dt = swing->period / steps;
  if (!swing_trace(swing, scheme, dt, PERIODS * steps, y, &status)) report_stop(report, swing->name, status.message);
  return swing_fit(y, PERIODS * steps, steps / 6, dt);
}

/* Returns the loss in a period with the smallest step. */
static double tabulate(const Report *report, const Swing *swing, const SwingScheme *scheme)
{
  SwingFit fit[ROWS];
  printf("  %s, %s\n    steps a period   amplitude lost, %%   error of the period, %%\n", swing->name, scheme->name);
  for (int i = 0; i < ROWS; i++) fit[i] = measure(report, swing, scheme, steps_of[i]);
  for (int i = 0; i < ROWS; i++)
    printf("    %14.0f   %17.4f   %22.4f\n", steps_of[i] * fit[i].period / swing->period, 100.0 * fit[i].loss,
           100.0 * (fit[i].period / fit[ROWS - 1].period - 1.0));
  return fit[ROWS - 1].loss;
}

static double tabulate_vortex(const Report *report, const SwingScheme *scheme)
{
  double coarsest = NAN;
  printf("  vortex, %s\n    steps a turn     speed lost, %%\n", scheme->name);
  for (int steps = 25; steps <= 200; steps *= 2) {
    vlStatus status = {0};
    double loss = vortex_loss(scheme, steps, &status);
    if (isnan(loss)) report_stop(report, "vortex", status.message);
    if (steps == 25) coarsest = loss;
    printf("    %12d   %15.2f\n", steps, 100.0 * loss);
  }
  return coarsest;
}

int main(int argc, char **argv)
{
  Report report = report_begin("time", argc, argv);
  report_title("Swings, by the scheme in time", "no damping, so amplitudes stay");
  double euler = tabulate(&report, &swing_bar, &swing_euler), apart = tabulate(&report, &swing_bar, &swing_bdf2),
         bar = tabulate(&report, &swing_bar, &swing_leapfrog);
  tabulate(&report, &swing_float, &swing_euler);
  double box = tabulate(&report, &swing_float, &swing_leapfrog);
  double sways = tabulate(&report, &swing_water, &swing_euler), leaps = tabulate(&report, &swing_water, &swing_leapfrog);
  double fades = tabulate_vortex(&report, &swing_euler), turns = tabulate_vortex(&report, &swing_leapfrog);
  report_resolution(&report, "25 steps a turn", 0.0);
  report_at_most(&report, "vortex, leapfrog: speed lost in a turn (%)", 100 * fabs(turns), 1.0);
  report_at_least(&report, "vortex, euler: the same (%)", 100 * fades, 5.0);
  report_resolution(&report, "350 steps a period", 0.0);
  report_at_most(&report, "bar under a column, leapfrog: amplitude lost per period (%)", 100 * fabs(bar), 0.1);
  report_at_most(&report, "floating box, leapfrog: amplitude lost per period (%)", 100 * fabs(box), 0.1);
  report_at_most(&report, "sloshing: what leapfrog loses beyond euler per period (%)", 100 * (leaps - sways), 1.0);
  report_at_least(&report, "bar under a column, euler: amplitude lost per period (%)", 100 * euler, 1.0);
  report_at_least(&report, "bar under a column, bdf2 of the bar alone: the same (%)", 100 * apart, 1.0);
  return report_end(&report);
}
