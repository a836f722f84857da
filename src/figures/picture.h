/* Pictures for pages: small enough to stand inside one. */
#ifndef VL_FIGURES_PICTURE_H
#define VL_FIGURES_PICTURE_H

#include "velella/types.h"

typedef struct vlPicture {
  unsigned char *bytes; /* JPEG [length] */
  size_t length;
  int width, height;
} vlPicture;

/* The PNG file at `path` as a JPEG that is at most `width` pixels wide; what it lets through is black. */
vlCode vl_picture_shrink(vlPicture *picture, const char *path, int width, vlStatus *status);
void vl_picture_clear(vlPicture *picture);

/* Base64 [RFC 4648] after `prefix`, in new memory; NULL without memory. */
char *vl_base64(const char *prefix, const void *data, size_t length);

#endif
