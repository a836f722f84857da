/* Which frames a run has. */
#ifndef VL_RENDER_FRAME_LIST_H
#define VL_RENDER_FRAME_LIST_H

#include "velella/types.h"

typedef struct vlFrameFile {
  int number;
  char *path;
} vlFrameFile;

typedef struct vlFrameList {
  vlFrameFile *files; /* by number [count] */
  int count;
} vlFrameList;

/* Of a kind, "surface" or "bodies": RUN/surface/surface_00012.vtp, or .ply where there is no .vtp. There may be none. */
vlCode vl_frame_list_create(vlFrameList *list, const char *run, const char *kind, vlStatus *status);
void vl_frame_list_clear(vlFrameList *list);
const char *vl_frame_list_find(const vlFrameList *list, int number); /* NULL: there is none */

#endif
