/* A contact sheet: a dozen pictures of a run on one, with their times. */
#ifndef VL_RENDER_SHEET_H
#define VL_RENDER_SHEET_H

#include "velella/types.h"

/* The PNG files `pictures` [count], in the order of time and all of one shape, show the frames `frames` [count]. The sheet
 * at `path` is kept when it shows the same frames and none of its pictures is newer. */
vlCode vl_sheet_write(const char *path, char *const *pictures, const int *frames, int count, double frames_per_second,
                      vlStatus *status);

#endif
