/* The matrix of the pressure from its links.
 *
 * A link weighs A_f / (d_f dx), with a_f = A_f/dx2 that is a_f between two unknowns, off the diagonal and on it, and
 * a_f/theta to the free surface, on the diagonal alone. Unknowns are the nodes of the links but those that are parted. In:
 * the fluid of a step. Out: links, stencil, rows of bodies, closed regions. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "pressure/pressure.h"

vlCode vl_pressure_create(vlPressure **pressure, const vlGrid *grid, vlStatus *status)
{
  *pressure = calloc(1, sizeof **pressure);
  if (!*pressure) return vl_fail_memory(status, sizeof **pressure, "the pressure solve");
  vlCode code = vl_stencil_create(&(*pressure)->stencil, grid->n, status);
  if (!code) code = vl_multigrid_create(&(*pressure)->multigrid, grid->n, status);
  if (code) vl_pressure_destroy(pressure);
  return code;
}

void vl_pressure_destroy(vlPressure **pressure)
{
  if (!pressure || !*pressure) return;
  vlPressure *s = *pressure;
  vl_stencil_clear(&s->stencil);
  vl_multigrid_destroy(&s->multigrid);
  vl_coupling_clear(&s->coupling);
  vl_sealed_clear(&s->sealed);
  vl_woodbury_clear(&s->woodbury);
  vl_links_clear(&s->links);
  free(s->surface);
  free(s->parted);
  free(s->stale);
  free(s->bounded);
  free(s->bounded_work);
  free(s->null_start);
  free(s->null_cell);
  vl_stencil_vector_free(s->b);
  vl_stencil_vector_free(s->p);
  vl_aligned_free(s->work);
  free(s->label);
  free(s->region);
  free(s);
  *pressure = NULL;
}

/* Unknowns live in the blocks of the system: wet blocks that hold a node. */
static vlCode list_blocks(vlPressure *pressure, const vlBlocks *wet, vlStatus *status)
{
  size_t count = (size_t)wet->count + 1;
  bool room = vl_array_reserve((void **)&pressure->parted, &pressure->parted_capacity, count, sizeof *pressure->parted);
  if (room) memset(pressure->parted, 0, count * sizeof *pressure->parted);
  vlBlocks *blocks = &pressure->stencil.blocks;
  vl_blocks_begin(blocks);
  for (int b = 0; b < wet->count && room; b++)
    if (pressure->links.active[b]) room = vl_blocks_append(blocks, wet->at[b].bx, wet->at[b].j, wet->at[b].k);
  vl_blocks_end(blocks);
  return room ? VL_OK : vl_fail_memory(status, count * sizeof(vlBlockPosition), "the pressure solve");
}

/* Links between unknowns weigh a_f and are added up apart from those to a fixed pressure: a_f/theta to the surface, a_f to a
 * parted cell, which is zero at its centre. */
static void assemble_block(vlPressure *pressure, const vlFluid *fluid, int b)
{
  const vlGrid *g = fluid->grid;
  const vlLinks *links = &pressure->links;
  vlStencil *s = &pressure->stencil;
  vlBlockPosition p = s->blocks.at[b];
  ptrdiff_t at = vl_blocks_field(g, p);
  int wet = vl_blocks_find(fluid->wet, p.bx, p.j, p.k);
  unsigned own = links->active[wet] & ~(unsigned)pressure->parted[wet], surface = 0;
  double dx2 = g->dx * g->dx, linked[VL_BLOCK] = {0}, fixed[VL_BLOCK] = {0};
  for (int side = 0; side < 6; side++) {
    int a = side / 2;
    bool upper = side % 2;
    vlLinkSide to = vl_links_side(links, fluid->wet, wet, a, upper);
    unsigned held = to.inner & vl_links_beyond(fluid->wet, pressure->parted, wet, a, upper), joined = own & to.inner & ~held;
    ptrdiff_t face = at + (upper ? g->stride[a] : 0);
    const double *area = fluid->area[a] + face;
    double *w = s->w[a] + (size_t)b * VL_BLOCK, light[VL_BLOCK];
    for (int l = 0; l < VL_BLOCK; l++) light[l] = vl_fluid_light(fluid, a, face + l);
#pragma omp simd
    for (int l = 0; l < VL_BLOCK; l++) {
      double fraction = joined >> l & 1u ? light[l] * vl_link_weight(area[l], dx2, 1.0) : 0.0;
      linked[l] += fraction;
      if (!upper) w[l] = fraction;
    }
    for (unsigned left = own & (to.surface | held); left; left &= left - 1u) {
      int l = __builtin_ctz(left);
      double theta = held >> l & 1u ? 1.0 : vl_links_surface(links, to.first + l, a)->theta;
      fixed[l] += light[l] * vl_link_weight(area[l], dx2, theta);
      surface |= 1u << l;
    }
  }
  surface |= vl_outlets_weigh(fluid, p, own, fixed);
  if (links->tail) {
    double *const w[3] = {s->w[0] + b * VL_BLOCK, s->w[1] + b * VL_BLOCK, s->w[2] + b * VL_BLOCK};
    surface |= vl_tail_weigh(pressure, fluid, wet, linked, fixed, w);
  }
  for (int l = 0; l < VL_BLOCK; l++) s->diagonal[(size_t)b * VL_BLOCK + (size_t)l] = linked[l] + fixed[l];
  pressure->surface[b] = (unsigned short)surface;
}

