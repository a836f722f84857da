/* Where grains of surfaces touch each other, walls and bodies apart, and how that rubs.
 *
 * Two of them, x1 of one body and x2 of another, or of its own if they rest apart, with n1.n2 <= 0 and both before each
 * other:
 *
 *     n = (n2 - n1)/|n2 - n1|     (v1 - v2).n >= BIAS max(0, s - (x1 - x2).n)/dt                     [brandt2019, sec. 5]
 *
 * shared by inverse masses and averaged with the weight w = 1 - |x1 - x2|/dx over such partners, w / max(sum w of x1, sum w
 * of x2), so that what they do to each other is equal and opposite; the part with dt only where
 * they lie beside each other by less than s. The printed condition of the paper asks for the other sign. A wall at the
 * distance d with the normal n is a partner that does not yield: (v - w).n >= (s/2 - d)/dt, a part BIAS of that where the
 * grain lies nearer than half its spacing. Of walls, and of pairs of one body that lie beside each other by less than s, the
 * elastic step knows already (vl_touch_walls, solid/reduced_stop.c): what stops a skin alone is lost when the body takes the
 * shape nearest to its grains, and between parts of one body the grid's pressure cannot tell which lies outside; what is
 * left is for pressure that leads into them.
 *
 * Most of what presses two bodies together the grid's pressure p carries, so that the normal force of a grain that touches
 * is N = p s^2, in all what the medium bears of a dry body, and what the above adds. Under liquid its pressure counts as
 * well. Friction at most mu N stops what slides. A grain that is stopped alone would drag its body on little by little in
 * each step, so friction is found for bodies as a whole,
 *
 *     |f_i| <= mu (N_i + l_i)      f_i against the slip of v_i + V + W x r_i
 *     M V = sum (f_i + l_i n_i)      I W = sum r_i x (f_i + l_i n_i)
 *     l_i >= -N_i                    (V + W x r_i).n_i = 0 where l_i > -N_i
 *
 * which shifts what bears it to where friction would press it down, by turns over all contacts, and V, W go to all grains:
 * that bodies are sheared by what rubs at one side of them is left out. Bodies that pins hold now do not yield as a whole.
 * mu is the body's own at walls, the geometric mean of both between bodies, as everywhere (contact/contact_point.c). In:
 * velocities of grains. Out: the same, and the acceleration by contact that the next elastic step knows of. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/vec.h"
#include "engine/immersed/immersed.h"

enum { TURNS = 20 };
static const double LEFT = 0.2; /* of its volume at rest: normals of what is flatter tell little */
static const double BIAS = 0.2, FACING = 0.5, MOST_TIMES = 2.0;

/* Of a grain with its partners, or with a wall. */
struct vlTouch {
  int guest, grain, other; /* the other guest, -1: a wall */
  vlVec3 n, x;             /* to the grain, unit; m */
  vlVec3 w;                /* m/s: of the partner */
  double mu, bears, own;   /* N s: p s^2 dt, and what it was corrected by */
  double bearing, shift;   /* N s: N dt without friction; what friction shifts to it from others */
  vlVec3 f;                /* N s: of friction, on the grain */
};

/* What a grain's partners want of it. */
typedef struct Partners {
  double weight;
  vlVec3 change, n, v; /* m/s: weighted sums of the change, of normals and of their velocities */
  int other;
  double nearest; /* m */
} Partners;

static bool can_face(const vlCone *cone, vlVec3 n)
{
  double c = cone->least;
  return !(c > 0.0) || vl_dot(cone->axis, n) <= sqrt(fmax(0.0, 1.0 - c * c));
}

/* Two grains before each other. */
typedef struct Facing {
  vlVec3 n;                       /* from the second to the first, unit */
  double distance, along, beside; /* m: between them, along n, across it */
  double spacing;                 /* m */
} Facing;

