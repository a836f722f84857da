/* What is reported of every step: speeds, divergence, energy, volume, and the balance of forces.
 *
 * Pressure acts on solids through the cut cells and on the domain's sides, F = sum p_i (s_i + outward open side areas),
 * where s_i is what the cell's faces lack: lower less upper area. Added up over cells the sides cancel, and what is left is
 * a sum over links, F_a = sum along a of A_f (p_above - p_below), p_s at the end on a surface. So for liquid at rest
 * F_a = W_a = rho g_a sum along a of A_f d_f to the solver's accuracy, whatever the shape. Liquid between walls and the
 * middles of cells, which no link holds, counts in both (walls.c, pressure/layer.h). All sums are taken per block and
 * then in order: the same for any number of threads. */
#include <math.h>

#include "base/vec.h"
#include "engine/sharp/subgrid.h"
#include "liquid/level_set.h"

/* Contribution of one block. */
typedef struct Sums {
  double speed, divergence; /* largest */
  double outflow;           /* 1/s: sum of the sizes of divergence */
  double energy, volume;
  vlVec3 force, weight, momentum;
  int64_t cells;
} Sums;

/* What is given at faces is no link, yet no wall either: the pressures on both sides of it push who gives it. */
static void add_given(const vlSharp *sim, const vlFluid *fluid, int b, Sums *sums)
{
  const vlLinks *links = &sim->work.pressure->links;
  ptrdiff_t at = vl_blocks_field(&sim->grid, fluid->wet->at[b]);
  for (int a = 0; a < 3 && links->given[a]; a++)
    for (unsigned left = links->given[a][b] & ~(fluid->tail ? vl_tail_faces(fluid, b, a) : 0u); left; left &= left - 1u) {
      ptrdiff_t f = at + __builtin_ctz(left);
      sums->force.v[a] += fluid->area[a][f] * (sim->work.p[f] - sim->work.p[f - sim->grid.stride[a]]);
    }
}

/* Nor is an outlet: what pushes on it is taken out of the sums over links, which have it at the sides of the domain. */
static void add_outlets(const vlSharp *sim, const vlFluid *fluid, int b, Sums *sums)
{
  for (int side = 0; side < 6; side++) {
    if (!sim->outlet[side].open) continue;
    int a = side / 2;
    ptrdiff_t at = vl_blocks_field(&sim->grid, fluid->wet->at[b]);
    unsigned left = vl_links_side(&sim->work.pressure->links, fluid->wet, b, a, side % 2).domain;
    if (fluid->tail) left &= ~(unsigned)fluid->tail->cut[b];
    for (left &= sim->work.pressure->links.active[b]; left; left &= left - 1u) {
      ptrdiff_t cell = at + __builtin_ctz(left), f = cell + (side % 2 ? sim->grid.stride[a] : 0);
      sums->force.v[a] -= (side % 2 ? 1.0 : -1.0) * fluid->area[a][f] * sim->work.p[cell];
    }
  }
}

static void add_faces(const vlSharp *sim, const vlFluid *fluid, int b, Sums *sums)
{
  const vlLinks *links = &sim->work.pressure->links;
  const double *p = sim->work.p;
  double rho = sim->scene->liquid.density;
  for (int a = 0; a < 3; a++)
    for (unsigned left = vl_links_flow(links, b, a); left; left &= left - 1u) {
      vlLink link = vl_links_at(links, fluid, b * VL_BLOCK + __builtin_ctz(left), a);
      double u = sim->work.u[a][link.at], speed = isfinite(u) ? fabs(u) : INFINITY;
      if (speed > sums->speed) sums->speed = speed;
      vlLink walls = link; /* which do not feel what presses on the surface */
      walls.pressure = 0.0;
      sums->force.v[a] += link.area * (vl_link_above(walls, p) - vl_link_below(walls, sim->grid.stride[a], p));
      sums->energy += 0.5 * rho * link.area * link.distance * u * u;
      sums->weight.v[a] += rho * vl_sim_gravity(&sim->sim).v[a] * link.area * link.distance;
      sums->momentum.v[a] += rho * link.area * link.distance * u;
    }
}

/* m3/s that flows out of each cell of a wet block, into bodies and through its links. */
static void find_outflow(const vlSharp *sim, const vlFluid *fluid, int wet, double outflow[VL_BLOCK])
{
  const vlCoupling *c = &sim->work.pressure->coupling;
  vlBlockPosition p = fluid->wet->at[wet];
  for (int l = 0; l < VL_BLOCK; l++) outflow[l] = 0.0;
  int b = c->rows > 0 ? vl_blocks_find(&sim->work.pressure->stencil.blocks, p.bx, p.j, p.k) : -1;
  for (int r = b < 0 ? c->rows : vl_coupling_first_row(c, b * VL_BLOCK); r < c->rows && c->cell[r] < (b + 1) * VL_BLOCK; r++)
    outflow[c->cell[r] - b * VL_BLOCK] = vl_coupling_row_flux(c, c->velocity, r) + c->excess[r];
  vl_links_outflow(&sim->work.pressure->links, fluid, wet, sim->work.u, outflow);
}

