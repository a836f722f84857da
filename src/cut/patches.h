/* The surface of bodies, cell by cell: where liquid and bodies touch. */
#ifndef VL_CUT_PATCHES_H
#define VL_CUT_PATCHES_H

#include "cut/cuts.h"
#include "solid/body_set.h"

/* The part of one surface triangle that lies in one cell, or a body's share of one of its faces (weights.h). */
typedef struct vlPatch {
  int cell[3];  /* -1 and n: half-infinite cells beyond the domain's sides */
  int triangle; /* of the body's surface; of a stiff body's share: none, -1 */
  int piece;    /* number of the piece of liquid before it, where who listed it knows (engine/sharp/subgrid_walls.c) */
  int nodes;    /* that carry it: 3 or 6 of the triangle's face, or 4 that span a stiff body's space */
  int node[VL_PIECE_NODES]; /* nodes of all bodies are numbered through */
  double b[VL_PIECE_NODES]; /* means of the nodes' shape functions over the patch, sum 1; of more than three any sign */
  vlVec3 s;                 /* m2: area times unit normal, INTO the body */
  vlVec3 moment;            /* m3: s_a (c_a - lower face of the cell along a) */
} vlPatch;

enum { VL_PATCH_PARTS = 16 };

/* What a part of the triangles gives, while they are cut. */
typedef struct vlPatchPart {
  vlPatch *patch;
  size_t count, capacity;
} vlPatchPart;

enum { VL_PATCH_CORNERS = 16 };
/* What counts of the patches: cuts off the rest of a piece's polygon, its corners in cells; returns how many are left. */
typedef int vlPatchKeep(const void *data, const int cell[3], vlVec3 corner[VL_PATCH_CORNERS], int corners);

typedef struct vlPatches {
  vlPatch *patch; /* [count], sorted by k, j, i; those of a cell in the order of the triangles */
  int count;
  size_t capacity;
  vlPatch *scratch; /* [scratch_capacity]: for sorting */
  size_t scratch_capacity;
  bool of_faces; /* they are shares of faces, not parts of triangles */
  int *order;    /* [order_capacity]: for sorting */
  size_t order_capacity;
  unsigned char *flat; /* axes, a bit each, along which a node belongs to a triangle that counts as lying in a grid plane
                          [nodes of all bodies] */
  size_t flat_capacity;
  double flat_within; /* cells: of a grid plane a face counts as lying in it; 0: VL_CLIP_BODY */
  vlPatchKeep *keep;  /* asked with keep_data; NULL: all counts */
  const void *keep_data;
  vlPatchPart part[VL_PATCH_PARTS];
} vlPatches;

/* Cuts the surfaces of bodies first to last - 1 anew, as they lie. */
vlCode vl_patches_update(vlPatches *patches, const vlBodySet *bodies, int first, int last, const vlGrid *grid,
                         vlStatus *status);
void vl_patches_clear(vlPatches *patches);
/* By cell, patches of one cell in the order they had. */
vlCode vl_patches_sort(vlPatches *patches, const vlGrid *grid, vlStatus *status);
/* Patches [first, last) of one cell start at `first`; returns last. */
int vl_patches_of_cell(const vlPatches *patches, int first);
/* cuts = those of the static solids and the patches together. Solids and bodies that overlap close more of a face than there
 * is: its area is clamped and counted. */
vlCode vl_cuts_merge(vlCuts *cuts, const vlCuts *statics, const vlPatches *patches, vlStatus *status);

/* What a body takes from the grid: slices [batty2007, sec. 3]. */

/* Of body number b as it lies, whose centre of mass is at X, by the patches of its surface; layer: pressure is felt where
 * the patches are, not at the middles of their cells. */
vlSlices vl_slices_of(const vlPatches *patches, const vlBodySet *bodies, int b, vlVec3 X, vlVec3 slope, bool layer);
/* Tells all bodies that take it from there mass and weight of the coming step. */
void vl_slices_weigh(vlBodySet *bodies, const vlPatches *patches, vlVec3 gravity, bool layer);

#endif
