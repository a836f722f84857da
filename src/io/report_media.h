/* The pictures and the video of a run, ready to stand inside a page. */
#ifndef VL_IO_REPORT_MEDIA_H
#define VL_IO_REPORT_MEDIA_H

#include "io/json.h"
#include "io/report.h"

/* From FOLDER/render, or where that has no frame_NNNNN.png from FOLDER/preview, adds
 *   pictures           an array of {"frame", "width", "height", "src"}, chosen evenly
 *   rendered, preview  how many there are to choose from, and whether they are previews
 *   video              {"src", "bytes", "inside"} of video.mp4, or null.
 * What is damaged is left out, with a warning that names it. */
vlCode vl_report_media(vlJson *json, const char *folder, vlLog log, vlReport *report, vlStatus *status);

#endif
