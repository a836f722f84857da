/* Where liquid meets bodies in the medium, and these each other [brandt2019, sec. 5].
 *
 * Grains within a spacing s of a surface have a normal n. One of them at x2 stops
 *   liquid at x     nearer than a spacing or its way in the step, which goes inwards against it: v += ((v2 - v).n) n
 *   another body's grain at x1 (or its own, if they rest apart), with n1.n2 <= 0 and both before each other:
 *       n = (n2 - n1)/|n2 - n1|     (v1 - v2).n >= BIAS max(0, s - (x1 - x2).n)/dt
 *   shared by inverse masses and averaged over all such partners with the weight 1 - |x1 - x2|/dx; the part with dt only
 *   where they lie beside each other by less than s. The printed condition of the paper asks for the other sign.
 *
 * Grains of surfaces are listed by the cell of the wet blocks that they lie in; `beside` tells at once where there is
 * nothing to look for. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/vec.h"
#include "engine/immersed/immersed.h"

static const double BIAS = 0.2, FACING = 0.5;

static bool outer(const vlGrains *g, int i) { return vl_dot(g->normal[i], g->normal[i]) > 0.0; }

static int wet_cell(const vlSharp *base, const vlParticles *p, size_t i)
{
  int cell[3] = {(int)p->x[0][i], (int)p->x[1][i], (int)p->x[2][i]};
  int b = vl_blocks_find(&base->work.wet, cell[0] / VL_BLOCK, cell[1], cell[2]);
  return b < 0 ? -1 : b * VL_BLOCK + cell[0] % VL_BLOCK;
}

/* Marks a cell and its neighbours. */
static void mark_beside(vlImmersed *sim, int cell)
{
  const vlBlocks *wet = &sim->base.work.wet;
  vlBlockPosition p = wet->at[cell / VL_BLOCK];
  int i = p.bx * VL_BLOCK + cell % VL_BLOCK;
  for (int k = p.k - 1; k <= p.k + 1; k++)
    for (int j = p.j - 1; j <= p.j + 1; j++)
      for (int c = i - 1; c <= i + 1; c++) {
        if (c < 0 || j < 0 || k < 0 || c >= wet->n[0] || j >= wet->n[1] || k >= wet->n[2]) continue;
        int b = vl_blocks_find(wet, c / VL_BLOCK, j, k);
        if (b >= 0) sim->beside[b] |= (unsigned short)(1u << c % VL_BLOCK);
      }
}

/* Counts the grains of each cell, or puts them there, in the order of guests and of their cells. */
static void pass_grains(vlImmersed *sim, bool put)
{
  for (int s = 0; s < sim->guest_count; s++) {
    const vlParticles *p = sim->guest[s].points;
    for (size_t i = 0; i < p->count; i++) {
      int cell = outer(sim->guest[s].grains, (int)p->id[i]) ? wet_cell(&sim->base, p, i) : -1;
      if (cell < 0) continue;
      if (put) {
        sim->outer[sim->first[cell + 1]++] = (vlOuterGrain){s, (int)p->id[i]};
      } else {
        if (sim->first[cell + 2]++ == 0) mark_beside(sim, cell);
      }
    }
  }
}

/* first is kept a place up while the grains are put. */
vlCode vl_meet_find(vlImmersed *sim, vlStatus *status)
{
  size_t most = 1, blocks = (size_t)sim->base.work.wet.count + 1, cells = blocks * VL_BLOCK + 2;
  for (int s = 0; s < sim->guest_count; s++) most += (size_t)sim->guest[s].grains->count;
  bool room = vl_array_reserve((void **)&sim->outer, &sim->outer_capacity, most, sizeof *sim->outer) &&
              vl_array_reserve((void **)&sim->first, &sim->first_capacity, cells, sizeof *sim->first) &&
              vl_array_reserve((void **)&sim->beside, &sim->beside_capacity, blocks, sizeof *sim->beside);
  if (!room) return vl_fail_memory(status, most * sizeof *sim->outer, "grains of surfaces");
  memset(sim->beside, 0, blocks * sizeof *sim->beside);
  memset(sim->first, 0, cells * sizeof *sim->first);
  pass_grains(sim, false);
  for (size_t c = 2; c < cells; c++) sim->first[c] += sim->first[c - 1];
  pass_grains(sim, true);
  return VL_OK;
}

void vl_meet_clear(vlImmersed *sim)
{
  free(sim->outer);
  free(sim->first);
  free(sim->beside);
  free(sim->of_guest);
}

