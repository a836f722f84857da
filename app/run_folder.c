/* A run's folder.
 *
 * Free: it does not exist or is empty. Taken: anything else, and then only --overwrite helps, and only when a run.json
 * shows that a run is what would be lost, and its process has ended. Clearing removes the files that a run writes, by their
 * names, the report, and the pictures that a report would show, and nothing else; run.json goes last, so that a folder whose
 * clearing was cut short is still known as a run. A run goes on (--resume) only in a folder with run.json and checkpoint.vl;
 * frames behind the checkpoint are removed. */
#include "run_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/file.h"
#include "files/json.h"
#include "process.h"

/* What a run writes: the folder below the run's ("" for itself), and a pattern of names. */
static const struct {
  const char *folder, *pattern;
  bool frame; /* its name has the frame's number behind the last '_' */
} run_files[] = {
    {"fields", "fields_[0-9]*.vti", true},
    {"fields", "fields_[0-9]*.vti.part", true},
    {"particles", "particles_[0-9]*.vtp", true},
    {"particles", "particles_[0-9]*.ply", true},
    {"particles", "particles_[0-9]*.part", true},
    {"surface", "surface_[0-9]*.vtp", true},
    {"surface", "surface_[0-9]*.ply", true},
    {"surface", "surface_[0-9]*.part", true},
    {"bodies", "bodies_[0-9]*.vtu", true},
    {"bodies", "bodies_[0-9]*.vtp", true},
    {"bodies", "bodies_[0-9]*.ply", true},
    {"bodies", "bodies_[0-9]*.part", true},
    {"bodies", "*.csv", false},
    {"", "series.csv", false},
    {"", "timings.csv", false},
    {"", "probes.csv", false},
    {"", "walls.csv", false},
    {"", "fields.pvd", false},
    {"", "particles.pvd", false},
    {"", "surface.pvd", false},
    {"", "bodies.pvd", false},
    {"", "solids.vtp", false},
    {"", "look.json", false},
    {"", "checkpoint.vl", false},
    {"", "system_*.mtx", false},
    {"", "report.html", false},
    {"render", "frame_[0-9]*.png", false},
    {"render", "sheet.png", false},
    {"render", "video.mp4", false},
    {"render", "*.part", false},
    {"preview", "frame_[0-9]*.png", false},
    {"preview", "sheet.png", false},
    {"preview", "video.mp4", false},
    {"preview", "*.part", false},
    {"", "solids.ply", false},
    {"", "*.part", false},
};
enum { RUN_FILES = sizeof run_files / sizeof *run_files };
static const char *const below[] = {"fields", "particles", "surface", "bodies", "render", "preview"};

static bool exists_in(const char *folder, const char *name)
{
  char *path = vl_path_join(folder, name);
  struct stat info;
  bool there = path && lstat(path, &info) == 0;
  free(path);
  return there;
}

static bool is_dot(const char *name) { return strcmp(name, ".") == 0 || strcmp(name, "..") == 0; }

static bool is_empty(DIR *handle)
{
  for (struct dirent *entry; (entry = readdir(handle));)
    if (!is_dot(entry->d_name)) return false;
  return true;
}

/* A run that is going on is never touched. */
static vlCode check_over(const char *folder, vlStatus *status)
{
  char *path = vl_path_join(folder, "run.json"), *text = NULL, *state = NULL;
  size_t length;
  vlStatus ignored = {0};
  vlProcess process;
  vlCode code = VL_OK;
  bool running = path && vl_file_read(path, VL_LARGEST_RUN_JSON, &text, &length, &ignored) == VL_OK &&
                 vl_json_find_string(text, "state", &state) && strcmp(state, "running") == 0;
  if (running && vl_process_of_run(text, &process) && vl_process_presence(&process) == VL_PRESENCE_HERE)
    code = vl_fail(status, VL_ERROR_FILE,
                   "a run is being written to the folder %s by process %lld; stop it first (kill %lld) or choose another "
                   "folder with --out",
                   folder, (long long)process.pid, (long long)process.pid);
  free(state);
  free(text);
  free(path);
  return code;
}

