/* Pages of fields.
 *
 * A page holds some rows of blocks, or a part of one. In each round all pages with something of a block are marked, and the
 * others are counted: only when they add up to a part of what is needed are they given back. So a block that is left and
 * comes back soon costs nothing, and liquid that travels leaves no trail. */
#include "grid/field_pages.h"

bool vl_field_pages_create(vlPageUse *pages, const vlGrid *grid)
{
  return vl_page_use_create(pages, grid->length * sizeof(double));
}

void vl_field_pages_mark(vlPageUse *pages, const vlGrid *g, vlBlockPosition p)
{
  const ptrdiff_t row[4] = {0, g->stride[1], g->stride[2], g->stride[1] + g->stride[2]};
  for (int r = 0; r < 4; r++) {
    size_t first = (size_t)(vl_blocks_field(g, p) + row[r] - 1);
    vl_page_use_mark(pages, first * sizeof(double), (first + VL_BLOCK + 2) * sizeof(double));
  }
}

void vl_field_pages_follow(vlPageUse *pages, const vlGrid *g, const vlBlocks *blocks, void *const *fields, int count)
{
  vl_page_use_begin(pages);
  for (int b = 0; b < blocks->count; b++) vl_field_pages_mark(pages, g, blocks->at[b]);
  vl_page_use_trim_loose(pages, fields, count);
}
