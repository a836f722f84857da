/* The surface of frames encloses what the particles stand for.
 *  - Scenes of the gallery, coarse, frame by frame: drawn volume over that of the particles, largest difference.
 *  - A splash, step by step: the ratio must not jump.
 *  - Water at rest: drawn as flat at the end as it was poured.
 * Plotted beside the level set that the pressure solve sees, which does not count particles. */
#include <math.h>
#include <velella/velella.h>

#include "report.h"

static const double LIMIT = 0.03; /* of the volume */
static const double JUMP = 0.01;  /* of the volume, from one step to the next */
static const double FLAT = 0.05;  /* cells, rms */
enum { FRAMES = 24, WORDS = 100 };

/* Scenes in which liquid is poured, thrown or broken, with cells enough for it to do so. */
static const struct {
  const char *name;
  int cells;
  double until; /* s */
} scenes[] = {{"dam_break", 40, 2.0}, {"drop", 32, 1.2},        {"fountain", 40, 2.0},   {"funnel", 32, 2.0},
              {"obstacle", 32, 2.0},  {"paddle", 32, 2.0},      {"peel", 64, 0.6},       {"peel_3d", 48, 0.6},
              {"piston", 40, 2.0},    {"six_bodies", 24, 1.0},  {"slab", 64, 2.0},       {"sloshing", 32, 2.0},
              {"stability", 20, 1.0}, {"tilted_tank", 32, 2.0}, {"vortex_box", 32, 1.0}, {"waterfall", 40, 2.0}};
enum { SCENES = sizeof scenes / sizeof *scenes };

static void need(const Report *report, vlCode code, const vlStatus *status, const char *what)
{
  if (code) report_stop(report, what, status->message);
}

static vlSim *begin(const Report *report, const char *name, int cells)
{
  char text[32];
  const vlSetting settings[] = {{text}};
  vlScene scene;
  vlStatus status = {0};
  vlSim *sim = NULL;
  snprintf(text, sizeof text, "grid.cells=%d", cells);
  need(report, vl_scene_load(&scene, name, settings, 1, &status), &status, name);
  need(report, vl_sim_create(&sim, &scene, (vlSimOptions){0}, &status), &status, name);
  vl_scene_clear(&scene);
  return sim;
}

/* Drawn volume over that of the particles, less one. */
static double excess(const Report *report, vlSim *sim)
{
  vlStatus status = {0};
  vlMeshView mesh;
  need(report, vl_sim_surface(sim, &mesh, &status), &status, "the surface");
  vlParticleView p = vl_sim_particles(sim);
  return p.count ? vl_mesh_volume(&mesh) / ((double)p.count * p.volume) - 1.0 : 0.0;
}

static double farther(double a, double b) { return fabs(b) > fabs(a) ? b : a; }

/* In percent, over the time of the scene. */
typedef struct Course {
  double t[FRAMES + 1], drawn[FRAMES + 1], level_set[FRAMES + 1];
} Course;

static void check_scene(Report *report, int i, Course *course)
{
  char words[WORDS], cells[32];
  double worst = 0.0;
  vlStatus status = {0};
  vlSim *sim = begin(report, scenes[i].name, scenes[i].cells);
  for (int f = 0; f <= FRAMES; f++) {
    vlStepInfo info = {.volume = 1.0, .particle_volume = 1.0};
    need(report, vl_sim_advance(sim, scenes[i].until * f / FRAMES, &info, &status), &status, scenes[i].name);
    double off = excess(report, sim);
    worst = farther(worst, off);
    course->t[f] = (double)f / FRAMES;
    course->drawn[f] = 100.0 * off;
    course->level_set[f] = f ? 100.0 * (info.volume / info.particle_volume - 1.0) : NAN;
  }
  snprintf(cells, sizeof cells, "%d cells", scenes[i].cells);
  report_resolution(report, cells, vl_sim_time(sim) / (double)vl_sim_step_count(sim));
  snprintf(words, sizeof words, "%s: drawn volume off by", scenes[i].name);
  report_at_most(report, words, fabs(worst), LIMIT);
  vl_sim_destroy(&sim);
}

