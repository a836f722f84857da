/* Sides of the domain that are no walls: an open face A_f of a liquid cell there is a link to a pressure p_s that is given,
 * half a cell away,
 *
 *     weight 2 A_f / dx2 on the diagonal, times p_s in b,        u_f = u*_f - (dt/rho) (p_s - p_c) / (dx/2) outwards,
 *
 * as to a free surface (pressure.h) at theta = 1/2. Cells of air let pass what u* says. p_s is that of liquid at rest up to
 * a level, or the same everywhere. In: links of the step. Out: diagonal, right-hand side, velocities on the sides. */
#include <math.h>

#include "pressure/pressure.h"

static const double THETA = 0.5; /* cells from a middle to the side */

/* Of a block's cells those at an open side. */
static unsigned at_side(const vlFluid *fluid, vlBlockPosition p, int side)
{
  int axis = side / 2, last = fluid->grid->n[axis] - 1, first = axis == 0 ? p.bx * VL_BLOCK : axis == 1 ? p.j : p.k;
  int way = (side % 2 ? last : 0) - first; /* cells to go */
  if (!vl_outlet_open(fluid, side) || fluid->grid->n[axis] == 1) return 0u;
  if (axis > 0) return way == 0 ? (1u << VL_BLOCK) - 1u : 0u;
  return way >= 0 && way < VL_BLOCK ? 1u << way : 0u;
}

/* Pa: p_s at the face of a cell. */
static double pressure_at(const vlFluid *fluid, const int cell[3], int side)
{
  const vlOutlet *outlet = &fluid->outlet[side];
  vlVec3 x = vl_grid_center(fluid->grid, cell[0], cell[1], cell[2]);
  x.v[side / 2] += (side % 2 ? 0.5 : -0.5) * fluid->grid->dx;
  double along = vl_dot(outlet->pull, x);
  return vl_norm(outlet->pull) > 0.0 ? fmax(0.0, outlet->pressure + along) : outlet->pressure;
}

static ptrdiff_t face_at(const vlFluid *fluid, vlBlockPosition p, int l, int side)
{
  return vl_blocks_field(fluid->grid, p) + l + (side % 2 ? fluid->grid->stride[side / 2] : 0);
}

unsigned vl_outlets_weigh(const vlFluid *fluid, vlBlockPosition p, unsigned own, double fixed[VL_BLOCK])
{
  unsigned found = 0;
  double dx2 = fluid->grid->dx * fluid->grid->dx;
  for (int side = 0; fluid->outlet && side < 6; side++)
    for (unsigned left = own & at_side(fluid, p, side); left; left &= left - 1u) {
      int l = __builtin_ctz(left);
      double area = fluid->area[side / 2][face_at(fluid, p, l, side)];
      if (!(area > 0.0)) continue;
      fixed[l] += vl_link_weight(area, dx2, THETA);
      found |= 1u << l;
    }
  return found;
}

void vl_outlets_press(const vlFluid *fluid, vlBlockPosition p, unsigned own, double b[VL_BLOCK])
{
  double dx2 = fluid->grid->dx * fluid->grid->dx;
  for (int side = 0; fluid->outlet && side < 6; side++)
    for (unsigned left = own & at_side(fluid, p, side); left; left &= left - 1u) {
      int l = __builtin_ctz(left);
      double area = fluid->area[side / 2][face_at(fluid, p, l, side)];
      b[l] += vl_link_weight(area, dx2, THETA) * pressure_at(fluid, (const int[3]){p.bx * VL_BLOCK + l, p.j, p.k}, side);
    }
}

double vl_outlet_velocity(const vlFluid *fluid, const int cell[3], int side, double p, double u_star, double step)
{
  double beyond = pressure_at(fluid, cell, side), distance = THETA * fluid->grid->dx;
  return side % 2 ? vl_link_velocity(u_star, step, p, beyond, distance)
                  : vl_link_velocity(u_star, step, beyond, p, distance);
}

void vl_outlets_apply(const vlPressure *pressure, const vlFluid *fluid, const double *p, double *const u_star[3],
                      double *const u[3])
{
  double step = pressure->step.dt / pressure->step.rho;
#pragma omp parallel for schedule(static)
  for (int b = 0; b < fluid->wet->count; b++) {
    vlBlockPosition at = fluid->wet->at[b];
    for (int side = 0; side < 6; side++)
      for (unsigned left = pressure->links.active[b] & at_side(fluid, at, side); left; left &= left - 1u) {
        int l = __builtin_ctz(left);
        const int cell[3] = {at.bx * VL_BLOCK + l, at.j, at.k};
        ptrdiff_t f = face_at(fluid, at, l, side), middle = vl_blocks_field(fluid->grid, at) + l;
        bool open = fluid->area[side / 2][f] > 0.0;
        u[side / 2][f] = open ? vl_outlet_velocity(fluid, cell, side, p[middle], u_star[side / 2][f], step) : 0.0;
      }
  }
}
