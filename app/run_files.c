/* The list of a run's files.
 *
 * It is made of what the simulation writes, kept in run.json, and read back by who removes or cuts them: so nothing is
 * touched that only looks like ours. The list is text that anyone may have changed: a name that leads out of the folder is
 * refused. */
#include "run_files.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "files/json.h"
#include "frames/frames.h"
#include "frames/series.h"

enum { FOLDER = 64 };
_Static_assert((int)VL_BODY_TABLE_ROOM >= (int)VL_FRAME_NAME, "a name of either has room");

static vlCode append(vlRunFiles *files, const char *name, vlStatus *status)
{
  for (int i = 0; i < files->count; i++)
    if (strcmp(files->name[i], name) == 0) return VL_OK;
  char **grown = realloc(files->name, ((size_t)files->count + 1) * sizeof *grown), *copy = strdup(name);
  if (grown) files->name = grown;
  if (!grown || !copy) {
    free(copy);
    return vl_fail_memory(status, strlen(name), "the names of a run's files");
  }
  files->name[files->count++] = copy;
  return VL_OK;
}

static vlCode append_all(vlRunFiles *files, const char *const *names, vlStatus *status)
{
  vlCode code = VL_OK;
  for (; *names && !code; names++) code = append(files, *names, status);
  return code;
}

vlCode vl_run_files_make(vlRunFiles *files, const vlSim *sim, bool exports, vlStatus *status)
{
  static const char *const always[] = {"series.csv", "timings.csv", "walls.csv", "look.json", "checkpoint.vl", NULL};
  static const char *const solids[] = {"solids.vtp", "solids.ply", NULL};
  static const char *const system[] = {"system_A.mtx", "system_b.mtx", "system_p.mtx", NULL};
  const vlScene *scene = vl_sim_scene(sim);
  char name[VL_BODY_TABLE_ROOM];
  vlCode code = append_all(files, always, status);
  if (!code && scene->probe_count > 0) code = append(files, "probes.csv", status);
  if (!code && scene->output.solids && scene->solid_count > 0) code = append_all(files, solids, status);
  if (!code && exports) code = append_all(files, system, status);
  for (int b = 0; b < vl_sim_body_count(sim) && !code; b++)
    code = append(files, vl_body_table_name(scene->bodies[b].name, b, name), status);
  for (int i = 0; !code && vl_frames_name(sim, i, name); i++) code = append(files, name, status);
  return code;
}

/* A name below the folder, at most one folder deep, of visible letters. */
static bool is_good(const char *name)
{
  const char *slash = strchr(name, '/'), *file = slash ? slash + 1 : name;
  bool good = *name && *name != '.' && *name != '/' && *file && *file != '.' && !strchr(file, '/');
  for (const char *c = name; *c; c++) good = good && !iscntrl((unsigned char)*c);
  return good && (!slash || slash - name < FOLDER);
}

/* What versions without a list have written; tables of bodies are told with the bodies. */
static vlCode assume(vlRunFiles *files, const char *run_json, vlStatus *status)
{
  static const char *const names[] = {"series.csv",
                                      "timings.csv",
                                      "probes.csv",
                                      "look.json",
                                      "checkpoint.vl",
                                      "solids.vtp",
                                      "solids.ply",
                                      "fields.pvd",
                                      "particles.pvd",
                                      "surface.pvd",
                                      "bodies.pvd",
                                      "fields/fields_*.vti",
                                      "particles/particles_*.vtp",
                                      "particles/particles_*.ply",
                                      "surface/surface_*.vtp",
                                      "surface/surface_*.ply",
                                      "bodies/bodies_*.vtu",
                                      "bodies/bodies_*.vtp",
                                      "bodies/bodies_*.ply",
                                      "system_A.mtx",
                                      "system_b.mtx",
                                      "system_p.mtx",
                                      NULL};
  vlCode code = append_all(files, names, status);
  char key[64], *table = NULL;
  for (int b = 0; !code; b++, free(table), table = NULL) {
    snprintf(key, sizeof key, "bodies.%d.table", b);
    if (!vl_json_find_string(run_json, key, &table)) break;
    if (is_good(table)) code = append(files, table, status);
  }
  return code;
}

vlCode vl_run_files_read(vlRunFiles *files, const char *run_json, vlStatus *status)
{
  char key[64], *name = NULL;
  vlCode code = VL_OK;
  int count = 0;
  for (; !code; count++, free(name), name = NULL) {
    snprintf(key, sizeof key, "files.%d", count);
    if (!vl_json_find_string(run_json, key, &name)) break;
    code = is_good(name) ? append(files, name, status)
                         : vl_fail(status, VL_ERROR_FILE, "its run.json lists '%s', which is no name of a run's file", name);
  }
  free(name);
  return code || count > 0 ? code : assume(files, run_json, status);
}

void vl_run_files_clear(vlRunFiles *files)
{
  for (int i = 0; i < files->count; i++) free(files->name[i]);
  free(files->name);
  *files = (vlRunFiles){0};
}

void vl_run_file_folder(const char *listed, char folder[static FOLDER])
{
  const char *slash = strchr(listed, '/');
  snprintf(folder, FOLDER, "%.*s", slash ? (int)(slash - listed) : 0, listed);
}

bool vl_run_file_is_frame(const char *listed) { return strchr(listed, '*') != NULL; }

bool vl_run_file_meant(const char *listed, const char *name, int frame)
{
  const char *slash = strchr(listed, '/'), *own = slash ? slash + 1 : listed, *star = strchr(own, '*');
  if (!star) return strcmp(own, name) == 0;
  size_t head = (size_t)(star - own);
  if (strncmp(own, name, head) != 0) return false;
  size_t digits = strspn(name + head, "0123456789");
  return digits >= 5 && strcmp(name + head + digits, star + 1) == 0 && atoi(name + head) >= frame;
}