typedef void Visit(void *data, const vlImmersed *sim, vlOuterGrain other);

/* All grains of surfaces in the cells around x, cells. */
static inline void visit_around(const vlImmersed *sim, const double x[3], Visit *visit, void *data)
{
  const vlBlocks *wet = &sim->base.work.wet;
  int i = (int)x[0], j0 = (int)x[1] - 1, k0 = (int)x[2] - 1, lo = i > 0 ? i - 1 : 0, hi = i + 1 < wet->n[0] ? i + 1 : i;
  for (int k = k0 < 0 ? 0 : k0; k <= k0 + 2 && k < wet->n[2]; k++)
    for (int j = j0 < 0 ? 0 : j0; j <= j0 + 2 && j < wet->n[1]; j++)
      for (int from = lo, to; from <= hi; from = to) { /* cells of one block */
        int b = vl_blocks_find(wet, from / VL_BLOCK, j, k), end = (from / VL_BLOCK + 1) * VL_BLOCK;
        to = hi + 1 < end ? hi + 1 : end;
        if (b < 0) continue;
        int cell = b * VL_BLOCK + from % VL_BLOCK;
        for (int q = sim->first[cell]; q < sim->first[cell + to - from]; q++) visit(data, sim, sim->outer[q]);
      }
}

/* The grain nearest to a place. */
typedef struct Nearest {
  vlVec3 x; /* m */
  double square;
  vlOuterGrain grain;
} Nearest;

static void look_nearest(void *data, const vlImmersed *sim, vlOuterGrain other)
{
  Nearest *n = data;
  vlVec3 d = vl_sub(sim->guest[other.guest].grains->x[other.grain], n->x);
  double square = vl_dot(d, d);
  if (square < n->square) {
    n->square = square;
    n->grain = other;
  }
}

static bool is_beside(const vlImmersed *sim, const double x[3])
{
  const vlBlocks *wet = &sim->base.work.wet;
  for (int a = 0; a < 3; a++)
    if (!(x[a] >= 0.0 && x[a] < wet->n[a])) return false;
  int b = vl_blocks_find(wet, (int)x[0] / VL_BLOCK, (int)x[1], (int)x[2]);
  return b >= 0 && sim->beside[b] >> (int)x[0] % VL_BLOCK & 1u;
}

/* Takes out of v what leads into the body at the nearest grain. */
static void turn(const vlImmersed *sim, const Nearest *n, double v[3])
{
  const vlGuest *guest = &sim->guest[n->grain.guest];
  vlVec3 own = vl_vec(v[0], v[1], v[2]), normal = guest->grains->normal[n->grain.grain];
  double reach = fmin(sim->base.grid.dx, fmax(guest->grains->spacing, vl_norm(own) * sim->step_dt));
  double into = vl_dot(vl_sub(guest->v[n->grain.grain], own), normal);
  if (n->square > reach * reach || into <= 0.0) return;
  for (int a = 0; a < 3; a++) v[a] += into * normal.v[a];
}

void vl_meet_deflect(const void *data, const double x[3], double v[3], double w[3])
{
  const vlImmersed *sim = data;
  const vlGrid *g = &sim->base.grid;
  if (!is_beside(sim, x)) return;
  Nearest n = {.x = vl_grid_place(g, x), .square = g->dx * g->dx};
  visit_around(sim, x, look_nearest, &n);
  if (!(n.square < g->dx * g->dx)) return;
  turn(sim, &n, v);
  if (w) turn(sim, &n, w);
}

/* What a grain's partners want of it. */
typedef struct Touch {
  int guest, grain;
  double dt, dx, weight;
  vlVec3 change; /* m/s: weighted sum */
} Touch;

