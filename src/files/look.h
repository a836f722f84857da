/* look.json: what a renderer needs to know of a run besides its frames: the box, and how the scene wants things to look. */
#ifndef VL_FILES_LOOK_H
#define VL_FILES_LOOK_H

#include "velella/velella.h"

/* Of a solid or an elastic body. */
typedef struct vlLookSolid {
  bool container, has_color;
  vlVec3 color;
  vlMaterialKind material;
} vlLookSolid;

typedef struct vlLook {
  vlBox3 box;    /* m; empty: unknown */
  double dx;     /* m: cell size; 0: unknown */
  vlBox3 liquid; /* m: where liquid and sources are at the start, up to where their speed would carry them; empty: unknown */
  double fastest; /* m/s: speed of liquid or a body that falls from its start to the box's bottom; 0: unknown */
  bool slab;
  double frames_per_second;
  vlLookDef def;
  vlLookSolid *solids; /* in the order of the scene, as the array `solid` of solids.vtp counts them [solid_count] */
  int solid_count;
  vlLookSolid *bodies; /* in the order of the scene, as the array `body` of their frames counts them [body_count] */
  int body_count;
  vlBox3 body_start; /* m: where they begin; empty: unknown */
} vlLook;

/* FOLDER/look.json. */
vlCode vl_look_write(const vlSim *sim, const char *folder, vlStatus *status);
/* Values that are missing or out of place keep their defaults; only text that is no object is an error. A folder without
 * the file gives the defaults: the run is from before there was one. */
vlCode vl_look_read(vlLook *look, const char *folder, vlStatus *status);
void vl_look_clear(vlLook *look);

/* On a screen, of the body or solid with this number; no two numbers have the same. For those without one in the scene. */
vlVec3 vl_look_color(int index);
/* Its own colour, or that of its number. */
vlVec3 vl_look_body_color(const vlLook *look, int body);

#endif
