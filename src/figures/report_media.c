/* Pictures and video for a report.
 *
 * `velella render` leaves frame_NNNNN.png and video.mp4 in the run's folder render, with --preview in preview. The contact
 * sheet shows a dozen frames at equal distances, the first and the last among them, as JPEGs of 720 pixels, about 60 KB
 * each. A video goes into the page as it is up to 6 MB (8 MB as base64); a larger one is named by its path, and the page
 * says so. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <turbojpeg.h>

#include "base/status.h"
#include "figures/report_parts.h"
#include "files/file.h"
#include "files/pixels.h"
#include "files/read_frame.h"

enum { SHEET = 12, SHEET_WIDTH = 720, QUALITY = 84, LARGEST_VIDEO = 6000000 };

/* A file that cannot be shown is no reason to show nothing: only other failures stay. */
static vlCode leave_out(vlCode code, vlLog log, vlStatus *status)
{
  if (code != VL_ERROR_FILE) return code;
  vl_log(log, VL_LOG_WARNING, "left out of the report: %s", status->message);
  *status = (vlStatus){0};
  return VL_OK;
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

static vlCode add_pictures(vlJson *json, const char *render, const int *frames, int count, vlLog log, vlReport *report,
                           vlStatus *status)
{
  int shown = count < SHEET ? count : SHEET;
  vlCode code = VL_OK;
  vl_json_array(json, "pictures");
  for (int i = 0; i < shown && code == VL_OK; i++) {
    code = add_picture(json, render, frames[shown > 1 ? i * (count - 1) / (shown - 1) : 0], status);
    if (code == VL_OK) report->pictures++;
    code = leave_out(code, log, status);
  }
  vl_json_end(json);
  vl_json_integer(json, "rendered", count);
  vl_json_bool(json, "preview", report->preview);
  report->rendered = count;
  return code;
}

/* An MP4 file's first box is of the type "ftyp", and its index "moov" must have been written. */
static bool is_mp4(const char *data, size_t length)
{
  return length >= 16 && memcmp(data + 4, "ftyp", 4) == 0 && memmem(data, length, "moov", 4);
}

/* The video as a data address, in new memory. */
static vlCode embed(char **src, const char *path, vlStatus *status)
{
  char *data = NULL;
  size_t length = 0;
  vlCode code = vl_file_read(path, LARGEST_VIDEO, &data, &length, status);
  if (code == VL_OK && !is_mp4(data, length))
    code = vl_fail(status, VL_ERROR_FILE, "%s is no whole MP4 file; render it again or remove it", path);
  if (code == VL_OK && !(*src = vl_base64("data:video/mp4;base64,", data, length)))
    code = vl_fail_memory(status, length, path);
  free(data);
  return code;
}

static vlCode add_video(vlJson *json, const char *folder, const char *file, vlLog log, vlReport *report, vlStatus *status)
{
  char *path = vl_path_join(folder, file), *src = NULL;
  if (!path) return vl_fail_memory(status, strlen(folder), file);
  struct stat about;
  vlCode code = VL_OK;
  if (stat(path, &about) == 0) report->video = about.st_size > LARGEST_VIDEO ? VL_VIDEO_LINKED : VL_VIDEO_INSIDE;
  if (report->video == VL_VIDEO_INSIDE) {
    code = leave_out(embed(&src, path, status), log, status);
    if (!src) report->video = VL_VIDEO_NONE;
  }
  if (report->video == VL_VIDEO_NONE) {
    vl_json_string(json, "video", NULL);
  } else {
    vl_json_object(json, "video");
    vl_json_string(json, "src", src ? src : file);
    vl_json_bool(json, "inside", src != NULL);
    vl_json_integer(json, "bytes", about.st_size);
    vl_json_end(json);
  }
  free(src);
  free(path);
  return code;
}

vlCode vl_report_media(vlJson *json, const char *folder, vlLog log, vlReport *report, vlStatus *status)
{
  static const char *const names[] = {"render", "preview"}, *const videos[] = {"render/video.mp4", "preview/video.mp4"};
  char *pictures = NULL;
  int *frames = NULL, count = 0, from = -1;
  vlStatus own = {0};
  if (!status) status = &own;
  vlCode code = VL_OK;
  while (code == VL_OK && count == 0 && from < 1) {
    free(pictures);
    pictures = vl_path_join(folder, names[++from]);
    code = pictures ? vl_frame_numbers(pictures, "frame", "png", &frames, &count, status)
                    : vl_fail_memory(status, strlen(folder), names[from]);
  }
  if (count == 0) from = 0;
  report->preview = from == 1;
  if (code == VL_OK) code = add_pictures(json, pictures, frames, count, log, report, status);
  if (code == VL_OK) code = add_video(json, folder, videos[from], log, report, status);
  free(frames);
  free(pictures);
  return code;
}

/* Makes a rendered frame small: PNG in, JPEG out, at most so many pixels wide.
 *   FILE.png -> 8-bit RGB -> fewer pixels (files/pixels.h) -> JPEG in memory (libjpeg-turbo) */

static vlCode compress(vlPicture *picture, const unsigned char *rgb, const char *path, vlStatus *status)
{
  tjhandle jpeg = tjInitCompress();
  unsigned long length = 0;
  int failed = !jpeg || tjCompress2(jpeg, rgb, picture->width, 0, picture->height, TJPF_RGB, &picture->bytes, &length,
                                    TJSAMP_420, QUALITY, TJFLAG_ACCURATEDCT) != 0;
  picture->length = length;
  if (failed) vl_fail(status, VL_ERROR_MEMORY, "cannot compress %s: %s", path, tjGetErrorStr2(jpeg));
  if (jpeg) tjDestroy(jpeg);
  return failed ? VL_ERROR_MEMORY : VL_OK;
}

vlCode vl_picture_shrink(vlPicture *picture, const char *path, int width, vlStatus *status)
{
  vlPixels small;
  vlCode code = vl_pixels_read(&small, path, width, status);
  *picture = (vlPicture){.width = small.width, .height = small.height};
  if (code == VL_OK) code = compress(picture, small.rgb, path, status);
  vl_pixels_clear(&small);
  if (code != VL_OK) vl_picture_clear(picture);
  return code;
}

void vl_picture_clear(vlPicture *picture)
{
  tjFree(picture->bytes);
  *picture = (vlPicture){0};
}

char *vl_base64(const char *prefix, const void *data, size_t length)
{
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  size_t lead = strlen(prefix);
  char *text = malloc(lead + (length + 2) / 3 * 4 + 1), *out = text;
  if (!text) return NULL;
  memcpy(out, prefix, lead);
  out += lead;
  const unsigned char *in = data;
  for (size_t i = 0; i < length; i += 3) {
    size_t left = length - i;
    unsigned bits = (unsigned)in[i] << 16 | (left > 1 ? (unsigned)in[i + 1] << 8 : 0) | (left > 2 ? in[i + 2] : 0);
    *out++ = letters[bits >> 18];
    *out++ = letters[bits >> 12 & 63];
    *out++ = left > 1 ? letters[bits >> 6 & 63] : '=';
    *out++ = left > 2 ? letters[bits & 63] : '=';
  }
  *out = '\0';
  return text;
}
