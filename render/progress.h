/* What rendering shows while it goes: a line that is redrawn on a terminal, up to ten lines elsewhere. */
#ifndef VL_RENDER_PROGRESS_H
#define VL_RENDER_PROGRESS_H

#include "velella/types.h"

typedef struct vlRenderProgress {
  bool quiet, terminal, drawn;
  int count, done, made;     /* pictures: all, over, made by this command */
  double begun, last, spent; /* s: clock at the start and at the last picture, time for those that were made */
} vlRenderProgress;

void vl_render_progress_begin(vlRenderProgress *progress, bool quiet, int count);
void vl_render_progress_picture(vlRenderProgress *progress, int frame, bool kept);
/* `count` pictures, of the frames from first to last, cannot be made. */
void vl_render_progress_error(vlRenderProgress *progress, int count, int first, int last, const char *message);
void vl_render_progress_end(vlRenderProgress *progress);

#endif
