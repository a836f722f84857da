/* Which liquid cells part from walls and which join them again, after each solve: see separation.h. In: a solved pressure
 * and u*. Out: a new set. Few cells are at walls and fewer part, so the work is small beside a solve. */
#include "pressure/separation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"

void vl_separation_clear(vlSeparation *s)
{
  free(s->wall);
  free(s->parted);
  free(s->cell);
  *s = (vlSeparation){0};
}

/* Unknowns of a wet block of which some face is not wholly open. Liquid without air beside it cannot part from anything: its
 * pressure has no zero, or a body sets it. */
static unsigned at_walls(const vlPressure *pressure, const vlFluid *fluid, int b, vlMayPart may)
{
  vlBlockPosition p = fluid->wet->at[b];
  unsigned walls = 0;
  int compact = vl_blocks_find(&pressure->stencil.blocks, p.bx, p.j, p.k);
  for (unsigned left = compact < 0 ? 0u : pressure->links.active[b]; left; left &= left - 1u) {
    int l = __builtin_ctz(left);
    if (pressure->region[compact * VL_BLOCK + l] != VL_REGION_OPEN) continue;
    const int cell[3] = {p.bx * VL_BLOCK + l, p.j, p.k};
    bool wall = false;
    for (int side = 0; side < 6 && !wall; side++) wall = vl_links_wall(fluid->grid, fluid->area, cell, side);
    walls |= (unsigned)(wall && (!may.ask || may.ask(may.data, cell))) << l;
  }
  return walls;
}

/* Parts the cells that were parted before and still may. */
static void part_again(vlSeparation *s, const vlBlocks *wet, const vlPartedPlaces *before)
{
  for (int64_t c = 0; c < before->count; c++) {
    int64_t row = before->place[c] / wet->n[0];
    int i = (int)(before->place[c] % wet->n[0]), j = (int)(row % wet->n[1]), k = (int)(row / wet->n[1]);
    int b = vl_blocks_find(wet, i / VL_BLOCK, j, k);
    if (b >= 0) s->parted[b] |= (unsigned short)(s->wall[b] & 1u << i % VL_BLOCK);
  }
}

vlCode vl_separation_begin(vlSeparation *s, const vlPressure *pressure, const vlFluid *fluid, vlMayPart may,
                           const vlPartedPlaces *before, vlStatus *status)
{
  size_t blocks = (size_t)fluid->wet->count + 1;
  if (!vl_array_reserve((void **)&s->wall, &s->wall_capacity, blocks, sizeof *s->wall) ||
      !vl_array_reserve((void **)&s->parted, &s->parted_capacity, blocks, sizeof *s->parted))
    return vl_fail_memory(status, blocks * 2 * sizeof *s->parted, "liquid that parts from walls");
  memset(s->parted, 0, blocks * sizeof *s->parted);
#pragma omp parallel for schedule(static)
  for (int b = 0; b < fluid->wet->count; b++) s->wall[b] = (unsigned short)at_walls(pressure, fluid, b, may);
  part_again(s, fluid->wet, before);
  s->count = s->loops = s->fallbacks = 0;
  s->worst_pull = s->worst_gain = 0.0;
  s->seen_count = 0;
  return VL_OK;
}

/* m3/s along an axis through the upper or lower face of a cell of a wet block, after the pressure. */
static double flow_up(const vlPressure *pressure, const vlFluid *fluid, const vlSeparationLook *look, int cell, int a,
                      bool up)
{
  vlLinkSide side = vl_links_side(&pressure->links, fluid->wet, cell / VL_BLOCK, a, up);
  int l = cell % VL_BLOCK;
  if ((side.domain | side.given) >> l & 1u) {
    ptrdiff_t at = vl_blocks_field(fluid->grid, fluid->wet->at[cell / VL_BLOCK]) + l + (up ? fluid->grid->stride[a] : 0);
    double u = look->u_star[a][at];
    if (side.domain >> l & 1u && vl_outlet_open(fluid, 2 * a + up)) {
      vlBlockPosition p = fluid->wet->at[cell / VL_BLOCK];
      double step = pressure->step.dt / pressure->step.rho, inner = look->p[at - (up ? fluid->grid->stride[a] : 0)];
      u = vl_outlet_velocity(fluid, (const int[3]){p.bx * VL_BLOCK + l, p.j, p.k}, 2 * a + up, inner, u, step);
    }
    return fluid->area[a][at] * u;
  }
  if (!((side.inner | side.surface) >> l & 1u)) return 0.0;
  vlLink link = vl_links_at(&pressure->links, fluid, side.first + l, a);
  double step = pressure->step.dt / pressure->step.rho;
  return link.area * vl_link_update(link, fluid->grid->stride[a], look->p, look->u_star[a][link.at], step);
}

static int compare_cells(const void *a, const void *b)
{
  int x = ((const vlPartedCell *)a)->cell, y = ((const vlPartedCell *)b)->cell;
  return x < y ? -1 : x > y;
}

/* Adds what bodies take from parted cells, whose rows are not in J. */
static void add_bodies(vlSeparation *s, const vlPressure *pressure, const vlFluid *fluid)
{
  const vlPatches *patches = fluid->bodies && fluid->bodies->count > 0 ? fluid->patches : NULL;
  const vlVec3 *v = pressure->coupling.velocity;
  for (int q = 0; patches && q < patches->count; q++) {
    const vlPatch *patch = &patches->patch[q];
    int node = vl_tail_find(fluid, patch);
    if (node < 0 || !(s->parted[node / VL_BLOCK] >> node % VL_BLOCK & 1u)) continue;
    vlPartedCell key = {.cell = node};
    vlPartedCell *found = bsearch(&key, s->cell, (size_t)s->count, sizeof *s->cell, compare_cells);
    for (int n = 0; found && n < patch->nodes; n++) found->outflow += vl_dot(patch->s, v[patch->node[n]]) * patch->b[n];
  }
}

