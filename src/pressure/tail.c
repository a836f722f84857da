/* The links of the tail in matrix, right-hand side and update: see tail.h. Ends are sorted by the blocks of their nodes, in
 * the order of the links, so that a block adds up its own wherever it adds up its faces, for any number of threads alike.
 */
#include "pressure/tail.h"

#include <assert.h>

#include "base/memory.h"
#include "base/status.h"
#include "pressure/pressure.h"

/* Of the side s: 2 link, + 1 for the end above. */
static int node_at(const vlLinkTail *tail, int s) { return s % 2 ? tail->link[s / 2].above : tail->link[s / 2].below; }

/* A wet block or what stands for an extra node; -1: the surface. */
static int bucket_of(const vlTailEnds *ends, int node)
{
  return node >= 0 ? node / VL_BLOCK : node == VL_TAIL_SURFACE ? -1 : ends->blocks + vl_tail_extra(node);
}

static int slot_of(int node) { return node >= 0 ? node % VL_BLOCK : 0; }

static double weight_of(const vlTailLink *link, double dx)
{
  return vl_link_weight(link->area, dx * dx, link->distance / dx);
}

vlCode vl_tail_sort(vlLinks *links, const vlFluid *fluid, vlStatus *status)
{
  const vlLinkTail *tail = links->tail;
  vlTailEnds *ends = &links->ends;
  ends->blocks = fluid->wet->count;
  size_t buckets = (size_t)ends->blocks + (size_t)tail->extras + 3, sides = 2 * (size_t)tail->count + 1;
  if (!vl_array_reserve((void **)&ends->first, &ends->first_capacity, buckets, sizeof *ends->first) ||
      !vl_array_reserve((void **)&ends->end, &ends->end_capacity, sides, sizeof *ends->end))
    return vl_fail_memory(status, (buckets + sides) * sizeof(int), "the tail of links");
  for (int e = 0; e < tail->extras; e++) assert(tail->cell[e] >= 0 && tail->cell[e] < ends->blocks * VL_BLOCK);
  for (size_t b = 0; b < buckets; b++) ends->first[b] = 0;
  for (int pass = 0; pass < 2; pass++) { /* starts are kept one place up while filling */
    for (int s = 0; s < 2 * tail->count; s++) {
      int node = node_at(tail, s), b = bucket_of(ends, node);
      assert(node < 0 || links->active[b] >> slot_of(node) & 1u);
      if (b < 0) continue;
      if (pass == 0)
        ends->first[b + 2]++;
      else
        ends->end[ends->first[b + 1]++] = s;
    }
    for (size_t b = 1; b < buckets && pass == 0; b++) ends->first[b] += ends->first[b - 1];
  }
  return VL_OK;
}

void vl_tail_outflow(const vlLinks *links, int b, double *outflow)
{
  for (int i = links->ends.first[b]; i < links->ends.first[b + 1]; i++) {
    int s = links->ends.end[i];
    double flow = links->tail->link[s / 2].area * links->tail->u[s / 2];
    outflow[slot_of(node_at(links->tail, s))] += s % 2 ? -flow : flow;
  }
}

/* Is there a pressure that the system does not solve for? */
static bool is_fixed(const vlPressure *pressure, int node)
{
  return node == VL_TAIL_SURFACE || (node >= 0 && pressure->parted[node / VL_BLOCK] >> node % VL_BLOCK & 1u);
}

unsigned vl_tail_weigh(const vlPressure *pressure, double dx, int b, double *linked, double *fixed)
{
  const vlLinks *links = &pressure->links;
  unsigned to_fixed = 0;
  for (int i = links->ends.first[b]; i < links->ends.first[b + 1]; i++) {
    int s = links->ends.end[i], node = node_at(links->tail, s);
    if (is_fixed(pressure, node)) continue;
    bool out = is_fixed(pressure, node_at(links->tail, s ^ 1));
    (out ? fixed : linked)[slot_of(node)] += weight_of(&links->tail->link[s / 2], dx);
    to_fixed |= (unsigned)out << slot_of(node);
  }
  return to_fixed;
}

void vl_tail_press(const vlPressure *pressure, double dx, int b, double *right)
{
  const vlLinks *links = &pressure->links;
  for (int i = links->ends.first[b]; i < links->ends.first[b + 1]; i++) {
    int s = links->ends.end[i];
    const vlTailLink *link = &links->tail->link[s / 2];
    if (node_at(links->tail, s ^ 1) == VL_TAIL_SURFACE && !is_fixed(pressure, node_at(links->tail, s)))
      right[slot_of(node_at(links->tail, s))] += weight_of(link, dx) * link->pressure;
  }
}

