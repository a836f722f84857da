/* Liquid and bodies as one medium (engine: immersed), the long cases: balls afloat as deep as they are dense for ten
 * seconds, with the liquid's volume; a body dropped into a pool; blocks on a slope against Coulomb's law. */
#include "base/vec.h"
#include "engine/immersed/immersed.h"
#include "report.h"
#include "scene/scene.h"
#include "solid/reduced.h"

enum { CELLS = 24 }; /* ten across a ball */

static vlSim *begin(const Report *report, const char *text)
{
  vlScene scene;
  vlStatus status = {0};
  vlSim *sim = NULL;
  vlCode code = vl_scene_parse(&scene, text, strlen(text), "immersed.yaml", NULL, 0, &status);
  if (!code) code = vl_sim_create(&sim, &scene, (vlSimOptions){.threads = 1}, &status);
  if (code) report_stop(report, "immersed", status.message);
  vl_scene_clear(&scene);
  return sim;
}

static vlStepInfo step(const Report *report, vlSim *sim)
{
  vlStatus status = {0};
  vlStepInfo info = {0};
  if (vl_sim_step(sim, 1.0 / 60.0, &info, &status)) report_stop(report, "immersed", status.message);
  return info;
}

static double level_of(const vlSim *sim)
{
  vlGridView g = vl_sim_grid(sim);
  vlProbeDef probe = {.kind = VL_PROBE_HEIGHT, .position = vl_axpy(g.origin, g.dx, vl_vec(2.5, 0, 2.5))};
  double level[3] = {0};
  vl_sim_probe(sim, &probe, level);
  return g.origin.y + level[0];
}

/* Part of a ball below the level, were it round. */
static double under(double level, double y, double r)
{
  double h = fmin(fmax((level - y + r) / r, 0.0), 2.0);
  return h * h * (3.0 - h) / 4.0;
}

static void validate_afloat(Report *report, int cells)
{
  const double density[] = {300, 540, 800};
  report_title("balls afloat for ten seconds", "Archimedes");
  for (int k = 0; k < 3; k++) {
    char text[512], line[96];
    snprintf(text, sizeof text,
             "{engine: immersed, grid: {cells: %d}, liquid: {level: 0.5}, bodies: [{name: a, shape: sphere, center: [0.5, "
             "%g, 0.5], radius: 0.2, cell: 0.05, young: 2e5, density: %g}]}",
             cells, 0.65 - 0.3 * density[k] / 1000.0, density[k]);
    vlSim *sim = begin(report, text);
    double part = 0.0, drift = 0.0, volume = 0.0, first = 0.0;
    for (int s = 0; s < 600; s++) {
      vlStepInfo info = step(report, sim);
      if (s == 60) first = info.volume;
      if (s >= 60) volume = fmax(volume, fabs(info.volume / first - 1.0));
      vlBodyInfo body = vl_sim_body(sim, 0).info;
      if (s >= 180) part += under(level_of(sim), body.center.y, 0.2) / 420.0;
      if (s >= 180) drift = fmax(drift, hypot(body.velocity.x, body.velocity.z));
    }
    snprintf(line, sizeof line, "%g kg/m3: part under water less density ratio", density[k]);
    report_at_most(report, line, fabs(part - density[k] / 1000.0), 0.05);
    snprintf(line, sizeof line, "%g kg/m3: change of the volume from 1 s on", density[k]);
    report_at_most(report, line, volume, 0.02);
    snprintf(line, sizeof line, "%g kg/m3: drift along the surface, m/s", density[k]);
    report_at_most(report, line, drift, 0.05);
    vl_sim_destroy(&sim);
  }
}

static void validate_slope(Report *report)
{
  const double g = 9.81, slope = 20.0 * 3.14159265 / 180.0;
  report_title("a block on a slope of 20 degrees", "Coulomb: a = g (sin - mu cos), or rest");
  for (int k = 0; k < 4; k++) {
    double mu = 0.15 * k, speed[2] = {0}, a = fmax(0.0, g * (sin(slope) - mu * cos(slope)));
    char text[1024], line[96];
    snprintf(
        text, sizeof text,
        "{engine: immersed, grid: {size: [2, 1.4, 0.75], cells: 48}, solids: [{shape: halfspace, center: [1, 0.4, "
        "0.375], normal: [0.34202, 0.939693, 0]}], bodies: [{name: a, shape: box, center: [0.5, %g, 0.375], size: [0.3, "
        "0.3, 0.3], rotate: z -20, cell: 0.06, young: 3e5, density: 1000, mass_damping: 0, friction: %g}]}",
        0.4 + 0.5 * tan(slope) + 0.153 / cos(slope), mu);
    vlSim *sim = begin(report, text);
    for (int s = 0; s < 42; s++) {
      step(report, sim);
      if (s == 17) speed[0] = vl_norm(vl_sim_body(sim, 0).info.velocity);
    }
    speed[1] = vl_norm(vl_sim_body(sim, 0).info.velocity);
    snprintf(line, sizeof line, "friction %g: error of its acceleration over g", mu);
    report_at_most(report, line, fabs((speed[1] - speed[0]) / 0.4 - a) / g, 0.04);
    snprintf(line, sizeof line, "friction %g: speed where it should rest, m/s", mu);
    if (a == 0.0) report_at_most(report, line, speed[1], 0.06);
    vl_sim_destroy(&sim);
  }
}

static void validate_drop(Report *report, int cells)
{
  char text[512];
  double strain = 0.0;
  int inverted = 0;
  report_title("a ball of 660 kg/m3 dropped into a pool", "nothing turns inside out, the body keeps its volume");
  snprintf(text, sizeof text,
           "{engine: immersed, grid: {cells: %d}, liquid: {level: 0.45}, bodies: [{name: a, shape: sphere, center: [0.5, "
           "0.76, 0.5], radius: 0.2, cell: 0.05, young: 2e5, density: 660}]}",
           cells);
  vlSim *sim = begin(report, text);
  const vlBody *body = vl_sharp(sim)->state.bodies.body[0];
  for (int s = 0; s < 180; s++) {
    step(report, sim);
    vlBodyInfo info = vl_sim_body(sim, 0).info;
    inverted += info.inverted;
    strain = fmax(strain, sqrt(2.0 * info.elastic_energy / (2e5 / 1.3 * info.volume)));
  }
  report_at_most(report, "elements inside out", inverted, 0);
  report_at_most(report, "largest mean strain", strain, 0.2);
  report_at_most(report, "largest change of its volume",
                 fabs(vl_sim_body(sim, 0).info.volume / ((const vlReduced *)body)->volume - 1.0), 0.02);
  vl_sim_destroy(&sim);
}

int main(int argc, char **argv)
{
  Report report = report_begin("immersed", argc, argv);
  int cells = report_cells(argc, argv, CELLS);
  char resolution[32];
  snprintf(resolution, sizeof resolution, "%d cells", cells);
  report_resolution(&report, resolution, 1.0 / 60.0);
  validate_afloat(&report, cells);
  validate_drop(&report, cells);
  report_resolution(&report, "48 cells", 1.0 / 60.0);
  validate_slope(&report);
  return report_end(&report);
}
