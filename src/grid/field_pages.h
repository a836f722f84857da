/* Fields that hold memory where blocks are: pages that the blocks have left are given back. */
#ifndef VL_GRID_FIELD_PAGES_H
#define VL_GRID_FIELD_PAGES_H

#include "base/page_use.h"
#include "grid/blocks.h"

/* For fields of the grid; false: no memory. Free with vl_page_use_clear. */
bool vl_field_pages_create(vlPageUse *pages, const vlGrid *grid);

/* A block's values are written: of its cells and of one more at either end, and in the rows above along y and z, where upper
 * faces and corners of its cells are. */
void vl_field_pages_mark(vlPageUse *pages, const vlGrid *grid, vlBlockPosition p);
/* The blocks are all that the fields are needed for from now on: elsewhere they must hold nothing but zeros and what nobody
 * reads. Pages without any of them are given back when there are enough for that. */
void vl_field_pages_follow(vlPageUse *pages, const vlGrid *grid, const vlBlocks *blocks, void *const *fields, int count);

#endif
