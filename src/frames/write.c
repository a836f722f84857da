/* Single files of a simulation's present, for programs that want no run folder: a table of what can be written in which
 * format. In: simulation, kind, path whose ending names the format. Out: one file, whole or not at all. */
#include <math.h>
#include <omp.h>
#include <string.h>
#include <strings.h>

#include "base/status.h"
#include "frames/frame_files.h"
#include "files/ply.h"
#include "files/vtk.h"

static vlCode solids_vtp(const char *path, const vlSim *sim, const vlMeshView *surface, vlStatus *status)
{
  (void)surface;
  vlMeshView solids = vl_sim_solids(sim);
  vlTriMesh mesh = vl_frame_mesh(&solids);
  return vl_vtp_write(path, &mesh, 0.0, NULL, 0, NULL, 0, status);
}

static vlCode solids_ply(const char *path, const vlSim *sim, const vlMeshView *surface, vlStatus *status)
{
  (void)surface;
  vlMeshView solids = vl_sim_solids(sim);
  vlTriMesh mesh = vl_frame_mesh(&solids);
  return vl_ply_write_mesh(path, &mesh, NULL, NAN, status);
}

static const struct {
  vlOutputKind kind;
  const char *ending, *name;
  bool moving; /* needs liquid that moves */
  vlFrameWriter *write;
} files[] = {
    {VL_OUTPUT_SURFACE, ".vtp", "surface", true, vl_frame_surface_vtp},
    {VL_OUTPUT_SURFACE, ".ply", "surface", true, vl_frame_surface_ply},
    {VL_OUTPUT_PARTICLES, ".vtp", "particles", true, vl_frame_particles_vtp},
    {VL_OUTPUT_PARTICLES, ".ply", "particles", true, vl_frame_particles_ply},
    {VL_OUTPUT_FIELDS, ".vti", "fields", false, vl_frame_fields_vti},
    {VL_OUTPUT_SOLIDS, ".vtp", "solids", false, solids_vtp},
    {VL_OUTPUT_SOLIDS, ".ply", "solids", false, solids_ply},
    {VL_OUTPUT_BODIES, ".vtu", "bodies", false, vl_frame_bodies_vtu},
    {VL_OUTPUT_BODIES, ".vtp", "bodies", false, vl_frame_bodies_vtp},
    {VL_OUTPUT_BODIES, ".ply", "bodies", false, vl_frame_bodies_ply},
};
enum { FILE_COUNT = sizeof files / sizeof *files };

static bool ends_in(const char *path, const char *ending)
{
  size_t n = strlen(path), m = strlen(ending);
  return n > m && strcasecmp(path + n - m, ending) == 0;
}

static vlCode fail_ending(vlOutputKind kind, const char *path, vlStatus *status)
{
  const char *endings = kind == VL_OUTPUT_FIELDS ? ".vti" : kind == VL_OUTPUT_BODIES ? ".vtu, .vtp or .ply" : ".vtp or .ply";
  for (int i = 0; i < FILE_COUNT; i++)
    if (files[i].kind == kind)
      return vl_fail(status, VL_ERROR_FILE, "%s: %s are written to files that end in %s", path, files[i].name, endings);
  return vl_fail(status, VL_ERROR_FILE, "%s: there is no output of the kind %d", path, (int)kind);
}

vlCode vl_sim_write(const vlSim *sim, vlOutputKind kind, const char *path, vlStatus *status)
{
  int i = 0;
  while (i < FILE_COUNT && !(files[i].kind == kind && ends_in(path, files[i].ending))) i++;
  if (i == FILE_COUNT) return fail_ending(kind, path, status);
  if (files[i].moving && vl_sim_scene(sim)->liquid.transfer == VL_TRANSFER_STILL)
    return vl_fail(status, VL_ERROR_SCENE, "%s: with liquid.transfer: still there are no %s to be written", path,
                   files[i].name);
  if (kind == VL_OUTPUT_BODIES && vl_sim_body_count(sim) == 0)
    return vl_fail(status, VL_ERROR_SCENE, "%s: the scene has no bodies to be written", path);
  vlMeshView surface = {0};
  int before = omp_get_max_threads();
  vlCode code = kind == VL_OUTPUT_SURFACE ? vl_sim_surface((vlSim *)sim, &surface, status) : VL_OK;
  omp_set_num_threads(vl_sim_threads(sim));
  if (!code) code = files[i].write(path, sim, &surface, status);
  omp_set_num_threads(before);
  return code;
}