/* All that flows out of a node may be given. */
static bool is_unknown(const vlSharp *sim, const vlFluid *fluid, int node)
{
  int at = vl_tail_place(sim->work.pressure, fluid, node);
  return at >= 0 && sim->work.pressure->stencil.diagonal[at] > 0.0;
}

static Sums measure_block(const vlSharp *sim, const vlFluid *fluid, int b)
{
  Sums sums = {0};
  vlBlockPosition p = fluid->wet->at[b];
  ptrdiff_t at = vl_blocks_field(&sim->grid, p);
  double cell_volume = pow(sim->grid.dx, 3), dx = sim->grid.dx, outflow[VL_BLOCK];
  add_faces(sim, fluid, b, &sums);
  add_given(sim, fluid, b, &sums);
  add_outlets(sim, fluid, b, &sums);
  vlWallsLayer layer = vl_walls_layer(sim, fluid, b);
  sums.force = vl_add(sums.force, layer.force);
  sums.weight = vl_add(sums.weight, layer.weight);
  if (sim->work.pressure->links.active[b]) find_outflow(sim, fluid, b, outflow);
  for (int l = 0; l < VL_BLOCK && fluid->swell; l++) outflow[l] -= fluid->swell[at + l] * cell_volume;
  for (int l = 0; l < vl_blocks_width(fluid->wet, p); l++) {
    bool node = sim->work.pressure->links.active[b] >> l & 1u, parted = fluid->parted && fluid->parted[b] >> l & 1u;
    if (node && !parted && !(fluid->tail && !is_unknown(sim, fluid, b * VL_BLOCK + l))) {
      double divergence = fabs(outflow[l]) / (dx * dx * dx);
      sums.divergence = fmax(sums.divergence, divergence);
      sums.outflow += divergence;
    }
    sums.cells += node;
    double filled = sim->method->filled ? sim->method->filled(sim, at + l)
                                        : vl_level_set_cell_fraction(&sim->grid, sim->work.level.phi, at + l);
    if (filled > 0.0) sums.volume += cell_volume * filled * sim->work.open[at + l];
  }
  return sums;
}

/* What the tail's links and extra nodes add. */
static Sums measure_tail(const vlSharp *sim, const vlFluid *fluid)
{
  const vlCoupling *c = &sim->work.pressure->coupling;
  const vlLinks *links = &sim->work.pressure->links;
  double rho = sim->scene->liquid.density, volume = pow(sim->grid.dx, 3);
  Sums sums = {0};
  for (int q = 0; q < links->tail->count; q++) {
    const vlTailLink *link = &links->tail->link[q];
    double u = links->tail->u[q], room = link->given ? 0.0 : link->area * link->distance;
    sums.speed = fmax(sums.speed, isfinite(u) ? fabs(u) : INFINITY);
    sums.energy += 0.5 * rho * room * u * u;
    vlVec3 way = vl_subgrid_way(sim, q);
    vlTailLink walls = *link; /* which do not feel what presses on the surface */
    walls.pressure = 0.0;
    sums.momentum = vl_axpy(sums.momentum, rho * room * u, way);
    double pull = vl_dot(vl_sim_gravity(&sim->sim), way) + sim->subgrid->pull[q];
    sums.weight = vl_axpy(sums.weight, rho * room * pull, way);
    double rise = vl_tail_pressure(fluid, &walls, link->above, sim->work.p) -
                  vl_tail_pressure(fluid, &walls, link->below, sim->work.p);
    sums.force = vl_axpy(sums.force, link->area * rise, way);
  }
  vlVec3 outlets;
  vlWallsLayer layer = vl_subgrid_walls_layer(sim, &outlets);
  sums.force = vl_add(sums.force, vl_sub(layer.force, outlets));
  sums.weight = vl_add(sums.weight, layer.weight);
  for (int e = 0; e < links->tail->extras; e++) {
    double outflow = 0.0;
    if (!is_unknown(sim, fluid, vl_tail_extra(e))) continue;
    vl_tail_outflow(links, links->ends.blocks + e, &outflow);
    int at = vl_tail_place(sim->work.pressure, fluid, vl_tail_extra(e)), r = vl_coupling_first_row(c, at);
    if (r < c->rows && c->cell[r] == at) outflow += vl_coupling_row_flux(c, c->velocity, r) + c->excess[r];
    sums.divergence = fmax(sums.divergence, fabs(outflow) / volume);
    sums.outflow += fabs(outflow) / volume;
  }
  return sums;
}