static vlCode check_resume(const char *folder, vlStatus *status)
{
  if (!exists_in(folder, "run.json"))
    return vl_fail(status, VL_ERROR_FILE, "there is no run in the folder %s that could go on; start one without --resume",
                   folder);
  vlCode code = check_over(folder, status);
  if (code == VL_OK && !exists_in(folder, "checkpoint.vl"))
    code = vl_fail(status, VL_ERROR_FILE,
                   "the run in the folder %s has no checkpoint.vl to go on from; start it anew with --overwrite", folder);
  return code;
}

vlCode vl_run_folder_check(const char *folder, vlFolderUse use, vlStatus *status)
{
  if (use == VL_FOLDER_RESUME) return check_resume(folder, status);
  DIR *handle = opendir(folder);
  if (!handle && errno == ENOENT) return VL_OK;
  if (!handle) return vl_fail(status, VL_ERROR_FILE, "cannot write a run to %s: %s", folder, strerror(errno));
  bool empty = is_empty(handle);
  closedir(handle);
  if (empty) return VL_OK;
  if (!exists_in(folder, "run.json"))
    return vl_fail(
        status, VL_ERROR_FILE,
        "the folder %s holds files but no run.json, so it is not a run and is left alone; choose another with --out",
        folder);
  vlCode code = check_over(folder, status);
  if (code != VL_OK) return code;
  if (use != VL_FOLDER_OVERWRITE)
    return vl_fail(status, VL_ERROR_FILE,
                   "the folder %s already holds a run; replace it with --overwrite, go on with it with --resume or choose "
                   "another with --out",
                   folder);
  return VL_OK;
}

static vlCode remove_file(const char *folder, const char *name, vlStatus *status)
{
  char *path = vl_path_join(folder, name);
  vlCode code = VL_OK;
  if (!path)
    code = vl_fail_memory(status, strlen(folder), "a file's name");
  else if (unlink(path) != 0 && errno != ENOENT)
    code = vl_fail(status, VL_ERROR_FILE, "cannot remove %s: %s", path, strerror(errno));
  free(path);
  return code;
}

static int frame_of(const char *name)
{
  const char *bar = strrchr(name, '_');
  return bar ? atoi(bar + 1) : 0;
}

/* Files of row r of the table; of frames only those from `frame` on. */
static vlCode remove_row(const char *folder, int r, int frame, vlStatus *status)
{
  DIR *handle = opendir(folder);
  if (!handle)
    return errno == ENOENT ? VL_OK
                           : vl_fail(status, VL_ERROR_FILE, "cannot read the folder %s: %s", folder, strerror(errno));
  vlCode code = VL_OK;
  for (struct dirent *entry; code == VL_OK && (entry = readdir(handle));) {
    bool ours = fnmatch(run_files[r].pattern, entry->d_name, 0) == 0;
    if (ours && (!run_files[r].frame || frame_of(entry->d_name) >= frame)) code = remove_file(folder, entry->d_name, status);
  }
  closedir(handle);
  return code;
}

static vlCode remove_files(const char *folder, bool frames_only, int frame, vlStatus *status)
{
  vlCode code = VL_OK;
  for (int r = 0; r < RUN_FILES && code == VL_OK; r++) {
    if (frames_only && !run_files[r].frame) continue;
    char *path = *run_files[r].folder ? vl_path_join(folder, run_files[r].folder) : strdup(folder);
    code = path ? remove_row(path, r, frame, status) : vl_fail_memory(status, strlen(folder), "a folder's name");
    free(path);
  }
  return code;
}

/* Those that are empty; one that holds other things stays. */
static void remove_folders(const char *folder)
{
  for (size_t i = 0; i < sizeof below / sizeof *below; i++) {
    char *path = vl_path_join(folder, below[i]);
    if (path) rmdir(path);
    free(path);
  }
}

vlCode vl_run_folder_prepare(const char *folder, vlFolderUse use, int frame, vlStatus *status)
{
  vlCode code = vl_run_folder_check(folder, use, status);
  if (code == VL_OK && use == VL_FOLDER_RESUME) return remove_files(folder, true, frame, status);
  if (code == VL_OK && use == VL_FOLDER_OVERWRITE) {
    code = remove_files(folder, false, 0, status);
    if (code == VL_OK) remove_folders(folder);
    if (code == VL_OK) code = remove_file(folder, "run.json", status);
  }
  return code == VL_OK ? vl_folder_create(folder, status) : code;
}
