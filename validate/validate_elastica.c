/* The elastica: a thin cantilever, L = 1 m, section 0.02 x 0.02 m, under tip loads and weights that bend it by more than
 * half its length. References: the inextensible rod by shooting (fourth-order Runge-Kutta, 1000 steps), tip displacements u
 * along the rod and v across it over L, for alpha = P L^2 / EI and kappa = q L^3 / EI [mattiasson1981].
 *
 * 20 and 40 quadratic elements' boxes along the rod, one across. Loads grow step by step; each equilibrium is the end of a
 * critically damped motion. */
#include "base/vec.h"
#include "beam.h"

enum { POINTS = 5, MESHES = 2 };

static const double L = 1.0, H = 0.02, E = 1e7, RHO = 1000.0;

typedef struct Point {
  double load, u, v; /* alpha or kappa, -u_x / L, -u_y / L */
} Point;

static const Point tip[POINTS] = {
    {0.5, 0.01592, 0.16214}, {1, 0.05643, 0.30172}, {2, 0.16064, 0.49346}, {5, 0.38763, 0.71379}, {10, 0.55500, 0.81061}};
static const Point weight[POINTS] = {
    {1, 0.00875, 0.12347}, {4, 0.10989, 0.42516}, {8, 0.27558, 0.64063}, {15, 0.47043, 0.78604}, {20, 0.55477, 0.82988}};

/* Tip displacements over L under the loads of a table. */
static void bend(const Report *report, int along, bool by_weight, const Point *table, Point *found)
{
  const double EI = E * H * H * H * H / 12.0, f = beam_frequency(E, RHO, H, L);
  Beam beam = {.length = L,
               .height = H,
               .width = H,
               .cells = {along, 1, 1},
               .material = {.density = RHO, .young = E, .poisson = 0.3, .mass_damping = 4.0 * VL_PI * f},
               .options = {VL_ELASTIC_QUADRATIC, VL_ELASTIC_BACKWARD_EULER}};
  vlElastic *body = beam_create(report, beam);
  for (int i = 0; i < POINTS; i++) {
    double g = by_weight ? table[i].load * EI / (RHO * H * H * L * L * L) : 0.0;
    if (!by_weight) beam_load(body, L, vl_vec(0, -table[i].load * EI / (L * L), 0));
    int steps = beam_settle(report, body, L, 0.08 / f, vl_vec(0, -g, 0));
    vlVec3 d = beam_tip(body, L);
    found[i] = (Point){table[i].load, -d.x / L, -d.y / L};
    printf("  %2d along, %s %5.2f: u/L %.5f (%.5f)  v/L %.5f (%.5f)  %d steps\n", along, by_weight ? "kappa" : "alpha",
           table[i].load, found[i].u, table[i].u, found[i].v, table[i].v, steps);
  }
  beam_destroy(body);
}

static double worst(const Point *table, const Point *found)
{
  double most = 0.0;
  for (int i = 0; i < POINTS; i++)
    most = fmax(most, fmax(fabs(found[i].u - table[i].u), fabs(found[i].v - table[i].v))); /* in L */
  return most;
}

static double worst_part(const Point *table, const Point *found)
{
  double most = 0.0;
  for (int i = 0; i < POINTS; i++) most = fmax(most, fabs(found[i].v / table[i].v - 1.0));
  return most;
}

static Plot panel(const char *title, const char *load, const Point *table, const Point *found, double data[5][POINTS])
{
  Plot plot = {.title = title, .x_label = load, .y_label = "displacement of the tip / L"};
  for (int i = 0; i < POINTS; i++) {
    data[0][i] = table[i].load;
    data[1][i] = table[i].u;
    data[2][i] = table[i].v;
    data[3][i] = found[i].u;
    data[4][i] = found[i].v;
  }
  plot_add(&plot, (PlotSeries){data[0], data[2], POINTS, "v, inextensible rod", .color = 6});
  plot_add(&plot, (PlotSeries){data[0], data[1], POINTS, "u, inextensible rod", .color = 6, .dashed = true});
  plot_add(&plot, (PlotSeries){data[0], data[4], POINTS, "v, 40 along", .color = 0, .dots = true, .no_line = true});
  plot_add(&plot, (PlotSeries){data[0], data[3], POINTS, "u, 40 along", .color = 1, .dots = true, .no_line = true});
  return plot;
}

int main(int argc, char **argv)
{
  static const int along[MESHES] = {20, 40};
  static double data[2][5][POINTS];
  Report report = report_begin("elastica", argc, argv);
  Point found[2][POINTS];
  report_title("Elastica, L = 1 m, 0.02 x 0.02 m, one quadratic element across", "inextensible rod, by shooting");
  for (int m = 0; m < MESHES; m++) {
    char text[48];
    for (int w = 0; w < 2; w++) bend(&report, along[m], w, w ? weight : tip, found[w]);
    snprintf(text, sizeof text, "quadratic; %d tetrahedra", 6 * along[m]);
    report_resolution(&report, text, 0.08 / beam_frequency(E, RHO, H, L));
    double limit = m ? 0.005 : 0.01;
    report_at_most(&report, "tip load: largest error of u and v over L", worst(tip, found[0]), limit);
    report_at_most(&report, "tip load: largest relative error of v", worst_part(tip, found[0]), 2 * limit);
    report_at_most(&report, "self-weight: largest error of u and v over L", worst(weight, found[1]), limit);
    report_at_most(&report, "self-weight: largest relative error of v", worst_part(weight, found[1]), 2 * limit);
  }
  Plot panels[2] = {panel("Elastica, tip load", "P L^2 / EI", tip, found[0], data[0]),
                    panel("Elastica, self-weight", "q L^3 / EI", weight, found[1], data[1])};
  report_plot(&report, panels, 2);
  return report_end(&report);
}
