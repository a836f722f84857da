/* The medium on the grid: one velocity of liquid and bodies [brandt2019, sec. 4].
 *
 * Particles of liquid count 1, grains of a body m and c, their mass and their volume over those of a particle:
 *
 *   M_f = sum w m     u_f = sum w m v / M_f     n_f = sum w c     density rho_f = rho M_f / n_f
 *
 * with trilinear w around the face, so that momentum is kept and a body displaces as much as its grains have room. A cell is
 * full that holds a particle or a grain; the surface is where full cells end, and there the pressure is zero at the middle of
 * the empty cell. Where more lies around a cell than MOST times what it is seeded with, the medium is to expand by a part of
 * that, ALPHA, in the step. */
#include <math.h>
#include <string.h>

#include "base/vec.h"
#include "engine/immersed/immersed.h"

static const double ALPHA = 0.5, MOST = 1.1, CAP = 0.5;
static const double TOUCHED = 1e-9;  /* of a particle: a face with less has no velocity */
static const double ALMOST_0 = 1e-12; /* cells: level of empty cells, so that the surface lies at their middles */

static void load_velocity(vlParticles *p, const vlVec3 *v)
{
  for (size_t i = 0; i < p->count; i++)
    for (int a = 0; a < 3; a++) p->v[a][i] = (float)v[p->id[i]].v[a];
}

/* light = n/M = 1 + sum w (c - m) / M */
static void find_light(vlImmersed *sim)
{
  vlSharp *base = &sim->base;
  const vlBlocks *wet = &base->work.wet;
  double *const *light = base->work.light, *const *mass = base->work.mass;
  vl_transfer_clear(&base->grid, wet, base->work.u, light);
  for (int s = 0; s < sim->guest_count; s++)
    vl_transfer_add(sim->guest[s].points, &base->grid, sim->guest[s].room - sim->guest[s].scale, base->work.u, light);
#pragma omp parallel for schedule(static)
  for (int b = 0; b < wet->count; b++)
    for (int a = 0; a < 3; a++)
      for (int upper = 0; upper < 2; upper++) { /* sides of the domain too */
        ptrdiff_t at = vl_blocks_field(&base->grid, wet->at[b]) + upper * base->grid.stride[a];
        if (upper && a > 0 && (a == 1 ? wet->at[b].j : wet->at[b].k) + 1 < base->grid.n[a]) continue;
        if (upper && a == 0) continue;
        for (int l = 0; l < VL_BLOCK; l++) {
          double m = mass[a][at + l];
          light[a][at + l] = upper || !(m > TOUCHED) ? 1.0 : (m + light[a][at + l]) / m;
        }
      }
}

void vl_medium_to_grid(vlImmersed *sim)
{
  vlSharp *base = &sim->base;
  vlWork *work = &base->work;
  const vlGrid *g = &base->grid;
  vl_transfer_clear(g, &work->wet, base->state.u_old, work->mass);
  vl_transfer_add(base->state.particles, g, 1.0, base->state.u_old, work->mass);
  for (int s = 0; s < sim->guest_count; s++) {
    load_velocity(sim->guest[s].points, sim->guest[s].grains->v);
    vl_transfer_add(sim->guest[s].points, g, sim->guest[s].scale, base->state.u_old, work->mass);
  }
  vl_transfer_divide(g, &work->wet, base->state.u_old, work->mass, &work->touched);
  for (int a = 0; a < 3; a++)
    memcpy(work->known.bits[a], work->touched.bits[a], (size_t)work->wet.count * sizeof *work->known.bits[a]);
  vl_extrapolate(g, &work->wet, base->state.u_old, &work->known, &work->scratch, vl_motion_reach(base));
  if (sim->guest_count > 0) find_light(sim);
}

