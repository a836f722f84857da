/* Bodies in the medium [brandt2019, algorithm 2].
 *
 *   predict   V* of the body alone (solid/body.h); what its grains would gain goes to the grid with their mass; what of it
 *             the grid cannot carry, slip = V* - u*, stays with the grain
 *   carry     v = u(x) + HOLD slip, corrected at contacts; x moves by the midpoint rule with the same slip. u is what the
 *             grains and particles had brought to the face and what the pressure changed there (medium.c)
 *   settle    the body takes the shape nearest to where its grains came
 *
 * HOLD = 0 would let grains go with the liquid and lose what elasticity wants; 1 would let them slide through it. */
#include <math.h>
#include <stdlib.h>

#include "base/status.h"
#include "base/vec.h"
#include "engine/immersed/immersed.h"
#include "grid/sample.h"
#include "solid/grab.h"

static const double HOLD = 0.9;
static const double INSIDE = 1e-4; /* cells: grains count at most so near to a side of the box */

static vlCode create_points(vlGuest *guest, const vlGrid *grid, vlStatus *status)
{
  size_t count = (size_t)guest->grains->count;
  vlCode code = vl_particles_create(&guest->points, grid, 0, status);
  if (!code) code = vl_particles_reserve(guest->points, count, status);
  const float none[3] = {0, 0, 0};
  for (size_t i = 0; i < count && !code; i++) vl_particles_add(guest->points, none, none);
  vlVec3 **own[] = {&guest->before, &guest->slip, &guest->v, &guest->next, &guest->to};
  if (!code && !(guest->weight = calloc(count + 1, sizeof *guest->weight)))
    code = vl_fail_memory(status, count * sizeof *guest->weight, "grains");
  for (int k = 0; k < 5 && !code; k++)
    if (!(*own[k] = calloc(count + 1, sizeof **own[k]))) code = vl_fail_memory(status, count * sizeof **own[k], "grains");
  return code;
}

/* Bodies without grains stay apart from the liquid. */
static vlCode tell_apart(vlImmersed *sim, vlStatus *status)
{
  vlSharp *base = &sim->base;
  const vlBodySet *all = &base->state.bodies;
  size_t count = (size_t)all->count + 1;
  base->apart = *all;
  base->apart.count = 0;
  base->apart.body = calloc(count, sizeof *base->apart.body);
  base->apart.first_node = calloc(count, sizeof *base->apart.first_node);
  base->guests = calloc(count, sizeof *base->guests);
  sim->guest = calloc(count, sizeof *sim->guest);
  if (!base->apart.body || !base->apart.first_node || !base->guests || !sim->guest)
    return vl_fail_memory(status, count * sizeof *sim->guest, "the bodies");
  for (int b = 0; b < all->count; b++) {
    vlBody *body = all->body[b];
    vlBodySet *apart = &base->apart;
    if (body->type->grains) {
      sim->guest[sim->guest_count++].body = body;
      continue;
    }
    apart->first_node[apart->count + 1] = apart->first_node[apart->count] + body->node_count;
    apart->body[apart->count++] = body;
  }
  return VL_OK;
}

bool vl_guests_weigh(vlImmersed *sim)
{
  const vlSharp *base = &sim->base;
  double rho = base->scene->liquid.density, particle = rho * pow(base->grid.dx, 3) / base->per_cell;
  bool others = false;
  for (int s = 0; s < sim->guest_count; s++) {
    vlGuest *guest = &sim->guest[s];
    double before = guest->scale;
    guest->scale = guest->grains->mass / particle;
    guest->room = guest->scale * rho / guest->body->density;
    others = others || guest->scale != before;
  }
  return others;
}

vlCode vl_guests_create(vlImmersed *sim, vlStatus *status)
{
  vlSharp *base = &sim->base;
  vlCode code = tell_apart(sim, status);
  for (int s = 0; s < sim->guest_count && !code; s++) {
    vlGuest *guest = &sim->guest[s];
    guest->grains = guest->body->type->grains(guest->body);
    code = create_points(guest, &base->grid, status);
    base->guests[s] = guest->points;
    base->guest_count = s + 1;
  }
  if (!code) (void)vl_guests_weigh(sim);
  return code;
}

void vl_guests_clear(vlImmersed *sim)
{
  for (int s = 0; s < sim->guest_count; s++) {
    vlGuest *guest = &sim->guest[s];
    vl_particles_destroy(&guest->points);
    void *own[] = {guest->before, guest->slip, guest->v, guest->next, guest->to};
    for (int k = 0; k < 5; k++) free(own[k]);
    free(guest->weight);
  }
  if (sim->base.apart.body != sim->base.state.bodies.body) {
    free(sim->base.apart.body);
    free(sim->base.apart.first_node);
  }
  free(sim->base.guests);
  free(sim->guest);
}