/* Where a node stands in vectors. */
static int place_of(const vlPressure *pressure, const vlFluid *fluid, int node)
{
  if (node < 0) return (int)vl_stencil_tail(&pressure->stencil) + vl_tail_extra(node);
  vlBlockPosition p = fluid->wet->at[node / VL_BLOCK];
  return vl_blocks_find(&pressure->stencil.blocks, p.bx, p.j, p.k) * VL_BLOCK + node % VL_BLOCK;
}

vlCode vl_tail_assemble(vlPressure *pressure, const vlFluid *fluid, vlStatus *status)
{
  const vlLinkTail *tail = pressure->links.tail;
  vlStencil *s = &pressure->stencil;
  size_t first = vl_stencil_tail(s), pairs = (size_t)tail->count + 1;
  if (!vl_array_reserve((void **)&s->pair, &s->pair_capacity, pairs, sizeof *s->pair))
    return vl_fail_memory(status, pairs * sizeof *s->pair, "the tail of links");
  for (size_t b = first / VL_BLOCK - 1; b < vl_stencil_blocks(s); b++) pressure->surface[b] = 0;
  for (int e = 0; e < tail->extras; e++) {
    double linked = 0.0, fixed = 0.0;
    size_t i = first + (size_t)e;
    unsigned out = vl_tail_weigh(pressure, fluid->grid->dx, pressure->links.ends.blocks + e, &linked, &fixed);
    s->diagonal[i] = linked + fixed;
    pressure->surface[i / VL_BLOCK] |= (unsigned short)(out << i % VL_BLOCK);
  }
  s->pair_count = 0;
  for (int q = 0; q < tail->count; q++) {
    const vlTailLink *link = &tail->link[q];
    double w = weight_of(link, fluid->grid->dx);
    if (is_fixed(pressure, link->below) || is_fixed(pressure, link->above) || !(w > 0.0)) continue;
    s->pair[s->pair_count++] =
        (vlStencilPair){place_of(pressure, fluid, link->below), place_of(pressure, fluid, link->above), w};
  }
  return VL_OK;
}

void vl_tail_rhs(vlPressure *pressure, const vlFluid *fluid, bool guess)
{
  const vlLinkTail *tail = pressure->links.tail;
  for (int e = 0; e < tail->extras; e++) {
    size_t i = vl_stencil_tail(&pressure->stencil) + (size_t)e;
    int b = pressure->links.ends.blocks + e;
    double outflow = 0.0;
    vl_tail_outflow(&pressure->links, b, &outflow);
    pressure->b[i] = -pressure->coupling.scale * outflow;
    vl_tail_press(pressure, fluid->grid->dx, b, &pressure->b[i]);
    if (guess && pressure->stencil.diagonal[i] > 0.0) pressure->p[i] = tail->p[e];
  }
}

double vl_tail_pressure(const vlFluid *fluid, const vlTailLink *link, int end, const double *p)
{
  if (end == VL_TAIL_SURFACE) return link->pressure;
  if (end < 0) return fluid->tail->p[vl_tail_extra(end)];
  return p[vl_blocks_field(fluid->grid, fluid->wet->at[end / VL_BLOCK]) + end % VL_BLOCK];
}

double vl_tail_velocity(const vlFluid *fluid, int q, const double *p, double step)
{
  const vlTailLink *link = &fluid->tail->link[q];
  return vl_link_velocity(fluid->tail->u[q], step, vl_tail_pressure(fluid, link, link->below, p),
                          vl_tail_pressure(fluid, link, link->above, p), link->distance);
}

double vl_tail_outflow_after(const vlLinks *links, const vlFluid *fluid, int node, const double *p, double step)
{
  int b = bucket_of(&links->ends, node);
  double sum = 0.0;
  for (int i = links->ends.first[b]; i < links->ends.first[b + 1]; i++) {
    int s = links->ends.end[i];
    if (node_at(links->tail, s) != node) continue;
    sum += (s % 2 ? -1.0 : 1.0) * links->tail->link[s / 2].area * vl_tail_velocity(fluid, s / 2, p, step);
  }
  return sum;
}
