/* Small sloshing in a slab, L = 1 m, depths 0.25, 0.5 and 1 m, released from the first cosine mode with an amplitude of 1 %
 * of L, 128 cells along L. Linear theory: omega^2 = g k tanh(k h), k = pi / L. The period is taken from the zero crossings
 * of the mode's amplitude, found by projecting the particles' heights on cos(k x), over at least five periods. */
#include <stdlib.h>

#include "base/vec.h"
#include "engine/sim.h"
#include "report.h"

enum { CELLS = 128 };

static const double GRAVITY = 9.81, AMPLITUDE = 0.01;

/* The first cosine mode of the surface: (2/L) times the integral of eta cos(k x). Each particle stands for an equal volume,
 * and a column's mean potential is h^2/2, so the integral over the liquid of cos(k x) is the same to first order. */
static double mode(const vlSim *sim)
{
  const vlParticles *p = sim->state.particles;
  double sum = 0.0, dx = sim->grid.dx;
  for (size_t i = 0; i < p->count; i++) sum += cos(VL_PI * (double)p->x[0][i] * dx);
  return 2.0 * sum * dx * dx / sim->per_cell;
}

/* The free surface drawn as a fan of thin boxes: no shape is a cosine. */
static vlShape *draw(double depth)
{
  vlShape *boxes = calloc(CELLS, sizeof *boxes);
  for (int i = 0; boxes && i < CELLS; i++) {
    double x = (i + 0.5) / CELLS, height = depth + AMPLITUDE * cos(VL_PI * x);
    boxes[i] = (vlShape){.kind = VL_SHAPE_BOX,
                         .center = vl_vec(x, 0.5 * height, 0),
                         .size = vl_vec(1.0 / CELLS, height, 1),
                         .rotation = vl_mat_identity(),
                         .scale = 1.0};
  }
  return boxes;
}

typedef struct Result {
  double period, kept; /* s; amplitude of the last swing over the first */
} Result;

static Result run(double depth)
{
  double omega = sqrt(GRAVITY * VL_PI * tanh(VL_PI * depth)), theory = 2 * VL_PI / omega;
  vlScene scene;
  vlStatus status = {0};
  vlSim *sim = NULL;
  vlStepInfo info;
  vl_scene_default(&scene);
  scene.size = vl_vec(1.0, depth + 0.1, 1.0 / CELLS);
  scene.cells = 0;
  scene.dx = 1.0 / CELLS;
  scene.slab = true;
  scene.liquid.shapes = draw(depth);
  scene.liquid.shape_count = CELLS;
  scene.tolerance = 1e-8;
  vlCode code = scene.liquid.shapes ? vl_sim_create(&sim, &scene, (vlSimOptions){0}, &status) : VL_ERROR_MEMORY;
  double first = 0.0, last = 0.0, previous = 0.0, before = 0.0, peak = 0.0, first_peak = 0.0;
  int crossings = 0;
  while (!code && vl_sim_time(sim) < 5.6 * theory) {
    double value = mode(sim), t = vl_sim_time(sim);
    if (t > 0.0 && value * previous < 0.0) {
      last = before + (t - before) * previous / (previous - value);
      if (crossings++ == 0) first = last;
      if (crossings == 2) first_peak = peak;
      if (crossings > 1) peak = 0.0;
    }
    peak = fmax(peak, fabs(value));
    if (crossings >= 11) break;
    previous = value;
    before = t;
    code = vl_sim_step(sim, theory / 150, &info, &status);
  }
  if (code || crossings < 3) {
    fprintf(stderr, "validate_sloshing: depth %g: %s (%d zero crossings)\n", depth, status.message, crossings);
    exit(1);
  }
  vl_sim_destroy(&sim);
  free(scene.liquid.shapes);
  return (Result){2.0 * (last - first) / (crossings - 1), peak / first_peak};
}

int main(void)
{
  static const double depths[] = {0.25, 0.5, 1.0};
  Report report = {0};
  report_title("Sloshing, first mode, L = 1 m, 128 cells", "linear theory, omega^2 = g k tanh(k h)");
  for (size_t d = 0; d < sizeof depths / sizeof *depths; d++) {
    char line[80];
    double theory = 2 * VL_PI / sqrt(GRAVITY * VL_PI * tanh(VL_PI * depths[d]));
    Result result = run(depths[d]);
    printf("  depth %.2f m: period %.5f s, theory %.5f s; last swing %.3f of the first\n", depths[d], result.period, theory,
           result.kept);
    snprintf(line, sizeof line, "depth %.2f m: error of the period", depths[d]);
    report_at_most(&report, line, fabs(result.period / theory - 1.0), 0.01);
  }
  return report_end(&report);
}