/* Bits of the cells of a block that hold any. */
static unsigned held_by(const vlParticles *p, vlBlockPosition at)
{
  int block = vl_blocks_find(&p->home, at.bx, at.j, at.k);
  unsigned bits = 0;
  if (block < 0) return 0;
  const int *start = p->cell_start + (ptrdiff_t)block * VL_BLOCK;
  for (int l = 0; l < VL_BLOCK; l++) bits |= (unsigned)(start[l + 1] > start[l]) << l;
  return bits;
}

void vl_medium_fill(vlImmersed *sim)
{
  vlSharp *base = &sim->base;
  const vlBlocks *wet = &base->work.wet;
  double *phi = base->work.level.phi, dx = base->grid.dx;
#pragma omp parallel for schedule(static)
  for (int b = 0; b < wet->count; b++) {
    ptrdiff_t at = vl_blocks_field(&base->grid, wet->at[b]);
    unsigned full = held_by(base->state.particles, wet->at[b]);
    for (int s = 0; s < sim->guest_count; s++) full |= held_by(sim->guest[s].points, wet->at[b]);
    for (int l = 0; l < vl_blocks_width(wet, wet->at[b]); l++) phi[at + l] = full >> l & 1u ? -dx : ALMOST_0 * dx;
  }
  base->work.shows = false;
}

/* Particles around a cell, from the n_f of its six faces. */
static double around(const vlSharp *base, ptrdiff_t at)
{
  double sum = 0.0, parts = 0.0;
  for (int a = 0; a < 3; a++) {
    if (base->grid.n[a] == 1) continue;
    for (int upper = 0; upper < 2; upper++) {
      ptrdiff_t f = at + upper * base->grid.stride[a];
      sum += base->work.mass[a][f] * (base->guest_count > 0 ? base->work.light[a][f] : 1.0);
      parts += 1.0;
    }
  }
  return sum / parts;
}

double vl_medium_excess(vlImmersed *sim, double dt)
{
  vlSharp *base = &sim->base;
  const vlBlocks *wet = &base->work.wet;
  double most = 0.0, rest = base->per_cell;
#pragma omp parallel for schedule(static) reduction(max : most)
  for (int b = 0; b < wet->count; b++) {
    ptrdiff_t at = vl_blocks_field(&base->grid, wet->at[b]);
    for (int l = 0; l < vl_blocks_width(wet, wet->at[b]); l++) {
      double swell = 0.0;
      if (base->work.level.phi[at + l] < 0.0) {
        double excess = around(base, at + l) / rest - MOST;
        if (excess > 0.0) swell = fmin(ALPHA * excess, CAP) / dt;
      }
      base->work.swell[at + l] = swell;
      most = fmax(most, swell);
    }
  }
  return most;
}

/* Sides of the domain stay what they are. */
void vl_medium_push(vlImmersed *sim, double *const u[3])
{
  vlSharp *base = &sim->base;
  const vlGrid *g = &base->grid;
  const vlBlocks *wet = &base->work.wet;
  double *const *gain = base->work.path; /* nothing else uses it here */
  vl_transfer_clear(g, wet, gain, base->work.spare);
  for (int s = 0; s < sim->guest_count; s++) {
    load_velocity(sim->guest[s].points, sim->guest[s].v);
    vl_transfer_add(sim->guest[s].points, g, sim->guest[s].scale, gain, base->work.spare);
  }
#pragma omp parallel for schedule(static)
  for (int b = 0; b < wet->count; b++) {
    ptrdiff_t at = vl_blocks_field(g, wet->at[b]);
    for (int a = 0; a < 3; a++) {
      int place = a == 0 ? wet->at[b].bx * VL_BLOCK : a == 1 ? wet->at[b].j : wet->at[b].k;
      for (int l = 0; l < vl_blocks_width(wet, wet->at[b]); l++)
        if (place + (a == 0 ? l : 0) > 0 && base->work.mass[a][at + l] > TOUCHED)
          u[a][at + l] += gain[a][at + l] / base->work.mass[a][at + l];
    }
  }
}
