/* A cantilever, L = 1 m, section 0.1 x 0.1 m, E = 1 MPa, nu = 0.3, rho = 1000 kg/m3, clamped at one end; deflections of
 * about 1e-4 L, so that beam theory is linear. Timoshenko's beam:
 *
 *     tip load       delta = P L^3 / (3 E I) + P L / (kappa G A)            kappa = 5/6
 *     self-weight    delta = q L^4 / (8 E I) + q L^2 / (2 kappa G A)
 *     frequency      (1.875104^2 / 2 pi) sqrt(E I / (rho A L^4))            (Euler-Bernoulli)
 *
 * Linear elements with 1 to 4 across the thickness, and quadratic ones with 1 and 2. Equilibrium is the limit of very long
 * steps. The frequency comes from zero crossings of the tip after the weight is taken away, by BDF2 and by backward Euler;
 * the latter also shows what it damps: a factor (1 + (omega dt)^2)^(-1/2) per step. */
#include "base/vec.h"
#include "base/words.h"
#include "beam.h"

enum { MESHES = 5, STEPS = 660, PER_PERIOD = 200 };

static const double L = 1.0, H = 0.1, E = 1e6, NU = 0.3, RHO = 1000.0;

typedef struct Mesh {
  vlElasticElement element;
  int across;
} Mesh;

static const Mesh meshes[MESHES] = {{VL_ELASTIC_LINEAR, 1},
                                    {VL_ELASTIC_LINEAR, 2},
                                    {VL_ELASTIC_LINEAR, 4},
                                    {VL_ELASTIC_QUADRATIC, 1},
                                    {VL_ELASTIC_QUADRATIC, 2}};

typedef struct Errors {
  double nodes, load, weight, frequency, damping; /* relative; damping: amplitude left after a period, over theory, - 1 */
} Errors;

static vlElastic *create(const Report *report, Mesh mesh, vlElasticScheme scheme)
{
  Beam beam = {.length = L,
               .height = H,
               .width = H,
               .cells = {10 * mesh.across, mesh.across, mesh.across},
               .material = {.density = RHO, .young = E, .poisson = NU},
               .options = {mesh.element, scheme}};
  return beam_create(report, beam);
}

/* Tip of the swinging beam over time, in periods of theory, relative to the start. */
static void swing(const Report *report, Mesh mesh, vlElasticScheme scheme, double t[STEPS], double y[STEPS])
{
  vlElastic *body = create(report, mesh, scheme);
  for (int i = 0; i < 3; i++) beam_step(report, body, 1e4, vl_vec(0, -1e-3, 0));
  memset(body->body.v, 0, (size_t)body->body.node_count * sizeof *body->body.v);
  vl_elastic_restart(body);
  double start = beam_tip(body, L).y, dt = 1.0 / beam_frequency(E, RHO, H, L) / PER_PERIOD;
  for (int i = 0; i < STEPS; i++) {
    t[i] = (double)i / PER_PERIOD;
    y[i] = beam_tip(body, L).y / start;
    beam_step(report, body, dt, vl_vec(0, 0, 0));
  }
  beam_destroy(body);
}

/* Three periods lie between the first and the seventh crossing. */
static double crossings_period(const double t[STEPS], const double y[STEPS])
{
  double first = NAN;
  int count = 0;
  for (int i = 1; i < STEPS; i++) {
    if (y[i - 1] * y[i] >= 0.0) continue;
    double at = t[i - 1] + (t[i] - t[i - 1]) * y[i - 1] / (y[i - 1] - y[i]);
    if (++count == 1) first = at;
    if (count == 7) return (at - first) / 3.0;
  }
  return NAN;
}

static double minimum_near(const double y[STEPS], double period, double at)
{
  double least = INFINITY;
  for (int i = (int)((at - 0.2) * period * PER_PERIOD); i < (int)((at + 0.2) * period * PER_PERIOD); i++)
    least = fmin(least, y[i]);
  return least;
}

static Errors measure(const Report *report, Mesh mesh)
{
  const double EI = E * H * H * H * H / 12.0, kGA = 5.0 / 6.0 * E / (2.0 * (1.0 + NU)) * H * H, P = 1e-3,
               q = 1e-3 * RHO * H * H;
  vlElastic *body = create(report, mesh, VL_ELASTIC_BACKWARD_EULER);
  Errors e = {.nodes = body->body.node_count};
  beam_load(body, L, vl_vec(0, -P, 0));
  for (int i = 0; i < 3; i++) beam_step(report, body, 1e4, vl_vec(0, 0, 0));
  e.load = -beam_tip(body, L).y / (P * L * L * L / (3.0 * EI) + P * L / kGA) - 1.0;
  beam_load(body, L, vl_vec(0, 0, 0));
  for (int i = 0; i < 3; i++) beam_step(report, body, 1e4, vl_vec(0, -1e-3, 0));
  e.weight = -beam_tip(body, L).y / (q * L * L * L * L / (8.0 * EI) + q * L * L / (2.0 * kGA)) - 1.0;
  printf("  %-9s %d across: %4d nodes %5d tetrahedra", vl_word(vl_element_words, mesh.element), mesh.across,
         body->body.node_count, body->body.element_count);
  beam_destroy(body);
  printf("   tip load %+6.2f %%  self-weight %+6.2f %%\n", 100 * e.load, 100 * e.weight);
  return e;
}