static bool face(const vlImmersed *sim, int s, int i, vlOuterGrain partner, Facing *f)
{
  const vlGrains *a = sim->guest[s].grains, *b = sim->guest[partner.guest].grains;
  double dx = sim->base.grid.dx;
  int j = partner.grain;
  vlVec3 apart = vl_sub(a->x[i], b->x[j]);
  f->distance = vl_norm(apart);
  f->spacing = fmin(a->spacing, b->spacing);
  if (s == partner.guest && (i == j || vl_norm(vl_sub(a->rest[i], b->rest[j])) < 2.0 * dx)) return false;
  if (!(f->distance < dx) || vl_dot(a->normal[i], b->normal[j]) > 0.0) return false;
  if (vl_dot(apart, a->normal[i]) > FACING * f->spacing || vl_dot(apart, b->normal[j]) < -FACING * f->spacing) return false;
  vlVec3 n = vl_sub(b->normal[j], a->normal[i]);
  double length = vl_norm(n);
  if (!(length > 1e-6)) return false;
  f->n = vl_scale(n, 1.0 / length);
  f->along = vl_dot(apart, f->n);
  f->beside = sqrt(fmax(0.0, f->distance * f->distance - f->along * f->along));
  return true;
}

static void look(const vlImmersed *sim, int s, int i, vlOuterGrain partner, double dt, Partners *sum)
{
  const vlGuest *g1 = &sim->guest[s], *g2 = &sim->guest[partner.guest];
  const vlGrains *a = g1->grains, *b = g2->grains;
  double dx = sim->base.grid.dx;
  int j = partner.grain;
  Facing f;
  if (!face(sim, s, i, partner, &f)) return;
  vlVec3 n = f.n;
  double distance = f.distance, least = f.beside < f.spacing ? BIAS * fmax(0.0, f.spacing - f.along) / dt : 0.0;
  double lack = least - vl_dot(vl_sub(g1->v[i], g2->v[j]), n), weight = 1.0 - distance / dx;
  sum->weight += weight;
  sum->n = vl_axpy(sum->n, weight, n);
  sum->v = vl_axpy(sum->v, weight, g2->v[j]);
  if (distance < sum->nearest) {
    sum->nearest = distance;
    sum->other = partner.guest;
  }
  double share = weight / fmax(fmax(g1->weight[i], g2->weight[j]), weight); /* the same for both */
  if (lack > 0.0) sum->change = vl_axpy(sum->change, share * lack * b->mass / (a->mass + b->mass), n);
}

static Partners find_partners(const vlImmersed *sim, int s, int i, const double at[3], double dt)
{
  Partners sum = {.nearest = INFINITY, .other = -1};
  int row[VL_MEET_ROWS][2], rows = vl_meet_around(sim, at, row);
  vlVec3 n = sim->guest[s].grains->normal[i];
  for (int r = 0; r < rows; r++)
    for (int cell = row[r][0]; cell < row[r][1]; cell++) {
      if (sim->first[cell] == sim->first[cell + 1] || !can_face(&sim->cone[cell], n)) continue;
      for (int q = sim->first[cell]; q < sim->first[cell + 1]; q++) look(sim, s, i, sim->outer[q], dt, &sum);
    }
  return sum;
}

/* At a wall: m, from it to the grain; out of it; its velocity. */
typedef struct Wall {
  double away;
  vlVec3 n, v;
} Wall;

/* Walls that a grain at x, cells, may touch: sides of the box, solids and bodies apart. */
static int find_walls(const vlSharp *base, const vlObstacles *obstacles, const double x[3], double reach, Wall wall[4])
{
  const vlGrid *g = &base->grid;
  double slope[3], velocity[3], away = g->dx * vl_obstacle_distance(g, *obstacles, x, slope, velocity);
  vlVec3 out = vl_vec(slope[0], slope[1], slope[2]);
  int count = 0;
  if (away < reach && vl_norm(out) > 0.0)
    wall[count++] = (Wall){away, vl_unit(out), vl_vec(velocity[0], velocity[1], velocity[2])};
  for (int side = 0; side < VL_SIDES && count < 4; side++) {
    int a = side / 2;
    if (g->n[a] == 1 || base->outlet[side].open) continue;
    Wall w = {.away = g->dx * (side % 2 ? g->n[a] - x[a] : x[a]), .n = vl_vec(0, 0, 0), .v = vl_vec(0, 0, 0)};
    w.n.v[a] = side % 2 ? -1.0 : 1.0;
    if (w.away < reach) wall[count++] = w;
  }
  return count;
}

/* A grain in the middle of its room comes no nearer to a wall than half a spacing. */
static double lacks(vlVec3 v, const Wall *wall, double spacing, double dt)
{
  double gap = wall->away - 0.5 * spacing, least = -gap / dt;
  if (gap < 0.0) least *= BIAS;
  return fmax(0.0, least - vl_dot(vl_sub(v, wall->v), wall->n));
}

