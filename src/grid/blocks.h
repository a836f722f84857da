/* A set of blocks: the runs of VL_BLOCK cells along x that a stage works on.
 *
 * The list is sorted by k, j, block column, so that a block's neighbour along x, if it is in the set, is the next in the
 * list. Arrays that hold VL_BLOCK values for each listed block are called compact; in them cell l of block b is b * VL_BLOCK
 * + l. */
#ifndef VL_GRID_BLOCKS_H
#define VL_GRID_BLOCKS_H

#include "base/memory.h"
#include "grid/grid.h"

typedef struct vlBlockPosition {
  int bx, j, k;
} vlBlockPosition;

typedef struct vlBlocks {
  int n[3];    /* cells of the grid the blocks belong to */
  int columns; /* block columns in a row */
  int count;
  vlBlockPosition *at; /* [count], sorted */
  size_t capacity;
  int *map; /* index + 1 of the block at each place, 0: none; padded by one place on every side, sparse pages */
  size_t map_length;
  vlPageUse map_use; /* pages of the map with listed blocks */
  int *plane_start;  /* first block of plane k [n[2] + 1] */
} vlBlocks;

vlCode vl_blocks_create(vlBlocks *blocks, const int n[3], vlStatus *status);
void vl_blocks_clear(vlBlocks *blocks); /* frees */

/* Rebuilds the set: begin, append in sorted order, end. */
void vl_blocks_begin(vlBlocks *blocks);
bool vl_blocks_append(vlBlocks *blocks, int bx, int j, int k); /* false: no memory */
void vl_blocks_end(vlBlocks *blocks);
double vl_blocks_bytes(const vlBlocks *blocks); /* memory it holds */
/* List index of the blocks at y-1, y+1, z-1, z+1 of each block; `count` where there is none. */
void vl_blocks_sides(const vlBlocks *blocks, int (*side)[4]);

static inline size_t vl_blocks_place(const vlBlocks *b, int bx, int j, int k)
{
  return (size_t)(bx + 1) + (size_t)(b->columns + 2) * ((size_t)(j + 1) + (size_t)(b->n[1] + 2) * (size_t)(k + 1));
}
/* Index in the list, or -1. Coordinates may be one outside the grid. */
static inline int vl_blocks_find(const vlBlocks *b, int bx, int j, int k)
{
  return b->map[vl_blocks_place(b, bx, j, k)] - 1;
}
/* Index into a field of the block's first cell. */
static inline ptrdiff_t vl_blocks_field(const vlGrid *g, vlBlockPosition p)
{
  return vl_grid_at(g, p.bx * VL_BLOCK, p.j, p.k);
}
/* How many of the block's cells lie in the grid. */
static inline int vl_blocks_width(const vlBlocks *b, vlBlockPosition p)
{
  int left = b->n[0] - p.bx * VL_BLOCK;
  return left < VL_BLOCK ? left : VL_BLOCK;
}

/* Fields that hold memory where blocks are: pages that the blocks have left are given back. */

/* For fields of the grid; false: no memory. Free with vl_page_use_clear. */
bool vl_field_pages_create(vlPageUse *pages, const vlGrid *grid);

/* A block's values are written: of its cells and of one more at either end, and in the rows above along y and z, where upper
 * faces and corners of its cells are. */
void vl_field_pages_mark(vlPageUse *pages, const vlGrid *grid, vlBlockPosition p);
/* The blocks are all that the fields are needed for from now on: elsewhere they must hold nothing but zeros and what nobody
 * reads. Pages without any of them are given back when there are enough for that. */
void vl_field_pages_follow(vlPageUse *pages, const vlGrid *grid, const vlBlocks *blocks, void *const *fields, int count);

#endif
