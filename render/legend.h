/* A bar in a corner of a picture that tells what its colours mean. */
#ifndef VL_RENDER_LEGEND_H
#define VL_RENDER_LEGEND_H

#include "velella/types.h"

typedef struct vlLegend {
  int width, height;           /* px: of the picture */
  const char *quantity, *unit; /* "speed", "m/s" */
  double most;                 /* value with the last colour */
} vlLegend;

/* Onto rgb [height][width][3]. Pictures too small for letters stay as they are. */
vlCode vl_legend_draw(const vlLegend *legend, unsigned char *rgb, vlStatus *status);

#endif
