/* How the surface of solids and bodies cuts the grid: one record for each cut cell, and from them the exact open area of
 * every face. */
#ifndef VL_CUT_CUTS_H
#define VL_CUT_CUTS_H

#include <stddef.h>

#include "base/vec.h"
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

/* Triangles counter-clockwise seen from the fluid. A surface that does not close is VL_ERROR_MESH naming the place. */
vlCode vl_cuts_create(vlCuts **cuts, const vlTriMesh *surface, bool solid_outside, const vlGrid *grid, vlStatus *status);
void vl_cuts_destroy(vlCuts **cuts);
/* Frees what it holds; it is empty then. */
void vl_cuts_release(vlCuts *cuts);
/* Room for so many cut cells; their contents stay. */
vlCode vl_cuts_reserve(vlCuts *cuts, size_t count, vlStatus *status);
/* After the cut cells were written, sorted: rows and open areas. */
vlCode vl_cuts_close(vlCuts *cuts, vlStatus *status);
/* The order of cells: by k, j, i. */
static inline int vl_cuts_compare(const int a[3], const int b[3])
{
  for (int m = 2; m >= 0; m--)
    if (a[m] != b[m]) return a[m] < b[m] ? -1 : 1;
  return 0;
}
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

/* to = from, sorted by coordinate `axis` of the records they number, -1 to n; equal ones keep their order. Records begin
 * with int cell[3] and are `size` bytes apart; `bucket` has room for n + 3. */
void vl_order_along(const void *records, size_t size, int axis, int n, int count, const int *from, int *to, int *bucket);

/* Triangle against grid: the pieces of a triangle in each cell. */

/* One piece, in cell units (a cell is the unit cube at its integer index). */
typedef struct vlClipPiece {
  int cell[3]; /* -1 and n[a]: the half-infinite cells beyond the domain's sides */
  vlVec3 area; /* area times the triangle's unit normal */
  vlVec3 center;
  const vlVec3 *corner; /* in turn; convex [corners] */
  int corners;
} vlClipPiece;

typedef void vlClipEmit(void *user, const vlClipPiece *piece);

/* Coordinate in cell units, pulled onto a grid plane from closer than `within`: equal vertices stay equal, and so surfaces
 * closed. What lies still is only freed of round-off. A body that rests with a face on a plane trembles by some 1e-5 of a
 * cell, which would open and close whole faces of the grid in turns, and each time velocities of thin gaps become those of
 * whole faces: such a face counts as lying on the plane. */
#define VL_CLIP_STILL 1e-10
#define VL_CLIP_BODY 1e-4
double vl_clip_snap(double coordinate, double within);

/* Cuts the triangle x (cell units, snapped) into its pieces. The grid is n cells, plus one half-infinite cell beyond each
 * side; pieces beyond two or three sides at once are dropped. A triangle that lies in a grid plane goes to the cell its
 * normal points into, which is the fluid's when normals point out of the solid. */
void vl_clip_triangle(const vlVec3 x[3], const int n[3], vlClipEmit *emit, void *user);

#endif
