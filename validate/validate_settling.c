/* A dam break in a cube, as in scenes/dam_break.yaml, until the water has settled: 10 s, 64 cells along a side.
 *
 * Kept: the volume inside the liquid's surface and the particles per cell inside it. Never gained: energy. Velocities stand
 * half a step before positions, so the energy of a step is its kinetic energy and the mean of the potential energies
 * before and after it; that needs no small steps. The reference is the state before the first step, the zero of potential
 * energy the floor. The front is at the far wall when a particle is within a cell of it. */
#include "base/vec.h"
#include "engine/sharp/sharp.h"
#include "report.h"

enum { CELLS = 64, SAMPLES = 16384 };

static const double END = 10.0, SETTLED = 8.0; /* s */
static const double WIDTH = 0.4, HEIGHT = 0.75;

typedef struct History {
  double t[SAMPLES], kinetic[SAMPLES], potential[SAMPLES], energy[SAMPLES]; /* over the energy at the start */
  double volume[SAMPLES];                                                   /* over the drawn one */
  double filling[SAMPLES];
  double at_wall; /* s: the front reaches the far wall */
  double mesh;    /* volume inside the surface written to frames, at the end, over the drawn one */
  int count;
} History;

static bool at_wall(const vlSim *sim)
{
  const vlParticles *p = vl_sharp(sim)->state.particles;
  for (size_t i = 0; i < p->count; i++)
    if (p->x[0][i] > (float)(vl_sharp(sim)->grid.n[0] - 1)) return true;
  return false;
}

static vlCode measure_mesh(const vlSim *sim, double drawn, History *h, vlStatus *status)
{
  vlSurface surface = {0};
  vlCode code = vl_sharp_surface(sim, &surface, status);
  if (!code) h->mesh = vl_trimesh_volume(surface.mesh) / drawn;
  vl_surface_clear(&surface);
  return code;
}

static vlCode run(vlSim *sim, History *h, vlStatus *status)
{
  vlStepInfo info = {0};
  vlCode code = VL_OK;
  vl_measure_particles(vl_sharp(sim), &(vlStep){.info = &info}, status);
  double start = info.potential_energy, before = start, drawn = WIDTH * HEIGHT;
  while (!code && vl_sim_time(sim) < END && h->count < SAMPLES) {
    code = vl_sim_step(sim, 1.0 / 30.0, &info, status);
    int i = h->count++;
    h->t[i] = info.time;
    h->kinetic[i] = info.kinetic_energy / start;
    h->potential[i] = 0.5 * (before + info.potential_energy) / start;
    h->energy[i] = h->kinetic[i] + h->potential[i];
    h->volume[i] = info.volume / drawn;
    h->filling[i] = info.filling;
    before = info.potential_energy;
    if (h->at_wall == 0.0 && at_wall(sim)) h->at_wall = info.time;
  }
  return code ? code : measure_mesh(sim, drawn, h, status);
}

static vlCode simulate(int cells, History *h, vlStatus *status)
{
  vlScene scene;
  vlSim *sim = NULL;
  vlShape block = {.kind = VL_SHAPE_BOX,
                   .center = vl_vec(0, 0, 0.5),
                   .size = vl_vec(2 * WIDTH, 2 * HEIGHT, 2),
                   .rotation = vl_mat_identity(),
                   .scale = {{1, 1, 1}}};
  vl_scene_default(&scene);
  scene.grid.size = vl_vec(1, 1, 1);
  scene.grid.cells = cells;
  scene.liquid.shapes = &block;
  scene.liquid.shape_count = 1;
  vlCode code = vl_sim_create(&sim, &scene, (vlSimOptions){0}, status);
  if (!code) code = run(sim, h, status);
  vl_sim_destroy(&sim);
  return code;
}

