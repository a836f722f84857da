/* Walls that a reduced body comes up against in its elastic step.
 *
 * Grains i near a wall of the normal n_i may go towards it by room_i in the step, along it they rub:
 *
 *     n_i.(v_i - w_i) dt >= -room_i     f_i.n_i >= 0     |f_i along it| <= mu f_i.n_i, against its slip
 *
 * w_i, the wall's velocity, is in room_i along n_i already. Another part of the same body is a wall that yields: v_i is less
 * the velocity of the grain that stands for it, which gets -f_i. The forces belong to the step itself, A (q - y) = elastic
 * forces
 * + P^T f: what is far from the wall hears of it as fast as a wave comes there, and friction turns the body as it must. Were
 * they left to the medium, its pressure would stop the skin within one step and the rest of the body would crush it.
 *
 * f is found by steps along what is lacking, over the largest compliance, put back into the cone, with Nesterov's momentum,
 * begun from the last step's. How much grains give way is, with R the turns of a rigid body and M its inertia,
 *
 *     P (R + (1 - R M) A^-1 (1 - M R)) P^T
 *
 * for A^-1 alone resists turns as a whole, which the step does not. In: rates with elasticity, stop, room, drag. Out: the
 * rates with walls, borne. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "solid/reduced_parts.h"

enum { ROUNDS = 20, POWER = 6 };
static const double SPARE = 1.2; /* over the largest compliance that was found */

typedef struct Stops {
  int count, all;
  int *grain;                       /* those that are stopped, then own ones that they are stopped by [all] */
  int *by;                          /* of each: where in `grain` the own one is, -1: a wall stops it [count] */
  vlVec3 *lack;                     /* m: what it goes too far in the step [count] */
  vlVec3 *push, *aim;               /* N [count] */
  vlVec3 *moved;                    /* m: by the forces, against what stops it [count] */
  vlVec3 *each;                     /* of all of `grain`: forces, or ways [all] */
  double (*force)[4], (*answer)[4]; /* in the subspace */
  double (*turned[3])[4], (*turned_inertia[3])[4]; /* turns by one about each axis; M of them */
  bool turns;                                      /* as a whole */
  vlMat3 inverse;                                  /* of the moments of inertia, in units of M */
} Stops;

