/* What slices of one run share: the grid from run.json, the solids from solids.vtp, and how they cut the grid.
 *
 * The run's own code clips the same triangles against the same grid, so open areas and patches are those the run computed
 * with. Whether everything far away is solid follows from the surface alone: it encloses the solids, or, with its normals
 * inwards, what they leave open; the sign of its volume tells. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/status.h"
#include "figures/slice.h"
#include "files/file.h"
#include "files/json.h"
#include "files/read_frame.h"

enum { LARGEST_RUN_JSON = 64 << 20 };

static vlCode grid_from_json(vlGrid *grid, const char *path, const char *text, vlStatus *status)
{
  static const char *const keys[] = {"grid.cells.0",  "grid.cells.1",  "grid.cells.2", "grid.dx",
                                     "grid.origin.0", "grid.origin.1", "grid.origin.2"};
  double value[7];
  for (int i = 0; i < 7; i++) {
    bool good = vl_json_find_number(text, keys[i], &value[i]) && isfinite(value[i]) && (i > 3 || value[i] > 0.0);
    if (!good)
      return vl_fail(status, VL_ERROR_FILE,
                     "%s has no '%s'; it is damaged, not a run's file, or of an older version: run the scene again", path,
                     keys[i]);
  }
  double dx = value[3];
  vlGridDef box = {.origin = {.v = {value[4], value[5], value[6]}}, .dx = dx};
  for (int a = 0; a < 3; a++) box.size.v[a] = value[a] * dx;
  vlCode code = vl_grid_create(grid, &box, status);
  if (code != VL_OK) vl_status_prefix(status, "%s: ", path);
  return code;
}

static vlCode read_json(vlSliceRun *run, const char *folder, vlStatus *status)
{
  char *path = vl_path_join(folder, "run.json"), *text = NULL;
  size_t length;
  vlCode code = path ? VL_OK : vl_fail_memory(status, strlen(folder), "a file's name");
  if (code == VL_OK) code = vl_file_read(path, LARGEST_RUN_JSON, &text, &length, status);
  if (code == VL_ERROR_FILE) vl_status_prefix(status, "%s is not the folder of a run: ", folder);
  if (code == VL_OK && !vl_json_find_string(text, "scene.name", &run->name))
    code = vl_fail(status, VL_ERROR_FILE, "%s has no 'scene.name'; it is damaged or not a run's file", path);
  if (code == VL_OK) code = grid_from_json(&run->grid, path, text, status);
  char *body = NULL, *engine = NULL;
  run->has_bodies = code == VL_OK && vl_json_find_string(text, "bodies.0.name", &body);
  if (code == VL_OK && vl_json_find_string(text, "engine", &engine)) run->medium = strcmp(engine, "immersed") == 0;
  free(engine);
  free(body);
  free(text);
  free(path);
  return code;
}

static vlCode read_solids(vlSliceRun *run, const char *folder, vlStatus *status)
{
  char *path = vl_path_join(folder, "solids.vtp");
  if (!path) return vl_fail_memory(status, strlen(folder), "a file's name");
  vlFrameMesh frame = {0};
  vlCode code = VL_OK;
  run->solids_known = access(path, F_OK) == 0;
  if (run->solids_known) code = vl_frame_mesh_read(&frame, path, status);
  run->solids = frame.mesh;
  frame.mesh = NULL;
  vl_frame_mesh_clear(&frame);
  if (code == VL_OK && !run->solids) run->solids = vl_trimesh_create(0, 0);
  if (code == VL_OK && !run->solids) code = vl_fail_memory(status, sizeof *run->solids, "the solids");
  if (code == VL_OK) {
    bool solid_outside = vl_trimesh_volume(run->solids) < 0.0;
    code = vl_cuts_create(&run->cuts, run->solids, solid_outside, &run->grid, status);
    if (code == VL_ERROR_MESH) vl_status_prefix(status, "%s: ", path);
  }
  free(path);
  return code;
}

vlCode vl_slice_run_open(vlSliceRun *run, const char *folder, vlStatus *status)
{
  *run = (vlSliceRun){.folder = strdup(folder)};
  vlCode code = run->folder ? VL_OK : vl_fail_memory(status, strlen(folder), "a folder's name");
  if (code == VL_OK) code = read_json(run, folder, status);
  if (code == VL_OK) code = vl_look_read(&run->look, folder, status);
  if (code == VL_OK) code = read_solids(run, folder, status);
  if (code != VL_OK) vl_slice_run_close(run);
  return code;
}

void vl_slice_run_close(vlSliceRun *run)
{
  free(run->folder);
  free(run->name);
  vl_look_clear(&run->look);
  vl_trimesh_destroy(&run->solids);
  vl_cuts_destroy(&run->cuts);
  *run = (vlSliceRun){0};
}

vlCode vl_slice_frames(const vlSliceRun *run, int **frames, int *count, vlStatus *status)
{
  *frames = NULL;
  *count = 0;
  char *path = vl_path_join(run->folder, "fields");
  if (!path) return vl_fail_memory(status, strlen(run->folder), "a folder's name");
  vlCode code = vl_frame_numbers(path, "fields", "vti", frames, count, status);
  if (code == VL_OK && *count == 0)
    code = vl_fail(status, VL_ERROR_FILE,
                   "the run in %s has no frames of fields (%s/fields_*.vti), which slices show; set output.fields: yes in "
                   "its scene and run it again",
                   run->folder, path);
  free(path);
  return code;
}