static void add_sums(Sums *total, const Sums *part)
{
  total->speed = fmax(total->speed, part->speed);
  total->divergence = fmax(total->divergence, part->divergence);
  total->outflow += part->outflow;
  total->energy += part->energy;
  total->volume += part->volume;
  total->force = vl_add(total->force, part->force);
  total->weight = vl_add(total->weight, part->weight);
  total->momentum = vl_add(total->momentum, part->momentum);
  total->cells += part->cells;
}

/* Added up in fixed pieces. */
vlCode vl_measure_particles(vlSharp *sim, vlStep *step, vlStatus *status)
{
  (void)status;
  vlStepInfo *info = step->info;
  enum { PIECES = 64 };
  const vlParticles *p = sim->state.particles;
  const vlGrid *g = &sim->grid;
  double mass = sim->scene->liquid.density * pow(g->dx, 3) / sim->per_cell;
  double height[PIECES] = {0};
  vlVec3 momentum[PIECES] = {{.v = {0, 0, 0}}}, gravity = vl_sim_gravity(&sim->sim);
  size_t size = (p->count + PIECES - 1) / PIECES;
#pragma omp parallel for schedule(static)
  for (int q = 0; q < PIECES; q++) {
    size_t last = ((size_t)q + 1) * size < p->count ? ((size_t)q + 1) * size : p->count;
    for (size_t i = (size_t)q * size; i < last; i++) {
      vlVec3 x = vl_vec((double)p->x[0][i], (double)p->x[1][i], (double)p->x[2][i]);
      height[q] -= g->dx * vl_dot(gravity, x);
      vlVec3 v = vl_vec((double)p->v[0][i], (double)p->v[1][i], (double)p->v[2][i]);
      momentum[q] = vl_add(momentum[q], v);
    }
  }
  info->potential_energy = 0.0;
  info->momentum = vl_vec(0, 0, 0);
  for (int q = 0; q < PIECES; q++) {
    info->potential_energy += mass * height[q];
    info->momentum = vl_axpy(info->momentum, mass, momentum[q]);
  }
  info->particles = (int64_t)p->count;
  info->particle_volume = (double)p->count * pow(g->dx, 3) / sim->per_cell;
  if (sim->work.level.filling.cells > 0)
    info->filling = (double)sim->work.level.filling.particles / ((double)sim->work.level.filling.cells * sim->per_cell);
  return VL_OK;
}

vlCode vl_measure(vlSharp *sim, vlStep *step, vlStatus *status)
{
  (void)status;
  vlStepInfo *info = step->info;
  enum { PIECES = 64 };
  vlFluid fluid = vl_sharp_fluid(sim);
  Sums piece[PIECES] = {0}, total = {0};
  int count = fluid.wet->count, size = (count + PIECES - 1) / PIECES;
#pragma omp parallel for schedule(static)
  for (int q = 0; q < PIECES; q++) {
    int last = (q + 1) * size < count ? (q + 1) * size : count;
    for (int b = q * size; b < last; b++) {
      Sums part = measure_block(sim, &fluid, b);
      add_sums(&piece[q], &part);
    }
  }
  for (int q = 0; q < PIECES; q++) add_sums(&total, &piece[q]);
  if (fluid.tail) {
    Sums tail = measure_tail(sim, &fluid);
    add_sums(&total, &tail);
  }
  info->liquid_cells = total.cells;
  info->null_components = sim->work.pressure->null_count;
  info->max_speed = total.speed;
  info->max_divergence = total.divergence;
  info->mean_divergence = total.cells > 0 ? total.outflow / (double)total.cells : 0.0;
  info->kinetic_energy = total.energy;
  info->momentum =
      total.momentum; /* where there are particles, theirs comes in its place, and that of their energy (vl_motion_carry) */
  info->volume = total.volume;
  info->body_force = vl_vec(0, 0, 0);
  vlLayerSums layer = sim->work.layer_sums;
  info->kinetic_energy += layer.energy;
  info->momentum = vl_add(info->momentum, layer.momentum);
  for (int i = 0; i < vl_bodies_nodes(&sim->apart); i++)
    info->body_force = vl_add(info->body_force, sim->work.pressure->coupling.load[i]);
  info->wall_force = vl_sub(total.force, info->body_force);
  info->body_force = vl_add(info->body_force, layer.force);
  info->weight = vl_add(total.weight, layer.weight);
  info->bodies = sim->state.bodies.count;
  info->inverted = 0;
  for (int b = 0; b < sim->apart.count; b++) info->inverted += vl_body_inverted(sim->apart.body[b]);
  info->outflow = 0.0; /* until particles have moved */
  info->contacts = vl_contact_solve_closed(&sim->work.contact);
  info->overlap = vl_contacts_overlap(&sim->work.contact.contacts);
  info->contact_turns = sim->work.contact.turns;
  info->contact_error = sim->work.contact.error;
  info->filling = 1.0;
  return VL_OK;
}