static void look_touch(void *data, const vlImmersed *sim, vlOuterGrain other)
{
  Touch *t = data;
  const vlGuest *g1 = &sim->guest[t->guest], *g2 = &sim->guest[other.guest];
  const vlGrains *a = g1->grains, *b = g2->grains;
  int i = t->grain, j = other.grain;
  vlVec3 apart = vl_sub(a->x[i], b->x[j]);
  double distance = vl_norm(apart), s = fmin(a->spacing, b->spacing);
  if (t->guest == other.guest && (i == j || vl_norm(vl_sub(a->rest[i], b->rest[j])) < 2.0 * t->dx)) return;
  if (!(distance < t->dx) || vl_dot(a->normal[i], b->normal[j]) > 0.0) return;
  if (vl_dot(apart, a->normal[i]) > FACING * s || vl_dot(apart, b->normal[j]) < -FACING * s) return;
  vlVec3 n = vl_sub(b->normal[j], a->normal[i]);
  double length = vl_norm(n);
  if (!(length > 1e-6)) return;
  n = vl_scale(n, 1.0 / length);
  double along = vl_dot(apart, n), beside = sqrt(fmax(0.0, distance * distance - along * along));
  double least = beside < s ? BIAS * fmax(0.0, s - along) / t->dt : 0.0;
  double lack = least - vl_dot(vl_sub(g1->v[i], g2->v[j]), n), weight = 1.0 - distance / t->dx;
  t->weight += weight;
  if (lack <= 0.0) return;
  double share = b->mass / (a->mass + b->mass);
  t->change = vl_axpy(t->change, weight * share * lack, n);
}

/* At a wall: m, from it to the grain; out of it; its velocity. */
typedef struct Wall {
  double away;
  vlVec3 n, v;
} Wall;

/* A grain in the middle of its room comes no nearer to a wall than half a spacing. */
static vlVec3 held_off(vlVec3 v, const Wall *wall, double s, double dt)
{
  double gap = wall->away - 0.5 * s, least = -gap / dt;
  if (gap < 0.0) least *= BIAS;
  double lack = least - vl_dot(vl_sub(v, wall->v), wall->n);
  return lack > 0.0 ? vl_axpy(v, lack, wall->n) : v;
}

/* Keeps v, of a grain at x, cells, from sides of the box, solids and bodies apart. */
static vlVec3 keep_off_walls(const vlSharp *base, const vlObstacles *obstacles, const double x[3], double s, double dt,
                             vlVec3 v)
{
  const vlGrid *g = &base->grid;
  Wall wall = {.v = vl_vec(0, 0, 0)};
  double slope[3], velocity[3];
  wall.away = g->dx * vl_obstacle_distance(g, *obstacles, x, slope, velocity);
  if (wall.away < 2.0 * s) {
    wall.n = vl_unit(vl_vec(slope[0], slope[1], slope[2]));
    wall.v = vl_vec(velocity[0], velocity[1], velocity[2]);
    v = held_off(v, &wall, s, dt);
  }
  for (int side = 0; side < VL_SIDES; side++) {
    int a = side / 2;
    if (g->n[a] == 1 || base->outlet[side].open) continue;
    wall = (Wall){.away = g->dx * (side % 2 ? g->n[a] - x[a] : x[a]), .n = vl_vec(0, 0, 0), .v = vl_vec(0, 0, 0)};
    wall.n.v[a] = side % 2 ? -1.0 : 1.0;
    if (wall.away < 2.0 * s) v = held_off(v, &wall, s, dt);
  }
  return v;
}

vlCode vl_meet_touch(vlImmersed *sim, double dt, vlStatus *status)
{
  const vlGrid *g = &sim->base.grid;
  vlCode code = vl_meet_find(sim, status);
  vlObstacles obstacles = vl_sharp_obstacles(&sim->base);
  sim->step_dt = dt;
  for (int s = 0; s < sim->guest_count && !code; s++) {
    vlGuest *guest = &sim->guest[s];
#pragma omp parallel for schedule(dynamic, 64)
    for (int i = 0; i < guest->grains->count; i++) {
      guest->next[i] = guest->v[i];
      if (!outer(guest->grains, i)) continue;
      Touch t = {.guest = s, .grain = i, .dt = dt, .dx = g->dx};
      double at[3];
      for (int a = 0; a < 3; a++)
        at[a] = fmin(fmax((guest->grains->x[i].v[a] - g->origin.v[a]) / g->dx, 0.0), g->n[a] - 1e-6);
      visit_around(sim, at, look_touch, &t);
      if (t.weight > 0.0) guest->next[i] = vl_axpy(guest->v[i], 1.0 / t.weight, t.change);
      guest->next[i] = keep_off_walls(&sim->base, &obstacles, at, guest->grains->spacing, dt, guest->next[i]);
      guest->grains->push[i] = vl_axpy(guest->grains->push[i], 1.0 / dt, vl_sub(guest->next[i], guest->v[i]));
    }
  }
  for (int s = 0; s < sim->guest_count && !code; s++) {
    vlVec3 *before = sim->guest[s].v;
    sim->guest[s].v = sim->guest[s].next;
    sim->guest[s].next = before;
  }
  return code;
}
