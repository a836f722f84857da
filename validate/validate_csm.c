/* The solid tests of Turek and Hron [turek2006]: a beam of 0.35 x 0.02 m behind a cylinder of radius 0.05 m, plane strain,
 * rho = 1000 kg/m3, nu = 0.4, under gravity of 2 m/s2. Displacement of the tip's middle:
 *
 *     CSM1   E = 1.4 MPa, at rest       (-7.187, -66.10) mm
 *     CSM2   E = 5.6 MPa, at rest       (-0.469, -16.97) mm
 *     CSM3   E = 1.4 MPa, let go        (-14.305 +- 14.305, -63.607 +- 65.160) mm at 1.0995 Hz
 *
 * Quadratic elements, one layer along z with u_z = 0. With two elements across, the root follows the cylinder; with one
 * there is no corner on the middle line, and the root is the plane x = 0. The reference's material (Saint Venant-Kirchhoff)
 * and ours agree to the order of the strain, here 1 %. CSM3 runs for five periods with 200 steps a period. */
#include "base/vec.h"
#include "beam.h"

enum { MESHES = 5, COARSE = 2, STEPS = 1000, REFERENCE = 41 };

static const double L = 0.35, H = 0.02, G = 2.0, DT = 0.005;
static const int cells[MESHES][2] = {{9, 1}, {18, 1}, {36, 1}, {18, 2}, {36, 2}}; /* no checks of the first COARSE */

/* CSM3 of the authors' own code, every 0.05 s: u_y (mm). */
static const double reference[REFERENCE] = {
    0.000,    -2.389,   -13.577, -32.312,  -52.037,  -74.222,  -96.563,  -112.561, -123.599, -129.584, -126.266,
    -115.963, -101.646, -80.784, -57.523,  -37.526,  -18.490,  -4.438,   -0.147,   -1.438,   -9.385,   -26.658,
    -46.570,  -67.615,  -90.801, -109.086, -121.022, -128.659, -128.091, -119.069, -105.957, -87.358,  -63.879,
    -42.696,  -23.731,  -7.262,  -0.222,   -0.671,   -6.267,   -21.239,  -41.370};

static vlElastic *create(const Report *report, const int n[2], double E, double damping, vlElasticScheme scheme)
{
  Beam beam = {.length = L,
               .height = H,
               .width = L / n[0],
               .cells = {n[0], n[1], 1},
               .material = {.density = 1000.0, .young = E, .poisson = 0.4, .mass_damping = damping},
               .options = {VL_ELASTIC_QUADRATIC, scheme},
               .slab = true,
               .root = n[1] % 2 == 0 ? 0.05 : 0.0};
  return beam_create(report, beam);
}

static vlVec3 rest(const Report *report, const int n[2], double E)
{
  double f = beam_frequency(E, 1000.0, H, L);
  vlElastic *body = create(report, n, E, 4.0 * VL_PI * f, VL_ELASTIC_BACKWARD_EULER);
  beam_settle(report, body, L, 0.08 / f, vl_vec(0, -G, 0));
  vlVec3 d = vl_scale(beam_tip(body, L), 1e3);
  printf("  E %.1f MPa, %2d x %d boxes, %4d nodes, %4d tetrahedra: (%7.3f, %7.3f) mm\n", 1e-6 * E, n[0], n[1],
         body->body.node_count, body->body.element_count, d.x, d.y);
  beam_destroy(body);
  return d;
}

static void check_rest(Report *report)
{
  static const double E[2] = {1.4e6, 5.6e6}, ux[2] = {-7.187, -0.469}, uy[2] = {-66.10, -16.97};
  for (int m = 0; m < MESHES; m++) {
    char text[48], line[80];
    snprintf(text, sizeof text, "%d x %d boxes; %d tetrahedra", cells[m][0], cells[m][1], 6 * cells[m][0] * cells[m][1]);
    report_resolution(report, text, 0.0);
    for (int k = 0; k < 2; k++) {
      vlVec3 d = rest(report, cells[m], E[k]);
      if (m < COARSE) continue;
      snprintf(line, sizeof line, "CSM%d, %s: error of u_y", k + 1, text);
      report_at_most(report, line, fabs(d.y / uy[k] - 1.0), 0.05);
      snprintf(line, sizeof line, "CSM%d, %s: error of u_x", k + 1, text);
      report_at_most(report, line, fabs(d.x / ux[k] - 1.0), 0.05); /* goes as the square of u_y */
    }
  }
}

