/* Nodes and links of the pressure from the level set and the open areas: see links.h. Neighbours are found by shifting the
 * bits of blocks. Out of parallel loops come bits and counts of each block, the surface links then have their places. */
#include "pressure/links.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"

void vl_links_clear(vlLinks *links)
{
  free(links->active);
  free(links->block);
  free(links->surface);
  free(links->ends.first);
  free(links->ends.end);
  free(links->ends.linked);
  *links = (vlLinks){0};
}

static bool is_given(const vlFluid *fluid, const int cell[3], int axis, bool upper)
{
  int owner[3] = {cell[0], cell[1], cell[2]};
  owner[axis] += upper;
  int b = vl_blocks_find(fluid->wet, owner[0] / VL_BLOCK, owner[1], owner[2]);
  return b >= 0 && fluid->given[axis][b] >> owner[0] % VL_BLOCK & 1u;
}

/* Whether a face of the cell inside the domain, and not given, is open beyond `least`. */
static bool has_way_out(const vlFluid *fluid, const int cell[3], ptrdiff_t at, double least)
{
  const vlGrid *g = fluid->grid;
  for (int a = 0; a < 3; a++)
    for (int upper = 0; upper < 2; upper++) {
      bool side = cell[a] == (upper ? g->n[a] - 1 : 0);
      if (side || !(fluid->area[a][at + (upper ? g->stride[a] : 0)] > least)) continue;
      if (!fluid->given || !is_given(fluid, cell, a, upper)) return true;
    }
  return false;
}

/* Of a wet block's cells those of which the tail decides. */
static unsigned cut_cells(const vlFluid *fluid, int b) { return fluid->tail && fluid->tail->cut ? fluid->tail->cut[b] : 0u; }

/* Whether there is liquid that has the cell for a node if it has a link. */
static bool is_liquid(const vlFluid *fluid, int b, int l, ptrdiff_t at)
{
  if (cut_cells(fluid, b) >> l & 1u) return fluid->tail->main && fluid->tail->main[b] >> l & 1u;
  return fluid->phi[at] < 0.0;
}

bool vl_links_is_node(const vlFluid *fluid, const int cell[3])
{
  int b = vl_blocks_find(fluid->wet, cell[0] / VL_BLOCK, cell[1], cell[2]);
  ptrdiff_t at = vl_grid_at(fluid->grid, cell[0], cell[1], cell[2]);
  double least = VL_PRESSURE_ORPHAN * fluid->grid->dx * fluid->grid->dx;
  if (b < 0 || !is_liquid(fluid, b, cell[0] % VL_BLOCK, at)) return false;
  return cut_cells(fluid, b) >> cell[0] % VL_BLOCK & 1u || has_way_out(fluid, cell, at, least);
}

static void find_nodes(vlLinks *links, const vlFluid *fluid)
{
  const vlBlocks *wet = fluid->wet;
  double least = VL_PRESSURE_ORPHAN * fluid->grid->dx * fluid->grid->dx;
  int orphans = 0;
#pragma omp parallel for schedule(static) reduction(+ : orphans)
  for (int b = 0; b < wet->count; b++) {
    vlBlockPosition p = wet->at[b];
    ptrdiff_t at = vl_blocks_field(fluid->grid, p);
    int width = vl_blocks_width(wet, p), bits = 0;
    unsigned linked = fluid->tail ? links->ends.linked[b] : 0u, cut = cut_cells(fluid, b);
    for (int l = 0; l < width; l++) {
      if (!is_liquid(fluid, b, l, at + l)) continue;
      if (linked >> l & 1u)
        bits |= 1 << l;
      else if (!(cut >> l & 1u) && has_way_out(fluid, (const int[3]){p.bx * VL_BLOCK + l, p.j, p.k}, at + l, least))
        bits |= 1 << l;
      else
        orphans++;
    }
    assert(!(linked & ~(unsigned)bits)); /* open links of the tail end in nodes */
    links->active[b] = (unsigned short)bits;
  }
  links->orphans = orphans;
}