/* Lists the parted cells with their net outflow. */
static bool list_parted(vlSeparation *s, const vlPressure *pressure, const vlFluid *fluid, const vlSeparationLook *look)
{
  int64_t count = 0;
  for (int b = 0; b < fluid->wet->count; b++) count += __builtin_popcount(s->parted[b]);
  if (!vl_array_reserve((void **)&s->cell, &s->cell_capacity, (size_t)count + 1, sizeof *s->cell)) return false;
  s->count = 0;
  for (int b = 0; b < fluid->wet->count; b++)
    for (unsigned left = s->parted[b]; left; left &= left - 1u) {
      int l = __builtin_ctz(left);
      double sum = 0.0;
      for (int a = 0; a < 3; a++)
        sum += flow_up(pressure, fluid, look, b * VL_BLOCK + l, a, true) -
               flow_up(pressure, fluid, look, b * VL_BLOCK + l, a, false);
      if (fluid->tail)
        sum += vl_tail_outflow_after(&pressure->links, fluid, b * VL_BLOCK + l, look->p,
                                     pressure->step.dt / pressure->step.rho);
      s->cell[s->count++] = (vlPartedCell){b * VL_BLOCK + l, sum};
    }
  add_bodies(s, pressure, fluid);
  return true;
}

static double largest(const double *x, size_t n)
{
  double most = 0.0;
  for (size_t i = 0; i < n; i++) most = fabs(x[i]) > most ? fabs(x[i]) : most;
  return most;
}

vlSeparationZero vl_separation_zero(const vlPressure *pressure, double eps)
{
  vlPressureStep step = pressure->step;
  size_t n = vl_stencil_length(&pressure->stencil);
  return (vlSeparationZero){.pull = eps * largest(pressure->p, n),
                            .gain = eps * largest(pressure->b, n) * step.dt * step.dx / step.rho};
}

vlCode vl_separation_update(vlSeparation *s, const vlPressure *pressure, const vlFluid *fluid, const vlSeparationLook *look,
                            int64_t *changed, vlStatus *status)
{
  const vlGrid *g = fluid->grid;
  const double *p = look->p;
  s->worst_pull = s->worst_gain = 0.0;
  *changed = 0;
  if (!list_parted(s, pressure, fluid, look))
    return vl_fail_memory(status, (size_t)s->count * sizeof *s->cell, "liquid that parts from walls");
  /* those that pull first: joined cells have no pressure to look at */
  for (int b = 0; b < fluid->wet->count; b++) {
    ptrdiff_t at = vl_blocks_field(g, fluid->wet->at[b]);
    unsigned part = 0;
    for (unsigned left = s->wall[b] & ~(unsigned)s->parted[b]; left; left &= left - 1u) {
      int l = __builtin_ctz(left);
      s->worst_pull = fmax(s->worst_pull, -p[at + l]);
      if (p[at + l] < -look->zero.pull) part |= 1u << l;
    }
    s->parted[b] |= (unsigned short)part;
    *changed += __builtin_popcount(part);
  }
  for (int64_t c = 0; c < s->count; c++) {
    double inflow = -s->cell[c].outflow;
    s->worst_gain = fmax(s->worst_gain, inflow / (g->dx * g->dx * g->dx));
    if (inflow <= look->zero.gain) continue;
    s->parted[s->cell[c].cell / VL_BLOCK] &= (unsigned short)~(1u << s->cell[c].cell % VL_BLOCK);
    ++*changed;
  }
  return VL_OK;
}

/* FNV-1a over the blocks that hold parted cells. */
static uint64_t hash_of(const vlSeparation *s, const vlBlocks *wet)
{
  uint64_t hash = 0xcbf29ce484222325u;
  for (int b = 0; b < wet->count; b++)
    if (s->parted[b]) hash = ((hash ^ (uint64_t)b) * 0x100000001b3u ^ s->parted[b]) * 0x100000001b3u;
  return hash;
}

bool vl_separation_returns(vlSeparation *s, const vlBlocks *wet)
{
  uint64_t hash = hash_of(s, wet);
  for (int i = 0; i < s->seen_count; i++)
    if (s->seen[i] == hash) return true;
  if (s->seen_count < VL_SEPARATION_MOST) s->seen[s->seen_count++] = hash;
  return false;
}

vlCode vl_separation_keep(const vlSeparation *s, const vlBlocks *wet, vlPartedPlaces *places, vlStatus *status)
{
  int64_t count = 0;
  for (int b = 0; b < wet->count; b++) count += __builtin_popcount(s->parted[b]);
  if (!vl_array_reserve((void **)&places->place, &places->capacity, (size_t)count + 1, sizeof *places->place))
    return vl_fail_memory(status, (size_t)count * sizeof *places->place, "liquid that parts from walls");
  places->count = 0;
  for (int b = 0; b < wet->count; b++)
    for (unsigned left = s->parted[b]; left; left &= left - 1u) {
      vlBlockPosition p = wet->at[b];
      int64_t i = p.bx * VL_BLOCK + __builtin_ctz(left);
      places->place[places->count++] = i + wet->n[0] * (p.j + (int64_t)wet->n[1] * p.k);
    }
  return VL_OK;
}