/* The column has hit the wall and its spray falls back. */
static void check_jumps(Report *report)
{
  enum { STEPS = 80 };
  double most = 0.0, before = 0.0;
  vlStatus status = {0};
  vlSim *sim = begin(report, "dam_break", 32);
  need(report, vl_sim_advance(sim, 0.8, NULL, &status), &status, "dam_break");
  for (int i = 0; i <= STEPS; i++) {
    double now = excess(report, sim);
    if (i > 0) most = farther(most, now - before);
    before = now;
    need(report, vl_sim_step(sim, INFINITY, NULL, &status), &status, "dam_break");
  }
  report_resolution(report, "32 cells", vl_sim_time(sim) / (double)vl_sim_step_count(sim));
  report_at_most(report, "a splash: drawn volume from step to step", fabs(most), JUMP);
  vl_sim_destroy(&sim);
}

/* Cells: rms height over the mean of the vertices on top, away from the sides. */
static double roughness(const Report *report, vlSim *sim, double level)
{
  vlStatus status = {0};
  vlMeshView mesh;
  double sum = 0.0, squares = 0.0, dx = vl_sim_grid(sim).dx;
  int count = 0;
  need(report, vl_sim_surface(sim, &mesh, &status), &status, "the surface");
  for (int v = 0; v < mesh.vertex_count; v++) {
    vlVec3 x = mesh.vertices[v];
    if (x.y < level - 2.0 * dx || fmin(x.x, x.z) < 0.1 || fmax(x.x, x.z) > 0.9) continue;
    sum += x.y - level;
    squares += (x.y - level) * (x.y - level);
    count++;
  }
  sum /= count;
  return sqrt(fmax(0.0, squares / count - sum * sum)) / dx;
}

static void check_rest(Report *report)
{
  static const char text[] = "grid: {size: [1, 1, 1], cells: 32}\nliquid: {level: 0.413}\n";
  vlScene scene;
  vlStatus status = {0};
  vlSim *sim = NULL;
  need(report, vl_scene_parse(&scene, text, sizeof text - 1, "level", NULL, 0, &status), &status, "level");
  need(report, vl_sim_create(&sim, &scene, (vlSimOptions){0}, &status), &status, "level");
  vl_scene_clear(&scene);
  report_resolution(report, "32 cells", 0.0);
  report_at_most(report, "level water: roughness as it is poured (cells; rms)", roughness(report, sim, 0.413), FLAT);
  need(report, vl_sim_advance(sim, 2.0, NULL, &status), &status, "level");
  report_at_most(report, "level water: after 2 s", roughness(report, sim, 0.413), FLAT);
  vl_sim_destroy(&sim);
}

int main(int argc, char **argv)
{
  static Course course[SCENES];
  static const char *const shown[] = {"dam_break", "fountain", "peel_3d", "waterfall"};
  Report report = report_begin("drawn", argc, argv);
  Plot plots[] = {{.title = "Drawn", .x_label = "part of the time", .y_label = "over the particles' volume (%)"},
                  {.title = "Level set of the step", .x_label = "part of the time", .y_label = "the same (%)"}};
  report_title("Volume of the drawn surface", "number of particles times the volume of each");
  for (int i = 0; i < SCENES; i++) {
    check_scene(&report, i, &course[i]);
    for (int k = 0; k < 4; k++) {
      if (strcmp(shown[k], scenes[i].name) != 0) continue;
      plot_add(&plots[0], (PlotSeries){course[i].t, course[i].drawn, FRAMES + 1, shown[k], .color = k});
      plot_add(&plots[1], (PlotSeries){course[i].t, course[i].level_set, FRAMES + 1, shown[k], .color = k});
    }
  }
  check_jumps(&report);
  check_rest(&report);
  report_plot(&report, plots, 2);
  return report_end(&report);
}
