/* Between the velocity field and the linear system.
 *
 * Net outflow of a cell: sum over its faces of A_f u_f, outward; static solids and domain sides add nothing. The stencil is
 * in units of (dt/rho) dx, so b = -(rho / (dt dx)) outflow, plus the links to the surface times the pressure there. With p
 * known, u_f = u*_f - (dt/rho) (p_above - p_below) / d_f where a side that is air counts with the surface's pressure at
 * distance d_f = theta dx. */
#include "pressure/pressure.h"

/* Sum of w p over the links of a cell to the free surface. */
static double surface_terms(const vlFluid *fluid, const vlPressure *pressure, vlBlockPosition p, int l)
{
  const vlGrid *g = fluid->grid;
  int b = vl_blocks_find(fluid->wet, p.bx, p.j, p.k);
  ptrdiff_t at = vl_blocks_field(g, p) + l;
  double sum = 0.0;
  for (int a = 0; a < 3; a++) {
    vlFlowFace lower = vl_pressure_face(pressure, fluid, b, l, a);
    if (lower.upper && !lower.lower) sum += lower.area / (lower.distance * g->dx) * fluid->jump[a][at];
    vlBlockPosition next = {p.bx + (a == 0 && l == VL_BLOCK - 1), p.j + (a == 1), p.k + (a == 2)};
    int nb = vl_blocks_find(fluid->wet, next.bx, next.j, next.k);
    if (nb < 0) continue;
    vlFlowFace upper = vl_pressure_face(pressure, fluid, nb, a == 0 ? (l + 1) % VL_BLOCK : l, a);
    if (upper.lower && !upper.upper) sum += upper.area / (upper.distance * g->dx) * fluid->jump[a][at + g->stride[a]];
  }
  return sum;
}

/* m3/s that a cell of liquid is to gain. */
static double wanted_gain(const vlFluid *fluid, ptrdiff_t at, double dt)
{
  double dx = fluid->grid->dx;
  return fluid->gain ? fluid->gain[at] / dt * dx * dx * dx * (fluid->open ? fluid->open[at] : 1.0) : 0.0;
}

/* Liquid without air around it cannot grow or shrink: the mean over each such region is taken out of what its cells want,
 * which leaves them to even themselves out. */
static void balance_gain(vlPressure *pressure, const vlFluid *fluid, double dt, double scale)
{
  const vlStencil *s = &pressure->stencil;
  size_t n = vl_stencil_length(s);
  double *gain = pressure->work, *room = pressure->work + n; /* by a region's first cell */
  for (int pass = 0; pass < 3; pass++)
    for (size_t i = 0; i < n; i++) {
      int first = pressure->label[i];
      if (first < 0 || pressure->region[i] == VL_REGION_OPEN) continue;
      ptrdiff_t at = vl_blocks_field(fluid->grid, s->blocks.at[i / VL_BLOCK]) + (ptrdiff_t)(i % VL_BLOCK);
      double open = fluid->open ? fluid->open[at] : 1.0;
      if (pass == 0)
        gain[first] = room[first] = 0.0;
      else if (pass == 1) {
        gain[first] += wanted_gain(fluid, at, dt);
        room[first] += open;
      } else if (room[first] > 0.0)
        pressure->b[i] -= scale * (wanted_gain(fluid, at, dt) - gain[first] / room[first] * open);
    }
}

/* m3/s through the lower face of a cell along an axis, of liquid in free flight; the opening to an orphan, next to nothing,
 * is closed like that cell. */
static double star_flux(const vlPressure *pressure, const vlFluid *fluid, vlBlockPosition p, int l, int a, double u)
{
  double area = fluid->area[a][vl_blocks_field(fluid->grid, p) + l], dx = fluid->grid->dx;
  if (area > VL_PRESSURE_ORPHAN * dx * dx || !(area > 0.0)) return area * u;
  int b = vl_blocks_find(fluid->wet, p.bx + l / VL_BLOCK, p.j, p.k);
  vlFlowFace face = b < 0 ? (vlFlowFace){0} : vl_pressure_face(pressure, fluid, b, l % VL_BLOCK, a);
  return face.lower || face.upper ? area * u : 0.0;
}

