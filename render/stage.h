/* What all pictures of a run share: looks, solids, the camera's place; and a world for each frame. */
#ifndef VL_RENDER_STAGE_H
#define VL_RENDER_STAGE_H

#include "camera.h"
#include "frame_list.h"
#include "io/look.h"
#include "io/read_frame.h"
#include "options.h"
#include "world.h"

typedef struct vlStage {
  vlLook look;               /* with the options' changes */
  vlFrameMesh solids;        /* mesh NULL: none */
  vlMaterial *materials;     /* of the solids [look.solid_count, at least 1] */
  int *opaque_of, *glass_of; /* material of each triangle of the solids; -1: of the other kind */
  bool containers;
  vlBox3 box;     /* m: what is simulated */
  vlBox3 seen;    /* m: what the picture shows */
  double fastest; /* m/s: speed with the last colour; 0: colours do not show it */
  double highest; /* Pa: stress with the last colour; 0: none */
  double floor;   /* m: height of the ground */
  vlCamera camera;
} vlStage;

vlCode vl_stage_create(vlStage *stage, const vlRenderOptions *options, const vlFrameList *frames, vlStatus *status);
void vl_stage_clear(vlStage *stage);
/* `liquid` may have no triangles, or no mesh at all; quick: for a preview. */
vlCode vl_stage_world(const vlStage *stage, const vlFrameMesh *liquid, bool quick, vlWorld **world, vlStatus *status);
/* The pictures of a turntable turn about this point. */
vlVec3 vl_stage_middle(const vlStage *stage);

#endif
