/* PVD: the list of a series' files with their times, which is what one opens in ParaView.
 *
 * The list lives in memory and the file is rewritten whole after every frame, so that at any moment it names exactly the
 * frames that are there. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "io/number.h"
#include "io/vtk_xml.h"

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

vlCode vl_pvd_add(vlPvd *pvd, double time, const char *file, vlStatus *status)
{
  vlCode code = vl_vtk_check_number(pvd->path, "time", time, status);
  if (code != VL_OK) return code;
  char *name = strdup(file);
  void *frames = pvd->frames;
  if (!name || !vl_array_reserve(&frames, &pvd->capacity, pvd->count + 1, sizeof *pvd->frames)) {
    free(name);
    return vl_fail_memory(status, sizeof *pvd->frames, pvd->path);
  }
  pvd->frames = frames;
  pvd->frames[pvd->count++] = (Frame){time, name};
  code = write_list(pvd, status);
  if (code != VL_OK) free(pvd->frames[--pvd->count].file);
  return code;
}