static double pressure_at(const vlSharp *base, const double x[3])
{
  return fmax(0.0, base->state.p[vl_grid_at(&base->grid, (int)x[0], (int)x[1], (int)x[2])]);
}

/* How many partners a grain has, by their weights, for all of them. */
static void count_partners(vlImmersed *sim, double dt)
{
  const vlGrid *g = &sim->base.grid;
  for (int s = 0; s < sim->guest_count; s++)
    memset(sim->guest[s].weight, 0, (size_t)sim->guest[s].grains->count * sizeof(double));
  for (int s = 0; s < sim->guest_count; s++) {
    vlGuest *guest = &sim->guest[s];
    const vlGrains *grains = guest->grains;
#pragma omp parallel for schedule(dynamic, 64)
    for (int i = 0; i < grains->count; i++) {
      double at[3];
      if (!vl_grain_is_outer(grains, i)) continue;
      for (int a = 0; a < 3; a++) at[a] = fmin(fmax((grains->x[i].v[a] - g->origin.v[a]) / g->dx, 0.0), g->n[a] - 1e-6);
      guest->next[i].x = find_partners(sim, s, i, at, dt).weight;
    }
  }
  for (int s = 0; s < sim->guest_count; s++)
    for (int i = 0; i < sim->guest[s].grains->count; i++)
      if (vl_grain_is_outer(sim->guest[s].grains, i)) sim->guest[s].weight[i] = sim->guest[s].next[i].x;
}

/* Corrects the velocity of a grain -> next; what it touches -> list, of which there are at most VL_TOUCHES. */
static int touch_one(vlImmersed *sim, const vlObstacles *obstacles, int s, int i, double dt, vlTouch list[VL_TOUCHES])
{
  const vlSharp *base = &sim->base;
  const vlGrid *g = &base->grid;
  vlGuest *guest = &sim->guest[s];
  const vlGrains *grains = guest->grains;
  double at[3], spacing = grains->spacing, mu = guest->body->friction;
  for (int a = 0; a < 3; a++) at[a] = fmin(fmax((grains->x[i].v[a] - g->origin.v[a]) / g->dx, 0.0), g->n[a] - 1e-6);
  double bears = pressure_at(base, at) * spacing * spacing * dt; /* N s */
  int count = 0;
  Wall wall[4];
  vlVec3 v = guest->v[i];
  vlTouch t = {.guest = s, .grain = i, .x = grains->x[i], .bears = bears, .f = vl_vec(0, 0, 0)};
  Partners p = find_partners(sim, s, i, at, dt);
  if (p.weight > 0.0) {
    v = vl_add(v, p.change);
    t.other = p.other;
    t.n = vl_unit(p.n);
    t.w = vl_scale(p.v, 1.0 / p.weight);
    t.mu = sqrt(mu * sim->guest[p.other].body->friction);
    t.own = grains->mass * vl_norm(p.change);
    if (p.other > s && p.nearest < 1.5 * spacing && t.mu > 0.0) list[count++] = t;
  }
  int walls = find_walls(base, obstacles, at, 2.0 * spacing, wall);
  for (int k = 0; k < walls; k++) {
    double lack = lacks(v, &wall[k], spacing, dt);
    v = vl_axpy(v, lack, wall[k].n);
    t.other = -1;
    t.n = wall[k].n;
    t.w = wall[k].v;
    t.mu = mu;
    t.own = grains->mass * lack;
    if (wall[k].away < spacing && t.mu > 0.0 && count < VL_TOUCHES) list[count++] = t;
  }
  guest->next[i] = v;
  return count;
}

/* A body as a whole. */
typedef struct Whole {
  vlVec3 center, v, w; /* m; what friction gives it, m/s and 1/s */
  double lightness;    /* 1/kg; 0: it does not yield as a whole */
  vlVec3 push, borne;  /* N s: of the medium; sum of p s^2 n dt over what touches */
  double all, wet;     /* N s: sum of p s^2 dt; part of it beside liquid */
  vlMat3 inverse;      /* of its inertia */
} Whole;

static Whole weigh(const vlGuest *guest)
{
  const vlGrains *g = guest->grains;
  vlLump lump = vl_guest_lump(guest);
  Whole whole = {.center = lump.center, .inverse = lump.inverse};
  if (!g->held && lump.turns) whole.lightness = 1.0 / (g->mass * g->count);
  return whole;
}

