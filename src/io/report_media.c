/* Pictures and video for a report.
 *
 * `velella render` leaves render/frame_NNNNN.png and render/video.mp4 in the run's folder. The contact sheet shows a dozen
 * frames at equal distances, the first and the last among them, as JPEGs of 720 pixels, about 60 KB each. A video goes into
 * the page as it is up to 6 MB (8 MB as base64); a larger one is named by its path, and the page says so. */
#include "io/report_media.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/status.h"
#include "io/file.h"
#include "io/picture.h"

enum { SHEET = 12, SHEET_WIDTH = 720, LARGEST_VIDEO = 6000000 };

static int compare(const void *a, const void *b)
{
  int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

/* Numbers of the frames in the folder `render`, in order; no folder: none. */
static vlCode list_frames(const char *render, int **frames, size_t *count, vlStatus *status)
{
  *frames = NULL;
  *count = 0;
  DIR *handle = opendir(render);
  if (!handle && (errno == ENOENT || errno == ENOTDIR)) return VL_OK;
  if (!handle) return vl_fail(status, VL_ERROR_FILE, "cannot read the folder %s: %s", render, strerror(errno));
  size_t capacity = 0;
  vlCode code = VL_OK;
  for (struct dirent *entry; code == VL_OK && (entry = readdir(handle));) {
    int number, end = 0;
    if (sscanf(entry->d_name, "frame_%5d.png%n", &number, &end) != 1 || end != 15 || entry->d_name[end]) continue;
    void *list = *frames;
    if (vl_array_reserve(&list, &capacity, *count + 1, sizeof **frames)) {
      *frames = list;
      (*frames)[(*count)++] = number;
    } else {
      code = vl_fail_memory(status, capacity * sizeof **frames, render);
    }
  }
  closedir(handle);
  if (*count) qsort(*frames, *count, sizeof **frames, compare);
  return code;
}

static vlCode add_picture(vlJson *json, const char *render, int frame, vlStatus *status)
{
  char name[32];
  snprintf(name, sizeof name, "frame_%05d.png", frame);
  char *path = vl_path_join(render, name), *src = NULL;
  if (!path) return vl_fail_memory(status, strlen(render), name);
  vlPicture picture;
  vlCode code = vl_picture_shrink(&picture, path, SHEET_WIDTH, status);
  if (code == VL_OK) src = vl_base64("data:image/jpeg;base64,", picture.bytes, picture.length);
  if (code == VL_OK && !src) code = vl_fail_memory(status, picture.length, path);
  if (code == VL_OK) {
    vl_json_object(json, NULL);
    vl_json_integer(json, "frame", frame);
    vl_json_integer(json, "width", picture.width);
    vl_json_integer(json, "height", picture.height);
    vl_json_string(json, "src", src);
    vl_json_end(json);
  }
  vl_picture_clear(&picture);
  free(src);
  free(path);
  return code;
}

vlCode vl_report_pictures(vlJson *json, const char *folder, vlReport *report, vlStatus *status)
{
  char *render = vl_path_join(folder, "render");
  int *frames = NULL;
  size_t count = 0;
  vlCode code = render ? list_frames(render, &frames, &count, status) : vl_fail_memory(status, strlen(folder), "render");
  size_t shown = count < SHEET ? count : SHEET;
  vl_json_array(json, "pictures");
  for (size_t i = 0; i < shown && code == VL_OK; i++)
    code = add_picture(json, render, frames[shown > 1 ? i * (count - 1) / (shown - 1) : 0], status);
  vl_json_end(json);
  vl_json_integer(json, "rendered", (int64_t)count);
  report->pictures = (int)shown;
  report->rendered = (int)count;
  free(frames);
  free(render);
  return code;
}

/* An MP4 file's first box is of the type "ftyp", and its index "moov" must have been written. */
static bool is_mp4(const char *data, size_t length)
{
  return length >= 16 && memcmp(data + 4, "ftyp", 4) == 0 && memmem(data, length, "moov", 4);
}

static vlCode embed(vlJson *json, const char *path, vlStatus *status)
{
  char *data = NULL, *src = NULL;
  size_t length = 0;
  vlCode code = vl_file_read(path, LARGEST_VIDEO, &data, &length, status);
  if (code == VL_OK && !is_mp4(data, length))
    code = vl_fail(status, VL_ERROR_FILE, "%s is no whole MP4 file; render it again or remove it", path);
  if (code == VL_OK) src = vl_base64("data:video/mp4;base64,", data, length);
  if (code == VL_OK && !src) code = vl_fail_memory(status, length, path);
  if (code == VL_OK) vl_json_string(json, "src", src);
  free(src);
  free(data);
  return code;
}

vlCode vl_report_video(vlJson *json, const char *folder, vlReport *report, vlStatus *status)
{
  static const char file[] = "render/video.mp4";
  char *path = vl_path_join(folder, file);
  if (!path) return vl_fail_memory(status, strlen(folder), file);
  struct stat about;
  vlCode code = VL_OK;
  if (stat(path, &about) != 0) {
    report->video = VL_VIDEO_NONE;
    vl_json_string(json, "video", NULL);
  } else {
    report->video = about.st_size > LARGEST_VIDEO ? VL_VIDEO_LINKED : VL_VIDEO_INSIDE;
    vl_json_object(json, "video");
    if (report->video == VL_VIDEO_INSIDE)
      code = embed(json, path, status);
    else
      vl_json_string(json, "src", file);
    vl_json_bool(json, "inside", report->video == VL_VIDEO_INSIDE);
    vl_json_integer(json, "bytes", about.st_size);
    vl_json_end(json);
  }
  free(path);
  return code;
}
