/* The pictures and the video of a run, ready to stand inside a page. */
#ifndef VL_IO_REPORT_MEDIA_H
#define VL_IO_REPORT_MEDIA_H

#include "io/json.h"
#include "io/report.h"

/* Adds "pictures", an array of {"frame", "width", "height", "src"} chosen evenly from FOLDER/render/frame_NNNNN.png, and
 * "rendered", how many of these there are. */
vlCode vl_report_pictures(vlJson *json, const char *folder, vlReport *report, vlStatus *status);
/* Adds "video", {"src", "bytes", "inside"} of FOLDER/render/video.mp4, or null. */
vlCode vl_report_video(vlJson *json, const char *folder, vlReport *report, vlStatus *status);

#endif
