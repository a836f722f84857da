/* A block is calm when neither it nor any block within VL_CALM_WAY cells of it, along all axes, has distances to solids or
 * bodies: then a way of that length from it reads none. First in its own plane, then over the planes above and below.
 * Places outside the set have no distances, as for whoever looks them up; only a plane in which the block has no neighbour
 * in the set is not trusted. */
#include "liquid/advect.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"

static bool has_distance(const vlObstacles *o, size_t place)
{
  return (o->distance && o->near[place] == 2) || (o->body_distance && o->body_near[place] == 2);
}

static bool calm_in_plane(const vlObstacles *o, vlBlockPosition p)
{
  const vlBlocks *s = o->shape;
  for (int j = p.j - VL_CALM_WAY; j <= p.j + VL_CALM_WAY; j++)
    for (int bx = p.bx - 1; bx <= p.bx + 1 && j >= 0 && j < s->n[1]; bx++)
      if (has_distance(o, vl_blocks_place(s, bx, j, p.k))) return false; /* places beside the grid are there and empty */
  return true;
}

static bool calm_across_planes(const vlBlocks *s, const unsigned char *row, vlBlockPosition p)
{
  for (int k = p.k - VL_CALM_WAY; k <= p.k + VL_CALM_WAY; k++) {
    if (k < 0 || k >= s->n[2]) continue;
    int b = vl_blocks_find(s, p.bx, p.j, k);
    if (b < 0 || !row[b]) return false;
  }
  return true;
}

vlCode vl_calm_update(vlCalm *calm, const vlObstacles *o, vlStatus *status)
{
  if (!o->distance && !o->body_distance) return VL_OK;
  const vlBlocks *s = o->shape;
  bool room = vl_array_reserve(&calm->block, &calm->capacity, (size_t)s->count + 1, 1);
  room = vl_array_reserve(&calm->row, &calm->row_capacity, (size_t)s->count + 1, 1) && room;
  if (!room) return vl_fail_memory(status, 2 * (size_t)s->count, "blocks without solids");
#pragma omp parallel for schedule(static)
  for (int b = 0; b < s->count; b++) calm->row[b] = calm_in_plane(o, s->at[b]);
#pragma omp parallel for schedule(static)
  for (int b = 0; b < s->count; b++) calm->block[b] = calm_across_planes(s, calm->row, s->at[b]);
  return VL_OK;
}

void vl_calm_clear(vlCalm *calm)
{
  free(calm->block);
  free(calm->row);
  *calm = (vlCalm){0};
}
