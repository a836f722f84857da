/* How the surface of solids and bodies cuts the grid: one record for each cut cell, and from them the exact open area of
 * every face. */
#ifndef VL_CUT_CUTS_H
#define VL_CUT_CUTS_H

#include "grid/blocks.h"
#include "mesh/trimesh.h"

typedef struct vlCutCell {
  int cell[3];    /* -1 and n: half-infinite cells beyond the domain's sides */
  vlVec3 s;       /* m2: sum of area vectors of the surface in the cell, pointing INTO the solid */
  vlVec3 moment;  /* m3: sum of s_a (c_a - lower face of the cell along a), for the cell's volume */
  double open[3]; /* m2: open area of the cell's upper face along each axis */
} vlCutCell;

typedef struct vlCuts {
  vlGrid grid;
  vlCutCell *cut; /* [count], sorted by k, j, i */
  int count;
  size_t capacity; /* of cut and along */
  int *along[3];   /* the cuts of rows along axis a that pass through the domain, row by row, ascending [rows[a]] */
  int rows[3];
  int *scratch;        /* [capacity + the longest side + 3]: for sorting */
  double open_outside; /* m2: open area of a face far from everything: dx2, or 0 when everything outside is solid */
  int clamped;         /* faces whose area came out negative or above dx2 (surface overlaps itself) */
  int thin;            /* cells of the domain that hold both sides of a wall: liquid passes through it there */
  int thin_cell[3];    /* the first of them */
  double closure;      /* largest failure of a row to close, over dx2 */
} vlCuts;

/* Sort key of a cell in a row along each axis: the two other coordinates, then the one along it. */
extern const int vl_cuts_row_order[3][3];

/* Triangles counter-clockwise seen from the fluid. A surface that does not close is VL_ERROR_MESH naming the place. */
vlCode vl_cuts_create(vlCuts **cuts, const vlTriMesh *surface, bool solid_outside, const vlGrid *grid, vlStatus *status);
void vl_cuts_destroy(vlCuts **cuts);
/* Frees what it holds; it is empty then. */
void vl_cuts_release(vlCuts *cuts);
/* rows.c: room for so many cut cells; their contents stay. */
vlCode vl_cuts_reserve(vlCuts *cuts, size_t count, vlStatus *status);
/* After the cut cells were written, sorted: rows and open areas. */
vlCode vl_cuts_close(vlCuts *cuts, vlStatus *status);
int vl_cuts_compare(const int a[3], const int b[3], const int order[3]);
/* The cut of a cell, or NULL. */
const vlCutCell *vl_cuts_find(const vlCuts *cuts, int i, int j, int k);
/* Cuts of the cells [first, last) of a block; returns first. */
int vl_cuts_of_block(const vlCuts *cuts, vlBlockPosition p, int *last);
/* Open area of one face by walking its row; axis a, face index 0..n along it. */
double vl_cuts_open_area(const vlCuts *cuts, int axis, int i, int j, int k);
/* Open areas (m2) of all lower and upper faces of the cells of `blocks`, into area[axis] (fields). */
void vl_cuts_fill_areas(const vlCuts *cuts, const vlBlocks *blocks, double *const area[3]);
/* Open part of each cell's volume, 0..1, from areas already filled, into a field. */
void vl_cuts_fill_open(const vlCuts *cuts, const vlBlocks *blocks, const double *area_y, double *open);
/* m3 of fluid space in a cell with the given lower area along axis a; equal for every a. */
double vl_cuts_cell_volume(const vlCuts *cuts, int axis, int i, int j, int k, double lower_area);
double vl_cuts_solid_volume(const vlCuts *cuts); /* m3 inside the domain */

#endif
