/* The links of the tail in matrix, right-hand side and update: see tail.h. Ends are sorted by the blocks of their nodes, in
 * the order of the links, so that a block adds up its own wherever it adds up its faces, for any number of threads alike.
 */
#include "pressure/tail.h"

#include <assert.h>
#include <string.h>

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
  return link->given ? 0.0 : vl_link_weight(link->area, dx * dx, link->distance / dx);
}

static vlCode reserve_ends(vlTailEnds *ends, const vlLinkTail *tail, size_t buckets, vlStatus *status)
{
  size_t sides = 2 * (size_t)tail->count + 1, blocks = (size_t)ends->blocks + 1;
  if (!vl_array_reserve((void **)&ends->first, &ends->first_capacity, buckets, sizeof *ends->first) ||
      !vl_array_reserve((void **)&ends->end, &ends->end_capacity, sides, sizeof *ends->end) ||
      !vl_array_reserve((void **)&ends->linked, &ends->linked_capacity, blocks, sizeof *ends->linked))
    return vl_fail_memory(status, (buckets + sides) * sizeof(int), "the tail of links");
  memset(ends->first, 0, buckets * sizeof *ends->first);
  memset(ends->linked, 0, blocks * sizeof *ends->linked);
  return VL_OK;
}

vlCode vl_tail_sort(vlLinks *links, const vlFluid *fluid, vlStatus *status)
{
  const vlLinkTail *tail = links->tail;
  vlTailEnds *ends = &links->ends;
  ends->blocks = fluid->wet->count;
  size_t buckets = (size_t)ends->blocks + (size_t)tail->extras + 3;
  vlCode code = reserve_ends(ends, tail, buckets, status);
  if (code) return code;
  for (int e = 0; e < tail->extras; e++) assert(tail->cell[e] >= -1 && tail->cell[e] < ends->blocks * VL_BLOCK);
  for (int s = 0; s < 2 * tail->count; s++) {
    int node = node_at(tail, s), b = bucket_of(ends, node);
    if (b < 0) continue;
    assert(node >= 0 ? b < ends->blocks : b < ends->blocks + tail->extras);
    ends->first[b + 2]++;
    if (node >= 0 && tail->link[s / 2].area > 0.0 && !tail->link[s / 2].given)
      ends->linked[b] |= (unsigned short)(1u << slot_of(node));
  }
  for (size_t b = 1; b < buckets; b++) ends->first[b] += ends->first[b - 1];
  for (int s = 0; s < 2 * tail->count; s++) { /* starts are kept one place up while filling */
    int b = bucket_of(ends, node_at(tail, s));
    if (b >= 0) ends->end[ends->first[b + 1]++] = s;
  }
  return VL_OK;
}

unsigned vl_tail_faces(const vlFluid *fluid, int b, int axis)
{
  const vlLinkTail *tail = fluid->tail;
  unsigned faces = tail->faces ? tail->faces[b][axis] : 0u;
  return tail->cut ? faces | tail->cut[b] | vl_links_beyond(fluid->wet, tail->cut, b, axis, false) : faces;
}

