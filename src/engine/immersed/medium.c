/* The medium on the grid: one velocity of liquid and bodies [brandt2019, sec. 4].
 *
 * Particles of liquid count 1, grains of a body m and c, their mass and their volume over those of a particle:
 *
 *   M_f = sum w m     u_f = sum w m v / M_f     n_f = sum w c     density rho_f = rho M_f / n_f
 *
 * with trilinear w around the face, so that momentum is kept and a body displaces as much as its grains have room. The mean
 * of n_f around a cell, over what it is seeded with, is how full it is, F, and its level set (1/2 - F) dx: the surface,
 * where the pressure is zero, lies where the medium is half as dense. So spray of few particles flies, and a cell inside
 * that happens to be empty is no hole. [brandt2019] takes every cell with a particle for full and the pressure for zero in
 * the middle of the next one, which puts the surface up to a cell too high. Where F exceeds MOST, the medium is to expand by
 * a part of that, ALPHA, in the step. Bodies know exactly what they lack of their volume, and get a part of that back,
 * REGAIN: the grid has nothing else to tell it, for it takes what elasticity wants there for a motion that pressure must
 * stop.
 *
 * Liquid takes beyond its surface what flows below it. Grains of a skin do not: their faces lie half outside, with a
 * velocity that is their own, and to take the one from below would brake whatever turns. They keep it, and what is
 * continued beyond the surface for them is what the pressure changed, u - u*. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/vec.h"
#include "engine/immersed/immersed.h"

static const double REGAIN = 0.5; /* of what bodies lack of their volume, in a step */
static const double ALPHA = 0.5, MOST = 1.1, CAP = 0.5;
static const double TOUCHED = 1e-9;    /* of a particle: a face with less has no velocity */
enum { BEYOND = 2 };                   /* cells beyond the medium that forces and pressure look at */
static const double LEAST_OPEN = 0.25; /* of a cell: less of it counts as so much */

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
  vl_extrapolate(g, &work->wet, base->state.u_old, &work->known, &work->scratch, BEYOND);
  if (sim->guest_count > 0) find_light(sim);
}

/* How full a cell is, 1 where liquid or bodies are as dense as seeded: the mean of n_f over its faces inside the domain,
 * over what its open part has room for. */
static double filled(const vlSharp *base, vlBlockPosition p, int l)
{
  static const double CUT = 0.125; /* of the weights around a face, by a side of the domain along it */
  const vlGrid *g = &base->grid;
  ptrdiff_t at = vl_blocks_field(g, p) + l;
  const int cell[3] = {p.bx * VL_BLOCK + l, p.j, p.k};
  double sum = 0.0, faces = 0.0, kept[3];
  for (int a = 0; a < 3; a++) kept[a] = g->n[a] > 1 ? 1.0 - CUT * (cell[a] == 0) - CUT * (cell[a] == g->n[a] - 1) : 1.0;
  for (int a = 0; a < 3; a++)
    for (int upper = 0; upper < 2 && g->n[a] > 1; upper++) {
      ptrdiff_t f = at + upper * g->stride[a];
      if (cell[a] == (upper ? g->n[a] - 1 : 0) || !(base->work.area[a][f] > 0.0)) continue;
      sum += base->work.mass[a][f] * (base->guest_count > 0 ? base->work.light[a][f] : 1.0);
      faces += kept[(a + 1) % 3] * kept[(a + 2) % 3];
    }
  return faces > 0.0 ? sum / (faces * base->per_cell * fmax(base->work.open[at], LEAST_OPEN)) : 0.0;
}

void vl_medium_fill(vlImmersed *sim)
{
  vlSharp *base = &sim->base;
  const vlBlocks *wet = &base->work.wet;
#pragma omp parallel for schedule(static)
  for (int b = 0; b < wet->count; b++) {
    ptrdiff_t at = vl_blocks_field(&base->grid, wet->at[b]);
    for (int l = 0; l < vl_blocks_width(wet, wet->at[b]); l++) {
      base->work.full[at + l] = filled(base, wet->at[b], l);
      base->work.level.phi[at + l] = (0.5 - base->work.full[at + l]) * base->grid.dx;
    }
  }
  base->work.shows = false;
}

/* Adds what bodies lack of their volume in each cell. */
static void ask_for_volume(vlImmersed *sim, const vlGuest *guest, double dt)
{
  vlSharp *base = &sim->base;
  const vlParticles *p = guest->points;
  const vlBlocks *home = &p->home;
#pragma omp parallel for schedule(static)
  for (int b = 0; b < home->count; b++) {
    ptrdiff_t at = vl_blocks_field(&base->grid, home->at[b]);
    for (int l = 0; l < VL_BLOCK; l++) {
      double lack = 0.0;
      for (int i = p->cell_start[b * VL_BLOCK + l]; i < p->cell_start[b * VL_BLOCK + l + 1]; i++)
        lack += 1.0 - guest->grains->dilation[p->id[i]];
      lack *= guest->room / base->per_cell;
      base->work.swell[at + l] += fmax(-CAP, fmin(REGAIN * lack, CAP)) / dt;
    }
  }
}

double vl_medium_excess(vlImmersed *sim, double dt)
{
  vlSharp *base = &sim->base;
  const vlBlocks *wet = &base->work.wet;
  double most = sim->guest_count > 0 ? CAP / dt : 0.0;
#pragma omp parallel for schedule(static) reduction(max : most)
  for (int b = 0; b < wet->count; b++) {
    ptrdiff_t at = vl_blocks_field(&base->grid, wet->at[b]);
    for (int l = 0; l < vl_blocks_width(wet, wet->at[b]); l++) {
      double excess = base->work.full[at + l] - MOST, swell = excess > 0.0 ? fmin(ALPHA * excess, CAP) / dt : 0.0;
      base->work.swell[at + l] = swell * base->work.open[at + l];
      most = fmax(most, swell);
    }
  }
  for (int s = 0; s < sim->guest_count; s++) ask_for_volume(sim, &sim->guest[s], dt);
  return most;
}