void vl_pressure_rhs(vlPressure *pressure, const vlFluid *fluid, double *const u_star[3], const double *guess, double dt,
                     double rho)
{
  const vlGrid *g = fluid->grid;
  const vlStencil *s = &pressure->stencil;
  double scale = -rho / (dt * g->dx);
#pragma omp parallel for schedule(static)
  for (int b = 0; b < s->blocks.count; b++) {
    vlBlockPosition p = s->blocks.at[b];
    ptrdiff_t at = vl_blocks_field(g, p);
    for (int l = 0; l < VL_BLOCK; l++) {
      size_t i = (size_t)b * VL_BLOCK + (size_t)l;
      bool unknown = s->diagonal[i] > 0.0;
      double outflow = 0.0;
      for (int a = 0; a < 3 && unknown; a++) {
        ptrdiff_t upper = at + l + g->stride[a];
        vlBlockPosition next = {p.bx, p.j + (a == 1), p.k + (a == 2)};
        outflow += star_flux(pressure, fluid, next, l + (a == 0), a, u_star[a][upper]) -
                   star_flux(pressure, fluid, p, l, a, u_star[a][at + l]);
      }
      double gain = unknown && pressure->region[i] == VL_REGION_OPEN ? wanted_gain(fluid, at + l, dt) : 0.0;
      pressure->b[i] = unknown ? scale * (outflow - gain) : 0.0;
      pressure->p[i] = unknown && guess ? guess[at + l] : 0.0;
      if (unknown && fluid->jump) pressure->b[i] += surface_terms(fluid, pressure, p, l);
    }
  }
  if (fluid->gain && (pressure->sealed_count > 0 || pressure->null_count > 0)) balance_gain(pressure, fluid, dt, scale);
  size_t end = vl_stencil_length(s);
  for (int l = 0; l < VL_BLOCK; l++) pressure->b[end + (size_t)l] = pressure->p[end + (size_t)l] = 0.0;
  pressure->coupling.scale = -scale;
}

void vl_pressure_rhs_bodies(vlPressure *pressure)
{
  vlCoupling *coupling = &pressure->coupling;
  if (pressure->coupled)
    vl_coupling_right(coupling, pressure->b);
  else if (coupling->bodies->count > 0)
    vl_coupling_right_given(coupling, pressure->p, pressure->b);
}

void vl_pressure_store(const vlPressure *pressure, const vlFluid *fluid, double *p)
{
  const vlBlocks *wet = fluid->wet;
#pragma omp parallel for schedule(static)
  for (int b = 0; b < wet->count; b++) {
    vlBlockPosition position = wet->at[b];
    ptrdiff_t at = vl_blocks_field(fluid->grid, position);
    int from = vl_blocks_find(&pressure->stencil.blocks, position.bx, position.j, position.k);
    for (int l = 0; l < vl_blocks_width(wet, position); l++)
      p[at + l] = from < 0 ? 0.0 : pressure->p[(size_t)from * VL_BLOCK + (size_t)l];
  }
}

/* The new velocity of a face between a liquid cell and the surface. */
static double at_surface(const vlPressure *pressure, const vlFluid *fluid, int b, int l, int a, const double *p, double star,
                         double step)
{
  vlFlowFace face = vl_pressure_face(pressure, fluid, b, l, a);
  ptrdiff_t f = vl_blocks_field(fluid->grid, fluid->wet->at[b]) + l;
  double outside = fluid->jump ? fluid->jump[a][f] : 0.0;
  double below = face.lower ? p[f - fluid->grid->stride[a]] : outside, above = face.upper ? p[f] : outside;
  return star - step * (above - below) / face.distance;
}

void vl_pressure_apply(const vlPressure *pressure, const vlFluid *fluid, const double *p, double *const u_star[3], double dt,
                       double rho, unsigned short *const *keep, double *const u[3])
{
  const vlGrid *g = fluid->grid;
#pragma omp parallel for schedule(static)
  for (int b = 0; b < fluid->wet->count; b++) {
    vlBlockPosition position = fluid->wet->at[b];
    ptrdiff_t at = vl_blocks_field(g, position);
    for (int a = 0; a < 3; a++) {
      unsigned inner, flow = vl_pressure_flow(pressure, fluid, b, a, &inner), kept = keep ? keep[a][b] : 0u;
      for (int l = 0; l < vl_blocks_width(fluid->wet, position); l++) {
        ptrdiff_t f = at + l;
        double star = u_star[a][f];
        if (inner >> l & 1u)
          u[a][f] = star - dt / rho * (p[f] - p[f - g->stride[a]]) / g->dx;
        else if (flow >> l & 1u)
          u[a][f] = at_surface(pressure, fluid, b, l, a, p, star, dt / rho);
        else
          u[a][f] = kept >> l & 1u && fluid->area[a][f] > 0.0 ? star : 0.0;
      }
    }
  }
}
