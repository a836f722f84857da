/* A run's folder.
 *
 * Free: it does not exist or is empty. Taken: anything else, and then only --overwrite helps, and only when a run.json
 * of ours shows that a run is what would be lost, and its process has ended. Clearing removes the files that this run.json
 * lists (run_files.h), the report, and the pictures that a report would show, and nothing else; run.json goes last, so that
 * a folder whose clearing was cut short is still known as a run. A run goes on (--resume) only in a folder with run.json and
 * checkpoint.vl; frames behind the checkpoint are removed. */
#include "run_folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/file.h"
#include "files/json.h"
#include "process.h"

/* What other commands make of a run, and goes with it. */
static const char *const made_of_it[] = {"report.html",         "render/frame_*.png", "render/sheet.png", "render/video.mp4",
                                         "preview/frame_*.png", "preview/sheet.png",  "preview/video.mp4"};
enum { MADE = sizeof made_of_it / sizeof *made_of_it };

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

/* The text of a folder's run.json, in new memory. Any other file of that name is refused. */
static vlCode read_record(const char *folder, char **text, vlStatus *status)
{
  char *path = vl_path_join(folder, "run.json"), *program = NULL, *state = NULL;
  size_t length;
  *text = NULL;
  vlCode code = path ? vl_file_read(path, VL_LARGEST_RUN_JSON, text, &length, status)
                     : vl_fail_memory(status, strlen(folder), "a file's name");
  bool ours = !code && vl_json_find_string(*text, "program", &program) && strcmp(program, "velella") == 0 &&
              vl_json_find_string(*text, "state", &state);
  if (!code && !ours)
    code = vl_fail(status, VL_ERROR_FILE,
                   "the folder %s holds a run.json that is not of a run of Velella's, so it is left alone; choose another "
                   "with --out",
                   folder);
  if (code) {
    free(*text);
    *text = NULL;
  }
  free(program);
  free(state);
  free(path);
  return code;
}

/* A run that is going on is never touched. */
static vlCode check_over(const char *folder, vlStatus *status)
{
  char *text, *state = NULL;
  vlProcess process;
  vlCode code = read_record(folder, &text, status);
  bool running = !code && vl_json_find_string(text, "state", &state) && strcmp(state, "running") == 0;
  if (running && vl_process_of_run(text, &process) && vl_process_presence(&process) == VL_PRESENCE_HERE)
    code = vl_fail(status, VL_ERROR_FILE,
                   "a run is being written to the folder %s by process %lld; stop it first (kill %lld) or choose another "
                   "folder with --out",
                   folder, (long long)process.pid, (long long)process.pid);
  free(state);
  free(text);
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

/* A listed name, or what is left of its file's being written. */
static bool is_listed(const char *listed, const char *name, int frame)
{
  static const char ending[] = ".part";
  char whole[256];
  size_t n = strlen(name), m = sizeof ending - 1;
  if (vl_run_file_meant(listed, name, frame)) return true;
  if (n <= m || n >= sizeof whole || strcmp(name + n - m, ending) != 0) return false;
  snprintf(whole, sizeof whole, "%.*s", (int)(n - m), name);
  return vl_run_file_meant(listed, whole, frame);
}

/* The files that a listed name means; of frames only those from `frame` on. */
static vlCode remove_listed(const char *folder, const char *listed, int frame, vlStatus *status)
{
  char below[64];
  vl_run_file_folder(listed, below);
  char *path = *below ? vl_path_join(folder, below) : strdup(folder);
  DIR *handle = path ? opendir(path) : NULL;
  vlCode code = VL_OK;
  if (!path)
    code = vl_fail_memory(status, strlen(folder), "a folder's name");
  else if (!handle && errno != ENOENT && errno != ENOTDIR)
    code = vl_fail(status, VL_ERROR_FILE, "cannot read the folder %s: %s", path, strerror(errno));
  for (struct dirent *entry; handle && code == VL_OK && (entry = readdir(handle));)
    if (is_listed(listed, entry->d_name, frame)) code = remove_file(path, entry->d_name, status);
  if (handle) closedir(handle);
  free(path);
  return code;
}

/* An emptied folder; one that holds other things stays. */
static void remove_below(const char *folder, const char *listed)
{
  char below[64], *path = NULL;
  vl_run_file_folder(listed, below);
  if (*below && (path = vl_path_join(folder, below))) rmdir(path);
  free(path);
}

/* Those of the run's own record, and what was made of it. */
static vlCode remove_run(const char *folder, const vlRunFiles *files, vlStatus *status)
{
  vlCode code = VL_OK;
  for (int i = 0; i < files->count && !code; i++) code = remove_listed(folder, files->name[i], 0, status);
  for (int i = 0; i < MADE && !code; i++) code = remove_listed(folder, made_of_it[i], 0, status);
  for (int i = 0; i < files->count && !code; i++) remove_below(folder, files->name[i]);
  for (int i = 0; i < MADE && !code; i++) remove_below(folder, made_of_it[i]);
  if (!code) code = remove_file(folder, "run.json.part", status);
  return code ? code : remove_file(folder, "run.json", status);
}

static vlCode remove_frames(const char *folder, const vlRunFiles *files, int frame, vlStatus *status)
{
  vlCode code = VL_OK;
  for (int i = 0; i < files->count && !code; i++)
    if (vl_run_file_is_frame(files->name[i])) code = remove_listed(folder, files->name[i], frame, status);
  return code;
}

vlCode vl_run_folder_files(const char *folder, vlRunFiles *files, vlStatus *status)
{
  char *text = NULL;
  vlCode code = read_record(folder, &text, status);
  if (!code) code = vl_run_files_read(files, text, status);
  if (code) vl_status_prefix(status, "the run in %s: ", folder);
  free(text);
  return code;
}

vlCode vl_run_folder_prepare(const char *folder, vlFolderUse use, int frame, vlStatus *status)
{
  vlRunFiles files = {0};
  vlCode code = vl_run_folder_check(folder, use, status);
  if (!code && use != VL_FOLDER_NEW && exists_in(folder, "run.json")) {
    code = vl_run_folder_files(folder, &files, status);
    if (!code && use == VL_FOLDER_RESUME) code = remove_frames(folder, &files, frame, status);
    if (!code && use == VL_FOLDER_OVERWRITE) code = remove_run(folder, &files, status);
  }
  vl_run_files_clear(&files);
  return code || use == VL_FOLDER_RESUME ? code : vl_folder_create(folder, status);
}
