/* What the pressure solve takes for the open area of a face: pressure.weights [batty2007; docs/theory/weights.md].
 *
 * In the kinetic energy a face stands for the mass rho vol_f of liquid, and the solve sees vol_f/dx:
 *   area      A_f, the face's own open area: nothing is changed here
 *   volume    vol_f = liquid in the cube of side dx around the face
 *   line      dx2 times the liquid part of the segment between the pressures on both sides, by their distances to the solid
 *   voxel     dx3 if both pressures lie outside solids, else 0
 * The domain's sides keep their open areas. Where bodies are, what they take of a face moves with them: with all but `area`
 * the coupling is made of such faces and not of the surface's patches, for only then have liquid and bodies of one velocity
 * no divergence. */
#ifndef VL_CUT_WEIGHTS_H
#define VL_CUT_WEIGHTS_H

#include "cut/patches.h"

enum { VL_WEIGHT_BODIES = 4 }; /* bodies that share one face; more are as rare as they are small */

/* A face that solids take part of. */
typedef struct vlWeightFace {
  int axis, cell[3]; /* lower face of the cell, which may lie behind the last one */
  double open;       /* m2: for the liquid */
  int count;         /* bodies that take part of it */
  int body[VL_WEIGHT_BODIES];
  double share[VL_WEIGHT_BODIES]; /* m2 */
} vlWeightFace;

typedef struct vlWeightFaces {
  vlWeightFace *face; /* [count], sorted by axis, k, j, i */
  int count;
  size_t capacity;
} vlWeightFaces;

typedef struct vlWeights {
  vlWeightsKind kind;
  vlWeightFaces statics; /* faces near static solids, as if there were no bodies; constant */
  /* Of the bodies as they lie. */
  vlWeightFaces near; /* faces near any solid */
  vlPatches patches;  /* what bodies take of faces, seen from the cells on both sides */
  vlCuts *own;        /* volume: how each body alone cuts the cubes around faces [3 bodies] */
  int own_count;
  vlPatches scratch;
  int (*cell)[3]; /* cells whose faces are looked at [cell_count] */
  int cell_count;
  size_t cell_capacity;
} vlWeights;

/* Of the static solids alone. */
vlCode vl_weights_create(vlWeights *weights, vlWeightsKind kind, const vlStatics *statics, const vlCuts *cuts,
                         vlStatus *status);
void vl_weights_clear(vlWeights *weights);
/* With the bodies where they lie now; cuts of the static solids, and of them and the bodies. */
vlCode vl_weights_update(vlWeights *weights, const vlBodySet *bodies, const vlCuts *statics, const vlCuts *together,
                         vlStatus *status);
/* Open areas, already filled on the blocks, become weights. */
void vl_weights_apply(const vlWeights *weights, const vlBlocks *blocks, const vlGrid *grid, double *const area[3]);
/* m2: of a face near static solids, by what vl_weights_create has found; `cuts` are theirs. */
double vl_weights_static(const vlWeights *weights, const vlCuts *cuts, int axis, const int cell[3]);

#endif
