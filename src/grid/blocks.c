/* A set of blocks: sorted list, and a sparse map from place to list index. */
#include "grid/blocks.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"

vlCode vl_blocks_create(vlBlocks *blocks, const int n[3], vlStatus *status)
{
  *blocks = (vlBlocks){.n = {n[0], n[1], n[2]}, .columns = (n[0] + VL_BLOCK - 1) / VL_BLOCK};
  blocks->map_length = vl_blocks_place(blocks, blocks->columns, n[1], n[2]) + 1;
  blocks->map = vl_pages_alloc(blocks->map_length * sizeof(int));
  blocks->plane_start = calloc((size_t)n[2] + 1, sizeof(int));
  bool use = vl_page_use_create(&blocks->map_use, blocks->map_length * sizeof(int));
  if (blocks->map && use && blocks->plane_start) return VL_OK;
  size_t bytes = blocks->map_length * sizeof(int);
  vl_blocks_clear(blocks);
  return vl_fail_memory(status, bytes, "the map of blocks");
}

void vl_blocks_clear(vlBlocks *blocks)
{
  vl_pages_free(blocks->map, blocks->map_length * sizeof(int));
  vl_page_use_clear(&blocks->map_use);
  free(blocks->plane_start);
  free(blocks->at);
  *blocks = (vlBlocks){0};
}

void vl_blocks_begin(vlBlocks *blocks)
{
  for (int b = 0; b < blocks->count; b++) {
    vlBlockPosition p = blocks->at[b];
    blocks->map[vl_blocks_place(blocks, p.bx, p.j, p.k)] = 0;
  }
  blocks->count = 0;
  /* now all are zero: pages are kept where blocks were, and may be again */
  vl_page_use_trim_loose(&blocks->map_use, (void *[]){blocks->map}, 1);
  vl_page_use_begin(&blocks->map_use);
  memset(blocks->plane_start, 0, ((size_t)blocks->n[2] + 1) * sizeof(int));
}

bool vl_blocks_append(vlBlocks *blocks, int bx, int j, int k)
{
  bool room = vl_array_reserve(&blocks->at, &blocks->capacity, (size_t)blocks->count + 1, sizeof *blocks->at);
  if (!room) return false;
  blocks->at[blocks->count++] = (vlBlockPosition){bx, j, k};
  size_t place = vl_blocks_place(blocks, bx, j, k);
  blocks->map[place] = blocks->count;
  vl_page_use_mark(&blocks->map_use, place * sizeof(int), (place + 1) * sizeof(int));
  blocks->plane_start[k + 1] = blocks->count;
  return true;
}

void vl_blocks_end(vlBlocks *blocks)
{
  /* planes without blocks start where the one before ends */
  for (int k = 0; k < blocks->n[2]; k++)
    if (blocks->plane_start[k + 1] < blocks->plane_start[k]) blocks->plane_start[k + 1] = blocks->plane_start[k];
}

double vl_blocks_bytes(const vlBlocks *b)
{
  return (double)b->capacity * sizeof *b->at + ((double)b->n[2] + 1.0) * sizeof *b->plane_start +
         (b->map ? vl_page_use_bytes(&b->map_use, (void *[]){b->map}, 1) : 0.0);
}

void vl_blocks_sides(const vlBlocks *blocks, int (*side)[4])
{
#pragma omp parallel for schedule(static)
  for (int b = 0; b < blocks->count; b++) {
    vlBlockPosition p = blocks->at[b];
    int found[4] = {vl_blocks_find(blocks, p.bx, p.j - 1, p.k), vl_blocks_find(blocks, p.bx, p.j + 1, p.k),
                    vl_blocks_find(blocks, p.bx, p.j, p.k - 1), vl_blocks_find(blocks, p.bx, p.j, p.k + 1)};
    for (int s = 0; s < 4; s++) side[b][s] = found[s] < 0 ? blocks->count : found[s];
  }
}

/* Pages of fields.
 *
 * A page holds some rows of blocks, or a part of one. In each round all pages with something of a block are marked, and the
 * others are counted: only when they add up to a part of what is needed are they given back. So a block that is left and
 * comes back soon costs nothing, and liquid that travels leaves no trail. */

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
