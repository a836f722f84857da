/* PVD: the list of a series' files with their times, which is what one opens in ParaView.
 *
 * The list lives in memory and the file is rewritten whole after every frame, so that at any moment it names exactly the
 * frames that are there. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "files/file.h"
#include "files/vtk_xml.h"

enum { LARGEST_LIST = 64 << 20 }; /* bytes that are read of one */

typedef struct Frame {
  double time;
  char *file;
} Frame;

struct vlPvd {
  char *path;
  Frame *frames; /* in the order in which they were added [count] */
  size_t count, capacity;
};

vlCode vl_pvd_create(vlPvd **pvd, const char *path, vlStatus *status)
{
  *pvd = calloc(1, sizeof **pvd);
  if (*pvd && ((*pvd)->path = strdup(path))) return VL_OK;
  vl_pvd_destroy(pvd);
  return vl_fail_memory(status, sizeof **pvd, path);
}

void vl_pvd_destroy(vlPvd **pvd)
{
  if (!pvd || !*pvd) return;
  for (size_t i = 0; i < (*pvd)->count; i++) free((*pvd)->frames[i].file);
  free((*pvd)->frames);
  free((*pvd)->path);
  free(*pvd);
  *pvd = NULL;
}

static vlCode write_list(const vlPvd *pvd, vlStatus *status)
{
  vlFile file;
  vlCode code = vl_file_open(&file, pvd->path, status);
  if (code != VL_OK) return code;
  vl_file_print(&file, "<?xml version=\"1.0\"?>\n");
  vl_file_print(&file, "<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n");
  vl_file_print(&file, "<Collection>\n");
  for (size_t i = 0; i < pvd->count; i++) {
    char text[VL_NUMBER_TEXT];
    vl_file_print(&file, "<DataSet timestep=\"%s\" group=\"\" part=\"0\" file=\"",
                  vl_number_text(pvd->frames[i].time, text));
    vl_vtk_escape(&file, pvd->frames[i].file);
    vl_file_print(&file, "\"/>\n");
  }
  vl_file_print(&file, "</Collection>\n</VTKFile>\n");
  return vl_file_commit(&file, status);
}

/* Takes over `name`, whatever comes of it. */
static vlCode append(vlPvd *pvd, double time, char *name, vlStatus *status)
{
  void *frames = pvd->frames;
  if (!name || !vl_array_reserve(&frames, &pvd->capacity, pvd->count + 1, sizeof *pvd->frames)) {
    free(name);
    return vl_fail_memory(status, sizeof *pvd->frames, pvd->path);
  }
  pvd->frames = frames;
  pvd->frames[pvd->count++] = (Frame){time, name};
  return VL_OK;
}

vlCode vl_pvd_continue(vlPvd *pvd, double until, vlStatus *status)
{
  static const char begin[] = "<DataSet timestep=\"", file[] = " file=\"";
  char *text = NULL;
  size_t length;
  if (access(pvd->path, F_OK) != 0) return VL_OK;
  vlCode code = vl_file_read(pvd->path, LARGEST_LIST, &text, &length, status);
  for (const char *at = text; code == VL_OK && (at = strstr(at, begin));) {
    double time = strtod(at + sizeof begin - 1, NULL);
    const char *name = strstr(at, file), *end = name ? strchr(name + sizeof file - 1, '"') : NULL;
    if (!end || time > until) break;
    name += sizeof file - 1;
    code = append(pvd, time, strndup(name, (size_t)(end - name)), status);
    at = end;
  }
  free(text);
  return code == VL_OK ? write_list(pvd, status) : code;
}

vlCode vl_pvd_add(vlPvd *pvd, double time, const char *file, vlStatus *status)
{
  vlCode code = vl_vtk_check_number(pvd->path, "time", time, status);
  if (code == VL_OK) code = append(pvd, time, strdup(file), status);
  if (code != VL_OK) return code;
  code = write_list(pvd, status);
  if (code != VL_OK) free(pvd->frames[--pvd->count].file);
  return code;
}
