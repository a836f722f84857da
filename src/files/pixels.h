/* Pixels of pictures: read, and made fewer. */
#ifndef VL_FILES_PIXELS_H
#define VL_FILES_PIXELS_H

#include "velella/types.h"

typedef struct vlPixels {
  unsigned char *rgb; /* row by row from the top [height][width][3] */
  int width, height;
} vlPixels;

/* The PNG file at `path`, at most `width` pixels wide; what it lets through is black. */
vlCode vl_pixels_read(vlPixels *pixels, const char *path, int width, vlStatus *status);
void vl_pixels_clear(vlPixels *pixels);

#endif
