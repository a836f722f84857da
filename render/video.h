/* Pictures to an mp4, by the program ffmpeg. */
#ifndef VL_RENDER_VIDEO_H
#define VL_RENDER_VIDEO_H

#include "velella/types.h"

/* Without ffmpeg: VL_ERROR_BACKEND and a message that says how to get it. */
vlCode vl_video_write(const char *path, char *const *pictures, int count, double frames_per_second, vlStatus *status);

#endif