/* From the grains in the order of their numbers, so that the order in a cell depends on nothing else. */
static void lay_out(const vlGuest *guest, const vlGrid *g)
{
  vlParticles *p = guest->points;
  for (int i = 0; i < guest->grains->count; i++) {
    p->id[i] = (uint32_t)i;
    for (int a = 0; a < 3; a++) {
      double x = (guest->grains->x[i].v[a] - g->origin.v[a]) / g->dx, last = g->n[a] - INSIDE;
      float at = (float)fmin(fmax(x, INSIDE), last);
      p->x[a][i] = g->n[a] == 1 ? 0.5f : at < (float)g->n[a] ? at : nextafterf((float)g->n[a], 0.0f);
    }
  }
}

vlCode vl_guests_sort(vlImmersed *sim, vlStatus *status)
{
  vlCode code = VL_OK;
  for (int s = 0; s < sim->guest_count && !code; s++) {
    lay_out(&sim->guest[s], &sim->base.grid);
    code = vl_particles_sort(sim->guest[s].points, &sim->base.grid, status);
  }
  return code;
}

/* Cells from the grid's lower corner. */
static void cells_of(const vlGrid *g, vlVec3 x, double at[3])
{
  for (int a = 0; a < 3; a++) at[a] = (x.v[a] - g->origin.v[a]) / g->dx;
}

vlLump vl_guest_lump(const vlGuest *guest)
{
  const vlGrains *g = guest->grains;
  vlLump lump = {.center = vl_vec(0, 0, 0)};
  vlMat3 inertia = {0};
  for (int i = 0; i < g->count; i++) lump.center = vl_axpy(lump.center, 1.0 / g->count, g->x[i]);
  for (int i = 0; i < g->count; i++) {
    vlVec3 r = vl_sub(g->x[i], lump.center);
    double square = vl_dot(r, r) + g->spacing * g->spacing / 6.0; /* of a cube itself */
    for (int k = 0; k < 9; k++)
      inertia.m[k / 3][k % 3] += g->mass * ((k / 3 == k % 3 ? square : 0.0) - r.v[k / 3] * r.v[k % 3]);
  }
  lump.turns = vl_mat_inverse(inertia, &lump.inverse);
  return lump;
}

/* Velocities as those of a whole. */
typedef struct Whole {
  vlVec3 center, v, turn;
} Whole;

static Whole find_whole(const vlGuest *guest, const vlVec3 *v)
{
  const vlGrains *g = guest->grains;
  vlLump lump = vl_guest_lump(guest);
  Whole m = {.center = lump.center};
  vlVec3 spin = vl_vec(0, 0, 0);
  for (int i = 0; i < g->count; i++) {
    m.v = vl_axpy(m.v, 1.0 / g->count, v[i]);
    spin = vl_axpy(spin, g->mass, vl_cross(vl_sub(g->x[i], m.center), v[i]));
  }
  if (lump.turns) m.turn = vl_mat_apply(lump.inverse, spin);
  return m;
}

/* Of the velocities that are lost with 1 - HOLD, the part that moves the whole is none of elasticity's, and stays. */
static void keep_whole(vlGuest *guest)
{
  const vlGrains *g = guest->grains;
  Whole m = find_whole(guest, guest->slip);
#pragma omp parallel for schedule(static)
  for (int i = 0; i < g->count; i++) {
    vlVec3 whole = vl_add(m.v, vl_cross(m.turn, vl_sub(g->x[i], m.center)));
    guest->slip[i] = vl_axpy(guest->slip[i], (1.0 - HOLD) / HOLD, whole);
  }
}

/* What the body moves with beside the medium, v - u, and what it gains but for what the grid carries of that. */
static void find_slip(const vlSharp *base, vlGuest *guest, vlVec3 fall)
{
#pragma omp parallel for schedule(static)
  for (int i = 0; i < guest->grains->count; i++) {
    double at[3];
    vlVec3 u, gain;
    cells_of(&base->grid, guest->grains->x[i], at);
    vl_sample_velocity(&base->grid, base->state.u_old, at, u.v);
    vl_sample_velocity(&base->grid, base->work.path, at, gain.v);
    guest->before[i] = vl_add(vl_add(u, fall), gain);
    guest->slip[i] = vl_scale(vl_sub(guest->grains->wanted[i], guest->before[i]), HOLD);
  }
  keep_whole(guest);
}

