/* Liquid that is to gain volume where its particles crowd, and to lose it where they are sparse (liquid/density.c).
 *
 * What brings it about moves places and nothing else: beside u there is w with
 *     outflow_i(w) = gain_i V_i / dt,      w = - (dt/rho) grad q,      L q = (rho / (dt dx)) gain V / dt,
 * L the matrix of the step's pressure, without what bodies add to it: for w they are walls at rest. q is zero at the free
 * surface and in cells that part from walls. Particles are carried by u + w; their velocities, and what bodies and walls
 * feel, know u alone, so no step is too short for it. Liquid without air around it cannot grow or shrink: the mean over each
 * such region is taken out of what its cells want, which leaves them to even themselves out. Few digits are enough: what is
 * left is asked for again in the next step. Of a tail (tail.h) main nodes alone gain. In: the system of the step, solved;
 * how much volume. Out: the velocity of places.
 */
#include "pressure/pressure.h"

static const double TOLERANCE = 1e-2;
enum { MOST_ITERATIONS = 30 };

/* m3 that the cell of a compact index is to gain in the step, and what of its volume is open. */
static double gain_of(const vlPressure *pressure, const vlFluid *fluid, const vlGrowth *growth, size_t i, double *open)
{
  const vlBlocks *blocks = &pressure->stencil.blocks;
  double dx = fluid->grid->dx;
  ptrdiff_t at = vl_blocks_field(fluid->grid, blocks->at[i / VL_BLOCK]) + (ptrdiff_t)(i % VL_BLOCK);
  const double *room = growth->room ? growth->room : fluid->open;
  *open = dx * dx * dx * (room ? room[at] : 1.0);
  double gain = growth->excess ? vl_density_gain(growth->excess[at], growth->shares) * *open : 0.0;
  return fluid->swell ? gain - growth->dt * fluid->swell[at] * dx * dx * dx : gain;
}

/* Takes the mean over each region without air out of b. */
static void balance(vlPressure *pressure, const vlFluid *fluid, const vlGrowth *growth, size_t n, double factor)
{
  double *gain = pressure->work, *room = pressure->work + n; /* by a region's first cell */
  for (int pass = 0; pass < 3; pass++)
    for (size_t i = 0; i < n; i++) {
      int first = pressure->label[i];
      if (first < 0 || pressure->region[i] == VL_REGION_OPEN) continue;
      double open, own = gain_of(pressure, fluid, growth, i, &open);
      if (pass == 0)
        gain[first] = room[first] = 0.0;
      else if (pass == 1) {
        gain[first] += own;
        room[first] += open;
      } else if (room[first] > 0.0)
        pressure->b[i] -= factor * gain[first] / room[first] * open;
    }
}

static void project(void *data, double *x) { vl_pressure_project(data, x); }

vlCode vl_pressure_grow(vlPressure *pressure, const vlFluid *fluid, vlGrowth growth, double *const u[3],
                        unsigned short *const *keep, double *const path[3], vlStatus *status)
{
  const vlStencil *s = &pressure->stencil;
  size_t n = (size_t)s->blocks.count * VL_BLOCK;
  double factor = pressure->coupling.scale / growth.dt;
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < n; i++) {
    double open;
    pressure->b[i] = s->diagonal[i] > 0.0 ? factor * gain_of(pressure, fluid, &growth, i, &open) : 0.0;
    pressure->p[i] = 0.0;
  }
  for (size_t i = n; i < vl_stencil_length(s); i++) pressure->b[i] = pressure->p[i] = 0.0;
  if (pressure->sealed_count + pressure->null_count > 0) balance(pressure, fluid, &growth, n, factor);
  vlCode code = pressure->multigrid_ready ? VL_OK : vl_multigrid_build(pressure->multigrid, s, status);
  if (code) return code;
  pressure->multigrid_ready = true;
  vlProjector null_space = {.apply = pressure->null_count ? project : NULL, .data = pressure};
  vl_cg(vl_stencil_operator(s), vl_multigrid_operator(pressure->multigrid), null_space, pressure->b, pressure->p,
        pressure->work, (vlSolveOptions){.tolerance = TOLERANCE, .max_iterations = MOST_ITERATIONS});
  /* beyond the surface and outlets q is zero; what pressed there has been felt */
  for (int i = 0; i < pressure->links.surface_count; i++) pressure->links.surface[i].pressure = 0.0;
  vlFluid still = *fluid;
  vlOutlet outlets[6] = {{0}};
  for (int side = 0; fluid->outlet && side < 6; side++) outlets[side].open = fluid->outlet[side].open;
  if (fluid->outlet) still.outlet = outlets;
  vl_pressure_scatter(pressure, fluid, pressure->p, growth.q);
  still.tail = NULL;
  vl_pressure_apply(pressure, &still, growth.q, u, keep, path);
  if (fluid->tail) vl_tail_path(pressure, fluid, pressure->p, pressure->step.dt / pressure->step.rho);
  return VL_OK;
}
