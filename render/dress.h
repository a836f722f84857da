/* What solids and bodies are made of in a picture: a material for each, and which of them each triangle has. */
#ifndef VL_RENDER_DRESS_H
#define VL_RENDER_DRESS_H

#include "files/look.h"
#include "files/read_frame.h"
#include "material.h"

typedef struct vlDress {
  vlMaterial *materials; /* [count], at least one */
  int count;
} vlDress;

/* The material of each triangle of a mesh; -1: it is of the other kind. */
typedef struct vlWorn {
  int *opaque_of, *glass_of; /* [triangle_count] */
} vlWorn;

/* Solids that are not said to be of anything are satin and of sober colours, containers are glass. */
vlCode vl_dress_solids(vlDress *dress, const vlLookSolid *looks, int count, vlStatus *status);
/* Bodies are satin and of bright colours, each of its own. */
vlCode vl_dress_bodies(vlDress *dress, const vlLookSolid *looks, int count, vlStatus *status);
void vl_dress_clear(vlDress *dress);

/* By the arrays `solid` or `body` of the mesh, which may be NULL. To be cleared, also when it fails. */
vlCode vl_dress_wear(const vlDress *dress, const vlFrameMesh *frame, vlWorn *worn, vlStatus *status);
void vl_worn_clear(vlWorn *worn);

#endif