static vlCode reserve_vectors(vlPressure *pressure, vlStatus *status)
{
  size_t count = vl_stencil_blocks(&pressure->stencil);
  bool ok = vl_array_reserve((void **)&pressure->surface, &pressure->surface_capacity, count + 1, sizeof *pressure->surface);
  ok = vl_array_reserve((void **)&pressure->stale, &pressure->stale_capacity, count + 1, sizeof *pressure->stale) && ok;
  if (count > pressure->vector_capacity || !pressure->b) {
    size_t blocks = count + count / 8, padded = (blocks + 2) * VL_BLOCK;
    vl_stencil_vector_free(pressure->b);
    vl_stencil_vector_free(pressure->p);
    vl_aligned_free(pressure->work);
    free(pressure->label);
    free(pressure->region);
    pressure->b = vl_stencil_vector_create(blocks);
    pressure->p = vl_stencil_vector_create(blocks);
    pressure->work = vl_aligned_alloc(4 * padded * sizeof(double));
    pressure->label = malloc(padded * sizeof(int));
    pressure->region = malloc(padded * sizeof(int));
    ok = ok && pressure->b && pressure->p && pressure->work && pressure->label && pressure->region;
    pressure->vector_capacity = ok ? blocks : 0;
  }
  return ok ? VL_OK : vl_fail_memory(status, count * VL_BLOCK * 6 * sizeof(double), "the pressure solve");
}

/* A system that is being coupled, and its liquid. */
typedef struct Asked {
  const vlPressure *pressure;
  const vlFluid *fluid;
} Asked;

/* Beyond the domain's sides there are none. */
static int find_unknown(const void *data, const vlPatch *patch)
{
  const Asked *asked = data;
  const vlStencil *s = &asked->pressure->stencil;
  const int *cell = patch->cell;
  int index;
  for (int a = 0; a < 3; a++)
    if (cell[a] < 0 || cell[a] >= s->blocks.n[a]) return -1;
  if (asked->fluid->tail && asked->fluid->tail->find) {
    index = vl_tail_place(asked->pressure, asked->fluid, vl_tail_find(asked->fluid, patch));
  } else {
    int b = vl_blocks_find(&s->blocks, cell[0] / VL_BLOCK, cell[1], cell[2]);
    index = b < 0 ? -1 : b * VL_BLOCK + cell[0] % VL_BLOCK;
  }
  return index >= 0 && s->diagonal[index] > 0.0 ? index : -1;
}

/* What was prepared for the system as it was. */
static void forget_solve(vlPressure *pressure)
{
  vl_woodbury_forget(&pressure->woodbury);
  pressure->multigrid_ready = pressure->bounds = false;
}

vlCode vl_pressure_assemble(vlPressure *pressure, const vlFluid *fluid, vlStatus *status)
{
  vlCode code = vl_links_build(&pressure->links, fluid, status);
  if (!code) code = list_blocks(pressure, fluid->wet, status);
  pressure->stencil.extra = fluid->tail ? fluid->tail->extras : 0;
  if (!code) code = vl_stencil_resize(&pressure->stencil, status);
  if (!code) code = reserve_vectors(pressure, status);
  if (code) return code;
#pragma omp parallel for schedule(static)
  for (int b = 0; b < pressure->stencil.blocks.count; b++) assemble_block(pressure, fluid, b);
  if (fluid->tail) code = vl_tail_assemble(pressure, fluid, status);
  if (code) return code;
  vl_stencil_finish(&pressure->stencil);
  forget_solve(pressure);
  pressure->coupled = fluid->bodies && fluid->bodies->count > 0 && !fluid->bodies_given;
  pressure->coupling.bodies = fluid->bodies;
  pressure->coupling.patches = fluid->patches;
  pressure->coupling.contact = fluid->contact;
  code = vl_coupling_build(&pressure->coupling, find_unknown, &(Asked){pressure, fluid}, status);
  return code ? code : vl_pressure_find_closed(pressure, status);
}

/* Marks the blocks of the system whose coefficients depend on the cells of a wet block. */
static void mark_stale(vlPressure *pressure, vlBlockPosition p)
{
  static const int way[7][3] = {{0, 0, 0}, {-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}};
  for (int w = 0; w < 7; w++) {
    int b = vl_blocks_find(&pressure->stencil.blocks, p.bx + way[w][0], p.j + way[w][1], p.k + way[w][2]);
    if (b >= 0) pressure->stale[b] = 1;
  }
}

vlCode vl_pressure_part(vlPressure *pressure, const vlFluid *fluid, vlStatus *status)
{
  vlStencil *s = &pressure->stencil;
  memset(pressure->stale, 0, (size_t)s->blocks.count);
  for (int b = 0; b < fluid->wet->count; b++) {
    unsigned short now = fluid->parted ? fluid->parted[b] : 0;
    if (now == pressure->parted[b]) continue;
    pressure->parted[b] = now;
    mark_stale(pressure, fluid->wet->at[b]);
  }
#pragma omp parallel for schedule(static)
  for (int b = 0; b < s->blocks.count; b++)
    if (pressure->stale[b]) assemble_block(pressure, fluid, b);
  vlCode code = fluid->tail ? vl_tail_assemble(pressure, fluid, status) : VL_OK;
  if (code) return code;
  vl_stencil_finish(s);
  forget_solve(pressure);
  return vl_coupling_build(&pressure->coupling, find_unknown, &(Asked){pressure, fluid}, status);
}
