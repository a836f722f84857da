/* Node distances of static solids: evaluated for every block that liquid reaches, and only if a solid is within a few cells
 * of it (distances are 1-Lipschitz, so one value at the block's middle tells). They are kept, for liquid may come back; when
 * most of them lie where there is none, those are forgotten. */
#include "solid/node_distance.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"
#include "grid/blocks.h"

enum { FAR = 1, NEAR = 2, ROW = VL_BLOCK + 1, CORNERS = 4 * ROW };

enum { MOST_KNOWN = 2, FEW = 256 }; /* blocks: known ones for each that is asked for, and some */

static const double REACH = 3.0; /* cells from a block within which solids matter */

vlCode vl_node_distance_create(vlNodeDistance *nodes, const vlGrid *grid, const vlStatics *statics, vlStatus *status)
{
  *nodes = (vlNodeDistance){.any = vl_statics_surface(statics)->triangle_count > 0};
  if (!nodes->any) return VL_OK;
  vlBlocks shape = {.n = {grid->n[0], grid->n[1], grid->n[2]}, .columns = grid->blocks_x};
  nodes->near_length = vl_blocks_place(&shape, grid->blocks_x, grid->n[1], grid->n[2]) + 1;
  nodes->near = vl_pages_alloc(nodes->near_length);
  nodes->distance = vl_field_create(grid);
  bool ok = vl_field_pages_create(&nodes->pages, grid);
  ok = vl_page_use_create(&nodes->near_pages, nodes->near_length) && ok;
  if (nodes->near && nodes->distance && ok) return VL_OK;
  vl_node_distance_clear(nodes, grid);
  return vl_fail_memory(status, grid->length * sizeof(double), "the address space of a field");
}

void vl_node_distance_clear(vlNodeDistance *nodes, const vlGrid *grid)
{
  vl_pages_free(nodes->near, nodes->near_length);
  if (nodes->distance) vl_field_destroy(grid, &nodes->distance);
  vl_page_use_clear(&nodes->pages);
  vl_page_use_clear(&nodes->near_pages);
  *nodes = (vlNodeDistance){0};
}

/* The corners of a block: 17 along x, two rows along y and z; in a slab all lie in its middle, where the particles are. */
static void evaluate(const vlGrid *g, const vlStatics *statics, vlBlockPosition p, double corner[CORNERS])
{
  for (int c = 0; c < CORNERS; c++) {
    int i = p.bx * VL_BLOCK + c % ROW, j = p.j + c / ROW % 2, k = p.k + c / (2 * ROW);
    vlVec3 x = vl_add(g->origin, vl_vec(i * g->dx, j * g->dx, (g->n[2] == 1 ? 0.5 : k) * g->dx));
    corner[c] = i <= g->n[0] ? vl_statics_distance(statics, x) / g->dx : 0.0;
  }
}

static bool is_near(const vlGrid *g, const vlStatics *statics, vlBlockPosition p)
{
  vlVec3 middle = vl_grid_center(g, p.bx * VL_BLOCK, p.j, p.k);
  middle.x += 0.5 * (VL_BLOCK - 1) * g->dx;
  return vl_statics_distance(statics, middle) < (0.5 * sqrt(VL_BLOCK * VL_BLOCK + 2.0) + REACH) * g->dx;
}

static void mark(vlNodeDistance *nodes, const vlGrid *g, size_t place, vlBlockPosition p)
{
  vl_page_use_mark(&nodes->near_pages, place, place + 1);
  if (nodes->near[place] == NEAR) vl_field_pages_mark(&nodes->pages, g, p);
}

/* Forgets all but the blocks of the set; `kept` has room for one more than these. */
static void forget_others(vlNodeDistance *nodes, const vlGrid *g, const vlBlocks *blocks, int *kept)
{
  for (int b = 0; b < blocks->count; b++)
    kept[b] = nodes->near[vl_blocks_place(blocks, blocks->at[b].bx, blocks->at[b].j, blocks->at[b].k)];
  vl_page_use_begin(&nodes->pages);
  vl_page_use_begin(&nodes->near_pages);
  vl_page_use_trim(&nodes->near_pages, (void *[]){nodes->near}, 1);
  for (int b = 0; b < blocks->count; b++) {
    vlBlockPosition p = blocks->at[b];
    size_t place = vl_blocks_place(blocks, p.bx, p.j, p.k);
    nodes->near[place] = (unsigned char)kept[b];
    mark(nodes, g, place, p);
  }
  vl_page_use_trim(&nodes->pages, (void *[]){nodes->distance}, 1);
  nodes->known = blocks->count;
}

vlCode vl_node_distance_update(vlNodeDistance *nodes, const vlGrid *g, const vlStatics *statics, const vlBlocks *blocks,
                               vlStatus *status)
{
  if (!nodes->any) return VL_OK;
  int *fresh = malloc(((size_t)blocks->count + 1) * sizeof(int)), count = 0;
  if (!fresh) return vl_fail_memory(status, (size_t)blocks->count * sizeof(int), "distances to solids");
  for (int b = 0; b < blocks->count; b++) {
    vlBlockPosition p = blocks->at[b];
    if (!nodes->near[vl_blocks_place(blocks, p.bx, p.j, p.k)]) fresh[count++] = b;
  }
  double(*corner)[CORNERS] = malloc(((size_t)count + 1) * sizeof *corner);
  if (!corner) {
    free(fresh);
    return vl_fail_memory(status, (size_t)count * sizeof *corner, "distances to solids");
  }
#pragma omp parallel for schedule(dynamic, 8)
  for (int f = 0; f < count; f++) {
    vlBlockPosition p = blocks->at[fresh[f]];
    bool near = is_near(g, statics, p);
    nodes->near[vl_blocks_place(blocks, p.bx, p.j, p.k)] = near ? NEAR : FAR;
    if (near) evaluate(g, statics, p, corner[f]);
  }
  /* blocks share corners, so they are stored one block after the other; shared values are equal */
  for (int f = 0; f < count; f++) {
    vlBlockPosition p = blocks->at[fresh[f]];
    size_t place = vl_blocks_place(blocks, p.bx, p.j, p.k);
    mark(nodes, g, place, p);
    if (nodes->near[place] != NEAR) continue;
    for (int c = 0; c < CORNERS; c++) {
      int i = p.bx * VL_BLOCK + c % ROW;
      if (i <= g->n[0]) nodes->distance[vl_grid_at(g, i, p.j + c / ROW % 2, p.k + c / (2 * ROW))] = corner[f][c];
    }
  }
  nodes->known += count;
  if (nodes->known > MOST_KNOWN * (int64_t)blocks->count + FEW) forget_others(nodes, g, blocks, fresh);
  free(corner);
  free(fresh);
  return VL_OK;
}

double vl_node_distance_bytes(const vlNodeDistance *nodes)
{
  if (!nodes->any) return 0.0;
  return vl_page_use_bytes(&nodes->pages, (void *[]){nodes->distance}, 1) +
         vl_page_use_bytes(&nodes->near_pages, (void *[]){nodes->near}, 1);
}