int vl_tail_find(const vlFluid *fluid, const vlPatch *patch)
{
  const int *cell = patch->cell;
  for (int a = 0; a < 3; a++)
    if (cell[a] < 0 || cell[a] >= fluid->grid->n[a]) return VL_TAIL_SURFACE;
  if (fluid->tail && fluid->tail->find) return fluid->tail->find(fluid->tail->data, patch);
  if (!vl_links_is_node(fluid, cell)) return VL_TAIL_SURFACE;
  return vl_blocks_find(fluid->wet, cell[0] / VL_BLOCK, cell[1], cell[2]) * VL_BLOCK + cell[0] % VL_BLOCK;
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

/* Does it join the main nodes on both sides of the face that it lies on? */
static bool is_of_face(const vlBlocks *wet, const vlTailLink *link)
{
  if (link->axis < 0 || link->below < 0 || link->above < 0) return false;
  vlBlockPosition p = wet->at[link->below / VL_BLOCK], q = wet->at[link->above / VL_BLOCK];
  const int step[3] = {(q.bx - p.bx) * VL_BLOCK + link->above % VL_BLOCK - link->below % VL_BLOCK, q.j - p.j, q.k - p.k};
  for (int a = 0; a < 3; a++)
    if (step[a] != (a == link->axis)) return false;
  return true;
}

unsigned vl_tail_weigh(const vlPressure *pressure, const vlFluid *fluid, int b, double *linked, double *fixed,
                       double *const w[3])
{
  const vlLinks *links = &pressure->links;
  unsigned to_fixed = 0;
  for (int i = links->ends.first[b]; i < links->ends.first[b + 1]; i++) {
    int s = links->ends.end[i], node = node_at(links->tail, s);
    const vlTailLink *link = &links->tail->link[s / 2];
    double weight = weight_of(link, fluid->grid->dx);
    if (is_fixed(pressure, node) || !(weight > 0.0)) continue;
    bool out = is_fixed(pressure, node_at(links->tail, s ^ 1));
    (out ? fixed : linked)[slot_of(node)] += weight;
    to_fixed |= (unsigned)out << slot_of(node);
    if (!out && s % 2 && is_of_face(fluid->wet, link)) w[link->axis][slot_of(node)] += weight;
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

int vl_tail_place(const vlPressure *pressure, const vlFluid *fluid, int node)
{
  if (node == VL_TAIL_SURFACE) return -1;
  if (node < 0) return (int)vl_stencil_tail(&pressure->stencil) + vl_tail_extra(node);
  vlBlockPosition p = fluid->wet->at[node / VL_BLOCK];
  int b = vl_blocks_find(&pressure->stencil.blocks, p.bx, p.j, p.k);
  return b < 0 ? -1 : b * VL_BLOCK + node % VL_BLOCK;
}

/* Diagonals of the extra nodes of a block behind the zero block, which is number -1. */
static void assemble_extras(vlPressure *pressure, const vlFluid *fluid, int block)
{
  const vlLinkTail *tail = pressure->links.tail;
  size_t at = vl_stencil_tail(&pressure->stencil) + (size_t)block * VL_BLOCK;
  unsigned surface = 0;
  for (int l = 0; l < VL_BLOCK && block * VL_BLOCK + l < tail->extras; l++) {
    double linked = 0.0, fixed = 0.0;
    unsigned out = vl_tail_weigh(pressure, fluid, pressure->links.ends.blocks + block * VL_BLOCK + l, &linked, &fixed, NULL);
    int of = tail->cell[block * VL_BLOCK + l], cell = of < 0 ? -1 : vl_tail_place(pressure, fluid, of);
    pressure->stencil.diagonal[at + (size_t)l] = linked + fixed;
    pressure->stencil.extra_cell[block * VL_BLOCK + l] = cell >= 0 && pressure->stencil.diagonal[cell] > 0.0 ? cell : -1;
    surface |= out << l;
  }
  pressure->surface[at / VL_BLOCK] = (unsigned short)surface;
}

/* Pairs of the links from first to last - 1, put where `pair` says unless it is NULL; returns how many. */
static int find_pairs(const vlPressure *pressure, const vlFluid *fluid, int first, int last, vlStencilPair *pair)
{
  int count = 0;
  for (int q = first; q < last; q++) {
    const vlTailLink *link = &pressure->links.tail->link[q];
    double w = weight_of(link, fluid->grid->dx);
    if (is_fixed(pressure, link->below) || is_fixed(pressure, link->above) || !(w > 0.0)) continue;
    if (is_of_face(fluid->wet, link)) continue;
    if (pair)
      pair[count] =
          (vlStencilPair){vl_tail_place(pressure, fluid, link->below), vl_tail_place(pressure, fluid, link->above), w};
    count++;
  }
  return count;
}

vlCode vl_tail_assemble(vlPressure *pressure, const vlFluid *fluid, vlStatus *status)
{
  enum { PIECES = 64 };
  const vlLinkTail *tail = pressure->links.tail;
  vlStencil *s = &pressure->stencil;
  int size = (tail->count + PIECES - 1) / PIECES, start[PIECES + 1] = {0};
  if (tail->extras > 0) pressure->surface[s->blocks.count] = 0;
#pragma omp parallel for schedule(static)
  for (int b = 0; b < (tail->extras + VL_BLOCK - 1) / VL_BLOCK; b++) assemble_extras(pressure, fluid, b);
  for (int pass = 0; pass < 2; pass++) {
#pragma omp parallel for schedule(static)
    for (int q = 0; q < PIECES; q++) {
      int first = q * size, last = first + size < tail->count ? first + size : tail->count;
      int count = find_pairs(pressure, fluid, first, last, pass ? s->pair + start[q] : NULL);
      if (pass == 0) start[q + 1] = count;
    }
    for (int q = 0; q < PIECES && pass == 0; q++) start[q + 1] += start[q];
    size_t pairs = (size_t)start[PIECES] + 1;
    if (!vl_array_reserve((void **)&s->pair, &s->pair_capacity, pairs, sizeof *s->pair))
      return vl_fail_memory(status, pairs * sizeof *s->pair, "the tail of links");
  }
  s->pair_count = start[PIECES];
  return VL_OK;
}

void vl_tail_rhs(vlPressure *pressure, const vlFluid *fluid, bool guess)
{
  const vlLinkTail *tail = pressure->links.tail;
#pragma omp parallel for schedule(static)
  for (int e = 0; e < tail->extras; e++) {
    size_t i = vl_stencil_tail(&pressure->stencil) + (size_t)e;
    int b = pressure->links.ends.blocks + e;
    double outflow = 0.0;
    if (!(pressure->stencil.diagonal[i] > 0.0)) continue;
    vl_tail_outflow(&pressure->links, b, &outflow);
    pressure->b[i] = -pressure->coupling.scale * outflow;
    vl_tail_press(pressure, fluid->grid->dx, b, &pressure->b[i]);
    if (guess) pressure->p[i] = tail->p[e];
  }
}

static ptrdiff_t field_of(const vlFluid *fluid, int node)
{
  return vl_blocks_field(fluid->grid, fluid->wet->at[node / VL_BLOCK]) + node % VL_BLOCK;
}

double vl_tail_pressure(const vlFluid *fluid, const vlTailLink *link, int end, const double *p)
{
  if (end == VL_TAIL_SURFACE) return link->pressure;
  return end < 0 ? fluid->tail->p[vl_tail_extra(end)] : p[field_of(fluid, end)];
}

double vl_tail_velocity(const vlFluid *fluid, int q, const double *p, double step)
{
  const vlTailLink *link = &fluid->tail->link[q];
  if (link->given) return fluid->tail->u[q];
  return vl_link_velocity(fluid->tail->u[q], step, vl_tail_pressure(fluid, link, link->below, p),
                          vl_tail_pressure(fluid, link, link->above, p), link->distance);
}

void vl_tail_path(const vlPressure *pressure, const vlFluid *fluid, const double *q, double step)
{
  const vlLinkTail *tail = fluid->tail;
  const double *extra = q + vl_stencil_tail(&pressure->stencil);
  if (!tail->path) return;
#pragma omp parallel for schedule(static)
  for (int i = 0; i < tail->count; i++) {
    const int end[2] = {tail->link[i].below, tail->link[i].above};
    double value[2];
    if (tail->link[i].given) {
      tail->path[i] = tail->u[i];
      continue;
    }
    for (int s = 0; s < 2; s++) {
      int at = end[s] >= 0 ? vl_tail_place(pressure, fluid, end[s]) : -1;
      value[s] = at >= 0 ? q[at] : end[s] < VL_TAIL_SURFACE ? extra[vl_tail_extra(end[s])] : 0.0;
    }
    tail->path[i] = vl_link_velocity(tail->u[i], step, value[0], value[1], tail->link[i].distance);
  }
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