/* Both schemes from the same start. */
static void measure_swing(const Report *report, Mesh mesh, Errors *e, double t[STEPS], double y[2][STEPS])
{
  const double *euler = y[VL_ELASTIC_BACKWARD_EULER];
  for (int scheme = 0; scheme < 2; scheme++) swing(report, mesh, (vlElasticScheme)scheme, t, y[scheme]);
  double period = crossings_period(t, y[VL_ELASTIC_BDF2]), steps = period * PER_PERIOD,
         phase = 2.0 * VL_PI / steps; /* omega dt */
  double kept = minimum_near(euler, period, 2.5) / minimum_near(euler, period, 1.5);
  e->frequency = 1.0 / period - 1.0;
  e->damping = kept * pow(1.0 + phase * phase, 0.5 * steps) - 1.0;
  printf("  %s, %d across: frequency %+.2f %%; backward Euler keeps %.3f of the amplitude in a period\n",
         vl_word(vl_element_words, mesh.element), mesh.across, 100 * e->frequency, kept);
}

static void check(Report *report, const Errors e[MESHES])
{
  report_resolution(report, "quadratic; 1 across; 60 tetrahedra", 0.0);
  report_at_most(report, "1 quadratic across: error of the tip load's deflection", fabs(e[3].load), 0.05);
  report_at_most(report, "1 quadratic across: error of the self-weight's deflection", fabs(e[3].weight), 0.05);
  report_resolution(report, "quadratic; 1 across; 60 tetrahedra", 1.0 / beam_frequency(E, RHO, H, L) / PER_PERIOD);
  report_at_most(report, "1 quadratic across: error of the first frequency (BDF2)", fabs(e[3].frequency), 0.05);
  report_at_most(report, "backward Euler: amplitude after a period, off its theory", fabs(e[3].damping), 0.02);
  report_resolution(report, "quadratic; 2 across; 480 tetrahedra", 0.0);
  report_at_most(report, "2 quadratic across: error of the tip load's deflection", fabs(e[4].load), 0.02);
  report_at_most(report, "2 quadratic across: error of the self-weight's deflection", fabs(e[4].weight), 0.02);
  report_resolution(report, "linear; 2 and 4 across", 0.0);
  report_at_least(report, "linear: order of the error from 2 to 4 across", report_order(-e[1].load, -e[2].load, 2.0), 0.9);
}

int main(int argc, char **argv)
{
  static double t[STEPS], y[2][STEPS], exact[STEPS];
  Report report = report_begin("cantilever", argc, argv);
  Errors e[MESHES];
  report_title("Cantilever, L = 1 m, 0.1 x 0.1 m, small deflections",
               "Timoshenko's beam; first frequency of Euler and Bernoulli");
  for (int m = 0; m < MESHES; m++) e[m] = measure(&report, meshes[m]);
  measure_swing(&report, meshes[3], &e[3], t, y);
  check(&report, e);
  double across[2][3] = {{1, 2, 4}, {1, 2}}, error[2][3];
  for (int m = 0; m < MESHES; m++) error[m / 3][m % 3] = 100 * fabs(e[m].load);
  for (int i = 0; i < STEPS; i++) exact[i] = cos(2.0 * VL_PI * t[i]);
  Plot panels[2] = {{.title = "Cantilever, tip load",
                     .x_label = "elements across the thickness",
                     .y_label = "error (%)",
                     .log_x = true,
                     .log_y = true},
                    {.title = "Let go: 1 quadratic across, 200 steps a period",
                     .x_label = "time / period of theory",
                     .y_label = "tip / start"}};
  plot_add(&panels[0], (PlotSeries){across[0], error[0], 3, "linear", .color = 1, .dots = true});
  plot_add(&panels[0], (PlotSeries){across[1], error[1], 2, "quadratic", .color = 0, .dots = true});
  plot_add(&panels[1], (PlotSeries){t, exact, STEPS, "theory, first mode", .color = 6, .dashed = true});
  plot_add(&panels[1], (PlotSeries){t, y[VL_ELASTIC_BDF2], STEPS, "BDF2", .color = 0});
  plot_add(&panels[1], (PlotSeries){t, y[VL_ELASTIC_BACKWARD_EULER], STEPS, "backward Euler", .color = 1});
  report_plot(&report, panels, 2);
  return report_end(&report);
}
