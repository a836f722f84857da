/* Fields that hold memory where blocks are: pages that the blocks have left are given back, and what is held is counted. */
#ifndef VL_GRID_FIELD_PAGES_H
#define VL_GRID_FIELD_PAGES_H

#include "base/page_use.h"
#include "grid/blocks.h"

enum { VL_FIELD_PAGES_MOST = 32 }; /* fields in a list */

/* For fields of the grid; false: no memory. Free with vl_page_use_clear. */
bool vl_field_pages_create(vlPageUse *pages, const vlGrid *grid);

/* A block's values are written: its cells, one more at either end, and the rows above along y and z, where the upper faces
 * of its cells are. */
void vl_field_pages_mark(vlPageUse *pages, const vlGrid *grid, vlBlockPosition p);
/* The blocks are all that the fields are needed for from now on: elsewhere they must hold nothing but zeros and what nobody
 * reads. Pages without any of them are given back when there are enough for that. */
void vl_field_pages_follow(vlPageUse *pages, const vlGrid *grid, const vlBlocks *blocks, double **const *fields, int count);
/* Bytes that the fields hold. */
double vl_field_pages_bytes(const vlPageUse *pages, double *const *const *fields, int count);

#endif
