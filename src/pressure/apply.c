/* Between the velocity field and the linear system, along the links.
 *
 * Net outflow of a cell: sum over its links of A_f u_f, outward, and what is given on sides of the domain and elsewhere;
 * static solids add nothing. The stencil is in units of (dt/rho) dx, so b = -(rho / (dt dx)) outflow, plus the links to the
 * surface times the pressure there. With p known, u_f = u*_f - (dt/rho) (p_above - p_below) / d_f where a side that is air
 * counts with the surface's pressure. */
#include "pressure/pressure.h"

/* Adds weight times pressure of a block's links to the free surface. */
static void add_surface(vlPressure *pressure, const vlFluid *fluid, int b, int wet)
{
  const vlGrid *g = fluid->grid;
  ptrdiff_t at = vl_blocks_field(g, fluid->wet->at[wet]);
  for (int side = 0; side < 6; side++) {
    vlLinkSide to = vl_links_side(&pressure->links, fluid->wet, wet, side / 2, side % 2);
    ptrdiff_t face = at + (side % 2 ? g->stride[side / 2] : 0);
    const double *area = fluid->area[side / 2] + face;
    for (unsigned left = to.surface & pressure->surface[b]; left; left &= left - 1u) {
      int l = __builtin_ctz(left);
      const vlSurfaceLink *link = vl_links_surface(&pressure->links, to.first + l, side / 2);
      pressure->b[b * VL_BLOCK + l] +=
          vl_fluid_light(fluid, side / 2, face + l) * vl_link_weight(area[l], g->dx * g->dx, link->theta) * link->pressure;
    }
  }
}

static void rhs_block(vlPressure *pressure, const vlFluid *fluid, double *const u_star[3], const double *guess, int b)
{
  const vlStencil *s = &pressure->stencil;
  vlBlockPosition p = s->blocks.at[b];
  ptrdiff_t at = vl_blocks_field(fluid->grid, p);
  int wet = vl_blocks_find(fluid->wet, p.bx, p.j, p.k);
  double outflow[VL_BLOCK] = {0}, volume = fluid->grid->dx * fluid->grid->dx * fluid->grid->dx;
  vl_links_outflow(&pressure->links, fluid, wet, u_star, outflow);
  for (int l = 0; l < VL_BLOCK; l++) {
    int i = b * VL_BLOCK + l;
    bool unknown = s->diagonal[i] > 0.0;
    if (fluid->swell) outflow[l] -= fluid->swell[at + l] * volume;
    pressure->b[i] = unknown ? -pressure->coupling.scale * outflow[l] : 0.0;
    pressure->p[i] = unknown && guess ? guess[at + l] : 0.0;
  }
  if (pressure->links.pressed) add_surface(pressure, fluid, b, wet);
  vl_outlets_press(fluid, p, pressure->links.active[wet] & ~(unsigned)pressure->parted[wet], pressure->b + b * VL_BLOCK);
  if (fluid->tail) vl_tail_press(pressure, fluid->grid->dx, wet, pressure->b + b * VL_BLOCK);
}

void vl_pressure_rhs(vlPressure *pressure, const vlFluid *fluid, double *const u_star[3], const double *guess, double dt,
                     double rho)
{
  pressure->step = (vlPressureStep){dt, rho, fluid->grid->dx};
  pressure->coupling.scale = rho / (dt * fluid->grid->dx);
#pragma omp parallel for schedule(static)
  for (int b = 0; b < pressure->stencil.blocks.count; b++) rhs_block(pressure, fluid, u_star, guess, b);
  size_t end = vl_stencil_length(&pressure->stencil) + VL_BLOCK;
  for (size_t i = (size_t)pressure->stencil.blocks.count * VL_BLOCK; i < end; i++) pressure->b[i] = pressure->p[i] = 0.0;
  if (fluid->tail) vl_tail_rhs(pressure, fluid, guess != NULL);
}

void vl_pressure_rhs_bodies(vlPressure *pressure)
{
  vlCoupling *coupling = &pressure->coupling;
  if (pressure->coupled)
    vl_coupling_right(coupling, pressure->b);
  else if (coupling->bodies->count > 0)
    vl_coupling_right_given(coupling, pressure->p, pressure->b);
}

void vl_pressure_scatter(const vlPressure *pressure, const vlFluid *fluid, const double *x, double *p)
{
  const vlBlocks *wet = fluid->wet;
#pragma omp parallel for schedule(static)
  for (int b = 0; b < wet->count; b++) {
    vlBlockPosition position = wet->at[b];
    ptrdiff_t at = vl_blocks_field(fluid->grid, position);
    int from = vl_blocks_find(&pressure->stencil.blocks, position.bx, position.j, position.k);
    for (int l = 0; l < vl_blocks_width(wet, position); l++)
      p[at + l] = from < 0 ? 0.0 : x[(size_t)from * VL_BLOCK + (size_t)l];
  }
}

void vl_pressure_store(const vlPressure *pressure, const vlFluid *fluid, double *p)
{
  vl_pressure_scatter(pressure, fluid, pressure->p, p);
  for (int e = 0; fluid->tail && e < fluid->tail->extras; e++)
    fluid->tail->p[e] = pressure->p[vl_stencil_tail(&pressure->stencil) + (size_t)e];
}

void vl_pressure_apply(const vlPressure *pressure, const vlFluid *fluid, const double *p, double *const u_star[3],
                       unsigned short *const *keep, double *const u[3])
{
  const vlGrid *g = fluid->grid;
  const vlLinks *links = &pressure->links;
  double step = pressure->step.dt / pressure->step.rho;
#pragma omp parallel for schedule(static)
  for (int b = 0; b < fluid->wet->count; b++) {
    vlBlockPosition position = fluid->wet->at[b];
    ptrdiff_t at = vl_blocks_field(g, position);
    for (int a = 0; a < 3; a++) {
      vlLinkSide lower = vl_links_side(links, fluid->wet, b, a, false);
      unsigned inner = lower.inner, surface = lower.surface, kept = lower.domain | lower.given | (keep ? keep[a][b] : 0u);
      for (int l = 0; l < vl_blocks_width(fluid->wet, position); l++) {
        ptrdiff_t f = at + l;
        double star = u_star[a][f];
        if (inner >> l & 1u)
          u[a][f] = vl_link_velocity(star, step * vl_fluid_light(fluid, a, f), p[f - g->stride[a]], p[f], g->dx);
        else if (surface >> l & 1u)
          u[a][f] = vl_link_update(vl_links_at(links, fluid, b * VL_BLOCK + l, a), g->stride[a], p, star,
                                   step * vl_fluid_light(fluid, a, f));
        else
          u[a][f] = kept >> l & 1u && fluid->area[a][f] > 0.0 ? star : 0.0;
      }
    }
  }
  if (fluid->outlet) vl_outlets_apply(pressure, fluid, p, u_star, u);
  int links_of_tail = fluid->tail ? fluid->tail->count : 0;
#pragma omp parallel for schedule(static) if (links_of_tail > 0)
  for (int q = 0; q < links_of_tail; q++) fluid->tail->u[q] = vl_tail_velocity(fluid, q, p, step);
}
