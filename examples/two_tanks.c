/* Two tanks side by side in one process: the same drop, carried by FLIP in one and by PIC in the other, which swallows
 * motion. Their energies are compared as they go, and the surfaces of both are written for a look.
 *
 *   two_tanks [FOLDER]               prints time and energy in each; FOLDER/flip.ply and FOLDER/pic.ply */
#include <stdio.h>
#include <velella/velella.h>

enum { TANKS = 2 };
static const char *const names[TANKS] = {"flip", "pic"};

static vlCode fill(vlSim **tank, const char *transfer, vlStatus *status)
{
  char text[32];
  snprintf(text, sizeof text, "liquid.transfer=%s", transfer);
  const vlSetting settings[] = {{"grid.cells=20"}, {text}};
  vlScene scene;
  vlCode code = vl_scene_load(&scene, "drop", settings, 2, status);
  if (!code) code = vl_sim_create(tank, &scene, (vlSimOptions){0}, status);
  vl_scene_clear(&scene);
  return code;
}

/* Writes the surface and tells how large it is. */
static vlCode show(vlSim *tank, const char *folder, const char *name, vlStatus *status)
{
  char path[1024];
  vlMeshView surface;
  snprintf(path, sizeof path, "%s/%s.ply", folder, name);
  vlCode code = vl_sim_surface(tank, &surface, status);
  if (!code) code = vl_sim_write(tank, VL_OUTPUT_SURFACE, path, status);
  if (!code) printf("%s: %d triangles\n", path, surface.triangle_count);
  return code;
}

int main(int argc, char **argv)
{
  const char *folder = argc > 1 ? argv[1] : ".";
  vlSim *tank[TANKS] = {NULL};
  vlStatus status;
  vlCode code = VL_OK;
  for (int i = 0; i < TANKS && !code; i++) code = fill(&tank[i], names[i], &status);

  printf("time [s],%s [J],%s [J]\n", names[0], names[1]);
  for (int frame = 1; frame <= 12 && !code; frame++) {
    vlStepInfo info[TANKS] = {{0}};
    for (int i = 0; i < TANKS && !code; i++) code = vl_sim_advance(tank[i], frame / 30.0, &info[i], &status);
    if (!code) printf("%.3f,%.4f,%.4f\n", info[0].time, info[0].kinetic_energy, info[1].kinetic_energy);
  }
  for (int i = 0; i < TANKS && !code; i++) code = show(tank[i], folder, names[i], &status);

  if (code) fprintf(stderr, "two_tanks: %s\n", status.message);
  for (int i = 0; i < TANKS; i++) vl_sim_destroy(&tank[i]);
  return code;
}