/* Bits of neighbours along an axis, from those of the block itself and of the one beyond. */
static unsigned shifted(unsigned own, unsigned there, int axis, bool upper)
{
  if (axis > 0) return there;
  return upper ? own >> 1 | (there & 1u) << (VL_BLOCK - 1) : own << 1 | there >> (VL_BLOCK - 1);
}

static int block_beyond(const vlBlocks *wet, int b, int axis, bool upper)
{
  vlBlockPosition p = wet->at[b];
  int way = upper ? 1 : -1;
  return vl_blocks_find(wet, p.bx + (axis == 0) * way, p.j + (axis == 1) * way, p.k + (axis == 2) * way);
}

unsigned vl_links_beyond(const vlBlocks *wet, const unsigned short *bits, int b, int axis, bool upper)
{
  int beyond = block_beyond(wet, b, axis, upper);
  return shifted(bits[b], beyond < 0 ? 0u : bits[beyond], axis, upper);
}

/* Of the lower faces of a wet block those that are open, inside the domain, not given and not the tail's. */
static unsigned open_faces(const vlFluid *fluid, int b, int axis)
{
  vlBlockPosition p = fluid->wet->at[b];
  const double *area = fluid->area[axis] + vl_blocks_field(fluid->grid, p);
  const int cell[3] = {p.bx, p.j, p.k};
  unsigned open = 0;
  for (int l = 0; l < VL_BLOCK; l++) open |= (unsigned)(area[l] > 0.0) << l;
  if (cell[axis] == 0) open &= axis == 0 ? ~1u : 0u;
  if (fluid->tail) open &= ~vl_tail_faces(fluid, b, axis);
  if (fluid->given) open &= ~(unsigned)fluid->given[axis][b];
  return open & ((1u << vl_blocks_width(fluid->wet, p)) - 1u);
}

/* Returns how many open faces lead to an orphan: such a face is a wall. */
static int find_block(vlLinks *links, const vlFluid *fluid, int b)
{
  ptrdiff_t at = vl_blocks_field(fluid->grid, fluid->wet->at[b]);
  vlLinkBlock block = {0};
  int slivers = 0;
  for (int a = 0; a < 3; a++) {
    unsigned own = links->active[b], lower = vl_links_beyond(fluid->wet, links->active, b, a, false), flow = own | lower;
    if (flow) flow &= open_faces(fluid, b, a);
    block.inner[a] = (unsigned short)(flow & own & lower);
    for (unsigned edge = flow & (own ^ lower); edge; edge &= edge - 1u) {
      int l = __builtin_ctz(edge);
      /* no face of a cut cell comes here */
      bool orphan = fluid->phi[at + l - (own >> l & 1u ? fluid->grid->stride[a] : 0)] < 0.0; /* liquid and no node */
      slivers += orphan;
      block.surface[a] |= (unsigned short)(!orphan << l);
    }
    block.first += __builtin_popcount(block.surface[a]); /* their number, until all are known */
  }
  links->block[b] = block;
  return slivers;
}

static void fill_surface(vlLinks *links, const vlFluid *fluid, int b)
{
  ptrdiff_t at = vl_blocks_field(fluid->grid, fluid->wet->at[b]);
  vlSurfaceLink *next = links->surface + links->block[b].first;
  for (int a = 0; a < 3; a++)
    for (unsigned left = links->block[b].surface[a]; left; left &= left - 1u) {
      int l = __builtin_ctz(left);
      double below = fluid->phi[at + l - fluid->grid->stride[a]], above = fluid->phi[at + l];
      double theta = links->active[b] >> l & 1u ? above / (above - below) : below / (below - above);
      *next++ = (vlSurfaceLink){theta < fluid->theta_min ? fluid->theta_min
                                : theta > 1.0            ? 1.0
                                                         : theta,
                                fluid->jump ? fluid->jump[a][at + l] : 0.0};
    }
}