/* The blocks that a guest's grains write to, a byte for each of `wet`. */
static void mark_guest(vlImmersed *sim, const vlGuest *guest)
{
  const vlBlocks *wet = &sim->base.work.wet, *home = &guest->points->home;
  memset(sim->of_guest, 0, (size_t)wet->count);
  for (int q = 0; q < home->count; q++)
    for (int k = -1; k <= 1; k++)
      for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++) {
          int b = vl_blocks_find(wet, home->at[q].bx + i, home->at[q].j + j, home->at[q].k + k);
          if (b >= 0) sim->of_guest[b] = 1;
        }
}

/* Sides of the box carry what comes to them. */
static void open_side(const vlGrid *g, int a, const int cell[3], ptrdiff_t at, double *u)
{
  if (cell[a] == 0) u[at] = u[at + g->stride[a]];
  if (cell[a] == g->n[a] - 1) u[at + g->stride[a]] = u[at];
}

static void push_block(const vlImmersed *sim, vlBlockPosition p, double *const u[3])
{
  const vlWork *work = &sim->base.work;
  const vlGrid *g = &sim->base.grid;
  ptrdiff_t at = vl_blocks_field(g, p);
  for (int a = 0; a < 3; a++)
    for (int l = 0; l < vl_blocks_width(&work->wet, p) && g->n[a] > 1; l++) {
      const int cell[3] = {p.bx * VL_BLOCK + l, p.j, p.k};
      double own = work->spare[a][at + l], all = work->mass[a][at + l], *gain = work->path[a] + at + l;
      if (cell[a] > 0 && all > TOUCHED) u[a][at + l] += *gain / all;
      *gain = own > 0.0 ? *gain / own : 0.0;
    }
}

vlCode vl_medium_push(vlImmersed *sim, int s, double *const u[3], vlStatus *status)
{
  const vlGuest *guest = &sim->guest[s];
  const vlGrid *g = &sim->base.grid;
  const vlWork *work = &sim->base.work;
  const vlBlocks *wet = &work->wet;
  if (!vl_array_reserve((void **)&sim->of_guest, &sim->of_guest_capacity, (size_t)wet->count + 1, 1))
    return vl_fail_memory(status, (size_t)wet->count, "where grains are");
  mark_guest(sim, guest);
#pragma omp parallel for schedule(static)
  for (int b = 0; b < wet->count; b++)
    for (int a = 0; a < 3 && sim->of_guest[b]; a++) {
      memset(work->path[a] + vl_blocks_field(g, wet->at[b]), 0, VL_BLOCK * sizeof(double));
      memset(work->spare[a] + vl_blocks_field(g, wet->at[b]), 0, VL_BLOCK * sizeof(double));
    }
  load_velocity(guest->points, guest->v);
  vl_transfer_add(guest->points, g, guest->scale, work->path, work->spare);
#pragma omp parallel for schedule(static)
  for (int b = 0; b < wet->count; b++)
    if (sim->of_guest[b]) push_block(sim, wet->at[b], u);
#pragma omp parallel for schedule(static)
  for (int b = 0; b < wet->count; b++)
    for (int a = 0; a < 3 && sim->of_guest[b]; a++)
      for (int l = 0; l < vl_blocks_width(wet, wet->at[b]) && g->n[a] > 1; l++) {
        const int cell[3] = {wet->at[b].bx * VL_BLOCK + l, wet->at[b].j, wet->at[b].k};
        open_side(g, a, cell, vl_blocks_field(g, wet->at[b]) + l, work->path[a]);
      }
  return VL_OK;
}

static void copy_field(const vlSharp *base, double *const from[3], double *const to[3])
{
  const vlBlocks *wet = &base->work.wet;
#pragma omp parallel for schedule(static)
  for (int b = 0; b < wet->count; b++)
    for (int a = 0; a < 3; a++)
      for (int upper = 0; upper < 2; upper++) {
        ptrdiff_t at = vl_blocks_field(&base->grid, wet->at[b]) + upper * base->grid.stride[a];
        memcpy(to[a] + at, from[a] + at, VL_BLOCK * sizeof(double));
      }
}

/* to += sign from; sides of the box aside, which follow from what lies beside them */
static void add_field(const vlSharp *base, double sign, double *const from[3], double *const to[3])
{
  const vlBlocks *wet = &base->work.wet;
#pragma omp parallel for schedule(static)
  for (int b = 0; b < wet->count; b++)
    for (int a = 0; a < 3; a++) {
      ptrdiff_t at = vl_blocks_field(&base->grid, wet->at[b]);
      for (int l = 0; l < VL_BLOCK; l++) to[a][at + l] += sign * from[a][at + l];
    }
}

void vl_medium_keep(vlImmersed *sim) { copy_field(&sim->base, sim->base.work.u, sim->base.work.path); }

vlCode vl_medium_kick(vlImmersed *sim, vlStatus *status)
{
  vlSharp *base = &sim->base;
  double *const *kick = base->work.spare, *const *u = base->work.path;
  copy_field(base, base->state.u, kick);
  add_field(base, -1.0, u, kick);
  vl_motion_extend_kick(base, kick);
  add_field(base, 1.0, kick, u);
  return vl_motion_extend_touched(base, u, status);
}