vlCode vl_guests_predict(vlSharp *base, vlStep *step, vlStatus *status)
{
  vlImmersed *sim = vl_immersed(base);
  vlVec3 gravity = vl_sharp_acceleration(base), fall = vl_scale(gravity, step->dt);
  vlOpenSides open = {.side = {true, true, true, true, true, true}};
  vlCode code = VL_OK;
  if (sim->guest_count == 0) return VL_OK;
  vl_free_sides(&base->grid, &base->work.wet, base->work.level.phi, &open, base->state.u_old);
  code = vl_meet_find(sim, status);
  for (int s = 0; s < sim->guest_count && !code; s++) {
    vlGuest *guest = &sim->guest[s];
    if (guest->body->type->drive) guest->body->type->drive(guest->body, base->state.time, step->dt);
    vl_grabs_aim(guest->body, base->state.time, step->dt);
    vl_touch_walls(sim, s, step->dt);
    code = guest->body->type->predict(guest->body, step->dt, gravity, status);
    for (int i = 0; i < guest->grains->count; i++)
      guest->v[i] = vl_sub(vl_sub(guest->grains->wanted[i], guest->grains->v[i]), fall);
    if (!code) code = vl_medium_push(sim, s, base->work.u, status);
    if (!code) find_slip(base, guest, fall);
  }
  vl_motion_free_sides(base, false, base->state.u_old);
  return code;
}

/* Velocity of the medium where the grains lie (work.path, vl_medium_kick), with their slip. */
static void find_velocity(const vlSharp *base, vlGuest *guest, double dt)
{
#pragma omp parallel for schedule(static)
  for (int i = 0; i < guest->grains->count; i++) {
    double at[3];
    vlVec3 u;
    cells_of(&base->grid, guest->grains->x[i], at);
    vl_sample_velocity(&base->grid, base->work.path, at, u.v);
    guest->v[i] = vl_add(u, guest->slip[i]);
    guest->grains->push[i] = vl_scale(vl_sub(u, guest->before[i]), 1.0 / dt);
  }
}

/* What u differs by half way, of each grain -> next; their mean. It bends the ways of grains, but is no force: all that
 * moves the body as a whole has been in the velocities. */
static vlVec3 find_bend(const vlSharp *base, vlGuest *guest, double dt)
{
  const vlGrid *g = &base->grid;
  double h = dt / g->dx;
#pragma omp parallel for schedule(static)
  for (int i = 0; i < guest->grains->count; i++) {
    double at[3], middle[3];
    vlVec3 here, there, v = guest->v[i];
    cells_of(g, guest->grains->x[i], at);
    vl_sample_velocity(g, base->state.u, at, here.v);
    for (int a = 0; a < 3; a++) middle[a] = at[a] + fmax(-1.0, fmin(0.5 * h * v.v[a], 1.0));
    vl_sample_velocity(g, base->state.u, middle, there.v);
    guest->next[i] = vl_sub(there, here);
  }
  vlVec3 mean = vl_vec(0, 0, 0);
  for (int i = 0; i < guest->grains->count; i++) mean = vl_axpy(mean, 1.0 / guest->grains->count, guest->next[i]);
  return mean;
}

/* x + dt (v + u(x + dt/2 v) - u(x) - its mean), outside of solids. */
static void move(const vlSharp *base, const vlObstacles *obstacles, vlGuest *guest, double dt)
{
  const vlGrid *g = &base->grid;
  double h = dt / g->dx;
  vlVec3 mean = find_bend(base, guest, dt);
#pragma omp parallel for schedule(static)
  for (int i = 0; i < guest->grains->count; i++) {
    double at[3], to[3];
    vlVec3 v = vl_add(guest->v[i], vl_sub(guest->next[i], mean));
    cells_of(g, guest->grains->x[i], at);
    for (int a = 0; a < 3; a++) to[a] = at[a] + h * v.v[a];
    (void)vl_advect_keep_out(g, obstacles, h, at, to, v.v);
    guest->to[i] = vl_axpy(g->origin, g->dx, vl_vec(to[0], to[1], to[2]));
  }
}

vlCode vl_guests_carry(vlSharp *base, vlStep *step, vlStatus *status)
{
  vlImmersed *sim = vl_immersed(base);
  if (sim->guest_count == 0) return VL_OK;
  for (int s = 0; s < sim->guest_count; s++) find_velocity(base, &sim->guest[s], step->dt);
  vlCode code = vl_touch(sim, step->dt, status);
  vlObstacles obstacles = vl_sharp_obstacles(base);
  for (int s = 0; s < sim->guest_count && !code; s++) move(base, &obstacles, &sim->guest[s], step->dt);
  return code;
}

vlCode vl_guests_measure(vlSharp *base, vlStep *step, vlStatus *status)
{
  vlImmersed *sim = vl_immersed(base);
  (void)status;
  for (int s = 0; s < sim->guest_count; s++) {
    vlBody *body = sim->guest[s].body;
    body->inverted = vl_body_inverted(body);
    step->info->inverted += body->inverted;
  }
  return VL_OK;
}

vlCode vl_guests_settle(vlSharp *base, vlStep *step, vlStatus *status)
{
  vlImmersed *sim = vl_immersed(base);
  vlCode code = VL_OK;
  for (int s = 0; s < sim->guest_count && !code; s++) {
    vlBody *body = sim->guest[s].body;
    code = body->type->settle(body, sim->guest[s].to, step->dt, status);
    for (int i = 0; i < body->node_count; i++) step->info->body_force = vl_add(step->info->body_force, body->load[i]);
  }
  return code;
}
