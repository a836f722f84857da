/* Frames by the names of their files; surface.pvd is not needed, so frames of other programs may be put in the folder too.
 */
#include "frame_list.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/status.h"
#include "files/file.h"

/* surface_00012.vtp → 12; -1: another file. */
static int number_of(const char *name, const char *kind)
{
  size_t stem = strlen(kind);
  int number, used = 0;
  if (strncmp(name, kind, stem) != 0) return -1;
  if (sscanf(name + stem, "_%5d.%n", &number, &used) != 1 || !used || number < 0) return -1;
  const char *ending = name + stem + used;
  return strcmp(ending, "vtp") == 0 || strcmp(ending, "ply") == 0 ? number : -1;
}

/* By number, a .vtp before a .ply. */
static int compare(const void *a, const void *b)
{
  const vlFrameFile *f = a, *g = b;
  return f->number != g->number ? (f->number < g->number ? -1 : 1) : -strcmp(f->path, g->path);
}

static bool append(vlFrameList *list, const char *folder, const char *name, int number)
{
  vlFrameFile *files = realloc(list->files, (size_t)(list->count + 1) * sizeof *files);
  if (!files) return false;
  list->files = files;
  files[list->count] = (vlFrameFile){number, vl_path_join(folder, name)};
  return files[list->count].path && ++list->count;
}

/* One file for each number. */
static void keep_first(vlFrameList *list)
{
  int kept = 0;
  for (int i = 0; i < list->count; i++) {
    if (kept && list->files[kept - 1].number == list->files[i].number)
      free(list->files[i].path);
    else
      list->files[kept++] = list->files[i];
  }
  list->count = kept;
}

static vlCode read_folder(vlFrameList *list, const char *folder, const char *run, const char *kind, vlStatus *status)
{
  DIR *handle = opendir(folder);
  struct stat about;
  if (!handle && errno != ENOENT)
    return vl_fail(status, VL_ERROR_FILE, "cannot read the folder %s: %s", folder, strerror(errno));
  if (!handle && stat(run, &about) != 0)
    return vl_fail(status, VL_ERROR_FILE, "%s is not the folder of a run: %s", run, strerror(errno));
  vlCode code = VL_OK;
  for (struct dirent *entry; handle && code == VL_OK && (entry = readdir(handle));) {
    int number = number_of(entry->d_name, kind);
    if (number >= 0 && !append(list, folder, entry->d_name, number))
      code = vl_fail_memory(status, 1024, "the list of frames");
  }
  if (handle) closedir(handle);
  return code;
}

vlCode vl_frame_list_create(vlFrameList *list, const char *run, const char *kind, vlStatus *status)
{
  *list = (vlFrameList){0};
  char *folder = vl_path_join(run, kind);
  vlCode code = folder ? read_folder(list, folder, run, kind, status) : vl_fail_memory(status, 1024, "a folder's name");
  free(folder);
  if (code == VL_OK) {
    if (list->count > 0) qsort(list->files, (size_t)list->count, sizeof *list->files, compare);
    keep_first(list);
  } else {
    vl_frame_list_clear(list);
  }
  return code;
}

void vl_frame_list_clear(vlFrameList *list)
{
  for (int i = 0; i < list->count; i++) free(list->files[i].path);
  free(list->files);
  *list = (vlFrameList){0};
}

const char *vl_frame_list_find(const vlFrameList *list, int number)
{
  int lo = 0, hi = list->count;
  while (lo < hi) {
    int middle = lo + (hi - lo) / 2;
    if (list->files[middle].number < number)
      lo = middle + 1;
    else
      hi = middle;
  }
  return lo < list->count && list->files[lo].number == number ? list->files[lo].path : NULL;
}
