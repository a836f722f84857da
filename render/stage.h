/* What all pictures of a run share: looks, solids, the camera's place; and a world for each frame of liquid and bodies. */
#ifndef VL_RENDER_STAGE_H
#define VL_RENDER_STAGE_H

#include "camera.h"
#include "dress.h"
#include "frame_list.h"
#include "options.h"
#include "world.h"

typedef struct vlStage {
  vlLook look;        /* with the options' changes */
  vlFrameMesh solids; /* mesh NULL: none */
  vlDress solid_dress, body_dress;
  vlWorn solids_worn;
  bool containers;
  vlBox3 box;     /* m: what is simulated */
  vlBox3 seen;    /* m: what the picture shows */
  double fastest; /* m/s: speed with the last colour; 0: colours do not show it */
  double highest; /* Pa: stress with the last colour; 0: none, or colours do not show it */
  double floor;   /* m: height of the ground */
  vlCamera camera;
} vlStage;

/* Frames of the liquid and of the bodies. */
vlCode vl_stage_create(vlStage *stage, const vlRenderOptions *options, const vlFrameList *liquid, const vlFrameList *bodies,
                       vlStatus *status);
void vl_stage_clear(vlStage *stage);
/* `liquid` and `bodies` may have no triangles, or no mesh at all; quick: for a preview. */
vlCode vl_stage_world(const vlStage *stage, const vlFrameMesh *liquid, const vlFrameMesh *bodies, bool quick,
                      vlWorld **world, vlStatus *status);
/* The stress at the vertices, bodies' or solids'; NULL: none. */
const float *vl_stage_stress(const vlFrameMesh *frame);
/* The pictures of a turntable turn about this point. */
vlVec3 vl_stage_middle(const vlStage *stage);

#endif
