/* What containers in a slab cost before the first step: processor time in which a simulation is made, the best of seven,
 * with one thread, beside that of the same slab without solids. The water stands half as high as the slab.
 *
 *   round    a disc of 0.45 m is open, all around is solid
 *   tilted   a square of 0.9 m, turned by 20 degrees, is open: a prism that keeps its triangles
 *   log      a disc of 0.2 m is solid
 *
 * Arguments: cells along a side, one or several; without any 64 128 256. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "velella/velella.h"

enum { REPEATS = 7 };

static const struct {
  const char *name, *solid;
} containers[] = {
    {"open", ""},
    {"round", "{shape: cylinder, rotate: x 90, center: [0.5, 0.5], radius: 0.45, height: 3, solid: outside}"},
    {"tilted", "{shape: box, center: [0.5, 0.5], size: [0.9, 0.9], rotate: z 20, solid: outside}"},
    {"log", "{shape: cylinder, rotate: x 90, center: [0.5, 0.5], radius: 0.2, height: 3}"},
};

/* s of processor time */
static double processor_seconds(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds; NaN after a message. */
static double set_up(int cells, const char *solid)
{
  char text[400];
  snprintf(text, sizeof text, "{grid: {slab: yes, size: [1, 1], cells: %d}, liquid: {level: 0.5}, solids: [%s]}", cells,
           solid);
  vlScene scene;
  vlSim *sim = NULL;
  vlStatus status = {0};
  if (vl_scene_parse(&scene, text, strlen(text), "bench_setup", NULL, 0, &status)) goto failed;
  double start = processor_seconds();
  vlCode code = vl_sim_create(&sim, &scene, (vlSimOptions){.threads = 1}, &status);
  double seconds = processor_seconds() - start;
  vl_sim_destroy(&sim);
  vl_scene_clear(&scene);
  if (!code) return seconds;
failed:
  fprintf(stderr, "bench_setup: %s\n", status.message);
  return NAN;
}

int main(int argc, char **argv)
{
  static const char *const usual[] = {"64", "128", "256"};
  int count = argc > 1 ? argc - 1 : 3;
  printf("cells  container        ms   times open\n");
  for (int n = 0; n < count; n++) {
    int cells = atoi(argc > 1 ? argv[n + 1] : usual[n]);
    double open = 0.0;
    for (size_t k = 0; k < sizeof containers / sizeof *containers; k++) {
      double best = INFINITY;
      for (int r = 0; r < REPEATS; r++) {
        double seconds = set_up(cells, containers[k].solid);
        if (!isfinite(seconds)) return 1;
        best = fmin(best, seconds);
      }
      if (k == 0) open = best;
      printf("%5d  %-9s %9.2f    %9.2f\n", cells, containers[k].name, 1e3 * best, best / open);
    }
  }
  return 0;
}