static void clear(Stops *s)
{
  void *all[] = {s->grain, s->by, s->lack, s->push, s->aim, s->moved, s->each, s->force};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

static bool is_stopped(const vlGrains *g, int p) { return vl_dot(g->stop[p], g->stop[p]) > 0.0; }

static vlCode create(Stops *s, const vlReduced *b, int count, vlStatus *status)
{
  size_t most = (size_t)count, n = (size_t)b->size;
  *s = (Stops){.grain = malloc(2 * most * sizeof *s->grain),
               .by = malloc(most * sizeof *s->by),
               .lack = calloc(most, sizeof *s->lack),
               .push = calloc(most, sizeof *s->push),
               .aim = calloc(most, sizeof *s->aim),
               .moved = calloc(most, sizeof *s->moved),
               .each = calloc(2 * most, sizeof *s->each),
               .force = calloc(8 * n, sizeof *s->force)};
  if (!s->grain || !s->by || !s->lack || !s->push || !s->aim || !s->moved || !s->each || !s->force)
    return vl_fail_memory(status, most * 6 * sizeof(vlVec3), "what stops a body");
  s->answer = s->force + n;
  for (int a = 0; a < 3; a++) {
    s->turned[a] = s->force + (size_t)(2 + a) * n;
    s->turned_inertia[a] = s->force + (size_t)(5 + a) * n;
  }
  for (int p = 0; p < b->grains.count; p++)
    if (is_stopped(&b->grains, p)) s->grain[s->count++] = p;
  s->all = s->count;
  for (int k = 0; k < s->count; k++) {
    int other = b->grains.against[s->grain[k]];
    s->by[k] = other >= 0 ? s->all : -1;
    if (other >= 0) s->grain[s->all++] = other;
  }
  return VL_OK;
}

/* P^T f, with what own grains are pushed back with. */
static void collect(const vlReduced *b, Stops *s, const vlVec3 *push, double (*force)[4])
{
  for (int k = 0; k < s->count; k++) {
    s->each[k] = push[k];
    if (s->by[k] >= 0) s->each[s->by[k]] = vl_scale(push[k], -1.0);
  }
  vl_reduced_collect_some(b, s->grain, s->all, s->each, force);
}

/* P q against own grains that stop others -> moved. */
static void spread(const vlReduced *b, Stops *s, const double (*q)[4])
{
  vl_reduced_spread_some(b, s->grain, s->all, q, s->each);
  for (int k = 0; k < s->count; k++) s->moved[k] = s->by[k] >= 0 ? vl_sub(s->each[k], s->each[s->by[k]]) : s->each[k];
}

static void find_turns(vlReduced *b, Stops *s, double dt)
{
  vlReducedWhole w = vl_reduced_whole(b, (const double(*)[4])b->q, (const double(*)[4])b->rate, s->force);
  double inertia = vl_reduced_inertia(b, dt);
  for (int i = 0; i < 9; i++) w.inertia.m[i / 3][i % 3] *= inertia / b->grains.mass;
  s->turns = vl_reduced_is_free(b) && vl_mat_inverse(w.inertia, &s->inverse);
  for (int a = 0; a < 3 && s->turns; a++) {
    vlVec3 axis = vl_vec(a == 0, a == 1, a == 2);
    for (int i = 0; i < b->size; i++) {
      vlVec3 arm = vl_vec(b->q[i][0], b->q[i][1], b->q[i][2]);
      vlVec3 v = vl_cross(axis, i % 4 == 3 ? vl_sub(arm, w.center) : arm);
      for (int c = 0; c < 3; c++) s->turned[a][i][c] = v.v[c];
    }
    vl_reduced_product(b->gram, b->size, (const double(*)[4])s->turned[a], s->turned_inertia[a]);
    for (int i = 0; i < b->size; i++)
      for (int c = 0; c < 4; c++) s->turned_inertia[a][i][c] *= inertia;
  }
}

/* What rows along the axes' turns are, over the moments of inertia: the turn that they make. */
static vlVec3 turn_of(const vlReduced *b, const Stops *s, double (*const along[3])[4], const double (*row)[4])
{
  vlVec3 sum = vl_vec(0, 0, 0);
  for (int a = 0; a < 3; a++)
    for (int i = 0; i < b->size; i++)
      for (int c = 0; c < 3; c++) sum.v[a] += along[a][i][c] * row[i][c];
  return vl_mat_apply(s->inverse, sum);
}

static void add_turn(const vlReduced *b, vlVec3 turn, double (*const along[3])[4], double (*row)[4])
{
  for (int i = 0; i < b->size; i++)
    for (int c = 0; c < 3; c++) row[i][c] += turn.x * along[0][i][c] + turn.y * along[1][i][c] + turn.z * along[2][i][c];
}

/* How forces move the grains -> moved. */
static void respond(vlReduced *b, Stops *s, const vlVec3 *push)
{
  vlVec3 turn = vl_vec(0, 0, 0);
  collect(b, s, push, s->force);
  if (s->turns) {
    turn = turn_of(b, s, s->turned, (const double(*)[4])s->force);
    add_turn(b, vl_scale(turn, -1.0), s->turned_inertia, s->force);
  }
  vl_reduced_answer(b, (const double(*)[4])s->force, s->answer);
  if (s->turns) {
    turn = vl_sub(turn, turn_of(b, s, s->turned_inertia, (const double(*)[4])s->answer));
    add_turn(b, turn, s->turned, s->answer);
  }
  spread(b, s, (const double(*)[4])s->answer);
}

static double norm(const vlVec3 *x, int count)
{
  double sum = 0.0;
  for (int k = 0; k < count; k++) sum += vl_dot(x[k], x[k]);
  return sqrt(sum);
}

/* m/N: the largest that forces are answered with. */
static double most_yielding(vlReduced *b, Stops *s)
{
  for (int k = 0; k < s->count; k++) s->moved[k] = b->grains.stop[s->grain[k]];
  for (int turn = 0; turn < POWER; turn++) {
    double size = norm(s->moved, s->count);
    if (!(size > 0.0)) return 0.0;
    for (int k = 0; k < s->count; k++) s->aim[k] = vl_scale(s->moved[k], 1.0 / size);
    respond(b, s, s->aim);
  }
  return SPARE * norm(s->moved, s->count);
}

/* The force nearest to f that a wall with the normal n can have. */
static vlVec3 bearable(vlVec3 f, vlVec3 n, double friction)
{
  double bears = fmax(0.0, vl_dot(f, n)), most = friction * bears;
  vlVec3 along = vl_axpy(f, -vl_dot(f, n), n);
  double size = vl_norm(along);
  return vl_axpy(vl_scale(n, bears), size > most ? most / size : 1.0, along);
}

/* What grains go too far with the rates b->next -> lack. */
static bool find_lack(vlReduced *b, Stops *s, double dt)
{
  const vlGrains *g = &b->grains;
  bool any = false;
  spread(b, s, (const double(*)[4])b->next);
  for (int k = 0; k < s->count; k++) {
    int p = s->grain[k];
    vlVec3 n = g->stop[p], slip = vl_sub(s->moved[k], g->drag[p]);
    double into = -g->room[p] - dt * vl_dot(s->moved[k], n);
    s->lack[k] = vl_axpy(vl_scale(vl_axpy(slip, -vl_dot(slip, n), n), -dt), into, n);
    any = any || into > 0.0;
  }
  return any;
}

static void find_forces(vlReduced *b, Stops *s, double yields)
{
  const vlGrains *g = &b->grains;
  double moment = 1.0;
  for (int k = 0; k < s->count; k++)
    s->push[k] = s->aim[k] = bearable(g->borne[s->grain[k]], g->stop[s->grain[k]], b->body.friction);
  for (int round = 0; round < ROUNDS; round++) {
    double next = 0.5 * (1.0 + sqrt(1.0 + 4.0 * moment * moment)), along = (moment - 1.0) / next;
    respond(b, s, s->aim);
    for (int k = 0; k < s->count; k++) {
      vlVec3 before = s->push[k], want = vl_axpy(s->aim[k], 1.0 / yields, vl_sub(s->lack[k], s->moved[k]));
      s->push[k] = bearable(want, g->stop[s->grain[k]], b->body.friction);
      s->aim[k] = vl_axpy(s->push[k], along, vl_sub(s->push[k], before));
    }
    moment = next;
  }
}

vlCode vl_reduced_stop(vlReduced *b, double dt, vlStatus *status)
{
  vlGrains *g = &b->grains;
  int count = 0;
  Stops s;
  memset(b->borne, 0, (size_t)b->size * sizeof *b->borne);
  for (int p = 0; p < g->count; p++) count += is_stopped(g, p);
  vlCode code = count > 0 ? create(&s, b, count, status) : VL_OK;
  bool comes = count > 0 && !code && find_lack(b, &s, dt);
  if (comes) find_turns(b, &s, dt);
  double yields = comes ? most_yielding(b, &s) : 0.0;
  if (yields > 0.0) find_forces(b, &s, yields);
  memset(g->borne, 0, (size_t)g->count * sizeof *g->borne);
  if (yields > 0.0) {
    for (int k = 0; k < s.count; k++) g->borne[s.grain[k]] = s.push[k];
    collect(b, &s, s.push, b->borne);
    memcpy(b->next, b->fallen, (size_t)b->size * sizeof *b->next);
    vl_reduced_relax(b, dt, (const double(*)[4])b->borne);
  }
  if (count > 0) clear(&s);
  return code;
}
