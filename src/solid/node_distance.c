/* Node distances of static solids: evaluated once for every block that liquid reaches, and only if a solid is within a few
 * cells of it (distances are 1-Lipschitz, so one value at the block's middle tells). */
#include "solid/node_distance.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"

enum { FAR = 1, NEAR = 2, ROW = VL_BLOCK + 1, CORNERS = 4 * ROW };

static const double REACH = 3.0; /* cells from a block within which solids matter */

vlCode vl_node_distance_create(vlNodeDistance *nodes, const vlGrid *grid, const vlStatics *statics, vlStatus *status)
{
  *nodes = (vlNodeDistance){.any = vl_statics_surface(statics)->triangle_count > 0};
  if (!nodes->any) return VL_OK;
  vlBlocks shape = {.n = {grid->n[0], grid->n[1], grid->n[2]}, .columns = grid->blocks_x};
  nodes->near_length = vl_blocks_place(&shape, grid->blocks_x, grid->n[1], grid->n[2]) + 1;
  nodes->near = vl_pages_alloc(nodes->near_length);
  nodes->distance = vl_field_create(grid);
  if (nodes->near && nodes->distance) return VL_OK;
  vl_node_distance_clear(nodes, grid);
  return vl_fail_memory(status, grid->length * sizeof(double), "the address space of a field");
}

void vl_node_distance_clear(vlNodeDistance *nodes, const vlGrid *grid)
{
  vl_pages_free(nodes->near, nodes->near_length);
  if (nodes->distance) vl_field_destroy(grid, &nodes->distance);
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
    if (nodes->near[vl_blocks_place(blocks, p.bx, p.j, p.k)] != NEAR) continue;
    for (int c = 0; c < CORNERS; c++) {
      int i = p.bx * VL_BLOCK + c % ROW;
      if (i <= g->n[0]) nodes->distance[vl_grid_at(g, i, p.j + c / ROW % 2, p.k + c / (2 * ROW))] = corner[f][c];
    }
  }
  free(corner);
  free(fresh);
  return VL_OK;
}
