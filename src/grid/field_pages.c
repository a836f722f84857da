/* Pages of fields.
 *
 * A page holds some rows of blocks, or a part of one. In each round all pages with something of a block are marked, and the
 * others are counted: only when they add up to a part of what is needed are they given back. So a block that is left and
 * comes back soon costs nothing, and liquid that travels leaves no trail. */
#include "grid/field_pages.h"

#include <assert.h>

bool vl_field_pages_create(vlPageUse *pages, const vlGrid *grid)
{
  return vl_page_use_create(pages, grid->length * sizeof(double));
}

void vl_field_pages_mark(vlPageUse *pages, const vlGrid *g, vlBlockPosition p)
{
  const ptrdiff_t row[3] = {0, g->stride[1], g->stride[2]};
  for (int r = 0; r < 3; r++) {
    size_t first = (size_t)(vl_blocks_field(g, p) + row[r] - 1);
    vl_page_use_mark(pages, first * sizeof(double), (first + VL_BLOCK + 2) * sizeof(double));
  }
}

void vl_field_pages_follow(vlPageUse *pages, const vlGrid *g, const vlBlocks *blocks, double **const *fields, int count)
{
  void *range[VL_FIELD_PAGES_MOST];
  assert(count <= VL_FIELD_PAGES_MOST);
  vl_page_use_begin(pages);
  for (int b = 0; b < blocks->count; b++) vl_field_pages_mark(pages, g, blocks->at[b]);
  if (!vl_page_use_is_loose(pages, VL_PAGES_LOOSE)) return;
  for (int f = 0; f < count; f++) range[f] = *fields[f];
  vl_page_use_trim(pages, range, count);
}

double vl_field_pages_bytes(const vlPageUse *pages, double *const *const *fields, int count)
{
  double bytes = vl_page_use_bytes(pages);
  for (int f = 0; f < count; f++) bytes += vl_page_use_resident(pages, *fields[f]);
  return bytes;
}