static void check(Report *report, const History *h)
{
  double volume = 0.0, filling = 0.0, gained = -INFINITY, lost = 0.0, drift = 0.0;
  int settled = 0;
  for (int i = 0; i < h->count; i++) {
    gained = fmax(gained, h->energy[i] - 1.0);
    if (h->t[i] <= h->at_wall) lost = fmax(lost, 1.0 - h->energy[i]);
    if (h->t[i] < SETTLED) continue;
    volume += h->volume[i];
    filling += h->filling[i];
    drift = fmax(drift, fabs(h->volume[i] - 1.0));
    settled++;
  }
  report_at_most(report, "settled: |volume inside the surface - drawn| (%), mean", 100 * fabs(volume / settled - 1.0), 1.0);
  report_at_most(report, "settled: |volume inside the surface - drawn| (%), largest", 100 * drift, 1.0);
  report_at_most(report, "end: |volume inside the frame's mesh - drawn| (%)", 100 * fabs(h->mesh - 1.0), 1.0);
  report_at_most(report, "settled: |particles per cell inside - seeded| (%)", 100 * fabs(filling / settled - 1.0), 5.0);
  report_at_most(report, "largest gain of energy over the start (%)", 100 * gained, 0.5);
  if (h->at_wall == 0.0) lost = NAN; /* it never got there: nothing was measured */
  report_at_most(report, "energy lost before the front meets the far wall (%)", 100 * lost, 5.0);
}

static void draw(const Report *report, const History *h)
{
  Plot energy = {.title = "Dam break: energy", .x_label = "time (s)", .y_label = "over the energy at the start"},
       volume = {.title = "Dam break: volume inside the surface", .x_label = "time (s)", .y_label = "over the drawn volume"},
       filling = {
           .title = "Dam break: particles per cell inside", .x_label = "time (s)", .y_label = "over the seeded number"};
  const double ends[2] = {0.0, END}, wall[2] = {h->at_wall, h->at_wall}, upright[2] = {0.0, 1.0};
  const double low[2] = {0.99, 0.99}, high[2] = {1.01, 1.01}, thin[2] = {0.95, 0.95}, dense[2] = {1.05, 1.05};
  plot_add(&energy, (PlotSeries){h->t, h->energy, h->count, "total", .color = 0});
  plot_add(&energy, (PlotSeries){h->t, h->potential, h->count, "potential", .color = 2});
  plot_add(&energy, (PlotSeries){h->t, h->kinetic, h->count, "kinetic", .color = 1});
  plot_add(&energy, (PlotSeries){wall, upright, 2, "front meets the far wall", .color = 6, .dashed = true});
  plot_add(&volume, (PlotSeries){h->t, h->volume, h->count, "simulated", .color = 0});
  plot_add(&volume, (PlotSeries){ends, low, 2, "1 % off, the limit once settled", .color = 6, .dashed = true});
  plot_add(&volume, (PlotSeries){ends, high, 2, NULL, .color = 6, .dashed = true});
  plot_add(&filling, (PlotSeries){h->t, h->filling, h->count, "simulated", .color = 0});
  plot_add(&filling, (PlotSeries){ends, thin, 2, "5 % off, the limit once settled", .color = 6, .dashed = true});
  plot_add(&filling, (PlotSeries){ends, dense, 2, NULL, .color = 6, .dashed = true});
  const Plot panels[] = {energy, volume, filling};
  report_plot(report, panels, 3);
}

int main(int argc, char **argv)
{
  static History h;
  vlStatus status = {0};
  char text[48];
  Report report = report_begin("settling", argc, argv);
  int cells = report_cells(argc, argv, CELLS);
  report_title("Dam break in a cube, 10 s", "volume and energy are kept");
  if (simulate(cells, &h, &status)) report_stop(&report, "settling", status.message);
  printf("  front at the far wall after %.3f s; surface %.4f, frame's mesh %.4f of the drawn volume at the end\n", h.at_wall,
         h.volume[h.count - 1], h.mesh);
  snprintf(text, sizeof text, "%d^3 cells", cells);
  report_resolution(&report, text, h.t[h.count - 1] / h.count);
  check(&report, &h);
  draw(&report, &h);
  return report_end(&report);
}
