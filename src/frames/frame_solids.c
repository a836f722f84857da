/* The static solids as one file, and once more as PLY where the scene asks for that. Overlapping solids are one surface;
 * which solid a triangle belongs to is found again by its middle: the solid whose own surface is nearest. Renderers colour
 * by it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "base/vec.h"
#include "files/file.h"
#include "files/ply.h"
#include "files/vtk.h"
#include "frames/frame_files.h"
#include "frames/frames.h"
#include "mesh/sdf.h"

vlCode vl_frame_solids(const char *path, vlFrameFormat format, const vlSim *sim, const vlMeshView *surface, vlStatus *status)
{
  (void)surface;
  vlMeshView solids = vl_sim_solids(sim);
  vlTriMesh mesh = vl_frame_mesh(&solids);
  if (format == VL_FRAME_PLY) return vl_ply_write_mesh(path, &mesh, NULL, NAN, status);
  return vl_vtp_write(path, &mesh, 0.0, NULL, 0, NULL, 0, status);
}

/* Keeps for each triangle the nearest surface so far. */
static void offer(const vlTriMesh *mesh, const vlSdf *sdf, int solid, float *owner, double *nearest)
{
#pragma omp parallel for schedule(static, 1024)
  for (int t = 0; t < mesh->triangle_count; t++) {
    const int *c = mesh->tri[t];
    vlVec3 middle = vl_scale(vl_add(mesh->x[c[0]], vl_add(mesh->x[c[1]], mesh->x[c[2]])), 1.0 / 3.0);
    double distance = fabs(vl_sdf_distance(sdf, middle));
    if (distance >= nearest[t]) continue;
    nearest[t] = distance;
    owner[t] = (float)solid;
  }
}

static vlCode find_owners(const vlSim *sim, const vlTriMesh *mesh, float *owner, double *nearest, vlStatus *status)
{
  vlCode code = VL_OK;
  for (int t = 0; t < mesh->triangle_count; t++) nearest[t] = INFINITY;
  for (int i = 0; i < vl_sim_scene(sim)->solid_count && code == VL_OK; i++) {
    vlSdf *sdf = NULL;
    code = vl_sdf_create(&sdf, &vl_sim_scene(sim)->solids[i].shape, status);
    if (code == VL_OK) offer(mesh, sdf, i, owner, nearest);
    vl_sdf_destroy(&sdf);
  }
  return code;
}

static vlCode write_ply(const vlSim *sim, const char *folder, vlStatus *status)
{
  char *path = vl_path_join(folder, "solids.ply");
  vlCode code = path ? vl_frame_solids(path, VL_FRAME_PLY, sim, NULL, status)
                     : vl_fail_memory(status, strlen(folder), "a file's name");
  free(path);
  return code;
}

vlCode vl_frame_solids_write(const vlSim *sim, const char *folder, vlStatus *status)
{
  vlMeshView solids = vl_sim_solids(sim);
  const vlTriMesh all = vl_frame_mesh(&solids), *mesh = &all;
  size_t count = (size_t)mesh->triangle_count;
  char *path = vl_path_join(folder, "solids.vtp");
  float *owner = calloc(count + 1, sizeof *owner);
  double *nearest = malloc((count + 1) * sizeof *nearest);
  vlCode code = VL_OK;
  if (!path || !owner || !nearest) code = vl_fail_memory(status, count * sizeof *nearest, "the solids' frame");
  if (code == VL_OK) code = find_owners(sim, mesh, owner, nearest, status);
  const vlVtkArray array = {"solid", 1, owner};
  if (code == VL_OK) code = vl_vtp_write(path, mesh, 0.0, NULL, 0, &array, 1, status);
  if (code == VL_OK && vl_sim_scene(sim)->output.ply) code = write_ply(sim, folder, status);
  free(path);
  free(owner);
  free(nearest);
  return code;
}