vlCode vl_links_build(vlLinks *links, const vlFluid *fluid, vlStatus *status)
{
  size_t blocks = (size_t)fluid->wet->count + 1;
  if (!vl_array_reserve((void **)&links->active, &links->active_capacity, blocks, sizeof *links->active) ||
      !vl_array_reserve((void **)&links->block, &links->block_capacity, blocks, sizeof *links->block))
    return vl_fail_memory(status, blocks * sizeof *links->block, "the links of the pressure");
  links->tail = fluid->tail;
  vlCode code = links->tail ? vl_tail_sort(links, fluid, status) : VL_OK;
  if (code) return code;
  for (int a = 0; a < 3; a++) links->given[a] = fluid->given ? fluid->given[a] : NULL;
  find_nodes(links, fluid);
  int slivers = 0;
#pragma omp parallel for schedule(static) reduction(+ : slivers)
  for (int b = 0; b < fluid->wet->count; b++) slivers += find_block(links, fluid, b);
  links->slivers = slivers;
  links->surface_count = 0;
  for (int b = 0; b < fluid->wet->count; b++) {
    int count = links->block[b].first;
    links->block[b].first = links->surface_count;
    links->surface_count += count;
  }
  size_t count = (size_t)links->surface_count + 1;
  if (!vl_array_reserve((void **)&links->surface, &links->surface_capacity, count, sizeof *links->surface))
    return vl_fail_memory(status, count * sizeof *links->surface, "the links of the pressure");
#pragma omp parallel for schedule(static)
  for (int b = 0; b < fluid->wet->count; b++) fill_surface(links, fluid, b);
  links->pressed = fluid->jump != NULL;
  return VL_OK;
}

/* Of a block's cells those at the lower or upper side of the domain along an axis. */
static unsigned at_domain(const vlBlocks *wet, vlBlockPosition p, int axis, bool upper)
{
  const int cell[3] = {p.bx * VL_BLOCK, p.j, p.k};
  int beyond = upper ? wet->n[axis] - 1 - cell[axis] : cell[axis]; /* cells to go */
  return axis == 0 ? beyond < VL_BLOCK ? 1u << beyond : 0u : beyond == 0 ? (1u << VL_BLOCK) - 1u : 0u;
}

vlLinkSide vl_links_side(const vlLinks *links, const vlBlocks *wet, int b, int axis, bool upper)
{
  static const vlLinkBlock none;
  const vlLinkBlock *own = &links->block[b];
  unsigned domain = at_domain(wet, wet->at[b], axis, upper);
  const unsigned short *bits = links->given[axis];
  unsigned given = !bits ? 0u : upper ? vl_links_beyond(wet, bits, b, axis, true) : bits[b];
  if (!upper) return (vlLinkSide){own->inner[axis], own->surface[axis], domain, given, b * VL_BLOCK};
  int next = block_beyond(wet, b, axis, true);
  const vlLinkBlock *there = next < 0 ? &none : &links->block[next];
  return (vlLinkSide){shifted(own->inner[axis], there->inner[axis], axis, true),
                      shifted(own->surface[axis], there->surface[axis], axis, true), domain, given,
                      axis == 0 ? b * VL_BLOCK + 1 : next * VL_BLOCK}; /* along x the next in the list */
}

void vl_links_outflow(const vlLinks *links, const vlFluid *fluid, int b, double *const u[3], double outflow[VL_BLOCK])
{
  ptrdiff_t at = vl_blocks_field(fluid->grid, fluid->wet->at[b]);
  for (int a = 0; a < 3; a++) {
    double flow[2][VL_BLOCK];
    for (int upper = 0; upper < 2; upper++) {
      const double *area = fluid->area[a] + at + upper * fluid->grid->stride[a],
                   *v = u[a] + at + upper * fluid->grid->stride[a];
      for (int l = 0; l < VL_BLOCK; l++) flow[upper][l] = area[l] * v[l];
      if (links->slivers == 0 && !links->tail) continue; /* all open faces of nodes are let through */
      vlLinkSide side = vl_links_side(links, fluid->wet, b, a, upper);
      unsigned through = side.inner | side.surface | side.domain | side.given;
      for (int l = 0; l < VL_BLOCK; l++) flow[upper][l] = through >> l & 1u ? flow[upper][l] : 0.0;
    }
    for (int l = 0; l < VL_BLOCK; l++) outflow[l] += flow[1][l] - flow[0][l];
  }
  if (links->tail) vl_tail_outflow(links, b, outflow);
}