static vlVec3 gained(const Whole *b, vlVec3 x) { return vl_add(b->v, vl_cross(b->w, vl_sub(x, b->center))); }

static void give(Whole *b, vlVec3 x, vlVec3 f)
{
  if (!(b->lightness > 0.0)) return;
  b->v = vl_axpy(b->v, b->lightness, f);
  b->w = vl_add(b->w, vl_mat_apply(b->inverse, vl_cross(vl_sub(x, b->center), f)));
}

/* m/s for a newton second at x along t. */
static double yields(const Whole *b, vlVec3 x, vlVec3 t)
{
  vlVec3 turn = vl_cross(vl_sub(x, b->center), t);
  return b->lightness + (b->lightness > 0.0 ? vl_dot(turn, vl_mat_apply(b->inverse, turn)) : 0.0);
}

static void give_both(Whole *own, Whole *other, vlVec3 x, vlVec3 f)
{
  give(own, x, f);
  if (other) give(other, x, vl_scale(f, -1.0));
}

/* What friction does to a body as a whole does not lift it, as long as something bears it there. */
static void bear(vlTouch *t, Whole *own, Whole *other)
{
  double give_way = yields(own, t->x, t->n) + (other ? yields(other, t->x, t->n) : 0.0);
  vlVec3 gain = gained(own, t->x);
  if (other) gain = vl_sub(gain, gained(other, t->x));
  if (!(give_way > 0.0)) return;
  double shift = fmax(t->shift - vl_dot(gain, t->n) / give_way, -t->bearing);
  give_both(own, other, t->x, vl_scale(t->n, shift - t->shift));
  t->shift = shift;
}

static void rub(const vlImmersed *sim, vlTouch *t, Whole *whole)
{
  Whole *own = &whole[t->guest], *other = t->other >= 0 ? &whole[t->other] : NULL;
  bear(t, own, other);
  vlVec3 slip = vl_sub(vl_add(sim->guest[t->guest].next[t->grain], gained(own, t->x)), t->w);
  if (other) slip = vl_sub(slip, gained(other, t->x));
  slip = vl_axpy(slip, -vl_dot(slip, t->n), t->n);
  double speed = vl_norm(slip);
  if (!(speed > 0.0)) return;
  vlVec3 along = vl_scale(slip, 1.0 / speed);
  double give_way = yields(own, t->x, along) + (other ? yields(other, t->x, along) : 0.0);
  if (!(give_way > 0.0)) return;
  vlVec3 f = vl_axpy(t->f, -speed / give_way, along);
  double size = vl_norm(f), most = t->mu * (t->bearing + t->shift);
  if (size > most) f = vl_scale(f, most / size);
  give_both(own, other, t->x, vl_sub(f, t->f));
  t->f = f;
}

/* Whether there is liquid in the cell of x or in one beside it. */
static bool is_wet(const vlSharp *base, vlVec3 x)
{
  const vlParticles *p = base->state.particles;
  int cell[3];
  for (int a = 0; a < 3; a++) cell[a] = (int)((x.v[a] - base->grid.origin.v[a]) / base->grid.dx);
  for (int k = cell[2] - 1; k <= cell[2] + 1; k++)
    for (int j = cell[1] - 1; j <= cell[1] + 1; j++)
      for (int i = cell[0] - 1; i <= cell[0] + 1; i++) {
        if (i < 0 || j < 0 || k < 0 || i >= base->grid.n[0] || j >= base->grid.n[1] || k >= base->grid.n[2]) continue;
        int b = vl_blocks_find(&p->home, i / VL_BLOCK, j, k), at = b * VL_BLOCK + i % VL_BLOCK;
        if (b >= 0 && p->cell_start[at + 1] > p->cell_start[at]) return true;
      }
  return false;
}

static void add_bearing(Whole *b, const vlTouch *t, double sign, bool wet)
{
  b->borne = vl_axpy(b->borne, sign * t->bears, t->n);
  b->all += t->bears;
  b->wet += wet ? t->bears : 0.0;
}

/* By how much the grid's pressure understates what bears a dry body: it is zero at the sides, and told in the middles of
 * cells. All that the medium does to such a body is to bear it. */
