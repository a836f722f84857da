/* The front of a collapsing column of water: a built-in scene is loaded, changed and stepped, and its particles are read
 * where they lie.
 *
 *   dam_break [CELLS]                prints time, where the front is, and the pressure at the foot of the far wall */
#include <stdio.h>
#include <velella/velella.h>

/* The library does not print; this is where its warnings go. */
static void log_line(void *user, vlLogLevel level, const char *line)
{
  if (level <= VL_LOG_WARNING) fprintf((FILE *)user, "dam_break: %s\n", line);
}

/* m: the largest x of all particles. Positions are in cells from the grid's corner. */
static double front(const vlSim *sim)
{
  vlParticleView p = vl_sim_particles(sim);
  double most = 0.0;
  for (size_t i = 0; i < p.count; i++)
    if (p.x[0][i] > most) most = p.x[0][i];
  return p.origin.x + p.dx * most;
}

int main(int argc, char **argv)
{
  char cells[64];
  snprintf(cells, sizeof cells, "grid.cells=%s", argc > 1 ? argv[1] : "24");
  const vlSetting settings[] = {{cells}, {"liquid.transfer=apic"}};
  vlScene scene;
  vlStatus status;
  vlSim *sim = NULL;

  vlCode code = vl_scene_load(&scene, "dam_break", settings, 2, &status);
  scene.time.cfl = 1.0; /* what settings can do, the program can do as well */
  vlSimOptions options = {.log = {log_line, stderr}};
  if (!code) code = vl_sim_create(&sim, &scene, options, &status);
  vl_scene_clear(&scene); /* the simulation has its own copy */

  const vlProbeDef foot = {.kind = VL_PROBE_PRESSURE, .position = {{0.99, 0.01, 0.5}}};
  printf("time [s],front [m],pressure [Pa]\n");
  for (int frame = 0; !code && frame <= 10; frame++) {
    code = vl_sim_advance(sim, 0.04 * frame, NULL, &status);
    double pressure[3];
    if (!code && vl_sim_probe(sim, &foot, pressure) == 1)
      printf("%.2f,%.4f,%.1f\n", vl_sim_time(sim), front(sim), pressure[0]);
  }
  if (code) fprintf(stderr, "dam_break: %s\n", status.message);
  vl_sim_destroy(&sim);
  return code;
}