static void swing(const Report *report, const int n[2], vlElasticScheme scheme, double t[STEPS], vlVec3 u[STEPS])
{
  vlElastic *body = create(report, n, 1.4e6, 0.0, scheme);
  for (int i = 0; i < STEPS; i++) {
    t[i] = i * DT;
    u[i] = vl_scale(beam_tip(body, L), 1e3);
    beam_step(report, body, DT, vl_vec(0, -G, 0));
  }
  beam_destroy(body);
}

/* Mean time between crossings of the middle in the same direction. */
static double frequency(const double t[STEPS], const vlVec3 u[STEPS], double middle)
{
  double first = NAN, last = NAN;
  int count = 0;
  for (int i = 1; i < STEPS; i++) {
    double a = u[i - 1].y - middle, b = u[i].y - middle;
    if (!(a > 0.0 && b <= 0.0)) continue;
    last = t[i - 1] + (t[i] - t[i - 1]) * a / (a - b);
    if (count++ == 0) first = last;
  }
  return (count - 1) / (last - first);
}

static void check_swing(Report *report, const double t[STEPS], const vlVec3 u[STEPS])
{
  vlVec3 lo = u[0], hi = u[0];
  for (int i = 0; i < STEPS; i++) lo = vl_min(lo, u[i]), hi = vl_max(hi, u[i]);
  vlVec3 middle = vl_scale(vl_add(lo, hi), 0.5), half = vl_scale(vl_sub(hi, lo), 0.5);
  double f = frequency(t, u, middle.y);
  printf("  CSM3, BDF2: u_x %.3f +- %.3f mm, u_y %.3f +- %.3f mm, %.4f Hz\n", middle.x, half.x, middle.y, half.y, f);
  report_resolution(report, "18 x 2 boxes; 216 tetrahedra", DT);
  report_at_most(report, "CSM3: error of the frequency", fabs(f / 1.0995 - 1.0), 0.02);
  report_at_most(report, "CSM3: error of the amplitude of u_y", fabs(half.y / 65.160 - 1.0), 0.05);
  report_at_most(report, "CSM3: error of the mean of u_y", fabs(middle.y / -63.607 - 1.0), 0.05);
  report_at_most(report, "CSM3: error of the amplitude of u_x", fabs(half.x / 14.305 - 1.0), 0.05);
  double late = 0.0; /* lowest point of the last period over that of the first: what BDF2 has damped */
  for (int i = STEPS - 190; i < STEPS; i++) late = fmin(late, u[i].y);
  report_at_least(report, "CSM3: lowest point of the fifth period over all", late / lo.y, 0.98);
}

int main(int argc, char **argv)
{
  static double t[STEPS], y[2][STEPS], rt[REFERENCE];
  static vlVec3 u[2][STEPS];
  Report report = report_begin("csm", argc, argv);
  report_title("Turek and Hron's beam, plane strain", "CSM1 to CSM3 of the benchmark's authors");
  check_rest(&report);
  for (int scheme = 0; scheme < 2; scheme++) {
    swing(&report, cells[3], (vlElasticScheme)scheme, t, u[scheme]);
    for (int i = 0; i < STEPS; i++) y[scheme][i] = u[scheme][i].y;
  }
  check_swing(&report, t, u[VL_ELASTIC_BDF2]);
  for (int i = 0; i < REFERENCE; i++) rt[i] = 0.05 * i;
  Plot plot = {.title = "CSM3: the beam let go", .x_label = "t (s)", .y_label = "u_y of the tip (mm)"};
  plot_add(&plot, (PlotSeries){t, y[VL_ELASTIC_BDF2], STEPS, "BDF2", .color = 0});
  plot_add(&plot, (PlotSeries){t, y[VL_ELASTIC_BACKWARD_EULER], STEPS, "backward Euler", .color = 1});
  plot_add(&plot,
           (PlotSeries){rt, reference, REFERENCE, "reference, the first 2 s", .color = 6, .dots = true, .no_line = true});
  report_plot(&report, &plot, 1);
  return report_end(&report);
}
