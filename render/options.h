/* The command line of velella-render. */
#ifndef VL_RENDER_OPTIONS_H
#define VL_RENDER_OPTIONS_H

#include <stdio.h>

#include "velella/scene.h"

typedef struct vlRenderOptions {
  const char *run, *out; /* out: NULL for a folder in the run's */
  int first, last, step; /* frames; last < 0: to the end */
  bool range;            /* frames were asked for by number */
  int width, height, samples, bounces;
  int threads;   /* 0: all cores */
  int turntable; /* pictures once around; 0: the camera stands still */
  bool overwrite, quiet, video, no_video, no_denoise, preview, help;
  bool has_camera, has_target, has_coloring;
  vlVec3 camera, target;
  double fov, exposure; /* NaN: the scene's */
  vlColoringKind coloring;
} vlRenderOptions;

vlCode vl_render_options(vlRenderOptions *options, int argc, char **argv, vlStatus *status);
void vl_render_help(FILE *out);

#endif
