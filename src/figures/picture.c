/* Makes a rendered frame small: PNG in, JPEG out, at most so many pixels wide.
 *   FILE.png -> 8-bit RGB -> fewer pixels (files/pixels.h) -> JPEG in memory (libjpeg-turbo) */
#include "figures/picture.h"

#include <stdlib.h>
#include <string.h>
#include <turbojpeg.h>

#include "base/status.h"
#include "files/pixels.h"

enum { QUALITY = 84 };

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
