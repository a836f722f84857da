/* A run's folder.
 *
 * Free: it does not exist or is empty. Taken: anything else, and then only --overwrite helps, and only when a run.json
 * shows that a run is what would be lost, and its process has ended. Clearing removes the files that a run writes, by their
 * names, and nothing else; run.json goes last, so that a folder whose clearing was cut short is still known as a run. */
#include "run_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/file.h"
#include "io/json.h"
#include "process.h"

/* What a run writes, as patterns of names. */
static const char *const run_files[] = {"series.csv", "timings.csv", "fields.pvd", "solids.vtp", "system_*.mtx", "*.part"};
static const char *const field_files[] = {"fields_[0-9]*.vti", "fields_[0-9]*.vti.part"};

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

vlCode vl_run_folder_check(const char *folder, bool overwrite, vlStatus *status)
{
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
  if (!overwrite)
    return vl_fail(status, VL_ERROR_FILE,
                   "the folder %s already holds a run; replace it with --overwrite or choose another with --out", folder);
  return VL_OK;
}

static bool matches(const char *name, const char *const *patterns, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (fnmatch(patterns[i], name, 0) == 0) return true;
  return false;
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

static vlCode remove_matching(const char *folder, const char *const *patterns, size_t count, vlStatus *status)
{
  DIR *handle = opendir(folder);
  if (!handle)
    return errno == ENOENT ? VL_OK
                           : vl_fail(status, VL_ERROR_FILE, "cannot read the folder %s: %s", folder, strerror(errno));
  vlCode code = VL_OK;
  for (struct dirent *entry; code == VL_OK && (entry = readdir(handle));)
    if (matches(entry->d_name, patterns, count)) code = remove_file(folder, entry->d_name, status);
  closedir(handle);
  return code;
}

vlCode vl_run_folder_prepare(const char *folder, bool overwrite, bool fields, vlStatus *status)
{
  vlCode code = vl_run_folder_check(folder, overwrite, status);
  char *below = vl_path_join(folder, "fields");
  if (code == VL_OK && !below) code = vl_fail_memory(status, strlen(folder), "a folder's name");
  if (code == VL_OK && overwrite) {
    code = remove_matching(below, field_files, sizeof field_files / sizeof *field_files, status);
    if (code == VL_OK) code = remove_matching(folder, run_files, sizeof run_files / sizeof *run_files, status);
    if (code == VL_OK) rmdir(below); /* stays when it holds other things */
    if (code == VL_OK) code = remove_file(folder, "run.json", status);
  }
  if (code == VL_OK) code = vl_folder_create(fields ? below : folder, status);
  free(below);
  return code;
}