static double understated(const Whole *b)
{
  double size = vl_norm(b->borne);
  if (!(size > 0.5 * b->all)) return 1.0;
  double times = fmin(fmax(vl_dot(b->push, b->borne) / (size * size), 1.0), MOST_TIMES);
  return times + (1.0 - times) * b->wet / b->all;
}

static void find_most(vlImmersed *sim, int count, Whole *whole, double dt)
{
  for (int s = 0; s < sim->guest_count; s++) {
    const vlGrains *g = sim->guest[s].grains;
    for (int i = 0; i < g->count; i++) whole[s].push = vl_axpy(whole[s].push, g->mass * dt, g->push[i]);
  }
  for (int c = 0; c < count; c++) {
    const vlTouch *t = &sim->touch[c];
    bool wet = is_wet(&sim->base, t->x);
    add_bearing(&whole[t->guest], t, 1.0, wet);
    if (t->other >= 0) add_bearing(&whole[t->other], t, -1.0, wet);
  }
  for (int c = 0; c < count; c++) {
    vlTouch *t = &sim->touch[c];
    double times = understated(&whole[t->guest]);
    if (t->other >= 0) times = 0.5 * (times + understated(&whole[t->other]));
    t->bearing = times * t->bears + t->own;
  }
}

/* Friction of all that touches; velocities -> next. */
static void rub_all(vlImmersed *sim, int count, Whole *whole, double dt)
{
  find_most(sim, count, whole, dt);
  for (int turn = 0; turn < TURNS; turn++)
    for (int c = 0; c < count; c++) rub(sim, &sim->touch[c], whole);
  for (int c = 0; c < count; c++) {
    const vlTouch *t = &sim->touch[c];
    vlBody *own = sim->guest[t->guest].body, *other = t->other >= 0 ? sim->guest[t->other].body : NULL;
    own->contact_force = vl_axpy(own->contact_force, 1.0 / dt, t->f);
    if (other) other->contact_force = vl_axpy(other->contact_force, -1.0 / dt, t->f);
  }
  for (int s = 0; s < sim->guest_count; s++) {
    vlGuest *guest = &sim->guest[s];
    if (vl_norm(whole[s].v) + vl_norm(whole[s].w) == 0.0) continue;
#pragma omp parallel for schedule(static)
    for (int i = 0; i < guest->grains->count; i++) {
      vlVec3 gain = gained(&whole[s], guest->grains->x[i]);
      guest->next[i] = vl_add(guest->next[i], gain);
      guest->grains->touch[i] = vl_axpy(guest->grains->touch[i], 1.0 / dt, gain);
    }
  }
}

/* The list in the order of guests and grains, whatever thread found what. */
static vlCode touch_all(vlImmersed *sim, double dt, int *count, vlStatus *status)
{
  vlObstacles obstacles = vl_sharp_obstacles(&sim->base);
  size_t most = 1;
  for (int s = 0; s < sim->guest_count; s++) most += (size_t)sim->guest[s].grains->count;
  if (!vl_array_reserve((void **)&sim->touch, &sim->touch_capacity, most * VL_TOUCHES, sizeof *sim->touch))
    return vl_fail_memory(status, most * sizeof *sim->touch, "what grains touch");
  *count = 0;
  count_partners(sim, dt);
  for (int s = 0; s < sim->guest_count; s++) {
    vlGuest *guest = &sim->guest[s];
    const vlGrains *g = guest->grains;
    vlTouch *list = sim->touch + *count; /* gaps are closed afterwards */
#pragma omp parallel for schedule(dynamic, 64)
    for (int i = 0; i < g->count; i++) {
      vlTouch own[VL_TOUCHES];
      g->touch[i] = vl_vec(0, 0, 0);
      guest->next[i] = guest->v[i];
      int found = vl_grain_is_outer(g, i) ? touch_one(sim, &obstacles, s, i, dt, own) : 0;
      for (int k = 0; k < VL_TOUCHES; k++) list[VL_TOUCHES * i + k] = k < found ? own[k] : (vlTouch){.guest = -1};
      g->touch[i] = vl_scale(vl_sub(guest->next[i], guest->v[i]), 1.0 / dt);
    }
    int kept = 0;
    guest->body->contact_force = vl_vec(0, 0, 0);
    for (int i = 0; i < g->count; i++) {
      guest->body->contact_force = vl_axpy(guest->body->contact_force, g->mass, g->touch[i]);
      if (g->against[i] < 0) guest->body->contact_force = vl_add(guest->body->contact_force, g->borne[i]);
    }
    for (int i = 0; i < VL_TOUCHES * g->count; i++)
      if (list[i].guest >= 0) list[kept++] = list[i];
    *count += kept;
  }
  return VL_OK;
}

