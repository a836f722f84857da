/* Collapse of a water column on a dry floor, a = 57.15 mm wide and 2a high, against the tables of [martin1952]: front Z =
 * x/a over T = t sqrt(2g/a) with the customary shift T + 0.175 (there is no gate here), and height H = h/2a at the left wall
 * over tau = t sqrt(g/a). A slab, 40 cells along a. */
#include <stdlib.h>

#include "base/vec.h"
#include "engine/sim.h"
#include "report.h"

enum { PER_A = 40, SAMPLES = 4096 };

static const double A = 0.05715, GRAVITY = 9.81;
static const double front_table[][2] = {{0.41, 1.11}, {0.84, 1.22}, {1.19, 1.44}, {1.43, 1.67}, {1.63, 1.89},
                                        {1.83, 2.11}, {1.98, 2.33}, {2.20, 2.56}, {2.32, 2.78}, {2.51, 3.00},
                                        {2.65, 3.22}, {2.83, 3.44}, {2.98, 3.67}, {3.11, 3.89}, {3.33, 4.11}};
static const double height_table[][2] = {{0.56, 0.94}, {0.77, 0.89}, {0.93, 0.83}, {1.08, 0.78}, {1.28, 0.72},
                                         {1.46, 0.67}, {1.66, 0.61}, {1.84, 0.56}, {2.00, 0.50}, {2.21, 0.44},
                                         {2.45, 0.39}, {2.70, 0.33}, {3.06, 0.28}, {3.44, 0.22}};

typedef struct Sample {
  double t, front, height; /* s, m, m */
} Sample;

/* Zero of the level set between two neighbouring cells along an axis, in cells from the grid's side. */
static double crossing(const vlSim *sim, ptrdiff_t inside, int cell, int axis)
{
  const double *phi = sim->work.level.phi;
  double in = phi[inside], out = phi[inside + sim->grid.stride[axis]];
  return cell + 0.5 + in / (in - out);
}

/* Rightmost liquid on the floor, highest at the left wall. */
static Sample measure(const vlSim *sim)
{
  const vlGrid *g = &sim->grid;
  Sample s = {.t = vl_sim_time(sim)};
  for (int i = 0; i < g->n[0] - 1; i++) {
    ptrdiff_t at = vl_grid_at(g, i, 0, 0);
    if (sim->work.level.phi[at] < 0.0 && sim->work.level.phi[at + 1] >= 0.0) s.front = crossing(sim, at, i, 0) * g->dx;
  }
  for (int j = 0; j < g->n[1] - 1; j++) {
    ptrdiff_t at = vl_grid_at(g, 0, j, 0);
    if (sim->work.level.phi[at] < 0.0 && sim->work.level.phi[at + g->stride[1]] >= 0.0)
      s.height = crossing(sim, at, j, 1) * g->dx;
  }
  return s;
}

static int simulate(Sample *samples)
{
  vlScene scene;
  vlStatus status = {0};
  vlSim *sim = NULL;
  vlStepInfo info;
  int count = 0;
  vl_scene_default(&scene);
  scene.size = vl_vec(5.0 * A, 2.5 * A, A / PER_A);
  scene.cells = 5 * PER_A;
  scene.slab = true;
  vlShape column = {.kind = VL_SHAPE_BOX,
                    .center = vl_vec(0.0, 0.0, 0.0),
                    .size = vl_vec(2.0 * A, 4.0 * A, 1.0),
                    .rotation = vl_mat_identity(),
                    .scale = 1.0};
  scene.liquid.shapes = &column;
  scene.liquid.shape_count = 1;
  scene.tolerance = 1e-8;
  vlCode code = vl_sim_create(&sim, &scene, (vlSimOptions){0}, &status);
  while (!code && count < SAMPLES && (count == 0 || samples[count - 1].t * sqrt(2 * GRAVITY / A) < 4.9)) {
    samples[count++] = measure(sim);
    code = vl_sim_step(sim, 0.002, &info, &status);
  }
  if (code) {
    fprintf(stderr, "validate_dam_break: %s\n", status.message);
    exit(1);
  }
  vl_sim_destroy(&sim);
  return count;
}

static double at_time(const Sample *samples, int count, double t, bool front)
{
  for (int i = 1; i < count; i++) {
    const Sample *a = &samples[i - 1], *b = &samples[i];
    if (b->t < t) continue;
    double f = (t - a->t) / (b->t - a->t);
    return front ? a->front + f * (b->front - a->front) : a->height + f * (b->height - a->height);
  }
  return NAN;
}

static void compare(Report *report, const char *name, const double table[][2], int rows, const Sample *samples, int count,
                    double rate, double shift, double unit, bool front)
{
  char line[80];
  double sum = 0.0, largest = 0.0;
  for (int r = 0; r < rows; r++) {
    double t = (table[r][0] - shift) / rate, value = at_time(samples, count, fmax(t, 0.0), front) / unit,
           error = fabs(value - table[r][1]) / table[r][1];
    printf("  %6.2f   measured there %5.2f   here %6.3f   error %5.1f %%\n", table[r][0], table[r][1], value, 100 * error);
    sum += error;
    largest = fmax(largest, error);
  }
  snprintf(line, sizeof line, "%s: mean error", name);
  report_at_most(report, line, sum / rows, 0.05);
  snprintf(line, sizeof line, "%s: largest error", name);
  report_at_most(report, line, largest, 0.12);
}

int main(void)
{
  static Sample samples[SAMPLES];
  Report report = {0};
  report_title("Collapse of a column, a = 57.15 mm, 2a high", "Martin & Moyce 1952, tables 2 and 6");
  int count = simulate(samples);
  printf("  front Z over T, shifted by 0.175\n");
  compare(&report, "front", front_table, sizeof front_table / sizeof *front_table, samples, count, sqrt(2 * GRAVITY / A),
          0.175, A, true);
  printf("  height H over tau\n");
  compare(&report, "height", height_table, sizeof height_table / sizeof *height_table, samples, count, sqrt(GRAVITY / A),
          0.0, 2 * A, false);
  return report_end(&report);
}
