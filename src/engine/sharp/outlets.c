/* Outlets: sides of the box that are no walls. The solve has a pressure beyond them (pressure/outlets.c): of air, one that
 * the scene gives, or that of liquid at rest up to a level, rho g (level - y), in the gravity of the step. Particles whose
 * way leads out are taken away. Where the velocity points inwards at liquid, particles come in,
 *
 *     floor(A_f u_f dt / (what one stands for) + r),        r = step golden ratio + hash of the face, less its whole part,
 *
 * (liquid finer than the grid: A_f is what liquid has of the side, and the surface goes on beyond it as it is,)
 * which for an even flow is right to one particle in all, without a memory. In: velocity of the step. Out: particles. */
#include <math.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/status.h"
#include "engine/sharp/sharp.h"

static const double GOLDEN = 0.6180339887498949;
static const double OFF_SIDE = 0.02; /* cells that particles keep from a side */

void vl_outlets_find(vlSharp *sim)
{
  const vlLiquidDef *liquid = &sim->scene->liquid;
  double weight = -liquid->density * vl_sim_gravity(&sim->sim).y;
  sim->outlets = liquid->outlet_count > 0;
  for (int i = 0; i < liquid->outlet_count; i++) {
    const vlOutletDef *def = &liquid->outlets[i];
    vlOutlet *outlet = &sim->outlet[def->side];
    *outlet = (vlOutlet){.open = true, .pressure = def->pressure};
    if (!def->has_level) continue;
    outlet->pressure = weight * def->level;
    outlet->pull = vl_vec(0, -weight, 0);
  }
}

vlCode vl_outlets_prepare(vlSharp *sim, vlCarry *carry, vlStatus *status)
{
  size_t count = sim->state.particles->count + 1;
  if (!sim->outlets) return VL_OK;
  if (!vl_array_reserve((void **)&sim->work.gone, &sim->work.gone_capacity, count, sizeof *sim->work.gone))
    return vl_fail_memory(status, count, "liquid that goes out");
  carry->gone = sim->work.gone;
  for (int side = 0; side < 6; side++) carry->open[side] = sim->outlet[side].open;
  return VL_OK;
}

static void take_away(vlSharp *sim, vlStepInfo *info)
{
  vlParticles *p = sim->state.particles;
  size_t before = p->count;
  for (size_t i = 0; i < before; i++) sim->work.gone[i] = !sim->work.gone[i];
  vl_particles_filter(p, sim->work.gone);
  info->removed += (int64_t)(before - p->count);
}

static bool is_liquid(const vlSharp *sim, const int cell[3])
{
  return sim->work.level.phi[vl_grid_at(&sim->grid, cell[0], cell[1], cell[2])] < 0.0;
}

static double share(uint64_t key, int which) { return vl_random(key * 4u + (uint64_t)which); }

vlCode vl_outlets_let_in(vlSharp *sim, const int cell[3], int side, double dt, int64_t *added, vlStatus *status)
{
  const vlGrid *g = &sim->grid;
  vlParticles *p = sim->state.particles;
  int a = side / 2;
  ptrdiff_t at = vl_grid_at(g, cell[0], cell[1], cell[2]) + (side % 2 ? g->stride[a] : 0);
  double u = (side % 2 ? -1.0 : 1.0) * sim->state.u[a][at], area = sim->work.area[a][at];
  if (!(u > 0.0) || !(area > 0.0) || !is_liquid(sim, cell)) return VL_OK;
  uint64_t place = ((uint64_t)at * 6u + (uint64_t)side) * 0x9e3779b97f4a7c15u;
  double phase = GOLDEN * (double)(sim->state.step % 1000003) + vl_random(place);
  int count = (int)floor(area * u * dt * sim->per_cell / pow(g->dx, 3) + phase - floor(phase));
  vlCode code = vl_particles_reserve(p, p->count + (size_t)count, status);
  for (int q = 0; q < count && !code; q++) {
    uint64_t key = place ^ ((uint64_t)sim->state.step * 8191u + (uint64_t)q) * 0x2545f4914f6cdd1du;
    float x[3], v[3] = {0.0f, 0.0f, 0.0f};
    double depth = fmax(OFF_SIDE, fmin(share(key, a) * u * dt / g->dx, 1.0));
    for (int b = 0; b < 3; b++) x[b] = (float)(g->n[b] == 1 ? 0.5 : cell[b] + share(key, b));
    x[a] = (float)(side % 2 ? cell[a] + 1 - depth : cell[a] + depth);
    for (int b = 0; b < 3; b++) x[b] = fminf(x[b], (float)(g->n[b] - 1e-3)); /* rounding must not leave the grid */
    v[a] = (float)sim->state.u[a][at];
    const double place_of[3] = {(double)x[0], (double)x[1], (double)x[2]};
    bool solid = area < g->dx * g->dx && vl_statics_distance(sim->statics, vl_grid_place(g, place_of)) < OFF_SIDE * g->dx;
    if (solid) continue;
    vl_particles_add(p, x, v);
    ++*added;
  }
  return code;
}

/* Through the faces of all open sides, in the order of the wet blocks. */
static vlCode let_all_in(vlSharp *sim, double dt, int64_t *added, vlStatus *status)
{
  const vlGrid *g = &sim->grid;
  const vlBlocks *wet = &sim->work.wet;
  vlCode code = VL_OK;
  for (int b = 0; b < wet->count; b++)
    for (int side = 0; side < 6; side++) {
      vlBlockPosition p = wet->at[b];
      int a = side / 2, edge = side % 2 ? g->n[a] - 1 : 0;
      if (!sim->outlet[side].open || (a == 1 && p.j != edge) || (a == 2 && p.k != edge)) continue;
      for (int l = 0; l < vl_blocks_width(wet, p) && !code; l++) {
        const int cell[3] = {p.bx * VL_BLOCK + l, p.j, p.k};
        if (cell[a] == edge) code = vl_outlets_let_in(sim, cell, side, dt, added, status);
      }
    }
  return code;
}

vlCode vl_outlets_exchange(vlSharp *sim, double dt, vlStepInfo *info, vlStatus *status)
{
  if (!sim->outlets) return VL_OK;
  int64_t before = info->removed;
  take_away(sim, info);
  int64_t added = 0;
  vlCode code = let_all_in(sim, dt, &added, status);
  info->added += added;
  info->outflow = (double)(info->removed - before - added) * pow(sim->grid.dx, 3) / (sim->per_cell * dt);
  return code;
}