/* Another part of its own body that a grain may come up against before the wall that leaves it `nearest`. */
static void stop_by_own(const vlImmersed *sim, int s, int i, const double at[3], double dt, double nearest)
{
  vlGrains *g = sim->guest[s].grains;
  int row[VL_MEET_ROWS][2], rows = vl_meet_around(sim, at, row);
  for (int r = 0; r < rows; r++)
    for (int cell = row[r][0]; cell < row[r][1]; cell++) {
      if (sim->first[cell] == sim->first[cell + 1] || !can_face(&sim->cone[cell], g->normal[i])) continue;
      for (int q = sim->first[cell]; q < sim->first[cell + 1]; q++) {
        int j = sim->outer[q].grain;
        Facing f;
        if (sim->outer[q].guest != s || g->dilation[i] < LEFT || g->dilation[j] < LEFT) continue;
        if (!face(sim, s, i, sim->outer[q], &f) || !(f.beside < f.spacing)) continue;
        double gap = f.along - f.spacing, room = gap < 0.0 ? BIAS * gap : gap,
               left = room + dt * vl_dot(vl_sub(g->v[i], g->v[j]), f.n);
        if (left >= nearest) continue;
        nearest = left;
        g->stop[i] = f.n;
        g->room[i] = room;
        g->drag[i] = vl_vec(0, 0, 0);
        g->against[i] = j;
      }
    }
}

/* The wall, or part of its own body, that each grain of a skin may come up against first, for its body's elastic step. */
void vl_touch_walls(vlImmersed *sim, int s, double dt)
{
  const vlSharp *base = &sim->base;
  const vlGrid *g = &base->grid;
  vlObstacles obstacles = vl_sharp_obstacles(base);
  vlGrains *grains = sim->guest[s].grains;
#pragma omp parallel for schedule(dynamic, 64)
  for (int i = 0; i < grains->count; i++) {
    Wall wall[4];
    double at[3], nearest = INFINITY, reach = 2.0 * grains->spacing + 1.5 * dt * vl_norm(grains->v[i]);
    grains->stop[i] = vl_vec(0, 0, 0);
    grains->against[i] = -1;
    if (!vl_grain_is_outer(grains, i)) continue;
    for (int a = 0; a < 3; a++) at[a] = fmin(fmax((grains->x[i].v[a] - g->origin.v[a]) / g->dx, 0.0), g->n[a] - 1e-6);
    int walls = find_walls(base, &obstacles, at, reach, wall);
    for (int k = 0; k < walls; k++) {
      double gap = wall[k].away - 0.5 * grains->spacing,
             room = (gap < 0.0 ? BIAS * gap : gap) - dt * vl_dot(wall[k].v, wall[k].n);
      if (room + dt * vl_dot(grains->v[i], wall[k].n) >= nearest) continue;
      nearest = room + dt * vl_dot(grains->v[i], wall[k].n);
      grains->stop[i] = wall[k].n;
      grains->room[i] = room;
      grains->drag[i] = wall[k].v;
    }
    stop_by_own(sim, s, i, at, dt, nearest);
  }
}

vlCode vl_touch(vlImmersed *sim, double dt, vlStatus *status)
{
  int count = 0;
  sim->step_dt = dt;
  vlCode code = touch_all(sim, dt, &count, status);
  if (!code && count > 0) {
    Whole *whole = calloc((size_t)sim->guest_count, sizeof *whole);
    if (!whole) return vl_fail_memory(status, (size_t)sim->guest_count * sizeof *whole, "bodies that touch");
    for (int s = 0; s < sim->guest_count; s++) whole[s] = weigh(&sim->guest[s]);
    rub_all(sim, count, whole, dt);
    free(whole);
  }
  for (int s = 0; s < sim->guest_count && !code; s++) {
    vlGuest *guest = &sim->guest[s];
    vlVec3 *before = guest->v;
    guest->v = guest->next;
    guest->next = before;
  }
  return code;
}
