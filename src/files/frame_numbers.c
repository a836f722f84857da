/* Frames by the names of their files: STEM_NNNNN.ENDING. Lists of frames (.pvd) are not needed, so frames of other programs
 * may be put in a folder too, and a folder can be listed while a run writes to it. */
#include "files/frame_numbers.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"

int vl_frame_number(const char *name, const char *stem, const char *ending)
{
  size_t n = strlen(stem), digits = 0;
  if (strncmp(name, stem, n) != 0 || name[n] != '_') return -1;
  const char *number = name + n + 1;
  while (number[digits] >= '0' && number[digits] <= '9') digits++;
  bool named = digits >= 5 && digits <= 9 && number[digits] == '.' && strcmp(number + digits + 1, ending) == 0;
  return named ? atoi(number) : -1;
}

static int compare(const void *a, const void *b)
{
  int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

vlCode vl_frame_numbers(const char *folder, const char *stem, const char *ending, int **numbers, int *count,
                        vlStatus *status)
{
  void *list = NULL;
  size_t capacity = 0;
  *numbers = NULL;
  *count = 0;
  DIR *handle = opendir(folder);
  if (!handle && (errno == ENOENT || errno == ENOTDIR)) return VL_OK;
  if (!handle) return vl_fail(status, VL_ERROR_FILE, "cannot read the folder %s: %s", folder, strerror(errno));
  vlCode code = VL_OK;
  for (struct dirent *entry; code == VL_OK && (entry = readdir(handle));) {
    int number = vl_frame_number(entry->d_name, stem, ending);
    if (number < 0) continue;
    if (vl_array_reserve(&list, &capacity, (size_t)*count + 1, sizeof **numbers))
      ((int *)list)[(*count)++] = number;
    else
      code = vl_fail_memory(status, capacity * sizeof **numbers, "a list of frames");
  }
  closedir(handle);
  if (code != VL_OK) {
    free(list);
    *count = 0;
    return code;
  }
  if (*count) qsort(list, (size_t)*count, sizeof **numbers, compare);
  *numbers = list;
  return VL_OK;
}
